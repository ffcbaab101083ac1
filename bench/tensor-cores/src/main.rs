//! Matrix products as tensor cores compute them, in billions of multiply-adds a second of one core, beside a plain loop
//! over f32 that the compiler vectorised for the same instruction set.
//!
//! A product is what one warp of a `wgmma` does, 16 rows, or a whole `mma`; decoding the operands from their bits and
//! reading and writing the accumulators counts. Machines are noisy, so only ratios within a run mean anything.

mod in_tiles;
mod plain;

use std::hint::black_box;
use std::time::Instant;

use ptxvm_num::level::{Level, at_most, level};
use ptxvm_num::matrix::amx;
use ptxvm_num::matrix::fragment::{
    self, FragmentA, FragmentB, InterleavedFragments, StoredB, dense_scheme, is_interleaved, spread,
};
use ptxvm_num::matrix::tile::multiply;
use ptxvm_num::matrix::{Accumulator, Element, Family, Left, Packed, Precision, Right, Scheme, Unit};

/// One kind of product.
struct Case {
    name: &'static str,
    family: Family,
    element: Element,
    accumulator: Accumulator,
    /// Rows, columns and depth.
    shape: [usize; 3],
    sparse: bool,
    precision: Precision,
}

impl Case {
    const fn wgmma(name: &'static str, element: Element, accumulator: Accumulator, depth: usize) -> Self {
        let shape = [16, 256, depth];
        Self {
            name,
            family: Family::Wgmma,
            element,
            accumulator,
            shape,
            sparse: false,
            precision: Precision::Exact,
        }
    }

    const fn mma(name: &'static str, element: Element, accumulator: Accumulator, depth: usize) -> Self {
        Self { family: Family::Mma, shape: [16, 8, depth], ..Self::wgmma(name, element, accumulator, depth) }
    }

    /// All four warps of a warpgroup at once.
    const fn whole(self) -> Self {
        let [_, columns, depth] = self.shape;
        Self { shape: [64, columns, depth], ..self }
    }

    const fn sparse(self) -> Self {
        Self { sparse: true, ..self }
    }

    const fn fast(self) -> Self {
        Self { precision: Precision::Fast, ..self }
    }

    /// Seconds of one product.
    fn seconds(&self) -> f64 {
        let [rows, columns, depth] = self.shape;
        let scheme = Scheme::of(Unit::Hopper, self.family, self.element, self.accumulator, depth);
        let rows_of_b = if self.sparse { 2 * depth } else { depth };
        // Numbers between a quarter and four of either sign, as bits of the format.
        let patterns = 0..1 << self.element.bits().min(19);
        let bits: Vec<u32> =
            patterns.filter(|&bits| (0.25..4.0).contains(&value(self.element, bits))).collect();
        let pick = |i: usize| bits[(i.wrapping_mul(2_654_435_761) >> 5) % bits.len()];
        let width = self.element.bits().div_ceil(8) as usize;
        let shift = if self.element == Element::Tf32 { 13 } else { 0 };
        let bytes = |count: usize, seed: usize| -> Vec<u8> {
            (seed..seed + count)
                .flat_map(|i| (pick(i) << shift).to_le_bytes().into_iter().take(width))
                .collect()
        };
        let a = bytes(rows * depth, 0);
        let b = bytes(rows_of_b * columns, 77);
        let c = if self.accumulator == Accumulator::F16 { 0x3c00 } else { 1f32.to_bits() };
        let packed = Packed::tight(self.element);
        let belongs: Vec<u16> = (0..rows * depth).map(|i| (2 * (i % depth) + (i / 3 & 1)) as u16).collect();
        let dense = dense_scheme(&scheme, packed, depth).filter(|_| self.precision == Precision::Exact);
        if self.sparse
            && self.family == Family::Mma
            && let Some(scheme) = dense
        {
            return self.in_blocks(&scheme, &a, &b, c, Some(&belongs));
        }
        if is_interleaved(&scheme, packed, packed) && self.precision == Precision::Exact {
            return self.interleaved(&scheme, &a, &b, c);
        }
        if !self.sparse && fragment::suits(&scheme, self.precision, packed, depth) {
            return self.in_blocks(&scheme, &a, &b, c, None);
        }
        let mut d = vec![c; rows * columns];
        let (mut left, mut right) = (Left::default(), Right::default());
        fastest(|| {
            // The accumulators of a long dot product, which begins anew now and then.
            d.fill(c);
            for _ in 0..8 {
                left.decode(packed, rows, black_box(&a));
                if self.sparse {
                    left.belongs = Some(belongs.clone());
                }
                right.decode_columns(packed, columns, black_box(&b));
                multiply(&scheme, self.precision, &left, &right, black_box(&mut d));
            }
        }) / 8.0
    }

