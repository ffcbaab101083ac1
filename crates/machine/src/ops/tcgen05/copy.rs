//! `tcgen05.cp` (manual 9.7.16.9.2): rows of a matrix in shared memory, that a descriptor describes, to lanes of tensor
//! memory.
//!
//! With `.cta_group::2` each CTA of the pair gets what lies at the same place in its own shared memory. Where several
//! lanes get a row, CUTLASS's layouts say which (copy_traits_sm100.hpp). The source is read any time before the copy
//! completes.
#![allow(unsafe_code)]

use ptxvm_memory::TensorMemory;
use ptxvm_memory::chunk::CHUNK;
use ptxvm_memory::tensor::{LANES, units_of};
use smallvec::SmallVec;

use super::place::{TensorPlace, ctas_of};
use crate::asynchronous::queue::{Named, Pending, TensorUse, Transfer};
use crate::context::Context;
use crate::door::matrix::Beyond;
use crate::door::peer::Peer;
use crate::door::tensor_memory::cells;
use crate::door::touch::{Touch, Wants};
use crate::explain::finding::Kind;
use crate::matrix::descriptor::{Descriptor, Major};
use crate::matrix::units::Units;
use crate::matrix::unpack::unpack;
use crate::ops::operand::Address;
use crate::registers::{Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op, issue_each};
use ptxvm_ir::operation::matrix::Packing;
use ptxvm_ir::operation::tcgen05::CopyShape;

/// The columns of a unit of sixteen bytes.
const UNIT_COLUMNS: u32 = CHUNK as u32 / 4;

pub fn executor(group: u32, shape: CopyShape, packing: Option<Packing>, to: Address, from: usize) -> Op {
    Box::new(Copy { group, shape: CopySizes::of(shape), packing, to, from })
}

/// The sizes of a shape.
#[derive(Clone, Copy, Debug)]
struct CopySizes {
    lanes: CopyShape,
    /// The rows of the source.
    rows: u32,
    /// The units of sixteen bytes of a row.
    units: u32,
}

impl CopySizes {
    fn of(lanes: CopyShape) -> Self {
        let (rows, units) = match lanes {
            CopyShape::All256 => (128, 2),
            CopyShape::All128 => (128, 1),
            CopyShape::OneOfEach => (4, 2),
            CopyShape::Pairs0213 | CopyShape::Pairs0123 => (64, 1),
            CopyShape::Fours => (32, 1),
        };
        Self { lanes, rows, units }
    }

    /// The lanes that get a row, from the address's on.
    fn lanes_of(self, row: u32) -> SmallVec<[u32; 4]> {
        match self.lanes {
            CopyShape::All256 | CopyShape::All128 => SmallVec::from_slice(&[row]),
            CopyShape::OneOfEach => SmallVec::from_slice(&[32 * row]),
            CopyShape::Pairs0213 => SmallVec::from_slice(&[row, row + 64]),
            CopyShape::Pairs0123 => {
                let first = row % 32 + row / 32 * 64;
                SmallVec::from_slice(&[first, first + 32])
            }
            CopyShape::Fours => (0..4).map(|warp| row + 32 * warp).collect(),
        }
    }

    /// The last lane that gets something, from the address's on.
    fn last_lane(self) -> u32 {
        if self.lanes == CopyShape::OneOfEach { 96 } else { LANES - 1 }
    }

    fn columns(self) -> u32 {
        self.units * UNIT_COLUMNS
    }
}

struct Copy {
    group: u32,
    shape: CopySizes,
    packing: Option<Packing>,
    to: Address,
    from: usize,
}

impl Copy {
    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let name = "tcgen05.cp";
        let ctas = ctas_of(context, lane, self.group, name)?;
        let at = TensorPlace::of(context.addresses(self.to, slots)[lane] as u32);
        let last = at.lane + self.shape.last_lane();
        if last >= LANES {
            let message =
                format!("{name} to lanes {} to {last} of tensor memory, which has {LANES}", at.lane);
            let rule = match self.shape.lanes {
                CopyShape::OneOfEach => {
                    "the lane of taddr must be one of the first 32: each warp's lanes get a row"
                }
                _ => "the lane of taddr must be 0 for a shape that fills all lanes",
            };
            return Err(context.fault(Kind::OutOfBounds, lane, message, vec![rule.into()]));
        }
        let bits = context.bank.lane(slots[self.from], lane);
        let from = match Descriptor::tcgen05(bits) {
            Ok(from) => from,
            Err(why) => return Err(context.fault(Kind::Misuse, lane, format!("{name}: {why}"), Vec::new())),
        };
        let mut sources = SmallVec::new();
        for rank in lanes_in(ctas) {
            context.columns(lane, name, rank as u32, (at.column, self.shape.columns()))?;
            let Some(shared) = context.peer(rank as u32) else { continue };
            let wanted = (self.shape.units, self.shape.rows);
            let units =
                context.matrix(from, Major::K, wanted, [rank as u32]).map_err(|Beyond { end, .. }| {
                    let message = format!(
                        "{name} reads shared memory up to {end:#x}, but CTA {rank} has {} bytes of it",
                        shared.bytes
                    );
                    let note = format!(
                        "the matrix descriptor {bits:#018x} begins at {:#x} with a stride of {} bytes, a leading \
                         dimension of {} and {}",
                        from.start,
                        from.stride,
                        from.leading,
                        from.swizzle_name()
                    );
                    context.fault(Kind::OutOfBounds, lane, message, vec![note])
                })?;
            sources.push(CtaRows { rank, shared, units, bytes: Vec::new() });
        }
        let CopySizes { rows, units, .. } = self.shape;
        context.worker.cluster.queue.push(Pending {
            reads: ctas,
            ..Pending::new(
                context,
                1 << lane,
                Named::Tcgen05Copy(rows, u64::from(units) * CHUNK as u64),
                CopiedRows { sources, at, shape: self.shape, packing: self.packing, ctas },
            )
        });
        Ok(())
    }
}

