//! Resource views: a part of an image, possibly in another format.

use crate::format::Format;
use crate::image::{Image, Level, Shape};

impl Image {
    /// Some levels and layers of an image, each from the first to the last, as far as they are there; a texel of integers
    /// can hold a block, which is four texels wide and high. Of cubes, the first layer counts faces and the number of
    /// layers cubes. An image without layers is seen whole.
    #[must_use]
    pub fn seen(&self, format: Format, levels: (u32, u32), layers: (u32, u32)) -> Self {
        let grown = (format.block_side() / self.format.block_side()).max(1);
        let (first_level, count) = part(self.levels.len() as u32, levels);
        let planes = self.shape.planes();
        let (first_plane, planes) = match (self.shape.layers > 0, self.shape.cube) {
            (false, _) => (0, planes),
            (true, false) => part(planes, layers),
            (true, true) => cubes(planes, layers),
        };
        let seen = &self.levels[first_level as usize..][..count as usize];
        let begins = seen[0].offset + u64::from(first_plane) * self.layer;
        let grow = |[width, height, depth]: [u32; 3]| {
            [width.saturating_mul(grown), height.saturating_mul(grown), depth]
        };
        let levels: Vec<Level> = seen
            .iter()
            .map(|level| Level { offset: level.offset - seen[0].offset, size: grow(level.size), ..*level })
            .collect();
        let [width, height, depth] = levels[0].size;
        let shape = Shape {
            width,
            height: if self.shape.height == 0 { 0 } else { height },
            depth: if self.shape.depth == 0 { 0 } else { depth },
            layers: match self.shape {
                Shape { layers: 0, .. } => 0,
                Shape { cube: true, .. } => planes / 6,
                _ => planes,
            },
            levels: count,
            ..self.shape
        };
        Self {
            address: self.address + begins,
            bytes: self.bytes - begins,
            format,
            shape,
            levels: levels.into(),
            ..self.clone()
        }
    }
}

/// A range of levels or layers, as far as it is there: the first one and how many, at least one.
fn part(all: u32, (first, last): (u32, u32)) -> (u32, u32) {
    let first = first.min(all - 1);
    (first, last.clamp(first, all - 1) - first + 1)
}

/// A range of cubes, as far as it is there: the first face and how many faces.
fn cubes(planes: u32, (first, last): (u32, u32)) -> (u32, u32) {
    let most = last.saturating_sub(first).saturating_add(1);
    let first = first.min(planes - 6);
    (first, 6 * most.min((planes - first) / 6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Block, Channel};

    const PAIR: Format = Format { channel: Channel::U32, channels: 2 };

    fn cubes_of(layers: u32) -> Image {
        let shape = Shape { width: 8, height: 8, depth: 0, layers, cube: true, levels: 3 };
        Image::array(0x1000, PAIR, shape).expect("it is small")
    }

    #[test]
    fn a_part_lies_within_the_whole() {
        let whole = cubes_of(4);
        let seen = whole.seen(PAIR, (1, 9), (6, 7));
        assert_eq!((seen.shape.layers, seen.shape.levels, seen.shape.width), (2, 2, 4));
        let at = |image: &Image, level: usize, plane| {
            image.address + image.offset(&image.levels[level], plane, [0; 3])
        };
        assert_eq!(at(&seen, 0, 0), at(&whole, 1, 6));
        assert_eq!(at(&seen, 1, 11), at(&whole, 2, 17));
        assert!(seen.address + seen.bytes <= whole.address + whole.bytes);
    }

    #[test]
    fn what_is_not_there_is_the_last() {
        let seen = cubes_of(2).seen(PAIR, (7, 7), (50, 60));
        assert_eq!((seen.shape.levels, seen.shape.layers, seen.shape.width), (1, 1, 2));
    }

    #[test]
    fn a_texel_that_holds_a_block_is_sixteen() {
        let block = Format { channel: Channel::Block(Block::Bc1), channels: 4 };
        let seen = cubes_of(1).seen(block, (0, 2), (0, 0));
        let sizes: Vec<_> = seen.levels.iter().map(|level| level.size).collect();
        assert_eq!(sizes, [[32, 32, 1], [16, 16, 1], [8, 8, 1]]);
        assert_eq!(seen.levels[0].row, cubes_of(1).levels[0].row);
    }
}
