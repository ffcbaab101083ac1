//! The classes that instructions are counted in.

use ptxvm_isa::{Kind, Type};

use super::access::Access;
use super::cluster::Cluster;
use super::compute::{Compute, Movement};
use super::control::Control;
use super::copy::Copy;
use super::generic::Generic;
use super::matrix::Matrix;
use super::meaning::Operation;
use super::surface::Surface;
use super::tcgen05::Tcgen05;
use super::texture::Texture;

/// The classes that instructions are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// Integer arithmetic, logic and shifts.
    Integer,
    /// Floating point of 32 bits.
    Single,
    /// Floating point of 64 bits.
    Double,
    /// Floating point of 16 bits and less.
    Half,
    /// Comparison and selection.
    Compare,
    /// Conversion.
    Convert,
    /// Moves between registers.
    Move,
    /// Loads.
    Load,
    /// Stores.
    Store,
    /// Atomics and reductions on memory.
    Atomic,
    /// Exchange between the lanes of a warp.
    Warp,
    /// Barriers and fences.
    Barrier,
    /// Branches, calls, returns.
    Control,
    /// Matrix multiplies and what moves their operands.
    Matrix,
    /// Everything else.
    Other,
}

impl Class {
    /// Every class, in the order of their numbers.
    pub const ALL: [Class; 15] = [
        Class::Integer,
        Class::Single,
        Class::Double,
        Class::Half,
        Class::Compare,
        Class::Convert,
        Class::Move,
        Class::Load,
        Class::Store,
        Class::Atomic,
        Class::Warp,
        Class::Barrier,
        Class::Control,
        Class::Matrix,
        Class::Other,
    ];

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Single => "f32",
            Self::Double => "f64",
            Self::Half => "half",
            Self::Compare => "compare",
            Self::Convert => "convert",
            Self::Move => "move",
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic",
            Self::Warp => "warp",
            Self::Barrier => "barrier",
            Self::Control => "control",
            Self::Matrix => "matrix",
            Self::Other => "other",
        }
    }
}

impl Operation {
    /// What it is counted as.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Compute(compute) => of_compute(compute),
            Self::Access(Access::Load(_) | Access::LoadParameter(_)) => Class::Load,
            Self::Access(Access::Store(_)) => Class::Store,
            Self::Access(Access::Atomic(_)) => Class::Atomic,
            Self::Copy(Copy::StoreAsync(store)) if store.reduction.is_some() => Class::Atomic,
            Self::Copy(Copy::StoreAsync(_) | Copy::StoreBulk { .. }) => Class::Store,
            Self::Warp(_) => Class::Warp,
            Self::Control(Control::Barrier(_)) => Class::Barrier,
            Self::Control(_) => Class::Control,
            Self::Mbarrier(_) | Self::Fence(_) => Class::Barrier,
            Self::Cluster(Cluster::Arrive { .. } | Cluster::Wait { .. }) => Class::Barrier,
            Self::Generic(Generic::From(_) | Generic::To(_)) => Class::Move,
            Self::Generic(Generic::IsSpace(_)) => Class::Move,
            Self::Matrix(Matrix::Load(_)) => Class::Load,
            Self::Matrix(Matrix::Store(_)) => Class::Store,
            Self::Matrix(_) => Class::Matrix,
            Self::Tcgen05(Tcgen05::Load { .. }) => Class::Load,
            Self::Tcgen05(Tcgen05::Store(_)) => Class::Store,
            Self::Tcgen05(
                Tcgen05::WaitLoads
                | Tcgen05::WaitStores
                | Tcgen05::Commit { .. }
                | Tcgen05::FenceBefore
                | Tcgen05::FenceAfter,
            ) => Class::Barrier,
            Self::Tcgen05(_) => Class::Matrix,
            Self::Texture(Texture::Lookup(_) | Texture::Gather(_)) => Class::Load,
            Self::Surface(Surface::Load { .. }) => Class::Load,
            Self::Surface(Surface::Store { .. }) => Class::Store,
            Self::Surface(Surface::Reduce { .. }) => Class::Atomic,
            Self::Copy(_)
            | Self::Cluster(_)
            | Self::Generic(_)
            | Self::Hint(_)
            | Self::Special(_)
            | Self::Texture(_)
            | Self::Surface(_) => Class::Other,
        }
    }
}

fn of_compute(compute: &Compute) -> Class {
    match compute {
        Compute::Integer(_)
        | Compute::Bits(_)
        | Compute::Extended(_)
        | Compute::Logic(_)
        | Compute::Video(_) => Class::Integer,
        Compute::Float(float) => of_float(float.ty),
        Compute::Approximate(approximate) => of_float(approximate.ty),
        Compute::Mixed(_) | Compute::Small(_) => Class::Half,
        Compute::Comparing(_) => Class::Compare,
        Compute::Movement(
            Movement::Copy { .. }
            | Movement::CopyVector { .. }
            | Movement::Spread { .. }
            | Movement::Pack { .. }
            | Movement::Unpack { .. }
            | Movement::Prmt { .. }
            | Movement::PrmtMode(_),
        ) => Class::Move,
        Compute::Convert(_) | Compute::ConvertPack(_) => Class::Convert,
    }
}

fn of_float(ty: Type) -> Class {
    match ty {
        Type::F64 => Class::Double,
        _ if ty.kind() == Kind::Packed || matches!(ty, Type::F16 | Type::F16x2) => Class::Half,
        _ => Class::Single,
    }
}
