//! Whether an instruction's operands fit the places of a row.
//!
//! [`fits`] runs for every instruction and every row that takes its modifiers, so it is cheap: it allocates nothing, and a
//! mismatch is a small value. [`describe`] turns the mismatch of the nearest row into a diagnostic. Names are already
//! resolved; an undeclared one has been reported and fits anywhere.

mod address;
mod describe;
mod immediate;
mod types;
mod value;
mod vector;

#[cfg(test)]
mod tests;

use ptxvm_isa::form::{count_of, type_of};
use ptxvm_isa::table::{Operand as Place, Shape};
use ptxvm_isa::{NO_WORD, Type, Word};
use ptxvm_syntax::ast::{self, OperandKind, Span};
use ptxvm_syntax::eval::EvalError;

use super::form::Candidate;
use crate::context::Context;
use crate::entity::Entity;
pub use describe::{CODES, describe};
use immediate::Literal;

/// What is wrong with an operand, and where.
#[derive(Clone, Copy, Debug)]
pub struct Mismatch {
    /// The place in the row that it does not fit; `None` if there are too many operands for the places.
    place: Option<&'static Place>,
    /// The part of the source that is wrong.
    span: Span,
    /// What is wrong.
    why: Why,
    /// How many operands before it fit.
    passed: u8,
}

impl Mismatch {
    /// How near the operands came to the row, to choose the row to speak of.
    pub fn progress(&self) -> u32 {
        let (right_number, near) = match self.why {
            Why::Number { .. } => (false, 0),
            Why::Range(_) | Why::Share | Why::Expression(_) | Why::NarrowAddress(_) => (true, 3),
            Why::Type(_) | Why::Literal(..) | Why::Space(_) | Why::Parameter(_) | Why::Length(..) => {
                (true, 2)
            }
            Why::Mixed(..) | Why::AddressType(_) | Why::Subscript(_) | Why::Selector => (true, 2),
            _ => (true, 1),
        };
        u32::from(right_number) << 16 | u32::from(self.passed) << 4 | near
    }
}

/// The ways in which an operand can be wrong.
#[derive(Clone, Copy, Debug)]
pub enum Why {
    /// There are so many operands and should be so many.
    Number { given: u8, wanted: u8 },
    /// A register of this type does not fit.
    Type(Type),
    /// A constant of this kind is no value of this type.
    Literal(Type, Literal),
    /// A constant is not among those allowed.
    Range(i64),
    /// A constant is no share: it must lie above 0.0 and be at most 1.0.
    Share,
    /// A constant expression has no value.
    Expression(EvalError),
    /// Something stands here that can never stand here.
    Kind(Found),
    /// A vector of so many elements is wanted, so many are given (0: a scalar).
    Length(u16, u16),
    /// Two neighbours in a vector do not go together.
    Mixed(Type, Type),
    /// A vector of nothing but sinks.
    Sinks,
    /// A register of this type cannot hold an address.
    AddressType(Type),
    /// A variable lies in another space than this word names.
    Space(Word),
    /// A number is an address in `.local` only.
    ImmediateAddress,
    /// A 32-bit register or type of this name holds a global or generic address of a 64-bit module.
    NarrowAddress(Type),
    /// A parameter is read, written or pointed to where that is not allowed.
    Parameter(Misuse),
    /// An index stands after something that is no array.
    Index,
    /// A register of this type is no index.
    Subscript(Type),
    /// The register has no such member, or the place takes no selector.
    Selector,
}

/// What was found where it cannot stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Register,
    Constant,
    Special,
    Variable,
    Opaque,
    Function,
    Label,
    List,
    Sink,
    Vector,
    VectorRegister,
    Bracket,
    Pair,
    NotPair,
    Negated,
    Minus,
    Offset,
    Index,
    Unified,
    Group,
}

impl Found {
    /// What a name stands for.
    fn of(entity: Entity) -> Self {
        match entity {
            Entity::Register(register) if register.vector > 1 => Self::VectorRegister,
            Entity::Register(_) => Self::Register,
            Entity::Variable(variable) if variable.ty.data().is_none() => Self::Opaque,
            Entity::Variable(_) => Self::Variable,
            Entity::Function(_) => Self::Function,
            Entity::Label(_) => Self::Label,
            Entity::Targets(_) | Entity::Prototype(_) => Self::List,
            Entity::Special(_) => Self::Special,
        }
    }
}

