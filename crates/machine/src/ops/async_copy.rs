//! `cp.async` (manual 9.7.9.25.3): copies of 4, 8 or 16 bytes by each lane from global to shared memory, the groups of
//! them that a thread closes and waits for, and `cp.async.mbarrier.arrive` (9.7.13.15.15), which tells an mbarrier
//! object that they are done.
//!
//! Cache operators, policies and prefetch sizes are hints and change nothing.
#![allow(unsafe_code)]

use ptxvm_memory::{TensorMemory, access};
use smallvec::SmallVec;

use crate::asynchronous::queue::{GroupKind, Named, Pending, Signal, Transfer};
use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::follower::{Batch, Ordering};
use crate::door::pointer::Pointers;
use crate::door::touch::{Proxy, Space, Touch, Wants, When};
use crate::event::What;
use crate::explain::finding::Kind;
use crate::ops::load_store::traffic;
use crate::ops::mbarrier::{ObjectAt, misused};
use crate::ops::operand::Address;
use crate::registers::{LANES, Slot, lanes_in};
use crate::settings::Asynchrony;
use crate::vector::lanes::{Execute, Flow, Op};
use ptxvm_ir::operation::copy::{Async, Limit};

/// `cp.async`
pub fn copy(copy: Async) -> Op {
    Box::new(Copying(copy))
}

/// `cp.async.commit_group`
pub fn commit() -> Op {
    Box::new(Commit)
}

/// `cp.async.wait_group`, `cp.async.wait_all`
pub fn wait(latest: u32, closes: bool) -> Op {
    Box::new(Wait { latest, closes })
}

/// `cp.async.mbarrier.arrive`
pub fn arrive(object: Address, counted: bool) -> Op {
    Box::new(Arrive { at: ObjectAt { address: object, own: Some("cp.async.mbarrier.arrive") }, counted })
}

struct Copying(Async);

