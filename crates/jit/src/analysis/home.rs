//! The homes of values: what a register holds where ways join is one of several values, and all of these live in one
//! place. A register may have several homes, in which different lanes may keep different values at the same time.

use ptxvm_ir::flow::{Flow, Origin, UniformOver, Uniformity, ValueId, Values};
use ptxvm_ir::operation::Operation;
use ptxvm_ir::operation::compute::{Compute, FloatFunction, Movement};
use ptxvm_ir::{BlockId, Function, OperandKind, Program};
use ptxvm_isa::Type;

use super::id::{HomeId, is_in};
use super::late::Late;
use super::promise::{Promise, promises};
use super::remade::{remade, splits};
use super::shape::{Shape, Solver};
use crate::tuning::OneWay;

/// The homes of a function's values.
pub struct Homes {
    values: Values,
    /// By value: its home.
    of: Vec<HomeId>,
    /// By home: how its values differ between lanes.
    shapes: Vec<Shape>,
    /// By home: the same where all lanes of a warp go one way; empty where that is not looked at.
    shapes_of_one_way: Vec<Shape>,
    /// By home: whether all its values are results of single precision, or constants that are no NaN.
    loose: Vec<bool>,
    /// By home: the number that all its values are, if they are one.
    constants: Vec<Option<u64>>,
    /// By home: what its shape depends on.
    promises: Vec<Promise>,
    /// By home: its value, if that can be made again.
    remade: Vec<Option<ValueId>>,
    /// By block: whether the number of a thread in its CTA says which way it goes.
    splits: Vec<bool>,
    /// By register: how many instructions write it.
    writes: Vec<u32>,
    /// By block, by register: the home of what it holds there at first.
    starts: Vec<Vec<HomeId>>,
}

/// What makes a value.
pub struct Maker {
    pub instruction: u32,
    /// The register that it writes.
    pub register: u32,
    /// What it reads, and from which registers.
    pub reads: Vec<(u32, ValueId)>,
}

impl Homes {
    /// The homes of a function; `None` if its values are not known.
    pub fn of(
        program: &Program,
        function: &Function,
        (flow, uniformity, live, late): (&Flow, &Uniformity, &[Vec<u64>], &Late),
        cta: [u32; 3],
        (close, one_way): (bool, OneWay),
    ) -> Option<Self> {
        let values = flow.values.clone()?;
        // What joins and is not read after that needs no common place.
        let is_dead = |described: &ptxvm_ir::flow::Value| {
            let register = described.register as usize;
            matches!(described.origin, Origin::Join { .. })
                && register < function.registers.len()
                && live.get(described.block as usize).is_some_and(|live| !is_in(live, described.register))
        };
        let dead: Vec<bool> = values.values.iter().map(is_dead).collect();
        let mut groups = Groups::new(values.values.len());
        for (value, described) in values.values.iter().enumerate().filter(|(value, _)| !dead[*value]) {
            for source in values.sources(described.origin) {
                groups.unite(value as u32, source.0);
            }
        }
        let of = groups.finish();
        let starts = starts(&values, function, flow, &of);
        let mut constants = constants(program, function, &values, &of);
        for (_, home) in values.values.iter().zip(&of).filter(|(value, _)| late.has(value.register)) {
            constants[home.0 as usize] = None;
        }
        let solver = Solver {
            program,
            function,
            flow,
            uniformity,
            values: &values,
            late,
            dead: &dead,
            homes: &of,
            constants: &constants,
            cta,
            patterns: close,
            one_way: false,
        };
        let shapes = solver.solve();
        let mut loops = (0..flow.loops.loops.len() as u32).map(|id| uniformity.exit(id));
        let may_gain = match one_way {
            OneWay::WhereItPays => loops.any(|exit| exit == UniformOver::Lane),
            OneWay::Always => true,
            OneWay::Never => false,
        };
        let shapes_of_one_way =
            if may_gain { Solver { one_way: true, ..solver }.solve() } else { Vec::new() };
        let mut loose = vec![true; of.len()];
        for (value, home) in values.values.iter().zip(&of) {
            loose[home.0 as usize] &= !late.has(value.register) && is_loose(program, function, value.origin);
        }
        let remade = remade(program, function, &values, late, &of, &shapes);
        let promises = promises(program, function, &values, &of, &shapes);
        let splits = splits(program, function, &values, late);
        let mut writes = vec![0; function.registers.len() + 1];
        for value in values.values.iter().filter(|value| matches!(value.origin, Origin::Instruction(_))) {
            writes[value.register as usize] += 1;
        }
        Some(Self {
            values,
            of,
            shapes,
            shapes_of_one_way,
            loose,
            constants,
            promises,
            remade,
            splits,
            writes,
            starts,
        })
    }

