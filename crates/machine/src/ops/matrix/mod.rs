//! `ldmatrix`, `stmatrix`, `movmatrix` (manual 9.7.14.5.15 to 9.7.14.5.17): small matrices between shared memory and the
//! fragments of a warp.
//!
//! In memory a row is sixteen bytes at an address that one lane gives: the first lanes those of the first matrix, and so
//! on. [`layout`] says where each byte goes.
#![allow(unsafe_code)]

mod layout;

use std::marker::PhantomData;

use ptxvm_memory::{Window, access, window_of};

use self::layout::{Accumulators, Columns, ROW, Rows, SixteenColumns, WarpLayout, gather, scatter};
use super::load_store::{addresses, traffic};
use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::pointer::Pointers;
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::matrix::unpack::unpack;
use crate::matrix::whole_warp;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::Address;
use ptxvm_ir::operation::matrix::{MatrixLayout, MatrixMove, Packing};

/// Where `ldmatrix` puts a 4-bit element in its byte.
const LOW: u32 = 0;

/// `ldmatrix`
pub fn load(moved: MatrixMove) -> Option<Op> {
    match moved.layout {
        MatrixLayout::Rows => load_as::<Rows>(moved),
        MatrixLayout::Columns => load_as::<Columns>(moved),
        MatrixLayout::SixteenColumns => load_as::<SixteenColumns>(moved),
        MatrixLayout::Accumulators => None,
    }
}

/// `stmatrix`
pub fn store(moved: MatrixMove) -> Option<Op> {
    match moved.layout {
        MatrixLayout::Rows => store_as::<Rows>(moved),
        MatrixLayout::Columns => store_as::<Columns>(moved),
        MatrixLayout::Accumulators => store_as::<Accumulators>(moved),
        MatrixLayout::SixteenColumns => None,
    }
}

/// `movmatrix`
pub fn transpose() -> Op {
    Box::new(Transpose)
}

fn load_as<L: WarpLayout>(moved: MatrixMove) -> Option<Op> {
    Some(Box::new(Load::<L> { packing: moved.packing, moved: Moved::of::<L>(moved)?, layout: PhantomData }))
}

fn store_as<L: WarpLayout>(moved: MatrixMove) -> Option<Op> {
    Some(Box::new(Store::<L> { moved: Moved::of::<L>(moved)?, layout: PhantomData }))
}

/// What `ldmatrix` and `stmatrix` have in common.
struct Moved {
    space: AddressSpace,
    offset: i64,
    /// The registers of a lane.
    registers: usize,
    /// How many lanes give the address of a row.
    givers: usize,
}

impl Moved {
    fn of<L: WarpLayout>(MatrixMove { address, registers, .. }: MatrixMove) -> Option<Self> {
        let givers = L::ROWS * registers / L::REGISTERS;
        let Address { space, offset, .. } = address;
        (1..=LANES).contains(&givers).then_some(Self { space, offset, registers, givers })
    }

    /// The rows of all matrices on the host, by the lane that gives their address.
    fn rows(
        &self,
        context: &mut Context<'_>,
        address: Slot,
        mask: u32,
        wants: Wants,
    ) -> Result<Pointers, Flow> {
        whole_warp(context, mask)?;
        let at = addresses(context, address, self.offset);
        let outside = |lane: &usize| window_of(at[*lane]) != Window::Shared;
        if self.space == AddressSpace::Generic
            && let Some(lane) = (0..self.givers).find(outside)
        {
            let message =
                format!("a matrix row at {:#x}, which is not an address of shared memory", at[lane]);
            return Err(context.fault(Kind::WrongSpace, lane, message, Vec::new()));
        }
        if context.run.launch.settings.statistics {
            let bytes = (ROW * self.givers) as u64;
            let counted = &mut context.worker.statistics;
            match wants.only_reads() {
                true => counted.bytes_read[traffic(AddressSpace::Shared)] += bytes,
                false => counted.bytes_written[traffic(AddressSpace::Shared)] += bytes,
            }
        }
        let givers = u32::MAX >> (LANES - self.givers);
        context.resolve(self.space, &at, givers, ROW as u64, ROW as u64, wants)
    }
}

struct Load<L> {
    moved: Moved,
    packing: Option<Packing>,
    layout: PhantomData<L>,
}

impl<L: WarpLayout> Execute for Load<L> {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let count = self.moved.registers;
        let pointers = match self.moved.rows(context, slots[count], mask, Wants::Read) {
            Ok(pointers) => pointers,
            Err(flow) => return flow,
        };
        let mut rows = [[0; ROW]; LANES];
        for (lane, row) in rows.iter_mut().enumerate().take(self.moved.givers) {
            // SAFETY: `resolve` has checked the sixteen bytes of each row, which are aligned.
            let bytes = unsafe { access::load::<u128>(pointers.lane(lane, 0)) };
            *row = self.packing.map_or(bytes, |packing| unpack(packing, bytes, LOW)).to_le_bytes();
        }
        for (index, slot) in slots.iter().enumerate().take(count) {
            let values = gather::<L>(&rows[index / L::REGISTERS * L::ROWS..], index % L::REGISTERS);
            u32::write(&mut context.bank, *slot, mask, &values);
        }
        Flow::Next
    }
}

struct Store<L> {
    moved: Moved,
    layout: PhantomData<L>,
}

impl<L: WarpLayout> Execute for Store<L> {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let pointers = match self.moved.rows(context, slots[0], mask, Wants::Write) {
            Ok(pointers) => pointers,
            Err(flow) => return flow,
        };
        let mut rows = [[0; ROW]; LANES];
        for index in 0..self.moved.registers {
            let values = u32::read(&context.bank, slots[1 + index]);
            scatter::<L>(&values, index % L::REGISTERS, &mut rows[index / L::REGISTERS * L::ROWS..]);
        }
        for (lane, row) in rows.iter().enumerate().take(self.moved.givers) {
            // SAFETY: as for loading.
            unsafe { access::store(pointers.lane(lane, 0), u128::from_le_bytes(*row)) };
        }
        Flow::Next
    }
}

/// `movmatrix.trans`
struct Transpose;

impl Execute for Transpose {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
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
