//! `tensormap.replace` (manual 9.7.9.26): one field of the 128 bytes is overwritten, and nothing else is looked at, so
//! that a program can build a map from nothing.
//!
//! The bits are those that an H200 changes (`tests/golden/async/tensormap_replace.json.zst`), and for the fields of later
//! devices those that ptxas 13.1 does. A value that does not fit is cut off and not refused, as there; a copy through a map
//! that came out wrong is.

use crate::bits::{self, BYTES};
use crate::map::{Element, MOST_DIMENSIONS};

/// Element types by the number that `tensormap.replace` gives them (table 33), which is not the driver's.
const ELEMENTS: [Element; 16] = [
    Element::U8,
    Element::U16,
    Element::U32,
    Element::S32,
    Element::U64,
    Element::S64,
    Element::F16,
    Element::F32,
    Element::F32Ftz,
    Element::F64,
    Element::Bf16,
    Element::Tf32,
    Element::Tf32Ftz,
    Element::U4x16Align8,
    Element::U4x16Align16,
    Element::U6x16Align16,
];

/// A field of a tensor map, as `tensormap.replace` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum TensorField {
    GlobalAddress,
    Rank,
    BoxDim,
    GlobalDim,
    GlobalStride,
    ElementStride,
    Elemtype,
    InterleaveLayout,
    SwizzleMode,
    SwizzleAtomicity,
    FillMode,
}

impl TensorField {
    /// The modifiers and their fields.
    const NAMES: [(&'static str, TensorField); 11] = [
        ("global_address", TensorField::GlobalAddress),
        ("rank", TensorField::Rank),
        ("box_dim", TensorField::BoxDim),
        ("global_dim", TensorField::GlobalDim),
        ("global_stride", TensorField::GlobalStride),
        ("element_stride", TensorField::ElementStride),
        ("elemtype", TensorField::Elemtype),
        ("interleave_layout", TensorField::InterleaveLayout),
        ("swizzle_mode", TensorField::SwizzleMode),
        ("swizzle_atomicity", TensorField::SwizzleAtomicity),
        ("fill_mode", TensorField::FillMode),
    ];

    /// The field of a modifier, without its dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|&(_, field)| field)
    }

    /// The modifier, without its dot.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|&&(_, f)| f == self).map_or("", |&(name, _)| name)
    }
}

