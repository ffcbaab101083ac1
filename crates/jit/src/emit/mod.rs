//! From a region of a kernel to a function in LLVM IR.
//!
//! Inside of a block values have names. Between blocks they live in homes, which are stack slots that LLVM turns into
//! registers. When the function is left, what is live goes back to the registers of the activation, where the
//! interpreter finds it.
//!
//! The function runs warps of a CTA one after another, as long as each of them ends or comes to the same barrier. What
//! is the same for all of them is loaded once, before the first.

mod access;
mod block;
mod bounds;
mod compute;
mod control;
mod leave;
mod memory;
mod nan;
mod special;
mod value;
mod warp;
mod words;
mod writer;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use ptxvm_machine::registers::Slot;
use ptxvm_machine::schedule::compiled::{Left, NO_BARRIER, offset};

use crate::analysis::{Analysis, HomeId, Rows, Shape, is_in};
use crate::region::Region;
use value::Value;
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
        prologue: Vec::new(),
        known: BTreeSet::new(),
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
    emitter.next_warp();
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
    /// What is done once, before the first warp, and the values that it has.
    prologue: Vec<String>,
    known: BTreeSet<Name>,
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
    /// The beginning of the function, a loop over warps: finds the registers of each that are live, and puts them into
    /// their homes.
    fn enter(&mut self) {
        let entry = self.region.entry;
        for (name, ty, from) in [("%warp", "i32", offset::FIRST), ("%fuel", "i64", offset::FUEL)] {
            let value = self.of_frame(ty, from);
            self.slot(name, ty);
            self.prologue.push(format!("store {ty} {value}, ptr {name}"));
        }
        self.slot("%barrier", "i32");
        self.prologue.push(format!("store i32 {NO_BARRIER}, ptr %barrier"));
        self.writer.begin("warps");
        self.writer.line("%w = load i32, ptr %warp");
        self.writer.line("%w.wide = zext i32 %w to i64");
        let alive = self.frame(offset::ALIVE);
        self.writer.line(format!("%alive = getelementptr i32, ptr {alive}, i64 %w.wide"));
        let mask = self.writer.value("load i32, ptr %alive");
        let none = self.writer.value(format!("icmp eq i32 {mask}, 0"));
        let some = self.writer.fresh_label();
        self.writer.line(format!("br i1 {none}, label %done, label %{some}"));
        self.writer.begin(some);
        let running = self.frame(offset::WARP);
        self.writer.line(format!("store i32 %w, ptr {running}"));
        self.slot("%mask", "i32");
        self.writer.line(format!("store i32 {mask}, ptr %mask"));
        let banks = self.frame(offset::BANKS);
        let bank = self.writer.value(format!("getelementptr ptr, ptr {banks}, i64 %w.wide"));
        self.writer.line(format!("%registers = load ptr, ptr {bank}"));
        self.writer.declare("declare i32 @llvm.cttz.i32(i32, i1)");
        let first = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {mask}, i1 true)"));
        let first = self.writer.value(format!("zext i32 {first} to i64"));
        for (register, home) in self.analysis.live_at(entry) {
            if !self.region.uses(*register) {
                continue;
            }
            let Some(slot) = self.analysis.slot(*register) else { continue };
            let value = self.load_register(slot, self.analysis.homes.shape(*home), &first);
            self.store_home(*home, &value);
        }
        self.writer.line(format!("br label %b{entry}"));
    }

    /// The end of the loop over warps: the next one has its turn, or all have come to the same place.
    fn next_warp(&mut self) {
        self.writer.begin("done");
        let next = self.writer.value("add i32 %w, 1");
        self.writer.line(format!("store i32 {next}, ptr %warp"));
        let last = self.of_frame("i32", offset::LAST);
        let more = self.writer.value(format!("icmp ult i32 {next}, {last}"));
        let over = self.writer.fresh_label();
        self.writer.line(format!("br i1 {more}, label %warps, label %{over}"));
        self.writer.begin(over);
        let to = self.frame(offset::WARP);
        self.writer.line(format!("store i32 {last}, ptr {to}"));
        self.tell();
        let barrier = self.writer.value("load i32, ptr %barrier");
        let none = self.writer.value(format!("icmp eq i32 {barrier}, {NO_BARRIER}"));
        let (ended, end) = (Left::Ended.number(), Left::End.number());
        let left = self.writer.value(format!("select i1 {none}, i32 {ended}, i32 {end}"));
        self.writer.line(format!("ret i32 {left}"));
    }

    /// Says in the frame what fuel is left, and where the warps are that have come to a barrier.
    fn tell(&mut self) {
        for (name, ty, at) in [("%fuel", "i64", offset::FUEL), ("%barrier", "i32", offset::BARRIER)] {
            let value = self.writer.value(format!("load {ty}, ptr {name}"));
            let to = self.frame(at);
            self.writer.line(format!("store {ty} {value}, ptr {to}"));
        }
    }

    /// Something of the frame that stays the same while the function runs.
    fn of_frame(&mut self, ty: &str, at: usize) -> Name {
        let name = format!("%frame{at}");
        if self.known.insert(name.clone()) {
            self.prologue.push(format!("{name}.at = getelementptr i8, ptr %frame, i64 {at}"));
            self.prologue.push(format!("{name} = load {ty}, ptr {name}.at"));
        }
        name
    }

    /// A word that lies at some bytes from a pointer of the frame, and stays the same while the function runs.
    fn of_list(&mut self, ty: &str, list: usize, at: u64) -> Name {
        let list_at = self.of_frame("ptr", list);
        let name = format!("{list_at}.{at}.{ty}");
        if self.known.insert(name.clone()) {
            self.prologue.push(format!("{name}.at = getelementptr i8, ptr {list_at}, i64 {at}"));
            self.prologue.push(format!("{name} = load {ty}, ptr {name}.at, align 1"));
        }
        name
    }

    /// A pointer into the frame.
    fn frame(&mut self, at: usize) -> Name {
        self.writer.value(format!("getelementptr i8, ptr %frame, i64 {at}"))
    }

    /// Where a slot lies in the activation's registers.
    fn in_registers(&mut self, slot: Slot) -> Name {
        self.writer.value(format!("getelementptr i8, ptr %registers, i64 {}", slot.offset()))
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
            Shape::Rows(rows) => {
                let firsts = (0..LANES).step_by(rows.width as usize);
                let bases = match rows.alike {
                    true => vec![self.base_of_row(&at, bits, first, rows)],
                    false => firsts
                        .map(|row| {
                            let first = self.first_of_row(row as u32, rows.width);
                            self.base_of_row(&at, bits, &first, rows)
                        })
                        .collect(),
                };
                Value::rows(bits, bases, rows)
            }
            Shape::Varying => {
                let all = self.writer.value(format!("load <{LANES} x i{bits}>, ptr {at}, align 64"));
                Value::vector(bits, all)
            }
        }
    }

    /// The first lane of a row that runs, in 64 bits; of a row that does not, the last.
    fn first_of_row(&mut self, row: u32, width: u32) -> Name {
        let mask = self.writer.value("load i32, ptr %mask");
        let moved = self.writer.value(format!("lshr i32 {mask}, {row}"));
        let some = self.writer.value(format!("or i32 {moved}, {}", 1u32 << (width - 1)));
        let first = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {some}, i1 true)"));
        let lane = self.writer.value(format!("add i32 {first}, {row}"));
        self.writer.value(format!("zext i32 {lane} to i64"))
    }

    /// What the first lane of a row has in a register, by what one of its lanes has.
    fn base_of_row(&mut self, at: &str, bits: u32, lane: &str, rows: Rows) -> Name {
        let place = self.writer.value(format!("getelementptr i{bits}, ptr {at}, i64 {lane}"));
        let value = self.writer.value(format!("load i{bits}, ptr {place}"));
        let within = self.writer.value(format!("and i64 {lane}, {}", rows.width - 1));
        let within = self.writer.cast(if bits < 64 { "trunc" } else { "zext" }, 64, &within, bits);
        let more = self.writer.value(format!("mul i{bits} {within}, {}", rows.step));
        self.writer.value(format!("sub i{bits} {value}, {more}"))
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
        for (part, kept) in value.names().iter().enumerate() {
            let (name, ty) = self.home(home, part, value.bits);
            self.writer.line(format!("store {ty} {kept}, ptr {name}"));
        }
    }

    fn load_home(&mut self, home: HomeId, bits: u32) -> Value {
        let shape = self.analysis.homes.shape(home);
        let part = |emitter: &mut Self, part: usize| {
            let (name, ty) = emitter.home(home, part, bits);
            emitter.writer.value(format!("load {ty}, ptr {name}"))
        };
        let value = match shape {
            Shape::Uniform => Value::scalar(bits, part(self, 0)),
            Shape::Affine(step) => Value::affine(bits, part(self, 0), step),
            Shape::Rows(rows) => {
                let count = if rows.alike { 1 } else { LANES / rows.width as usize };
                Value::rows(bits, (0..count).map(|row| part(self, row)).collect(), rows)
            }
            Shape::Varying => Value::vector(bits, part(self, 0)),
        };
        Value { loose: bits == 32 && self.analysis.homes.is_loose(home), ..value }
    }

    /// The stack slot of a part of a home, and its type.
    fn home(&mut self, home: HomeId, part: usize, bits: u32) -> (Name, String) {
        let name = format!("%home{}.{part}", home.0);
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
        for line in &self.prologue {
            let _ = writeln!(definition, "  {line}");
        }
        definition.push_str("  br label %warps\n");
        definition.push_str(&body);
        definition.push_str("}\n");
        Text { definition, declarations }
    }
}
