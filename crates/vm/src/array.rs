//! Arrays, which own the texels that textures and surfaces show: images of one to three dimensions with layers, faces and
//! levels.

use std::sync::Arc;

use ptxvm_memory::{AllocationKind, OutOfMemory};
use ptxvm_texture::{Format, Image, Level, Shape};

use crate::device::Device;

/// What rows and the array itself are aligned to: as the driver aligns allocations.
const ALIGNMENT: u64 = 256;

/// Texels on a device, which a kernel reads through a [`Texture`](crate::Texture) and writes through a
/// [`Surface`](crate::Surface). Cloning gives another handle; the last one frees the memory.
///
/// What shape it has says its [`Shape`]: a height of 0 makes it a row, a depth of 0 a plane, `layers` an array of
/// either, `cube` six faces of a cube, or of as many cubes as there are layers, and `levels` the levels of detail, each
/// half as wide, high and deep as the one before.
///
/// Texels go in and come out plane by plane, x first, then y, then z, without gaps.
///
/// ```
/// use ptxvm_vm::{Array, Channel, Device, Format, Shape};
/// let device = Device::default();
/// let format = Format { channel: Channel::U8, channels: 4 };
/// let shape = Shape { width: 4, height: 2, levels: 2, ..Shape::default() };
/// let array = Array::new(&device, format, shape)?;
/// array.write(0, 0, &[7; 4 * 2 * 4])?;
/// array.write(1, 0, &[1, 2, 3, 4, 5, 6, 7, 8])?;
/// assert_eq!(array.read(1, 0)?, [1, 2, 3, 4, 5, 6, 7, 8]);
/// assert!(array.write(0, 0, &[7; 5]).is_err());
/// assert!(array.read(2, 0).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Array {
    owned: Arc<Owned>,
}

#[derive(Debug)]
struct Owned {
    device: Device,
    image: Image,
}

impl Drop for Owned {
    fn drop(&mut self) {
        let memory = self.device.memory();
        // Whoever freed the memory by hand has done the array's work already.
        let _ = memory.free_kind(self.image.address, AllocationKind::Array);
    }
}

/// Why an array cannot be made, written or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrayError {
    /// No array has this shape; a sentence says why.
    Shape(String),
    /// The device or the host has not that much.
    Memory(OutOfMemory),
    /// There is no such level.
    Level {
        /// The one that was meant.
        level: u32,
        /// How many there are.
        levels: u32,
    },
    /// There is no such layer or face.
    Plane {
        /// The one that was meant.
        plane: u32,
        /// How many there are.
        planes: u32,
    },
    /// The texels are more or fewer than the plane holds.
    Size {
        /// The bytes of the plane.
        wanted: u64,
        /// The bytes that were given.
        given: u64,
    },
}

impl std::fmt::Display for ArrayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Shape(why) => f.write_str(why),
            Self::Memory(out) => out.fmt(f),
            Self::Level { level, levels } => write!(f, "there is no level {level}, the array has {levels}"),
            Self::Plane { plane, planes } => {
                write!(f, "there is no layer or face {plane}, the array has {planes}")
            }
            Self::Size { wanted, given } => write!(f, "the plane has {wanted} bytes, {given} are given"),
        }
    }
}

impl std::error::Error for ArrayError {}

impl From<OutOfMemory> for ArrayError {
    fn from(out: OutOfMemory) -> Self {
        Self::Memory(out)
    }
}

impl Array {
    /// An array of zeroed texels.
    ///
    /// # Errors
    /// The shape is none, or there is not enough memory.
    pub fn new(device: &Device, format: Format, shape: Shape) -> Result<Self, ArrayError> {
        Self::named(device, format, shape, None)
    }

    /// The same, with a name for reports.
    ///
    /// # Errors
    /// As for [`Array::new`].
    pub fn named(
        device: &Device,
        format: Format,
        shape: Shape,
        name: Option<&str>,
    ) -> Result<Self, ArrayError> {
        check(&shape).map_err(ArrayError::Shape)?;
        let too_large = || ArrayError::Shape("no memory can hold that many texels".to_owned());
        let mut image = Image::array(0, format, shape).ok_or_else(too_large)?;
        let name = name.map(str::to_owned);
        image.address = device.memory().allocate(image.bytes, ALIGNMENT, AllocationKind::Array, name)?;
        Ok(Self { owned: Arc::new(Owned { device: device.clone(), image }) })
    }

