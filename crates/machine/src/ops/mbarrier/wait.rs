//! `mbarrier.test_wait` and `mbarrier.try_wait`: has a phase ended?
//!
//! `try_wait` sleeps until it has, or until nothing else in the cluster can go on: then it gives up, as its time
//! limit allows. `test_wait` never sleeps on hardware; here it does after a while, so that a loop of it gives way to
//! those whom it waits for.

use super::place::{BYTES, ObjectAt, misused};
use crate::asynchronous::mbarrier::{Wrong, token};
use crate::context::Context;
use crate::door::follower::Ordering;
use crate::event::What;
use crate::registers::{LANES, Slot, lanes_in};
use crate::schedule::warp::Awaited;
use crate::settings::Asynchrony;
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::mbarrier::Wait;

/// After so many questions in vain, `test_wait` sleeps as well.
const PATIENCE: u32 = 16;

pub fn executor(wait: Wait) -> Op {
    let name = if wait.sleeps { "mbarrier.try_wait" } else { "mbarrier.test_wait" };
    Box::new(Waiting { at: ObjectAt { address: wait.object, own: Some(name) }, wait })
}

struct Waiting {
    at: ObjectAt,
    wait: Wait,
}

impl Waiting {
    /// Whether the phase that a lane names has ended, and the phase's parity.
    fn ask(&self, context: &Context<'_>, address: u32, named: u64) -> Result<(bool, bool), Wrong> {
        let cluster = &context.worker.cluster;
        let record = cluster.look_at_mbarrier(address)?;
        let parity = if self.wait.by_state { token::parity(named) } else { named & 1 != 0 };
        if self.wait.by_state
            && let Err(stale) = token::check(named, address, record.phases)
        {
            let place = cluster.whereabouts(address);
            let (message, note) = match stale {
                token::Stale::Foreign => (
                    format!("a state for the mbarrier object at {place} that belongs to another object"),
                    "a wait takes the state that an arrival at the same object returned",
                ),
                token::Stale::Old(ended) => (
                    format!("a state for the mbarrier object at {place} from {ended} phases ago"),
                    "only the current phase and the one before it can be tested",
                ),
            };
            return Err(Wrong { message, notes: vec![note.into()] });
        }
        Ok((record.object.phase != parity, parity))
    }

    /// Whether a question in vain is answered at once. A program that does not ask again is seen to go on too early.
    fn answers(&self, context: &mut Context<'_>) -> bool {
        let asked = context.warp.asked;
        context.warp.asked = asked.saturating_add(1);
        if !self.wait.sleeps {
            return asked < PATIENCE;
        }
        asked == 0
            && match context.run.launch.settings.asynchrony {
                Asynchrony::Eager => false,
                Asynchrony::Lazy => true,
                Asynchrony::Seeded => context.worker.cluster.queue.toss(),
            }
    }
}

impl Execute for Waiting {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let addresses = match context.one_own_object(self.at.address, slots, mask, BYTES) {
            Some(address) => [address; LANES],
            None => match self.at.places(context, slots, mask) {
                Ok(places) => *places.addresses(),
                Err(flow) => return flow,
            },
        };
        let named = u64::read(&context.bank, slots[self.wait.phase]);
        let (mut complete, mut parities, mut awaited) = (0, 0, None);
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let (address, phase) = (addresses[lane], named[lane]);
            // All lanes that ask the same get the same answer; usually that is the whole warp.
            let differences = (0..LANES).fold(0, |differences, lane| {
                differences | (named[lane] ^ phase) | u64::from(addresses[lane] ^ address)
            });
            let asks_the_same = |lane: &usize| addresses[*lane] == address && named[*lane] == phase;
            let alike = match differences {
                0 => rest,
                _ => lanes_in(rest).filter(asks_the_same).fold(0, |alike, lane| alike | 1 << lane),
            };
            match self.ask(context, address, phase) {
                Ok((ended, parity)) => {
                    complete |= if ended { alike } else { 0 };
                    parities |= if parity { alike } else { 0 };
                    awaited = awaited.or((!ended).then_some(Awaited::Mbarrier { address, parity }));
                }
                Err(wrong) => return misused(context, lane, wrong),
            }
            rest &= !alike;
        }
        if complete != 0 {
            context.warp.asked = 0;
        } else if context.warp.expired & mask == 0 && !self.answers(context) {
            context.warp.awaited = awaited;
            return Flow::Wait;
        }
        context.warp.expired &= !mask;
        let answers = std::array::from_fn(|lane| complete >> lane & 1 != 0);
        bool::write(&mut context.bank, slots[0], mask, &answers);
        // Nothing that runs here reports anything.
        let (predicate, value) = self.wait.reports;
        if predicate {
            bool::write(&mut context.bank, slots[1], mask, &[false; LANES]);
        }
        if value {
            u8::write(&mut context.bank, slots[1 + usize::from(predicate)], mask, &[0; LANES]);
        }
        if context.run.launch.follower.is_some() {
            for lane in lanes_in(complete) {
                context.orders(1 << lane, Ordering::PhaseSeen { mbarrier: addresses[lane] });
            }
        }
        context.note_each(complete, |lane| What::PhaseSeen {
            mbarrier: addresses[lane],
            parity: parities >> lane & 1 != 0,
        })
    }
}
