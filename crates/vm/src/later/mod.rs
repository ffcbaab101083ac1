//! Modules whose functions are read later: when such a module is loaded, its declarations are parsed, checked and lowered,
//! and the bodies of its functions are not looked into. A kernel that somebody asks for is read then, with all that it can
//! reach.
//!
//! What comes of it is what comes of the whole text. So wherever the pieces of a text may give something else, the whole
//! is read after all: where functions have addresses, which are their numbers in the whole; where anything is wrong, which
//! may be because something is missing among the pieces; and where the pieces of many kernels have become longer than the
//! text, so that no module takes much more time and memory than it would have taken at once.

mod body;
mod items;
mod pieces;
mod variables;

use std::sync::{Arc, Mutex, PoisonError};

use ptxvm_ir::{Callee, FunctionId, OperandKind, Program, RelocationTarget};
use ptxvm_memory::{Budget, Charge};
use ptxvm_syntax::Diagnostic;
use rustc_hash::FxHashMap;

use crate::failure::{LoadError, guarded};
use crate::linked::{
    Goal, KEPT_WEIGHT, LOAD_WEIGHT, LoadOptions, charge, lower, translate, unresolved, wants_runtime,
};

pub(crate) use body::Body;
use items::Items;
use variables::Variables;

/// The pieces that are read of a text may be so many times as long as it is before the whole is read.
const MOST_READ: u64 = 2;

/// What a variable that is added to a program is worth in bytes of text.
const ADDED: u64 = 64;

/// What is known of a module whose bodies have not been read, besides its declarations.
#[derive(Debug)]
pub(crate) struct Later {
    items: Items,
    options: LoadOptions,
    budget: Arc<Budget>,
    variables: Variables,
    /// Whether an initialiser names a function, so that every kernel may call it by its address.
    has_addresses: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// By entry: what has been read.
    bodies: FxHashMap<FunctionId, Result<Arc<Body>, LoadError>>,
    whole: Whole,
    /// How much text has been read so far.
    read: u64,
    kept: Vec<Charge>,
}

/// The program of the whole text.
#[derive(Debug)]
enum Whole {
    Unread,
    Read(Arc<Program>),
    Wrong(LoadError),
}

impl Later {
    /// The declarations of a text as a program, with the warnings. `None` if it has to be read as a whole.
    pub fn begin(
        goal: &Goal<'_>,
        source: &str,
        options: &LoadOptions,
    ) -> Option<(Program, Vec<Diagnostic>, Self)> {
        let items = Items::of(source)?;
        let pieces = items.declarations(source);
        let _loading = charge(goal.budget, pieces.text().len() as u64, LOAD_WEIGHT).ok()?;
        let (mut program, mut warnings) = translate(goal, pieces.text(), options).ok()?;
        if wants_runtime(&program) || !unresolved(&program, |_| true).is_empty() {
            return None;
        }
        pieces.place_program(&mut program);
        pieces.place_diagnostics(&mut warnings);
        let kept = charge(goal.budget, pieces.text().len() as u64, KEPT_WEIGHT).and_then(|mut kept| {
            let more = source.len() + items.bytes();
            kept.grow(more as u64).map(|()| kept).map_err(LoadError::Budget)
        });
        let variables = Variables::of(&program);
        let relocations = program.variables.iter().flat_map(|variable| &variable.relocations);
        let has_addresses =
            relocations.into_iter().any(|r| matches!(r.target, RelocationTarget::Function(_)));
        let state =
            State { bodies: FxHashMap::default(), whole: Whole::Unread, read: 0, kept: vec![kept.ok()?] };
        let (options, budget, state) = (*options, Arc::clone(goal.budget), Mutex::new(state));
        let later = Self { items, options, budget, variables, has_addresses, state };
        Some((program, warnings, later))
    }

    /// An entry with all that it can reach. `declarations` is what [`Later::begin`] has made of the same text.
    ///
    /// # Errors
    /// What is wrong with it; if anything is, also what is wrong with the rest of the module.
    pub fn body(
        &self,
        declarations: &Program,
        source: &str,
        entry: FunctionId,
    ) -> Result<Arc<Body>, LoadError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = state.bodies.get(&entry) {
            return known.clone();
        }
        let body = self.read(&mut state, declarations, source, entry).map(Arc::new);
        // There may be more memory another time.
        if !matches!(body, Err(LoadError::Budget(_))) {
            state.bodies.insert(entry, body.clone());
        }
        body
    }

    fn read(
        &self,
        state: &mut State,
        declarations: &Program,
        source: &str,
        entry: FunctionId,
    ) -> Result<Body, LoadError> {
        if self.has_addresses {
            return self.of_whole(state, declarations, source, entry);
        }
        if state.read > MOST_READ * source.len() as u64
            && let Ok(body) = self.of_whole(state, declarations, source, entry)
        {
            return Ok(body);
        }
        match self.of_pieces(state, declarations, source, entry) {
            Ok(body) if !speaks_of_addresses(body.program()) => Ok(body),
            Err(LoadError::Budget(over)) => Err(LoadError::Budget(over)),
            _ => self.of_whole(state, declarations, source, entry),
        }
    }

    /// Reads an entry and what it speaks of.
    fn of_pieces(
        &self,
        state: &mut State,
        declarations: &Program,
        source: &str,
        entry: FunctionId,
    ) -> Result<Body, LoadError> {
        let name = &declarations.functions[entry.0 as usize].name;
        let pieces = self.items.needed(source, name);
        let length = pieces.text().len() as u64;
        state.read += length;
        let _loading = charge(&self.budget, length, LOAD_WEIGHT)?;
        let lowered = guarded(|| lower(pieces.text(), &self.options)).map_err(LoadError::Bug)?;
        let (mut program, _) = lowered.map_err(|error| pieces.place_error(error))?;
        pieces.place_program(&mut program);
        program.files.clone_from(&declarations.files);
        let body = Body::new(&self.variables, program, declarations, entry)?;
        state.read += ADDED * body.added();
        state.kept.push(charge(&self.budget, length, KEPT_WEIGHT)?);
        Ok(body)
    }

    /// The same out of the program of the whole text.
    fn of_whole(
        &self,
        state: &mut State,
        declarations: &Program,
        source: &str,
        entry: FunctionId,
    ) -> Result<Body, LoadError> {
        if let Whole::Unread = state.whole {
            let length = source.len() as u64;
            let _loading = charge(&self.budget, length, LOAD_WEIGHT)?;
            let kept = charge(&self.budget, length, KEPT_WEIGHT)?;
            state.whole = match guarded(|| lower(source, &self.options)).map_err(LoadError::Bug)? {
                Ok((mut program, _)) => {
                    // They are in memory since the module was loaded.
                    program.variables.iter_mut().for_each(|variable| variable.initial = Vec::new());
                    state.kept.push(kept);
                    Whole::Read(Arc::new(program))
                }
                Err(error) => Whole::Wrong(error),
            };
        }
        match &state.whole {
            Whole::Read(program) => Body::of_whole(&self.variables, Arc::clone(program), declarations, entry),
            Whole::Wrong(error) => Err(error.clone()),
            Whole::Unread => Err(LoadError::Bug("the whole text has not been read".into())),
        }
    }
}

/// Whether something in a program depends on the numbers of functions, which are their addresses.
fn speaks_of_addresses(program: &Program) -> bool {
    program.functions.iter().any(|function| {
        let indirect = |callee: Callee| matches!(callee, Callee::Indirect(_));
        function.calls.iter().any(|call| indirect(call.callee))
            || function.operands.iter().any(|operand| matches!(operand.kind, OperandKind::Function(_)))
    })
}
