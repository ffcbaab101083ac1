//! The corpus runs: every kernel that real compilers wrote, on arguments that make sense.
//!
//! `classes` says which files there are; the tests here run every kernel of them, ask the references in Rust what must
//! come out, and compare with what an H200 gave, bit for bit.

mod classes;
#[path = "../common/mod.rs"]
mod common;
mod fill;
mod golden;
mod launches;
mod opaque;
mod reference;

use ptxvm_vm::{Failure, MemoryModel};

use golden::Golden;
use launches::{Case, File, Order, Run};

/// With so many seeds each launch has a weak memory.
const WEAK_SEEDS: u64 = 5;

/// Launches whose threads write what others of their warp read with nothing in between. An H200 runs them in step.
const RACES: &[&str] = &["nvrtc/basic matrixtrans"];

/// How many launches ended as they should, how many of them a reference agreed with, how many the H200.
#[derive(Debug, Default, PartialEq)]
struct Count {
    launches: usize,
    referred: usize,
    recorded: usize,
}

/// Runs all cases of the kernels that begin with a word.
fn run(kernels: &str, count: Count) {
    run_all(|kernel| kernel.starts_with(kernels), count);
}

fn run_all(kernels: impl Fn(&str) -> bool, count: Count) {
    let (files, golden) = (launches::files(), Golden::read());
    let mut counted = Count::default();
    let mut wrong = Vec::new();
    for case in launches::cases().iter().filter(|c| kernels(&c.kernel)) {
        for file in files.iter().filter(|f| f.kernel == case.kernel && case.runs(f)) {
            counted.launches += 1;
            if let Err(why) = check(case, file, &golden, &mut counted) {
                wrong.push(format!("{} of {}: {why}", case.name(), file.variant));
            }
        }
    }
    assert!(wrong.is_empty(), "{} launches:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(counted, count);
}

fn check(case: &Case, file: &File, golden: &Golden, count: &mut Count) -> Result<(), String> {
    let strong = |seed, threads| Order { seed, threads, memory_model: MemoryModel::Strong };
    let run = case.run(file, strong(0, 1));
    ended(case, &run)?;
    if let Some(reference) = reference::of(&case.name()) {
        reference(&run)?;
        count.referred += 1;
    }
    if let Some(compared) = golden.compare(case, &run) {
        compared?;
        count.recorded += 1;
        // What the H200 gives every time does not depend on who comes first, or on which write a read sees.
        let races = RACES.contains(&case.name().as_str());
        let weak_seeds = 1..=if races { 0 } else { WEAK_SEEDS };
        let weak = |seed| Order { seed, threads: 1, memory_model: MemoryModel::Weak };
        for order in [strong(7, 1), strong(0, 2)].into_iter().chain(weak_seeds.map(weak)) {
            let run = case.run(file, order);
            ended(case, &run).map_err(|why| format!("{order:?}: {why}"))?;
            golden.compare(case, &run).unwrap_or(Ok(())).map_err(|why| format!("{order:?}: {why}"))?;
        }
    }
    Ok(())
}

/// Whether a launch ended as the table says.
fn ended(case: &Case, run: &Run) -> Result<(), String> {
    match (&run.result, &case.ends) {
        (Ok(()), None) => Ok(()),
        (Ok(()), Some(kind)) => Err(format!("it ran to its end without the finding `{kind}`")),
        (Err(Failure::Finding(finding)), Some(kind)) if finding.kind.name() == kind => Ok(()),
        (Err(failure), _) => Err(failure.to_string()),
    }
}

#[test]
fn cute() {
    run("cute/", Count { launches: 12, referred: 8, recorded: 6 });
}

#[test]
fn numba() {
    run("numba/", Count { launches: 64, referred: 52, recorded: 28 });
}

#[test]
fn nvrtc_basic() {
    run("nvrtc/basic", Count { launches: 90, referred: 75, recorded: 51 });
}

#[test]
fn nvrtc_devcalls() {
    run("nvrtc/devcalls", Count { launches: 56, referred: 28, recorded: 21 });
}

#[test]
fn nvrtc_blackwell() {
    run("nvrtc/tcgen05", Count { launches: 8, referred: 6, recorded: 0 });
}

#[test]
fn nvrtc_block_scaled() {
    run("nvrtc/mxmma120", Count { launches: 2, referred: 1, recorded: 0 });
}

#[test]
fn nvrtc_wgmma() {
    run("nvrtc/wgmma", Count { launches: 1, referred: 1, recorded: 1 });
}

#[test]
fn nvrtc_cpasync() {
    run("nvrtc/cpasync", Count { launches: 18, referred: 18, recorded: 12 });
}

#[test]
fn nvrtc_hopper() {
    run("nvrtc/hopper", Count { launches: 12, referred: 9, recorded: 2 });
}

#[test]
fn nvrtc_tex() {
    run("nvrtc/tex", Count { launches: 72, referred: 6, recorded: 46 });
}

#[test]
fn triton_products() {
    run("triton/mm_", Count { launches: 86, referred: 83, recorded: 42 });
}

#[test]
fn triton_scaled_products() {
    run("triton/ds_", Count { launches: 22, referred: 13, recorded: 8 });
}

#[test]
fn triton_attention() {
    run("triton/flash_", Count { launches: 8, referred: 8, recorded: 4 });
}

/// What needs no product of matrices.
#[test]
fn triton_others() {
    run_all(
        |kernel| {
            kernel.starts_with("triton/")
                && !["mm_", "ds_", "flash_"].iter().any(|k| kernel[7..].starts_with(k))
        },
        Count { launches: 74, referred: 47, recorded: 30 },
    );
}

#[test]
fn references_and_recordings_belong_to_launches() {
    let names: Vec<String> = launches::cases().iter().map(Case::name).collect();
    let unknown = |name: &&str| !names.iter().any(|n| n == name);
    assert_eq!(reference::names().find(unknown), None);
    assert_eq!(Golden::read().names().find(unknown), None);
    let recorded: Vec<String> = Golden::read().names().map(str::to_owned).collect();
    let wanted = launches::cases().into_iter().filter(|c| c.gpu && c.ends.is_none());
    let missing: Vec<String> = wanted.map(|c| c.name()).filter(|n| !recorded.contains(n)).collect();
    let blackwell = ["tcgen05 bw_misc", "tcgen05 clc", "tcgen05 mxmma", "mxmma120", "mxmma120 finite"];
    let mut blackwell = blackwell.map(|name| format!("nvrtc/{name}"));
    blackwell.sort();
    let mut missing = missing;
    missing.sort();
    assert_eq!(missing, blackwell, "only Blackwell's kernels have no recording");
}
