//! Lanes that meet at a warp-wide instruction in different places: in different calls of its function, or at several
//! instructions of the same form.
//!
//! A function that shuffles may be called from both sides of a branch, or at different depths of a recursion: its
//! lanes come to the same instruction, but their registers lie in different activations. And the lanes of a mask may
//! execute the same collective at two places, as an H200 lets them. The values that each place's instruction reads are
//! brought together, it runs for all, and what it wrote is carried back.

use smallvec::SmallVec;

use crate::context::{Context, CtaState, Instruction, Run, Worker};
use crate::explain::finding::Limit;
use crate::registers::{self, Bank, Slot, Value};
use crate::schedule::collective::{Meeting, is_one};
use crate::schedule::warp::{Group, State, Warp};
use crate::vector::lanes::Flow;

/// The bytes of the widest register.
const WIDEST: u32 = 512;

/// Runs the first instruction of a block for a group and for all that have been let go to meet it. Gives how many of the
/// block's instructions have been run then, or the number of one that stopped.
pub(crate) fn meet(
    group: &Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
) -> Result<u32, u32> {
    let code = run.code;
    let same = |g: &Group| g.state == State::Released(0) && is_one(g.block, group.block, code);
    let met: Vec<Group> = warp.groups.iter().filter(|g| same(g)).copied().collect();
    let Some(own) = Meeting::of(group.block, code).filter(|_| !met.is_empty()) else { return Ok(0) };
    let all = || met.iter().chain([group]).filter_map(|g| Some((g, Meeting::of(g.block, code)?)));
    for (each, meeting) in all() {
        let start = code.blocks[each.block as usize].start;
        for number in 0..meeting.number {
            let instruction = &code.instructions[(start + number) as usize];
            let bank = warp.bank(each.activation, code);
            let lanes = each.mask & instruction.guard.map_or(u32::MAX, |guard| bank.mask(guard));
            let context = Context { bank, active: each.mask, warp: &mut warp.state, cta, worker, run };
            let at = start + number;
            execute(instruction, &instruction.slots, at, each, context, lanes).map_err(|()| number)?;
        }
    }

    // Each operand has a register of its own in a block that belongs to no activation.
    let slots: SmallVec<[Slot; 5]> = (0u32..)
        .zip(&own.instruction.slots)
        .map(|(n, slot)| Slot { offset: n * WIDEST, flags: slot.flags & !Slot::CONSTANT, ..*slot })
        .collect();
    let (bytes, budget) = (slots.len() as u32 * WIDEST, run.environment.memory.budget());
    let Some(mut block) = registers::Block::of_budget(bytes as usize, budget) else {
        worker.limit = Some(Limit::Memory(budget.refusal(bytes.into())));
        return Err(own.number);
    };
    let mut bank = Bank::new(&mut block, &code.constants);
    let (mut lanes, mut active) = (0, 0);
    for (each, meeting) in all() {
        let from = warp.bank(each.activation, code);
        active |= each.mask;
        lanes |= each.mask & meeting.instruction.guard.map_or(u32::MAX, |guard| from.mask(guard));
        for (to, slot) in slots.iter().zip(&meeting.instruction.slots).filter(|(to, _)| !to.is_sink()) {
            let values = u128::read(&from, Slot { flags: slot.flags & Slot::CONSTANT, ..*slot });
            u128::write(&mut bank, Slot { flags: 0, ..*to }, each.mask, &values);
        }
    }
    let context = Context { bank, active, warp: &mut warp.state, cta, worker, run };
    let at = code.blocks[group.block as usize].start + own.number;
    let ran = execute(own.instruction, &slots, at, group, context, lanes);
    if ran.map_err(|()| own.number)? == Flow::Wait {
        // Each waits for itself, and they meet here again.
        return Ok(own.number);
    }
    for (each, meeting) in all() {
        let mut to = warp.bank(each.activation, code);
        let moved = |slot: &Slot| !slot.is_constant() && !slot.is_sink();
        for (from, slot) in slots.iter().zip(&meeting.instruction.slots).filter(|(_, slot)| moved(slot)) {
            let values = u128::read(&bank, Slot { flags: 0, ..*from });
            u128::write(&mut to, Slot { flags: 0, ..*slot }, each.mask, &values);
        }
    }
    for other in warp.groups.iter_mut().filter(|g| same(g)) {
        let number = Meeting::of(other.block, code).map_or(0, |meeting| meeting.number);
        other.state = State::Released(number + 1);
    }
    Ok(own.number + 1)
}

/// Executes an instruction with these operands in some lanes.
fn execute(
    instruction: &Instruction,
    slots: &[Slot],
    at: u32,
    group: &Group,
    mut context: Context<'_>,
    lanes: u32,
) -> Result<Flow, ()> {
    if lanes == 0 {
        return Ok(Flow::Next);
    }
    let mut flow = instruction.op.run(&mut context, slots, lanes);
    if flow == Flow::Issued {
        flow = context.issued(at, group.activation);
    }
    if flow == Flow::Stop { Err(()) } else { Ok(flow) }
}
