//! What every part of the lowering shares: the tree, the module, the table, and the program that grows.

use ptxvm_isa::Isa;
use ptxvm_module::module::Module;
use ptxvm_syntax::ast::{Argument, ExpressionId, File, ItemKind, Span};
use ptxvm_syntax::{Evaluator, Value};

use crate::lower::form::Forms;
use crate::lower::inline_assembly::InlineAssembly;
use crate::lower::positions::Positions;
use crate::problem::{Problem, ProblemKind};
use crate::program::Program;

/// So many problems are kept; the rest would tell nothing new.
const MOST_PROBLEMS: usize = 100;

/// The state of one lowering.
pub struct Lowering<'a> {
    pub file: &'a File,
    pub source: &'a str,
    pub module: &'a Module,
    pub isa: &'static Isa,
    pub forms: Forms,
    pub program: Program,
    pub inline_assembly: InlineAssembly,
    pub positions: Positions,
    /// By function: what its variables take.
    pub frames: Vec<Frame>,
    /// What the module's own local variables have taken so far.
    pub module_local_bytes: u64,
    /// The initial bytes of all variables so far.
    pub initial_bytes: u64,
    evaluator: Evaluator,
    problems: Vec<Problem>,
}

impl<'a> Lowering<'a> {
    pub fn new(file: &'a File, source: &'a str, module: &'a Module, isa: &'static Isa) -> Self {
        let program = Program::empty(module.language, module.address_size);
        Self {
            file,
            source,
            module,
            isa,
            forms: Forms::default(),
            program,
            inline_assembly: InlineAssembly::of(file, source),
            positions: Positions::default(),
            frames: Vec::new(),
            module_local_bytes: 0,
            initial_bytes: 0,
            evaluator: Evaluator::default(),
            problems: Vec::new(),
        }
    }

    /// The program, or the problems.
    pub fn finish(mut self) -> Result<Program, Vec<Problem>> {
        if !self.problems.is_empty() {
            self.problems.sort_by_key(|problem| problem.span);
            return Err(self.problems);
        }
        (self.program.forms, self.program.operations) = self.forms.finish();
        Ok(self.program)
    }

    fn problem(&mut self, kind: ProblemKind, span: Span, message: impl Into<String>) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(Problem { kind, span, message: message.into() });
        }
    }

    /// Keeps that something is legal but cannot be lowered.
    pub fn unsupported(&mut self, span: Span, message: impl Into<String>) {
        self.problem(ProblemKind::Unsupported, span, message);
    }

    /// Keeps that the module's check has left something unresolved.
    pub fn unresolved(&mut self, span: Span) {
        self.problem(ProblemKind::Invalid, span, "the module has errors, here is one of them");
    }

    /// The value of a constant expression.
    pub fn constant(&mut self, expression: ExpressionId) -> Option<Value> {
        match self.evaluator.eval(self.file, expression) {
            Ok(value) => Some(value),
            Err(error) => {
                self.unresolved(error.span);
                None
            }
        }
    }

    /// The value of an integer expression.
    pub fn integer(&mut self, expression: ExpressionId) -> Option<u64> {
        let integer = self.constant(expression)?.integer();
        if integer.is_none() {
            self.unresolved(self.file[expression].span);
        }
        integer
    }

    /// The names that `.file` gives numbers to.
    pub fn files(&mut self) {
        let file = self.file;
        for item in &file.items {
            let ItemKind::Directive(id) = item.kind else { continue };
            if file.text(file[id].name.symbol) != "file" {
                continue;
            }
            let mut number = None;
            let mut name = None;
            for argument in &file[file[id].arguments] {
                match *argument {
                    Argument::Expression(id) if number.is_none() => number = self.integer(id),
                    Argument::Text(text) => name = Some(file.string(text, self.source)),
                    Argument::Expression(_) => {}
                }
            }
            if let (Some(number), Some(name)) = (number.and_then(|n| u32::try_from(n).ok()), name) {
                self.program.files.push((number, name.to_owned()));
            }
        }
    }
}

/// A function's parameter block and frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub parameter_bytes: u64,
    pub bytes: u64,
    pub align: u32,
    /// How many variables lie in it.
    pub variables: u32,
}

impl Default for Frame {
    fn default() -> Self {
        Self { parameter_bytes: 0, bytes: 0, align: 1, variables: 0 }
    }
}
