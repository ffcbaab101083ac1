//! Special registers (the manual's chapter 10) as data.

use ptxvm_isa::{ISA, Type};

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum SpecialRegister {
    Tid,
    Laneid,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    Ntid,
    Ctaid,
    Nctaid,
    Clusterid,
    Nclusterid,
    ClusterCtaid,
    ClusterNctaid,
    Warpid,
    Nwarpid,
    Smid,
    Nsmid,
    Gridid,
    ClusterCtarank,
    ClusterNctarank,
    IsExplicitCluster,
    /// `%clock`, `%clock64`
    Clock,
    ClockHi,
    /// `%globaltimer`, `%globaltimer_lo`
    Globaltimer,
    GlobaltimerHi,
    TotalSmemSize,
    DynamicSmemSize,
    AggrSmemSize,
    /// `%envreg1`: the upper half of the address of a cooperative launch's workspace.
    WorkspaceHigh,
    /// `%envreg2`: the lower half of it.
    WorkspaceLow,
    /// `%reserved_smem_offset_begin`, `_0`, `_1`
    ReservedSmemBegin,
    ReservedSmemEnd,
    ReservedSmemCap,
    /// Performance counters and the other environment registers, which are zero.
    Zero,
}

impl SpecialRegister {
    /// The register of this number in the table.
    #[must_use]
    pub fn of(sreg: u16) -> Self {
        match ISA.sregs.get(usize::from(sreg)).map_or("", |sreg| sreg.name) {
            "%tid" => Self::Tid,
            "%laneid" => Self::Laneid,
            "%lanemask_eq" => Self::LanemaskEq,
            "%lanemask_le" => Self::LanemaskLe,
            "%lanemask_lt" => Self::LanemaskLt,
            "%lanemask_ge" => Self::LanemaskGe,
            "%lanemask_gt" => Self::LanemaskGt,
            "%ntid" => Self::Ntid,
            "%ctaid" => Self::Ctaid,
            "%nctaid" => Self::Nctaid,
            "%clusterid" => Self::Clusterid,
            "%nclusterid" => Self::Nclusterid,
            "%cluster_ctaid" => Self::ClusterCtaid,
            "%cluster_nctaid" => Self::ClusterNctaid,
            "%warpid" => Self::Warpid,
            "%nwarpid" => Self::Nwarpid,
            "%smid" => Self::Smid,
            "%nsmid" => Self::Nsmid,
            "%gridid" => Self::Gridid,
            "%cluster_ctarank" => Self::ClusterCtarank,
            "%cluster_nctarank" => Self::ClusterNctarank,
            "%is_explicit_cluster" => Self::IsExplicitCluster,
            "%clock" | "%clock64" => Self::Clock,
            "%clock_hi" => Self::ClockHi,
            "%globaltimer" | "%globaltimer_lo" => Self::Globaltimer,
            "%globaltimer_hi" => Self::GlobaltimerHi,
            "%total_smem_size" => Self::TotalSmemSize,
            "%dynamic_smem_size" => Self::DynamicSmemSize,
            "%aggr_smem_size" => Self::AggrSmemSize,
            "%envreg1" => Self::WorkspaceHigh,
            "%envreg2" => Self::WorkspaceLow,
            "%reserved_smem_offset_begin" | "%reserved_smem_offset_0" | "%reserved_smem_offset_1" => {
                Self::ReservedSmemBegin
            }
            "%reserved_smem_offset_end" => Self::ReservedSmemEnd,
            "%reserved_smem_offset_cap" => Self::ReservedSmemCap,
            _ => Self::Zero,
        }
    }

    /// The bytes of a lane of the register of this number; 0 for a predicate.
    #[must_use]
    pub fn width(sreg: u16) -> u8 {
        match ISA.sregs.get(usize::from(sreg)).map(|sreg| sreg.ty) {
            Some(Type::Pred) => 0,
            Some(Type::U64 | Type::B64) => 8,
            _ => 4,
        }
    }

    /// Whether it tells where the reserved shared memory lies.
    #[must_use]
    pub fn asks_for_reserved(self) -> bool {
        matches!(self, Self::ReservedSmemBegin | Self::ReservedSmemEnd | Self::ReservedSmemCap)
    }
}