    /// The home of what a register holds at the beginning of a block.
    pub fn at_start(&self, block: BlockId, register: u32) -> HomeId {
        let nobody = HomeId(u32::MAX);
        self.starts
            .get(block.0 as usize)
            .and_then(|homes| homes.get(register as usize))
            .copied()
            .unwrap_or(nobody)
    }

    /// The home of what an instruction writes to a register.
    pub fn written(&self, instruction: u32, register: u32) -> Option<HomeId> {
        let value = self.values.writes(instruction).iter().rev();
        let value = value.copied().find(|value| self.values.values[value.0 as usize].register == register)?;
        Some(self.of[value.0 as usize])
    }

    /// What the shape of a home depends on.
    pub fn promise(&self, home: HomeId) -> Promise {
        self.promises.get(home.0 as usize).copied().unwrap_or(Promise::Several)
    }

    /// The value of a home, if it has one only and that can be made again.
    pub fn remade(&self, home: HomeId) -> Option<ValueId> {
        self.remade.get(home.0 as usize).copied().flatten()
    }

    /// How a value is made, if an instruction makes it.
    pub fn maker(&self, value: ValueId) -> Option<Maker> {
        let register = |value: ValueId| self.values.values[value.0 as usize].register;
        let Origin::Instruction(at) = self.values.values[value.0 as usize].origin else { return None };
        let reads = self.values.reads(at).iter().map(|read| (register(*read), *read));
        Some(Maker { instruction: at, register: register(value), reads: reads.collect() })
    }

    /// Whether the number of a thread in its CTA alone says which way it goes at the end of a block.
    pub fn splits(&self, block: BlockId) -> bool {
        self.splits.get(block.0 as usize).copied().unwrap_or(false)
    }

    /// How many instructions write a register.
    pub fn writes_of(&self, register: u32) -> u32 {
        self.writes.get(register as usize).copied().unwrap_or(0)
    }

    /// Whether a NaN among the values of a home may have any bits until somebody looks at them.
    pub fn is_loose(&self, home: HomeId) -> bool {
        self.loose.get(home.0 as usize).copied().unwrap_or(false)
    }

    /// The number that all values of a home are, if they are one.
    pub fn constant(&self, home: HomeId) -> Option<u64> {
        self.constants.get(home.0 as usize).copied().flatten()
    }

    /// How the values of a home differ between lanes.
    pub fn shape(&self, home: HomeId) -> Shape {
        self.shapes.get(home.0 as usize).copied().unwrap_or(Shape::Varying)
    }

    /// The same where all lanes of a warp go one way.
    pub fn shape_of_one_way(&self, home: HomeId) -> Shape {
        self.shapes_of_one_way.get(home.0 as usize).copied().unwrap_or_else(|| self.shape(home))
    }
}

/// By home: the number that all its values are, if they are one. Compilers put the operands of `shfl` into registers.
fn constants(program: &Program, function: &Function, values: &Values, homes: &[HomeId]) -> Vec<Option<u64>> {
    let mut constants = vec![None; homes.len()];
    let mut several = vec![false; homes.len()];
    for (value, home) in values.values.iter().zip(homes) {
        let (constant, several) = (&mut constants[home.0 as usize], &mut several[home.0 as usize]);
        let made = match value.origin {
            Origin::Join { .. } => continue,
            Origin::Unset => None,
            Origin::Instruction(at) => moved(program, function, at),
        };
        *several |= made.is_none() || constant.is_some_and(|known| Some(known) != made);
        *constant = made;
    }
    constants
        .iter_mut()
        .zip(several)
        .filter(|(_, several)| *several)
        .for_each(|(constant, _)| *constant = None);
    constants
}

