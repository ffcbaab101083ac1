//! The observer during a launch: a cluster tells it how far its operations are.

use std::cell::RefCell;
use std::sync::Arc;

use crate::asynchronous::issuer::Issuer;
use crate::asynchronous::queue::pending::Pending;
use crate::code::Source;
use crate::door::follower::Follower;
use crate::door::observer::{Observed, Stage, Transferred, Who};
use crate::door::touch::{Touch, When};

/// An observer in the middle of a launch.
#[derive(Clone, Debug)]
pub struct Watch {
    pub(super) observed: Arc<Observed>,
    /// The CTAs of a cluster in each dimension.
    pub(super) shape: [u32; 3],
    /// What has been told since the last instruction began, if it is to be proved that this is all.
    pub(super) named: Option<RefCell<Vec<Touch>>>,
    /// The follower of the launch, if it has one.
    pub(super) follower: Option<Arc<dyn Follower>>,
}

/// Where an operation comes from that belongs to its warp: a `wgmma`.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub(super) who: Who,
    pub(super) source: Source,
    pub(super) operation: u64,
}

impl Watch {
    /// Tells how far an operation of a warp is.
    pub(crate) fn tell_of(&self, origin: Origin, stage: Stage, touches: &[Touch]) {
        let Origin { who, source, operation } = origin;
        let transferred = Transferred { who, source, operation, stage, touches };
        if let (Stage::Issued, Some(follower)) = (stage, &self.follower) {
            follower.issued(&transferred);
        }
        self.observed.observer.transfer(&transferred);
    }

    /// Tells how far an operation of a cluster is. It must be told before the operation does what is told.
    pub fn tell(&self, cluster: u64, clusterid: [u32; 3], pending: &Pending, stage: Stage) {
        let touches = Self::touches(pending, stage);
        let told = self.transferred((cluster, clusterid), pending, (stage, &touches));
        let Some(transferred) = told else { return };
        if let (Stage::Issued, Some(follower)) = (stage, &self.follower) {
            follower.issued(&transferred);
        }
        if stage == Stage::Delivered {
            self.name(touches.iter().copied());
        }
        self.observed.observer.transfer(&transferred);
    }

    /// What an operation of a cluster touches now.
    pub(super) fn touches(pending: &Pending, stage: Stage) -> Vec<Touch> {
        let mut touches = Vec::new();
        pending.footprint(&mut |touch| {
            let now = match stage {
                Stage::Issued => true,
                Stage::Fetched => touch.when == When::Fetch,
                Stage::Delivered => touch.when == When::Deliver || !pending.fetched,
            };
            if now && touch.bytes != 0 {
                touches.push(touch);
            }
        });
        touches
    }

    /// What is told of an operation of a cluster.
    pub(super) fn transferred<'t>(
        &self,
        (cluster, clusterid): (u64, [u32; 3]),
        pending: &Pending,
        (stage, touches): (Stage, &'t [Touch]),
    ) -> Option<Transferred<'t>> {
        let Issuer { rank, warp, lanes, at, operation, .. } = pending.issuer;
        let source = self.observed.sources.get(at as usize).copied()?;
        let [x, y] = [self.shape[0].max(1), self.shape[1].max(1)];
        let within = [rank % x, rank / x % y, rank / x / y];
        let ctaid = std::array::from_fn(|d| clusterid[d] * self.shape[d] + within[d]);
        let who = Who { cluster, rank, ctaid, warp, lanes };
        Some(Transferred { who, source, operation, stage, touches })
    }

    /// The instruction of the program that one of the code was made from.
    pub(crate) fn source(&self, at: u32) -> Option<Source> {
        self.observed.sources.get(at as usize).copied()
    }

    /// A phase of an mbarrier object of the cluster has ended.
    pub(crate) fn phase_ended(&self, cluster: u64, mbarrier: u32) {
        if let Some(follower) = &self.follower {
            follower.phase_ended(cluster, mbarrier);
        }
    }

    /// Notes what has been told, if it is to be proved that this is all.
    pub(super) fn name(&self, touches: impl Iterator<Item = Touch>) {
        if let Some(named) = &self.named {
            named.borrow_mut().extend(touches);
        }
    }
}
