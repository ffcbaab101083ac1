//! Litmus tests as kernels under weak memory: every outcome must be one that the axioms allow (`ptxvm litmus`), and the
//! weak ones that we can produce must appear.
//!
//! A test in herd's format becomes a kernel, each of its threads a thread of a warp of its own. Threads begin after delays
//! that differ from run to run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The runs of each test.
const RUNS: u64 = 150;

/// Where the litmus tests lie that are tried.
const FOLDERS: [&str; 5] = ["manual", "patterns", "copies", "cluster", "mmio"];

/// Allowed outcomes that no run shows, and why: docs/weak-memory.md.
const NEVER: [&str; 2] = ["atomicity-narrow-scope", "atomicity-two-clusters"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus")
}

fn ptxvm(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ptxvm")).args(arguments).output().expect("ptxvm runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A test as a kernel.
struct Kernel {
    source: String,
    grid: usize,
    warps: usize,
    cluster: usize,
    locations: Vec<String>,
    /// By thread: the names of its registers.
    registers: Vec<Vec<String>>,
}

/// The registers of a thread that are kept, at most.
const KEPT: usize = 8;

/// The kernel of a test; `None` if it uses what this does not translate.
fn translate(text: &str) -> Option<Kernel> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let head = lines.iter().position(|line| line.trim_start().starts_with("P0@"))?;
    let initial = lines[..head].concat();
    let (_, initial) = initial.split_once('{')?;
    let mut locations = Vec::new();
    for part in initial.trim_end().trim_end_matches('}').split(';').map(str::trim).filter(|p| !p.is_empty()) {
        let (name, value) = part.split_once('=')?;
        (value.trim() == "0" && !name.contains(':')).then(|| locations.push(name.trim().to_owned()))?;
    }
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_end_matches(';').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut places = Vec::new();
    for cell in cells(lines[head]) {
        let (_, place) = cell.split_once('@')?;
        let part = |word: &str| {
            place.split(',').find_map(|part| part.trim().strip_prefix(word)?.trim().parse::<usize>().ok())
        };
        (part("gpu")? == 0).then_some(())?;
        places.push((part("cta")?, part("cluster")));
    }
    let body = lines[head + 1..].iter().take_while(|line| line.trim_end().ends_with(';'));
    let mut code = vec![Vec::new(); places.len()];
    for line in body {
        for (thread, cell) in cells(line).into_iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            code.get_mut(thread)?.push(cell);
        }
    }
    let grid = places.iter().map(|place| place.0).max()? + 1;
    let clusters: BTreeSet<_> = places.iter().filter_map(|place| place.1).collect();
    let cluster = if clusters.is_empty() { 1 } else { grid.div_ceil(clusters.len()) };
    if cluster > 1 && places.iter().any(|place| place.1 != Some(place.0 / cluster)) {
        return None;
    }
    let grid = grid.next_multiple_of(cluster);
    let mut registers = vec![Vec::new(); places.len()];
    let (mut bodies, mut in_cta) = (String::new(), vec![0; grid]);
    let mut choice = String::new();
    for (thread, instructions) in code.iter().enumerate() {
        let cta = places[thread].0;
        let warp = in_cta[cta];
        in_cta[cta] += 1;
        choice += &format!(
            "    setp.eq.u32 %p, %c, {cta};\n    setp.eq.and.u32 %p, %w, {warp}, %p;\n    @%p bra P{thread};\n"
        );
        bodies += &format!("P{thread}:\n    ld.global.u32 %d, [%delay+{}];\nD{thread}:\n", thread * 4);
        bodies += "    sub.s32 %d, %d, 1;\n    setp.gt.s32 %p, %d, 0;\n";
        bodies += &format!("    @%p bra D{thread};\n");
        for instruction in instructions {
            let text = line(instruction, thread, &locations, &mut registers[thread])?;
            bodies += &format!("    {text}\n");
        }
        for (number, register) in registers[thread].iter().enumerate() {
            let at = (thread * KEPT + number) * 4;
            bodies += &format!("    st.global.u32 [%out+{at}], %t{thread}_{register};\n");
        }
        (registers[thread].len() <= KEPT).then_some(())?;
        bodies += "    bra END;\n";
    }
    let mut declared = String::new();
    let mut cleared = String::new();
    for (thread, names) in registers.iter().enumerate() {
        for name in names {
            declared += &format!("    .reg .b32 %t{thread}_{name};\n");
            cleared += &format!("    mov.b32 %t{thread}_{name}, 0;\n");
        }
    }
    let source = format!(
        ".version 9.1\n.target sm_90a\n.address_size 64\n\
         .visible .entry k(.param .u64 memory, .param .u64 out, .param .u64 delay)\n{{\n\
         \x20   .reg .pred %p;\n    .reg .b32 %c, %w, %d;\n    .reg .b64 %memory, %out, %delay;\n{declared}\
         \x20   ld.param.u64 %memory, [memory];\n    ld.param.u64 %out, [out];\n    ld.param.u64 %delay, [delay];\n\
         {cleared}    mov.u32 %c, %ctaid.x;\n    mov.u32 %w, %tid.x;\n    and.b32 %d, %w, 31;\n\
         \x20   setp.ne.u32 %p, %d, 0;\n    @%p exit;\n    shr.u32 %w, %w, 5;\n{choice}    bra END;\n{bodies}END:\n    ret;\n}}\n"
    );
    let warps = in_cta.into_iter().max()?.max(1);
    Some(Kernel { source, grid, warps, cluster, locations, registers })
}

