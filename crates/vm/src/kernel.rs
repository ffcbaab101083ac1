//! A kernel: an entry of a loaded module, ready to be launched.

use std::sync::Arc;

use ptxvm_ir::{Limits, Parameter};
use ptxvm_machine::{Environment, Launch, Statistics, Unsupported};

use crate::failure::{Failure, guarded};
use crate::launch::LaunchOptions;
use crate::limits::{self, Demands};
use crate::module::Module;

/// More threads than any host has cores; asking for a million must not exhaust it.
const MOST_THREADS: usize = 1024;

/// An entry of a module. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) module: Module,
    pub(crate) linked: Arc<ptxvm_machine::Kernel>,
}

impl Kernel {
    fn function(&self) -> &ptxvm_ir::Function {
        &self.linked.program().functions[self.linked.entry().0 as usize]
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.function().name
    }

    /// Its parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.function().parameters
    }

    /// What its directives ask of a launch.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.function().limits
    }

    /// The static shared memory of a CTA in bytes.
    #[must_use]
    pub fn shared_bytes(&self) -> u32 {
        self.linked.shared_bytes()
    }

    /// The instructions in it that ptxvm cannot run yet; a launch stops when a thread comes to one of them.
    #[must_use]
    pub fn unsupported(&self) -> Vec<Unsupported> {
        self.linked.unsupported()
    }

    /// The module it belongs to.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Runs it to its end and says what it did.
    ///
    /// # Errors
    /// Why it did not end well; memory is then as the kernel left it.
    pub fn launch(&self, options: &LaunchOptions) -> Result<Statistics, Failure> {
        let device = self.module.device();
        let function = self.function();
        let block =
            options.arguments.block(self.linked.program(), &function.parameters, function.parameter_bytes);
        let demands = Demands {
            kernel: &function.name,
            limits: &function.limits,
            shared: self.shared_bytes(),
            local: self.linked.local_bytes(),
            profile: device.profile(),
        };
        if let Some(finding) = limits::broken(options, &demands) {
            return Err(Failure::Finding(finding));
        }
        let launch = Launch {
            grid: options.grid.0,
            block: options.block.0,
            shared: options.shared,
            parameters: block.map_err(Failure::Arguments)?,
            seed: options.seed,
            threads: options.threads.clamp(1, MOST_THREADS),
            max_instructions: options.max_instructions,
            timeout: options.timeout,
            statistics: options.statistics,
            control: Arc::clone(&options.control),
        };
        let print = |text: &[u8]| {
            if let Some(print) = &options.print {
                print(text);
            }
        };
        let environment = Environment { memory: device.memory(), profile: device.profile(), print: &print };
        let ran = guarded(|| ptxvm_machine::run(&self.linked, &launch, &environment));
        ran.map_err(Failure::Bug)?.map_err(Failure::from)
    }
}
