//! Who plays which thread of a test: the threads of a test by CTA and by cluster.
//!
//! A launch has units: clusters, or single CTAs if the test has no clusters of several. Each unit plays one cluster of the
//! test, each of its CTAs one CTA, and each warp of that one thread, as many instances at once as it has lanes.

use super::skipped::{Skipped, skipped};
use crate::test::Test;

/// The threads of a test by their places.
pub struct Roles {
    /// How many CTAs a unit has.
    pub ctas: usize,
    /// How many threads the CTA with the most has.
    pub threads: usize,
    /// The CTAs of each unit: the numbers of their threads. All units have as many CTAs.
    units: Vec<Vec<Vec<usize>>>,
}

impl Roles {
    pub fn of(test: &Test) -> Result<Roles, Skipped> {
        let gpus: Vec<u32> = test.threads.iter().map(|thread| thread.place.gpu).collect();
        if gpus.windows(2).any(|pair| pair[0] != pair[1]) {
            return skipped("threads on several GPUs");
        }
        let mut clusters: Vec<u32> = Vec::new();
        let mut units: Vec<Vec<(u32, Vec<usize>)>> = Vec::new();
        for (number, thread) in test.threads.iter().enumerate() {
            let unit = position(&mut clusters, thread.place.cluster);
            if unit == units.len() {
                units.push(Vec::new());
            }
            match units[unit].iter_mut().find(|(cta, _)| *cta == thread.place.cta) {
                Some((_, threads)) => threads.push(number),
                None => units[unit].push((thread.place.cta, vec![number])),
            }
        }
        let ctas = units.iter().map(Vec::len).max().unwrap_or(1);
        if ctas > 8 {
            return skipped("a cluster of more than eight CTAs");
        }
        let threads = units.iter().flatten().map(|(_, threads)| threads.len()).max().unwrap_or(1);
        if threads > 16 {
            return skipped("more than sixteen threads in a CTA");
        }
        let units = units.into_iter().map(|unit| {
            let mut unit: Vec<Vec<usize>> = unit.into_iter().map(|(_, threads)| threads).collect();
            unit.resize(ctas, Vec::new());
            unit
        });
        Ok(Roles { ctas, threads, units: units.collect() })
    }

    /// How many units play one instance.
    pub fn unit_count(&self) -> usize {
        self.units.len()
    }

    /// Which unit, CTA of it, and thread of that a thread of the test is.
    pub fn of_thread(&self, thread: usize) -> (usize, usize, usize) {
        for (u, unit) in self.units.iter().enumerate() {
            for (c, cta) in unit.iter().enumerate() {
                if let Some(t) = cta.iter().position(|&known| known == thread) {
                    return (u, c, t);
                }
            }
        }
        (0, 0, 0)
    }

    /// The first thread of a CTA, which keeps what lies in its shared memory.
    pub fn first_of(&self, unit: usize, cta: usize) -> Option<usize> {
        self.units[unit][cta].first().copied()
    }

    /// One number for a thread's place: what the kernel computes from its unit, rank and warp.
    pub fn number(&self, thread: usize) -> usize {
        let (unit, cta, slot) = self.of_thread(thread);
        (unit * self.ctas + cta) * self.threads + slot
    }
}

/// Where something stands in a list, at its end if it was not there.
fn position(list: &mut Vec<u32>, wanted: u32) -> usize {
    list.iter().position(|&known| known == wanted).unwrap_or_else(|| {
        list.push(wanted);
        list.len() - 1
    })
}
