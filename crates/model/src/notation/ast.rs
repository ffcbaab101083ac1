//! A model as a tree: definitions in the order of the file, each with a stage that says what it depends on.

/// A name's number: first the base sets and relations, then the definitions of the file.
pub type Slot = usize;

#[derive(Clone, Debug)]
pub enum Expression {
    Name(Slot),
    /// Each event of a set with itself.
    Identity(Box<Expression>),
    Union(Box<Expression>, Box<Expression>),
    Intersection(Box<Expression>, Box<Expression>),
    Difference(Box<Expression>, Box<Expression>),
    /// Each event of one set with each of another.
    Product(Box<Expression>, Box<Expression>),
    Sequence(Box<Expression>, Box<Expression>),
    Closure(Box<Expression>),
    Optional(Box<Expression>),
    Inverse(Box<Expression>),
}

/// When something is known: with the threads' paths, with the writes that reads see, or with the first, second … order.
pub type Stage = usize;

/// Known with the paths of the threads.
pub const PATHS: Stage = 0;
/// Known with `rf`.
pub const READS: Stage = 1;

#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub slot: Slot,
    pub expression: Expression,
    pub stage: Stage,
}

/// An order that an execution chooses.
#[derive(Clone, Debug)]
pub struct Order {
    pub name: String,
    pub slot: Slot,
    /// The pairs that must be ordered, one way or the other.
    pub pairs: Expression,
    /// What is ordered in any case.
    pub contains: Option<Expression>,
    pub stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    Acyclic,
    Irreflexive,
    Empty,
}

/// What every execution must satisfy.
#[derive(Clone, Debug)]
pub struct Axiom {
    pub name: String,
    pub check: Check,
    pub expression: Expression,
    pub stage: Stage,
}

/// A memory model.
#[derive(Clone, Debug)]
pub struct Model {
    pub name: String,
    pub definitions: Vec<Definition>,
    pub orders: Vec<Order>,
    pub axioms: Vec<Axiom>,
    /// The relations whose edges a picture or an explanation shows, by slot.
    pub shown: Vec<Slot>,
    /// The names of all slots.
    pub names: Vec<String>,
}

impl Model {
    /// The slot of a name.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<Slot> {
        self.names.iter().position(|known| known == name)
    }
}
