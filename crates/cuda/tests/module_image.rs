//! Every kind of image: recognised, read and run, or refused with the right answer. `images/README.md` says how the
//! files were made.

mod client;

use std::ffi::{CString, c_void};

use client::{Context, Handle, answer, call, launch, read};

const INVALID_IMAGE: u32 = 200;
const NO_BINARY_FOR_GPU: u32 = 209;
const INVALID_PTX: u32 = 218;
const NOT_SUPPORTED: u32 = 801;

macro_rules! image {
    ($name:literal) => {
        include_bytes!(concat!("images/", $name))
    };
}

/// Hands an image over by its address alone.
fn load(image: &[u8]) -> (u32, Handle) {
    let mut module = 0;
    let result = answer("cuModuleLoadData", (&raw mut module, image.as_ptr()));
    (result, module)
}

/// What an image's kernel makes of a number: which text was chosen can be seen from it.
#[track_caller]
fn run(context: &Context, module: Handle, number: u32) -> u32 {
    let x = context.memory(4);
    call("cuMemsetD32_v2", (x, number, 1usize));
    assert_eq!(launch(client::Module(module).kernel("add"), [1; 3], [1; 3], 0, &[x]), 0);
    let result = read(x, 1)[0];
    call("cuMemFree_v2", (x,));
    result
}

#[test]
fn fatbins_are_read_however_they_are_compressed() {
    let context = Context::new();
    for image in [&image!("plain.fatbin")[..], image!("lz4.fatbin"), image!("zstd.fatbin")] {
        let (result, module) = load(image);
        assert_eq!(result, 0);
        assert_eq!(run(&context, module, 10), 11);
        call("cuModuleUnload", (module,));
    }
}

#[test]
fn of_several_texts_the_newest_that_the_device_runs_is_taken_or_else_the_newest() {
    let context = Context::new();
    let (result, module) = load(image!("several.fatbin"));
    assert_eq!(result, 0);
    // The device is an H200, so the text for sm_90a is taken, and not that for sm_100.
    assert_eq!(run(&context, module, 10), 13);
    // For newer devices alone: there is nothing else to run.
    let (result, module) = load(image!("newer.fatbin"));
    assert_eq!(result, 0);
    assert_eq!(run(&context, module, 10), 14);
    assert_eq!(load(image!("machine_code.fatbin")).0, NO_BINARY_FOR_GPU);
}

/// What `ptxvm ptxas` writes stands in an ELF file, which NVIDIA's `fatbinary` takes for machine code.
#[test]
fn an_image_of_ours_is_loaded_alone_and_out_of_a_fatbin() {
    let context = Context::new();
    let file = image!("image.cubin");
    // As earlier versions wrote it: the part behind the ELF header.
    let bare = &file[64..];
    for (image, expected) in
        [(&file[..], 13), (bare, 13), (image!("image.fatbin"), 13), (image!("image_alone.fatbin"), 13)]
    {
        let (result, module) = load(image);
        assert_eq!(result, 0);
        assert_eq!(run(&context, module, 10), expected);
        call("cuModuleUnload", (module,));
    }
    // Made for sm_80 alone, as machine code would be.
    assert_eq!(load(image!("image_other.fatbin")).0, NO_BINARY_FOR_GPU);
}

#[test]
fn a_wrapper_leads_to_its_fatbin() {
    #[repr(C)]
    struct Wrapper {
        magic: u32,
        version: u32,
        data: *const c_void,
        rest: *const c_void,
    }
    let context = Context::new();
    let data = image!("zstd.fatbin").as_ptr().cast();
    let mut wrapper = Wrapper { magic: 0x4662_43b1, version: 1, data, rest: std::ptr::null() };
    let mut module: Handle = 0;
    call("cuModuleLoadFatBinary", (&raw mut module, &raw const wrapper));
    assert_eq!(run(&context, module, 1), 2);
    wrapper.data = std::ptr::null();
    assert_eq!(answer("cuModuleLoadData", (&raw mut module, &raw const wrapper)), NO_BINARY_FOR_GPU);
}

#[test]
fn texts_may_begin_with_marks_spaces_and_comments() {
    let context = Context::new();
    let text = include_str!("images/add_sm_80.ptx");
    for before in ["", "\u{feff}", " \n\t", "// one\n/* two */ // three\n", "\u{feff}/**/\r\n"] {
        let text = CString::new(format!("{before}{text}")).expect("no zeros");
        let (result, module) = load(text.as_bytes_with_nul());
        assert_eq!(result, 0, "{before:?}");
        assert_eq!(run(&context, module, 5), 6);
    }
}

#[test]
fn what_is_no_image_is_refused() {
    let _context = Context::new();
    let cut = b".version 8.6\n.target sm_80\n.visible .entry add( {\0";
    let mut elf = [0u8; 64];
    elf[..5].copy_from_slice(b"\x7fELF\x02");
    let mut cubin = elf;
    cubin[18] = 190;
    let cases: [(&[u8], u32); 11] = [
        (b"\0", INVALID_IMAGE),
        (b"  \n\0", INVALID_IMAGE),
        (b"garbage\0", INVALID_IMAGE),
        (b"/* a comment that does not end\0", INVALID_IMAGE),
        (b".target sm_80\0", INVALID_IMAGE),
        (b"\x01\x02\xff\xfe\0", INVALID_IMAGE),
        (cut, INVALID_PTX),
        (&elf, INVALID_IMAGE),
        (&cubin, NO_BINARY_FOR_GPU),
        (b"\xedCN\x7f\x01\0", NOT_SUPPORTED),
        (b"BC\xc0\xde5\x14\0", NOT_SUPPORTED),
    ];
    for (image, expected) in cases {
        assert_eq!(load(image).0, expected, "{}", String::from_utf8_lossy(image));
    }
    assert_eq!(answer("cuModuleLoadData", (0u64, image!("plain.fatbin").as_ptr())), 1);
    let mut module: Handle = 0;
    assert_eq!(answer("cuModuleLoadData", (&raw mut module, 0u64)), 1);
}

