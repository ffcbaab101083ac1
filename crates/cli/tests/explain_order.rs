//! `--explain-order`: the chain that orders two accesses, or what is missing.

use std::path::PathBuf;
use std::process::Command;

fn explain(program: &str, change: impl Fn(&str) -> String, accesses: [&str; 2]) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/run/order").join(program);
    let source = change(&std::fs::read_to_string(path).expect("the program"));
    let number = |text: &str| 1 + source.lines().position(|line| line.contains(text)).expect("the line");
    let [first, second] = accesses.map(|access| {
        let (text, thread) = access.split_once('@').expect("a thread");
        format!("{}@{thread}", number(text))
    });
    let file = std::env::temp_dir().join(format!("ptxvm-order-{}-{first}-{program}", std::process::id()));
    std::fs::write(&file, &source).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .args(["run", "-q", "--explain-order", &first, &second])
        .arg(&file)
        .output()
        .expect("ptxvm runs");
    let _ = std::fs::remove_file(&file);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// The texts stand in this order.
fn in_order(said: &str, texts: &[&str]) {
    let mut rest = said;
    for text in texts {
        let at = rest.find(text).unwrap_or_else(|| panic!("no `{text}` there: {said}"));
        rest = &rest[at + text.len()..];
    }
}

#[test]
fn a_chain_of_releases_is_told_step_by_step() {
    let said = explain("passed_on.ptx", str::to_owned, ["//? write@0:0", "//? read@2:0"]);
    in_order(
        &said,
        &[
            "ordered:\n",
            "`st.global.u32 [data], 42;` by thread (0,0,0) of CTA (0,0,0)\n    program order\n",
            "`red.release.gpu.global.add.u32 [first], 1;`",
            "synchronizes with",
            "`ld.acquire.gpu.global.u32 %r2, [first];` by thread (0,0,0) of CTA (1,0,0)",
            "`st.release.gpu.global.u32 [second], 1;`",
            "synchronizes with",
            "`ld.acquire.gpu.global.u32 %r2, [second];` by thread (0,0,0) of CTA (2,0,0)\n    program order\n",
            "`ld.global.u32 %r2, [data];`",
        ],
    );
}

#[test]
fn barriers_are_steps() {
    let said = explain("barrier_of_all_ctas.ptx", str::to_owned, ["//? write@0:63", "//? read@7:63"]);
    assert_eq!(said.matches("barrier 0 of the CTA").count(), 2, "{said}");
    in_order(
        &said,
        &["barrier 0 of the CTA", "atom.release", "synchronizes with", "ld.acquire", "barrier 0 of the CTA"],
    );
    let said = explain("tile_of_a_warp.ptx", str::to_owned, ["//? write@0:1", "//? read@0:0"]);
    in_order(&said, &["st.shared", "the barrier of the warp", "ld.shared"]);
    let said = explain("tile_of_a_cluster.ptx", str::to_owned, ["//? write@0:3", "//? read@1:3"]);
    in_order(&said, &["st.shared", "the barrier of the cluster", "ld.shared"]);
    let said = explain("message_by_mbarrier.ptx", str::to_owned, ["//? write@0:40", "//? read@0:8"]);
    in_order(&said, &["st.shared", "mbarrier.arrive", "the phase of the mbarrier object", "ld.shared"]);
}

#[test]
fn what_is_missing_is_told() {
    let without = |text: &str| text.replace("    bar.sync 0;\n", "");
    let said = explain("tile_in_shared.ptx", without, ["//? write@0:0", "//? read@0:127"]);
    in_order(&said, &["not ordered", "missing: ", "a barrier of the CTA (`bar.sync`)"]);
    let narrow = |text: &str| text.replacen("    fence.acq_rel.gpu;", "    fence.acq_rel.cta;", 1);
    let said = explain("message_by_fences.ptx", narrow, ["//? write@0:0", "//? read@1:0"]);
    in_order(&said, &["not ordered", "missing: the scope .cta at line", "it takes .gpu"]);
    let said = explain("message_by_fences.ptx", str::to_owned, ["//? write@0:0", "//? read@0:0"]);
    assert_eq!(said, "the thread did not execute the second access\n");
}
