//! From a region of a kernel to a function in LLVM IR.
//!
//! Inside of a block values have names. Between blocks they live in homes, which are stack slots that LLVM turns into
//! registers. When the function is left, what is live goes back to the registers of the activation, where the
//! interpreter finds it.
//!
//! The function runs warps of a CTA one after another, as long as each of them ends or comes to the same barrier. What
//! is the same for all of them is loaded once, before the first.

mod access;
mod ahead;
mod alone;
mod ask;
mod atomic;
mod block;
mod bounds;
mod call;
mod change;
mod compute;
mod control;
mod dirty;
mod entrance;
mod execute;
mod function;
mod gather;
mod home;
mod index;
mod lane_by_lane;
mod late;
mod leave;
mod local;
mod memory;
mod nan;
mod once;
mod one_way;
mod ones;
mod registers;
mod repeated;
mod shared;
mod side_by_side;
mod site;
mod special;
mod text;
mod unlooked;
mod unrolled;
mod value;
mod warp;
mod weigh;
mod window;
mod words;
mod writer;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use ptxvm_ir::FunctionId;
use ptxvm_machine::registers::Slot;
use ptxvm_machine::schedule::compiled::Left;

use crate::alone::{Alone, alone};
use crate::analysis::{Analysis, HomeId, Products, is_in};
use crate::callee::{Callee, Callees};
use crate::region::Region;
use crate::together::Together;
use crate::tuning::GoAlone;
use access::Place;
use dirty::{Changes, Dirty};
use repeated::Repeated;
pub use repeated::Uses;
pub use text::Text;
use unlooked::Unlooked;
use value::Value;
use writer::{LANES, Name, Writer};

/// The name of the function that begins with a block.
pub fn name(block: u32) -> String {
    format!("from_{block}")
}

/// Where the registers of the activation begin that was entered.
const REGISTERS: &str = "%registers";

/// What the functions of a module have in common.
#[derive(Default)]
pub struct Common {
    /// How many places access global memory, or begin a stretch through which lanes may go alone.
    pub sites: u32,
    /// How many instructions have been written out for each warp.
    pub unrolled: u64,
    pub repeated: Repeated,
}

/// Writes the function of a region; `None` if that cannot be done.
pub fn region(
    analysis: &Analysis<'_>,
    region: &Region,
    callees: &Callees,
    go_alone: GoAlone,
    common: &mut Common,
) -> Option<Text> {
    let sites = common.sites;
    let mut emitter = Emitter::new(analysis, region, callees, common);
    emitter.alones = alone(analysis, region, go_alone).into_iter().map(Rc::new).collect();
    emitter.twice = emitter.pays_one_way();
    emitter.write_region();
    if emitter.executes && !emitter.failed {
        // Once more, knowing which registers the interpreter finds where they are.
        let through = dirty::through(&emitter.changes);
        emitter.changes.values_mut().for_each(|changes| changes.write_through(&through));
        let dirty_at = dirty::at_beginnings(analysis.code, region, &emitter.changes);
        common.sites = sites;
        emitter = Emitter { through, dirty_at, ..Emitter::new(analysis, region, callees, common) };
        emitter.write_region();
    }
    if emitter.failed {
        return None;
    }
    if !emitter.is_unrolled() {
        return Some(emitter.finish());
    }
    let usual = emitter.finish_usual();
    let mut one = Emitter { one: true, ..Emitter::new(analysis, region, callees, common) };
    one.write_region();
    if one.failed {
        return None;
    }
    let one = one.finish_one();
    let mut all = Emitter::new(analysis, region, callees, common);
    all.write_all();
    Some(usual.and(one).and(all.finish()))
}

/// Writes a function that others call, of which the region is all; `None` if that cannot be done, or the interpreter would
/// have to execute something of it.
pub fn function(
    analysis: &Analysis<'_>,
    region: &Region,
    id: FunctionId,
    callees: &Callees,
    common: &mut Common,
) -> Option<(Text, Callee)> {
    let sites = common.sites;
    let mut emitter = Emitter::new(analysis, region, callees, common);
    emitter.called = Some(id);
    emitter.enter_called();
    emitter.write_blocks();
    emitter.all_returned();
    let callee = emitter.described();
    if emitter.failed || emitter.executes || emitter.ends_elsewhere || callee.is_none() {
        emitter.common.sites = sites;
        return None;
    }
    emitter.finish_called(id).zip(callee)
}

