//! One product under way: its operands brought together when its turn comes, multiplied, and put into tensor memory.
#![allow(unsafe_code)]

use ptxvm_memory::TensorMemory;
use ptxvm_memory::tensor::LANES;

use super::issued::{Fetched, IssuedA, Tcgen05Product};
use super::multiply::{PartMatrices, divided};
use super::operands::{lane_of_a, rows_in_tensor_memory};
use super::scale::{Differs, ScaleFactors};
use super::sparse::BadChunk;
use crate::asynchronous::mbarrier::Wrong;
use crate::asynchronous::queue::{TensorUse, Transfer};
use crate::door::tensor_memory::cells;
use crate::door::touch::{Touch, Wants};
use crate::matrix::instruction::{MmaKind, Sum};

impl Tcgen05Product {
    /// Names the cells of one CTA's tensor memory that a part of the columns uses.
    fn cells_of(&self, cta: usize, part: u32, visit: &mut dyn FnMut(Touch)) {
        let Self { path, d, .. } = self;
        let rank = self.ctas[cta].0;
        for row in 0..path.rows {
            if let IssuedA::Tensor(place) = self.a {
                let lane = lane_of_a(place, (path, part), row, self.asked.ashift);
                let columns = self.instruction.row_bytes(&self.asked) / 4;
                visit(cells(rank, (lane, place.column), columns, Wants::Read));
            }
            let lane = d.lane + path.lane(part, row);
            if let Some(sparsity) = &self.sparsity {
                let (column, columns) = sparsity.columns();
                let lane = sparsity.place.lane + path.lane(part, row);
                visit(cells(rank, (lane, column), columns, Wants::Read));
            }
            if self.add {
                visit(cells(rank, (lane, d.column), path.columns, Wants::Read));
            }
            if !self.is_disabled(cta, lane) {
                visit(cells(rank, (lane, d.column), path.columns, Wants::Write));
            }
        }
        if let Some([a, b]) = &self.scales {
            let mut word = |lane, column| visit(cells(rank, (lane, column), 1, Wants::Read));
            let lanes = LANES / path.parts;
            a.cells(0, LANES, &mut word);
            b.cells(lanes * part, lanes * (part + 1), &mut word);
        }
    }

    /// Whether a lane of a CTA stays as it is.
    fn is_disabled(&self, cta: usize, lane: u32) -> bool {
        self.disabled[cta % 2][(lane / 32 % 4) as usize] >> (lane % 32) & 1 != 0
    }
}

impl Transfer for Tcgen05Product {
    fn footprint(&self, visit: &mut dyn FnMut(Touch)) {
        for (cta, (_, shared)) in self.ctas.iter().enumerate() {
            if let IssuedA::Shared(a) = &self.a {
                a.footprint(shared, visit);
            }
            self.b.footprint(shared, visit);
            (0..self.path.parts).for_each(|part| self.cells_of(cta, part, visit));
        }
    }

    fn fetch(&mut self) {
        let mut fetched = Fetched::default();
        for (_, shared) in &self.ctas {
            // SAFETY: an operation of a cluster completes before the cluster ends.
            unsafe {
                if let IssuedA::Shared(a) = &self.a {
                    a.gather(*shared, &mut fetched.a);
                }
                self.b.gather(*shared, &mut fetched.b);
            }
        }
        self.fetched = Some(fetched);
    }

    fn kept(&self) -> u64 {
        let a = if let IssuedA::Shared(a) = &self.a { a.bytes() } else { 0 };
        (a + self.b.bytes()) * self.ctas.len() as u64
    }

    fn effort(&self) -> u64 {
        0
    }

    fn deliver(&mut self, tensor_memory: &mut [TensorMemory]) {
        if self.fetched.is_none() {
            self.fetch();
        }
        let fetched = self.fetched.take().unwrap_or_default();
        for cta in 0..self.ctas.len() {
            let Some(memory) = tensor_memory.get_mut(self.ctas[cta].0 as usize) else { continue };
            for part in 0..self.path.parts {
                if let Err(wrong) = self.part(memory, &fetched, cta, part) {
                    self.wrong = Some(wrong);
                    return;
                }
            }
        }
    }

    fn tensor_use(&self) -> Option<TensorUse> {
        Some(self.used)
    }

    fn wrong(&mut self) -> Option<Wrong> {
        self.wrong.take()
    }
}

