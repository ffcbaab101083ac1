//! A kernel on parts of its grid, on one thread: time must grow with it, memory must not.

use crate::case::Case;
use crate::contestant::Entrant;
use crate::scratch::Scratch;

/// Prints what each part takes.
///
/// # Errors
/// What the contestant says is wrong.
pub fn show(case: &Case, entrant: &Entrant, scratch: &mut Scratch) -> Result<(), String> {
    scratch.fill(case)?;
    println!("\n{} on parts of its grid, {}:", case.name, entrant.name());
    for part in [64, 16, 4, 1] {
        let mut contestant = entrant.start(scratch)?;
        contestant.ask(&format!("load {}", entrant.source(case)))?;
        contestant.make_buffers(scratch)?;
        let mut ctas = 0.0;
        for launch in &case.launches {
            let mut launch = launch.clone();
            launch.grid.0 /= part;
            ctas += f64::from(launch.grid.0) * f64::from(launch.grid.1);
            contestant.ask(&launch.order())?;
        }
        contestant.ask("run 0")?;
        let numbers = contestant.ask("run 0")?;
        let seconds = numbers.first().copied().unwrap_or(f64::NAN);
        let memory = contestant.ask("memory")?.first().copied().unwrap_or(f64::NAN);
        println!(
            "{ctas:9.0} CTAs {seconds:9.4} s {:9.2} us a CTA, peak memory {memory:.0} MB",
            seconds / ctas * 1e6
        );
    }
    Ok(())
}
