//! Matrices that go between the registers of a warp and memory, by `wmma.load`, `wmma.store`, `tcgen05.ld` and
//! `tcgen05.st`: which byte each byte of a register is, the machine tells.

use ptxvm_machine::door::fragments::Fragments;
use ptxvm_machine::door::observer::{Access, Who};
use ptxvm_machine::door::touch::{Space, Wants};

use crate::init::memory::{Memory, cell, place};
use crate::init::registers::{Lanes, Undefined, lanes_in};
use crate::init::state::{Birth, Cells, Left, State};

impl State {
    /// Gives whether a register takes something undefined.
    pub fn fragments(&mut self, fragments: &Fragments<'_>) -> bool {
        let last = self.last.filter(|(source, _)| *source == fragments.source);
        let row = |row: usize| match fragments.rows {
            Some(rows) => rows.get(row).map(|at| (Memory::Tensor(fragments.who.cluster), cell(*at))),
            None => last.and_then(|(_, rows)| rows.get(row).copied().flatten()),
        };
        match fragments.wants {
            Wants::Read => {
                let has_some = match fragments.rows {
                    Some(_) => std::mem::take(&mut self.rows_unwritten),
                    None => self.loaded.as_ref().is_some_and(|(source, _)| *source == fragments.source),
                };
                has_some && self.load_fragments(fragments, &row)
            }
            _ => {
                self.store_fragments(fragments, &row);
                false
            }
        }
    }

    /// Lanes read rows of tensor memory; which of their registers these are is told afterwards.
    pub fn reads_rows(&mut self, access: &Access<'_>) {
        let unwritten = |lane: usize| {
            place(access, lane).is_some_and(|(memory, at)| !self.memories.has_all(memory, at, access.bytes))
        };
        self.rows_unwritten = lanes_in(access.who.lanes).any(unwritten);
    }

    fn load_fragments(
        &mut self,
        fragments: &Fragments<'_>,
        row: &dyn Fn(usize) -> Option<(Memory, u64)>,
    ) -> bool {
        let (first, count) = fragments.registers;
        let mut taken: Vec<Lanes> = Vec::new();
        let mut any = false;
        for register in 0..count {
            let mut lanes = Lanes::default();
            for (lane, byte) in (0..32).flat_map(|lane| (0..fragments.width).map(move |byte| (lane, byte))) {
                let (number, offset) = (fragments.place)(lane, register, byte);
                let Some((memory, start)) = row(number) else { continue };
                let at = start + offset as u64;
                let bits = self.memories.undefined_bits(memory, at, 1)[0];
                if bits == 0 {
                    continue;
                }
                any = true;
                let origin = match self.memories.origin(memory, at) {
                    Some(origin) => origin,
                    None => self.born(Birth::Memory(fragments.source, space(memory)), at),
                };
                let bits = lanes[lane].bits | u128::from(bits) << (8 * byte);
                lanes[lane] = Undefined { bits, origin };
            }
            taken.push(lanes);
        }
        self.loaded_registers = any.then_some((fragments.source, first, taken));
        any
    }

    fn store_fragments(&mut self, fragments: &Fragments<'_>, row: &dyn Fn(usize) -> Option<(Memory, u64)>) {
        let shadows = self.pending.as_mut().map(|pending| std::mem::take(&mut pending.fragment));
        let (first, count) = fragments.registers;
        let mut cells = Cells::new();
        for (register, lanes) in shadows.iter().flatten() {
            let Some(register) = register.checked_sub(first).filter(|number| *number < count) else {
                continue;
            };
            for (lane, value) in lanes.iter().enumerate().filter(|(_, value)| value.bits != 0) {
                for byte in 0..fragments.width {
                    let bits = (value.bits >> (8 * byte)) as u8;
                    let (number, offset) = (fragments.place)(lane, register, byte);
                    if let Some((memory, start)) = row(number).filter(|_| bits != 0) {
                        cells.push(((memory, start + offset as u64), bits, value.origin));
                    }
                }
            }
        }
        // What goes to tensor memory is written when the operation is issued, which is told after this.
        if fragments.rows.is_some() {
            self.cells = cells;
            return;
        }
        self.leave_cells(&fragments.who, fragments, &cells);
    }

    fn leave_cells(&mut self, who: &Who, fragments: &Fragments<'_>, cells: &Cells) {
        for ((memory, at), bits, origin) in cells {
            self.memories.undefine_bits(*memory, *at, *bits, Some(*origin));
        }
        let global = cells.iter().find(|((memory, _), ..)| *memory == Memory::Global);
        if let Some(((_, address), _, origin)) = global.copied() {
            let left = Left { who: *who, lane: 0, address, mask: 1, origin };
            self.left.entry(fragments.source).or_default().push(left);
        }
    }
}

fn space(memory: Memory) -> Space {
    match memory {
        Memory::Global => Space::Global,
        Memory::Shared(_) => Space::Shared,
        Memory::Tensor(_) => Space::Tensor,
        Memory::Local(_) => Space::Local,
    }
}
