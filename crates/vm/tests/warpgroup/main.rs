//! `wgmma` in the forms that the H200's vectors leave out: every N, different swizzles of A and B, matrices that begin inside
//! of a swizzle's span, negation in every type, all sparse types. The numbers are small integers, which every type adds
//! exactly, so that the result follows from the definition.

mod form;
mod kernel;
mod matrix;

use form::{Accumulator, Element, Form, Random};
use kernel::REGISTERS;
use matrix::{Product, place};
use ptxvm_vm::{Buffer, Device, LaunchOptions, Settings};

use Accumulator::{F16, F32, S32};

/// The types of D, A and B, that there is a sparse form of, and single bits, that there is none of.
const TYPES: [(Accumulator, Element, Element); 17] = [
    (F16, Element::F16, Element::F16),
    (F32, Element::F16, Element::F16),
    (F32, Element::Bf16, Element::Bf16),
    (F32, Element::Tf32, Element::Tf32),
    (F16, Element::E4m3, Element::E4m3),
    (F16, Element::E4m3, Element::E5m2),
    (F16, Element::E5m2, Element::E4m3),
    (F16, Element::E5m2, Element::E5m2),
    (F32, Element::E4m3, Element::E4m3),
    (F32, Element::E4m3, Element::E5m2),
    (F32, Element::E5m2, Element::E4m3),
    (F32, Element::E5m2, Element::E5m2),
    (S32, Element::S8, Element::S8),
    (S32, Element::S8, Element::U8),
    (S32, Element::U8, Element::S8),
    (S32, Element::U8, Element::U8),
    (S32, Element::B1, Element::B1),
];

/// The bits of an element of D.
fn encode(d: Accumulator, number: i32) -> u32 {
    match d {
        S32 => number as u32,
        F32 => (number as f32).to_bits(),
        F16 => u32::from(half(number)),
    }
}

/// An integer below 2048 as f16.
fn half(number: i32) -> u16 {
    let bits = (number as f32).to_bits();
    let exponent = (bits >> 23 & 0xff) as u16;
    let magnitude = if number == 0 { 0 } else { (exponent - 112) << 10 | (bits >> 13 & 0x3ff) as u16 };
    magnitude | if number < 0 { 0x8000 } else { 0 }
}

/// A thread's registers of D, made of a matrix.
fn registers(form: &Form, matrix: &[Vec<i32>], thread: usize) -> Vec<u32> {
    let (row, quad) = place(thread);
    let element =
        |i: usize| encode(form.d, matrix[row + 8 * (i >> 1 & 1)][8 * (i >> 2) + 2 * quad + (i & 1)]);
    let elements = (0..form.n / 2).map(element);
    match form.d {
        F16 => elements.collect::<Vec<_>>().chunks(2).map(|pair| pair[0] | pair[1] << 16).collect(),
        F32 | S32 => elements.collect(),
    }
}

fn check(device: &Device, form: &Form, random: &mut Random) {
    let product = Product::new(form, random);
    let mut input = product.image(form);
    input.resize(REGISTERS + 512 * (5 + form.registers_of_d()), 0);
    let mut put = |register: usize, thread: usize, bits: u32| {
        let at = REGISTERS + 512 * register + 4 * thread;
        input[at..at + 4].copy_from_slice(&bits.to_le_bytes());
    };
    for thread in 0..128 {
        let metadata = if form.sparse { product.metadata(form, thread, random) } else { 0 };
        let fragment = product.fragment(form, thread).into_iter().chain([metadata]);
        let all = fragment.chain(registers(form, &product.c, thread));
        all.enumerate().for_each(|(register, bits)| put(register, thread, bits));
    }
    let ptx = form.ptx();
    let module = device.load(&ptx).unwrap_or_else(|error| panic!("{form:?}: {error}\n{ptx}"));
    let input = Buffer::from_slice(device, &input).unwrap();
    let output = Buffer::new(device, 512 * form.registers_of_d()).unwrap();
    let options = LaunchOptions {
        settings: Settings { seed: random.next(), ..Settings::default() },
        ..LaunchOptions::new(1, 128)
    };
    let kernel = module.kernel("product").unwrap();
    let launched = kernel.launch(&options.argument(&input).argument(&output));
    launched.unwrap_or_else(|failure| panic!("{form:?}: {failure}\n{ptx}"));
    let output = output.to_bytes();
    let expected = product.expected(form);
    for thread in 0..128 {
        for (i, wanted) in registers(form, &expected, thread).into_iter().enumerate() {
            let at = 512 * i + 4 * thread;
            let found = u32::from_le_bytes(output[at..at + 4].try_into().unwrap());
            assert_eq!(found, wanted, "register {i} of thread {thread}, {}: {form:#?}", form.name());
        }
    }
}

/// Every type with N of 8, 16 … 256, of which the integers lack some; each N comes with four types or more.
fn every_type(sparse: bool) {
    let device = Device::default();
    let mut random = Random(if sparse { 6 } else { 5 });
    let mut seen = [0; 33];
    for (number, types) in TYPES.into_iter().enumerate().filter(|(_, t)| !sparse || t.1 != Element::B1) {
        for n in (8..=256).step_by(8).filter(|n| types.0 != S32 || *n <= 24 || n % 16 == 0) {
            if (n / 8 + number) % 3 == 0 || n <= 16 || n == 256 {
                check(&device, &Form::new(types, n, sparse, &mut random), &mut random);
                seen[n / 8] += 1;
            }
        }
    }
    assert!(seen[1..].iter().all(|times| *times >= 3), "{seen:?}");
}

#[test]
fn dense_products() {
    every_type(false);
}

#[test]
fn sparse_products() {
    every_type(true);
}
