//! A result of double precision that nobody has looked at: a NaN in it may have any bits.

use ptxvm_ir::operation::compute::FloatFunction;

use super::writer::Name;

/// Such a result.
pub(super) struct Unlooked {
    /// What it was made by.
    pub function: FloatFunction,
    /// The vectors that it was made of, then its own.
    pub names: Vec<Name>,
}

impl Unlooked {
    /// Its own vector.
    pub fn name(&self) -> &Name {
        &self.names[self.names.len() - 1]
    }

    /// The vectors that it was made of.
    pub fn sources(&self) -> &[Name] {
        &self.names[..self.names.len() - 1]
    }
}
