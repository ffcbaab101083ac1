//! Compares our verdicts on other people's litmus tests with the ones that they expect. The tests stay where they are: the
//! command takes the path of a checkout.

mod dat3m;
mod gather;
mod kernels;
mod mixedproxy;
mod observed;
mod texts;

pub use kernels::write as kernels;
pub use observed::compare as observed;
pub use texts::write as texts;

use std::path::Path;
use std::time::{Duration, Instant};

/// Compares all verdicts of a checkout of Dat3M, or of NVlabs' mixedproxy.
pub fn compare(checkout: &Path, pattern: &str) -> Result<(), String> {
    let mut tally = Tally::default();
    if checkout.join("litmus/PTX").is_dir() {
        dat3m::compare(checkout, pattern, &mut tally)?;
    } else if checkout.join("alloy/ptx.als").is_file() {
        mixedproxy::compare(checkout, pattern, &mut tally)?;
    } else {
        return Err(format!("{} is no checkout of Dat3M or mixedproxy", checkout.display()));
    }
    tally.finish()
}

/// What came of the comparisons.
#[derive(Default)]
struct Tally {
    same: usize,
    differ: usize,
    slowest: Option<(Duration, String)>,
    /// How many took longer than a tenth of a second.
    slow: usize,
}

impl Tally {
    /// Compares one verdict; `ours` may be why there is none.
    fn one(&mut self, name: &str, expected: bool, ours: impl FnOnce() -> Result<bool, String>) {
        let start = Instant::now();
        let verdict = ours();
        let took = start.elapsed();
        self.slow += usize::from(took > Duration::from_millis(100));
        if self.slowest.as_ref().is_none_or(|(longest, _)| took > *longest) {
            self.slowest = Some((took, name.to_owned()));
        }
        match verdict {
            Ok(verdict) if verdict == expected => self.same += 1,
            Ok(verdict) => {
                self.differ += 1;
                println!("{name}: expected {expected}, ours {verdict}");
            }
            Err(why) => {
                self.differ += 1;
                println!("{name}: expected {expected}, ours none: {why}");
            }
        }
    }

    fn finish(self) -> Result<(), String> {
        println!("{} verdicts agree, {} differ", self.same, self.differ);
        if let Some((took, name)) = self.slowest {
            println!("{} took longer than 0.1 s; the slowest {:.3} s: {name}", self.slow, took.as_secs_f64());
        }
        if self.differ == 0 { Ok(()) } else { Err(format!("{} verdicts differ", self.differ)) }
    }
}