impl Execute for Copy {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        issue_each(mask, |lane| self.issue(context, slots, lane))
    }
}

/// What one CTA gets.
#[derive(Debug)]
struct CtaRows {
    rank: usize,
    /// Its shared memory, and the units of the rows in it.
    shared: Peer,
    units: Units,
    /// What was read; nothing before.
    bytes: Vec<u8>,
}

/// Rows on their way to tensor memory.
#[derive(Debug)]
struct CopiedRows {
    sources: SmallVec<[CtaRows; 1]>,
    at: TensorPlace,
    shape: CopySizes,
    packing: Option<Packing>,
    ctas: u32,
}

impl CopiedRows {
    /// The columns of a unit of sixteen bytes.
    fn cells(&self, unit: [u8; CHUNK]) -> [u32; UNIT_COLUMNS as usize] {
        let bits = u128::from_le_bytes(unit);
        let bits = match self.packing {
            // The figures have a 4-bit element in the middle of its byte, where tcgen05.mma wants it.
            Some(packing @ Packing::B4x16P64) => unpack(packing, bits, 2),
            Some(packing @ Packing::B6x16P32) => unpack(packing, bits, 0),
            None => bits,
        };
        std::array::from_fn(|column| (bits >> (32 * column)) as u32)
    }
}

impl Transfer for CopiedRows {
    fn footprint(&self, visit: &mut dyn FnMut(Touch)) {
        let CopySizes { rows, units, .. } = self.shape;
        for source in &self.sources {
            source.units.footprint(&source.shared, 0..units, 0..rows, visit);
            for row in 0..rows {
                for lane in self.shape.lanes_of(row) {
                    let place = (self.at.lane + lane, self.at.column);
                    visit(cells(source.rank as u32, place, self.shape.columns(), Wants::Write));
                }
            }
        }
    }

    fn fetch(&mut self) {
        let CopySizes { rows, units, .. } = self.shape;
        for source in &mut self.sources {
            source.bytes = vec![0; (rows * units) as usize * CHUNK];
            // SAFETY: an operation of a cluster completes before the cluster ends.
            unsafe { source.units.gather(source.shared, 0..units, 0..rows, &mut source.bytes) };
        }
    }

    fn kept(&self) -> u64 {
        self.effort() * CHUNK as u64
    }

    fn effort(&self) -> u64 {
        u64::from(self.shape.rows * self.shape.units) * self.sources.len() as u64
    }

    fn deliver(&mut self, tensor_memory: &mut [TensorMemory]) {
        if self.sources.iter().any(|source| source.bytes.is_empty()) {
            self.fetch();
        }
        let CopySizes { rows, units, .. } = self.shape;
        for source in &self.sources {
            let Some(memory) = tensor_memory.get_mut(source.rank) else { continue };
            let (chunks, _) = source.bytes.as_chunks::<CHUNK>();
            let places = (0..rows).flat_map(|row| (0..units).map(move |unit| (row, unit)));
            for ((row, unit), chunk) in places.zip(chunks) {
                let cells = self.cells(*chunk);
                let column = self.at.column + unit * UNIT_COLUMNS;
                for lane in self.shape.lanes_of(row) {
                    let to = memory.row_mut(self.at.lane + lane, column, UNIT_COLUMNS);
                    to.iter_mut().zip(cells).for_each(|(to, from)| *to = from);
                }
            }
        }
    }

    fn tensor_use(&self) -> Option<TensorUse> {
        let units = units_of(self.at.column, self.shape.columns());
        Some(TensorUse { ctas: self.ctas, units, in_order: true })
    }
}
