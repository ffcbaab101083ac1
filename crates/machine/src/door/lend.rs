//! Bytes that are lent to an asynchronous operation: under weak memory it may read its source as it was before writes that
//! nothing orders before it. Memory then holds the old bytes for as long as the operation reads, and the newest again
//! before anybody else looks: a launch with a follower has one host thread.
#![allow(unsafe_code)]

use crate::asynchronous::queue::pending::Pending;
use crate::door::follower::{Doubted, OldWord};
use crate::door::observer::{Stage, Transferred};
use crate::door::peer::Peer;
use crate::door::pointer::Checked;
use crate::door::touch::{Proxy, Space, Touch, Wants};
use crate::door::watch::{Origin, Watch};
use crate::schedule::cluster::shared::rank_and_offset;
use crate::schedule::cluster::state::ClusterState;

/// Old bytes that memory holds just now, each with what it held before.
#[derive(Debug, Default)]
#[must_use]
pub(crate) struct Lent(Vec<(Checked, u8)>);

impl Lent {
    /// Has memory hold old bytes of words that an operation reads.
    fn put(old: &[OldWord], shared: &[Peer]) -> Self {
        let mut lent = Vec::new();
        for word in old {
            for byte in (0..4).filter(|byte| word.mask >> byte & 1 != 0) {
                let address = word.address + byte as u64;
                let Some(range) = range(word.space, address, shared) else { continue };
                let mut newest = [0];
                range.read(&mut newest);
                range.write(&word.bytes[byte..=byte]);
                lent.push((range, newest[0]));
            }
        }
        Self(lent)
    }

    /// Whether nothing is lent.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Has memory hold the newest bytes again.
    pub fn take_back(self) {
        self.0.iter().for_each(|(range, newest)| range.write(&[*newest]));
    }
}

/// A byte that an operation reads, of which the launch has written, or that an operation writes.
fn range(space: Space, address: u64, shared: &[Peer]) -> Option<Checked> {
    match space {
        Space::Shared => {
            let (rank, offset) = rank_and_offset(address);
            Some(shared.get(rank as usize)?.range(offset, 1, Wants::Write)?.range())
        }
        Space::Global => {
            let host = std::ptr::with_exposed_provenance_mut(address as usize);
            // SAFETY: global memory lies on the host where the guest says it does, and stays as long as the device lives. The
            // byte is of the source or the destination of an operation, which was checked when that was issued, and a thread
            // of the launch has written it, or the operation writes it, so that it may be written.
            Some(unsafe { Checked::new(host, (space, address), 1, Wants::Write) })
        }
        Space::Local | Space::Parameter | Space::Tensor => None,
    }
}

impl Watch {
    /// What the follower of the launch, if it has one, has an operation see that reads now.
    fn old_words(&self, transferred: &Transferred<'_>) -> Vec<OldWord> {
        let reads = |proxy| matches!(proxy, Proxy::Async | Proxy::Generic);
        let reads = transferred.touches.iter().any(|touch| touch.wants == Wants::Read && reads(touch.proxy));
        match &self.follower {
            Some(follower) if reads => follower.reads(transferred),
            _ => Vec::new(),
        }
    }

    /// Lends an operation of a warp what it sees, which is about to complete.
    pub(crate) fn lend_to(&self, origin: Origin, touches: &[Touch], shared: &[Peer]) -> Lent {
        let Origin { who, source, operation } = origin;
        let transferred = Transferred { who, source, operation, stage: Stage::Delivered, touches };
        Lent::put(&self.old_words(&transferred), shared)
    }

    /// Has the source of an operation of a cluster read, as the follower of the launch says.
    pub(crate) fn fetch(&self, cluster: (u64, [u32; 3]), pending: &mut Pending, shared: &[Peer]) {
        let lent = self.lend(cluster, pending, (Stage::Fetched, shared));
        pending.fetch();
        lent.take_back();
    }

    fn lend(&self, cluster: (u64, [u32; 3]), pending: &Pending, (stage, shared): (Stage, &[Peer])) -> Lent {
        if self.follower.is_none() {
            return Lent::default();
        }
        let touches = Self::touches(pending, stage);
        let transferred = self.transferred(cluster, pending, (stage, &touches));
        transferred.map_or_else(Lent::default, |told| Lent::put(&self.old_words(&told), shared))
    }
}

impl ClusterState {
    /// Completes an operation, and tells the follower of the launch, if it has one, that it does, and what it changed.
    pub(super) fn deliver_told(&mut self, watch: &Watch, pending: &mut Pending) {
        let Some(follower) = &watch.follower else { return self.deliver_lent(watch, pending) };
        let touches = Watch::touches(pending, Stage::Delivered);
        let cluster = (self.index, self.clusterid);
        let Some(told) = watch.transferred(cluster, pending, (Stage::Delivered, &touches)) else {
            return self.deliver_lent(watch, pending);
        };
        let asked = follower.completes(&told);
        let before: Vec<[u8; 4]> = asked.iter().map(|asked| self.bytes_of(asked)).collect();
        self.deliver_lent(watch, pending);
        let changed = asked.iter().zip(&before).filter(|(asked, before)| self.bytes_of(asked) != **before);
        let changed: Vec<Doubted> = changed.map(|(asked, _)| *asked).collect();
        follower.completed(&told, &changed);
    }

    /// What some bytes hold that an operation writes.
    fn bytes_of(&self, asked: &Doubted) -> [u8; 4] {
        let mut bytes = [0; 4];
        for (at, byte) in (asked.address..asked.address + asked.bytes.min(4)).zip(&mut bytes) {
            if let Some(range) = range(asked.space, at, &self.shared) {
                range.read(std::slice::from_mut(byte));
            }
        }
        bytes
    }

    /// Completes it, with what it still has to read as the follower of the launch says.
    fn deliver_lent(&mut self, watch: &Watch, pending: &mut Pending) {
        let lent = watch.lend((self.index, self.clusterid), pending, (Stage::Delivered, &self.shared));
        if !lent.is_empty() && !pending.fetched {
            // Its destination may lie among what is lent.
            pending.fetch();
        }
        lent.take_back();
        pending.deliver(&mut self.tensor_memory.of_ctas);
    }
}
