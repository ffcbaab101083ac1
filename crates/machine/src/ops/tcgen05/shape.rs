//! The shapes of `tcgen05.ld` and `.st` (manual 9.7.16.2.3): which cell of tensor memory each register of each thread
//! is.
//!
//! A warp touches 32 rows of cells, or 16, or with `.16x32bx2` two times 16. With `.pack::16b` or `.unpack::16b` a
//! register is two neighbouring cells, of which the lower halves count.

use ptxvm_memory::TensorMemory;
use ptxvm_memory::tensor::LANES as ROWS;

use super::place::{Place, columns_are_allocated, taddr, uniform, whole};
use crate::context::Context;
use crate::finding::Kind;
use crate::form::Form;
use crate::lanes::Flow;
use crate::ops::operand::Address;
use crate::registers::{LANES, Slot};

/// The rows that one warp of a warpgroup can touch.
const QUARTER: u32 = ROWS / 4;

/// How the registers of a warp lie in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `.32x32b`: a row for each thread.
    Rows,
    /// `.16x64b`
    Narrow,
    /// `.16x128b`
    Middle,
    /// `.16x256b`
    Wide,
    /// `.16x32bx2`: a row for each thread of half the warp; the second half's begin so far behind the address.
    Halves(u32),
}

/// What a load or store moves.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    shape: Shape,
    /// The registers of each thread.
    pub registers: u32,
    /// Whether a register is two cells.
    pub packed: bool,
    address: Address,
}

/// The rows of cells that a fragment is, one for each place in a warp: 16 of them may be empty.
pub type Rows<'a> = [&'a [u32]; LANES];

impl Fragment {
    /// The fragment of a form whose registers are the operand of this name.
    pub fn of<'a>(form: &Form<'a>, registers: &'a str) -> Option<Self> {
        let shape = match () {
            () if form.says("32x32b") => Shape::Rows,
            () if form.says("16x64b") => Shape::Narrow,
            () if form.says("16x128b") => Shape::Middle,
            () if form.says("16x256b") => Shape::Wide,
            () if form.says("16x32bx2") => Shape::Halves(form.constant("immHalfSplitoff")? as u32),
            () => return None,
        };
        Some(Self {
            shape,
            registers: form.elements(registers).count() as u32,
            packed: form.says("pack::16b") || form.says("unpack::16b"),
            address: taddr(form, "taddr")?,
        })
    }

    /// The row, of those of a warp, and the column in it of a thread's register; a column is one cell, or two.
    #[must_use]
    pub fn cell(&self, thread: usize, register: usize) -> (usize, usize) {
        let (t, r) = (thread, register);
        match self.shape {
            Shape::Rows | Shape::Halves(_) => (t, r),
            Shape::Narrow => (t / 4 + 8 * (t & 1), (t >> 1 & 1) + 2 * r),
            Shape::Middle => (t / 4 + 8 * (r & 1), t % 4 + 4 * (r / 2)),
            Shape::Wide => (t / 4 + 8 * (r >> 1 & 1), 2 * (t % 4) + (r & 1) + 8 * (r / 4)),
        }
    }

    /// How many cells of a row it touches.
    #[must_use]
    pub fn width(&self) -> u32 {
        let columns = match self.shape {
            Shape::Rows | Shape::Halves(_) => self.registers,
            Shape::Narrow | Shape::Middle | Shape::Wide => 2 * self.registers,
        };
        columns << u32::from(self.packed)
    }

    /// Where the rows of a warp begin, and how many there are in each of one or two parts.
    pub fn parts(&self, at: u32) -> ([Place; 2], u32) {
        match self.shape {
            Shape::Rows => ([Place::of(at); 2], QUARTER),
            Shape::Halves(offset) => ([Place::of(at), Place::of(at.wrapping_add(offset))], QUARTER / 2),
            _ => ([Place::of(at); 2], QUARTER / 2),
        }
    }

    /// Where the row of this number of a warp begins.
    #[must_use]
    pub fn row_at(&self, at: u32, row: usize) -> Place {
        let (parts, rows) = self.parts(at);
        let row = row as u32;
        let part = parts[(row / rows).min(1) as usize];
        Place { lane: part.lane + row % rows, ..part }
    }

    /// How many rows of a warp it has.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self.shape {
            Shape::Rows | Shape::Halves(_) => LANES,
            _ => LANES / 2,
        }
    }

    /// The address, if the warp may touch what lies there.
    pub fn check(
        &self,
        context: &mut Context<'_>,
        slots: &[Slot],
        mask: u32,
        name: &str,
    ) -> Result<u32, Flow> {
        let lane = whole(context, mask, name)?;
        let addresses = self.address.read(context, slots);
        let at = uniform(context, |_, lane| addresses[lane] as u32, mask, name, "taddr")?;
        let (parts, rows) = self.parts(at);
        let first = context.warp.index % 4 * QUARTER;
        let both = if matches!(self.shape, Shape::Halves(_)) { &parts[..] } else { &parts[..1] };
        for part in both {
            if part.lane < first || part.lane + rows > first + QUARTER {
                let (warp, last) = (context.warp.index, part.lane + rows - 1);
                let message =
                    format!("{name} of lanes {} to {last} of tensor memory in warp {warp}", part.lane);
                let rule = format!(
                    "warp {warp} can access lanes {first} to {} only: those of its number in its warpgroup, {}; the \
                     lane is in the upper half of taddr",
                    first + QUARTER - 1,
                    warp % 4
                );
                return Err(context.fault(Kind::OutOfBounds, lane, message, vec![rule]));
            }
            let rank = context.cta.rank;
            columns_are_allocated(context, lane, name, rank, (part.column, self.width()))?;
        }
        Ok(at)
    }

    /// The rows of cells at an address that has been checked.
    #[must_use]
    pub fn read<'a>(&self, memory: &'a TensorMemory, at: u32) -> Rows<'a> {
        let mut rows: Rows<'a> = [&[]; LANES];
        for (number, row) in rows.iter_mut().enumerate().take(self.rows()) {
            let Place { lane, column } = self.row_at(at, number);
            *row = memory.row(lane, column, self.width());
        }
        rows
    }

    /// The register of a thread among those rows.
    #[must_use]
    pub fn value(&self, rows: &Rows<'_>, thread: usize, register: usize) -> u32 {
        let (row, column) = self.cell(thread, register);
        let cell = |column: usize| rows[row].get(column).copied().unwrap_or(0);
        match self.packed {
            true => cell(2 * column) & 0xffff | cell(2 * column + 1) << 16,
            false => cell(column),
        }
    }
}
