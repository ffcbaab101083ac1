//! Where the operands of a texture instruction stand among the slots, and the vectors of them.

use ptxvm_texture::Geometry;

use crate::context::Context;
use crate::registers::{LANES, Slot};
use crate::vector::value::Value;
use ptxvm_ir::operation::texture::{Sampling, Vector};

/// A register of each lane.
pub type LaneWords = [u32; LANES];

/// Some elements in a row of a vector among the operands; those that it does not have are zero.
#[must_use]
pub fn read<const N: usize>(
    vector: Vector,
    context: &Context<'_>,
    slots: &[Slot],
    from: usize,
) -> [LaneWords; N] {
    let mut lanes = [[0; LANES]; N];
    for (lanes, index) in lanes.iter_mut().zip(from..vector.count) {
        *lanes = u32::read(&context.bank, slots[vector.first + index]);
    }
    lanes
}

/// The coordinates of a lookup.
#[derive(Clone, Copy, Debug)]
pub struct Coordinates {
    vector: Vector,
    geometry: Geometry,
}

/// What the elements of a coordinate vector are, by lane.
#[derive(Clone, Copy, Debug)]
pub struct CoordinateLanes {
    /// The coordinates; what the geometry has not is zero.
    pub at: [LaneWords; 3],
    /// The layer, of a geometry that has them.
    pub layer: Option<LaneWords>,
    /// The sample, of a geometry that has them.
    pub sample: Option<LaneWords>,
}

impl Coordinates {
    /// Those of an instruction.
    #[must_use]
    pub fn of(sampling: Sampling) -> Self {
        Self { vector: sampling.coordinates, geometry: sampling.geometry }
    }

    /// The sample and the layer come first, in this order; what follows the coordinates is ignored.
    #[must_use]
    #[inline]
    pub fn read(&self, context: &Context<'_>, slots: &[Slot]) -> CoordinateLanes {
        let (layered, multisample) = (self.geometry.layered(), self.geometry.multisample());
        let element = |index| read::<1>(self.vector, context, slots, index)[0];
        let begin = usize::from(layered) + usize::from(multisample);
        let vector =
            Vector { count: self.vector.count.min(begin + self.geometry.coordinates()), ..self.vector };
        CoordinateLanes {
            at: read(vector, context, slots, begin),
            layer: layered.then(|| element(usize::from(multisample))),
            sample: multisample.then(|| element(0)),
        }
    }
}

/// The offsets that follow the coordinates: a vector, of which each element is taken for a few bits with a sign. A lone
/// register or constant there is a depth to compare with, in spite of the manual, and no texture has depths.
#[derive(Clone, Copy, Debug)]
pub struct Offsets {
    vector: Vector,
    bits: u32,
    /// `.1d` looks a plane up, and the bits after those of its offset are the plane's.
    packed: bool,
}

impl Offsets {
    /// Those of an instruction, with so many bits for each element.
    #[must_use]
    pub fn of(sampling: Sampling, bits: u32) -> Option<Self> {
        Some(Self { vector: sampling.offsets?, bits, packed: sampling.geometry == Geometry::D1 })
    }

    /// What is added to the place of each lane's texels.
    #[must_use]
    pub fn read(&self, context: &Context<'_>, slots: &[Slot]) -> [LaneWords; 3] {
        let mut offsets: [LaneWords; 3] = read(self.vector, context, slots, 0);
        if self.packed {
            offsets[1] = offsets[0].map(|word| word >> self.bits);
        }
        let unused = u32::BITS - self.bits;
        offsets.map(|axis| axis.map(|word| ((word << unused).cast_signed() >> unused).cast_unsigned()))
    }
}
