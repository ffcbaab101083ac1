//! Matrices of a warp or a warpgroup: the manual's 9.7.14 and 9.7.15.

mod mma;
mod movement;
mod wgmma;
mod wmma;

pub use mma::{BlockScale, Fragments, MatrixTypes, Mma, Shape, Sparsity};
pub use movement::{MatrixLayout, MatrixMove, Packing};
pub use wgmma::{Wgmma, WgmmaA, WgmmaProduct};
pub use wmma::{WmmaMatrix, WmmaPart};

use super::form::Form;

/// A matrix instruction of a warp or a warpgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    /// `mma`, `mma.sp`
    Mma(Mma),
    /// `wmma.mma`
    WmmaMma(Mma),
    /// `wmma.load`
    WmmaLoad(WmmaMatrix),
    /// `wmma.store`
    WmmaStore(WmmaMatrix),
    /// `ldmatrix`
    Load(MatrixMove),
    /// `stmatrix`
    Store(MatrixMove),
    /// `movmatrix`
    Transpose,
    /// `wgmma.*`
    Wgmma(Wgmma),
}

pub(super) fn decode(form: &Form<'_>) -> Option<Matrix> {
    Some(match form.opcode() {
        "mma" => Matrix::Mma(mma::decode(form)?),
        "wmma" if form.says("mma") => Matrix::WmmaMma(mma::decode(form)?),
        "wmma" if form.says("store") => Matrix::WmmaStore(wmma::decode(form)?),
        "wmma" => Matrix::WmmaLoad(wmma::decode(form)?),
        "ldmatrix" => Matrix::Load(movement::decode(form, "d")?),
        "stmatrix" => Matrix::Store(movement::decode(form, "r")?),
        "movmatrix" => Matrix::Transpose,
        "wgmma" => Matrix::Wgmma(wgmma::decode(form)?),
        _ => return None,
    })
}
