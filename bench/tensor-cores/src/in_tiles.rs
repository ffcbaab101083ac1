//! The same products by the host's matrix unit, beside those of AVX-512 vectors in the same minute.

use std::hint::black_box;
use std::sync::Arc;

use ptxvm_num::matrix::amx::{AmxB, AmxD};
use ptxvm_num::matrix::fragment::{self, FragmentA, FragmentB, IntegerFragments, StoredB};
use ptxvm_num::matrix::integer::IntegerElement;
use ptxvm_num::matrix::{Accumulator, Element, Family, Packed, Precision, Scheme, Unit};

use super::fastest;

const COLUMNS: usize = 256;
const WARPS: usize = 4;
const ROUNDS: usize = 8;

/// Registers of 32 bytes along k, of numbers that every format has.
fn registers(count: usize) -> Vec<[u32; 32]> {
    (0..count)
        .map(|i| std::array::from_fn(|lane| 0x3838_3838 ^ ((i * 37 + lane * 11) as u32 & 0x0707_0707)))
        .collect()
}

/// What is multiplied.
#[derive(Clone, Copy)]
enum Factors {
    Float(Element),
    Bytes,
}

/// Prints billions of multiply-adds a second of warpgroups' products with one B, D in tiles for eight of them.
pub fn print(only: &str) {
    println!("{:28}{:>14}{:>14}", "by the matrix unit", "AVX-512", "AMX");
    for (name, factors) in [
        ("fast: wgmma f16, 64 rows", Factors::Float(Element::F16)),
        ("fast: wgmma bf16, 64 rows", Factors::Float(Element::Bf16)),
        ("fast: wgmma tf32, 64 rows", Factors::Float(Element::Tf32)),
        ("fast: wgmma e4m3, 64 rows", Factors::Float(Element::E4m3)),
        ("wgmma s8 -> s32, 64 rows", Factors::Bytes),
    ] {
        if !name.contains(only) {
            continue;
        }
        let bits = match factors {
            Factors::Float(element) => Packed::tight(element).bits,
            Factors::Bytes => 8,
        };
        let products = (16 * WARPS * COLUMNS * (256 / bits) * ROUNDS) as f64;
        let (vectors, unit) = (by_vectors(factors), by_unit(factors));
        println!("{name:28}{:14.2}{:14.2}", products / vectors / 1e9, products / unit / 1e9);
    }
}

fn by_vectors(factors: Factors) -> f64 {
    let (a, b) = (registers(4), registers(COLUMNS / 4));
    let mut d = vec![[0; 64]; WARPS * COLUMNS / 4];
    let (mut left, mut right) = (FragmentA::default(), FragmentB::default());
    let mut integers = IntegerFragments::default();
    fastest(|| {
        d.fill([0; 64]);
        for _ in 0..ROUNDS {
            match factors {
                Factors::Float(element) => {
                    let packed = Packed::tight(element);
                    let scheme =
                        Scheme::of(Unit::Hopper, Family::Wgmma, element, Accumulator::F32, 256 / packed.bits);
                    right.decode(packed, false, COLUMNS / 8, StoredB::Columns(black_box(&b)));
                    for d in d.chunks_mut(COLUMNS / 4) {
                        left.decode(packed, Precision::Fast, false, 2, black_box(&a));
                        fragment::multiply(&scheme, Precision::Fast, &left, &right, black_box(d));
                    }
                }
                Factors::Bytes => {
                    integers.decode_b(IntegerElement::S8, COLUMNS / 8, black_box(&b));
                    for d in d.chunks_mut(COLUMNS / 4) {
                        integers.decode_a(IntegerElement::S8, 2, black_box(&a));
                        integers.multiply(false, black_box(d));
                    }
                }
            }
        }
    })
}

fn by_unit(factors: Factors) -> f64 {
    let (a, b) = (registers(4), registers(COLUMNS / 4));
    let mut d = vec![[0; 64]; WARPS * COLUMNS / 4];
    let mut tiles: Vec<AmxD> = (0..WARPS).map(|_| AmxD::default()).collect();
    let mut kept: Vec<Arc<AmxB>> = (0..ROUNDS).map(|_| Arc::default()).collect();
    let elements = [IntegerElement::S8; 2];
    fastest(|| {
        tiles.iter_mut().for_each(|tiles| tiles.clear(COLUMNS / 8));
        for right in &mut kept {
            let of = Arc::make_mut(right);
            match factors {
                Factors::Float(element) => {
                    of.decode(Packed::tight(element), false, COLUMNS / 8, StoredB::Columns(black_box(&b)));
                }
                Factors::Bytes => of.copy_bytes(elements, COLUMNS / 8, black_box(&b)),
            }
            for tiles in &mut tiles {
                let left = tiles.next_a();
                match factors {
                    Factors::Float(element) => left.decode(Packed::tight(element), false, black_box(&a)),
                    Factors::Bytes => left.copy_bytes(elements, black_box(&a)),
                }
                tiles.add(right);
            }
        }
        for (tiles, d) in tiles.iter_mut().zip(d.chunks_mut(COLUMNS / 4)) {
            tiles.write(Accumulator::F32, black_box(d));
        }
    })
}
