//! Where the locations of a test lie: in global memory, or in the shared memory of one of its CTAs.
//!
//! mbarriers and one side of every asynchronous copy must be shared memory. The other locations may be either, if the
//! threads that use them are of one cluster; both are worth a run, since the hardware serves them in different places.

use super::copies::{Copy, copies};
use super::place::Roles;
use super::skipped::{Skipped, skipped};
use crate::test::{Action, Observable, Test};

/// What holds the locations that may lie anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    Global,
    Shared,
}

/// Where a location lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Global,
    /// The shared memory of a CTA, given by its unit and its rank.
    Shared {
        unit: usize,
        cta: usize,
    },
}

/// The homes of all locations, and where in them each lies.
pub struct Homes {
    pub homes: Vec<Home>,
    /// Of each location its object, and its number in that: elements of a vector are one object.
    places: Vec<(usize, usize)>,
    /// How many objects there are in global and in shared memory.
    pub objects: (usize, usize),
}

impl Homes {
    pub fn of(test: &Test, roles: &Roles, preference: Preference) -> Result<Homes, Skipped> {
        let mut fixed: Vec<Option<Home>> = vec![None; test.locations.len()];
        mbarriers(test, roles, &mut fixed);
        for (thread, copy) in copies(test) {
            let (unit, cta, _) = roles.of_thread(thread);
            let own = Home::Shared { unit, cta };
            let of = |address: usize| test.addresses[address].location;
            match copy {
                Copy::Bulk { to, mbarrier: Some(mbarrier), .. } | Copy::Store { to, mbarrier, .. } => {
                    let home = fixed[of(mbarrier)].unwrap_or(own);
                    fix(&mut fixed, of(mbarrier), home)?;
                    fix(&mut fixed, of(to), home)?;
                }
                Copy::Bulk { to, from, mbarrier: None } => {
                    fix(&mut fixed, of(from), own)?;
                    fix(&mut fixed, of(to), Home::Global)?;
                }
                Copy::Small { to, from } => {
                    fix(&mut fixed, of(from), Home::Global)?;
                    fix(&mut fixed, of(to), own)?;
                }
            }
        }
        let aliases = test.addresses.len() > test.locations.len();
        let homes: Vec<Home> = (0..test.locations.len())
            .map(|location| {
                fixed[location].unwrap_or_else(|| match preference {
                    Preference::Shared if !aliases => shared(test, roles, location),
                    _ => Home::Global,
                })
            })
            .collect();
        let mut homes = Homes { homes, places: Vec::new(), objects: (0, 0) };
        homes.lay_out(test)?;
        Ok(homes)
    }

    /// Gives each location its object.
    fn lay_out(&mut self, test: &Test) -> Result<(), Skipped> {
        let mut known: Vec<(String, usize, Home)> = Vec::new();
        for (location, about) in test.locations.iter().enumerate() {
            let (name, element) = element(&about.name);
            let same = known.iter().find(|(other, ..)| element.is_some() && other == name);
            if let Some(&(_, object, home)) = same {
                self.homes[location] = home;
                self.places.push((object, element.unwrap_or(0)));
            } else {
                let home = self.homes[location];
                let next = if home == Home::Global { &mut self.objects.0 } else { &mut self.objects.1 };
                known.push((name.to_owned(), *next, home));
                self.places.push((*next, element.unwrap_or(0)));
                *next += 1;
            }
            if element.is_some_and(|element| element > 3) {
                return skipped("an array of more than 16 bytes");
            }
        }
        Ok(())
    }

    /// A location's object, and its byte in that.
    pub fn place(&self, location: usize) -> (usize, usize) {
        let (object, element) = self.places[location];
        (object, element * 4)
    }

    /// Whether an object has several elements.
    pub fn has_arrays(&self) -> bool {
        self.places.iter().any(|(_, element)| *element > 0)
    }

    /// The CTAs that hold something, each once.
    pub fn owners(&self) -> Vec<(usize, usize)> {
        let mut owners = Vec::new();
        for home in &self.homes {
            if let Home::Shared { unit, cta } = *home
                && !owners.contains(&(unit, cta))
            {
                owners.push((unit, cta));
            }
        }
        owners
    }
}

/// `x[1]` as its name and number.
fn element(name: &str) -> (&str, Option<usize>) {
    let inner = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    match inner.and_then(|(name, number)| Some((name, number.parse().ok()?))) {
        Some((name, number)) => (name, Some(number)),
        None => (name, None),
    }
}

fn fix(fixed: &mut [Option<Home>], location: usize, home: Home) -> Result<(), Skipped> {
    match fixed[location] {
        Some(known) if known != home => skipped("a copy between memories that no instruction copies between"),
        _ => {
            fixed[location] = Some(home);
            Ok(())
        }
    }
}

/// mbarriers lie with the threads that test them, since no other can; else with one that arrives.
fn mbarriers(test: &Test, roles: &Roles, fixed: &mut [Option<Home>]) {
    let tests = |action: &Action, location: usize| {
        matches!(action, Action::Load { addresses, .. }
            if addresses.iter().any(|&address| test.addresses[address].location == location))
    };
    for (location, about) in test.locations.iter().enumerate() {
        if about.mbarrier.is_none() {
            continue;
        }
        let mut threads = test.threads.iter();
        let tester = threads.position(|thread| thread.code.iter().any(|i| tests(&i.action, location)));
        let arrives = |action: &Action| matches!(action, Action::Atomic { address, .. } if test.addresses[*address].location == location);
        let arriver = || {
            let mut threads = test.threads.iter();
            threads.position(|thread| thread.code.iter().any(|i| arrives(&i.action)))
        };
        if let Some(thread) = tester.or_else(arriver) {
            let (unit, cta, _) = roles.of_thread(thread);
            fixed[location] = Some(Home::Shared { unit, cta });
        }
    }
}

/// Shared memory for a location, if all threads that use it are of one cluster.
fn shared(test: &Test, roles: &Roles, location: usize) -> Home {
    let uses = |action: &Action| {
        let of = |address: &usize| test.addresses[*address].location == location;
        match action {
            Action::Load { addresses, .. } | Action::Store { addresses, .. } => addresses.iter().any(of),
            Action::Atomic { address, .. } => of(address),
            _ => false,
        }
    };
    let users: Vec<(usize, usize, usize)> = (0..test.threads.len())
        .filter(|&thread| test.threads[thread].code.iter().any(|i| uses(&i.action)))
        .map(|thread| roles.of_thread(thread))
        .collect();
    match users.first() {
        Some(&(unit, cta, _)) if users.iter().all(|user| user.0 == unit) => Home::Shared { unit, cta },
        _ => Home::Global,
    }
}

/// Whether the question looks at an mbarrier object, which no load can.
pub fn observes_mbarrier(test: &Test) -> bool {
    let observed = test.observables();
    observed.iter().any(
        |one| matches!(one, Observable::Memory(location) if test.locations[*location].mbarrier.is_some()),
    )
}
