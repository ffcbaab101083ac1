//! The image, the sampler and the handles of a case, from the driver's words for them.

use ptxvm_memory::AllocationKind;
use ptxvm_texture::{
    AddressMode, Filter, Format, Image, Kind, Layout, Level, Object, Read, Sampler, Shape, Surface, Texture,
};
use ptxvm_vm::Device;

use crate::golden::{self, Case, Golden, Resource};

/// `CUDA_ARRAY3D_LAYERED`, `CUDA_ARRAY3D_SURFACE_LDST`, `CUDA_ARRAY3D_CUBEMAP` and `CUDA_ARRAY3D_SPARSE`.
const LAYERED: u32 = 1;
const SURFACE: u32 = 2;
const CUBEMAP: u32 = 4;
const SPARSE: u32 = 0x40;

/// What a case looks at, in the memory of a device.
pub struct Bound<'a> {
    device: &'a Device,
    image: Image,
    pub texture: u64,
    /// 0 if the image cannot be written.
    pub surface: u64,
}

impl<'a> Bound<'a> {
    pub fn new(device: &'a Device, golden: &Golden, case: &Case) -> Result<Self, String> {
        let mut image = image(&case.resource).ok_or("an image that cannot be")?;
        image.address = device
            .memory()
            .allocate(image.bytes.max(1), 256, AllocationKind::Array, None)
            .map_err(|error| error.to_string())?;
        let mut bound = Self { device, image, texture: 0, surface: 0 };
        for (number, range) in case.texels.iter().enumerate() {
            bound.fill(number, golden.data(*range))?;
        }
        let seen = match &case.view {
            None => bound.image.clone(),
            Some(view) => viewed(&bound.image, view),
        };
        let sampler = sampler(&case.sampler);
        bound.texture = device.objects().create(Object::Texture(Texture { image: seen, sampler }));
        if case.resource.flags & SURFACE != 0 {
            let levels = bound.image.levels[..1].into();
            let shape = Shape { levels: 1, ..bound.image.shape };
            let image = Image { levels, shape, ..bound.image.clone() };
            bound.surface = device.objects().create(Object::Surface(Surface { image }));
        }
        Ok(bound)
    }

    /// The texels of the finest level, tightly packed.
    pub fn texels(&self) -> Vec<u8> {
        let rows = rows(&self.image, &self.image.levels[0]);
        let mut texels = vec![0; rows.len() * rows.length];
        for (row, at) in texels.chunks_mut(rows.length).zip(rows.addresses(&self.image)) {
            self.device.read(at, row).expect("the image is in memory");
        }
        texels
    }

    /// Writes the texels of a level, tightly packed.
    pub fn fill(&self, level: usize, texels: &[u8]) -> Result<(), String> {
        let level = self.image.levels.get(level).ok_or("a level too much")?;
        let rows = rows(&self.image, level);
        if texels.len() < rows.len() * rows.length {
            return Err(format!("{} bytes of texels, {} rows of {}", texels.len(), rows.len(), rows.length));
        }
        for (row, at) in texels.chunks(rows.length).zip(rows.addresses(&self.image)) {
            self.device.write(at, row).map_err(|error| format!("{error:?}"))?;
        }
        Ok(())
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        let objects = self.device.objects();
        objects.destroy(self.texture, Kind::Texture);
        objects.destroy(self.surface, Kind::Surface);
        let freed = self.device.memory().free_kind(self.image.address, AllocationKind::Array);
        assert!(freed.is_ok(), "the image was in memory");
    }
}

/// The rows (of blocks) of a level in the order in which they are packed: x, y, then slice, layer or face.
struct Rows {
    /// Bytes of a row.
    length: usize,
    offsets: Vec<u64>,
}

impl Rows {
    fn len(&self) -> usize {
        self.offsets.len()
    }

    fn addresses(&self, image: &Image) -> impl Iterator<Item = u64> {
        let address = image.address;
        self.offsets.iter().map(move |offset| address + offset)
    }
}

fn rows(image: &Image, level: &Level) -> Rows {
    let side = image.format.block_side();
    let length = level.size[0].div_ceil(side) * image.format.bytes();
    let mut offsets = Vec::new();
    for plane in 0..image.shape.planes() {
        for z in 0..level.size[2] {
            for y in (0..level.size[1]).step_by(side as usize) {
                offsets.push(image.offset(level, plane, [0, y, z]));
            }
        }
    }
    Rows { length: length as usize, offsets }
}

fn image(resource: &Resource) -> Option<Image> {
    let format = Format::of_array(resource.format, resource.channels)?;
    let Resource { width, height, depth, levels, flags, pitch, .. } = *resource;
    match resource.kind.as_str() {
        "linear" => Image::linear(0, format, width),
        "pitch2d" => Image::pitched(0, format, width, height, pitch),
        _ => {
            let cube = flags & CUBEMAP != 0;
            let layers = match (flags & LAYERED != 0, cube) {
                (true, true) => depth / 6,
                (true, false) => depth,
                _ => 0,
            };
            let depth = if layers == 0 && !cube { depth } else { 0 };
            let shape = Shape { width, height, depth, layers, cube, levels: levels.max(1) };
            let layout = if flags & SPARSE != 0 { Layout::Sparse } else { Layout::Array };
            Some(Image { layout, ..Image::array(0, format, shape)? })
        }
    }
}

/// What a view shows of an image.
fn viewed(image: &Image, view: &golden::View) -> Image {
    let format = Format::of_view(view.format).unwrap_or(image.format);
    image.seen(format, (view.first_mip, view.last_mip), (view.first_layer, view.last_layer))
}

fn sampler(described: &golden::Sampler) -> Sampler {
    let says = |flag: u32| described.flags & flag != 0;
    let filter = |number: u32| if number == 0 { Filter::Point } else { Filter::Linear };
    Sampler {
        address: described.address.map(|mode| match mode {
            0 => AddressMode::Wrap,
            1 => AddressMode::Clamp,
            2 => AddressMode::Mirror,
            _ => AddressMode::Border,
        }),
        filter: filter(described.filter),
        level_filter: filter(described.mip_filter),
        read: if says(0x01) { Read::Element } else { Read::NormalizedFloat },
        normalized: says(0x02),
        srgb: says(0x10),
        exact_trilinear: says(0x20),
        seamless: says(0x40),
        anisotropy: described.anisotropy,
        bias: f32::from_bits(described.bias),
        min_level: f32::from_bits(described.min),
        max_level: f32::from_bits(described.max),
        border: described.border.map(f32::from_bits),
    }
}
