//! What is undefined of an instruction's results, from what is undefined of its sources.
//!
//! Moves, logic, shifts, fields, choices and integer sums are followed bit by bit, packed numbers part by part; any other
//! result is undefined as a whole if one of its sources is.

use ptxvm_ir::operation::compute::{
    Bits, Comparing, Compute, Convert, Float, FloatFunction, Integer, IntegerFunction, IntegerType, Logic,
    LogicFunction, Movement, Overflow,
};
use ptxvm_ir::operation::warp::{Vote, Warp, WarpFunction};
use ptxvm_ir::operation::{Generic, Operation};
use ptxvm_isa::{Kind, Type};
use ptxvm_machine::door::executed::Executed;
use ptxvm_machine::registers::Slot;

use crate::init::bitwise::{self, Known, ones};
use crate::init::compared::compared;
use crate::init::registers::{Lanes, Origin, Registers, Undefined};

/// What is undefined of each destination.
pub type Results = Vec<(Slot, Box<Lanes>)>;

/// The sources of an instruction.
struct Sources<'a> {
    executed: &'a Executed<'a>,
    slots: &'a [Slot],
    undefined: Vec<Option<&'a Lanes>>,
}

impl Sources<'_> {
    fn undefined(&self, index: usize, lane: usize) -> u128 {
        self.undefined.get(index).copied().flatten().map_or(0, |lanes| lanes[lane].bits)
    }

    fn known(&self, index: usize, lane: usize) -> Known {
        let Some(slot) = self.slots.get(index).filter(|slot| !slot.is_sink()) else {
            return Known::default();
        };
        let value = self.executed.bank.whole_lane(*slot, lane);
        Known { value, undefined: self.undefined(index, lane) }
    }

    /// All undefined bits of a lane's sources together.
    fn together(&self, lane: usize) -> u128 {
        (0..self.slots.len()).fold(0, |all, index| all | self.undefined(index, lane))
    }

    /// Whether two sources are one register.
    fn are_one(&self, a: usize, b: usize) -> bool {
        let slot = |index: usize| self.slots.get(index).filter(|slot| !slot.is_sink());
        matches!((slot(a), slot(b)), (Some(a), Some(b)) if a == b)
    }

    /// Where the first undefined one of a lane was born.
    fn origin(&self, lane: usize) -> Origin {
        let mut lanes = self.undefined.iter().flatten().map(|lanes| lanes[lane]);
        lanes.find(|value| value.bits != 0).map_or_else(Origin::default, |value| value.origin)
    }
}

/// What is undefined of the results of an instruction that has an undefined source, for the lanes that execute it.
pub fn results(operation: &Operation, executed: &Executed<'_>, registers: &Registers) -> Results {
    let (written, slots) = executed.slots.split_at(executed.written.min(executed.slots.len()));
    let undefined = slots.iter().map(|slot| registers.get(executed.activation, *slot)).collect();
    let sources = Sources { executed, slots, undefined };
    let computes = !is_move(operation);
    let mut results = Results::new();
    for (index, slot) in written.iter().enumerate() {
        let mut lanes = Box::new(Lanes::default());
        for lane in (0..32).filter(|lane| executed.who.lanes >> lane & 1 != 0) {
            let (bits, from) = match operation {
                Operation::Warp(warp) => exchanged(warp, (index, lane), &sources),
                Operation::Compute(compute) => {
                    (computed(compute, (index, lane), &sources, slot.bits()), sources.origin(lane))
                }
                Operation::Generic(Generic::From(_) | Generic::To(_) | Generic::Mapa) => {
                    (bitwise::upwards(sources.together(lane)), sources.origin(lane))
                }
                _ => (all_or_nothing(sources.together(lane)), sources.origin(lane)),
            };
            let origin = match computes {
                true => by_field(operation, lane, &sources).map_or_else(|| from.computed(), |of| of(from)),
                false => from,
            };
            lanes[lane] = Undefined { bits, origin };
        }
        results.push((*slot, lanes));
    }
    results
}

/// What becomes of the origin of a lane's value where an operation cuts bits off, or puts others into the place of such.
fn by_field(operation: &Operation, lane: usize, sources: &Sources<'_>) -> Option<fn(Origin) -> Origin> {
    let known = |index| sources.known(index, lane);
    let is_put = || known(0).may_be_one() & known(1).may_be_one() & ones(64) == 0;
    match operation {
        Operation::Compute(Compute::Logic(logic)) => match logic.function {
            LogicFunction::And => Some(Origin::cut),
            LogicFunction::Or | LogicFunction::Xor if is_put() => Some(Origin::filled),
            _ => None,
        },
        Operation::Compute(Compute::Bits(Bits::Bfi(_))) => Some(Origin::filled),
        Operation::Compute(Compute::Convert(convert))
            if convert.from.is_integer() && convert.to.is_integer() =>
        {
            Some(Origin::cut)
        }
        _ => None,
    }
}

/// Whether an operation only moves what it is given.
fn is_move(operation: &Operation) -> bool {
    match operation {
        Operation::Compute(Compute::Movement(_) | Compute::Comparing(Comparing::Selp(_))) => true,
        Operation::Warp(warp) => matches!(warp.function, WarpFunction::Shfl { .. }),
        _ => false,
    }
}

