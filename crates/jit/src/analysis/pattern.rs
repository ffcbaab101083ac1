//! What each lane has of a value beside a number that is the same in all of them, where that can be told from the kernel.
//!
//! `%tid.x` is a multiple of 32 and the number of the lane. What kernels make of it by sums, products with constants and
//! the bits of it, such as `%tid.x & 31` or `2 * t - (t & 7)`, is a number for all lanes again, and one of each lane that is
//! known. For bits it must be known that no sum has carried: which bits the number for all lanes may have set.

use ptxvm_ir::operation::compute::{Bits, Compute, Convert, Integer, IntegerFunction, IntegerType, Logic};
use ptxvm_ir::operation::compute::{LogicFunction, Movement};
use ptxvm_ir::operation::{Generic, Operation, generic};
use ptxvm_isa::{Kind, Type};

/// The lanes of a warp.
const LANES: usize = 32;

/// Lanes are not further apart than this, so that sums fit their type.
const FARTHEST: u64 = 1 << 29;

/// What each lane adds to the number of lane 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern([i32; LANES]);

impl Pattern {
    /// By lane.
    pub fn each(&self) -> impl Iterator<Item = i64> {
        self.0.into_iter().map(i64::from)
    }

    /// What a lane adds.
    pub fn of_lane(&self, lane: usize) -> i64 {
        self.0[lane % LANES].into()
    }

    /// The same step from each lane to the next.
    pub fn by_steps(step: i64) -> Option<Self> {
        Self::of(|lane| Some(step * lane as i64))
    }

    /// The pattern of what a function gives for each lane, relative to lane 0.
    pub fn of(mut each: impl FnMut(usize) -> Option<i64>) -> Option<Self> {
        let first = each(0)?;
        let mut pattern = [0; LANES];
        for (lane, adds) in pattern.iter_mut().enumerate() {
            let more = each(lane)?.checked_sub(first)?;
            *adds = i32::try_from(more).ok().filter(|more| u64::from(more.unsigned_abs()) <= FARTHEST)?;
        }
        Some(Self(pattern))
    }

    /// The step from each lane to the next, if it is one.
    pub fn step(&self) -> Option<i64> {
        let step = i64::from(self.0[1]);
        (0..LANES).all(|lane| self.of_lane(lane) == step * lane as i64).then_some(step)
    }

    /// The lowest and the highest that a lane adds.
    pub fn ends(&self) -> (i64, i64) {
        (self.each().min().unwrap_or(0), self.each().max().unwrap_or(0))
    }
}

/// A value of lanes: a number that is the same in all of them, and what each adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The bits that the number may have set.
    maybe: u64,
    adds: [i64; LANES],
}

/// A source of an operation.
#[derive(Clone, Copy)]
pub struct Given {
    pub lanes: Lanes,
    /// Its value, if it is a constant.
    pub constant: Option<u64>,
}

impl Lanes {
    /// A number that is the same in all lanes, and of which nothing is known.
    pub const UNIFORM: Self = Self { maybe: u64::MAX, adds: [0; LANES] };

    /// A constant.
    pub fn constant(number: u64) -> Self {
        Self { maybe: number, ..Self::UNIFORM }
    }

    /// The number of the lane and one that may have some bits set.
    pub fn of_number(maybe: u64) -> Self {
        Self { maybe, adds: std::array::from_fn(|lane| lane as i64) }
    }

    /// What each lane adds to lane 0's; `None` if they are too far apart.
    pub fn pattern(&self) -> Option<Pattern> {
        Pattern::of(|lane| Some(self.adds[lane]))
    }

    /// What is known of a value that may be either.
    pub fn or(&self, other: &Self) -> Option<Self> {
        if self.adds == other.adds {
            return Some(Self { maybe: self.maybe | other.maybe, ..*self });
        }
        let same = self.pattern()? == other.pattern()?;
        same.then(|| Self { maybe: u64::MAX, adds: std::array::from_fn(|at| self.adds[at] - self.adds[0]) })
    }

    /// The same, with nothing known of the number for all lanes.
    pub fn widened(&self) -> Self {
        Self { maybe: u64::MAX, ..*self }
    }

    /// Whether no lane's bits are among those of the number for all: then the sum has not carried.
    fn is_clean(&self) -> bool {
        self.adds.iter().all(|adds| *adds >= 0 && *adds as u64 & self.maybe == 0)
    }

    /// The bits that some lane adds.
    fn added(&self) -> u64 {
        self.adds.iter().fold(0, |bits, adds| bits | *adds as u64)
    }

