//! `wmma.load` and `wmma.store`: a matrix is lines (rows, or columns) in memory, a stride apart.
//!
//! All lanes give the same address and stride. A line must begin at a multiple of the size of a lane's fragment, says
//! the manual; CUDA's own programs only keep to multiples of sixteen bytes (its functions ask no more of a stride), which
//! is all that the silicon wants, so of lines no more is asked here, of the matrix's own address the whole.
#![allow(unsafe_code)]

use ptxvm_isa::Type;
use ptxvm_memory::{Window, access, window_of};

use super::fragment::{place, size as size_of_part};
use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::pointer::Pointers;
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::matrix::whole_warp;
use crate::ops::load_store::traffic;
use crate::ops::operand::Address;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::matrix::{Shape, WmmaMatrix};

/// The most bytes of a matrix.
const BYTES: usize = 1024;

/// What a line must be aligned to at most, in bytes.
const LINE_ALIGNMENT: usize = 16;

/// `wmma.load`
pub fn load(matrix: WmmaMatrix) -> Option<Op> {
    Some(Box::new(Load(Matrix::of(matrix)?)))
}

/// `wmma.store`
pub fn store(matrix: WmmaMatrix) -> Option<Op> {
    Some(Box::new(Store(Matrix::of(matrix)?)))
}

/// A matrix in memory and in registers.
struct Matrix {
    address: Address,
    /// The slot of the stride, if there is one.
    stride: Option<usize>,
    /// The stride if there is none, in elements: the length of a line.
    length: usize,
    /// The bits of an element.
    bits: usize,
    lines: usize,
    /// Whether lines are rows.
    rows: bool,
    /// The first slot of the fragment, and how many there are.
    first: usize,
    registers: usize,
    /// The bytes of a register that the fragment uses.
    width: usize,
    /// The bytes of an element; four for the parts of a line of elements of less than eight bits.
    size: usize,
    /// Where each element of the fragment lies in the matrix whose lines follow one another, in units of `size`: for
    /// each register those of the first lane, then of the next.
    places: Box<[u16]>,
}

impl Matrix {
    fn of(WmmaMatrix { part, shape, ty, rows, address, stride, registers }: WmmaMatrix) -> Option<Self> {
        let bits = bits(ty)?;
        let (m, n) = size_of_part(part, shape);
        let (lines, length) = if rows { (m, n) } else { (n, m) };
        let (first, registers) = registers;
        // Four lanes hold a line of such elements, in pieces of 32 bits that nothing looks into.
        let (size, place_shape) = match bits {
            ..8 => (4, Shape { k: shape.k * bits / 32, ..shape }),
            _ => (bits / 8, shape),
        };
        let width = size.max(4);
        let per = width / size;
        let (m, n) = size_of_part(part, place_shape);
        let index = |(row, column): (usize, usize)| if rows { row * n + column } else { column * m + row };
        let mut places = Vec::with_capacity(registers * LANES * per);
        for register in 0..registers {
            for lane in 0..LANES {
                for within in 0..per {
                    let at = place(part, place_shape, per, lane, register * per + within);
                    places.push(index(at) as u16);
                }
            }
        }
        let inside = places.iter().all(|place| (usize::from(*place) + 1) * size <= BYTES);
        let fits = lines <= LANES && lines * length * bits <= BYTES * 8 && inside;
        fits.then_some(Self {
            address,
            stride,
            length,
            bits,
            lines,
            rows,
            first,
            registers,
            width,
            size,
            places: places.into(),
        })
    }

    /// The bytes of a line.
    fn line(&self) -> usize {
        self.length * self.bits / 8
    }

    fn line_name(&self) -> &'static str {
        if self.rows { "row" } else { "column" }
    }

    /// The lines on the host, by their number.
    fn lines(
        &self,
        context: &mut Context<'_>,
        slots: &[Slot],
        mask: u32,
        wants: Wants,
    ) -> Result<Pointers, Flow> {
        whole_warp(context, mask)?;
        let addresses = context.addresses(self.address, slots);
        let start = same(context, "addresses", &addresses)?;
        let stride = match self.stride {
            Some(slot) => {
                let strides = u32::read(&context.bank, slots[slot]).map(u64::from);
                same(context, "strides", &strides)?
            }
            None => self.length as u64,
        };
        let apart = self.check(context, start, stride)?;
        if context.run.launch.settings.statistics {
            let bytes = (self.lines * self.line()) as u64;
            let counted = &mut context.worker.statistics;
            match wants.only_reads() {
                true => counted.bytes_read[traffic(self.address.space)] += bytes,
                false => counted.bytes_written[traffic(self.address.space)] += bytes,
            }
        }
        let mut at = [0; LANES];
        for (line, at) in at.iter_mut().enumerate() {
            *at = start.wrapping_add(apart.wrapping_mul(line as u64));
        }
        let lines = u32::MAX >> (LANES - self.lines);
        let resolved = context.resolve(self.address.space, &at, lines, self.line() as u64, 1, wants);
        if let (Err(_), Some(fault)) = (&resolved, &mut context.worker.fault) {
            // The checks took lines for lanes.
            let which =
                format!("{} {} of the matrix, which are {apart} bytes apart", self.line_name(), fault.lane);
            fault.notes.push(which);
            fault.lane = 0;
        }
        resolved
    }

    /// Checks address and stride, and gives the bytes from one line to the next.
    fn check(&self, context: &mut Context<'_>, start: u64, stride: u64) -> Result<u64, Flow> {
        let local = match self.address.space {
            AddressSpace::Generic => window_of(start) == Window::Local,
            space => space == AddressSpace::Local,
        };
        if local {
            let message =
                format!("a matrix at {start:#x}, in local memory: `wmma` takes global and shared memory");
            return Err(context.fault(Kind::WrongSpace, 0, message, Vec::new()));
        }
        let fragment = self.registers * self.width;
        if !start.is_multiple_of(fragment as u64) {
            let over = start % fragment as u64;
            let message = format!("a matrix at the misaligned address {start:#x}");
            let rule = format!(
                "the address must be a multiple of {fragment}, the bytes that a lane holds of the matrix; it is {over} over one"
            );
            return Err(context.fault(Kind::Misaligned, 0, message, vec![rule]));
        }
        let (length, bits) = (self.length, self.bits as u64);
        if stride < length as u64 {
            let message = format!(
                "the stride {stride} is less than a {} of the matrix, {length} elements",
                self.line_name()
            );
            return Err(context.fault(Kind::Misuse, 0, message, Vec::new()));
        }
        let alignment = fragment.min(LINE_ALIGNMENT) as u64;
        if !(stride * bits).is_multiple_of(8 * alignment) {
            let every = 8 * alignment / bits;
            let message =
                format!("the stride {stride} leaves {}s of the matrix misaligned", self.line_name());
            let rule = format!(
                "a {} must begin at a multiple of {alignment} bytes: the stride must be a multiple of {every}",
                self.line_name()
            );
            return Err(context.fault(Kind::Misaligned, 0, message, vec![rule]));
        }
        Ok(stride * bits / 8)
    }
}

