//! The launch that the command line, the environment and the file's launch line describe, and one run of it. Everything that
//! runs have in common is read once; each has a device and buffers of its own.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ptxvm_report::Report;
use ptxvm_settings::{Choices, Said};
use ptxvm_vm::{
    Budget, Control, Device, DeviceOptions, Failure, Kernel, KernelError, LaunchOptions, LoadError, Module,
    Profile, Settings, Statistics, Variable,
};

use super::bind::{self, Value};
use super::contents::HostBuffer;
use super::deadline::Deadline;
use super::element::Element;
use super::expect::{self, Expectation};
use super::host_memory::HostMemory;
use super::map;
use super::options::{Arguments, Launch};
use super::output::Output;
use super::prepared::Prepared;
use super::save::{self, Save};
use super::show::{self, Show};
use super::table::Outcome;
use super::{explain_order, launch_line, reference, texts, written};
use crate::exit::{self, Exit};
use crate::input::Input;

/// What all runs have in common.
pub struct Job<'a> {
    pub arguments: &'a Arguments,
    pub report: Report<'a>,
    source: &'a str,
    options: Launch,
    pub choices: Choices,
    /// The buffers to write to files.
    pub saves: Vec<Save>,
    /// What buffers must hold afterwards.
    pub expectations: Vec<Expectation>,
    device: DeviceOptions,
    /// On the first device.
    kernel: Kernel,
    /// What parameters and bound references are given, and their names.
    values: Vec<Value>,
    names: Vec<String>,
    /// The memory that the values take.
    _memory: HostMemory,
}

impl<'a> Job<'a> {
    /// Reads the launch line, loads the module and makes the contents of its buffers. What ends the command before a launch
    /// has been told.
    pub fn new(
        arguments: &'a Arguments,
        said: Said,
        (input, budget): (&'a Input, Arc<Budget>),
        (output, deadline): (&Output, &mut Deadline),
    ) -> Result<Job<'a>, Exit> {
        let usage = |message: String| output.usage(&message);
        let source = match ptxvm_syntax::decode(&input.bytes) {
            Ok(source) => source,
            Err(error) => return Err(output.undecodable(input, *error)),
        };
        if output.chatty() {
            texts::lacking(source).for_each(|what| {
                eprintln!("ptxvm: not replayed: {}", ptxvm_report::for_terminal(what.as_bytes()))
            });
        }
        let mut report = Report::with(&input.name, source.into(), Vec::new());
        let line = launch_line::read(source, &input.name, arguments.trust_launch_line).map_err(usage)?;
        let asked = line.as_ref().map(|line| line.switches.said.choices().memory).unwrap_or_default();
        let wanted = said.choices().memory;
        let mut options = arguments.launch.clone();
        options.switches.said = said;
        let options = options.over(line);
        let choices = options.switches.said.choices();
        deadline.set(choices.settings.timeout, output);
        // A launch line may take less than the user allows, never more.
        let share = wanted.share(choices.profile.memory).lowered(wanted, asked);
        let budget =
            if share.max_memory < budget.limit() { Arc::new(Budget::new(share.max_memory)) } else { budget };
        let places = map::places(&options.map).map_err(usage)?;
        let device = DeviceOptions { memory: Some(share.memory), budget, places };
        let first = Device::with_options(choices.profile, device.clone());
        let loaded = match &*texts::split(source) {
            [_] => first.load(source),
            several => first.load_linked(several),
        };
        let module = match loaded {
            Ok(module) => module,
            Err(error) => return Err(output.not_loaded(&mut report, error)),
        };
        if arguments.show == Show::Ir {
            let text = show::program(module.program());
            written(show::write("ir", &text, arguments.format)).map_err(usage)?;
            return Err(exit::CLEAN);
        }
        let name = entry(&module, &options).map_err(usage)?;
        let kernel = match module.kernel(&name) {
            Ok(kernel) => kernel,
            Err(KernelError::Bug(message)) => return Err(output.bug(&message)),
            Err(KernelError::Load(error)) => return Err(output.not_loaded(&mut report, *error)),
            Err(error @ KernelError::Unknown { .. }) => return Err(usage(error.to_string())),
        };
        if let Show::Llvm | Show::Assembly = arguments.show {
            let block = block_of(&options, &kernel);
            let (kind, text) = match arguments.show {
                Show::Llvm => ("llvm", kernel.llvm_ir(block)),
                _ => ("assembly", kernel.assembly(block)),
            };
            let text = text.map_err(|why| usage(format!("there is no compiled code: {why}")))?;
            written(show::write(kind, &text, arguments.format)).map_err(usage)?;
            return Err(exit::CLEAN);
        }
        let memory = HostMemory::new(Arc::clone(&device.budget));
        let bound = reference::plan(&module, &options.bind).map_err(usage)?;
        let values = bind::bind(kernel.name(), kernel.parameters(), &options.arg, &bound, &memory);
        let mut values = values.map_err(usage)?;
        let maps = map::plan(&options.map, &memory).map_err(usage)?;
        let mut names = bind::names(kernel.parameters(), &bound);
        names.extend(maps.iter().map(|map| map.name.as_str()));
        values.extend(
            maps.iter().map(|map| Value::Memory { at: map.at, contents: map.contents.clone().into() }),
        );
        let saves = save::plan(&options.save, &names, &values).map_err(usage)?;
        let expectations = expect::plan(&options.expect, &names, &values, &memory).map_err(usage)?;
        let names = names.into_iter().map(str::to_owned).collect();
        Ok(Job {
            arguments,
            report,
            source,
            options,
            choices,
            saves,
            expectations,
            device,
            kernel,
            values,
            names,
            _memory: memory,
        })
    }

