//! Runs a module's kernels in several ways and checks what must hold for every guest, right or wrong.
//!
//! A launch ends in time, by itself or by its limits; it never panics; a finding names its place and thread; the
//! host's memory and the guest's constants stay as they were. Launches on one host thread can be repeated, every
//! level of vector instructions gives the same bits, and a second host thread changes nothing where CTAs do not share
//! data.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ptxvm_machine::vector::lanes::{Level, at_most};
use ptxvm_vm::{
    Buffer, Device, EngineChoice, Failure, Kernel, Kind, LaunchOptions, Limit, LoadError, Module, Parameter,
};

use super::names::interesting;
use super::scene::Scene;
use crate::oracle::Random;

/// The most threads of a grid, so that every thread has its part of the buffers.
pub const MOST_THREADS: usize = 128;

/// The bytes of a buffer that is passed for a pointer.
pub const BUFFER: usize = 64 << 10;

/// The limits of a launch, and how much later than its time it may end on a busy host.
const INSTRUCTIONS: u64 = 20_000;
const TIME: Duration = Duration::from_millis(300);
const SLACK: Duration = Duration::from_secs(3);

/// The most bytes of a module's variables, of which the harness keeps copies; a device has room for far more.
const VARIABLES: u64 = 64 << 20;

/// How much of what a guest prints is kept.
const PRINTED: usize = 1 << 16;

/// What is to be expected of a module's kernels.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// Two launches on one host thread do the same.
    pub repeatable: bool,
    /// A launch on two host threads does the same as on one.
    pub isolated: bool,
}

/// How a launch ended, for the count.
pub type Ending = &'static str;

/// Something that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What sort of wrong it is, so that a smaller input can be seen to fail in the same way.
    pub sort: &'static str,
    /// What is to be said of it.
    pub text: String,
}

fn wrong(sort: &'static str, text: impl std::fmt::Display) -> Wrong {
    Wrong { sort, text: text.to_string() }
}

