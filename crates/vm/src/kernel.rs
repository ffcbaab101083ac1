//! A kernel: an entry of a loaded module, ready to be launched.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ptxvm_ir::operation::Operation;
use ptxvm_ir::{FunctionId, Home, Limits, Parameter, Program, Space};
use ptxvm_isa::{Target, Version};
use ptxvm_jit::Tuning;
use ptxvm_machine::{
    Addresses, Environment, Event, Execution, Launch, Observer, Settings, Statistics, Unsupported,
};
use ptxvm_profile::Demand;

use crate::compiled::CompiledCodes;
use crate::device::Device;
use crate::failure::{Failure, KernelError, LoadError, guarded};
use crate::held::Held;
use crate::launch::{Dimensions, HeapBlocks, LaunchOptions};
use crate::limits::{self, Demands};
use crate::module::Module;

/// More threads than any host has cores; asking for a million must not exhaust it.
const MOST_THREADS: usize = 1024;

/// An entry of a module. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) module: Module,
    /// Which of the module's functions it is.
    pub(crate) entry: FunctionId,
    /// Where the variables of its program lie.
    pub(crate) addresses: Arc<Addresses>,
    pub(crate) linked: Arc<ptxvm_machine::Kernel>,
    /// The same, linked so that a follower is told of every access, once a launch has asked for one.
    pub(crate) linked_followed: Arc<OnceLock<Arc<ptxvm_machine::Kernel>>>,
    /// Which words of its parameters it can use as addresses, once somebody has asked.
    pub(crate) address_words: Arc<OnceLock<Vec<Vec<bool>>>>,
    /// Its compiled code, by the shape of CTAs.
    pub(crate) compiled: Arc<CompiledCodes>,
    /// The most registers that a thread of it may take, where its own directives say nothing.
    pub(crate) max_registers: Option<u32>,
    /// What it was linked to on other devices, for those that lie where one of them lay.
    pub(crate) elsewhere: Arc<Mutex<Vec<Link>>>,
}

/// What a kernel is with its module's variables at some addresses. No device belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Those of the module.
    variables: Vec<u64>,
    addresses: Arc<Addresses>,
    linked: Arc<ptxvm_machine::Kernel>,
    linked_followed: Arc<OnceLock<Arc<ptxvm_machine::Kernel>>>,
    compiled: Arc<CompiledCodes>,
}

