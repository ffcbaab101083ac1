//! The initialisation checker (`--check=init`): values that nobody has defined are found where they decide something, with
//! the line where they were born, and right twins are not.
//!
//! `tests/check/init/NAME.ptx` is wrong, and marks the two lines of each finding with `// init: a`, or one line if the value
//! was born in a register. All others are right, and so are the programs of `tests/run` and `examples` but for those below.

mod marked;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use marked::{files, marked, pair, root};

/// Programs that rely on what nobody has written, and how.
const UNINITIALISED: [(&str, &str); 15] = [
    ("control/fresh_registers.ptx", "that registers of a CTA begin as zeros is what it tests"),
    ("control/merge_after_a_barrier.ptx", "a register keeps what it held, which is what it tests"),
    ("matrix/mma_sp_descending.ptx", "its factors do not count, it tests the metadata"),
    ("matrix/mma_sp_equal_indices.ptx", "the same"),
    ("matrix/mma_sp_tf32_metadata.ptx", "the same"),
    ("mma/half_a_warp.ptx", "the half that does not multiply stores what it has"),
    ("sync/barrier_between_halves.ptx", "a flag in shared memory that is zero to begin with"),
    ("sync/flag_between_warps.ptx", "the same"),
    ("sync/masks_of_their_own.ptx", "the same"),
    ("sync/spin_backwards.ptx", "the same"),
    ("sync/spin_on_two_flags.ptx", "the same"),
    ("sync/warp_barrier_member_ends.ptx", "the same"),
    ("sync/warp_barrier_waits_for_its_own.ptx", "the same"),
    ("sync/warp_barriers_and_a_spinner.ptx", "the same"),
    ("wmma/f64_m16n16k8.ptx", "its factors do not count"),
];

/// The pairs of lines that are told of a file: where a value decides something, and where it was born.
fn told(file: &Path, options: &[&str]) -> BTreeSet<(u64, u64)> {
    let told = marked::told("uninitialised", file, options).into_iter();
    told.map(|(line, other)| pair(line, other.unwrap_or(line))).collect()
}

#[test]
fn wrong_kernels_are_found_with_both_lines_and_right_ones_are_not() {
    let folder = root().join("tests/check/init");
    let all = files(&folder);
    let mut wrong = Vec::new();
    for name in &all {
        let source = std::fs::read_to_string(folder.join(name)).expect("the file is text");
        let expected = marked("init", &source);
        assert_eq!(expected.is_empty(), name.ends_with(".right.ptx"), "{name}: marks");
        // Whatever the order of execution, whatever the engine, and with the other checkers beside.
        let all = [
            &["--check=init"][..],
            &["--check=init", "--seed", "7", "--engine", "compile"],
            &["--check=init,race", "--async", "lazy"],
        ];
        for options in all {
            let found = told(&folder.join(name), options);
            if expected != found {
                wrong.push(format!("{name} {options:?}: {found:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(all.len() >= 45, "{} files", all.len());
}

#[test]
fn right_programs_have_no_undefined_values() {
    for folder in ["tests/run", "examples"] {
        let folder = root().join(folder);
        let mut wrong = Vec::new();
        // Those of `limits` go on until a limit ends them.
        for name in files(&folder).into_iter().filter(|name| !name.starts_with("limits/")) {
            let is_known = UNINITIALISED.iter().any(|(known, _)| *known == name);
            let found = told(&folder.join(&name), &["--check=init", "--timeout", "60s"]);
            if found.is_empty() == is_known {
                wrong.push(format!("{name}: {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    }
}

#[test]
fn a_buffer_that_nobody_has_written_reads_as_zeros() {
    let file = root().join("tests/check/init/global-buffer.ptx");
    let output = Command::new(env!("CARGO_BIN_EXE_ptxvm")).arg("run").arg(&file).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 1 1"), "{text}");
}

#[test]
fn the_example_of_the_page_is_wrong_and_right() {
    let page =
        std::fs::read_to_string(root().join("docs/findings/uninitialised.md")).expect("the page is there");
    let lines = || page.lines().filter(|line| line.starts_with("    ")).map(|line| &line[4..]);
    let wrong: Vec<&str> = lines().filter(|line| !line.starts_with('+')).collect();
    let right: Vec<&str> = lines().map(|line| line.trim_start_matches('+')).collect();
    for (name, source, is_wrong) in [("wrong", wrong, true), ("right", right, false)] {
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("uninitialised-{name}.ptx"));
        std::fs::write(&file, source.join("\n")).expect("the folder can be written");
        assert_eq!(told(&file, &["--check=init"]).is_empty(), !is_wrong, "{name}");
    }
}
