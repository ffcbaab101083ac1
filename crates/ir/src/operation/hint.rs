//! Hints to the caches: `prefetch`, `applypriority`, `discard`, `createpolicy` (the manual's 9.7.9.15 to 9.7.9.18).

use super::address::Address;
use super::form::Form;

/// A hint to the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// `prefetch`, `prefetchu`
    Prefetch,
    /// `applypriority`: of this line.
    ApplyPriority(Address),
    /// `discard`: the bytes of this line mean nothing any more.
    Discard(Address),
    /// `createpolicy.fractional`, with a fraction as source, or of all accesses.
    Fractional {
        /// Which lines are kept.
        priorities: Priorities,
        /// Whether a fraction is given.
        fraction: bool,
    },
    /// `createpolicy.range`
    Range {
        /// Which lines are kept.
        priorities: Priorities,
        /// What is added to the first address.
        offset: i64,
    },
    /// `createpolicy.cvt`
    Convert,
}

/// The priorities of a cache policy, in the bits that ptxas 13.1 gives them for sm_90.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priorities {
    /// `.L2::evict_unchanged`, `.L2::evict_first`, `.L2::evict_last`, `.L2::evict_normal`
    pub primary: u32,
    /// Whether the others are `.L2::evict_first`, not `.L2::evict_unchanged`.
    pub secondary: u32,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Hint> {
    match form.opcode() {
        "prefetch" | "prefetchu" => Some(Hint::Prefetch),
        "applypriority" => Address::first(form).map(Hint::ApplyPriority),
        "discard" => Address::first(form).map(Hint::Discard),
        "createpolicy" => policy(form),
        _ => None,
    }
}

fn policy(form: &Form<'_>) -> Option<Hint> {
    if form.name() == "createpolicy.cvt" {
        return Some(Hint::Convert);
    }
    let primary = match form.slot("level::primary_priority")? {
        "L2::evict_unchanged" => 0,
        "L2::evict_first" => 1,
        "L2::evict_last" => 2,
        "L2::evict_normal" => 3,
        _ => return None,
    };
    let secondary = u32::from(form.slot("level::secondary_priority") == Some("L2::evict_first"));
    let priorities = Priorities { primary, secondary };
    match form.name() {
        "createpolicy.fractional" => Some(Hint::Fractional { priorities, fraction: form.given("fraction") }),
        "createpolicy.range" => Some(Hint::Range { priorities, offset: form.address()?.1 }),
        _ => None,
    }
}
