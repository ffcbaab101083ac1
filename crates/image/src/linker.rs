//! The linker: makes one image from many texts.
//!
//! The image is a container with all the texts, which are linked again when it is loaded. The linker also checks that they
//! fit together, because a program expects link errors at this point.

use std::sync::Arc;

use ptxvm_isa::Target;
use ptxvm_vm::image::encode;
use ptxvm_vm::{Budget, Goal, LoadError, check_linked};

use super::{Part, messages, options};

/// A link in progress.
pub struct Linker {
    target: Target,
    name: &'static str,
    budget: Arc<Budget>,
    parts: Vec<Part>,
    /// The names that each of them uses and does not define.
    missing: Vec<Vec<String>>,
}

impl Linker {
    /// Begins one for a target, which messages call by this name.
    #[must_use]
    pub fn new(target: Target, name: &'static str, budget: &Arc<Budget>) -> Self {
        Self { target, name, budget: Arc::clone(budget), parts: Vec::new(), missing: Vec::new() }
    }

    /// What has been added.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Adds a text, which has to be right by itself. What it does not define may come with others.
    ///
    /// # Errors
    /// What is wrong with it, and the text for the places that the error names.
    pub fn add(&mut self, mut part: Part) -> Result<(), Box<(LoadError, Part)>> {
        if part.name.is_empty() {
            part.name = format!("input {}", self.parts.len() + 1);
        }
        let missing = match self.check(std::slice::from_ref(&part)) {
            Ok(()) => Vec::new(),
            Err(LoadError::Unresolved(names)) => names,
            Err(error) => return Err(Box::new((error, part))),
        };
        self.missing.push(missing);
        self.parts.push(part);
        Ok(())
    }

    /// The image of what has been added. Names that nothing defines are an error, unless it will be linked again.
    ///
    /// # Errors
    /// The texts do not go together.
    pub fn complete(&self, relocatable: bool) -> Result<Vec<u8>, LoadError> {
        if self.parts.is_empty() {
            return Ok(encode(&[self.nothing()]));
        }
        match self.check(&self.parts) {
            Err(LoadError::Unresolved(_)) if relocatable => {}
            checked => checked?,
        }
        Ok(encode(&self.parts))
    }

    /// What a failed link has to say, for the error log.
    #[must_use]
    pub fn errors(&self, error: &LoadError) -> String {
        messages::link_errors(error, &self.parts, &self.missing)
    }

    fn check(&self, parts: &[Part]) -> Result<(), LoadError> {
        let texts: Vec<(&str, &str)> = parts.iter().map(|part| (&*part.name, &*part.ptx)).collect();
        let goal = Goal { target: self.target, name: self.name, budget: &self.budget };
        check_linked(&goal, &texts, &options(parts)).map(|_| ())
    }

    /// A module with nothing in it: what a link of nothing gives.
    fn nothing(&self) -> Part {
        let ptx = format!(".version 9.1\n.target {}\n.address_size 64\n", self.target);
        Part { name: "nothing".to_owned(), ptx, ..Part::default() }
    }
}
