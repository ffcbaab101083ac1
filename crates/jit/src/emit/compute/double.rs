//! The NaN of double precision: that of an operand goes on.
//!
//! Most results are numbers. So nobody looks at them until somebody may see their bits; a NaN among the operands of
//! arithmetic is one in its result, so that only the last results of several need a look. Only where there is one,
//! all of them are computed again as the interpreter does it.

use ptxvm_ir::operation::compute::FloatFunction as F;

use super::super::Emitter;
use super::super::unlooked::Unlooked;
use super::super::value::{Kept, Value};
use super::super::writer::{LANES, Name, Writer};
use crate::doubles::Step;

/// The NaN that an invalid operation gives, and the bit that makes one quiet.
const INVALID: u64 = 0xfff8_0000_0000_0000;
pub const QUIET: u64 = 0x0008_0000_0000_0000;

/// Where results are computed again: room for so many vectors.
const ROOM: &str = "%doubles";
const MOST_VECTORS: usize = 64;

/// So many results wait for a look together: there is room for them and three sources of each that are none of them.
const MOST: usize = MOST_VECTORS / 4;

impl Emitter<'_> {
    /// The result of a function: in a vector NaNs may have any bits, until somebody looks.
    pub(super) fn with_nans(&mut self, function: F, sources: &[Value], result: Value) -> Value {
        if result.as_scalar().is_some() {
            return result;
        }
        if self.unlooked.len() >= MOST {
            self.look();
        }
        let sources: Vec<Value> = sources.iter().map(|source| self.as_looked_at(source.clone())).collect();
        let all = sources.iter().chain([&result]);
        let names = all.map(|source| source.lanes(&mut self.writer)).collect();
        self.unlooked.push(Unlooked { function, names });
        Value { loose: true, ..result }
    }

    /// A value that nobody had looked at may have another name since somebody has.
    pub(in super::super) fn as_looked_at(&self, value: Value) -> Value {
        match &value.kept {
            Kept::Vector(name) if value.loose && value.bits == 64 => match self.looked_at.get(name) {
                Some(name) => Value::vector(64, name.clone()),
                None => value,
            },
            _ => value,
        }
    }

    /// A value of double precision with the right NaNs.
    pub(in super::super) fn looked_at(&mut self, value: Value) -> Value {
        let waits = |name: &Name| self.unlooked.iter().any(|unlooked| unlooked.name() == name);
        if value.names().iter().any(waits) {
            self.look();
        }
        self.as_looked_at(value)
    }

    /// Looks at all results that wait for it. What lanes have that do not run is nobody's, and may be a NaN for long.
    pub(in super::super) fn look(&mut self) {
        let all = std::mem::take(&mut self.unlooked);
        let used = |name: &Name| all.iter().any(|by| by.sources().contains(name));
        let ends: Vec<&Name> = all.iter().map(Unlooked::name).filter(|name| !used(name)).collect();
        if ends.is_empty() {
            return;
        }
        let [some, right, rest] = std::array::from_fn(|_| self.writer.fresh_label());
        let from = self.writer.label().to_owned();
        let is = in_pairs(&mut self.writer, &ends);
        self.writer.line(format!("br i1 {is}, label %{some}, label %{rest}, !prof !0"));
        self.writer.begin(some.clone());
        let lanes = of_lanes(&mut self.writer, &ends);
        let lanes = self.word_of(&lanes);
        let mask = self.mask.clone();
        let lanes = self.writer.value(format!("and i32 {lanes}, {mask}"));
        let is = self.writer.is("ne", 32, &lanes, 0);
        self.writer.line(format!("br i1 {is}, label %{right}, label %{rest}"));
        self.writer.begin(right.clone());
        let again = self.right_nans(&all);
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
        for (name, again) in all.iter().map(Unlooked::name).zip(again) {
            let ways = format!("[ {name}, %{from} ], [ {name}, %{some} ], [ {again}, %{right} ]");
            let seen = self.writer.value(format!("phi <{LANES} x i64> {ways}"));
            self.looked_at.insert(name.clone(), seen);
        }
        for at in 0..self.log.len() {
            self.log[at].value = self.as_looked_at(self.log[at].value.clone());
        }
    }

    /// Computes some results again, with the right NaNs, by a function of this process that leaves all registers as they
    /// are: LLVM need not find others for what is in them.
    fn right_nans(&mut self, all: &[Unlooked]) -> Vec<Name> {
        let ty = format!("<{LANES} x i64>");
        self.slot(ROOM, format!("[{MOST_VECTORS} x {ty}]"));
        let place = |at: usize| format!("getelementptr {ty}, ptr {ROOM}, i64 {at}");
        let mut known: Vec<&Name> = Vec::new();
        let made: Vec<&Name> = all.iter().map(Unlooked::name).collect();
        for name in all.iter().flat_map(|unlooked| unlooked.sources()) {
            if !known.contains(&name) && !made.contains(&name) {
                let to = self.writer.value(place(known.len()));
                self.writer.line(format!("store {ty} {name}, ptr {to}"));
                known.push(name);
            }
        }
        let first = known.len();
        known.extend(&made);
        let steps = all.iter().map(|unlooked| {
            let at = |name: &Name| known.iter().position(|known| *known == name).unwrap_or_default() as u8;
            Step::new(unlooked.function, unlooked.sources().iter().map(at))
        });
        let steps: Vec<u32> = steps.map(Step::number).collect();
        let list: Vec<String> = steps.iter().map(|step| format!("i32 {step}")).collect();
        let name = steps.iter().map(|step| format!("_{step:x}")).collect::<String>();
        let (count, list) = (steps.len(), list.join(", "));
        self.writer.declare(format!("@steps{name} = private constant [{count} x i32] [{list}]"));
        self.writer.declare("declare void @ptxvm_doubles(ptr, ptr, i32, i32)");
        let arguments = [
            ("ptr", ROOM),
            ("ptr", &format!("@steps{name}")),
            ("i32", &count.to_string()),
            ("i32", &first.to_string()),
        ];
        let body = "  call void @ptxvm_doubles(ptr %a0, ptr %a1, i32 %a2, i32 %a3)\n";
        self.writer.call_cold("doubles", &arguments, body);
        let load = |at: usize| {
            let from = self.writer.value(place(at));
            self.writer.value(format!("load {ty}, ptr {from}"))
        };
        (first..first + count).map(load).collect()
    }
}

