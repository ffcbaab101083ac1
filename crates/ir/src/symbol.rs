//! Which definition each name means when several programs are linked.
//!
//! As nvlink has it: one `.visible` definition counts for all parts; without one the `.common` ones are one variable,
//! as large as the largest; without those the first `.weak` one counts. A name that is nowhere defined stays one
//! declaration, which the machine may provide (`vprintf`) or which is the dynamic shared memory.

use rustc_hash::FxHashMap;

use crate::id::FunctionId;
use crate::part::{LinkProblem, Part};
use crate::program::{Function, Parameter};
use crate::variable::{Linkage, Variable};

/// Something with a name that other parts may see: the number of its part, and its own number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    Function(usize, u32),
    Variable(usize, u32),
}

impl Symbol {
    fn part(self) -> usize {
        match self {
            Self::Function(part, _) | Self::Variable(part, _) => part,
        }
    }
}

/// What the names of all parts mean.
pub struct Symbols<'a> {
    parts: &'a [Part],
    /// By name: what it means, and how strong that is.
    chosen: FxHashMap<&'a str, (Symbol, Rank)>,
}

/// The stronger definition counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Declared,
    Weak,
    Common,
    Strong,
}

impl<'a> Symbols<'a> {
    /// Chooses among the definitions, and keeps what does not agree.
    pub fn of(parts: &'a [Part], problems: &mut Vec<LinkProblem>) -> Self {
        let mut symbols = Self { parts, chosen: FxHashMap::default() };
        for (symbol, name, rank) in symbols.all() {
            match symbols.chosen.get(name) {
                Some(&(first, Rank::Strong)) if rank == Rank::Strong => {
                    problems.push(LinkProblem::Duplicate {
                        name: name.into(),
                        parts: symbols.names(first, symbol),
                    });
                }
                Some(&(_, known)) if known >= rank => {}
                _ => {
                    symbols.chosen.insert(name, (symbol, rank));
                }
            }
        }
        for (symbol, name, _) in symbols.all() {
            let meant = symbols.meaning(symbol);
            if meant != symbol
                && let Some(what) = symbols.difference(meant, symbol)
            {
                let parts = symbols.names(meant, symbol);
                problems.push(LinkProblem::Mismatch { name: name.into(), parts, what });
            }
        }
        symbols
    }

    /// Every name that other parts may see, in the order of the parts.
    fn all(&self) -> Vec<(Symbol, &'a str, Rank)> {
        let mut all = Vec::new();
        for (part, Part { program, .. }) in self.parts.iter().enumerate() {
            for (number, function) in program.functions.iter().enumerate() {
                if let Some(rank) = function_rank(function) {
                    all.push((Symbol::Function(part, number as u32), function.name.as_str(), rank));
                }
            }
            for (number, variable) in program.variables.iter().enumerate() {
                if let Some(rank) = variable_rank(variable) {
                    all.push((Symbol::Variable(part, number as u32), variable.name.as_str(), rank));
                }
            }
        }
        all
    }

    fn names(&self, first: Symbol, second: Symbol) -> [String; 2] {
        [first, second].map(|symbol| self.parts[symbol.part()].name.clone())
    }

    fn function(&self, part: usize, number: u32) -> &'a Function {
        &self.parts[part].program.functions[number as usize]
    }

    fn variable(&self, part: usize, number: u32) -> &'a Variable {
        &self.parts[part].program.variables[number as usize]
    }

    /// What a symbol means: itself, or what has been chosen for its name.
    pub fn meaning(&self, symbol: Symbol) -> Symbol {
        let name = match symbol {
            Symbol::Function(part, number) => {
                let function = self.function(part, number);
                function_rank(function).map(|_| function.name.as_str())
            }
            Symbol::Variable(part, number) => {
                let variable = self.variable(part, number);
                variable_rank(variable).map(|_| variable.name.as_str())
            }
        };
        name.and_then(|name| self.chosen.get(name)).map_or(symbol, |&(chosen, _)| chosen)
    }

    /// What is called when a symbol is: an alias stands for a function of its own part.
    pub fn callee(&self, part: usize, function: FunctionId) -> Symbol {
        let meant = self.meaning(Symbol::Function(part, function.0));
        match meant {
            Symbol::Function(part, number) => match self.function(part, number).alias {
                Some(aliasee) => self.meaning(Symbol::Function(part, aliasee.0)),
                None => meant,
            },
            Symbol::Variable(..) => meant,
        }
    }

    /// How what a name means differs from what a part takes it for.
    fn difference(&self, meant: Symbol, taken: Symbol) -> Option<String> {
        match (meant, taken) {
            (Symbol::Function(a, f), Symbol::Function(b, g)) => {
                functions_differ(self.function(a, f), self.function(b, g))
            }
            (Symbol::Variable(a, v), Symbol::Variable(b, w)) => {
                variables_differ(self.variable(a, v), self.variable(b, w))
            }
            _ => Some("one is a function, the other a variable".into()),
        }
    }
}

fn function_rank(function: &Function) -> Option<Rank> {
    match function.linkage {
        Linkage::Private => None,
        _ if !function.defined && function.alias.is_none() => Some(Rank::Declared),
        Linkage::Weak | Linkage::Common => Some(Rank::Weak),
        Linkage::Extern | Linkage::Visible => Some(Rank::Strong),
    }
}

/// The rank of a variable of the module; those of bodies are nobody else's.
fn variable_rank(variable: &Variable) -> Option<Rank> {
    match variable.linkage {
        _ if variable.function.is_some() => None,
        Linkage::Private => None,
        Linkage::Extern => Some(Rank::Declared),
        Linkage::Weak => Some(Rank::Weak),
        Linkage::Common => Some(Rank::Common),
        Linkage::Visible => Some(Rank::Strong),
    }
}

fn functions_differ(a: &Function, b: &Function) -> Option<String> {
    if a.entry != b.entry {
        return Some("one is a kernel, the other a device function".into());
    }
    // As with nvlink, a caller may speak of results that the function does not give, and the other way round: numba
    // declares functions of type void so.
    let results = if a.returns.is_empty() || b.returns.is_empty() {
        None
    } else {
        lists_differ("results", &a.returns, &b.returns)
    };
    results.or_else(|| lists_differ("parameters", &a.parameters, &b.parameters))
}

fn lists_differ(what: &str, a: &[Parameter], b: &[Parameter]) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("one has {} {what}, the other {}", a.len(), b.len()));
    }
    // A list that leaves its last size open takes any.
    let (at, (a, b)) =
        a.iter().zip(b).enumerate().find(|(_, (a, b))| a.size != b.size && a.size != 0 && b.size != 0)?;
    Some(format!("number {} of its {what} has {} bytes in one and {} in the other", at + 1, a.size, b.size))
}

fn variables_differ(a: &Variable, b: &Variable) -> Option<String> {
    if a.space != b.space {
        return Some("it is in different state spaces".into());
    }
    let kind = |variable: &Variable| variable.opaque.as_ref().map(|opaque| opaque.kind);
    if kind(a) != kind(b) {
        return Some("it is not the same kind of object (texture, sampler, surface or data)".into());
    }
    let open = a.size == 0 || b.size == 0 || a.linkage == Linkage::Common && b.linkage == Linkage::Common;
    (a.size != b.size && !open).then(|| format!("it has {} bytes in one and {} in the other", a.size, b.size))
}