impl Tcgen05Product {
    /// The columns of B that a part multiplies with, one after the other.
    fn columns<'a>(&self, fetched: &'a Fetched, part: u32) -> &'a [u8] {
        let bytes = (self.b.shape.bytes * self.path.columns) as usize;
        fetched.b.get(bytes * part as usize..).and_then(|rest| rest.get(..bytes)).unwrap_or_default()
    }

    /// Computes the rows of one CTA in one part of the columns.
    fn part(&self, memory: &mut TensorMemory, fetched: &Fetched, cta: usize, part: u32) -> Result<(), Wrong> {
        let bytes = self.instruction.row_bytes(&self.asked);
        let from_tensor;
        let a = match self.a {
            IssuedA::Shared(_) => {
                let size = (bytes * self.path.rows) as usize;
                fetched.a.get(size * cta..).and_then(|rest| rest.get(..size)).unwrap_or_default()
            }
            IssuedA::Tensor(place) => {
                from_tensor =
                    rows_in_tensor_memory(memory, place, (&self.path, part), bytes, self.asked.ashift);
                &from_tensor
            }
        };
        let b = self.columns(fetched, part);
        let belongs = match &self.sparsity {
            None => None,
            Some(sparsity) => {
                let found = sparsity.belongs(memory, &self.path, part, self.instruction.k);
                Some(found.map_err(|bad| self.bad_metadata(bad))?)
            }
        };
        let mut d = self.read_d(memory, part);
        let scales = self.read_scales(memory, part)?;
        self.multiply(PartMatrices { part, a, b, belongs, scales }, &mut d);
        self.write_d(memory, cta, part, &d);
        Ok(())
    }

    fn read_d(&self, memory: &TensorMemory, part: u32) -> Vec<u32> {
        let columns = self.path.columns;
        if !self.add {
            return vec![0; (self.path.rows * columns) as usize];
        }
        let mut d = Vec::with_capacity((self.path.rows * columns) as usize);
        for row in 0..self.path.rows {
            d.extend_from_slice(memory.row(self.d.lane + self.path.lane(part, row), self.d.column, columns));
        }
        if self.instruction.d == Sum::F16 {
            d.iter_mut().for_each(|bits| *bits &= 0xffff);
        }
        if self.scale_input != 0 {
            let f16 = self.instruction.d == Sum::F16;
            d.iter_mut().for_each(|bits| *bits = divided(*bits, self.scale_input, f16));
        }
        d.resize((self.path.rows * columns) as usize, 0);
        d
    }

    fn write_d(&self, memory: &mut TensorMemory, cta: usize, part: u32, d: &[u32]) {
        for (row, values) in d.chunks_exact(self.path.columns.max(1) as usize).enumerate() {
            let lane = self.d.lane + self.path.lane(part, row as u32);
            let disabled = self.is_disabled(cta, lane);
            let to = memory.row_mut(lane, self.d.column, self.path.columns);
            if !disabled && to.len() == values.len() {
                to.copy_from_slice(values);
            }
        }
    }

    /// The scale factors of A's rows and of a part's columns of B.
    fn read_scales(&self, memory: &TensorMemory, part: u32) -> Result<Option<[Vec<u8>; 2]>, Wrong> {
        let Some([a, b]) = &self.scales else { return Ok(None) };
        let lanes = LANES / self.path.parts;
        let read = |factors: &ScaleFactors, first, end| {
            factors.read(memory, first, end).map_err(|differs| not_duplicated(factors, differs))
        };
        Ok(Some([read(a, 0, LANES)?, read(b, lanes * part, lanes * (part + 1))?]))
    }

    fn bad_metadata(&self, BadChunk { row, chunk, bits }: BadChunk) -> Wrong {
        let message = format!(
            "the sparsity metadata of tcgen05.mma.sp says {bits:#06b} for chunk {chunk} of row {row} of A"
        );
        let rule = match self.asked.kind {
            MmaKind::Tf32 => "the four bits of a chunk must be 0b0100 or 0b1110",
            _ => {
                "the four bits of a chunk must be two different indices: \
                 0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b0110 or 0b1110"
            }
        };
        Wrong { message, notes: vec![rule.into()] }
    }
}

fn not_duplicated(factors: &ScaleFactors, differs: Differs) -> Wrong {
    let name = factors.name;
    let [(first, expected), (other, found)] = differs.found;
    let message = format!(
        "{name} of tcgen05.mma has the factor {expected:#04x} in lane {first} and {found:#04x} \
         in lane {other} for index {}",
        differs.index
    );
    let rule = "scale factors must be the same in every 32 lanes of tensor memory, \
                as tcgen05.cp.warpx4 writes them";
    Wrong { message, notes: vec![rule.into()] }
}
