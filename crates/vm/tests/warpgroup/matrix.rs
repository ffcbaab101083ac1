//! The matrices of a product with small integers, which every type holds and adds exactly, and where their elements lie.

use crate::form::{Accumulator, Element, Form, Random};

/// The bytes of shared memory: A first, B after it.
pub const SHARED: usize = 49_152;
/// Where B begins.
pub const SECOND: usize = 16_384;

/// A, B and C as numbers, and which elements of A are stored.
pub struct Product {
    /// 64 rows of K.
    pub a: Vec<Vec<i32>>,
    /// K rows of N.
    pub b: Vec<Vec<i32>>,
    /// 64 rows of N.
    pub c: Vec<Vec<i32>>,
    /// For each row and chunk of a sparse A, the places in the chunk of what is stored.
    kept: Vec<Vec<Vec<usize>>>,
}

impl Product {
    pub fn new(form: &Form, random: &mut Random) -> Product {
        let (k, n) = (form.k(), form.n);
        let chunk = if form.a == Element::Tf32 { 2 } else { 4 };
        let mut a = vec![vec![0; k]; 64];
        let mut kept = vec![Vec::new(); 64];
        for (row, kept) in a.iter_mut().zip(&mut kept) {
            for chunk in row.chunks_mut(if form.sparse { chunk } else { k }) {
                let places: Vec<usize> = match (form.sparse, chunk.len()) {
                    (false, all) => (0..all).collect(),
                    (true, 2) => vec![random.below(2)],
                    (true, _) => [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]][random.below(6)].to_vec(),
                };
                places.iter().for_each(|place| chunk[*place] = form.a.number(random));
                kept.push(places);
            }
        }
        let b = (0..k).map(|_| (0..n).map(|_| form.b.number(random)).collect()).collect();
        let c = |random: &mut Random| match (form.d, random.below(8)) {
            (Accumulator::S32, 0) => i32::MAX - random.below(40) as i32,
            (Accumulator::S32, 1) => i32::MIN + random.below(40) as i32,
            _ => random.below(201) as i32 - 100,
        };
        let c = (0..64).map(|_| (0..n).map(|_| c(random)).collect()).collect();
        Product { a, b, c, kept }
    }

    /// D, by the definition.
    pub fn expected(&self, form: &Form) -> Vec<Vec<i32>> {
        let sign = if form.negated[0] == form.negated[1] { 1 } else { -1 };
        let element = |m: usize, n: usize| {
            let sum: i64 = (0..form.k()).map(|k| i64::from(self.a[m][k]) * i64::from(self.b[k][n])).sum();
            let sum = sign * sum + if form.scale_d { i64::from(self.c[m][n]) } else { 0 };
            if form.saturating { sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32 } else { sum as i32 }
        };
        (0..64).map(|m| (0..form.n).map(|n| element(m, n)).collect()).collect()
    }

    /// The stored elements of A: all of them, or half.
    fn stored(&self, form: &Form) -> Vec<Vec<u32>> {
        let k = form.k();
        let row = |(row, kept): (&Vec<i32>, &Vec<Vec<usize>>)| {
            let width = k / kept.len();
            let places = kept
                .iter()
                .enumerate()
                .flat_map(|(chunk, places)| places.iter().map(move |place| chunk * width + place));
            places.map(|place| form.a.encode(row[place])).collect()
        };
        self.a.iter().zip(&self.kept).map(row).collect()
    }

    /// What the shared memory of the CTA holds.
    pub fn image(&self, form: &Form) -> Vec<u8> {
        let mut image = vec![0; SHARED];
        let stored = self.stored(form);
        let width = stored[0].len();
        let at = form.layout(0);
        for (m, row) in stored.iter().enumerate() {
            for (k, bits) in row.iter().enumerate() {
                put(&mut image, form.a, at.byte(form.a, m, k, width), k, *bits);
            }
        }
        let at = form.layout(1);
        for (k, row) in self.b.iter().enumerate() {
            for (n, number) in row.iter().enumerate() {
                let byte = SECOND + at.byte(form.b, n, k, form.k());
                put(&mut image, form.b, byte, k, form.b.encode(*number));
            }
        }
        image
    }

    /// The four registers of A of a thread: each has four bytes of a row's 32, of rows g and g + 8 in turn.
    pub fn fragment(&self, form: &Form, thread: usize) -> [u32; 4] {
        let (row, quad) = place(thread);
        let stored = self.stored(form);
        std::array::from_fn(|register| {
            let elements = 32 / form.a.bits();
            let first = (quad + 4 * (register >> 1)) * elements;
            let row = &stored[row + 8 * (register & 1)];
            let bits = row[first..first + elements].iter().enumerate();
            bits.fold(0, |all, (i, bits)| all | bits << (i * form.a.bits() % 32))
        })
    }

    /// The metadata of a thread. Those that the selector passes over hold what nobody may look at.
    pub fn metadata(&self, form: &Form, thread: usize, random: &mut Random) -> u32 {
        let (row, quad) = place(thread);
        let nibbles = |row: usize, chunks: std::ops::Range<usize>| -> u32 {
            let nibble = |places: &Vec<usize>| match places[..] {
                [0] => 0b0100,
                [1] => 0b1110,
                [low, high] => (low | high << 2) as u32,
                _ => 0,
            };
            self.kept[row][chunks].iter().enumerate().fold(0, |all, (i, p)| all | nibble(p) << (4 * i))
        };
        if form.a.bits() == 8 {
            let half = quad >> 1;
            return nibbles(row + 8 * (quad & 1), 8 * half..8 * half + 8);
        }
        if quad >> 1 != form.selector {
            return random.next() as u32;
        }
        let half = quad & 1;
        let of = |row: usize| nibbles(row, 4 * half..4 * half + 4);
        of(row) | of(row + 8) << 16
    }
}

/// The first row of a thread of the warpgroup, and its place in the group of four that shares rows.
pub fn place(thread: usize) -> (usize, usize) {
    (thread / 32 * 16 + thread % 32 / 4, thread % 4)
}

/// Writes an element into memory; single bits are added to what their byte has.
fn put(image: &mut [u8], element: Element, byte: usize, k: usize, bits: u32) {
    match element.bits() {
        1 => image[byte] |= (bits as u8) << (k % 8),
        bits_of_one => {
            let bytes = bits_of_one / 8;
            image[byte..byte + bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
        }
    }
}
