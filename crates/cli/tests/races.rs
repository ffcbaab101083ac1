//! The race checker (`--check`): wrong kernels are found with both lines right, and their right twins are not.
//!
//! `tests/check/race/NAME.ptx` is wrong, and marks the lines of each race with `// race: a`; all others are right. So are
//! the programs of `tests/run`, but for those below, and the examples of `docs/findings/race.md` with their `+` lines.

mod marked;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use marked::{files, marked, pair, root};

/// Programs of `tests/run` that race, and why.
const RACING: [(&str, &str); 13] = [
    ("cluster/cancel_not_awaited.ptx", "it reads what it has not waited for, which is a fault"),
    ("limits/endless_bulk_store.ptx", "all threads set the same bytes to zero"),
    ("limits/time.ptx", "it ends by its time limit, which is long with the checker"),
    ("limits/endless_heap.ptx", "the same"),
    ("limits/endless_bulk_reduction.ptx", "the same"),
    ("memory/rows_of_eight.ptx", "which of several lanes wins is what it tests"),
    ("memory/same_place.ptx", "the same"),
    ("memory/shared_of_two_kernels.ptx", "the same"),
    ("memory/stores_of_two_lanes_meet.ptx", "the same"),
    ("surface/level.ptx", "two threads read and write the same texel"),
    ("sync/sleeping_wait.ptx", "a weak read waits for a flag"),
    ("sync/weak_flag_in_a_warp.ptx", "the same"),
    ("sync/weak_flag_between_ctas.ptx", "the same"),
];

/// The pairs of lines that race in a file, by a plain run.
fn races(file: &Path, check: &str, options: &[&str]) -> BTreeSet<(u64, u64)> {
    let told = marked::told("race", file, &[&[check], options].concat()).into_iter();
    told.map(|(line, other)| pair(line, other.expect("a line"))).collect()
}

#[test]
fn wrong_kernels_are_found_with_both_lines_and_right_ones_are_not() {
    let folder = root().join("tests/check/race");
    let mut wrong = Vec::new();
    let all = files(&folder);
    for name in &all {
        let source = std::fs::read_to_string(folder.join(name)).expect("the file is text");
        let (expected, found) = (marked("race", &source), races(&folder.join(name), "--check", &[]));
        assert_eq!(expected.is_empty(), name.ends_with(".right.ptx"), "{name}: marks");
        if expected != found {
            wrong.push(format!("{name}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    assert!(all.len() >= 160, "{} files", all.len());
}

#[test]
fn a_limit_that_leaves_races_out_says_so() {
    let file = root().join("tests/check/race/global-flag-is-plain.ptx");
    let told = |limit: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ptxvm"));
        command.args(["run", "-q", "--check=race", "--check-limit", limit]).arg(&file);
        let output = command.output().expect("the command starts");
        assert_eq!(output.status.code(), Some(3));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (
            said.matches("error[race]").count(),
            said.contains("warning[check-limit]: more was found than is told here"),
        )
    };
    assert_eq!(told("1"), (1, true));
    assert_eq!(told("2"), (2, false));
}

#[test]
fn what_programs_rely_on_is_told_to_who_takes_the_manual_at_its_word() {
    let folder = root().join("tests/check/strict");
    for name in files(&folder) {
        let file = folder.join(&name);
        let source = std::fs::read_to_string(&file).expect("the file is text");
        assert_eq!(races(&file, "--check=strict", &[]), marked("race", &source), "{name}");
        assert_eq!(races(&file, "--check=race", &[]), BTreeSet::new(), "{name}");
        assert_eq!(marked("race", &source).is_empty(), name.ends_with(".right.ptx"), "{name}: marks");
    }
}

#[test]
fn right_programs_have_no_races() {
    let folder = root().join("tests/run");
    let mut wrong = Vec::new();
    for name in files(&folder) {
        if RACING.iter().any(|(racing, _)| *racing == name) {
            continue;
        }
        let found = races(&folder.join(&name), "--check", &["--timeout", "120s"]);
        if !found.is_empty() {
            wrong.push(format!("{name}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_known_of_a_ctas_shared_memory_goes_with_it() {
    let source = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry fill() {
        .shared .align 4 .b8 room[16384]; .reg .b32 %i, %at, %v; .reg .pred %p;
        mov.u32 %i, %tid.x; shl.b32 %i, %i, 2;
        AGAIN: mov.u32 %at, room; add.u32 %at, %at, %i; st.shared.u32 [%at], %i; ld.shared.u32 %v, [%at];
        add.u32 %i, %i, 128; setp.lt.u32 %p, %i, 16384; @%p bra AGAIN;
        ret; }";
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shared-of-many.ptx");
    std::fs::write(&file, source).expect("the folder can be written");
    // What is known of one CTA takes nine times its 16 KiB; that of all of them would take 144 MiB.
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .args(["run", "--check", "--grid", "1024", "--block", "32", "--max-memory", "8M"])
        .arg(&file)
        .output()
        .expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.as_ref()), (Some(0), ""));
}

/// The examples of a page: sources without their `+` and `-` lines.
fn examples(page: &str) -> Vec<(String, String)> {
    let block = |text: &str| {
        let lines =
            text.lines().skip_while(|line| !line.starts_with("    ")).take_while(|l| l.starts_with("    "));
        let side = |keep: char, leave: char| {
            let lines = lines.clone().filter(|line| line.as_bytes()[4] != leave as u8);
            lines
                .map(|line| line[4..].replacen(keep, " ", usize::from(line[4..].starts_with(keep))) + "\n")
                .collect()
        };
        (side('-', '+'), side('+', '-'))
    };
    page.split("\n## ")
        .skip(1)
        .map(block)
        // One launch alone cannot show what two do: `dependent_races` of crates/cuda has their example.
        .filter(|(wrong, _): &(String, String)| wrong.contains("// ptxvm: run"))
        .collect()
}

#[test]
fn the_examples_of_the_page_are_wrong_and_right() {
    let page = std::fs::read_to_string(root().join("docs/findings/race.md")).expect("the page is there");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let all = examples(&page);
    for (number, (wrong, right)) in all.iter().enumerate() {
        for (source, races_wanted) in [(wrong, true), (right, false)] {
            let file = folder.join(format!("race-{number}-{races_wanted}.ptx"));
            std::fs::write(&file, source).expect("the folder can be written");
            let found = races(&file, "--check=race", &[]);
            assert_eq!(found.is_empty(), !races_wanted, "example {number}: {found:?}\n{source}");
        }
    }
    assert_eq!(all.len(), 10);
}
