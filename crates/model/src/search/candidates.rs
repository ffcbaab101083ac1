//! The candidates of one choice of paths: every choice of the writes that reads see, then of each order of the model.

use super::assemble::Assembly;
use super::limits::TooLarge;
use crate::event::Event;
use crate::notation::{Axiom, Base, Graph, Model, Step, why};
use crate::relation::Relation;
use crate::strength;

/// An execution, for people.
#[derive(Clone, Debug)]
pub struct Execution {
    pub events: Vec<Event>,
    /// The edges of the relations that the model shows.
    pub edges: Vec<Step>,
    /// The pairs that are in a data race (8.7.1): they conflict, are not morally strong, and causality orders neither
    /// before the other.
    pub races: Vec<(usize, usize)>,
}

/// How far a candidate came before an axiom forbade it.
pub struct Obstacle {
    /// How well it explains the verdict: how late, whether several threads take part, how short.
    rank: (usize, bool, std::cmp::Reverse<usize>),
    pub axiom: String,
    /// The cycle.
    pub steps: Vec<Step>,
    pub execution: Execution,
}

/// Counts candidates.
pub struct Budget {
    pub left: u64,
    pub whole: u64,
}

impl Budget {
    /// Counts a candidate with so many events: one, or more if it has many, since it takes as much longer.
    pub fn spend(&mut self, events: usize) -> Result<(), TooLarge> {
        let cost = 1 + (events * events / 1024) as u64;
        self.left = self.left.checked_sub(cost).ok_or(TooLarge::Steps(self.whole))?;
        Ok(())
    }
}

/// What a visitor wants after it has seen an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    On,
    Enough,
}

/// Looks for executions of some events.
pub struct Candidates<'a> {
    pub model: &'a Model,
    pub budget: &'a mut Budget,
    /// Where to keep what forbids candidates, if anybody asks.
    pub obstacle: Option<&'a mut Option<Obstacle>>,
}

