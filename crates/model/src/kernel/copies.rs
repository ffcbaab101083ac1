//! Finds the asynchronous copies that the front end has taken apart into accesses, and makes instructions of them again.

use crate::test::{Action, Engine, Instruction, Operand, Test};

/// An asynchronous copy, by the addresses of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// `cp.async.bulk`
    Bulk { to: usize, from: usize, mbarrier: Option<usize> },
    /// `cp.async`
    Small { to: usize, from: usize },
    /// `st.async`
    Store { to: usize, value: Operand, mbarrier: usize },
}

/// The copy that begins with an instruction, if one does.
pub fn copy_at(code: &[Instruction], at: usize) -> Option<Copy> {
    let asynchronous = code[at].asynchronous?;
    if at > 0 && code[at - 1].asynchronous == Some(asynchronous) {
        return None;
    }
    let parts = code[at..].iter().take_while(|part| part.asynchronous == Some(asynchronous));
    let (mut from, mut to, mut value, mut mbarrier) = (None, None, None, None);
    for part in parts {
        match &part.action {
            Action::Load { addresses, .. } => from = addresses.first().copied(),
            Action::Store { addresses, values, .. } => {
                (to, value) = (addresses.first().copied(), values.first().copied());
            }
            Action::Atomic { address, .. } => mbarrier = Some(*address),
            _ => {}
        }
    }
    match (asynchronous.engine, from, to?) {
        (Engine::Bulk, Some(from), to) => Some(Copy::Bulk { to, from, mbarrier }),
        (Engine::Copy, Some(from), to) => Some(Copy::Small { to, from }),
        (Engine::Bulk, None, to) => Some(Copy::Store { to, value: value?, mbarrier: mbarrier? }),
        _ => None,
    }
}

/// All copies of a test, each with its thread.
pub fn copies(test: &Test) -> Vec<(usize, Copy)> {
    let threads = test.threads.iter().enumerate();
    threads
        .flat_map(|(thread, about)| {
            (0..about.code.len()).filter_map(move |at| Some((thread, copy_at(&about.code, at)?)))
        })
        .collect()
}

/// How many asynchronous copies complete on each location that is an mbarrier.
pub fn completions(test: &Test, location: usize) -> usize {
    let of = |address: usize| test.addresses[address].location == location;
    let copies = copies(test);
    copies
        .iter()
        .filter(|(_, copy)| match copy {
            Copy::Bulk { mbarrier, .. } => mbarrier.is_some_and(of),
            Copy::Store { mbarrier, .. } => of(*mbarrier),
            Copy::Small { .. } => false,
        })
        .count()
}
