//! `--audit`: checks that ptxvm reports every access that a kernel makes to memory.
//!
//! An observer is told of every access. A byte of the device's memory that changed in the launch without a reported write
//! is a bug in ptxvm. The machine itself compares shared and tensor memory, before and after each instruction.

use std::sync::{Arc, Mutex, PoisonError};

use ptxvm_vm::observer::{Access, HeapChange, Observer, Source, Stage, Transferred};
use ptxvm_vm::{Device, Space, Wants};

/// More ranges than this are put in order, and those that touch become one.
const MANY: usize = 1 << 16;

/// Takes down which bytes of global memory are written.
#[derive(Debug, Default)]
pub struct Audit {
    written: Mutex<Vec<(u64, u64)>>,
    /// The first byte of shared or tensor memory that slipped.
    slipped: Mutex<Option<(Space, u64)>>,
}

/// The device's memory before a launch: where each allocation begins, and what it holds.
pub struct Before(Vec<(u64, Vec<u8>)>);

impl Before {
    /// As it is now.
    pub fn of(device: &Device) -> Self {
        let holds = |start: u64, size: u64| {
            let mut bytes = vec![0; size as usize];
            device.read(start, &mut bytes).ok().map(|()| (start, bytes))
        };
        let allocations = device.memory().allocations();
        Self(allocations.iter().filter_map(|allocation| holds(allocation.start, allocation.size)).collect())
    }

    /// The first byte that has become another, and which nobody was said to write.
    pub fn slipped(&self, device: &Device, audit: &Audit) -> Option<(Space, u64)> {
        let slipped = *audit.slipped.lock().unwrap_or_else(PoisonError::into_inner);
        slipped.or_else(|| Some((Space::Global, self.changed(device, audit)?)))
    }

    /// The same in global memory.
    fn changed(&self, device: &Device, audit: &Audit) -> Option<u64> {
        let mut written = audit.written.lock().unwrap_or_else(PoisonError::into_inner);
        merge(&mut written);
        let named = |address: u64| {
            let after = written.partition_point(|&(start, _)| start <= address);
            after.checked_sub(1).is_some_and(|at| address < written[at].1)
        };
        self.0.iter().find_map(|(start, before)| {
            let mut after = vec![0; before.len()];
            // What has been freed can no longer be read, nor asked about.
            device.read(*start, &mut after).ok()?;
            let differs =
                before.iter().zip(&after).enumerate().filter(|(_, (before, after))| before != after);
            differs.map(|(at, _)| start + at as u64).find(|address| !named(*address))
        })
    }
}

impl Audit {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    fn write(&self, ranges: impl Iterator<Item = (u64, u64)>) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.extend(ranges.map(|(start, bytes)| (start, start.saturating_add(bytes))));
        if written.len() > MANY {
            merge(&mut written);
        }
    }
}

/// Puts ranges in order and makes one of those that touch.
fn merge(ranges: &mut Vec<(u64, u64)>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, before| {
        let touch = next.0 <= before.1;
        before.1 = if touch { before.1.max(next.1) } else { before.1 };
        touch
    });
}

fn writes(space: Space, wants: Wants) -> bool {
    space == Space::Global && matches!(wants, Wants::Write | Wants::Update)
}

impl Observer for Audit {
    fn access(&self, access: &Access<'_>) {
        if writes(access.space, access.wants) {
            let lanes = (0..32usize).filter(|lane| access.who.lanes >> lane & 1 != 0);
            self.write(lanes.map(|lane| (access.addresses[lane], access.bytes)));
        }
    }

    fn transfer(&self, transfer: &Transferred<'_>) {
        if transfer.stage == Stage::Delivered {
            let touches = transfer.touches.iter().filter(|touch| writes(touch.space, touch.wants));
            self.write(touches.map(|touch| (touch.address, touch.bytes)));
        }
    }

    fn heap(&self, _: &HeapChange) {}

    fn wants_proof(&self) -> bool {
        true
    }

    fn slipped(&self, _: Source, space: Space, address: u64) {
        self.slipped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert((space, address));
    }
}
