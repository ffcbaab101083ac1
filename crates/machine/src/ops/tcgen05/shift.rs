//! `tcgen05.shift.down` (manual 9.7.16.9.3): the rows of a matrix in tensor memory move by one.
//!
//! The matrix has the 32 lanes of a warp and 8 columns. Each row but the last becomes the one after it, which makes
//! room in the last lane for a new row, as `tcgen05.cp.4x256b` brings one to each warp's lanes. The manual does not say
//! the direction in numbers; an example of CUTLASS (1cta_mma_a_from_tmem.py) has seen it on a B200, with `.ashift`.

use ptxvm_memory::TensorMemory;
use ptxvm_memory::tensor::{LANES, units_of};
use smallvec::SmallVec;

use super::place::{TensorPlace, ctas_of};
use crate::asynchronous::queue::{Named, Pending, TensorUse, Transfer};
use crate::context::Context;
use crate::door::tensor_memory::cells;
use crate::door::touch::{Touch, Wants};
use crate::explain::finding::Kind;
use crate::ops::operand::Address;
use crate::registers::{Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op, issue_each};

/// The lanes of the matrix.
const ROWS: u32 = 32;
/// Its columns: 32 bytes.
const COLUMNS: u32 = 8;

pub fn executor(group: u32, address: Address) -> Op {
    Box::new(Shift { group, address })
}

struct Shift {
    group: u32,
    address: Address,
}

impl Shift {
    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let name = "tcgen05.shift";
        let ctas = ctas_of(context, lane, self.group, name)?;
        let at = TensorPlace::of(context.addresses(self.address, slots)[lane] as u32);
        if !at.lane.is_multiple_of(ROWS) || at.lane >= LANES {
            let message = format!("{name} at lane {} of tensor memory", at.lane);
            let rule = "the lane of taddr must be a multiple of 32, and one of 128";
            return Err(context.fault(Kind::Misaligned, lane, message, vec![rule.into()]));
        }
        for rank in lanes_in(ctas) {
            context.columns(lane, name, rank as u32, (at.column, COLUMNS))?;
        }
        context.worker.cluster.queue.push(Pending {
            fetched: true,
            ..Pending::new(
                context,
                1 << lane,
                Named::Tcgen05Shift(at.column, at.column + COLUMNS - 1),
                MovingRows { ctas, at },
            )
        });
        Ok(())
    }
}

impl Execute for Shift {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        issue_each(mask, |lane| self.issue(context, slots, lane))
    }
}

/// Rows that are about to move.
#[derive(Debug)]
struct MovingRows {
    ctas: u32,
    at: TensorPlace,
}

impl Transfer for MovingRows {
    fn footprint(&self, visit: &mut dyn FnMut(Touch)) {
        let TensorPlace { lane: first, column } = self.at;
        for rank in lanes_in(self.ctas) {
            for lane in first..first + ROWS - 1 {
                visit(cells(rank as u32, (lane + 1, column), COLUMNS, Wants::Read));
                visit(cells(rank as u32, (lane, column), COLUMNS, Wants::Write));
            }
        }
    }

    fn fetch(&mut self) {}

    fn effort(&self) -> u64 {
        u64::from(self.ctas.count_ones() * ROWS)
    }

    fn deliver(&mut self, tensor_memory: &mut [TensorMemory]) {
        let TensorPlace { lane: first, column } = self.at;
        for rank in lanes_in(self.ctas) {
            let Some(memory) = tensor_memory.get_mut(rank) else { continue };
            for lane in first..first + ROWS - 1 {
                let next: SmallVec<[u32; COLUMNS as usize]> =
                    SmallVec::from_slice(memory.row(lane + 1, column, COLUMNS));
                for (to, from) in memory.row_mut(lane, column, COLUMNS).iter_mut().zip(next) {
                    *to = from;
                }
            }
        }
    }

    fn tensor_use(&self) -> Option<TensorUse> {
        Some(TensorUse { ctas: self.ctas, units: units_of(self.at.column, COLUMNS), in_order: true })
    }
}
