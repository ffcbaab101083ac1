//! What the first result costs: from the start of a fresh process to the bytes of its result, without the time that the
//! inputs take to get there.

use std::time::Instant;

use crate::case::Case;
use crate::contest::median;
use crate::contestant::{Entrant, Who};
use crate::scratch::Scratch;

/// Milliseconds from the start to the loaded module, and from then to the result.
type Parts = [f64; 2];

fn once(entrant: &Entrant, case: &Case, scratch: &Scratch) -> Result<Parts, String> {
    let begin = Instant::now();
    let mut contestant = entrant.start(scratch)?;
    contestant.ask(&format!("load {}", entrant.source(case)))?;
    let loaded = begin.elapsed();
    contestant.make_buffers(scratch)?;
    let ready = Instant::now();
    contestant.prepare(case)?;
    contestant.ask("run 0")?;
    for (index, _) in &case.results {
        contestant.read(*index, scratch)?;
    }
    Ok([loaded, ready.elapsed()].map(|time| time.as_secs_f64() * 1e3))
}

/// Prints the table: ptxvm, each engine a row, beside OpenCL.
pub fn hold(
    cases: &[Case],
    entrants: &[Entrant],
    rounds: usize,
    scratch: &mut Scratch,
) -> Result<(), String> {
    println!("milliseconds from the start of a process to its first result, two threads");
    println!("{:12} {:^26} {:^26} {:>14}", "", "ptxvm", "OpenCL", "ptxvm / OpenCL");
    let columns = format!("{:>8} {:>8} {:>8}", "load", "run", "sum");
    println!("{:12} {columns} {columns}", "");
    let entrants: Vec<&Entrant> = entrants.iter().filter(|e| e.threads == 2 && e.who != Who::C).collect();
    let mut logarithms = vec![Vec::new(); entrants.len()];
    for case in cases {
        scratch.fill(case)?;
        let mut turns = vec![Vec::new(); entrants.len()];
        let mut remarks = vec![None; entrants.len()];
        for _ in 0..rounds {
            for (index, entrant) in entrants.iter().enumerate() {
                match once(entrant, case, scratch) {
                    Ok(parts) => turns[index].push(parts),
                    Err(why) => remarks[index] = Some(format!("{}: {why}", entrant.name())),
                }
            }
        }
        let middle = |turns: &Vec<Parts>| {
            let column = |index: usize| median(turns.iter().map(|parts| parts[index]).collect());
            (!turns.is_empty()).then(|| [column(0), column(1), column(0) + column(1)])
        };
        let middles: Vec<Option<[f64; 3]>> = turns.iter().map(middle).collect();
        let other = entrants.iter().position(|e| e.who == Who::OpenCl).and_then(|index| middles[index]);
        let show = |parts: Option<[f64; 3]>| match parts {
            Some([load, run, sum]) => format!("{load:8.1} {run:8.1} {sum:8.1}"),
            None => format!("{:>26}", "-"),
        };
        for (index, entrant) in entrants.iter().enumerate() {
            let Who::Ptxvm(engine) = &entrant.who else { continue };
            let ratio = middles[index].zip(other).map(|(ours, theirs)| ours[2] / theirs[2]);
            logarithms[index].extend(ratio.map(f64::ln));
            let ratio = ratio.map_or("-".to_owned(), |r| format!("{r:.2}"));
            let engine = engine.as_deref().unwrap_or("");
            println!("{:12} {} {} {ratio:>14}  {engine}", case.name, show(middles[index]), show(other));
        }
        remarks.iter().flatten().for_each(|remark| println!("  left out: {remark}"));
    }
    for (entrant, logarithms) in entrants.iter().zip(&logarithms).filter(|(_, l)| !l.is_empty()) {
        let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
        println!("geometric mean of {} to OpenCL: {mean:.2}", entrant.name());
    }
    Ok(())
}
