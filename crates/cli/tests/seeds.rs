//! `ptxvm run --seeds` from outside: findings and results that depend on the order of execution, what is told of them, and
//! ranges that cannot be run.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

const HEAD: &str = ".version 9.1\n.target sm_90\n.address_size 64\n";

/// Writes a kernel that is launched so, and gives its path.
fn kernel(test: &str, launch: &str, body: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("seeds");
    std::fs::create_dir_all(&folder).expect("the test's folder can be made");
    let path = folder.join(format!("{test}.ptx"));
    let source = format!(
        "// ptxvm: run {launch}\n{HEAD}.visible .entry k(.param .u64 .ptr .global out)\n{{\n.reg .pred %p;\n\
         .reg .b32 %t, %warp, %v;\n.reg .b64 %out;\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\n\
         shr.u32 %warp, %t, 5;\nsetp.eq.u32 %p, %warp, 0;\n{body}\n}}\n"
    );
    std::fs::write(&path, source).expect("the kernel can be written");
    path.to_str().expect("a path").to_owned()
}

/// Two warps; the last one that comes leaves its number.
fn order_dependent(test: &str) -> String {
    kernel(test, "--block 64 --arg 'u32[4]'", "st.global.u32 [%out+4], %warp;\nret;")
}

/// The second warp traps if the first has not come before it.
fn sometimes_wrong(test: &str) -> String {
    let body = "@%p bra FIRST;\nld.relaxed.gpu.global.u32 %v, [%out];\nsetp.ne.u32 %p, %v, 0;\n@%p bra END;\n\
                trap;\nFIRST:\nst.relaxed.gpu.global.u32 [%out], 1;\nEND:\nret;";
    kernel(test, "--block 64 --arg 'u32[1]'", body)
}

fn right(test: &str) -> String {
    kernel(test, "--block 64 --arg 'u32[1]'", "red.global.add.u32 [%out], 1;\nret;")
}

fn ptxvm(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.args(arguments).output().expect("the command starts")
}

