//! Exchange between the lanes of a warp, where all lanes name the same members: `shfl`, `vote`, `match`, `redux`,
//! `activemask`, `elect` and `bar.warp.sync`.
//!
//! The block has seen that the lanes are together. A lane that its mask leaves out is the interpreter's to report.

use ptxvm_ir::operation::Warp;
use ptxvm_ir::operation::access::Combination;
use ptxvm_ir::operation::warp::{ShflMode, Vote, WarpFunction};
use ptxvm_machine::context::Instruction;
use ptxvm_machine::registers::Slot;

use super::Emitter;
use super::block::Guard;
use super::value::Value;
use super::writer::{LANES, Name, Writer};

/// The lanes of a warp as a vector of words.
const WORDS: &str = "<32 x i32>";

impl Emitter<'_> {
    /// Writes an exchange between lanes; `None` if it is not written here.
    pub(super) fn warp(&mut self, warp: &Warp, instruction: &Instruction, guard: &Guard) -> Option<()> {
        let slots = &instruction.slots;
        let named = if warp.named { Some(self.read(*slots.last()?, 32).as_scalar()?.clone()) } else { None };
        match warp.function {
            WarpFunction::Shfl { mode, predicate } => {
                let (to, from) = slots.split_at_checked(1 + usize::from(predicate))?;
                let members = self.members(named, guard);
                self.shfl(mode, to, from, &members, guard)
            }
            WarpFunction::Vote(vote) => {
                let [to, from, ..] = slots[..] else { return None };
                let members = self.members(named, guard);
                let answer = self.vote(vote, from, &members);
                self.write(to, answer, guard);
                Some(())
            }
            WarpFunction::Redux { combination, signed } => {
                let [to, from, ..] = slots[..] else { return None };
                let (name, neutral) = reduction(combination, signed)?;
                let members = self.members(named, guard);
                let brought = self.brought(from, &members, neutral);
                self.writer.declare(format!("declare i32 @llvm.vector.reduce.{name}.v{LANES}i32({WORDS})"));
                let call = format!("call i32 @llvm.vector.reduce.{name}.v{LANES}i32({WORDS} {brought})");
                let value = Value::scalar(32, self.writer.value(call));
                self.write(to, value, guard);
                Some(())
            }
            WarpFunction::Activemask => {
                let to = *slots.first()?;
                let members = self.members(named, guard);
                self.write(to, Value::scalar(32, members), guard);
                Some(())
            }
            WarpFunction::Elect => {
                let [to, elected, ..] = slots[..] else { return None };
                let members = self.members(named, guard);
                let first = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {members}, i1 false)"));
                self.write(to, Value::scalar(32, first.clone()), guard);
                let all = self.writer.splat(32, &first);
                let lanes = self.lane_numbers();
                let is = self.writer.value(format!("icmp eq {WORDS} {all}, {lanes}"));
                self.write(elected, Value::vector(1, is), guard);
                Some(())
            }
            WarpFunction::Sync => {
                self.members(named, guard);
                Some(())
            }
            WarpFunction::MatchAny { wide } => {
                let [to, from, ..] = slots[..] else { return None };
                let members = self.members(named, guard);
                let value = self.read(from, if wide { 64 } else { 32 });
                let same = self.match_any(&value, &members);
                self.write(to, same, guard);
                Some(())
            }
            WarpFunction::MatchAll { wide, predicate } => {
                let (to, from) = slots.split_at_checked(1 + usize::from(predicate))?;
                let from = *from.first()?;
                let members = self.members(named, guard);
                let value = self.read(from, if wide { 64 } else { 32 });
                let all = self.match_all(&value, &members);
                let mask = self.writer.value(format!("select i1 {all}, i32 {members}, i32 0"));
                self.write(to[0], Value::scalar(32, mask), guard);
                if let Some(predicate) = to.get(1) {
                    self.write(*predicate, Value::scalar(1, all), guard);
                }
                Some(())
            }
            WarpFunction::ReduxFloat { .. } => None,
        }
    }

    /// The lanes that take part, as a mask: those that execute the instruction and are named. Leaves if one is not.
    fn members(&mut self, named: Option<Name>, guard: &Guard) -> Name {
        let lanes = self.lanes(guard);
        let Some(named) = named else { return lanes };
        if named.parse() == Ok(u32::MAX) {
            return lanes;
        }
        let taken = self.writer.value(format!("and i32 {lanes}, {named}"));
        let out = self.writer.value(format!("icmp ne i32 {taken}, {lanes}"));
        self.leave_if(&out);
        lanes
    }

    fn lane_numbers(&mut self) -> Name {
        self.writer.per_lane(32, |lane| lane as i64)
    }

    /// What the members bring, and something else for all others.
    fn brought(&mut self, from: Slot, members: &str, otherwise: u64) -> Name {
        let brought = self.read(from, 32).lanes(&mut self.writer);
        let members = self.bits_of(members);
        let otherwise = self.writer.splat(32, &otherwise.to_string());
        self.writer.value(format!("select <{LANES} x i1> {members}, {WORDS} {brought}, {WORDS} {otherwise}"))
    }

    fn vote(&mut self, vote: Vote, from: Slot, members: &str) -> Value {
        let predicate = self.predicate(from).lanes(&mut self.writer);
        let word = self.word_of(&predicate);
        let votes = self.writer.value(format!("and i32 {word}, {members}"));
        let all = |writer: &mut Writer| writer.value(format!("icmp eq i32 {votes}, {members}"));
        match vote {
            Vote::Ballot => Value::scalar(32, votes),
            Vote::All => Value::scalar(1, all(&mut self.writer)),
            Vote::Any => Value::scalar(1, self.writer.value(format!("icmp ne i32 {votes}, 0"))),
            Vote::Uni => {
                let all = all(&mut self.writer);
                let none = self.writer.value(format!("icmp eq i32 {votes}, 0"));
                Value::scalar(1, self.writer.value(format!("or i1 {all}, {none}")))
            }
        }
    }

    /// By lane: the members that have the same value.
    fn match_any(&mut self, value: &Value, members: &str) -> Value {
        if value.as_scalar().is_some() {
            return Value::scalar(32, members);
        }
        let all = value.lanes(&mut self.writer);
        let mut found = "poison".to_owned();
        for lane in 0..LANES {
            let same = self.lanes_like(value.bits, &all, &format!("{lane}"));
            let same = self.writer.value(format!("and i32 {same}, {members}"));
            found = self.writer.value(format!("insertelement {WORDS} {found}, i32 {same}, i32 {lane}"));
        }
        Value::vector(32, found)
    }

    /// Whether all members have the same value.
    fn match_all(&mut self, value: &Value, members: &str) -> Name {
        if value.as_scalar().is_some() {
            return "true".into();
        }
        let all = value.lanes(&mut self.writer);
        let first = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {members}, i1 false)"));
        let first = self.writer.value(format!("and i32 {first}, 31"));
        let same = self.lanes_like(value.bits, &all, &first);
        let same = self.writer.value(format!("and i32 {same}, {members}"));
        self.writer.value(format!("icmp eq i32 {same}, {members}"))
    }

    /// The lanes that have the value of one, as a mask.
    fn lanes_like(&mut self, bits: u32, all: &str, lane: &str) -> Name {
        let ty = format!("<{LANES} x i{bits}>");
        let one = self.writer.value(format!("extractelement {ty} {all}, i32 {lane}"));
        let one = self.writer.splat(bits, &one);
        let same = self.writer.value(format!("icmp eq {ty} {all}, {one}"));
        self.word_of(&same)
    }

    /// `shfl`. An H200 reads zero from a lane that takes no part.
    fn shfl(
        &mut self,
        mode: ShflMode,
        to: &[Slot],
        from: &[Slot],
        members: &str,
        guard: &Guard,
    ) -> Option<()> {
        let [a, b, c, ..] = *from else { return None };
        let (b, c) = (self.read(b, 32), self.read(c, 32));
        let constant = |value: &Value| value.as_scalar().and_then(|name| name.parse::<u32>().ok());
        let all = self.brought(a, members, 0);
        let (value, inside) = match (constant(&b), constant(&c), b.as_scalar()) {
            // One lane for the whole warp.
            (_, Some(31), Some(lane)) if mode == ShflMode::Idx => {
                let lane = self.writer.value(format!("and i32 {lane}, 31"));
                let one = self.writer.value(format!("extractelement {WORDS} {all}, i32 {lane}"));
                (Value::scalar(32, one), Value::scalar(1, "true"))
            }
            (Some(b), Some(c), _) => {
                let sources: Vec<(u32, bool)> =
                    (0..LANES as u32).map(|lane| mode.source(lane, b, c)).collect();
                let each: Vec<String> = sources.iter().map(|(lane, _)| format!("i32 {lane}")).collect();
                let order = each.join(", ");
                let moved = format!("shufflevector {WORDS} {all}, {WORDS} poison, {WORDS} <{order}>");
                let inside: Vec<String> = sources.iter().map(|(_, inside)| format!("i1 {inside}")).collect();
                let inside = format!("<{}>", inside.join(", "));
                (Value::vector(32, self.writer.value(moved)), Value::vector(1, inside))
            }
            _ => {
                let (b, c) = (b.lanes(&mut self.writer), c.lanes(&mut self.writer));
                self.writer.wide = true;
                let (lane, inside) = shfl_sources(&mut self.writer, mode, &b, &c);
                self.writer.wide = false;
                (Value::vector(32, self.at_lanes(&all, &lane)), Value::vector(1, inside))
            }
        };
        self.write(*to.first()?, value, guard);
        if let Some(predicate) = to.get(1) {
            self.write(*predicate, inside, guard);
        }
        Some(())
    }

    /// By lane: what another lane of a vector has. The numbers are those of lanes.
    fn at_lanes(&mut self, all: &str, lanes: &str) -> Name {
        self.slot("%exchange", WORDS);
        self.writer.line(format!("store {WORDS} {all}, ptr %exchange"));
        let pointers = self.writer.value(format!("getelementptr i32, ptr %exchange, {WORDS} {lanes}"));
        let every = self.writer.all_true();
        self.writer.gather(&pointers, 32, &every, "poison")
    }
}

