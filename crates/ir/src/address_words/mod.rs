//! Which words of a kernel's parameters can become addresses.
//!
//! Host memory is lent to a kernel only through a parameter that the kernel uses as an address, so somebody has to
//! know which those are. This is a flow of values that forgets the order of instructions: a value goes from the
//! sources of an instruction to its results unless the operation cannot make an address of an address (products,
//! comparisons, floating point). What reaches an address operand of the global or the generic space is an address.
//!
//! Doubt counts as use: a word that may be an address is one. The exception is a pointer that was loaded from global
//! memory: nobody passed it.

mod treatment;

use ptxvm_isa::{Kind, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use self::treatment::{Reach, Treatment};
use crate::id::{FunctionId, RegisterId, VariableId};
use crate::instruction::{Argument, Base, Call, Callee, Instruction, Operand, OperandKind};
use crate::program::{Function, Home, Parameter, Program};
use crate::variable::Space;

/// The bytes of a cell: pointers may travel in halves.
const CELL: u64 = 4;
/// The bytes of an entry's parameter that are told apart; no entry can have more.
const APART: u64 = 32 << 10;
/// Larger parameters of functions are one cell, so that a call costs little.
const APART_IN_CALLS: u64 = 1 << 10;

/// A value, or a place that holds values.
type Node = u32;

/// What is used as an address.
const ADDRESS: Node = 0;
/// All memory of a thread and its CTA that is reached through registers.
const MEMORY: Node = 1;
/// What is passed to, and returned by, functions that are called through registers.
const PASSED: Node = 2;
const RETURNED: Node = 3;

/// For each parameter of an entry and each whole eight bytes of it: whether they can become an address.
#[must_use]
pub fn address_words(program: &Program, entry: FunctionId) -> Vec<Vec<bool>> {
    let mut flow = FlowGraph::new(program);
    flow.reach(entry);
    let mut indirect = false;
    while let Some(id) = flow.open.pop() {
        let function = &program.functions[id.0 as usize];
        for instruction in &function.instructions {
            flow.instruction(id, function, instruction);
        }
        if !indirect && function.calls.iter().any(|call| matches!(call.callee, Callee::Indirect(_))) {
            indirect = true;
            flow.any_function();
        }
    }
    let used = flow.used();
    let Some(function) = program.functions.get(entry.0 as usize) else { return Vec::new() };
    let words = |parameter: &Parameter| {
        let cell = |at: u64| flow.homes(entry, parameter, at).any(|node| used[node as usize]);
        (0..parameter.size / 8).map(|word| cell(word * 8) && cell(word * 8 + CELL)).collect()
    };
    function.parameters.iter().map(words).collect()
}

/// The graph of the flow.
struct FlowGraph<'a> {
    program: &'a Program,
    /// The first register of each function that has been reached.
    registers: FxHashMap<FunctionId, Node>,
    /// The first cell of each variable that has been met.
    cells: FxHashMap<VariableId, Node>,
    /// The parameters whose address somebody has.
    escaped: FxHashSet<VariableId>,
    /// The number of nodes.
    count: Node,
    /// From where a value goes, and to where.
    edges: Vec<(Node, Node)>,
    /// Functions whose bodies have not been looked at yet.
    open: Vec<FunctionId>,
}

impl<'a> FlowGraph<'a> {
    fn new(program: &'a Program) -> Self {
        let (registers, cells) = (FxHashMap::default(), FxHashMap::default());
        let (escaped, count) = (FxHashSet::default(), RETURNED + 1);
        Self { program, registers, cells, escaped, count, edges: Vec::new(), open: Vec::new() }
    }

    /// Makes room for a function's registers, if that has not been done.
    fn reach(&mut self, id: FunctionId) {
        let Some(function) = self.program.functions.get(id.0 as usize) else { return };
        if !self.registers.contains_key(&id) {
            self.registers.insert(id, self.count);
            self.count += function.registers.len() as Node;
            for parameter in function.parameters.iter().chain(&function.returns) {
                if let Some(Home::Variable(variable)) = parameter.home {
                    self.cells_of(variable);
                }
            }
            self.open.push(id);
        }
    }

