//! The product of one warp's part of a `wgmma.mma_async`: its operands brought together, multiplied, and put into D.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::Arc;

use ptxvm_num::matrix::integer::{self, BitOp, IntegerElement};
use ptxvm_num::matrix::{Accumulator, Element, Family, Packed};

use crate::context::{Context, Flow};
use crate::door::lend::Lent;
use crate::door::observer::Stage;
use crate::door::peer::Peer;
use crate::door::touch::Touch;
use crate::door::watch::Origin;
use crate::matrix::cores::Cores;
use crate::matrix::descriptor::Major;
use crate::matrix::operands::Operands;
use crate::matrix::sparse::{Sparse, pairs_of_halves};
use crate::matrix::units::Units;
use crate::ops::mma::operands::rows_of_a;
use crate::ops::wgmma::pending::UnderWay;
use crate::ops::wgmma::resident::ResidentD;
use crate::registers::{ALL, Bank, KeptBank, LANES, Slot};
use crate::state::worker::Worker;
use crate::vector::value::Value;

/// The rows of D that one warp has.
pub const ROWS: usize = 16;
/// The bytes that a row of A has, as it is stored.
const ROW_BYTES: usize = 32;

/// What is multiplied, and where the operands are among the slots.
#[derive(Debug)]
pub struct AsyncProduct {
    /// N
    pub columns: usize,
    /// K, the elements that a sparse A leaves out included.
    pub depth: usize,
    /// The types.
    pub factors: ProductTypes,
    /// The registers of D, whose slots come first.
    pub registers: usize,
    pub a: OperandA,
    /// The slot of B's descriptor.
    pub b: usize,
    pub b_major: Major,
    /// The slot of the metadata of a sparse A, and how it is read.
    pub sparse: Option<(usize, Sparse)>,
}

/// The types of a product.
#[derive(Clone, Copy, Debug)]
pub enum ProductTypes {
    Float { a: Element, b: Element, d: Accumulator, negate_a: bool, negate_b: bool },
    Integer { a: IntegerElement, b: IntegerElement, satfinite: bool },
    Bits,
}

/// Where A is.
#[derive(Clone, Copy, Debug)]
pub enum OperandA {
    /// In four registers, the first of which has this slot.
    Registers { slot: usize },
    /// In shared memory, where the descriptor in this slot says.
    Shared { slot: usize, major: Major },
}

/// Where the A of a product under way is.
#[derive(Clone, Copy, Debug)]
pub enum A {
    /// In four registers, the first of which has this slot.
    Registers { slot: usize },
    /// In shared memory.
    Shared(Units),
}

impl AsyncProduct {
    /// The registers of D, and of A if it is there.
    pub fn registers_among<'a>(&self, slots: &'a [Slot]) -> [&'a [Slot]; 2] {
        let a = match self.a {
            OperandA::Registers { slot } => &slots[slot..slot + 4],
            OperandA::Shared { .. } => &[],
        };
        [&slots[..self.registers], a]
    }

    /// The row of B that each stored element of a sparse A belongs to.
    pub fn belongs(&self, context: &mut Context<'_>, slots: &[Slot]) -> Result<Option<Vec<u16>>, Flow> {
        let Some((slot, sparse)) = &self.sparse else { return Ok(None) };
        let mut belongs = Vec::new();
        sparse.belongs(context, &slots[*slot..], &mut belongs)?;
        Ok(Some(belongs))
    }
}

/// A product that has been issued: what it is and where its operands are.
#[derive(Debug)]
pub struct PendingProduct {
    pub product: Arc<AsyncProduct>,
    pub slots: Arc<[Slot]>,
    /// The registers of the activation that issued it.
    pub bank: KeptBank,
    pub cores: Cores,
    /// The CTA's shared memory.
    pub shared: Peer,
    /// The warp's place in its warpgroup.
    pub warp: u32,
    /// Whether D is added.
    pub add: bool,
    pub a: A,
    pub b: Units,
    /// For a sparse A, the row of B that each stored element belongs to.
    pub belongs: Option<Vec<u16>>,
    /// Whether its metadata was forgiven.
    pub forgiven: bool,
    /// Where it comes from, if somebody observes.
    pub origin: Option<Origin>,
}

impl UnderWay for PendingProduct {
    fn complete(self: Box<Self>, worker: &mut Worker, resident: &mut ResidentD) {
        let lent = self.lend(worker);
        self.compute(worker, resident);
        lent.take_back();
    }

    fn bank(&self) -> &KeptBank {
        &self.bank
    }

    fn slots(&self) -> &Arc<[Slot]> {
        &self.slots
    }

    fn registers(&self) -> [&[Slot]; 2] {
        self.product.registers_among(&self.slots)
    }
}