impl<'a> Emitter<'a> {
    fn new(
        analysis: &'a Analysis<'a>,
        region: &'a Region,
        callees: &'a Callees,
        common: &'a mut Common,
    ) -> Self {
        Self {
            analysis,
            region,
            callees,
            called: None,
            one: false,
            calls: BTreeSet::new(),
            inlined: 0,
            registers: String::new(),
            at_end: false,
            alones: Vec::new(),
            alone: None,
            one_way: false,
            twice: false,
            decided: BTreeSet::new(),
            turns: BTreeMap::new(),
            executes: false,
            executing: false,
            entering: false,
            uses_local: false,
            dirty_at: BTreeMap::new(),
            through: BTreeSet::new(),
            dirty: None,
            dirty_when_left: Some(BTreeSet::new()),
            leaving: None,
            changes: BTreeMap::new(),
            ends_elsewhere: false,
            writer: Writer::new(analysis.tuning.avx512),
            common,
            repeated: Uses::new(),
            slots: BTreeMap::new(),
            prologue: Vec::new(),
            known: BTreeSet::new(),
            cta_prologue: Vec::new(),
            block: region.entry,
            at: 0,
            mask: String::new(),
            log: Vec::new(),
            log_before: 0,
            current: HashMap::new(),
            held: HashMap::new(),
            together: Together::default(),
            places: HashMap::new(),
            sites: BTreeMap::new(),
            unlooked: Vec::new(),
            looked_at: HashMap::new(),
            leaves: Vec::new(),
            leaves_at: BTreeMap::new(),
            waits: region.waiting.values().flatten().copied().collect(),
            chain: BTreeMap::new(),
            instructions: BTreeMap::new(),
            ends_some: false,
            followers: BTreeSet::new(),
            products: Products::default(),
            free: BTreeSet::new(),
            failed: false,
        }
    }
}

/// A way out of a block before one of its instructions.
struct Leave {
    /// The basic block that it comes from.
    from: Name,
    /// The instruction of the code.
    at: u32,
    /// How many values the block has written before.
    written: usize,
    left: Left,
}

/// A value that an instruction of a block has written.
struct Written {
    slot: Slot,
    value: Value,
    home: Option<HomeId>,
}

impl Written {
    /// Whether it went to one of some registers.
    fn slot_is_live(&self, analysis: &Analysis<'_>, live: &[u64]) -> bool {
        let carry = analysis.carry.is_some_and(|carry| carry.offset() == self.slot.offset());
        carry || analysis.register(self.slot).is_some_and(|register| is_in(live, register))
    }
}

