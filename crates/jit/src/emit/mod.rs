//! From a region of a kernel to a function in LLVM IR.
//!
//! Inside of a block values have names. Between blocks they live in homes, which are stack slots that LLVM turns into
//! registers. When the function is left, what is live goes back to the registers of the activation, where the
//! interpreter finds it.

mod block;
mod compute;
mod control;
mod leave;
mod memory;
mod nan;
mod special;
mod value;
mod writer;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use ptxvm_machine::registers::Slot;
use ptxvm_machine::schedule::compiled::{Left, offset};

use crate::analysis::{Analysis, HomeId, Shape, is_in};
use crate::region::Region;
use value::{Kept, Value};
use writer::{LANES, Name, Writer};

/// A function in LLVM IR.
pub struct Text {
    /// Its definition.
    pub definition: String,
    /// The declarations that it needs.
    pub declarations: BTreeSet<String>,
}

/// The name of the function that begins with a block.
pub fn name(block: u32) -> String {
    format!("from_{block}")
}

/// Writes the function of a region; `None` if that cannot be done. `sites` counts the places that access global memory.
pub fn region(analysis: &Analysis<'_>, region: &Region, sites: &mut u32) -> Option<Text> {
    let mut emitter = Emitter {
        analysis,
        region,
        writer: Writer::default(),
        sites,
        slots: BTreeMap::new(),
        block: region.entry,
        at: 0,
        mask: String::new(),
        log: Vec::new(),
        current: HashMap::new(),
        held: HashMap::new(),
        leaves: Vec::new(),
        leaves_at: BTreeMap::new(),
        waits: region.waiting.values().flatten().copied().collect(),
        failed: false,
    };
    emitter.enter();
    for block in region.waiting.keys() {
        emitter.block(*block);
    }
    emitter.chain();
    emitter.leave_at_beginnings();
    (!emitter.failed).then(|| emitter.finish())
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
    sites: &'a mut u32,
    /// The stack slots of the function, with their types.
    slots: BTreeMap<Name, String>,
    /// The block that is being written, and the instruction of the code.
    block: u32,
    at: u32,
    /// The lanes that run it.
    mask: Name,
    /// What the block has written so far.
    log: Vec<Written>,
    /// By slot: its last entry in the log.
    current: HashMap<u32, usize>,
    /// By slot: what it held when the block began, as far as somebody has asked.
    held: HashMap<u32, Value>,
    /// Where the block is left before an instruction.
    leaves: Vec<Leave>,
    /// By block outside of the region, or head of a loop: who may wait when lanes leave at its beginning.
    leaves_at: BTreeMap<u32, BTreeSet<u32>>,
    /// The blocks at which lanes may wait.
    waits: BTreeSet<u32>,
    /// Something was not as the analysis says: then there is no code.
    failed: bool,
}

