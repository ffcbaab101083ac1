//! A dense product of 16 rows and 8 columns from the registers of a warp, as they are.

use ptxvm_num::matrix::fragment::{self, Block, StoredB};
use ptxvm_num::matrix::integer::IntegerElement;
use ptxvm_num::matrix::{Accumulator, Packed, Precision, Scheme};

use crate::context::Context;
use crate::matrix::blocks;
use crate::matrix::operands::REGISTERS_OF_A;
use crate::registers::{Bank, LANES, Slot};
use crate::vector::value::Value;

/// The blocks of D: the upper eight rows and the lower ones.
const BLOCKS: usize = 2;

/// D, or as much of it as there is.
pub type Blocks = [Block; BLOCKS];

/// D = A * B + C of the fragments in these slots: of A, B and C.
pub fn product(
    context: &mut Context<'_>,
    (scheme, precision): (&Scheme, Precision),
    (a, b): (Packed, Packed),
    [of_a, of_b, c]: [&[Slot]; 3],
) -> Blocks {
    let fragments = &mut context.worker.operands.fragments;
    let (rows, columns) = (registers(&context.bank, of_a), registers(&context.bank, of_b));
    fragments.decode_a(a, precision, &rows, of_a.len());
    fragments.b.decode(b, false, 1, StoredB::Columns(&columns[..of_b.len()]));
    let mut d: Blocks = [[0; _]; BLOCKS];
    blocks::read(&context.bank, scheme.rounded.accumulator(), c, &mut d);
    fragment::multiply(scheme, precision, &fragments.a, &fragments.b, &mut d);
    d
}

/// The same of a sparse A that is made a dense one, whose stored elements belong to these columns. Nothing if B has factors
/// that are no numbers.
pub fn sparse_product(
    context: &mut Context<'_>,
    scheme: &Scheme,
    (a, b): (Packed, Packed),
    belongs: &[u16],
    [of_a, of_b, c]: [&[Slot]; 3],
) -> Option<Blocks> {
    let fragments = &mut context.worker.operands.fragments;
    let (rows, columns) = (registers(&context.bank, of_a), registers(&context.bank, of_b));
    fragments.b.decode(b, false, 1, StoredB::Columns(&columns[..of_b.len()]));
    if !fragments.b.is_finite() {
        return None;
    }
    let mut dense = [[0; LANES]; 2 * REGISTERS_OF_A];
    let dense = &mut dense[..2 * of_a.len()];
    fragment::spread(a, belongs, &rows[..of_a.len()], dense);
    fragments.forget_a();
    fragments.a.decode(a, Precision::Exact, false, BLOCKS, dense);
    let mut d: Blocks = [[0; _]; BLOCKS];
    blocks::read(&context.bank, scheme.rounded.accumulator(), c, &mut d);
    fragment::multiply(scheme, Precision::Exact, &fragments.a, &fragments.b, &mut d);
    Some(d)
}

/// The same of 8-bit formats that become f16, to the last bit.
pub fn interleaved_product(
    context: &mut Context<'_>,
    scheme: &Scheme,
    (a, b): (Packed, Packed),
    [of_a, of_b, c]: [&[Slot]; 3],
) -> Blocks {
    let fragments = &mut context.worker.operands.fragments;
    let (rows, columns) = (registers(&context.bank, of_a), registers(&context.bank, of_b));
    fragments.decode_interleaved_a(a, &rows, of_a.len());
    fragments.interleaved.decode_b(b, 1, &columns[..of_b.len()]);
    let mut d: Blocks = [[0; _]; BLOCKS];
    blocks::read(&context.bank, scheme.rounded.accumulator(), c, &mut d);
    fragments.interleaved.multiply(scheme, &mut d);
    d
}

/// The same of integers. A matrix of one register has eight rows.
pub fn product_of_integers(
    context: &mut Context<'_>,
    (a, b): (IntegerElement, IntegerElement),
    satfinite: bool,
    [of_a, of_b, c]: [&[Slot]; 3],
) -> Blocks {
    let fragments = &mut context.worker.operands.integers;
    let (rows, columns) = (registers(&context.bank, of_a), registers(&context.bank, of_b));
    let count = of_a.len().min(BLOCKS);
    fragments.decode_a(a, count, &rows[..of_a.len()]);
    fragments.decode_b(b, 1, &columns[..of_b.len()]);
    let mut d: Blocks = [[0; _]; BLOCKS];
    blocks::read(&context.bank, Accumulator::F32, c, &mut d[..count]);
    fragments.multiply(satfinite, &mut d[..count]);
    d
}

/// The registers of a fragment, and zeros.
fn registers(bank: &Bank<'_>, slots: &[Slot]) -> [[u32; LANES]; REGISTERS_OF_A] {
    let mut registers = [[0; LANES]; REGISTERS_OF_A];
    for (register, slot) in registers.iter_mut().zip(slots) {
        *register = u32::read(bank, *slot);
    }
    registers
}
