//! Random whole programs and what an H200 left in memory (`tests/golden/whole.*`, described in its `README.md`).
//!
//! A case of `golden.rs` is one instruction; here branches, loops, calls and exchanges between threads stand around
//! hundreds of them. The interpreter runs every program. Compiling takes longer than running, so the compiled engine
//! runs every sixteenth, or all of them if the environment says `PTXVM_WHOLE=all`.

mod common;

use ptxvm_vm::{Buffer, Device, EngineChoice, GoAlone, LaunchOptions, OneWay, Profile, Settings, Tuning};
use serde::Deserialize;

use common::golden;

/// Of so many programs one is compiled, unless all are wanted.
const STEP: usize = 16;

#[derive(Deserialize)]
struct Whole {
    /// Words of a thread's row of `in`.
    r#in: usize,
    /// Words of a row of `out`.
    out: usize,
    /// Rows of `out` after those of the threads.
    tail: usize,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    seed: u64,
    grid: Vec<u32>,
    block: Vec<u32>,
    /// Threads of the grid.
    n: usize,
    /// Offset and length of the text.
    program: (usize, usize),
    /// Offset in bytes of the hashes, and how many there are.
    hashes: (usize, usize),
}

/// The finaliser of splitmix64.
const fn mix(h: u64) -> u64 {
    let h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ (h >> 31)
}

/// Words that mean something as one float, as two halves, or as the upper word of a double.
const SPECIAL: [u32; 32] = [
    0,
    0x8000_0000,
    1,
    0x7fff_ffff,
    0xffff_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0x7f80_0001,
    0x0080_0000,
    0x007f_ffff,
    0x7f7f_ffff,
    0x7ff0_0000,
    0x3ff0_0000,
    0x7c00_fc00,
    0x3c00_bc00,
    0x7e01_7c01,
    0x0001_03ff,
    0x0400_8400,
    0x7bff_fbff,
    0x7f80_ff80,
    0x3f80_bf80,
    0x7fc1_0080,
    0x0080_0001,
    0x4f00_0000,
    0xcf00_0000,
    0x4b80_0000,
    0x5f00_0000,
    0x7ff8_0000,
    0x8000_0001,
];

/// Word `index` of the input of program `seed`, as `generate/whole_program.py` makes it.
fn word(seed: u64, index: u64) -> u32 {
    let h = mix((seed << 32 | index).wrapping_add(0x9e37_79b9_7f4a_7c15));
    let (low, high) = (h as u32, (h >> 32) as u32);
    match h >> 61 {
        0..3 => low,
        3 | 4 => low & 0x80ff_ffff | 0x3f00_0000,
        5 => low & 0x800f_ffff | (0x3fe0_0000 + (high & 0x00f0_0000)),
        6 => high & 0xff,
        _ => SPECIAL[high as usize & 31],
    }
}

/// One hash for each column of each 32 rows.
fn hashes(words: &[u32], columns: usize) -> Vec<u32> {
    let rows: Vec<&[u32]> = words.chunks(columns).collect();
    let mut all = Vec::new();
    for (group, rows) in rows.chunks(32).enumerate() {
        for column in 0..columns {
            let terms = rows.iter().enumerate().map(|(k, row)| {
                let row_number = (group * 32 + k) as u64;
                mix(u64::from(row[column]) ^ mix(row_number)) as u32
            });
            all.push(terms.fold(0, u32::wrapping_add));
        }
    }
    all
}

fn dimensions(of: &[u32]) -> [u32; 3] {
    let at = |k: usize| of.get(k).copied().unwrap_or(1);
    [at(0), at(1), at(2)]
}

/// Runs a program and says how it differs from the H200; `None` if it does not.
fn run(whole: &Whole, case: &Case, source: &str, want: &[u32], engine: EngineChoice) -> Option<String> {
    let device = Device::new(Profile::named("h200").expect("the default profile"));
    let module = match device.load(source) {
        Ok(module) => module,
        Err(error) => return Some(format!("does not load: {error}")),
    };
    let kernel = module.kernel("k").expect("the kernel");
    let inputs: Vec<u32> = (0..case.n * whole.r#in).map(|i| word(case.seed, i as u64)).collect();
    let input = Buffer::from_slice(&device, &inputs).expect("memory");
    let output = Buffer::from_slice(&device, &vec![0u32; (case.n + whole.tail) * whole.out]).expect("memory");
    let block = dimensions(&case.block);
    let launch = LaunchOptions {
        settings: Settings { engine, ..Settings::default() },
        ..LaunchOptions::new(dimensions(&case.grid), block)
            .argument(&output)
            .argument(&input)
            .argument(case.n as u32)
    };
    // Code of every kind: cut wherever it can be, for one lane after the other wherever that can be, and as it is best.
    let tuning = match case.seed % 4 {
        0 => Tuning { least: 1, most: 1, one_way: OneWay::Always, ..Tuning::default() },
        1 => Tuning { alone: GoAlone::Always, ..Tuning::default() },
        2 => Tuning { close: false, one_way: OneWay::Never, avx512: false, ..Tuning::default() },
        _ => Tuning::default(),
    };
    if engine == EngineChoice::Compile
        && let Err(why) = kernel.compile_tuned(block, tuning)
    {
        return Some(format!("does not compile: {why}"));
    }
    if let Err(failure) = kernel.launch(&launch) {
        return Some(format!("does not run: {failure}"));
    }
    let got = hashes(&output.to_vec::<u32>(), whole.out);
    let differ: Vec<String> = got
        .iter()
        .zip(want)
        .enumerate()
        .filter(|(_, (got, want))| got != want)
        .map(|(k, _)| format!("column {} from row {}", k % whole.out, k / whole.out * 32))
        .collect();
    if got.len() != want.len() {
        return Some(format!("{} hashes, the H200 gave {}", got.len(), want.len()));
    }
    (!differ.is_empty()).then(|| format!("differs in {}", differ.join(", ")))
}

/// Runs every `step`-th program.
fn replay(engine: EngineChoice, step: usize) {
    let part = |part: &str| golden(&format!("whole.{part}.zst"));
    let whole: Whole = serde_json::from_slice(&part("json")).expect("the description");
    let (programs, outputs) = (part("programs"), part("outputs"));
    let cases: Vec<&Case> = whole.cases.iter().step_by(step).collect();
    assert!(cases.len() >= 2000 / step, "only {} programs", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let (at, length) = case.program;
            let source = std::str::from_utf8(&programs[at..at + length]).expect("a text");
            let (at, count) = case.hashes;
            let want: Vec<u32> = outputs[at..at + count * 4]
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")))
                .collect();
            run(&whole, case, source, &want, engine).map(|why| format!("program {}: {why}", case.seed))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} programs differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn interpreted() {
    replay(EngineChoice::Interpret, 1);
}

#[test]
fn compiled() {
    let all = std::env::var_os("PTXVM_WHOLE").is_some_and(|words| words == "all");
    replay(EngineChoice::Compile, if all { 1 } else { STEP });
}
