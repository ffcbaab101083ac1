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

use ptxvm_vm::{Check, Checks, Failure, MemoryModel};

use golden::Golden;
use launches::{Case, File, Order, Run};

/// With so many seeds each launch has a weak memory.
const WEAK_SEEDS: u64 = 5;

/// A launch whose threads write what others of their warp read with nothing in between. An H200 runs them in step, and
/// weak memory does not.
const IN_STEP: &str = "nvrtc/basic matrixtrans";

/// What launches begin with that race, and why they do. All were written, or are launched, to have every form of an
/// instruction executed, not to compute something.
const RACES: &[(&str, &str)] = &[
    (IN_STEP, "lanes read what others of their warp write, with nothing between"),
    ("nvrtc/basic atomics_all", "words are written weakly that other threads change by atomic operations"),
    ("nvrtc/basic globals", "all threads write the same words"),
    ("nvrtc/devcalls k_half", "each thread writes several words, which others write too"),
    (
        "nvrtc/hopper bulk1d",
        "two bulk groups write the same bytes, and an mbarrier is used without a fence after its init",
    ),
    ("nvrtc/hopper cluster_dsmem", "CTAs read sums to which others still add"),
    ("nvrtc/hopper pdl", "each thread discards the line of all"),
    ("nvrtc/hopper tma_load2d", "a store and a reduction of two bulk groups meet"),
    ("nvrtc/tcgen05 clc", "an mbarrier is used without a fence after its init"),
    ("nvrtc/tcgen05 tcgen05_mma", "tcgen05.cp and .shift are not waited for"),
    ("nvrtc/tex tex2d", "threads add to words of each other"),
    ("triton/mm_persist", "as it is launched here, two programs store the same tile"),
];

/// What launches begin with that break a rule of synchronisation, and why they do.
const MISTAKES: &[(&str, &str)] = &[];

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
    let strong =
        |seed, threads| Order { seed, threads, memory_model: MemoryModel::Strong, checks: Checks::NONE };
    let run = case.run(file, strong(0, 1));
    ended(case, &run)?;
    if let Some(reference) = reference::of(&case.name()) {
        reference(&run)?;
        count.referred += 1;
    }
    let checks = Checks::NONE.with(Check::Race).with(Check::Sync).with(Check::Async);
    let checked = case.run(file, Order { checks, ..strong(0, 1) });
    let races = RACES.iter().any(|(name, _)| case.name().starts_with(name));
    if !checked.races.is_empty() && !races {
        let races = checked.races.iter().map(|race| {
            let [first, second] = [&race.first, &race.second].map(|part| {
                let (span, t) = (part.accessed.span, part.accessed.thread);
                let text = &file.source()[span.start as usize..span.end as usize];
                format!("{} by {:?} of {:?}, {:?}", text.trim(), t.tid, t.ctaid, part.unit)
            });
            format!("{second}; after {first}: {:?} {:#x} {:?}", race.space, race.address, race.advice)
        });
        return Err(format!("races: {}", races.collect::<Vec<_>>().join("\n  ")));
    }
    let breaks = MISTAKES.iter().any(|(name, _)| case.name().starts_with(name));
    if !checked.mistakes.is_empty() && !breaks {
        let mistakes = checked.mistakes.iter().map(|mistake| {
            let finding = &mistake.finding;
            let text = finding.place.as_ref().map_or_else(String::new, |place| {
                file.source()[place.span.start as usize..place.span.end as usize].to_owned()
            });
            format!("{}: {} ({})", finding.kind.name(), finding.message, text.trim())
        });
        return Err(format!("mistakes: {}", mistakes.collect::<Vec<_>>().join("\n  ")));
    }
    if let Some(compared) = golden.compare(case, &run) {
        compared?;
        count.recorded += 1;
        // What the H200 gives every time does not depend on who comes first, or on which write a read sees.
        let weak_seeds = 1..=if case.name() == IN_STEP { 0 } else { WEAK_SEEDS };
        let weak = |seed| Order { memory_model: MemoryModel::Weak, ..strong(seed, 1) };
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
