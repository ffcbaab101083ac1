//! `ptxvm ptxas` from outside, beside what ptxas 13.4.92 said to the same files and options (recorded by hand).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ptxvm_vm::image;

/// A folder for one test, empty at the start.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ptxas").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the test's folder can be made");
    folder
}

fn ptxas(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .arg("ptxas")
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const RIGHT: &str = ".version 9.1\n.target sm_80\n.address_size 64\n\
    .visible .entry k(.param .u64 x) { .reg .b64 %p; ld.param.u64 %p, [x]; st.global.u32 [%p], 1; ret; }\n";

const WRONG: &str = ".version 9.1\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x)\n{\n\
    .reg .b64 %p;\n.reg .b32 %r;\nadd.s32 %r, %r, %p;\ncp.async.bulk.commit_group;\nbra missing;\nret;\n}\n";

const CALLS: &str = ".version 9.1\n.target sm_80\n.address_size 64\n.extern .func foo(.param .b32 r);\n\
    .visible .entry c() { { .param .b32 q; st.param.b32 [q], 1; call foo, (q); } ret; }\n";

const MEMORY: &str = ".version 9.1\n.target sm_80\n.address_size 64\n.global .u32 table[8];\n\
    .visible .entry m(.param .u64 x) { .reg .b64 %p; .reg .b32 %r; .shared .b8 s[100]; .local .b8 l[64];\n\
    ld.param.u64 %p, [x]; ld.shared.u32 %r, [s]; st.local.u32 [l], %r; st.global.u32 [%p], %r;\n\
    st.global.u32 [table], %r; ret; }\n";

fn files(test: &str) -> PathBuf {
    let folder = folder(test);
    let arch = RIGHT.replace("sm_80", "sm_90a");
    let family = RIGHT.replace("sm_80", "sm_100f");
    let other = RIGHT.replace("k(", "other(");
    let future = RIGHT.replace("9.1", "9.9");
    for (name, source) in [
        ("right.ptx", RIGHT),
        ("wrong.ptx", WRONG),
        ("calls.ptx", CALLS),
        ("memory.ptx", MEMORY),
        ("arch.ptx", &arch),
        ("family.ptx", &family),
        ("other.ptx", &other),
        ("future.ptx", &future),
        ("empty.ptx", ""),
    ] {
        std::fs::write(folder.join(name), source).expect("the file can be written");
    }
    folder
}

/// Where ptxas speaks of the command line and not of the PTX, its words are repeated exactly.
#[test]
fn refusals_are_those_of_ptxas() {
    const ABORTED: &str = "ptxas fatal   : Ptx assembly aborted due to errors";
    let folder = files("refusals");
    for (line, expected) in [
        (
            "right.ptx",
            "ptxas fatal   : SM version specified by .target is higher than default SM version assumed",
        ),
        (
            "-arch=sm_90 arch.ptx",
            "ptxas fatal   : PTX with .target 'sm_90a' cannot be compiled for architecture 'sm_90'",
        ),
        (
            "-arch=sm_100a arch.ptx",
            "ptxas fatal   : Program with .target 'sm_90a' cannot be compiled to future architecture",
        ),
        (
            "-arch=sm_120 family.ptx",
            "ptxas fatal   : Program with .target 'sm_100f' cannot be compiled to different SM-family architecture",
        ),
        ("-arch=sm_35 right.ptx", "ptxas fatal   : Value 'sm_35' is not defined for option 'gpu-name'"),
        ("-arch=sm_90 --nonsense right.ptx", "ptxas fatal   : Unknown option '-nonsense'"),
        ("-arch=sm_90 calls.ptx", "ptxas fatal   : Unresolved extern function 'foo'"),
        (
            "-arch=sm_90 future.ptx",
            &format!(
                "ptxas future.ptx, line 1; fatal   : Unsupported .version 9.9; current version is '9.4'\n{ABORTED}"
            ),
        ),
        ("-arch=sm_90 -e kk right.ptx", "ptxas fatal   : Unknown function kk"),
        ("-arch=sm_90 right.ptx -o nowhere/x", "ptxas fatal   : Output file 'nowhere/x' could not be opened"),
        (
            "-arch=sm_90 none.ptx",
            &format!("ptxas fatal   : Input file 'none.ptx' could not be opened\n{ABORTED}"),
        ),
        (
            "-arch=sm_90 right.ptx right.ptx",
            &format!("ptxas right.ptx, line 4; error   : Duplicate definition of function 'k'\n{ABORTED}"),
        ),
        (
            "-arch=sm_90 -dlcm=zz right.ptx",
            &format!("ptxas error   : Invalid default cache modifier on load specified: zz\n{ABORTED}"),
        ),
        (
            "-arch=sm_90 -Werror -suppress-debug-info right.ptx",
            &format!(
                "ptxas error   : Option suppress-debug-info requires option device-debug or lineinfo; ignoring since latter is not specified\n{ABORTED}"
            ),
        ),
    ] {
        let output = ptxas(&folder, line);
        assert_eq!(output.status.code(), Some(255), "{line}");
        assert_eq!(text(&output.stderr).trim_end(), expected, "{line}");
        assert_eq!(text(&output.stdout), "", "{line}");
        assert!(!folder.join("elf.o").exists(), "{line}: nothing is written");
    }
}

/// XLA asks in this way which PTX it may write, and splits what stands on standard error at the quotation marks. ptxas
/// 13.4.92 prints this one line and no other.
#[test]
fn a_text_of_no_known_version_tells_the_newest() {
    let folder = folder("probe");
    for text in [".version 99.99", ".version 99.99\n.target sm_80\n.address_size 64\n"] {
        let output = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
            .args(["ptxas", "--input-as-string", text])
            .current_dir(&folder)
            .output()
            .expect("the command starts");
        assert_eq!(output.status.code(), Some(255));
        let expected = "ptxas application ptx input, line 1; fatal   : Unsupported .version 99.99; current version is '9.4'\n";
        assert_eq!(self::text(&output.stderr), expected);
        assert_eq!(self::text(&output.stdout), "");
    }
}

/// Of errors in the PTX the files, the lines and the form are ptxas's; the words are ours.
#[test]
fn errors_stand_in_the_lines_that_ptxas_names() {
    let folder = files("errors");
    for (line, file, lines) in [
        ("-arch=sm_90 wrong.ptx", "wrong.ptx", &[8, 9, 10][..]),
        ("-arch=sm_90 right.ptx wrong.ptx", "wrong.ptx", &[8, 9, 10]),
        ("-arch=sm_90 empty.ptx", "empty.ptx", &[1]),
    ] {
        let output = ptxas(&folder, line);
        assert_eq!(output.status.code(), Some(255), "{line}");
        let shown = text(&output.stderr);
        let mut shown: Vec<&str> = shown.lines().collect();
        assert_eq!(shown.pop(), Some("ptxas fatal   : Ptx assembly aborted due to errors"), "{line}");
        for number in lines {
            let start = format!("ptxas {file}, line {number}; error   : ");
            assert!(shown.iter().any(|l| l.starts_with(&start)), "{line}: {start} is not in {shown:?}");
        }
        let places = shown.iter().map(|l| l.split(';').next().unwrap_or_default());
        assert!(
            places.clone().all(|p| lines.iter().any(|n| p == format!("ptxas {file}, line {n}"))),
            "{line}: {shown:?}"
        );
    }
}

#[test]
fn what_is_written_holds_the_ptx() {
    let folder = files("written");
    let part = |name: &str, target: &str, ptx: &str| image::Part {
        name: name.to_owned(),
        target: target.to_owned(),
        ptx: ptx.to_owned(),
        max_registers: 0,
    };
    for (line, to, parts) in [
        ("-arch=sm_90 right.ptx", "elf.o", vec![part("right.ptx", "sm_90", RIGHT)]),
        // Triton's command line.
        (
            "-lineinfo -v --regAllocOptLevel=2 --gpu-name=sm_90a right.ptx -o out.o",
            "out.o",
            vec![part("right.ptx", "sm_90a", RIGHT)],
        ),
        (
            "-arch=sm_103 family.ptx -o=f",
            "f",
            vec![part("family.ptx", "sm_103", &RIGHT.replace("sm_80", "sm_100f"))],
        ),
        ("-arch sm_80 -c calls.ptx --output-file c", "c", vec![part("calls.ptx", "sm_80", CALLS)]),
        (
            "-arch=sm_80 right.ptx other.ptx -o two",
            "two",
            vec![
                part("right.ptx", "sm_80", RIGHT),
                part("other.ptx", "sm_80", &RIGHT.replace("k(", "other(")),
            ],
        ),
    ] {
        let output = ptxas(&folder, line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
        let image = std::fs::read(folder.join(to)).expect(line);
        assert_eq!(image::decode(&image), Ok(parts), "{line}");
    }
}

#[test]
fn virtual_architectures_are_only_checked() {
    let folder = files("virtual");
    for arch in ["compute_90", "lto_90"] {
        let output = ptxas(&folder, &format!("-arch={arch} right.ptx"));
        assert_eq!(output.status.code(), Some(0));
        assert!(!folder.join("elf.o").exists());
    }
}

#[test]
fn verbose_tells_what_is_known_and_no_registers() {
    let folder = files("verbose");
    let shown = text(&ptxas(&folder, "-arch=sm_90 -v memory.ptx").stderr);
    for expected in [
        "ptxas info    : 32 bytes gmem\n",
        "ptxas info    : Compiling entry function 'm' for 'sm_90'\n",
        "ptxas info    : Function properties for m\n    64 bytes stack frame\n",
        "100 bytes smem\n",
    ] {
        assert!(shown.contains(expected), "{expected} is not in {shown}");
    }
    assert!(!shown.contains("registers"), "{shown}");
}

/// Triton looks for `release X.Y` in what `--version` prints, whatever the name it runs the file by.
#[test]
fn the_version_can_be_asked_under_the_name_of_ptxas() {
    let folder = folder("name");
    let name = folder.join("ptxas");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ptxvm"), &name).expect("a link can be made");
    let output = Command::new(&name).arg("--version").output().expect("the link starts");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.lines().any(|line| line.contains("release 13.4, V13.4.")), "{shown}");
    assert!(shown.contains("ptxvm"), "it does not claim to be the real one: {shown}");
    let listed = Command::new(&name).arg("--list-version").output().expect("the link starts");
    assert_eq!(text(&listed.stdout).lines().last(), Some("9.4"));
    assert_eq!(text(&listed.stdout).lines().count(), 48);
}
