//! Which values each location may hold: what is written to it, if every read gives any of these values. No value needs
//! more writes to come about than an execution has, since none comes out of thin air (8.10.4).

use std::collections::BTreeSet;

use super::limits::{Limits, TooLarge};
use super::operation::Paths;
use super::path::{self, Domains};
use crate::event::Kind;
use crate::test::{Observable, Test};

/// The most values that one location may hold.
const MOST_VALUES: usize = 64;

/// The most paths that are walked until all values are known.
const MOST_WALKED: usize = 400_000;

/// The paths of all threads, with the values that reads can give.
///
/// # Errors
/// There are too many paths or values.
pub fn threads(test: &Test, limits: &Limits) -> Result<Vec<Paths>, TooLarge> {
    let locations: Vec<usize> = test.addresses.iter().map(|address| address.location).collect();
    let observables = test.observables();
    let mut domains: Domains =
        test.locations.iter().map(|location| BTreeSet::from([location.initial])).collect();
    let mut rounds = 0;
    let mut walked = 0;
    loop {
        let mut all = Vec::new();
        for (number, thread) in test.threads.iter().enumerate() {
            let observed: Vec<usize> = observables
                .iter()
                .filter_map(|observable| match observable {
                    Observable::Register { thread, register } if *thread == number => Some(*register),
                    _ => None,
                })
                .collect();
            all.push(path::paths(thread, &locations, &domains, &observed, limits)?);
        }
        let mut longest = 0;
        let mut changed = false;
        for paths in &all {
            let mut most = 0;
            for path in &paths.paths {
                let writes = path.operations.iter().filter(|o| o.kind == Kind::Write);
                most = most.max(writes.clone().count());
                for write in writes {
                    let Some(address) = write.address else { continue };
                    changed |= domains[locations[address]].insert(write.value);
                }
            }
            for &(address, value) in &paths.left_out {
                changed |= domains[locations[address]].insert(value);
            }
            longest += most.max(paths.most_left_out);
        }
        rounds += 1;
        walked += all.iter().map(|paths| paths.paths.len()).sum::<usize>();
        if walked > MOST_WALKED {
            let longest = (0..all.len()).max_by_key(|&thread| all[thread].paths.len()).unwrap_or(0);
            return Err(TooLarge::Paths(test.threads[longest].name.clone()));
        }
        if let Some(full) = domains.iter().position(|domain| domain.len() > MOST_VALUES) {
            return Err(TooLarge::Values(test.locations[full].name.clone()));
        }
        if !changed || rounds > longest {
            return Ok(all);
        }
    }
}
