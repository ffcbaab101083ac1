//! A device with little memory on a host that gives little: what programs are told of it, and images that would become
//! more than fits. The limits are set before the library is loaded, so that these tests have a process of their own.
#![allow(unsafe_code)]

mod client;

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Once;

use client::{Context, answer, call};

const OUT_OF_MEMORY: u32 = 2;
const NO_BINARY_FOR_GPU: u32 = 209;
const INVALID_PTX: u32 = 218;

const MEMORY: usize = 64 << 20;

/// A context on a device of 64 MB, of a host that gives 128.
fn context() -> Context {
    static LIMITS: Once = Once::new();
    LIMITS.call_once(|| {
        // SAFETY: the library is not loaded yet, and Rust's own readers take turns.
        unsafe {
            std::env::set_var("PTXVM_MEMORY", "64M");
            std::env::set_var("PTXVM_MAX_MEMORY", "128MiB");
        }
    });
    Context::new()
}

fn load(image: &[u8]) -> u32 {
    let mut module = 0u64;
    answer("cuModuleLoadData", (&raw mut module, image.as_ptr()))
}

/// The most memory that this process has ever had, in bytes.
fn peak() -> usize {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    1024 * line.trim().trim_end_matches("kB").trim().parse::<usize>().expect("a number")
}

#[test]
fn programs_are_told_what_there_is() {
    let _context = context();
    let (mut free, mut total, mut all) = (0usize, 0usize, 0usize);
    call("cuMemGetInfo_v2", (&raw mut free, &raw mut total));
    call("cuDeviceTotalMem_v2", (&raw mut all, 0i32));
    assert_eq!((total, all), (MEMORY, MEMORY));
    assert!(free <= total);
    let mut address = 0u64;
    assert_eq!(answer("cuMemAlloc_v2", (&raw mut address, MEMORY + 1)), OUT_OF_MEMORY);
    // What is told to be free can be had.
    let most = free / 2;
    call("cuMemAlloc_v2", (&raw mut address, most));
    call("cuMemFree_v2", (address,));
}

/// A fatbin with one PTX for sm_90, compressed as the flags say.
fn fatbin(payload: &[u8], size: u64, flags: u64) -> Vec<u8> {
    let padded = payload.len().next_multiple_of(8);
    let mut entry = vec![0u8; 64];
    entry[0..8].copy_from_slice(&[1, 0, 1, 1, 64, 0, 0, 0]);
    entry[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
    entry[16..20].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    entry[28..32].copy_from_slice(&90u32.to_le_bytes());
    entry[40..48].copy_from_slice(&flags.to_le_bytes());
    entry[56..64].copy_from_slice(&size.to_le_bytes());
    entry.extend(payload);
    entry.resize(64 + padded, 0);
    let mut all = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    all.extend((entry.len() as u64).to_le_bytes());
    all.extend(entry);
    all
}

const ZSTD: u64 = 1 << 15;
const LZ4: u64 = 1 << 13;

/// A frame of zstd with this header, of blocks that are each 128 KiB of one byte.
fn zstd(header: &[u8], blocks: u32) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd];
    frame.extend(header);
    for block in 1..=blocks {
        let word = u32::from(block == blocks) | 1 << 1 | (128 << 10) << 3;
        frame.extend(&word.to_le_bytes()[..3]);
        frame.push(b' ');
    }
    frame
}

/// The header of a frame in one piece of this size.
fn single(size: u64) -> Vec<u8> {
    [&[0xe0][..], &size.to_le_bytes()].concat()
}

#[test]
fn a_frame_asks_for_a_window_that_nobody_has() {
    let _context = context();
    // In one piece, the window is the content; else it stands by itself, here with 3.75 TB and with 1 GB.
    let announced = 30_000_000_000;
    for header in [single(announced), vec![0x00, 0xff], vec![0x00, 20 << 3]] {
        let image = fatbin(&zstd(&header, 2), announced, ZSTD);
        let result = load(&image);
        assert!([NO_BINARY_FOR_GPU, OUT_OF_MEMORY].contains(&result), "{result} for {header:x?}");
    }
    assert!(peak() < 1 << 30, "{} bytes", peak());
}

