//! The compiled code of a kernel: made before its first launch, or beside its launches once it has run for a while. It
//! stays as long as the kernel; where a folder for it has been named, also on disk.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ptxvm_jit::{CodeCache, Engine, KernelCode, Tuning};
use ptxvm_machine::schedule::compiled::{Compiled, Tier};
use ptxvm_machine::{EngineChoice, Kernel, Settings};

/// The engine of the process, once somebody has asked for it; without a libLLVM there is none, and the text says why.
static ENGINE: OnceLock<Result<Engine, String>> = OnceLock::new();

/// The engine of the process; why there is none, if there is none. `PTXVM_LLVM` may name the library.
fn engine() -> Result<&'static Engine, String> {
    let engine = ENGINE.get_or_init(|| {
        let engine = Engine::of_host().map_err(|absent| absent.to_string())?;
        Ok(match CACHE.get() {
            Some(cache) => engine.keeping(cache),
            None => engine,
        })
    });
    engine.as_ref().map_err(String::clone)
}

/// Where the process keeps compiled code on disk, if it does.
static CACHE: OnceLock<Arc<CodeCache>> = OnceLock::new();

/// Has this process keep compiled code on disk, and take from there what an earlier one has compiled. It counts for what
/// is compiled first after it, and only once: a program that embeds this crate decides whether it wants that.
pub fn keep_code(cache: CodeCache) {
    let _first = CACHE.set(Arc::new(cache));
}

/// The libLLVM that kernels are compiled with.
#[derive(Clone, Debug)]
pub struct Llvm {
    /// Where it was found.
    pub path: PathBuf,
    /// Which version it is.
    pub version: String,
}

/// The libLLVM that kernels are compiled with.
///
/// # Errors
/// There is none that can be used; the text says where it was looked for.
pub fn llvm() -> Result<Llvm, String> {
    let library = engine()?.library();
    Ok(Llvm { path: library.path().to_owned(), version: library.version().to_string() })
}

/// The LLVM IR of a kernel.
pub fn llvm_ir(kernel: &Kernel, cta: [u32; 3]) -> Result<String, String> {
    Engine::text(kernel, cta).map_err(|refusal| refusal.to_string())
}

/// The host's assembly of a kernel.
pub fn assembly(kernel: &Kernel, cta: [u32; 3]) -> Result<String, String> {
    engine()?.assembly(kernel, cta).map_err(|refusal| refusal.to_string())
}

/// The compiled code of a kernel, by the shape of CTAs.
#[derive(Debug, Default)]
pub struct CompiledCodes(Mutex<HashMap<[u32; 3], Arc<KernelTier>>>);

/// Compiled code; where there is none, why.
type MaybeCode = Result<Arc<KernelCode>, String>;

/// What there is of a kernel's code for one shape of CTAs.
#[derive(Debug)]
pub struct KernelTier {
    kernel: Arc<Kernel>,
    cta: [u32; 3],
    code: OnceLock<MaybeCode>,
    /// The instructions that have been interpreted so far.
    worked: AtomicU64,
    /// The blocks that loops begin with whose code has been asked for.
    loops: Mutex<HashSet<u32>>,
}

/// A kernel that has executed so many instructions of warps is worth compiling: the interpreter took about ten
/// milliseconds for them.
const HOT: u64 = 1 << 20;

/// After so many it is worth looking whether its code is kept on disk: what costs time then is to write its text, a tenth
/// of what compiling costs. LLVM itself is not started for that; it would take as long as what can be gained.
const WARM: u64 = 1 << 17;

impl KernelTier {
    fn compiled(&self, tuning: Tuning) -> &MaybeCode {
        self.code.get_or_init(|| {
            let code = engine()?.compile(&self.kernel, self.cta, tuning);
            code.map_err(|refusal| refusal.to_string())
        })
    }

    /// Takes code that is kept on disk, if there is some.
    fn look(&self) {
        if let Some(code) = engine().ok().and_then(|engine| engine.kept(&self.kernel, self.cta)) {
            let _first = self.code.set(Ok(code));
        }
    }

    fn code(&self) -> Option<&Arc<KernelCode>> {
        self.code.get()?.as_ref().ok()
    }

