//! A dense product of 16 rows and 8 columns from and to the registers of a warp, as they are.

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

/// D = A * B + C of the fragments in these slots: of D, A, B and C.
pub fn multiply(
    context: &mut Context<'_>,
    (scheme, precision): (&Scheme, Precision),
    (a, b): (Packed, Packed),
    [to, of_a, of_b, c]: [&[Slot]; 4],
) {
    let accumulator = scheme.rounded.accumulator();
    let fragments = &mut context.worker.operands.fragments;
    let (rows, columns): ([_; REGISTERS_OF_A], [_; REGISTERS_OF_A]) =
        (registers(&context.bank, of_a), registers(&context.bank, of_b));
    fragments.decode_a(a, precision, &rows, of_a.len());
    fragments.b.decode(b, false, 1, StoredB::Columns(&columns[..of_b.len()]));
    let mut d: [Block; BLOCKS] = [[0; _]; BLOCKS];
    blocks::read(&context.bank, accumulator, c, &mut d);
    fragment::multiply(scheme, precision, &fragments.a, &fragments.b, &mut d);
    blocks::write(&mut context.bank, accumulator, to, &d);
}

/// The same of integers. A matrix of one register has eight rows.
pub fn multiply_integers(
    context: &mut Context<'_>,
    (a, b): (IntegerElement, IntegerElement),
    satfinite: bool,
    [to, of_a, of_b, c]: [&[Slot]; 4],
) {
    let fragments = &mut context.worker.operands.integers;
    let (rows, columns): ([_; REGISTERS_OF_A], [_; REGISTERS_OF_A]) =
        (registers(&context.bank, of_a), registers(&context.bank, of_b));
    let count = of_a.len().min(BLOCKS);
    fragments.decode_a(a, count, &rows[..of_a.len()]);
    fragments.decode_b(b, 1, &columns[..of_b.len()]);
    let mut d: [Block; BLOCKS] = [[0; _]; BLOCKS];
    let d = &mut d[..count];
    blocks::read(&context.bank, Accumulator::F32, c, d);
    fragments.multiply(satfinite, d);
    blocks::write(&mut context.bank, Accumulator::F32, to, d);
}

/// The registers of a fragment, and zeros.
fn registers<const N: usize>(bank: &Bank<'_>, slots: &[Slot]) -> [[u32; LANES]; N] {
    let mut registers = [[0; LANES]; N];
    for (register, slot) in registers.iter_mut().zip(slots) {
        *register = u32::read(bank, *slot);
    }
    registers
}
