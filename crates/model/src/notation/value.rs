//! What a name of a model stands for over the events of one execution.

use crate::relation::{Relation, Set};

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Value {
    Set(Set),
    Relation(Relation),
}
