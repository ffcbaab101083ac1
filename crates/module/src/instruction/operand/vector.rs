//! Checks vectors `{a, b, …}` and vector registers: their length, and the one type that their elements have together.
//!
//! ptxas first compares each element with its neighbour (integers and floats do not mix, plain bits go with everything),
//! and its size with that of the first. Then it compares the vector's type with the place's: the type of the elements if
//! they all have the same, and plain bits of that size otherwise. A vector that starts with a literal has that literal's
//! type, and the other elements may have any size; only the matrix instructions check them.

use ptxvm_isa::table::{Operand as Place, Shape, TypeOf};
use ptxvm_isa::{Kind, Type};
use ptxvm_syntax::ast::{self, List, OperandKind, Symbol};

use super::immediate::{self, Literal};
use super::types::{self, Fit};
use super::{Check, Found, OperandResult, Why, at};
use crate::entity::Entity;

/// What an element brings into its vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    /// Something with a type.
    Typed(Type),
    /// A part of `%tid` or its like, which stands beside no literal.
    Part(Type),
    /// A literal: it has a kind, and takes the size of its neighbours.
    Literal(Literal),
    /// `_`, or a name that means nothing.
    Nothing,
}

impl Element {
    /// The type it counts as when it is compared with its neighbours.
    fn ty(self) -> Type {
        match self {
            Self::Typed(ty) | Self::Part(ty) => ty,
            Self::Literal(Literal::Single) => Type::F32,
            Self::Literal(Literal::Double) => Type::F64,
            Self::Literal(Literal::Integer) | Self::Nothing => Type::S64,
        }
    }

