//! The textures, samplers and surfaces of random programs: the same small handles in every launch, for images of many
//! kinds, some of them in the program's own buffers.
//!
//! A program keeps a few of the handles in registers of their own, so that most lookups find something.

use std::sync::Arc;

use ptxvm_isa::Type;
use ptxvm_texture::Object;
use ptxvm_vm::{
    AddressMode, Array, Block, Buffer, Channel, Device, Filter, Format, Module, ObjectKind, Read, Sampler,
    Shape, Surface, Texture,
};

use super::names::{Liberties, interesting};
use crate::oracle::Random;

/// The instructions. Of lookups the checker refuses most, because few lists of their operands fit together.
pub const OPCODES: &[&str] = &[
    "tex", "tex", "tex", "tex", "tex", "tex", "tex", "tex", "tex", "tex", "tex", "tex", "tld4", "tld4",
    "tld4", "txq", "suld", "suld", "sust", "sust", "sured", "suq", "istypep",
];

/// A reference of each kind, which is bound to something in most launches.
pub const VARIABLES: &[&str] = &[".global .texref tx;", ".global .samplerref sa;", ".global .surfref su;"];

/// The registers of each kind of handle.
pub const REGISTERS: usize = 4;

/// The arrays: no two alike, each with a texture, and with a surface unless it is compressed.
const ARRAYS: [(Channel, u8, Shape); 14] = [
    (Channel::F32, 1, plane(8, 5, 0, 4)),
    (Channel::U8, 4, plane(16, 16, 0, 5)),
    (Channel::U16, 1, row(33, 0)),
    (Channel::S32, 2, row(8, 3)),
    (Channel::F32, 4, plane(6, 6, 2, 3)),
    (Channel::F16, 2, solid(4, 3, 5)),
    (Channel::F32, 2, solid(8, 8, 2)),
    (Channel::Unorm8, 4, cube(8, 0, 4)),
    (Channel::S8, 1, cube(3, 2, 1)),
    (Channel::Unorm1010102, 4, plane(1, 1, 0, 1)),
    (Channel::Snorm16, 2, plane(70, 2, 0, 7)),
    (Channel::Block(Block::Bc1), 4, plane(7, 3, 0, 3)),
    (Channel::Block(Block::Bc6hSfloat), 3, plane(4, 4, 3, 1)),
    (Channel::Block(Block::Bc7Srgb), 4, cube(5, 0, 2)),
];

/// The buffers that images lie in: the program's first three, of which the last is never written by a tame one.
pub const BUFFERS: usize = 3;

const SAMPLERS: usize = 6;
/// Textures that no thread changes, and those that any may.
const TEXTURES: [usize; 2] = [ARRAYS.len() + 3, 3];
const SURFACES: [usize; 2] = [ARRAYS.len() - 3, 2];

const fn row(width: u32, layers: u32) -> Shape {
    Shape { width, height: 0, depth: 0, layers, cube: false, levels: 1 }
}

const fn plane(width: u32, height: u32, layers: u32, levels: u32) -> Shape {
    Shape { width, height, depth: 0, layers, cube: false, levels }
}

const fn solid(width: u32, height: u32, depth: u32) -> Shape {
    Shape { width, height, depth, layers: 0, cube: false, levels: 2 }
}

const fn cube(size: u32, layers: u32, levels: u32) -> Shape {
    Shape { width: size, height: size, depth: 0, layers, cube: true, levels }
}

/// Whether an instruction looks a texture up or accesses a surface.
pub fn is_opaque(opcode: &str) -> bool {
    OPCODES.contains(&opcode) && opcode != "istypep"
}

/// A coordinate that may lie in an image.
pub fn coordinate(ty: Option<Type>, random: &mut Random) -> String {
    match ty {
        Some(Type::F32) => {
            let near = random.below(64) as f32 / 16.0 - 0.5;
            if random.one_in(2) { "%of".into() } else { format!("0f{:08X}", near.to_bits()) }
        }
        Some(ty) if ty.bits() == 64 => format!("%rd{}", random.below(REGISTERS)),
        Some(ty) if ty.bits() == 16 => format!("%h{}", random.below(REGISTERS)),
        Some(ty) if ty.bits() == 8 => format!("%c{}", random.below(REGISTERS)),
        _ => (*random.pick(&["%t0", "0", "1", "4", "8", "%oi"])).into(),
    }
}