    /// A call through a register may lead to any function.
    fn any_function(&mut self) {
        for (index, function) in self.program.functions.iter().enumerate() {
            if function.entry || !function.defined {
                continue;
            }
            let id = FunctionId(index as u32);
            self.reach(id);
            for parameter in &function.parameters {
                let homes: Vec<Node> = self.all_homes(id, parameter);
                self.edges.extend(homes.iter().map(|home| (PASSED, *home)));
            }
            for parameter in &function.returns {
                let homes: Vec<Node> = self.all_homes(id, parameter);
                self.edges.extend(homes.iter().map(|home| (*home, RETURNED)));
            }
        }
    }

    fn register(&self, function: FunctionId, register: RegisterId) -> Node {
        self.registers[&function] + register.0
    }

    /// How many cells a variable has. What is not a parameter is not told apart from other memory.
    fn cell_count(&self, variable: VariableId) -> u64 {
        let variable = &self.program.variables[variable.0 as usize];
        match variable.space {
            Space::EntryParam => variable.size.min(APART).div_ceil(CELL).max(1),
            Space::FuncParam if variable.size > APART_IN_CALLS => 1,
            // A parameter that leaves its size open has one cell.
            Space::FuncParam => variable.size.div_ceil(CELL).max(1),
            _ => 0,
        }
    }

    fn cells_of(&mut self, variable: VariableId) -> Node {
        let count = self.cell_count(variable) as Node;
        *self.cells.entry(variable).or_insert_with(|| {
            let first = self.count;
            self.count += count;
            first
        })
    }

    /// The cells that some bytes of a variable lie in; memory in general, if it is no parameter.
    fn bytes_of(&mut self, variable: VariableId, offset: i64, bytes: u64) -> std::ops::Range<Node> {
        let count = self.cell_count(variable);
        if count == 0 {
            let known =
                matches!(self.program.variables[variable.0 as usize].space, Space::Local | Space::Shared);
            return if known { MEMORY..MEMORY + 1 } else { 0..0 };
        }
        let first = self.cells_of(variable);
        let last = (count - 1) as Node;
        let at = u64::try_from(offset).unwrap_or(0) / CELL;
        let end = (u64::try_from(offset).unwrap_or(0).saturating_add(bytes.max(1) - 1)) / CELL;
        let within = |cell: u64| Node::try_from(cell).unwrap_or(last).min(last);
        first + within(at)..first + within(end) + 1
    }

    /// Makes a parameter a part of the memory that registers reach.
    fn escape(&mut self, variable: VariableId) {
        if self.cell_count(variable) > 0 && self.escaped.insert(variable) {
            for cell in self.bytes_of(variable, 0, u64::MAX >> 1) {
                self.edges.extend([(cell, MEMORY), (MEMORY, cell)]);
            }
        }
    }

    /// Where a parameter's bytes from an offset on are found.
    fn homes(&self, function: FunctionId, parameter: &Parameter, at: u64) -> impl Iterator<Item = Node> {
        let home = match parameter.home {
            Some(Home::Register(register)) => Some(self.register(function, register)),
            Some(Home::Variable(variable)) if at < APART => {
                let cell = (at / CELL).min(self.cell_count(variable).saturating_sub(1));
                self.cells.get(&variable).map(|first| first + cell as Node)
            }
            _ => None,
        };
        home.into_iter()
    }

    fn all_homes(&self, function: FunctionId, parameter: &Parameter) -> Vec<Node> {
        let cells = parameter.size.clamp(1, APART).div_ceil(CELL);
        let mut all: Vec<Node> =
            (0..cells).flat_map(|cell| self.homes(function, parameter, cell * CELL)).collect();
        all.dedup();
        all
    }