/// The number that an instruction moves to a register, if it does no more.
fn moved(program: &Program, function: &Function, at: u32) -> Option<u64> {
    let instruction = &function.instructions[at as usize];
    let operation = program.operation(instruction).filter(|_| instruction.guard.is_none())?;
    let Operation::Compute(Compute::Movement(Movement::Copy { bits: bits @ (32 | 64) })) = operation else {
        return None;
    };
    let source = function.operands_of(instruction).iter().find(|operand| !operand.written)?;
    match source.kind {
        OperandKind::Immediate(number) => Some(number & (u64::MAX >> (64 - bits))),
        _ => None,
    }
}

/// Whether a value can only be a NaN by arithmetic of single precision, which gives one NaN only.
fn is_loose(program: &Program, function: &Function, origin: Origin) -> bool {
    let at = match origin {
        Origin::Unset => return function.entry,
        Origin::Join { .. } => return true,
        Origin::Instruction(at) => at,
    };
    let instruction = &function.instructions[at as usize];
    // A guard leaves what was there.
    if instruction.guard.is_some() {
        return false;
    }
    match program.operation(instruction) {
        Some(Operation::Compute(Compute::Float(float))) => {
            use FloatFunction as F;
            let computes = matches!(
                float.function,
                F::Add | F::Sub | F::Mul | F::Fma | F::Div | F::Rcp | F::Sqrt | F::Abs | F::Neg
            );
            computes && float.ty == Type::F32
        }
        Some(Operation::Compute(Compute::Movement(Movement::Copy { bits: 32 }))) => {
            let constant = function.operands_of(instruction).iter().find(|operand| !operand.written);
            let is_number = |bits: u64| bits & 0x7fff_ffff <= 0x7f80_0000;
            matches!(constant.map(|operand| operand.kind), Some(OperandKind::Immediate(bits)) if is_number(bits))
        }
        _ => false,
    }
}

/// By block and register: the home of what it holds at the beginning. What comes from nobody has none.
fn starts(values: &Values, function: &Function, flow: &Flow, homes: &[HomeId]) -> Vec<Vec<HomeId>> {
    let registers = function.registers.len() + 1;
    let nobody = HomeId(u32::MAX);
    let mut unset = vec![nobody; registers];
    for (value, home) in values.values.iter().zip(homes) {
        if value.origin == Origin::Unset {
            unset[value.register as usize] = *home;
        }
    }
    let home = |value: &ValueId| (values.values[value.0 as usize].register as usize, homes[value.0 as usize]);
    let mut starts = vec![Vec::new(); function.blocks.len()];
    let children = flow.dominators.children();
    let mut open = vec![(0u32, unset)];
    while let Some((block, mut held)) = open.pop() {
        let Some(described) = function.blocks.get(block as usize) else { continue };
        for (register, home) in values.joins[block as usize].iter().map(home) {
            held[register] = home;
        }
        starts[block as usize] = held.clone();
        for (register, home) in (described.start..described.end).flat_map(|at| values.writes(at)).map(home) {
            held[register] = home;
        }
        open.extend(children[block as usize].iter().map(|child| (*child, held.clone())));
    }
    starts
}

/// Sets that grow together (union-find).
struct Groups(Vec<u32>);

impl Groups {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn root(&mut self, mut of: u32) -> u32 {
        while self.0[of as usize] != of {
            let above = self.0[of as usize];
            self.0[of as usize] = self.0[above as usize];
            of = above;
        }
        of
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// The number of each one's set.
    fn finish(mut self) -> Vec<HomeId> {
        (0..self.0.len() as u32).map(|of| HomeId(self.root(of))).collect()
    }
}
