//! `tcgen05.mma` (manual 9.7.16.10): products of matrices in shared and tensor memory, which one thread starts and the
//! tensor cores of its CTA, or of a pair of CTAs, compute in tensor memory while the threads go on.
//!
//! Everything that the descriptors and addresses say is checked when the instruction is issued (`issue.rs`); the product
//! is computed when its turn comes (`product.rs`). Collector buffers keep a matrix between products and change no value,
//! because a matrix must not change while products that use it are under way.

mod data_path;
mod issue;
mod multiply;
mod operands;
mod product;
mod scale;
mod sparse;
mod zero_columns;

use super::{group_of, taddr};
use crate::lanes::Op;
use crate::matrix::instruction::{Asked, MmaKind};
use issue::{Left, Mma};
use ptxvm_ir::operation::Form;

/// The operation of a `tcgen05.mma`.
pub fn select(form: &Form<'_>) -> Option<Op> {
    let kind = MmaKind::from_name(form.slot("kind")?)?;
    let a = match form.position("a-desc") {
        Some(slot) => Left::Shared(slot),
        None => Left::Tensor(taddr(form, "a-tmem")?),
    };
    let block = match form.slot("scale_vectorsize") {
        Some("scale_vec::4X" | "block16") => 16,
        _ => 32,
    };
    let scales = match kind.scaled() {
        true => Some([taddr(form, "scale-A-tmem")?, taddr(form, "scale-B-tmem")?]),
        false => None,
    };
    let sparse = form.says("sp");
    Some(Box::new(Mma {
        asked: Asked {
            kind,
            pair: group_of(form) == 2,
            sparse,
            stationary: form.says("ws"),
            block,
            a_in_tensor_memory: matches!(a, Left::Tensor(_)),
            ashift: form.says("ashift"),
            ultra: false,
        },
        d: taddr(form, "d-tmem")?,
        a,
        b: form.position("b-desc")?,
        descriptor: form.position("idesc")?,
        metadata: if sparse { Some(taddr(form, "sp-meta-tmem")?) } else { None },
        scales,
        disabled: form.position("disable-output-lane"),
        add: form.position("enable-input-d")?,
        scale_input: form.constant("scale-input-d").unwrap_or(0) as u32,
        zero_columns: form.position("zero-column-mask-desc"),
    }))
}