/// Exit status, standard output and standard error.
fn run(file: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let output = ptxvm(&[&["run", file], options].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn objects(file: &str, options: &[&str]) -> Vec<Value> {
    let (_, out, err) = run(file, &[options, &["--format", "json"]].concat());
    assert_eq!(err, "", "{options:?}");
    out.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn object<'o>(objects: &'o [Value], name: &str, value: &str) -> &'o Value {
    let found = objects.iter().find(|object| object[name] == value);
    found.unwrap_or_else(|| panic!("no {name} {value}: {objects:?}"))
}

#[test]
fn a_right_kernel_has_one_result() {
    let file = right("right");
    let (code, out, err) = run(&file, &["--seeds", "0..64"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("64 runs, all with the same results\nbuffer"), "{out}");
    assert!(out.contains("64\n"), "the first run's results follow: {out}");
    assert_eq!(run(&file, &["--seeds", "0..64", "-q"]), (Some(0), String::new(), String::new()));
    let (code, out, _) = run(&file, &["--seeds", "7..8"]);
    assert_eq!(code, Some(0));
    assert!(out.starts_with("1 run\n"), "{out}");
}

#[test]
fn results_that_depend_on_the_seed_are_a_finding() {
    let file = order_dependent("order");
    let (code, out, err) = run(&file, &["--seeds", "0..16"]);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.starts_with("error[order-dependent]: "), "{err}");
    assert!(out.contains("differ from those of seed 0"), "{out}");
    let all = objects(&file, &["--seeds", "0..16"]);
    let found = object(&all, "code", "order-dependent");
    assert_eq!((&found["buffer"], &found["index"]), (&json!("out"), &json!([1])));
    let seeds: Vec<u64> =
        found["seeds"].as_array().expect("seeds").iter().filter_map(Value::as_u64).collect();
    assert!(!seeds.is_empty() && seeds.len() < 16 && !seeds.contains(&0), "{seeds:?}");
    assert_eq!(found["runs"], seeds.len());
    let [first, other] = [0, 1].map(|at| &found["values"][at]);
    assert_eq!((&first["seed"], &other["seed"]), (&json!(0), &json!(seeds[0])));

    // A run with one seed leaves what is said of it.
    let value = |options: &[&str]| {
        let all = objects(&file, options);
        object(&all, "kind", "result")["buffers"][0]["first"][1].clone().to_string()
    };
    for seed in 0..16 {
        let differs = value(&["--seed", &seed.to_string()]) != first["value"];
        assert_eq!(differs, seeds.contains(&seed), "seed {seed}");
    }
    assert_eq!(other["value"], value(&["--seed", &seeds[0].to_string()]));
    let again = found["again"].as_str().expect("a command");
    assert_eq!(again, format!("ptxvm run {file} --seed {} --format json", seeds[0]));

    let runs = object(&all, "kind", "runs");
    assert_eq!(
        (&runs["runs"], &runs["ended"], &runs["differing"]["seeds"]),
        (&json!(16), &json!(16), &found["seeds"])
    );
    // It does not depend on which run ends first, and the threads are no part of the command that shows it again.
    assert_eq!(all, objects(&file, &["--seeds", "0..16", "--threads", "1"]));
}

#[test]
fn a_fault_is_told_once_with_its_seeds() {
    let file = sometimes_wrong("fault");
    let (code, out, err) = run(&file, &["--seeds", "0..32"]);
    assert_eq!(code, Some(134), "{err}");
    assert_eq!(err.matches("error[trap]").count(), 1, "{err}");
    assert!(!err.contains("order-dependent"), "what a fault has left is not compared: {err}");
    assert!(out.contains("of 32 runs ended with a fault; the results of the others are the same"), "{out}");
    let again = err.lines().find_map(|line| line.split_once("`ptxvm ")?.1.split_once('`'));
    let (again, _) = again.expect("a command");
    let words: Vec<&str> = again.split(' ').collect();
    assert_eq!(ptxvm(&words).status.code(), Some(134), "{again}");

    let all = objects(&file, &["--seeds", "0..32"]);
    let trap = object(&all, "code", "trap");
    let seeds = trap["seeds"].as_array().expect("seeds");
    assert_eq!((&trap["seed"], &trap["runs"]), (&seeds[0], &json!(seeds.len())));
    assert!(seeds.len() < 32 && object(&all, "kind", "runs")["faults"] == seeds.len());
}

#[test]
fn the_results_of_others_stand_for_a_first_run_that_fails() {
    let file = sometimes_wrong("first-fault");
    let all = objects(&file, &["--seeds", "0..32"]);
    let wrong = object(&all, "code", "trap")["seeds"][0].as_u64().expect("a seed");
    let range = format!("{wrong}..{}", wrong + 16);
    let all = objects(&file, &["--seeds", &range]);
    assert!(object(&all, "kind", "runs")["results_of"]["seed"].as_u64() > Some(wrong), "{all:?}");
    assert_eq!(object(&all, "kind", "result")["ok"], true);
    let only = format!("{wrong}..{}", wrong + 1);
    let (code, out, _) = run(&file, &["--seeds", &only]);
    assert_eq!((code, out.as_str()), (Some(134), "1 run, all of which ended with a fault\n"));
}

#[test]
fn findings_of_checks_are_told_once() {
    let file = order_dependent("checked");
    let all = objects(&file, &["--seeds", "0..16", "--check"]);
    let races: Vec<&Value> = all.iter().filter(|object| object["code"] == "race").collect();
    assert_eq!(races.len(), 1, "{all:?}");
    assert_eq!((&races[0]["runs"], &races[0]["count"]), (&json!(16), &json!(16 * 32)));
    assert_eq!(races[0]["seeds"].as_array().map(Vec::len), Some(16));
    let one = objects(&file, &["--seeds", "0..1", "--check"]);
    assert_eq!(object(&one, "code", "race")["count"], 32);
}

#[test]
fn other_formats_have_each_finding_once() {
    let file = order_dependent("formats");
    let (code, out, _) = run(&file, &["--seeds", "0..16", "--check", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&out).expect("one log");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let rules: Vec<_> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    assert_eq!((code, rules), (Some(3), vec!["race", "order-dependent"]));
    assert!(results[1]["message"]["text"].as_str().is_some_and(|text| text.contains("shown by seeds")));
    let (_, out, _) = run(&file, &["--seeds", "0..16", "--check", "--format", "github"]);
    let lines: Vec<_> = out.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].starts_with("::error file=") && lines[1].starts_with("::error::"),
        "{out}"
    );
}

#[test]
fn a_finding_that_is_known_is_suppressed_once() {
    let file = order_dependent("known");
    let known = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("seeds").join("known");
    std::fs::write(&known, "order-dependent in k because any will do\nrace in k because so").expect("a file");
    let known = known.to_str().expect("a path");
    let (code, _, err) = run(&file, &["--seeds", "0..16", "--check", "--suppress", known]);
    assert_eq!((code, err.as_str()), (Some(0), "ptxvm: 2 findings suppressed\n"));
}

