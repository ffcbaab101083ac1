//! A texture: an image and how it is sampled. Kernels name it by a handle.

use ptxvm_texture::{Format, Image, Kind, Object, Sampler};

use crate::arguments::Argument;
use crate::array::{Array, ArrayError};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::reference::Reference;

/// A texture object. It is an argument for a parameter `.u64`; dropping it destroys the object, and a kernel that uses
/// the handle afterwards ends with a finding.
///
/// ```
/// use ptxvm_vm::{Array, Buffer, Channel, Device, Filter, Format, LaunchOptions, Sampler, Shape, Texture};
///
/// const SOURCE: &str = r"
/// .version 9.1
/// .target sm_90
/// .address_size 64
/// // The colour between the four texels, in its first channel.
/// .visible .entry middle(.param .u64 texture, .param .u64 out)
/// {
///     .reg .b64 %t, %p;
///     .reg .f32 %f<4>, %x;
///     ld.param.u64 %t, [texture];
///     ld.param.u64 %p, [out];
///     mov.f32 %x, 0f3F800000;
///     tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %x}];
///     st.global.f32 [%p], %f0;
///     ret;
/// }";
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = Device::default();
/// let format = Format { channel: Channel::F32, channels: 1 };
/// let array = Array::new(&device, format, Shape { width: 2, height: 2, ..Shape::default() })?;
/// let texels: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0].iter().flat_map(|t| t.to_le_bytes()).collect();
/// array.write(0, 0, &texels)?;
/// let texture = Texture::new(&array, Sampler { filter: Filter::Linear, ..Sampler::default() });
/// let out = Buffer::new(&device, 4)?;
/// let launch = LaunchOptions::new(1, 1).argument(&texture).argument(&out);
/// device.load(SOURCE)?.kernel("middle")?.launch(&launch)?;
/// assert_eq!(out.to_vec::<f32>(), [2.5]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Texture {
    device: Device,
    handle: u64,
    object: ptxvm_texture::Texture,
    /// The array whose texels it shows; those of a buffer are the caller's.
    array: Option<Array>,
}

impl Texture {
    /// A texture of all levels and planes of an array, which lives as long as the texture.
    #[must_use]
    pub fn new(array: &Array, sampler: Sampler) -> Self {
        Self::of(array.device(), array.image().clone(), sampler, Some(array.clone()))
    }

    /// A row of texels at the beginning of a buffer.
    ///
    /// # Errors
    /// The buffer holds fewer.
    pub fn linear(buffer: &Buffer, format: Format, width: u32, sampler: Sampler) -> Result<Self, ArrayError> {
        let image = within(buffer, Image::linear(buffer.address(), format, width))?;
        Ok(Self::of(buffer.device(), image, sampler, None))
    }

    /// A plane of texels in a buffer, whose rows lie `pitch` bytes apart.
    ///
    /// # Errors
    /// The buffer holds fewer.
    pub fn pitched(
        buffer: &Buffer,
        format: Format,
        width: u32,
        height: u32,
        pitch: u64,
        sampler: Sampler,
    ) -> Result<Self, ArrayError> {
        let image = within(buffer, Image::pitched(buffer.address(), format, width, height, pitch))?;
        Ok(Self::of(buffer.device(), image, sampler, None))
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

    /// What the handle stands for: an image and a sampler, which a reference of a module can be bound to.
    #[must_use]
    pub fn object(&self) -> &ptxvm_texture::Texture {
        &self.object
    }

    /// Binds a `.texref` of a module to what the texture shows, which must live as long as kernels use the reference.
    /// Gives whether it is such a reference.
    ///
    /// ```
    /// # use ptxvm_vm::{Array, Channel, Device, Format, Sampler, Shape, Texture};
    /// let device = Device::default();
    /// let source = ".version 9.1\n.target sm_90\n.address_size 64\n.global .texref image; .global .surfref other;";
    /// let module = device.load(source)?;
    /// let array = Array::new(&device, Format { channel: Channel::U8, channels: 1 }, Shape::default())?;
    /// let texture = Texture::new(&array, Sampler::default());
    /// assert!(module.reference("image").is_some_and(|reference| texture.bind(&reference)));
    /// assert!(module.reference("other").is_some_and(|reference| !texture.bind(&reference)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bind(&self, reference: &Reference<'_>) -> bool {
        self.device.objects().bind(reference.handle, Some(Object::Texture(self.object.clone())))
    }

    fn of(device: &Device, image: Image, sampler: Sampler, array: Option<Array>) -> Self {
        let object = ptxvm_texture::Texture { image, sampler };
        let handle = device.objects().create(Object::Texture(object.clone()));
        Self { device: device.clone(), handle, object, array }
    }
}

impl Drop for Texture {
    fn drop(&mut self) {
        self.device.objects().destroy(self.handle, Kind::Texture);
    }
}

impl Argument for &Texture {
    fn bytes(self) -> Vec<u8> {
        self.handle.bytes()
    }
}

/// An image that lies in a buffer with all its texels.
pub(crate) fn within(buffer: &Buffer, image: Option<Image>) -> Result<Image, ArrayError> {
    let given = buffer.size() as u64;
    match image {
        Some(image) if image.shape.width == 0 || image.levels[0].size.contains(&0) => {
            Err(ArrayError::Shape("an image has at least one texel".to_owned()))
        }
        Some(image) if image.bytes <= given => Ok(image),
        Some(image) => Err(ArrayError::Size { wanted: image.bytes, given }),
        None => Err(ArrayError::Shape("no memory can hold that many texels".to_owned())),
    }
}