    fn instruction(&mut self, id: FunctionId, function: &Function, instruction: &Instruction) {
        let operation = self.program.operation(instruction);
        let operands = function.operands_of(instruction);
        let treatment = Treatment::of(operation, operands);
        if let Treatment::Call = treatment {
            for operand in operands {
                if let OperandKind::Call(call) = operand.kind {
                    self.call(id, &function.calls[call as usize]);
                }
            }
            return;
        }
        // Whoever has a parameter's address may read all of it.
        for operand in operands {
            if let OperandKind::Variable { variable, .. } = operand.kind {
                self.escape(variable);
            }
        }
        let reach = Reach::of(operation);
        for operand in operands {
            if let OperandKind::Address { base: Base::Register(register), .. } = operand.kind
                && reach != Reach::Own
            {
                self.edges.push((self.register(id, register), ADDRESS));
            }
        }
        match treatment {
            Treatment::Load => self.load(id, operands, reach),
            Treatment::Store => self.store(id, operands, reach),
            Treatment::Nothing | Treatment::Call => {}
            _ => self.compute(id, function, operands, reach, treatment),
        }
    }

    /// A load: what is in memory goes to registers, one element after the other.
    fn load(&mut self, id: FunctionId, operands: &[Operand], reach: Reach) {
        let mut place = 0;
        for operand in operands.iter().filter(|operand| operand.written) {
            let bytes = operand.ty.map_or(8, |ty| u64::from(ty.bits()).div_ceil(8));
            if let OperandKind::Register { register, .. } = operand.kind {
                let to = self.register(id, register);
                for from in self.at(operands, reach, place, bytes) {
                    self.edges.push((from, to));
                }
            }
            place += bytes as i64;
        }
    }

    /// A store: what is in registers goes to memory.
    fn store(&mut self, id: FunctionId, operands: &[Operand], reach: Reach) {
        let mut place = 0;
        let values = operands.iter().filter(|operand| !matches!(operand.kind, OperandKind::Address { .. }));
        for operand in values {
            let bytes = operand.ty.map_or(8, |ty| u64::from(ty.bits()).div_ceil(8));
            if let OperandKind::Register { register, .. } = operand.kind {
                let from = self.register(id, register);
                for to in self.at(operands, reach, place, bytes) {
                    self.edges.push((from, to));
                }
            }
            place += bytes as i64;
        }
    }

    /// The nodes of the memory that the address operands of an instruction name.
    fn at(&mut self, operands: &[Operand], reach: Reach, place: i64, bytes: u64) -> Vec<Node> {
        let mut found = Vec::new();
        for operand in operands {
            match operand.kind {
                OperandKind::Address { base: Base::Variable(variable), offset } => {
                    found.extend(self.bytes_of(variable, offset.saturating_add(place), bytes));
                }
                OperandKind::Address { .. } if reach != Reach::Global => found.push(MEMORY),
                _ => {}
            }
        }
        found
    }

    /// Any other instruction: its sources flow to its results, and to and from the memory that it names.
    fn compute(
        &mut self,
        id: FunctionId,
        function: &Function,
        operands: &[Operand],
        reach: Reach,
        treatment: Treatment,
    ) {
        let mut memory = false;
        for operand in operands {
            if let OperandKind::Address { base, .. } = operand.kind {
                memory |= reach != Reach::Global;
                if let Base::Variable(variable) = base {
                    self.escape(variable);
                }
            }
        }
        if treatment == Treatment::Tensor {
            // A tensor map lies in memory and holds an address. The other operands are coordinates.
            self.edges.push((MEMORY, ADDRESS));
            return;
        }
        // One node for the instruction keeps the edges of wide instructions few.
        let middle = self.count;
        self.count += 1;
        if memory {
            self.edges.extend([(MEMORY, middle), (middle, MEMORY)]);
        }
        let float = |operand: &Operand| operand.ty.is_some_and(is_float);
        let first = operands.iter().position(|operand| !operand.written);
        let last = operands.iter().rposition(|operand| !operand.written);
        for (at, operand) in operands.iter().enumerate() {
            let OperandKind::Register { register, .. } = operand.kind else { continue };
            if function.registers[register.0 as usize] == Type::Pred || float(operand) {
                continue;
            }
            let node = self.register(id, register);
            let comes_out = match treatment {
                Treatment::First => Some(at) == first,
                Treatment::Last => Some(at) == last,
                _ => true,
            };
            if operand.written {
                self.edges.push((middle, node));
            } else if comes_out {
                self.edges.push((node, middle));
            }
        }
        if treatment == Treatment::ReplaceAddress {
            self.edges.push((middle, ADDRESS));
        }
    }