impl PendingProduct {
    /// Computes D.
    fn compute(mut self: Box<Self>, worker: &mut Worker, resident: &mut ResidentD) {
        let operands = &mut worker.operands;
        let product = Arc::clone(&self.product);
        let belongs = self.belongs.take();
        let dense = self.dense();
        if self.complete_in_tiles(dense.as_ref(), operands, resident) {
            return;
        }
        // SAFETY: see below.
        unsafe { resident.put_back() };
        // SAFETY: the registers of an activation stay where they are as long as the warp has products of its own: `start`
        // forgets these before a warp is used again. Only the host thread that runs the warp completes them, between two
        // reads or writes of an operation.
        let mut bank = unsafe { self.bank.bank() };
        if let Some(types) = dense {
            self.complete_in_blocks(&types, &mut bank, operands);
            return;
        }
        if let (ProductTypes::Integer { a, b, satfinite }, None) = (product.factors, &product.sparse) {
            self.complete_integers((a, b, satfinite), &mut bank, operands);
            return;
        }
        self.left(&bank, operands);
        self.right(operands);
        operands.left.belongs = belongs;
        if product.sparse.as_ref().is_some_and(|(_, sparse)| sparse.pairs_halves(self.forgiven)) {
            let pairs = pairs_of_halves(&words(&operands.b));
            operands.right.decode_columns(
                Packed::tight(Element::Tf32),
                product.columns,
                pairs.as_flattened(),
            );
        }
        let columns = product.columns;
        let mut d = std::mem::take(&mut operands.d);
        d.clear();
        d.resize(ROWS * columns, 0);
        let halves = matches!(product.factors, ProductTypes::Float { d: Accumulator::F16, .. });
        if self.add {
            self.read_d(&bank, halves, columns, &mut d);
        }
        self.multiply(operands, &mut d);
        self.write_d(&mut bank, halves, columns, &d);
        operands.d = d;
    }

    /// Tells an observer, if there is one, what it reads of shared memory.
    pub fn tell(&self, worker: &Worker, stage: Stage) {
        if let (Some(origin), Some(watch)) = (self.origin, &worker.cluster.watch) {
            watch.tell_of(origin, stage, &self.touches());
        }
    }

    /// Tells an observer that it reads now, and has it see what the follower of the launch says.
    fn lend(&self, worker: &Worker) -> Lent {
        let (Some(origin), Some(watch)) = (self.origin, &worker.cluster.watch) else {
            return Lent::default();
        };
        let touches = self.touches();
        watch.tell_of(origin, Stage::Delivered, &touches);
        watch.lend_to(origin, &touches, &worker.cluster.shared)
    }

    /// What it reads of shared memory.
    fn touches(&self) -> Vec<Touch> {
        let mut touches = Vec::new();
        let mut visit = |touch| touches.push(touch);
        if let A::Shared(units) = &self.a {
            let (along, across) = self.rows_of_a(units);
            units.footprint(&self.shared, along, across, &mut visit);
        }
        self.b.footprint(&self.shared, 0..self.b.along(), 0..self.b.across(), &mut visit);
        touches
    }

    /// The units of A that this warp multiplies with.
    pub fn rows_of_a(&self, units: &Units) -> (Range<u32>, Range<u32>) {
        let rows = ROWS as u32;
        match units.major() {
            Major::K => (0..units.along(), self.warp * rows..(self.warp + 1) * rows),
            Major::Mn => (self.warp * 2..self.warp * 2 + 2, 0..units.across()),
        }
    }

    /// D's old values, row after row.
    fn read_d(&self, bank: &Bank<'_>, halves: bool, columns: usize, d: &mut [u32]) {
        let registers = &self.slots[..self.product.registers];
        for (block, slots) in registers.chunks_exact(if halves { 1 } else { 2 }).enumerate() {
            let first = u32::read(bank, slots[0]);
            let pairs: [[u32; 2]; LANES] = match slots.get(1) {
                Some(second) => {
                    let second = u32::read(bank, *second);
                    std::array::from_fn(|lane| [first[lane], second[lane]])
                }
                None => first.map(|word| [word & 0xffff, word >> 16]),
            };
            for (row, quad) in pairs.as_chunks::<4>().0.iter().enumerate() {
                let at = place_of(block, row, columns);
                d[at..at + 8].copy_from_slice(quad.as_flattened());
            }
        }
    }

