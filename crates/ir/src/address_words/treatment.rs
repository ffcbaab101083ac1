//! What an instruction does with the addresses among its operands.

use crate::instruction::{Operand, OperandKind};
use crate::operation::compute::{Bits, Comparing, Compute, ExtendedFunction, IntegerFunction, LogicFunction};
use crate::operation::{Access, AddressSpace, Control, Copy, Generic, Matrix, Named, Operation};

/// How an instruction treats an address among its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// It moves memory to registers.
    Load,
    /// It moves registers to memory.
    Store,
    /// It calls a function.
    Call,
    /// What comes out is no address.
    Nothing,
    /// Only the first source can come out as an address: what is subtracted, or shifted by, cannot.
    First,
    /// Only the last source can come out as an address.
    Last,
    /// It uses a tensor map.
    Tensor,
    /// It writes an address into a tensor map.
    ReplaceAddress,
    /// Any source can come out as an address.
    Some,
}

impl Treatment {
    /// That of an instruction with these operands. What means nothing that is known may do anything.
    pub(super) fn of(operation: Option<&Operation>, operands: &[Operand]) -> Self {
        match operation {
            Some(Operation::Access(Access::Load(_) | Access::LoadParameter(_))) => Self::Load,
            Some(Operation::Access(Access::Store(_))) => Self::Store,
            Some(Operation::Control(Control::Call)) => Self::Call,
            Some(Operation::Compute(compute)) => of_compute(compute, operands),
            Some(Operation::Matrix(
                Matrix::Mma(_)
                | Matrix::WmmaMma(_)
                | Matrix::WmmaLoad(_)
                | Matrix::WmmaStore(_)
                | Matrix::Wgmma(_),
            )) => Self::Nothing,
            Some(Operation::Generic(Generic::IsSpace(_))) => Self::Nothing,
            Some(Operation::Copy(Copy::ReplaceField { .. } | Copy::PublishMap { .. })) => {
                Self::ReplaceAddress
            }
            Some(Operation::Copy(Copy::Tensor(_) | Copy::TensorPrefetch)) => Self::Tensor,
            _ => Self::Some,
        }
    }
}

fn of_compute(compute: &Compute, operands: &[Operand]) -> Treatment {
    use {ExtendedFunction as E, IntegerFunction as I};
    match compute {
        Compute::Integer(integer) => match integer.function {
            I::Add | I::Min | I::Max => Treatment::Some,
            I::Sub => Treatment::First,
            I::MadLo | I::MadHi | I::MadWide | I::Mad24Lo | I::Mad24Hi => Treatment::Last,
            I::Neg | I::Abs | I::Sad | I::Div | I::Rem | I::ClmadLo | I::ClmadHi => Treatment::Nothing,
            I::MulLo | I::MulHi | I::MulWide | I::Mul24Lo | I::Mul24Hi => Treatment::Nothing,
        },
        Compute::Extended(extended) => match extended.function {
            E::Add | E::Addc => Treatment::Some,
            E::Sub | E::Subc => Treatment::First,
            E::MadLo | E::MadHi | E::MadcLo | E::MadcHi => Treatment::Last,
        },
        Compute::Bits(bits) => match bits {
            Bits::Popc(_) | Bits::Clz(_) | Bits::Brev(_) => Treatment::Nothing,
            Bits::Bfind { .. } | Bits::Dp4a { .. } | Bits::Dp2a { .. } => Treatment::Nothing,
            Bits::Fns | Bits::Bfe(_) | Bits::Bfi(_) | Bits::Szext { .. } | Bits::Bmsk(_) => Treatment::Some,
        },
        Compute::Logic(logic) => match logic.function {
            // A number of bytes is made of a number of elements.
            LogicFunction::Shl if shifts_by_a_little(operands) => Treatment::Nothing,
            LogicFunction::Shl | LogicFunction::Shr => Treatment::First,
            _ => Treatment::Some,
        },
        Compute::Comparing(Comparing::Setp(_) | Comparing::Set(_)) => Treatment::Nothing,
        Compute::Float(_) | Compute::Approximate(_) | Compute::Mixed(_) | Compute::Small(_) => {
            Treatment::Nothing
        }
        Compute::Comparing(_)
        | Compute::Movement(_)
        | Compute::Convert(_)
        | Compute::ConvertPack(_)
        | Compute::Video(_) => Treatment::Some,
    }
}

/// Whether a shift is by one to eight bits.
fn shifts_by_a_little(operands: &[Operand]) -> bool {
    let amount = operands.iter().rev().find_map(|operand| match operand.kind {
        OperandKind::Immediate(amount) => Some(amount),
        _ => None,
    });
    matches!(amount, Some(1..=8))
}

/// Where the addresses of an instruction can lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// To the thread's or the CTA's own memory alone, of which the host has no part.
    Own,
    /// To global memory alone.
    Global,
    /// Anywhere.
    Any,
}

impl Reach {
    /// That of an instruction: of all its addresses together.
    pub(super) fn of(operation: Option<&Operation>) -> Self {
        let touches = operation.map(Operation::touches).unwrap_or_default();
        let reaches = touches.iter().map(|touch| match touch.named {
            Named::Address(address) | Named::Mbarrier(address) => Self::of_space(address.space),
            Named::Parameter | Named::Descriptor(_) | Named::TensorMemory(_) => Self::Own,
            Named::Tensor(_) | Named::Handle(_) => Self::Any,
        });
        reaches.reduce(|a, b| if a == b { a } else { Self::Any }).unwrap_or(Self::Any)
    }

    fn of_space(space: AddressSpace) -> Self {
        match space {
            AddressSpace::Generic => Self::Any,
            AddressSpace::Global | AddressSpace::Const => Self::Global,
            AddressSpace::Shared
            | AddressSpace::SharedVariable
            | AddressSpace::SharedCluster
            | AddressSpace::Local => Self::Own,
        }
    }
}
