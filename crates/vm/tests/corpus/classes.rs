//! Which files there are, and that every kernel of them has all its instructions and a launch.

use ptxvm_vm::LoadError;

use crate::launches;

/// Files that only declare functions which a linker would give them.
const LINKED: &[(&str, &[&str])] = &[("numba/f16", &["_ZmlRK6__halfS1__nbst", "_ZplRK6__halfS1__nbst"])];

/// The files that no device of ours takes.
const NO_DEVICE: &[&str] = &["nvrtc/mxmma120.sm_121a"];

#[test]
fn every_file_loads_and_every_kernel_has_all_its_instructions_and_a_launch() {
    let (files, cases) = (launches::files(), launches::cases());
    let (mut linked, mut no_device, mut running) = (0, Vec::new(), 0);
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
            assert!(missing.is_empty(), "{}: {entry} waits for {missing:?}", file.name());
            assert!(
                cases.iter().any(|case| case.fits(file, &entry)),
                "{}: there is no launch of {entry}",
                file.name()
            );
            running += 1;
        }
    }
    assert_eq!(no_device, NO_DEVICE);
    assert_eq!((files.len(), linked, running), (178, 4, 291));
}
