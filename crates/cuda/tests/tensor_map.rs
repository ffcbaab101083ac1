//! `cuTensorMapEncode*` as a C program calls them. What they write is compared with an H200's maps in
//! `crates/tensor/tests/tensor_map.rs`; here it is how they take their arguments.

mod client;

use std::ptr::null;

use client::{Context, answer, call};

const SUCCESS: u32 = 0;
const INVALID_VALUE: u32 = 1;
const INVALID_CONTEXT: u32 = 201;

/// `CUtensorMap`, and room to lie elsewhere.
#[repr(align(64))]
struct Room([u8; 256]);

/// The arguments of `cuTensorMapEncodeTiled` that the tests vary.
struct Tiled {
    map: *mut u8,
    rank: u32,
    address: u64,
    sizes: *const u64,
    strides: *const u64,
    box_sizes: *const u32,
    element_strides: *const u32,
    element: u32,
    swizzle: u32,
}

const SIZES: [u64; 2] = [60, 12];
const STRIDES: [u64; 1] = [240];
const BOX: [u32; 2] = [24, 3];
const ONES: [u32; 5] = [1; 5];
/// The first case of `tests/golden/tma.json.zst`, up to its zeros.
const GOLDEN: &str = "00000090b37f0000906304000f000000000000000000000000000000000000003b0000000b000000\
                      00000000000000000000000000000017020000000000000020010000000000000004";

impl Tiled {
    fn new(room: &mut Room) -> Self {
        Self {
            map: room.0.as_mut_ptr(),
            rank: 2,
            address: 0x7fb3_9000_0000,
            sizes: SIZES.as_ptr(),
            strides: STRIDES.as_ptr(),
            box_sizes: BOX.as_ptr(),
            element_strides: ONES.as_ptr(),
            element: 7,
            swizzle: 3,
        }
    }

    fn encode(&self) -> u32 {
        let head = (self.map, self.element, self.rank, self.address, self.sizes, self.strides);
        let (map, element, rank, address, sizes, strides) = head;
        let (box_sizes, element_strides, swizzle) = (self.box_sizes, self.element_strides, self.swizzle);
        answer(
            "cuTensorMapEncodeTiled",
            (
                map,
                element,
                rank,
                address,
                sizes,
                strides,
                box_sizes,
                element_strides,
                0u32,
                swizzle,
                2u32,
                0u32,
            ),
        )
    }
}

fn golden() -> Vec<u8> {
    let digits: Vec<char> = GOLDEN.chars().collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("hex");
    let mut bytes: Vec<u8> = digits.chunks(2).map(byte).collect();
    bytes.resize(128, 0);
    bytes
}

#[test]
fn a_tiled_map_is_the_drivers() {
    let _context = Context::new();
    let mut room = Room([0xee; 256]);
    assert_eq!(Tiled::new(&mut room).encode(), SUCCESS);
    assert_eq!(room.0[..128], golden());
    assert!(room.0[128..].iter().all(|&b| b == 0xee), "nothing is written after the map");
    // cuda-core keeps maps where its Python objects happen to lie.
    let mut room = Room([0xee; 256]);
    let mut tiled = Tiled::new(&mut room);
    tiled.map = tiled.map.wrapping_add(16);
    assert_eq!(tiled.encode(), SUCCESS);
    assert_eq!(room.0[16..144], golden());
}

#[test]
fn wrong_arguments_are_refused_and_nothing_is_written() {
    let _context = Context::new();
    type Change = fn(&mut Tiled);
    let wrong: [(&str, Change); 12] = [
        ("no map", |t| t.map = std::ptr::null_mut()),
        ("no sizes", |t| t.sizes = null()),
        ("no strides", |t| t.strides = null()),
        ("no box", |t| t.box_sizes = null()),
        ("no element strides", |t| t.element_strides = null()),
        ("rank 0", |t| t.rank = 0),
        ("rank 6", |t| t.rank = 6),
        ("rank 2^32 - 1", |t| t.rank = u32::MAX),
        ("no such element", |t| t.element = 16),
        ("a packed element on Hopper", |t| t.element = 13),
        ("a swizzle of Blackwell's", |t| t.swizzle = 4),
        ("an address at 8", |t| t.address += 8),
    ];
    for (name, change) in wrong {
        let mut room = Room([0xee; 256]);
        let mut tiled = Tiled::new(&mut room);
        change(&mut tiled);
        assert_eq!(tiled.encode(), INVALID_VALUE, "{name}");
        assert!(room.0.iter().all(|&b| b == 0xee), "{name}");
    }
}

