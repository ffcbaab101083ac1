//! What the copy engine refuses: the manual's restrictions on tensor copies, and those that an H200 was seen to have.
//!
//! An H200 ends the kernel with an illegal instruction where a row does not begin at a multiple of 16 bytes, where an
//! `im2col` walk begins outside of its bounding box, and where the box does not fit into shared memory.

use ptxvm_profile::Profile;

use crate::access::{Access, Coordinates, Wide};
use crate::im2col::Pixels;
use crate::map::{Element, Interleave, Mode, Swizzle, TensorMap};

/// Where a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From global to shared memory.
    Load,
    /// From shared to global memory.
    Store,
    /// From shared into global memory. Which operations go with which elements, the machine knows.
    Reduce,
    /// From global memory to the cache.
    Prefetch,
}

/// What a box's address in shared memory must be a multiple of.
pub const SHARED_ALIGNMENT: u32 = 128;

/// The rule that a copy breaks, as a sentence; `dimensions` is what the instruction says. The map's own rules are
/// [`TensorMap::allowed`]'s: no encoder breaks them, but `tensormap.replace` can.
#[must_use]
pub fn broken_rule(
    device: &Profile,
    map: &TensorMap,
    access: Access,
    dimensions: usize,
    coordinates: &Coordinates,
    direction: Direction,
) -> Option<String> {
    mode(map, access, dimensions)
        .or_else(|| map.allowed(device).err())
        .or_else(|| shape(map, access))
        .or_else(|| place(map, access, coordinates))
        .or_else(|| backwards(map, coordinates, access, direction))
}

/// The rule that a box breaks by its place in shared memory: `extent` bytes of it are used, from `offset` of `bytes` on.
#[must_use]
pub fn broken_by_place(extent: u64, address: u32, offset: u64, bytes: u64) -> Option<String> {
    if !address.is_multiple_of(SHARED_ALIGNMENT) {
        return Some(format!(
            "a box must begin at a multiple of {SHARED_ALIGNMENT} bytes in shared memory; it begins at {address:#x}"
        ));
    }
    (extent > bytes.saturating_sub(offset)).then(|| {
        format!("a box must fit into shared memory: it takes {extent} bytes at {offset:#x} of {bytes}")
    })
}

/// Map and instruction must mean the same thing.
fn mode(map: &TensorMap, access: Access, dimensions: usize) -> Option<String> {
    let fits = matches!(
        (access, map.mode),
        (Access::Tile | Access::FourRows, Mode::Tile(_))
            | (Access::Im2col(_) | Access::Im2colW(_) | Access::Im2colW128(_), Mode::Im2col { .. })
    );
    if !fits {
        let made = match map.mode {
            Mode::Tile(_) => "tile",
            Mode::Im2col { .. } => "im2col",
        };
        let wanted = match access {
            Access::Tile => "tile",
            Access::FourRows => "tile::gather4 or tile::scatter4",
            Access::Im2col(_) => "im2col",
            Access::Im2colW(_) => "im2col::w",
            Access::Im2colW128(_) => "im2col::w::128",
        };
        return Some(format!("the tensor map was made for the mode {made}, the instruction says {wanted}"));
    }
    if map.rank != dimensions {
        return Some(format!(
            "the tensor map has {} dimensions, the instruction says {dimensions}",
            map.rank
        ));
    }
    let least = if matches!(access, Access::Tile | Access::FourRows) { 1 } else { 3 };
    if dimensions < least {
        return Some(format!("im2col needs a tensor of 3 to 5 dimensions; this one has {dimensions}"));
    }
    None
}

/// What the access asks of the map.
fn shape(map: &TensorMap, access: Access) -> Option<String> {
    if map.interleave != Interleave::None && !matches!(access, Access::Tile | Access::Im2col(_)) {
        return Some("an interleaved tensor can be copied as tile and im2col only".into());
    }
    match access {
        Access::FourRows => {
            let Mode::Tile(size) = map.mode else { return None };
            (map.rank != 2 || size[1] != 1).then(|| {
                format!(
                    "gather4 and scatter4 need a tensor of 2 dimensions and a box of one row; here it is {} and {}",
                    map.rank, size[1]
                )
            })
        }
        Access::Im2colW(wide) => wide_arguments(map, wide, 512),
        Access::Im2colW128(wide) => wide_arguments(map, wide, 32),
        Access::Tile | Access::Im2col(_) => None,
    }
}

/// What `im2col::w` and `im2col::w::128` ask for.
fn wide_arguments(map: &TensorMap, wide: Wide, most: u16) -> Option<String> {
    if wide.halo >= most {
        return Some(format!("the halo must be less than {most}; it is {}", wide.halo));
    }
    if wide.offset >= 32 {
        return Some(format!("the offset along W must be less than 32; it is {}", wide.offset));
    }
    matches!(map.swizzle, Swizzle::None | Swizzle::Bytes128Atom32Flip8).then(|| {
        "im2col::w and im2col::w::128 need a swizzle, and none that exchanges halves of chunks".into()
    })
}

/// Where the box may begin.
fn place(map: &TensorMap, access: Access, coordinates: &Coordinates) -> Option<String> {
    if map.interleave == Interleave::None {
        let bits = i64::from(coordinates[0]) * i64::from(map.element.bits());
        if bits % 128 != 0 {
            let bytes = bits as f64 / 8.0;
            return Some(format!(
                "without interleave a row must begin at a multiple of 16 bytes along dimension 0; coordinate {} is \
                 {bytes} bytes",
                coordinates[0]
            ));
        }
        if map.element.has_gaps() && coordinates[0] % 128 != 0 {
            return Some(format!(
                "with elements that have gaps in shared memory the first coordinate must be a multiple of 128; it is {}",
                coordinates[0]
            ));
        }
    }
    if let Access::Im2col(_) = access {
        let pixels = Pixels::new(map, map.rank, access, coordinates, 0);
        let (which, position, lower, upper) = pixels.outside_of_box()?;
        let name = ["W", "H", "D"].get(which).copied().unwrap_or("N");
        return Some(format!(
            "im2col must begin in its bounding box; along {name}, {position} is not in {lower} to {upper}"
        ));
    }
    None
}

/// What copies to global memory ask for besides.
fn backwards(
    map: &TensorMap,
    coordinates: &Coordinates,
    access: Access,
    direction: Direction,
) -> Option<String> {
    if matches!(direction, Direction::Load | Direction::Prefetch) {
        return None;
    }
    if map.element == Element::U4x16Align16 {
        return Some("4-bit elements with gaps in shared memory are for loads only".into());
    }
    if map.swizzle == Swizzle::Bytes128Atom32Flip8 {
        return Some("a swizzle that exchanges halves of chunks is for loads only".into());
    }
    let used = if access == Access::FourRows { coordinates.len() } else { map.rank };
    if let Some((d, coordinate)) = coordinates[..used].iter().enumerate().find(|(_, c)| **c < 0) {
        return Some(format!(
            "a copy to global memory must not begin before the tensor; coordinate {d} is {coordinate}"
        ));
    }
    if let Mode::Im2col { lower, upper, .. } = map.mode
        && let Some(corner) = lower.iter().find(|c| **c < 0).or_else(|| upper.iter().find(|c| **c > 0))
    {
        return Some(format!(
            "the bounding box of a copy to global memory must be inside the tensor; a corner is at {corner}"
        ));
    }
    None
}
