//! The entry points that copy many ranges at once, or that have attributes for a copy.

use super::location::CUmemLocation;
use super::rectangle::{BoxSide, Cuboid};
use super::transfer::copy;
use crate::abi::{Answer, CUdeviceptr, CUresult, In, Out};
use crate::array::CUarray;
use crate::entry::entry;
use crate::stream::{CUstream, LEGACY, resolve};
use crate::work::{Copy, InArray, Place, Side};

/// `CUmemcpyAttributes`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemcpyAttributes {
    /// When the source may be read: in the stream's order, during the call, or at any time.
    pub order: u32,
    pub from: CUmemLocation,
    pub to: CUmemLocation,
    pub flags: u32,
}

/// One side of a copy of a batch of boxes: a pointer or an array.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub kind: u32,
    /// Where memory starts, or the handle of an array.
    pub thing: u64,
    /// Texels of a row, 0 if rows follow each other; or the first texel of a row.
    pub row: usize,
    /// Rows of a slice, 0 if slices follow each other; or the first row.
    pub height: usize,
    /// Where memory is; or, of an array, the first slice.
    pub location: CUmemLocation,
}

/// `CUDA_MEMCPY3D_BATCH_OP`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BoxCopy {
    pub from: Operand,
    pub to: Operand,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub order: u32,
    pub flags: u32,
}

/// `CU_MEMCPY_OPERAND_TYPE_POINTER` and `_ARRAY`
const POINTER: u32 = 1;
const ARRAY: u32 = 2;

/// The arrays of a batch of lines.
type Lines = (In<CUdeviceptr>, In<CUdeviceptr>, In<usize>, usize);
/// The attributes of a batch, and from which copy on each holds.
type CopyAttributes = (In<CUmemcpyAttributes>, In<usize>, usize);

entry! {
    fn cuMemcpyBatchAsync [cuMemcpyBatchAsync_ptsz] (
        to: In<CUdeviceptr>, from: In<CUdeviceptr>, sizes: In<usize>, count: usize,
        attributes: In<CUmemcpyAttributes>, first: In<usize>, attribute_count: usize,
        failed: Out<usize>, stream: CUstream,
    ) {
        lines((to, from, sizes, count), (attributes, first, attribute_count), failed, stream)
    }

    fn cuMemcpyBatchAsync_v2 [cuMemcpyBatchAsync_v2_ptsz] (
        to: In<CUdeviceptr>, from: In<CUdeviceptr>, sizes: In<usize>, count: usize,
        attributes: In<CUmemcpyAttributes>, first: In<usize>, attribute_count: usize, stream: CUstream,
    ) {
        lines((to, from, sizes, count), (attributes, first, attribute_count), Out::NULL, stream)
    }

    fn cuMemcpy3DBatchAsync [cuMemcpy3DBatchAsync_ptsz] (
        count: usize, copies: In<BoxCopy>, failed: Out<usize>, flags: u64, stream: CUstream,
    ) {
        boxes(count, copies, failed, flags, stream)
    }

    fn cuMemcpy3DBatchAsync_v2 [cuMemcpy3DBatchAsync_v2_ptsz] (
        count: usize, copies: In<BoxCopy>, flags: u64, stream: CUstream,
    ) {
        boxes(count, copies, Out::NULL, flags, stream)
    }

    fn cuMemcpyWithAttributesAsync [cuMemcpyWithAttributesAsync_ptsz] (
        to: CUdeviceptr, from: CUdeviceptr, bytes: usize, attributes: In<CUmemcpyAttributes>, stream: CUstream,
    ) {
        attributes.get()?.check()?;
        copy(|| Ok(unified(to, from, bytes)), Some(stream))
    }

    fn cuMemcpy3DWithAttributesAsync [cuMemcpy3DWithAttributesAsync_ptsz] (
        of: In<BoxCopy>, flags: u64, stream: CUstream,
    ) {
        boxes(1, of, Out::NULL, flags, stream)
    }
}

