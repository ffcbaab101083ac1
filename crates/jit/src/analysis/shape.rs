//! How the values of a home differ between the lanes of a warp: not at all, by the same step from lane to lane, by a number
//! of each lane that is known, by the same step within each row of the CTA, or anyhow.
//!
//! A warp has rows where a CTA is 8 or 16 threads wide: its lanes are then of 4 or 2 rows, and what depends on `%tid.x`
//! and `%tid.y` is a number for each row and a step within it.
//!
//! A home is looked at as a whole, and so is what reads it after a loop that lanes leave at different rounds. What the
//! solver says of a result, the emitter must be able to write.

use ptxvm_ir::flow::uniformity::{of_operand, of_result};
use ptxvm_ir::flow::{Flow, Origin, UniformOver, Uniformity, ValueId, Values, read_by};
use ptxvm_ir::operation::compute::{Compute, IntegerFunction, IntegerType, LogicFunction, Movement};
use ptxvm_ir::operation::{Generic, Operation, SpecialRegister, generic};
use ptxvm_ir::{Function, Operand, OperandKind, Program};
use ptxvm_isa::{Kind, Type};

use super::id::HomeId;
use super::late::Late;
use super::pattern::{self, Given, Lanes, Pattern};

/// How a value differs between lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It is the same in all lanes that run.
    Uniform,
    /// From each lane to the next it grows by so much, in the arithmetic of its width.
    Affine(i64),
    /// Each lane adds a number of its own to that of lane 0, in the arithmetic of its width.
    Pattern(Pattern),
    /// The same within each row.
    Rows(Rows),
    /// Nothing is known.
    Varying,
}

/// How a value differs between the lanes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The lanes of a row.
    pub width: u32,
    /// Whether all rows are alike.
    pub alike: bool,
    /// From each lane of a row to the next it grows by so much.
    pub step: i64,
}

/// The lanes of a row in CTAs of a shape, if a warp has several rows that are looked at.
pub fn row_width(cta: [u32; 3]) -> Option<u32> {
    let several = cta[1] > 1 || cta[2] > 1;
    (several && matches!(cta[0], 8 | 16)).then_some(cta[0])
}

impl Shape {
    /// What is known of a value that may be either.
    fn or(self, other: Self) -> Self {
        let width = self.width().or(other.width());
        match (self.step(), other.step(), width) {
            _ if self == other => self,
            (Some(step), Some(same), Some(width)) if step == same => {
                Self::Rows(Rows { width, alike: false, step })
            }
            _ => Self::Varying,
        }
    }

    /// By how much it grows from one lane to the next of its row.
    fn step(self) -> Option<i64> {
        match self {
            Self::Uniform => Some(0),
            Self::Affine(step) | Self::Rows(Rows { step, .. }) => Some(step),
            Self::Pattern(_) | Self::Varying => None,
        }
    }

    fn width(self) -> Option<u32> {
        match self {
            Self::Rows(rows) => Some(rows.width),
            _ => None,
        }
    }

    /// The shape of what has a step and was made of values of these shapes; a step that is too large to compute with is
    /// none.
    fn made_of(sources: &[Source], step: Option<i64>) -> Self {
        let Some(step) = step.filter(|step| step.unsigned_abs() <= MOST_STEP) else { return Self::Varying };
        let shapes = || sources.iter().map(|source| source.shape);
        let Some(width) = shapes().find_map(Self::width) else {
            return if step == 0 { Self::Uniform } else { Self::Affine(step) };
        };
        let is_alike = |shape| matches!(shape, Self::Uniform | Self::Rows(Rows { alike: true, .. }));
        match shapes().all(is_alike) {
            true if step == 0 => Self::Uniform,
            alike => Self::Rows(Rows { width, alike, step }),
        }
    }
}

/// Larger steps between lanes are not looked at, so that 31 of them fit 32 bits.
const MOST_STEP: u64 = 1 << 24;

/// A source of an operation.
#[derive(Clone, Copy, Debug)]
struct Source {
    shape: Shape,
    /// What each lane has, unless that is of rows or not known at all.
    lanes: Option<Lanes>,
    /// Its value, if it is a constant.
    constant: Option<u64>,
}

/// What is known of the values of a home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    shape: Shape,
    /// What each lane has, unless that is of rows or not known at all.
    lanes: Option<Lanes>,
}