impl Copying {
    /// How many bytes each lane reads.
    fn sizes(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Result<[u8; LANES], Flow> {
        let mut sizes = [self.0.bytes as u8; LANES];
        match self.0.limit {
            Limit::None => {}
            Limit::Ignore(slot) => {
                let ignored = context.bank.mask(slots[slot]);
                lanes_in(ignored).for_each(|lane| sizes[lane] = 0);
            }
            Limit::Size(slot) => {
                for lane in lanes_in(mask) {
                    let size = context.bank.lane(slots[slot], lane) as u32;
                    if u64::from(size) > self.0.bytes {
                        let message = format!("a copy of {} bytes with a src-size of {size}", self.0.bytes);
                        let note =
                            "the src-size says how many of these bytes are read, so it cannot be larger";
                        return Err(context.fault(Kind::Misuse, lane, message, vec![note.into()]));
                    }
                    sizes[lane] = size as u8;
                }
            }
        }
        Ok(sizes)
    }

    /// Checks all lanes and gives what they move.
    fn lines(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Result<Lines, Flow> {
        let sizes = self.sizes(context, slots, mask)?;
        let to = context.resolve_all_shared(self.0.to, slots, mask, self.0.bytes, Wants::WriteLater)?;
        let from = context.addresses(self.0.from, slots);
        let mut lines = Lines {
            mask,
            to: *to.pointers(),
            to_address: *to.addresses(),
            // Of lanes that read nothing, nobody looks at it.
            from: *to.pointers(),
            from_address: from,
            sizes,
            bytes: self.0.bytes as u8,
            fetched: None,
        };
        // What is not read may lie anywhere.
        let mut left =
            lanes_in(mask).filter(|lane| sizes[*lane] != 0).fold(0, |mask, lane| mask | 1u32 << lane);
        while left != 0 {
            let size = sizes[left.trailing_zeros() as usize];
            let alike =
                lanes_in(left).filter(|lane| sizes[*lane] == size).fold(0, |mask, lane| mask | 1 << lane);
            let (space, align) = (self.0.from.space, self.0.bytes);
            let found = context.resolve(space, &from, alike, size.into(), align, Wants::ReadLater)?;
            lines.from = lines.from.with(alike, &found);
            left &= !alike;
        }
        Ok(lines)
    }
}

impl Execute for Copying {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let mut lines = match self.lines(context, slots, mask) {
            Ok(lines) => lines,
            Err(flow) => return flow,
        };
        if context.run.launch.settings.statistics {
            let counted = &mut context.worker.statistics;
            let read = lanes_in(mask).map(|lane| u64::from(lines.sizes[lane])).sum::<u64>();
            counted.bytes_read[traffic(AddressSpace::Global)] += read;
            counted.bytes_written[traffic(AddressSpace::Shared)] +=
                self.0.bytes * u64::from(mask.count_ones());
        }
        let told = context.worker.cluster.log.is_on() || context.run.code.observed.is_some();
        if context.run.launch.settings.asynchrony == Asynchrony::Eager && !told {
            lines.deliver(&mut []);
            return Flow::Next;
        }
        // Lanes that have closed the same number of groups go together.
        let rank = context.cta.rank;
        let closed = context.warp.closed[GroupKind::CpAsync as usize];
        let mut left = mask;
        while left != 0 {
            let group = closed[left.trailing_zeros() as usize];
            let alike =
                lanes_in(left).filter(|lane| closed[*lane] == group).fold(0, |mask, lane| mask | 1 << lane);
            left &= !alike;
            context.worker.cluster.queue.push(Pending {
                group: Some((GroupKind::CpAsync, group)),
                writes: 1 << rank,
                ..Pending::new(
                    context,
                    alike,
                    Named::CpAsync(self.0.bytes),
                    Lines { mask: alike, ..lines.clone() },
                )
            });
        }
        Flow::Issued
    }
}

/// The bytes of one instruction on their way: a line for each lane.
#[derive(Clone, Debug)]
struct Lines {
    mask: u32,
    to: Pointers,
    /// Where that is in `.shared::cluster`.
    to_address: [u32; LANES],
    from: Pointers,
    from_address: [u64; LANES],
    sizes: [u8; LANES],
    bytes: u8,
    fetched: Option<Box<[[u8; 16]; LANES]>>,
}

impl Lines {
    /// What a lane's line holds now.
    fn line(&self, lane: usize) -> [u8; 16] {
        let mut line = [0; 16];
        // SAFETY: so many bytes were checked when the copy was issued, and the launch's lease keeps them; where the
        // size is zero nothing is read.
        unsafe { access::copy_out(self.from.lane(lane, 0), &mut line[..usize::from(self.sizes[lane])]) };
        line
    }
}

impl Transfer for Lines {
    fn footprint(&self, visit: &mut dyn FnMut(Touch)) {
        let proxy = Proxy::Generic;
        for lane in lanes_in(self.mask) {
            let (address, bytes) = (self.from_address[lane], self.sizes[lane].into());
            visit(Touch {
                space: Space::Global,
                address,
                bytes,
                wants: Wants::Read,
                when: When::Fetch,
                proxy,
            });
            let (address, bytes) = (self.to_address[lane].into(), self.bytes.into());
            visit(Touch {
                space: Space::Shared,
                address,
                bytes,
                wants: Wants::Write,
                when: When::Deliver,
                proxy,
            });
        }
    }

    fn fetch(&mut self) {
        let mut lines = Box::new([[0; 16]; LANES]);
        lanes_in(self.mask).for_each(|lane| lines[lane] = self.line(lane));
        self.fetched = Some(lines);
    }

    fn kept(&self) -> u64 {
        size_of::<[[u8; 16]; LANES]>() as u64
    }

    fn effort(&self) -> u64 {
        u64::from(self.mask.count_ones())
    }

