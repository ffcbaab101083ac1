//! `tcgen05.mma` (manual 9.7.16.10): products of matrices in shared and tensor memory, which one thread starts and the
//! tensor cores of its CTA, or of a pair of CTAs, compute in tensor memory while the threads go on.
//!
//! Everything that the descriptors and addresses say is checked when the instruction is issued (`issue.rs`); the product
//! is computed when its turn comes (`product.rs`). Collector buffers keep a matrix between products and change no value,
//! because a matrix must not change while products that use it are under way.

mod data_path;
mod issue;
mod issued;
mod multiply;
mod operands;
mod product;
mod scale;
mod sparse;
mod zero_columns;

use crate::matrix::instruction::Asked;
use crate::vector::lanes::Op;
use issue::Mma;
use ptxvm_ir::operation::tcgen05::{Tcgen05A, Tcgen05Mma};

/// The operation of a `tcgen05.mma`.
pub fn executor(mma: Tcgen05Mma) -> Op {
    let asked = Asked {
        kind: mma.kind,
        pair: mma.group == 2,
        sparse: mma.sparse,
        stationary: mma.stationary,
        block: mma.block,
        a_in_tensor_memory: matches!(mma.a, Tcgen05A::Tensor(_)),
        ashift: mma.ashift,
        ultra: false,
    };
    Box::new(Mma { asked, mma })
}
