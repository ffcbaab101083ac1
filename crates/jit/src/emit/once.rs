//! What takes many instructions of LLVM's and is done at many places is written once, as a function: a kernel with a hundred
//! divisions would else take seconds to compile.

use std::collections::HashMap;
use std::fmt::Write;

use super::Emitter;
use super::repeated::{Function, Reads, name};
use super::value::Value;
use super::writer::{LANES, Name};

/// Arithmetic that takes fewer instructions than this is not made a function.
const MANY: usize = 20;

impl Emitter<'_> {
    /// What the text since a mark makes of vectors: by a function, if it is long.
    pub(super) fn computed(&mut self, mark: usize, sources: &[Value], names: &[Name], made: Value) -> Value {
        let predicates = made.bits == 1 || sources.iter().any(|source| source.bits == 1);
        // Predicates are not in vector registers.
        if predicates || self.writer.since(mark).lines().count() < MANY {
            return made;
        }
        let ty = |bits: u32| format!("<{LANES} x i{bits}>");
        let passed: Vec<(&str, String)> =
            names.iter().zip(sources).map(|(name, source)| (name.as_str(), ty(source.bits))).collect();
        made.renamed(|name| self.once(mark, &passed, (name, &ty(made.bits)), Reads::Tables))
    }

    /// What the text since a mark makes of some values, by a function. If it has more than values that are made of each other
    /// and of those, it stays.
    pub(super) fn once(
        &mut self,
        mark: usize,
        sources: &[(&str, String)],
        (made, ty): (&str, &str),
        reads: Reads,
    ) -> Name {
        // The same value is passed once, and a constant not at all.
        let mut passed: Vec<&(&str, String)> = Vec::new();
        for source in sources {
            if source.0.starts_with('%') && !passed.contains(&source) {
                passed.push(source);
            }
        }
        let names = passed.iter().map(|(name, _)| *name);
        let Some((mut body, value)) = renamed(self.writer.since(mark), names, made) else {
            return made.to_owned();
        };
        let _ = writeln!(body, "  ret {ty} {value}");
        let each = |name: &dyn Fn(usize) -> Name| -> String {
            let each = passed.iter().enumerate().map(|(at, (_, ty))| format!("{ty} {}", name(at)));
            each.collect::<Vec<_>>().join(", ")
        };
        let (parameters, arguments) = (each(&parameter), each(&|at| passed[at].0.to_owned()));
        let number = self.common.repeated.number(Function { result: ty.to_owned(), parameters, body, reads });
        *self.repeated.entry(number).or_default() += 1;
        self.writer.cut(mark);
        self.writer.value(format!("call fastcc {ty} {}({arguments})", name(number)))
    }
}

fn parameter(at: usize) -> Name {
    format!("%a{at}")
}

/// Text with names that do not depend on where it stands, and the one of its result; `None` if it has more than values that
/// are made of each other and of what is passed.
fn renamed<'a>(text: &str, passed: impl Iterator<Item = &'a str>, result: &str) -> Option<(String, Name)> {
    let mut names: HashMap<&str, Name> = HashMap::new();
    for (at, name) in passed.enumerate() {
        names.insert(name.strip_prefix('%')?, parameter(at));
    }
    let mut body = String::new();
    for line in text.lines() {
        let (made, by) = line.trim_start().strip_prefix('%')?.split_once(" = ")?;
        let mut parts = by.split('%');
        let mut renamed = parts.next()?.to_owned();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(part.len());
            renamed.push_str(names.get(&part[..end])?);
            renamed.push_str(&part[end..]);
        }
        let name = format!("%r{}", names.len());
        let _ = writeln!(body, "  {name} = {renamed}");
        names.insert(made, name);
    }
    let value = names.get(result.strip_prefix('%')?)?.clone();
    Some((body, value))
}