impl Known {
    const VARYING: Self = Self { shape: Shape::Varying, lanes: None };
    const UNIFORM: Self = Self { shape: Shape::Uniform, lanes: Some(Lanes::UNIFORM) };

    /// Of what each lane has.
    fn of(lanes: Lanes) -> Self {
        let Some(pattern) = lanes.pattern() else { return Self::VARYING };
        let shape = match pattern.step() {
            Some(0) => Shape::Uniform,
            Some(step) => Shape::Affine(step),
            None => Shape::Pattern(pattern),
        };
        Self { shape, lanes: Some(lanes) }
    }

    /// Of a shape.
    fn shaped(shape: Shape) -> Self {
        match shape {
            Shape::Uniform => Self::UNIFORM,
            _ => Self { shape, lanes: None },
        }
    }

    /// What is known of a value that may be either.
    fn or(self, other: Self) -> Self {
        let lanes = self.lanes.and_then(|lanes| lanes.or(&other.lanes?));
        match lanes {
            _ if self == other => self,
            Some(lanes) => Self::of(lanes),
            None => Self::shaped(self.shape.or(other.shape)),
        }
    }
}

/// The shape of what an operation makes of sources of which some are of rows.
fn steps(operation: &Operation, sources: &[Source]) -> Shape {
    let step = |at: usize| sources.get(at).and_then(|source| source.shape.step());
    let product = |a: usize, b: usize, number: fn(u64) -> i64| {
        let constant = |at: usize| sources.get(at).and_then(|source| source.constant).map(number);
        match (step(a)?, step(b)?, constant(a), constant(b)) {
            (0, 0, ..) => Some(0),
            (by, 0, _, Some(factor)) | (0, by, Some(factor), _) => by.checked_mul(factor),
            _ => None,
        }
    };
    let sum = |a: Option<i64>, b: Option<i64>| a?.checked_add(b?);
    match operation {
        Operation::Compute(Compute::Integer(integer)) if integer.limit.is_none() => {
            use IntegerFunction as F;
            if !matches!(
                integer.ty,
                IntegerType::U32 | IntegerType::S32 | IntegerType::U64 | IntegerType::S64
            ) {
                return Shape::Varying;
            }
            // How a constant factor counts: in 32 bits that wrap its sign does not matter.
            let number: fn(u64) -> i64 = match integer.ty {
                IntegerType::U64 | IntegerType::S64 => |bits| bits as i64,
                IntegerType::U32 => |bits| i64::from(bits as u32),
                _ => |bits| i64::from(bits as i32),
            };
            let step = match integer.function {
                F::Add => sum(step(0), step(1)),
                F::Sub => sum(step(0), step(1).map(i64::wrapping_neg)),
                F::MulLo | F::MulWide => product(0, 1, number),
                F::MadLo | F::MadWide => sum(product(0, 1, number), step(2)),
                _ => None,
            };
            Shape::made_of(sources, step)
        }
        Operation::Compute(Compute::Logic(logic)) if logic.function == LogicFunction::Shl => {
            let by = sources.get(1).and_then(|source| source.constant).filter(|by| *by < 24);
            let wide = matches!(logic.ty, Type::B32 | Type::B64);
            Shape::made_of(sources, by.filter(|_| wide).and_then(|by| step(0)?.checked_mul(1 << by)))
        }
        Operation::Compute(Compute::Movement(Movement::Copy { bits: 32 | 64 })) => {
            Shape::made_of(sources, step(0))
        }
        Operation::Compute(Compute::Convert(convert)) => {
            let whole = |ty: Type| matches!(ty.kind(), Kind::Signed | Kind::Unsigned) && ty.bits() >= 32;
            let plain = whole(convert.to) && whole(convert.from) && !convert.modifiers.sat;
            Shape::made_of(sources, step(0).filter(|_| plain))
        }
        Operation::Generic(Generic::From(window) | Generic::To(window))
            if *window != generic::Window::Param =>
        {
            Shape::made_of(sources, step(0))
        }
        _ => Shape::Varying,
    }
}

