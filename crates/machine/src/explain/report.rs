//! From a fault in the machine to a finding that a person can read.

use ptxvm_ir::{Argument, Base, Callee, FunctionId, OperandKind, RegisterId};

use crate::asynchronous::trouble::Trouble;
use crate::code::Source;
use crate::context::{Run, Worker};
use crate::explain::finding::{Finding, Place, Stop, Thread, Unsupported};
use crate::explain::missed_variable;
use crate::explain::sources::source_lines;
use crate::schedule::interpret::{self, Fault};
use crate::schedule::warp::Warp;

/// Why a warp stopped that met a fault.
pub fn fault(ctaid: [u32; 3], warp: &mut Warp, at: Fault, worker: &mut Worker, run: &Run<'_>) -> Stop {
    let source = interpret::place(run.code, at.at);
    let Some(fault) = worker.fault.take() else {
        let instruction =
            &run.code.program.functions[source.function.0 as usize].instructions[source.instruction as usize];
        let what = worker.unsupported.take().unwrap_or_default();
        return Stop::Unsupported(Unsupported { what, span: instruction.span });
    };
    Stop::Finding(Box::new(finding(ctaid, warp, at, fault, run)))
}

/// The finding of a fault.
pub fn finding(
    ctaid: [u32; 3],
    warp: &mut Warp,
    at: Fault,
    mut fault: crate::context::Fault,
    run: &Run<'_>,
) -> Finding {
    let source = interpret::place(run.code, at.at);
    let thread = thread(ctaid, warp, fault.lane);
    let registers = registers(warp, at.activation, source, fault.lane, run);
    if let Some(missed) = fault.missed {
        let frame = frame(warp, at.activation, source, fault.lane, run);
        fault.notes.extend(missed_variable::sentence(missed, source.function, frame, run));
    }
    let place = place(warp, at.activation, source, run);
    Finding {
        kind: fault.kind,
        message: fault.message,
        notes: fault.notes,
        kernel: kernel(run),
        place: Some(place),
        thread: Some(thread),
        registers,
        survived: fault.survived,
        related: fault.related,
    }
}

/// Where the frame of a function begins in one lane's local memory.
fn frame(warp: &mut Warp, activation: u32, source: Source, lane: usize, run: &Run<'_>) -> u64 {
    let code = run.code.functions.get(source.function.0 as usize).and_then(Option::as_ref);
    code.map_or(0, |code| warp.bank(activation, run.code).lane(code.frame, lane))
}

/// The entry's name.
pub fn kernel(run: &Run<'_>) -> String {
    run.code.program.functions[run.code.entry.0 as usize].name.clone()
}

/// The coordinates of a thread.
pub fn thread(ctaid: [u32; 3], warp: &Warp, lane: usize) -> Thread {
    Thread {
        ctaid,
        tid: [0, 1, 2].map(|d| warp.state.tid[d][lane]),
        warp: warp.state.index,
        lane: lane as u32,
    }
}

/// Where an instruction stands and the calls that led there.
pub fn place(warp: &Warp, activation: u32, source: Source, run: &Run<'_>) -> Place {
    let program = &run.code.program;
    let function = &program.functions[source.function.0 as usize];
    let instruction = &function.instructions[source.instruction as usize];
    let mut calls = Vec::new();
    let mut at = activation;
    while let Some(call) = warp.activations.get(at as usize)
        && let Some(block) = run.code.blocks.get(call.site as usize)
        && calls.len() < 64
    {
        let site = block.source;
        let caller = &program.functions[site.function.0 as usize];
        calls.push((caller.name.clone(), caller.instructions[site.instruction as usize].span));
        at = call.parent;
    }
    let sources = source_lines(program, instruction.location);
    Place { function: function.name.clone(), span: instruction.span, sources, calls }
}

/// The registers that an instruction names, with their values in one lane.
fn registers(
    warp: &mut Warp,
    activation: u32,
    source: Source,
    lane: usize,
    run: &Run<'_>,
) -> Vec<(String, u64)> {
    let program = &run.code.program;
    let function = &program.functions[source.function.0 as usize];
    let instruction = &function.instructions[source.instruction as usize];
    let Some(Some(code)) = run.code.functions.get(source.function.0 as usize) else { return Vec::new() };
    let bank = warp.bank(activation, run.code);
    let operands = function.operands_of(instruction);
    let read = operands.iter().filter(|operand| !operand.written);
    let named = read.flat_map(|operand| match operand.kind {
        OperandKind::Register { register, .. } => vec![register],
        OperandKind::Address { base: Base::Register(register), .. } => vec![register],
        OperandKind::Call(call) => function.calls.get(call as usize).map(passed).unwrap_or_default(),
        _ => Vec::new(),
    });
    let mut found: Vec<(String, u64)> = Vec::new();
    for register in named {
        let Some(slot) = code.registers.get(register.0 as usize) else { continue };
        let name = function.register_names.get(register.0 as usize).cloned().unwrap_or_default();
        if found.iter().all(|(known, _)| *known != name) {
            found.push((name, bank.lane(*slot, lane)));
        }
    }
    found
}

/// The registers that a call reads: the function's address and the arguments.
fn passed(call: &ptxvm_ir::Call) -> Vec<RegisterId> {
    let address = match call.callee {
        Callee::Indirect(register) => Some(register),
        Callee::Direct(_) => None,
    };
    let arguments = call.arguments.iter().filter_map(|argument| match argument {
        Argument::Register(register) => Some(*register),
        _ => None,
    });
    address.into_iter().chain(arguments).collect()
}

/// The finding of something that went wrong after the instruction that it came of, which this warp had executed.
pub fn trouble(ctaid: [u32; 3], warp: &Warp, trouble: Trouble, run: &Run<'_>) -> Stop {
    let Trouble { kind, message, notes, issuer } = trouble;
    let source = interpret::place(run.code, interpret::At::Instruction(issuer.at));
    Stop::Finding(Box::new(Finding {
        kind,
        message,
        notes,
        kernel: kernel(run),
        place: Some(place(warp, issuer.activation, source, run)),
        thread: Some(thread(ctaid, warp, issuer.lanes.trailing_zeros().min(31) as usize)),
        registers: Vec::new(),
        survived: false,
        related: Vec::new(),
    }))
}

/// An instruction's name, for notes.
pub fn text(source: Source, run: &Run<'_>) -> String {
    let program = &run.code.program;
    let FunctionId(function) = source.function;
    let instruction = &program.functions[function as usize].instructions[source.instruction as usize];
    let form = &program.forms[instruction.form.0 as usize];
    let form = ptxvm_ir::operation::Form::new(form, &[]);
    let mut name = form.name().to_string();
    for word in form.modifiers() {
        name.push('.');
        name.push_str(word);
    }
    format!("`{name}`")
}
