//! CTAs, their warps, and the groups of lanes that are at the same place.

use crate::context::Run;
use crate::door::frame::read_local;
use crate::explain::finding::Thread;
use crate::explain::report;
use crate::schedule::cluster::state::ClusterState;
use crate::schedule::cta::Cta;
use crate::schedule::warp::{Group, Warp};

/// A CTA.
#[derive(Clone, Copy)]
pub struct CtaView<'a> {
    pub(super) cta: &'a Cta,
    pub(super) ctas: &'a [Box<Cta>],
    pub(super) cluster: &'a ClusterState,
    pub(super) run: &'a Run<'a>,
}

impl<'a> CtaView<'a> {
    /// Its number in the grid.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.cta.state.index
    }

    /// `%ctaid`
    #[must_use]
    pub fn ctaid(&self) -> [u32; 3] {
        self.cta.state.ctaid
    }

    /// `%clusterid`
    #[must_use]
    pub fn clusterid(&self) -> [u32; 3] {
        self.cluster.clusterid
    }

    /// `%cluster_ctarank`
    #[must_use]
    pub fn rank(&self) -> u32 {
        self.cta.state.rank
    }

    /// Its warps.
    pub fn warps(&self) -> impl Iterator<Item = WarpView<'a>> + use<'a> {
        let cta = *self;
        cta.cta.warps.iter().map(move |warp| WarpView { warp, cta })
    }

    /// Its shared memory in bytes.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        self.cta.state.shared.bytes()
    }

    /// Reads its shared memory; `None` if it has not these bytes.
    #[must_use]
    pub fn read_shared(&self, offset: u64, to: &mut [u8]) -> Option<()> {
        self.cta.state.shared.read(offset, to).ok()
    }

    /// Where a shared variable begins and how many bytes it has; the dynamic part has those of the launch.
    #[must_use]
    pub fn shared_variable(&self, name: &str) -> Option<(u64, u64)> {
        let variables = &self.run.code.program.variables;
        let known = |(id, _): &&(ptxvm_ir::VariableId, u64)| {
            variables.get(id.0 as usize).is_some_and(|variable| variable.name == name)
        };
        let (id, offset) = self.run.code.shared.iter().find(known)?;
        let size = variables[id.0 as usize].size;
        Some((*offset, if size == 0 { self.run.launch.shared.into() } else { size }))
    }

    /// One word of its tensor memory; `None` if that is not allocated.
    #[must_use]
    pub fn tensor_word(&self, lane: u32, column: u32) -> Option<u32> {
        let memory = self.cluster.tensor_memory.of_ctas.get(self.rank() as usize)?;
        let held =
            memory.allocations().iter().any(|(first, columns)| (*first..first + columns).contains(&column));
        (held && lane < 128).then(|| memory.get(lane, column))
    }
}

/// A warp.
#[derive(Clone, Copy)]
pub struct WarpView<'a> {
    pub(super) warp: &'a Warp,
    pub(super) cta: CtaView<'a>,
}

impl<'a> WarpView<'a> {
    /// Its number in its CTA.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.warp.state.index
    }

    /// The lanes that have not ended.
    #[must_use]
    pub fn alive(&self) -> u32 {
        self.warp.state.alive()
    }

    /// The lanes that have ended.
    #[must_use]
    pub fn ended(&self) -> u32 {
        self.warp.state.exited
    }

    /// The thread of a lane.
    #[must_use]
    pub fn thread(&self, lane: u32) -> Thread {
        report::thread(self.cta.cta.state.ctaid, self.warp, lane as usize % 32)
    }

    /// Its groups: lanes that are at the same place. In the order of their lowest lanes.
    #[must_use]
    pub fn groups(&self) -> Vec<GroupView<'a>> {
        let mut groups: Vec<&Group> = self.warp.groups.iter().collect();
        groups.sort_by_key(|group| group.mask.trailing_zeros());
        groups.into_iter().map(|group| GroupView { group, warp: *self }).collect()
    }

    /// The group that a lane is in; `None` if it has ended.
    #[must_use]
    pub fn group_of(&self, lane: u32) -> Option<GroupView<'a>> {
        let group =
            self.warp.groups.iter().find(|group| group.mask.checked_shr(lane).unwrap_or(0) & 1 != 0)?;
        Some(GroupView { group, warp: *self })
    }

    /// Reads the local memory of a lane; `None` if it has not these bytes.
    #[must_use]
    pub fn read_local(&self, lane: u32, offset: u64, to: &mut [u8]) -> Option<()> {
        if lane >= 32 {
            return None;
        }
        read_local(&self.warp.state.local, lane as usize, offset, to)
    }
}

/// Lanes that are at the same place.
#[derive(Clone, Copy)]
pub struct GroupView<'a> {
    pub(super) group: &'a Group,
    pub(super) warp: WarpView<'a>,
}

impl<'a> GroupView<'a> {
    /// Its lanes.
    #[must_use]
    pub fn lanes(&self) -> u32 {
        self.group.mask
    }
}
