//! From the addresses of a warp's lanes to host memory: every access of the guest is checked here.
//!
//! The quick way looks at the lowest and highest address of the active lanes and asks whether both lie in a region
//! that was found before; only when that fails is every lane looked at for itself.
#![allow(unsafe_code)]

pub use ptxvm_ir::operation::AddressSpace;
use ptxvm_memory::{Explanation, LOCAL_BASE, Place, Region, SHARED_BASE, SHARED_SIZE, Window, window_of};

use crate::context::{Context, Fault, Missed};
use crate::door::pointer::{Checked, Pointers};
use crate::door::shared_address::MissedShared;
use crate::door::touch::{Space, Wants};
use crate::explain::finding::Kind;
use crate::registers::{LANES, lanes_in};
use crate::schedule::cluster::shared::rank_and_offset;
use crate::state::worker::REGIONS;
use crate::vector::lanes::Flow;

impl Context<'_> {
    /// Checks an access of `bytes` bytes at each active lane's address and gives the host's pointers.
    ///
    /// `align` is what the addresses must be multiples of.
    #[inline(always)]
    pub fn resolve(
        &mut self,
        space: AddressSpace,
        addresses: &[u64; LANES],
        mask: u32,
        bytes: u64,
        align: u64,
        wants: Wants,
    ) -> Result<Pointers, Flow> {
        let mut low = u64::MAX;
        let mut high = 0;
        let mut all = 0;
        for lane in 0..LANES {
            let active = mask >> lane & 1 != 0;
            low = low.min(if active { addresses[lane] } else { u64::MAX });
            high = high.max(if active { addresses[lane] } else { 0 });
            all |= if active { addresses[lane] } else { 0 };
        }
        if all & (align - 1) == 0 {
            match space {
                AddressSpace::Generic | AddressSpace::Global | AddressSpace::Const => {
                    if self.worker.generation == self.run.environment.memory.generation() {
                        for region in &self.worker.regions {
                            if low >= region.start
                                && high < region.end
                                && region.end - high >= bytes
                                && allowed(region, space, wants)
                            {
                                return Ok(Pointers::new(*addresses));
                            }
                        }
                    }
                }
                AddressSpace::Shared | AddressSpace::SharedVariable | AddressSpace::SharedCluster => {
                    let size = self.cta.quick_shared;
                    let first = if space == AddressSpace::SharedVariable { 0 } else { self.cta.shared_base };
                    let high = high.wrapping_sub(first);
                    if low >= first && high < size && size - high >= bytes {
                        let base = self.cta.shared.pointer().expose_provenance() as u64;
                        let base = base.wrapping_sub(first);
                        let mut at = *addresses;
                        for address in &mut at {
                            *address = address.wrapping_add(base);
                        }
                        return Ok(Pointers::new(at));
                    }
                }
                AddressSpace::Local => {
                    let mut inside = self.warp.quick_local;
                    for lane in 0..LANES {
                        let end = addresses[lane].saturating_add(bytes);
                        inside &= mask >> lane & 1 == 0 || end <= self.warp.stack[lane];
                    }
                    if inside {
                        let mut at = *addresses;
                        for (lane, address) in at.iter_mut().enumerate() {
                            let pointer = self.warp.local.pointer(lane, *address as usize);
                            *address = pointer.expose_provenance() as u64;
                        }
                        return Ok(Pointers::new(at));
                    }
                }
            }
        }
        self.resolve_each(space, addresses, mask, bytes, align, wants)
    }

    /// The slow way: lane by lane, with a finding for the first that is wrong.
    #[inline(never)]
    fn resolve_each(
        &mut self,
        space: AddressSpace,
        addresses: &[u64; LANES],
        mask: u32,
        bytes: u64,
        align: u64,
        wants: Wants,
    ) -> Result<Pointers, Flow> {
        if self.run.launch.follower.is_some()
            && let Some(pointers) = self.resolve_followed(space, addresses, mask, bytes, align, wants)
        {
            return Ok(pointers);
        }
        let mut at = [0; LANES];
        // For an observer: where each lane's bytes lie, and in which memory.
        let mut offsets = [0; LANES];
        let mut windows = [0; 3];
        if self.worker.forgiving && matches!(space, AddressSpace::Local | AddressSpace::Generic) {
            self.grow_local(mask)?;
        }
        for lane in lanes_in(mask) {
            let address = addresses[lane];
            let (window, offset) = self.window(space, address);
            let problem = if window == Window::Shared && self.is_foreign(offset, space) {
                Some(self.outside_shared(MissedShared::Foreign, lane, (offset, bytes), wants))
            } else if address & (align - 1) != 0 {
                Some(self.misaligned(lane, space, address, bytes, align, wants))
            } else {
                match window {
                    Window::Shared => match self.shared_at(offset, bytes) {
                        Ok(host) => {
                            at[lane] = host.expose_provenance() as u64;
                            None
                        }
                        Err(missed) => Some(self.outside_shared(missed, lane, (offset, bytes), wants)),
                    },
                    Window::Local => {
                        let size = self.warp.stack[lane];
                        let pointer = self.warp.local.pointer(lane, offset as usize);
                        at[lane] = pointer.expose_provenance() as u64;
                        (offset >= size || bytes > size - offset)
                            .then(|| self.outside(AddressSpace::Local, lane, (offset, bytes, size), wants))
                    }
                    Window::Global => {
                        at[lane] = offset;
                        self.global_problem(lane, space, offset, bytes, wants)
                    }
                }
            };
            if let Some(flow) = problem {
                let Some(host) = self.on_silicon(space, window, lane, (offset, bytes), wants) else {
                    return Err(flow);
                };
                self.survived()?;
                at[lane] = host.expose_provenance() as u64;
            }
            windows[window as usize] |= 1 << lane;
            offsets[lane] = offset;
        }
        if wants.is_now() && self.run.code.observed.is_some() {
            for window in [Window::Global, Window::Shared, Window::Local] {
                let (space, lanes) = (space_of_window(window), windows[window as usize]);
                self.tell(space, lanes, &offsets, bytes, wants);
                self.follow_access((space, lanes, &offsets), &mut at, bytes, wants);
            }
        }
        Ok(Pointers::new(at))
    }

    /// Checks one lane's access and gives the range.
    pub fn resolve_lane(
        &mut self,
        space: AddressSpace,
        lane: usize,
        address: u64,
        bytes: u64,
        align: u64,
        wants: Wants,
    ) -> Result<Checked, Flow> {
        let mut all = [0; LANES];
        all[lane] = address;
        let pointers = self.resolve(space, &all, 1 << lane, bytes, align, wants)?;
        let (window, offset) = self.window(space, address);
        let place = (space_of_window(window), offset);
        // SAFETY: the lane's bytes have just been resolved.
        Ok(unsafe { Checked::new(pointers.lane(lane, 0), place, bytes, wants) })
    }

    /// The memory that an address of a space names, and where in it.
    fn window(&self, space: AddressSpace, address: u64) -> (Window, u64) {
        match space {
            AddressSpace::SharedVariable => (Window::Shared, address.wrapping_add(self.cta.shared_base)),
            AddressSpace::Shared | AddressSpace::SharedCluster => (Window::Shared, address),
            AddressSpace::Local => (Window::Local, address),
            AddressSpace::Global | AddressSpace::Const => (Window::Global, address),
            AddressSpace::Generic => match window_of(address) {
                Window::Shared => (Window::Shared, address - SHARED_BASE),
                Window::Local => (Window::Local, address - LOCAL_BASE),
                Window::Global => (Window::Global, address),
            },
        }
    }

    /// Whether an instruction that reaches its own CTA's shared memory alone is given an address of another's.
    fn is_foreign(&self, address: u64, space: AddressSpace) -> bool {
        let own_only = matches!(space, AddressSpace::Shared | AddressSpace::SharedVariable);
        let in_cluster = self.worker.cluster.shared.len() > 1 && address < SHARED_SIZE;
        own_only && in_cluster && rank_and_offset(address).0 != u64::from(self.cta.rank)
    }

    /// Whether a global access is wrong; otherwise its region is remembered.
    fn global_problem(
        &mut self,
        lane: usize,
        space: AddressSpace,
        address: u64,
        bytes: u64,
        wants: Wants,
    ) -> Option<Flow> {
        let memory = self.run.environment.memory;
        let generation = memory.generation();
        if self.worker.generation != generation {
            self.worker.generation = generation;
            self.worker.regions = [Region::EMPTY; REGIONS];
            self.worker.watched = [Region::EMPTY; REGIONS];
        }
        let regions = self.worker.regions.iter().chain(&self.worker.watched);
        let known = regions.copied().find(|r| r.holds(address, bytes));
        let region = match known {
            Some(region) => region,
            None => match memory.region(address) {
                Some(region) if region.holds(address, bytes) => {
                    self.remember(region);
                    region
                }
                _ => {
                    let explanation = memory.explain(address, bytes);
                    return Some(self.nowhere(lane, space, &explanation, wants));
                }
            },
        };
        if !wants.only_reads() && !region.writable {
            let explanation = memory.explain(address, bytes);
            let message = format!("a write of {bytes} bytes to read-only memory at {address:#x}");
            return Some(self.fault(Kind::ReadOnly, lane, message, vec![explanation.to_string()]));
        }
        if !allowed(&region, space, wants) {
            let explanation = memory.explain(address, bytes);
            return Some(self.elsewhere(lane, space, &explanation, wants));
        }
        None
    }

    /// The region that holds some bytes of global memory, if an access there needs no more than that to be right.
    pub(crate) fn region(
        &mut self,
        space: AddressSpace,
        address: u64,
        bytes: u64,
        wants: Wants,
    ) -> Option<Region> {
        if window_of(address) != Window::Global {
            return None;
        }
        let region = self.run.environment.memory.region(address)?;
        (region.holds(address, bytes) && allowed(&region, space, wants)).then_some(region)
    }

    /// What lies in a region that is remembered takes the quick way, by which no observer stands.
    fn remember(&mut self, region: Region) {
        if self.run.launch.follower.is_some() {
            return self.remember_watched(region);
        }
        if self.run.code.observed.is_some() {
            return;
        }
        self.worker.regions[self.worker.oldest] = region;
        self.worker.oldest = (self.worker.oldest + 1) % REGIONS;
    }

    #[cold]
    fn nowhere(&mut self, lane: usize, space: AddressSpace, explanation: &Explanation, wants: Wants) -> Flow {
        let kind = match &explanation.place {
            Place::Null => Kind::Null,
            Place::Freed { .. } => Kind::UseAfterFree,
            _ if window_of(explanation.address) != Window::Global => Kind::WrongSpace,
            _ => Kind::OutOfBounds,
        };
        if kind == Kind::WrongSpace {
            return self.elsewhere(lane, space, explanation, wants);
        }
        let verb = wants.verb();
        let (address, bytes) = (explanation.address, explanation.bytes);
        let message = match kind {
            Kind::Null => format!("{verb} of {bytes} bytes through a null pointer, at {address:#x}"),
            Kind::UseAfterFree => format!("{verb} of {bytes} bytes of freed memory at {address:#x}"),
            _ => format!("{verb} of {bytes} bytes out of bounds at {address:#x}"),
        };
        self.fault(kind, lane, message, vec![explanation.to_string()])
    }

    /// Something is there, in another space than the instruction says.
    #[cold]
    fn elsewhere(
        &mut self,
        lane: usize,
        space: AddressSpace,
        explanation: &Explanation,
        wants: Wants,
    ) -> Flow {
        let (address, bytes) = (explanation.address, explanation.bytes);
        let message = format!(
            "{} of {bytes} bytes at {address:#x}, which is not a {} address",
            wants.verb(),
            space.name()
        );
        self.fault(Kind::WrongSpace, lane, message, vec![explanation.to_string()])
    }

    /// An access that begins at an offset and has so many bytes, of a memory of some size.
    #[cold]
    pub(crate) fn outside(
        &mut self,
        space: AddressSpace,
        lane: usize,
        (offset, bytes, size): (u64, u64, u64),
        wants: Wants,
    ) -> Flow {
        let name = space.name();
        let message =
            format!("{} of {bytes} bytes out of bounds of {name} memory at {offset:#x}", wants.verb());
        let whose = if space == AddressSpace::Shared { "the CTA" } else { "the thread" };
        // Addresses of these spaces have 32 bits; what is below zero has wrapped.
        let short = offset as u32 as i32;
        let below = short < 0 && matches!(offset >> 32, 0 | 0xffff_ffff);
        let foreign = offset > u64::from(u32::MAX) && !below;
        let miss = if foreign {
            "is far from them".into()
        } else if below {
            format!("begins {} bytes before the beginning", short.unsigned_abs())
        } else if offset >= size {
            format!("begins {} bytes after them", offset - size)
        } else {
            format!("reaches {} bytes past their end", offset + bytes - size)
        };
        let mut notes = vec![format!("{whose} has {size} bytes of {name} memory; the access {miss}")];
        if window_of(offset) != Window::Global {
            notes.push("this is a generic address: `cvta.to` turns it into an address of the space".into());
        }
        let kind = if foreign { Kind::WrongSpace } else { Kind::OutOfBounds };
        let missed = (!foreign && !below).then_some(Missed { space, offset, bytes });
        self.worker.fault = Some(Fault { missed, ..Fault::new(kind, lane, message, notes) });
        Flow::Stop
    }

    #[cold]
    fn misaligned(
        &mut self,
        lane: usize,
        space: AddressSpace,
        address: u64,
        bytes: u64,
        align: u64,
        wants: Wants,
    ) -> Flow {
        let message = format!(
            "{} of {bytes} bytes at the misaligned {} address {address:#x}",
            wants.verb(),
            space.name()
        );
        let over = address & (align - 1);
        let notes = vec![format!("the address must be a multiple of {align}; it is {over} over one")];
        self.fault(Kind::Misaligned, lane, message, notes)
    }
}

/// Whether an instruction that names a space may do this in a region. Constants and parameters are no global memory,
/// and nothing else is constant.
#[inline(always)]
pub(super) fn allowed(region: &Region, space: AddressSpace, wants: Wants) -> bool {
    match space {
        AddressSpace::Global => !region.constant && (region.writable || wants.only_reads()),
        AddressSpace::Const => region.constant && wants.only_reads(),
        _ => region.writable || wants.only_reads(),
    }
}

/// The space that a window is in words of the door.
const fn space_of_window(window: Window) -> Space {
    match window {
        Window::Global => Space::Global,
        Window::Shared => Space::Shared,
        Window::Local => Space::Local,
    }
}
