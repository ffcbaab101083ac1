//! The candidates of one choice of paths: every choice of the writes that reads see, then of each order of the model.

use super::assemble::Assembly;
use super::limits::TooLarge;
use crate::event::Event;
use crate::notation::{Axiom, Base, Graph, Model, Step, why};
use crate::relation::Relation;

/// An execution, for people.
#[derive(Clone, Debug)]
pub struct Execution {
    pub events: Vec<Event>,
    /// The edges of the relations that the model shows.
    pub edges: Vec<Step>,
}

/// How far a candidate came before an axiom forbade it.
pub struct Obstacle {
    /// The later, the better it explains the verdict.
    pub stage: usize,
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
    pub fn spend(&mut self) -> Result<(), TooLarge> {
        self.left = self.left.checked_sub(1).ok_or(TooLarge::Steps(self.whole))?;
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
            self.budget.spend()?;
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
            let go = self.reads(base, graph, rest, rf, visit)?;
            rf.remove(write, *read);
            if go == Go::Enough {
                return Ok(Go::Enough);
            }
        }
        Ok(Go::On)
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
        self.budget.spend()?;
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

    /// Keeps what forbids a candidate: the one that came furthest, and of those the shortest cycle.
    fn keep(&mut self, stage: usize, axiom: String, steps: Vec<Step>, base: &Base, graph: &Graph<'_>) {
        let Some(kept) = &mut self.obstacle else { return };
        let better = kept.as_ref().is_none_or(|old| {
            (stage, std::cmp::Reverse(steps.len())) > (old.stage, std::cmp::Reverse(old.steps.len()))
        });
        if better {
            **kept = Some(Obstacle { stage, axiom, steps, execution: execution(base, graph) });
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
    Execution { events: base.events.clone(), edges }
}