/// Whether there is a NaN among results: two of a vector are compared at a time.
fn in_pairs(writer: &mut Writer, results: &[&Name]) -> Name {
    let half = LANES / 2;
    let part = |writer: &mut Writer, all: &str, first: usize| {
        let order: Vec<String> = (first..first + half).map(|lane| format!("i32 {lane}")).collect();
        let (ty, order) = (format!("<{LANES} x double>"), order.join(", "));
        writer.value(format!("shufflevector {ty} {all}, {ty} poison, <{half} x i32> <{order}>"))
    };
    let some = any(writer, half, results, |writer, all| (part(writer, all, 0), part(writer, all, half)));
    let word = writer.value(format!("bitcast <{half} x i1> {some} to i{half}"));
    writer.value(format!("icmp ne i{half} {word}, 0"))
}

/// The lanes that have a NaN in one of the results.
fn of_lanes(writer: &mut Writer, results: &[&Name]) -> Name {
    any(writer, LANES, results, |_, all| (all.to_owned(), all.to_owned()))
}

/// Where one of two vectors of so many numbers that are made of a result has a NaN, for some result.
fn any(
    writer: &mut Writer,
    count: usize,
    results: &[&Name],
    two: impl Fn(&mut Writer, &str) -> (Name, Name),
) -> Name {
    let mut some = "zeroinitializer".to_owned();
    for result in results {
        let all = writer.value(format!("bitcast <{LANES} x i64> {result} to <{LANES} x double>"));
        let (a, b) = two(writer, &all);
        let is = writer.value(format!("fcmp uno <{count} x double> {a}, {b}"));
        some = writer.value(format!("or <{count} x i1> {some}, {is}"));
    }
    some
}

/// The first of a function's operands in this order that is a NaN goes on.
fn order(function: F) -> &'static [usize] {
    match function {
        F::Add | F::Sub | F::Mul => &[1, 0],
        F::Fma => &[1, 2, 0],
        F::Div => &[0, 1],
        _ => &[0],
    }
}

/// The result of a function with the right NaN.
pub fn right_nan(writer: &mut Writer, function: F, sources: &[Name], result: &str) -> Name {
    let ty = writer.float_ty(64);
    let is_nan = |writer: &mut Writer, name: &str| {
        let number = writer.as_float(64, name);
        writer.value(format!("fcmp uno {ty} {number}, {number}"))
    };
    let mut nan = writer.constant(64, INVALID);
    for at in order(function).iter().rev() {
        let is = is_nan(writer, &sources[*at]);
        let quiet = writer.with("or", 64, &sources[*at], QUIET);
        nan = writer.select(&is, 64, &quiet, &nan);
    }
    let is = is_nan(writer, result);
    writer.select(&is, 64, &nan, result)
}
