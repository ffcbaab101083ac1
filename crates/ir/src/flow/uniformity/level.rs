//! Over which threads the result of one operation is the same, given that of its sources.

use crate::instruction::{Instruction, Operand, OperandKind};
use crate::operation::warp::{ShflMode, Warp, WarpFunction};
use crate::operation::{
    Access, AddressSpace, Cluster, Control, Mbarrier, Operation, SpecialRegister, Surface, Texture,
};
use crate::program::{Function, Program};
use crate::variable::Space;

/// The threads that a value is the same for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum UniformOver {
    /// All threads of the CTA.
    #[default]
    Cta,
    /// All lanes of the warp.
    Warp,
    /// The lane alone.
    Lane,
}

impl UniformOver {
    /// The name in listings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cta => "cta",
            Self::Warp => "warp",
            Self::Lane => "lane",
        }
    }
}

/// The level of what an instruction writes; `sources` has that of each of its operands.
#[must_use]
pub fn of_result(
    program: &Program,
    instruction: &Instruction,
    sources: &[(&Operand, UniformOver)],
) -> UniformOver {
    let Some(operation) = program.operation(instruction) else { return UniformOver::Lane };
    let most = sources.iter().map(|(_, level)| *level).max().unwrap_or_default();
    match operation {
        // Generic addresses too: where a lane's local memory lies is the same number in all lanes.
        Operation::Compute(_) | Operation::Generic(_) | Operation::Hint(_) => most,
        Operation::Access(access) => of_access(access, most),
        Operation::Warp(warp) => of_warp(warp, sources),
        Operation::Texture(Texture::Lookup(_) | Texture::Gather(_)) => most.max(UniformOver::Warp),
        Operation::Texture(Texture::Query { .. } | Texture::IsType { .. }) => most,
        Operation::Surface(Surface::Query { .. }) => most,
        Operation::Surface(_) => most.max(UniformOver::Warp),
        Operation::Mbarrier(Mbarrier::Wait(_)) => most.max(UniformOver::Warp),
        Operation::Mbarrier(Mbarrier::PendingCount) => most,
        Operation::Cluster(Cluster::IsCanceled { .. } | Cluster::FirstCtaid { .. }) => most,
        // All who take part get the same; warps that do not are at another barrier.
        Operation::Control(Control::Barrier(barrier)) if barrier.count.is_none() => UniformOver::Cta,
        Operation::Control(Control::Barrier(_)) => UniformOver::Warp,
        Operation::Matrix(_)
        | Operation::Tcgen05(_)
        | Operation::Mbarrier(_)
        | Operation::Cluster(_)
        | Operation::Copy(_)
        | Operation::Fence(_)
        | Operation::Special(_)
        | Operation::Control(_) => UniformOver::Lane,
    }
}

/// A warp reads one place once. Other warps read it at another time, when somebody may have changed it.
fn of_access(access: &Access, address: UniformOver) -> UniformOver {
    match access {
        Access::LoadParameter(_) => UniformOver::Cta,
        Access::Load(load) => match load.address.space {
            AddressSpace::Const => address,
            AddressSpace::Global
            | AddressSpace::Shared
            | AddressSpace::SharedVariable
            | AddressSpace::SharedCluster => address.max(UniformOver::Warp),
            // Each lane has its own local memory, and a generic address may lie in it.
            AddressSpace::Local | AddressSpace::Generic => UniformOver::Lane,
        },
        Access::Store(_) | Access::Atomic(_) => UniformOver::Lane,
    }
}

