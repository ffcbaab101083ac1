//! Raw loads, stores and copies.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};

use std::sync::Arc;

use ptxvm_memory::SharedMemory;
use ptxvm_memory::access::{copy, copy_in, copy_out, fill, load, store};

fn memory(bytes: usize) -> SharedMemory {
    SharedMemory::new(bytes, &Arc::default()).expect("a little memory")
}

fn contents(memory: &SharedMemory) -> Vec<u8> {
    let mut bytes = vec![0; memory.bytes()];
    memory.read(0, &mut bytes).expect("in range");
    bytes
}

#[test]
fn words_are_little_endian_and_touch_only_themselves() {
    let memory = memory(64);
    memory.write(0, &[0xEE; 64]).expect("in range");
    let p = memory.pointer();
    // SAFETY: all offsets are aligned and below 64.
    unsafe {
        store::<u8>(p.add(1), 0x11);
        store::<u16>(p.add(4), 0x2221);
        store::<u32>(p.add(8), 0x3433_3231);
        store::<u64>(p.add(16), 0x4847_4645_4443_4241);
        store::<u128>(p.add(32), 0x605f_5e5d_5c5b_5a59_5857_5655_5453_5251);
    }
    let mut expected = [0xEE; 64];
    expected[1] = 0x11;
    expected[4..6].copy_from_slice(&[0x21, 0x22]);
    expected[8..12].copy_from_slice(&[0x31, 0x32, 0x33, 0x34]);
    for i in 0..8 {
        expected[16 + i] = 0x41 + i as u8;
    }
    for i in 0..16 {
        expected[32 + i] = 0x51 + i as u8;
    }
    assert_eq!(contents(&memory), expected);
    // SAFETY: as above.
    unsafe {
        assert_eq!(load::<u8>(p.add(33)), 0x52);
        assert_eq!(load::<u16>(p.add(34)), 0x5453);
        assert_eq!(load::<u32>(p.add(36)), 0x5857_5655);
        assert_eq!(load::<u64>(p.add(40)), 0x605f_5e5d_5c5b_5a59);
        assert_eq!(load::<u128>(p.add(32)), 0x605f_5e5d_5c5b_5a59_5857_5655_5453_5251);
    }
}

#[test]
fn copies_of_every_alignment_and_length() {
    let (size, longest) = if cfg!(miri) { (48, 20) } else { (128, 80) };
    let pattern: Vec<u8> = (1..=longest as u8).collect();
    for offset in 0..16 {
        for length in 0..=longest {
            let memory = memory(size);
            // SAFETY: offset and length together stay below the size.
            unsafe { copy_in(memory.pointer().add(offset), &pattern[..length]) };
            let mut expected = vec![0; size];
            expected[offset..offset + length].copy_from_slice(&pattern[..length]);
            assert_eq!(contents(&memory), expected, "in: {length} bytes at {offset}");
            let mut back = vec![0; length];
            // SAFETY: as above.
            unsafe { copy_out(memory.pointer().add(offset), &mut back) };
            assert_eq!(back, pattern[..length], "out: {length} bytes at {offset}");
            // SAFETY: as above.
            unsafe { fill(memory.pointer().add(offset), length, 0xA5) };
            expected[offset..offset + length].fill(0xA5);
            assert_eq!(contents(&memory), expected, "fill: {length} bytes at {offset}");
        }
    }
}

#[test]
fn guest_to_guest_copies_of_every_shift() {
    let size = 9_000;
    let shifts: &[usize] = if cfg!(miri) { &[3] } else { &[0, 1, 3, 8, 13, 4_095, 4_096, 4_097] };
    let pattern: Vec<u8> = (0..size).map(|i| (i % 253) as u8).collect();
    for &shift in shifts {
        for start in [0, 5] {
            for (to, from) in [(start + shift, start), (start, start + shift)] {
                let memory = memory(size);
                memory.write(0, &pattern).expect("in range");
                let length = size - start - shift;
                // SAFETY: both ends are at or below the size.
                unsafe { copy(memory.pointer().add(to), memory.pointer().add(from), length) };
                let mut expected = pattern.clone();
                expected.copy_within(from..from + length, to);
                assert!(contents(&memory) == expected, "{length} bytes from {from} to {to}");
            }
        }
    }
}

/// Raises a flag also when an assertion fails, so that the other threads end and the failure is seen.
struct RaiseOnDrop<'a>(&'a AtomicBool);

impl Drop for RaiseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A reader that races with a writer sees whole words, also through a copy whose ends are not aligned to words.
#[test]
fn racing_words_are_not_torn() {
    let memory = memory(64);
    let stop = AtomicBool::new(false);
    let rounds = if cfg!(miri) { 20 } else { 100_000 };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut byte = 0u8;
            while !stop.load(Ordering::Relaxed) {
                byte = byte.wrapping_add(1);
                for word in 0..3 {
                    // SAFETY: three aligned words of the memory.
                    unsafe { store(memory.pointer().add(4 + 4 * word), u32::from_ne_bytes([byte; 4])) };
                }
            }
        });
        let _stop = RaiseOnDrop(&stop);
        for _ in 0..rounds {
            // SAFETY: an aligned word of the memory.
            let word = unsafe { load::<u32>(memory.pointer().add(4)) };
            assert_eq!(word, u32::from_ne_bytes([word as u8; 4]));
            // The copy reads two of the words at once, which Miri does not allow in a race.
            if cfg!(not(miri)) {
                let mut bytes = [0; 12];
                // SAFETY: twelve bytes of the memory.
                unsafe { copy_out(memory.pointer().add(4), &mut bytes) };
                for word in bytes.as_chunks::<4>().0 {
                    assert!(word.iter().all(|&byte| byte == word[0]), "{bytes:?}");
                }
            }
        }
    });
}

/// From some size on the processor copies by itself: the same bytes, at every alignment and around that size.
#[test]
#[cfg_attr(miri, ignore = "Miri does not run the processor's own copies, and a megabyte takes it minutes")]
fn long_copies_and_fills_are_exact() {
    let from: Vec<u8> = (0..70_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for bytes in [16_383, 16_384, 16_385, 50_001] {
        for (shift, other) in [(0, 0), (3, 3), (3, 11), (1, 2), (8, 0)] {
            let mut memory = vec![0xAAu8; 70_000];
            let p = memory.as_mut_ptr();
            // SAFETY: all lies in vectors that nothing else uses meanwhile.
            unsafe { copy_in(p.add(shift), &from[other..other + bytes]) };
            let mut back = vec![0; bytes];
            // SAFETY: as above.
            unsafe { copy_out(p.add(shift), &mut back) };
            assert!(back == from[other..other + bytes]);
            assert!(memory[..shift].iter().chain(&memory[shift + bytes..]).all(|byte| *byte == 0xAA));
            let mut second = vec![0x55u8; 70_000];
            // SAFETY: as above.
            unsafe { copy(second.as_mut_ptr().add(other), p.add(shift), bytes) };
            assert!(second[other..other + bytes] == from[other..other + bytes]);
            assert!(second[..other].iter().chain(&second[other + bytes..]).all(|byte| *byte == 0x55));
            let mut third = vec![0x55u8; 70_000];
            // SAFETY: as above.
            unsafe { fill(third.as_mut_ptr().add(shift), bytes, 9) };
            assert!(third[shift..shift + bytes].iter().all(|byte| *byte == 9));
            assert!(third[..shift].iter().chain(&third[shift + bytes..]).all(|byte| *byte == 0x55));
        }
    }
}
