//! Boxes of tensors copied into shared memory and back, beside `memcpy` of as many bytes from the same memory.
//!
//! The boxes follow one another through the tensor, as a kernel's do; each lands in the same shared memory. Machines
//! are noisy, so only the ratios count, and each is that of the middle one of many short measurements, which the
//! scheduler does not interrupt: the promise is 30 % of memcpy's bandwidth without swizzle and 15 % with that of 128
//! bytes.

use std::hint::black_box;
use std::time::Instant;

use ptxvm_machine::asynchronous::tensor::image::Image;
use ptxvm_machine::asynchronous::tensor::load::load;
use ptxvm_machine::asynchronous::tensor::store::{Edge, store};
use ptxvm_tensor::{Access, Coordinates, Element, Fill, Interleave, Mode, Swizzle, TensorMap, Walk};

/// The rows of a tensor that no cache holds.
const ROWS: usize = 16384;
/// The bytes of each row, with some padding: at a power of two, all rows would fight for the same lines of the cache.
const ROW: usize = 4096 + 128;
/// The bytes that are measured at a time, and how often.
const PIECE: usize = 256 << 10;
const ROUNDS: usize = 301;

/// Shared memory: a line's alignment is what copies ask for.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Line([u8; 128]);

fn memory(bytes: usize) -> Vec<Line> {
    vec![Line([1; 128]); bytes / 128]
}

/// One kind of box.
struct Case {
    name: &'static str,
    element: Element,
    /// Elements in a row, and rows.
    size: [u32; 2],
    swizzle: Swizzle,
    /// Whether the box goes back to the tensor.
    back: bool,
}

const CASES: [Case; 9] = [
    Case::new("64 x 64 of f16", Element::F16, [64, 64], Swizzle::None),
    Case::new("64 x 128 of f16", Element::F16, [64, 128], Swizzle::None),
    Case::new("128 x 128 of f16", Element::F16, [128, 128], Swizzle::None),
    Case::new("256 x 32 of f32", Element::F32, [256, 32], Swizzle::None),
    Case::new("64 x 64 of f16, swizzle 128", Element::F16, [64, 64], Swizzle::Bytes128),
    Case::new("64 x 128 of f16, swizzle 128", Element::F16, [64, 128], Swizzle::Bytes128),
    Case::new("32 x 128 of f16, swizzle 64", Element::F16, [32, 128], Swizzle::Bytes64),
    Case::new("64 x 128 of f16, stored", Element::F16, [64, 128], Swizzle::None).back(),
    Case::new("the same, swizzle 128", Element::F16, [64, 128], Swizzle::Bytes128).back(),
];

impl Case {
    const fn new(name: &'static str, element: Element, size: [u32; 2], swizzle: Swizzle) -> Self {
        Self { name, element, size, swizzle, back: false }
    }

    const fn back(self) -> Self {
        Self { back: true, ..self }
    }

    fn map(&self, address: u64, rows: usize) -> TensorMap {
        let elements = (4096 * 8) as u64 / u64::from(self.element.bits());
        TensorMap {
            address,
            element: self.element,
            rank: 2,
            sizes: [elements, rows as u64, 1, 1, 1],
            strides: [0, ROW as u64, 0, 0, 0],
            element_strides: [1; 5],
            mode: Mode::Tile([self.size[0], self.size[1], 1, 1, 1]),
            interleave: Interleave::None,
            swizzle: self.swizzle,
            fill: Fill::Zeros,
            promotion: 0,
        }
    }

    /// Bytes a second through so many rows of the tensor.
    fn boxes(&self, tensor: &mut [Line], shared: &mut [Line], rows: usize) -> f64 {
        let map = self.map(tensor.as_mut_ptr().expose_provenance() as u64, rows);
        let pointer = shared.as_mut_ptr().cast();
        let (mut x, mut y) = (0, 0);
        median(|| {
            let mut bytes = 0;
            while bytes < PIECE as u64 {
                let coordinates: Coordinates = [x as i32, y as i32, 0, 0, 0];
                let walk = Walk::new(&map, Access::Tile, &coordinates);
                black_box(walk.bounds());
                // SAFETY: the tensor is as large as the map says, and shared memory as a box of the cases.
                unsafe {
                    let image = Image::new(&map, pointer, 0);
                    if self.back {
                        store(&walk, &map, image, Edge::WholeChunk);
                    } else {
                        load(&walk, &map, image);
                    }
                }
                bytes += walk.bytes();
                x += self.size[0];
                if u64::from(x) >= map.sizes[0] {
                    (x, y) = (0, (y + self.size[1]) % rows as u32);
                }
            }
            bytes
        })
    }

    /// The same with memcpy.
    fn memcpy(&self, tensor: &mut [Line], shared: &mut [Line], rows: usize) -> f64 {
        let bytes = (self.size[0] * self.size[1] * self.element.bits() / 8) as usize;
        let lines = bytes / 128;
        let end = rows * ROW / 128;
        let mut at = 0;
        median(|| {
            let mut done = 0;
            while done < PIECE as u64 {
                if at + lines > end {
                    at = 0;
                }
                let piece = &mut tensor[at..at + lines];
                if self.back {
                    piece.copy_from_slice(black_box(&shared[..lines]));
                } else {
                    shared[..lines].copy_from_slice(black_box(piece));
                }
                black_box(&mut *shared);
                at += lines;
                done += bytes as u64;
            }
            done
        })
    }
}

/// The middle of the bytes a second of all rounds.
fn median(mut round: impl FnMut() -> u64) -> f64 {
    let mut all: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let bytes = round();
            bytes as f64 / start.elapsed().as_secs_f64()
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all[ROUNDS / 2]
}

fn main() {
    let mut tensor = memory(ROWS * ROW);
    let mut shared = memory(64 << 10);
    println!(
        "{:30} {:>10} {:>10} {:>8}   {:>10} {:>10} {:>8}",
        "", "memcpy", "boxes", "", "memcpy", "boxes", ""
    );
    println!("{:30} {:>31}   {:>31}", "GB/s", "a tensor of 66 MB", "of 528 kB, in the cache");
    for case in &CASES {
        print!("{:30}", case.name);
        for rows in [ROWS, 128] {
            let memcpy = case.memcpy(&mut tensor, &mut shared, rows);
            let boxes = case.boxes(&mut tensor, &mut shared, rows);
            print!(" {:>10.1} {:>10.1} {:>6.0} %  ", memcpy / 1e9, boxes / 1e9, 100.0 * boxes / memcpy);
        }
        println!();
    }
}
