//! `ldmatrix`, `stmatrix`, `movmatrix` (manual 9.7.14.5.15 to 9.7.14.5.17) of 8x8 matrices of 16-bit elements.
//!
//! The warp holds such a matrix two elements a lane: lane `4r + c` has columns `2c` and `2c + 1` of row `r`, the
//! first in its low half. In memory a row is sixteen bytes at an address that one lane gives.
#![allow(unsafe_code)]

use ptxvm_memory::{Window, access, window_of};

use super::load_store::{addresses, space_of, traffic};
use crate::address::{AddressSpace, Pointers, Wants};
use crate::context::Context;
use crate::finding::Kind;
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::registers::{LANES, Slot, Value, lanes_in};

/// The bytes of a row.
const ROW: u64 = 16;

/// The operation of a matrix movement.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if !form.has("m8n8") || !form.has("b16") {
        return None;
    }
    let trans = form.has("trans");
    let moved = |count: usize| {
        let (base, offset) = form.address()?;
        Some(Moved { space: space_of(form, base)?, offset, count, trans })
    };
    Some(match form.opcode() {
        "ldmatrix" => Box::new(Load(moved(form.elements("d").count())?)),
        "stmatrix" => Box::new(Store(moved(form.elements("r").count())?)),
        "movmatrix" => Box::new(Transpose),
        _ => return None,
    })
}

/// What `ldmatrix` and `stmatrix` have in common.
struct Moved {
    space: AddressSpace,
    offset: i64,
    /// How many matrices: 1, 2 or 4. Eight lanes give the rows of each.
    count: usize,
    trans: bool,
}

impl Moved {
    /// The rows of all matrices on the host, by the lane that gives their address.
    fn rows(
        &self,
        context: &mut Context<'_>,
        address: Slot,
        mask: u32,
        wants: Wants,
    ) -> Result<Pointers, Flow> {
        let at = addresses(context, address, self.offset);
        let givers = u32::MAX >> (LANES - 8 * self.count);
        if givers & !mask != 0 {
            let lane = (givers & !mask).trailing_zeros() as usize;
            let message =
                format!("lane {lane} gives the address of a row but does not execute the instruction");
            return Err(context.fault(Kind::Misuse, mask.trailing_zeros() as usize, message, Vec::new()));
        }
        let outside = |lane: &usize| givers >> lane & 1 != 0 && window_of(at[*lane]) != Window::Shared;
        if self.space == AddressSpace::Generic
            && let Some(lane) = (0..LANES).find(outside)
        {
            let message = format!("a matrix row at {:#x}, which is no address of shared memory", at[lane]);
            return Err(context.fault(Kind::WrongSpace, lane, message, Vec::new()));
        }
        if context.run.launch.statistics {
            let bytes = ROW * 8 * self.count as u64;
            let counted = &mut context.worker.statistics;
            match wants {
                Wants::Read => counted.bytes_read[traffic(AddressSpace::Shared)] += bytes,
                Wants::Write => counted.bytes_written[traffic(AddressSpace::Shared)] += bytes,
            }
        }
        context.resolve(self.space, &at, givers, ROW, ROW, wants)
    }

    /// Where the two elements of a lane lie: row and column of each.
    fn places(&self, lane: usize) -> [(usize, usize); 2] {
        let (row, column) = (lane / 4, lane % 4 * 2);
        if self.trans { [(column, row), (column + 1, row)] } else { [(row, column), (row, column + 1)] }
    }
}

struct Load(Moved);

impl Execute for Load {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let rows = match self.0.rows(context, slots[self.0.count], mask, Wants::Read) {
            Ok(rows) => rows,
            Err(flow) => return flow,
        };
        for (matrix, slot) in slots.iter().enumerate().take(self.0.count) {
            let element = |(row, column): (usize, usize)| {
                let from = rows.lane(8 * matrix + row, 2 * column);
                // SAFETY: `resolve` has checked the sixteen bytes of each row, and a column is one of eight.
                u32::from(unsafe { access::load::<u16>(from) })
            };
            let values: [u32; LANES] = std::array::from_fn(|lane| {
                let [low, high] = self.0.places(lane);
                element(low) | element(high) << 16
            });
            u32::write(&mut context.bank, *slot, mask, &values);
        }
        Flow::Next
    }
}

struct Store(Moved);

impl Execute for Store {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let rows = match self.0.rows(context, slots[0], mask, Wants::Write) {
            Ok(rows) => rows,
            Err(flow) => return flow,
        };
        for matrix in 0..self.0.count {
            let values = u32::read(&context.bank, slots[1 + matrix]);
            for lane in lanes_in(mask) {
                for (half, (row, column)) in self.0.places(lane).into_iter().enumerate() {
                    let to = rows.lane(8 * matrix + row, 2 * column);
                    // SAFETY: as for loading.
                    unsafe { access::store(to, (values[lane] >> (16 * half)) as u16) };
                }
            }
        }
        Flow::Next
    }
}

/// `movmatrix.trans`
struct Transpose;

impl Execute for Transpose {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let a = u32::read(&context.bank, slots[1]);
        let element = |row: usize, column: usize| a[4 * row + column / 2] >> (column % 2 * 16) & 0xffff;
        let values: [u32; LANES] = std::array::from_fn(|lane| {
            let (row, column) = (lane / 4, lane % 4 * 2);
            element(column, row) | element(column + 1, row) << 16
        });
        u32::write(&mut context.bank, slots[0], mask, &values);
        Flow::Next
    }
}
