//! `ptxvm run` from outside: arguments, launch lines, results, findings, and how it exits.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts")
}

fn ptxvm(arguments: &[&str], input: &str) -> Output {
    let mut child = start(arguments);
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the command ends");
    // A command that does not read its input may close it early.
    let _ = writer.join();
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const HEAD: &str = ".version 9.1\n.target sm_80\n.address_size 64\n";

/// A module with one kernel that can use a few registers.
fn kernel(parameters: &str, body: &str) -> String {
    format!(
        "{HEAD}.visible .entry k({parameters})\n{{\n.reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<8>;\n\
         .reg .b64 %rd<8>;\n{body}\nret;\n}}\n"
    )
}

/// Copies `bytes` bytes of the parameter `a` into the buffer `out`.
fn echo(declaration: &str, ty: &str, register: &str) -> String {
    let body = format!(
        "ld.param.u64 %rd0, [out];\nld.param.{ty} {register}, [a];\nst.global.{ty} [%rd0], {register};"
    );
    kernel(&format!("{declaration} a, .param .u64 out"), &body)
}

fn json_lines(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|l| serde_json::from_str(l).expect("each line is JSON")).collect()
}

/// Runs and expects exit code 1 with this in the message, and no word of a bug.
fn is_refused(arguments: &[&str], source: &str, expected: &str) {
    let mut all = vec!["run", "-"];
    all.extend(arguments);
    let output = ptxvm(&all, source);
    let shown = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {shown}");
    assert!(shown.contains(expected) && !shown.contains("internal error"), "{arguments:?}: {shown}");
}

/// The first value of the last buffer after a run.
fn first(arguments: &[&str], source: &str) -> Value {
    let mut all = vec!["run", "--format", "json", "-"];
    all.extend(arguments);
    let output = ptxvm(&all, source);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    let result = json_lines(&output).pop().expect("a result");
    assert_eq!(result["kind"], "result");
    result["buffers"].as_array().and_then(|b| b.last()).expect("a buffer")["first"][0].clone()
}

#[test]
fn scalars_take_the_type_of_their_parameter() {
    let u32s = echo(".param .u32", "u32", "%r0");
    assert_eq!(first(&["--arg", "42", "--arg", "u32[1]"], &u32s), 42);
    assert_eq!(first(&["--arg", "-1", "--arg", "u32[1]"], &u32s), 0xffff_ffffu32);
    assert_eq!(first(&["--arg", "0x10", "--arg", "u32[1]"], &u32s), 16);
    assert_eq!(first(&["--arg", "f32:1.5", "--arg", "f32[1]"], &u32s), 1.5);
    assert_eq!(first(&["--arg", "out=s32[1]", "--arg", "a=-7"], &u32s), -7);
    let f32s = echo(".param .f32", "b32", "%r0");
    assert_eq!(first(&["--arg", "3", "--arg", "f32[1]"], &f32s), 3.0);
    assert_eq!(first(&["--arg", "0f7F800000", "--arg", "f32[1]"], &f32s), "inf");
    let b64s = echo(".param .b64", "b64", "%rd1");
    assert_eq!(first(&["--arg", "18446744073709551615", "--arg", "u64[1]"], &b64s), u64::MAX);
    assert_eq!(first(&["--arg", "f64:0.1", "--arg", "f64[1]"], &b64s), 0.1);
    let b16s = echo(".param .b16", "b16", "%h0");
    assert_eq!(first(&["--arg", "bf16:1.5", "--arg", "bf16[1]"], &b16s), 1.5);
}

#[test]
fn structures_are_given_as_bytes() {
    let source = echo(".param .align 4 .b8 a[8],.param .u32", "u32", "%r0").replace("u32 a,", "u32 b,");
    let source = source.replace("ld.param.u32 %r0, [a]", "ld.param.u32 %r0, [a+4]");
    let arguments = ["--arg", "hex:0102030405060708", "--arg", "9", "--arg", "u32[1]"];
    assert_eq!(first(&arguments, &source), 0x0807_0605);
    is_refused(&["--arg", "hex:01", "--arg", "9", "--arg", "u32[1]"], &source, "has 8 bytes");
    is_refused(&["--arg", "5", "--arg", "9", "--arg", "u32[1]"], &source, "structure of 8 bytes");
}