    /// Whether another has its size; literals have every size.
    fn has_size_of(self, other: Self) -> bool {
        match (self, other) {
            (Self::Literal(_) | Self::Nothing, _) | (_, Self::Literal(_) | Self::Nothing) => true,
            (a, b) => size(a.ty()) == size(b.ty()),
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
    pub(super) fn vector(
        self,
        places: &'static [Place],
        count: u32,
        operand: &ast::Operand,
    ) -> OperandResult {
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
    ) -> OperandResult {
        let mut first = Element::Nothing;
        let mut before = Element::Nothing;
        let mut sized = Element::Nothing;
        let mut mixed = false;
        let mut sinks = true;
        let mut literals = true;
        // The last one whose size is not that of the first, which then is a literal.
        let mut last = Element::Nothing;
        let mut elements = &self.context.file[elements];
        if self.is_layered(inner)
            && let Some((layer, rest)) = elements.split_first()
        {
            let element = self.element(inner, layer, true).map_err(at(inner, layer.span))?;
            if element != Element::Nothing && !types::takes(Type::U32, element.narrow(), Fit::Fixed) {
                return Err(at(inner, layer.span)(Why::Type(element.ty())));
            }
            sized = element;
            elements = rest;
        }
        for (i, operand) in elements.iter().enumerate() {
            sinks &= matches!(operand.kind, OperandKind::Sink);
            let place = places.get(i).unwrap_or(inner);
            let element = self.element(place, operand, i == 0).map_err(at(place, operand.span))?;
            if element == Element::Nothing {
                continue;
            }
            if first == Element::Nothing {
                first = element;
            }
            if sized == Element::Nothing {
                sized = element;
            }
            literals &= matches!(element, Element::Literal(_));
            let layer = before == Element::Nothing && apart(sized, element);
            if layer || !sized.has_size_of(element) || !self.takes_beside(inner, first, element) {
                return Err(at(inner, operand.span)(Why::Mixed(sized.ty(), element.ty())));
            }
            if before != Element::Nothing && before != element {
                mixed |= before.ty() != element.ty();
                if !neighbours(before, element) {
                    return Err(at(inner, operand.span)(Why::Mixed(before.ty(), element.ty())));
                }
            }
            before = element;
            if size(element.ty()) != size(first.ty()) {
                last = element;
            }
        }
        let miss = at(inner, vector.span);
        self.split_fragment(inner, elements).map_err(miss)?;
        match first {
            Element::Typed(ty) | Element::Part(ty) => {
                self.joint(inner, if mixed { bits(ty) } else { ty }).map_err(miss)
            }
            Element::Literal(literal) if self.takes_leading(inner, literal, literals) => Ok(()),
            Element::Literal(literal) if is_bound_half(inner, self.type_of(inner)) => {
                Err(miss(Why::Literal(self.type_of(inner).unwrap_or(Type::F16x2), literal)))
            }
            Element::Literal(literal) => {
                let ty = match last {
                    Element::Nothing if mixed => bits(first.ty()),
                    Element::Nothing => first.ty(),
                    _ => bits(last.ty()),
                };
                let place = self.type_of(inner);
                let exact = place.is_none_or(|place| place.kind() != Kind::Bits || place.bits() == ty.bits());
                let fits = if exact { self.joint(inner, ty) } else { Err(Why::Type(ty)) };
                let literal = |why| if literals { Why::Literal(place.unwrap_or(ty), literal) } else { why };
                fits.map_err(literal).map_err(miss)
            }
            Element::Nothing if sinks => Err(miss(Why::Sinks)),
            Element::Nothing => Ok(()),
        }
    }

    /// Whether a literal that a vector begins with makes the vector fit, whatever follows: one of the place's own kind
    /// does, but not in the fragments of matrices, and in a tensor's coordinates only among its like.
    fn takes_leading(self, inner: &Place, literal: Literal, alone: bool) -> bool {
        let Some(ty) = self.type_of(inner) else { return true };
        let matrix = matches!(self.name_part(0), "mma" | "wmma" | "wgmma" | "stmatrix" | "tcgen05");
        match (literal, ty.kind()) {
            (Literal::Integer, Kind::Signed | Kind::Unsigned) => alone || inner.name != "tensorCoords",
            (Literal::Integer, Kind::Bits) => !matrix,
            (Literal::Integer, _) if matches!(ty, Type::F16 | Type::F32 | Type::F64) => {
                !matrix && (!alone || ty == Type::F64) && self.is_lenient(inner)
            }
            (Literal::Single | Literal::Double, Kind::Float) => !matrix && immediate::takes(ty, literal),
            _ => false,
        }
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

    /// Whether what follows a literal may have its size: only macros ask.
    fn takes_beside(self, inner: &Place, first: Element, element: Element) -> bool {
        let free = !matches!(first, Element::Literal(_)) || !inner.ranges.is_empty();
        free || matches!(size(element.ty()), 32 | 64) || !self.is_macro()
    }

    /// Whether ptxas expands the instruction from a macro of its own, whose vectors take no decimal numbers.
    fn is_macro(self) -> bool {
        let byte = || ["e4m3", "e5m2", "e3m2", "e2m3", "e2m1"].iter().any(|word| self.has_word(word));
        self.name_part(0) == "tcgen05" || (self.name_part(0) == "mma" && byte())
    }

    /// Whether halves are added up in memory, which takes an integer at the head of a vector only.
    fn is_half_atomic(self, ty: Type) -> bool {
        matches!(self.name_part(0), "atom" | "red")
            && matches!(ty, Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2)
    }

    /// Whether this is the place of coordinates that begin with the number of a layer, which is an integer however
    /// the others are given.
    fn is_layered(self, inner: &Place) -> bool {
        inner.name == "c"
            && matches!(self.name_part(0), "tex" | "tld4")
            && ["a1d", "a2d", "a2dms", "acube", "5d"].iter().any(|word| self.has_word(word))
    }

    /// What an element is; `leads` if it is the first.
    fn element(self, inner: &Place, operand: &ast::Operand, leads: bool) -> Result<Element, Why> {
        match operand.kind {
            OperandKind::Name(symbol) => match self.context.lookup(symbol) {
                None => Ok(Element::Nothing),
                Some(Entity::Register(register)) if register.vector == 1 => match inner.shape {
                    Shape::Constant => Err(Why::Kind(Found::Register)),
                    // No predicate passes for 32 bits on the way from or to tensor memory.
                    _ if register.ty == Type::Pred && self.name_part(0) == "tcgen05" => {
                        Err(Why::Type(register.ty))
                    }
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
                match self.type_of(inner) {
                    Some(ty @ Type::B32) if literal == Literal::Double && self.is_macro() => {
                        Err(Why::Literal(ty, literal))
                    }
                    Some(ty) if literal == Literal::Integer && !leads && self.is_half_atomic(ty) => {
                        Err(Why::Literal(ty, literal))
                    }
                    _ => Ok(Element::Literal(literal)),
                }
            }
            OperandKind::Member { name, .. } => match self.context.lookup(name) {
                Some(Entity::Register(register)) if register.vector > 1 => Ok(Element::Typed(register.ty)),
                Some(Entity::Special(index)) if !inner.written && self.name_part(0) != "tcgen05" => {
                    match self.context.isa.sregs.get(usize::from(index)) {
                        Some(sreg) if sreg.vector => Ok(Element::Part(bits(sreg.ty))),
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
        if types::takes(place, ty, Fit::of(inner)) || (inner.predicate && ty == Type::Pred) {
            return Ok(());
        }
        // In a vector that goes from or to memory, integers of the same size pass for floats.
        let passes = place.kind() == Kind::Float && ty.is_integer() && ty.bits() == place.bits();
        if passes && self.is_lenient(inner) { Ok(()) } else { Err(Why::Type(ty)) }
    }

    /// Whether the vector goes from or to memory.
    fn is_lenient(self, inner: &Place) -> bool {
        inner.wider
            || matches!(self.name_part(0), "tex" | "tld4" | "atom" | "red" | "multimem")
            || (self.name_part(0) == "st" && self.has_word("async"))
    }
}

/// Whether halves belong here whose type is a modifier: a vector of them begins with no literal that is not of their kind.
fn is_bound_half(inner: &Place, ty: Option<Type>) -> bool {
    matches!(inner.ty, TypeOf::Slot(_))
        && matches!(ty, Some(Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2))
}

/// Whether two elements may stand side by side, whatever their sizes.
fn neighbours(a: Element, b: Element) -> bool {
    let together = !apart(a, b);
    let (a, b) = (a.ty(), b.ty());
    let both = |test: fn(Type) -> bool| test(a) && test(b);
    let kinds = a == b
        || a.kind() == Kind::Bits
        || b.kind() == Kind::Bits
        || both(Type::is_integer)
        || both(|ty| matches!(ty, Type::F16 | Type::F32 | Type::F64));
    kinds && together
}

/// Whether one is a literal and the other what stands beside none.
fn apart(a: Element, b: Element) -> bool {
    matches!((a, b), (Element::Part(_), Element::Literal(_)) | (Element::Literal(_), Element::Part(_)))
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