/// What the harness itself does must work.
fn harness(error: impl std::fmt::Display) -> Wrong {
    wrong("harness", error)
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

/// Launches every kernel of a module with both engines, which must do the same: the endings of the launches.
pub fn engines(module: &Module, scene: &Scene, expected: Expected, seed: u64) -> Result<Vec<Ending>, Wrong> {
    let mut endings = Vec::new();
    scene.bind(module, &mut Random::new(seed));
    let names: Vec<String> = module.kernels().map(|k| k.name.clone()).collect();
    for name in names {
        let mut setting = Setting::new(module, scene, &name, &mut Random::new(seed))?;
        // What counts is interpreted.
        (setting.options.settings.max_instructions, setting.options.settings.statistics) = (None, false);
        let interpreted = Way { level: Level::V4, threads: 1, seed: 0, engine: EngineChoice::Interpret };
        let first = setting.launch(&interpreted)?;
        endings.push(first.ending);
        if first.ending == "time" {
            continue;
        }
        // The engines take the warps in another order, so what depends on it is compared with nothing.
        let mut ordered = false;
        for seed in [1, 2, 3] {
            ordered |= setting.launch(&Way { seed, ..interpreted })? != first;
        }
        let second = setting.launch(&Way { engine: EngineChoice::Compile, ..interpreted })?;
        endings.push(second.ending);
        if expected.repeatable && !ordered && second.ending != "time" && second != first {
            return Err(wrong("differs", format!("compiled: {}", second.difference(&first))));
        }
        setting.untouched()?;
    }
    Ok(endings)
}

/// One way to launch a kernel.
#[derive(Clone, Copy, Debug)]
struct Way {
    level: Level,
    threads: usize,
    seed: u64,
    engine: EngineChoice,
}

/// What a launch did.
#[derive(PartialEq, Eq)]
struct Ran {
    ending: Ending,
    /// All that is said of the ending.
    report: String,
    buffers: Vec<Vec<u8>>,
    printed: Vec<u8>,
}

impl Ran {
    fn difference(&self, other: &Ran) -> String {
        if self.report != other.report {
            return format!("it ended with {:?}, before with {:?}", self.report, other.report);
        }
        for (number, (ours, theirs)) in self.buffers.iter().zip(&other.buffers).enumerate() {
            if let Some(at) = (0..ours.len()).find(|&i| ours[i] != theirs[i]) {
                return format!("byte {at} of buffer {number} is {:#x}, before {:#x}", ours[at], theirs[at]);
            }
        }
        let same = self.printed.iter().zip(&other.printed).take_while(|(a, b)| a == b).count();
        let part = |text: &[u8]| String::from_utf8_lossy(&text[same..text.len().min(same + 40)]).into_owned();
        format!("from byte {same} on it printed {:?}, before {:?}", part(&self.printed), part(&other.printed))
    }
}

/// A kernel with its buffers.
struct Setting {
    module: Module,
    name: String,
    options: LaunchOptions,
    /// Each buffer with what it holds before a launch.
    buffers: Vec<(Arc<Buffer>, Vec<u8>)>,
    /// The arrays and the module's variables with their initial bytes.
    variables: Vec<(u64, Vec<u8>)>,
    /// The host's own memory between the buffers, which nobody may touch.
    canaries: Vec<Box<[u8]>>,
    printed: Arc<Mutex<Vec<u8>>>,
}

const CANARY: u8 = 0xc5;

impl Setting {
    fn new(module: &Module, scene: &Scene, name: &str, random: &mut Random) -> Result<Setting, Wrong> {
        let kernel = module.kernel(name).map_err(|e| wrong("link", e))?;
        let (grid, block) = shape(&kernel, random);
        let printed = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&printed);
        let mut options = LaunchOptions::new(grid, block).on_print(move |text| {
            if let Ok(mut printed) = sink.lock() {
                let room = PRINTED.saturating_sub(printed.len());
                printed.extend_from_slice(&text[..text.len().min(room)]);
            }
        });
        options.shared = [0, 1024, 16 << 10][random.below(3)];
        options.settings.max_instructions = Some(INSTRUCTIONS);
        options.settings.timeout = Some(TIME);
        options.settings.statistics = random.one_in(2);
        let mut setting = Setting {
            module: module.clone(),
            name: name.to_owned(),
            options,
            buffers: Vec::new(),
            variables: scene.arrays.clone(),
            canaries: Vec::new(),
            printed,
        };
        for parameter in kernel.parameters() {
            setting.argument(parameter, scene, random)?;
        }
        for variable in &module.program().variables {
            if let Some((address, size)) = module.variable(&variable.name) {
                let mut bytes = vec![0; size as usize];
                module.device().read(address, &mut bytes).map_err(harness)?;
                setting.variables.push((address, bytes));
            }
        }
        Ok(setting)
    }

    /// Something sensible for a parameter: a buffer for what may be a pointer, a small number, or bytes.
    fn argument(&mut self, parameter: &Parameter, scene: &Scene, random: &mut Random) -> Result<(), Wrong> {
        let arguments = &mut self.options.arguments;
        match parameter.size {
            // The handle of a texture, a sampler or a surface.
            8 if parameter.pointer.is_none() && random.one_in(4) => arguments.push(random.below(45) as u64),
            8 if parameter.pointer.is_some() || !random.one_in(16) => {
                let mut bytes = Vec::with_capacity(BUFFER);
                while bytes.len() < BUFFER {
                    bytes.extend_from_slice(&interesting(random).to_le_bytes());
                }
                let buffer = match scene.buffers.get(self.buffers.len()) {
                    Some(buffer) => Arc::clone(buffer),
                    None => Arc::new(Buffer::new(self.module.device(), BUFFER).map_err(harness)?),
                };
                arguments.push(&*buffer);
                self.buffers.push((buffer, bytes));
                self.canaries.push(vec![CANARY; 4096].into());
            }
            4 if random.one_in(2) => arguments.push(random.below(65) as u32),
            size => {
                let bytes: Vec<u8> = (0..size).map(|_| random.next() as u8).collect();
                arguments.push(bytes.as_slice());
            }
        }
        Ok(())
    }

    fn launch(&mut self, way: &Way) -> Result<Ran, Wrong> {
        let device = self.module.device();
        for (buffer, bytes) in &self.buffers {
            device.write(buffer.address(), bytes).map_err(harness)?;
        }
        for (address, bytes) in &self.variables {
            device.write(*address, bytes).map_err(harness)?;
        }
        let kernel = at_most(way.level, || self.module.kernel(&self.name)).map_err(harness)?;
        let mut options = self.options.clone();
        (options.settings.threads, options.settings.seed) = (way.threads, way.seed);
        options.settings.engine = way.engine;
        // A kernel without compiled code is interpreted; LLVM must not refuse what was made for it.
        if way.engine == EngineChoice::Compile
            && let Err(why) = kernel.compile(options.block)
            && !why.starts_with("nothing of the kernel")
        {
            return Err(wrong("refused", why));
        }
        let began = Instant::now();
        let outcome = kernel.launch(&options);
        let took = began.elapsed();
        if took > TIME + SLACK {
            return Err(wrong("late", format!("{way:?} ended after {took:?}, its limit is {TIME:?}")));
        }
        let (ending, report) = ending(outcome.err())?;
        let printed = self.printed.lock().map(|mut p| std::mem::take(&mut *p)).unwrap_or_default();
        let mut buffers: Vec<Vec<u8>> = self.buffers.iter().map(|(buffer, _)| buffer.to_bytes()).collect();
        for (address, bytes) in &self.variables {
            let mut now = vec![0; bytes.len()];
            device.read(*address, &mut now).map_err(harness)?;
            buffers.push(now);
        }
        Ok(Ran { ending, report, buffers, printed })
    }

    /// Whether the host's memory and the constants are as they were.
    fn untouched(&self) -> Result<(), Wrong> {
        if self.canaries.iter().any(|c| c.iter().any(|byte| *byte != CANARY)) {
            return Err(wrong("harm", "the host's memory was overwritten"));
        }
        for variable in &self.module.program().variables {
            let Some((address, size)) = self.module.variable(&variable.name) else { continue };
            if variable.space != ptxvm_ir::Space::Const {
                continue;
            }
            let mut now = vec![0; size as usize];
            self.module.device().read(address, &mut now).map_err(harness)?;
            if self.variables.iter().any(|(at, bytes)| *at == address && *bytes != now) {
                return Err(wrong("harm", format!("the constant `{}` was overwritten", variable.name)));
            }
        }
        Ok(())
    }
}

