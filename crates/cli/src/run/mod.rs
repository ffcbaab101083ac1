//! `ptxvm run`: launches a kernel of a PTX file on buffers made from the command line, and shows what it did.

mod audit;
mod bind;
mod contents;
mod deadline;
mod element;
mod events;
mod explain_order;
mod host_memory;
mod image;
mod items;
mod launch_line;
mod npy;
pub mod options;
mod output;
mod picture;
mod prepared;
mod progress;
mod reference;
mod save;
mod show;
mod single_steps;
mod specification;
mod statistics;
mod table;
mod tensor_map;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ptxvm_report::Report;
use ptxvm_report::suppress::Suppressions;
use ptxvm_settings::Said;
use ptxvm_vm::{
    Budget, Control, Device, DeviceOptions, EngineChoice, Failure, Kernel, KernelError, LaunchOptions,
    Module, Settings,
};

use crate::check::Format;
use crate::exit::{self, Exit};
use crate::input;
use crate::memory;
use audit::{Audit, Before};
use deadline::Deadline;
use host_memory::HostMemory;
pub use options::Arguments;
use options::Launch;
use output::Output;
use prepared::Prepared;
use show::Show;

/// Runs one kernel.
pub fn run(arguments: &Arguments) -> Exit {
    let mut wrong = None;
    let said = said(arguments, |why| wrong = wrong.take().or(Some(why)));
    let choices = said.choices();
    let mut output = Output::new(arguments, &choices);
    if let Some(why) = wrong {
        return output.usage(&why);
    }
    match choices.suppress.as_deref().map(suppressions).transpose() {
        Ok(suppressions) => output.suppress(suppressions.unwrap_or_default()),
        Err(why) => return output.usage(&why),
    }
    // Both ways of ending give the exit code; an error has been told by then.
    let code = match attempt(arguments, said, &output) {
        Ok(code) | Err(code) => code,
    };
    output.close();
    code
}

/// What `--suppress` names.
fn suppressions(path: &Path) -> Result<Suppressions, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Suppressions::read(&text).map_err(|wrong| {
        let wrong: Vec<String> = wrong.iter().map(|wrong| format!("{}:{wrong}", path.display())).collect();
        wrong.join("\n")
    })
}

/// Has compiled code kept in the user's folder, if there is one.
fn keep_code(chatty: bool) {
    let tell = move |why: &str| {
        if chatty {
            eprintln!("ptxvm: {why}");
        }
    };
    if let Ok(cache) = ptxvm_settings::code_cache(tell) {
        ptxvm_vm::keep_code(cache);
    }
}

/// What the user has said of the switches, on the command line or else in the environment. A variable that says nothing
/// that is known is wrong usage, as an option is.
fn said(arguments: &Arguments, wrong: impl FnMut(String)) -> Said {
    let environment = Said::from_environment(|switch| !memory::concerns(switch), wrong);
    let command_line = arguments.launch.switches.said.clone().over(&arguments.switches.said);
    command_line.over(&environment).over(&memory::environment())
}

