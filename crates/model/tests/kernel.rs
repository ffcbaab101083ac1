//! The kernels of `tests/litmus`: each is a module that ptxas would take, by our checker, and a test that can have none says
//! why.

use std::path::{Path, PathBuf};

use ptxvm_isa::ISA;
use ptxvm_model::herd;
use ptxvm_model::kernel::{self, Preference};
use ptxvm_syntax::Interner;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("invalid") {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "litmus") {
            found.push(path);
        }
    }
}

#[test]
fn every_kernel_is_right() {
    let mut all = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus"), &mut all);
    let mut written = 0;
    for path in &all {
        let text = std::fs::read_to_string(path).expect("a litmus test");
        let test = kernel::observing_all(&herd::parse(&text).expect("a right test"));
        for preference in [Preference::Global, Preference::Shared] {
            let Ok(made) = kernel::write(&test, &text, preference) else { continue };
            let parsed = ptxvm_syntax::parse(&made.ptx, &Interner::with_words(ISA.words));
            let checked =
                ptxvm_module::check(&parsed.file, &made.ptx, &ISA, &ptxvm_module::Options::default());
            let wrong = checked.diagnostics.first().map(|one| one.message.clone());
            assert_eq!(wrong, None, "{} ({preference:?})", path.display());
            written += 1;
        }
    }
    assert!(written > all.len(), "only {written} kernels of {} tests", all.len());
}

/// Why a test has no kernel.
fn reason(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus").join(name);
    let text = std::fs::read_to_string(path).expect("a litmus test");
    let test = kernel::observing_all(&herd::parse(&text).expect("a right test"));
    kernel::write(&test, &text, Preference::Global).expect_err("no kernel").0
}

#[test]
fn what_cannot_run_says_why() {
    assert_eq!(reason("mmio/MP.litmus"), "threads on several GPUs");
    assert_eq!(reason("tcgen05/commit-brings-nothing-along.litmus"), "tcgen05, which sm_90 lacks");
    assert_eq!(reason("barrier/crossed.litmus"), "a barrier that threads wait at for ever");
    assert_eq!(reason("async/bulk-other-cluster-waits.litmus"), "shared memory of another cluster");
}