/// A grid and a CTA that the kernel's directives allow.
fn shape(kernel: &Kernel, random: &mut Random) -> ([u32; 3], [u32; 3]) {
    let limits = kernel.limits();
    let block = limits.reqntid.unwrap_or_else(|| match random.below(48) {
        // More threads than there is room for in the buffers of a random program.
        0 => [1024, 1, 1],
        1..=8 => [1 + random.below(64) as u32, 1, 1],
        9..=16 => [1 + random.below(8) as u32, 1 + random.below(4) as u32, 1 + random.below(2) as u32],
        17..=24 => [64, 1, 1],
        _ => [32, 1, 1],
    });
    let threads = block.iter().fold(1, |all: usize, n| all.saturating_mul(*n as usize)).max(1);
    let ctas = (MOST_THREADS / threads).clamp(1, 6);
    let grid = match random.below(4) {
        0 if ctas >= 4 => [2, 1, 2],
        _ => [1 + random.below(ctas) as u32, 1, 1],
    };
    (limits.reqnctapercluster.unwrap_or(grid), block)
}

/// How a launch ended; an error if it must not end so.
fn ending(failure: Option<Failure>) -> Result<(Ending, String), Wrong> {
    let Some(failure) = failure else { return Ok(("end", String::new())) };
    let mut report = format!("{failure:?}");
    let ending = match failure {
        Failure::Finding(mut finding) => {
            let whole = finding.place.is_some() && finding.thread.is_some() && !finding.message.is_empty();
            if finding.kind != Kind::Launch && !whole {
                return Err(wrong("finding", format!("a finding without place or thread: {report}")));
            }
            // The notes speak of other allocations, some of which belong to the launch.
            finding.notes.clear();
            report = format!("{finding:?}");
            finding.kind.name()
        }
        Failure::Unsupported(what) if what.what.is_empty() => {
            return Err(wrong("unsupported", "and nobody says what"));
        }
        Failure::Unsupported(_) => "unsupported",
        Failure::Limit(Limit::Instructions(_)) => "instructions",
        Failure::Limit(Limit::Time(_)) => "time",
        Failure::Limit(Limit::Memory(_)) => "memory",
        Failure::Limit(Limit::Interrupted) => return Err(wrong("interrupted", "by nobody")),
        Failure::Arguments(e) => return Err(harness(e)),
        Failure::TooLarge { .. } => return Err(wrong("cooperative", "no launch asks for that")),
        Failure::Bug(bug) => return Err(wrong("bug", bug)),
    };
    Ok((ending, report))
}
