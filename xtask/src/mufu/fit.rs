//! Fits the tables of the special function unit: each recorded answer bounds the polynomial's value at one point of one
//! table entry.

use std::fmt::Write;
use std::path::Path;

use ptxvm_num::mufu::{self, Polynomial, square};

use super::residuals::{self, Recording};
use super::solve::{Point, solve};

/// A function's table and how its answers bear on it.
struct Function {
    name: &'static str,
    about: &'static str,
    shape: Polynomial,
    /// Entries that the function uses and entries that the table has.
    entries: usize,
    size: usize,
    /// Bits of an argument's place within an entry.
    bits: u32,
    /// The factors of c1 and c2 at a place of an entry.
    factors: fn(u32, u32) -> (u32, u32),
    /// What an argument's answer says, if anything.
    bound: fn(&Recording, u32, u32) -> Option<Bound>,
}

/// Where an argument falls (entry over place) and between which sums of the polynomial its answer puts it.
type Bound = (u32, i64, i64);

const FUNCTIONS: [Function; 7] = [
    Function {
        name: "rcp",
        about: "1/x, by the upper 7 bits of the mantissa",
        shape: mufu::RCP,
        entries: 128,
        size: 128,
        bits: 16,
        factors: |_, x| (x, square(x << 1)),
        bound: |_, x, y| (x & MANTISSA != 0).then(|| cut_off(x & MANTISSA, significand(y), 15)),
    },
    Function {
        name: "rsqrt",
        about: "1/√x, by the exponent's parity and the upper 6 bits of the mantissa",
        shape: mufu::RSQRT,
        entries: 128,
        size: 128,
        bits: 17,
        factors: |_, x| (x, square(x)),
        bound: |_, x, y| (x != ONE).then(|| cut_off(x - ONE, significand(y), 16)),
    },
    Function {
        name: "sqrt",
        about: "√x, by the exponent's parity and the upper 6 bits of the mantissa",
        shape: mufu::SQRT,
        entries: 128,
        size: 128,
        bits: 17,
        factors: |entry, x| (x << (entry >> 6), square(x)),
        bound: |_, x, y| Some(cut_off(x - ONE, significand(y), 17)),
    },
    Function {
        name: "ex2",
        about: "2^x, by the upper 6 bits of the fraction",
        shape: mufu::EX2,
        entries: 64,
        size: 64,
        bits: 17,
        factors: |_, x| (x, square(x)),
        bound: |r, x, y| (r.first == ONE).then(|| cut_off(x & MANTISSA, significand(y), 15)),
    },
    Function {
        name: "lg2",
        about: "The logarithm, by the upper 6 bits of the mantissa",
        shape: mufu::LG2,
        entries: 64,
        size: 64,
        bits: 17,
        factors: |_, x| (x, square(x)),
        bound: |_, x, y| (x != ONE).then(|| logarithm(x, y)),
    },
    Function {
        name: "sin",
        about: "The sine, by the upper 6 bits of the place in the quadrant",
        shape: mufu::SIN,
        entries: 64,
        size: 64,
        bits: 17,
        factors: |_, x| (x, square(x)),
        bound: |r, x, y| {
            let place = mufu::turns(x) + if r.function == "cos" { 1 << 23 } else { 0 };
            let (low, high) = normalised(y, 37);
            Some(((place ^ (place >> 23 & 1).wrapping_neg()) & MANTISSA, low, high))
        },
    },
    Function {
        name: "tanh",
        about: "The hyperbolic tangent, by the intervals of its binades",
        shape: mufu::TANH,
        entries: 51,
        size: 64,
        bits: 17,
        factors: |_, x| (x, square(x)),
        bound: |_, x, y| {
            let binade = mufu::BINADES[((x >> 23) - mufu::FIRST) as usize];
            let (low, high) = normalised(y, binade.unit() as i32);
            Some(((binade.first() << 17) + ((x & MANTISSA) >> binade.dropped()), low, high))
        },
    },
];

const MANTISSA: u32 = 0x7f_ffff;
const ONE: u32 = 0x3f80_0000;

/// The 24 bits of a number.
fn significand(y: u32) -> i64 {
    i64::from(y & MANTISSA | 0x80_0000)
}