impl Emitter<'_> {
    /// The beginning of the function: finds the registers that are live, and puts them into their homes.
    fn enter(&mut self) {
        let entry = self.region.entry;
        let mask = self.frame_value("i32", offset::MASK);
        self.slot("%mask", "i32");
        self.writer.line(format!("store i32 {mask}, ptr %mask"));
        let fuel = self.frame_value("i64", offset::FUEL);
        self.slot("%fuel", "i64");
        self.writer.line(format!("store i64 {fuel}, ptr %fuel"));
        let registers = self.frame_value("ptr", offset::REGISTERS);
        self.writer.line(format!("store ptr {registers}, ptr %registers"));
        self.slot("%registers", "ptr");
        let shared = self.frame_value("ptr", offset::SHARED);
        self.writer.line(format!("store ptr {shared}, ptr %shared"));
        self.slot("%shared", "ptr");
        for (name, from) in [("%shared_first", offset::SHARED_FIRST), ("%shared_size", offset::SHARED_SIZE)] {
            let number = self.frame_value("i64", from);
            self.writer.line(format!("store i64 {number}, ptr {name}"));
            self.slot(name, "i64");
        }
        self.writer.declare("declare i32 @llvm.cttz.i32(i32, i1)");
        let first = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {mask}, i1 true)"));
        let first = self.writer.value(format!("zext i32 {first} to i64"));
        for (register, home) in self.analysis.live_at(entry) {
            let Some(slot) = self.analysis.slot(register) else { continue };
            let value = self.load_register(slot, self.analysis.homes.shape(home), &first);
            self.store_home(home, &value);
        }
        self.writer.line(format!("br label %b{entry}"));
    }

    /// Something of the frame.
    fn frame_value(&mut self, ty: &str, at: usize) -> Name {
        let pointer = self.frame(at);
        self.writer.value(format!("load {ty}, ptr {pointer}"))
    }

    /// A pointer into the frame.
    fn frame(&mut self, at: usize) -> Name {
        self.writer.value(format!("getelementptr i8, ptr %frame, i64 {at}"))
    }

    /// Where a slot lies in the activation's registers.
    fn in_registers(&mut self, slot: Slot) -> Name {
        let registers = self.writer.value("load ptr, ptr %registers");
        self.writer.value(format!("getelementptr i8, ptr {registers}, i64 {}", slot.offset()))
    }

    /// What a register holds, as a shape says; `first` is the lowest lane that runs, in 64 bits.
    fn load_register(&mut self, slot: Slot, shape: Shape, first: &str) -> Value {
        let (at, bits) = (self.in_registers(slot), slot.bits());
        if slot.width() == 0 {
            let word = self.writer.value(format!("load i32, ptr {at}"));
            return match shape {
                Shape::Uniform => {
                    let first = self.writer.value(format!("trunc i64 {first} to i32"));
                    let moved = self.writer.value(format!("lshr i32 {word}, {first}"));
                    Value::scalar(1, self.writer.value(format!("trunc i32 {moved} to i1")))
                }
                _ => Value::vector(1, self.bits_of(&word)),
            };
        }
        let one = |writer: &mut Writer| {
            let lane = writer.value(format!("getelementptr i{bits}, ptr {at}, i64 {first}"));
            writer.value(format!("load i{bits}, ptr {lane}"))
        };
        match shape {
            Shape::Uniform => Value::scalar(bits, one(&mut self.writer)),
            Shape::Affine(step) => {
                let value = one(&mut self.writer);
                let lane = self.writer.cast(if bits < 64 { "trunc" } else { "zext" }, 64, first, bits);
                let more = self.writer.value(format!("mul i{bits} {lane}, {step}"));
                let base = self.writer.value(format!("sub i{bits} {value}, {more}"));
                Value::affine(bits, base, step)
            }
            Shape::Varying => {
                let all = self.writer.value(format!("load <{LANES} x i{bits}>, ptr {at}, align 64"));
                Value::vector(bits, all)
            }
        }
    }

    /// Puts a value back into a register: in some lanes if others keep what they have.
    fn store_register(&mut self, slot: Slot, value: &Value, only: Option<&str>) {
        let value = &self.tight(value.clone());
        let at = self.in_registers(slot);
        let all = value.lanes(&mut self.writer);
        let bits = value.bits;
        if slot.width() == 0 {
            let mut word = self.word_of(&all);
            if let Some(lanes) = only {
                let old = self.writer.value(format!("load i32, ptr {at}"));
                let different = self.writer.value(format!("xor i32 {old}, {word}"));
                let changed = self.writer.value(format!("and i32 {different}, {lanes}"));
                word = self.writer.value(format!("xor i32 {old}, {changed}"));
            }
            return self.writer.line(format!("store i32 {word}, ptr {at}"));
        }
        let ty = format!("<{LANES} x i{bits}>");
        let all = match only {
            Some(lanes) => {
                let lanes = self.bits_of(lanes);
                let old = self.writer.value(format!("load {ty}, ptr {at}, align 64"));
                self.writer.value(format!("select <{LANES} x i1> {lanes}, {ty} {all}, {ty} {old}"))
            }
            None => all,
        };
        let align = if bits >= 16 { 64 } else { 32 };
        self.writer.line(format!("store {ty} {all}, ptr {at}, align {align}"));
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

    fn store_home(&mut self, home: HomeId, value: &Value) {
        let (name, ty) = self.home(home, value.bits);
        let kept = match &value.kept {
            Kept::Scalar(name) | Kept::Affine(name, _) | Kept::Vector(name) => name.clone(),
        };
        self.writer.line(format!("store {ty} {kept}, ptr {name}"));
    }

    fn load_home(&mut self, home: HomeId, bits: u32) -> Value {
        let (name, ty) = self.home(home, bits);
        let kept = self.writer.value(format!("load {ty}, ptr {name}"));
        let value = match self.analysis.homes.shape(home) {
            Shape::Uniform => Value::scalar(bits, kept),
            Shape::Affine(step) => Value::affine(bits, kept, step),
            Shape::Varying => Value::vector(bits, kept),
        };
        Value { loose: bits == 32 && self.analysis.homes.is_loose(home), ..value }
    }

    /// The stack slot of a home, and its type.
    fn home(&mut self, home: HomeId, bits: u32) -> (Name, String) {
        let name = format!("%home{}", home.0);
        let ty = match self.analysis.homes.shape(home) {
            Shape::Varying => format!("<{LANES} x i{bits}>"),
            _ => format!("i{bits}"),
        };
        self.slot(name.clone(), ty.clone());
        (name, ty)
    }

    fn finish(self) -> Text {
        let (body, declarations) = self.writer.finish();
        let mut definition =
            format!("define i32 @{}(ptr noalias %frame) #0 {{\nentry:\n", name(self.region.entry));
        for (slot, ty) in &self.slots {
            let _ = writeln!(definition, "  {slot} = alloca {ty}");
        }
        for block in &self.waits {
            let _ = writeln!(definition, "  %wait{block} = alloca i32\n  store i32 0, ptr %wait{block}");
        }
        definition.push_str(&body);
        definition.push_str("}\n");
        Text { definition, declarations }
    }
}
