//! References: the textures, samplers and surfaces that a module declares (manual 5.3). Each has a handle from the time the
//! module is loaded, and the host binds something to it.

use ptxvm_ir::{Field, FieldValue, Linkage, Opaque, OpaqueKind, Program};
use ptxvm_machine::{Addresses, Unsupported};
use ptxvm_syntax::ast::Span;
use ptxvm_texture::{AddressMode, Filter, Kind, Object, Sampler};

use crate::device::Device;

/// More elements than an array of references can need: a kernel has 256 textures at most.
const MOST_ELEMENTS: u64 = 1 << 12;

/// A `.texref`, `.samplerref` or `.surfref` variable of a module, or one among a kernel's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is.
    pub kind: Kind,
    /// Its handle in [`Device::objects`]; of an array, that of the first element.
    pub handle: u64,
    /// What its initialiser says about sampling.
    pub sampler: Sampler,
    /// The kernel whose parameter it is.
    pub kernel: Option<&'a str>,
    /// Whether other modules may see it.
    pub visible: bool,
}

/// The references of a program whose variables have these addresses.
pub(crate) fn of<'a>(
    program: &'a Program,
    addresses: &'a Addresses,
) -> impl Iterator<Item = Reference<'a>> + use<'a> {
    program.variables.iter().zip(&addresses.variables).filter_map(|(variable, &handle)| {
        let opaque = variable.opaque.as_ref()?;
        let function = variable.function.and_then(|id| program.functions.get(id.0 as usize));
        Some(Reference {
            name: &variable.name,
            kind: kind(opaque),
            handle,
            sampler: sampler(opaque, 0),
            kernel: function.map(|function| function.name.as_str()),
            visible: variable.linkage != Linkage::Private,
        })
    })
}

/// Gives a variable its handles, the first of which stands for it. A sampler is bound to what its initialiser says,
/// because nobody else could do it.
pub(crate) fn declare(device: &Device, name: &str, opaque: &Opaque) -> Result<u64, Vec<Unsupported>> {
    let (objects, kind) = (device.objects(), kind(opaque));
    if opaque.count > MOST_ELEMENTS {
        let what = format!("`{name}`, an array of more than {MOST_ELEMENTS} {}s", kind.noun());
        return Err(vec![Unsupported { what, span: Span::default() }]);
    }
    let first = match opaque.count {
        1 => objects.declare(kind, name),
        count => objects.declare_array(kind, name, count as usize),
    };
    if kind == Kind::Sampler {
        for element in 0..opaque.count {
            objects.bind(first + element, Some(Object::Sampler(sampler(opaque, element))));
        }
    }
    Ok(first)
}

/// Takes the handles of a variable away.
pub(crate) fn destroy(device: &Device, opaque: &Opaque, first: u64) {
    for element in 0..opaque.count {
        device.objects().destroy(first + element, kind(opaque));
    }
}

fn kind(opaque: &Opaque) -> Kind {
    match opaque.kind {
        OpaqueKind::Texture => Kind::Texture,
        OpaqueKind::Sampler => Kind::Sampler,
        OpaqueKind::Surface => Kind::Surface,
    }
}

/// What an initialiser says about sampling. A sampler of its own can only take normalised coordinates away, so that it
/// has them unless it says otherwise. Sizes and formats are those of what is bound.
fn sampler(opaque: &Opaque, element: u64) -> Sampler {
    let mut sampler = Sampler {
        address: [AddressMode::Wrap; 3],
        normalized: opaque.kind == OpaqueKind::Sampler,
        ..Sampler::default()
    };
    for field in opaque.fields.iter().filter(|field| field.element == element) {
        set(&mut sampler, field);
    }
    sampler
}

fn set(sampler: &mut Sampler, Field { name, value, .. }: &Field) {
    // Words are positions in the manual's lists.
    let number = match value {
        FieldValue::Number(number) => *number,
        FieldValue::Word(word) => match word.as_str() {
            "linear" | "mirror" => 1,
            "clamp_ogl" => 2,
            "clamp_to_edge" => 3,
            "clamp_to_border" => 4,
            _ => 0,
        },
    };
    let address = match number {
        1 => AddressMode::Mirror,
        2 | 3 => AddressMode::Clamp,
        4 => AddressMode::Border,
        _ => AddressMode::Wrap,
    };
    match name.as_str() {
        "filter_mode" => sampler.filter = if number == 1 { Filter::Linear } else { Filter::Point },
        "addr_mode_0" => sampler.address[0] = address,
        "addr_mode_1" => sampler.address[1] = address,
        "addr_mode_2" => sampler.address[2] = address,
        "normalized_coords" => sampler.normalized = number != 0,
        "force_unnormalized_coords" => sampler.normalized = number == 0,
        _ => {}
    }
}
