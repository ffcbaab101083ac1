//! Both engines run the same kernels, and must do the same: in every byte of memory, in what is printed, in how a launch
//! ends and what is said of it.
//!
//! The comparison is strict, because both engines take warps in turn from the first to the last. Where they part all the
//! same, the program may be one whose result is open: its threads race, or it sees addresses that differ from launch to
//! launch. The interpreter is then asked to run it in other orders. What none of them changes, the compiled code must
//! not change either; only what differs between them is excused.

use ptxvm_machine::vector::lanes::Level;
use ptxvm_vm::{EngineChoice, Module, Tuning};

use super::scene::Scene;
use super::setting::{Ending, Ran, Setting, Way, Wrong, wrong};
use crate::oracle::Random;

/// The instructions of warps after which a kernel is not waited for: the interpreter takes a tenth of a second for them.
const INSTRUCTIONS: u64 = 4_000_000;

/// In how many orders the interpreter runs a program that the engines differ on.
const ORDERS: u64 = 24;

/// What came of a module.
#[derive(Default)]
pub struct Agreed {
    /// How the launches ended.
    pub endings: Vec<Ending>,
    /// Kernels whose result is open where the engines differ.
    pub excused: u64,
    /// Kernels that were not compared because they did not end within their limits.
    pub unended: u64,
}

/// Launches every kernel of a module with both engines.
pub fn engines(module: &Module, scene: &Scene, seed: u64, tuning: Tuning) -> Result<Agreed, Wrong> {
    let mut agreed = Agreed::default();
    scene.bind(module, &mut Random::new(seed));
    let names: Vec<String> = module.kernels().map(|k| k.name.clone()).collect();
    for name in names {
        let mut setting = Setting::new(module, scene, &name, &mut Random::new(seed))?;
        setting.options.settings.statistics = false;
        setting.options.settings.max_instructions = Some(INSTRUCTIONS);
        let way = Way { level: Level::V4, threads: 1, seed: 0, engine: EngineChoice::Interpret };
        let first = setting.launch(&way)?;
        agreed.endings.push(first.ending);
        if is_limit(first.ending) {
            agreed.unended += 1;
            continue;
        }
        setting.tuning = tuning;
        // What counts instructions is interpreted.
        setting.options.settings.max_instructions = None;
        let second = setting.launch(&Way { engine: EngineChoice::Compile, ..way })?;
        agreed.endings.push(second.ending);
        if second.ending == "time" {
            agreed.unended += 1;
        } else if second != first {
            excuse(&mut setting, &way, &first, &second)?;
            agreed.excused += 1;
        }
        setting.untouched()?;
    }
    Ok(agreed)
}

fn is_limit(ending: Ending) -> bool {
    matches!(ending, "time" | "instructions")
}

/// Runs the kernel in other orders; an error if the compiled code did what none of them explains.
fn excuse(setting: &mut Setting, way: &Way, first: &Ran, second: &Ran) -> Result<(), Wrong> {
    let differs = || wrong("differs", format!("compiled: {}", second.difference(first)));
    let mut others = Vec::new();
    for seed in 0..ORDERS {
        // In some a warp goes as far as it can before another has a turn: so far others may come before a fault ends all.
        let seed = seed | (seed % 3 * 10) << 32;
        let other = setting.launch(&Way { seed, ..*way })?;
        if !is_limit(other.ending) {
            others.push(other);
        }
    }
    if others.iter().any(|other| other.report != first.report) {
        // How it ends is open, and with it how far everybody came.
        let known = others.iter().chain([first]).any(|other| other.ending == second.ending);
        return if known { Ok(()) } else { Err(differs()) };
    }
    if second.report != first.report || !others.iter().any(|other| other != first) {
        return Err(differs());
    }
    for (number, bytes) in first.buffers.iter().enumerate() {
        for (at, byte) in bytes.iter().enumerate().filter(|(at, byte)| second.buffers[number][*at] != **byte)
        {
            if others.iter().all(|other| other.buffers[number][at] == *byte) {
                return Err(differs());
            }
        }
    }
    let is_open = others.iter().any(|other| sorted(&other.printed) != sorted(&first.printed));
    if is_open || sorted(&second.printed) == sorted(&first.printed) { Ok(()) } else { Err(differs()) }
}

/// What was printed, whatever the order.
fn sorted(printed: &[u8]) -> Vec<u8> {
    let mut bytes = printed.to_vec();
    bytes.sort_unstable();
    bytes
}
