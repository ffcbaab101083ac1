//! Where the operands of a texture instruction stand among the slots, and the vectors of them.

use ptxvm_texture::Geometry;

use crate::context::Context;
use crate::registers::{LANES, Slot, Value};
use ptxvm_ir::operation::Form;

/// A register of each lane.
pub type Lanes = [u32; LANES];

/// A vector among the operands, or a lone register.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    first: usize,
    count: usize,
}

impl Vector {
    /// The operand of this name.
    #[must_use]
    pub fn of(form: &Form<'_>, name: &'static str) -> Option<Self> {
        Some(Self { first: form.position(name)?, count: form.elements(name).count() })
    }

    /// Some of its elements in a row; those that it does not have are zero.
    #[must_use]
    pub fn read<const N: usize>(self, context: &Context<'_>, slots: &[Slot], from: usize) -> [Lanes; N] {
        let mut lanes = [[0; LANES]; N];
        for (lanes, index) in lanes.iter_mut().zip(from..self.count) {
            *lanes = u32::read(&context.bank, slots[self.first + index]);
        }
        lanes
    }
}

/// The coordinates of a lookup.
#[derive(Clone, Copy, Debug)]
pub struct Coordinates {
    vector: Vector,
    geometry: Geometry,
}

/// What the elements of a coordinate vector are, by lane.
#[derive(Clone, Copy, Debug)]
pub struct Where {
    /// The coordinates; what the geometry has not is zero.
    pub at: [Lanes; 3],
    /// The layer, of a geometry that has them.
    pub layer: Option<Lanes>,
    /// The sample, of a geometry that has them.
    pub sample: Option<Lanes>,
}

impl Coordinates {
    /// Those of an instruction of this geometry.
    #[must_use]
    pub fn of(form: &Form<'_>, names: &Names, geometry: Geometry) -> Option<Self> {
        Some(Self { vector: Vector::of(form, names.coordinates)?, geometry })
    }

    /// The sample and the layer come first, in this order; what follows the coordinates is ignored.
    #[must_use]
    #[inline]
    pub fn read(&self, context: &Context<'_>, slots: &[Slot]) -> Where {
        let (layered, multisample) = (self.geometry.layered(), self.geometry.multisample());
        let element = |index| self.vector.read::<1>(context, slots, index)[0];
        let begin = usize::from(layered) + usize::from(multisample);
        let vector =
            Vector { count: self.vector.count.min(begin + self.geometry.coordinates()), ..self.vector };
        Where {
            at: vector.read(context, slots, begin),
            layer: layered.then(|| element(usize::from(multisample))),
            sample: multisample.then(|| element(0)),
        }
    }
}

/// The names that the operands behind the texture have in the table.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// The coordinates.
    pub coordinates: &'static str,
    /// The level.
    pub level: &'static str,
    /// The gradients.
    pub gradients: [&'static str; 2],
    /// The offsets, whichever of these is given.
    pub offsets: &'static [&'static str],
    /// The sampler.
    pub sampler: Option<&'static str>,
}

impl Names {
    /// Those of an instruction. In unified mode ptxas knows no sampler and takes an operand there for coordinates, and
    /// each that follows for the next.
    #[must_use]
    pub fn of(form: &Form<'_>) -> Self {
        let shifted = form.operand("b").is_some_and(|operand| operand.ty.is_some());
        let gradients = form.given("gradX");
        match shifted {
            false => Self {
                coordinates: "c",
                level: "lod",
                gradients: ["gradX", "gradY"],
                offsets: &["e1", "e2", "e4"],
                sampler: form.given("b").then_some("b"),
            },
            true => Self {
                coordinates: "b",
                level: "c",
                gradients: ["c", "gradX"],
                offsets: match (gradients, form.given("lod")) {
                    (true, _) => &["gradY"],
                    (false, true) => &[],
                    (false, false) => &["c"],
                },
                sampler: None,
            },
        }
    }
}

/// The geometry that an instruction names.
#[must_use]
pub fn geometry(form: &Form<'_>) -> Option<Geometry> {
    form.modifiers().find_map(Geometry::from_name)
}

/// The offsets that follow the coordinates: a vector, of which each element is taken for a few bits with a sign. A lone
/// register or constant there is a depth to compare with, in spite of the manual, and no texture has depths.
#[derive(Clone, Copy, Debug)]
pub struct Offsets {
    vector: Vector,
    bits: u32,
    /// `.1d` looks a plane up, and the bits behind those of its offset are the plane's.
    packed: bool,
}

impl Offsets {
    /// Those of an instruction, with so many bits for each element.
    #[must_use]
    pub fn of(form: &Form<'_>, names: &Names, geometry: Geometry, bits: u32) -> Option<Self> {
        let vector = names.offsets.iter().find_map(|name| Vector::of(form, name))?;
        Some(Self { vector, bits, packed: geometry == Geometry::D1 })
    }

    /// What is added to the place of each lane's texels.
    #[must_use]
    pub fn read(&self, context: &Context<'_>, slots: &[Slot]) -> [Lanes; 3] {
        let mut offsets: [Lanes; 3] = self.vector.read(context, slots, 0);
        if self.packed {
            offsets[1] = offsets[0].map(|word| word >> self.bits);
        }
        let unused = u32::BITS - self.bits;
        offsets.map(|axis| axis.map(|word| ((word << unused).cast_signed() >> unused).cast_unsigned()))
    }
}
