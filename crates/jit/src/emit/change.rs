//! The functions that change words of memory for `atom` and `red`, one for each operation and type: lane after lane, in the
//! order of their numbers.
//!
//! Global memory is changed by the host's own atomics. Shared memory belongs to the one host thread that runs the CTA, so that
//! there a load and a store are step enough.

use std::fmt::Write;

use ptxvm_ir::operation::access::{AtomicFunction, Combination};
use ptxvm_ir::operation::compute::FloatFunction;
use ptxvm_isa::Type;

use super::compute::arithmetic;
use super::lane_by_lane::LaneByLane;
use super::nan::one_nan;
use super::writer::{LANES, Name, Writer};

/// What is done to a word.
#[derive(Clone, Copy)]
pub struct Change {
    pub function: AtomicFunction,
    pub ty: Type,
    pub bits: u32,
    /// Whether it lies in shared memory.
    pub shared: bool,
    /// Whether what was there before is asked for.
    pub answers: bool,
}

impl Change {
    /// The name of the function that makes it in some lanes; what the module needs for it is declared.
    pub fn function(&self, writer: &mut Writer) -> Name {
        let (name, ty) = (self.name(), format!("i{}", self.bits));
        let mut inner = Writer::default();
        let mut each = self.text(&mut inner);
        let (_, declarations) = inner.finish();
        declarations.into_iter().for_each(|declaration| writer.declare(declaration));
        let all = format!("<{LANES} x {ty}>");
        let (mut before, mut after) = (String::new(), "  ret void\n".to_owned());
        if self.answers {
            before = format!("  %found = alloca {all}\n  store {all} zeroinitializer, ptr %found\n");
            let _ = writeln!(each, "  %found.at = getelementptr {ty}, ptr %found, i64 %at");
            let _ = writeln!(each, "  store {ty} %old, ptr %found.at");
            after = looked(&all, self.bits);
        }
        let sources = [("to", "ptr"), ("b", &*ty), ("c", &*ty)];
        let whole = if self.shared { self.one_after_the_other(writer) } else { String::new() };
        LaneByLane {
            result: if self.answers { &all } else { "void" },
            name: &name,
            sources: &sources[..self.operands() + 1],
            more: if self.answers { ", ptr %seen" } else { "" },
            before: &before,
            each: &each,
            whole: &whole,
            after: &after,
        }
        .declare(writer);
        name
    }

    /// The lines that make it in all lanes, without a loop: a step in shared memory takes no longer than going on to the next
    /// lane.
    fn one_after_the_other(&self, writer: &mut Writer) -> String {
        let (one, ty) = (self.function_of_one(writer), format!("i{}", self.bits));
        let mut text = String::new();
        for lane in 0..LANES {
            let mut given = Vec::new();
            // Volatile, so that LLVM does not take the vectors apart by shuffles instead: a load takes less.
            for (source, of) in [("to", "ptr"), ("b", &ty), ("c", &ty)].into_iter().take(self.operands() + 1)
            {
                let name = format!("%{source}.{lane}");
                let _ = writeln!(text, "  {name}.at = getelementptr {of}, ptr %{source}.all, i64 {lane}");
                let _ = writeln!(text, "  {name} = load volatile {of}, ptr {name}.at");
                given.push(format!("{of} {name}"));
            }
            let _ = writeln!(text, "  %old.{lane} = call fastcc {ty} {one}({})", given.join(", "));
            if self.answers {
                let _ = writeln!(text, "  %found.{lane} = getelementptr {ty}, ptr %found, i64 {lane}");
                let _ = writeln!(text, "  store {ty} %old.{lane}, ptr %found.{lane}");
            }
        }
        text
    }