    /// Its device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.owned.device
    }

    /// Where its texels lie, and what they are.
    #[must_use]
    pub fn image(&self) -> &Image {
        &self.owned.image
    }

    /// Sets all texels of a level in one plane: a layer, or a face of a cube, whose faces are counted through all
    /// layers. A volume is one plane.
    ///
    /// # Errors
    /// There is no such level or plane, or the texels are not as many as it has.
    pub fn write(&self, level: u32, plane: u32, texels: &[u8]) -> Result<(), ArrayError> {
        let level = self.level(level, plane)?;
        let wanted = self.plane_bytes(level);
        if texels.len() as u64 != wanted {
            return Err(ArrayError::Size { wanted, given: texels.len() as u64 });
        }
        let rows = texels.chunks_exact(self.image().row_bytes(level) as usize);
        for (row, address) in rows.zip(self.rows(level, plane)) {
            let written = self.device().write(address, row);
            debug_assert!(written.is_ok(), "the array is allocated as long as it lives");
        }
        Ok(())
    }

    /// All texels of a level in one plane.
    ///
    /// # Errors
    /// There is no such level or plane.
    pub fn read(&self, level: u32, plane: u32) -> Result<Vec<u8>, ArrayError> {
        let level = self.level(level, plane)?;
        let mut texels = vec![0; self.plane_bytes(level) as usize];
        let rows = texels.chunks_exact_mut(self.image().row_bytes(level) as usize);
        for (row, address) in rows.zip(self.rows(level, plane)) {
            let read = self.device().read(address, row);
            debug_assert!(read.is_ok(), "the array is allocated as long as it lives");
        }
        Ok(texels)
    }

    fn level(&self, level: u32, plane: u32) -> Result<&Level, ArrayError> {
        let (levels, planes) = (&self.image().levels, self.image().shape.planes());
        if plane >= planes {
            return Err(ArrayError::Plane { plane, planes });
        }
        let missing = ArrayError::Level { level, levels: levels.len() as u32 };
        levels.get(level as usize).ok_or(missing)
    }

    /// The rows of texels or of blocks.
    fn row_count(&self, level: &Level) -> u32 {
        level.size[1].div_ceil(self.image().format.block_side())
    }

    fn plane_bytes(&self, level: &Level) -> u64 {
        let rows = u64::from(self.row_count(level)) * u64::from(level.size[2]);
        self.image().row_bytes(level) * rows
    }

    /// The addresses of a plane's rows, in the order in which they are packed.
    fn rows(&self, level: &Level, plane: u32) -> impl Iterator<Item = u64> {
        let image = self.image();
        let (count, row, slice) = (self.row_count(level), level.row, level.slice);
        let first = image.address + u64::from(plane) * image.layer + level.offset;
        let slices = 0..u64::from(level.size[2]);
        slices.flat_map(move |z| (0..u64::from(count)).map(move |y| first + z * slice + y * row))
    }
}

/// Says what is wrong with a shape.
fn check(shape: &Shape) -> Result<(), String> {
    let Shape { width, height, depth, layers, cube, levels } = *shape;
    let most = width.max(height).max(depth).max(1).ilog2() + 1;
    if width == 0 {
        return Err("an array has a width of at least one texel".to_owned());
    }
    if depth > 0 && height == 0 {
        return Err("an array with a depth has a height too".to_owned());
    }
    if depth > 0 && (layers > 0 || cube) {
        return Err("a volume has neither layers nor faces".to_owned());
    }
    if cube && width != height {
        return Err(format!("the faces of a cube are square, not {width} by {height}"));
    }
    if levels == 0 || levels > most {
        return Err(format!("an array of this size has from 1 to {most} levels, not {levels}"));
    }
    if layers.checked_mul(6).is_none() {
        return Err("no memory can hold that many layers".to_owned());
    }
    Ok(())
}
