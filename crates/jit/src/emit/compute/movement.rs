//! Moves, packing and unpacking.

use ptxvm_ir::operation::compute::Movement;
use ptxvm_machine::registers::Slot;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::Value;

impl Emitter<'_> {
    pub(super) fn movement(&mut self, movement: &Movement, slots: &[Slot], guard: &Guard) -> Option<()> {
        match *movement {
            Movement::Copy { bits } => {
                let [to, from] = *slots else { return None };
                let value = if bits == 1 { self.predicate(from) } else { self.read(from, bits) };
                self.write(to, value, guard);
                Some(())
            }
            Movement::Pack { count, part, .. } => {
                let all = count * part;
                if all > 64 {
                    return None;
                }
                let (to, from) = slots.split_first()?;
                // A sink among the elements leaves zeros in its place.
                let element = |slot: &Slot| match slot.is_sink() {
                    true => Value::scalar(part, "0"),
                    false => self.read(*slot, part),
                };
                let sources: Vec<_> = from.iter().map(element).collect();
                if sources.len() != count as usize {
                    return None;
                }
                let value = self.map(&sources, all, |writer, names| {
                    let mut packed = writer.cast("zext", part, &names[0], all);
                    for (place, name) in (1u64..).zip(&names[1..]) {
                        let wide = writer.cast("zext", part, name, all);
                        let by = writer.constant(all, place * u64::from(part));
                        let moved = writer.two("shl", all, &wide, &by);
                        packed = writer.two("or", all, &packed, &moved);
                    }
                    packed
                });
                self.write(*to, value, guard);
                Some(())
            }
            Movement::Unpack { count, part } => {
                let (to, from) = slots.split_at_checked(count as usize)?;
                let all = count * part;
                if all > 64 {
                    return None;
                }
                let whole = self.read(*from.first()?, all);
                for (place, to) in (0u64..).zip(to) {
                    let value = self.map(std::slice::from_ref(&whole), part, |writer, names| {
                        let by = writer.constant(all, place * u64::from(part));
                        let moved = writer.two("lshr", all, &names[0], &by);
                        writer.cast("trunc", all, &moved, part)
                    });
                    self.write(*to, value, guard);
                }
                Some(())
            }
            Movement::CopyVector { count, bits } => {
                let (to, from) = slots.split_at_checked(count as usize)?;
                let sources: Vec<_> =
                    from.get(..count as usize)?.iter().map(|slot| self.read(*slot, bits)).collect();
                for (to, source) in to.iter().zip(sources) {
                    self.write(*to, source, guard);
                }
                Some(())
            }
            Movement::Spread { count, bits } => {
                let (to, from) = slots.split_at_checked(count as usize)?;
                let source = self.read(*from.first()?, bits);
                for to in to {
                    self.write(*to, source.clone(), guard);
                }
                Some(())
            }
            Movement::Prmt { selector } => self.permute(None, selector, slots, guard),
            Movement::PrmtMode(mode) => self.permute(Some(mode), None, slots, guard),
        }
    }
}
