//! `clusterlaunchcontrol` (manual 9.7.13.17, 9.7.13.18): a cluster takes another off the grid before it has begun, to
//! do its work itself.
//!
//! A request is an asynchronous operation: the cluster that it takes is the next one at the moment it completes. The
//! manual does not say what the 16 bytes of the response hold, and no silicon was at hand to ask. Here the first three
//! words are the `%ctaid` of the cluster's first CTA and the fourth says what they are: [`CANCELLED`] or [`REFUSED`].
//! A device may refuse although there are clusters left; a seed makes that happen now and then.

use std::sync::{Arc, OnceLock};

use ptxvm_memory::TensorMemory;
use smallvec::smallvec;

use crate::asynchronous::queue::{Named, Pending, Signal, Transfer};
use crate::context::Context;
use crate::door::peer::Shared;
use crate::door::touch::{Proxy, Touch, Wants, When};
use crate::explain::finding::Kind;
use crate::ops::operand::Address;
use crate::registers::{LANES, Slot};
use crate::schedule::cluster::Claims;
use crate::vector::lanes::{Execute, Flow, Op, issue_each};
use crate::vector::value::Value;

/// The bytes of a response, and what its address is a multiple of.
const RESPONSE: u64 = 16;
/// The last word of a response to a request that was granted.
const CANCELLED: u32 = 0x434c_4301;
/// The last word of a response to a request that was refused.
const REFUSED: u32 = 0x434c_4300;
/// With a seed, one of so many requests is refused without need.
const WHIM: u64 = 8;

/// `clusterlaunchcontrol.try_cancel`
pub fn try_cancel(response: Address, mbarrier: Address, everywhere: bool) -> Op {
    Box::new(TryCancel { response, mbarrier, everywhere })
}

/// `clusterlaunchcontrol.query_cancel.is_canceled`
pub fn is_canceled(response: usize) -> Op {
    Box::new(IsCanceled { response })
}

/// `clusterlaunchcontrol.query_cancel.get_first_ctaid`
pub fn first_ctaid(response: usize, first: usize) -> Op {
    Box::new(FirstCtaid { response, first })
}

struct TryCancel {
    response: Address,
    mbarrier: Address,
    everywhere: bool,
}

impl TryCancel {
    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        if context.cta.saw_refusal {
            let message = "a request to cancel a cluster after the CTA has seen one refused";
            let note = "what such a request does is not defined; the CTA should end its work".into();
            return Err(context.fault(Kind::Misuse, lane, message, vec![note]));
        }
        let response = context.addresses(self.response, slots)[lane];
        let response =
            context.resolve_shared(self.response, lane, response, RESPONSE, RESPONSE, Wants::WriteLater)?;
        let mbarrier = context.addresses(self.mbarrier, slots)[lane];
        let mbarrier = context.resolve_shared(self.mbarrier, lane, mbarrier, 8, 8, Wants::WriteLater)?;
        let own = context.cta.rank;
        if response.cta() != 1 << own || mbarrier.cta() != 1 << own {
            let message = "the response and the mbarrier must be in the CTA's own shared memory";
            return Err(context.fault(Kind::WrongSpace, lane, message, Vec::new()));
        }
        let peers = context.worker.cluster.shared.len() as u32;
        if self.everywhere && context.worker.cluster.shared.iter().any(|peer| peer.ended) {
            let message =
                "a request whose response goes to all CTAs of the cluster, and one of them has ended";
            return Err(context.fault(Kind::Misuse, lane, message, Vec::new()));
        }
        let whim = context.run.launch.settings.seed != 0 && context.worker.next_random().is_multiple_of(WHIM);
        let request = Arc::new(Request {
            claims: (!whim).then(|| Arc::clone(context.run.claims)),
            response: OnceLock::new(),
        });
        let ranks = if self.everywhere { 0..peers } else { own..own + 1 };
        for rank in ranks {
            let place = |place| context.same_place(place, rank, Wants::WriteLater);
            let (Some(to), Some(mbarrier)) = (place(response), place(mbarrier)) else { continue };
            context.worker.cluster.queue.push(Pending {
                signals: smallvec![Signal::CompleteTx {
                    address: mbarrier.address(),
                    bytes: RESPONSE as u32
                }],
                writes: 1 << rank,
                ..Pending::new(
                    context,
                    1 << lane,
                    Named::CancelRequest,
                    Response { to, request: Arc::clone(&request) },
                )
            });
        }
        Ok(())
    }
}

