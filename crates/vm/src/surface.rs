//! A surface: an image that kernels name by a handle, and read and write at coordinates.

use ptxvm_texture::{Format, Image, Kind, Object};

use crate::arguments::Argument;
use crate::array::{Array, ArrayError};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::reference::Reference;
use crate::texture::within;

/// What the rows of a surface in a buffer are aligned to: the largest access that a kernel makes.
const ALIGNMENT: u64 = 16;

/// A surface object. It is an argument for a parameter `.u64`; dropping it destroys the object, and a kernel that uses
/// the handle afterwards ends with a finding.
///
/// ```
/// use ptxvm_vm::{Array, Channel, Device, Format, LaunchOptions, Shape, Surface};
///
/// const SOURCE: &str = r"
/// .version 9.1
/// .target sm_90
/// .address_size 64
/// // The thread (x, y) writes x + 16 y to its texel.
/// .visible .entry number(.param .u64 surface)
/// {
///     .reg .b64 %s;
///     .reg .b32 %x, %y, %v;
///     ld.param.u64 %s, [surface];
///     mov.u32 %x, %tid.x;
///     mov.u32 %y, %tid.y;
///     mad.lo.u32 %v, %y, 16, %x;
///     sust.b.2d.b8.trap [%s, {%x, %y}], %v;
///     ret;
/// }";
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = Device::default();
/// let format = Format { channel: Channel::U8, channels: 1 };
/// let array = Array::new(&device, format, Shape { width: 3, height: 2, ..Shape::default() })?;
/// let surface = Surface::new(&array, 0)?;
/// device.load(SOURCE)?.kernel("number")?.launch(&LaunchOptions::new(1, (3, 2)).argument(&surface))?;
/// assert_eq!(array.read(0, 0)?, [0, 1, 2, 16, 17, 18]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Surface {
    device: Device,
    handle: u64,
    object: ptxvm_texture::Surface,
    /// The array whose texels it shows; those of a buffer are the caller's.
    array: Option<Array>,
}

impl Surface {
    /// A surface of a level of an array, with all its planes. The array lives as long as the surface.
    ///
    /// # Errors
    /// There is no such level, or the texels are compressed.
    pub fn new(array: &Array, level: u32) -> Result<Self, ArrayError> {
        let levels = array.image().levels.len() as u32;
        let image = array.image().one_level(level as usize).ok_or(ArrayError::Level { level, levels })?;
        Self::of(array.device(), image, Some(array.clone()))
    }

    /// A row of texels at the beginning of a buffer.
    ///
    /// # Errors
    /// The buffer holds fewer, or the texels are compressed.
    pub fn linear(buffer: &Buffer, format: Format, width: u32) -> Result<Self, ArrayError> {
        let image = within(buffer, Image::linear(buffer.address(), format, width))?;
        Self::of(buffer.device(), image, None)
    }

    /// A plane of texels in a buffer, whose rows lie `pitch` bytes apart.
    ///
    /// # Errors
    /// The buffer holds fewer, the texels are compressed, or the pitch is no multiple of 16.
    pub fn pitched(
        buffer: &Buffer,
        format: Format,
        width: u32,
        height: u32,
        pitch: u64,
    ) -> Result<Self, ArrayError> {
        if !pitch.is_multiple_of(ALIGNMENT) {
            let why =
                format!("the rows of a surface must be at multiples of {ALIGNMENT} bytes, not of {pitch}");
            return Err(ArrayError::Shape(why));
        }
        let image = within(buffer, Image::pitched(buffer.address(), format, width, height, pitch))?;
        Self::of(buffer.device(), image, None)
    }

    /// Its handle, which is what a kernel gets.
    #[must_use]
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// The array whose texels it shows, if it is of one.
    #[must_use]
    pub fn array(&self) -> Option<&Array> {
        self.array.as_ref()
    }

    /// What the handle stands for, which a reference of a module can be bound to.
    #[must_use]
    pub fn object(&self) -> &ptxvm_texture::Surface {
        &self.object
    }

    /// Binds a `.surfref` of a module to what the surface shows, which must live as long as kernels use the reference.
    /// Gives whether it is such a reference.
    pub fn bind(&self, reference: &Reference<'_>) -> bool {
        self.device.objects().bind(reference.handle, Some(Object::Surface(self.object.clone())))
    }

    fn of(device: &Device, image: Image, array: Option<Array>) -> Result<Self, ArrayError> {
        if image.format.block_side() > 1 {
            return Err(ArrayError::Shape("a surface cannot have compressed texels".to_owned()));
        }
        let object = ptxvm_texture::Surface { image };
        let handle = device.objects().create(Object::Surface(object.clone()));
        Ok(Self { device: device.clone(), handle, object, array })
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        self.device.objects().destroy(self.handle, Kind::Surface);
    }
}

impl Argument for &Surface {
    fn bytes(self) -> Vec<u8> {
        self.handle.bytes()
    }
}
