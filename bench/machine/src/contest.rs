//! The contest: for each case, all contestants take turns in rounds, so that what disturbs the machine disturbs all alike.

use std::time::Duration;

use crate::case::Case;
use crate::contestant::{Contestant, Entrant, Who};
use crate::scratch::Scratch;

/// How long a turn lasts, if one run is not longer; the median of its runs counts.
const TURN: f64 = 0.05;

/// Between two turns: threads of OpenMP that wait for more work give up by then.
const PAUSE: Duration = Duration::from_millis(5);

/// What a contestant has achieved in a case.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    /// The median of its turns, or its fastest run.
    pub seconds: f64,
    /// Lane instructions of a run, where it counts them.
    pub lanes: f64,
}

/// The scores of a case, in the order of the entrants; `None` for one that was left out.
pub struct Outcome {
    pub scores: Vec<Option<Score>>,
    /// Why some were left out.
    pub remarks: Vec<String>,
}

/// The middle one.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Starts a contestant and has it run once, which compiles what it compiles late.
fn warmed(entrant: &Entrant, case: &Case, scratch: &Scratch) -> Result<(Contestant, Vec<Vec<u8>>), String> {
    let mut contestant = entrant.start(scratch)?;
    contestant.ask(&format!("load {}", entrant.source(case)))?;
    contestant.make_buffers(scratch)?;
    contestant.prepare(case)?;
    contestant.ask("run 0")?;
    let results = results(&mut contestant, case, scratch)?;
    Ok((contestant, results))
}

/// What a contestant's result buffers hold.
fn results(contestant: &mut Contestant, case: &Case, scratch: &Scratch) -> Result<Vec<Vec<u8>>, String> {
    case.results.iter().map(|(index, _)| contestant.read(*index, scratch)).collect()
}

/// Which of a contestant's times counts.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Counts {
    #[default]
    Median,
    /// The fastest run, on a machine that others use.
    Least,
}

/// Has all entrants do a case, for so many rounds. A wrong result is as bad as none.
pub fn hold(case: &Case, entrants: &[Entrant], rounds: usize, counts: Counts, scratch: &Scratch) -> Outcome {
    let mut remarks = Vec::new();
    let mut expected: Option<Vec<Vec<u8>>> = None;
    let mut contestants = Vec::new();
    for entrant in entrants {
        let name = entrant.name();
        let ready = warmed(entrant, case, scratch).and_then(|(contestant, results)| {
            match &expected {
                Some(expected) => agree(case, &results, expected)?,
                None if entrant.who == Who::C => expected = Some(results),
                None => return Err("there is no result of C to compare with".to_owned()),
            }
            Ok(contestant)
        });
        contestants.push(ready.map_err(|why| remarks.push(format!("{}: {name}: {why}", case.name))).ok());
    }
    let mut turns = vec![Vec::new(); entrants.len()];
    let mut lanes = vec![0.0; entrants.len()];
    for round in 0..rounds {
        // Everybody follows everybody else at some time.
        for place in 0..entrants.len() {
            let index = (place + round) % entrants.len();
            let Some(contestant) = &mut contestants[index] else { continue };
            std::thread::sleep(PAUSE);
            match contestant.ask(&format!("run {TURN}")) {
                Ok(numbers) => {
                    turns[index].extend(numbers.get(if counts == Counts::Least { 1 } else { 0 }));
                    lanes[index] = numbers.get(2).copied().unwrap_or(0.0);
                }
                Err(why) => {
                    remarks.push(format!("{}: {}: {why}", case.name, entrants[index].name()));
                    contestants[index] = None;
                }
            }
        }
    }
    // The last run counts as much as the first: what several threads do may go wrong now and then.
    for (contestant, entrant) in contestants.iter_mut().zip(entrants) {
        let (Some(running), Some(expected)) = (contestant.as_mut(), &expected) else { continue };
        let right = results(running, case, scratch).and_then(|results| agree(case, &results, expected));
        if let Err(why) = right {
            remarks.push(format!("{}: {}: {why}", case.name, entrant.name()));
            *contestant = None;
        }
    }
    let scores = contestants.iter().zip(turns).zip(lanes);
    let score = |((contestant, turns), lanes): ((&Option<Contestant>, Vec<f64>), f64)| {
        let seconds = match counts {
            Counts::Median => median(turns),
            Counts::Least => turns.into_iter().fold(f64::INFINITY, f64::min),
        };
        contestant.as_ref().map(|_| Score { seconds, lanes })
    };
    Outcome { scores: scores.map(score).collect(), remarks }
}

/// Whether all results are those of C.
fn agree(case: &Case, ours: &[Vec<u8>], theirs: &[Vec<u8>]) -> Result<(), String> {
    for (((index, check), ours), theirs) in case.results.iter().zip(ours).zip(theirs) {
        check.compare(ours, theirs).map_err(|how| format!("buffer {index} is WRONG: {how}"))?;
    }
    Ok(())
}
