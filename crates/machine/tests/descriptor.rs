//! Whether a matrix lies in shared memory, decided for every swizzle, shape, start and pair of offsets as the units
//! themselves have it, one by one: the first byte of memory that is missing must be missed.

use ptxvm_machine::matrix::descriptor::{Descriptor, Major};

/// Miri takes each fourth start and offset, and one shape: it looks for undefined behaviour, not for values, and runs some
/// thousand times slower.
const STEP: usize = if cfg!(miri) { 4 } else { 1 };

/// Units along K or M or N, and rows or columns across, of everything that `wgmma`, `tcgen05.mma` and `tcgen05.cp` read,
/// and of what they do not.
fn shapes(major: Major) -> Vec<(u32, u32)> {
    let across = (1..=20).chain((24..=256).step_by(8)).chain([264, 287]);
    match major {
        _ if cfg!(miri) => vec![(3, 9)],
        // 16 to 64 bytes of K; up to 256 rows or columns, and up to 31 before them that are skipped.
        Major::K => across.flat_map(|across| (1..=4).map(move |along| (along, across))).collect(),
        // Up to 287 elements of up to 32 bits; K from 8 to 64.
        Major::Mn => (1..=72).flat_map(|along| [1, 5, 8, 16, 32, 64].map(|across| (along, across))).collect(),
    }
}

/// Multiples of sixteen as a field has them: none, less than a line, lines, atoms, the greatest.
const OFFSETS: [u64; 6] = [0, 16, 80, 128, 1024, 0x3fff0];
const STARTS: [u64; 6] = [0, 16, 112, 128, 1008, 0x3fff0];

/// Tries a descriptor with memory that ends where its farthest unit does, where that one's line does, and a byte too
/// early.
fn try_one(descriptor: Descriptor, major: Major, along: u32, across: u32) {
    let ends = (0..across)
        .flat_map(|across| (0..along).map(move |along| descriptor.unit(major, along, across) + 16));
    let end = ends.max().expect("there is a unit");
    for (bytes, inside) in [(end, true), (end.next_multiple_of(128), true), (end - 1, false)] {
        let found = descriptor.within(major, along, across, bytes);
        match inside {
            true => {
                assert!(found.is_ok(), "{along} by {across} units, {major:?}, {bytes} bytes, {descriptor:?}")
            }
            false => assert_eq!(
                found.err(),
                Some(end),
                "{along} by {across} units, {major:?}, {bytes} bytes, {descriptor:?}"
            ),
        }
    }
}

/// Tries all of one swizzling mode of `tcgen05`, and gives how many.
fn try_mode(mode: u64, leading_is_address: u64) -> u64 {
    let mut tried = 0;
    for major in [Major::K, Major::Mn] {
        // An absolute address is for K-major matrices.
        if leading_is_address == 1 && major == Major::Mn {
            continue;
        }
        let shapes = shapes(major);
        let offsets = || OFFSETS.iter().step_by(STEP);
        for start in STARTS.iter().step_by(STEP) {
            for (leading, stride) in offsets().flat_map(|a| offsets().map(move |b| (a, b))) {
                for base_offset in [0, 3, 7] {
                    let bits = start >> 4
                        | leading >> 4 << 16
                        | stride >> 4 << 32
                        | 1 << 46
                        | base_offset << 49
                        | leading_is_address << 52
                        | mode << 61;
                    let descriptor = Descriptor::tcgen05(bits).expect("it is a right descriptor");
                    for (along, across) in &shapes {
                        try_one(descriptor, major, *along, *across);
                        tried += 1;
                    }
                }
            }
        }
    }
    tried
}

#[test]
fn the_last_byte_that_is_read_decides() {
    let tried: u64 = [0, 1, 2, 4, 6].into_iter().map(|mode| try_mode(mode, 0)).sum();
    assert_eq!(tried, if cfg!(miri) { 240 } else { 2_073_600 });
}

#[test]
fn the_last_byte_that_is_read_decides_with_an_absolute_address() {
    let tried: u64 = [0, 1, 2, 4, 6].into_iter().map(|mode| try_mode(mode, 1)).sum();
    assert_eq!(tried, if cfg!(miri) { 120 } else { 673_920 });
}
