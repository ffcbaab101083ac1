//! Rows of sixteen 4-bit or 6-bit elements that become sixteen bytes on their way out of shared memory.
//!
//! Both formats keep the elements packed, the first in the lowest bits, at the beginning of sixteen bytes whose rest is
//! padding. `ldmatrix` and `tcgen05.cp` widen them alike, but for one thing: in the byte that `ldmatrix` makes a 4-bit
//! element lies in the low bits, and CUTLASS shifts it by two before `mma` (mma_traits_sm120.hpp), which wants it in
//! the middle.

use ptxvm_ir::operation::matrix::Packing;

/// The row with a byte for each element, whose other bits are zero. The elements begin at bit `at` of their bytes.
#[must_use]
pub fn unpack(packing: Packing, row: u128, at: u32) -> u128 {
    let bits = packing.bits();
    (0..16).fold(0, |bytes, element| {
        let value = row >> (element * bits) & ((1 << bits) - 1);
        bytes | value << (8 * element + at)
    })
}

#[cfg(test)]
mod tests {
    use super::{Packing, unpack};

    #[test]
    fn nibbles_spread_over_bytes_and_padding_is_dropped() {
        let row = 0xdead_beef_dead_beef_fedc_ba98_7654_3210;
        let bytes = 0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100;
        assert_eq!(unpack(Packing::B4x16P64, row, 0), bytes);
        assert_eq!(unpack(Packing::B4x16P64, row, 2), bytes << 2);
    }

    #[test]
    fn six_bits_cross_bytes() {
        // The bytes 0xc1 0x0f 0xfc hold the elements 000001, 111111, 000000, 111111.
        let row = 0xdead_beef_0000_0000_0000_0000_00fc_0fc1;
        assert_eq!(unpack(Packing::B6x16P32, row, 0), 0x3f00_3f01);
        assert_eq!(unpack(Packing::B6x16P32, 0x3f << 90, 0), 0x3f << 120);
    }
}
