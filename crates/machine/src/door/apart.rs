//! Where the lanes of compiled code access memory that lies in several regions: two arrays one of which each lane has
//! chosen, or generic addresses of which some name shared or local memory.
//!
//! Compiled code compares with the two regions that a place has met last. Where that is not enough, it asks here for each
//! lane's pointer, and goes on.

use ptxvm_ir::operation::AddressSpace;
use ptxvm_memory::{LOCAL_BASE, Region, SHARED_BASE, Window, window_of};

use super::touch::Wants;
use crate::context::Context;
use crate::registers::{LANES, lanes_in};

/// Lanes seldom choose among more arrays than this.
const KNOWN: usize = 4;

/// What was found of lanes whose bytes lie in several regions.
pub(crate) struct Apart {
    /// Where they lie on the host.
    pub hosts: [u64; LANES],
    /// The regions of global memory that were found last, the last one first.
    pub regions: [Region; 2],
}

impl Context<'_> {
    /// Where the bytes of each lane lie on the host, if all of them may access theirs; the other lanes' numbers are left as
    /// they are. What is wrong with the others the interpreter says.
    pub(crate) fn hosts_apart(
        &mut self,
        space: AddressSpace,
        addresses: &[u64; LANES],
        lanes: u32,
        bytes: u64,
        wants: Wants,
    ) -> Option<Apart> {
        let mut hosts = *addresses;
        let mut known = [Region::EMPTY; KNOWN];
        for lane in lanes_in(lanes) {
            let address = addresses[lane];
            let generic = space == AddressSpace::Generic;
            hosts[lane] = match window_of(address) {
                Window::Global => {
                    if !known.iter().any(|region| region.holds(address, bytes)) {
                        let region = self.region(space, address, bytes, wants)?;
                        known.rotate_right(1);
                        known[0] = region;
                    }
                    address
                }
                Window::Shared if generic => {
                    let host = self.shared_at(address - SHARED_BASE, bytes).ok()?;
                    host.expose_provenance() as u64
                }
                Window::Local if generic => {
                    let (offset, size) = (address - LOCAL_BASE, self.warp.stack[lane]);
                    let inside = offset < size && bytes <= size - offset;
                    let host = inside.then(|| self.warp.local.pointer(lane, offset as usize))?;
                    host.expose_provenance() as u64
                }
                _ => return None,
            };
        }
        Some(Apart { hosts, regions: [known[0], known[1]] })
    }
}
