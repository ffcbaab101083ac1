//! A kernel of a module whose functions are read later: the program that it is in, and where that program's variables are
//! among those of the module.

use std::sync::Arc;

use ptxvm_ir::{Callee, FunctionId, OperandKind, Program, Variable};
use ptxvm_machine::Addresses;
use rustc_hash::FxHashSet;

use super::variables::Variables;
use crate::failure::LoadError;
use crate::linked::unresolved;

/// A variable that the host places nowhere.
const NONE: u32 = u32::MAX;

/// A kernel with what it can reach.
#[derive(Debug)]
pub(crate) struct Body {
    program: Arc<Program>,
    entry: FunctionId,
    /// By variable of the program: its number among the module's.
    variables: Vec<u32>,
    /// How many variables it does not speak of.
    added: u64,
}

impl Body {
    /// The one in a program that has been made from some pieces of a module.
    pub(super) fn new(
        module: &Variables,
        mut program: Program,
        declarations: &Program,
        entry: FunctionId,
    ) -> Result<Self, LoadError> {
        let name = &declarations.functions[entry.0 as usize].name;
        let Some(own) = program.functions.iter().position(|function| function.name == *name) else {
            return Err(LoadError::Bug(format!("`{name}` is not where it was found")));
        };
        let mut variables = numbers(module, &program, declarations);
        // The others may be reached by mistake, and are then called by their names.
        let known: FxHashSet<u32> = variables.iter().copied().collect();
        let others: Vec<u32> =
            module.placed.iter().copied().filter(|number| !known.contains(number)).collect();
        for variable in &mut program.variables {
            // They are in memory since the module was loaded.
            variable.initial = Vec::new();
        }
        program.variables.extend(others.iter().map(|number| {
            let Variable { name, space, size, align, linkage, managed, .. } =
                &declarations.variables[*number as usize];
            Variable {
                name: name.clone(),
                space: *space,
                size: *size,
                align: *align,
                linkage: *linkage,
                managed: *managed,
                function: None,
                offset: 0,
                initial: Vec::new(),
                relocations: Vec::new(),
                opaque: None,
            }
        }));
        let added = others.len() as u64;
        variables.extend(others);
        Self { program: Arc::new(program), entry: FunctionId(own as u32), variables, added }.resolved()
    }

    /// The one in the program of the whole text.
    pub(super) fn of_whole(
        module: &Variables,
        program: Arc<Program>,
        declarations: &Program,
        entry: FunctionId,
    ) -> Result<Self, LoadError> {
        let same = |(a, b): (&ptxvm_ir::Function, &ptxvm_ir::Function)| a.name == b.name;
        if program.functions.len() != declarations.functions.len()
            || !program.functions.iter().zip(&declarations.functions).all(same)
        {
            return Err(LoadError::Bug("a module has other functions than its declarations".into()));
        }
        let variables = numbers(module, &program, declarations);
        Self { program, entry, variables, added: 0 }.resolved()
    }

    /// This, if nothing that it calls is missing.
    fn resolved(self) -> Result<Self, LoadError> {
        let reached = reached(&self.program, self.entry);
        let missing = unresolved(&self.program, |function| reached[function.0 as usize]);
        if missing.is_empty() { Ok(self) } else { Err(LoadError::Unresolved(missing)) }
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The kernel in the program.
    pub fn entry(&self) -> FunctionId {
        self.entry
    }

    pub(super) fn added(&self) -> u64 {
        self.added
    }

    /// Where the variables of the program lie, of a module whose own lie at these addresses.
    pub fn addresses(&self, module: &Addresses) -> Addresses {
        let address = |number: &u32| module.variables.get(*number as usize).copied().unwrap_or(0);
        Addresses { variables: self.variables.iter().map(address).collect() }
    }
}

/// By variable of a program: its number among the declarations.
fn numbers(module: &Variables, program: &Program, declarations: &Program) -> Vec<u32> {
    let owner = |program: &Program, variable: &Variable| {
        let function = variable.function.and_then(|id| program.functions.get(id.0 as usize));
        function.map(|function| function.name.clone())
    };
    let number = |variable: &Variable| match (variable.function, &variable.opaque) {
        (None, _) => module.number(&variable.name),
        (Some(_), None) => None,
        // A texture among a kernel's parameters has a handle.
        (Some(_), Some(_)) => {
            let function = owner(program, variable);
            let same = |v: &Variable| {
                v.name == variable.name && owner(declarations, v).as_ref() == function.as_ref()
            };
            declarations.variables.iter().position(same).map(|number| number as u32)
        }
    };
    program.variables.iter().map(|variable| number(variable).unwrap_or(NONE)).collect()
}

/// By function: whether an entry can reach it.
fn reached(program: &Program, entry: FunctionId) -> Vec<bool> {
    let mut reached = vec![false; program.functions.len()];
    let mut work = vec![entry];
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut reached[id.0 as usize], true) {
            continue;
        }
        let function = &program.functions[id.0 as usize];
        work.extend(function.calls.iter().filter_map(|call| match call.callee {
            Callee::Direct(callee) => Some(callee),
            Callee::Indirect(_) => None,
        }));
        work.extend(function.operands.iter().filter_map(|operand| match operand.kind {
            OperandKind::Function(function) => Some(function),
            _ => None,
        }));
    }
    reached
}
