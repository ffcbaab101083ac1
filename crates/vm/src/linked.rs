//! Links texts into one complete program: all checks of PTX that need no device. A linker needs nothing more.

use std::sync::Arc;

use ptxvm_ir::{Callee, FunctionId, Linkage, ProblemKind, Program, Space, Variable};
use ptxvm_isa::{ISA, Target};
use ptxvm_machine::Unsupported;
use ptxvm_machine::builtin::Builtin;
use ptxvm_memory::{Budget, Charge};
use ptxvm_module::Options;
use ptxvm_syntax::ast::Span;
use ptxvm_syntax::{Diagnostic, Interner, Severity};

use crate::failure::{LoadError, guarded};

/// CUDA's device runtime as far as PTX can do it, its name in reports, and what it defines.
const RUNTIME: &str = include_str!("runtime.ptx");
const RUNTIME_TEXT: &str = "the device runtime";
const RUNTIME_NAMES: [&str; 5] = [
    "cudaCGGetIntrinsicHandle",
    "cudaCGSynchronize",
    "cudaCGSynchronizeGrid",
    "cudaCGGetSize",
    "cudaCGGetRank",
];

/// What a byte of PTX takes of the host's memory while it is loaded: tokens, tree, program and diagnostics of the worst
/// texts (measured: braces within braces take 54 to be checked, branches 104 to be linked).
pub const LOAD_WEIGHT: u64 = 128;

/// What a byte of PTX takes as long as its module lives: the text, its program and the index of its lines.
pub(crate) const KEPT_WEIGHT: u64 = 32;

/// What a variable takes besides its bytes on the device.
const VARIABLE: u64 = 640;

/// How strictly PTX is taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// Take a `.version` that is newer than the newest known one for that one, with a warning. Compilers write their
    /// newest version whatever the code needs; what is new in it is still an error where it is used.
    pub newer: bool,
    /// Take text for devices that this one is not, with what those have; the text of a fatbin may be for newer ones alone.
    pub any_target: bool,
    /// Of a text that is at least so long, leave the bodies of functions until a kernel is asked for that needs them. A
    /// wrong body is told then ([`KernelError::Load`](crate::KernelError::Load)). Texts that are linked with others are
    /// always read at once.
    pub bodies_later: Option<usize>,
}

/// A text of a module: a linked module has several, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What it is called; empty for a module of one text.
    pub name: String,
    /// Where it begins in the module's source.
    pub start: u32,
}

/// What texts are to run on.
#[derive(Clone, Copy, Debug)]
pub struct Goal<'a> {
    /// The architecture.
    pub target: Target,
    /// What it is called in messages.
    pub name: &'static str,
    /// What the host's memory for the work comes out of.
    pub budget: &'a Arc<Budget>,
}

/// Whether texts go together and make a program for the goal; the warnings.
///
/// # Errors
/// What is wrong with them. Names that none of them defines are the last thing that is looked at.
pub fn check_linked(
    goal: &Goal<'_>,
    texts: &[(&str, &str)],
    options: &LoadOptions,
) -> Result<Vec<Diagnostic>, LoadError> {
    let linked = match texts {
        [(_, text)] => Linked::one(goal, text, options)?,
        texts => Linked::several(goal, texts, options)?,
    };
    Ok(linked.resolved()?.warnings)
}

/// Texts that have become one program.
pub(crate) struct Linked {
    pub program: Program,
    /// The texts one after the other, and where each begins.
    pub source: String,
    pub texts: Vec<Text>,
    pub warnings: Vec<Diagnostic>,
    /// The memory that the work takes.
    pub loading: Charge,
}

impl Linked {
    /// One text.
    pub fn one(goal: &Goal<'_>, source: &str, options: &LoadOptions) -> Result<Self, LoadError> {
        let loading = charge(goal.budget, source.len() as u64, LOAD_WEIGHT)?;
        let (program, warnings) = translate(goal, source, options)?;
        let texts = vec![Text { name: String::new(), start: 0 }];
        Ok(Self { program, source: source.to_owned(), texts, warnings, loading })
    }

    /// Several, each with its name.
    pub fn several(
        goal: &Goal<'_>,
        texts: &[(&str, &str)],
        options: &LoadOptions,
    ) -> Result<Self, LoadError> {
        let length = texts.iter().map(|(_, text)| text.len() as u64).sum();
        let loading = charge(goal.budget, length, LOAD_WEIGHT)?;
        let mut source = String::new();
        let mut parts = Vec::with_capacity(texts.len());
        let mut warnings = Vec::new();
        let mut variables = Vec::new();
        for (name, text) in texts {
            let failed = |error| LoadError::Part { name: (*name).to_owned(), error: Box::new(error) };
            // Spans have 32 bits.
            let end = source.len() + text.len() + 1;
            let Some(start) = u32::try_from(end).ok().and(u32::try_from(source.len()).ok()) else {
                let what = "linking more than four gigabytes of PTX".to_owned();
                return Err(failed(LoadError::Unsupported(vec![Unsupported {
                    what,
                    span: Span::default(),
                }])));
            };
            let (program, warned) = translate(goal, text, options).map_err(failed)?;
            warnings.extend(warned.into_iter().map(|diagnostic| shifted(diagnostic, start)));
            variables.push(charge(goal.budget, variables_of(&program), 1).map_err(failed)?);
            parts.push(ptxvm_ir::Part { name: (*name).to_owned(), program, base: start });
            source.push_str(text);
            source.push('\n');
        }
        let texts = parts.iter().map(|part| Text { name: part.name.clone(), start: part.base }).collect();
        let program = guarded(|| ptxvm_ir::merge(parts)).map_err(LoadError::Bug)?.map_err(LoadError::Link)?;
        Ok(Self { program, source, texts, warnings, loading })
    }