    /// The name of a function that makes it of one lane and gives what was there before.
    pub fn function_of_one(&self, writer: &mut Writer) -> Name {
        let (name, ty) = (format!("{}_one", self.name()), format!("i{}", self.bits));
        let mut inner = Writer::default();
        let each = self.text(&mut inner);
        let (_, declarations) = inner.finish();
        declarations.into_iter().for_each(|declaration| writer.declare(declaration));
        let more = if self.operands() == 2 { format!(", {ty} %c") } else { String::new() };
        writer.declare(format!(
            "define internal fastcc {ty} {name}(ptr %to, {ty} %b{more}) alwaysinline nounwind {{
each:
{each}  ret {ty} %old
}}"
        ));
        name
    }

    /// How many operands it has beside the word in memory.
    pub fn operands(&self) -> usize {
        if self.function == AtomicFunction::Cas { 2 } else { 1 }
    }

    /// Whether it is written here.
    pub fn is_written(&self) -> bool {
        use Combination as C;
        match (self.function, self.ty) {
            (_, ty) if !matches!(ty.bits(), 32 | 64) => false,
            (AtomicFunction::Exch | AtomicFunction::Cas, _) => true,
            (AtomicFunction::Combine(C::Add), ty) => {
                matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::F32 | Type::F64)
            }
            (AtomicFunction::Combine(C::Min | C::Max), ty) => {
                matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::S64)
            }
            (AtomicFunction::Combine(C::Inc | C::Dec), ty) => ty == Type::U32,
            (AtomicFunction::Combine(C::And | C::Or | C::Xor), _) => true,
        }
    }

    fn is_float(&self) -> bool {
        matches!(self.ty, Type::F32 | Type::F64)
    }

    /// What LLVM calls an operation whose order does not matter.
    pub fn commuting(&self) -> Option<&'static str> {
        use Combination as C;
        let signed = matches!(self.ty, Type::S32 | Type::S64);
        match self.function {
            AtomicFunction::Combine(C::Add) if !self.is_float() => Some("add"),
            AtomicFunction::Combine(C::And) => Some("and"),
            AtomicFunction::Combine(C::Or) => Some("or"),
            AtomicFunction::Combine(C::Xor) => Some("xor"),
            AtomicFunction::Combine(C::Min) => Some(if signed { "smin" } else { "umin" }),
            AtomicFunction::Combine(C::Max) => Some(if signed { "smax" } else { "umax" }),
            _ => None,
        }
    }

    fn name(&self) -> Name {
        let what = match self.function {
            AtomicFunction::Exch => "exch",
            AtomicFunction::Cas => "cas",
            AtomicFunction::Combine(combination) => combination.name(),
        };
        let ty = match self.ty {
            Type::F32 | Type::F64 => format!("f{}", self.bits),
            Type::S32 | Type::S64 => format!("s{}", self.bits),
            _ => format!("u{}", self.bits),
        };
        let (unit, kind) =
            (if self.shared { "shared" } else { "global" }, if self.answers { "atom" } else { "red" });
        format!("@{kind}_{unit}_{what}_{ty}")
    }

    /// The lines that make it of one lane, and give `%old`.
    fn text(&self, writer: &mut Writer) -> String {
        let ty = format!("i{}", self.bits);
        let mut text = String::new();
        let host = match self.function {
            AtomicFunction::Exch => Some("xchg"),
            _ => self.commuting().filter(|op| matches!(*op, "add" | "and" | "or" | "xor")),
        };
        if self.shared {
            let _ = writeln!(text, "  %old = load {ty}, ptr %to");
            let new = self.applied(writer);
            text.push_str(writer.since(0));
            let _ = writeln!(text, "  store {ty} {new}, ptr %to");
        } else if self.function == AtomicFunction::Cas {
            // One that changes nothing is a load, for which no other thread has to give the word away.
            let bytes = self.bits / 8;
            let _ = writeln!(text, "  %begin = load atomic {ty}, ptr %to seq_cst, align {bytes}");
            let _ = writeln!(text, "  %may = icmp eq {ty} %begin, %b");
            let _ = writeln!(text, "  br i1 %may, label %try, label %changed\ntry:");
            let _ = writeln!(text, "  %pair = cmpxchg ptr %to, {ty} %b, {ty} %c seq_cst seq_cst");
            let _ = writeln!(text, "  %met = extractvalue {{ {ty}, i1 }} %pair, 0");
            let _ = writeln!(text, "  br label %changed\nchanged:");
            let _ = writeln!(text, "  %old = phi {ty} [ %begin, %each ], [ %met, %try ]");
        } else if let Some(host) = host {
            let _ = writeln!(text, "  %old = atomicrmw {host} ptr %to, {ty} %b seq_cst");
        } else {
            let bytes = self.bits / 8;
            let _ = writeln!(text, "  %begin = load atomic {ty}, ptr %to monotonic, align {bytes}");
            let _ = writeln!(text, "  br label %try\ntry:");
            let _ = writeln!(text, "  %old = phi {ty} [ %begin, %each ], [ %met, %try ]");
            let new = self.applied(writer);
            text.push_str(writer.since(0));
            let _ = writeln!(text, "  %pair = cmpxchg ptr %to, {ty} %old, {ty} {new} seq_cst seq_cst");
            let _ = writeln!(text, "  %met = extractvalue {{ {ty}, i1 }} %pair, 0");
            let _ = writeln!(text, "  %is.done = extractvalue {{ {ty}, i1 }} %pair, 1");
            let _ = writeln!(text, "  br i1 %is.done, label %changed, label %try\nchanged:");
        }
        text
    }

    /// What the word becomes, by `%old`, `%b` and `%c`.
    fn applied(&self, writer: &mut Writer) -> Name {
        use Combination as C;
        let (bits, old, b, c) = (self.bits, "%old", "%b", "%c");
        match self.function {
            AtomicFunction::Exch => b.into(),
            AtomicFunction::Cas => {
                let is = writer.compare("eq", bits, old, b);
                writer.select(&is, bits, c, old)
            }
            AtomicFunction::Combine(C::Add) if self.is_float() => self.float_sum(writer),
            AtomicFunction::Combine(C::Inc) => {
                let last = writer.compare("uge", bits, old, b);
                let more = writer.with("add", bits, old, 1);
                writer.select(&last, bits, "0", &more)
            }
            AtomicFunction::Combine(C::Dec) => {
                let none = writer.is("eq", bits, old, 0);
                let beyond = writer.compare("ugt", bits, old, b);
                let turns = writer.two("or", 1, &none, &beyond);
                let less = writer.with("sub", bits, old, 1);
                writer.select(&turns, bits, b, &less)
            }
            AtomicFunction::Combine(C::Min | C::Max) => {
                let name = self.commuting().unwrap_or("umin");
                writer.intrinsic(name, bits, &[old, b])
            }
            AtomicFunction::Combine(_) => writer.two(self.commuting().unwrap_or("or"), bits, old, b),
        }
    }

    /// `ptxvm_num::float::atomic` says what the units do to subnormal numbers and to NaN.
    fn float_sum(&self, writer: &mut Writer) -> Name {
        let (old, b): (Name, Name) = ("%old".into(), "%b".into());
        if self.bits == 32 {
            let sum = arithmetic(writer, FloatFunction::Add, 32, &[old, b], !self.shared);
            return one_nan(writer, &sum);
        }
        if self.shared {
            return arithmetic(writer, FloatFunction::Add, 64, &[b, old], false);
        }
        let mut sum = arithmetic(writer, FloatFunction::Add, 64, &[old.clone(), b.clone()], false);
        for operand in [&old, &b] {
            let float = writer.as_float(64, operand);
            let is = writer.value(format!("fcmp uno double {float}, {float}"));
            sum = writer.select(&is, 64, operand, &sum);
        }
        sum
    }
}

