//! What the command itself takes of the host's memory while a kernel takes all that it may: hardly more than
//! `--max-memory`.
#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// In bytes. What is taken besides the budget: the command, its tables and the C library's own.
const LIMIT: u64 = 256 << 20;
const BESIDES: u64 = 24 << 20;

#[test]
fn the_peak_stays_within_the_limit() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("peak");
    std::fs::create_dir_all(&folder).expect("the test's folder can be made");
    for (name, launch, body) in kernels() {
        let file = folder.join(name).with_extension("ptx");
        let source = format!(".version 9.1\n.target sm_90a\n.address_size 64\n{body}");
        std::fs::write(&file, source).expect("the kernel can be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
            .args(["run", "--max-memory", &LIMIT.to_string(), "--timeout", "2s", "--arg", "u8[65536]"])
            .args(launch.split(' '))
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut peak = 0;
        while command.try_wait().expect("it is a child").is_none() {
            peak = peak_of(command.id()).unwrap_or(peak);
            std::thread::sleep(Duration::from_millis(1));
        }
        let output = command.wait_with_output().expect("it has ended");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{name}: {said}");
        assert!(said.contains("error[limit]"), "{name}: {said}");
        assert!(peak > 0 && peak <= LIMIT + BESIDES, "{name}: {} MB", peak >> 20);
    }
}

/// Kernels that reach the limit of memory or, if what they do is bounded by itself, that of time.
fn kernels() -> Vec<(&'static str, &'static str, String)> {
    let waits = "WAIT: ld.volatile.global.u32 %v, [flag]; setp.eq.u32 %p, %v, 0; @%p bra WAIT; ret; }";
    let head = ".global .u32 flag;\n.extern .shared .align 128 .b8 shared[];\n\
                .extern .func (.param .b64 r) malloc(.param .b64 n);\n\
                .visible .entry k(.param .u64 .ptr .global .align 128 buffer) {\n\
                .reg .b64 %g, %a; .reg .b32 %v, %s; .reg .pred %p; ld.param.u64 %g, [buffer]; mov.u32 %s, shared;\n";
    let each = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let registers = format!(
        "{head}.reg .b64 %x<8000>; {}bar.sync 0; {}st.global.u64 [%g], %x0; {waits}",
        each(8000, &|n| format!("mov.u64 %x{n}, %clock64;\n")),
        each(8000, &|n| format!("add.u64 %x0, %x0, %x{n};\n")),
    );
    let local = format!(
        "{head}.local .align 8 .b8 l[65536]; mov.u64 %a, l; mov.u32 %v, 16;\n\
         FILL: st.local.u32 [%a], 1; add.u64 %a, %a, 4096; sub.u32 %v, %v, 1; setp.ne.u32 %p, %v, 0; @%p bra FILL;\n{waits}"
    );
    let copies = format!(
        "{head}L: cp.async.bulk.global.shared::cta.bulk_group [%g], [%s], 65536; cp.async.bulk.commit_group; bra L; }}"
    );
    let heap = format!(
        "{head}L: {{ .param .b64 r; .param .b64 n; st.param.b64 [n], 0; call (r), malloc, (n); }} bra L; }}"
    );
    vec![
        ("registers", "--grid 1000 --block 1024 --threads 8", registers),
        ("local memory", "--grid 100000 --block 256 --threads 2", local),
        ("shared memory", "--grid 100000 --block 32 --shared 65536", format!("{head}{waits}")),
        ("copies", "--block 1024 --shared 65536 --async lazy", copies),
        ("heap", "--block 1024", heap),
    ]
}

/// The most that a process has had of the host's memory, in bytes.
fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}
