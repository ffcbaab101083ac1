//! Both engines do the same with random programs: a bounded part of what `cargo xtask fuzz engines 1000000` runs.

use std::process::Command;

/// Takes about twenty seconds of one core. Of four thousand programs one is large, and the first seed is such that it
/// is among these.
const COUNT: &str = "600";
const FIRST: &str = "47600";

#[test]
fn a_few_hundred_programs() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let ran = command.args(["fuzz", "engines", COUNT, FIRST]).current_dir(root).output().expect("xtask runs");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    // `600 programs, 0 refused, 0 excused, 4 did not end; 12 s`
    let number = |what: &str| {
        let counts = said.lines().rfind(|line| line.contains(" did not end; "))?;
        counts.split(", ").find(|part| part.ends_with(what))?.split(' ').next()?.parse::<u64>().ok()
    };
    let [programs, refused, excused] =
        ["programs", "refused", "excused"].map(|what| number(what).expect("a count"));
    assert!(programs >= 585 && refused <= 15, "{said}");
    assert!(excused * 50 <= programs, "too much is excused: {said}");
}