#[test]
fn a_missing_wait_shows_with_every_asynchrony() {
    let body = ".shared .align 16 .u32 tile[4];\n.reg .b32 %at;\nmov.u32 %at, tile;\n\
                cp.async.ca.shared.global [%at], [%out], 16;\ncp.async.commit_group;\nld.shared.u32 %v, [%at];\n\
                cp.async.wait_all;\nst.global.u32 [%out+16], %v;\nret;";
    let file = kernel("async", "--arg 'u32[5]=5,6,7,8,9'", body);
    let all = objects(&file, &["--seeds", "0..4", "--async", "all"]);
    let found = object(&all, "code", "order-dependent");
    assert_eq!(found["async"]["lazy"], json!([0, 1, 2, 3]));
    assert_eq!(found["async"]["eager"], Value::Null);
    assert_eq!(object(&all, "kind", "runs")["runs"], 12);
    let again = found["again"].as_str().expect("a command");
    assert!(again.contains("--seed 0 --async lazy"), "{again}");
    let (code, _, err) = run(&file, &["--seeds", "0..4", "--async", "all"]);
    assert_eq!(code, Some(3));
    assert!(err.contains("--async lazy with all 4 seeds"), "{err}");
    let eager = run(&file, &["--seeds", "0..4", "--async", "eager"]);
    assert_eq!(eager.0, Some(0), "{}", eager.2);
}

#[test]
fn endless_kernels_end_at_the_timeout() {
    let file = kernel("endless", "--block 64 --arg 'u32[1]'", "L: bra L;");
    let (code, out, err) = run(&file, &["--seeds", "0..64", "--timeout", "300ms"]);
    assert_eq!(code, Some(3), "{err}");
    assert_eq!(err, "error[limit]: stopped after 300.0 ms (--timeout); 0 of 64 runs had ended\n");
    assert_eq!(out, "none of 64 runs came to its end\n");
    // One that hangs with some seeds only.
    let body = "@%p bra FIRST;\nld.relaxed.gpu.global.u32 %v, [%out];\nsetp.ne.u32 %p, %v, 0;\n@%p bra END;\n\
                L: bra L;\nFIRST:\nst.relaxed.gpu.global.u32 [%out], 1;\nEND:\nret;";
    let file = kernel("hangs", "--block 64 --arg 'u32[1]'", body);
    let (code, _, err) = run(&file, &["--seeds", "0..64", "--timeout", "500ms"]);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.starts_with("error[limit]: stopped after 500.0 ms (--timeout); "), "{err}");
    // A limit of each run is a finding of those that reach it.
    let all = objects(&file, &["--seeds", "0..16", "--max-instructions", "10k"]);
    let limit = object(&all, "code", "instructions");
    let runs = object(&all, "kind", "runs");
    assert_eq!(limit["runs"], runs["limits"]);
    assert_eq!(runs["ended"].as_u64().zip(runs["limits"].as_u64()).map(|(a, b)| a + b), Some(16));
}

/// Whether a process has a handler for SIGINT.
fn listens(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 2 != 0)
}