/// How a parameter may not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// An input parameter is written.
    Written,
    /// A return parameter is read.
    Read,
    /// The address is taken of an argument of calls.
    Pointed,
    /// `.param::entry` names a parameter that is no kernel's, or `.param::func` one that is.
    Kind,
}

/// Whether the operands fit one of the row's lists of places.
pub fn fits(
    context: &Context<'_>,
    candidate: &Candidate,
    list: &'static [u8],
    operands: &[ast::Operand],
) -> Result<(), Mismatch> {
    let places = candidate.row.operands;
    if let [only] = list
        && matches!(places[usize::from(*only)].shape, Shape::Call)
    {
        return Ok(());
    }
    if operands.len() != list.len() {
        let small = |n: usize| n.min(usize::from(u8::MAX)) as u8;
        let why = Why::Number { given: small(operands.len()), wanted: small(list.len()) };
        let span = operands.get(list.len()).or(operands.last()).map_or(Span::default(), |o| o.span);
        return Err(Mismatch { place: None, span, why, passed: 0 });
    }
    let check = Check { context, candidate };
    for (i, (&place, operand)) in list.iter().zip(operands).enumerate() {
        let operand = if i == 0 { check.without_sink(&places[usize::from(place)], operand) } else { operand };
        check.operand(&places[usize::from(place)], operand).map_err(|mut mismatch| {
            mismatch.passed = i as u8;
            mismatch
        })?;
    }
    check.conversion(operands)
}

/// One attempt to fit operands to a row.
#[derive(Clone, Copy)]
struct Check<'a> {
    context: &'a Context<'a>,
    candidate: &'a Candidate,
}

/// What a check of a whole operand gives.
type OperandResult = Result<(), Mismatch>;