/// The reduction of LLVM's that combines so, and the number that changes nothing.
fn reduction(combination: Combination, signed: bool) -> Option<(&'static str, u64)> {
    Some(match (combination, signed) {
        (Combination::Add, _) => ("add", 0),
        (Combination::And, _) => ("and", u32::MAX.into()),
        (Combination::Or, _) => ("or", 0),
        (Combination::Xor, _) => ("xor", 0),
        (Combination::Min, false) => ("umin", u32::MAX.into()),
        (Combination::Max, false) => ("umax", 0),
        (Combination::Min, true) => ("smin", i32::MAX as u64),
        (Combination::Max, true) => ("smax", 1 << 31),
        _ => return None,
    })
}

/// [`ShflMode::source`] for all lanes at once.
fn shfl_sources(writer: &mut Writer, mode: ShflMode, b: &str, c: &str) -> (Name, Name) {
    let lane = writer.per_lane(32, |lane| lane as i64);
    let low = writer.constant(32, 31);
    let ones = writer.constant(32, u32::MAX.into());
    let eight = writer.constant(32, 8);
    let b = writer.two("and", 32, b, &low);
    let clamp = writer.two("and", 32, c, &low);
    let segment = writer.two("lshr", 32, c, &eight);
    let segment = writer.two("and", 32, &segment, &low);
    let others = writer.two("xor", 32, &segment, &ones);
    let least = writer.two("and", 32, &lane, &segment);
    let bound = writer.two("and", 32, &clamp, &others);
    let most = writer.two("or", 32, &least, &bound);
    let source = match mode {
        ShflMode::Up => writer.two("sub", 32, &lane, &b),
        ShflMode::Down => writer.two("add", 32, &lane, &b),
        ShflMode::Bfly => writer.two("xor", 32, &lane, &b),
        ShflMode::Idx => {
            let within = writer.two("and", 32, &b, &others);
            writer.two("or", 32, &least, &within)
        }
    };
    let relation = if mode == ShflMode::Up { "sge" } else { "ule" };
    let inside = writer.compare(relation, 32, &source, &most);
    let source = writer.two("and", 32, &source, &low);
    (writer.select(&inside, 32, &source, &lane), inside)
}
