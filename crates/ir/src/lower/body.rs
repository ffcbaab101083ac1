//! The walk through a function's statements: each instruction with its guard and operands, labels and positions.

use ptxvm_isa::Type;
use ptxvm_isa::table::Shape;
use ptxvm_module::entity::FunctionId;
use ptxvm_module::module::{Body, Used};
use ptxvm_syntax::ast::{FunctionKind, InstructionId, Loc, OperandId, Span, StatementKind};
use rustc_hash::FxHashSet;

use crate::id::{FormId, RegisterId, VariableId};
use crate::instruction::{Call, Guard, Instruction, Operand, OperandKind};
use crate::lower::layout::{End, Label, Layout, Target};
use crate::lower::lowering::Lowering;
use crate::lower::register::RegisterTable;
use crate::operation::{Effects, Operation};
use crate::program::Function;

/// No position is known.
const NOWHERE: u32 = u32::MAX;

/// A body while it is lowered.
pub struct BodyLowering<'l, 'a> {
    pub lowering: &'l mut Lowering<'a>,
    pub id: FunctionId,
    /// Whether it is the body of an entry.
    pub entry: bool,
    pub body: &'a Body,
    pub registers: RegisterTable,
    pub layout: Layout,
    pub instructions: Vec<Instruction>,
    pub operands: Vec<Operand>,
    pub calls: Vec<Call>,
    /// The variables that are passed for parameters of other sizes.
    pub kept_in_frame: FxHashSet<VariableId>,
    /// The operands of the instruction that is being lowered.
    pub current: Vec<Operand>,
    /// Where that instruction branches to.
    pub target: Option<Target>,
    location: u32,
    /// What the last instruction asks of the schedule.
    last: Effects,
}

impl<'l, 'a> BodyLowering<'l, 'a> {
    pub fn new(lowering: &'l mut Lowering<'a>, id: FunctionId, body: &'a Body) -> Self {
        let entry = lowering.module.functions[id.0 as usize].kind == FunctionKind::Entry;
        Self {
            lowering,
            id,
            entry,
            body,
            registers: RegisterTable::default(),
            layout: Layout::default(),
            instructions: Vec::new(),
            operands: Vec::new(),
            calls: Vec::new(),
            kept_in_frame: FxHashSet::default(),
            current: Vec::new(),
            target: None,
            location: NOWHERE,
            last: Effects::default(),
        }
    }

    /// Lowers every statement.
    pub fn walk(&mut self) {
        let file = self.lowering.file;
        for at in self.body.statements.range() {
            let statement = &file.statements[at];
            match statement.kind {
                StatementKind::Instruction(id) => self.instruction(id),
                StatementKind::Label(_) => self.layout.label(Label(at as u32), self.here()),
                StatementKind::Loc(id) => self.loc(&file[id]),
                // Declarations have been numbered by the check, lists and prototypes are read where they are used.
                StatementKind::Variable(_)
                | StatementKind::Open { .. }
                | StatementKind::Close
                | StatementKind::Targets(_)
                | StatementKind::Prototype(_)
                | StatementKind::Directive(_)
                | StatementKind::Function(_) => {}
            }
        }
    }

    /// Puts the blocks and everything else that was found into the function.
    pub fn finish(mut self, function: &mut Function, end: Span) {
        self.fall_off(end);
        let length = self.here();
        (function.blocks, function.branch_lists) = self.layout.blocks(length, self.entry);
        function.registers = self.registers.types;
        function.register_names = self.registers.names;
        function.instructions = self.instructions;
        function.operands = self.operands;
        function.calls = self.calls;
    }

    /// The number of the next instruction.
    pub fn here(&self) -> u32 {
        self.instructions.len() as u32
    }

    /// A thread that reaches the end of a body ends, or returns to the caller, as it does in ptxas's code.
    fn fall_off(&mut self, end: Span) {
        let reached = match self.instructions.last() {
            Some(last) => last.guard.is_some() || !self.last.leaves,
            None => true,
        };
        if !reached && !self.layout.has_label_at(self.here()) {
            return;
        }
        let word = if self.entry { "exit" } else { "ret" };
        match self.lowering.forms.spelt(self.lowering.isa, &[word], 0) {
            Some(form) => self.emit(form, None, end),
            None => self.lowering.unsupported(end, format!("the table has no `{word}`")),
        }
    }