impl Check<'_> {
    fn operand(self, place: &'static Place, operand: &ast::Operand) -> OperandResult {
        match place.shape {
            Shape::Value | Shape::Register | Shape::Constant | Shape::Predicate => {
                let ty = self.type_of(place);
                self.value(place, ty, operand).map_err(at(place, operand.span))
            }
            Shape::Vector(count, inner) => match count_of(count, &self.candidate.filling, self.context.isa) {
                Some(count) => self.vector(inner, count, operand),
                None => self.scalar_or_singleton(place, inner, operand),
            },
            Shape::Bracket(inner, lists) => self.bracket(place, inner, lists, operand),
            Shape::Pair(first, second, optional) => self.pair(place, first, second, optional, operand),
            Shape::Sink => match operand.kind {
                OperandKind::Sink => Ok(()),
                _ => Err(at(place, operand.span)(Why::Kind(self.found(operand)))),
            },
            Shape::Label | Shape::Function | Shape::Targets | Shape::Prototype => self.name(place, operand),
            Shape::Call => Ok(()),
        }
    }

    /// `%r0|_` where the form has no second result: ptxas reads it as `%r0`, as the first operand only.
    fn without_sink<'o>(&'o self, place: &Place, operand: &'o ast::Operand) -> &'o ast::Operand {
        match operand.kind {
            OperandKind::Pair(pair) if !matches!(place.shape, Shape::Pair(..)) => {
                match &self.context.file[pair] {
                    [first, second] if matches!(second.kind, OperandKind::Sink) => first,
                    _ => operand,
                }
            }
            _ => operand,
        }
    }

    /// `cvta` has a form for 32-bit addresses, which a 64-bit module cannot use.
    fn conversion(self, operands: &[ast::Operand]) -> OperandResult {
        if self.name_part(0) != "cvta" {
            return Ok(());
        }
        let Some((place, operand)) = self.candidate.row.operands.first().zip(operands.first()) else {
            return Ok(());
        };
        match self.type_of(place) {
            Some(ty) if ty.bits() == 32 && self.context.module.address_size == 64 => {
                Err(at(place, operand.span)(Why::NarrowAddress(ty)))
            }
            _ => Ok(()),
        }
    }

    /// Where the slot of a vector's length is empty a scalar stands, or a vector of one. A sink that the elements
    /// may be is none for the scalar.
    fn scalar_or_singleton(
        self,
        place: &'static Place,
        elements: &'static [Place],
        operand: &ast::Operand,
    ) -> OperandResult {
        let Some(inner) = elements.first() else { return Ok(()) };
        match operand.kind {
            OperandKind::Vector(_) => self.vector(elements, 1, operand),
            OperandKind::Sink if place.sink => Ok(()),
            OperandKind::Sink => Err(at(inner, operand.span)(Why::Kind(Found::Sink))),
            _ => self.operand(inner, operand),
        }
    }

    fn pair(
        self,
        place: &'static Place,
        first: &'static Place,
        second: &'static Place,
        optional: bool,
        operand: &ast::Operand,
    ) -> OperandResult {
        match operand.kind {
            OperandKind::Pair(pair) => match &self.context.file[pair] {
                [a, b] => {
                    self.operand(first, a)?;
                    self.operand(second, b)
                }
                _ => Ok(()),
            },
            _ if optional => self.operand(first, operand),
            _ => Err(at(place, operand.span)(Why::Kind(Found::NotPair))),
        }
    }

    /// A label, function, list of targets or prototype.
    fn name(self, place: &'static Place, operand: &ast::Operand) -> OperandResult {
        let OperandKind::Name(symbol) = operand.kind else {
            return Err(at(place, operand.span)(Why::Kind(self.found(operand))));
        };
        let fits = match (self.context.lookup(symbol), place.shape) {
            // A branch goes to labels, so its list is one of branch targets.
            (Some(Entity::Targets(list)), Shape::Targets) => {
                self.context.file[list].kind == ast::TargetListKind::Branch
            }
            (None, _)
            | (Some(Entity::Label(_)), Shape::Label)
            | (Some(Entity::Function(_)), Shape::Function)
            | (Some(Entity::Prototype(_)), Shape::Prototype) => true,
            _ => false,
        };
        if fits { Ok(()) } else { Err(at(place, operand.span)(Why::Kind(self.found(operand)))) }
    }

    fn type_of(self, place: &Place) -> Option<Type> {
        type_of(place, &self.candidate.filling, self.context.isa)
    }

    /// What kind of thing an operand is, to speak of it.
    fn found(self, operand: &ast::Operand) -> Found {
        match operand.kind {
            OperandKind::Name(symbol) | OperandKind::Member { name: symbol, .. } => {
                self.context.lookup(symbol).map_or(Found::Register, Found::of)
            }
            OperandKind::Sink => Found::Sink,
            OperandKind::Constant(_) => Found::Constant,
            OperandKind::Not(_) => Found::Negated,
            OperandKind::Negate(_) => Found::Minus,
            OperandKind::Pair(_) => Found::Pair,
            OperandKind::Vector(_) => Found::Vector,
            OperandKind::Address(_) => Found::Bracket,
            OperandKind::Unified(_) => Found::Unified,
            OperandKind::Offset { .. } => Found::Offset,
            OperandKind::Index { .. } => Found::Index,
            OperandKind::Group(_) => Found::Group,
        }
    }

    /// The word of an opcode's n-th part, empty if there is none.
    fn name_part(self, n: usize) -> &'static str {
        let word = self.candidate.row.name.get(n).copied().unwrap_or(NO_WORD);
        if word == NO_WORD { "" } else { self.context.isa.text(word) }
    }

    /// Whether this word is a part of the instruction's name or one of its modifiers.
    fn has_word(self, text: &str) -> bool {
        let words = self.candidate.row.name.iter().chain(&self.candidate.filling);
        words.filter(|&&word| word != NO_WORD).any(|&word| self.context.isa.text(word) == text)
    }
}

/// A mismatch at this place and span.
fn at(place: &'static Place, span: Span) -> impl Fn(Why) -> Mismatch + Copy {
    move |why| Mismatch { place: Some(place), span, why, passed: 0 }
}
