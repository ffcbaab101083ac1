//! Checks scalars: registers, constants, special registers, and names that stand for an address.

use ptxvm_isa::table::{Operand as Place, Shape, TypeOf};
use ptxvm_isa::{Kind, Type};
use ptxvm_syntax::ast::{self, ExpressionId, OperandKind, SpaceKind, Symbol};

use super::immediate::Literal;
use super::types::{self, Fit};
use super::{Check, Found, Misuse, Why, immediate};
use crate::entity::{Entity, Register, Role, Variable, VariableType};
use crate::module::TextureMode;

/// Members of a vector register or of a special register; ptxas does not ask whether a short vector has them.
const MEMBERS: [&str; 8] = ["x", "y", "z", "w", "r", "g", "b", "a"];

impl Check<'_> {
    /// Whether an operand fits a place for one value of this type; without a type any register does.
    pub(super) fn value(self, place: &Place, ty: Option<Type>, operand: &ast::Operand) -> Result<(), Why> {
        match operand.kind {
            OperandKind::Name(symbol) => match self.context.lookup(symbol) {
                Some(Entity::Register(register)) => self.register(place, ty, register),
                Some(entity) => self.named(place, ty, entity),
                None => Ok(()),
            },
            OperandKind::Constant(expression) => {
                let register = matches!(place.shape, Shape::Register) && !self.is_single(place, expression);
                if place.written || register || is_opaque(place) {
                    return Err(Why::Kind(Found::Constant));
                }
                immediate::fits(self.context.file, place, ty, expression)
            }
            OperandKind::Sink if place.sink => Ok(()),
            OperandKind::Not(inner) => self.negated(place, ty, &self.context.file[inner]),
            OperandKind::Member { name, selector } => self.member(place, ty, name, selector),
            OperandKind::Offset { name, .. } => self.offset(place, ty, name),
            OperandKind::Index { name, index } if place.var && !place.written => {
                self.subscript(&self.context.file[index])?;
                match self.context.lookup(name) {
                    Some(Entity::Variable(variable)) if variable.array => self.variable(place, ty, variable),
                    Some(_) => Err(Why::Index),
                    None => Ok(()),
                }
            }
            OperandKind::Negate(inner) if place.negatable => self.value(place, ty, &self.context.file[inner]),
            _ => Err(Why::Kind(self.found(operand))),
        }
    }

    /// Whether a constant is a `0f…` that may stand where only registers may.
    fn is_single(self, place: &Place, expression: ExpressionId) -> bool {
        place.single && matches!(immediate::literal(self.context.file, expression), Ok(Literal::Single))
    }

    #[inline]
    fn register(self, place: &Place, ty: Option<Type>, register: Register) -> Result<(), Why> {
        if matches!(place.shape, Shape::Constant) {
            return Err(Why::Kind(Found::Register));
        }
        if register.vector > 1 {
            return Err(Why::Kind(Found::VectorRegister));
        }
        if is_opaque(place) {
            return self.handle(place, register.ty);
        }
        match ty {
            Some(ty) if !types::takes(ty, register.ty, Fit::of(place)) => {
                self.second_chance(place, ty, register.ty)
            }
            _ => Ok(()),
        }
    }

    /// The second chance of a predicate where the place is for any 32 bits, and of a `.f16x2` register where the type
    /// is one of the modifiers after all.
    #[cold]
    fn second_chance(self, place: &Place, ty: Type, register: Type) -> Result<(), Why> {
        // Whether a request was granted is told by a macro of ptxas's own, which takes predicates only.
        let checked = ty == Type::Pred && self.name_part(0) == "clusterlaunchcontrol";
        let bound = register == Type::F16x2 && !place.wider && !checked && self.is_modifier(ty);
        let bits = register == Type::Pred && place.predicate;
        if bits || bound && types::takes(ty, register, Fit::Bound) {
            Ok(())
        } else {
            Err(Why::Type(register))
        }
    }

    /// Whether the instruction always has this type among its modifiers: the table then gives it to the operands as
    /// if the instruction had fixed it.
    fn is_modifier(self, ty: Type) -> bool {
        let slots = self.candidate.row.slots.iter();
        let mut literals = slots.filter(|slot| slot.values.len() == 1);
        literals.any(|slot| self.context.isa.text(slot.values[0]) == ty.name())
    }

    /// A texture's handle is an integer of 64 bits. Where textures carry their samplers, ptxas passes over whatever
    /// stands in a sampler's place.
    fn handle(self, place: &Place, ty: Type) -> Result<(), Why> {
        let ignored = place.ty == TypeOf::Sampler
            && self.context.module.texture_mode == TextureMode::Unified
            && self.name_part(0) != "txq";
        if ignored || types::takes(Type::U64, ty, Fit::Fixed) { Ok(()) } else { Err(Why::Type(ty)) }
    }

    /// A name that is no register.
    fn named(self, place: &Place, ty: Option<Type>, entity: Entity) -> Result<(), Why> {
        if place.written || matches!(place.shape, Shape::Constant) {
            return Err(Why::Kind(Found::of(entity)));
        }
        match entity {
            Entity::Special(index) => self.special(place, ty, index, false),
            Entity::Variable(variable) => self.variable(place, ty, variable),
            // ptxas takes a function's name for a value of any type that is a modifier; only `mov` makes sense of it.
            Entity::Function(_) if place.var || matches!(place.ty, TypeOf::Slot(_) | TypeOf::Doubled(_)) => {
                Ok(())
            }
            _ => Err(Why::Kind(Found::of(entity))),
        }
    }

    /// A special register: mov and cvt read it; its width must be that of the type, or wider for cvt.
    fn special(self, place: &Place, ty: Option<Type>, index: u16, member: bool) -> Result<(), Why> {
        let Some(sreg) = self.context.isa.sregs.get(usize::from(index)) else { return Ok(()) };
        // A predicate may be read from one wherever a predicate register may stand.
        if sreg.ty == Type::Pred && ty == Some(Type::Pred) {
            return Ok(());
        }
        if !place.sreg {
            return Err(Why::Kind(Found::Special));
        }
        if sreg.vector && !member {
            let whole =
                matches!(self.candidate.row.operands.first(), Some(Place { shape: Shape::Vector(..), .. }));
            let fits = whole || ty == Some(Type::B128);
            return if fits { Ok(()) } else { Err(Why::Kind(Found::VectorRegister)) };
        }
        let Some(ty) = ty else { return Ok(()) };
        let integral = matches!(ty.kind(), Kind::Bits | Kind::Unsigned | Kind::Signed);
        let width = ty.bits() == sreg.ty.bits()
            || (place.wider && ty.bits() < sreg.ty.bits())
            || (sreg.vector && ty.bits() == 16 && !sreg.name.contains("cluster"))
            || (sreg.name == "%gridid" && matches!(ty.bits(), 16..=64));
        if integral && width { Ok(()) } else { Err(Why::Type(sreg.ty)) }
    }

    /// A variable's name as a value: its address.
    fn variable(self, place: &Place, ty: Option<Type>, variable: Variable) -> Result<(), Why> {
        if is_opaque(place) {
            return opaque(place, variable, self.context.module.texture_mode);
        }
        if !place.var || place.written {
            let what = if variable.ty.data().is_some() { Found::Variable } else { Found::Opaque };
            return Err(Why::Kind(what));
        }
        if variable.space == SpaceKind::Param && variable.role == Role::Plain {
            return Err(Why::Parameter(Misuse::Pointed));
        }
        self.in_space(place, variable)?;
        let Some(ty) = ty else { return Ok(()) };
        if !matches!(ty.kind(), Kind::Bits | Kind::Unsigned | Kind::Signed) {
            return Err(Why::Kind(Found::Variable));
        }
        if variable.ty.data().is_none() && ty != Type::U64 {
            return Err(Why::Kind(Found::Opaque));
        }
        let global = variable.space == SpaceKind::Global;
        if global && ty.bits() == 32 && self.context.module.address_size == 64 {
            return Err(Why::NarrowAddress(ty));
        }
        Ok(())
    }

    /// `name + 4` as a value. ptxas takes a register there too, of whatever type, and does not add anything up.
    fn offset(self, place: &Place, ty: Option<Type>, name: Symbol) -> Result<(), Why> {
        let Some(entity) = self.context.lookup(name) else { return Ok(()) };
        let modifier = |ty: Type| ty.bits() == 32 || self.is_modifier(ty);
        let bound = !matches!(place.ty, TypeOf::Fixed(_)) || ty.is_some_and(modifier);
        let kind = ty.map_or(Kind::Bits, Type::kind);
        let fits = match entity {
            _ if place.written || place.selector || is_opaque(place) || kind == Kind::Predicate => false,
            Entity::Register(_) if matches!(place.shape, Shape::Value | Shape::Register) => bound,
            Entity::Variable(variable) if matches!(place.shape, Shape::Value) => {
                if place.var {
                    // Of an address with an offset ptxas does not notice that it is cut to 32 bits.
                    return match self.variable(place, ty, variable) {
                        Err(Why::NarrowAddress(_)) => Ok(()),
                        other => other,
                    };
                }
                bound && matches!(kind, Kind::Bits | Kind::Unsigned | Kind::Signed)
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(Why::Kind(Found::Offset)) }
    }

    /// `!%p`
    fn negated(self, place: &Place, ty: Option<Type>, inner: &ast::Operand) -> Result<(), Why> {
        if place.written || ty != Some(Type::Pred) || matches!(place.shape, Shape::Constant) {
            return Err(Why::Kind(Found::Negated));
        }
        self.value(place, ty, inner)
    }

    /// `%tid.x`, `%v.y`, or `%r1.b0`.
    fn member(self, place: &Place, ty: Option<Type>, name: Symbol, selector: Symbol) -> Result<(), Why> {
        let selector = self.context.text(selector);
        let known = MEMBERS.contains(&selector);
        match self.context.lookup(name) {
            None => Ok(()),
            Some(Entity::Register(register)) if register.vector > 1 => {
                if !known || place.selector {
                    return Err(Why::Selector);
                }
                self.register(place, ty, Register { vector: 1, ..register })
            }
            Some(Entity::Register(register)) => {
                if !place.selector || !selects(self.name_part(0), place.written, selector) {
                    return Err(Why::Selector);
                }
                self.register(place, ty, register)
            }
            Some(Entity::Special(index)) => {
                let vector = self.context.isa.sregs.get(usize::from(index)).is_some_and(|s| s.vector);
                if place.written {
                    return Err(Why::Kind(Found::Special));
                }
                if !vector || !known {
                    return Err(Why::Selector);
                }
                self.special(place, ty, index, true)
            }
            Some(entity) => Err(Why::Kind(Found::of(entity))),
        }
    }
}