#[test]
fn tensor_maps_are_made_of_buffers() {
    // Word 2 says what the tensor is; the address is compared with the buffer's.
    let by_value = kernel(
        ".param .align 64 .b8 map[128], .param .u64 in, .param .u64 out",
        "ld.param.u64 %rd0, [map]; ld.param.u32 %r0, [map+8]; ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n\
         setp.ne.u64 %p0, %rd0, %rd1; @%p0 trap; st.global.u32 [%rd2], %r0;",
    );
    let in_memory = kernel(
        ".param .u64 map, .param .u64 in, .param .u64 out",
        "ld.param.u64 %rd3, [map]; ld.global.u64 %rd0, [%rd3]; ld.global.u32 %r0, [%rd3+8];\n\
         ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n\
         setp.ne.u64 %p0, %rd0, %rd1; @%p0 trap; st.global.u32 [%rd2], %r0;",
    );
    for source in [&by_value, &in_memory] {
        let run = |map: &str| first(&["--arg", map, "--arg", "f32[12,60]", "--arg", "u32[1]"], source);
        // As the first of the recorded maps.
        assert_eq!(run("tensormap(#1, box [24,3], swizzle 128B, promotion 128B)"), 0x0004_6390);
        assert_eq!(run("tensormap(in, tf32, box [24,3])"), 0x0001_0390);
    }
    let refused = |map: &str, expected: &str| {
        is_refused(&["--arg", map, "--arg", "f32[12,60]", "--arg", "u32[1]"], &by_value, expected);
    };
    refused("tensormap(#3, box [24,3])", "the argument for `map`: `#3` is not a parameter");
    refused("tensormap(a, box [24,3])", "`a` is not a parameter");
    refused("tensormap(map, box [24,3])", "`map` is given no buffer");
    refused(
        "tensormap(#1, box [24,300])",
        "the argument for `map`: cannot make a tensor map: boxDim[1] is 300",
    );
    refused("tensormap(#1, box [24,3]", "lacks its `)`");
    let narrow = kernel(".param .u32 map, .param .u64 in", "");
    is_refused(&["--arg", "tensormap(in, box [4])", "--arg", "f32[4]"], &narrow, "cannot hold a tensor map");
    let old =
        ["--device", "a100", "--arg", "tensormap(in, box [24,3])", "--arg", "f32[12,60]", "--arg", "u32[1]"];
    is_refused(&old, &by_value, "has no tensor maps");
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let source = echo(".param .u32", "u32", "%r0");
    is_refused(&[], &source, "k(a: u32, out: u64) lacks arguments for a, out");
    is_refused(&["--arg", "1"], &source, "lacks arguments for out");
    is_refused(&["--arg", "1", "--arg", "u32[1]", "--arg", "3"], &source, "one too many");
    is_refused(&["--arg", "1.5", "--arg", "u32[1]"], &source, "not an integer for u32");
    is_refused(&["--arg", "4294967296", "--arg", "u32[1]"], &source, "does not fit");
    is_refused(&["--arg", "f64:1", "--arg", "u32[1]"], &source, "it is u32, not f64");
    is_refused(&["--arg", "u32[4]", "--arg", "u32[1]"], &source, "cannot point to a buffer");
    is_refused(&["--arg", "b=1"], &source, "for no parameter of k(a: u32, out: u64)");
    is_refused(&["--arg", "1", "--arg", "u32[0]"], &source, "at least one element");
    is_refused(&["--arg", "1", "--arg", "u32[1"], &source, "lacks its `]`");
    is_refused(&["--arg", "1", "--arg", "u99[1]"], &source, "not an element type");
    is_refused(&["--arg", "1", "--arg", "f32[99999999999,99999999999]"], &source, "any device");
    is_refused(&["--arg", "1", "--arg", "f32[20000000000000]"], &source, "of memory, and of the");
    is_refused(&["--arg", "1", "--arg", "f32[]=@/nowhere.bin"], &source, "cannot read /nowhere.bin");
    is_refused(&["--arg", "1", "--arg", "@/nowhere.npy"], &source, "cannot read /nowhere.npy");
    is_refused(&["--arg", "=1", "--arg", "u32[1]"], &source, "`=1` is not an integer");
    is_refused(&["--arg", "1", "--arg", "@/dev/zero"], &source, "does not end within");
    is_refused(&["--grid", "four"], &source, "--grid");
    is_refused(&["--timeout", "soon"], &source, "--timeout");
    is_refused(&["--device", "gtx480"], &source, "h200");
    is_refused(&["--entry", "other"], &source, "no entry `other`");
    is_refused(&["--arg", "1", "--arg", "u32[1]", "--save", "a=x.bin"], &source, "`a` is neither a buffer");
    is_refused(&["--arg", "1", "--arg", "u32[1]", "--save", "out=x.png"], &source, "u8 or f32");
    assert_eq!(ptxvm(&["run", "/nowhere.ptx"], "").status.code(), Some(1));
    assert_eq!(ptxvm(&["run"], "").status.code(), Some(1));
}