/// Where all lanes name the same members, all get the same answer to a question that is put to all.
fn of_warp(warp: &Warp, sources: &[(&Operand, UniformOver)]) -> UniformOver {
    let level =
        |operand: Option<&(&Operand, UniformOver)>| operand.map_or(UniformOver::Warp, |(_, level)| *level);
    let members = if warp.named { level(sources.last()) } else { UniformOver::Warp };
    match warp.function {
        WarpFunction::Vote(_)
        | WarpFunction::MatchAll { .. }
        | WarpFunction::Redux { .. }
        | WarpFunction::ReduxFloat { .. }
        | WarpFunction::Activemask => members.max(UniformOver::Warp),
        // One lane for the whole warp: the third source says that there are no segments.
        WarpFunction::Shfl { mode: ShflMode::Idx, .. } => match sources {
            [_, (_, lane), (clamp, _), ..] if clamp.kind == OperandKind::Immediate(0x1f) => {
                members.max(*lane).max(UniformOver::Warp)
            }
            _ => UniformOver::Lane,
        },
        WarpFunction::Shfl { .. }
        | WarpFunction::MatchAny { .. }
        | WarpFunction::Elect
        | WarpFunction::Sync => UniformOver::Lane,
    }
}

/// The level of an operand that is no register, in CTAs of a shape that may be known.
#[must_use]
pub fn of_operand(
    program: &Program,
    function: &Function,
    operand: &Operand,
    cta: Option<[u32; 3]>,
) -> UniformOver {
    match operand.kind {
        OperandKind::Special { sreg, member } => of_special(cta, SpecialRegister::of(sreg), member),
        OperandKind::Variable { variable, .. } => {
            let space = program.variables.get(variable.0 as usize).map(|variable| variable.space);
            match space {
                // The frame of an entry begins where local memory does; that of a function lies anywhere.
                Some(Space::Local | Space::FuncParam) if !function.entry => UniformOver::Lane,
                Some(_) => UniformOver::Cta,
                None => UniformOver::Lane,
            }
        }
        _ => UniformOver::Cta,
    }
}

/// The level of a special register, in CTAs of a shape that may be known.
#[must_use]
pub fn of_special(cta: Option<[u32; 3]>, register: SpecialRegister, member: u8) -> UniformOver {
    match register {
        SpecialRegister::Tid => match (cta, member) {
            (Some([_, 1, _]), 1) | (Some([_, _, 1]), 2) | (Some([1, _, _]), 0) => UniformOver::Cta,
            (Some([x, _, _]), 1) if x % 32 == 0 => UniformOver::Warp,
            (Some([x, y, _]), 2) if x.saturating_mul(y) % 32 == 0 => UniformOver::Warp,
            _ => UniformOver::Lane,
        },
        SpecialRegister::Laneid
        | SpecialRegister::LanemaskEq
        | SpecialRegister::LanemaskLe
        | SpecialRegister::LanemaskLt
        | SpecialRegister::LanemaskGe
        | SpecialRegister::LanemaskGt => UniformOver::Lane,
        SpecialRegister::Warpid
        | SpecialRegister::Clock
        | SpecialRegister::ClockHi
        | SpecialRegister::Globaltimer
        | SpecialRegister::GlobaltimerHi => UniformOver::Warp,
        SpecialRegister::Ntid
        | SpecialRegister::Ctaid
        | SpecialRegister::Nctaid
        | SpecialRegister::Clusterid
        | SpecialRegister::Nclusterid
        | SpecialRegister::ClusterCtaid
        | SpecialRegister::ClusterNctaid
        | SpecialRegister::Nwarpid
        | SpecialRegister::Smid
        | SpecialRegister::Nsmid
        | SpecialRegister::Gridid
        | SpecialRegister::ClusterCtarank
        | SpecialRegister::ClusterNctarank
        | SpecialRegister::IsExplicitCluster
        | SpecialRegister::TotalSmemSize
        | SpecialRegister::DynamicSmemSize
        | SpecialRegister::AggrSmemSize
        | SpecialRegister::WorkspaceHigh
        | SpecialRegister::WorkspaceLow
        | SpecialRegister::ReservedSmemBegin
        | SpecialRegister::ReservedSmemEnd
        | SpecialRegister::ReservedSmemCap
        | SpecialRegister::Zero => UniformOver::Cta,
    }
}
