//! What every check can see: the tree, the table, the module's language, the names in scope, and a place to report to.
//!
//! This is the whole interface between the walk through a module and the check of one instruction. The documentation of
//! [`crate::scope`] says how to use it.

use ptxvm_isa::target::describe_need;
use ptxvm_isa::{Isa, Language};
use ptxvm_syntax::ast::{ExpressionId, File, Span, Symbol};
use ptxvm_syntax::codes::TOO_MANY_ERRORS;
use ptxvm_syntax::{Diagnostic, ERROR_LIMIT, Evaluator, Value};

use rustc_hash::FxHashMap;

use crate::codes;
use crate::debug::Debug;
use crate::entity::{Entity, FunctionId, VariableId};
use crate::instruction::form::Forms;
use crate::module::{Function, Module, Registers, TextureMode, Variable};
use crate::scope::Scopes;

/// The state of one check.
pub struct Context<'a> {
    /// The tree.
    pub file: &'a File,
    /// The text it was parsed from.
    pub source: &'a str,
    /// What PTX is.
    pub isa: &'a Isa,
    /// The `.version` and the target that holds here: the file's last one, or the one that overrides it.
    pub language: Language,
    /// The rows found for each spelling of an instruction so far.
    pub forms: Forms,
    /// The function whose body is being walked.
    pub function: Option<FunctionId>,
    /// The names in scope.
    pub scopes: Scopes,
    /// What has been resolved so far; it also holds the address size and the texture mode.
    pub module: Module,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The symbol of `call`, if the file has one.
    pub(crate) call: Option<Symbol>,
    /// What the debugging directives have said.
    pub(crate) debug: Debug,
    /// By prefix: how many labels `prefix<N>` of the current function have been looked up.
    pub(crate) target_ranges: FxHashMap<Symbol, u32>,
    /// The texture mode that the target list has named.
    pub(crate) texture_mode_given: Option<TextureMode>,
    /// The registers declared so far in the current function.
    pub(crate) registers: Vec<Registers>,
    /// The number of the next one.
    pub(crate) next_register: u32,
    /// The number of the next variable.
    pub(crate) next_variable: u32,
    pub(crate) evaluator: Evaluator,
    /// Whether the current function is a kernel that asks for no memory of each CTA.
    pub(crate) lacks_memory: bool,
}

impl<'a> Context<'a> {
    /// What a name in the current instruction stands for; `None` if nothing of that name is in scope, which has been
    /// reported already.
    #[inline]
    #[must_use]
    pub fn lookup(&self, symbol: Symbol) -> Option<Entity> {
        self.scopes.lookup(symbol)
    }

    /// Keeps a diagnostic, unless there are too many already.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < ERROR_LIMIT {
            self.diagnostics.push(diagnostic);
        } else if self.diagnostics.len() == ERROR_LIMIT {
            let span = diagnostic.primary.span;
            let message = format!("there are more than {ERROR_LIMIT} errors; the rest is not shown");
            self.diagnostics.push(Diagnostic::error(TOO_MANY_ERRORS, span, message));
        }
    }

    /// The value of a constant expression; `None` if it has none, and why has been reported.
    pub fn constant(&mut self, expression: ExpressionId) -> Option<Value> {
        match self.evaluator.eval(self.file, expression) {
            Ok(value) => Some(value),
            Err(error) => {
                if let Some(diagnostic) = error.diagnostic() {
                    self.report(diagnostic);
                }
                None
            }
        }
    }

    /// The value of an integer literal that must fit in 32 bits, as the numbers of directives must.
    pub fn small_integer(&mut self, expression: ExpressionId) -> Option<u32> {
        let value = self.constant(expression)?.integer()?;
        let small = u32::try_from(value).ok();
        if small.is_none() {
            let message = format!("{value} does not fit in 32 bits");
            let span = self.file[expression].span;
            self.report(Diagnostic::error(codes::COUNT_RANGE, span, message));
        }
        small
    }

    /// The spelling of a symbol.
    #[must_use]
    pub fn text(&self, symbol: Symbol) -> &'a str {
        self.file.text(symbol)
    }

    /// The full description of a variable or parameter.
    #[must_use]
    pub fn variable(&self, id: VariableId) -> &Variable {
        self.module.variable(id)
    }

    /// The signature and body of a function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.module.functions[id.0 as usize]
    }

    /// Reports if the module's version or target lacks what the directive table asks for `name`.
    pub fn need(&mut self, name: &str, what: &str, span: Span) {
        let Some(directive) = self.isa.directives.iter().find(|d| d.name == name) else { return };
        if !self.language.meets(directive.need) {
            self.lack(what, describe_need(directive.need), span, directive.section);
        }
    }

    /// Reports that the module's version or target lacks something.
    pub fn lack(&mut self, what: &str, need: String, span: Span, section: &'static str) {
        let Language { ptx, target } = self.language;
        let message = format!("{what} needs {need}; this module is PTX {ptx} for {target}");
        self.report(Diagnostic::error(codes::NEED, span, message).section(section));
    }
}
