//! ptxvm beside the same work in C and in OpenCL (PoCL), on one and two threads, in one run.
//!
//! Machines are noisy, so only the ratios count. The results are checked against those of the C program.

mod case;
mod cases;
mod check;
mod contest;
mod contestant;
mod first;
mod growth;
mod numbers;
mod options;
mod programs;
mod scratch;
mod table;
mod vm;

use std::path::Path;
use std::process::ExitCode;

use contestant::{Entrant, Who};
use options::Options;
use scratch::Scratch;
use table::{THREADS, Table};

/// Who takes part: C, OpenCL where there is one, and ptxvm with each engine.
fn entrants(engines: &[Option<String>], program: &Path) -> Result<Vec<Entrant>, String> {
    let mut who = vec![(Who::C, programs::native()?)];
    match programs::opencl() {
        Ok((program, device)) => {
            println!("OpenCL on {device}");
            who.push((Who::OpenCl, program));
        }
        Err(why) => println!("{why}"),
    }
    who.extend(engines.iter().map(|engine| (Who::Ptxvm(engine.clone()), program.to_owned())));
    let with_threads = |(who, program): (Who, std::path::PathBuf)| {
        THREADS.map(|threads| Entrant { who: who.clone(), threads, program: program.clone() })
    };
    Ok(who.into_iter().flat_map(with_threads).collect())
}

/// Does what is asked. `false` if something went wrong with a kernel.
fn bench(options: &Options) -> Result<bool, String> {
    let mut cases: Vec<_> = cases::all().into_iter().filter(|case| options.wants(case.name)).collect();
    if cases.is_empty() {
        return Err("no kernel has such a name; --list shows them".to_owned());
    }
    if options.list {
        cases.iter().for_each(|case| println!("{}", case.name));
        return Ok(true);
    }
    // Wrong names are told before anything is measured.
    for engine in &options.engines {
        vm::settings(1, Some(engine))?;
    }
    let engines = match &options.engines[..] {
        [] => vec![None],
        names => names.iter().cloned().map(Some).collect(),
    };
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let entrants = entrants(&engines, &program)?;
    let mut scratch = Scratch::new()?;
    if options.first {
        let part = options.part.and_then(|part| u32::try_from(part).ok()).unwrap_or(1);
        for launch in cases.iter_mut().flat_map(|case| &mut case.launches) {
            launch.grid.0 = launch.grid.0.div_ceil(part);
        }
        first::hold(&cases, &entrants, options.rounds.unwrap_or(3), &mut scratch)?;
        return Ok(true);
    }
    let mut table = Table::begin(&entrants, engines);
    let mut remarks = Vec::new();
    for case in &cases {
        scratch.fill(case)?;
        let outcome = contest::hold(case, &entrants, options.rounds.unwrap_or(5), options.counts, &scratch);
        table.row(case, &outcome.scores);
        remarks.extend(outcome.remarks);
    }
    table.end();
    remarks.iter().for_each(|remark| println!("left out: {remark}"));
    let one = entrants.iter().find(|e| matches!(e.who, Who::Ptxvm(_)) && e.threads == 1);
    let reduce = cases.iter().find(|case| case.name == "reduce");
    if let (true, Some(case), Some(entrant)) = (options.names.is_empty(), reduce, one) {
        growth::show(case, entrant, &mut scratch)?;
    }
    Ok(remarks.is_empty())
}

fn main() -> ExitCode {
    let done = Options::read(std::env::args().skip(1)).and_then(|options| {
        if options.help {
            print!("{}", options::HELP);
        } else if let Some(threads) = options.obey {
            vm::obey(vm::settings(threads, options.engines.first().map(String::as_str))?);
        } else {
            return bench(&options);
        }
        Ok(true)
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
