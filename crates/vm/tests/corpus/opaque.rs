//! Textures and surfaces among the arguments: `texture 2d,smooth,channels=4 u8[4,16,4]=bits`.
//!
//! The first word is the geometry: `1d 2d 3d a1d a2d cube`, or `linear` and `pitched` for memory that is no array. Then
//! come `channels=N` (the last extent), `levels=N` (each coarser level holds the first of the elements), and how a
//! texture is sampled: `smooth`, `trilinear`, `normalized`, `unit` (integers are read as numbers from 0 or -1 to 1),
//! `wrap mirror border`. `tests/golden/generate/corpus.py` reads the same words.

use ptxvm_memory::AllocationKind;
use ptxvm_texture::{
    AddressMode, Channel, Filter, Format, Image, Object, Read, Sampler, Shape, Surface, Texture,
};
use ptxvm_vm::Device;

use crate::fill::Element;

/// Whether the kernel samples it or also writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opaque {
    Texture,
    Surface,
}

/// An image in a device's memory, and its handle.
pub struct Made {
    pub handle: u64,
    image: Image,
}

impl Made {
    /// Places elements of this shape, whose last extent is the innermost.
    pub fn new(
        device: &Device,
        opaque: Opaque,
        words: &str,
        element: Element,
        shape: &[usize],
        bytes: &[u8],
    ) -> Self {
        let words: Vec<&str> = words.split(',').collect();
        let says = |word: &str| words.contains(&word);
        let number = |word: &str| {
            let of = |text: &&str| text.strip_prefix(word)?.strip_prefix('=')?.parse::<u32>().ok();
            words.iter().find_map(of).unwrap_or(1)
        };
        let (channels, levels) = (number("channels"), number("levels"));
        let format = Format { channel: channel(element), channels: channels as u8 };
        let mut sizes: Vec<u32> = shape.iter().rev().map(|n| *n as u32).collect();
        if channels > 1 {
            assert_eq!(sizes.remove(0), channels, "the innermost extent is the channels");
        }
        let mut image = image(words[0], format, &sizes, levels);
        image.address =
            device.memory().allocate(image.bytes, 256, AllocationKind::Array, None).expect("memory");
        for number in 0..image.levels.len() {
            for (row, (at, length)) in rows(&image, number).into_iter().enumerate() {
                device.write(at, &bytes[row * length..(row + 1) * length]).expect("it was just allocated");
            }
        }
        let address = [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Border]
            .into_iter()
            .zip(["wrap", "mirror", "border"])
            .find_map(|(mode, word)| says(word).then_some(mode));
        let filter = |word| if says(word) { Filter::Linear } else { Filter::Point };
        let sampler = Sampler {
            address: [address.unwrap_or(AddressMode::Clamp); 3],
            filter: filter("smooth"),
            level_filter: filter("trilinear"),
            normalized: says("normalized"),
            read: if says("unit") { Read::NormalizedFloat } else { Read::Element },
            max_level: (levels - 1) as f32,
            ..Sampler::default()
        };
        let object = match opaque {
            Opaque::Texture => Object::Texture(Texture { image: image.clone(), sampler }),
            Opaque::Surface => Object::Surface(Surface { image: image.clone() }),
        };
        Self { handle: device.objects().create(object), image }
    }

    /// The elements of the finest level.
    pub fn to_bytes(&self, device: &Device) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (at, length) in rows(&self.image, 0) {
            let mut row = vec![0; length];
            device.read(at, &mut row).expect("the image is in memory");
            bytes.extend(row);
        }
        bytes
    }
}

fn channel(element: Element) -> Channel {
    match element {
        Element::Unsigned(8) => Channel::U8,
        Element::Unsigned(16) => Channel::U16,
        Element::Unsigned(_) => Channel::U32,
        Element::Signed(8) => Channel::S8,
        Element::Signed(16) => Channel::S16,
        Element::Signed(_) => Channel::S32,
        Element::Float(16, _) => Channel::F16,
        Element::Float(..) => Channel::F32,
    }
}

fn image(geometry: &str, format: Format, sizes: &[u32], levels: u32) -> Image {
    let width = sizes[0];
    let plain = Shape { width, height: 0, depth: 0, layers: 0, cube: false, levels };
    let plane = Shape { height: sizes.get(1).copied().unwrap_or(0), ..plain };
    let outermost = sizes.last().copied().unwrap_or(0);
    let image = match geometry {
        "1d" => Image::array(0, format, plain),
        "2d" => Image::array(0, format, plane),
        "3d" => Image::array(0, format, Shape { depth: outermost, ..plane }),
        "a1d" => Image::array(0, format, Shape { layers: outermost, ..plain }),
        "a2d" => Image::array(0, format, Shape { layers: outermost, ..plane }),
        "cube" => Image::array(0, format, Shape { cube: true, ..plane }),
        "linear" => Image::linear(0, format, width),
        "pitched" => Image::pitched(0, format, width, plane.height, u64::from(width * format.bytes())),
        _ => panic!("no such geometry: {geometry}"),
    };
    image.expect("it is small")
}

/// The addresses of a level's rows, in the order of the elements, and how long each is.
fn rows(image: &Image, level: usize) -> Vec<(u64, usize)> {
    let level = &image.levels[level];
    let length = (level.size[0] * image.format.bytes()) as usize;
    let mut rows = Vec::new();
    for plane in 0..image.shape.planes() {
        for z in 0..level.size[2] {
            for y in 0..level.size[1] {
                rows.push((image.address + image.offset(level, plane, [0, y, z]), length));
            }
        }
    }
    rows
}
