//! Whatever an image, a sampler and an instruction say, a lookup ends with four values: images of every format, shape and
//! layout at any address, samplers that no driver would make, and requests with every kind of extreme number.
//!
//! Arithmetic is checked in tests, so that a sum which would wrap is found too. Each round also asks that a warp finds what
//! its lanes find alone, and that an access of a surface lies within its image.
#![allow(unsafe_code)]

mod random;

use ptxvm_memory::{AllocationKind, GlobalMemory, View};
use ptxvm_num::level::{Level, at_most};
use ptxvm_texture::fit::fits;
use ptxvm_texture::gather::{gather, gather_warp};
use ptxvm_texture::lookup::lookup;
use ptxvm_texture::surface::{At, Clamp, Place, place};
use ptxvm_texture::warp::LANES;
use ptxvm_texture::{
    AddressMode, Details, Filter, Format, Geometry, Image, Lanes, Layout, Query, Read, Sampler, Shape,
    Surface, Texture, Warp, lookup_warp,
};
use random::Random;

const ARENA: u64 = 1 << 24;

const ROUNDS: u32 = 6000;

/// Numbers at which things change, as integers and as floats.
const WORDS: [u32; 28] = [
    0,
    1,
    2,
    7,
    8,
    0xff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fff8,
    u32::MAX,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f7f_ffff,
    0x3eff_ffff,
    0x4b80_0000,
    0xcb80_0001,
    0x4f00_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xff80_0001,
];

impl Random {
    fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    /// A word that means something as an integer or as a float, or anything.
    fn word(&mut self) -> u32 {
        match self.below(6) {
            0 => self.next(),
            1 | 2 => self.one_of(&WORDS),
            3 => self.below(70),
            4 => (self.below(2048) as f32 / 512.0 - 1.0).to_bits(),
            _ => (self.below(1 << 16) as f32 / 512.0 - 16.0).to_bits(),
        }
    }

    fn float(&mut self) -> f32 {
        f32::from_bits(self.word())
    }

    fn lanes(&mut self) -> Lanes {
        // Warps whose lanes look at one place are common too.
        let same = self.word();
        let alike = self.one_in(4);
        std::array::from_fn(|_| if alike { same } else { self.word() })
    }

    fn size(&mut self) -> u32 {
        self.one_of(&[1, 2, 3, 4, 5, 7, 8, 16, 33, 64])
    }
}

/// Every format that an array or a view can have.
fn formats() -> Vec<Format> {
    let arrays = (0..=0xff).flat_map(|number| (0..5).filter_map(move |n| Format::of_array(number, n)));
    arrays.chain((0..=0xff).filter_map(Format::of_view)).collect()
}

fn array(random: &mut Random, start: u64, format: Format) -> Option<Image> {
    let (width, height, depth) = (random.size(), random.size(), random.size());
    let layers = if random.one_in(2) { 1 + random.below(5) } else { 0 };
    let row = Shape { width, layers, ..Shape::default() };
    let shape = match random.below(5) {
        0 => row,
        1 | 2 => Shape { height, ..row },
        3 => Shape { height: width, cube: true, ..row },
        _ => Shape { height, depth, layers: 0, ..row },
    };
    let most = shape.width.max(shape.height).max(shape.depth).ilog2() + 1;
    Image::array(start, format, Shape { levels: 1 + random.below(most), ..shape })
}

/// An image; its bytes may lie anywhere in the arena, or be more than it has.
fn image(random: &mut Random, start: u64, formats: &[Format]) -> Option<Image> {
    let format = random.one_of(formats);
    let odd = start + u64::from(random.below(17));
    let image = match random.below(8) {
        0 => {
            let width = if random.one_in(4) { random.word().max(1) } else { random.size() };
            Image::linear(odd, format, width)?
        }
        1 => {
            let pitch = u64::from(random.one_of(&[0, 1, 13, 16, 48, 64, 512, u32::MAX]));
            let large = random.one_in(6);
            let mut size = || if large { random.word().max(1) } else { random.size() };
            let (width, height) = (size(), size());
            Image::pitched(odd, format, width, height, pitch)?
        }
        _ => array(random, start, format)?,
    };
    let like = |other: &&Format| other.bytes() == format.bytes() && other.block_side() >= format.block_side();
    let others: Vec<Format> = formats.iter().filter(like).copied().collect();
    Some(match random.below(8) {
        0 => {
            let (levels, layers) = ((random.word(), random.word()), (random.word(), random.word()));
            image.seen(random.one_of(&others), levels, layers)
        }
        1 => image.one_level(random.below(4) as usize)?,
        2 => Image { layout: Layout::Sparse, ..image },
        _ => image,
    })
}

fn sampler(random: &mut Random) -> Sampler {
    let modes = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
    Sampler {
        address: [0; 3].map(|_| random.one_of(&modes)),
        filter: random.one_of(&[Filter::Point, Filter::Linear]),
        level_filter: random.one_of(&[Filter::Point, Filter::Linear]),
        normalized: random.one_in(2),
        read: random.one_of(&[Read::Element, Read::NormalizedFloat]),
        srgb: random.one_in(3),
        seamless: random.one_in(2),
        exact_trilinear: random.one_in(2),
        anisotropy: random.one_of(&[0, 1, 2, 3, 4, 6, 8, 11, 12, 15, 16, 17, u32::MAX]),
        bias: random.float(),
        min_level: if random.one_in(2) { 0.0 } else { random.float() },
        max_level: if random.one_in(2) { 16.0 } else { random.float() },
        border: [0; 4].map(|_| random.float()),
    }
}

