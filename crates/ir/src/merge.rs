//! Linking: several programs become one, with every `.extern` name led to the part that defines it.
//!
//! The texts of the parts lie one after the other, so that a span still says where something stands.

use ptxvm_syntax::ast::Span;
use rustc_hash::FxHashMap;

use crate::id::{FormId, FunctionId, OperationId, VariableId};
use crate::instruction::{Argument, Base, Callee, FormUse, OperandKind};
use crate::part::{LinkProblem, Part};
use crate::program::{Function, Home, Location, Program};
use crate::symbol::{Symbol, Symbols};
use crate::variable::{Linkage, RelocationTarget, Space, Variable};

/// Makes one program of several. Functions and variables keep their order, part after part.
///
/// # Errors
/// Every name that is defined twice or that parts disagree about.
pub fn merge(parts: Vec<Part>) -> Result<Program, Vec<LinkProblem>> {
    let mut problems = Vec::new();
    refuse(&parts, &mut problems);
    let symbols = Symbols::of(&parts, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let numbers = Numbers::of(&parts, &symbols);
    let Some(language) = parts.iter().map(|p| p.program.language).reduce(|a, b| {
        let target = if a.target.meets(b.target) { a.target } else { b.target };
        ptxvm_isa::Language { ptx: a.ptx.max(b.ptx), target }
    }) else {
        return Err(problems);
    };
    let mut merging = Merging {
        program: Program::empty(language, parts[0].program.address_size),
        forms: FxHashMap::default(),
    };
    for (part, numbers) in parts.into_iter().zip(&numbers) {
        merging.add(part, numbers);
    }
    Ok(merging.program)
}

fn refuse(parts: &[Part], problems: &mut Vec<LinkProblem>) {
    for part in parts {
        if part.program.address_size != parts[0].program.address_size {
            let parts = [parts[0].name.clone(), part.name.clone()];
            problems.push(LinkProblem::AddressSize { parts });
        }
        let local = |v: &&Variable| v.space == Space::Local && v.function.is_none();
        if let Some(local) = part.program.variables.iter().find(local)
            && parts.len() > 1
        {
            problems.push(LinkProblem::Local { name: local.name.clone(), part: part.name.clone() });
        }
    }
}

/// The numbers that the functions and variables of one part have in the whole.
struct Numbers {
    /// By function: what it is when it is called; its own number if it is kept.
    functions: Vec<FunctionId>,
    variables: Vec<VariableId>,
    /// Whether it is kept, or another part's stands for it.
    keeps_function: Vec<bool>,
    keeps_variable: Vec<bool>,
    /// The size and alignment that other parts ask of a variable that is kept.
    grown: FxHashMap<u32, (u64, u32)>,
}

impl Numbers {
    fn of(parts: &[Part], symbols: &Symbols<'_>) -> Vec<Self> {
        let (mut functions, mut variables) = (0, 0);
        let mut all: Vec<Self> = Vec::with_capacity(parts.len());
        // First those that are kept, in order.
        for (number, Part { program, .. }) in parts.iter().enumerate() {
            let mut own = Self {
                functions: vec![FunctionId(u32::MAX); program.functions.len()],
                variables: vec![VariableId(u32::MAX); program.variables.len()],
                keeps_function: vec![false; program.functions.len()],
                keeps_variable: vec![false; program.variables.len()],
                grown: FxHashMap::default(),
            };
            for index in 0..program.functions.len() {
                let symbol = Symbol::Function(number, index as u32);
                if symbols.meaning(symbol) == symbol {
                    own.keeps_function[index] = true;
                    own.functions[index] = FunctionId(functions);
                    functions += 1;
                }
            }
            for (index, variable) in program.variables.iter().enumerate() {
                let symbol = Symbol::Variable(number, index as u32);
                let housed = variable.function.is_none_or(|f| own.keeps_function[f.0 as usize]);
                if symbols.meaning(symbol) == symbol && housed {
                    own.keeps_variable[index] = true;
                    own.variables[index] = VariableId(variables);
                    variables += 1;
                }
            }
            all.push(own);
        }
        // Then those that stand for others. Everything that a symbol means is kept.
        for (number, Part { program, .. }) in parts.iter().enumerate() {
            for index in 0..program.functions.len() {
                if let Symbol::Function(part, meant) = symbols.callee(number, FunctionId(index as u32)) {
                    all[number].functions[index] = all[part].functions[meant as usize];
                }
            }
            for (index, variable) in program.variables.iter().enumerate() {
                let symbol = Symbol::Variable(number, index as u32);
                if let Symbol::Variable(part, meant) = symbols.meaning(symbol)
                    && symbol != Symbol::Variable(part, meant)
                {
                    all[number].variables[index] = all[part].variables[meant as usize];
                    let grown = all[part].grown.entry(meant).or_default();
                    let size = if variable.linkage == Linkage::Common { variable.size } else { 0 };
                    *grown = (grown.0.max(size), grown.1.max(variable.align));
                }
            }
        }
        all
    }

    fn function(&self, id: FunctionId) -> FunctionId {
        self.functions.get(id.0 as usize).copied().unwrap_or(id)
    }

    fn variable(&self, id: VariableId) -> VariableId {
        self.variables.get(id.0 as usize).copied().unwrap_or(id)
    }
}

/// The program that grows.
struct Merging {
    program: Program,
    forms: FxHashMap<FormUse, FormId>,
}

impl Merging {
    fn add(&mut self, part: Part, numbers: &Numbers) {
        let Part { program, base, .. } = part;
        let forms: Vec<FormId> = program.forms.iter().map(|form| self.form(form)).collect();
        // The numbers of files are a part's own, so each part's begin after those before.
        let files = self.program.files.iter().map(|(number, _)| number.saturating_add(1)).max().unwrap_or(0);
        let file = |number: u32| number.saturating_add(files);
        let locations = self.program.locations.len() as u32;
        let operations = self.program.operations.len() as u32;
        self.program.operations.extend(program.operations);
        self.program.files.extend(program.files.into_iter().map(|(number, name)| (file(number), name)));
        let functions = self.program.inlined_functions.len() as u32;
        self.program.inlined_functions.extend(program.inlined_functions);
        self.program.locations.extend(program.locations.iter().map(|l| Location {
            file: file(l.file),
            function: l.function.map(|function| function + functions),
            inlined_at: l.inlined_at.map(|outer| outer + locations),
            ..*l
        }));
        for (index, mut variable) in program.variables.into_iter().enumerate() {
            if !numbers.keeps_variable[index] {
                continue;
            }
            variable.function = variable.function.map(|f| numbers.function(f));
            for relocation in &mut variable.relocations {
                relocation.target = match relocation.target {
                    RelocationTarget::Variable(id) => RelocationTarget::Variable(numbers.variable(id)),
                    RelocationTarget::Function(id) => RelocationTarget::Function(numbers.function(id)),
                };
            }
            if let Some(&(size, align)) = numbers.grown.get(&(index as u32)) {
                (variable.size, variable.align) = (variable.size.max(size), variable.align.max(align));
            }
            self.program.variables.push(variable);
        }
        for (index, mut function) in program.functions.into_iter().enumerate() {
            if !numbers.keeps_function[index] {
                continue;
            }
            renumber(&mut function, numbers, base);
            for instruction in &mut function.instructions {
                instruction.form = forms[instruction.form.0 as usize];
                instruction.operation = instruction.operation.map(|id| OperationId(id.0 + operations));
                if instruction.location != u32::MAX {
                    instruction.location += locations;
                }
            }
            self.program.functions.push(function);
        }
    }

    fn form(&mut self, form: &FormUse) -> FormId {
        let next = FormId(self.program.forms.len() as u32);
        let id = *self.forms.entry(*form).or_insert(next);
        if id == next {
            self.program.forms.push(*form);
        }
        id
    }
}

/// Gives everything that a function speaks of its number in the whole.
fn renumber(function: &mut Function, numbers: &Numbers, base: u32) {
    let shift = |span: &mut Span| *span = Span::new(span.start + base, span.end + base);
    shift(&mut function.span);
    function.alias = function.alias.map(|id| numbers.function(id));
    for parameter in function.parameters.iter_mut().chain(&mut function.returns) {
        if let Some(Home::Variable(id)) = &mut parameter.home {
            *id = numbers.variable(*id);
        }
    }
    for instruction in &mut function.instructions {
        shift(&mut instruction.span);
    }
    for operand in &mut function.operands {
        match &mut operand.kind {
            OperandKind::Variable { variable: id, .. }
            | OperandKind::Address { base: Base::Variable(id), .. } => *id = numbers.variable(*id),
            OperandKind::Function(id) => *id = numbers.function(*id),
            _ => {}
        }
    }
    for call in &mut function.calls {
        if let Callee::Direct(id) = &mut call.callee {
            *id = numbers.function(*id);
        }
        for argument in call.arguments.iter_mut().chain(&mut call.returns) {
            if let Argument::Param(id) = argument {
                *id = numbers.variable(*id);
            }
        }
    }
}