#[test]
fn a_bare_file_means_run() {
    let source = kernel("", "");
    assert_eq!(ptxvm(&["-"], &source).status.code(), Some(0));
    assert_eq!(ptxvm(&["/nowhere.ptx"], "").status.code(), Some(1));
    assert!(text(&ptxvm(&["/nowhere.ptx"], "").stderr).contains("cannot read /nowhere.ptx"));
}

#[test]
fn several_entries_are_listed_and_one_is_chosen() {
    let source = format!(
        "{HEAD}.visible .entry a(.param .u32 n) {{ ret; }}\n.visible .entry b(.param .u64 .ptr .global x) {{ ret; }}\n"
    );
    is_refused(&[], &source, "a(n: u32)");
    is_refused(&[], &source, "b(x: pointer)");
    assert_eq!(ptxvm(&["run", "-", "--entry", "a", "--arg", "1"], &source).status.code(), Some(0));
    // The launch line is for b, so it says nothing of a.
    let source = format!("// ptxvm: run --entry b --arg 'u8[4]'\n{source}");
    assert_eq!(ptxvm(&["run", "-"], &source).status.code(), Some(0));
    is_refused(&["--entry", "a"], &source, "lacks arguments for n");
    is_refused(&[], HEAD, "no entry to launch");
}

