//! What a check finds while a kernel goes on: it is noted with the launch's mistakes, each kind once for an instruction.

use ptxvm_ir::{FunctionId, Program};

use crate::code::Source;
use crate::explain::finding::{Finding, Kind, Place, Related, Thread};
use crate::explain::mistake::Mistakes;
use crate::explain::sources::source_lines;

/// What is wrong, in words, and which other instructions belong to it.
#[derive(Clone, Debug, Default)]
pub struct Noted {
    /// One sentence.
    pub message: String,
    /// More sentences.
    pub notes: Vec<String>,
    /// Other instructions, and what was done there.
    pub related: Vec<(Source, String)>,
}

/// Where findings of a launch are noted.
#[derive(Clone, Copy, Debug)]
pub struct NotedIn<'a> {
    /// The program that runs.
    pub program: &'a Program,
    /// Its kernel.
    pub entry: FunctionId,
    /// The mistakes of the launch.
    pub mistakes: &'a Mistakes,
    /// How many are told, at most.
    pub limit: u32,
}

impl NotedIn<'_> {
    /// Notes that a thread has done something wrong at an instruction. It is described the first time only.
    pub fn note(&self, kind: Kind, at: Source, thread: Option<Thread>, describe: impl FnOnce() -> Noted) {
        self.mistakes.note_up_to(self.limit, at, kind, || self.finding(kind, at, thread, describe()));
        self.mistakes.count(at, kind, 1);
    }

    fn finding(&self, kind: Kind, at: Source, thread: Option<Thread>, noted: Noted) -> Finding {
        let Self { program, .. } = self;
        let name = |function: FunctionId| {
            program.functions.get(function.0 as usize).map_or_else(String::new, |f| f.name.clone())
        };
        let instruction = |at: Source| {
            program.functions.get(at.function.0 as usize)?.instructions.get(at.instruction as usize)
        };
        let related = noted.related.into_iter().filter_map(|(other, text)| {
            let instruction = instruction(other)?;
            let sources = source_lines(program, instruction.location);
            Some(Related { span: instruction.span, text, sources })
        });
        let place = instruction(at).map(|instruction| Place {
            function: name(at.function),
            span: instruction.span,
            sources: source_lines(program, instruction.location),
            calls: Vec::new(),
        });
        Finding {
            kind,
            message: noted.message,
            notes: noted.notes,
            kernel: name(self.entry),
            place,
            thread,
            registers: Vec::new(),
            survived: false,
            related: related.collect(),
        }
    }
}
