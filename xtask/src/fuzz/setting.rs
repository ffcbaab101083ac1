//! A kernel with everything that a launch of it needs, and what a launch did: the judges launch the same setting in
//! several ways and compare.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ptxvm_machine::vector::lanes::{Level, at_most};
use ptxvm_vm::{
    Buffer, EngineChoice, Failure, Kernel, Kind, LaunchOptions, Limit, Module, Parameter, Tuning,
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

/// How much of what a guest prints is kept.
const PRINTED: usize = 1 << 16;

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

/// Something that does not hold.
pub fn wrong(sort: &'static str, text: impl std::fmt::Display) -> Wrong {
    Wrong { sort, text: text.to_string() }
}

/// What the harness itself does must work.
pub fn harness(error: impl std::fmt::Display) -> Wrong {
    wrong("harness", error)
}

/// One way to launch a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub level: Level,
    pub threads: usize,
    pub seed: u64,
    pub engine: EngineChoice,
}

/// What a launch did.
#[derive(PartialEq, Eq)]
pub struct Ran {
    pub ending: Ending,
    /// All that is said of the ending.
    pub report: String,
    /// Every byte that was there before the launch and after it.
    pub buffers: Vec<Vec<u8>>,
    pub printed: Vec<u8>,
}

impl Ran {
    /// Where it differs from another, in words.
    pub fn difference(&self, other: &Ran) -> String {
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
pub struct Setting {
    module: Module,
    name: String,
    pub options: LaunchOptions,
    /// How long the tuning of compiled code are.
    pub tuning: Tuning,
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
    /// Makes a kernel ready, with random arguments.
    pub fn new(module: &Module, scene: &Scene, name: &str, random: &mut Random) -> Result<Setting, Wrong> {
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
            tuning: Tuning::default(),
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

    /// Launches it with everything as it was before any launch.
    pub fn launch(&mut self, way: &Way) -> Result<Ran, Wrong> {
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
        // A kernel without compiled code is interpreted; LLVM must not refuse what was made for it. CTAs that are too
        // large are refused by the launch.
        let most = u64::from(device.profile().threads_per_cta);
        if way.engine == EngineChoice::Compile
            && options.block.product() <= most
            && let Err(why) = kernel.compile_tuned(options.block, self.tuning)
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
    pub fn untouched(&self) -> Result<(), Wrong> {
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
