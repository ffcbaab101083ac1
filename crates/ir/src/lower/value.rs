//! Operands that are one value: registers, constants, special registers, and the addresses of variables and functions.

use ptxvm_isa::Type;
use ptxvm_module::module::Used;
use ptxvm_syntax::ast::{OperandId, OperandKind as Tree, Span, Symbol};

use crate::id::VariableId;
use crate::instruction::{OperandKind, SELECTORS, SIMD_SELECTOR};
use crate::lower::body::BodyLowering;
use crate::lower::constant;
use crate::lower::opaque;
use crate::lower::operand::Slot;
use crate::lower::register::member;

impl BodyLowering<'_, '_> {
    /// Lowers a value; `negated` if a sign stood before it.
    pub fn value(&mut self, slot: Slot, operand: OperandId, negated: bool) {
        let file = self.lowering.file;
        let found = file[operand];
        match found.kind {
            Tree::Name(_) => self.named(slot, operand, found.span, negated),
            Tree::Constant(expression) => {
                let Some(value) = self.lowering.constant(expression) else { return };
                match constant::bits(value, slot.ty) {
                    Some(bits) => self.put(slot, OperandKind::Immediate(bits)),
                    None => {
                        self.lowering.unsupported(found.span, "ptxas makes no code for this constant here")
                    }
                }
            }
            Tree::Sink => self.put(slot, OperandKind::Sink),
            Tree::Not(inner) | Tree::Negate(inner) => self.value(slot, inner, !negated),
            Tree::Member { selector, .. } => self.member(slot, operand, selector, found.span, negated),
            Tree::Offset { offset, .. } => {
                let Some(offset) = self.lowering.integer(offset) else { return };
                self.offset(slot, operand, offset.cast_signed(), found.span);
            }
            Tree::Index { index, .. } => {
                if let Some((base, offset)) = self.indexed(operand, index, found.span) {
                    self.put(slot, base.value(offset));
                }
            }
            Tree::Vector(_) | Tree::Pair(_) | Tree::Address(_) | Tree::Unified(_) | Tree::Group(_) => {
                self.lowering.unresolved(found.span);
            }
        }
    }

    fn named(&mut self, slot: Slot, operand: OperandId, span: Span, negated: bool) {
        match self.lowering.module.used(operand) {
            Some(Used::Register(index)) => {
                if let Some(register) = self.register(index, 0, span) {
                    self.put(slot, OperandKind::Register { register, negated, selector: 0 });
                }
            }
            Some(Used::Special(sreg)) => self.special(slot, sreg, span, negated),
            Some(Used::Variable(id)) => {
                self.put(slot, OperandKind::Variable { variable: VariableId(id.0), offset: 0 });
            }
            Some(Used::Function(function)) => {
                let kind = OperandKind::Function(self.lowering.callee(function));
                self.put(slot, kind);
            }
            _ => self.lowering.unresolved(span),
        }
    }

    /// A special register as a whole: a vector is read element by element.
    fn special(&mut self, slot: Slot, sreg: u32, span: Span, negated: bool) {
        let Some(described) = self.lowering.isa.sregs.get(sreg as usize) else {
            return self.lowering.unresolved(span);
        };
        if described.name.starts_with("%perctamemory") {
            return self.lowering.unsupported(
                span,
                format!("ptxvm gives CTAs no memory of their own, and so no `{}`", described.name),
            );
        }
        if described.ty == Type::Pred {
            if let Some(register) = self.predicate_of(sreg, span) {
                self.put(slot, OperandKind::Register { register, negated, selector: 0 });
            }
            return;
        }
        let members = if described.vector { 4 } else { 1 };
        for member in 0..members {
            self.put(slot, OperandKind::Special { sreg: sreg as u16, member });
        }
    }

    /// `%tid.x`, `%v.y`, `%r1.b0`
    fn member(&mut self, slot: Slot, operand: OperandId, selector: Symbol, span: Span, negated: bool) {
        let selector = self.lowering.file.text(selector);
        match self.lowering.module.used(operand) {
            Some(Used::Register(index)) => {
                let vector = self.body.register(index).is_some_and(|r| r.first.vector > 1);
                let (member, selector) = match member(selector) {
                    Some(member) if vector => (member, 0),
                    _ => (0, video_selector(selector, slot.written)),
                };
                if let Some(register) = self.register(index, member, span) {
                    self.put(slot, OperandKind::Register { register, negated, selector });
                }
            }
            Some(Used::Special(sreg)) => {
                let member = member(selector).unwrap_or(0);
                self.put(slot, OperandKind::Special { sreg: sreg as u16, member });
            }
            _ => self.lowering.unresolved(span),
        }
    }

    /// `name + offset` as a value.
    fn offset(&mut self, slot: Slot, operand: OperandId, offset: i64, span: Span) {
        match self.lowering.module.used(operand) {
            Some(Used::Register(index)) => {
                let Some(register) = self.register(index, 0, span) else { return };
                if let Some(register) = self.sum(register, offset, span) {
                    self.put(slot, OperandKind::Register { register, negated: false, selector: 0 });
                }
            }
            Some(Used::Variable(id)) => {
                let opaque = opaque::kind(self.lowering.module.variable(id)).is_some();
                let offset = if opaque { offset / opaque::BYTES } else { offset };
                self.put(slot, OperandKind::Variable { variable: VariableId(id.0), offset });
            }
            _ => self.lowering.unresolved(span),
        }
    }
}

/// The number of a video instruction's selector.
fn video_selector(selector: &str, written: bool) -> u16 {
    let digits = selector.get(1..).unwrap_or("").bytes().map(|digit| u16::from(digit.wrapping_sub(b'0') & 7));
    if let Some(at) = SELECTORS.iter().position(|known| *known == selector) {
        return at as u16 + 1;
    }
    let packed = if written {
        digits.fold(0, |mask, digit| mask | 1 << digit)
    } else {
        digits.fold(0, |packed, digit| packed << 3 | digit)
    };
    SIMD_SELECTOR | packed
}
