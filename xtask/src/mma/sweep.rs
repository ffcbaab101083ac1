//! Computes what an H200 computed, and compares the hashes of the results.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::Value;

use super::case::{Matrices, ProductCase};
use super::inputs::Place;

/// Checks every `step`-th block of each case and regime on all of the host's threads.
pub fn run(root: &Path, step: usize) -> Result<(), String> {
    let folder = root.join("tests/golden/matrix");
    let read = |name: &str| std::fs::read(folder.join(name)).map_err(|e| format!("{name}: {e}"));
    let description: Value = serde_json::from_slice(&read("sweep.json")?).map_err(|e| e.to_string())?;
    let recorded = read("sweep.bin")?;
    let damaged = || "sweep.json is not as its reader knows it".to_string();
    let regimes = description["regimes"].as_array().ok_or_else(damaged)?;
    let number = |name: &str| description[name].as_u64().map(|number| number as usize).ok_or_else(damaged);
    let (warps, block) = (number("warps")?, number("block")?);
    let mut wrong = Vec::new();
    for case in description["cases"].as_array().ok_or_else(damaged)? {
        let case = ProductCase::new(case, &description["kinds"]).ok_or_else(damaged)?;
        let started = Instant::now();
        for (regime, name) in regimes.iter().enumerate() {
            let first = case.offset + regime * case.hashes * 8;
            let hashes = recorded.get(first..first + case.hashes * 8).ok_or_else(damaged)?.as_chunks().0;
            let found = check(&case, regime, if case.group { 1 } else { block }, step, hashes);
            wrong.extend(
                found.first().map(|at| {
                    format!("{}, {name}: {} blocks differ, the first is {at}", case.ptx, found.len())
                }),
            );
        }
        let outputs = case.outputs(warps) * regimes.len() / step;
        println!("{}: {outputs} outputs, {:.1?}", case.ptx, started.elapsed());
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The blocks of so many warps, of every `step`-th, that do not have the recorded hash.
fn check(case: &ProductCase, regime: usize, warps: usize, step: usize, recorded: &[[u8; 8]]) -> Vec<usize> {
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut wrong, mut matrices) = (Vec::new(), Matrices::default());
        loop {
            let block = next.fetch_add(step, Ordering::Relaxed);
            let Some(recorded) = recorded.get(block) else { return wrong };
            let hash = (block * warps..(block + 1) * warps).fold(0u64, |sum, warp| {
                let place = Place { case: case.number, regime, warp: warp as u64 };
                sum.wrapping_add(case.hash(place, &mut matrices))
            });
            if hash != u64::from_le_bytes(*recorded) {
                wrong.push(block);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut wrong: Vec<usize> =
            workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect();
        wrong.sort_unstable();
        wrong
    })
}
