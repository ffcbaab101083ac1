//! The addresses among an instruction's operands: what each lane has there, and where that lies on the host.

pub use ptxvm_ir::operation::Address;
use ptxvm_memory::{SHARED_BASE, Window, window_of};

use crate::context::Context;
use crate::door::address::{AddressSpace, Wants};
use crate::explain::finding::Kind;
use crate::ops::load_store::addresses;
use crate::registers::{LANES, Slot, lanes_in};
use crate::schedule::cluster::OFFSET_BITS;
use crate::vector::lanes::Flow;

impl Context<'_> {
    /// Each lane's address.
    #[must_use]
    pub fn addresses(&self, of: Address, slots: &[Slot]) -> [u64; LANES] {
        addresses(self, slots[of.operand], of.offset)
    }

    /// Checks one lane's access of so many bytes and gives where it lies on the host.
    pub fn resolve_lane(
        &mut self,
        of: Address,
        lane: usize,
        address: u64,
        bytes: u64,
        align: u64,
        wants: Wants,
    ) -> Result<u64, Flow> {
        let mut all = [0; LANES];
        all[lane] = address;
        let pointers = self.resolve(of.space, &all, 1 << lane, bytes, align, wants)?;
        Ok(pointers.at[lane])
    }

    /// The same for what must lie in shared memory; gives its `.shared::cluster` address as well.
    pub fn resolve_shared(
        &mut self,
        of: Address,
        lane: usize,
        address: u64,
        bytes: u64,
        align: u64,
        wants: Wants,
    ) -> Result<Shared, Flow> {
        let host = self.resolve_lane(of, lane, address, bytes, align, wants)?;
        self.shared(of, lane, address, host)
    }

    /// The same for all lanes of a mask, of objects that are aligned to their size.
    pub fn resolve_all_shared(
        &mut self,
        of: Address,
        slots: &[Slot],
        mask: u32,
        bytes: u64,
        wants: Wants,
    ) -> Result<[Shared; LANES], Flow> {
        let addresses = self.addresses(of, slots);
        let pointers = self.resolve(of.space, &addresses, mask, bytes, bytes, wants)?;
        let mut places = [Shared { address: 0, host: 0 }; LANES];
        for lane in lanes_in(mask) {
            places[lane] = self.shared(of, lane, addresses[lane], pointers.at[lane])?;
        }
        Ok(places)
    }

    /// The place in shared memory that a checked address means.
    fn shared(&mut self, of: Address, lane: usize, address: u64, host: u64) -> Result<Shared, Flow> {
        let within = match of.space {
            AddressSpace::Shared | AddressSpace::SharedCluster => Some(address),
            AddressSpace::SharedVariable => Some(address + self.cta.shared_base),
            AddressSpace::Generic if window_of(address) == Window::Shared => Some(address - SHARED_BASE),
            _ => None,
        };
        match within {
            Some(address) => Ok(Shared { address: address as u32, host }),
            None => {
                let message = format!("{address:#x} is no address of shared memory");
                Err(self.fault(Kind::WrongSpace, lane, message, Vec::new()))
            }
        }
    }
}

/// A place in shared memory that has been checked.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// The address in `.shared::cluster`.
    pub address: u32,
    /// Where it lies on the host.
    pub host: u64,
}

impl Shared {
    /// The CTA that it belongs to, as a bit by rank.
    #[must_use]
    pub fn cta(self) -> u32 {
        1 << self.rank()
    }

    /// The rank of the CTA that it belongs to.
    #[must_use]
    pub fn rank(self) -> u32 {
        self.address >> OFFSET_BITS
    }
}