impl Candidates<'_> {
    /// Calls `visit` with every execution that the model allows; the graph has all orders.
    pub fn each(
        &mut self,
        assembly: &Assembly,
        visit: &mut dyn FnMut(&Base, &Graph<'_>) -> Go,
    ) -> Result<Go, TooLarge> {
        for way in &assembly.meetings.ways {
            let mut base = assembly.base.clone();
            base.barrier = way.clone();
            let graph = Graph::new(self.model, &base);
            let Some(choices) = choices(&base) else { return Ok(Go::On) };
            let mut rf = Relation::empty(base.events.len());
            if self.reads(&base, &graph, &choices, &mut rf, visit)? == Go::Enough {
                return Ok(Go::Enough);
            }
        }
        Ok(Go::On)
    }

    fn reads(
        &mut self,
        base: &Base,
        graph: &Graph<'_>,
        choices: &[(usize, Vec<usize>)],
        rf: &mut Relation,
        visit: &mut dyn FnMut(&Base, &Graph<'_>) -> Go,
    ) -> Result<Go, TooLarge> {
        let Some(((read, writes), rest)) = choices.split_first() else {
            self.budget.spend(graph.events)?;
            let mut graph = graph.clone();
            graph.set_reads(rf.clone());
            if let Some(axiom) = graph.broken(1) {
                self.note(1, axiom, base, &graph);
                return Ok(Go::On);
            }
            return self.order(0, base, graph, visit);
        };
        for &write in writes {
            rf.add(write, *read);
            let hopeless = rest.len() >= 2 && self.hopeless(base, graph, rf)?;
            let go = if hopeless { Go::On } else { self.reads(base, graph, rest, rf, visit)? };
            rf.remove(write, *read);
            if go == Go::Enough {
                return Ok(Go::Enough);
            }
        }
        Ok(Go::On)
    }

    /// Whether an axiom is broken already, whatever the other reads see and however the orders are chosen: all that is
    /// defined only grows with these (`\` takes away only what the paths decide).
    fn hopeless(&mut self, base: &Base, graph: &Graph<'_>, rf: &Relation) -> Result<bool, TooLarge> {
        self.budget.spend(graph.events)?;
        let mut graph = graph.clone();
        graph.set_reads(rf.clone());
        for order in &self.model.orders {
            let contains = order.contains.as_ref().map(|contains| graph.relation(contains).closure());
            let contains = contains.unwrap_or_else(|| Relation::empty(graph.events));
            if contains.reflexive_at().is_some() {
                return Ok(true);
            }
            graph.set_order(order, contains);
        }
        for stage in 1..=1 + self.model.orders.len() {
            if let Some(axiom) = graph.broken(stage) {
                self.note(stage, axiom, base, &graph);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Chooses the order with this number, and those after it.
    fn order(
        &mut self,
        number: usize,
        base: &Base,
        graph: Graph<'_>,
        visit: &mut dyn FnMut(&Base, &Graph<'_>) -> Go,
    ) -> Result<Go, TooLarge> {
        let Some(order) = self.model.orders.get(number) else {
            return Ok(visit(base, &graph));
        };
        let pairs = graph.relation(&order.pairs);
        let contains = match &order.contains {
            Some(contains) => graph.relation(contains).closure(),
            None => Relation::empty(graph.events),
        };
        if let Some(at) = contains.reflexive_at() {
            // The order's own axiom: what it contains must not be a cycle.
            if self.obstacle.is_some() {
                let step = Step { from: at, to: at, relation: order.name.clone() };
                self.keep(order.stage, format!("{} is an order", order.name), vec![step], base, &graph);
            }
            return Ok(Go::On);
        }
        self.grow(number, &pairs, contains, base, graph, visit)
    }

    /// Orders one more pair, both ways, as long as no axiom is broken.
    fn grow(
        &mut self,
        number: usize,
        pairs: &Relation,
        chosen: Relation,
        base: &Base,
        mut graph: Graph<'_>,
        visit: &mut dyn FnMut(&Base, &Graph<'_>) -> Go,
    ) -> Result<Go, TooLarge> {
        self.budget.spend(graph.events)?;
        let order = &self.model.orders[number];
        let open = pairs.pairs().find(|&(a, b)| a != b && !chosen.has(a, b) && !chosen.has(b, a));
        graph.set_order(order, chosen.clone());
        if let Some(axiom) = graph.broken(order.stage) {
            self.note(order.stage, axiom, base, &graph);
            return Ok(Go::On);
        }
        let Some((a, b)) = open else {
            return self.order(number + 1, base, graph, visit);
        };
        for (a, b) in [(a, b), (b, a)] {
            let mut next = chosen.clone();
            next.add(a, b);
            let next = next.closure();
            if self.grow(number, pairs, next, base, graph.clone(), visit)? == Go::Enough {
                return Ok(Go::Enough);
            }
        }
        Ok(Go::On)
    }

    fn note(&mut self, stage: usize, axiom: &Axiom, base: &Base, graph: &Graph<'_>) {
        if self.obstacle.is_some() {
            self.keep(stage, axiom.name.clone(), why(graph, axiom), base, graph);
        }
    }

    /// Keeps what forbids a candidate: the one that came furthest, of those one where several threads are part of the
    /// matter, and of those the shortest.
    fn keep(&mut self, stage: usize, axiom: String, steps: Vec<Step>, base: &Base, graph: &Graph<'_>) {
        let Some(kept) = &mut self.obstacle else { return };
        let rank = |stage: usize, steps: &[Step]| {
            let thread = |step: &Step| base.events[step.from].thread;
            let several = steps.iter().any(|step| thread(step) != thread(&steps[0]));
            (stage, several, std::cmp::Reverse(steps.len()))
        };
        let new = rank(stage, &steps);
        if kept.as_ref().is_none_or(|old| new > old.rank) {
            **kept = Some(Obstacle { rank: new, axiom, steps, execution: execution(base, graph) });
        }
    }
}

/// For each read the writes that it may see: of its location and its value, and not later in its own thread. Nothing if
/// there is a read without one.
fn choices(base: &Base) -> Option<Vec<(usize, Vec<usize>)>> {
    let events = &base.events;
    let mut choices = Vec::new();
    for (read, event) in events.iter().enumerate().filter(|(_, event)| event.reads()) {
        let may = |write: usize| {
            let other = &events[write];
            other.writes()
                && other.location == event.location
                && other.value == event.value
                && !base.po.has(read, write)
                && !base.rmw.has(read, write)
        };
        let writes: Vec<usize> = (0..events.len()).filter(|&write| may(write)).collect();
        if writes.is_empty() {
            return None;
        }
        choices.push((read, writes));
    }
    Some(choices)
}

/// What people are shown of a graph.
pub fn execution(base: &Base, graph: &Graph<'_>) -> Execution {
    let mut edges = Vec::new();
    for &slot in &graph.model.shown {
        let relation = graph.named(slot);
        let name = &graph.model.names[slot];
        edges.extend(relation.pairs().map(|(from, to)| Step { from, to, relation: name.clone() }));
    }
    Execution { events: base.events.clone(), edges, races: races(base, graph) }
}

/// The data races of an execution; none by a model that knows no causality.
pub fn races(base: &Base, graph: &Graph<'_>) -> Vec<(usize, usize)> {
    let Some(causality) = graph.model.slot("causality") else { return Vec::new() };
    let causality = graph.named(causality);
    let events = &base.events;
    let race = |a: usize, b: usize| {
        let same_thread = base.po.has(a, b) || base.po.has(b, a);
        strength::conflict(&events[a], &events[b])
            && !strength::morally_strong(&events[a], &events[b], same_thread)
            && !causality.has(a, b)
            && !causality.has(b, a)
    };
    let threads = |a: usize| events[a].thread.is_some();
    let pairs = (0..events.len()).flat_map(|a| (a + 1..events.len()).map(move |b| (a, b)));
    pairs.filter(|&(a, b)| threads(a) && threads(b) && race(a, b)).collect()
}
