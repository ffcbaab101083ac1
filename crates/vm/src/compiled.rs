//! The compiled code of a kernel: made when a launch first asks for it, kept as long as the kernel.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ptxvm_jit::{Engine, KernelCode};
use ptxvm_machine::schedule::compiled::Compiled;
use ptxvm_machine::{EngineChoice, Kernel, Settings};

/// The engine of the process, once somebody has asked for it; without a libLLVM there is none, and the text says why.
static ENGINE: OnceLock<Result<Engine, String>> = OnceLock::new();

/// The engine of the process; why there is none, if there is none.
fn engine() -> Result<&'static Engine, String> {
    let engine = ENGINE.get_or_init(|| Engine::find(None, &[]).map_err(|absent| absent.to_string()));
    engine.as_ref().map_err(String::clone)
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
pub struct CompiledCodes(Mutex<HashMap<[u32; 3], MaybeCode>>);

/// Compiled code; where there is none, why.
type MaybeCode = Result<Arc<KernelCode>, String>;

impl CompiledCodes {
    /// The code for launches with CTAs of a shape. Without it the interpreter serves.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of(&self, kernel: &Kernel, cta: [u32; 3]) -> MaybeCode {
        let engine = engine()?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let compile = || engine.compile(kernel, cta).map_err(|refusal| refusal.to_string());
        known.entry(cta).or_insert_with(compile).clone()
    }

    /// The code for a launch, if its settings want some that there is. What counts instructions is interpreted.
    pub fn wanted(&self, kernel: &Kernel, cta: [u32; 3], settings: &Settings) -> Option<Arc<dyn Compiled>> {
        let counts = settings.statistics || settings.max_instructions.is_some();
        if settings.engine != EngineChoice::Compile || counts {
            return None;
        }
        self.of(kernel, cta).ok().map(|code| code as Arc<dyn Compiled>)
    }
}
