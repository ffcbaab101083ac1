//! Vectors `{a, b, …}` and vector registers: their length, and the one type their elements make together.
//!
//! ptxas first compares each element with its neighbour (sizes must agree, integers and floats do not mix, plain bits
//! go with everything), then the vector's type with the place's: the elements' own type if they all have the same,
//! plain bits of that size otherwise.

use ptxvm_isa::table::{Operand as Place, Shape, TypeOf};
use ptxvm_isa::{Kind, Type};
use ptxvm_syntax::ast::{self, List, OperandKind, Symbol};

use super::immediate::{self, Literal};
use super::types::{self, Fit};
use super::{Check, Checked, Found, Why, at};
use crate::entity::Entity;

/// What an element brings into its vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    /// Something with a type.
    Typed(Type),
    /// A literal: it has a kind, and takes the size of its neighbours.
    Literal(Literal),
    /// `_`, or a name that means nothing.
    Nothing,
}

impl Element {
    /// The type it counts as when it is compared with its neighbours.
    fn ty(self) -> Type {
        match self {
            Self::Typed(ty) => ty,
            Self::Literal(Literal::Single) => Type::F32,
            Self::Literal(Literal::Double) => Type::F64,
            Self::Literal(Literal::Integer) | Self::Nothing => Type::S64,
        }
    }

    /// The type it has among 32-bit values.
    fn narrow(self) -> Type {
        match self {
            Self::Literal(Literal::Integer) => Type::S32,
            other => other.ty(),
        }
    }
}