struct Emitter<'a> {
    analysis: &'a Analysis<'a>,
    region: &'a Region,
    writer: Writer,
    common: &'a mut Common,
    /// What it shares with other functions.
    repeated: Uses,
    /// The stack slots of the function, with their types.
    slots: BTreeMap<Name, String>,
    /// What is done once, before the first warp, and the values that it has.
    prologue: Vec<String>,
    known: BTreeSet<Name>,
    /// What is done once for each CTA.
    cta_prologue: Vec<String>,
    /// The block that is being written, and the instruction of the code.
    block: u32,
    at: u32,
    /// The lanes that run it.
    mask: Name,
    /// What the block has written so far.
    log: Vec<Written>,
    /// How much of it was there when the way out began that instructions share just now.
    log_before: usize,
    /// By slot: its last entry in the log.
    current: HashMap<u32, usize>,
    /// By slot: what it held when the block began, as far as somebody has asked.
    held: HashMap<u32, Value>,
    /// The accesses of the block that are checked together, and by group where the first of it has been found to lie.
    together: Together,
    places: HashMap<usize, Place>,
    /// The places of accesses that are alike.
    sites: BTreeMap<access::Alike, u32>,
    /// The results of the block that nobody has looked at, and by the name of each of the others the one that it has since.
    unlooked: Vec<Unlooked>,
    looked_at: HashMap<Name, Name>,
    /// Where the block is left before an instruction.
    leaves: Vec<Leave>,
    /// By block outside of the region, or head of a loop: who may wait when lanes leave at its beginning.
    leaves_at: BTreeMap<u32, BTreeSet<u32>>,
    /// The blocks at which lanes may wait.
    waits: BTreeSet<u32>,
    /// By block that is looked at for lanes which wait: the later ones at which some may wait too.
    chain: BTreeMap<u32, BTreeSet<u32>>,
    /// By instruction of the function: whether the code executes it itself, and does not call the interpreter.
    instructions: BTreeMap<u32, bool>,
    /// The functions that it can call.
    callees: &'a Callees,
    /// Those that it does call.
    calls: BTreeSet<FunctionId>,
    /// The instructions of those that are written where they are called.
    inlined: u64,
    /// The function that it is, if others call it.
    called: Option<FunctionId>,
    /// Whether it is for one warp, of which whoever calls it gives the number.
    one: bool,
    /// Where the registers of its activation begin; empty where it has none.
    registers: Name,
    /// Whether the end of the block is being written.
    at_end: bool,
    /// The stretches through which lanes may go alone, and the one that is being written for one lane.
    alones: Vec<Rc<Alone>>,
    alone: Option<Rc<Alone>>,
    /// Whether what is being written is for warps of which all lanes go one way.
    one_way: bool,
    /// Whether the region is written once more for them.
    twice: bool,
    /// The blocks at which it is decided whether all lanes go one way.
    decided: BTreeSet<u32>,
    /// By the first block of each: the place of its turns.
    turns: BTreeMap<u32, u32>,
    /// Whether the interpreter executes an instruction of it.
    executes: bool,
    /// Whether the results of such an instruction are being fetched.
    executing: bool,
    /// Whether what a warp enters with is being found.
    entering: bool,
    /// Whether it accesses local memory.
    uses_local: bool,
    /// By block: the registers that may differ from the activation's when it begins; of one that is not there, all.
    dirty_at: BTreeMap<u32, BTreeSet<u32>>,
    /// Those that may just now, those that may at one of the ways out of the block so far, and those that may on the way out
    /// that is being written.
    dirty: Dirty,
    dirty_when_left: Dirty,
    leaving: Dirty,
    /// Those that go to the activation as soon as they are written.
    through: BTreeSet<u32>,
    /// By block: what it does to them.
    changes: BTreeMap<u32, Changes>,
    /// Whether it is left at the end of a block that only the schedule can end.
    ends_elsewhere: bool,
    /// Whether the frame is told of lanes that end while others of their warp go on.
    ends_some: bool,
    /// The blocks with which the code goes on where warps have met.
    followers: BTreeSet<u32>,
    /// The products of a warpgroup that there may be, and the slots of their registers that have been waited for.
    products: Products,
    free: BTreeSet<u32>,
    /// Something was not as the analysis says: then there is no code.
    failed: bool,
}

impl Emitter<'_> {
    /// Writes a function that the schedule enters.
    fn write_region(&mut self) {
        self.registers = REGISTERS.to_owned();
        self.enter();
        self.write_blocks();
        self.next_warp();
    }

    /// Writes all blocks, and what leads from one to another or out of the function.
    fn write_blocks(&mut self) {
        for block in self.region.waiting.keys() {
            self.block(*block);
        }
        if self.twice {
            self.write_one_way();
        }
        for alone in self.alones.clone() {
            self.write_alone(&alone);
        }
        self.write_chain();
        self.leave_at_beginnings();
    }

    /// Notes whether the code executes an instruction itself; of the parts that the linker has made of one, all must be.
    fn note(&mut self, instruction: u32, itself: bool) {
        *self.instructions.entry(instruction).or_insert(true) &= itself;
    }

    /// A pointer into the frame.
    fn frame(&mut self, at: usize) -> Name {
        self.writer.value(format!("getelementptr i8, ptr %frame, i64 {at}"))
    }

    /// A mask of lanes as a vector of predicates.
    fn bits_of(&mut self, word: &str) -> Name {
        self.writer.value(format!("bitcast i32 {word} to <{LANES} x i1>"))
    }

    /// A vector of predicates as a mask of lanes.
    fn word_of(&mut self, predicates: &str) -> Name {
        self.writer.value(format!("bitcast <{LANES} x i1> {predicates} to i32"))
    }

    /// A stack slot of the function.
    fn slot(&mut self, name: impl Into<Name>, ty: impl Into<String>) {
        self.slots.insert(name.into(), ty.into());
    }
}