    fn map(&self, maybe: u64, each: impl Fn(i64) -> Option<i64>) -> Option<Self> {
        let mut adds = self.adds;
        for adds in &mut adds {
            *adds = each(*adds).filter(|more| more.unsigned_abs() <= FARTHEST)?;
        }
        Some(Self { maybe, adds })
    }

    fn with(&self, other: &Self, maybe: u64, each: impl Fn(i64, i64) -> i64) -> Option<Self> {
        let mut adds = self.adds;
        for (adds, more) in adds.iter_mut().zip(other.adds) {
            *adds = each(*adds, more);
        }
        let near = adds.iter().all(|adds| adds.unsigned_abs() <= FARTHEST);
        near.then_some(Self { maybe, adds })
    }

    fn sum(&self, other: &Self) -> Option<Self> {
        let maybe = match self.maybe & other.maybe {
            0 => self.maybe | other.maybe,
            _ => from_lowest(self.maybe | other.maybe),
        };
        self.with(other, maybe, |a, b| a + b)
    }

    fn difference(&self, other: &Self) -> Option<Self> {
        let maybe = if other.maybe == 0 { self.maybe } else { from_lowest(self.maybe | other.maybe) };
        self.with(other, maybe, |a, b| a - b)
    }

    fn scaled(&self, by: i64) -> Option<Self> {
        let zeros = by.unsigned_abs().trailing_zeros();
        let maybe = match (self.maybe, by) {
            (0, _) | (_, 0) => 0,
            (maybe, 1..) if by.count_ones() == 1 => maybe << zeros,
            (maybe, _) => from_lowest(maybe).checked_shl(zeros).unwrap_or(0),
        };
        self.map(maybe, |adds| adds.checked_mul(by))
    }

    fn shifted_right(&self, by: u32) -> Option<Self> {
        self.is_clean().then(|| self.map(self.maybe >> by, |adds| Some(adds >> by))).flatten()
    }

    fn and(&self, mask: u64) -> Option<Self> {
        (self.maybe == 0 || self.is_clean())
            .then(|| self.map(self.maybe & mask, |adds| Some(adds & mask as i64)))
            .flatten()
    }

    /// Some of its bits, the highest of which is a sign or is not.
    fn field(&self, from: u32, count: u32, signed: bool) -> Option<Self> {
        let field = self.shifted_right(from)?.and(mask(count))?;
        let sign = 1 << (count - 1);
        match signed {
            false => Some(field),
            true if field.maybe & sign != 0 => None,
            true => field.map(field.maybe, |adds| Some(adds - 2 * (adds & sign as i64))),
        }
    }

    /// `or` or `xor` with a constant: its bits count for each lane where lanes differ, else for all.
    fn or_xor(&self, number: u64, is_or: bool) -> Option<Self> {
        let of_lanes = (number & self.added()) as i64;
        let maybe = self.maybe | number & !self.added();
        let each = |adds: i64| if is_or { adds | of_lanes } else { adds ^ of_lanes };
        self.is_clean().then(|| self.map(maybe, |adds| Some(each(adds)))).flatten()
    }

    /// The sum of two that have no bit in common, which `or` and `xor` are then.
    fn beside(&self, other: &Self) -> Option<Self> {
        let apart = (self.maybe | self.added()) & (other.maybe | other.added()) == 0;
        (apart && self.is_clean() && other.is_clean()).then(|| self.sum(other)).flatten()
    }

    /// As many of its bits as a type has.
    fn cut(self, bits: u32) -> Self {
        Self { maybe: self.maybe & mask(bits), ..self }
    }
}

/// All bits from the lowest of some on.
fn from_lowest(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX << bits.trailing_zeros() }
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// What an operation makes of its sources; `None` if that has no pattern that is known.
pub fn result(operation: &Operation, sources: &[Given]) -> Option<Lanes> {
    match operation {
        Operation::Compute(Compute::Integer(integer)) if integer.limit.is_none() => {
            of_integer(integer, sources)
        }
        Operation::Compute(Compute::Logic(logic)) => of_logic(logic, sources),
        Operation::Compute(Compute::Bits(Bits::Bfe(ty))) => {
            let [of, from, count] = sources else { return None };
            let few =
                |source: &Given| source.constant.filter(|number| *number < 24).map(|number| number as u32);
            let (from, count) = (few(from)?, few(count).filter(|count| *count > 0)?);
            of.lanes.cut(ty.bits()).field(from, count, ty.kind() == Kind::Signed)
        }
        Operation::Compute(Compute::Movement(Movement::Copy { bits: bits @ (32 | 64) })) => {
            Some(sources.first()?.lanes.cut(*bits))
        }
        Operation::Compute(Compute::Convert(convert)) => of_conversion(convert, sources),
        Operation::Generic(Generic::From(window) | Generic::To(window))
            if *window != generic::Window::Param =>
        {
            Some(sources.first()?.lanes.widened())
        }
        _ => None,
    }
}