impl Matrix {
    /// Tells who follows values which bytes the registers are.
    fn follow(&self, context: &mut Context<'_>, wants: Wants) {
        if context.run.launch.follower.is_none() {
            return;
        }
        let per = self.width / self.size;
        let place = |lane: usize, register: usize, byte: usize| {
            let element = (register * LANES + lane) * per + byte / self.size;
            let at = usize::from(self.places[element]) * self.size + byte % self.size;
            (at / self.line(), at % self.line())
        };
        context.moves_fragments((wants, None), (self.first, self.registers), self.width, &place);
    }
}

/// The bits of an element in memory.
fn bits(ty: Type) -> Option<usize> {
    match ty {
        Type::Tf32 => Some(32),
        _ => usize::try_from(ty.bits()).ok().filter(|bits| *bits > 0),
    }
}

/// What all lanes give.
fn same(context: &mut Context<'_>, what: &str, given: &[u64; LANES]) -> Result<u64, Flow> {
    match given.iter().position(|other| *other != given[0]) {
        None => Ok(given[0]),
        Some(lane) => {
            let message = format!(
                "the lanes of a warp give `wmma` different {what}: lane 0 {:#x}, lane {lane} {:#x}",
                given[0], given[lane]
            );
            Err(context.fault(Kind::Misuse, lane, message, Vec::new()))
        }
    }
}

struct Load(Matrix);

impl Execute for Load {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let matrix = &self.0;
        let pointers = match matrix.lines(context, slots, mask, Wants::Read) {
            Ok(pointers) => pointers,
            Err(flow) => return flow,
        };
        matrix.follow(context, Wants::Read);
        let mut bytes = [0; BYTES];
        for (line, to) in bytes.chunks_exact_mut(matrix.line()).take(matrix.lines).enumerate() {
            // SAFETY: `resolve` has checked the bytes of each line.
            unsafe { access::copy_out(pointers.lane(line, 0), to) };
        }
        let per = matrix.width / matrix.size;
        let lanes = matrix.places.chunks_exact(per * LANES);
        for (places, slot) in lanes.zip(&slots[matrix.first..]) {
            let mut values = [0u64; LANES];
            for (value, places) in values.iter_mut().zip(places.chunks_exact(per)) {
                let mut raw = [0; 8];
                for (to, place) in raw.chunks_exact_mut(matrix.size).zip(places) {
                    to.copy_from_slice(&bytes[usize::from(*place) * matrix.size..][..matrix.size]);
                }
                *value = u64::from_le_bytes(raw);
            }
            match matrix.width {
                4 => u32::write(&mut context.bank, *slot, mask, &values.map(|value| value as u32)),
                _ => u64::write(&mut context.bank, *slot, mask, &values),
            }
        }
        Flow::Next
    }
}

struct Store(Matrix);

impl Execute for Store {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let matrix = &self.0;
        let pointers = match matrix.lines(context, slots, mask, Wants::Write) {
            Ok(pointers) => pointers,
            Err(flow) => return flow,
        };
        matrix.follow(context, Wants::Write);
        let mut bytes = [0; BYTES];
        let per = matrix.width / matrix.size;
        let lanes = matrix.places.chunks_exact(per * LANES);
        for (places, slot) in lanes.zip(&slots[matrix.first..]) {
            let values = match matrix.width {
                4 => u32::read(&context.bank, *slot).map(u64::from),
                _ => u64::read(&context.bank, *slot),
            };
            for (value, places) in values.iter().zip(places.chunks_exact(per)) {
                for (from, place) in value.to_le_bytes().chunks_exact(matrix.size).zip(places) {
                    bytes[usize::from(*place) * matrix.size..][..matrix.size].copy_from_slice(from);
                }
            }
        }
        for (line, from) in bytes.chunks_exact(matrix.line()).take(matrix.lines).enumerate() {
            // SAFETY: as for loading.
            unsafe { access::copy_in(pointers.lane(line, 0), from) };
        }
        Flow::Next
    }
}
