//! The weak memory of a launch as the machine sees it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_ir::Program;
use ptxvm_machine::Follower;
use ptxvm_machine::code::Source;
use ptxvm_machine::door::follower::{
    Decision, Doubted, Found, MOST_OLD, OldBytes, OldWord, Ordering, Temper,
};
use ptxvm_machine::door::observer::{Access, HeapChange, Observer, Transferred, Who};
use ptxvm_machine::door::touch::Wants;
use ptxvm_machine::random::splitmix64;
use ptxvm_memory::Budget;
use ptxvm_order::{Manner, OrderQuestion, Shape, Sites};

use crate::memory::Memory;
use crate::stale::StaleReads;

/// The weak memory of one launch. What its reads missed it hands over when it is dropped.
#[derive(Debug)]
pub struct Weak {
    memory: Mutex<Memory>,
    sites: Arc<Sites>,
    stale: Arc<StaleReads>,
    question: Option<Arc<OrderQuestion>>,
    temper: Temper,
}

/// What the seed of a launch chooses for all of it.
fn temper(seed: u64) -> Temper {
    let mut random = seed ^ 0x7e3b_9e12_01a7_e5ed;
    let [late, parts] = std::array::from_fn(|_| splitmix64(&mut random) as usize);
    Temper { late: [0, 8, 32, 96, 160][late % 5], parts: [0, 2, 8, 48, 128][parts % 5] }
}

/// An observer that wants to know nothing: a kernel is linked with it so that every access goes through the weak memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn access(&self, _: &Access<'_>) {}
    fn transfer(&self, _: &Transferred<'_>) {}
    fn heap(&self, _: &HeapChange) {}
}

/// What a launch is made of, as far as its memory is concerned.
#[derive(Clone, Copy, Debug)]
pub struct Launched {
    /// CTAs in each dimension.
    pub grid: [u32; 3],
    /// CTAs of a cluster in each dimension.
    pub cluster: [u32; 3],
    /// Threads of a CTA in each dimension.
    pub block: [u32; 3],
    /// Chooses among what the memory model leaves open.
    pub seed: u64,
    /// Whether reads see older writes; otherwise only what orders memory is followed.
    pub weak: bool,
}

impl Weak {
    /// That of a launch of a program. What it needs of the host's memory is charged to a budget, and the stale reads come
    /// to `stale`.
    #[must_use]
    pub fn new(program: &Program, launched: Launched, budget: &Arc<Budget>, stale: &Arc<StaleReads>) -> Self {
        let Launched { grid, cluster, block, seed, weak } = launched;
        let sites = Arc::new(Sites::of(program));
        let shape = Shape { grid, cluster, block };
        let memory = Memory::new(shape, Arc::clone(&sites), Arc::clone(budget), (seed, weak));
        let temper = if weak && seed != 0 { temper(seed) } else { Temper::default() };
        Self { memory: Mutex::new(memory), sites, stale: Arc::clone(stale), question: None, temper }
    }

    /// The same, and after the launch the answer to a question about the order of two accesses.
    #[must_use]
    pub fn asked(mut self, question: Option<Arc<OrderQuestion>>) -> Self {
        if let Some(question) = &question {
            self.memory().order.watch(question);
            // It is about the last time that an instruction was executed: each has its place.
            self.temper.late = 0;
        }
        self.question = question;
        self
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Weak {
    fn drop(&mut self) {
        let mut memory = self.memory();
        self.stale.add(&mut memory.notes);
        if let (Some(question), Some(answer)) = (&self.question, memory.order.answer()) {
            question.set(answer);
        }
    }
}

impl Follower for Weak {
    fn access(&self, access: &Access<'_>, found: &Found<'_>, old: &mut OldBytes) -> Decision {
        let mut memory = self.memory();
        let actor = memory.order.actor(&access.who, self.sites.id(access.source), access.space);
        if !memory.unwritten.is_empty() {
            memory.take_unwritten(old);
        }
        // In between there is room for a write that comes before the newest.
        memory.order.key += 2;
        let small = access.bytes <= MOST_OLD as u64 && actor.site.manner != Manner::Other;
        let elsewhere = match access.wants {
            Wants::Read if small => memory.read(actor, access, found, old),
            Wants::Write | Wants::Update if small => memory.write(actor, access, found),
            Wants::Write | Wants::Update => {
                for lane in (0..32).filter(|lane| access.who.lanes >> lane & 1 != 0) {
                    memory.forget(access.space, access.who.cluster, access.addresses[lane], access.bytes);
                }
                0
            }
            _ => 0,
        };
        memory.order.accessed(&actor, access.who.lanes);
        Decision { elsewhere, ..Decision::default() }
    }

    fn issued(&self, operation: &Transferred<'_>) {
        self.memory().issue(operation, self.sites.id(operation.source));
    }

    fn reads(&self, operation: &Transferred<'_>) -> Vec<OldWord> {
        self.memory().transfer(operation, self.sites.id(operation.source))
    }

    fn completes(&self, operation: &Transferred<'_>) -> Vec<Doubted> {
        // What asynchronous operations write all threads see at once.
        let mut memory = self.memory();
        for touch in
            operation.touches.iter().filter(|touch| matches!(touch.wants, Wants::Write | Wants::Update))
        {
            memory.forget(touch.space, operation.who.cluster, touch.address, touch.bytes);
        }
        Vec::new()
    }

    fn completed(&self, _: &Transferred<'_>, _: &[Doubted]) {}

    fn touched(&self, access: &Access<'_>) {
        if matches!(access.wants, Wants::Write | Wants::Update) {
            let mut memory = self.memory();
            for lane in (0..32).filter(|lane| access.who.lanes >> lane & 1 != 0) {
                memory.forget(access.space, access.who.cluster, access.addresses[lane], access.bytes);
            }
        }
    }

    fn heap(&self, _: &HeapChange) {}

    fn ordered(&self, who: Who, source: Source, ordering: Ordering) {
        self.memory().order.order(who, self.sites.id(source), ordering);
    }

    fn phase_ended(&self, cluster: u64, mbarrier: u32) {
        self.memory().order.end_phase(cluster, mbarrier);
    }

    fn cluster_ended(&self, cluster: u64) {
        self.memory().end_cluster(cluster);
    }

    fn moment(&self) -> u64 {
        self.memory().order.key
    }

    fn put_off(&self, since: Option<u64>) -> Option<u64> {
        std::mem::replace(&mut self.memory().put_off, since)
    }

    fn temper(&self) -> Temper {
        self.temper
    }
}
