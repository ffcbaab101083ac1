//! Control: branches, calls and ends of threads (the manual's 9.7.12), and the barriers of a CTA (9.7.13.1), at which a
//! thread may stop.

use super::form::Form;

/// An instruction after which a thread does not simply go on with the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// `bra`
    Branch {
        /// `.uni`: all lanes go the same way, says the program.
        uniform: bool,
    },
    /// `brx.idx`; the operand with the index.
    Index {
        /// Which source has the index.
        index: usize,
    },
    /// `call`
    Call,
    /// `ret`
    Return,
    /// `exit`
    Exit,
    /// `bar`, `barrier`
    Barrier(Barrier),
}

/// A `bar` or `barrier` instruction. Its operands are named by their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// Which barrier.
    pub barrier: Option<usize>,
    /// How many threads take part; without, all of the CTA.
    pub count: Option<usize>,
    /// Whether the threads wait.
    pub waits: bool,
    /// `.red`: how the predicate of each thread is combined.
    pub reduction: Option<Reduction>,
    /// `.aligned`: all threads of the warp execute it together.
    pub aligned: bool,
}

/// The reduction of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// How it combines.
    pub function: BarrierReduction,
    /// The destination.
    pub destination: usize,
    /// The predicate.
    pub predicate: usize,
}

/// How `barrier.red` combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierReduction {
    /// How many predicates hold.
    Popc,
    /// Whether all hold.
    And,
    /// Whether one holds.
    Or,
}

impl BarrierReduction {
    /// The name in PTX, without the dot.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Popc => "popc",
            Self::And => "and",
            Self::Or => "or",
        }
    }
}

pub(super) fn decode(form: &Form<'_>) -> Option<Control> {
    Some(match form.opcode() {
        "bra" => Control::Branch { uniform: form.has("uni") },
        "brx" => Control::Index { index: form.position("index").unwrap_or(0) },
        "call" => Control::Call,
        "ret" => Control::Return,
        "exit" => Control::Exit,
        "bar" | "barrier" => Control::Barrier(barrier(form)),
        _ => return None,
    })
}

fn barrier(form: &Form<'_>) -> Barrier {
    let function = if form.says("popc") {
        BarrierReduction::Popc
    } else if form.says("and") {
        BarrierReduction::And
    } else {
        BarrierReduction::Or
    };
    let reduction = match (form.position("d"), form.position("c")) {
        (Some(destination), Some(predicate)) => Some(Reduction { function, destination, predicate }),
        _ => None,
    };
    Barrier {
        barrier: form.position("a"),
        count: form.position("b"),
        waits: !form.says("arrive"),
        reduction,
        // `bar` is `barrier.aligned`.
        aligned: form.opcode() == "bar" || form.says("aligned"),
    }
}
