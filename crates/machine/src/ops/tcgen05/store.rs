//! `tcgen05.st` (manual 9.7.16.8.4): the registers are read at once, tensor memory is written later.
//!
//! `tcgen05.wait::st` waits for that; a program that does not finds what was there before.

use ptxvm_memory::TensorMemory;
use ptxvm_memory::tensor::{Units, units_of};

use super::place::TensorPlace;
use super::shape::Fragment;
use crate::asynchronous::queue::{Named, Pending, TensorUse, Transfer, copying};
use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::tensor_memory;
use crate::door::touch::{Touch, Wants};
use crate::ops::load_store::traffic;
use crate::registers::{Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::tcgen05;

pub fn executor(fragment: tcgen05::Fragment) -> Op {
    Box::new(Store { fragment: Fragment::of(fragment), first: fragment.registers.0 })
}

struct Store {
    fragment: Fragment,
    /// The slot of the first register.
    first: usize,
}

impl Store {
    fn store(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Result<(), Flow> {
        let Self { fragment, first } = self;
        let registers = fragment.registers;
        let at = fragment.check(context, slots, mask, "tcgen05.st")?;
        fragment.follow(context, (at, *first), Wants::Write);
        let rank = context.cta.rank;
        let Some(memory) = tensor_memory::of(context.worker, rank) else { return Ok(()) };
        let mut rows: Vec<Vec<u32>> =
            fragment.read(memory, at).iter().take(fragment.rows()).map(|row| row.to_vec()).collect();
        for register in 0..registers as usize {
            let values = u32::read(&context.bank, slots[first + register]);
            for thread in lanes_in(mask) {
                let (row, column) = fragment.cell(thread, register);
                match (fragment.packed, values[thread]) {
                    (false, value) => put(&mut rows[row], column, value),
                    (true, value) => {
                        put(&mut rows[row], 2 * column, value & 0xffff);
                        put(&mut rows[row], 2 * column + 1, value >> 16);
                    }
                }
            }
        }
        if context.run.launch.settings.statistics {
            let bytes = 4 * u64::from(registers) * u64::from(mask.count_ones());
            context.worker.statistics.bytes_written[traffic(AddressSpace::Const)] += bytes;
        }
        let rows: Vec<(TensorPlace, Vec<u32>)> =
            rows.into_iter().enumerate().map(|(number, row)| (fragment.row_at(at, number), row)).collect();
        let units =
            rows.iter().fold(0, |units, (place, cells)| units | units_of(place.column, cells.len() as u32));
        context.worker.cluster.queue.push(Pending {
            fetched: true,
            ..Pending::new(context, mask, Named::Tcgen05Store(registers), Cells { rank, units, rows })
        });
        Ok(())
    }
}

fn put(row: &mut [u32], column: usize, value: u32) {
    if let Some(cell) = row.get_mut(column) {
        *cell = value;
    }
}

impl Execute for Store {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        match self.store(context, slots, mask) {
            Ok(()) => Flow::Issued,
            Err(flow) => flow,
        }
    }
}

/// Cells on their way to the tensor memory of a CTA.
#[derive(Debug)]
struct Cells {
    rank: u32,
    /// The columns that they lie in.
    units: Units,
    rows: Vec<(TensorPlace, Vec<u32>)>,
}

impl Transfer for Cells {
    fn footprint(&self, visit: &mut dyn FnMut(Touch)) {
        for (TensorPlace { lane, column }, cells) in &self.rows {
            let columns = cells.len() as u32;
            visit(tensor_memory::cells(self.rank, (*lane, *column), columns, Wants::Write));
        }
    }

    fn fetch(&mut self) {}

    fn effort(&self) -> u64 {
        copying(self.rows.iter().map(|(_, cells)| 4 * cells.len() as u64).sum())
    }

    fn deliver(&mut self, tensor_memory: &mut [TensorMemory]) {
        let Some(memory) = tensor_memory.get_mut(self.rank as usize) else { return };
        for (TensorPlace { lane, column }, cells) in &self.rows {
            for (to, from) in memory.row_mut(*lane, *column, cells.len() as u32).iter_mut().zip(cells) {
                *to = *from;
            }
        }
    }

    fn tensor_use(&self) -> Option<TensorUse> {
        Some(TensorUse { ctas: 1 << self.rank, units: self.units, in_order: false })
    }
}
