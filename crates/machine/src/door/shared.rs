//! From the addresses of lanes to places in the shared memory of their cluster.

use ptxvm_ir::operation::{Address, AddressSpace};
use ptxvm_memory::{SHARED_BASE, Window, window_of};

use crate::context::Context;
use crate::door::peer::{Places, Shared};
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::registers::{LANES, Slot, lanes_in};
use crate::schedule::cluster::shared::rank_and_offset;
use crate::vector::lanes::Flow;

impl Context<'_> {
    /// Checks one lane's access and gives where it lies, which must be in shared memory.
    pub fn resolve_shared(
        &mut self,
        of: Address,
        lane: usize,
        address: u64,
        bytes: u64,
        align: u64,
        wants: Wants,
    ) -> Result<Shared, Flow> {
        let mut all = [0; LANES];
        all[lane] = address;
        let pointers = self.resolve(of.space, &all, 1 << lane, bytes, align, wants)?;
        all[lane] = self.within_shared(of, lane, address)?.into();
        let addresses = all.map(|address| address as u32);
        Ok(Places::new(1 << lane, addresses, pointers, bytes, wants).lane(lane))
    }

    /// The same for all lanes of a mask, of objects that are aligned to their size.
    pub fn resolve_all_shared(
        &mut self,
        of: Address,
        slots: &[Slot],
        mask: u32,
        bytes: u64,
        wants: Wants,
    ) -> Result<Places, Flow> {
        let given = self.addresses(of, slots);
        let pointers = self.resolve(of.space, &given, mask, bytes, bytes, wants)?;
        let mut addresses = [0; LANES];
        for lane in lanes_in(mask) {
            addresses[lane] = self.within_shared(of, lane, given[lane])?;
        }
        Ok(Places::new(mask, addresses, pointers, bytes, wants))
    }

    /// The `.shared::cluster` address of the one object in the CTA's own shared memory that all lanes of a mask mean, which
    /// is aligned to its size; nothing if that is not so, or is not seen by the quick way, by which no observer stands.
    #[must_use]
    pub fn one_own_object(&self, of: Address, slots: &[Slot], mask: u32, bytes: u64) -> Option<u32> {
        let first = match of.space {
            AddressSpace::Shared | AddressSpace::SharedCluster => self.cta.shared_base,
            AddressSpace::SharedVariable => 0,
            _ => return None,
        };
        let given = self.addresses(of, slots);
        let address = given[mask.trailing_zeros() as usize % LANES];
        // Usually all lanes have the same, which is seen without looking at the mask.
        let same = given.iter().fold(0, |differences, other| differences | (other ^ address)) == 0
            || lanes_in(mask).all(|lane| given[lane] == address);
        let (offset, size) = (address.wrapping_sub(first), self.cta.quick_shared);
        let inside = offset < size && size - offset >= bytes && address.is_multiple_of(bytes);
        (same && inside).then(|| (offset + self.cta.shared_base) as u32)
    }

    /// The same place in the shared memory of another CTA of the cluster; nothing if there is no such CTA.
    #[must_use]
    pub fn same_place(&self, place: Shared, rank: u32, wants: Wants) -> Option<Shared> {
        if place.rank() == rank {
            return Some(place);
        }
        let (_, offset) = rank_and_offset(place.address().into());
        self.worker.cluster.shared.get(rank as usize)?.range(offset, place.range().bytes(), wants)
    }

    /// The `.shared::cluster` address that an address means which has been resolved.
    fn within_shared(&mut self, of: Address, lane: usize, address: u64) -> Result<u32, Flow> {
        let within = match of.space {
            AddressSpace::Shared | AddressSpace::SharedCluster => Some(address),
            AddressSpace::SharedVariable => Some(address + self.cta.shared_base),
            AddressSpace::Generic if window_of(address) == Window::Shared => Some(address - SHARED_BASE),
            _ => None,
        };
        within.map(|address| address as u32).ok_or_else(|| {
            let message = format!("{address:#x} is not an address of shared memory");
            self.fault(Kind::WrongSpace, lane, message, Vec::new())
        })
    }
}