/// The map with a field replaced; the ordinal of fields without one is 0.
///
/// # Errors
/// ptxas would have refused the ordinal or the constant; the sentence says so.
pub fn replace(map: &[u8; BYTES], field: TensorField, ord: u32, value: u64) -> Result<[u8; BYTES], String> {
    let mut map = *map;
    let d = ord as usize;
    if d >= MOST_DIMENSIONS {
        return Err(format!("there is no {} {ord}; the last is {}", field.name(), MOST_DIMENSIONS - 1));
    }
    let constant = |greatest: u64| match value <= greatest {
        true => Ok(value as u32),
        false => Err(format!("{} must be from 0 to {greatest}, not {value}", field.name())),
    };
    let less_one = (value as u32).wrapping_sub(1);
    match field {
        TensorField::GlobalAddress => map[..8].copy_from_slice(&value.to_le_bytes()),
        TensorField::Rank => bits::put(&mut map, bits::RANK, value as u32),
        TensorField::BoxDim => bits::put(&mut map, bits::box_size(d), less_one),
        TensorField::GlobalDim => bits::put(&mut map, bits::size(d), less_one),
        TensorField::GlobalStride => {
            // A tensor has no fifth stride; ptxas takes the ordinal, and the upper bits of the others are overwritten.
            let (low, high) = bits::stride(d);
            bits::put(&mut map, low, (value >> 4) as u32);
            bits::put(&mut map, high, (value >> 36) as u32);
        }
        TensorField::ElementStride => bits::put(&mut map, bits::element_stride(d), less_one),
        TensorField::Elemtype => {
            let (code, round) = bits::code(ELEMENTS[constant(15)? as usize]);
            bits::put(&mut map, bits::ELEMENT, code);
            // Rounding to tf32 is switched on and never off.
            if round == 1 {
                bits::put(&mut map, bits::ROUND, 1);
            }
        }
        TensorField::InterleaveLayout => bits::put(&mut map, bits::INTERLEAVE, constant(2)?),
        TensorField::SwizzleMode => {
            let mode = constant(4)?;
            bits::put(&mut map, bits::SWIZZLE, mode);
            bits::put(&mut map, bits::SWIZZLE_96, mode >> 2);
        }
        TensorField::SwizzleAtomicity => bits::put(&mut map, bits::ATOMICITY, constant(3)?),
        TensorField::FillMode => bits::put(&mut map, bits::FILL, constant(1)?),
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{Tensor, Tiled};
    use crate::map::TensorMap;
    use ptxvm_profile::Profile;

    /// Fields in the order of a program that builds a map from zeros, as Triton's do.
    fn built(steps: &[(TensorField, u32, u64)]) -> [u8; BYTES] {
        steps.iter().fold([0; BYTES], |map, &(field, ord, value)| {
            replace(&map, field, ord, value).unwrap_or_else(|why| panic!("{field:?}: {why}"))
        })
    }

    #[test]
    fn a_map_built_from_zeros_is_the_encoders() {
        let tensor = Tensor {
            element: Element::Bf16 as u32,
            address: 0x7f12_3456_7800,
            sizes: &[4096, 1 << 32, 3],
            strides: &[8192, (1 << 39) + 16],
            element_strides: &[1, 2, 8],
            interleave: 0,
            swizzle: 3,
            promotion: 0,
            fill: 1,
        };
        let encoded = Tiled { tensor, box_sizes: &[64, 256, 8] }.encode(&Profile::ALL[0]).expect("a map");
        let map = built(&[
            (TensorField::GlobalAddress, 0, 0x7f12_3456_7800),
            (TensorField::Rank, 0, 2),
            (TensorField::BoxDim, 0, 64),
            (TensorField::BoxDim, 1, 256),
            (TensorField::BoxDim, 2, 8),
            (TensorField::GlobalDim, 0, 4096),
            (TensorField::GlobalDim, 1, 0),
            (TensorField::GlobalDim, 2, 3),
            (TensorField::GlobalStride, 0, 8192),
            (TensorField::GlobalStride, 1, (1 << 39) + 16),
            (TensorField::ElementStride, 1, 2),
            (TensorField::ElementStride, 2, 8),
            (TensorField::Elemtype, 0, 10),
            (TensorField::SwizzleMode, 0, 3),
            (TensorField::FillMode, 0, 1),
        ]);
        assert_eq!(map[..64], encoded.to_bytes()[..64]);
        assert_eq!(TensorMap::from_bytes(&map), Ok(encoded));
    }

    #[test]
    fn the_word_of_small_fields() {
        // Words that ptxas writes at byte 8, on sm_90a and, for the later ones, on sm_100a and sm_103a.
        for (field, value, word) in [
            (TensorField::Rank, 4, 0x40),
            (TensorField::Elemtype, 9, 0x480),
            (TensorField::Elemtype, 11, 0x1_0380),
            (TensorField::Elemtype, 12, 0x1_0400),
            (TensorField::Elemtype, 13, 0x580),
            (TensorField::Elemtype, 14, 0x600),
            (TensorField::Elemtype, 15, 0x680),
            (TensorField::InterleaveLayout, 2, 0x1000),
            (TensorField::SwizzleMode, 3, 0x6000),
            (TensorField::SwizzleMode, 4, 0x40_0000),
            (TensorField::SwizzleAtomicity, 3, 0x18_0000),
            (TensorField::FillMode, 1, 0x8000),
        ] {
            let map = built(&[(field, 0, value)]);
            assert_eq!(u32::from_le_bytes([map[8], map[9], map[10], map[11]]), word, "{field:?} {value}");
        }
        // The mask of each: ones turn into zeros there and nowhere else.
        for (field, mask) in [
            (TensorField::Rank, 0x70),
            (TensorField::Elemtype, 0x780),
            (TensorField::InterleaveLayout, 0x1800),
            (TensorField::SwizzleMode, 0x40_6000),
            (TensorField::SwizzleAtomicity, 0x38_0000),
            (TensorField::FillMode, 0x8000),
        ] {
            let map = replace(&[0xff; BYTES], field, 0, 0).expect("0 is in every range");
            let word = u32::from_le_bytes([map[8], map[9], map[10], map[11]]);
            assert_eq!(word, !mask, "{field:?}");
            assert!(map[..8].iter().chain(&map[12..]).all(|&b| b == 0xff), "{field:?}");
        }
    }

    #[test]
    fn what_ptxas_refuses_is_refused() {
        for (field, ord, value, expected) in [
            (TensorField::BoxDim, 5, 1, "no box_dim 5; the last is 4"),
            (TensorField::Elemtype, 0, 16, "from 0 to 15"),
            (TensorField::InterleaveLayout, 0, 3, "from 0 to 2"),
            (TensorField::SwizzleMode, 0, 5, "from 0 to 4"),
            (TensorField::SwizzleAtomicity, 0, 4, "from 0 to 3"),
            (TensorField::FillMode, 0, 2, "from 0 to 1"),
        ] {
            let why = replace(&[0; BYTES], field, ord, value).expect_err(expected);
            assert!(why.contains(expected), "{field:?}: {why}");
        }
    }
}