fn attempt(arguments: &Arguments, said: Said, output: &Output) -> Result<Exit, Exit> {
    let mut deadline = Deadline::begin();
    let user = said.choices();
    deadline.set(user.settings.timeout, output);
    let usage = |message: String| output.usage(&message);
    let wanted = user.memory;
    let budget = Arc::new(Budget::new(wanted.share(0).max_memory));
    let input = input::read(&arguments.file, &budget, input::LOADED).map_err(usage)?;
    let source = match ptxvm_syntax::decode(&input.bytes) {
        Ok(source) => source,
        Err(error) => return Err(output.undecodable(&input, *error)),
    };
    let mut report = Report::with(&input.name, source.into(), Vec::new());
    let line = launch_line::read(source, &input.name, arguments.trust_launch_line).map_err(usage)?;
    let asked = line.as_ref().map(|line| line.switches.said.choices().memory).unwrap_or_default();
    let mut options = arguments.launch.clone();
    options.switches.said = said;
    let options = options.over(line);
    let choices = options.switches.said.choices();
    deadline.set(choices.settings.timeout, output);
    let profile = choices.profile;
    // A launch line may take less than the user allows, never more.
    let share = wanted.share(profile.memory).lowered(wanted, asked);
    let budget =
        if share.max_memory < budget.limit() { Arc::new(Budget::new(share.max_memory)) } else { budget };
    let device = Device::with_options(profile, DeviceOptions { memory: Some(share.memory), budget });
    let memory = HostMemory::new(Arc::clone(device.budget()));
    let module = match device.load(source) {
        Ok(module) => module,
        Err(error) => return Err(output.not_loaded(&mut report, error)),
    };
    if arguments.show == Show::Ir {
        let text = show::program(module.program());
        written(show::write("ir", &text, arguments.format)).map_err(usage)?;
        return Ok(exit::CLEAN);
    }
    let name = entry(&module, &options).map_err(usage)?;
    let kernel = match module.kernel(&name) {
        Ok(kernel) => kernel,
        Err(KernelError::Bug(message)) => return Err(output.bug(&message)),
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
        return Ok(exit::CLEAN);
    }
    let audit = arguments.audit.then(Audit::new);
    let kernel = match &audit {
        Some(audit) => kernel.observed_by(audit.clone()).map_err(|error| output.bug(&error.to_string()))?,
        None => kernel,
    };
    let bound = reference::plan(&module, &options.bind).map_err(usage)?;
    let values =
        bind::bind(kernel.name(), kernel.parameters(), &options.arg, &bound, &memory).map_err(usage)?;
    let names = bind::names(kernel.parameters(), &bound);
    let saves = save::plan(&options.save, &names, &values).map_err(usage)?;
    let references = reference::of(&module, &kernel, &bound);
    let prepared = Prepared::new(&device, &names, &references, values, &memory).map_err(usage)?;
    let mut launch = launch(&kernel, &options, arguments.format, &prepared);
    launch.settings = Settings { statistics: output.counts(), ..choices.settings };
    launch.mistakes = Some(Arc::default());
    launch.stale = Some(Arc::default());
    launch.races = Some(Arc::default());
    launch.order = explain_order::question(&arguments.explain_order, source).map_err(usage)?;
    if choices.events {
        let (module, format) = (module.clone(), arguments.format);
        launch = launch.on_event(move |event| events::write(&module, format, event));
    }
    interruptible(&launch.control).map_err(usage)?;
    keep_code(output.chatty());

    let before = audit.as_ref().map(|_| Before::of(&device));
    let ctas = launch.grid.product();
    launch.settings.timeout = deadline.launch(&launch.control, ctas);
    let ran = progress::watched(&launch.control, ctas, output.chatty(), || match arguments.single_steps {
        false => kernel.launch(&launch),
        true => single_steps::run(&kernel, module.program(), &launch),
    });
    deadline.end();
    if output.chatty()
        && launch.settings.engine == EngineChoice::Compile
        && let Some(why) = kernel.refusal(launch.block)
    {
        eprintln!("ptxvm: the kernel was interpreted: {why}");
    }
    if let (Some(audit), Some(before)) = (&audit, &before)
        && let Some((space, address)) = before.slipped(&device, audit)
    {
        let message =
            format!("the byte at {space:?} {address:#x} has changed, and no write to it was reported");
        return Err(output.bug(&message));
    }
    let done = launch.control.ctas_done.load(Ordering::Relaxed);
    let survived = output.mistakes(&report, &launch);
    let raced = output.races(&report, &kernel, &launch);
    output.stale(&report, &launch, ran.is_err());
    output.order(&report, &launch);
    let (code, statistics) = match ran {
        Ok(statistics) => (if survived == exit::CLEAN { raced } else { survived }, Some(statistics)),
        Err(Failure::Limit(limit)) => {
            let limit = Failure::Limit(deadline.name(limit));
            (output.failed(&report, limit, &launch, done), None)
        }
        Err(failure) => return Err(output.failed(&report, failure, &launch, done)),
    };
    let outcomes = prepared.outcomes();
    written(output.result(&kernel, &outcomes, statistics.as_ref())).map_err(usage)?;
    for save in &saves {
        if let Some(outcome) = outcomes.iter().find(|o| o.parameter == save.parameter) {
            save::write(save, outcome).map_err(usage)?;
        }
    }
    Ok(code)
}

/// What is wrong with something that was to be written. A reader that has gone away (`| head`) is no error worth a message.
fn written(done: std::io::Result<()>) -> Result<(), String> {
    match done {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot write: {e}")),
        _ => Ok(()),
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

/// The threads of a CTA in each dimension.
fn block_of(options: &Launch, kernel: &Kernel) -> [u32; 3] {
    options.block.or(kernel.limits().reqntid).unwrap_or([1; 3])
}

/// What is launched.
fn launch(kernel: &Kernel, options: &Launch, format: Format, prepared: &Prepared) -> LaunchOptions {
    let block = block_of(options, kernel);
    LaunchOptions {
        shared: options.shared.unwrap_or(0),
        arguments: prepared.arguments.clone(),
        cluster: options.cluster.map(Into::into),
        ..LaunchOptions::new(options.grid.unwrap_or([1; 3]), block)
    }
    .on_print(move |text| Output::guest(format, text))
}

/// Ctrl-C stops the launch; a second one ends the process at once.
fn interruptible(control: &Arc<Control>) -> Result<(), String> {
    let control = Arc::clone(control);
    ctrlc::set_handler(move || {
        if control.stop.swap(true, Ordering::Relaxed) {
            std::process::exit(exit::INTERRUPTED.code());
        }
    })
    .map_err(|e| format!("cannot listen for ctrl-C: {e}"))
}