fn of_integer(integer: &Integer, sources: &[Given]) -> Option<Lanes> {
    use IntegerFunction as F;
    use IntegerType as T;
    let (bits, signed) = match integer.ty {
        T::U32 => (32, false),
        T::S32 => (32, true),
        T::U64 => (64, false),
        T::S64 => (64, true),
        _ => return None,
    };
    let number = |number: u64| match (bits, signed) {
        (64, _) => number as i64,
        (_, false) => i64::from(number as u32),
        (_, true) => i64::from(number as i32),
    };
    let at = |at: usize| sources.get(at).map(|source| source.lanes);
    let product = |wide: bool| {
        let (a, b) = (sources.first()?, sources.get(1)?);
        let (of, by) = match (a.constant, b.constant) {
            (_, Some(by)) => (a, number(by)),
            (Some(by), _) => (b, number(by)),
            _ if a.lanes.added() == 0 && b.lanes.added() == 0 => {
                let zeros = (a.lanes.cut(bits).maybe | 1 << 63).trailing_zeros()
                    + (b.lanes.cut(bits).maybe | 1 << 63).trailing_zeros();
                return Some(Lanes { maybe: u64::MAX.checked_shl(zeros).unwrap_or(0), ..Lanes::UNIFORM });
            }
            _ => return None,
        };
        extended(&of.lanes, bits, signed && wide).scaled(by)
    };
    let all = match integer.function {
        F::Add => at(0)?.sum(&at(1)?),
        F::Sub => at(0)?.difference(&at(1)?),
        F::MulLo => product(false),
        F::MulWide => product(true),
        F::MadLo => product(false)?.sum(&at(2)?),
        F::MadWide => product(true)?.sum(&at(2)?),
        _ => None,
    };
    let wide = matches!(integer.function, F::MulWide | F::MadWide);
    all.map(|all| all.cut(if wide { 2 * bits } else { bits }))
}

/// A value in more bits: if its sign may be set, all above it may be.
fn extended(lanes: &Lanes, bits: u32, signed: bool) -> Lanes {
    let lanes = lanes.cut(bits);
    let negative = signed && bits < 64 && lanes.maybe >> (bits - 1) != 0;
    if negative { Lanes { maybe: lanes.maybe | !mask(bits), ..lanes } } else { lanes }
}

fn of_logic(logic: &Logic, sources: &[Given]) -> Option<Lanes> {
    use LogicFunction as F;
    let bits = match logic.ty.bits() {
        bits @ (32 | 64) if logic.ty != Type::Pred => bits,
        _ => return None,
    };
    let (a, b) = (sources.first()?, sources.get(1)?);
    let few = b.constant.filter(|by| *by < 24).and_then(|by| u32::try_from(by).ok());
    let lanes = a.lanes.cut(bits);
    let constant = match (a.constant, b.constant) {
        (_, Some(number)) => Some((&lanes, number & mask(bits))),
        (Some(number), _) => Some((&b.lanes, number & mask(bits))),
        _ => None,
    };
    let all = match logic.function {
        F::Shl => lanes.scaled(1 << few?)?,
        F::Shr if logic.ty.kind() == Kind::Signed && lanes.maybe >> (bits - 1) != 0 => return None,
        F::Shr => lanes.shifted_right(few?)?,
        F::And => constant.and_then(|(lanes, number)| lanes.cut(bits).and(number))?,
        F::Or | F::Xor => {
            let apart = || lanes.beside(&b.lanes.cut(bits));
            let with =
                |(lanes, number): (&Lanes, u64)| lanes.cut(bits).or_xor(number, logic.function == F::Or);
            constant.map_or_else(apart, with)?
        }
        _ => return None,
    };
    Some(all.cut(bits))
}

fn of_conversion(convert: &Convert, sources: &[Given]) -> Option<Lanes> {
    let whole = |ty: Type| matches!(ty.kind(), Kind::Signed | Kind::Unsigned) && ty.bits() >= 32;
    if !whole(convert.to) || !whole(convert.from) || convert.modifiers.sat {
        return None;
    }
    let from = convert.from;
    Some(extended(&sources.first()?.lanes, from.bits(), from.kind() == Kind::Signed).cut(convert.to.bits()))
}