/// Handles, and two places that differ from thread to thread.
pub fn registers() -> String {
    format!(".reg .b64 %ox<{REGISTERS}>, %os<{REGISTERS}>, %ou<{REGISTERS}>; .reg .f32 %of; .reg .b32 %oi;")
}

/// Sets the registers; `%t0` is the number of the thread in its CTA.
pub fn operands(liberties: Liberties, random: &mut Random) -> Vec<String> {
    let shared = usize::from(liberties.sharing);
    let textures = TEXTURES[0] + shared * TEXTURES[1];
    let surfaces = SURFACES[0] + shared * SURFACES[1];
    let first_sampler = 1 + TEXTURES[0] + TEXTURES[1];
    let kinds =
        [("x", 1, textures), ("s", first_sampler, SAMPLERS), ("u", first_sampler + SAMPLERS, surfaces)];
    let mut lines = Vec::new();
    for (kind, first, count) in kinds {
        for register in 0..REGISTERS {
            let handle = match random.below(200) {
                0 => random.below(64),
                _ => first + random.below(count),
            };
            lines.push(format!("mov.u64 %o{kind}{register}, {handle};"));
        }
    }
    // In some programs the lanes of a warp have two textures.
    if random.one_in(3) {
        let (one, other) = (random.below(REGISTERS), random.below(REGISTERS));
        lines.push(format!("and.b32 %oi, %t0, {}; setp.ne.u32 %lp, %oi, 0;", 1 + random.below(3)));
        lines.push(format!("selp.b64 %ox{one}, %ox{one}, %ox{other}, %lp;"));
        lines.push(format!("selp.b64 %os{one}, %os{one}, %os{other}, %lp;"));
        lines.push(format!("selp.b64 %ou{one}, %ou{one}, %ou{other}, %lp;"));
    }
    let step = (1 << random.below(4)) as f32 / 16.0;
    lines.push(format!("cvt.rn.f32.u32 %of, %t0; mul.f32 %of, %of, 0f{:08X};", step.to_bits()));
    lines.push(format!("shl.b32 %oi, %t0, {};", random.below(5)));
    lines
}

/// What the handles of a device stand for.
pub struct Scene {
    /// The buffers that images lie in, for the first pointers of a kernel.
    pub buffers: Vec<Arc<Buffer>>,
    /// The memory of each array, with what it holds before a launch.
    pub arrays: Vec<(u64, Vec<u8>)>,
    textures: Vec<Texture>,
    surfaces: Vec<Surface>,
}

impl Scene {
    /// A device without any, for programs that ask for none.
    pub fn empty() -> Scene {
        Scene { buffers: Vec::new(), arrays: Vec::new(), textures: Vec::new(), surfaces: Vec::new() }
    }

    /// Gives a new device its objects.
    pub fn new(device: &Device, bytes: usize, random: &mut Random) -> Result<Scene, String> {
        let buffer = || Buffer::new(device, bytes).map(Arc::new).map_err(|e| e.to_string());
        let buffers = (0..BUFFERS).map(|_| buffer()).collect::<Result<Vec<_>, _>>()?;
        let mut scene = Scene { buffers, arrays: Vec::new(), textures: Vec::new(), surfaces: Vec::new() };
        scene.fill(device, random).map_err(|e| e.to_string())?;
        Ok(scene)
    }

