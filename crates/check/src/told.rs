//! How checkers tell what they find at an instruction: as mistakes after which the kernel goes on, up to a limit.

use std::sync::Arc;

use ptxvm_ir::{Base, Function, Instruction, OperandKind, Program};
use ptxvm_machine::code::Source;
use ptxvm_machine::door::observer::Who;
use ptxvm_machine::explain::source_lines;
use ptxvm_machine::{Finding, Kernel, Kind, Mistakes, Place, Related, Thread};
use rustc_hash::FxHashSet;

/// Whom a checker tells what it has found.
#[derive(Debug)]
pub struct Told {
    pub kernel: Arc<Kernel>,
    /// The threads of a CTA in each dimension.
    block: [u32; 3],
    mistakes: Arc<Mistakes>,
    /// How many instructions are told of, at most.
    limit: usize,
    told: FxHashSet<Source>,
}

/// A launch that is checked.
#[derive(Clone, Debug)]
pub struct CheckedLaunch {
    /// The threads of a CTA in each dimension.
    pub block: [u32; 3],
    /// The dynamic shared memory of a CTA.
    pub shared: u32,
    /// How many instructions are told of, at most.
    pub limit: usize,
    /// What is found comes here.
    pub mistakes: Arc<Mistakes>,
}

/// What is said of a mistake, besides who made it and where.
#[derive(Debug, Default)]
pub struct Words {
    pub message: String,
    pub notes: Vec<String>,
    pub related: Vec<Related>,
}

impl Told {
    pub fn new(kernel: &Arc<Kernel>, launch: &CheckedLaunch) -> Self {
        let CheckedLaunch { block, limit, ref mistakes, .. } = *launch;
        let (kernel, mistakes) = (Arc::clone(kernel), Arc::clone(mistakes));
        Self { kernel, block, mistakes, limit, told: FxHashSet::default() }
    }

    /// A lane has made a mistake by an instruction; what is said of it is made for the first one.
    #[cold]
    pub fn tell(
        &mut self,
        kind: Kind,
        (who, lane): (&Who, usize),
        source: Source,
        words: impl FnOnce(&Kernel) -> Words,
    ) {
        if !self.told.contains(&source) && self.told.len() >= self.limit {
            return self.mistakes.leave_out();
        }
        self.told.insert(source);
        self.mistakes.note(source, kind, || {
            let program = self.kernel.program();
            let (function, instruction) = place(program, source);
            let Words { message, notes, related } = words(&self.kernel);
            Finding {
                kind,
                message,
                notes,
                kernel: program.functions[self.kernel.entry().0 as usize].name.clone(),
                place: Some(Place {
                    function: function.name.clone(),
                    span: instruction.span,
                    sources: source_lines(program, instruction.location),
                    calls: Vec::new(),
                }),
                thread: Some(thread(who, lane, self.block)),
                registers: Vec::new(),
                survived: true,
                related,
            }
        });
        self.mistakes.count(source, kind, 1);
    }
}

/// The function and the instruction of a place in a program.
pub fn place(program: &Program, source: Source) -> (&Function, &Instruction) {
    let function = &program.functions[source.function.0 as usize];
    (function, &function.instructions[source.instruction as usize])
}

/// An instruction as another place of a finding.
pub fn related(program: &Program, source: Source, text: String) -> Related {
    let (_, instruction) = place(program, source);
    Related { span: instruction.span, text, sources: source_lines(program, instruction.location) }
}

/// The name of a register that an operand has, by the operand's number among the slots: destinations are counted first.
pub fn register_name<'a>(function: &'a Function, instruction: &Instruction, index: usize) -> Option<&'a str> {
    let operands = function.operands_of(instruction);
    let written = operands.iter().filter(|operand| operand.written);
    let read = operands.iter().filter(|operand| !operand.written);
    let register = match written.chain(read).nth(index)?.kind {
        OperandKind::Register { register, .. } => register,
        OperandKind::Address { base: Base::Register(register), .. } => register,
        _ => return None,
    };
    function.register_names.get(register.0 as usize).map(String::as_str)
}

/// The coordinates of a lane's thread.
pub fn thread(who: &Who, lane: usize, block: [u32; 3]) -> Thread {
    let linear = who.warp * 32 + lane as u32;
    let [x, y] = [block[0].max(1), block[1].max(1)];
    Thread {
        ctaid: who.ctaid,
        tid: [linear % x, linear / x % y, linear / x / y],
        warp: who.warp,
        lane: lane as u32,
    }
}
