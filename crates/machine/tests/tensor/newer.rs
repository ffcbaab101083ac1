//! What came after Hopper, by the manual's words and examples: no silicon here has these.
#![allow(unsafe_code)]

use std::ops::ControlFlow;

use ptxvm_machine::asynchronous::tensor::image::Image;
use ptxvm_machine::asynchronous::tensor::load::load;
use ptxvm_machine::asynchronous::tensor::store::{Edge, store};
use ptxvm_profile::Profile;
use ptxvm_tensor::{
    Access, Coordinates, Direction, Element, Fill, Interleave, Mode, Swizzle, TensorMap, Walk, Wide,
    broken_rule,
};

use crate::memory::Aligned;

fn b200() -> &'static Profile {
    Profile::named("b200").unwrap()
}

/// A tensor of rows of bytes.
fn rows(address: u64, element: Element, sizes: [u64; 2], stride: u64, row: u32) -> TensorMap {
    TensorMap {
        address,
        element,
        rank: 2,
        sizes: [sizes[0], sizes[1], 1, 1, 1],
        strides: [0, stride, 0, 0, 0],
        element_strides: [1; 5],
        mode: Mode::Tile([row, 1, 1, 1, 1]),
        interleave: Interleave::None,
        swizzle: Swizzle::None,
        fill: Fill::Zeros,
        promotion: 0,
    }
}

/// The addresses of an access's rows, from the map's own on.
fn addresses(map: &TensorMap, access: Access, coordinates: &Coordinates) -> Vec<Option<u64>> {
    let mut found = Vec::new();
    let _ = Walk::new(map, access, coordinates).each(|row| {
        found.push(row.address.map(|address| address - map.address));
        ControlFlow::<()>::Continue(())
    });
    found
}

/// The manual's figure 10: column 1, rows 2, 5, 0 and 9.
#[test]
fn four_rows_are_gathered_and_scattered() {
    let mut tensor = Aligned::golden_tensor(4096);
    let map = rows(tensor.address(), Element::U8, [64, 9], 256, 32);
    let coordinates = [16, 2, 5, 0, 9];
    assert_eq!(broken_rule(b200(), &map, Access::FourRows, 2, &coordinates, Direction::Load), None);
    let walk = Walk::new(&map, Access::FourRows, &coordinates);
    assert_eq!((walk.bytes(), walk.extent()), (128, 128));
    let mut shared = Aligned::filled(128, 0xee);
    // SAFETY: the tensor is as large as the map says, and the box has 128 bytes.
    unsafe { load(&walk, &map, Image::new(&map, shared.pointer(), 0)) };
    let mut expected = Vec::new();
    for y in [2, 5, 0] {
        expected.extend_from_slice(&tensor.bytes()[256 * y + 16..][..32]);
    }
    // Row 9 is past the last one.
    expected.extend([0; 32]);
    assert_eq!(shared.bytes(), expected);

    let mut other = Aligned::filled(4096, 0xdd);
    let map = rows(other.address(), Element::U8, [64, 9], 256, 32);
    let walk = Walk::new(&map, Access::FourRows, &coordinates);
    // SAFETY: as above.
    unsafe { store(&walk, &map, Image::new(&map, shared.pointer(), 0), Edge::WholeChunk) };
    for (k, byte) in other.bytes().iter().enumerate() {
        let inside = [2, 5, 0].contains(&(k / 256)) && (16..48).contains(&(k % 256));
        let expected = if inside { tensor.bytes()[k] } else { 0xdd };
        assert_eq!(*byte, expected, "byte {k}");
    }
    let two_rows = TensorMap { mode: Mode::Tile([32, 2, 1, 1, 1]), ..map };
    let rule = broken_rule(b200(), &two_rows, Access::FourRows, 2, &coordinates, Direction::Load);
    assert!(rule.unwrap().contains("a box of one row"));
}

/// A batch of images, N x H x W x C, with 64 channels of a byte each.
fn images(n: u64, h: u64, w: u64, corners: [i32; 2], step: u32) -> TensorMap {
    TensorMap {
        address: 1 << 40,
        element: Element::U8,
        rank: 4,
        sizes: [64, w, h, n, 1],
        strides: [0, 64, 64 * w, 64 * w * h, 0],
        element_strides: [1, step, 1, 1, 1],
        mode: Mode::Im2col {
            lower: [corners[0], 0, 0],
            upper: [corners[1], 0, 0],
            channels: 64,
            pixels: 128,
        },
        interleave: Interleave::None,
        swizzle: Swizzle::Bytes64,
        fill: Fill::Zeros,
        promotion: 0,
    }
}

/// The manual's figure 18: 128 pixels from (7, 2, 3, 0) on and a halo of two.
#[test]
fn a_column_along_w_goes_from_image_to_image() {
    let map = images(128, 9, 7, [0, 0], 1);
    let access = Access::Im2colW(Wide { halo: 2, offset: 0 });
    let coordinates = [0, 3, 2, 7, 0];
    assert_eq!(broken_rule(b200(), &map, access, 4, &coordinates, Direction::Load), None);
    let found = addresses(&map, access, &coordinates);
    let pixel = |index: u64| {
        let (n, w) = (7 + (3 + index) / 7, (3 + index) % 7);
        Some(64 * (w + 7 * (2 + 9 * n)))
    };
    assert_eq!(found, (0..130).map(pixel).collect::<Vec<_>>());
}