    fn call(&mut self, id: FunctionId, call: &Call) {
        let callee = match call.callee {
            Callee::Direct(callee) => Some(callee),
            Callee::Indirect(_) => None,
        };
        let described = callee.and_then(|callee| self.program.functions.get(callee.0 as usize));
        if let (Some(callee), Some(function)) = (callee, described.filter(|function| function.defined)) {
            self.reach(callee);
            for (argument, parameter) in call.arguments.iter().zip(&function.parameters) {
                self.pass(id, argument, callee, parameter, false);
            }
            // What a list of open length takes lies together.
            for argument in call.arguments.iter().skip(function.parameters.len()) {
                self.loose(id, argument, (Some(PASSED), None));
            }
            for (argument, parameter) in call.returns.iter().zip(&function.returns) {
                self.pass(id, argument, callee, parameter, true);
            }
            return;
        }
        // The machine's own functions use what they are given as they like.
        let (to, from) = if callee.is_some() { (ADDRESS, MEMORY) } else { (PASSED, RETURNED) };
        call.arguments.iter().for_each(|argument| self.loose(id, argument, (Some(to), None)));
        call.returns.iter().for_each(|argument| self.loose(id, argument, (None, Some(from))));
    }

    /// Connects an actual parameter with a formal one.
    fn pass(
        &mut self,
        id: FunctionId,
        argument: &Argument,
        callee: FunctionId,
        parameter: &Parameter,
        back: bool,
    ) {
        let formal = self.all_homes(callee, parameter);
        let actual: Vec<Node> = match *argument {
            Argument::Register(register) => vec![self.register(id, register)],
            Argument::Param(variable) => self.bytes_of(variable, 0, u64::MAX >> 1).collect(),
            Argument::Immediate(_) | Argument::Sink => return,
        };
        // A register meets all cells of a parameter; cells meet one by one, and what is left over meets the last.
        let (Some(&last_formal), Some(&last_actual)) = (formal.last(), actual.last()) else { return };
        for at in 0..formal.len().max(actual.len()) {
            let formal = formal.get(at).copied().unwrap_or(last_formal);
            let actual = actual.get(at).copied().unwrap_or(last_actual);
            self.edges.push(if back { (formal, actual) } else { (actual, formal) });
        }
    }

    /// Connects an actual parameter with whatever takes it, and with whatever gives it.
    fn loose(&mut self, id: FunctionId, argument: &Argument, (to, from): (Option<Node>, Option<Node>)) {
        let nodes: Vec<Node> = match *argument {
            Argument::Register(register) => vec![self.register(id, register)],
            Argument::Param(variable) => self.bytes_of(variable, 0, u64::MAX >> 1).collect(),
            Argument::Immediate(_) | Argument::Sink => return,
        };
        for node in nodes {
            self.edges.extend(to.map(|to| (node, to)));
            self.edges.extend(from.map(|from| (from, node)));
        }
    }

    /// Whether each node reaches [`ADDRESS`].
    fn used(&self) -> Vec<bool> {
        // The sources of each node, side by side.
        let mut starts = vec![0u32; self.count as usize + 1];
        self.edges.iter().for_each(|(_, to)| starts[*to as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut sources = vec![0; self.edges.len()];
        let mut next = starts.clone();
        for (from, to) in &self.edges {
            sources[next[*to as usize] as usize] = *from;
            next[*to as usize] += 1;
        }
        let mut used = vec![false; self.count as usize];
        used[ADDRESS as usize] = true;
        let mut open = vec![ADDRESS];
        while let Some(node) = open.pop() {
            for &source in &sources[starts[node as usize] as usize..starts[node as usize + 1] as usize] {
                if !std::mem::replace(&mut used[source as usize], true) {
                    open.push(source);
                }
            }
        }
        used
    }
}

fn is_float(ty: Type) -> bool {
    matches!(ty.kind(), Kind::Float | Kind::Packed)
}
