//! What a large module costs: loading it, the first launch of one of its kernels, and the memory that it takes before
//! anything is launched. One module is of the kernels of `tests/corpus` over and over under new names, one of kernels that
//! call functions that call others.
//!
//! usage: large [LIBRARY [MEGABYTES]]     libcuda.so (target/release), 20

use std::collections::BTreeSet;
use std::ffi::{CString, c_void};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::time::Instant;

use libloading::{Library, Symbol};

const ROUNDS: usize = 5;
/// The promises for 20 megabytes: milliseconds of loading, and bytes of memory for each of PTX.
const LOADING: f64 = 300.0;
const MEMORY: f64 = 3.0;

type Handle = *mut c_void;
type Launch = unsafe extern "C" fn(
    Handle,
    u32,
    u32,
    u32,
    u32,
    u32,
    u32,
    u32,
    Handle,
    *const *mut c_void,
    *const *mut c_void,
) -> u32;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "../../target/release/libcuda.so".into());
    let megabytes: usize = arguments.next().map_or(20, |number| number.parse().expect("a number"));
    // SAFETY: the library is ours.
    let library = unsafe { Library::new(&path) }.unwrap_or_else(|error| panic!("{path}: {error}"));
    println!(
        "                     MB    load ms  of a core   kernel ms   launch ms   peak B/B   resident B/B"
    );
    let mut kept = true;
    for (name, text) in [("corpus", corpus(megabytes << 20)), ("calls", calls(megabytes << 20))] {
        let text = CString::new(text).expect("no zeros");
        let mut rounds: Vec<Round> = (0..ROUNDS).map(|_| round(&library, &text)).collect();
        // What earlier rounds have freed may be used again by later ones, so the first has the memory.
        let Round { peak, resident, .. } = rounds[0];
        rounds.sort_by(|a, b| a.load.total_cmp(&b.load));
        let Round { load, busy, kernel, launch, .. } = rounds[ROUNDS / 2];
        let size = text.as_bytes().len() as f64;
        println!(
            "    {name:12} {:8.1} {load:10.1} {busy:10.1} {kernel:11.2} {launch:11.2} {:10.2} {:14.2}",
            size / f64::from(1 << 20),
            peak / size,
            resident / size,
        );
        kept &= load < LOADING && peak / size < MEMORY;
    }
    std::process::exit(i32::from(!kept));
}

/// The milliseconds and bytes of one module from loading to unloading.
#[derive(Clone, Copy)]
struct Round {
    load: f64,
    /// Of `load`, what the thread had of a core.
    busy: f64,
    kernel: f64,
    launch: f64,
    peak: f64,
    resident: f64,
}

fn round(library: &Library, text: &CString) -> Round {
    // SAFETY: the types are those of the driver API, and pointers lead to what they are for.
    unsafe {
        let (mut device, mut context, mut module, mut function) = (0, null_mut(), null_mut(), null_mut());
        good("cuInit", get::<unsafe extern "C" fn(u32) -> u32>(library, "cuInit")(0));
        good(
            "cuDeviceGet",
            get::<unsafe extern "C" fn(*mut i32, i32) -> u32>(library, "cuDeviceGet")(&mut device, 0),
        );
        let create = get::<unsafe extern "C" fn(*mut Handle, u32, i32) -> u32>(library, "cuCtxCreate_v2");
        good("cuCtxCreate", create(&mut context, 0, device));
        let load =
            get::<unsafe extern "C" fn(*mut Handle, *const c_void) -> u32>(library, "cuModuleLoadData");
        let find = get::<unsafe extern "C" fn(*mut Handle, Handle, *const i8) -> u32>(
            library,
            "cuModuleGetFunction",
        );
        let launch = get::<Launch>(library, "cuLaunchKernel");
        let wait = get::<unsafe extern "C" fn() -> u32>(library, "cuCtxSynchronize");
        let unload = get::<unsafe extern "C" fn(Handle) -> u32>(library, "cuModuleUnload");
        let destroy = get::<unsafe extern "C" fn(Handle) -> u32>(library, "cuCtxDestroy_v2");

        let before = memory("VmRSS:");
        let (began, core) = (Instant::now(), on_core());
        good("cuModuleLoadData", load(&mut module, text.as_ptr().cast()));
        let (loaded, busy) = (began.elapsed().as_secs_f64() * 1e3, on_core() - core);
        let (peak, resident) = (memory("VmHWM:") - before, memory("VmRSS:") - before);

        let began = Instant::now();
        let name = CString::new("measured").expect("no zeros");
        good("cuModuleGetFunction", find(&mut function, module, name.as_ptr()));
        let found = began.elapsed().as_secs_f64() * 1e3;

        let began = Instant::now();
        let parameters = [null_mut(); 1];
        good(
            "cuLaunchKernel",
            launch(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), parameters.as_ptr(), null()),
        );
        good("cuCtxSynchronize", wait());
        let launched = began.elapsed().as_secs_f64() * 1e3;
        good("cuModuleUnload", unload(module));
        good("cuCtxDestroy", destroy(context));
        // The next one's peak is its own.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Round { load: loaded, busy, kernel: found, launch: launched, peak, resident }
    }
}

