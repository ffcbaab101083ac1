//! Images on the device: arrays, and the textures and surfaces that a kernel is given.

use ptxvm_vm::{Array, Buffer, Device, Sampler, Surface, Texture};

use super::host::level_shape;
use super::{HostImage, ImageDescription, Role};
use crate::run::contents::HostBuffer;
use crate::run::element::Element;

/// A texture or a surface, which lives as long as the launch.
#[derive(Debug)]
pub enum Made {
    /// A texture.
    Texture(Texture),
    /// A surface.
    Surface(Surface),
}

/// Puts an image's texels into a new array.
pub fn array(device: &Device, name: &str, host: &HostImage) -> Result<Array, String> {
    let array = Array::named(device, host.format, host.shape, Some(name)).map_err(|e| e.to_string())?;
    let planes = host.shape.planes();
    for (level, elements) in host.levels.iter().enumerate() {
        let size = elements.bytes.len() / planes as usize;
        for (plane, texels) in elements.bytes.chunks_exact(size.max(1)).enumerate() {
            array.write(level as u32, plane as u32, texels).map_err(|e| e.to_string())?;
        }
    }
    Ok(array)
}

/// Makes what a description says of an array; a texture is sampled as `own` says where the description says nothing.
pub fn of_array(description: &ImageDescription, array: &Array, own: &Sampler) -> Result<Made, String> {
    match description.role {
        Role::Texture => {
            let levels = array.image().levels.len() as f32;
            let sampler = description.settings.over(&Sampler { max_level: levels - 1.0, ..*own });
            Ok(Made::Texture(Texture::new(array, sampler)))
        }
        Role::Surface => {
            let surface = Surface::new(array, description.at_level());
            surface.map(Made::Surface).map_err(|e| e.to_string())
        }
    }
}

/// The same of the elements of a buffer.
pub fn of_buffer(
    description: &ImageDescription,
    buffer: &Buffer,
    host: &HostBuffer,
    own: &Sampler,
) -> Result<Made, String> {
    let (format, shape) = description.in_buffer(host)?;
    let pitch = description.pitch(format, &shape);
    let sampler = description.settings.over(own);
    let made = match (description.role, shape.height) {
        (Role::Texture, 0) => Texture::linear(buffer, format, shape.width, sampler).map(Made::Texture),
        (Role::Texture, height) => {
            Texture::pitched(buffer, format, shape.width, height, pitch, sampler).map(Made::Texture)
        }
        (Role::Surface, 0) => Surface::linear(buffer, format, shape.width).map(Made::Surface),
        (Role::Surface, height) => {
            Surface::pitched(buffer, format, shape.width, height, pitch).map(Made::Surface)
        }
    };
    made.map_err(|e| e.to_string())
}

/// The bytes of a level of an array, all planes of it.
pub fn bytes(array: &Array, level: u32) -> u64 {
    let image = array.image();
    let shape = level_shape(&image.shape, image.format, level);
    let texels: u64 =
        shape.iter().fold(1u64, |n, &d| n.saturating_mul(d)) / u64::from(image.format.channels.max(1));
    texels.saturating_mul(image.format.bytes().into())
}

/// The elements that a level of an array holds now, all planes of it.
pub fn contents(array: &Array, level: u32, element: Element) -> HostBuffer {
    let image = array.image();
    let mut bytes = Vec::new();
    for plane in 0..image.shape.planes() {
        bytes.extend(array.read(level, plane).unwrap_or_default());
    }
    HostBuffer { element, shape: level_shape(&image.shape, image.format, level), bytes, is_unwritten: false }
}
