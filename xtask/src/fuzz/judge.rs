//! Runs a module's kernels in several ways and checks what must hold for every guest, right or wrong.
//!
//! A launch ends in time, by itself or by its limits; it never panics; a finding names its place and thread; the
//! host's memory and the guest's constants stay as they were. Launches on one host thread can be repeated, every
//! level of vector instructions gives the same bits, and a second host thread changes nothing where CTAs do not share
//! data.

use ptxvm_machine::vector::lanes::Level;
use ptxvm_vm::{Device, EngineChoice, LoadError, Module};

use super::scene::Scene;
use super::setting::{BUFFER, Ending, Ran, Setting, Way, Wrong, harness, wrong};
use crate::oracle::Random;

/// The most bytes of a module's variables, of which the harness keeps copies; a device has room for far more.
const VARIABLES: u64 = 64 << 20;

/// What is to be expected of a module's kernels.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// Two launches on one host thread do the same.
    pub repeatable: bool,
    /// A launch on two host threads does the same as on one.
    pub isolated: bool,
}

/// Loads a module; `Ok(None)` if ptxvm refuses it with good reason, or if it is too large to be watched.
pub fn load(device: &Device, source: &str) -> Result<Option<Module>, Wrong> {
    match device.load(source) {
        Ok(module) => {
            let sizes = module.variables().map(|variable| variable.size);
            Ok((sizes.sum::<u64>() <= VARIABLES).then_some(module))
        }
        Err(LoadError::Bug(bug)) => Err(wrong("load", bug)),
        Err(_) => Ok(None),
    }
}

/// Gives a device textures, samplers and surfaces.
pub fn scene(device: &Device, random: &mut Random) -> Result<Scene, Wrong> {
    Scene::new(device, BUFFER, random).map_err(harness)
}

/// Launches every kernel of a module in several ways; the endings of all launches, or what does not hold.
pub fn judge(module: &Module, scene: &Scene, expected: Expected, seed: u64) -> Result<Vec<Ending>, Wrong> {
    let mut endings = Vec::new();
    scene.bind(module, &mut Random::new(seed));
    let names: Vec<String> = module.kernels().map(|k| k.name.clone()).collect();
    for name in names {
        let mut random = Random::new(seed);
        let mut setting = Setting::new(module, scene, &name, &mut random)?;
        let engine = EngineChoice::Interpret;
        let first = setting.launch(&Way { level: Level::V4, threads: 1, seed: 0, engine })?;
        endings.push(first.ending);
        let other = 1 + random.next() % 1000;
        let mut must_match = |setting: &mut Setting, way: Way, against: &Ran, same: bool| {
            let mut ran = setting.launch(&way)?;
            endings.push(ran.ending);
            if way.threads > 1 {
                // The order of what CTAs print is open.
                ran.printed.clone_from(&against.printed);
            }
            let timely = ran.ending != "time" && against.ending != "time";
            if same && timely && ran != *against {
                return Err(wrong("differs", format!("{way:?}: {}", ran.difference(against))));
            }
            Ok(ran)
        };
        for level in Level::ALL {
            must_match(
                &mut setting,
                Way { level, threads: 1, seed: 0, engine },
                &first,
                expected.repeatable,
            )?;
        }
        let seeded = Way { level: Level::V4, threads: 1, seed: other, engine };
        let with_seed = must_match(&mut setting, seeded, &first, false)?;
        must_match(&mut setting, seeded, &with_seed, expected.repeatable)?;
        let two = Way { level: Level::V4, threads: 2, seed: 0, engine };
        // Where one CTA stops the launch, how far the others got is open.
        must_match(&mut setting, two, &first, expected.isolated && first.ending == "end")?;
        must_match(&mut setting, Way { threads: 2, ..seeded }, &first, false)?;
        setting.untouched()?;
    }
    Ok(endings)
}
