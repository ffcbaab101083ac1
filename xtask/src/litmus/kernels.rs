//! Writes the kernels of litmus tests into a folder, with a list that `tests/litmus/h200/run.py` reads: what each launch
//! must know, and which tests no launch can run, with the reason.

use std::path::Path;

use ptxvm_model::kernel::{self, Preference};
use serde_json::{Value, json};

use super::gather::{Named, gather};

pub fn write(out: &Path, paths: &[&str]) -> Result<(), String> {
    std::fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let (mut tests, mut skipped) = (Vec::new(), Vec::new());
    let mut kernels = 0;
    for path in paths {
        let (named, unread) = gather(Path::new(path))?;
        skipped.extend(unread.into_iter().map(|(name, why)| json!({ "test": name, "why": why })));
        for test in named {
            match entry(&test, out, &mut kernels)? {
                Ok(entries) => tests.extend(entries),
                Err(why) => skipped.push(json!({ "test": test.name, "why": why })),
            }
        }
    }
    println!("{} kernels, {} tests skipped", tests.len(), skipped.len());
    let list = json!({ "tests": tests, "skipped": skipped });
    let path = out.join("tests.json");
    std::fs::write(&path, format!("{list:#}\n")).map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes the kernels of one test; or why there are none.
fn entry(named: &Named, out: &Path, kernels: &mut usize) -> Result<Result<Vec<Value>, String>, String> {
    let test = kernel::observing_all(&named.test);
    let homes = [(Preference::Global, "global"), (Preference::Shared, "shared")];
    let mut entries = Vec::new();
    for (preference, home) in homes {
        if preference == Preference::Shared && !kernel::has_shared_form(&test) {
            continue;
        }
        match kernel::write(&test, &named.text, preference) {
            Ok(made) => {
                *kernels += 1;
                let file = format!("{kernels:04}.ptx");
                let path = out.join(&file);
                std::fs::write(&path, &made.ptx).map_err(|e| format!("{}: {e}", path.display()))?;
                let observes: Vec<String> =
                    test.observables().into_iter().map(|one| test.observable_name(one)).collect();
                entries.push(json!({
                    "test": named.name,
                    "hash": kernel::fingerprint(&named.text),
                    "home": home,
                    "ptx": file,
                    "observes": observes,
                    "bits": made.bits,
                    "cluster": made.cluster,
                    "units": made.units,
                    "threads": made.threads,
                    "objects": made.objects.0,
                    "shared_objects": made.objects.1,
                    "wide": made.wide,
                    "slots": made.slots,
                    "stress": made.stress,
                    "together": made.together,
                    "aliases": made.aliases,
                }));
            }
            Err(why) if preference == Preference::Global => return Ok(Err(why.0)),
            Err(_) => {}
        }
    }
    Ok(Ok(entries))
}