/// Whether a video instruction of this name knows the selector: `b0` or `h1` of a word for scalar ones, two halves or
/// four bytes out of both sources for SIMD ones, and for their result the parts that are written.
fn selects(opcode: &str, written: bool, selector: &str) -> bool {
    let Some((letter, digits)) = selector.split_at_checked(1) else { return false };
    let digits = digits.as_bytes();
    let below = |limit: u8| digits.iter().all(|d| (b'0'..b'0' + limit).contains(d));
    let falling = digits.windows(2).all(|pair| pair[0] > pair[1]);
    match (opcode.as_bytes().last(), written, letter) {
        (Some(b'2'), true, "h") => !digits.is_empty() && below(2) && falling,
        (Some(b'2'), false, "h") => digits.len() == 2 && below(4),
        (Some(b'4'), true, "b") => !digits.is_empty() && below(4) && falling,
        (Some(b'4'), false, "b") => digits.len() == 4 && below(8),
        (Some(b'2' | b'4'), ..) => false,
        (_, _, "h") => digits.len() == 1 && below(2),
        (_, _, "b") => digits.len() == 1 && below(4),
        _ => false,
    }
}

/// Whether a place is for a texture, sampler or surface.
fn is_opaque(place: &Place) -> bool {
    matches!(place.ty, TypeOf::Texture | TypeOf::Sampler | TypeOf::Surface)
}

fn opaque(place: &Place, variable: Variable, mode: TextureMode) -> Result<(), Why> {
    let fits = match (place.ty, variable.ty) {
        (TypeOf::Texture, VariableType::Texref) => true,
        (TypeOf::Sampler, VariableType::Texref) => mode == TextureMode::Unified,
        (TypeOf::Sampler, VariableType::Samplerref) => true,
        (TypeOf::Surface, VariableType::Surfref) => true,
        (TypeOf::Texture, VariableType::Data(_)) => variable.space == SpaceKind::Tex,
        _ => false,
    };
    let what = if variable.ty.data().is_some() { Found::Variable } else { Found::Opaque };
    if fits { Ok(()) } else { Err(Why::Kind(what)) }
}