/// As many are kept: more devices than that have no places of their own.
const MOST_LINKS: usize = 64;

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

    /// Where each parameter lies in the parameter block, and its size, in their order.
    #[must_use]
    pub fn parameter_block_layout(&self) -> Vec<(u64, u64)> {
        let variables = &self.linked.program().variables;
        let place = |parameter: &Parameter| match parameter.home {
            Some(Home::Variable(id)) => (variables[id.0 as usize].offset, parameter.size),
            _ => (0, 0),
        };
        self.parameters().iter().map(place).collect()
    }

    /// For each parameter and each whole eight bytes of it: whether the kernel can use them as an address.
    #[must_use]
    pub fn address_words(&self) -> &[Vec<bool>] {
        let find = || ptxvm_ir::address_words(self.linked.program(), self.linked.entry());
        self.address_words.get_or_init(find)
    }

    /// The size of the parameter block in bytes.
    #[must_use]
    pub fn parameter_bytes(&self) -> u64 {
        self.function().parameter_bytes
    }

    /// The static shared memory of a CTA in bytes.
    #[must_use]
    pub fn shared_bytes(&self) -> u32 {
        self.linked.shared_bytes()
    }

    /// The local memory that a thread needs before any call, in bytes.
    #[must_use]
    pub fn local_bytes(&self) -> u64 {
        self.linked.local_bytes()
    }

    /// The constant memory of its module in bytes.
    #[must_use]
    pub fn constant_bytes(&self) -> u64 {
        let constants = self.module.program().variables.iter().filter(|v| v.space == Space::Const);
        constants.fold(0, |end: u64, v| {
            end.checked_next_multiple_of(u64::from(v.align.max(1))).unwrap_or(end).saturating_add(v.size)
        })
    }

    /// About how many 32-bit registers a thread would take on the device: those that are live at once, and a few
    /// that a compiler needs for itself, in the steps that the device hands them out.
    #[must_use]
    pub fn register_estimate(&self) -> u32 {
        let wanted = self.linked.live_registers().saturating_add(4).next_multiple_of(8);
        let most = self.limits().maxnreg.or(self.max_registers).unwrap_or(255);
        wanted.min(255).min(most).max(1)
    }

    /// The same kernel, whose threads take no more registers than this. `.maxnreg` counts more, as with the driver.
    #[must_use]
    pub fn with_max_registers(self, max_registers: Option<u32>) -> Self {
        Self { max_registers, ..self }
    }

    /// The same kernel, without an observer, on another device ([`Module::on`]). What has been compiled of it serves there
    /// too, if the module has no variables or they lie where they lay on some device before.
    ///
    /// # Errors
    /// The device cannot take its module, or has no memory for it.
    pub fn on(&self, device: &Device) -> Result<Self, LoadError> {
        let module = self.module.on(device)?;
        let variables = &module.addresses().variables;
        if *variables == self.module.addresses().variables {
            return Ok(Self { module, ..self.clone() });
        }
        let mut elsewhere = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        let link = match elsewhere.iter().find(|link| link.variables == *variables) {
            Some(link) => link.clone(),
            None => {
                let kernel = module.kernel_of(self.entry);
                let Self { addresses, linked, linked_followed, compiled, .. } =
                    kernel.map_err(|error| LoadError::Bug(error.to_string()))?;
                let variables = variables.clone();
                let link = Link { variables, addresses, linked, linked_followed, compiled };
                if elsewhere.len() < MOST_LINKS {
                    elsewhere.push(link.clone());
                }
                link
            }
        };
        let Link { addresses, linked, linked_followed, compiled, .. } = link;
        Ok(Self { module, addresses, linked, linked_followed, compiled, ..self.clone() })
    }

    /// The same kernel, of whose launches an observer is told every touch of memory: which bytes, by whom, through which
    /// instruction, and for asynchronous operations when. It runs slower and gives the same results; a kernel without an
    /// observer pays nothing for those that could be.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use ptxvm_vm::observer::{Access, HeapChange, Transferred};
    /// use ptxvm_vm::{Buffer, Device, LaunchOptions, Observer, Space, Wants};
    ///
    /// /// Counts the bytes of global memory that are written.
    /// #[derive(Debug, Default)]
    /// struct Written(Mutex<u64>);
    ///
    /// impl Observer for Written {
    ///     fn access(&self, access: &Access<'_>) {
    ///         if access.space == Space::Global && access.wants == Wants::Write {
    ///             *self.0.lock().unwrap() += access.bytes * u64::from(access.who.lanes.count_ones());
    ///         }
    ///     }
    ///     fn transfer(&self, _: &Transferred<'_>) {}
    ///     fn heap(&self, _: &HeapChange) {}
    /// }
    ///
    /// # const SOURCE: &str = ".version 9.1\n.target sm_80\n.address_size 64\n
    /// # .visible .entry fill(.param .u64 x) {\n .reg .b32 %t; .reg .b64 %p;\n mov.u32 %t, %tid.x;\n
    /// # ld.param.u64 %p, [x];\n mad.wide.u32 %p, %t, 4, %p;\n st.global.u32 [%p], %t;\n ret; }";
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let device = Device::default();
    /// let x = Buffer::from_slice(&device, &[0u32; 4])?;
    /// let written = Arc::new(Written::default());
    /// let kernel = device.load(SOURCE)?.kernel("fill")?.observed_by(written.clone())?;
    /// kernel.launch(&LaunchOptions::new(1, 4).argument(&x))?;
    /// assert_eq!(*written.0.lock().unwrap(), 16);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Linking it anew has met a mistake of ours.
    pub fn observed_by(self, observer: Arc<dyn Observer>) -> Result<Self, KernelError> {
        let (program, entry) = (Arc::clone(self.linked.program()), self.linked.entry());
        let addresses = &self.addresses;
        let linked = guarded(|| ptxvm_machine::Kernel::link_observed(program, entry, addresses, observer));
        let linked = Arc::new(linked.map_err(KernelError::Bug)?);
        let linked_followed = Arc::new(OnceLock::from(Arc::clone(&linked)));
        Ok(Self { linked, linked_followed, compiled: Arc::default(), elsewhere: Arc::default(), ..self })
    }

    /// The program that it belongs to, of which an observer is told instructions.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        self.linked.program()
    }

    /// The PTX version that it is written in; of a linked module, the newest of its texts.
    #[must_use]
    pub fn ptx_version(&self) -> Version {
        self.linked.program().language.ptx
    }

    /// What it was compiled for; of a linked module, what all its texts can be run on.
    #[must_use]
    pub fn target(&self) -> Target {
        self.linked.program().language.target
    }

    /// What it runs as: the device's own architecture.
    #[must_use]
    pub fn binary_target(&self) -> Target {
        self.module.device().profile().target()
    }

    /// The most threads that a CTA of it may have.
    #[must_use]
    pub fn max_threads(&self) -> u32 {
        let limits = self.limits();
        let required = limits.reqntid.map(|sizes| sizes.iter().map(|&n| u64::from(n)).product());
        let device = self.module.device().profile().threads_per_cta;
        let own = required.or(limits.maxntid).unwrap_or(u64::from(device));
        u32::try_from(own).map_or(device, |own| own.min(device))
    }

    /// The size that `.reqnctapercluster` asks its clusters to have.
    #[must_use]
    pub fn cluster(&self) -> Option<[u32; 3]> {
        self.limits().reqnctapercluster
    }

    /// Compiles it for CTAs of a shape, if that has not been done. Launches with [`EngineChoice::Compile`] do so themselves.
    ///
    /// [`EngineChoice::Compile`]: crate::EngineChoice::Compile
    ///
    /// # Errors
    /// Why there is no compiled code: the interpreter runs it then.
    pub fn compile(&self, block: impl Into<Dimensions>) -> Result<(), String> {
        self.compile_tuned(block, Tuning::default())
    }

    /// The same in another way than is best. Launches do the same, but for orders that PTX leaves open; tests see to that.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn compile_tuned(&self, block: impl Into<Dimensions>, tuning: Tuning) -> Result<(), String> {
        self.compiled.of(&self.linked, block.into().0, tuning).map(drop)
    }

    /// Why a launch with CTAs of a shape was interpreted, if it asked for code and there was none.
    #[must_use]
    pub fn refusal(&self, block: impl Into<Dimensions>) -> Option<String> {
        self.compiled.refusal(block.into().0)
    }

    /// The LLVM IR that it is compiled from, for CTAs of a shape.
    ///
    /// # Errors
    /// Why there is none.
    pub fn llvm_ir(&self, block: impl Into<Dimensions>) -> Result<String, String> {
        crate::compiled::llvm_ir(&self.linked, block.into().0)
    }

    /// The host's assembly of its compiled code, for CTAs of a shape.
    ///
    /// # Errors
    /// Why there is none.
    pub fn assembly(&self, block: impl Into<Dimensions>) -> Result<String, String> {
        crate::compiled::assembly(&self.linked, block.into().0)
    }

    /// The instructions in it that ptxvm cannot run yet; a launch stops when a thread comes to one of them.
    #[must_use]
    pub fn unsupported(&self) -> Vec<Unsupported> {
        self.linked.unsupported()
    }

    /// How many CTAs of this shape, with so much dynamic shared memory, the device holds at once.
    #[must_use]
    pub fn resident_ctas(&self, block: impl Into<Dimensions>, shared: u32) -> u64 {
        self.module.device().profile().resident_ctas(&self.demand(block.into(), shared), None)
    }

    /// What a CTA of this shape takes, with so much dynamic shared memory.
    fn demand(&self, block: Dimensions, shared: u32) -> Demand {
        Demand {
            threads: u32::try_from(block.product()).unwrap_or(u32::MAX),
            registers: self.register_estimate(),
            shared: self.shared_bytes().saturating_add(shared),
            carveout: None,
        }
    }

    /// Whether something in its program looks textures or surfaces up.
    #[must_use]
    pub fn has_images(&self) -> bool {
        let is_image =
            |operation: &Operation| matches!(operation, Operation::Texture(_) | Operation::Surface(_));
        self.linked.program().operations.iter().any(is_image)
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
        let ran = self.run(options);
        // Also if it never began: nobody waits for it any more.
        if let Some(status) = &options.status {
            status.end();
        }
        ran
    }

    fn run(&self, options: &LaunchOptions) -> Result<Statistics, Failure> {
        let blocks = options.heap_blocks.clone().unwrap_or_default();
        let launch = self.prepared(options, &blocks)?;
        let environment = self.environment(options);
        let ran = guarded(|| ptxvm_machine::run(self.linked_for(options), &launch, &environment));
        // The checkers tell at their end what is undefined in memory still.
        drop(launch);
        self.module.device().memory().forget_unwritten_by_host();
        if let (None, Some(mistakes)) = (&options.heap_blocks, &options.mistakes) {
            for (_, at, left) in blocks.left(options.settings.check_limit) {
                mistakes.add(at, left);
            }
        }
        Ok(*ran.map_err(Failure::Bug)?.map_err(Failure::from)?)
    }

    /// Launches it and holds it before its first instruction, to be looked at and run step by step. It runs on the
    /// calling thread, however many `options` name.
    ///
    /// # Errors
    /// Why it could not begin.
    pub fn hold<'a>(&'a self, options: &'a LaunchOptions) -> Result<Held<'a>, Failure> {
        let blocks = options.heap_blocks.clone().unwrap_or_default();
        let held = self.prepared(options, &blocks).and_then(|launch| {
            let linked = guarded(|| self.linked_for(options)).map_err(Failure::Bug)?;
            let begun = guarded(|| Execution::begin(linked, launch, self.environment(options)));
            begun.map_err(Failure::Bug)?.map_err(Failure::from)
        });
        if let (Err(_), Some(status)) = (&held, &options.status) {
            status.end();
        }
        held.map(Held::new)
    }

    /// The linked kernel that a launch with these settings runs.
    fn linked_for(&self, options: &LaunchOptions) -> &ptxvm_machine::Kernel {
        if !options.follows_order(self.checked(options.checks())) {
            return &self.linked;
        }
        self.linked_followed.get_or_init(|| {
            let (program, entry) = (Arc::clone(self.linked.program()), self.linked.entry());
            let observer = Arc::new(ptxvm_weak::Silent);
            let addresses = &self.addresses;
            Arc::new(ptxvm_machine::Kernel::link_observed(program, entry, addresses, observer))
        })
    }

    /// What lies at an address: a shared variable, or an allocation, and how far from its beginning.
    #[must_use]
    pub fn place_name(&self, space: ptxvm_machine::door::Space, address: u64) -> Option<String> {
        use ptxvm_machine::door::Space;
        let within = |name: &str, offset: u64| match offset {
            0 => name.to_owned(),
            _ => format!("{name} + {offset}"),
        };
        match space {
            Space::Shared => {
                let (name, rank, offset) = self.linked.shared_variable(address)?;
                let place = within(&format!("`{name}`"), offset);
                Some(if rank == 0 { place } else { format!("{place} in CTA {rank} of the cluster") })
            }
            Space::Global => {
                let variable =
                    |v: &crate::module::Variable<'_>| (v.address..v.address + v.size).contains(&address);
                if let Some(found) = self.module.variables().find(variable) {
                    return Some(within(&format!("`{}`", found.name), address - found.address));
                }
                let allocation = self.module.device().memory().allocation(address)?;
                let (start, bytes) = (allocation.start, allocation.end() - allocation.start);
                Some(within(&format!("the allocation of {bytes} bytes at {start:#x}"), address - start))
            }
            _ => None,
        }
    }

    /// What a launch is told by the options, if the kernel and the device take it.
    fn prepared(&self, options: &LaunchOptions, blocks: &Arc<HeapBlocks>) -> Result<Launch, Failure> {
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
        let grid = limits::grid_of(options, &function.limits);
        let cluster = limits::cluster_of(options, &function.limits);
        if options.cooperative {
            let ctas = Dimensions(grid).product();
            let demand = self.demand(options.block, options.shared);
            let size = cluster.map(|size| size.iter().product());
            let resident = device.profile().resident_ctas(&demand, size);
            if ctas > resident {
                return Err(Failure::TooLarge { ctas, resident });
            }
        }
        let checks = self.checked(options.checks());
        let follows = options.follows_order(checks);
        Ok(Launch {
            grid,
            cluster,
            block: options.block.0,
            shared: options.shared,
            parameters: block.map_err(Failure::Arguments)?,
            settings: Settings {
                checks,
                // What is weak is decided in one place.
                threads: match follows {
                    false => options.settings.threads.clamp(1, MOST_THREADS),
                    true => 1,
                },
                ..options.settings
            },
            follower: if follows { self.follower(options, (checks, blocks), grid, cluster) } else { None },
            cooperative: options.cooperative,
            status: options.status.clone(),
            prerequisites: options.prerequisites.clone(),
            mistakes: options.mistakes.clone(),
            tier: match follows {
                false => self.compiled.wanted(&self.linked, options.block.0, &options.settings),
                true => None,
            },
            control: Arc::clone(&options.control),
        })
    }

    /// What a launch works with.
    fn environment<'a>(&'a self, options: &'a LaunchOptions) -> Environment<'a> {
        let device = self.module.device();
        let print = match &options.print {
            Some(print) => &**print as &(dyn Fn(&[u8]) + Sync),
            None => &|_: &[u8]| {},
        };
        let set_conditional = options.set_conditional.as_deref().map(|set| set as &(dyn Fn(u64, u32) + Sync));
        let on_event = options.on_event.as_deref().map(|told| told as &(dyn Fn(&Event) + Sync));
        Environment {
            memory: device.memory(),
            objects: device.objects(),
            profile: device.profile(),
            print,
            set_conditional,
            on_event,
        }
    }
}
