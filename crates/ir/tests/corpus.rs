//! Every module that ptxas accepts can be lowered: the corpus of real compilers' PTX, and the accepted modules of
//! `tests/ptx`.

use std::path::{Path, PathBuf};

use ptxvm_ir::{Listing, Problem, ProblemKind, Program, Terminator, lower};
use ptxvm_isa::ISA;
use ptxvm_module::{Options, check};
use ptxvm_syntax::{Interner, Severity};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

/// The program, if the module has no errors.
fn lowered(source: &str, words: &Interner) -> Option<Result<Program, Vec<Problem>>> {
    let parsed = ptxvm_syntax::parse(source, words);
    let checked = check(&parsed.file, source, &ISA, &Options::default());
    let wrong = |d: &ptxvm_syntax::Diagnostic| d.severity == Severity::Error;
    if parsed.diagnostics.iter().chain(&checked.diagnostics).any(wrong) {
        return None;
    }
    Some(lower(&parsed.file, source, &checked.module, &ISA))
}

/// Every `.ptx` below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder of the tests").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
    found.sort();
}

/// What must hold of every function: its blocks cover its instructions, every number points at something.
fn consistent(program: &Program) -> Result<(), String> {
    use ptxvm_ir::OperandKind::{Address, Call, Register, Variable};
    for function in &program.functions {
        let mut next = 0;
        for block in &function.blocks {
            if block.start != next || block.end <= block.start {
                return Err(format!("{}: blocks {:?}", function.name, function.blocks));
            }
            next = block.end;
        }
        if next as usize != function.instructions.len() || function.defined && next == 0 {
            return Err(format!("{}: the blocks end at {next}", function.name));
        }
        for instruction in &function.instructions {
            let row = &ISA.rows[usize::from(program.forms[instruction.form.0 as usize].row)];
            let (start, end) = instruction.operands;
            for operand in &function.operands[start as usize..end as usize] {
                let place = usize::from(operand.place) < row.operands.len();
                let kind = match operand.kind {
                    Register { register, .. } => (register.0 as usize) < function.registers.len(),
                    Variable { variable, .. } | Address { base: ptxvm_ir::Base::Variable(variable), .. } => {
                        (variable.0 as usize) < program.variables.len()
                    }
                    Call(call) => (call as usize) < function.calls.len(),
                    _ => true,
                };
                if !place || !kind {
                    return Err(format!("{}: {operand:?} of `{}`", function.name, row.head));
                }
            }
        }
        for block in &function.blocks {
            let mut after = block.terminator.successors(&function.branch_lists);
            let last = &function.instructions[block.end as usize - 1];
            let ends = matches!(program.operation(last), Some(ptxvm_ir::operation::Operation::Control(_)));
            let plain = matches!(block.terminator, Terminator::Next(_));
            if ends == plain || after.any(|to| to.0 as usize >= function.blocks.len()) {
                return Err(format!("{}: {block:?}", function.name));
            }
        }
    }
    Ok(())
}

#[test]
fn the_corpus_can_be_lowered() {
    let words = Interner::with_words(ISA.words);
    let mut paths = Vec::new();
    files(&root().join("corpus"), &mut paths);
    assert!(paths.len() > 100, "the corpus has {} files", paths.len());
    for path in paths {
        let source = std::fs::read_to_string(&path).expect("a module's text");
        match lowered(&source, &words) {
            None => panic!("{} has errors", path.display()),
            Some(Err(problems)) => panic!("{}: {problems:?}", path.display()),
            Some(Ok(program)) => {
                if let Err(wrong) = consistent(&program) {
                    panic!("{}: {wrong}", path.display());
                }
                assert!(Listing(&program).to_string().len() > program.to_string().len());
            }
        }
    }
}

/// A call whose argument ptxas accepts and then loses: a vector of registers for a scalar parameter (only its first
/// element arrives), a constant for a `.f16` (0 arrives). Constants of another kind than the vector that they stand in
/// are refused alike: ptxas takes three such vectors of tests/ptx/valid/vectors.ptx. And memory of a CTA's own
/// (`.minperctamemory`), which no device has that ptxvm knows.
fn senseless(problem: &Problem) -> bool {
    problem.kind == ProblemKind::Unsupported
        && (problem.message.contains("vector register is passed")
            || problem.message.contains("makes no code")
            || problem.message.contains("gives CTAs no memory of their own"))
}

#[test]
fn what_ptxas_accepts_can_be_lowered() {
    let words = Interner::with_words(ISA.words);
    let mut paths = Vec::new();
    files(&root().join("ptx/valid"), &mut paths);
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut unsupported = 0;
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("the modules' text");
        for module in text.split("// ---\n").filter(|module| module.contains("// ptxas: ok")) {
            count += 1;
            let outcome = match lowered(module, &words) {
                None => continue,
                Some(Err(problems)) if problems.iter().all(senseless) => {
                    unsupported += 1;
                    continue;
                }
                Some(Err(problems)) => Err(format!("{problems:?}")),
                Some(Ok(program)) => consistent(&program),
            };
            if let Err(why) = outcome {
                wrong.push(format!("{}: {why}\n{module}", path.display()));
            }
        }
    }
    assert!(count > 1000, "only {count} modules");
    assert!(wrong.is_empty(), "{} of {count} modules:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(unsupported, 16);
}
