//! The checker of objects' bounds (`--check=bounds`): an access through the address of one variable that leaves it is found,
//! with the line where the address is taken, and right twins are not.
//!
//! `tests/check/bounds/NAME.ptx` is wrong, and marks the two lines of each finding with `// bounds: a`, or one line if the
//! access names the variable itself. All others are right, and so are the programs of `tests/run` and `examples`.

mod marked;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use marked::{files, marked, pair, root};

/// The pairs of lines that are told of a file: an access, and where the address was taken.
fn told(file: &Path, options: &[&str]) -> BTreeSet<(u64, u64)> {
    let of = |name| marked::told(name, file, options);
    let told = of("outside-object").into_iter().chain(of("wrong-space"));
    told.map(|(line, other)| pair(line, other.unwrap_or(line))).collect()
}

#[test]
fn wrong_kernels_are_found_with_both_lines_and_right_ones_are_not() {
    let folder = root().join("tests/check/bounds");
    let all = files(&folder);
    let mut wrong = Vec::new();
    for name in &all {
        let source = std::fs::read_to_string(folder.join(name)).expect("the file is text");
        let expected = marked("bounds", &source);
        assert_eq!(expected.is_empty(), name.ends_with(".right.ptx"), "{name}: marks");
        // Whatever the order of execution, whatever the engine, and with the other checkers beside.
        let all = [
            &["--check=bounds"][..],
            &["--check=bounds", "--seed", "7", "--engine", "compile"],
            &["--check=bounds,init,race", "--async", "lazy"],
        ];
        for options in all {
            let found = told(&folder.join(name), options);
            if expected != found {
                wrong.push(format!("{name} {options:?}: {found:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(all.len() >= 16, "{} files", all.len());
}

#[test]
fn right_programs_keep_to_their_objects() {
    for folder in ["tests/run", "examples"] {
        let folder = root().join(folder);
        let mut wrong = Vec::new();
        // Those of `limits` go on until a limit ends them.
        for name in files(&folder).into_iter().filter(|name| !name.starts_with("limits/")) {
            let found =
                marked::told("outside-object", &folder.join(&name), &["--check=bounds", "--timeout", "60s"]);
            if !found.is_empty() {
                wrong.push(format!("{name}: {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    }
}

#[test]
fn the_example_of_the_page_is_wrong_and_right() {
    let page =
        std::fs::read_to_string(root().join("docs/findings/outside-object.md")).expect("the page is there");
    let lines = || page.lines().filter(|line| line.starts_with("    ")).map(|line| &line[4..]);
    for (leave, keep, is_wrong) in [('+', '-', true), ('-', '+', false)] {
        let side: Vec<String> = lines()
            .filter(|line| !line.starts_with(leave))
            .map(|line| line.replacen(keep, " ", usize::from(line.starts_with(keep))))
            .collect();
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("outside-object-{is_wrong}.ptx"));
        std::fs::write(&file, side.join("\n")).expect("the folder can be written");
        assert_eq!(told(&file, &["--check=bounds"]).is_empty(), !is_wrong, "{}", side.join("\n"));
    }
}