    fn loc(&mut self, loc: &Loc) {
        if self.lowering.inline_assembly.repeats(loc.span) {
            return;
        }
        if let Some(location) = self.lowering.location(loc) {
            self.location = location;
        }
    }

    fn instruction(&mut self, id: InstructionId) {
        let file = self.lowering.file;
        let isa = self.lowering.isa;
        let instruction = &file[id];
        let row = self.lowering.module.rows[id.0 as usize];
        let list = self.lowering.module.lists[id.0 as usize];
        let form = self.lowering.forms.of(isa, file, row, instruction);
        let places = isa.rows.get(usize::from(row));
        let (Some(form), Some(row)) = (form, places) else {
            return self.lowering.unresolved(instruction.span);
        };
        let list = row.lists.get(usize::from(list)).copied().unwrap_or(&[]);
        self.current.clear();
        self.target = None;
        if let [only] = list
            && matches!(row.operands[usize::from(*only)].shape, Shape::Call)
        {
            self.call(*only, instruction);
        } else {
            let filling = self.lowering.forms.get(form).filling;
            for (i, (&place, at)) in list.iter().zip(instruction.operands.range()).enumerate() {
                let described = &row.operands[usize::from(place)];
                let operand = self.without_sink(i, described, OperandId(at as u32));
                self.place(described, &filling, place, 0, operand);
            }
        }
        let guard = match instruction.guard {
            None => None,
            Some(guard) => match self.guard(id, instruction.span) {
                Some(register) => Some(Guard { register, negated: guard.negated }),
                None => return,
            },
        };
        self.emit(form, guard, instruction.span);
    }

    /// The register of an instruction's guard.
    fn guard(&mut self, id: InstructionId, span: Span) -> Option<RegisterId> {
        match self.lowering.module.guard(id) {
            Some(Used::Register(index)) => self.register(index, 0, span),
            Some(Used::Special(sreg)) => self.predicate_of(sreg, span),
            _ => {
                self.lowering.unresolved(span);
                None
            }
        }
    }

    /// Appends an instruction with the current operands.
    pub fn emit(&mut self, form: FormId, guard: Option<Guard>, span: Span) {
        let Lowering { forms, program, .. } = &mut *self.lowering;
        let meant = forms.meaning(form, &self.current, &program.variables, self.entry);
        self.last = meant.map(|(_, operation)| operation.effects()).unwrap_or_default();
        if self.last.leads {
            self.layout.lead(self.here());
        }
        if let Some((_, Operation::Control(control))) = meant {
            let call = self.current.iter().find_map(|operand| match operand.kind {
                OperandKind::Call(call) => Some(call),
                _ => None,
            });
            let (instruction, guarded, target) = (self.here(), guard.is_some(), self.target);
            self.layout.end(End { instruction, control, guarded, target, call });
        }
        let start = self.operands.len() as u32;
        self.operands.append(&mut self.current);
        let operands = (start, self.operands.len() as u32);
        let operation = meant.map(|(id, _)| id);
        self.instructions.push(Instruction {
            form,
            operation,
            guard,
            operands,
            span,
            location: self.location,
        });
        if self.last.ends {
            self.layout.lead(self.here());
        }
    }

    /// The register of this number in the module, or a member of it.
    pub fn register(&mut self, index: u32, member: u8, span: Span) -> Option<RegisterId> {
        let found = self.registers.of(self.lowering.file, self.body, index, member);
        if found.is_none() {
            self.lowering.unresolved(span);
        }
        found
    }

    /// Appends an operand to the current instruction.
    pub fn push(&mut self, place: u8, part: u8, written: bool, ty: Option<Type>, kind: OperandKind) {
        self.current.push(Operand { place, part, written, ty, kind });
    }
}
