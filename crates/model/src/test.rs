//! A litmus test: a few threads, the memory they share, and a question about how it can end. Front ends make it, the search
//! answers it.

use ptxvm_syntax::ast::Span;

use crate::event::{Place, Proxy, Scope, Semantics};

/// A litmus test.
#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    pub threads: Vec<Thread>,
    /// The virtual addresses, each with the memory location that it maps to.
    pub addresses: Vec<Address>,
    /// The memory locations.
    pub locations: Vec<Location>,
    /// Executions that do not end so are not looked at.
    pub filter: Option<Proposition>,
    pub quantifier: Quantifier,
    pub condition: Proposition,
}

/// A virtual address.
#[derive(Clone, Debug)]
pub struct Address {
    pub name: String,
    pub location: usize,
}

/// A memory location and what W0 writes to it.
#[derive(Clone, Debug)]
pub struct Location {
    pub name: String,
    pub initial: i64,
    /// If it is an mbarrier object: how many arrivals complete a phase.
    pub mbarrier: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub name: String,
    pub place: Place,
    /// The names of its registers, and what they hold at first.
    pub registers: Vec<(String, i64)>,
    pub code: Vec<Instruction>,
}

/// An instruction, or a part of one that the front end has taken apart.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub action: Action,
    /// The asynchronous operation that it is part of, if any.
    pub asynchronous: Option<Asynchronous>,
    pub span: Span,
}

/// An asynchronous operation (8.9.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asynchronous {
    /// Its number within the thread.
    pub number: usize,
    /// Which instruction waits for it.
    pub engine: Engine,
}

/// What performs asynchronous operations, and so which instruction waits for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// `cp.async`
    Copy,
    /// `cp.async.bulk` and the like
    Bulk,
    /// `tcgen05.commit`
    Tensor,
}

/// A register of the thread by its number, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    Register(usize),
    Constant(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Add,
    Sub,
    Mul,
    Div,
    And,
    Or,
    Xor,
    Min,
    Max,
    /// The second operand, for `exch`.
    Second,
    /// The first, shifted left by the second.
    Shl,
    /// The first with the bits above so many cut off, and the last of those as its sign.
    SignExtend,
    /// One if the comparison holds, else zero.
    Compare(Comparison),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// How an access takes part in synchronization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    pub semantics: Semantics,
    pub scope: Scope,
    pub proxy: Proxy,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Compute {
        to: usize,
        function: Function,
        left: Operand,
        right: Operand,
    },
    /// Goes on at another instruction if the comparison holds.
    Branch {
        comparison: Comparison,
        left: Operand,
        right: Operand,
        target: usize,
    },
    /// A read, of several locations if it has a vector type (8.2.4).
    Load {
        to: Vec<usize>,
        addresses: Vec<usize>,
        manner: Manner,
    },
    Store {
        addresses: Vec<usize>,
        values: Vec<Operand>,
        manner: Manner,
    },
    /// `atom`, or `red` if nothing takes the old value.
    Atomic {
        to: Option<usize>,
        address: usize,
        update: Update,
        manner: Manner,
    },
    Fence {
        semantics: Semantics,
        scope: Scope,
    },
    ProxyFence(Proxy),
    AliasFence,
    /// `tcgen05.fence::before_thread_sync`, and waits that order what came before.
    TensorBefore,
    /// `tcgen05.fence::after_thread_sync`
    TensorAfter,
    /// Waits for all asynchronous operations that the thread has started.
    Await(Engine),
    Barrier(Barrier),
}

/// What an atomic operation does with the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    Function(Function, Operand),
    /// `cas`: writes the second if the old value is the first.
    CompareAndSwap(Operand, Operand),
}

/// Part of an execution barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// Whether it belongs to the cluster, not to the CTA.
    pub cluster: bool,
    /// A number that the text gives to tell barriers apart.
    pub instance: i64,
    /// The barrier resource.
    pub resource: Operand,
    /// How many threads meet; all that name the barrier if it is left out.
    pub count: Option<Operand>,
    pub arrives: bool,
    pub waits: bool,
    /// Whether memory is ordered too (`barrier.cluster.arrive.relaxed` does not).
    pub orders: bool,
}

/// What is asked about the states that executions end in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Exists,
    NotExists,
    Forall,
}

impl Quantifier {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        }
    }
}

/// Something that can be observed in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observable {
    Register {
        thread: usize,
        register: usize,
    },
    /// A memory location.
    Memory(usize),
}

/// One side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    Observed(Observable),
    Constant(i64),
}

/// What a final state must be like.
#[derive(Clone, Debug)]
pub enum Proposition {
    Compare(Comparison, Term, Term),
    Not(Box<Proposition>),
    And(Box<Proposition>, Box<Proposition>),
    Or(Box<Proposition>, Box<Proposition>),
}

impl Proposition {
    /// Whether it holds where observables have these values.
    pub fn holds(&self, value: &dyn Fn(Observable) -> i64) -> bool {
        let term = |term: &Term| match term {
            Term::Observed(observable) => value(*observable),
            Term::Constant(constant) => *constant,
        };
        match self {
            Proposition::Compare(comparison, a, b) => comparison.holds(term(a), term(b)),
            Proposition::Not(inner) => !inner.holds(value),
            Proposition::And(a, b) => a.holds(value) && b.holds(value),
            Proposition::Or(a, b) => a.holds(value) || b.holds(value),
        }
    }

    /// Adds what it observes to a list, each once.
    pub fn observes(&self, list: &mut Vec<Observable>) {
        match self {
            Proposition::Compare(_, a, b) => {
                for term in [a, b] {
                    if let Term::Observed(observable) = term
                        && !list.contains(observable)
                    {
                        list.push(*observable);
                    }
                }
            }
            Proposition::Not(inner) => inner.observes(list),
            Proposition::And(a, b) | Proposition::Or(a, b) => {
                a.observes(list);
                b.observes(list);
            }
        }
    }
}

impl Comparison {
    #[must_use]
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
            Comparison::Less => a < b,
            Comparison::LessOrEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterOrEqual => a >= b,
        }
    }
}

impl Function {
    #[must_use]
    pub fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Function::Add => a.wrapping_add(b),
            Function::Sub => a.wrapping_sub(b),
            Function::Mul => a.wrapping_mul(b),
            // The manual leaves division by zero open; the hardware gives all ones.
            Function::Div => a.checked_div(b).unwrap_or(-1),
            Function::And => a & b,
            Function::Or => a | b,
            Function::Xor => a ^ b,
            Function::Min => a.min(b),
            Function::Max => a.max(b),
            Function::Second => b,
            Function::Shl => u32::try_from(b).ok().and_then(|b| a.checked_shl(b)).unwrap_or(0),
            Function::SignExtend => {
                let unused = u32::try_from(64 - b).unwrap_or(0).min(63);
                a << unused >> unused
            }
            Function::Compare(comparison) => i64::from(comparison.holds(a, b)),
        }
    }
}

impl Test {
    /// What the filter and the condition observe, in the order of the text.
    #[must_use]
    pub fn observables(&self) -> Vec<Observable> {
        let mut list = Vec::new();
        self.condition.observes(&mut list);
        if let Some(filter) = &self.filter {
            filter.observes(&mut list);
        }
        list
    }

    /// How people name an observable: `P0:r1`, `x`.
    #[must_use]
    pub fn observable_name(&self, observable: Observable) -> String {
        match observable {
            Observable::Register { thread, register } => {
                let thread = &self.threads[thread];
                format!("{}:{}", thread.name, thread.registers[register].0)
            }
            Observable::Memory(location) => self.locations[location].name.clone(),
        }
    }
}