    fn deliver(&mut self, _: &mut [TensorMemory]) {
        for lane in lanes_in(self.mask) {
            let line = self.fetched.as_ref().map_or_else(|| self.line(lane), |lines| lines[lane]);
            // SAFETY: the destination was checked when the copy was issued, and the cluster keeps it.
            unsafe { access::copy_in(self.to.lane(lane, 0), &line[..usize::from(self.bytes)]) };
        }
    }
}

/// `cp.async.commit_group`
struct Commit;

impl Execute for Commit {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        close(context, mask);
        context.orders(mask, Ordering::Commits(Batch::Copies));
        let closed = context.warp.closed[GroupKind::CpAsync as usize];
        context.note_each(mask, |lane| What::Committed {
            kind: GroupKind::CpAsync,
            group: closed[lane].wrapping_sub(1),
        })
    }
}

fn close(context: &mut Context<'_>, mask: u32) {
    for lane in lanes_in(mask) {
        let closed = &mut context.warp.closed[GroupKind::CpAsync as usize][lane];
        *closed = closed.wrapping_add(1);
    }
}

/// `cp.async.wait_group` and `cp.async.wait_all`
struct Wait {
    /// How many of the latest groups may stay under way.
    latest: u32,
    /// Whether what belongs to no group yet is one first.
    closes: bool,
}

impl Execute for Wait {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        if self.closes {
            close(context, mask);
            context.orders(mask, Ordering::Commits(Batch::Copies));
        }
        let closed = context.warp.closed[GroupKind::CpAsync as usize];
        let (rank, warp) = (context.cta.rank, context.warp.index);
        let latest = self.latest;
        let wanted = |pending: &Pending| match pending.group {
            Some((GroupKind::CpAsync, group))
                if (pending.issuer.rank, pending.issuer.warp) == (rank, warp) =>
            {
                lanes_in(pending.issuer.lanes & mask).any(|lane| closed[lane].wrapping_sub(group) > latest)
            }
            _ => false,
        };
        let done = context.worker.cluster.complete_all(wanted, context.run.halt);
        if context.completed(done) == Flow::Stop {
            return Flow::Stop;
        }
        context.orders(mask, Ordering::Waited { batch: Batch::Copies, latest, read: false });
        context.note_each(mask, |lane| What::Waited {
            kind: GroupKind::CpAsync,
            before: closed[lane].saturating_sub(latest),
            read: false,
        })
    }
}

/// `cp.async.mbarrier.arrive`
struct Arrive {
    at: ObjectAt,
    /// Whether the object's count includes the arrival (`.noinc`).
    counted: bool,
}

impl Execute for Arrive {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let places = match self.at.places(context, slots, mask) {
            Ok(places) => places,
            Err(flow) => return flow,
        };
        let mut signals: SmallVec<[Signal; 1]> = SmallVec::new();
        for lane in lanes_in(mask) {
            context.act(lane);
            let at = places.addresses()[lane];
            let cluster = &mut context.worker.cluster;
            let known = match self.counted {
                true => cluster.look_at_mbarrier(at).map(drop),
                false => cluster.await_copies(at),
            };
            if let Err(wrong) = known {
                return misused(context, lane, wrong);
            }
            let same = signals.iter_mut().find_map(|signal| match signal {
                Signal::Arrive { address, count } if *address == at => Some(count),
                _ => None,
            });
            match same {
                Some(count) => *count += 1,
                None => signals.push(Signal::Arrive { address: at, count: 1 }),
            }
        }
        let rank = context.cta.rank;
        context.worker.cluster.queue.push(Pending {
            signals,
            after_copies: true,
            writes: 1 << rank,
            ..Pending::new(context, mask, Named::CpAsyncArrival, Nothing)
        });
        Flow::Issued
    }
}

/// An operation that only tells somebody.
#[derive(Debug)]
struct Nothing;

impl Transfer for Nothing {
    fn footprint(&self, _: &mut dyn FnMut(Touch)) {}

    fn fetch(&mut self) {}

    fn effort(&self) -> u64 {
        0
    }

    fn deliver(&mut self, _: &mut [TensorMemory]) {}
}
