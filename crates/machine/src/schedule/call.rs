//! Calls and returns: activations, frames in local memory, and the passing of parameters.

use crate::builtin;
use crate::code::{Actual, Call, Callee, Function};
use crate::context::{Context, CtaState, Fault, Run, Worker};
use crate::door::executed::Passed;
use crate::door::values;
use crate::explain::finding::{Kind, Limit};
use crate::registers::{Bank, LANES, Slot, lanes_in};
use crate::schedule::after::After;
use crate::schedule::step::guarded;
use crate::schedule::warp::{Activating, Group, Warp, bank_of, bank_pair};
use crate::vector::lanes::Flow;
use crate::vector::value::Value;
use ptxvm_ir::FunctionId;
use ptxvm_memory::StackOverflow;

/// Ends a block with a call.
pub(crate) fn call(
    site: &Call,
    group: &mut Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
) -> After {
    let bank = warp.bank(group.activation, run.code);
    let mut callers = group.mask & guarded(&bank, site.guard);
    if callers == 0 {
        group.go(site.next);
        return After::Go;
    }
    warp.add(group.of(site.next, group.mask & !callers));
    group.mask = callers;
    let callee = match site.callee {
        Callee::Builtin(which) => {
            let frame = caller_frame(group, warp, run);
            let bank = bank_of(&mut warp.activations, group.activation, run.code);
            let mut context = Context { bank, active: callers, warp: &mut warp.state, cta, worker, run };
            if builtin::run(which, site, &frame, &mut context, callers) == Flow::Stop {
                return After::Fault;
            }
            group.go(site.next);
            return After::Go;
        }
        Callee::Function(function) => function,
        Callee::Address(slot) => {
            let first = callers.trailing_zeros() as usize;
            let bank = warp.bank(group.activation, run.code);
            let address = bank.lane(slot, first);
            let Some(function) = function_at(address, run) else {
                worker.fault =
                    Some(bad_call(first, format!("{address:#x} is not the address of a function"), run));
                return After::Fault;
            };
            // Lanes that call something else stay at the call and come again.
            let same = u64::read(&bank, slot);
            let others = lanes_in(callers)
                .filter(|lane| same[*lane] != address)
                .fold(0, |mask, lane| mask | 1 << lane);
            callers &= !others;
            if others != 0 {
                warp.groups.push(Group { mask: others, ..*group });
            }
            group.mask = callers;
            function
        }
    };
    let Some(Some(function)) = run.code.functions.get(callee.0 as usize) else {
        let name = run.code.program.functions.get(callee.0 as usize).map_or("", |f| f.name.as_str());
        let lane = callers.trailing_zeros() as usize;
        worker.fault = Some(bad_call(lane, format!("function `{name}` has no body here"), run));
        return After::Fault;
    };
    if let Some(message) = mismatch(site, function, &run.code.program.functions[callee.0 as usize]) {
        worker.fault = Some(bad_call(callers.trailing_zeros() as usize, message, run));
        return After::Fault;
    }
    let at = group.block;
    // An open parameter (`rest[]`) lies at the frame's end and is as long as what is passed for it.
    let open = |(actual, formal): (&Actual, &Actual)| match (actual, formal) {
        (Actual::Frame { size, .. }, Actual::Frame { size: 0, .. }) => *size,
        _ => 0,
    };
    let extra = site.arguments.iter().zip(&function.parameters).map(open).sum();
    let frame = reserve(function, extra, warp, callers);
    let frame = match frame {
        Ok(frame) => frame,
        Err((_, error)) if error.refused_by_host => {
            worker.limit = Some(Limit::Memory(run.environment.memory.budget().refusal(error.requested * 32)));
            return After::Fault;
        }
        Err((lane, error)) => {
            let bytes = error.requested;
            let message = format!("a call needs {bytes} bytes of local memory for the thread's stack");
            let limit = warp.state.local.limit();
            let notes = vec![format!("a thread may have {limit} bytes; is a recursion without end?")];
            worker.fault = Some(Fault::new(Kind::StackOverflow, lane, message, notes));
            return After::Fault;
        }
    };
    // The search for an activation to share is a walk through all of them.
    worker.effort += warp.activations.len() as u64 / 8;
    let budget = run.environment.memory.budget();
    let wanted = Activating { function: callee.0, code: function, parent: group.activation, site: at };
    let Some(activation) = warp.activate(&wanted, callers, budget) else {
        worker.limit = Some(Limit::Memory(budget.refusal(u64::from(function.register_bytes))));
        return After::Fault;
    };
    values::begins(warp, (cta, worker, run), (function, activation, callers), &frame.base);
    let caller = caller_frame(group, warp, run);
    let [from, mut to] = bank_pair(&mut warp.activations, [group.activation, activation], run.code);
    for slot in &function.unset {
        to.clear(*slot, callers);
    }
    u64::write(&mut to, function.caller_stack, callers, &frame.before);
    u64::write(&mut to, function.frame, callers, &frame.base);
    let from = Giver { bank: from, frame: &caller };
    let context = Context { bank: to, active: callers, warp: &mut warp.state, cta, worker, run };
    let mut into = Taker { context, frame: &frame.base };
    for (actual, formal) in site.arguments.iter().zip(&function.parameters) {
        pass((&from, *actual), (&mut into, *formal), callers);
        let given = passed(group.activation, *actual, &caller);
        into.context.follow(given, (activation, *formal), &frame.base, callers);
    }
    group.activation = activation;
    group.depth += 1;
    group.go(function.block);
    After::Go
}