#[test]
fn little_becomes_much() {
    let _context = context();
    // 1,000 blocks of 128 KiB from 4 KB, with the size told and not told.
    let blocks = 1000;
    let size = u64::from(blocks) << 17;
    for header in [single(size), vec![0x00, 10 << 3]] {
        assert_eq!(load(&fatbin(&zstd(&header, blocks), size, ZSTD)), OUT_OF_MEMORY, "{header:x?}");
    }
    // More than was announced.
    assert_eq!(load(&fatbin(&zstd(&[0x00, 10 << 3], 4), 1000, ZSTD)), NO_BINARY_FOR_GPU);
    // LZ4: a blank, and then the same again 255 times for each byte.
    let mut block = vec![0x1f, b' ', 1, 0];
    block.extend(vec![0xff; 500_000]);
    block.extend([0, 0x80]);
    block.extend([b' '; 8]);
    assert_eq!(load(&fatbin(&block, 100 << 20, LZ4)), OUT_OF_MEMORY);
    assert!(peak() < 1 << 30, "{} bytes", peak());
}

/// An ELF file with many sections of one name, all of them the same bytes.
fn object(fatbin: &[u8], sections: u16) -> Vec<u8> {
    let names = b"\0.nv_fatbin\0.shstrtab\0";
    let (data, table) = (64u64, 64 + fatbin.len().next_multiple_of(8) as u64);
    let headers = (table + names.len() as u64).next_multiple_of(8);
    let mut file = vec![0u8; headers as usize];
    file[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1]);
    file[16..20].copy_from_slice(&[1, 0, 62, 0]);
    file[20] = 1;
    file[40..48].copy_from_slice(&headers.to_le_bytes());
    file[52..54].copy_from_slice(&64u16.to_le_bytes());
    file[58..60].copy_from_slice(&64u16.to_le_bytes());
    file[60..62].copy_from_slice(&(sections + 2).to_le_bytes());
    file[62..64].copy_from_slice(&1u16.to_le_bytes());
    file[64..64 + fatbin.len()].copy_from_slice(fatbin);
    file[table as usize..table as usize + names.len()].copy_from_slice(names);
    let mut header = |name: u32, kind: u32, at: u64, size: u64| {
        let start = file.len();
        file.resize(start + 64, 0);
        file[start..start + 4].copy_from_slice(&name.to_le_bytes());
        file[start + 4..start + 8].copy_from_slice(&kind.to_le_bytes());
        file[start + 24..start + 32].copy_from_slice(&at.to_le_bytes());
        file[start + 32..start + 40].copy_from_slice(&size.to_le_bytes());
    };
    header(0, 0, 0, 0);
    header(12, 3, table, names.len() as u64);
    (0..sections).for_each(|_| header(1, 1, data, fatbin.len() as u64));
    file
}

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("memory_bounds");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn files_that_never_end_and_bytes_that_are_named_many_times() {
    let _context = context();
    let open = |path: &str| {
        let (mut module, path) = (0u64, CString::new(path).expect("no zeros"));
        answer("cuModuleLoad", (&raw mut module, path.as_ptr()))
    };
    assert_eq!(open("/dev/zero"), OUT_OF_MEMORY);
    // 30,000 sections that are the same 300 KB of PTX.
    let ptx = format!(".version 8.0\n.target sm_80\n.address_size 64\n//{}\n", "x".repeat(300_000));
    let path = folder().join("many.o");
    std::fs::write(&path, object(&fatbin(ptx.as_bytes(), 0, 0), 30_000)).expect("a file");
    assert_eq!(open(path.to_str().expect("a path")), OUT_OF_MEMORY);
    assert!(peak() < 1 << 30, "{} bytes", peak());
}

#[test]
fn variables_and_texts_that_are_too_large() {
    let _context = context();
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let variable = format!("{head}.global .b8 x[1099511627776] = {{1}};\n\0");
    assert_eq!(load(variable.as_bytes()), OUT_OF_MEMORY);
    let long = format!("{head}//{}\n\0", "x".repeat(4 << 20));
    assert_eq!(load(long.as_bytes()), OUT_OF_MEMORY);
    // What fits is loaded, and what is wrong with it is said.
    assert_eq!(load(format!("{head}nonsense\0").as_bytes()), INVALID_PTX);
    assert_eq!(load(format!("{head}.global .b8 x[1000] = {{1}};\n\0").as_bytes()), 0);
}