/// The sums whose bits above the lowest `shift` are these.
fn cut_off(place: u32, bits: i64, shift: u32) -> Bound {
    (place, bits << shift, ((bits + 1) << shift) - 1)
}

/// The sums in units of 2^-`unit` that give `y` when they are cut off to 24 bits.
fn normalised(y: u32, unit: i32) -> (i64, i64) {
    let magnitude = y & 0x7fff_ffff;
    let shift = (magnitude >> 23) as i32 - 150 + unit;
    match magnitude {
        0 => (0, 0),
        _ if shift < 0 => (significand(y) >> -shift, significand(y) >> -shift),
        _ => (significand(y) << shift, ((significand(y) + 1) << shift) - 1),
    }
}

/// The sums that give `y` when the exponent of `x` is added; the magnitude of a negative one is its complement.
fn logarithm(x: u32, y: u32) -> Bound {
    let (low, high) = normalised(y, 36);
    let (low, high) = if y >> 31 == 0 { (low, high) } else { (!high, !low) };
    let exponent = (i64::from(x >> 23) - 127) << 36;
    (x & MANTISSA, (low - exponent) << 2, ((high - exponent) << 2) + 3)
}

/// Fits every table and writes the file.
pub fn run(root: &Path, residuals: &Path) -> Result<(), String> {
    let recordings = residuals::load(root, residuals)?;
    let mut text = String::from(
        "//! The unit's tables. Generated by `cargo xtask mufu fit` from an H200's answers; do not edit.\n//!\n\
         //! An entry holds c0 in its lower word, c1 in bits 32 to 47 and c2 in bits 48 to 63.\n",
    );
    for function in &FUNCTIONS {
        let table = function.fit(&recordings).map_err(|e| format!("{}: {e}", function.name))?;
        let name = function.name.to_uppercase();
        let _ = write!(text, "\n/// {}.\n#[rustfmt::skip]\n", function.about);
        let _ = writeln!(text, "pub static {name}_TABLE: [u64; {}] = [", function.size);
        for row in table.chunks(4) {
            let row: Vec<String> = row.iter().map(|entry| format!("{entry:#018x},")).collect();
            let _ = writeln!(text, "    {}", row.join(" "));
        }
        text.push_str("];\n");
    }
    let path = root.join("crates/num/src/mufu/tables.rs");
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

impl Function {
    fn fit(&self, recordings: &[Recording]) -> Result<Vec<u64>, String> {
        const FREE: i64 = 1 << 60;
        let mut bounds = vec![(-FREE, FREE); self.entries << self.bits];
        let ours = |r: &&Recording| r.function == self.name || self.name == "sin" && r.function == "cos";
        for recording in recordings.iter().filter(ours) {
            for (x, y) in recording.pairs() {
                if let Some((place, low, high)) = (self.bound)(recording, x, y) {
                    let bound = bounds.get_mut(place as usize).ok_or("an input lies outside of the table")?;
                    *bound = (bound.0.max(low), bound.1.min(high));
                }
            }
        }
        let sign = |negative: bool, value: i64| if negative { -value } else { value };
        let mut table = vec![0; self.size];
        let mut several = 0;
        for (entry, bounds) in bounds.chunks_exact(1 << self.bits).enumerate() {
            let known = bounds.iter().zip(0u32..).filter(|(bound, _)| bound.0 > -FREE);
            let points = known.map(|(&(low, high), x)| {
                let (c1, c2) = (self.factors)(entry as u32, x);
                Point {
                    c1: sign(self.shape.c1_negative, i64::from(c1)),
                    c2: sign(self.shape.c2_negative, i64::from(c2) << self.shape.c2_shift),
                    low: low - self.shape.k,
                    high: high - self.shape.k,
                }
            });
            let points: Vec<Point> = points.collect();
            let found = solve(&self.shape, &points).map_err(|e| format!("entry {entry}: {e}"))?;
            several += usize::from(found.len() > 1);
            let (c0, c1, c2) = found[found.len() / 2];
            table[entry] = Polynomial::entry(c0 as u32, c1 as u16, c2 as u16);
        }
        println!("{}: {} entries, {several} of them among several that fit as well", self.name, self.entries);
        Ok(table)
    }
}