    /// This, with the device runtime if it is used, and with nothing missing.
    pub fn resolved(self) -> Result<Self, LoadError> {
        let Self { program, mut source, mut texts, warnings, loading } = self;
        let program =
            guarded(|| with_runtime(program, &mut source, &mut texts)).map_err(LoadError::Bug)??;
        let unresolved = unresolved(&program, |_| true);
        if !unresolved.is_empty() {
            return Err(LoadError::Unresolved(unresolved));
        }
        Ok(Self { program, source, texts, warnings, loading })
    }
}

/// The host's memory that the variables of a program take: a few letters may stand for many of them.
pub(crate) fn variables_of(program: &Program) -> u64 {
    let bytes = |v: &Variable| VARIABLE + (v.initial.len() + size_of_val(&*v.relocations)) as u64;
    program.variables.iter().map(bytes).sum()
}

/// Takes the memory that so much text needs.
pub(crate) fn charge(budget: &Arc<Budget>, length: u64, weight: u64) -> Result<Charge, LoadError> {
    budget.charge(length.saturating_mul(weight)).map_err(LoadError::Budget)
}

/// A diagnostic of a text that begins at `start`.
fn shifted(mut diagnostic: Diagnostic, start: u32) -> Diagnostic {
    let labels = std::iter::once(&mut diagnostic.primary).chain(&mut diagnostic.secondary);
    labels.for_each(|label| label.span = Span::new(label.span.start + start, label.span.end + start));
    diagnostic
}

/// Links the device runtime to a program that declares a function of it.
fn with_runtime(program: Program, source: &mut String, texts: &mut Vec<Text>) -> Result<Program, LoadError> {
    if !wants_runtime(&program) {
        return Ok(program);
    }
    let (runtime, _) = lower(RUNTIME, &LoadOptions::default())?;
    let Ok(start) = u32::try_from(source.len() + 1) else { return Ok(program) };
    source.push('\n');
    source.push_str(RUNTIME);
    texts.push(Text { name: RUNTIME_TEXT.to_owned(), start });
    let part = |name: &str, program, base| ptxvm_ir::Part { name: name.to_owned(), program, base };
    ptxvm_ir::merge(vec![part("the module", program, 0), part(RUNTIME_TEXT, runtime, start)])
        .map_err(LoadError::Link)
}

/// Whether a text of a module is the device runtime, which is linked to modules that declare what it defines.
#[must_use]
pub fn is_runtime(text: &str) -> bool {
    text == RUNTIME_TEXT
}

/// Whether a program declares a function of the device runtime.
pub(crate) fn wants_runtime(program: &Program) -> bool {
    let wanted = |f: &ptxvm_ir::Function| !f.defined && RUNTIME_NAMES.contains(&f.name.as_str());
    program.functions.iter().any(wanted)
}

/// Text to a program that the goal can run, with the warnings.
pub(crate) fn translate(
    goal: &Goal<'_>,
    source: &str,
    options: &LoadOptions,
) -> Result<(Program, Vec<Diagnostic>), LoadError> {
    let (program, warnings) = guarded(|| lower(source, options)).map_err(LoadError::Bug)??;
    let wanted = program.language.target;
    if !options.any_target && !goal.target.meets(wanted) {
        return Err(LoadError::Target { module: wanted, device: goal.target, name: goal.name });
    }
    Ok((program, warnings))
}

/// Text to program, with the warnings.
pub(crate) fn lower(source: &str, options: &LoadOptions) -> Result<(Program, Vec<Diagnostic>), LoadError> {
    let parsed = ptxvm_syntax::parse(source, &Interner::with_words(ISA.words));
    let options = Options { newer: options.newer, ..Options::default() };
    let checked = ptxvm_module::check(&parsed.file, source, &ISA, &options);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(checked.diagnostics);
    diagnostics.sort_by_key(|d| d.primary.span.start);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(LoadError::Invalid(diagnostics));
    }
    match ptxvm_ir::lower(&parsed.file, source, &checked.module, &ISA) {
        Ok(program) => Ok((program, diagnostics)),
        Err(problems) => Err(match problems.iter().find(|p| p.kind == ProblemKind::Invalid) {
            // The check found nothing, so what the lowering misses is missing in the check.
            Some(problem) => LoadError::Bug(format!("the check let pass: {problem}")),
            None => {
                let what = problems.into_iter().map(|p| Unsupported { what: p.message, span: p.span });
                LoadError::Unsupported(what.collect())
            }
        }),
    }
}

/// The names that neither the module nor the machine defines, of the functions that those of interest call, and of all
/// variables.
pub(crate) fn unresolved(program: &Program, of_interest: impl Fn(FunctionId) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &String| {
        if !names.contains(name) {
            names.push(name.clone());
        }
    };
    let functions = (0..).map(FunctionId).zip(&program.functions).filter(|(id, _)| of_interest(*id));
    for call in functions.flat_map(|(_, f)| &f.calls) {
        if let Callee::Direct(callee) = call.callee {
            let callee = &program.functions[callee.0 as usize];
            if !callee.defined && Builtin::named(&callee.name).is_none() {
                add(&callee.name);
            }
        }
    }
    for variable in program.variables.iter().filter(|v| v.linkage == Linkage::Extern) {
        if matches!(variable.space, Space::Global | Space::Const) {
            add(&variable.name);
        }
    }
    names
}
