//! Runs the approximate f32 functions over all 2^32 inputs and compares the hashes of their answers.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use ptxvm_num::approx;

use super::hashes::{BLOCK, Hashes, hash};

/// Checks every `step`-th block of each function on all of the host's threads.
pub fn run(root: &Path, step: u32) -> Result<(), String> {
    let hashes = Hashes::load(root)?;
    let mut wrong = Vec::new();
    for (function, name) in hashes.names.iter().enumerate() {
        let started = Instant::now();
        let found = check(name, step, |block| hashes.get(function, block))?;
        println!("{name}: {} blocks, {} wrong, {:.0?}", BLOCK.div_ceil(step), found.len(), started.elapsed());
        wrong.extend(
            found.first().map(|block| format!("{name}: block {block:#06x} differs from the recording")),
        );
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The blocks of a function whose answers do not have the recorded hash.
fn check(name: &str, step: u32, recorded: impl Fn(u32) -> u32 + Sync) -> Result<Vec<u32>, String> {
    // Each function is its own loop, so that it can be compiled to vector code.
    macro_rules! sweep {
        ($function:expr) => {
            blocks(step, |block| hash((0..BLOCK).map(|i| $function(block << 16 | i))) == recorded(block))
        };
    }
    Ok(match name {
        "rcp.approx.f32" => sweep!(|x| approx::rcp_approx(x, false)),
        "rcp.approx.ftz.f32" => sweep!(|x| approx::rcp_approx(x, true)),
        "rsqrt.approx.f32" => sweep!(|x| approx::rsqrt_approx(x, false)),
        "rsqrt.approx.ftz.f32" => sweep!(|x| approx::rsqrt_approx(x, true)),
        "sqrt.approx.f32" => sweep!(|x| approx::sqrt_approx(x, false)),
        "sqrt.approx.ftz.f32" => sweep!(|x| approx::sqrt_approx(x, true)),
        "ex2.approx.f32" => sweep!(|x| approx::ex2_approx(x, false)),
        "ex2.approx.ftz.f32" => sweep!(|x| approx::ex2_approx(x, true)),
        "lg2.approx.f32" => sweep!(|x| approx::lg2_approx(x, false)),
        "lg2.approx.ftz.f32" => sweep!(|x| approx::lg2_approx(x, true)),
        "sin.approx.f32" | "sin.approx.ftz.f32" => sweep!(approx::sin_approx),
        "cos.approx.f32" | "cos.approx.ftz.f32" => sweep!(approx::cos_approx),
        "tanh.approx.f32" => sweep!(approx::tanh_approx),
        _ => return Err(format!("{name}: no such function")),
    })
}

/// The blocks, of every `step`-th, that `holds` denies.
fn blocks(step: u32, holds: impl Fn(u32) -> bool + Sync) -> Vec<u32> {
    let next = AtomicU32::new(0);
    let work = || {
        let mut wrong = Vec::new();
        loop {
            let block = next.fetch_add(step, Ordering::Relaxed);
            if block >= BLOCK {
                return wrong;
            }
            if !holds(block) {
                wrong.push(block);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut wrong: Vec<u32> =
            workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect();
        wrong.sort_unstable();
        wrong
    })
}