fn all_or_nothing(undefined: u128) -> u128 {
    if undefined == 0 { 0 } else { u128::MAX }
}

/// What lanes give each other.
fn exchanged(warp: &Warp, (index, lane): (usize, usize), sources: &Sources<'_>) -> (u128, Origin) {
    let lanes = || (0..32).filter(|lane| sources.executed.who.lanes >> lane & 1 != 0);
    let undefined = lanes().find(|lane| sources.undefined(0, *lane) != 0);
    let from_all = undefined.map_or((0, Origin::default()), |lane| (u128::MAX, sources.origin(lane)));
    match warp.function {
        WarpFunction::Shfl { mode, .. } => {
            let (b, c) = (sources.known(1, lane), sources.known(2, lane));
            // Five bits of the first count, and five for the bound and five for the segment of the second (9.7.9.6).
            if b.undefined & 0x1f != 0 || c.undefined & 0x1f1f != 0 {
                return (u128::MAX, sources.origin(lane));
            }
            let (from, _) = mode.source(lane as u32, b.value as u32, c.value as u32);
            match index {
                0 => (sources.undefined(0, from as usize), sources.origin(from as usize)),
                _ => (0, Origin::default()),
            }
        }
        WarpFunction::Vote(Vote::Ballot) => {
            let open = |lane: &usize| sources.undefined(0, *lane) != 0;
            let mask = lanes().filter(open).fold(0, |mask, lane| mask | 1u128 << lane);
            (mask, from_all.1)
        }
        WarpFunction::Vote(vote) => {
            let decided = |wanted: u128| {
                let is = |lane: usize| sources.known(0, lane);
                lanes().any(|lane| is(lane).is_defined() && is(lane).value & 1 == wanted)
            };
            match vote {
                Vote::Any if decided(1) => (0, Origin::default()),
                Vote::All if decided(0) => (0, Origin::default()),
                Vote::Uni if decided(0) && decided(1) => (0, Origin::default()),
                _ => from_all,
            }
        }
        WarpFunction::Activemask | WarpFunction::Elect | WarpFunction::Sync => (0, Origin::default()),
        _ => from_all,
    }
}

/// Whether an operation only puts another sign to a number. With `.ftz` it looks at the rest, too.
fn is_about_signs(float: &Float) -> bool {
    let one = matches!(float.ty, Type::F32 | Type::F64) && !float.finish.ftz;
    one && matches!(float.function, FloatFunction::Abs | FloatFunction::Copysign)
}

/// What is undefined of a lane's result of arithmetic.
fn computed(compute: &Compute, (index, lane): (usize, usize), sources: &Sources<'_>, bits: u32) -> u128 {
    let known = |index| sources.known(index, lane);
    let undefined = |index| sources.undefined(index, lane);
    let together = sources.together(lane);
    match compute {
        Compute::Movement(movement) => moved(movement, index, &known, &undefined, together, sources.slots),
        Compute::Logic(logic) if logic.function == LogicFunction::Xor && sources.are_one(0, 1) => 0,
        Compute::Logic(logic) => logical(logic, index, &known, together),
        Compute::Integer(integer) => summed(integer, &known, sources.are_one(0, 1), together),
        Compute::Float(float) if is_about_signs(float) => {
            let sign = 1 << (float.ty.bits() - 1);
            match float.function {
                FloatFunction::Copysign => undefined(0) & sign | undefined(1) & (sign - 1),
                // Whether it is a NaN decides about all bits.
                _ => all_or_nothing(undefined(0) & (sign - 1)),
            }
        }
        Compute::Float(float) => match float.ty {
            Type::F16x2 | Type::Bf16x2 => by_parts(together, 16),
            Type::F32x2 => by_parts(together, 32),
            _ => all_or_nothing(together),
        },
        Compute::Bits(function) => match function {
            Bits::Brev(ty) => {
                let width = ty.bits();
                (0..width)
                    .filter(|bit| together >> bit & 1 != 0)
                    .fold(0, |all, bit| all | 1 << (width - 1 - bit))
            }
            Bits::Bfe(ty) => {
                bitwise::field(known(0), known(1), known(2), ty.bits(), ty.kind() == Kind::Signed)
            }
            Bits::Clz(ty) => bitwise::leading(known(0), ty.bits()),
            Bits::Bfind { ty, .. } if ty.kind() != Kind::Signed => bitwise::leading(known(0), ty.bits()),
            Bits::Bfi(ty) => bitwise::inserted(known(0), known(1), known(2), known(3), ty.bits()),
            _ => all_or_nothing(together),
        },
        Compute::Comparing(comparing) => compared(comparing, index, &known, sources.are_one(0, 1), together),
        Compute::Convert(convert) => converted(convert, undefined(0), together, bits),
        _ => all_or_nothing(together),
    }
}

