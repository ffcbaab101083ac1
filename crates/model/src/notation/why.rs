//! Why an axiom does not hold: a cycle, with each of its edges taken apart into relations that a person knows.

use super::ast::{Axiom, Check, Expression, Model};
use super::evaluate::Graph;

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub from: usize,
    pub to: usize,
    /// The relation's name, with `^-1` if it is walked backwards.
    pub relation: String,
}

/// An edge that a picture shows.
pub type Edge = Step;

/// The steps of a shortest cycle that breaks an axiom; an `empty` axiom is broken by a pair, not by a cycle.
#[must_use]
pub fn why(graph: &Graph<'_>, axiom: &Axiom) -> Vec<Step> {
    let relation = graph.relation(&axiom.expression);
    let events = match axiom.check {
        Check::Acyclic => relation.cycle(),
        Check::Irreflexive => relation.reflexive_at().map(|at| vec![at, at]),
        Check::Empty => relation.pairs().next().map(|(a, b)| vec![a, b]),
    };
    let mut steps = Vec::new();
    for pair in events.unwrap_or_default().windows(2) {
        explain(graph, &axiom.expression, pair[0], pair[1], &mut steps);
    }
    steps.dedup();
    steps
}

/// Takes an edge of an expression apart.
fn explain(graph: &Graph<'_>, expression: &Expression, from: usize, to: usize, steps: &mut Vec<Step>) {
    use Expression as E;
    let has = |e: &Expression| graph.relation(e).has(from, to);
    match expression {
        E::Name(slot) => {
            let definition = graph.model.definitions.iter().find(|d| d.slot == *slot);
            match definition {
                Some(definition) if !graph.model.shown.contains(slot) => {
                    explain(graph, &definition.expression, from, to, steps);
                }
                _ => steps.push(Step { from, to, relation: graph.model.names[*slot].clone() }),
            }
        }
        E::Union(a, b) => explain(graph, if has(a) { a } else { b }, from, to, steps),
        // Of an intersection the part that says how one comes from the one to the other is the one to show.
        E::Intersection(a, b) => {
            let part = if tells(graph.model, b) > tells(graph.model, a) { b } else { a };
            explain(graph, part, from, to, steps);
        }
        E::Difference(a, _) => explain(graph, a, from, to, steps),
        E::Sequence(a, b) => {
            let (first, second) = (graph.relation(a), graph.relation(b).inverse());
            let middle = first.after(from) & second.after(to);
            if middle != 0 {
                let middle = middle.trailing_zeros() as usize;
                explain(graph, a, from, middle, steps);
                explain(graph, b, middle, to, steps);
            }
        }
        E::Closure(a) => {
            for pair in graph.relation(a).path(from, to).unwrap_or_default().windows(2) {
                explain(graph, a, pair[0], pair[1], steps);
            }
        }
        E::Optional(a) => {
            if from != to || has(a) {
                explain(graph, a, from, to, steps);
            }
        }
        E::Inverse(a) => {
            let mut inner = Vec::new();
            explain(graph, a, to, from, &mut inner);
            steps.extend(inner.into_iter().rev().map(|step| {
                let relation = match step.relation.strip_suffix("^-1") {
                    Some(plain) => plain.to_owned(),
                    None => format!("{}^-1", step.relation),
                };
                Step { from: step.to, to: step.from, relation }
            }));
        }
        E::Identity(_) => {}
        E::Product(..) => steps.push(Step { from, to, relation: "any".to_owned() }),
    }
}

/// How much an expression tells of an edge: nothing if it only compares places or kinds, most if it is an order.
fn tells(model: &Model, expression: &Expression) -> usize {
    use Expression as E;
    match expression {
        E::Name(slot) if model.shown.contains(slot) => 2,
        E::Name(slot) => match model.definitions.iter().find(|d| d.slot == *slot) {
            Some(definition) if definition.name != "morally-strong" => tells(model, &definition.expression),
            _ => 0,
        },
        E::Union(a, b)
        | E::Intersection(a, b)
        | E::Difference(a, b)
        | E::Product(a, b)
        | E::Sequence(a, b) => tells(model, a).max(tells(model, b)),
        E::Closure(a) | E::Optional(a) | E::Inverse(a) => tells(model, a),
        E::Identity(_) => 0,
    }
}
