//! What the parts have found, on its way to the launch's mistakes.

use std::sync::Arc;

use ptxvm_ir::{FunctionId, Program};
use ptxvm_machine::code::Source;
use ptxvm_machine::explain::noted::{Noted, NotedIn};
use ptxvm_machine::{Kind, Mistakes, Thread};

/// Where findings of a launch go.
#[derive(Debug)]
pub struct Told {
    pub program: Arc<Program>,
    pub entry: FunctionId,
    pub mistakes: Arc<Mistakes>,
    /// How many are told, at most.
    pub limit: u32,
}

/// Something wrong.
#[derive(Debug)]
pub struct Wrong {
    pub kind: Kind,
    pub at: Source,
    pub thread: Option<Thread>,
    pub message: String,
    pub note: String,
    pub related: Vec<(Source, String)>,
}

impl Told {
    /// Tells all that has been found.
    pub fn tell(&self, found: &mut Vec<Wrong>) {
        let Self { program, entry, mistakes, limit } = self;
        let to = NotedIn { program, entry: *entry, mistakes, limit: *limit };
        for wrong in found.drain(..) {
            let Wrong { kind, at, thread, message, note, related } = wrong;
            to.note(kind, at, thread, || Noted { message, notes: vec![note], related });
        }
    }
}
