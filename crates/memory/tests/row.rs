//! Rows of a warp's words at every alignment that words can have.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_memory::SharedMemory;
use ptxvm_memory::access::Word;
use ptxvm_memory::row::{load_row, store_row};

fn rows<T: Word + std::fmt::Debug>(word: impl Fn(u8) -> T, bytes: impl Fn(T) -> Vec<u8>) {
    let values: [T; 32] = std::array::from_fn(|lane| word(lane as u8 * 7 + 1));
    for offset in (0..64).step_by(size_of::<T>()) {
        let mut memory = SharedMemory::new(1024, &Arc::default()).expect("a little memory");
        memory.reset(0xEE);
        // SAFETY: the offset is aligned, and the row ends before 64 + 32 * 16.
        unsafe { store_row(memory.pointer().add(offset), &values) };
        let mut expected = vec![0xEE; 1024];
        let row: Vec<u8> = values.iter().flat_map(|&value| bytes(value)).collect();
        expected[offset..offset + row.len()].copy_from_slice(&row);
        let mut contents = vec![0; 1024];
        memory.read(0, &mut contents).expect("in range");
        assert!(contents == expected, "stored at {offset}");
        let mut back = [word(0); 32];
        // SAFETY: as above.
        unsafe { load_row(memory.pointer().add(offset), &mut back) };
        assert_eq!(back, values, "loaded at {offset}");
    }
}

#[test]
fn rows_are_their_words() {
    rows(|lane| lane, |word| word.to_le_bytes().to_vec());
    rows(|lane| u16::from_le_bytes([lane, !lane]), |word| word.to_le_bytes().to_vec());
    rows(|lane| u32::from_le_bytes([lane, !lane, 3, lane]), |word| word.to_le_bytes().to_vec());
    rows(|lane| u64::from(lane) << 40 | 0x1234, |word| word.to_le_bytes().to_vec());
    rows(|lane| u128::from(lane) << 100 | 0x5678, |word| word.to_le_bytes().to_vec());
}
