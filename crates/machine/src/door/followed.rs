//! How accesses go by the follower of a launch: the quick check of a warp's addresses, and the lanes that are led
//! to older bytes.
#![allow(unsafe_code)]

use ptxvm_memory::Region;

use crate::context::Context;
use crate::door::address::{AddressSpace, allowed};
use crate::door::follower::{Again, Decision, Found, MOST_OLD, Ordering};
use crate::door::observer::{Access, Who};
use crate::door::pointer::Pointers;
use crate::door::touch::{Proxy, Space, Wants};
use crate::registers::{LANES, lanes_in};
use crate::state::worker::{REGIONS, Worker};

impl Worker {
    /// The lanes of a warp of the cluster whose turn it is.
    pub(crate) fn who(&self, rank: u32, ctaid: [u32; 3], warp: u32, lanes: u32) -> Who {
        Who { cluster: self.cluster.index, rank, ctaid, warp, lanes }
    }
}

impl Context<'_> {
    /// Tells the follower of the launch, if it has one, that lanes do something which orders memory.
    #[inline]
    pub(crate) fn orders(&self, lanes: u32, ordering: Ordering) {
        if let Some(follower) = &self.run.launch.follower
            && lanes != 0
        {
            follower.ordered(self.who(lanes), self.worker.source, ordering);
        }
    }

    /// Checks an access of a launch with a follower in the quick way; `None` if it must be looked at lane by lane.
    pub(super) fn resolve_followed(
        &mut self,
        space: AddressSpace,
        addresses: &[u64; LANES],
        mask: u32,
        bytes: u64,
        align: u64,
        wants: Wants,
    ) -> Option<Pointers> {
        let (mut low, mut high, mut all) = (u64::MAX, 0, 0);
        for lane in lanes_in(mask) {
            low = low.min(addresses[lane]);
            high = high.max(addresses[lane]);
            all |= addresses[lane];
        }
        if all & (align - 1) != 0 || self.worker.forgiving {
            return None;
        }
        match space {
            AddressSpace::Generic | AddressSpace::Global | AddressSpace::Const => {
                if self.worker.generation != self.run.environment.memory.generation() {
                    return None;
                }
                let holds = |region: &&Region| {
                    low >= region.start
                        && high < region.end
                        && region.end - high >= bytes
                        && allowed(region, space, wants)
                };
                let region = *self.worker.watched.iter().find(holds)?;
                let mut at = *addresses;
                if wants.is_now() && region.writable {
                    self.follow_access((Space::Global, mask, addresses), &mut at, bytes, wants);
                }
                Some(Pointers::new(at))
            }
            AddressSpace::Shared | AddressSpace::SharedVariable | AddressSpace::SharedCluster => {
                let size = self.cta.shared.bytes() as u64;
                let first = if space == AddressSpace::SharedVariable { 0 } else { self.cta.shared_base };
                let high = high.wrapping_sub(first);
                if low < first || high >= size || size - high < bytes {
                    return None;
                }
                let host = self.cta.shared.pointer().expose_provenance() as u64;
                let (mut at, mut offsets) = (*addresses, *addresses);
                for lane in 0..LANES {
                    let offset = addresses[lane].wrapping_sub(first);
                    at[lane] = host.wrapping_add(offset);
                    offsets[lane] = offset.wrapping_add(self.cta.shared_base);
                }
                if wants.is_now() {
                    self.follow_access((Space::Shared, mask, &offsets), &mut at, bytes, wants);
                }
                Some(Pointers::new(at))
            }
            AddressSpace::Local => None,
        }
    }

    /// Has the follower of the launch decide what lanes find, whose bytes have been checked: pointers of lanes that find
    /// something else than memory holds lead there afterwards.
    pub(super) fn follow_access(
        &mut self,
        (space, lanes, addresses): (Space, u32, &[u64; LANES]),
        at: &mut [u64; LANES],
        bytes: u64,
        wants: Wants,
    ) {
        if !self.warp.late.all.is_empty() && self.make_late_at(lanes, at, bytes).is_err() {
            return;
        }
        if space == Space::Local {
            return self.touch_local(lanes, addresses, bytes, wants);
        }
        let Some(follower) = &self.run.launch.follower else { return };
        if lanes == 0 || bytes == 0 || !matches!(space, Space::Global | Space::Shared) {
            return;
        }
        let (who, source) = (self.who(lanes), self.worker.source);
        let access = Access { who, source, space, addresses, bytes, wants, proxy: Proxy::Generic };
        // SAFETY: the caller has checked these bytes of every lane.
        let found = unsafe { Found::new(at, lanes, bytes) };
        let old = &mut *self.worker.old_bytes;
        let Decision { elsewhere, look_again, undefined } = follower.access(&access, &found, old);
        self.worker.undefined |= undefined;
        if look_again {
            let (addresses, at) = (*addresses, *at);
            self.worker.again = Some(Box::new(Again { who, space, addresses, at, bytes, wants }));
        }
        if bytes <= MOST_OLD as u64 {
            for lane in lanes_in(elsewhere & lanes) {
                at[lane] = old.0[lane].as_mut_ptr().expose_provenance() as u64;
            }
        }
    }

    /// The running instruction has been executed: lets whoever wanted to look at memory once more.
    pub(super) fn look_again(&mut self) {
        let Some(again) = self.worker.again.take() else { return };
        let Some(follower) = &self.run.launch.follower else { return };
        let Again { who, space, addresses, at, bytes, wants } = *again;
        let (source, proxy) = (self.worker.source, Proxy::Generic);
        let access = Access { who, source, space, addresses: &addresses, bytes, wants, proxy };
        // SAFETY: these bytes of every lane were checked when the instruction began, and nothing has been freed since: the
        // launch holds a lease on what it uses, and the cluster keeps its shared memory.
        let found = unsafe { Found::new(&at, who.lanes, bytes) };
        follower.look_again(&access, &found, &self.worker.old_bytes);
    }

    /// Remembers a region that accesses of a launch with a follower may take the quick way to.
    pub(super) fn remember_watched(&mut self, region: Region) {
        self.worker.watched[self.worker.oldest] = region;
        self.worker.oldest = (self.worker.oldest + 1) % REGIONS;
    }
}
