//! Texture instructions (manual 9.7.10): operands are gathered here, and what a texture unit does with them is in
//! `ptxvm_texture`.

mod gather;
mod handle;
mod kind;
mod lookup;
mod places;
mod query;
mod results;

use crate::vector::lanes::Op;
use ptxvm_ir::operation::Texture;

/// The operation of a texture instruction.
pub fn executor(texture: Texture) -> Op {
    match texture {
        Texture::Lookup(lookup) => lookup::executor(lookup),
        Texture::Gather(gather) => gather::executor(gather),
        Texture::Query { query, handle, level } => query::executor(query, handle, level),
        Texture::IsType { kind, handle } => kind::executor(kind, handle),
    }
}
