//! Damaged images: fatbins with zstd and LZ4, objects, archives and texts, with bits, fields and lengths changed. Each is
//! answered, with a result that a driver gives, and costs no more memory than an image may.
//!
//! `cargo xtask fuzz images COUNT SEED` runs more of them. What is handed over with its size lies in a block of exactly
//! that size, so that AddressSanitizer sees who reads further.
#![allow(clippy::print_stdout, reason = "a long run tells what it has met")]

mod client;

use std::process::Command;

use client::{Context, Handle, answer};

/// Good images, and what `cuLinkAddData` calls their kind.
const IMAGES: [(&[u8], u32); 8] = [
    (include_bytes!("images/zstd.fatbin"), FATBINARY),
    (include_bytes!("images/lz4.fatbin"), FATBINARY),
    (include_bytes!("images/zstd.fatbin"), FATBINARY),
    (include_bytes!("images/plain.fatbin"), FATBINARY),
    (include_bytes!("images/several.fatbin"), FATBINARY),
    (include_bytes!("images/callee.o"), OBJECT),
    (include_bytes!("images/libcallee.a"), LIBRARY),
    (include_bytes!("images/add_sm_80.ptx"), PTX),
];
const PTX: u32 = 1;
const FATBINARY: u32 = 2;
const OBJECT: u32 = 3;
const LIBRARY: u32 = 4;

/// What a driver answers to an image: it is right, an argument is wrong, there is no memory for it, it is no image, it has
/// nothing for the device, its PTX is wrong, is too new, or is for what we do not do.
const ANSWERS: [u32; 9] = [0, 1, 2, 200, 209, 218, 222, 301, 801];

/// The most bytes of the host that all of it may take at any time: a text of 1 GiB is the largest that is read.
const MOST_MEMORY_KIB: u64 = 3 << 20;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }
}

/// Numbers that lengths and flags are set to.
const NUMBERS: [u64; 12] =
    [0, 1, 7, 63, 0xff, 0x2000, 0x8000, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 40, u64::MAX];

/// Changes an image in a few places, most of them among the first bytes: headers are there.
fn damage(image: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let within = if random.below(2) == 0 { image.len().min(192) } else { image.len() };
        let at = random.below(within);
        match random.below(8) {
            0..=2 => image[at] ^= 1 << random.below(8),
            3 => image[at] = random.next() as u8,
            4 | 5 => {
                let width = 1 << random.below(4);
                let number = NUMBERS[random.below(NUMBERS.len())].to_le_bytes();
                let at = at & !(width - 1);
                let to = &mut image[at..];
                let width = width.min(to.len());
                to[..width].copy_from_slice(&number[..width]);
            }
            6 => image.truncate(at + 1),
            _ => {
                let piece = image[at..].iter().take(1 + random.below(64)).copied().collect::<Vec<u8>>();
                let to = random.below(image.len());
                image.splice(to..to, piece);
            }
        }
    }
}

/// Hands an image over to be linked, with its size.
fn link(image: &[u8], kind: u32) -> u32 {
    let mut state: Handle = 0;
    let none = 0u64;
    assert_eq!(answer("cuLinkCreate_v2", (0u32, none, none, &raw mut state)), 0);
    let exact: Box<[u8]> = image.into();
    let added = answer(
        "cuLinkAddData_v2",
        (state, kind, exact.as_ptr(), exact.len(), c"image".as_ptr(), 0u32, none, none),
    );
    let result = if added == 0 {
        let (mut linked, mut size) = (0u64, 0usize);
        answer("cuLinkComplete", (state, &raw mut linked, &raw mut size))
    } else {
        added
    };
    assert_eq!(answer("cuLinkDestroy", (state,)), 0);
    result
}

/// Loads a fatbin by its address alone. Its own header has to say how long it is, and the driver has to believe it.
fn load(image: &[u8]) -> u32 {
    let mut exact: Box<[u8]> = image.into();
    let header = u64::from(u16::from_le_bytes([exact[6], exact[7]]));
    let rest = (exact.len() as u64).saturating_sub(header);
    exact[8..16].copy_from_slice(&rest.to_le_bytes());
    if header > exact.len() as u64 || !exact.starts_with(&0xba55_ed50u32.to_le_bytes()) {
        return 0;
    }
    let mut module: Handle = 0;
    let result = answer("cuModuleLoadData", (&raw mut module, exact.as_ptr()));
    if result == 0 {
        assert_eq!(answer("cuModuleUnload", (module,)), 0);
    }
    result
}

/// The most memory that the process has had.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Says that this process is the one that loads them.
const CHILD: &str = "PTXVM_FUZZ_CHILD";

/// The library tells standard error of every image what is wrong with it: the images are loaded in a process of their own,
/// of which the last lines are shown if it fails.
#[test]
fn a_damaged_image_is_answered() {
    if std::env::var_os(CHILD).is_some() {
        return damaged_images();
    }
    let file = std::env::temp_dir().join(format!("ptxvm-image-fuzz-{}", std::process::id()));
    let log = std::fs::File::create(&file).expect("a file for what it says");
    let status = Command::new(std::env::current_exe().expect("a test has a path"))
        .args(["--exact", "a_damaged_image_is_answered", "--nocapture"])
        .env(CHILD, "1")
        .stderr(log)
        .status()
        .expect("it starts again");
    let said = std::fs::read(&file).unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    let last = &said[said.len().saturating_sub(4000)..];
    assert!(status.success(), "{status}; its last words:\n{}", String::from_utf8_lossy(last));
}

fn damaged_images() {
    let (seed, count) = (setting("PTXVM_FUZZ_SEED", 1), setting("PTXVM_FUZZ_IMAGES", 20_000));
    let _context = Context::new();
    let mut seen = [0u64; ANSWERS.len()];
    for number in seed..seed + count {
        let mut random = Random(number);
        let (image, kind) = IMAGES[random.below(IMAGES.len())];
        let mut image = image.to_vec();
        damage(&mut image, &mut random);
        let mut results = vec![link(&image, kind)];
        if kind == FATBINARY && image.len() >= 16 {
            results.push(load(&image));
        }
        for result in results {
            let known = ANSWERS.iter().position(|answer| *answer == result);
            seen[known.unwrap_or_else(|| panic!("image {number} is answered with {result}"))] += 1;
        }
        let peak = peak_kib();
        assert!(peak < MOST_MEMORY_KIB, "image {number} brings the process to {peak} KiB");
    }
    println!("{count} images, answered so often with {ANSWERS:?}: {seen:?}");
    assert!(seen[0] > 0 && seen[3] > 0, "some are still right, some are none");
}