    fn fill(&mut self, device: &Device, random: &mut Random) -> Result<(), ptxvm_vm::ArrayError> {
        let format = |channel, channels| Format { channel, channels };
        let mut arrays = Vec::new();
        for (channel, channels, shape) in ARRAYS {
            let array = Array::new(device, format(channel, channels), shape)?;
            self.textures.push(Texture::new(&array, sampler(random)));
            let words = array.image().bytes.div_ceil(8);
            let mut bytes: Vec<u8> = (0..words).flat_map(|_| interesting(random).to_le_bytes()).collect();
            bytes.truncate(array.image().bytes as usize);
            self.arrays.push((array.image().address, bytes));
            arrays.push(array);
        }
        let [work, out, read] = &self.buffers[..] else { return Ok(()) };
        let (float, bytes) = (format(Channel::F32, 1), format(Channel::U8, 4));
        self.textures.push(Texture::linear(read, float, 500, sampler(random))?);
        self.textures.push(Texture::pitched(read, bytes, 13, 9, 57, sampler(random))?);
        self.textures.push(Texture::pitched(read, format(Channel::F32, 4), 9, 300, 33, sampler(random))?);
        self.textures.push(Texture::linear(work, format(Channel::F16, 2), 4000, sampler(random))?);
        self.textures.push(Texture::pitched(work, float, 64, 64, 256, sampler(random))?);
        self.textures.push(Texture::pitched(out, format(Channel::F32, 2), 60, 8, 512, sampler(random))?);
        for _ in 0..SAMPLERS {
            device.objects().create(Object::Sampler(sampler(random)));
        }
        for array in arrays.iter().filter(|array| !matches!(array.image().format.channel, Channel::Block(_)))
        {
            let level = random.below(array.image().levels.len()) as u32;
            self.surfaces.push(Surface::new(array, level)?);
        }
        self.surfaces.push(Surface::pitched(work, bytes, 40, 30, 176)?);
        self.surfaces.push(Surface::linear(work, format(Channel::U32, 2), 700)?);
        // One that has been destroyed.
        drop(Texture::linear(read, float, 1, Sampler::default())?);
        Ok(())
    }

    /// Binds most of a module's references.
    pub fn bind(&self, module: &Module, random: &mut Random) {
        for reference in module.references().filter(|_| !random.one_in(8)).collect::<Vec<_>>() {
            match reference.kind {
                // Those in buffers that a program writes are not among them.
                ObjectKind::Texture => self.textures[random.below(TEXTURES[0])].bind(&reference),
                ObjectKind::Surface => self.surfaces[random.below(self.surfaces.len())].bind(&reference),
                ObjectKind::Sampler => module.device().bind_sampler(&reference, sampler(random)),
            };
        }
    }
}

/// How a texture is sampled: mostly within what a driver makes, now and then with anything.
fn sampler(random: &mut Random) -> Sampler {
    let modes = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
    let mut number = |usual: f32| match random.below(4) {
        0 => f32::from_bits(interesting(random) as u32),
        1 => random.below(64) as f32 / 16.0 - 1.0,
        _ => usual,
    };
    let (bias, min_level, max_level) = (number(0.0), number(0.0), number(16.0));
    let border = [0.0; 4].map(&mut number);
    Sampler {
        address: [0; 3].map(|_| *random.pick(&modes)),
        filter: *random.pick(&[Filter::Point, Filter::Linear]),
        level_filter: *random.pick(&[Filter::Point, Filter::Linear]),
        normalized: random.one_in(2),
        read: *random.pick(&[Read::Element, Read::NormalizedFloat]),
        srgb: random.one_in(3),
        seamless: random.one_in(2),
        exact_trilinear: random.one_in(2),
        anisotropy: *random.pick(&[0, 1, 2, 5, 8, 16, u32::MAX]),
        bias,
        min_level,
        max_level,
        border,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs name handles that they have never seen, so that the order of the objects must be what they think.
    #[test]
    fn handles_are_what_programs_think() {
        let device = Device::default();
        let scene = Scene::new(&device, 64 << 10, &mut Random::new(1)).expect("there is room");
        assert_eq!(scene.textures.len(), TEXTURES[0] + TEXTURES[1]);
        assert_eq!(scene.surfaces.len(), SURFACES[0] + SURFACES[1]);
        let kind = |handle: usize| device.objects().get(handle as u64).map(|object| object.kind()).ok();
        let first_sampler = 1 + TEXTURES[0] + TEXTURES[1];
        let first_surface = first_sampler + SAMPLERS;
        let end = first_surface + SURFACES[0] + SURFACES[1];
        assert!((1..first_sampler).all(|handle| kind(handle) == Some(ObjectKind::Texture)));
        assert!((first_sampler..first_surface).all(|handle| kind(handle) == Some(ObjectKind::Sampler)));
        assert!((first_surface..end).all(|handle| kind(handle) == Some(ObjectKind::Surface)));
        assert_eq!(kind(end), None);
    }
}