/// Looks up with floats and integers, each level of vector code, and every way to say which level of detail.
fn look(random: &mut Random, image: &Image, sampler: &Sampler, view: &View) {
    let numbers: [Lanes; 13] = std::array::from_fn(|_| random.lanes());
    let [x, y, z, layer, sample, level, a, b, c, d, e, f, offset] = &numbers;
    let vector = random.one_of(&Level::ALL);
    for geometry in Geometry::ALL {
        let integers = random.one_in(3);
        if !fits(image, geometry, integers) {
            continue;
        }
        let warp = Warp {
            mask: if random.one_in(2) { !0 } else { random.next() },
            integers,
            at: [x, y, z],
            layer: geometry.layered().then_some(layer),
            sample: geometry.multisample().then_some(sample),
            detail: match random.below(4) {
                0 => Details::Base,
                1 if integers => Details::IntegerLevel(level),
                1 => Details::Level(level),
                2 => Details::IntegerLevel(level),
                _ => Details::Gradients([a, b, c], [d, e, f]),
            },
            offset: random.one_in(3).then_some([offset, a, b]),
        };
        let found = at_most(vector, || lookup_warp(image, sampler, view, geometry, &warp));
        let component = random.below(4) as usize;
        let gathered = gather_warp(image, sampler, view, geometry, component, &warp);
        for lane in (0..LANES).filter(|lane| warp.mask >> lane & 1 != 0) {
            let request = warp.request(lane);
            let alone = lookup(image, sampler, view, geometry, &request);
            assert_eq!(
                found.map(|component| component[lane]),
                alone,
                "{vector:?} {geometry:?} {sampler:?} {image:?} {request:?}"
            );
            let alone = gather(image, sampler, view, geometry, component, &request);
            assert_eq!(gathered.map(|component| component[lane]), alone);
        }
    }
}

/// Places accesses of every size anywhere on a surface.
fn touch(random: &mut Random, image: &Image) {
    for geometry in [Geometry::D1, Geometry::D2, Geometry::D3, Geometry::A1, Geometry::A2] {
        for _ in 0..8 {
            let bytes = random.one_of(&[1, 2, 4, 8, 16, 32]);
            let clamp = random.one_of(&[Clamp::Trap, Clamp::Clamp, Clamp::Zero]);
            let unit = if random.one_in(2) { i64::from(bytes) } else { 1 };
            let [x, y, z] = [0; 3].map(|_| i64::from(random.word() as i32));
            let at = At { coordinates: [x * unit, y, z], layer: random.word() };
            if let Place::Within(offset) = place(image, geometry, clamp, &at, bytes) {
                assert!(offset + u64::from(bytes) <= image.bytes, "{image:?} {geometry:?} {at:?} {bytes}");
            }
        }
    }
}

fn ask(random: &mut Random, image: &Image, sampler: &Sampler) {
    let names = [
        "width",
        "height",
        "depth",
        "channel_data_type",
        "channel_order",
        "normalized_coords",
        "array_size",
        "num_mipmap_levels",
        "num_samples",
        "memory_layout",
        "force_unnormalized_coords",
        "filter_mode",
        "addr_mode_0",
        "addr_mode_1",
        "addr_mode_2",
    ];
    let (texture, surface) =
        (Texture { image: image.clone(), sampler: *sampler }, Surface { image: image.clone() });
    for query in names.into_iter().filter_map(Query::from_name).chain([Query::AddrMode(u8::MAX)]) {
        let level = random.word();
        let answer = query.texture(&texture, level);
        if level as usize >= image.levels.len()
            && matches!(query, Query::Width | Query::Height | Query::Depth)
        {
            assert_eq!(answer, 0, "there is no level {level}");
        }
        let _ = (query.surface(&surface), query.sampler(sampler));
    }
}

#[test]
fn nothing_that_is_asked_does_harm() {
    let formats = formats();
    assert!(formats.len() > 80);
    let mut random = Random(0x5eed_7e57);
    let memory = GlobalMemory::new(2 * ARENA);
    let start = memory.allocate(ARENA, 256, AllocationKind::Device, None).expect("there is room");
    let mut looked = 0;
    for _ in 0..ROUNDS {
        let Some(image) = image(&mut random, start, &formats) else { continue };
        let sampler = sampler(&mut random);
        let within = image.bytes.min(start + ARENA - image.address);
        let words = within.min(1 << 14) as usize / 4 * 4;
        let texels: Vec<u8> = (0..words / 4).flat_map(|_| random.word().to_le_bytes()).collect();
        memory.write(image.address, &texels).expect("it is allocated");
        let _lease = memory.lease();
        let first = std::ptr::with_exposed_provenance_mut(image.address as usize);
        // SAFETY: the allocation lives, and the view ends where it does.
        let view = unsafe { View::new(first, within) };
        ask(&mut random, &image, &sampler);
        look(&mut random, &image, &sampler, &view);
        if image.format.block_side() == 1 {
            touch(&mut random, &image.one_level(0).expect("every image has one"));
        }
        looked += 1;
    }
    assert!(looked > ROUNDS / 2);
}
