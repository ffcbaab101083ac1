//! Makes an image from files: checks each with the front end, and adds its text as a part.

use std::collections::BTreeSet;

use ptxvm_ir::{Callee, Linkage, Program, Space};
use ptxvm_isa::{ISA, Suffix, Target};
use ptxvm_machine::builtin::Builtin;
use ptxvm_module::codes::UNKNOWN_VERSION;
use ptxvm_module::head::NEWEST;
use ptxvm_report::{Report, ptxas};
use ptxvm_syntax::{Interner, Severity};
use ptxvm_vm::image::Part;

/// A file that was read.
pub struct Source {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// What is assembled for.
pub struct Goal<'a> {
    /// The architecture.
    pub gpu: Target,
    /// Its name as given, which may be that of a virtual one.
    pub name: &'a str,
    /// Whether what other modules define may be missing.
    pub relocatable: bool,
    /// Whether warnings are wanted.
    pub warnings: bool,
}

/// Why there is no image.
pub enum Refused {
    /// Errors in the PTX, each a whole line.
    Errors(Vec<String>),
    /// One thing that ends it at once.
    Fatal(String),
    /// The same, as a whole line.
    Ended(String),
}

/// What was assembled: the parts of the image, their programs as far as ptxvm can run them, and warnings.
#[derive(Default)]
pub struct Assembled {
    pub parts: Vec<Part>,
    pub programs: Vec<Program>,
    pub warnings: Vec<String>,
}

/// Checks the sources together.
pub fn assemble(sources: &[Source], goal: &Goal<'_>) -> Result<Assembled, Refused> {
    let mut all = Assembled::default();
    let mut errors = Vec::new();
    let mut entries = BTreeSet::new();
    for source in sources {
        let text = match ptxvm_syntax::decode(&source.bytes) {
            Ok(text) => text,
            Err(error) => {
                errors.extend(ptxas::lines(&Report::undecodable(&source.name, &source.bytes, *error)));
                continue;
            }
        };
        let parsed = ptxvm_syntax::parse(text, &Interner::with_words(ISA.words));
        let checked = ptxvm_module::check(&parsed.file, text, &ISA, &ptxvm_module::Options::default());
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(checked.diagnostics);
        diagnostics.sort_by_key(|d| d.primary.span.start);
        let (wrong, warnings): (Vec<_>, Vec<_>) =
            diagnostics.into_iter().partition(|d| d.severity == Severity::Error);
        if goal.warnings {
            all.warnings.extend(ptxas::lines(&Report::with(&source.name, text.into(), warnings)));
        }
        if let Some(unknown) = wrong.iter().find(|d| d.code == UNKNOWN_VERSION) {
            // Clients learn from exactly these words which version is the newest.
            let version = unknown.primary.span.text(text);
            let report = Report::with(&source.name, text.into(), Vec::new());
            let line = report.place(unknown.primary.span).0.line;
            let what = format!("Unsupported .version {version}; current version is '{NEWEST}'");
            let line = format!("ptxas {}, line {line}; fatal   : {what}", source.name);
            if source.name == ptxas::IN_MEMORY {
                return Err(Refused::Ended(line));
            }
            errors.push(line);
            continue;
        }
        if !wrong.is_empty() {
            errors.extend(ptxas::lines(&Report::with(&source.name, text.into(), wrong)));
            continue;
        }
        unfit(checked.module.language.target, goal).map_or(Ok(()), |why| Err(Refused::Fatal(why)))?;
        // What ptxvm cannot run yet is no fault of the PTX: the image is made, and the launch says so.
        if let Ok(program) = ptxvm_ir::lower(&parsed.file, text, &checked.module, &ISA) {
            // Entries are known to every part; ptxas refuses two of a name.
            let report = Report::with(&source.name, text.into(), Vec::new());
            for function in program.functions.iter().filter(|f| f.defined && f.entry) {
                if !entries.insert(function.name.clone()) {
                    let line = report.place(function.span).0.line;
                    let what = format!("Duplicate definition of function '{}'", function.name);
                    errors.push(format!("ptxas {}, line {line}; error   : {what}", source.name));
                }
            }
            all.programs.push(program);
        }
        all.parts.push(Part {
            name: source.name.clone(),
            target: goal.name.to_owned(),
            max_registers: 0,
            ptx: text.to_owned(),
        });
    }
    if !errors.is_empty() {
        errors.splice(0..0, all.warnings);
        return Err(Refused::Errors(errors));
    }
    match unresolved(&all.programs) {
        Some(name) if !goal.relocatable => {
            Err(Refused::Fatal(format!("Unresolved extern function '{name}'")))
        }
        _ => Ok(all),
    }
}

/// Why PTX for `target` does not become code for the goal.
fn unfit(target: Target, goal: &Goal<'_>) -> Option<String> {
    let Goal { gpu, name, .. } = *goal;
    if target.sm > gpu.sm {
        return Some("SM version specified by .target is higher than default SM version assumed".to_owned());
    }
    match target.suffix {
        Suffix::Plain => None,
        Suffix::Arch if target.sm != gpu.sm => {
            Some(format!("Program with .target '{target}' cannot be compiled to future architecture"))
        }
        Suffix::Arch if gpu.suffix != Suffix::Arch => {
            Some(format!("PTX with .target '{target}' cannot be compiled for architecture '{name}'"))
        }
        // Every later chip of the family will do, by whatever name.
        Suffix::Family if !(Target { suffix: Suffix::Arch, ..gpu }).meets(target) => {
            let what = "cannot be compiled to different SM-family architecture";
            Some(format!("Program with .target '{target}' {what}"))
        }
        Suffix::Arch | Suffix::Family => None,
    }
}

/// A function that is called and defined nowhere.
fn unresolved(programs: &[Program]) -> Option<&str> {
    let defined =
        |name: &str| programs.iter().any(|p| p.functions.iter().any(|f| f.defined && f.name == name));
    let called = programs.iter().flat_map(|p| {
        p.functions.iter().flat_map(|f| &f.calls).filter_map(|call| match call.callee {
            Callee::Direct(callee) => p.functions.get(callee.0 as usize),
            Callee::Indirect(_) => None,
        })
    });
    let mut missing = called.filter(|f| !f.defined && !defined(&f.name) && Builtin::named(&f.name).is_none());
    missing.next().map(|f| f.name.as_str())
}

/// What `-v` tells of a program: the memory of the module and of its kernels. ptxvm assigns no registers, so none are
/// counted.
pub fn information(program: &Program, goal: &Goal<'_>) -> Vec<String> {
    let bytes = |space: Space, function: Option<usize>| -> u64 {
        let own = program.variables.iter().filter(|v| {
            v.space == space
                && v.function.map(|f| f.0 as usize) == function
                && v.linkage != Linkage::Extern
                && v.opaque.is_none()
        });
        own.map(|v| v.size).sum()
    };
    let constants = bytes(Space::Const, None);
    let constants = if constants > 0 { format!(", {constants} bytes cmem[3]") } else { String::new() };
    let mut lines = vec![format!("{} bytes gmem{constants}", bytes(Space::Global, None))];
    for (index, function) in program.functions.iter().enumerate().filter(|(_, f)| f.defined) {
        if function.entry {
            lines.push(format!("Compiling entry function '{}' for '{}'", function.name, goal.name));
        }
        let stack = bytes(Space::Local, Some(index));
        lines.push(format!("Function properties for {}\n    {stack} bytes stack frame", function.name));
        let shared = bytes(Space::Shared, Some(index));
        if function.entry && shared > 0 {
            lines.push(format!("Used {shared} bytes smem"));
        }
    }
    lines
}
