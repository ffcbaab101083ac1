//! Conversions: which file writes one, and those with an integer on one side or on both.

use ptxvm_ir::operation::compute::Convert;
use ptxvm_isa::{Kind, Type};
use ptxvm_machine::registers::Slot;
use ptxvm_num::Rounding;
use ptxvm_num::convert::Modifiers;

use super::super::block::Guard;
use super::super::value::{Kept, Value};
use super::super::{Emitter, Name, Writer};
use super::arithmetic::is_directed;
use super::finish::flush;
use super::half::odd_narrow;
use super::widths::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, integral};

impl Emitter<'_> {
    pub(super) fn convert(&mut self, convert: &Convert, slots: &[Slot], guard: &Guard) -> Option<()> {
        let Convert { to, from, rounding, stochastic: false, modifiers, scaled: false } = *convert else {
            return None;
        };
        let whole = |ty: Type| matches!(ty.kind(), Kind::Signed | Kind::Unsigned);
        if !whole(to) && !whole(from) {
            return self.widths(convert, slots, guard);
        }
        let [destination, source] = *slots else { return None };
        let Modifiers { ftz, sat, relu: false, satfinite: false } = modifiers else { return None };
        let value = match (whole(to), whole(from)) {
            (true, true) => {
                let a = self.read(source, from.bits());
                let a = if sat { self.clamped(&a, to, from) } else { a };
                self.integer_width(&a, to, from)
            }
            // `.sat` is what happens anyway.
            (true, false) => self.float_to_integer(source, to, from, rounding?, ftz)?,
            // An integer is never subnormal.
            (false, _) if !sat => self.integer_to_float(source, to, from, rounding?)?,
            _ => return None,
        };
        self.write(destination, value, guard);
        Some(())
    }

    /// An integer in another width: extended by its own sign, or cut.
    fn integer_width(&mut self, a: &Value, to: Type, from: Type) -> Value {
        let signed = from.kind() == Kind::Signed;
        if let (Kept::Affine(..) | Kept::Pattern(..) | Kept::Rows(..), 32, 64) =
            (&a.kept, from.bits(), to.bits())
        {
            self.leave_if_wraps(a, signed);
            let extend = if signed { "sext" } else { "zext" };
            let wide = a.renamed(|base| self.writer.cast(extend, 32, base, 64));
            return Value { bits: 64, ..wide };
        }
        self.resized(a, to.bits(), if signed { "sext" } else { "zext" })
    }

    /// `.sat`: the nearest number of another type, in the width of the first.
    fn clamped(&mut self, a: &Value, to: Type, from: Type) -> Value {
        let bits = from.bits();
        let range = |ty: Type| match ty.kind() {
            Kind::Signed => (-(1i128 << (ty.bits() - 1)), (1i128 << (ty.bits() - 1)) - 1),
            _ => (0, (1i128 << ty.bits()) - 1),
        };
        let ((low, high), (least, most)) = (range(to), range(from));
        let letter = if from.kind() == Kind::Signed { 's' } else { 'u' };
        self.map(std::slice::from_ref(a), bits, |writer, names| {
            let mut value = names[0].clone();
            if low > least {
                let low = writer.constant(bits, low as u64);
                value = writer.intrinsic(&format!("{letter}max"), bits, &[&value, &low]);
            }
            if high < most {
                let high = writer.constant(bits, high as u64);
                value = writer.intrinsic(&format!("{letter}min"), bits, &[&value, &high]);
            }
            value
        })
    }

    /// A float rounded to an integer and clamped. NaN gives zero, or the pattern with only the highest bit set if either
    /// side is 64 bits wide.
    fn float_to_integer(
        &mut self,
        source: Slot,
        to: Type,
        from: Type,
        rounding: Rounding,
        ftz: bool,
    ) -> Option<Value> {
        if !matches!(from, Type::F16 | Type::Bf16 | Type::F32 | Type::F64) || rounding == Rounding::Rna {
            return None;
        }
        let (bits, wide) = (to.bits(), if from == Type::F64 { 64 } else { 32 });
        let a = self.read_loose(source, from.bits());
        Some(self.map(&[a], bits, |writer, names| {
            let a = widened(writer, &names[0], from);
            let a = flush(writer, &a, ftz && from == Type::F32);
            let number = writer.as_float(wide, &a);
            // What is cut off is cut off by the conversion itself.
            let whole = match rounding {
                Rounding::Rz => number.clone(),
                _ => integral(writer, wide, &number, rounding),
            };
            let result = clamped_integer(writer, &whole, wide, to);
            if wide < 64 && bits < 64 {
                return result;
            }
            let float = writer.float_ty(wide);
            let is_nan = writer.value(format!("fcmp uno {float} {number}, {number}"));
            let top = writer.constant(bits, 1 << (bits - 1));
            writer.select(&is_nan, bits, &top, &result)
        }))
    }

    /// An integer as a float, rounded once.
    fn integer_to_float(&mut self, source: Slot, to: Type, from: Type, rounding: Rounding) -> Option<Value> {
        let bits = from.bits();
        let narrow = matches!(to, Type::F16 | Type::Bf16);
        // The format that holds every integer of the type, or rounds it to nearest.
        let wide = match to {
            Type::F32 => 32,
            Type::F64 => 64,
            Type::F16 | Type::Bf16 if bits < 32 => 32,
            Type::F16 | Type::Bf16 if bits == 32 => 64,
            _ => return None,
        };
        let holds = !narrow && bits < wide;
        if rounding != Rounding::Rn && !holds {
            let directs = self.writer.avx512 && is_directed(rounding) && !narrow && bits >= wide;
            let a = self.read(directs.then_some(source)?, bits);
            return Some(self.map(&[a], wide, |writer, names| {
                let signed = from.kind() == Kind::Signed;
                let number = writer.rounded_integer(signed, &names[0], (bits, wide), rounding);
                writer.as_bits(wide, &number)
            }));
        }
        let op = if from.kind() == Kind::Signed { "sitofp" } else { "uitofp" };
        let a = self.read(source, bits);
        Some(self.map(&[a], to.bits(), |writer, names| {
            let (ty, float) = (writer.ty(bits), writer.float_ty(wide));
            let number = writer.value(format!("{op} {ty} {} to {float}", names[0]));
            let number = writer.as_bits(wide, &number);
            if !narrow {
                return number;
            }
            let single = if wide == 64 { odd_narrow(writer, &number) } else { number };
            if to == Type::F16 { f32_to_f16(writer, &single) } else { f32_to_bf16(writer, &single) }
        }))
    }
}

