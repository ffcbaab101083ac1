//! `st.async` (manual 9.7.9.12) and `red.async` (9.7.13.7): stores and reductions of a few bytes that complete later.
//!
//! Those to shared memory tell an mbarrier; the others, and what ptxas takes without one, are done when the CTA ends.

use ptxvm_isa::Type;
use ptxvm_memory::{Window, window_of};
use ptxvm_num::float::atomic::Unit;
use smallvec::SmallVec;

use crate::address::{AddressSpace, Wants};
use crate::context::Context;
use crate::engine::{Pending, Signal};
use crate::lanes::{Execute, Flow, Op, issue_each};
use crate::ops::atomic::Reduction;
use crate::ops::bulk::{How, Move, Source, same_cta};
use crate::ops::operand::{Address, Resolve};
use crate::registers::Slot;
use ptxvm_ir::operation::Form;
use ptxvm_ir::operation::access::Combination;

/// What an mbarrier object takes, and what its address is a multiple of.
const MBARRIER: u64 = 8;

/// The operation of an asynchronous store or reduction.
pub fn select(form: &Form<'_>) -> Option<Op> {
    let (how, ty) = match form.section() {
        "9.7.9.12" => (How::Copy, form.ty("type")?),
        "9.7.13.7" => {
            let ty = form.ty("type")?;
            // Addition is the same for both signs; `red` has it for one alone.
            let meant = if ty == Type::S64 { Type::U64 } else { ty };
            (How::Reduce(Reduction::of(Combination::from_name(form.slot("op")?)?, meant)?), ty)
        }
        _ => return None,
    };
    let space = match form.slot("ss") {
        Some(name) => AddressSpace::from_name(Some(name)),
        None if form.says("global") => AddressSpace::Global,
        None => AddressSpace::Generic,
    };
    let reaches = match () {
        () if form.given("mbar") => Reaches::Cluster,
        () if form.says("release") || form.says("gpu") || form.says("sys") => Reaches::Global,
        () => Reaches::Anything,
    };
    Some(Box::new(StoreAsync {
        to: Address::of(form, "a", space)?,
        first: form.position("b")?,
        count: form.elements("b").count(),
        width: ty.bits() as usize / 8,
        mbarrier: match form.given("mbar") {
            true => Some(Address::of(form, "mbar", space)?),
            false => None,
        },
        reaches,
        how,
    }))
}

/// The memory that a form is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reaches {
    /// That of the cluster's CTAs.
    Cluster,
    /// Global memory.
    Global,
    /// The manual does not know the form, and ptxas does not ask.
    Anything,
}

struct StoreAsync {
    to: Address,
    /// The slot of the first element.
    first: usize,
    count: usize,
    /// The bytes of an element.
    width: usize,
    mbarrier: Option<Address>,
    reaches: Reaches,
    how: How,
}

impl StoreAsync {
    fn name(&self) -> String {
        match &self.how {
            How::Reduce(reduction) => format!("an asynchronous reduction ({})", reduction.name()),
            _ => "an asynchronous store".into(),
        }
    }

    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let mut values = SmallVec::new();
        for element in 0..self.count {
            let value = context.bank.lane(slots[self.first + element], lane).to_le_bytes();
            values.extend_from_slice(&value[..self.width]);
        }
        let bytes = values.len() as u64;
        let to = self.to.read(context, slots)[lane];
        let shared = match self.to.space {
            AddressSpace::Shared | AddressSpace::SharedVariable | AddressSpace::SharedCluster => true,
            AddressSpace::Generic => window_of(to) == Window::Shared,
            _ => false,
        };
        let mut signals = SmallVec::new();
        let (host, writes, place) = if shared && self.reaches != Reaches::Global {
            let place = self.to.resolve_shared(context, lane, to, bytes, bytes, Wants::Write)?;
            let mut writes = place.cta();
            if let Some(mbarrier) = &self.mbarrier {
                let at = mbarrier.read(context, slots)[lane];
                let mbarrier =
                    mbarrier.resolve_shared(context, lane, at, MBARRIER, MBARRIER, Wants::Write)?;
                same_cta(context, lane, &self.name(), place, mbarrier)?;
                signals.push(Signal::CompleteTx { address: mbarrier.address, bytes: bytes as u32 });
                writes |= mbarrier.cta();
            }
            (place.host, writes, format!("the shared memory of CTA {}", place.cta().trailing_zeros()))
        } else if self.reaches == Reaches::Cluster {
            // Not shared memory: the finding says so.
            let place = self.to.resolve_shared(context, lane, to, bytes, bytes, Wants::Write)?;
            (place.host, place.cta(), String::new())
        } else {
            let space = match self.to.space {
                AddressSpace::Generic => AddressSpace::Global,
                space => space,
            };
            let to = Address { space, ..self.to }.resolve(context, lane, to, bytes, bytes, Wants::Write)?;
            (to, 0, "global memory".into())
        };
        let unit = if writes == 0 { Unit::Global } else { Unit::Shared };
        let from = Source::Bytes(values);
        let transfer = Move { to: host, unit, from, bytes: bytes as usize, how: self.how.clone() };
        context.worker.cluster.engine.push(Pending {
            fetched: true,
            signals,
            writes,
            ..Pending::new(
                context,
                1 << lane,
                format!("{} of {bytes} bytes to {place}", self.name()),
                transfer,
            )
        });
        Ok(())
    }
}

impl Execute for StoreAsync {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        issue_each(mask, |lane| self.issue(context, slots, lane))
    }
}
