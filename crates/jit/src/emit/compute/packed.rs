//! Integer arithmetic on the parts of a word: `.u16x2`, `.s16x2`, `.u8x4` and `.s8x4`.

use ptxvm_ir::operation::compute::{Integer, IntegerFunction as F, Limit};
use ptxvm_machine::registers::Slot;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::Value;
use super::integer::{extreme, saturating};

impl Emitter<'_> {
    /// Writes a function of parts of so many bits; `None` if it is not written here.
    pub(super) fn packed(
        &mut self,
        integer: &Integer,
        (part, signed): (u32, bool),
        slots: &[Slot],
        guard: &Guard,
    ) -> Option<()> {
        let Integer { function, limit, .. } = *integer;
        let (to, from) = slots.split_first()?;
        let arity = match (function, limit) {
            (F::Neg, None) => 1,
            (F::Add | F::Sub, None | Some(Limit::Sat)) | (F::Min | F::Max, None | Some(Limit::Relu)) => 2,
            _ => return None,
        };
        let sources: Vec<Value> = from.get(..arity)?.iter().map(|slot| self.read(*slot, 32)).collect();
        let value = self.map(&sources, 32, |writer, names| {
            writer.in_parts((32, part), names, |writer, names| {
                let zero = writer.constant(part, 0);
                let (a, b) = (&names[0], names.get(1).unwrap_or(&zero));
                match (function, limit) {
                    (F::Neg, _) => writer.two("sub", part, &zero, a),
                    (F::Add, None) => writer.two("add", part, a, b),
                    (F::Sub, None) => writer.two("sub", part, a, b),
                    (F::Add | F::Sub, _) => writer.intrinsic(saturating(function, signed), part, &[a, b]),
                    (_, None) => writer.intrinsic(extreme(function, signed), part, &[a, b]),
                    (_, Some(_)) => {
                        let chosen = writer.intrinsic(extreme(function, signed), part, &[a, b]);
                        writer.intrinsic(extreme(F::Max, signed), part, &[&chosen, &zero])
                    }
                }
            })
        });
        self.write(*to, value, guard);
        Some(())
    }
}
