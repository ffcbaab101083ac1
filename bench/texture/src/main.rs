//! Texture lookups on one thread, beside a plain Rust loop that blends four texels with f32 weights.
//!
//! The loop does less: its weights are not rounded to 8 bits, it clamps and knows no other mode, and it adds as it likes.
//! Machines are noisy, so ratios within a run count, and each number is the middle one of many short measurements. The
//! promise is 100 million bilinear samples of an f32 texture a second.

mod kernel;

use std::hint::black_box;
use std::time::Instant;

use ptxvm_memory::{AllocationKind, GlobalMemory, View};
use ptxvm_texture::warp::LANES;
use ptxvm_texture::{
    AddressMode, Channel, Details, Filter, Format, Geometry, Image, Lanes, Read, Sampler, Shape, Warp,
    lookup_warp,
};

const SIDE: u32 = 1024;
/// The warps whose coordinates are made before, those of them that are measured at a time, and how often.
const WARPS: usize = 4096;
const PIECE: usize = 128;
const ROUNDS: usize = 640;

/// Where the lanes look.
#[derive(Clone, Copy)]
enum Path {
    /// Row by row, between texels, as a resampled image is read.
    Rows,
    /// Along rotated rows.
    Rotated,
    /// Anywhere.
    Random,
}

/// The coordinates of a warp, x and y.
type Place = [Lanes; 2];

fn places(path: Path, scale: f32) -> Vec<Place> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 * SIDE as f32
    };
    (0..WARPS)
        .map(|warp| {
            let mut place = [[0; LANES]; 2];
            for lane in 0..LANES {
                let at = warp * LANES + lane;
                let (x, y) = ((at % 1024) as f32, (at / 1024) as f32 * 8.0);
                let (x, y) = match path {
                    Path::Rows => (x + 0.37, y + 0.81),
                    Path::Rotated => (x * 0.8 + y * 0.6, y * 0.8 - x * 0.6 + 600.0),
                    Path::Random => (random(), random()),
                };
                place[0][lane] = (x * scale).to_bits();
                place[1][lane] = (y * scale).to_bits();
            }
            place
        })
        .collect()
}

/// Samples a second, the middle one of the rounds, each of which is another piece of the coordinates.
fn rate(places: &[Place], mut round: impl FnMut(&[Place])) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|number| {
            let at = number * PIECE % WARPS;
            let begin = Instant::now();
            round(&places[at..at + PIECE]);
            begin.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (PIECE * LANES) as f64 / times[ROUNDS / 2]
}

/// The peer: a plain loop over coordinates, clamped at the edges.
#[inline(never)]
fn plain(texels: &[f32], places: &[Place], out: &mut [f32]) {
    let last = SIDE as i32 - 1;
    let texel = |x: i32, y: i32| texels[(y.clamp(0, last) as u32 * SIDE + x.clamp(0, last) as u32) as usize];
    for (place, out) in places.iter().zip(out.chunks_exact_mut(LANES)) {
        for lane in 0..LANES {
            let (x, y) = (f32::from_bits(place[0][lane]) - 0.5, f32::from_bits(place[1][lane]) - 0.5);
            let (left, top) = (x.floor(), y.floor());
            let (a, b) = (x - left, y - top);
            let (i, j) = (left as i32, top as i32);
            let upper = texel(i, j) * (1.0 - a) + texel(i + 1, j) * a;
            let lower = texel(i, j + 1) * (1.0 - a) + texel(i + 1, j + 1) * a;
            out[lane] = upper * (1.0 - b) + lower * b;
        }
    }
}

struct Case {
    name: &'static str,
    channel: Channel,
    channels: u8,
    filter: Filter,
    mode: AddressMode,
    normalized: bool,
    path: Path,
}