#[test]
fn an_interrupt_ends_all_runs() {
    let file = kernel("interrupt", "--block 64 --arg 'u32[1]'", "L: bra L;");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.args(["run", &file, "--seeds", "0..64", "--timeout", "120s"]).stderr(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the command starts");
    while !listens(&child) {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert_eq!(err, "error[limit]: interrupted; 0 of 64 runs had ended\n");
}

#[test]
fn what_belongs_to_one_run_is_that_of_the_first() {
    let file = order_dependent("first");
    let saved = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("seeds").join("saved.bin");
    let save = format!("out={}", saved.display());
    let (code, out, _) = run(&file, &["--seeds", "0..16", "--save", &save, "--stats"]);
    assert_eq!(code, Some(3));
    assert_eq!(out.matches("warp instructions").count(), 1, "{out}");
    let all = objects(&file, &["--seed", "0"]);
    let first = object(&all, "kind", "result")["buffers"][0]["first"][1].as_u64().expect("a number");
    let bytes = std::fs::read(&saved).expect("it is saved");
    assert_eq!(bytes[4..8], (first as u32).to_le_bytes());
}

#[test]
fn variables_and_buffers_begin_anew() {
    let body = ".reg .b64 %c;\natom.global.add.u32 %v, [count], 1;\n@!%p bra END;\nst.global.u32 [%out], %v;\nEND:\nret;";
    let file = kernel("anew", "--arg 'u32[1]'", body);
    let source = std::fs::read_to_string(&file).expect("it is there");
    let source = source.replace(".visible .entry", ".visible .global .u32 count = 7;\n.visible .entry");
    std::fs::write(&file, source).expect("it can be written");
    let (code, out, err) = run(&file, &["--seeds", "0..16"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("16 runs, all with the same results"), "{out}");
}

#[test]
fn addresses_are_no_difference() {
    let file = kernel(
        "addresses",
        "--arg 'u64[2]'",
        "st.global.u64 [%out], %out;\nst.global.u64 [last], %out;\nret;",
    );
    let source = std::fs::read_to_string(&file).expect("it is there");
    let source = source.replace(".visible .entry", ".global .u64 last;\n.visible .entry");
    std::fs::write(&file, source).expect("it can be written");
    let (code, out, err) = run(&file, &["--seeds", "0..16"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("16 runs, all with the same results"), "{out}");
}

#[test]
fn what_variables_hold_is_compared_too() {
    let file = kernel("variables", "--block 64 --arg 'u32[1]'", "st.global.u32 [last+8], %warp;\nret;");
    let source = std::fs::read_to_string(&file).expect("it is there");
    let source = source.replace(".visible .entry", ".global .u32 last[4];\n.visible .entry");
    std::fs::write(&file, source).expect("it can be written");
    let all = objects(&file, &["--seeds", "0..16"]);
    let found = object(&all, "code", "order-dependent");
    assert_eq!((&found["buffer"], &found["index"]), (&json!("last"), &json!([2])));
}

#[test]
fn runs_share_the_memory() {
    let file = kernel("memory", "--block 32 --arg 'u32[1000000]'", "st.global.u32 [%out], 1;\nret;");
    let tight = |most: &str| run(&file, &["--seeds", "0..8", "--max-memory", most]);
    let (code, out, err) = tight("20M");
    assert_eq!((code, err.as_str()), (Some(0), ""), "those that find none beside others are made again");
    assert!(out.starts_with("8 runs, all with the same results"), "{out}");
    let (code, out, err) = tight("14M");
    assert_eq!(code, Some(1), "{out}");
    assert!(err.contains("7 of 8 runs could not be made: ") && err.contains("--max-memory"), "{err}");
    assert!(out.starts_with("7 of 8 runs found no memory; the other one has its results below"), "{out}");
    assert_eq!(tight("8M").0, Some(1));
}

#[test]
fn wrong_usage_is_told() {
    let file = right("usage");
    for (options, expected) in [
        (&["--seeds", "5..5"][..], "holds no seed"),
        (&["--seeds", "64..0"], "write 0..64"),
        (&["--seeds", "x"], "expected FROM..TO"),
        (&["--seeds", "0..1000000"], "65,536 are the most"),
        (&["--seeds", "0..4", "--seed", "1"], "cannot be used with"),
        (&["--seeds", "0..4", "--events"], "cannot be used with"),
        (&["--seeds", "0..4", "--audit"], "cannot be used with"),
        (&["--seeds", "0..4", "--single-steps"], "cannot be used with"),
        (&["--seeds", "0..4", "--explain-order", "1", "2"], "cannot be used with"),
        (&["--seeds", "0..4", "--show", "ir"], "--show ir"),
        (&["--async", "all"], "needs --seeds"),
        (&["--seeds", "0..4", "--arg", "1", "--arg", "2"], "one too many"),
        (&["--seeds", "0..4", "--block", "4096"], "launch"),
    ] {
        let (code, out, err) = run(&file, options);
        let wanted = if options.contains(&"4096") { 3 } else { 1 };
        assert_eq!(code, Some(wanted), "{options:?}: {err}");
        assert!(err.contains(expected) && !err.contains("internal error"), "{options:?}: {out}{err}");
    }
    let line = kernel("line", "--async all --arg 'u32[1]'", "ret;");
    let (code, _, err) = run(&line, &["--seeds", "0..4"]);
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("--async all") && err.contains("line.ptx:1"), "{err}");
}

#[test]
fn the_examples_of_the_page_are_wrong_and_right() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = root.join("docs/findings/order-dependent.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut count = 0;
    for (number, section) in page.split("\n## ").skip(1).enumerate() {
        let lines: Vec<&str> = section.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        if !lines.iter().any(|line| line.contains(".entry")) {
            continue;
        }
        count += 1;
        for (leave, keep, wanted) in [('+', '-', true), ('-', '+', false)] {
            let kept = lines.iter().filter(|line| !line.starts_with(leave));
            let source: String = kept.map(|line| line.trim_start_matches(keep).to_owned() + "\n").collect();
            let file = folder.join(format!("order-dependent-{number}-{wanted}.ptx"));
            std::fs::write(&file, &source).expect("the folder can be written");
            let (code, _, err) = run(file.to_str().expect("a path"), &["--seeds", "0..64"]);
            assert_eq!(err.contains("error[order-dependent]"), wanted, "{err}\n{source}");
            assert_eq!(code, Some(if wanted { 3 } else { 0 }), "{err}\n{source}");
        }
    }
    assert_eq!(count, 3);
}
