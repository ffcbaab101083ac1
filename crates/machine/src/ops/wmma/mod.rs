//! `wmma` (manual 9.7.14.4): whole matrices between memory and the registers of a warp, and their product.
//!
//! The manual leaves open which lane holds what. Here it is as ptxas does it for sm_80 and later, so that programs that
//! know it from there (and mix `wmma` with `mma`) run as on silicon: a matrix of 16 or 32 rows is one or two fragments
//! of `mma.m16n8k16`, and m8n32k16 is m32n8k16 of the transposed matrices. Volta and Turing hold some shapes otherwise;
//! only a program that looks into fragments on those would see a difference.
//!
//! [`fragment`] says where each element is, [`memory`] loads and stores, [`multiply`] multiplies.

mod fragment;
pub mod memory;
pub mod multiply;

use ptxvm_ir::operation::matrix::Shape;

/// Whether a product is computed as that of B and A transposed.
const fn is_transposed(shape: Shape) -> bool {
    shape.m == 8 && shape.n == 32
}
