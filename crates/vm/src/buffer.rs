//! Buffers: device memory with an owner, written from typed slices, read as vectors, freed when dropped.

use ptxvm_memory::{AccessError, OutOfMemory};

use crate::device::Device;

/// A number that memory can hold, in the byte order of the device.
pub trait Element: Copy + sealed::Sealed {
    /// Its size in bytes.
    const SIZE: usize;
    /// Appends its bytes.
    fn store(self, to: &mut Vec<u8>);
    /// Reads it from as many bytes as it has.
    fn load(from: &[u8]) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($ty:ty)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const SIZE: usize = size_of::<$ty>();

            fn store(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }

            fn load(from: &[u8]) -> Self {
                let mut bytes = [0; size_of::<$ty>()];
                bytes.copy_from_slice(from);
                <$ty>::from_le_bytes(bytes)
            }
        }
    )*};
}

elements! { u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 }

/// An allocation on a device that frees itself.
#[derive(Debug)]
pub struct Buffer {
    device: Device,
    address: u64,
    size: usize,
}

impl Buffer {
    /// A buffer of zeroed bytes.
    ///
    /// # Errors
    /// The device or the host has not that much.
    pub fn new(device: &Device, size: usize) -> Result<Self, OutOfMemory> {
        Self::named(device, size, None)
    }

    /// The same, with a name for reports.
    ///
    /// # Errors
    /// The device or the host has not that much.
    pub fn named(device: &Device, size: usize, name: Option<&str>) -> Result<Self, OutOfMemory> {
        let address = device.allocate_named(size as u64, name)?;
        Ok(Self { device: device.clone(), address, size })
    }

    /// A buffer that holds the elements of a slice.
    ///
    /// # Errors
    /// The device or the host has not that much.
    pub fn from_slice<T: Element>(device: &Device, elements: &[T]) -> Result<Self, OutOfMemory> {
        let bytes = bytes_of(elements);
        let buffer = Self::new(device, bytes.len())?;
        buffer.put(&bytes);
        Ok(buffer)
    }

    /// Its device address, which is what a kernel gets.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Its size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Its device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// All its elements; bytes at the end that make no whole element are left out.
    #[must_use]
    pub fn to_vec<T: Element>(&self) -> Vec<T> {
        self.to_bytes().chunks_exact(T::SIZE).map(T::load).collect()
    }

    /// All its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.size];
        let read = self.device.read(self.address, &mut bytes);
        debug_assert!(read.is_ok(), "the buffer is allocated as long as it lives");
        bytes
    }

    /// Overwrites elements, beginning at the first.
    ///
    /// # Errors
    /// The slice is longer than the buffer.
    pub fn write<T: Element>(&self, elements: &[T]) -> Result<(), AccessError> {
        self.device.write(self.address, &bytes_of(elements))
    }

    /// Sets all of it to one byte.
    pub fn fill(&self, byte: u8) {
        let filled = self.device.fill(self.address, self.size as u64, byte);
        debug_assert!(filled.is_ok(), "the buffer is allocated as long as it lives");
    }

    fn put(&self, bytes: &[u8]) {
        let written = self.device.write(self.address, bytes);
        debug_assert!(written.is_ok(), "the buffer was made for these bytes");
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // Whoever freed the address by hand has done the buffer's work already.
        let _ = self.device.free(self.address);
    }
}

fn bytes_of<T: Element>(elements: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(elements.len() * T::SIZE);
    elements.iter().for_each(|e| e.store(&mut bytes));
    bytes
}
