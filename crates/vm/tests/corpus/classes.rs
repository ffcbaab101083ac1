//! Which kernels run today, and which wait for what.

use std::collections::{BTreeMap, BTreeSet};

use ptxvm_vm::{Failure, LoadError};

use crate::golden::Golden;
use crate::launches::{self, File, Order};

/// Files that only declare functions which a linker would give them.
const LINKED: &[(&str, &[&str])] = &[("numba/f16", &["_ZmlRK6__halfS1__nbst", "_ZplRK6__halfS1__nbst"])];

/// Kernels with instructions that later issues bring, and the targets of their files.
const LATER: &[(&str, &str)] =
    &[("nvrtc/tex surf", "sm_100a sm_80 sm_90a"), ("nvrtc/tex tex2d", "sm_100a sm_80 sm_90a")];

/// The manual's sections of all instructions that they wait for: textures and surfaces.
const SECTIONS: &[&str] = &["9.7.10", "9.7.11"];

/// The files that no device of ours takes.
const NO_DEVICE: &[&str] = &["nvrtc/mxmma120.sm_121a"];

#[test]
fn every_file_loads_and_every_kernel_runs_or_names_what_it_waits_for() {
    let (files, cases, golden) = (launches::files(), launches::cases(), Golden::read());
    let mut later: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut linked, mut no_device, mut running) = (0, Vec::new(), 0);
    let mut sections = BTreeSet::new();
    for file in &files {
        let module = match file.device().load(&file.source()) {
            Ok(module) => module,
            Err(LoadError::Unresolved(names)) => {
                let known = LINKED.iter().find(|(kernel, _)| *kernel == file.kernel);
                assert_eq!(
                    known.map(|(_, names)| names.to_vec()),
                    Some(names.iter().map(String::as_str).collect())
                );
                linked += 1;
                continue;
            }
            Err(LoadError::Target { .. }) => {
                no_device.push(file.name());
                continue;
            }
            Err(error) => panic!("{}: {error}", file.name()),
        };
        for entry in module.kernels().map(|k| k.name.clone()) {
            let kernel = module.kernel(&entry).unwrap_or_else(|e| panic!("{}: {e}", file.name()));
            let missing: Vec<String> = kernel.unsupported().into_iter().map(|u| u.what).collect();
            let fitting: Vec<&launches::Case> = cases.iter().filter(|c| c.fits(file, &entry)).collect();
            assert!(!fitting.is_empty(), "{}: there is no launch of {entry}", file.name());
            if missing.is_empty() {
                running += 1;
                continue;
            }
            sections.extend(missing.iter().map(|what| section(what).to_owned()));
            for case in fitting {
                later.entry(case.name()).or_default().push(file.variant.clone());
                stops(case, file, &missing, &golden);
            }
        }
    }
    let later: Vec<(String, String)> = later.into_iter().map(|(n, v)| (n, v.join(" "))).collect();
    let later: Vec<(&str, &str)> = later.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(later, LATER, "kernels that wait");
    assert_eq!(sections.iter().collect::<Vec<_>>(), SECTIONS, "what they wait for");
    assert_eq!(no_device, NO_DEVICE);
    let waiting: usize = later.iter().map(|(_, variants)| variants.split(' ').count()).sum();
    assert_eq!((files.len(), linked, running, waiting), (178, 4, 285, 6));
}

/// The section of an instruction's name: `9.7.10` of `tex.2d… (section 9.7.10.3)`.
fn section(what: &str) -> &str {
    let number = what.split_once("(section ").map_or(what, |(_, number)| number);
    let end = number.match_indices(['.', ')']).nth(2).map_or(number.len(), |(at, _)| at);
    &number[..end]
}

/// A kernel with instructions that the machine does not have stops at one of them, by its name, or does not come to
/// them; then it has done its work.
fn stops(case: &launches::Case, file: &File, missing: &[String], golden: &Golden) {
    let run = case.run(file, Order { seed: 0, threads: 1 });
    match &run.result {
        Err(Failure::Unsupported(what)) => {
            assert!(missing.contains(&what.what), "{} of {}: {}", case.name(), file.name(), what.what);
        }
        Ok(()) => {
            if let Some(Err(differs)) = golden.compare(case, &run) {
                panic!("{} of {}: {differs}", case.name(), file.name());
            }
        }
        Err(failure) => panic!("{} of {}: {failure}", case.name(), file.name()),
    }
}