/// The manual's figure 19: the halo after each 32 pixels, which are loaded again with the next.
#[test]
fn a_column_of_128_has_a_halo_behind_each_32() {
    let map = images(128, 9, 7, [0, 0], 1);
    let access = Access::Im2colW128(Wide { halo: 2, offset: 0 });
    let found = addresses(&map, access, &[0, 3, 2, 7, 0]);
    let plain = addresses(
        &images(128, 9, 7, [0, 0], 1),
        Access::Im2colW(Wide { halo: 2, offset: 0 }),
        &[0, 3, 2, 7, 0],
    );
    assert_eq!(found.len(), 4 * 34);
    for group in 0..4 {
        assert_eq!(found[34 * group..34 * (group + 1)], plain[32 * group..32 * group + 34], "group {group}");
    }
}

/// The manual's example with a stride of 2 and two buffers: the even and the odd pixels of rows padded on the left.
#[test]
fn the_offset_moves_the_box_and_the_walk() {
    let map = images(128, 9, 67, [-1, 0], 2);
    let first = addresses(&map, Access::Im2colW(Wide { halo: 1, offset: 0 }), &[0, -1, 2, 7, 0]);
    let second = addresses(&map, Access::Im2colW(Wide { halo: 0, offset: 1 }), &[0, -1, 2, 7, 0]);
    let row = |n: u64| 64 * 67 * (2 + 9 * n);
    assert_eq!((first.len(), second.len()), (129, 128));
    // W goes -1, 1, … 65 and then on to the next image.
    assert_eq!(first[..3], [None, Some(row(7) + 64), Some(row(7) + 3 * 64)]);
    assert_eq!(first[33..36], [Some(row(7) + 65 * 64), None, Some(row(8) + 64)]);
    // W goes 0, 2, … 66.
    assert_eq!(second[..2], [Some(row(7)), Some(row(7) + 2 * 64)]);
    assert_eq!(second[33..35], [Some(row(7) + 66 * 64), Some(row(8))]);
}

/// Sixteen elements of less than a byte get 16 bytes of shared memory each, whose rest stays as it was.
#[test]
fn packed_elements_are_spread() {
    for (element, bits, packed) in [(Element::U4x16Align16, 4, 8), (Element::U6x16Align16, 6, 12)] {
        let mut tensor = Aligned::golden_tensor(4096);
        let map = rows(tensor.address(), element, [256, 4], 256, 128);
        let map = TensorMap { mode: Mode::Tile([128, 2, 1, 1, 1]), ..map };
        let coordinates = [128, 3, 0, 0, 0];
        assert_eq!(broken_rule(b200(), &map, Access::Tile, 2, &coordinates, Direction::Load), None);
        let walk = Walk::new(&map, Access::Tile, &coordinates);
        assert_eq!((walk.bytes(), walk.extent()), (2 * 128 * bits / 8, 256));
        let mut shared = Aligned::filled(256, 0xee);
        // SAFETY: the tensor is as large as the map says, and the box has 256 bytes.
        unsafe { load(&walk, &map, Image::new(&map, shared.pointer(), 0)) };
        for (k, chunk) in shared.bytes().chunks(16).enumerate() {
            // The second row is past the last one.
            let from = 3 * 256 + 128 * bits as usize / 8 + packed * k;
            let expected = if k < 8 { tensor.bytes()[from..from + packed].to_vec() } else { vec![0; packed] };
            assert_eq!(chunk[..packed], expected, "{element:?}, chunk {k}");
            assert!(chunk[packed..].iter().all(|byte| *byte == 0xee), "{element:?}, chunk {k}");
        }
        let odd = [64, 0, 0, 0, 0];
        let rule = broken_rule(b200(), &map, Access::Tile, 2, &odd, Direction::Load);
        assert!(rule.unwrap().contains("a multiple of 128"));
    }
}

/// Bytes whose upper two bits are padding are stored as 6-bit values side by side.
#[test]
fn six_bits_of_each_byte_are_stored() {
    let mut tensor = Aligned::filled(1024, 0xdd);
    let map = rows(tensor.address(), Element::U6x16Align16, [128, 2], 128, 128);
    let coordinates = [0, 1, 0, 0, 0];
    assert_eq!(broken_rule(b200(), &map, Access::Tile, 2, &coordinates, Direction::Store), None);
    let mut shared = Aligned::golden_tensor(128);
    let walk = Walk::new(&map, Access::Tile, &coordinates);
    // SAFETY: the tensor is as large as the map says, and the box has 128 bytes.
    unsafe { store(&walk, &map, Image::new(&map, shared.pointer(), 0), Edge::WholeChunk) };
    let stored = &tensor.bytes()[128..128 + 96];
    for (k, byte) in shared.bytes().iter().enumerate() {
        let at = 6 * k;
        let pair = u16::from(stored[at / 8]) | u16::from(*stored.get(at / 8 + 1).unwrap_or(&0)) << 8;
        assert_eq!((pair >> (at % 8)) as u8 & 0x3f, byte & 0x3f, "element {k}");
    }
    assert!(tensor.bytes()[..128].iter().chain(&tensor.bytes()[224..]).all(|byte| *byte == 0xdd));
    let four_bits = rows(tensor.address(), Element::U4x16Align16, [128, 2], 128, 128);
    let rule = broken_rule(b200(), &four_bits, Access::Tile, 2, &coordinates, Direction::Store);
    assert!(rule.unwrap().contains("for loads only"));
}
