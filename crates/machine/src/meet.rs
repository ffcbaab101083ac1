//! Lanes that meet at one warp-wide instruction in different calls of its function.
//!
//! A function that shuffles may be called from both sides of a branch, or at different depths of a recursion: its
//! lanes come to the same instruction, but their registers lie in different activations. The values that the
//! instruction reads are brought into one of them, it runs for all, and what it wrote is carried back.

use crate::code::Instruction;
use crate::context::{Context, CtaState, Run, Worker};
use crate::lanes::Flow;
use crate::registers::{Bank, LANES, Slot, Value};
use crate::warp::{Group, State, Warp};

/// Runs the first instruction of a block for a group and for all that have been let go at the same place. Gives how
/// many of the block's instructions have been run then, or the number of one that stopped.
pub(crate) fn meet(
    group: &Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
) -> Result<u32, u32> {
    let same = |g: &Group| g.block == group.block && g.state == State::Released(0);
    let partners: Vec<Group> = warp.groups.iter().filter(|g| same(g)).copied().collect();
    if partners.is_empty() {
        return Ok(0);
    }
    let block = &run.code.blocks[group.block as usize];
    let instructions = &run.code.instructions[block.start as usize..block.end as usize];
    // What the linker has put before the instruction, each lane does for itself.
    let Some(own) = instructions.iter().position(|i| i.class.is_some()) else { return Ok(0) };
    for number in 0..own {
        for each in partners.iter().chain([group]) {
            let bank = warp.bank(each.activation, run.code);
            let context = Context { bank, active: each.mask, warp: &mut warp.state, cta, worker, run };
            let at = block.start + number as u32;
            execute(&instructions[number], at, each, context, each.mask).map_err(|()| number as u32)?;
        }
    }

    let host = warp.bank(group.activation, run.code);
    let shared = &instructions[own];
    let slots: Vec<Slot> = shared.slots.iter().chain(&shared.guard).filter_map(|slot| plain(*slot)).collect();
    let guests: Vec<(Bank, u32)> =
        partners.iter().map(|guest| (warp.bank(guest.activation, run.code), guest.mask)).collect();
    let lanes = guests.iter().fold(0, |lanes, (_, mask)| lanes | mask);
    let before: Vec<[u128; LANES]> = slots.iter().map(|slot| u128::read(&host, *slot)).collect();
    let mut bank = host;
    for (guest, mask) in &guests {
        slots.iter().for_each(|slot| u128::write(&mut bank, *slot, *mask, &u128::read(guest, *slot)));
    }
    let all = group.mask | lanes;
    let context = Context { bank, active: all, warp: &mut warp.state, cta, worker, run };
    let ran = execute(shared, block.start + own as u32, group, context, all);
    for (guest, mask) in guests {
        let mut guest = guest;
        slots.iter().for_each(|slot| u128::write(&mut guest, *slot, mask, &u128::read(&host, *slot)));
    }
    for (slot, values) in slots.iter().zip(&before) {
        u128::write(&mut bank, *slot, lanes, values);
    }
    if ran.map_err(|()| own as u32)? == Flow::Wait {
        // Each waits for itself, and they meet here again.
        return Ok(own as u32);
    }

    let done = own as u32 + 1;
    for other in warp.groups.iter_mut().filter(|g| same(g)) {
        other.state = State::Released(done);
    }
    Ok(done)
}

/// A register of the activation, to be moved as it is.
fn plain(slot: Slot) -> Option<Slot> {
    let moved = !slot.is_constant() && !slot.is_sink();
    moved.then_some(Slot { flags: 0, ..slot })
}

fn execute(
    instruction: &Instruction,
    at: u32,
    group: &Group,
    mut context: Context<'_>,
    lanes: u32,
) -> Result<Flow, ()> {
    let mask = lanes & instruction.guard.map_or(u32::MAX, |guard| context.bank.mask(guard));
    if mask == 0 {
        return Ok(Flow::Next);
    }
    let mut flow = instruction.op.run(&mut context, &instruction.slots, mask);
    if flow == Flow::Issued {
        flow = context.issued(at, group.activation);
    }
    if flow == Flow::Stop { Err(()) } else { Ok(flow) }
}
