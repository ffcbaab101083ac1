//! Instructions that the source does not have: what stands in one operand of PTX and takes an instruction to compute.
//!
//! They are ordinary rows of the table on registers of their own, so that an engine needs to know nothing of them.
//! They run without a guard, which does no harm, since nothing else reads what they write.

use ptxvm_isa::{Kind, Type};
use ptxvm_syntax::ast::Span;

use crate::id::{RegisterId, VariableId};
use crate::instruction::OperandKind;
use crate::lower::body::BodyLowering;
use crate::lower::constant;

impl BodyLowering<'_, '_> {
    /// Appends an instruction of these words before the current one; its first operand is written. Gives the fresh
    /// register of that type which it writes.
    fn compute(
        &mut self,
        words: &[&str],
        ty: Type,
        sources: &[OperandKind],
        span: Span,
    ) -> Option<RegisterId> {
        let isa = self.lowering.isa;
        let Some(form) = self.lowering.forms.spelt(isa, words, sources.len() + 1) else {
            self.lowering.unsupported(
                span,
                format!("this needs `{}`, which the table does not have", words.join(".")),
            );
            return None;
        };
        let form_use = *self.lowering.forms.get(form);
        let places = isa.rows[usize::from(form_use.row)].operands;
        let result = self.registers.fresh(ty);
        let outer = std::mem::take(&mut self.current);
        let register = OperandKind::Register { register: result, negated: false, selector: 0 };
        for (i, (place, kind)) in places.iter().zip(std::iter::once(&register).chain(sources)).enumerate() {
            let ty = ptxvm_isa::form::type_of(place, &form_use.filling, isa);
            self.push(i as u8, 0, place.written, ty, *kind);
        }
        self.emit(form, None, span);
        self.current = outer;
        Some(result)
    }

    /// A predicate register with the value of a special register that is a predicate.
    pub fn predicate_of(&mut self, sreg: u32, span: Span) -> Option<RegisterId> {
        let special = OperandKind::Special { sreg: sreg as u16, member: 0 };
        self.compute(&["mov", "pred"], Type::Pred, &[special], span)
    }

    /// `register + offset` as a value, of the register's width.
    pub fn sum(&mut self, register: RegisterId, offset: i64, span: Span) -> Option<RegisterId> {
        let declared = self.registers.ty(register);
        let integral = matches!(declared.kind(), Kind::Bits | Kind::Unsigned | Kind::Signed);
        let ty = match declared.bits() {
            16 if integral => Type::U16,
            32 if integral => Type::U32,
            64 if integral => Type::U64,
            _ => {
                let message =
                    format!("ptxas makes no code for an offset to a `.{}` register", declared.name());
                self.lowering.unsupported(span, message);
                return None;
            }
        };
        let offset = OperandKind::Immediate(constant::cut(offset.cast_unsigned(), ty));
        self.compute(&["add", ty.name()], ty, &[plain(register), offset], span)
    }

    /// The address of an array's element whose index is `register + offset`.
    ///
    /// ptxas reckons with the low 32 bits of the index, and the product with the element's size has 32 bits too.
    pub fn element(
        &mut self,
        variable: VariableId,
        size: u64,
        register: RegisterId,
        offset: i64,
        span: Span,
    ) -> Option<RegisterId> {
        let declared = self.registers.ty(register);
        let source = match (declared.bits(), declared.kind()) {
            (8, Kind::Signed) => "s8",
            (8, _) => "u8",
            (16, Kind::Signed) => "s16",
            (16, _) => "u16",
            (64, _) => "u64",
            _ => "u32",
        };
        let index = match source {
            "u32" => register,
            _ => self.compute(&["cvt", "u32", source], Type::U32, &[plain(register)], span)?,
        };
        let immediate = |value: u64| OperandKind::Immediate(constant::cut(value, Type::U32));
        let scaled = [plain(index), immediate(size), immediate(size.wrapping_mul(offset.cast_unsigned()))];
        let bytes = self.compute(&["mad", "lo", "u32"], Type::U32, &scaled, span)?;
        let base = OperandKind::Variable { variable, offset: 0 };
        if self.lowering.program.address_size == 32 {
            let base = self.compute(&["mov", "u32"], Type::U32, &[base], span)?;
            return self.compute(&["add", "u32"], Type::U32, &[plain(base), plain(bytes)], span);
        }
        let wide = self.compute(&["cvt", "u64", "u32"], Type::U64, &[plain(bytes)], span)?;
        let base = self.compute(&["mov", "u64"], Type::U64, &[base], span)?;
        self.compute(&["add", "u64"], Type::U64, &[plain(base), plain(wide)], span)
    }
}

fn plain(register: RegisterId) -> OperandKind {
    OperandKind::Register { register, negated: false, selector: 0 }
}
