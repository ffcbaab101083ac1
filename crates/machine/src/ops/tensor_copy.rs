//! `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor` and `cp.async.bulk.prefetch.tensor` (manual 9.7.9.25.5): boxes of
//! tensors between global memory and the shared memory of a cluster.
//!
//! The tensor map is read and everything is checked when the copy is issued; what is moved is in [`crate::asynchronous::tensor`].

use ptxvm_memory::{Window, window_of};
use ptxvm_tensor::bits::BYTES;
use ptxvm_tensor::{Access, Coordinates, Direction, TensorMap, Walk, Wide, broken_rule};
use smallvec::{SmallVec, smallvec};

use crate::asynchronous::queue::{GroupKind, Named, Pending, Signal};
use crate::asynchronous::tensor::reduce::combine;
use crate::asynchronous::tensor::store::{Edge, written};
use crate::asynchronous::tensor::transfer::{Load, Store};
use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::peer::Shared;
use crate::door::touch::{Proxy, Wants};
use crate::explain::finding::Kind;
use crate::ops::operand::Address;
use crate::registers::Slot;
use crate::schedule::cluster::shared::OFFSET_BITS;
use crate::vector::lanes::{Execute, Flow, Op, issue_each};
use ptxvm_ir::operation::access::Combination;
use ptxvm_ir::operation::copy::{Tensor, TensorMode, TensorTransfer};

/// What the address of a tensor map must be a multiple of.
const MAP_ALIGNMENT: u64 = 64;

/// The operation of a tensor copy.
pub fn executor(tensor: Tensor) -> Op {
    match tensor.transfer {
        TensorTransfer::ToShared { to, mbarrier, ctas, pairs } => {
            Box::new(ToShared { tensor: TensorSource(tensor), to, mbarrier, mask: ctas, pairs })
        }
        TensorTransfer::FromShared { from, reduction } => {
            Box::new(FromShared { tensor: TensorSource(tensor), from, reduction })
        }
    }
}

/// `cp.async.bulk.prefetch.tensor`: there is no cache here, so it does nothing, wherever it points.
pub fn prefetch() -> Op {
    Box::new(Prefetch)
}

/// The tensor map, the coordinates, and how they are meant.
struct TensorSource(Tensor);

impl TensorSource {
    /// The map and the rows of a lane's copy, with no rule broken.
    fn read(
        &self,
        context: &mut Context<'_>,
        slots: &[Slot],
        lane: usize,
        direction: Direction,
    ) -> Result<(TensorMap, Walk), Flow> {
        let map = self.map(context, slots, lane)?;
        let coordinates = self.coordinates(context, slots, lane);
        let mut told = [0; 3];
        let (first, count) = self.0.told;
        for (value, slot) in told.iter_mut().zip(&slots[first..first + count]) {
            *value = context.bank.lane(*slot, lane) as u16;
        }
        let wide = Wide { halo: told[0], offset: told[1] };
        let access = match self.0.mode {
            TensorMode::Tile => Access::Tile,
            TensorMode::FourRows => Access::FourRows,
            TensorMode::Im2col => Access::Im2col(told),
            TensorMode::Im2colW => Access::Im2colW(wide),
            TensorMode::Im2colW128 => Access::Im2colW128(wide),
        };
        let device = context.run.environment.profile;
        match broken_rule(device, &map, access, self.0.dimensions, &coordinates, direction) {
            None => {
                let walk = Walk::new(&map, access, &coordinates);
                Ok((map, walk))
            }
            Some(rule) => Err(self.refuse(context, slots, lane, rule)),
        }
    }

    fn coordinates(&self, context: &Context<'_>, slots: &[Slot], lane: usize) -> Coordinates {
        let mut coordinates = Coordinates::default();
        let (first, count) = self.0.coordinates;
        for (coordinate, slot) in coordinates.iter_mut().zip(&slots[first..first + count]) {
            *coordinate = context.bank.lane(*slot, lane) as i32;
        }
        coordinates
    }

    /// A rule is broken.
    fn refuse(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize, rule: String) -> Flow {
        let coordinates = &self.coordinates(context, slots, lane)[..self.0.coordinates.1];
        let note = format!("the coordinates are {coordinates:?}");
        context.fault(Kind::Misuse, lane, rule, vec![note])
    }