fn unified(to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Copy {
    Copy::line(Side::line(Place::Unified(to)), Side::line(Place::Unified(from)), bytes as u64)
}

/// A batch is not for the legacy stream.
fn own_stream(stream: CUstream) -> Answer {
    let legacy =
        stream.number() == LEGACY || std::ptr::eq(&*resolve(stream)?, &**crate::context::current()?.legacy());
    if legacy { Err(CUresult::INVALID_VALUE) } else { Ok(()) }
}

fn lines(
    (to, from, sizes, count): Lines,
    (attributes, first, attribute_count): CopyAttributes,
    failed: Out<usize>,
    stream: CUstream,
) -> Answer {
    // What is wrong with the whole is wrong with no copy of it.
    failed.offer(usize::MAX);
    own_stream(stream)?;
    if count == 0 || attribute_count == 0 || attribute_count > count || first.at(0)? != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    for index in 0..attribute_count {
        let begins = first.at(index)?;
        if begins >= count || (index > 0 && begins <= first.at(index - 1)?) {
            return Err(CUresult::INVALID_VALUE);
        }
        attributes.at(index)?.check()?;
    }
    for index in 0..count {
        let bytes = sizes.at(index)?;
        let done = if bytes == 0 {
            Err(CUresult::INVALID_VALUE)
        } else {
            copy(|| Ok(unified(to.at(index)?, from.at(index)?, bytes)), Some(stream))
        };
        if done.is_err() {
            failed.offer(index);
            return done;
        }
    }
    Ok(())
}

fn boxes(count: usize, copies: In<BoxCopy>, failed: Out<usize>, flags: u64, stream: CUstream) -> Answer {
    failed.offer(usize::MAX);
    own_stream(stream)?;
    if count == 0 || flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    for index in 0..count {
        let done = copy(|| copies.at(index)?.describe(), Some(stream));
        if done.is_err() {
            failed.offer(index);
            return done;
        }
    }
    Ok(())
}

impl CUmemcpyAttributes {
    fn check(&self) -> Answer {
        if (1..=3).contains(&self.order) && self.flags <= 1 { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
    }
}

impl BoxCopy {
    fn describe(&self) -> Answer<Copy> {
        let empty = self.width == 0 || self.height == 0 || self.depth == 0;
        if !(1..=3).contains(&self.order) || self.flags > 1 || empty {
            return Err(CUresult::INVALID_VALUE);
        }
        let texel = self.texel()?;
        let width_in_bytes = self.width.checked_mul(texel).ok_or(CUresult::INVALID_VALUE)?;
        let (from, to) = (self.from.describe(texel)?, self.to.describe(texel)?);
        Cuboid { from, to, width_in_bytes, height: self.height, depth: self.depth }.describe()
    }

    /// In what a row is counted: texels of the array at one end, or bytes.
    ///
    /// # Errors
    /// There is no such array, or the arrays at both ends have texels of different sizes.
    fn texel(&self) -> Answer<usize> {
        match (self.from.texel()?, self.to.texel()?) {
            (Some(from), Some(to)) if from != to => Err(CUresult::INVALID_VALUE),
            (from, to) => Ok(from.or(to).unwrap_or(1)),
        }
    }
}

impl Operand {
    /// The bytes of a texel, if it is an array.
    fn texel(&self) -> Answer<Option<usize>> {
        if self.kind != ARRAY {
            return Ok(None);
        }
        let array = CUarray::new(self.thing).find().ok_or(CUresult::INVALID_VALUE)?;
        Ok(Some(array.image.format.bytes() as usize))
    }

    fn describe(&self, texel: usize) -> Answer<BoxSide> {
        let row = self.row.checked_mul(texel).ok_or(CUresult::INVALID_VALUE)?;
        match self.kind {
            POINTER => Ok(BoxSide::unified(self.thing, row, self.height)),
            ARRAY => Ok(BoxSide::array(InArray {
                array: CUarray::new(self.thing),
                x: row as u64,
                y: self.height as u64,
                z: u64::from(self.location.kind) | u64::from(self.location.id as u32) << 32,
                lod: 0,
            })),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }
}
