//! Where an H200's `wgmma` reads A from, for 5,128 descriptors: every swizzle and base offset, both majors, starts and strides
//! that fit the swizzle's pattern and that do not, and bits that are no field (`tests/golden/matrix/descriptors.*`).

mod common;

use ptxvm_machine::matrix::descriptor::{Descriptor, Major};

use common::golden;

fn halves(name: &str) -> Vec<u16> {
    let bytes = golden(&format!("matrix/{name}"));
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}

#[test]
fn units_lie_where_an_h200_reads_them() {
    let (cases, chunks) = (halves("descriptors.cases.zst"), halves("descriptors.chunks.zst"));
    let mut seen = 0;
    for (case, chunks) in cases.chunks_exact(7).zip(chunks.chunks_exact(128)) {
        let [transposed, swizzle, base_offset, start, leading, stride, bit] = case else { unreachable!() };
        let field = |value: &u16, at: u32| u64::from(*value) << at;
        let mut bits = field(&(start >> 4), 0) | field(&(leading >> 4), 16) | field(&(stride >> 4), 32);
        bits |= field(base_offset, 49) | field(swizzle, 62);
        // Bit 0 is of a field, and stands for none.
        bits |= if *bit == 0 { 0 } else { 1 << bit };
        let descriptor = Descriptor::wgmma(bits);
        for (i, chunk) in chunks.iter().enumerate() {
            // 64 rows of two units of k, or, transposed, 8 units of m for each of 16 of k.
            let unit = if *transposed == 0 {
                descriptor.unit(Major::K, i as u32 % 2, i as u32 / 2)
            } else {
                descriptor.unit(Major::Mn, i as u32 / 16, i as u32 % 16)
            };
            assert_eq!(unit, u64::from(*chunk) * 16, "unit {i} of {descriptor:?}, {bits:#018x}");
        }
        seen += 1;
    }
    assert_eq!(seen, 5128);
}
