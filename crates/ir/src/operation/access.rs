//! Loads, stores and atomics: the manual's 9.7.9.8 to 9.7.9.11, 9.7.9.14, 9.7.13.5 and 9.7.13.6.
//!
//! Cache operators and hints change no value and are not kept, nor is `.noftz` of half precision, which only says what an
//! atomic does anyway.

use ptxvm_isa::Type;

use super::address::{Address, AddressSpace, space_of};
use super::form::Form;
use super::order::{Order, Scope};
use crate::instruction::OperandKind;

/// An access to memory by which threads read or write a few bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `ld`, `ldu`, `multimem.ld_reduce`
    Load(Words),
    /// `ld.param` of an entry's parameter by its name: the same for every lane.
    LoadParameter(LoadParameter),
    /// `st`, `multimem.st`
    Store(Words),
    /// `atom`, `red`, `multimem.red`
    Atomic(Atomic),
}

/// A load or a store. The values of a store are the operands after the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// `.nc`, `.proxy::readonly`: nobody writes what it reads for as long as the kernel runs.
    pub constant: bool,
    /// Where.
    pub address: Address,
    /// The bits of a word.
    pub bits: u32,
    /// How many words a lane moves.
    pub count: usize,
    /// How it is ordered.
    pub order: Order,
    /// For whom, if it says so.
    pub scope: Option<Scope>,
}

/// A load from the parameter block of an entry. The operand after the destinations is the variable's offset there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadParameter {
    /// What is added to that.
    pub offset: i64,
    /// The bits of a word.
    pub bits: u32,
    /// How many words are read.
    pub count: usize,
}

/// A read and a write of memory as one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    /// Where.
    pub address: Address,
    /// What is done.
    pub function: AtomicFunction,
    /// The type of a word.
    pub ty: Type,
    /// How many words a lane changes.
    pub count: usize,
    /// `.noftz` of single precision: subnormal numbers are kept in global memory too.
    pub noftz: bool,
    /// How many destinations take what was there before; 0 for `red`.
    pub destinations: usize,
    /// How it is ordered.
    pub order: Order,
    /// For whom, if it says so.
    pub scope: Option<Scope>,
}

impl Atomic {
    /// The bytes that are changed in one step: of packed numbers, each is changed by itself (8.2.5).
    #[must_use]
    pub fn element_bytes(&self) -> u32 {
        match self.ty {
            Type::F16x2 | Type::Bf16x2 => 2,
            Type::F32x2 => 4,
            ty => ty.bits() / 8,
        }
    }
}

/// What an atomic does to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicFunction {
    /// `.exch`
    Exch,
    /// `.cas`
    Cas,
    /// It is combined with an operand.
    Combine(Combination),
}

/// How a word in memory is combined with an operand, by an atomic or by an asynchronous reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum Combination {
    Add,
    Min,
    Max,
    Inc,
    Dec,
    And,
    Or,
    Xor,
}

impl Combination {
    const ALL: [Self; 8] =
        [Self::Add, Self::Min, Self::Max, Self::Inc, Self::Dec, Self::And, Self::Or, Self::Xor];

    /// The combination of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|combination| combination.name() == name)
    }

    /// The name in PTX, without its dot.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Min => "min",
            Self::Max => "max",
            Self::Inc => "inc",
            Self::Dec => "dec",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
        }
    }
}

/// Whether it loads or stores a parameter of a call that is in a register: no address is left in it.
pub(super) fn is_move(form: &Form<'_>) -> bool {
    matches!(form.opcode(), "ld" | "st") && form.position_of_address().is_none()
}

/// `ld`, `ldu`
pub(super) fn load(form: &Form<'_>) -> Option<Access> {
    let (bits, count) = (form.main_type()?.bits(), form.destinations());
    let (base, offset) = form.address()?;
    let Some(space) = space_of(form, base) else {
        return Some(Access::LoadParameter(LoadParameter { offset, bits, count }));
    };
    Some(Access::Load(Words {
        constant: form.says("nc") || form.says("proxy::readonly"),
        address: Address { operand: form.position_of_address()?, space, offset },
        bits,
        count,
        order: Order::of(form).unwrap_or(Order::Weak),
        scope: Scope::of(form),
    }))
}

/// `st`
pub(super) fn store(form: &Form<'_>) -> Option<Access> {
    let address = Address::first(form)?;
    let place = form.operands().iter().find(|o| matches!(o.kind, OperandKind::Address { .. }))?.place;
    Some(Access::Store(Words {
        constant: false,
        address,
        bits: form.main_type()?.bits(),
        count: form.operands().iter().filter(|o| !o.written && o.place == place + 1).count(),
        order: Order::of(form).unwrap_or(Order::Weak),
        scope: Scope::of(form),
    }))
}

/// `atom`, `red`
pub(super) fn atomic(form: &Form<'_>) -> Option<Access> {
    let function = form.modifiers().find_map(|word| match word {
        "exch" => Some(AtomicFunction::Exch),
        "cas" => Some(AtomicFunction::Cas),
        _ => Combination::from_name(word).map(AtomicFunction::Combine),
    })?;
    Some(Access::Atomic(Atomic {
        address: Address::first(form)?,
        function,
        ty: form.main_type()?,
        count: form.elements("b").count(),
        noftz: form.says("noftz"),
        destinations: form.destinations(),
        order: Order::of(form).unwrap_or(Order::Relaxed),
        scope: Scope::of(form),
    }))
}

/// `multimem.ld_reduce`, `multimem.st`, `multimem.red`. There is one device, so that an address stands for one place:
/// reducing what a single place holds gives what it holds, in whatever precision, and the others are `st` and `red`.
pub(super) fn multimem(form: &Form<'_>) -> Option<Access> {
    let (_, offset) = form.address()?;
    // Generic or not, the manual wants an address of global memory.
    let address = Address { operand: form.position_of_address()?, space: AddressSpace::Global, offset };
    let (ty, scope) = (form.main_type()?, Scope::of(form));
    let (bits, count) = (ty.bits(), form.elements("b").count());
    let order = Order::of(form);
    Some(match form.words().nth(1)? {
        "ld_reduce" => {
            let (order, count) = (order.unwrap_or(Order::Weak), form.destinations());
            Access::Load(Words { constant: false, address, bits, count, order, scope })
        }
        "st" => {
            let order = order.unwrap_or(Order::Weak);
            Access::Store(Words { constant: false, address, bits, count, order, scope })
        }
        "red" => Access::Atomic(Atomic {
            address,
            function: AtomicFunction::Combine(Combination::from_name(form.slot("op")?)?),
            ty,
            count,
            noftz: false,
            destinations: 0,
            order: order.unwrap_or(Order::Relaxed),
            scope,
        }),
        _ => return None,
    })
}
