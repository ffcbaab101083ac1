//! Calls that no program should make: none may crash, and each is refused.

use crate::client::{Context, Handle, answer, make};

/// Handles that were never given.
const INVENTED: [u64; 5] = [1, 0xdead_beef, 0x7fff_ffff_f000, 1 << 63, u64::MAX];

/// Entry points that take a handle, and how many words come before and after it.
const BY_HANDLE: &[(&str, usize, usize)] = &[
    ("cuArrayDestroy", 0, 0),
    ("cuArrayGetDescriptor_v2", 1, 0),
    ("cuArray3DGetDescriptor_v2", 1, 0),
    ("cuArrayGetPlane", 1, 1),
    ("cuArrayGetMemoryRequirements", 1, 1),
    ("cuArrayGetSparseProperties", 1, 0),
    ("cuMipmappedArrayDestroy", 0, 0),
    ("cuMipmappedArrayGetLevel", 1, 1),
    ("cuMipmappedArrayGetMemoryRequirements", 1, 1),
    ("cuMipmappedArrayGetSparseProperties", 1, 0),
    ("cuTexObjectGetResourceDesc", 1, 0),
    ("cuTexObjectGetTextureDesc", 1, 0),
    ("cuTexObjectGetResourceViewDesc", 1, 0),
    ("cuSurfObjectGetResourceDesc", 1, 0),
    ("cuTexRefDestroy", 0, 0),
    ("cuTexRefGetArray", 1, 0),
    ("cuTexRefGetAddress_v2", 1, 0),
    ("cuTexRefGetAddressMode", 1, 1),
    ("cuTexRefGetFlags", 1, 0),
    ("cuTexRefSetFlags", 0, 1),
    ("cuTexRefSetFormat", 0, 2),
    ("cuTexRefSetArray", 0, 2),
    ("cuSurfRefSetArray", 0, 2),
    ("cuSurfRefGetArray", 1, 0),
];

#[test]
fn invented_handles_are_refused() {
    let _context = Context::new();
    let mut place = [0u64; 32];
    for (name, before, after) in BY_HANDLE {
        for handle in INVENTED {
            let first = if *before > 0 { place.as_mut_ptr() as u64 } else { handle };
            let second = if *before > 0 { handle } else { 1 };
            let result = answer(name, (first, second, 1u64, 0u64));
            assert!(matches!(result, 1 | 400), "{name} of {handle:#x} with {after} more: {result}");
        }
    }
}

/// A word of a structure is changed to one that no array has; the driver never makes more of it than an error.
#[test]
fn structures_of_garbage_are_refused_or_harmless() {
    let context = Context::new();
    let described = [8u64, 8, 0, 0x20 | 1 << 32, 0];
    let array = make("cuArray3DCreate_v2", |made| answer("cuArray3DCreate_v2", (made, described.as_ptr())));
    let memory = context.memory(1 << 16);
    let resources: [[u64; 6]; 3] = [
        [0, array, 0, 0, 0, 0],
        [2, memory, 0x20 | 1 << 32, 256, 0, 0],
        [3, memory, 0x20 | 1 << 32, 8, 8, 32],
    ];
    let mut made = 0;
    for garbage in INVENTED.iter().copied().chain([0, 2, 1 << 32, 1 << 40]) {
        for resource in &resources {
            for word in 0..18 {
                let mut said = [0u64; 18];
                said[..6].copy_from_slice(resource);
                said[word] = garbage;
                made += textures(&said, &[0; 26], [0; 14].as_ptr());
                made += textures(&said, &[0; 26], std::ptr::null());
            }
            for word in 0..26 {
                let mut said = [0u64; 18];
                said[..6].copy_from_slice(resource);
                let mut sampling = [0u32; 26];
                sampling[word] = garbage as u32;
                made += textures(&said, &sampling, std::ptr::null());
            }
            for word in 0..14 {
                let mut said = [0u64; 18];
                said[..6].copy_from_slice(resource);
                let mut view = [0u64; 14];
                view[..4].copy_from_slice(&[0x16, 8, 8, 0]);
                view[word] = garbage;
                made += textures(&said, &[0; 26], view.as_ptr());
            }
        }
        for word in 0..5 {
            let mut said = described;
            said[word] = garbage;
            let mut array: Handle = 0;
            if answer("cuArray3DCreate_v2", (&raw mut array, said.as_ptr())) == 0 {
                assert_eq!(answer("cuArrayDestroy", (array,)), 0);
            }
            for levels in [0, 1, 33, u32::MAX] {
                if answer("cuMipmappedArrayCreate", (&raw mut array, said.as_ptr(), levels)) == 0 {
                    assert_eq!(answer("cuMipmappedArrayDestroy", (array,)), 0);
                }
            }
        }
    }
    assert!(made > 100, "most words of a description are free: {made}");
}

/// Makes a texture and destroys it: 1 if it could be made.
fn textures(resource: &[u64; 18], sampling: &[u32; 26], view: *const u64) -> u32 {
    let mut texture: Handle = 0;
    let result = answer("cuTexObjectCreate", (&raw mut texture, resource.as_ptr(), sampling.as_ptr(), view));
    if result != 0 {
        assert_eq!(result, 1);
        return 0;
    }
    assert_eq!(answer("cuTexObjectDestroy", (texture,)), 0);
    1
}

/// Sides, offsets and sizes of a copy out of range, on an array of 8 by 8 floats.
#[test]
fn copies_out_of_range_are_refused() {
    let _context = Context::new();
    let described = [8u64, 8, 0, 0x20 | 1 << 32, 0];
    let array = make("cuArray3DCreate_v2", |made| answer("cuArray3DCreate_v2", (made, described.as_ptr())));
    let mut bytes = vec![0u8; 1 << 16];
    let far = [9u64, 33, 1 << 31, 1 << 32, 1 << 63, u64::MAX - 31, u64::MAX];
    for to_array in [true, false] {
        for value in far {
            // x, y, z and the level of the array's side; width, height and depth of the copy.
            for place in 0..7 {
                let host = [0, 0, 0, 0, 1, bytes.as_mut_ptr() as u64, 0, 0, 0, 0, 0];
                let mut there = [0, 0, 0, 0, 3, 0, 0, array, 0, 0, 0];
                let mut extent = [32u64, 8, 1];
                match place {
                    0..4 => there[place] = value,
                    _ => extent[place - 4] = value,
                }
                // Nine bytes of a row are there.
                if (place == 4 && value < 33) || (place == 0 && value < 1) {
                    continue;
                }
                let sides = if to_array { [host, there] } else { [there, host] };
                let words = [sides.concat(), extent.to_vec()].concat();
                assert_eq!(answer("cuMemcpy3D_v2", (words.as_ptr(),)), 1, "{value:#x} at {place}");
            }
        }
    }
}
