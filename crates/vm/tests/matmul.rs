//! A warp-specialised matrix product with TMA and wgmma (`tests/run/wgmma/matmul.ptx`) at full size: every bit is that of an
//! H200, whenever its asynchronous operations complete.
//!
//! `tests/golden/matrix/matmul.json` has a hash for each row of D; `tests/golden/generate/matmul.py` recorded it.

use std::path::PathBuf;

use ptxvm_machine::matrix::Mma;
use ptxvm_machine::{Asynchrony, EngineChoice};
use ptxvm_num::float::half::f16;
use ptxvm_num::matrix::amx;
use ptxvm_tensor::encode::{Tensor, Tiled};
use ptxvm_vm::{Buffer, Device, LaunchOptions, Settings};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

/// A product: its sizes, the seeds of A and B, the first numbers of D as bits, and a hash for each of its rows.
#[derive(Deserialize)]
struct Case {
    m: usize,
    n: usize,
    k: usize,
    seeds: [u64; 2],
    first: Vec<u32>,
    rows: Vec<u32>,
}

fn tests() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

fn case(size: usize) -> Case {
    let text = std::fs::read(tests().join("golden/matrix/matmul.json")).expect("the golden file is there");
    let golden: Golden = serde_json::from_slice(&text).expect("it is as described");
    golden.cases.into_iter().find(|case| case.m == size).expect("the size was recorded")
}