impl Check<'_> {
    /// A vector of `count` elements; the last of `places` holds for every element from its own on.
    pub(super) fn vector(self, places: &'static [Place], count: u32, operand: &ast::Operand) -> Checked {
        let Some(inner) = places.first() else { return Ok(()) };
        let miss = at(inner, operand.span);
        match operand.kind {
            OperandKind::Vector(elements) => {
                if elements.len() as u32 != count {
                    return Err(miss(Why::Length(count as u16, elements.len().min(9999) as u16)));
                }
                self.elements(places, inner, elements, operand)
            }
            OperandKind::Name(symbol) => self.whole(inner, count, symbol).map_err(miss),
            OperandKind::Sink if inner.sink && count == 1 => Ok(()),
            OperandKind::Constant(_) | OperandKind::Member { .. } => Err(miss(Why::Length(count as u16, 0))),
            _ => Err(miss(Why::Kind(self.found(operand)))),
        }
    }

    /// A vector register or special register as a whole.
    fn whole(self, inner: &Place, count: u32, symbol: Symbol) -> Result<(), Why> {
        match self.context.lookup(symbol) {
            None => Ok(()),
            Some(Entity::Register(register)) => {
                if u32::from(register.vector) != count || register.vector == 1 {
                    let given = if register.vector == 1 { 0 } else { u16::from(register.vector) };
                    return Err(Why::Length(count as u16, given));
                }
                self.joint(inner, register.ty)
            }
            Some(Entity::Special(index)) => {
                let sreg = self.context.isa.sregs.get(usize::from(index));
                let fits = inner.sreg && !inner.written && count == 4 && sreg.is_some_and(|s| s.vector);
                if fits { Ok(()) } else { Err(Why::Kind(Found::Special)) }
            }
            Some(entity) => Err(Why::Kind(Found::of(entity))),
        }
    }

    fn elements(
        self,
        places: &'static [Place],
        inner: &'static Place,
        elements: List<ast::Operand>,
        vector: &ast::Operand,
    ) -> Checked {
        let mut common = Element::Nothing;
        let mut before = Element::Nothing;
        let mut mixed = false;
        let mut sinks = true;
        let mut elements = &self.context.file[elements];
        if self.is_layered(inner)
            && let Some((layer, rest)) = elements.split_first()
        {
            let element = self.element(inner, layer).map_err(at(inner, layer.span))?;
            if element != Element::Nothing && !types::takes(Type::U32, element.narrow(), Fit::Fixed) {
                return Err(at(inner, layer.span)(Why::Type(element.ty())));
            }
            elements = rest;
        }
        for (i, operand) in elements.iter().enumerate() {
            sinks &= matches!(operand.kind, OperandKind::Sink);
            let place = places.get(i).unwrap_or(inner);
            let element = self.element(place, operand).map_err(at(place, operand.span))?;
            if element == Element::Nothing {
                continue;
            }
            if before != Element::Nothing && before != element {
                mixed |= before.ty() != element.ty();
                if !neighbours(before, element) {
                    return Err(at(inner, operand.span)(Why::Mixed(before.ty(), element.ty())));
                }
            }
            before = element;
            if !matches!(common, Element::Typed(_)) {
                common = element;
            }
        }
        let miss = at(inner, vector.span);
        self.split_fragment(inner, elements).map_err(miss)?;
        self.leading_literal(inner, elements).map_err(miss)?;
        match common {
            Element::Typed(ty) => self.joint(inner, if mixed { bits(ty) } else { ty }).map_err(miss),
            Element::Literal(literal) => match self.type_of(inner) {
                Some(ty) if !immediate::takes(ty, literal) || self.is_fragment(inner, literal) => {
                    Err(miss(Why::Literal(ty, literal)))
                }
                _ => Ok(()),
            },
            Element::Nothing if sinks => Err(miss(Why::Sinks)),
            Element::Nothing => Ok(()),
        }
    }

    /// Whether this is a fragment of a matrix, which takes no vector of nothing but integers.
    fn is_fragment(self, inner: &Place, literal: Literal) -> bool {
        let matrix = matches!(self.name_part(0), "mma" | "wmma" | "wgmma" | "stmatrix" | "tcgen05");
        let bits = match self.name_part(0) {
            "tcgen05" => self.type_of(inner) == Some(Type::B32),
            _ => inner.ty == TypeOf::Fixed(Type::B32),
        };
        matrix && literal == Literal::Integer && bits
    }

    /// ptxas splits `wmma.mma` on integers and tf32 into smaller products that take a fragment's registers two by two,
    /// and no product takes two constants.
    fn split_fragment(self, inner: &Place, elements: &[ast::Operand]) -> Result<(), Why> {
        let (true, Some(ty)) = (self.name_part(0) == "wmma", self.type_of(inner)) else { return Ok(()) };
        let constant = |o: &ast::Operand| matches!(o.kind, OperandKind::Constant(_));
        let whole = |pair: &[ast::Operand]| pair.len() == 2 && pair.iter().all(constant);
        match ty {
            Type::Tf32 | Type::S32 if inner.name != "c" => {
                let refused = elements.chunks(2).any(whole);
                if refused { Err(Why::Literal(ty, Literal::Integer)) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// A vector of halves may have literals, but must not begin with one, unless it is an integer among single halves.
    fn leading_literal(self, inner: &Place, elements: &[ast::Operand]) -> Result<(), Why> {
        let (Some(OperandKind::Constant(expression)), TypeOf::Slot(_)) =
            (elements.first().map(|e| e.kind), inner.ty)
        else {
            return Ok(());
        };
        let literal = immediate::literal(self.context.file, expression).map_err(Why::Expression)?;
        match self.type_of(inner) {
            Some(ty @ (Type::Bf16 | Type::Bf16x2 | Type::F16x2)) => Err(Why::Literal(ty, literal)),
            Some(ty @ Type::F16) if literal != Literal::Integer => Err(Why::Literal(ty, literal)),
            _ => Ok(()),
        }
    }

    /// Whether this is the place of coordinates that begin with the number of a layer, which is an integer however
    /// the others are given.
    fn is_layered(self, inner: &Place) -> bool {
        inner.name == "c"
            && matches!(self.name_part(0), "tex" | "tld4")
            && ["a1d", "a2d", "a2dms", "acube", "5d"].iter().any(|word| self.has_word(word))
    }

    fn element(self, inner: &Place, operand: &ast::Operand) -> Result<Element, Why> {
        match operand.kind {
            OperandKind::Name(symbol) => match self.context.lookup(symbol) {
                None => Ok(Element::Nothing),
                Some(Entity::Register(register)) if register.vector == 1 => match inner.shape {
                    Shape::Constant => Err(Why::Kind(Found::Register)),
                    _ => Ok(Element::Typed(register.ty)),
                },
                // Only the stores to tensor memory look for special registers in their vectors.
                Some(Entity::Special(index)) if !inner.written && self.name_part(0) != "tcgen05" => {
                    match self.context.isa.sregs.get(usize::from(index)) {
                        Some(sreg) if !sreg.vector => Ok(Element::Typed(bits(sreg.ty))),
                        _ => Err(Why::Kind(Found::Special)),
                    }
                }
                Some(_) => Err(Why::Kind(self.found(operand))),
            },
            OperandKind::Sink if inner.sink => Ok(Element::Nothing),
            OperandKind::Constant(expression)
                if !inner.written && !matches!(inner.shape, Shape::Register) =>
            {
                let literal = immediate::literal(self.context.file, expression).map_err(Why::Expression)?;
                immediate::in_range(self.context.file, inner, expression)?;
                Ok(Element::Literal(literal))
            }
            OperandKind::Member { name, .. } => match self.context.lookup(name) {
                Some(Entity::Register(register)) if register.vector > 1 => Ok(Element::Typed(register.ty)),
                Some(Entity::Special(index)) if !inner.written && self.name_part(0) != "tcgen05" => {
                    match self.context.isa.sregs.get(usize::from(index)) {
                        Some(sreg) if sreg.vector => Ok(Element::Typed(bits(sreg.ty))),
                        _ => Err(Why::Selector),
                    }
                }
                None => Ok(Element::Nothing),
                Some(_) => Err(Why::Selector),
            },
            _ => Err(Why::Kind(self.found(operand))),
        }
    }

    /// Whether a vector whose elements make up this type fits.
    fn joint(self, inner: &Place, ty: Type) -> Result<(), Why> {
        let Some(place) = self.type_of(inner) else { return Ok(()) };
        if types::takes(place, ty, Fit::of(inner)) {
            return Ok(());
        }
        // In a vector that goes from or to memory, integers of the same size pass for floats.
        let passes = place.kind() == Kind::Float && ty.is_integer() && ty.bits() == place.bits();
        let lenient =
            inner.wider || matches!(self.name_part(0), "tex" | "tld4" | "atom" | "red" | "multimem");
        if passes && lenient { Ok(()) } else { Err(Why::Type(ty)) }
    }
}

/// Whether two elements may stand side by side.
fn neighbours(a: Element, b: Element) -> bool {
    let sized = matches!((a, b), (Element::Typed(_), Element::Typed(_)));
    let (a, b) = (a.ty(), b.ty());
    let both = |test: fn(Type) -> bool| test(a) && test(b);
    let kinds = a == b
        || a.kind() == Kind::Bits
        || b.kind() == Kind::Bits
        || both(Type::is_integer)
        || (!sized && both(|ty| matches!(ty, Type::F16 | Type::F32 | Type::F64)));
    kinds && (!sized || size(a) == size(b))
}

/// The size that counts in a vector; a predicate passes for 32 bits.
fn size(ty: Type) -> u32 {
    if ty == Type::Pred { 32 } else { ty.bits() }
}

/// Plain bits of the size of a type.
fn bits(ty: Type) -> Type {
    match size(ty) {
        8 => Type::B8,
        16 => Type::B16,
        32 => Type::B32,
        64 => Type::B64,
        _ => Type::B128,
    }
}