    /// Has a loop compiled in which warps are without code, beside them. It can be entered where it begins.
    fn compile_loop(self: &Arc<Self>, block: u32) {
        let Some(code) = self.code().filter(|code| code.entry(block).is_none()) else { return };
        let mut asked = self.loops.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() < MOST_LOOPS && asked.insert(block) {
            let (kernel, code) = (Arc::clone(self), Arc::clone(code));
            in_background(Box::new(move || {
                // If it is refused, the loop is interpreted.
                let _ = engine().map(|engine| engine.add_entry(&code, &kernel.kernel, kernel.cta, block));
            }));
        }
    }
}

/// The most loops of a kernel that can be entered in its middle: each is compiled once more with all that follows it.
const MOST_LOOPS: usize = 16;

/// Gives a launch the code that there is, and asks for code once a kernel without any is hot.
#[derive(Debug)]
struct TierOfLaunch(Arc<KernelTier>);

impl Tier for TierOfLaunch {
    fn code(&self) -> Option<&dyn Compiled> {
        self.0.code().map(|code| &**code as &dyn Compiled)
    }

    fn worked(&self, instructions: u64) {
        if self.0.code.get().is_some() {
            return;
        }
        let before = self.0.worked.fetch_add(instructions, Ordering::Relaxed);
        let reached = |count: u64| before < count && before.saturating_add(instructions) >= count;
        let kernel = Arc::clone(&self.0);
        if reached(HOT) {
            in_background(Box::new(move || {
                let _ = kernel.compiled(Tuning::default());
            }));
        } else if reached(WARM) && CACHE.get().is_some() && ENGINE.get().is_some() {
            in_background(Box::new(move || kernel.look()));
        }
    }

    fn goes_round(&self, block: u32) {
        self.0.compile_loop(block);
    }
}

/// Something to be compiled.
type Job = Box<dyn FnOnce() + Send>;

/// Has something compiled by a thread of its own, one after another. A host that starts no thread interprets.
fn in_background(job: Job) {
    static QUEUE: OnceLock<Option<Sender<Job>>> = OnceLock::new();
    let start = || {
        let (sender, receiver) = channel::<Job>();
        let work = move || receiver.into_iter().for_each(|job| job());
        std::thread::Builder::new().name("ptxvm-compile".into()).spawn(work).ok().map(|_| sender)
    };
    if let Some(queue) = QUEUE.get_or_init(start) {
        // The thread ends with the process.
        let _ = queue.send(job);
    }
}

impl CompiledCodes {
    fn tier(&self, kernel: &Arc<Kernel>, cta: [u32; 3]) -> Arc<KernelTier> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || KernelTier {
            kernel: Arc::clone(kernel),
            cta,
            code: OnceLock::new(),
            worked: AtomicU64::new(0),
            loops: Mutex::default(),
        };
        Arc::clone(known.entry(cta).or_insert_with(|| Arc::new(fresh())))
    }

    /// The code for launches with CTAs of a shape. Without it the interpreter serves.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of(&self, kernel: &Arc<Kernel>, cta: [u32; 3], tuning: Tuning) -> MaybeCode {
        self.tier(kernel, cta).compiled(tuning).clone()
    }

    /// Why there is no code for launches with CTAs of a shape, if one has asked for it. Nothing is compiled.
    pub fn refusal(&self, cta: [u32; 3]) -> Option<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&cta)?.code.get()?.as_ref().err().cloned()
    }

    /// Where a launch finds code, if its settings want some. What counts instructions is interpreted.
    pub fn wanted(&self, kernel: &Arc<Kernel>, cta: [u32; 3], settings: &Settings) -> Option<Arc<dyn Tier>> {
        if settings.statistics || settings.max_instructions.is_some() {
            return None;
        }
        match settings.engine {
            EngineChoice::Interpret => None,
            EngineChoice::Auto => Some(Arc::new(TierOfLaunch(self.tier(kernel, cta)))),
            EngineChoice::Compile => {
                let tier = self.tier(kernel, cta);
                tier.compiled(Tuning::default())
                    .is_ok()
                    .then(|| Arc::new(TierOfLaunch(tier)) as Arc<dyn Tier>)
            }
        }
    }
}
