//! The entry points that describe tensors in device memory for copies: `cuTensorMapEncode*`.

use ptxvm_profile::Profile;
use ptxvm_tensor::TensorMap;
use ptxvm_tensor::bits::{self, BYTES};
use ptxvm_tensor::encode::{Im2col, Im2colWide, Tensor, Tiled};

use crate::abi::{Answer, CUresult, Host, In, Out};
use crate::context::current_even_if_broken;
use crate::entry::entry;
use crate::report;

/// `CUtensorMap`, which the driver API wants at multiples of 64. Programs that keep theirs elsewhere are served: with
/// cuda-core, whose Python objects hold maps, most are.
pub type CUtensorMap = [u8; BYTES];

/// The device that maps are made for: that of the current context, which there must be.
fn profile() -> Answer<&'static Profile> {
    Ok(current_even_if_broken()?.device.profile())
}

/// What the encoders share, read from the arrays of the caller.
struct TensorShape {
    sizes: Vec<u64>,
    strides: Vec<u64>,
    element_strides: Vec<u32>,
}

impl TensorShape {
    /// Reads as many values as the rank says, which is checked first: the caller has no more than five of each.
    fn read(rank: u32, sizes: In<u64>, strides: In<u64>, element_strides: In<u32>) -> Answer<Self> {
        // Even a vector, which has no strides, must point somewhere: measured.
        if !(1..=5).contains(&rank) || strides.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let rank = rank as usize;
        Ok(Self {
            sizes: sizes.list(rank)?,
            strides: strides.list(rank - 1)?,
            element_strides: element_strides.list(rank)?,
        })
    }

    /// The tensor of this shape, with what the caller said in numbers.
    fn tensor(
        &self,
        element: u32,
        address: Host,
        interleave: u32,
        swizzle: u32,
        promotion: u32,
        fill: u32,
    ) -> Tensor<'_> {
        Tensor {
            element,
            address: address.unified(),
            sizes: &self.sizes,
            strides: &self.strides,
            element_strides: &self.element_strides,
            interleave,
            swizzle,
            promotion,
            fill,
        }
    }
}

entry! {
    fn cuTensorMapEncodeTiled(
        map: Out<CUtensorMap>, element: u32, rank: u32, address: Host, sizes: In<u64>, strides: In<u64>,
        box_sizes: In<u32>, element_strides: In<u32>, interleave: u32, swizzle: u32, promotion: u32, fill: u32,
    ) {
        let device = profile()?;
        let shape = TensorShape::read(rank, sizes, strides, element_strides)?;
        let box_sizes = box_sizes.list(rank as usize)?;
        let tensor = shape.tensor(element, address, interleave, swizzle, promotion, fill);
        write(map, "cuTensorMapEncodeTiled", Tiled { tensor, box_sizes: &box_sizes }.encode(device))
    }

    fn cuTensorMapEncodeIm2col(
        map: Out<CUtensorMap>, element: u32, rank: u32, address: Host, sizes: In<u64>, strides: In<u64>,
        lower: In<i32>, upper: In<i32>, channels: u32, pixels: u32, element_strides: In<u32>, interleave: u32,
        swizzle: u32, promotion: u32, fill: u32,
    ) {
        let device = profile()?;
        let shape = TensorShape::read(rank, sizes, strides, element_strides)?;
        let corners = (rank as usize).saturating_sub(2);
        let (lower, upper) = (lower.list(corners)?, upper.list(corners)?);
        let tensor = shape.tensor(element, address, interleave, swizzle, promotion, fill);
        let made = Im2col { tensor, lower: &lower, upper: &upper, channels, pixels }.encode(device);
        write(map, "cuTensorMapEncodeIm2col", made)
    }

    fn cuTensorMapEncodeIm2colWide(
        map: Out<CUtensorMap>, element: u32, rank: u32, address: Host, sizes: In<u64>, strides: In<u64>,
        lower: i32, upper: i32, channels: u32, pixels: u32, element_strides: In<u32>, interleave: u32, mode: u32,
        swizzle: u32, promotion: u32, fill: u32,
    ) {
        let device = profile()?;
        let shape = TensorShape::read(rank, sizes, strides, element_strides)?;
        let tensor = shape.tensor(element, address, interleave, swizzle, promotion, fill);
        let made = Im2colWide { tensor, lower, upper, channels, pixels, mode }.encode(device);
        write(map, "cuTensorMapEncodeIm2colWide", made)
    }

    fn cuTensorMapReplaceAddress(map: Out<CUtensorMap>, address: Host) {
        profile()?;
        let replaced = bits::with_address(&map.get()?, address.unified());
        map.set(replaced.map_err(|why| refused("cuTensorMapReplaceAddress", &why))?)
    }
}

/// Writes a map that was made, or says why it was not.
fn write(map: Out<CUtensorMap>, entry: &str, made: Result<TensorMap, String>) -> Answer {
    if map.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    map.set(made.map_err(|why| refused(entry, &why))?.to_bytes())
}

fn refused(entry: &str, why: &str) -> CUresult {
    report::refused(entry, why);
    CUresult::INVALID_VALUE
}
