//! Evaluates a model over one execution, stage by stage: what the paths decide once, what the reads decide once for each
//! choice of them, and so on.

use super::ast::{Axiom, Check, Expression, Model, Order, READS, Slot, Stage};
use super::base::Base;
use super::value::Value;
use crate::relation::{Relation, Set};

/// The values of a model's names over the events of one execution, as far as its stages have been decided.
#[derive(Clone)]
pub struct Graph<'m> {
    pub model: &'m Model,
    pub events: usize,
    values: Vec<Option<Value>>,
}

impl<'m> Graph<'m> {
    /// The graph of what the threads did; `rf` is open.
    #[must_use]
    pub fn new(model: &'m Model, base: &Base) -> Graph<'m> {
        let mut values: Vec<Option<Value>> = base.values().into_iter().map(Some).collect();
        values.resize(model.names.len(), None);
        let mut graph = Graph { model, events: base.events.len(), values };
        graph.define(super::ast::PATHS);
        graph
    }

    /// Says which write each read sees.
    pub fn set_reads(&mut self, rf: Relation) {
        let slot = super::base::BASE_SETS.len() + super::base::BASE_RELATIONS.len() - 1;
        self.values[slot] = Some(Value::Relation(rf));
        self.define(READS);
    }

    /// Says what an order is, or a part of it.
    pub fn set_order(&mut self, order: &Order, relation: Relation) {
        self.values[order.slot] = Some(Value::Relation(relation));
        self.define(order.stage);
    }

    fn define(&mut self, stage: Stage) {
        let model = self.model;
        for definition in model.definitions.iter().filter(|d| d.stage == stage) {
            let value = self.value(&definition.expression);
            self.values[definition.slot] = Some(value);
        }
    }

    /// The first axiom of a stage that does not hold.
    #[must_use]
    pub fn broken(&self, stage: Stage) -> Option<&'m Axiom> {
        self.model.axioms.iter().filter(|axiom| axiom.stage == stage).find(|axiom| !self.holds(axiom))
    }

    fn holds(&self, axiom: &Axiom) -> bool {
        let relation = self.relation(&axiom.expression);
        match axiom.check {
            Check::Empty => relation.is_empty(),
            Check::Irreflexive => relation.reflexive_at().is_none(),
            Check::Acyclic => relation.closure().reflexive_at().is_none(),
        }
    }

    /// The relation of a name; nothing as long as it is open.
    #[must_use]
    pub fn named(&self, slot: Slot) -> Relation {
        match self.values.get(slot) {
            Some(Some(Value::Relation(relation))) => relation.clone(),
            Some(Some(Value::Set(set))) => Relation::identity(self.events, *set),
            _ => Relation::empty(self.events),
        }
    }

    /// The relation that an expression stands for; a set stands for its identity.
    #[must_use]
    pub fn relation(&self, expression: &Expression) -> Relation {
        match self.value(expression) {
            Value::Relation(relation) => relation,
            Value::Set(set) => Relation::identity(self.events, set),
        }
    }

    fn set(&self, expression: &Expression) -> Set {
        match self.value(expression) {
            Value::Set(set) => set,
            Value::Relation(_) => 0,
        }
    }

    fn value(&self, expression: &Expression) -> Value {
        use Expression as E;
        let relation = |e: &Expression| self.relation(e);
        Value::Relation(match expression {
            E::Name(slot) => {
                return self.values[*slot]
                    .clone()
                    .unwrap_or_else(|| Value::Relation(Relation::empty(self.events)));
            }
            E::Union(a, b) | E::Intersection(a, b) | E::Difference(a, b) => {
                let (left, right) = (self.value(a), self.value(b));
                if let (Value::Set(left), Value::Set(right)) = (&left, &right) {
                    return Value::Set(match expression {
                        E::Union(..) => left | right,
                        E::Intersection(..) => left & right,
                        _ => left & !right,
                    });
                }
                let (left, right) = (self.as_relation(left), self.as_relation(right));
                match expression {
                    E::Union(..) => left.union(&right),
                    E::Intersection(..) => left.intersection(&right),
                    _ => left.difference(&right),
                }
            }
            E::Identity(set) => Relation::identity(self.events, self.set(set)),
            E::Product(a, b) => Relation::product(self.events, self.set(a), self.set(b)),
            E::Sequence(a, b) => relation(a).then(&relation(b)),
            E::Closure(a) => relation(a).closure(),
            E::Optional(a) => relation(a).optional(),
            E::Inverse(a) => relation(a).inverse(),
        })
    }

    fn as_relation(&self, value: Value) -> Relation {
        match value {
            Value::Relation(relation) => relation,
            Value::Set(set) => Relation::identity(self.events, set),
        }
    }
}
