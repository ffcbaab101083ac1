//! Lanes that meet at a warp-wide instruction in different places: in different calls of its function, or at several
//! instructions of the same form.
//!
//! A function that shuffles may be called from both sides of a branch, or at different depths of a recursion: its
//! lanes come to the same instruction, but their registers lie in different activations. And the lanes of a mask may
//! execute the same collective at two places, as an H200 lets them. The values that each place's instruction reads are
//! brought together, it runs for all, and what it wrote is carried back.

use smallvec::SmallVec;

use crate::context::{Context, CtaState, Run, Worker};
use crate::explain::finding::Limit;
use crate::registers::{self, Bank, Slot};
use crate::schedule::collective::{Meeting, is_one};
use crate::schedule::step::{self, Step, guarded};
use crate::schedule::warp::{Group, State, Warp, bank_of};
use crate::vector::value::Value;

/// The bytes of the widest register.
const WIDEST: u32 = 512;

/// Runs the first instruction of a block for a group and for all that have been let go to meet it. All stand after it
/// then; gives the lanes that have executed it together, 0 if there was nobody to meet or they wait. If it stops, the
/// group stands there.
pub(crate) fn meet(
    group: &mut Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
) -> Result<u32, ()> {
    let code = run.code;
    let own = *group;
    let same = |g: &Group| g.state == State::Released && is_one(g.block, own.block, code);
    let mut all: Vec<Group> = warp.groups.iter().filter(|g| same(g)).copied().collect();
    // The registers of a product must stay where they are until it is computed, so it is not brought together: it says
    // itself that lanes are missing.
    if all.is_empty() || Meeting::of(own.block, code).is_none_or(|meeting| meeting.instruction.wgmma) {
        return Ok(0);
    }
    all.push(own);
    for each in &all {
        lead_up(each, warp, cta, worker, run).inspect_err(|number| group.number = *number).map_err(drop)?;
    }
    let number = |g: &Group| Meeting::of(g.block, code).map_or(0, |meeting| meeting.number);
    match together(&all, warp, cta, worker, run) {
        Step::Stopped => {
            worker.count_block(group);
            group.number = number(group);
            Err(())
        }
        // Each waits for itself, and they meet here again.
        Step::Waits(_) => Ok(0),
        Step::Done | Step::GivesWay => {
            for each in warp.groups.iter_mut().filter(|g| same(g)).chain([group]) {
                worker.count_block(each);
                (each.number, each.state) = (number(each) + 1, State::Ready);
            }
            Ok(all.iter().fold(0, |lanes, each| lanes | each.mask))
        }
    }
}

/// Executes what the linker has put before the instruction at which a group meets others, and waits for the products whose
/// registers that uses. Gives the number of one that stopped.
fn lead_up(
    group: &Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
) -> Result<(), u32> {
    let start = run.code.blocks[group.block as usize].start;
    let before = Meeting::of(group.block, run.code).map_or(0, |meeting| meeting.number);
    let bank = bank_of(&mut warp.activations, group.activation, run.code);
    let mut context = Context { bank, active: group.mask, warp: &mut warp.state, cta, worker, run };
    if context.make_late().is_err() {
        return Err(0);
    }
    let mut watches = context.watches();
    for number in 0..before {
        let at = start + number;
        let instruction = &run.code.instructions[at as usize];
        if step::step(&mut context, instruction, (at, group.activation), &mut watches) == Step::Stopped {
            return Err(number);
        }
    }
    if context.watches_registers()
        && let Some(meeting) = Meeting::of(group.block, run.code)
        && context.before(meeting.instruction).is_err()
    {
        return Err(before);
    }
    Ok(())
}

/// Executes the instruction at which groups meet, once for all of them; the last says at which place.
fn together(all: &[Group], warp: &mut Warp, cta: &mut CtaState, worker: &mut Worker, run: &Run<'_>) -> Step {
    let code = run.code;
    let each = || all.iter().filter_map(|group| Some((group, Meeting::of(group.block, code)?)));
    let Some((own, meeting)) = each().next_back() else { return Step::Done };
    // Each operand has a register of its own in a block that belongs to no activation.
    let slots: SmallVec<[Slot; 5]> = (0u32..)
        .zip(&meeting.instruction.slots)
        .map(|(n, slot)| Slot { offset: n * WIDEST, flags: slot.flags & !Slot::CONSTANT, ..*slot })
        .collect();
    let (bytes, budget) = (slots.len() as u32 * WIDEST, run.environment.memory.budget());
    let Some(mut block) = registers::Block::of_budget(bytes as usize, budget) else {
        worker.limit = Some(Limit::Memory(budget.refusal(bytes.into())));
        return Step::Stopped;
    };
    let mut bank = Bank::new(&mut block, &code.constants);
    let (mut lanes, mut active) = (0, 0);
    for (group, meeting) in each() {
        let from = warp.bank(group.activation, code);
        active |= group.mask;
        lanes |= group.mask & guarded(&from, meeting.instruction.guard);
        for (to, slot) in slots.iter().zip(&meeting.instruction.slots).filter(|(to, _)| !to.is_sink()) {
            let values = u128::read(&from, Slot { flags: slot.flags & Slot::CONSTANT, ..*slot });
            u128::write(&mut bank, Slot { flags: 0, ..*to }, group.mask, &values);
        }
    }
    let mut context = Context { bank, active, warp: &mut warp.state, cta, worker, run };
    let place = (code.blocks[own.block as usize].start + meeting.number, own.activation);
    let ran = match lanes {
        0 => Step::Done,
        _ => step::execute(&mut context, meeting.instruction, &slots, lanes, place, &mut false),
    };
    let bank = Bank::new(&mut block, &code.constants);
    for (group, meeting) in each().filter(|_| ran == Step::Done) {
        let mut to = warp.bank(group.activation, code);
        let moved = |slot: &Slot| !slot.is_constant() && !slot.is_sink();
        for (from, slot) in slots.iter().zip(&meeting.instruction.slots).filter(|(_, slot)| moved(slot)) {
            let values = u128::read(&bank, Slot { flags: 0, ..*from });
            u128::write(&mut to, Slot { flags: 0, ..*slot }, group.mask, &values);
        }
    }
    ran
}