    /// The kernel, on the device that it was loaded on.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Whether memory has to lie at given addresses.
    pub fn has_places(&self) -> bool {
        !self.device.places.is_empty()
    }

    /// The device that it is.
    fn profile(&self) -> &'static Profile {
        self.choices.profile
    }

    /// The kernel on a device of its own, where nothing has been done yet.
    pub fn kernel_anew(&self) -> Result<Kernel, String> {
        let device = Device::with_options(self.profile(), self.device.clone());
        self.kernel.on(&device).map_err(|error: LoadError| error.to_string())
    }

    /// Whether anybody has said something of a switch.
    pub fn says(&self, switch: &str) -> bool {
        self.options.switches.said.says(switch)
    }

    /// A run of a kernel, which is this one on some device.
    pub fn prepare(
        &self,
        kernel: Kernel,
        settings: Settings,
        control: Arc<Control>,
    ) -> Result<Run<'_>, String> {
        let memory = HostMemory::new(Arc::clone(&self.device.budget));
        let bound = reference::plan(kernel.module(), &self.options.bind)?;
        let references = reference::of(kernel.module(), &kernel, &bound);
        let prepared = Prepared::new(kernel.module(), &self.names, &references, &self.values, &memory)?;
        let launch = LaunchOptions {
            shared: self.options.shared.unwrap_or(0),
            arguments: prepared.arguments.clone(),
            cluster: self.options.cluster.map(Into::into),
            cooperative: self.options.cooperative,
            nonportable_cluster: self.options.nonportable_cluster,
            settings,
            mistakes: Some(Arc::default()),
            stale: Some(Arc::default()),
            races: Some(Arc::default()),
            order: explain_order::question(&self.arguments.explain_order, self.source)?,
            control,
            ..LaunchOptions::new(self.options.grid.unwrap_or([1; 3]), block_of(&self.options, &kernel))
        };
        Ok(Run { job: self, kernel, launch, prepared, memory })
    }
}

/// One run, ready to begin.
pub struct Run<'j> {
    job: &'j Job<'j>,
    pub kernel: Kernel,
    pub launch: LaunchOptions,
    prepared: Prepared,
    memory: HostMemory,
}