/// How a call does not fit its function: what an indirect call passes is not known before it is made.
fn mismatch(site: &Call, function: &Function, described: &ptxvm_ir::Function) -> Option<String> {
    let name = &described.name;
    // Of a direct call the check and the linker have seen to it; a result that the function does not give stays what
    // it was.
    let results = function.returns.len() == site.returns.len() || matches!(site.callee, Callee::Function(_));
    if function.parameters.len() != site.arguments.len() || !results {
        return Some(format!(
            "`{name}` takes {} parameters and gives {} results; the call passes {} and wants {}",
            function.parameters.len(),
            function.returns.len(),
            site.arguments.len(),
            site.returns.len()
        ));
    }
    let prototype = site.prototype.as_ref()?;
    let parameters = described.parameters.iter().zip(&prototype.parameters).map(|pair| ("parameter", pair));
    let returns = described.returns.iter().zip(&prototype.returns).map(|pair| ("result", pair));
    // A parameter of open size takes what it is given.
    let (what, (formal, given)) =
        parameters.chain(returns).find(|(_, (formal, given))| formal.size != 0 && formal.size != **given)?;
    Some(format!(
        "{what} `{}` of `{name}` has {} bytes, the call's prototype says {given}",
        formal.name, formal.size
    ))
}

fn bad_call(lane: usize, message: String, run: &Run<'_>) -> Fault {
    let entries = run.code.functions.iter().flatten().count();
    let notes = vec![format!("the kernel can reach {entries} functions")];
    Fault::new(Kind::BadCall, lane, message, notes)
}

/// The function whose address this is.
fn function_at(address: u64, run: &Run<'_>) -> Option<FunctionId> {
    let number = address.checked_sub(crate::addresses::function_address(FunctionId(0)))? / 16;
    let id = FunctionId(u32::try_from(number).ok()?);
    let entry = run.code.program.functions.get(id.0 as usize)?.entry;
    let known = run.code.functions.get(id.0 as usize)?.is_some();
    (crate::addresses::function_address(id) == address && known && !entry).then_some(id)
}

/// The frame of the group's own activation, lane by lane.
fn caller_frame(group: &Group, warp: &mut Warp, run: &Run<'_>) -> [u64; LANES] {
    let function = warp.activations[group.activation as usize].function as usize;
    let bank = warp.bank(group.activation, run.code);
    match &run.code.functions[function] {
        Some(function) => u64::read(&bank, function.frame),
        None => [0; LANES],
    }
}

/// The frame of a call, lane by lane, and where the stack ended before.
pub(crate) struct Frame {
    pub base: [u64; LANES],
    pub before: [u64; LANES],
}

/// Takes local memory for an activation, with some extra at its end; gives a lane that has not enough, and why.
pub(crate) fn reserve(
    function: &Function,
    extra: u64,
    warp: &mut Warp,
    lanes: u32,
) -> Result<Frame, (usize, StackOverflow)> {
    let before = warp.state.stack;
    let mut base = before;
    for lane in lanes_in(lanes) {
        base[lane] = (before[lane] + function.toll()).next_multiple_of(function.call_align());
        let end = base[lane] + function.frame_bytes + extra;
        warp.state.local.grow_to(end).map_err(|error| (lane, error))?;
        warp.state.stack[lane] = end;
    }
    Ok(Frame { base, before })
}

/// Where parameters come from: registers and frames.
struct Giver<'a> {
    bank: Bank<'a>,
    frame: &'a [u64; LANES],
}

/// Where they go: the registers are those of the context.
struct Taker<'a> {
    context: Context<'a>,
    frame: &'a [u64; LANES],
}

