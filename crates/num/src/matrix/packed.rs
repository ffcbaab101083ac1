//! How the elements of a matrix are packed into the bytes of registers and memory.

use super::element::Element;

/// A format and the bits that each element takes: formats of 4 and 6 bits may have a byte each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The format.
    pub element: Element,
    /// 4, 8, 16 or 32.
    pub bits: usize,
}

impl Packed {
    /// Elements that lie side by side without padding; those of 6 bits have a byte each.
    #[must_use]
    pub const fn tight(element: Element) -> Self {
        let bits = match element {
            Element::Tf32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::E2m1 => 4,
            _ => 8,
        };
        Self { element, bits }
    }

    /// Elements of at most 8 bits, each in a byte of its own.
    #[must_use]
    pub const fn bytes(element: Element) -> Self {
        Self { element, bits: 8 }
    }

    /// One element of a row of them.
    #[must_use]
    pub fn bits_at(self, row: &[u8], index: usize) -> u32 {
        match self.bits {
            4 => u32::from(row[index / 2] >> (index % 2 * 4) & 0xf),
            // A format of 4 bits stands above two bits of padding in its byte.
            8 if self.element == Element::E2m1 => u32::from(row[index] >> 2 & 0xf),
            8 => row[index].into(),
            16 => u16::from_le_bytes([row[2 * index], row[2 * index + 1]]).into(),
            _ => {
                let at = 4 * index;
                u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]])
            }
        }
    }
}
