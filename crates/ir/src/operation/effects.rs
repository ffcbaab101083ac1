//! What an operation does besides computing: what it waits for, and where control goes after it.

use super::cluster::Cluster;
use super::control::Control;
use super::copy::Copy;
use super::matrix::{Matrix, Wgmma};
use super::mbarrier::Mbarrier;
use super::meaning::Operation;
use super::special::Special;
use super::tcgen05::Tcgen05;
use super::warp::Warp;
use super::warp::WarpFunction;

/// The lanes that must be together before an operation is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Converges {
    /// Those that the last source names.
    Named,
    /// All of the warp that have not ended.
    Warp,
}

/// What an operation asks of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The lanes that must be together before it.
    pub converges: Option<Converges>,
    /// It may have to wait for something outside of its warp, and is executed again then.
    pub waits: bool,
    /// A block begins with it: lanes may wait for each other here, or others are to run first.
    pub leads: bool,
    /// What follows is a new block.
    pub ends: bool,
    /// Unless it is guarded, what follows is not reached from here.
    pub leaves: bool,
    /// It may change something of its warp or its cluster besides registers, memory and the calls in progress: the stack, an
    /// arrival, an operation that is under way.
    pub keeps: bool,
}

impl Operation {
    /// What it asks of the schedule.
    #[must_use]
    pub fn effects(&self) -> Effects {
        let none = Effects::default();
        let keeps = Effects { keeps: true, ..none };
        let together = Effects { converges: Some(Converges::Warp), leads: true, ..none };
        let together_keeps = Effects { keeps: true, ..together };
        match self {
            Self::Control(control) => Effects {
                leads: matches!(control, Control::Call | Control::Index { .. } | Control::Barrier(_)),
                ends: true,
                leaves: !matches!(control, Control::Call | Control::Barrier(_)),
                ..none
            },
            Self::Warp(Warp { function: WarpFunction::Activemask, .. }) => none,
            Self::Warp(warp) => {
                Effects { converges: warp.named.then_some(Converges::Named), leads: true, ..none }
            }
            Self::Matrix(Matrix::Wgmma(Wgmma::Commit | Wgmma::Wait { .. })) => {
                Effects { waits: true, ..together_keeps }
            }
            Self::Matrix(Matrix::Wgmma(_)) | Self::Special(Special::SetMaxnreg { .. }) => together_keeps,
            Self::Matrix(_) => together,
            Self::Special(Special::Nanosleep) => Effects { leads: true, ..none },
            Self::Special(Special::Trap) => Effects { ends: true, ..none },
            Self::Mbarrier(Mbarrier::Wait(_)) => Effects { waits: true, leads: true, ..keeps },
            Self::Cluster(Cluster::Arrive { .. }) => together_keeps,
            Self::Cluster(Cluster::Wait { aligned }) => {
                Effects { converges: aligned.then_some(Converges::Warp), waits: true, leads: true, ..keeps }
            }
            Self::Cluster(Cluster::WaitForGrids) => Effects { waits: true, leads: true, ..keeps },
            Self::Copy(Copy::PublishMap { .. }) => together_keeps,
            Self::Tcgen05(tcgen05) => match tcgen05 {
                Tcgen05::Alloc { .. } | Tcgen05::Dealloc { .. } => Effects { waits: true, ..together_keeps },
                Tcgen05::Relinquish { .. }
                | Tcgen05::Load { .. }
                | Tcgen05::Store(_)
                | Tcgen05::WaitLoads
                | Tcgen05::WaitStores => together_keeps,
                Tcgen05::Copy { .. }
                | Tcgen05::Shift { .. }
                | Tcgen05::FenceBefore
                | Tcgen05::FenceAfter
                | Tcgen05::Commit { .. }
                | Tcgen05::Mma(_) => keeps,
            },
            Self::Copy(_)
            | Self::Mbarrier(_)
            | Self::Cluster(_)
            | Self::Special(Special::Alloca { .. } | Special::StackSave | Special::StackRestore) => keeps,
            Self::Compute(_)
            | Self::Access(_)
            | Self::Fence(_)
            | Self::Generic(_)
            | Self::Hint(_)
            | Self::Special(_)
            | Self::Texture(_)
            | Self::Surface(_) => none,
        }
    }
}
