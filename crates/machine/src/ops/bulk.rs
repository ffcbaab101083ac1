//! `cp.async.bulk` (manual 9.7.9.25.4): runs of bytes between global memory and the shared memory of a cluster.
#![allow(unsafe_code)]

use ptxvm_memory::access;
use smallvec::smallvec;

use crate::address::{AddressSpace, Wants};
use crate::context::Context;
use crate::engine::{Issuer, Pending, Signal, Transfer};
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::ops::operand::{Address, slot_of};
use crate::registers::{LANES, Slot};

/// What sizes and addresses of bulk copies are multiples of.
const UNIT: u64 = 16;

/// The operation of a bulk copy.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if form.name() != "cp.async.bulk" && !form.row().head.starts_with("cp.async.bulk.shared") {
        return None;
    }
    let words: Vec<&str> = form.words().chain(form.modifiers()).collect();
    let to_cta = words.contains(&"shared::cta");
    if !words.contains(&"mbarrier::complete_tx::bytes") || !words.contains(&"global") {
        return None;
    }
    let shared = if to_cta { AddressSpace::Shared } else { AddressSpace::SharedCluster };
    Some(Box::new(Load {
        to: Address::of(form, "dstMem", shared)?,
        from: Address::of(form, "srcMem", AddressSpace::Global)?,
        size: slot_of(form, "size")?,
        mbarrier: Address::of(form, "mbar", shared)?,
    }))
}

struct Load {
    to: Address,
    from: Address,
    size: usize,
    mbarrier: Address,
}

impl Load {
    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let bytes = context.bank.lane(slots[self.size], lane);
        let (to, from) = (self.to.read(context, slots)[lane], self.from.read(context, slots)[lane]);
        let mbarrier = self.mbarrier.read(context, slots)[lane];
        let from = self.from.resolve(context, lane, from, bytes, UNIT, Wants::Read)?;
        let to = self.to.resolve_shared(context, lane, to, bytes, UNIT, Wants::Write)?;
        let mbarrier = self.mbarrier.resolve_shared(context, lane, mbarrier, 8, 8, Wants::Write)?;
        let (rank, warp) = (context.cta.rank, context.warp.index);
        context.worker.cluster.engine.push(Pending {
            issuer: Issuer { rank, warp, lanes: 1 << lane, ..Issuer::default() },
            what: format!("a bulk copy of {bytes} bytes"),
            transfer: Box::new(Copy { to: to.host, from, bytes: bytes as usize, fetched: None }),
            fetched: false,
            group: None,
            signals: smallvec![Signal::CompleteTx { address: mbarrier.address, bytes: bytes as u32 }],
            after_copies: false,
            reads: 0,
            writes: to.cta() | mbarrier.cta(),
        });
        Ok(())
    }
}

impl Execute for Load {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        for lane in (0..LANES).filter(|l| mask >> l & 1 != 0) {
            if let Err(flow) = self.issue(context, slots, lane) {
                return flow;
            }
        }
        Flow::Issued
    }
}

/// Bytes on their way.
#[derive(Debug)]
struct Copy {
    to: u64,
    from: u64,
    bytes: usize,
    fetched: Option<Vec<u8>>,
}

impl Transfer for Copy {
    fn fetch(&mut self) {
        let mut bytes = vec![0; self.bytes];
        let from = std::ptr::with_exposed_provenance(self.from as usize);
        // SAFETY: the source was checked when the copy was issued, and the launch's lease and the cluster keep it.
        unsafe { access::copy_out(from, &mut bytes) };
        self.fetched = Some(bytes);
    }

    fn deliver(&mut self) {
        let to = std::ptr::with_exposed_provenance_mut(self.to as usize);
        let from = std::ptr::with_exposed_provenance(self.from as usize);
        match &self.fetched {
            // SAFETY: as in `fetch`, and the destination was checked as well.
            Some(bytes) => unsafe { access::copy_in(to, bytes) },
            // SAFETY: both were checked when the copy was issued, and are kept.
            None => unsafe { access::copy(to, from, self.bytes) },
        }
    }
}