/// Hands an image over with its length, which is how the linker gets it.
fn link(image: &[u8], kind: u32) -> u32 {
    let mut state: Handle = 0;
    call("cuLinkCreate_v2", (0u32, 0u64, 0u64, &raw mut state));
    let result =
        answer("cuLinkAddData_v2", (state, kind, image.as_ptr(), image.len(), 0u64, 0u32, 0u64, 0u64));
    call("cuLinkDestroy", (state,));
    result
}

#[test]
fn every_prefix_of_an_image_is_refused() {
    let _context = Context::new();
    let whole: [(&[u8], u32); 8] = [
        (image!("image.fatbin"), 2),
        (image!("image_alone.fatbin"), 2),
        (image!("plain.fatbin"), 2),
        (image!("lz4.fatbin"), 2),
        (image!("zstd.fatbin"), 2),
        (image!("several.fatbin"), 2),
        (image!("callee.o"), 3),
        (image!("libcallee.a"), 4),
    ];
    for (image, kind) in whole {
        assert_eq!(link(image, kind), 0);
        for end in 1..image.len() {
            // After its fatbin an object has tables, and an archive padding, that nobody needs.
            let result = link(&image[..end], kind);
            let refused = matches!(result, INVALID_IMAGE | NO_BINARY_FOR_GPU);
            assert!(refused || (kind > 2 && result == 0), "{end} bytes of {}: {result}", image.len());
        }
    }
}

#[test]
fn damaged_images_do_no_harm() {
    let _context = Context::new();
    let whole: [(&[u8], u32); 5] = [
        (image!("lz4.fatbin"), 2),
        (image!("zstd.fatbin"), 2),
        (image!("several.fatbin"), 2),
        (image!("callee.o"), 3),
        (image!("libcallee.a"), 4),
    ];
    // A small generator of our own: the same bytes at every run.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut answers = [0; 1000];
    for round in 0..4000 {
        let (image, kind) = whole[round % whole.len()];
        let mut image = image.to_vec();
        for _ in 0..=next() % 3 {
            let at = (next() % image.len() as u64) as usize;
            image[at] = next() as u8;
        }
        answers[link(&image, kind) as usize] += 1;
        let noise: Vec<u8> = (0..next() % 64).map(|_| next() as u8).collect();
        if !noise.is_empty() {
            answers[link(&noise, 1) as usize] += 1;
        }
    }
    // No answer but these, and each of them: never a panic of ours, which would be UNKNOWN.
    let known = [0, INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX, 222, NOT_SUPPORTED];
    let others: Vec<usize> = (0..1000).filter(|&a| answers[a] > 0 && !known.contains(&(a as u32))).collect();
    assert_eq!(others, [] as [usize; 0]);
    assert!([0, INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX].iter().all(|&a| answers[a as usize] > 0));
}

#[test]
fn a_header_that_promises_too_much_is_not_believed() {
    let _context = Context::new();
    let mut image = image!("zstd.fatbin").to_vec();
    // The size after decompression, which would not fit into any memory; what comes out is what counts.
    image[16 + 56..16 + 64].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(link(&image, 2), 0);
    // One byte less than the text has.
    let size = u64::from_le_bytes(*image!("zstd.fatbin")[16 + 56..].first_chunk().expect("eight bytes"));
    image[16 + 56..16 + 64].copy_from_slice(&(size - 2).to_le_bytes());
    assert_eq!(link(&image, 2), NO_BINARY_FOR_GPU);
    // The size of everything.
    image[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(link(&image, 2), NO_BINARY_FOR_GPU);
    assert_eq!(load(&image).0, NO_BINARY_FOR_GPU);
}

#[test]
fn files_hold_the_same_images() {
    let context = Context::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/images/");
    for (file, sum) in [("zstd.fatbin", 2), ("several.fatbin", 4), ("add_sm_90.ptx", 3)] {
        let path = CString::new(format!("{folder}{file}")).expect("no zeros");
        let mut module: Handle = 0;
        call("cuModuleLoad", (&raw mut module, path.as_ptr()));
        assert_eq!(run(&context, module, 1), sum);
        let mut library: Handle = 0;
        call("cuLibraryLoadFromFile", (&raw mut library, path.as_ptr(), 0u64, 0u64, 0u32, 0u64, 0u64, 0u32));
        call("cuLibraryUnload", (library,));
    }
    let mut module: Handle = 0;
    assert_eq!(answer("cuModuleLoad", (&raw mut module, c"/nowhere.ptx".as_ptr())), 301);
    assert_eq!(answer("cuModuleLoad", (&raw mut module, 0u64)), 1);
}
