//! Sets of events and relations between them, as rows of bits: an execution of a litmus test has few events, so that a
//! whole set is one number and a composition a few dozen operations.

/// The most events that one execution may have.
pub const MOST_EVENTS: usize = 128;

/// A set of events.
pub type Set = u128;

/// The numbers of the events in a set, in order.
pub fn members(set: Set) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let next = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(next)
    })
}

/// A binary relation over the events of one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// For each event those that it is related to.
    rows: Vec<Set>,
}

impl Relation {
    /// The relation that holds of no two of `events` events.
    #[must_use]
    pub fn empty(events: usize) -> Relation {
        Relation { rows: vec![0; events] }
    }

    /// Each event of the set with itself.
    #[must_use]
    pub fn identity(events: usize, set: Set) -> Relation {
        Relation { rows: (0..events).map(|a| (1 << a) & set).collect() }
    }

    /// Each event of one set with each of another.
    #[must_use]
    pub fn product(events: usize, from: Set, to: Set) -> Relation {
        Relation { rows: (0..events).map(|a| if from >> a & 1 == 1 { to } else { 0 }).collect() }
    }

    /// The pairs that a predicate holds of.
    pub fn of(events: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let row = |a: usize| (0..events).filter(|&b| holds(a, b)).fold(0, |row, b| row | 1 << b);
        Relation { rows: (0..events).map(row).collect() }
    }

    #[must_use]
    pub fn has(&self, a: usize, b: usize) -> bool {
        self.rows[a] >> b & 1 == 1
    }

    pub fn add(&mut self, a: usize, b: usize) {
        self.rows[a] |= 1 << b;
    }

    pub fn remove(&mut self, a: usize, b: usize) {
        self.rows[a] &= !(1 << b);
    }

    /// What an event is related to.
    #[must_use]
    pub fn after(&self, a: usize) -> Set {
        self.rows[a]
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|&row| row == 0)
    }

    /// All pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rows.iter().enumerate().flat_map(|(a, &row)| members(row).map(move |b| (a, b)))
    }

    #[must_use]
    pub fn union(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a | b)
    }

    #[must_use]
    pub fn intersection(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a & b)
    }

    #[must_use]
    pub fn difference(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a & !b)
    }

    fn zip(&self, other: &Relation, f: impl Fn(Set, Set) -> Set) -> Relation {
        Relation { rows: self.rows.iter().zip(&other.rows).map(|(&a, &b)| f(a, b)).collect() }
    }

    /// First this, then the other.
    #[must_use]
    pub fn then(&self, other: &Relation) -> Relation {
        let row = |&row: &Set| members(row).fold(0, |all, b| all | other.rows[b]);
        Relation { rows: self.rows.iter().map(row).collect() }
    }

    #[must_use]
    pub fn inverse(&self) -> Relation {
        let mut rows = vec![0; self.rows.len()];
        for (a, b) in self.pairs() {
            rows[b] |= 1 << a;
        }
        Relation { rows }
    }

    /// One step or more (Warshall's algorithm, a row at a time).
    #[must_use]
    pub fn closure(&self) -> Relation {
        let mut rows = self.rows.clone();
        for middle in 0..rows.len() {
            let through = rows[middle];
            for row in &mut rows {
                if *row >> middle & 1 == 1 {
                    *row |= through;
                }
            }
        }
        Relation { rows }
    }

    /// At most one step.
    #[must_use]
    pub fn optional(&self) -> Relation {
        Relation { rows: self.rows.iter().enumerate().map(|(a, &row)| row | 1 << a).collect() }
    }

    /// An event that is related to itself.
    #[must_use]
    pub fn reflexive_at(&self) -> Option<usize> {
        (0..self.rows.len()).find(|&a| self.has(a, a))
    }

    /// A shortest way of one step or more, with both ends.
    #[must_use]
    pub fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut came_from = vec![usize::MAX; self.rows.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for next in members(self.rows[at]) {
                if next == to {
                    let mut path = vec![to, at];
                    let mut back = at;
                    while back != from {
                        back = came_from[back];
                        path.push(back);
                    }
                    path.reverse();
                    return Some(path);
                }
                if came_from[next] == usize::MAX && next != from {
                    came_from[next] = at;
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// A shortest cycle: its events, the first of them again at the end.
    #[must_use]
    pub fn cycle(&self) -> Option<Vec<usize>> {
        (0..self.rows.len()).filter_map(|a| self.path(a, a)).min_by_key(Vec::len)
    }
}