/// An instruction of a test as one of PTX; `None` if this does not translate it.
fn line(text: &str, thread: usize, locations: &[String], registers: &mut Vec<String>) -> Option<String> {
    let (opcode, rest) = text.split_once(' ').unwrap_or((text, ""));
    let operands: Vec<&str> = rest.split(',').map(str::trim).filter(|operand| !operand.is_empty()).collect();
    let at = |name: &str| {
        let place = locations.iter().position(|location| location == name)?;
        Some(format!("[%memory+{}]", place * 256))
    };
    let is_register = |name: &str| name.starts_with('r') && name[1..].parse::<u32>().is_ok();
    let mut register = |name: &str| {
        is_register(name).then(|| {
            if !registers.iter().any(|known| known == name) {
                registers.push(name.to_owned());
            }
            format!("%t{thread}_{name}")
        })
    };
    let first = opcode.split('.').next()?;
    match (first, &operands[..]) {
        ("ld", [to, from]) => {
            let (to, from) = (register(to)?, at(from)?);
            Some(format!("{opcode}.global.u32 {to}, {from};"))
        }
        ("st", [to, value]) => {
            let value =
                register(value).or_else(|| value.parse::<u32>().ok().map(|value| value.to_string()))?;
            Some(format!("{opcode}.global.u32 {}, {value};", at(to)?))
        }
        ("atom" | "red", [..]) => {
            let (how, function) = opcode.rsplit_once('.')?;
            let ty = if function == "add" { "u32" } else { "b32" };
            let (to, rest) = match first {
                "atom" => (format!("{}, ", register(operands.first()?)?), &operands[1..]),
                _ => (String::new(), &operands[..]),
            };
            let (place, values) = rest.split_first()?;
            let values: Option<Vec<String>> = values
                .iter()
                .map(|value| register(value).or_else(|| Some(value.parse::<u32>().ok()?.to_string())))
                .collect();
            Some(format!("{how}.global.{function}.{ty} {to}{}, {};", at(place)?, values?.join(", ")))
        }
        ("fence" | "membar", []) if !opcode.contains("proxy") => Some(format!("{opcode};")),
        ("barrier", []) if opcode.starts_with("barrier.cluster") => Some(format!("{opcode};")),
        _ => None,
    }
}