/// The shape of a special register in CTAs of a shape.
pub fn of_special(cta: [u32; 3], register: SpecialRegister, member: u8) -> Shape {
    if ptxvm_ir::flow::uniformity::of_special(Some(cta), register, member) <= UniformOver::Warp {
        return Shape::Uniform;
    }
    let in_one_row = cta[0].is_multiple_of(32) || (cta[1] == 1 && cta[2] == 1);
    match (register, member) {
        (SpecialRegister::Tid, 0) if in_one_row => Shape::Affine(1),
        (SpecialRegister::Laneid, _) => Shape::Affine(1),
        (SpecialRegister::Tid, _) => match row_width(cta) {
            Some(width) if member == 0 => Shape::Rows(Rows { width, alike: true, step: 1 }),
            Some(width) => Shape::Rows(Rows { width, alike: false, step: 0 }),
            None => Shape::Varying,
        },
        _ => Shape::Varying,
    }
}

/// Finds the shapes of homes.
pub struct Solver<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    pub flow: &'a Flow,
    pub uniformity: &'a Uniformity,
    pub values: &'a Values,
    /// The registers that are read from the activation wherever somebody uses them.
    pub late: &'a Late,
    /// By value: whether it is what ways join to and nobody reads.
    pub dead: &'a [bool],
    pub homes: &'a [HomeId],
    /// By home: the number that all its values are, if they are one.
    pub constants: &'a [Option<u64>],
    pub cta: [u32; 3],
    /// Whether what lanes add is looked at where it is not a step.
    pub patterns: bool,
    /// Whether all lanes of a warp go one way, wherever they might part.
    pub one_way: bool,
}