#[test]
fn a_vector_has_no_strides_but_a_place_for_them() {
    let _context = Context::new();
    let mut room = Room([0xee; 256]);
    assert_eq!(Tiled { rank: 1, ..Tiled::new(&mut room) }.encode(), SUCCESS);
    // An H200's driver answers so, although it would read nothing there.
    assert_eq!(Tiled { rank: 1, strides: null(), ..Tiled::new(&mut room) }.encode(), INVALID_VALUE);
}

#[test]
fn a_map_is_made_for_the_device_of_a_context() {
    call("cuInit", (0u32,));
    let mut room = Room([0xee; 256]);
    let encoded = std::thread::scope(|scope| scope.spawn(|| Tiled::new(&mut room).encode()).join());
    assert_eq!(encoded.ok(), Some(INVALID_CONTEXT));
}

#[test]
fn im2col_reads_a_corner_for_each_dimension_of_the_image() {
    let _context = Context::new();
    let mut room = Room([0xee; 256]);
    let (sizes, strides) = ([61_u64, 11, 12, 12], [256_u64, 2816, 33792]);
    let (lower, upper) = ([-2_i32, 0], [-1_i32, 0]);
    let encode = |map: *mut u8, lower: *const i32| {
        let (sizes, strides, upper, ones) = (sizes.as_ptr(), strides.as_ptr(), upper.as_ptr(), ONES.as_ptr());
        answer(
            "cuTensorMapEncodeIm2col",
            (
                map, 10u32, 4u32, 0u64, sizes, strides, lower, upper, 16u32, 44u32, ones, 0u32, 3u32, 2u32,
                0u32,
            ),
        )
    };
    assert_eq!(encode(room.0.as_mut_ptr(), null()), INVALID_VALUE);
    assert_eq!(encode(room.0.as_mut_ptr(), lower.as_ptr()), SUCCESS);
    // Lower corner (-2, 0), upper corner (-1, 0), 44 pixels: as in a recorded map.
    assert_eq!(room.0[56..64], [0xfe, 0x00, 0xff, 0x00, 43, 0, 0, 0]);
}

#[test]
fn im2col_wide_is_im2col_along_w() {
    let _context = Context::new();
    let mut room = Room([0xee; 256]);
    let (sizes, strides) = ([34_u64, 5, 2, 12], [288_u64, 1440, 2880]);
    let (map, ones) = (room.0.as_mut_ptr(), ONES.as_ptr());
    let (sizes, strides) = (sizes.as_ptr(), strides.as_ptr());
    let encode = |mode: u32| {
        let arguments = (
            map, 4u32, 4u32, 0u64, sizes, strides, -1i32, -1i32, 2u32, 16u32, ones, 0u32, mode, 0u32, 0u32,
            0u32,
        );
        answer("cuTensorMapEncodeIm2colWide", arguments)
    };
    assert_eq!(encode(2), INVALID_VALUE);
    assert!(room.0.iter().all(|&b| b == 0xee));
    assert_eq!(encode(0), SUCCESS);
    // As in a recorded map: im2col, rank 4, u64; the corners along W and H; 16 pixels.
    assert_eq!(room.0[8..12], 0x231_u32.to_le_bytes());
    assert_eq!(room.0[56..64], [0xff, 0x00, 0xff, 0x00, 15, 0, 0, 0]);
}

#[test]
fn an_address_is_replaced_and_nothing_else() {
    let _context = Context::new();
    let mut room = Room([0xee; 256]);
    assert_eq!(Tiled::new(&mut room).encode(), SUCCESS);
    let map = room.0.as_mut_ptr();
    assert_eq!(answer("cuTensorMapReplaceAddress", (map, 0x7f12_3456_7808_u64)), INVALID_VALUE);
    assert_eq!(room.0[..128], golden());
    assert_eq!(answer("cuTensorMapReplaceAddress", (map, 0x7f12_3456_7800_u64)), SUCCESS);
    assert_eq!(room.0[..8], 0x7f12_3456_7800_u64.to_le_bytes());
    assert_eq!(room.0[8..128], golden()[8..]);
    assert_eq!(answer("cuTensorMapReplaceAddress", (std::ptr::null_mut::<u8>(), 0_u64)), INVALID_VALUE);
}