    /// The same of fragments: sixteen rows after the other, with one B. A sparse A is made a dense one.
    fn in_blocks(&self, scheme: &Scheme, a: &[u8], b: &[u8], c: u32, belongs: Option<&[u16]>) -> f64 {
        let [rows, columns, _] = self.shape;
        let packed = Packed::tight(self.element);
        let (a, b) = (registers(a), registers(b));
        let mut dense = vec![[0; 32]; 2 * a.len()];
        let mut d = vec![[c; 64]; rows * columns / 64];
        let (mut left, mut right) = (FragmentA::default(), FragmentB::default());
        fastest(|| {
            d.fill([c; 64]);
            for _ in 0..8 {
                right.decode(packed, false, columns / 8, StoredB::Columns(black_box(&b)));
                let warps = black_box(&a).chunks(a.len() * 16 / rows);
                for (a, d) in warps.zip(d.chunks_mut(16 * columns / 64)) {
                    if let Some(belongs) = belongs {
                        spread(packed, belongs, a, &mut dense);
                        left.decode(packed, self.precision, false, 2, &dense);
                    } else {
                        left.decode(packed, self.precision, false, 2, a);
                    }
                    fragment::multiply(scheme, self.precision, &left, &right, black_box(d));
                }
            }
        }) / 8.0
    }

    /// The same of 8-bit formats that become f16.
    fn interleaved(&self, scheme: &Scheme, a: &[u8], b: &[u8], c: u32) -> f64 {
        let [rows, columns, _] = self.shape;
        let packed = Packed::tight(self.element);
        let (a, b) = (registers(a), registers(b));
        let mut d = vec![[c; 64]; rows * columns / 64];
        let mut fragments = InterleavedFragments::default();
        fastest(|| {
            d.fill([c; 64]);
            for _ in 0..8 {
                fragments.decode_a(packed, rows / 8, black_box(&a));
                fragments.decode_b(packed, columns / 8, black_box(&b));
                fragments.multiply(scheme, black_box(&mut d));
            }
        }) / 8.0
    }
}

/// Bytes as registers of lanes hold them.
fn registers(bytes: &[u8]) -> Vec<[u32; 32]> {
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    words.as_chunks().0.to_vec()
}

fn value(element: Element, bits: u32) -> f32 {
    let (significand, exponent) = element.decode(bits << if element == Element::Tf32 { 13 } else { 0 });
    if exponent < -100 { 0.0 } else { significand.abs() * f32::from(exponent).exp2() }
}

/// The seconds of the fastest of many rounds, which others on the machine did not interrupt.
fn fastest(mut round: impl FnMut()) -> f64 {
    const ROUNDS: usize = 301;
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        round();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

const CASES: [Case; 18] = [
    Case::wgmma("wgmma f16 -> f32", Element::F16, Accumulator::F32, 16),
    Case::wgmma("wgmma f16 -> f32, 64 rows", Element::F16, Accumulator::F32, 16).whole(),
    Case::wgmma("wgmma f16 -> f16", Element::F16, Accumulator::F16, 16),
    Case::wgmma("wgmma bf16 -> f32", Element::Bf16, Accumulator::F32, 16),
    Case::wgmma("wgmma tf32 -> f32", Element::Tf32, Accumulator::F32, 8),
    Case::wgmma("wgmma e4m3 -> f32", Element::E4m3, Accumulator::F32, 32),
    Case::wgmma("wgmma e4m3 -> f32, 64 rows", Element::E4m3, Accumulator::F32, 32).whole(),
    Case::wgmma("wgmma e5m2 -> f16", Element::E5m2, Accumulator::F16, 32),
    Case::wgmma("wgmma.sp f16 -> f32", Element::F16, Accumulator::F32, 16).sparse(),
    Case::wgmma("wgmma.sp e4m3 -> f32", Element::E4m3, Accumulator::F32, 32).sparse(),
    Case::mma("mma f16 -> f32", Element::F16, Accumulator::F32, 16),
    Case::mma("mma e4m3 -> f32", Element::E4m3, Accumulator::F32, 32),
    Case::mma("mma.sp f16 -> f32", Element::F16, Accumulator::F32, 16).sparse(),
    Case::wgmma("fast: wgmma f16 -> f32", Element::F16, Accumulator::F32, 16).fast(),
    Case::wgmma("fast: the same, 64 rows", Element::F16, Accumulator::F32, 16).whole().fast(),
    Case::wgmma("fast: wgmma e4m3, 64 rows", Element::E4m3, Accumulator::F32, 32).whole().fast(),
    Case::wgmma("fast: wgmma.sp f16 -> f32", Element::F16, Accumulator::F32, 16).sparse().fast(),
    Case::mma("fast: mma f16 -> f32", Element::F16, Accumulator::F32, 16).fast(),
];

fn main() {
    let best = level();
    println!(
        "multiply-adds of one core, billions a second, and of those of a plain f32 loop of the same shape"
    );
    let heading: Vec<String> =
        Level::ALL.iter().map(|level| format!("{:>22}", format!("{level:?}"))).collect();
    println!("{:28}{}", "", heading.concat());
    let only = std::env::args().nth(1).unwrap_or_default();
    for case in CASES.into_iter().filter(|case| case.name.contains(&only)) {
        let [rows, columns, depth] = case.shape;
        let products = (rows * columns * depth) as f64;
        print!("{:28}", case.name);
        for level in Level::ALL.into_iter().filter(|&level| level <= best) {
            let ours = products / at_most(level, || case.seconds()) / 1e9;
            let plain = products / plain::seconds(level, rows, columns, depth) / 1e9;
            print!("{ours:8.2}  {:5.1} % of {plain:5.1}", 100.0 * ours / plain);
        }
        println!();
    }
    if amx::is_there() {
        in_tiles::print(&only);
    }
}
