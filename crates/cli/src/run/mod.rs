//! `ptxvm run`: launches a kernel of a PTX file on buffers made from the command line, and shows what it did.

mod audit;
mod beside;
mod bind;
mod contents;
mod deadline;
mod difference;
mod element;
mod events;
mod expect;
mod explain_order;
mod gathered;
mod host_memory;
mod image;
mod items;
mod job;
mod launch_line;
mod map;
mod npy;
pub mod options;
mod output;
mod picture;
mod prepared;
mod progress;
mod reference;
mod save;
mod seeds;
mod show;
mod single_steps;
mod specification;
mod statistics;
mod stop;
mod summary;
mod table;
mod tensor_map;
mod texts;
mod unexpected;

use std::path::Path;
use std::sync::Arc;

use ptxvm_report::suppress::Suppressions;
use ptxvm_settings::Said;
use ptxvm_vm::{Budget, EngineChoice, Kernel, LaunchOptions, Settings};

use crate::exit::{self, Exit};
use crate::input;
use crate::memory;
use crate::seeds::Ways;
use audit::{Audit, Before};
use deadline::Deadline;
use job::{Job, Ran, Stopped};
pub use options::Arguments;
use output::Output;
use progress::Progress;
use show::Show;
use stop::Stop;

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
    let usage = |message: String| output.usage(&message);
    let ways = Ways::of(arguments.seeds, arguments.launch.switches.every_asynchrony).map_err(usage)?;
    if ways.is_some() && !matches!(arguments.show, Show::Values(_)) {
        return Err(output.usage("--show ir, llvm and assembly run nothing; leave out --seeds"));
    }
    let mut deadline = Deadline::begin();
    let user = said.choices();
    deadline.set(user.settings.timeout, output);
    let budget = Arc::new(Budget::new(user.memory.share(0).max_memory));
    let input = input::read(&arguments.file, &budget, input::LOADED).map_err(usage)?;
    let job = Job::new(arguments, said, (&input, budget), (output, &mut deadline))?;
    keep_code(output.chatty());
    let stop = Stop::on_interrupt().map_err(usage)?;
    match ways {
        Some(_) if job.has_places() => Err(usage(
            "`--map` with an address goes with --seeds not at all: there is one device at that place, and each run has its \
             own"
            .to_owned(),
        )),
        Some(ways) => seeds::run(&job, ways, output, &deadline, &stop),
        None => once(&job, output, &deadline, &stop),
    }
}

/// Runs it once.
fn once(job: &Job<'_>, output: &Output, deadline: &Deadline, stop: &Stop) -> Result<Exit, Exit> {
    let usage = |message: String| output.usage(&message);
    let (arguments, choices) = (job.arguments, &job.choices);
    let audit = arguments.audit.then(Audit::new);
    let kernel = job.kernel().clone();
    let kernel = match &audit {
        Some(audit) => kernel.observed_by(audit.clone()).map_err(|error| output.bug(&error.to_string()))?,
        None => kernel,
    };
    let settings = Settings { statistics: output.counts(), ..choices.settings };
    let mut run = job.prepare(kernel, settings, stop.begin()).map_err(usage)?;
    let (kernel, format) = (run.kernel.clone(), arguments.format);
    let module = kernel.module().clone();
    run.launch.print = Some(Output::printer(format));
    if choices.events {
        let module = module.clone();
        run.launch.on_event = Some(Arc::new(move |event| events::write(&module, format, event)));
    }

    let device = module.device();
    let before = audit.as_ref().map(|_| Before::of(device));
    let ctas = run.launch.grid.product();
    run.launch.settings.timeout = deadline.launch(&run.launch.control, ctas);
    let control = Arc::clone(&run.launch.control);
    let progress = Progress { done: &control.ctas_done, all: ctas, parts: "CTAs" };
    let ran = progress::watched(progress, output.chatty(), || match arguments.single_steps {
        false => kernel.launch(&run.launch),
        true => single_steps::run(&kernel, module.program(), &run.launch),
    });
    deadline.end();
    tell_refusal(&kernel, &run.launch, output);
    if let (Some(audit), Some(before)) = (&audit, &before)
        && let Some((space, address)) = before.slipped(device, audit)
    {
        let message =
            format!("the byte at {space:?} {address:#x} has changed, and no write to it was reported");
        return Err(output.bug(&message));
    }
    let ran = run.tell(ran, output, deadline);
    if ran.stopped == Some(Stopped::Failure) {
        return Err(ran.code);
    }
    let expected = show_results(job, &ran, output)?;
    Ok(if ran.code == exit::CLEAN { expected } else { ran.code })
}

/// Says why the compiled engine did not run a kernel that was to be compiled.
fn tell_refusal(kernel: &Kernel, launch: &LaunchOptions, output: &Output) {
    if output.chatty()
        && launch.settings.engine == EngineChoice::Compile
        && let Some(why) = kernel.refusal(launch.block)
    {
        eprintln!("ptxvm: the kernel was interpreted: {why}");
    }
}

/// Shows what a run has left in its buffers, writes what is to be saved, and compares with what is expected.
fn show_results(job: &Job<'_>, ran: &Ran, output: &Output) -> Result<Exit, Exit> {
    let usage = |message: String| output.usage(&message);
    written(output.result(job.kernel(), &ran.outcomes, ran.statistics.as_ref())).map_err(usage)?;
    for save in &job.saves {
        if let Some(outcome) = ran.outcomes.iter().find(|o| o.parameter == save.parameter) {
            save::write(save, outcome).map_err(usage)?;
        }
    }
    // What a limit has ended is not what it should be.
    Ok(if ran.stopped.is_none() { unexpected::compare(job, &ran.outcomes, output) } else { exit::CLEAN })
}

/// What is wrong with something that was to be written. A reader that has gone away (`| head`) is no error worth a message.
fn written(done: std::io::Result<()>) -> Result<(), String> {
    match done {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot write: {e}")),
        _ => Ok(()),
    }
}
