//! The operands with which the lanes of a warp look into a texture.

use crate::lookup::{Coordinates, Detail, Request};

/// The lanes of a warp.
pub const LANES: usize = 32;

/// A register of each lane: the bits of floats or integers.
pub type Lanes = [u32; LANES];

/// Which level of detail each lane wants: [`Detail`] for a warp.
#[derive(Clone, Copy, Debug)]
pub enum Details<'a> {
    /// The finest one.
    Base,
    /// Floats.
    Level(&'a Lanes),
    /// Integers.
    IntegerLevel(&'a Lanes),
    /// The derivatives of the coordinates by x and by y.
    Gradients([&'a Lanes; 3], [&'a Lanes; 3]),
}

/// What the lanes of a warp ask: [`Request`] for a warp.
#[derive(Clone, Copy, Debug)]
pub struct Warp<'a> {
    /// The lanes that ask; the others get anything.
    pub mask: u32,
    /// Whether the coordinates are integers rather than floats.
    pub integers: bool,
    /// Where. What the geometry has not is not looked at.
    pub at: [&'a Lanes; 3],
    /// The layer; 0 if there is none.
    pub layer: Option<&'a Lanes>,
    /// The sample; 0 if there is none.
    pub sample: Option<&'a Lanes>,
    /// Which level.
    pub detail: Details<'a>,
    /// What is added to the texels' places, if anything.
    pub offset: Option<[&'a Lanes; 3]>,
}

impl Warp<'_> {
    /// What some of the lanes ask.
    #[must_use]
    pub fn of(mut self, lanes: u32) -> Self {
        self.mask = lanes;
        self
    }

    /// What one lane asks.
    #[must_use]
    pub fn request(&self, lane: usize) -> Request {
        let bits = |from: [&Lanes; 3]| from.map(|axis| axis[lane]);
        let floats = |from| bits(from).map(f32::from_bits);
        let integers = |from| bits(from).map(|word| word as i32);
        Request {
            at: if self.integers {
                Coordinates::Integers(integers(self.at))
            } else {
                Coordinates::Floats(floats(self.at))
            },
            layer: self.layer.map_or(0, |layers| layers[lane]),
            sample: self.sample.map_or(0, |samples| samples[lane]),
            detail: match self.detail {
                Details::Base => Detail::Base,
                Details::Level(levels) => Detail::Level(f32::from_bits(levels[lane])),
                Details::IntegerLevel(levels) => Detail::IntegerLevel(levels[lane] as i32),
                Details::Gradients(dx, dy) => Detail::Gradients(floats(dx), floats(dy)),
            },
            offset: self.offset.map_or([0; 3], integers),
        }
    }
}
