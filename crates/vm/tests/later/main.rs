//! Modules whose functions are read later are the modules that they would have been at once: the same kernels, the same
//! variables, and where something is wrong, the same errors, if not at the same time.

mod damage;
mod particular;
mod same;

use std::path::{Path, PathBuf};

use ptxvm_syntax::Severity;
use ptxvm_syntax::outline::outline;
use ptxvm_vm::{Device, KernelError, LoadError, LoadOptions, Module, Reference, Variable};

use damage::Random;

const LATER: LoadOptions = LoadOptions { newer: true, any_target: true, bodies_later: Some(0) };
const AT_ONCE: LoadOptions = LoadOptions { bodies_later: None, ..LATER };

/// Modules longer than this take too long for what damage to them shows.
const LONGEST: usize = 12_000;
const ROUNDS: usize = 4_000;

/// What was compared.
#[derive(Debug, Default)]
struct Count {
    kernels: usize,
    /// Modules that are wrong, and have been loaded all the same.
    wrong: usize,
    /// Kernels of wrong modules that can be launched.
    spared: usize,
}

fn sources(folder: &Path, found: &mut Vec<String>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of the tests")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            let text = std::fs::read_to_string(&path).expect("a module's text");
            found.extend(text.split("// ---\n").map(str::to_owned));
        }
    }
}

/// Loads a text in both ways and compares them.
fn compare(text: &str, count: &mut Count) -> Result<(), String> {
    let (device, other) = (Device::default(), Device::default());
    let whole = device.load_with(text, &AT_ONCE);
    let later = other.load_with(text, &LATER);
    match (&whole, &later) {
        (Ok(whole), Ok(later)) => agree(whole, later, count),
        (Err(whole), Err(later)) => equal("errors of loading", &format!("{later:?}"), &format!("{whole:?}")),
        (Ok(_), Err(error)) => Err(format!("only later: {error}")),
        (Err(error), Ok(later)) => {
            count.wrong += 1;
            told_later(text, error, later, count)
        }
    }
}

fn agree(whole: &Module, later: &Module, count: &mut Count) -> Result<(), String> {
    let all = |module: &Module| {
        let kernels = module.kernels().map(|f| (f.name.clone(), format!("{:?} {:?}", f.span, f.limits)));
        // Each device has addresses of its own.
        let first = module.variables().next().map_or(0, |variable| variable.address);
        let variables =
            module.variables().map(|v| format!("{:?}", Variable { address: v.address - first, ..v }));
        let references = module.references().map(|r| format!("{:?}", Reference { handle: 0, ..r }));
        format!(
            "{:?} {:?} {:?}",
            kernels.collect::<Vec<_>>(),
            variables.collect::<Vec<_>>(),
            references.collect::<Vec<_>>()
        )
    };
    equal("modules", &all(later), &all(whole))?;
    for function in whole.kernels() {
        let name = &function.name;
        let kernel = later.kernel(name).map_err(|error| format!("{name}: only later: {error}"))?;
        let expected = whole.kernel(name).map_err(|error| format!("{name}: {error}"))?;
        equal(name, &same::described(&kernel), &same::described(&expected))?;
        count.kernels += 1;
    }
    Ok(())
}

/// A wrong module has been loaded: nothing that its kernels reach is wrong, or they tell all that is.
fn told_later(text: &str, error: &LoadError, later: &Module, count: &mut Count) -> Result<(), String> {
    let outline = outline(text).ok_or("a text without an outline has been loaded by it")?;
    for function in later.kernels() {
        match (later.kernel(&function.name), error) {
            (Err(KernelError::Load(told)), LoadError::Unresolved(all)) => match *told {
                LoadError::Unresolved(names) if names.iter().all(|name| all.contains(name)) => {}
                told => return Err(format!("{}: {told} instead of {error}", function.name)),
            },
            (Err(KernelError::Load(told)), _) => {
                equal(&function.name, &format!("{told:?}"), &format!("{error:?}"))?;
            }
            (Err(other), _) => return Err(format!("{}: {other}", function.name)),
            (Ok(kernel), LoadError::Invalid(diagnostics)) => {
                count.spared += 1;
                let program = kernel.program();
                let entry = program.functions.iter().position(|f| f.name == function.name);
                for id in same::reached(program, entry.expect("the kernel is in its program")) {
                    let reached = program.functions[id].span;
                    let own = outline.items.iter().filter(|item| item.name == reached);
                    for (item, diagnostic) in own.flat_map(|item| diagnostics.iter().map(move |d| (item, d)))
                    {
                        let at = diagnostic.primary.span.start;
                        let inside = item.span.start <= at && at < item.span.end;
                        if diagnostic.severity == Severity::Error && inside {
                            return Err(format!("{} hides {diagnostic:?}", function.name));
                        }
                    }
                }
            }
            (Ok(_), _) => count.spared += 1,
        }
    }
    Ok(())
}

fn equal(what: &str, found: &str, expected: &str) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let lines = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
    let (found, expected) = lines.unwrap_or(("the one is longer", "than the other"));
    Err(format!("{what} differ:\n  later   {found:.600}\n  at once {expected:.600}"))
}

fn all() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut texts = Vec::new();
    for folder in ["corpus", "ptx", "ir", "run"] {
        sources(&root.join(folder), &mut texts);
    }
    texts
}

#[test]
fn modules_are_the_same_whenever_they_are_read() {
    let mut count = Count::default();
    let texts = all();
    let outlined = texts.iter().filter(|text| outline(text).is_some()).count();
    for text in &texts {
        if let Err(why) = compare(text, &mut count) {
            panic!("{why}\n{text:.2000}");
        }
    }
    // Nearly all are regular, and this compares something.
    assert!(
        outlined * 100 > texts.len() * 90 && count.kernels > 2_000,
        "{outlined} {} {count:?}",
        texts.len()
    );
}

#[test]
fn damaged_modules_are_the_same_whenever_they_are_read() {
    let (mut count, mut random) = (Count::default(), Random(11));
    let mut texts = all();
    texts.retain(|text| text.len() < LONGEST && text.contains(".entry"));
    for _ in 0..ROUNDS {
        let source = &texts[random.below(texts.len())];
        let other = &texts[random.below(texts.len())];
        let text = damage::damage(source, other, &mut random);
        if let Err(why) = compare(&text, &mut count) {
            panic!("{why}\n{text}");
        }
    }
    assert!(count.kernels > ROUNDS / 10 && count.wrong > ROUNDS / 20, "{count:?}");
}