type State = BTreeMap<String, u64>;

/// What a run of a kernel ends with.
fn outcome(kernel: &Kernel, file: &Path, run: u64) -> State {
    let delays: Vec<String> = (0..kernel.registers.len() as u64)
        .map(|thread| ((run * 2_654_435_761) >> (3 * thread) & 127).to_string())
        .collect();
    let words = kernel.locations.len() * 64;
    let threads = kernel.registers.len();
    let arguments = [
        "run",
        "--format=json",
        "--show=4096",
        "--memory-model=weak",
        "--timeout=20s",
        &format!("--seed={}", run + 1),
        &format!("--grid={}", kernel.grid),
        &format!("--cluster={}", kernel.cluster),
        &format!("--block={}", kernel.warps * 32),
        &format!("--arg=u32[{words}]"),
        &format!("--arg=u32[{}]", threads * KEPT),
        &format!("--arg=u32[{threads}]={}", delays.join(",")),
        &file.display().to_string(),
    ];
    let said = ptxvm(&arguments);
    let objects = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let result = objects.into_iter().find(|object| object["kind"] == "result");
    let result = result.unwrap_or_else(|| panic!("{}: {said}", file.display()));
    let value = |buffer: usize, at: usize| {
        result["buffers"][buffer]["first"][at].as_u64().unwrap_or_else(|| panic!("no value in {said}"))
    };
    let memory =
        kernel.locations.iter().enumerate().map(|(number, name)| (name.clone(), value(0, number * 64)));
    let registers = kernel.registers.iter().enumerate().flat_map(|(thread, names)| {
        let kept = names.iter().enumerate();
        kept.map(move |(number, name)| (format!("P{thread}:{name}"), thread * KEPT + number))
    });
    let registers: Vec<_> = registers.map(|(name, at)| (name, value(1, at))).collect();
    memory.chain(registers).collect()
}

#[test]
fn every_outcome_is_allowed_and_weak_ones_appear() {
    let folder = std::env::temp_dir().join(format!("ptxvm-weak-litmus-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (mut wrong, mut never, mut tried) = (Vec::new(), Vec::new(), 0);
    for name in FOLDERS {
        let mut files: Vec<PathBuf> = std::fs::read_dir(root().join(name))
            .expect("the folder")
            .flatten()
            .map(|entry| entry.path())
            .collect();
        files.sort();
        for test in files.iter().filter(|file| file.extension().is_some_and(|e| e == "litmus")) {
            let text = std::fs::read_to_string(test).expect("text");
            let Some(kernel) = translate(&text) else { continue };
            let verdict = ptxvm(&["litmus", "--format=json", "--no-repair", &test.display().to_string()]);
            let verdict: Value = serde_json::from_str(&verdict).expect("a verdict");
            let states = verdict["states"].as_array().expect("states");
            let stem = test.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let file = folder.join(format!("{name}-{stem}.ptx"));
            std::fs::write(&file, &kernel.source).expect("written");
            tried += 1;
            let (mut satisfied, mut seen) = (false, BTreeSet::new());
            for run in 0..RUNS {
                let outcome = outcome(&kernel, &file, run);
                let same = |state: &&Value| {
                    let values = state["values"].as_object();
                    values.is_some_and(|values| {
                        values.iter().all(|(n, v)| outcome.get(n).copied() == v.as_u64())
                    })
                };
                match states.iter().find(same) {
                    Some(state) => satisfied |= state["satisfies"] == true,
                    None if seen.insert(outcome.clone()) => wrong.push(format!("{name}/{stem}: {outcome:?}")),
                    None => {}
                }
            }
            if verdict["quantifier"] == "exists" && verdict["holds"] == true && !satisfied {
                never.push(stem);
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "forbidden outcomes:\n{}", wrong.join("\n"));
    assert!(tried > 50, "only {tried} tests could be translated");
    assert_eq!(never, NEVER, "what never appears");
}