    /// Puts D's new values into its registers.
    fn write_d(&self, bank: &mut Bank<'_>, halves: bool, columns: usize, d: &[u32]) {
        let registers = &self.slots[..self.product.registers];
        for (block, slots) in registers.chunks_exact(if halves { 1 } else { 2 }).enumerate() {
            let mut pairs = [[0; 2]; LANES];
            for (row, quad) in pairs.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let at = place_of(block, row, columns);
                quad.as_flattened_mut().copy_from_slice(&d[at..at + 8]);
            }
            match slots.get(1) {
                Some(second) => {
                    u32::write(bank, slots[0], ALL, &pairs.map(|[first, _]| first));
                    u32::write(bank, *second, ALL, &pairs.map(|[_, second]| second));
                }
                None => u32::write(bank, slots[0], ALL, &pairs.map(|[low, high]| low | high << 16)),
            }
        }
    }

    fn multiply(&self, operands: &mut Operands, d: &mut [u32]) {
        match self.product.factors {
            ProductTypes::Float { a, d: accumulator, .. } => {
                let (left, right) = (&operands.left, &operands.right);
                self.cores.multiply(Family::Wgmma, a, accumulator, (left, right), d);
            }
            ProductTypes::Integer { a, b, satfinite } => {
                let depth = self.product.depth;
                let mut left = integers(a, &operands.a);
                if let Some(belongs) = &operands.left.belongs {
                    let mut whole = vec![0; ROWS * depth];
                    integer::spread(&left, belongs, depth, &mut whole);
                    left = whole;
                }
                integer::multiply(&left, &integers(b, &operands.b), depth, satfinite, d);
            }
            ProductTypes::Bits => {
                let (a, b) = (words(&operands.a), words(&operands.b));
                integer::count(BitOp::And, &a, &b, self.product.depth / 32, d);
            }
        }
    }

    /// Brings this warp's rows of A together.
    fn left(&self, bank: &Bank<'_>, operands: &mut Operands) {
        let raw = &mut operands.a;
        raw.resize(ROWS * ROW_BYTES, 0);
        match self.a {
            A::Registers { slot } => {
                let rows = rows_of_a(bank, &self.slots[slot..slot + 4]).map(u32::to_le_bytes);
                raw.copy_from_slice(rows.as_flattened());
            }
            A::Shared(units) if units.major() == Major::K => {
                let (along, across) = self.rows_of_a(&units);
                self.gather(&units, along, across, raw);
            }
            A::Shared(units) => {
                let mut columns = vec![0; units.across() as usize * ROW_BYTES];
                let (along, across) = self.rows_of_a(&units);
                self.gather(&units, along, across, &mut columns);
                for (k, column) in columns.chunks_exact(ROW_BYTES).enumerate() {
                    for (row, element) in column.chunks_exact(2).enumerate() {
                        raw[row * ROW_BYTES + 2 * k..][..2].copy_from_slice(element);
                    }
                }
            }
        }
        if let ProductTypes::Float { a, negate_a, .. } = self.product.factors {
            operands.left.decode(Packed::tight(a), ROWS, &operands.a);
            if negate_a {
                operands.left.negate();
            }
        }
    }

    /// Brings B together. The four warps of a warpgroup multiply with the same one, so what was decoded last is used
    /// again if the bytes are the same.
    fn right(&self, operands: &mut Operands) {
        let (units, columns, major) = (self.b, self.product.columns, self.b.major());
        let before = std::mem::take(&mut operands.b);
        let mut bytes = std::mem::take(&mut operands.next_b);
        bytes.resize((units.along() * units.across()) as usize * 16, 0);
        self.gather(&units, 0..units.along(), 0..units.across(), &mut bytes);
        if let ProductTypes::Float { b, negate_b, .. } = self.product.factors {
            let wanted = Some((b, columns, major, negate_b));
            if !operands.right.is_kept() || operands.right_is != wanted || before != bytes {
                operands.right_is = wanted;
                match major {
                    Major::K => operands.right.decode_columns(Packed::tight(b), columns, &bytes),
                    Major::Mn => operands.right.decode_rows(Packed::tight(b), columns, &bytes),
                }
                if negate_b {
                    operands.right.negate();
                }
                operands.right.keep();
            }
        } else {
            operands.right_is = None;
        }
        (operands.b, operands.next_b) = (bytes, before);
    }

    fn gather(&self, units: &Units, along: Range<u32>, across: Range<u32>, to: &mut [u8]) {
        // SAFETY: no warp of a cluster that has ended runs and could complete a product.
        unsafe { units.gather(self.shared, along, across, to) };
    }
}

/// Where the eight elements of a row begin that a quad holds side by side: blocks of eight rows and eight columns follow
/// each other, two below each other and then to the right.
const fn place_of(block: usize, row: usize, columns: usize) -> usize {
    (8 * (block % 2) + row) * columns + 8 * (block / 2)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The numbers that lie side by side in bytes.
fn integers(kind: IntegerElement, bytes: &[u8]) -> Vec<i16> {
    let mut numbers = vec![0; bytes.len()];
    kind.unpack(&words(bytes), &mut numbers);
    numbers
}