/// Copies a parameter from one side to the other, for some lanes.
fn pass((from, actual): (&Giver<'_>, Actual), (to, formal): (&mut Taker<'_>, Actual), lanes: u32) {
    let context = &mut to.context;
    if let (Actual::Slot(slot), Actual::Slot(into)) = (actual, formal)
        && (1..=8).contains(&slot.width)
        && (1..=8).contains(&into.width)
    {
        if slot.width == 4 && into.width == 4 {
            return u32::write(&mut context.bank, into, lanes, &u32::read(&from.bank, slot));
        }
        return u64::write(&mut context.bank, into, lanes, &u64::read(&from.bank, slot));
    }
    for lane in lanes_in(lanes) {
        let mut bytes = [0; 16];
        match (actual, formal) {
            (Actual::Slot(slot), Actual::Slot(into)) if slot.width == 16 || into.width == 16 => {
                bytes = wide(&from.bank, slot, lane).to_le_bytes();
                set(&mut context.bank, into, lane, u128::from_le_bytes(bytes));
            }
            (Actual::Slot(slot), Actual::Slot(into)) => {
                set(&mut context.bank, into, lane, u128::from(from.bank.lane(slot, lane)));
            }
            (Actual::Slot(slot), Actual::Frame { offset, size }) => {
                bytes = wide(&from.bank, slot, lane).to_le_bytes();
                let size = size.min(16) as usize;
                context.write_frame(lane, to.frame[lane] + offset, &bytes[..size]);
            }
            (Actual::Frame { offset, size }, Actual::Slot(into)) => {
                let size = size.min(16) as usize;
                context.read_frame(lane, from.frame[lane] + offset, &mut bytes[..size]);
                set(&mut context.bank, into, lane, u128::from_le_bytes(bytes));
            }
            (Actual::Frame { offset, size }, Actual::Frame { offset: into, size: room }) => {
                let bytes_passed = if room == 0 { size } else { size.min(room) };
                let mut done = 0;
                while done < bytes_passed {
                    let part = (bytes_passed - done).min(16) as usize;
                    context.read_frame(lane, from.frame[lane] + offset + done, &mut bytes[..part]);
                    context.write_frame(lane, to.frame[lane] + into + done, &bytes[..part]);
                    done += part as u64;
                }
            }
        }
    }
}

/// A parameter as one side has it: in a register of an activation, or in its frame, which begins there. Gives the addresses in
/// the frame too.
fn passed(activation: u32, parameter: Actual, frame: &[u64; LANES]) -> (u32, Actual, [u64; LANES]) {
    let begin = match parameter {
        Actual::Frame { offset, .. } => offset,
        Actual::Slot(_) => 0,
    };
    (activation, parameter, frame.map(|base| base.wrapping_add(begin)))
}

impl Context<'_> {
    /// What is known of a value goes with it.
    fn follow(
        &mut self,
        (from, given, at): (u32, Actual, [u64; LANES]),
        (to, taken): (u32, Actual),
        frame: &[u64; LANES],
        lanes: u32,
    ) {
        if self.run.launch.follower.is_none() {
            return;
        }
        let (_, _, into) = passed(to, taken, frame);
        let place = |activation, parameter: Actual, at| match parameter {
            Actual::Slot(slot) => Passed::Register(activation, slot),
            Actual::Frame { size, .. } => Passed::Local(at, size),
        };
        let both = (place(from, given, &at), place(to, taken, &into));
        values::passes(self.warp, (&*self.cta, &*self.worker, self.run), both, lanes);
    }
}

fn wide(bank: &Bank<'_>, slot: Slot, lane: usize) -> u128 {
    if slot.width == 16 { u128::read(bank, slot)[lane] } else { u128::from(bank.lane(slot, lane)) }
}

fn set(bank: &mut Bank<'_>, slot: Slot, lane: usize, value: u128) {
    if slot.width == 0 {
        bank.set_mask(slot, 1 << lane, if value & 1 != 0 { u32::MAX } else { 0 });
    } else {
        u128::write(bank, slot, 1 << lane, &[value; LANES]);
    }
}

/// Lanes return from a function: results are passed and the frame is given back.
pub(crate) fn ret(
    group: &mut Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
    (gone, next): (u32, u32),
) -> After {
    if gone == 0 {
        group.go(next);
        return After::Go;
    }
    warp.add(group.of(next, group.mask & !gone));
    group.mask = gone;
    let activation = group.activation;
    let from = activation;
    let (parent, site, function) = {
        let activation = &mut warp.activations[from as usize];
        activation.lanes &= !gone;
        (activation.parent, activation.site, activation.function as usize)
    };
    let (Some(Some(function)), Some(block)) =
        (run.code.functions.get(function), run.code.blocks.get(site as usize))
    else {
        return After::Switch;
    };
    let crate::code::Terminator::Call(call) = &block.end_with else { return After::Switch };
    let callee_bank = warp.bank(from, run.code);
    let callee_frame = u64::read(&callee_bank, function.frame);
    let before = u64::read(&callee_bank, function.caller_stack);
    group.activation = parent;
    group.depth = group.depth.saturating_sub(1);
    group.go(call.next);
    let frame = caller_frame(group, warp, run);
    let [bank, into] = bank_pair(&mut warp.activations, [from, parent], run.code);
    let from = Giver { bank, frame: &callee_frame };
    let context = Context { bank: into, active: gone, warp: &mut warp.state, cta, worker, run };
    let mut into = Taker { context, frame: &frame };
    for (formal, actual) in function.returns.iter().zip(&call.returns) {
        pass((&from, *formal), (&mut into, *actual), gone);
        into.context.follow(passed(activation, *formal, &callee_frame), (parent, *actual), &frame, gone);
    }
    for lane in lanes_in(gone) {
        warp.state.stack[lane] = before[lane];
    }
    After::Go
}
