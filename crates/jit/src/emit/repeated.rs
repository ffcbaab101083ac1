//! The functions that a module has because it would write the same at many places. Where that makes little in all, LLVM writes
//! it in place.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::writer::Name;

/// A function is written in place as long as that makes no more instructions than this.
const MOST_IN_PLACE: usize = 500;

/// The functions of a module, with their numbers.
#[derive(Default)]
pub struct Repeated(BTreeMap<Function, u32>);

/// By number of a function: how often it is called.
pub type Uses = BTreeMap<u32, usize>;

/// A function, all of it but its name.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Function {
    pub result: String,
    pub parameters: String,
    pub body: String,
    pub reads: Reads,
}

/// What of memory a function reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reads {
    /// Nothing that ever changes.
    Tables,
    /// What the guest does.
    Memory,
}

impl Repeated {
    /// The number of a function.
    pub(super) fn number(&mut self, function: Function) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(function).or_insert(next)
    }

    /// The definitions of the functions that are called.
    pub fn definitions(&self, uses: &Uses) -> String {
        let mut definitions = String::new();
        for (Function { result, parameters, body, reads }, number) in &self.0 {
            let Some(times) = uses.get(number) else { continue };
            let attributes = match reads {
                _ if times * body.lines().count() <= MOST_IN_PLACE => "alwaysinline",
                Reads::Tables => "noinline nounwind willreturn readnone",
                Reads::Memory => "noinline nounwind willreturn readonly",
            };
            let name = name(*number);
            let _ = write!(
                definitions,
                "define internal fastcc {result} {name}({parameters}) {attributes} \"prefer-vector-width\"=\"512\" {{\n{body}}}\n"
            );
        }
        definitions
    }
}

/// The name of a function.
pub(super) fn name(number: u32) -> Name {
    format!("@repeated_{number}")
}