/// The end of a function with an answer: whether its first lane has found at the same place what was found there the last time
/// is noted.
fn looked(ty: &str, bits: u32) -> String {
    let widened = if bits == 64 { "add i64 %f, 0".to_owned() } else { format!("zext i{bits} %f to i64") };
    format!(
        "  %before.at = getelementptr i8, ptr %seen, i64 8
  %looked.at = getelementptr i8, ptr %seen, i64 16
  %first = call i32 @llvm.cttz.i32(i32 %lanes, i1 false)
  %first.low = and i32 %first, 31
  %first.at = zext i32 %first.low to i64
  %fp.at = getelementptr i64, ptr %to.all, i64 %first.at
  %ff.at = getelementptr i{bits}, ptr %found, i64 %first.at
  %where = load i64, ptr %fp.at
  %f = load i{bits}, ptr %ff.at
  %f.wide = {widened}
  %where.before = load i64, ptr %seen
  %f.before = load i64, ptr %before.at
  %there = icmp eq i64 %where, %where.before
  %same = icmp eq i64 %f.wide, %f.before
  %both = and i1 %there, %same
  %is = zext i1 %both to i32
  store i64 %where, ptr %seen
  store i64 %f.wide, ptr %before.at
  store i32 %is, ptr %looked.at
  %all = load {ty}, ptr %found
  ret {ty} %all
"
    )
}