/// Numbers that are about normal: the sum of four 16-bit numbers about its mean, in units of 2^-15, rounded to f16.
fn normals(seed: u64, count: usize) -> Vec<u16> {
    let number = |i: u64| {
        let z = seed.wrapping_add((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = z ^ (z >> 31);
        half((0..4).map(|j| (bits >> (16 * j) & 0xffff) as i32).sum::<i32>() - 131_070)
    };
    (0..count as u64).map(number).collect()
}

/// A number of 2^-15 as f16, to the nearest even.
fn half(number: i32) -> u16 {
    let sign = if number < 0 { 0x8000 } else { 0 };
    let magnitude = number.unsigned_abs();
    let bits = match magnitude.checked_ilog2() {
        None => 0,
        // 2^-15 is the one subnormal among them.
        Some(0) => 0x200,
        Some(exponent) => {
            let shift = exponent.saturating_sub(10);
            let kept = magnitude >> shift;
            let (rest, middle) = (magnitude & ((1 << shift) - 1), (1 << shift) / 2);
            let up = shift > 0 && (rest > middle || rest == middle && kept & 1 == 1);
            // Where rounding makes a power of two of it, the carry raises the exponent.
            (exponent << 10) + ((kept + u32::from(up)) << 10u32.saturating_sub(exponent)) - 1024
        }
    };
    sign | bits as u16
}

fn map(
    device: &Device,
    buffer: &Buffer,
    element: (u32, u64),
    sizes: [usize; 2],
    box_sizes: [u32; 2],
) -> [u8; 128] {
    let tensor = Tensor {
        element: element.0,
        address: buffer.address(),
        sizes: &sizes.map(|size| size as u64),
        strides: &[sizes[0] as u64 * element.1],
        element_strides: &[1, 1],
        interleave: 0,
        swizzle: 3,
        promotion: 2,
        fill: 0,
    };
    Tiled { tensor, box_sizes: &box_sizes }.encode(device.profile()).expect("a good map").to_bytes()
}

fn mix(mut h: u32) -> u32 {
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

/// The bits of D.
fn product(case: &Case, settings: Settings) -> Vec<u32> {
    let Case { m, n, k, seeds, .. } = *case;
    let device = Device::default();
    let text = std::fs::read_to_string(tests().join("run/wgmma/matmul.ptx")).expect("the program is there");
    let module = device.load(&text).unwrap_or_else(|error| panic!("{error}"));
    let a = Buffer::from_slice(&device, &normals(seeds[0], m * k)).expect("memory");
    let b = Buffer::from_slice(&device, &normals(seeds[1], k * n)).expect("memory");
    let d = Buffer::new(&device, m * n * 4).expect("memory");
    let (f16, f32) = ((6, 2), (7, 4));
    let maps = [
        map(&device, &a, f16, [k, m], [64, 128]),
        map(&device, &b, f16, [n, k], [64, 64]),
        map(&device, &d, f32, [n, m], [32, 16]),
    ];
    let grid = [(n / 128) as u32, (m / 128) as u32, 1];
    let mut options = LaunchOptions { shared: 197_728, settings, ..LaunchOptions::new(grid, 384) };
    for map in &maps {
        options = options.argument(&map[..]);
    }
    let options = options.argument(k as u32).argument(&a).argument(&b).argument(&d);
    let kernel = module.kernel("matmul").expect("the kernel is there");
    let statistics = kernel.launch(&options).unwrap_or_else(|failure| panic!("{failure}"));
    if settings.statistics {
        assert_eq!(statistics.injected_waits, 0, "it waits for its products itself");
    }
    d.to_bytes().chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

fn agrees(case: &Case, asynchrony: Asynchrony) {
    // What counts is interpreted.
    let words = product(case, Settings { asynchrony, statistics: true, ..Settings::default() });
    is_that_of_the_h200(case, &words);
}

fn is_that_of_the_h200(case: &Case, words: &[u32]) {
    let Case { m, n, .. } = *case;
    assert_eq!(words[..case.first.len()], case.first[..], "the first numbers");
    assert_eq!(case.rows.len(), m);
    for (row, (words, expected)) in words.chunks_exact(n).zip(&case.rows).enumerate() {
        let hashed = words.iter().zip(0..).fold(0u32, |sum, (word, i)| sum.wrapping_add(mix(word ^ mix(i))));
        assert_eq!(hashed, *expected, "row {row}");
    }
}

#[test]
fn of_512_in_every_direction() {
    let case = case(512);
    agrees(&case, Asynchrony::Seeded);
    agrees(&case, Asynchrony::Lazy);
}

/// Compiled code gives the same, whenever its asynchronous operations complete.
#[test]
fn of_512_compiled() {
    let case = case(512);
    for asynchrony in [Asynchrony::Seeded, Asynchrony::Lazy, Asynchrony::Eager] {
        let settings = Settings { asynchrony, engine: EngineChoice::Compile, ..Settings::default() };
        is_that_of_the_h200(&case, &product(&case, settings));
    }
}

#[test]
fn of_1024_in_every_direction() {
    agrees(&case(1024), Asynchrony::Seeded);
}

/// A fast product is as near to one in f64 as additions in f32 are, with the host's matrix unit and without it, and each has
/// the same bits whenever its asynchronous operations complete.
#[test]
fn a_fast_one_is_near() {
    let case = case(512);
    let Case { n, k, seeds, m, .. } = case;
    let numbers = |seed, count| -> Vec<f64> {
        normals(seed, count).into_iter().map(|bits| f16::to_f32(bits).into()).collect()
    };
    let (a, b) = (numbers(seeds[0], m * k), numbers(seeds[1], k * n));
    let fast = |asynchrony| product(&case, Settings { asynchrony, mma: Mma::Fast, ..Settings::default() });
    let check = |what: &str| {
        let words = fast(Asynchrony::Seeded);
        assert!(words == fast(Asynchrony::Lazy) && words == fast(Asynchrony::Eager), "{what}");
        for row in (0..m).step_by(31) {
            for column in 0..n {
                let terms = (0..k).map(|i| a[row * k + i] * b[i * n + column]);
                let (sum, magnitude) = terms.fold((0.0, 0.0), |(s, m), term| (s + term, m + term.abs()));
                let got = f64::from(f32::from_bits(words[row * n + column]));
                // Four products of halves for each, and for each sixteen of them two more additions.
                let error = (4.2 * k as f64) * (-24f64).exp2() * magnitude;
                assert!((got - sum).abs() <= error, "{what} {row} {column}: {got}, not {sum}");
            }
        }
    };
    check("as the host can");
    amx::without(|| check("without the matrix unit"));
}