impl Execute for TryCancel {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        issue_each(mask, |lane| self.issue(context, slots, lane))
    }
}

/// A request, which is decided when the first of its responses is written.
#[derive(Debug)]
struct Request {
    /// What it takes a cluster from; `None` if it is refused anyway.
    claims: Option<Arc<Claims>>,
    response: OnceLock<[u32; 4]>,
}

impl Request {
    fn response(&self) -> [u32; 4] {
        *self.response.get_or_init(|| match self.claims.as_ref().and_then(|claims| claims.cancel()) {
            Some([x, y, z]) => [x, y, z, CANCELLED],
            None => [0, 0, 0, REFUSED],
        })
    }
}

/// The response on its way to one CTA.
#[derive(Debug)]
struct Response {
    to: Shared,
    request: Arc<Request>,
}

impl Transfer for Response {
    fn footprint(&self, visit: &mut dyn FnMut(Touch)) {
        visit(self.to.range().touch(Wants::Write, When::Deliver, Proxy::Async));
    }

    fn fetch(&mut self) {}

    fn effort(&self) -> u64 {
        0
    }

    fn deliver(&mut self, _: &mut [TensorMemory]) {
        let mut bytes = [0; RESPONSE as usize];
        for (to, word) in bytes.chunks_exact_mut(4).zip(self.request.response()) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        self.to.range().write(&bytes);
    }
}

/// The words of each lane's response; refuses what is none.
fn responses(context: &mut Context<'_>, slot: Slot, mask: u32) -> Result<[[u32; 4]; LANES], Flow> {
    let words = u128::read(&context.bank, slot).map(|bits| [0, 32, 64, 96].map(|at| (bits >> at) as u32));
    let stranger = |lane: &usize| mask >> lane & 1 != 0 && !matches!(words[*lane][3], CANCELLED | REFUSED);
    if let Some(lane) = (0..LANES).find(stranger) {
        let message = "the value is not a response of clusterlaunchcontrol.try_cancel";
        let note = "the response is there when the mbarrier's phase is complete".into();
        return Err(context.fault(Kind::Misuse, lane, message, vec![note]));
    }
    Ok(words)
}

struct IsCanceled {
    response: usize,
}

impl Execute for IsCanceled {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let words = match responses(context, slots[self.response], mask) {
            Ok(words) => words,
            Err(flow) => return flow,
        };
        let granted = words.map(|words| words[3] == CANCELLED);
        context.cta.saw_refusal |= (0..LANES).any(|lane| mask >> lane & 1 != 0 && !granted[lane]);
        bool::write(&mut context.bank, slots[0], mask, &granted);
        Flow::Next
    }
}

struct FirstCtaid {
    response: usize,
    /// The dimension of the first destination; the others follow.
    first: usize,
}

impl Execute for FirstCtaid {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let words = match responses(context, slots[self.response], mask) {
            Ok(words) => words,
            Err(flow) => return flow,
        };
        let refused = |lane: &usize| mask >> lane & 1 != 0 && words[*lane][3] != CANCELLED;
        if let Some(lane) = (0..LANES).find(refused) {
            let message = "get_first_ctaid of a response that says that no cluster was cancelled";
            return context.fault(Kind::Misuse, lane, message, Vec::new());
        }
        for (number, slot) in slots[..self.response].iter().enumerate() {
            // The fourth element is not specified.
            let dimension = self.first + number;
            let values = words.map(|words| if dimension < 3 { words[dimension] } else { 0 });
            u32::write(&mut context.bank, *slot, mask, &values);
        }
        Flow::Next
    }
}