/// What came of a run.
pub struct Ran {
    /// What it means for the exit status; all of it has been told.
    pub code: Exit,
    /// Why it did not come to its end.
    pub stopped: Option<Stopped>,
    /// What its buffers hold.
    pub outcomes: Vec<Outcome>,
    /// What it did, if it came to its end.
    pub statistics: Option<Statistics>,
}

/// Why a run did not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// By a limit: what it has done so far can be shown.
    Limit,
    /// By the guest's fault, or ours.
    Failure,
}

impl Run<'_> {
    /// Takes the memory for its results: for those of the buffers only of `another` run than the first, which has taken it.
    pub fn take_results(&self, another: bool) -> Result<(), String> {
        let variables = variables(&self.kernel).map(|variable| variable.size);
        let buffers = if another { self.prepared.bytes() } else { 0 };
        let bytes = variables.fold(buffers, u64::saturating_add);
        self.memory.take(bytes, "keeping the results of another run")
    }

    /// The lowest address that the device has given away. Devices of one process lie at different places, but what lies
    /// on them has the same distance from this.
    pub fn origin(&self) -> u64 {
        let allocations = self.kernel.module().device().memory().allocations();
        allocations.iter().map(|allocation| allocation.start).min().unwrap_or(0)
    }

    /// What the module's variables hold now, in words if their sizes allow that. Nobody has given them a type.
    pub fn variables(&self) -> Vec<Outcome> {
        let device = self.kernel.module().device();
        let outcome = |variable: Variable<'_>| {
            let mut after = vec![0; variable.size as usize];
            device.read(variable.address, &mut after).ok()?;
            let element = if variable.size.is_multiple_of(4) { Element::U32 } else { Element::U8 };
            let shape = vec![variable.size / element.bytes() as u64];
            let before = HostBuffer { element, shape, bytes: Vec::new(), is_unwritten: false }.into();
            Some(Outcome { parameter: usize::MAX, name: variable.name.to_owned(), before, after })
        };
        variables(&self.kernel).filter_map(outcome).collect()
    }

    /// Says what came of it.
    pub fn tell(self, ran: Result<Statistics, Failure>, output: &Output, deadline: &Deadline) -> Ran {
        let (report, launch) = (&self.job.report, &self.launch);
        let done = launch.control.ctas_done.load(Ordering::Relaxed);
        let survived = output.mistakes(report, launch);
        let raced = output.races(report, &self.kernel, launch);
        output.left_out(report, launch);
        output.stale(report, launch, ran.is_err());
        output.order(report, launch);
        let (code, stopped, statistics) = match ran {
            Ok(statistics) => {
                (if survived == exit::CLEAN { raced } else { survived }, None, Some(statistics))
            }
            Err(Failure::Limit(limit)) => {
                let limit = Failure::Limit(deadline.name(limit));
                (output.failed(report, limit, launch, done), Some(Stopped::Limit), None)
            }
            Err(failure) => (output.failed(report, failure, launch, done), Some(Stopped::Failure), None),
        };
        Ran { code, stopped, outcomes: self.prepared.outcomes(), statistics }
    }
}

/// The entry to launch: the one that is named, or the only one.
fn entry(module: &Module, options: &Launch) -> Result<String, String> {
    if let Some(name) = &options.entry {
        return Ok(name.clone());
    }
    let kernels: Vec<_> = module.kernels().collect();
    match kernels[..] {
        [only] => Ok(only.name.clone()),
        [] => Err("the file has no entry to launch".to_owned()),
        _ => {
            let list: Vec<String> =
                kernels.iter().map(|k| format!("\n  {}", bind::signature(&k.name, &k.parameters))).collect();
            Err(format!("the file has {} entries; choose one with --entry:{}", list.len(), list.concat()))
        }
    }
}

/// The variables of a kernel's module that it can write.
fn variables(kernel: &Kernel) -> impl Iterator<Item = Variable<'_>> {
    kernel.module().variables().filter(|variable| !variable.constant)
}

/// The threads of a CTA in each dimension.
fn block_of(options: &Launch, kernel: &Kernel) -> [u32; 3] {
    options.block.or(kernel.limits().reqntid).unwrap_or([1; 3])
}