fn get<'a, T>(library: &'a Library, name: &str) -> Symbol<'a, T> {
    // SAFETY: each caller names the function's type.
    unsafe { library.get(name.as_bytes()) }.unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn good(what: &str, result: u32) {
    assert_eq!(result, 0, "{what}");
}

/// The milliseconds that this thread has had of a core.
fn on_core() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it");
    times.split(' ').next().and_then(|time| time.parse::<f64>().ok()).expect("a number") / 1e6
}

/// A number of bytes that the system knows of this process.
fn memory(which: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix(which)).expect("Linux tells it");
    line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") * 1024.0
}

const HEAD: &str = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry measured() { ret; }\n";

/// The corpus over and over.
fn corpus(bytes: usize) -> String {
    let mut files = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    for compiler in ["triton", "numba", "nvrtc"] {
        collect(&folder.join(compiler), &mut files);
    }
    files.sort();
    let mut out = HEAD.to_owned();
    let texts: Vec<String> = files
        .iter()
        .map(|file| std::fs::read_to_string(file).expect("a text"))
        .filter(|text| fits(text))
        .collect();
    let mut number = 0;
    while out.len() < bytes {
        for text in &texts {
            renamed(&mut out, text, number);
            number += 1;
            if out.len() >= bytes {
                break;
            }
        }
    }
    out
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the corpus").flatten() {
        if entry.path().to_string_lossy().contains("sm_80") {
            files.push(entry.path());
        }
    }
}

/// Whether a text can stand beside others: nothing in it holds for a whole file.
fn fits(text: &str) -> bool {
    ![".func", ".section", ".file", "debug"].iter().any(|word| text.contains(word))
}

/// A text without its head, with a number at the names that the others could have, too.
fn renamed(out: &mut String, text: &str, number: usize) {
    let body = text.split_once(".address_size 64").expect("it has a head").1;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let mut names = BTreeSet::new();
    for line in body.lines().filter(|line| line.starts_with('.')) {
        let declares = [".entry", ".func", ".global", ".const", ".shared"];
        if !declares.iter().any(|word| line.contains(word)) {
            continue;
        }
        let before = line.split(['(', '[', '=', ';']).find(|part| {
            part.split(|c| !is_word(c)).last().is_some_and(|w| !w.is_empty() && !w.starts_with('.'))
        });
        let name = before.and_then(|part| part.split(|c| !is_word(c)).last());
        if let Some(name) = name.filter(|name| !name.starts_with(|c: char| c.is_ascii_digit())) {
            names.insert(name.to_owned());
        }
    }
    let mut rest = body;
    while !rest.is_empty() {
        let end = rest.find(is_word).unwrap_or(rest.len());
        out.push_str(&rest[..end]);
        rest = &rest[end..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        out.push_str(word);
        if names.contains(word) {
            write!(out, "__{number}").expect("a text grows");
        }
        rest = after;
    }
}

/// Kernels that call two functions each, which call others of a group of sixteen.
fn calls(bytes: usize) -> String {
    let mut out = HEAD.replacen(".visible .entry measured() { ret; }\n", "", 1);
    let mut group = 0;
    while out.len() < bytes {
        for number in (0..16).rev() {
            let mut called = String::new();
            for next in [2 * number + 1, 2 * number + 2].into_iter().filter(|next| *next < 16) {
                call(&mut called, &format!("f{group}_{next}"));
            }
            let (name, work) = (format!("f{group}_{number}"), work(60));
            writeln!(
                out,
                ".func (.param .b32 r) {name}(.param .b32 a)\n{{\n\t.reg .b32 %r<64>;\n\tld.param.b32 %r0, [a];\n\
                 {work}{called}\tst.param.b32 [r], %r0;\n\tret;\n}}"
            )
            .expect("a text grows");
        }
        let name = if group == 0 { "measured".to_owned() } else { format!("k{group}") };
        let mut called = String::new();
        call(&mut called, &format!("f{group}_0"));
        let work = work(60);
        writeln!(
            out,
            ".visible .entry {name}()\n{{\n\t.reg .b32 %r<64>;\n\tmov.b32 %r0, 1;\n{work}{called}\tret;\n}}"
        )
        .expect("a text grows");
        group += 1;
    }
    out
}

fn call(out: &mut String, name: &str) {
    writeln!(
        out,
        "\t{{\n\t.param .b32 param0;\n\tst.param.b32 [param0], %r0;\n\t.param .b32 retval0;\n\
         \tcall.uni (retval0), {name}, (param0);\n\tld.param.b32 %r0, [retval0];\n\t}}"
    )
    .expect("a text grows");
}

fn work(lines: usize) -> String {
    let mut out = String::new();
    for line in 0..lines {
        writeln!(out, "\tmad.lo.s32 \t%r{}, %r{}, {line}, %r0;", line % 63 + 1, line % 62)
            .expect("a text grows");
    }
    out.push_str("\tadd.s32 \t%r0, %r1, 1;\n");
    out
}
