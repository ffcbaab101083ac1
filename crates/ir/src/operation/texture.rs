//! Texture instructions: the manual's 9.7.10. Operands are named by their position.

use ptxvm_isa::Type;
use ptxvm_texture::{Geometry, Kind, Query};

use super::form::Form;

/// A texture instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texture {
    /// `tex`
    Lookup(Lookup),
    /// `tld4`
    Gather(Gather),
    /// `txq`
    Query {
        /// What is asked.
        query: Query,
        /// The handle.
        handle: usize,
        /// The level that it is asked of.
        level: Option<usize>,
    },
    /// `istypep`
    IsType {
        /// What is asked for.
        kind: Kind,
        /// The handle.
        handle: usize,
    },
}

/// What `tex` and `tld4` have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// How the texture is meant.
    pub geometry: Geometry,
    /// The handle of the texture.
    pub texture: usize,
    /// The handle of the sampler, in independent mode.
    pub sampler: Option<usize>,
    /// The coordinates.
    pub coordinates: Vector,
    /// What is added to the places of texels.
    pub offsets: Option<Vector>,
    /// The type of a result: `.f16` and `.f16x2` are converted to, the others are the texel's bits.
    pub result: Type,
    /// The destinations, which come first.
    pub results: usize,
    /// The predicate that says whether the texels are resident.
    pub resident: Option<usize>,
}

/// `tex`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Where, and what becomes of it.
    pub sampling: Sampling,
    /// Whether the coordinates are `.s32`, not `.f32`.
    pub integers: bool,
    /// Which level.
    pub level: Level,
}

/// `tld4`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gather {
    /// Where, and what becomes of it.
    pub sampling: Sampling,
    /// Which component of the four texels: 0 to 3.
    pub component: usize,
}

/// The operands that say which level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The first.
    Base,
    /// `.level`
    Given(usize),
    /// `.grad`
    Gradients(Vector, Vector),
}

/// A vector among the operands, or a lone register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The first element.
    pub first: usize,
    /// How many there are.
    pub count: usize,
}

impl Vector {
    /// The operand of this name.
    fn of(form: &Form<'_>, name: &'static str) -> Option<Self> {
        Some(Self { first: form.position(name)?, count: form.elements(name).count() })
    }
}

pub(super) fn decode(form: &Form<'_>) -> Option<Texture> {
    Some(match form.opcode() {
        "tex" => {
            let names = Names::of(form);
            let [x, y] = names.gradients;
            let level = match form.name() {
                "tex.level" => Level::Given(form.position(names.level)?),
                "tex.grad" => Level::Gradients(Vector::of(form, x)?, Vector::of(form, y)?),
                _ => Level::Base,
            };
            let integers = form.slot("ctype")? == "s32";
            Texture::Lookup(Lookup { sampling: sampling(form, &names)?, integers, level })
        }
        "tld4" => {
            let component = match form.slot("comp")? {
                "r" => 0,
                "g" => 1,
                "b" => 2,
                _ => 3,
            };
            Texture::Gather(Gather { sampling: sampling(form, &Names::of(form))?, component })
        }
        "txq" => Texture::Query {
            query: form.modifiers().find_map(Query::from_name)?,
            handle: form.position("a")?,
            level: form.position("lod"),
        },
        "istypep" => {
            let kind = match form.slot("type")? {
                "texref" => Kind::Texture,
                "samplerref" => Kind::Sampler,
                _ => Kind::Surface,
            };
            Texture::IsType { kind, handle: form.position("a")? }
        }
        _ => return None,
    })
}

fn sampling(form: &Form<'_>, names: &Names) -> Option<Sampling> {
    Some(Sampling {
        geometry: form.modifiers().find_map(Geometry::from_name)?,
        texture: form.position("a")?,
        sampler: names.sampler.and_then(|name| form.position(name)),
        coordinates: Vector::of(form, names.coordinates)?,
        offsets: names.offsets.iter().find_map(|name| Vector::of(form, name)),
        result: form.ty("dtype")?,
        results: form.elements("d").count(),
        resident: form.position("p"),
    })
}

/// The names that the operands after the texture have in the table.
struct Names {
    coordinates: &'static str,
    level: &'static str,
    gradients: [&'static str; 2],
    /// The offsets, whichever of these is given.
    offsets: &'static [&'static str],
    sampler: Option<&'static str>,
}

impl Names {
    /// Those of an instruction. In unified mode ptxas knows no sampler and takes an operand there for coordinates, and
    /// each that follows for the next.
    fn of(form: &Form<'_>) -> Self {
        let shifted = form.operand("b").is_some_and(|operand| operand.ty.is_some());
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
                offsets: match (form.given("gradX"), form.given("lod")) {
                    (true, _) => &["gradY"],
                    (false, true) => &[],
                    (false, false) => &["c"],
                },
                sampler: None,
            },
        }
    }
}
