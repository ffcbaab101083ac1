//! `prmt`: the bytes of two words in a new order.

use ptxvm_machine::registers::Slot;
use ptxvm_num::int::permute::Permute;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::Value;
use super::super::writer::{Name, Writer};

impl Emitter<'_> {
    /// Writes a permute: by a mode, by a constant that names the bytes, or by a word that does.
    pub(super) fn permute(
        &mut self,
        mode: Option<Permute>,
        selector: Option<u32>,
        slots: &[Slot],
        guard: &Guard,
    ) -> Option<()> {
        let (to, from) = slots.split_first()?;
        let mut sources: Vec<Value> = from.iter().map(|slot| self.read(*slot, 32)).collect();
        if selector.is_some() {
            sources.truncate(2);
        }
        let value = match (&sources[..], selector) {
            ([_, _], Some(selector)) => self.map(&sources, 32, |writer, names| {
                writer.in_parts((32, 8), names, |writer, names| constant(writer, names, selector))
            }),
            ([_, _, _], _) => self.map(&sources, 32, |writer, names| selected(writer, names, mode)),
            _ => return None,
        };
        self.write(*to, value, guard);
        Some(())
    }
}

/// The bytes that the nibbles of a constant name: a shuffle, and the sign of those whose nibble has its top bit set.
fn constant(writer: &mut Writer, names: &[Name], selector: u32) -> Name {
    let nibble = |place: usize| selector as usize >> (4 * place) & 0xf;
    let mixed = writer.shuffle(8, [&names[0], &names[1]], 4, |place| nibble(place) & 7);
    if (0..4).all(|place| nibble(place) < 8) {
        return mixed;
    }
    let signs = writer.with("ashr", 8, &mixed, 7);
    writer.shuffle(8, [&mixed, &signs], 4, |place| if nibble(place) < 8 { place } else { 4 + place })
}

/// The bytes that a word names, or its low two bits in a mode.
fn selected(writer: &mut Writer, names: &[Name], mode: Option<Permute>) -> Name {
    let (a, b) = (writer.cast("zext", 32, &names[0], 64), writer.cast("zext", 32, &names[1], 64));
    let high = writer.with("shl", 64, &b, 32);
    let all = writer.two("or", 64, &a, &high);
    let low = writer.with("and", 32, &names[2], 3);
    let mut result = writer.constant(32, 0);
    for place in 0..4 {
        let number = match mode {
            Some(mode) => source(writer, mode, &low, place),
            None => writer.with("lshr", 32, &names[2], 4 * place),
        };
        let at = writer.with("and", 32, &number, 7);
        let at = writer.with("shl", 32, &at, 3);
        let at = writer.cast("zext", 32, &at, 64);
        let byte = writer.two("lshr", 64, &all, &at);
        let byte = writer.cast("trunc", 64, &byte, 32);
        let mut byte = writer.with("shl", 32, &byte, 24);
        if mode.is_none() {
            let sign = writer.with("ashr", 32, &byte, 31);
            let asked = writer.with("and", 32, &number, 8);
            byte = writer.choose(("eq", &asked, 0), &byte, &sign);
            byte = writer.with("and", 32, &byte, 0xff00_0000);
        }
        let byte = writer.with("lshr", 32, &byte, 24 - 8 * place);
        result = writer.two("or", 32, &result, &byte);
    }
    result
}

/// The number of the byte that goes to a place, as `ptxvm_num::int::permute::Permute` has it.
fn source(writer: &mut Writer, mode: Permute, selector: &Name, place: u64) -> Name {
    match mode {
        Permute::F4e => writer.with("add", 32, selector, place),
        Permute::B4e => writer.with("sub", 32, selector, place),
        Permute::Rc8 => selector.clone(),
        Permute::Ecl | Permute::Ecr => {
            let name = if mode == Permute::Ecl { "umax" } else { "umin" };
            let place = writer.constant(32, place);
            writer.intrinsic(name, 32, &[selector, &place])
        }
        Permute::Rc16 => {
            let half = writer.with("and", 32, selector, 1);
            let first = writer.with("shl", 32, &half, 1);
            writer.with("add", 32, &first, place & 1)
        }
    }
}
