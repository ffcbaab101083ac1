//! Turns a syntax tree into a module: resolves names, checks types, and refuses everything that ptxas would refuse.
//!
//! [`check`] never fails and never panics: it returns what it could resolve, and a list of what is wrong.
//! ptxas decides what is right (13.4, and 13.2 for what it has), not the manual's text; where they differ, a comment says so.
#![forbid(unsafe_code)]

pub mod body;
pub mod bounds;
pub mod call;
pub mod codes;
pub mod constant;
pub mod context;
pub mod debug;
pub mod declaration;
pub mod declared;
pub mod entity;
pub mod function;
pub mod head;
pub mod initializer;
pub mod instruction;
pub mod member;
pub mod module;
pub mod parameter;
pub mod pragma;
pub mod scope;

use ptxvm_isa::{Isa, Target};
use ptxvm_syntax::ast::{File, Item, ItemKind, Span};
use ptxvm_syntax::{Diagnostic, Evaluator};

use crate::context::Context;
use crate::declared::Place;
use crate::entity::Entity;
use crate::module::Module;
use crate::pragma::PragmaPlace;
use crate::scope::Scopes;

/// What may be asked of a check.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Check for this target instead of the file's own.
    pub target: Option<Target>,
    /// Take a version of the same major number that is newer than [`head::NEWEST`] for that one, with a warning. What
    /// the newer version has and the known one has not is still an error where it is used.
    pub newer: bool,
}

/// A module and what is wrong with it.
#[derive(Debug)]
pub struct Checked {
    /// What could be resolved.
    pub module: Module,
    /// What is wrong, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a file that has been parsed from `source` with an interner seeded with the words of `isa`.
#[must_use]
pub fn check(file: &File, source: &str, isa: &Isa, options: &Options) -> Checked {
    let module = Module::new(file);
    let mut context = Context {
        file,
        source,
        isa,
        language: module.language,
        forms: instruction::form::Forms::default(),
        function: None,
        scopes: Scopes::new(&file.interner),
        module,
        diagnostics: Vec::new(),
        call: file.interner.get("call"),
        debug: debug::Debug::new(file),
        target_ranges: rustc_hash::FxHashMap::default(),
        texture_mode_given: None,
        registers: Vec::new(),
        next_register: 0,
        next_variable: 0,
        lacks_memory: false,
        evaluator: Evaluator::default(),
    };
    let head = head::check(&mut context, options);
    context.scopes.enter();
    special_registers(&mut context);
    for item in &file.items[head..] {
        check_item(&mut context, item);
    }
    debug::finish(&mut context);
    let mut diagnostics = context.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    Checked { module: context.module, diagnostics }
}

/// Puts the special registers whose names occur in the file into the module's scope.
fn special_registers(context: &mut Context<'_>) {
    let interner = &context.file.interner;
    for (index, sreg) in context.isa.sregs.iter().enumerate() {
        if let Some(symbol) = interner.get(sreg.name) {
            let entity = Entity::Special(index as u16);
            // Names of special registers are distinct, so nothing can clash yet.
            let _ = context.scopes.declare(symbol, entity, Span::default(), interner);
        }
    }
}

fn check_item(context: &mut Context<'_>, item: &Item) {
    let file = context.file;
    match item.kind {
        ItemKind::Version { .. } => head::misplaced(context, item, ".version"),
        ItemKind::Target(_) => head::misplaced(context, item, ".target"),
        ItemKind::AddressSize(_) => head::misplaced(context, item, ".address_size"),
        ItemKind::Variable(id) => declaration::check(context, &file[id], Place::Module),
        ItemKind::Function(id) => function::check(context, id),
        ItemKind::Alias { name, aliasee } => function::alias(context, item.span, name, aliasee),
        ItemKind::Directive(id) => {
            let directive = &file[id];
            match file.text(directive.name.symbol) {
                "pragma" => pragma::check(context, directive, PragmaPlace::Module),
                "file" => debug::file(context, directive),
                _ => {}
            }
        }
        ItemKind::Section(id) => debug::section(context, &file[id]),
        ItemKind::Dwarf(_) => debug::dwarf(context, item.span),
    }
}
