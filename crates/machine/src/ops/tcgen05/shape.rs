//! The shapes of `tcgen05.ld` and `.st` (manual 9.7.16.2.3): which cell of tensor memory each register of each thread
//! is.
//!
//! A warp touches 32 rows of cells, or 16, or with `.16x32bx2` two times 16. With `.pack::16b` or `.unpack::16b` a
//! register is two neighbouring cells, of which the lower halves count.

use ptxvm_memory::TensorMemory;
use ptxvm_memory::tensor::LANES as ROWS;

use super::place::{TensorPlace, uniform, whole};
use crate::context::Context;
use crate::door::tensor_memory;
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::ops::operand::Address;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::Flow;
use ptxvm_ir::operation::tcgen05::{self, FragmentShape as Shape};

/// The rows that one warp of a warpgroup can touch.
const QUARTER: u32 = ROWS / 4;

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
pub type CellRows<'a> = [&'a [u32]; LANES];

impl Fragment {
    /// That of an instruction.
    pub fn of(fragment: tcgen05::Fragment) -> Self {
        let tcgen05::Fragment { shape, registers: (_, registers), packed, address } = fragment;
        Self { shape, registers: registers as u32, packed, address }
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
    pub fn parts(&self, at: u32) -> ([TensorPlace; 2], u32) {
        match self.shape {
            Shape::Rows => ([TensorPlace::of(at); 2], QUARTER),
            Shape::Halves(offset) => {
                ([TensorPlace::of(at), TensorPlace::of(at.wrapping_add(offset))], QUARTER / 2)
            }
            _ => ([TensorPlace::of(at); 2], QUARTER / 2),
        }
    }

    /// Where the row of this number of a warp begins.
    #[must_use]
    pub fn row_at(&self, at: u32, row: usize) -> TensorPlace {
        let (parts, rows) = self.parts(at);
        let row = row as u32;
        let part = parts[(row / rows).min(1) as usize];
        TensorPlace { lane: part.lane + row % rows, ..part }
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
        let addresses = context.addresses(self.address, slots);
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
            context.columns(lane, name, rank, (part.column, self.width()))?;
        }
        Ok(at)
    }

    /// The rows of cells at an address that has been checked.
    #[must_use]
    pub fn read<'a>(&self, memory: &'a TensorMemory, at: u32) -> CellRows<'a> {
        let mut rows: CellRows<'a> = [&[]; LANES];
        for (number, row) in rows.iter_mut().enumerate().take(self.rows()) {
            let TensorPlace { lane, column } = self.row_at(at, number);
            *row = memory.row(lane, column, self.width());
        }
        rows
    }

    /// Tells who follows values which cells the registers are.
    pub fn follow(&self, context: &mut Context<'_>, (at, first): (u32, usize), wants: Wants) {
        if context.run.launch.follower.is_none() {
            return;
        }
        let rank = context.cta.rank;
        let row = |row: usize| {
            let TensorPlace { lane, column } = self.row_at(at, row);
            tensor_memory::address(rank, lane, column)
        };
        let rows: [u64; LANES] = std::array::from_fn(row);
        let place = |thread: usize, register: usize, byte: usize| {
            let (row, column) = self.cell(thread, register);
            match self.packed {
                true => (row, 4 * (2 * column + byte / 2) + byte % 2),
                false => (row, 4 * column + byte),
            }
        };
        context.moves_fragments((wants, Some(&rows)), (first, self.registers as usize), 4, &place);
    }

    /// The register of a thread among those rows.
    #[must_use]
    pub fn value(&self, rows: &CellRows<'_>, thread: usize, register: usize) -> u32 {
        let (row, column) = self.cell(thread, register);
        let cell = |column: usize| rows[row].get(column).copied().unwrap_or(0);
        match self.packed {
            true => cell(2 * column) & 0xffff | cell(2 * column + 1) << 16,
            false => cell(column),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::door::address::AddressSpace;

    /// The bit of a matrix of rows of so many bits that CuTe's layout (copy_traits_sm100.hpp, DstLayout) has as the
    /// first of a thread's register: the sum of strides times coordinates. Gives its row and its column of 32 bits.
    fn layout(
        row_bits: usize,
        thread: &[(usize, usize)],
        value: &[(usize, usize)],
        at: (usize, usize),
    ) -> (usize, usize) {
        let sum = |shape: &[(usize, usize)], index: usize| {
            let step = |(left, sum): (usize, usize), (size, stride): &(usize, usize)| {
                (left / size, sum + left % size * stride)
            };
            shape.iter().fold((index, 0), step).1
        };
        let bit = sum(thread, at.0) + sum(value, 32 * at.1);
        (bit / row_bits, bit % row_bits / 32)
    }

    #[test]
    fn every_shape_and_count_is_that_of_cute() {
        let address = Address { operand: 0, space: AddressSpace::Global, offset: 0 };
        for n in [1, 2, 4, 8, 16, 32, 64, 128] {
            let fragment = |shape, registers: usize| Fragment {
                shape,
                registers: registers as u32,
                packed: false,
                address,
            };
            let check = |fragment: Fragment, row_bits, thread: &[_], value: &[_]| {
                assert_eq!(fragment.width() as usize, row_bits / 32);
                for at in (0..LANES).flat_map(|t| (0..fragment.registers as usize).map(move |r| (t, r))) {
                    let expected = layout(row_bits, thread, value, at);
                    assert_eq!(fragment.cell(at.0, at.1), expected, "{fragment:?}, {at:?}");
                }
            };
            check(fragment(Shape::Rows, n), 32 * n, &[(32, 32 * n)], &[(32 * n, 1)]);
            let row = 64 * n;
            check(fragment(Shape::Narrow, n), row, &[(2, 8 * row), (2, 32), (8, row)], &[(32, 1), (n, 64)]);
            if n <= 64 {
                let row = 128 * n;
                let value = [(32, 1), (2, 8 * row), (n, 128)];
                check(fragment(Shape::Middle, 2 * n), row, &[(4, 32), (8, row)], &value);
            }
            if n <= 32 {
                let row = 256 * n;
                let value = [(64, 1), (2, 8 * row), (n, 256)];
                check(fragment(Shape::Wide, 4 * n), row, &[(4, 64), (8, row)], &value);
            }
        }
    }

    #[test]
    fn the_second_half_of_a_warp_has_its_own_address() {
        let address = Address { operand: 0, space: AddressSpace::Global, offset: 0 };
        let fragment = Fragment { shape: Shape::Halves(24), registers: 4, packed: true, address };
        assert_eq!(fragment.width(), 8);
        assert_eq!(fragment.row_at(0x0010_0008, 15), TensorPlace { lane: 31, column: 8 });
        assert_eq!(fragment.row_at(0x0010_0008, 16), TensorPlace { lane: 16, column: 32 });
        assert_eq!(fragment.cell(17, 3), (17, 3));
    }
}
