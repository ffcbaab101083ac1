//! The variables of a module by their names, as its declarations number them.

use ptxvm_ir::{Program, Space};
use ptxvm_syntax::Interner;

/// The variables of a module.
#[derive(Debug, Default)]
pub struct Variables {
    names: Interner,
    /// By name: its number.
    numbers: Vec<u32>,
    /// Those of them that lie in global and constant memory.
    pub placed: Vec<u32>,
}

impl Variables {
    /// Those of a module's declarations.
    pub fn of(declarations: &Program) -> Self {
        let mut all = Self::default();
        for (number, variable) in (0..).zip(&declarations.variables).filter(|(_, v)| v.function.is_none()) {
            if all.names.intern(&variable.name).0 as usize == all.numbers.len() {
                all.numbers.push(number);
            }
            if matches!(variable.space, Space::Global | Space::Const) && variable.opaque.is_none() {
                all.placed.push(number);
            }
        }
        all
    }

    /// The number of the variable of this name.
    pub fn number(&self, name: &str) -> Option<u32> {
        Some(self.numbers[self.names.get(name)?.0 as usize])
    }
}
