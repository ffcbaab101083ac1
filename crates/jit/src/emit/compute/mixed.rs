//! Single precision with half-precision sources, which are widened first.

use ptxvm_ir::operation::compute::{FloatFunction as F, Mixed, MixedFunction};
use ptxvm_isa::Type;
use ptxvm_machine::registers::Slot;
use ptxvm_num::Rounding;

use super::super::block::Guard;
use super::super::value::Value;
use super::super::{Emitter, Name};
use super::arithmetic::{arithmetic, is_directed};
use super::directed::directed;
use super::finish::saturate;
use super::widths::{bf16_to_f32, f16_to_f32};

impl Emitter<'_> {
    pub(super) fn mixed(&mut self, mixed: &Mixed, slots: &[Slot], guard: &Guard) -> Option<()> {
        let Mixed { function, source, rounding, sat } = *mixed;
        let widen = match source {
            Type::F16 => f16_to_f32,
            Type::Bf16 => bf16_to_f32,
            _ => return None,
        };
        // How many sources are narrow; the last one is not.
        let (function, narrow) = match function {
            MixedFunction::Add => (F::Add, 1),
            MixedFunction::Sub => (F::Sub, 1),
            MixedFunction::Fma => (F::Fma, 2),
        };
        let (to, from) = slots.split_first()?;
        let (halves, singles) = from.split_at_checked(narrow)?;
        let mut sources: Vec<Value> = halves.iter().map(|slot| self.read(*slot, 16)).collect();
        sources.push(self.read(*singles.first()?, 32));
        let nearest = rounding == Rounding::Rn;
        if !nearest && !is_directed(rounding) {
            return None;
        }
        let value = self.map(&sources, 32, |writer, names| {
            let mut wide: Vec<Name> = names[..narrow].iter().map(|name| widen(writer, name)).collect();
            wide.push(names[narrow].clone());
            let value = match nearest {
                true => arithmetic(writer, function, 32, &wide, false),
                false => directed(writer, function, &wide, rounding, false),
            };
            if sat { saturate(writer, &value) } else { value }
        });
        self.write(*to, Value { loose: !sat, ..value }, guard);
        Some(())
    }
}
