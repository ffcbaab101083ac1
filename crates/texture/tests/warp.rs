//! Whole warps against single lanes: whatever way a warp's lookup takes, each lane finds what it finds alone.
#![allow(unsafe_code)]

mod random;

use ptxvm_memory::{AllocationKind, GlobalMemory, View};
use ptxvm_num::level::{Level, at_most};
use ptxvm_texture::lookup::lookup;
use ptxvm_texture::warp::LANES;
use ptxvm_texture::{
    AddressMode, Channel, Details, Filter, Format, Geometry, Image, Lanes, Read, Sampler, Shape, Warp,
    lookup_warp,
};
use random::Random;

impl Random {
    /// A coordinate near an axis of this length: between texels, at their edges and centres, or any float.
    fn coordinate(&mut self, size: u32, normalized: bool) -> u32 {
        let scale = if normalized { 1.0 / size as f32 } else { 1.0 };
        let place = self.below(512 * (size + 4)) as f32 / 512.0 - 2.0;
        match self.below(8) {
            0 => self.next(),
            1 => [0x7f80_0000, 0xff80_0000, 0x7fff_ffff, 0x8000_0000, 0, 0x8000_0001, 0x7f7f_ffff]
                [self.below(7) as usize],
            2 => (place * scale).to_bits().wrapping_add(self.below(7)).wrapping_sub(3),
            3 => (place.floor() * scale).to_bits().wrapping_add(self.below(3)).wrapping_sub(1),
            _ => (place * scale).to_bits(),
        }
    }

    /// A word of a texel: floats of one size, of all sizes, or not numbers.
    fn word(&mut self, kind: u32) -> u32 {
        match kind {
            0 => 0x3f80_0000 | self.next() >> 9 | self.next() << 31,
            1 => self.next(),
            2 => self.next() & 0x80ff_ffff,
            _ => self.one_of(&[
                0x7f80_0000,
                0xff80_0000,
                0x7fc0_0000,
                0,
                0x8000_0000,
                0x3f80_0000,
                0xbf80_0000,
                1,
            ]),
        }
    }
}

fn sampler(random: &mut Random) -> Sampler {
    let modes = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
    Sampler {
        address: [0; 3].map(|_| random.one_of(&modes)),
        filter: random.one_of(&[Filter::Point, Filter::Linear, Filter::Linear]),
        normalized: random.below(2) == 0,
        read: random.one_of(&[Read::Element, Read::NormalizedFloat]),
        srgb: random.below(8) == 0,
        border: [0.25, -1.5, f32::MIN_POSITIVE / 2.0, 0.7],
        ..Sampler::default()
    }
}

#[test]
fn every_lane_finds_what_it_finds_alone() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let memory = GlobalMemory::new(1 << 24);
    let start = memory.allocate(1 << 20, 256, AllocationKind::Device, None).expect("there is room");
    for round in 0..1500 {
        let channel = random.one_of(&[
            Channel::F32,
            Channel::F32,
            Channel::F32,
            Channel::U8,
            Channel::Unorm8,
            Channel::F16,
        ]);
        let format = Format { channel, channels: random.one_of(&[1, 2, 4]) };
        let geometry = random.one_of(&[Geometry::D1, Geometry::D2, Geometry::D2, Geometry::A1, Geometry::A2]);
        let rows = matches!(geometry, Geometry::D1 | Geometry::A1);
        let sizes = [1, 2, 3, 5, 8, 13, 40];
        let shape = Shape {
            width: random.one_of(&sizes),
            height: if rows { 0 } else { random.one_of(&sizes) },
            depth: 0,
            layers: if geometry.layered() { 1 + random.below(4) } else { 0 },
            cube: false,
            levels: 1,
        };
        let image = Image::array(start, format, shape).expect("it is small");
        let kind = random.below(5);
        let words: Vec<u8> =
            (0..image.bytes.div_ceil(4)).flat_map(|_| random.word(kind).to_le_bytes()).collect();
        memory.write(start, &words).expect("it is allocated");
        let sampler = sampler(&mut random);
        let _lease = memory.lease();
        // SAFETY: the allocation lives, and no image is larger.
        let view = unsafe { View::new(std::ptr::with_exposed_provenance_mut(start as usize), image.bytes) };
        let lanes = |fill: &mut dyn FnMut() -> u32| -> Lanes { std::array::from_fn(|_| fill()) };
        let x = lanes(&mut || random.coordinate(shape.width, sampler.normalized));
        let y = lanes(&mut || random.coordinate(shape.height.max(1), sampler.normalized));
        let layer = lanes(&mut || if random.below(9) == 0 { random.next() } else { random.below(5) });
        let offsets = lanes(&mut || random.next());
        let warp = Warp {
            mask: if round % 3 == 0 { random.next() } else { !0 },
            integers: false,
            at: [&x, &y, &x],
            layer: geometry.layered().then_some(&layer),
            sample: None,
            detail: Details::Base,
            offset: (random.below(6) == 0).then_some([&offsets; 3]),
        };
        for level in Level::ALL {
            let found = at_most(level, || lookup_warp(&image, &sampler, &view, geometry, &warp));
            for lane in (0..LANES).filter(|lane| warp.mask >> lane & 1 != 0) {
                let alone = lookup(&image, &sampler, &view, geometry, &warp.request(lane));
                assert_eq!(
                    found.map(|component| component[lane]),
                    alone,
                    "{level:?}, {format:?}, {geometry:?}, {shape:?}, {sampler:?}, at {:x} {:x}",
                    x[lane],
                    y[lane]
                );
            }
        }
    }
}