impl Solver<'_> {
    /// From the best that could be until nothing gets worse.
    pub fn solve(&self) -> Vec<Shape> {
        let mut known: Vec<Option<Known>> = vec![None; self.homes.len()];
        let mut blocks = vec![0; self.function.instructions.len()];
        for (number, block) in (0u32..).zip(&self.function.blocks) {
            blocks[block.start as usize..block.end as usize].fill(number);
        }
        self.read_after_loops(&blocks, &mut known);
        for round in 0.. {
            let mut changed = false;
            for (value, described) in (0u32..).map(ValueId).zip(&self.values.values) {
                let Some(found) = self.value(value, described.origin, described.block, &known) else {
                    continue;
                };
                let home = &mut known[self.homes[value.0 as usize].0 as usize];
                let mut new = home.map_or(found, |known| known.or(found));
                // Bits would come one by one.
                if round > ROUNDS && *home != Some(new) {
                    new.lanes = new.lanes.map(|lanes| lanes.widened());
                }
                changed |= *home != Some(new);
                *home = Some(new);
            }
            if !changed {
                break;
            }
        }
        known.into_iter().map(|known| known.map_or(Shape::Varying, |known| known.shape)).collect()
    }

    /// What is read after a loop that lanes leave at different rounds is of different rounds.
    fn read_after_loops(&self, blocks: &[u32], known: &mut [Option<Known>]) {
        let mut seen_from = |value: &ValueId, block: u32| {
            let made = self.values.values[value.0 as usize].block;
            let mut left = self.flow.loops.left(made, block);
            // A constant is the same in all rounds.
            let differs = |id: u32| self.may_part(self.uniformity.exit(id));
            if self.constant(*value).is_none() && left.any(differs) {
                known[self.homes[value.0 as usize].0 as usize] = Some(Known::VARYING);
            }
        };
        for (at, block) in (0u32..).zip(blocks) {
            self.values.reads(at).iter().for_each(|value| seen_from(value, *block));
        }
        for (described, _) in self.values.values.iter().zip(self.dead).filter(|(_, dead)| !**dead) {
            self.values.sources(described.origin).iter().for_each(|value| seen_from(value, described.block));
        }
    }

    /// What is known of a value; `None` as long as nothing is.
    fn value(&self, value: ValueId, origin: Origin, block: u32, known: &[Option<Known>]) -> Option<Known> {
        if self.late.has(self.values.values[value.0 as usize].register) {
            return Some(Known::VARYING);
        }
        if let Some(number) = self.constant(value) {
            return Some(Known::of(Lanes::constant(number)));
        }
        match origin {
            Origin::Unset if self.function.entry => Some(Known::UNIFORM),
            Origin::Unset => Some(Known::VARYING),
            // What comes to a join lives in its home.
            Origin::Join { .. } if self.may_part(self.uniformity.join(block)) => Some(Known::VARYING),
            Origin::Join { .. } => None,
            // Lanes that run it once more must not change what others have.
            Origin::Instruction(_) if self.may_part(self.uniformity.rounds(block)) => Some(Known::VARYING),
            Origin::Instruction(at) => self.result(at, value, known),
        }
    }

    /// Whether lanes may part where the threads that stay together are these.
    fn may_part(&self, together: UniformOver) -> bool {
        !self.one_way && together == UniformOver::Lane
    }

    fn result(&self, at: u32, value: ValueId, known: &[Option<Known>]) -> Option<Known> {
        let instruction = &self.function.instructions[at as usize];
        let known = |value: &ValueId| known[self.homes[value.0 as usize].0 as usize];
        let mut reads = self.values.reads(at).iter();
        let guard = match instruction.guard {
            Some(_) => Some(known(reads.next()?)?.shape),
            None => None,
        };
        let mut sources: Vec<(Source, &Operand)> = Vec::new();
        for operand in self.function.operands_of(instruction).iter().filter(|operand| !operand.written) {
            let (known, constant) = match read_by(operand) {
                Some(_) => {
                    let read = reads.next()?;
                    (known(read)?, self.constant(*read))
                }
                None => self.operand(operand),
            };
            sources.push((Source { shape: known.shape, lanes: known.lanes, constant }, operand));
        }
        let rest: Option<Vec<Shape>> = reads.map(|read| Some(known(read)?.shape)).collect();
        let rest = rest?;
        let level =
            |shape: Shape| if shape == Shape::Uniform { UniformOver::Warp } else { UniformOver::Lane };
        let levels: Vec<_> =
            sources.iter().map(|(source, operand)| (*operand, level(source.shape))).collect();
        let all = rest.iter().chain(&guard).all(|shape| *shape == Shape::Uniform);
        let uniform = of_result(self.program, instruction, &levels) <= UniformOver::Warp && all;
        // A guard leaves what was there in some lanes.
        let operation = self.program.operation(instruction)?;
        let plain = guard.is_none() && rest.is_empty() && self.values.writes(at) == [value];
        let given =
            |(source, _): &(Source, _)| Some(Given { lanes: source.lanes?, constant: source.constant });
        let given: Option<Vec<Given>> = sources.iter().map(given).collect();
        let lanes = given.filter(|_| plain).and_then(|given| pattern::result(operation, &given));
        Some(match lanes.map(Known::of) {
            Some(Known { shape: Shape::Pattern(_), .. }) if !self.patterns => Known::VARYING,
            Some(known) => known,
            None if uniform => Known::UNIFORM,
            None if !plain => Known::VARYING,
            None => {
                let sources: Vec<Source> = sources.iter().map(|(source, _)| *source).collect();
                match steps(operation, &sources) {
                    shape @ (Shape::Rows(_) | Shape::Uniform) => Known::shaped(shape),
                    _ => Known::VARYING,
                }
            }
        })
    }

    /// The number that a value is, if all of its home are one.
    fn constant(&self, value: ValueId) -> Option<u64> {
        self.constants[self.homes[value.0 as usize].0 as usize]
    }

    /// What is known of an operand that is no register, and its number if it is a constant.
    fn operand(&self, operand: &Operand) -> (Known, Option<u64>) {
        match operand.kind {
            OperandKind::Special { sreg, member } => {
                let register = SpecialRegister::of(sreg);
                let shape = of_special(self.cta, register, member);
                if let (SpecialRegister::Ntid, Some(count)) = (register, self.cta.get(usize::from(member))) {
                    let count = u64::from(*count);
                    return (Known::of(Lanes::constant(count)), Some(count));
                }
                let known = match (shape, register, member) {
                    (Shape::Affine(1), SpecialRegister::Tid, 0) => {
                        let most = u64::from(self.cta[0].next_power_of_two()) - 1;
                        Known::of(Lanes::of_number(most & !31))
                    }
                    (Shape::Affine(1), ..) => Known::of(Lanes::of_number(0)),
                    _ => Known::shaped(shape),
                };
                (known, None)
            }
            OperandKind::Immediate(number) => (Known::of(Lanes::constant(number)), Some(number)),
            _ => match of_operand(self.program, self.function, operand, Some(self.cta)) {
                UniformOver::Lane => (Known::VARYING, None),
                _ => (Known::UNIFORM, None),
            },
        }
    }
}

/// After so many rounds nothing more is learnt of which bits are set.
const ROUNDS: u32 = 4;
