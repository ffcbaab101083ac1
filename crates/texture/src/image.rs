//! Where the texels of an image are in guest memory: levels, layers, slices and rows.
//!
//! An H200 stores arrays in an order of its own, which no program can see. Here every image is stored in rows, so that an
//! array, a pitched plane and a linear buffer are the same. The layers (or the faces of a cube) follow each other, each
//! with all its levels.

use std::sync::Arc;

use crate::format::Format;

/// What an image is made of, as its maker described it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Texels of a row of the finest level.
    pub width: u32,
    /// Rows of it; 0 if the image has one dimension.
    pub height: u32,
    /// Slices of it; 0 if the image has less than three dimensions.
    pub depth: u32,
    /// Layers; 0 if the image is no array. Of cubes, the number of cubes.
    pub layers: u32,
    /// Whether it has the six faces of a cube, or of `layers` cubes.
    pub cube: bool,
    /// Levels of detail.
    pub levels: u32,
}

impl Default for Shape {
    /// A row of one texel.
    fn default() -> Self {
        Self { width: 1, height: 0, depth: 0, layers: 0, cube: false, levels: 1 }
    }
}

impl Shape {
    /// How many planes lie after one another: layers, faces, or both.
    #[must_use]
    pub fn planes(&self) -> u32 {
        self.layers.max(1) * if self.cube { 6 } else { 1 }
    }
}

/// How the bytes lie, as a query tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// An array, whose order is the device's own.
    Array,
    /// An array that no memory has been mapped to: it is read as zeros.
    Sparse,
    /// Rows at a pitch.
    Pitched,
    /// One row.
    Linear,
}

/// One level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Where it begins in its layer, in bytes.
    pub offset: u64,
    /// Its width, height and depth in texels, each at least 1.
    pub size: [u32; 3],
    /// From one row (of blocks) to the next, in bytes.
    pub row: u64,
    /// From one slice to the next, in bytes.
    pub slice: u64,
}

/// Texels in guest memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The address of its first byte.
    pub address: u64,
    /// All its bytes, from the first to the last that a texel takes.
    pub bytes: u64,
    /// What a texel is.
    pub format: Format,
    /// Its sizes.
    pub shape: Shape,
    /// Its levels, the finest first; never empty.
    pub levels: Arc<[Level]>,
    /// From one layer or face to the next, in bytes.
    pub layer: u64,
    /// How it lies.
    pub layout: Layout,
}

impl Image {
    /// An image of this shape that lies at an address, its rows one after the other, each at a multiple of 16 bytes from
    /// it. `None` if its bytes cannot be counted in 64 bits.
    #[must_use]
    pub fn array(address: u64, format: Format, shape: Shape) -> Option<Self> {
        let mut levels = Vec::new();
        let mut layer = 0u64;
        for number in 0..shape.levels.max(1) {
            let size =
                [shape.width, shape.height, shape.depth].map(|n| n.checked_shr(number).unwrap_or(0).max(1));
            let side = format.block_side();
            // Sixteen bytes are the largest access of a surface, so that one which is aligned in its row is so in memory.
            let row = u64::from(size[0].div_ceil(side)).checked_mul(u64::from(format.bytes()))?;
            let row = row.checked_next_multiple_of(16)?;
            let slice = row.checked_mul(u64::from(size[1].div_ceil(side)))?;
            levels.push(Level { offset: layer, size, row, slice });
            layer = layer.checked_add(slice.checked_mul(u64::from(size[2]))?)?;
        }
        let bytes = layer.checked_mul(u64::from(shape.planes()))?;
        Some(Self { address, bytes, format, shape, levels: levels.into(), layer, layout: Layout::Array })
    }

    /// A plane whose rows lie at a pitch. `None` as above.
    #[must_use]
    pub fn pitched(address: u64, format: Format, width: u32, height: u32, pitch: u64) -> Option<Self> {
        let row = u64::from(width).checked_mul(u64::from(format.bytes()))?;
        let bytes = u64::from(height).saturating_sub(1).checked_mul(pitch)?.checked_add(row)?;
        let shape = Shape { width, height, depth: 0, layers: 0, cube: false, levels: 1 };
        let level = Level { offset: 0, size: [width, height, 1], row: pitch, slice: bytes };
        Some(Self {
            address,
            bytes,
            format,
            shape,
            levels: [level].into(),
            layer: bytes,
            layout: Layout::Pitched,
        })
    }

    /// A row of texels in linear memory. `None` as above.
    #[must_use]
    pub fn linear(address: u64, format: Format, width: u32) -> Option<Self> {
        let image = Self::pitched(address, format, width, 1, 0)?;
        Some(Self { shape: Shape { height: 0, ..image.shape }, layout: Layout::Linear, ..image })
    }

    /// An image of one of its levels alone; `None` if there is no such level.
    #[must_use]
    pub fn one_level(&self, number: usize) -> Option<Self> {
        let level = *self.levels.get(number)?;
        let [width, height, depth] = level.size;
        let shape = Shape {
            width,
            height: if self.shape.height == 0 { 0 } else { height },
            depth: if self.shape.depth == 0 { 0 } else { depth },
            levels: 1,
            ..self.shape
        };
        Some(Self { shape, levels: [level].into(), ..self.clone() })
    }

    /// The bytes of the texels of a row, without those that fill it up.
    #[must_use]
    pub fn row_bytes(&self, level: &Level) -> u64 {
        u64::from(level.size[0].div_ceil(self.format.block_side())) * u64::from(self.format.bytes())
    }

    /// Where a texel lies in the image's bytes: its level, its plane (layer or face), and its place there, all of which
    /// exist.
    #[must_use]
    #[inline]
    pub fn offset(&self, level: &Level, plane: u32, at: [u32; 3]) -> u64 {
        let side = self.format.block_side();
        u64::from(plane) * self.layer
            + level.offset
            + u64::from(at[2]) * level.slice
            + u64::from(at[1] / side) * level.row
            + u64::from(at[0] / side) * u64::from(self.format.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Channel;

    const FORMAT: Format = Format { channel: Channel::F32, channels: 1 };

    #[test]
    fn levels_halve_and_stay_within() {
        let shape = Shape { width: 5, height: 3, depth: 0, layers: 2, cube: true, levels: 3 };
        let image = Image::array(0, FORMAT, shape).expect("it is small");
        let sizes: Vec<_> = image.levels.iter().map(|level| level.size).collect();
        assert_eq!(sizes, [[5, 3, 1], [2, 1, 1], [1, 1, 1]]);
        for level in image.levels.iter() {
            let last = image.offset(level, shape.planes() - 1, level.size.map(|n| n - 1));
            assert!(last + 4 <= image.bytes);
        }
    }

    #[test]
    fn sizes_that_no_memory_has_are_refused() {
        let most = Shape { width: !0, height: !0, depth: !0, layers: 0, cube: false, levels: 1 };
        assert_eq!(Image::array(0, FORMAT, most), None);
        assert_eq!(Image::pitched(0, FORMAT, 1, !0, u64::MAX), None);
    }
}