/// The integer of a type that is nearest to a float without its fraction; NaN gives zero. LLVM has `fptosi.sat` for this, of
/// which it makes a branch for each lane.
fn clamped_integer(writer: &mut Writer, number: &str, wide: u32, to: Type) -> Name {
    let (bits, signed) = (to.bits(), to.kind() == Kind::Signed);
    if (bits, wide) == (32, 32) && writer.wide && writer.avx512 {
        return writer.clamped_word(number, signed);
    }
    let (ty, float) = (writer.ty(bits), writer.float_ty(wide));
    // Both are powers of two, or zero, so that every format has them.
    let above = 2f64.powi(if signed { bits as i32 - 1 } else { bits as i32 });
    let least = if signed { -above } else { 0.0 };
    let most = if signed { u64::MAX >> (65 - bits) } else { u64::MAX >> (64 - bits) };
    let [zero, least, above] = [0.0, least, above].map(|bound| float_constant(writer, wide, bound));
    let fits_below = writer.value(format!("fcmp olt {float} {number}, {above}"));
    let fits_above = writer.value(format!("fcmp oge {float} {number}, {least}"));
    let truth = writer.ty(1);
    let fits = writer.value(format!("and {truth} {fits_below}, {fits_above}"));
    let inside = writer.value(format!("select {truth} {fits}, {float} {number}, {float} {zero}"));
    let op = if signed { "fptosi" } else { "fptoui" };
    let result = writer.value(format!("{op} {float} {inside} to {ty}"));
    let is_above = writer.value(format!("fcmp oge {float} {number}, {above}"));
    let most = writer.constant(bits, most);
    let result = writer.select(&is_above, bits, &most, &result);
    if !signed {
        return result;
    }
    let is_below = writer.value(format!("fcmp olt {float} {number}, {least}"));
    let lowest = writer.constant(bits, 1 << (bits - 1));
    writer.select(&is_below, bits, &lowest, &result)
}

/// A float constant of single or double precision.
fn float_constant(writer: &mut Writer, wide: u32, number: f64) -> Name {
    let bits = if wide == 64 { number.to_bits() } else { u64::from((number as f32).to_bits()) };
    let bits = writer.constant(wide, bits);
    writer.as_float(wide, &bits)
}

/// A float of any width in single precision, or in double precision if it has that.
fn widened(writer: &mut Writer, a: &Name, ty: Type) -> Name {
    match ty {
        Type::F16 => f16_to_f32(writer, a),
        Type::Bf16 => bf16_to_f32(writer, a),
        _ => a.clone(),
    }
}
