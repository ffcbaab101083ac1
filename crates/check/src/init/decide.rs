//! Which operands of an instruction must not be undefined: those that decide what it touches or what becomes of a matrix.

use ptxvm_ir::operation::copy::Copy;
use ptxvm_ir::operation::matrix::{Matrix, Wgmma};
use ptxvm_ir::operation::tcgen05::Tcgen05;
use ptxvm_ir::operation::{Access, Named, Operation, Special};

/// What an operand decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Where memory is touched.
    Address,
    /// How much is copied, or what else a copy does.
    Copy,
    /// It is multiplied, or added to a product.
    Factor,
    /// Which lanes take part.
    Members,
    /// What an object that threads wait at counts.
    Count,
    /// Another operand.
    Other,
}

/// The operands that must be defined, by their number among the slots.
pub fn deciding(operation: &Operation, written: usize, count: usize) -> Vec<(usize, Use)> {
    let mut all: Vec<(usize, Use)> = Vec::new();
    for touch in operation.touches() {
        match touch.named {
            Named::Address(at) | Named::Mbarrier(at) | Named::Tensor(at) | Named::TensorMemory(at) => {
                all.push((at.operand, Use::Address));
            }
            Named::Descriptor(at) | Named::Handle(at) => all.push((at, Use::Address)),
            Named::Parameter => {}
        }
    }
    let rest = |what: Use| (written..count).map(move |index| (index, what));
    match operation {
        Operation::Copy(Copy::StoreAsync(_)) => {}
        Operation::Copy(_) => all.extend(rest(Use::Copy)),
        Operation::Mbarrier(_) => all.extend(rest(Use::Count)),
        Operation::Matrix(Matrix::Mma(_) | Matrix::WmmaMma(_)) => all.extend(rest(Use::Factor)),
        Operation::Matrix(Matrix::Wgmma(Wgmma::Product(_))) => all.extend(rest(Use::Factor)),
        Operation::Tcgen05(Tcgen05::Store(_)) => {}
        Operation::Tcgen05(_) => all.extend(rest(Use::Factor)),
        Operation::Texture(_) => all.extend(rest(Use::Address)),
        Operation::Surface(_) => all.extend(rest(Use::Other)),
        Operation::Special(Special::Alloca { .. } | Special::StackRestore) => all.extend(rest(Use::Other)),
        Operation::Cluster(_) => all.extend(rest(Use::Other)),
        Operation::Warp(warp) if warp.named && count > written => all.push((count - 1, Use::Members)),
        _ => {}
    }
    all.retain(|(index, _)| *index < count);
    all.sort_by_key(|(index, what)| (*index, *what != Use::Address));
    all.dedup_by_key(|(index, _)| *index);
    all
}

/// The lanes whose operand is used so: of `ldmatrix` and `stmatrix` eight lanes give the rows of each matrix, and the
/// addresses of the others are not looked at (9.7.14.5.15).
pub fn lanes_of(operation: &Operation, what: Use) -> u32 {
    match operation {
        Operation::Matrix(Matrix::Load(moved) | Matrix::Store(moved)) if what == Use::Address => {
            u32::MAX >> (32 - (8 * moved.registers).clamp(1, 32))
        }
        _ => u32::MAX,
    }
}

/// Whether an instruction does no more than give registers values, so that its guard decides no more than that.
pub fn only_computes(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Compute(_)
            | Operation::Generic(_)
            | Operation::Hint(_)
            | Operation::Access(Access::Load(_) | Access::LoadParameter(_))
    )
}
