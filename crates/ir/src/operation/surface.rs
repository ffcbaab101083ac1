//! Surface instructions: the manual's 9.7.11. Operands are named by their position.

use ptxvm_isa::Type;
use ptxvm_texture::surface::Clamp;
use ptxvm_texture::{Geometry, Query};

use super::access::Combination;
use super::form::Form;
use super::texture::Vector;

/// A surface instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// `suld.b`
    Load {
        /// Where.
        access: SurfaceAccess,
        /// The bytes of an element.
        element: usize,
        /// How many elements a lane reads.
        elements: usize,
        /// How many destinations there are, which come first.
        registers: usize,
    },
    /// `sust`
    Store {
        /// Where.
        access: SurfaceAccess,
        /// The values.
        values: Vector,
        /// How many of them a lane writes.
        elements: usize,
        /// The bytes of each; without, texels are written (`sust.p`).
        element: Option<usize>,
    },
    /// `sured`
    Reduce {
        /// Where.
        access: SurfaceAccess,
        /// How it is combined.
        combination: Combination,
        /// The type that is written.
        ty: Type,
        /// The value.
        value: usize,
        /// `sured.p`: texels, whose numbers are signed if those of the surface are.
        sample: bool,
    },
    /// `suq`
    Query {
        /// What is asked.
        query: Query,
        /// The handle.
        handle: usize,
    },
}

/// Where on which surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceAccess {
    /// How the surface is meant.
    pub geometry: Geometry,
    /// What becomes of a place outside.
    pub clamp: Clamp,
    /// The handle.
    pub handle: usize,
    /// The coordinates.
    pub coordinates: Vector,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Surface> {
    if form.opcode() == "suq" {
        let query = Query::from_name(form.slot("query")?)?;
        return Some(Surface::Query { query, handle: form.position("a")? });
    }
    let vector =
        |name: &str| Some(Vector { first: form.position(name)?, count: form.elements(name).count() });
    let access = SurfaceAccess {
        geometry: Geometry::from_name(form.slot("geom")?)?,
        clamp: Clamp::from_name(form.slot("clamp")?)?,
        handle: form.position("a")?,
        coordinates: vector("b")?,
    };
    let bytes = || Some(form.main_type()?.bits() as usize / 8);
    let elements = match form.slot("vec") {
        Some("v2") => 2,
        Some("v4") => 4,
        _ => 1,
    };
    Some(match form.name() {
        "suld.b" => {
            let registers = form.elements("d").count();
            // A vector without `.vec`, which ptxas takes, gets the one element everywhere.
            let elements = if form.slot("vec").is_some() { registers } else { 1 };
            Surface::Load { access, element: bytes()?, elements, registers }
        }
        "sust.b" => Surface::Store { access, values: vector("c")?, elements, element: Some(bytes()?) },
        "sust.p" => Surface::Store { access, values: vector("c")?, elements, element: None },
        name @ ("sured.b" | "sured.p") => Surface::Reduce {
            access,
            combination: Combination::from_name(form.slot("op")?)?,
            ty: form.main_type()?,
            value: form.position("c")?,
            sample: name == "sured.p",
        },
        _ => return None,
    })
}
