//! From a file's text to a litmus test: in herd's format, or in a PTX module.

use ptxvm_isa::ISA;
use ptxvm_model::test::Test;
use ptxvm_model::{codes, herd, ptx};
use ptxvm_syntax::{Diagnostic, Interner, Severity};

use crate::exit::{self, Exit};

/// The litmus test of a text, or what is wrong with it and how to exit.
pub fn read(name: &str, source: &str) -> Result<Test, (Vec<Diagnostic>, Exit)> {
    if !ptx::is_litmus(source) && !name.ends_with(".ptx") {
        return herd::parse(source).map_err(|errors| (errors, exit::INVALID));
    }
    let parsed = ptxvm_syntax::parse(source, &Interner::with_words(ISA.words));
    let checked = ptxvm_module::check(&parsed.file, source, &ISA, &ptxvm_module::Options::default());
    let mut errors = parsed.diagnostics;
    errors.extend(checked.diagnostics);
    errors.retain(|diagnostic| diagnostic.severity == Severity::Error);
    if !errors.is_empty() {
        errors.sort_by_key(|diagnostic| diagnostic.primary.span.start);
        return Err((errors, exit::INVALID));
    }
    let program = ptxvm_ir::lower(&parsed.file, source, &checked.module, &ISA).map_err(|problems| {
        let told = problems.into_iter().map(|p| Diagnostic::error(codes::KERNEL, p.span, p.message));
        (told.collect(), exit::UNSUPPORTED)
    })?;
    ptx::read(&program, source).map_err(|errors| {
        let unsupported = errors.iter().all(|error| error.code == codes::KERNEL);
        (errors, if unsupported { exit::UNSUPPORTED } else { exit::INVALID })
    })
}