    fn map(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<TensorMap, Flow> {
        let address = context.addresses(self.0.map, slots)[lane];
        if window_of(address) != Window::Global {
            let message =
                format!("a tensor map must be in global, constant or parameter memory, not at {address:#x}");
            return Err(context.fault(Kind::WrongSpace, lane, message, Vec::new()));
        }
        let (space, length) = (self.0.map.space, BYTES as u64);
        let place = context.resolve_lane(space, lane, address, length, MAP_ALIGNMENT, Wants::ReadLater)?;
        context.touches(lane, &place, Wants::Read, Proxy::Tensormap);
        let mut bytes = [0; BYTES];
        place.read(&mut bytes);
        TensorMap::from_bytes(&bytes).map_err(|unknown| {
            let message = format!("there is no tensor map at {address:#x}: {unknown}");
            context.fault(Kind::Misuse, lane, message, Vec::new())
        })
    }
}

/// The same place in each CTA of several.
type SharedPlaces = SmallVec<[Shared; 1]>;

/// Global memory to the shared memory of one CTA or of several.
struct ToShared {
    tensor: TensorSource,
    to: Address,
    mbarrier: Address,
    /// The slot of the CTAs that the box is for, as bits by rank.
    mask: Option<usize>,
    /// `.cta_group::2`: the barrier may be the other CTA's of a pair.
    pairs: bool,
}

impl ToShared {
    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let (map, walk) = self.tensor.read(context, slots, lane, Direction::Load)?;
        let inside = u64::from(walk.inside);
        let rows = context.reach(lane, walk, inside, Wants::ReadLater)?;
        let (to, mbarrier) =
            (context.addresses(self.to, slots)[lane], context.addresses(self.mbarrier, slots)[lane]);
        let to = context.resolve_shared(self.to, lane, to, 16, 16, Wants::WriteLater)?;
        let mbarrier = context.resolve_shared(self.mbarrier, lane, mbarrier, 8, 8, Wants::WriteLater)?;
        let (places, barriers) = match self.mask {
            None => {
                let mates = if self.pairs { !1 } else { !0 };
                if (to.address() ^ mbarrier.address()) >> OFFSET_BITS & mates != 0 {
                    let message = "the mbarrier object must be in the CTA that the box goes to";
                    return Err(context.fault(Kind::Misuse, lane, message, Vec::new()));
                }
                (smallvec![to], smallvec![mbarrier])
            }
            Some(slot) => {
                let mask = context.bank.lane(slots[slot], lane) as u16;
                self.everywhere(context, lane, mask, to, mbarrier)?
            }
        };
        let (extent, bytes) = (rows.walk().extent(), rows.walk().bytes());
        let mut boxes = SharedPlaces::new();
        for place in places {
            boxes.push(context.box_at(lane, extent, place, Wants::WriteLater)?);
        }
        let cta = |place: &Shared| place.cta();
        let writes = boxes.iter().map(cta).chain(barriers.iter().map(cta)).fold(0, |all, bit| all | bit);
        let pending = Pending {
            signals: barriers
                .iter()
                .map(|barrier| Signal::CompleteTx { address: barrier.address(), bytes: bytes as u32 })
                .collect(),
            writes,
            ..Pending::new(
                context,
                1 << lane,
                Named::TensorCopy(bytes),
                Load { rows, map, to: boxes, fetched: None },
            )
        };
        context.worker.cluster.queue.push(pending);
        Ok(())
    }

    /// The box's place and the barrier of each CTA of a mask, at the offsets that they have in the CTA named.
    fn everywhere(
        &self,
        context: &mut Context<'_>,
        lane: usize,
        mask: u16,
        to: Shared,
        mbarrier: Shared,
    ) -> Result<(SharedPlaces, SharedPlaces), Flow> {
        let offset = |place: Shared| u64::from(place.address()) & ((1 << OFFSET_BITS) - 1);
        let mut places = SmallVec::new();
        let mut barriers = SmallVec::new();
        for rank in (0..16u64).filter(|rank| mask >> rank & 1 != 0) {
            // In a pair of CTAs, those of the barrier's parity are told.
            let told =
                if self.pairs { rank & !1 | u64::from(mbarrier.address() >> OFFSET_BITS) & 1 } else { rank };
            places.push(peer(context, lane, rank, offset(to), 16)?);
            barriers.push(peer(context, lane, told, offset(mbarrier), 8)?);
        }
        Ok((places, barriers))
    }
}

/// The same offset in another CTA of the cluster.
fn peer(context: &mut Context<'_>, lane: usize, rank: u64, offset: u64, bytes: u64) -> Result<Shared, Flow> {
    let of = Address { operand: 0, space: AddressSpace::SharedCluster, offset: 0 };
    context.resolve_shared(of, lane, rank << OFFSET_BITS | offset, bytes, bytes, Wants::WriteLater)
}

impl Execute for ToShared {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        issue_each(mask, |lane| self.issue(context, slots, lane))
    }
}

/// The own CTA's shared memory to global memory.
struct FromShared {
    tensor: TensorSource,
    from: Address,
    /// What is done to global memory, unless it is overwritten.
    reduction: Option<Combination>,
}

impl FromShared {
    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let direction = if self.reduction.is_some() { Direction::Reduce } else { Direction::Store };
        let (map, walk) = self.tensor.read(context, slots, lane, direction)?;
        let combine = self.reduction.map(|reduction| combine(reduction, map.element)).transpose();
        let combine = combine.map_err(|rule| self.tensor.refuse(context, slots, lane, rule))?;
        let edge = edge(context, &walk);
        let bytes = written(&walk, edge);
        let rows = context.reach(lane, walk, bytes, Wants::WriteLater)?;
        let from = context.addresses(self.from, slots)[lane];
        let from = context.resolve_shared(self.from, lane, from, 16, 16, Wants::ReadLater)?;
        let from = context.box_at(lane, rows.walk().extent_inside(), from, Wants::ReadLater)?;
        let what = Named::TensorStore(rows.walk().bytes(), self.reduction);
        let closed = context.warp.closed[GroupKind::Bulk as usize][lane];
        let pending = Pending {
            group: Some((GroupKind::Bulk, closed)),
            reads: from.cta(),
            ..Pending::new(context, 1 << lane, what, Store { rows, map, from, combine, edge, fetched: None })
        };
        context.worker.cluster.queue.push(pending);
        Ok(())
    }
}

/// How a row ends in global memory: a chunk is written whole, unless that would leave the allocation.
fn edge(context: &Context<'_>, walk: &Walk) -> Edge {
    let whole = written(walk, Edge::WholeChunk);
    match walk.bounds() {
        Some(bounds) if whole > u64::from(walk.inside) => {
            if context.in_one_region(&bounds, walk, whole, Wants::WriteLater) {
                Edge::WholeChunk
            } else {
                Edge::Exact
            }
        }
        _ => Edge::WholeChunk,
    }
}

impl Execute for FromShared {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        issue_each(mask, |lane| self.issue(context, slots, lane))
    }
}

struct Prefetch;

impl Execute for Prefetch {
    fn run(&self, _: &mut Context<'_>, _: &[Slot], _: u32) -> Flow {
        Flow::Next
    }
}