/// Integers: sums, differences and low products are followed from the lowest undefined bit up.
fn summed(integer: &Integer, known: &dyn Fn(usize) -> Known, is_one_register: bool, together: u128) -> u128 {
    let part = parts_of(integer.ty);
    if integer.limit.is_some() && !(is_one_register && integer.function == IntegerFunction::Sub) {
        return all_or_nothing(together);
    }
    match integer.function {
        IntegerFunction::Sub if is_one_register => 0,
        IntegerFunction::Add | IntegerFunction::Sub | IntegerFunction::Neg if part == 0 => {
            bitwise::upwards(together)
        }
        IntegerFunction::Add | IntegerFunction::Sub | IntegerFunction::Neg => by_parts(together, part),
        IntegerFunction::MulLo | IntegerFunction::MulWide if part == 0 => {
            let [a, b] = factors(integer, known);
            bitwise::product_of(a, b)
        }
        IntegerFunction::MadLo | IntegerFunction::MadWide if part == 0 => {
            let [a, b] = factors(integer, known);
            bitwise::upwards(bitwise::product_of(a, b) | known(2).undefined)
        }
        IntegerFunction::Mul24Lo | IntegerFunction::Mad24Lo => bitwise::upwards(together),
        _ => all_or_nothing(together),
    }
}

/// The bits of two factors that count; the signs of wide products are like their highest bits.
fn factors(integer: &Integer, known: &dyn Fn(usize) -> Known) -> [Known; 2] {
    let bits = match integer.ty {
        IntegerType::U16 | IntegerType::S16 => 16,
        IntegerType::U64 | IntegerType::S64 => 64,
        _ => 32,
    };
    [known(0).low(bits), known(1).low(bits)]
}

/// The bits of each part of a packed integer; 0 for a number.
fn parts_of(ty: IntegerType) -> u32 {
    match ty {
        IntegerType::U16x2 | IntegerType::S16x2 => 16,
        IntegerType::U8x4 | IntegerType::S8x4 => 8,
        _ => 0,
    }
}

/// Whole parts that have an undefined bit.
fn by_parts(undefined: u128, part: u32) -> u128 {
    let places = (0..128 / part).map(|place| ones(part) << (place * part));
    places.filter(|place| undefined & place != 0).fold(0, |all, place| all | place)
}

fn moved(
    movement: &Movement,
    index: usize,
    known: &dyn Fn(usize) -> Known,
    undefined: &dyn Fn(usize) -> u128,
    together: u128,
    slots: &[Slot],
) -> u128 {
    match *movement {
        Movement::Copy { .. } | Movement::Spread { .. } => undefined(0),
        Movement::CopyVector { .. } => undefined(index),
        Movement::Pack { part, kept, .. } => {
            let places =
                (0..slots.len()).map(|place| (undefined(place) & ones(part)) << (place as u32 * part));
            places.fold(0, |all, bits| all | bits) & kept
        }
        Movement::Unpack { part, .. } => undefined(0) >> (index as u32 * part) & ones(part),
        Movement::Prmt { .. } => bitwise::permuted(known(0), known(1), known(2)),
        Movement::PrmtMode(_) => all_or_nothing(together),
    }
}

fn logical(logic: &Logic, index: usize, known: &dyn Fn(usize) -> Known, together: u128) -> u128 {
    let bits = logic.ty.bits();
    let signed = logic.ty.kind() == Kind::Signed;
    match logic.function {
        LogicFunction::And => bitwise::and(known(0), known(1)),
        LogicFunction::Or => bitwise::or(known(0), known(1)),
        LogicFunction::Xor | LogicFunction::Not => together,
        LogicFunction::Cnot => {
            let Known { value, undefined } = known(0).low(bits);
            u128::from(undefined != 0 && value & !undefined == 0)
        }
        LogicFunction::Shl => bitwise::left(known(0), known(1).low(32), bits),
        LogicFunction::Shr => bitwise::right(known(0), known(1).low(32), bits, signed),
        LogicFunction::Lop3 { table, .. } if index == 0 => bitwise::lop3(table, known(0), known(1), known(2)),
        LogicFunction::Lop3 { .. } => all_or_nothing(together),
        LogicFunction::Funnel { left, overflow } => {
            let by = known(2).low(32);
            if !by.is_defined() {
                return ones(32);
            }
            let both = known(0).undefined & ones(32) | (known(1).undefined & ones(32)) << 32;
            let by = match overflow {
                Overflow::Clamp => by.value.min(32),
                Overflow::Wrap => by.value & 31,
            };
            if left { both << by >> 32 & ones(32) } else { both >> by & ones(32) }
        }
    }
}

fn converted(convert: &Convert, undefined: u128, together: u128, bits: u32) -> u128 {
    if !convert.from.is_integer() || !convert.to.is_integer() || convert.modifiers.sat {
        return all_or_nothing(together);
    }
    let wide = match convert.from.kind() {
        Kind::Signed => bitwise::extended(undefined, convert.from.bits()),
        _ => undefined & ones(convert.from.bits()),
    };
    match convert.to.kind() {
        Kind::Signed => bitwise::extended(wide, convert.to.bits()) & ones(bits),
        _ => wide & ones(convert.to.bits()),
    }
}