#[test]
fn launch_lines_touch_no_files_unless_trusted() {
    let folder = std::env::temp_dir().join(format!("ptxvm-line-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join("out.bin");
    let source = kernel(".param .u64 out", "");
    let source = format!("// ptxvm: run --arg 'u8[3]=7' --save out={}\n{source}", path.display());
    is_refused(&[], &source, "--trust-launch-line");
    assert!(!path.exists());
    assert_eq!(ptxvm(&["run", "-", "--trust-launch-line"], &source).status.code(), Some(0));
    assert_eq!(std::fs::read(&path).expect("it was saved"), [7, 7, 7]);
    std::fs::remove_dir_all(&folder).expect("removed");
    is_refused(&[], "// ptxvm: run --arg @/etc/passwd\n", "--trust-launch-line");
    is_refused(&[], "// ptxvm: run --gird 4\n", "<stdin>:1");
}

#[test]
fn npy_goes_in_and_out() {
    let folder = std::env::temp_dir().join(format!("ptxvm-npy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let source = kernel(".param .u64 x", "");
    let save = |argument: &str, name: &str| {
        let to = format!("x={}", path(name));
        ptxvm(&["run", "-", "--arg", argument, "--save", &to], &source)
    };
    assert_eq!(save("f32[2,3]=iota", "a.npy").status.code(), Some(0));
    assert_eq!(save(&format!("@{}", path("a.npy")), "b.npy").status.code(), Some(0));
    let (a, b) = (std::fs::read(path("a.npy")), std::fs::read(path("b.npy")));
    assert_eq!(a.expect("saved"), b.expect("saved"));
    assert_eq!(save(&format!("f32[]=@{}", path("a.npy")), "c.bin").status.code(), Some(0));
    assert_eq!(std::fs::read(path("c.bin")).expect("saved").len(), 24);
    for (argument, expected) in [
        (format!("f64[]=@{}", path("a.npy")), "are f32"),
        (format!("f32[7]=@{}", path("a.npy")), "has 6 elements"),
        (format!("f64[4]=@{}", path("c.bin")), "has 3 elements"),
        (format!("@{}", path("")), "cannot read"),
    ] {
        is_refused(&["--arg", &argument], &source, expected);
    }
    std::fs::write(path("d.npy"), b"\x93NUMPY\x01\x00\xff\xff{").expect("written");
    is_refused(&["--arg", &format!("@{}", path("d.npy"))], &source, "header");
    std::fs::write(path("e.bin"), b"").expect("written");
    is_refused(&["--arg", &format!("@{}", path("e.bin"))], &source, "no elements");
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn what_ends_a_run_has_its_own_exit_code() {
    let code = |source: &str, more: &[&str]| {
        let mut all = vec!["run", "-"];
        all.extend(more);
        let output = ptxvm(&all, source);
        (output.status.code(), text(&output.stderr))
    };
    assert_eq!(code(&kernel("", ""), &[]).0, Some(0));
    assert_eq!(code(&kernel("", "add.ftz.s32 %r0, %r1, %r2;"), &[]).0, Some(2));
    let trap = code(&kernel("", "trap;"), &[]);
    assert_eq!(trap.0, Some(134), "{}", trap.1);
    assert!(trap.1.contains("error[trap]"), "{}", trap.1);
    let endless = kernel("", "L: bra L;");
    let time = code(&endless, &["--timeout", "1s"]);
    assert_eq!(time.0, Some(3), "{}", time.1);
    assert!(time.1.contains("--timeout") && time.1.contains("0 of 1 CTAs"), "{}", time.1);
    let count = code(&endless, &["--max-instructions", "10k"]);
    assert_eq!(count.0, Some(3), "{}", count.1);
    assert!(count.1.contains("--max-instructions"), "{}", count.1);
    let null = code(&kernel("", "mov.u64 %rd0, 0;\nst.global.u32 [%rd0], 1;"), &[]);
    assert_eq!(null.0, Some(3), "{}", null.1);
}

#[test]
fn what_is_not_supported_yet_is_named_when_a_thread_comes_to_it() {
    // ptxas takes m8n8k4 on bf16, which the manual does not have, and makes no code of it.
    let product = "mma.sync.aligned.m8n8k4.row.col.f32.bf16.bf16.f32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, \
                   {%r0, %r1}, {%r0, %r1}, {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};";
    let with = |wanted: &str| {
        let source = kernel("", &format!("setp.eq.u32 %p0, 0, {wanted};\n@%p0 {product}"));
        ptxvm(&["run", "--block", "32", "--color", "never", "-"], &source)
    };
    let output = with("0");
    let shown = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{shown}");
    assert!(shown.contains("error[unsupported]") && shown.contains("mma.sync.aligned.m8n8k4.row"), "{shown}");
    // A kernel may carry code that it never runs.
    assert_eq!(with("1").status.code(), Some(0));
}

#[test]
fn launch_limits_are_findings() {
    let code = |source: &str, more: &[&str], expected: &str| {
        let mut all = vec!["run", "--format", "json", "-"];
        all.extend(more);
        let output = ptxvm(&all, source);
        assert_eq!(output.status.code(), Some(3), "{more:?}: {}", text(&output.stderr));
        let finding = json_lines(&output).remove(0);
        assert_eq!((&finding["kind"], &finding["code"]), (&json!("finding"), &json!("launch")));
        let message = finding["message"].as_str().unwrap_or("").to_owned();
        assert!(message.contains(expected), "{message}");
    };
    let source = kernel("", "");
    code(&source, &["--block", "1025"], "1024 are allowed");
    code(&source, &["--block", "1,1,65"], "64 are allowed");
    code(&source, &["--block", "64,64"], "4096 threads");
    code(&source, &["--grid", "1,65536"], "65535 are allowed");
    code(&source, &["--grid", "0"], "no extent");
    code(&source, &["--shared", "228k"], "shared memory");
    code(&source.replace("k()", "k() .reqntid 32"), &["--block", "64"], ".reqntid");
    code(&source.replace("k()", "k() .maxntid 32"), &["--block", "64"], ".maxntid");
    // Without --block, a kernel gets the shape it asks for.
    let asked = source.replace("k()", "k() .reqntid 32, 2");
    assert_eq!(ptxvm(&["run", "-"], &asked).status.code(), Some(0));
}

#[test]
fn modules_for_other_devices_are_refused() {
    let with = |target: &str, device: &str| {
        let source = kernel("", "").replace("sm_80", target);
        let output = ptxvm(&["run", "-", "--device", device], &source);
        (output.status.code(), text(&output.stderr))
    };
    for (target, device, runs) in [
        ("sm_80", "h200", true),
        ("sm_90a", "h200", true),
        ("sm_90a", "b200", false),
        ("sm_90", "b200", true),
        ("sm_100a", "h200", false),
        ("sm_100a", "b200", true),
        ("sm_100f", "b300", true),
        ("sm_100a", "b300", false),
        ("sm_90", "a100", false),
    ] {
        let (code, shown) = with(target, device);
        assert_eq!(code, Some(if runs { 0 } else { 2 }), "{target} on {device}: {shown}");
        assert!(runs || (shown.contains(target) && shown.contains("--device")), "{shown}");
    }
}

#[test]
fn functions_that_nobody_defines_are_named() {
    let source = format!("{HEAD}.extern .func missing();\n.visible .entry k() {{ call missing; ret; }}\n");
    let output = ptxvm(&["run", "-"], &source);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("missing"));
}

#[test]
fn json_tells_findings_from_results() {
    let lines = |source: &str, more: &[&str]| {
        let mut all = vec!["run", "--format", "json", "-"];
        all.extend(more);
        json_lines(&ptxvm(&all, source))
    };
    let result = &lines(&kernel(".param .u64 x", ""), &["--arg", "s32[2,2]=-1", "--stats"]);
    assert_eq!(
        result[0],
        json!({ "kind": "result", "ok": true, "kernel": "k", "buffers": [{
            "name": "x", "type": "s32", "shape": [2, 2], "min": -1, "max": -1, "mean": -1.0, "nans": 0, "changed": 0,
            "first": [-1, -1, -1, -1],
        }]})
    );
    assert_eq!((&result[1]["kind"], &result[1]["ctas"]), (&json!("statistics"), &json!(1)));
    let trap = &lines(&kernel("", "trap;"), &[])[0];
    assert_eq!(
        (&trap["kind"], &trap["code"], &trap["line"]),
        (&json!("finding"), &json!("trap"), &json!(10))
    );
    let invalid = &lines(&kernel("", "nonsense;"), &[])[0];
    assert_eq!(invalid["kind"], "invalid");
    let usage = &lines(&kernel("", ""), &["--arg", "1"])[0];
    assert_eq!(usage["kind"], "usage");
    let limit = &lines(&kernel("", "L: bra L;"), &["--max-instructions", "1000"]);
    assert_eq!((&limit[0]["kind"], &limit[0]["code"]), (&json!("limit"), &json!("instructions")));
    assert_eq!((&limit[1]["kind"], &limit[1]["ok"]), (&json!("result"), &json!(false)));
}

#[test]
fn stats_are_shown_to_people() {
    let shown = text(&ptxvm(&["run", "-", "--block", "64", "--stats"], &kernel("", "")).stdout);
    for expected in ["CTAs", "warp instructions", "lanes active         32 of 32", "control"] {
        assert!(shown.contains(expected), "{expected} is missing in {shown}");
    }
    let json = ptxvm(&["run", "-", "--stats=json"], &kernel("", ""));
    assert_eq!(json_lines(&json)[0]["kind"], "statistics");
}

/// Sixteen products of 2^-25 and a one: what is kept of them tells whose arithmetic it was.
#[test]
fn matrix_products_are_the_devices_unless_asked_otherwise() {
    let body = "ld.param.u64 %rd0, [out];\nmov.b32 %r0, 0x0c000c00;\nmov.b32 %r1, 0x08000800;\nmov.b32 %r2, 0f3F800000;\n\
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r3,%r4,%r5,%r6}, {%r0,%r0,%r0,%r0}, {%r1,%r1}, \
        {%r2,%r2,%r2,%r2};\nst.global.b32 [%rd0], %r3;";
    let source = kernel(".param .u64 out", body);
    let run = |more: &[&str]| {
        let mut all = vec!["run", "-", "--block", "32", "--arg", "u32[1]", "--stats", "--format", "json"];
        all.extend(more);
        json_lines(&ptxvm(&all, &source))
    };
    let first = |lines: &[Value]| lines[0]["buffers"][0]["first"][0].clone();
    let (all, none) = (json!(0x3f80_0004), json!(0x3f80_0000));
    assert_eq!(first(&run(&[])), all, "an H200 keeps 25 bits");
    assert_eq!(first(&run(&["--device", "a100"])), none, "an A100 keeps 24 bits");
    assert_eq!(first(&run(&["--device", "a100", "--mma", "hopper"])), all);
    assert_eq!(first(&run(&["--mma", "ampere"])), none);
    let exact = &run(&[])[1];
    assert_eq!((&exact["mma"], &exact["matrix_products"]), (&json!("exact"), &json!(16 * 8 * 16)));
    assert_eq!(run(&["--mma", "fast"])[1]["mma"], "fast");
    let shown = ptxvm(&["run", "-", "--block", "32", "--arg", "u32[1]", "--mma", "fast", "--stats"], &source);
    assert!(text(&shown.stdout).contains("fast: the last bits are not the device's"));
    let refused = ptxvm(&["run", "-", "--mma", "kepler"], &source);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("expected exact, fast or one of volta"));
}

/// Starts a command and gives what it came to, or `None` if it has not ended after a minute. Its output is not read, and its
/// input stays open.
fn left_alone(arguments: &[&str]) -> Option<Output> {
    let mut child = start(arguments);
    let open = child.stdin.take();
    for _ in 0..600 {
        if child.try_wait().expect("it can be asked").is_some() {
            return Some(child.wait_with_output().expect("it has ended"));
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    drop(open);
    child.kill().expect("it can be ended");
    child.wait().expect("it has ended");
    None
}

#[test]
fn time_before_the_launch_counts() {
    // The end of the file never comes.
    let output = left_alone(&["run", "-", "--timeout", "200ms"]).expect("it ends");
    let shown = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{shown}");
    assert!(shown.contains("stopped after 200.0 ms (--timeout); the kernel had not begun"), "{shown}");
    let output = left_alone(&["run", "-", "--timeout", "200ms", "--format", "json"]).expect("it ends");
    assert_eq!(output.status.code(), Some(3));
    let lines = json_lines(&output);
    assert_eq!(
        (&lines[0]["kind"], &lines[0]["code"], &lines[0]["ctas"]),
        (&json!("limit"), &json!("time"), &Value::Null)
    );
}

#[test]
fn a_guest_that_prints_to_nobody_is_stopped() {
    let path = std::env::temp_dir().join(format!("ptxvm-print-{}.ptx", std::process::id()));
    let source = format!(
        "{HEAD}.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n\
         .global .b8 wide[] = {{37, 57, 57, 57, 57, 100, 0}};\n.visible .entry k()\n{{\n.reg .b64 %f, %a;\n\
         .local .align 8 .b8 list[8];\nmov.u64 %f, wide;\ncvta.global.u64 %f, %f;\nmov.u64 %a, list;\n\
         cvta.local.u64 %a, %a;\nL:\n{{\n.param .b32 r;\n.param .b64 f, a;\nst.param.b64 [f], %f;\n\
         st.param.b64 [a], %a;\ncall (r), vprintf, (f, a);\n}}\nbra L;\n}}\n"
    );
    std::fs::write(&path, source).expect("written");
    let ended = left_alone(&["run", path.to_str().expect("a path"), "--timeout", "500ms"]);
    std::fs::remove_file(&path).expect("removed");
    let output = ended.expect("it ends");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("(--timeout); 0 of 1 CTAs had ended"), "{}", text(&output.stderr));
}

#[test]
#[cfg(unix)]
fn an_interrupt_stops_the_run_and_says_how_far_it_came() {
    let path = std::env::temp_dir().join(format!("ptxvm-int-{}.ptx", std::process::id()));
    let source = kernel(".param .u64 x", "ld.param.u64 %rd0, [x];\nst.global.u32 [%rd0], 7;\nL: bra L;");
    std::fs::write(&path, source).expect("written");
    let child = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .arg("run")
        .arg(&path)
        .args(["--arg", "u32[1]", "--timeout", "60s"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let output = child.wait_with_output().expect("the command ends");
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("interrupted; 0 of 1 CTAs had ended"));
    assert!(text(&output.stdout).contains("x       u32[1]  7"), "{}", text(&output.stdout));
}

#[test]
fn the_page_of_run_names_every_option() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/run.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let help = text(&ptxvm(&["run", "--help"], "").stdout);
    let options: Vec<&str> = help
        .split_whitespace()
        .filter(|w| w.starts_with("--"))
        .map(|w| w.trim_end_matches([',', ')', '`', ';']).split(['=', '[']).next().unwrap_or(w))
        .collect();
    assert!(options.len() > 15, "{help}");
    // `--check` is what the exit codes say of `fmt`.
    for option in options.into_iter().filter(|o| !matches!(*o, "--help" | "--check")) {
        assert!(page.contains(option), "{option} is not in docs/run.md");
    }
}