const CASES: [Case; 12] = [
    Case::new("f32, linear, rows", Path::Rows),
    Case::new("f32, linear, rotated", Path::Rotated),
    Case::new("f32, linear, anywhere", Path::Random),
    Case::new("f32, linear, rotated, border", Path::Rotated).mode(AddressMode::Border, false),
    Case::new("f32, linear, rotated, normalised", Path::Rotated).mode(AddressMode::Clamp, true),
    Case::new("f32, linear, rotated, wrap", Path::Rotated).mode(AddressMode::Wrap, true),
    Case::new("f32, linear, rotated, mirror", Path::Rotated).mode(AddressMode::Mirror, true),
    Case::new("f32 x 2, linear, rotated", Path::Rotated).format(Channel::F32, 2),
    Case::new("f32 x 4, linear, rotated", Path::Rotated).format(Channel::F32, 4),
    Case::new("unorm8 x 4, linear, rotated", Path::Rotated).format(Channel::U8, 4),
    Case::new("f32, point, rotated", Path::Rotated).point(),
    Case::new("unorm8 x 4, point, rotated", Path::Rotated).format(Channel::U8, 4).point(),
];

impl Case {
    const fn new(name: &'static str, path: Path) -> Self {
        Self {
            name,
            channel: Channel::F32,
            channels: 1,
            filter: Filter::Linear,
            mode: AddressMode::Clamp,
            normalized: false,
            path,
        }
    }

    const fn mode(self, mode: AddressMode, normalized: bool) -> Self {
        Self { mode, normalized, ..self }
    }

    const fn format(self, channel: Channel, channels: u8) -> Self {
        Self { channel, channels, ..self }
    }

    const fn point(self) -> Self {
        Self { filter: Filter::Point, ..self }
    }

    fn measure(&self, memory: &GlobalMemory, start: u64) -> f64 {
        let format = Format { channel: self.channel, channels: self.channels };
        let shape = Shape { width: SIDE, height: SIDE, depth: 0, layers: 0, cube: false, levels: 1 };
        let image = Image::array(start, format, shape).expect("it is small");
        let sampler = Sampler {
            address: [self.mode; 3],
            filter: self.filter,
            normalized: self.normalized,
            read: Read::NormalizedFloat,
            ..Sampler::default()
        };
        let _lease = memory.lease();
        // SAFETY: the allocation is as large as the largest image, and the lease keeps it.
        let view = unsafe { View::new(std::ptr::with_exposed_provenance_mut(start as usize), image.bytes) };
        let places = places(self.path, if self.normalized { 1.0 / SIDE as f32 } else { 1.0 });
        rate(&places, |places| {
            for place in places {
                let warp = Warp {
                    mask: !0,
                    integers: false,
                    at: [&place[0], &place[1], &place[0]],
                    layer: None,
                    sample: None,
                    detail: Details::Base,
                    offset: None,
                };
                black_box(lookup_warp(&image, &sampler, &view, Geometry::D2, &warp));
            }
        })
    }
}

fn main() {
    let bytes = u64::from(SIDE) * u64::from(SIDE) * 16;
    let memory = GlobalMemory::new(1 << 30);
    let start = memory.allocate(bytes, 256, AllocationKind::Device, None).expect("there is room");
    let texels: Vec<f32> =
        (0..SIDE * SIDE * 4).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 65536.0).collect();
    let raw: Vec<u8> = texels.iter().flat_map(|texel| texel.to_le_bytes()).collect();
    memory.write(start, &raw).expect("it is allocated");

    println!("{:34} {:>16} {:>14}", "bilinear and point, one thread", "million/s", "of plain Rust");
    let mut out = vec![0.0; PIECE * LANES];
    let peers =
        [("rows", Path::Rows), ("rotated", Path::Rotated), ("anywhere", Path::Random)].map(|(name, path)| {
            let places = places(path, 1.0);
            let peer = rate(&places, |places| plain(black_box(&texels), places, black_box(&mut out)));
            println!("{:34} {:16.0} {:14.2}", format!("plain Rust, {name}"), peer / 1e6, 1.0);
            peer
        });
    for case in CASES {
        let rate = case.measure(&memory, start);
        println!("{:34} {:16.0} {:14.2}", case.name, rate / 1e6, rate / peers[case.path as usize]);
    }
    for (name, rate) in kernel::rates(SIDE, &raw) {
        let name = format!("a kernel, f32, linear: {name}");
        println!("{name:34} {:16.0} {:14.2}", rate / 1e6, rate / peers[Path::Rotated as usize]);
    }
}
