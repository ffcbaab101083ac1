//! The unit itself: whether the host has it, and its instructions.
//!
//! Rust has no stable names for these instructions, so they are written out. A call sets the tiles up, multiplies, and
//! gives them back, so that nobody else meets their state, and the kernel need not save it when threads change.
#![allow(unsafe_code)]

use super::super::integer::IntegerElement;
use super::super::packed::Packed;
use super::factors::is_split;
use super::tile::Tile;

/// What a word of a tile has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Words {
    /// Two bf16.
    #[default]
    Bf16,
    /// Four bytes of A and four of B, which have a sign or none.
    Bytes { a_signed: bool, b_signed: bool },
}

/// What products that are made together have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// What they are made of.
    pub of: Words,
    /// The words of a row of A, and the rows of B.
    pub words: usize,
    /// Whether factors are sums of two, so that A has two parts.
    pub is_split: bool,
}

impl Kind {
    /// How rows of so many factors are multiplied.
    pub const fn of(packed: Packed, depth: usize) -> Self {
        let is_split = is_split(packed.element);
        Self { of: Words::Bf16, words: if is_split { depth } else { depth.div_ceil(2) }, is_split }
    }

    /// How rows of so many bytes are multiplied; nothing if these are no bytes.
    pub const fn of_bytes([a, b]: [IntegerElement; 2], depth: usize) -> Option<Self> {
        if a.bits() != 8 || b.bits() != 8 {
            return None;
        }
        let (a_signed, b_signed) = (matches!(a, IntegerElement::S8), matches!(b, IntegerElement::S8));
        let of = Words::Bytes { a_signed, b_signed };
        Some(Self { of, words: depth.div_ceil(4), is_split: false })
    }

    const fn parts(self) -> usize {
        if self.is_split { 2 } else { 1 }
    }
}

/// The factors of a product.
#[derive(Clone, Copy)]
pub(super) struct Factors<'a> {
    pub a: &'a [Tile; 2],
    pub b: &'a [Tile],
}

/// Adds to each tile of D the products of each A's parts with the tiles of its B that belong to it. All are of the same
/// kind: a row of A has so many words, in one part or two.
pub(super) fn multiply(kind: Kind, factors: &[Factors<'_>], d: &mut [Tile]) {
    #[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
    return host::multiply(kind, factors, d);
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
    return multiply_without(kind, factors, d);
}

/// Whether the host has the unit, which multiplies bf16 and bytes, and this process may use it.
pub(super) fn is_there() -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
    return host::is_there();
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
    return false;
}

/// The same without the unit.
pub(super) fn multiply_without(kind: Kind, factors: &[Factors<'_>], d: &mut [Tile]) {
    for Factors { a, b } in factors {
        for (b, d) in b.iter().zip(&mut *d) {
            for a in &a[..kind.parts()] {
                for (a, d) in a.iter().zip(d.iter_mut()) {
                    for (a, b) in a.0.iter().zip(b).take(kind.words) {
                        for (b, d) in b.0.iter().zip(&mut d.0) {
                            *d = add_words(kind.of, *a, *b, *d);
                        }
                    }
                }
            }
        }
    }
}

/// Adds the products that a word of A and one of B are of.
fn add_words(of: Words, a: u32, b: u32, d: u32) -> u32 {
    match of {
        Words::Bf16 => {
            let halves = |word: u32| [f32::from_bits(word << 16), f32::from_bits(word & 0xffff_0000)];
            let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
            (f32::from_bits(d) + a0 * b0 + a1 * b1).to_bits()
        }
        Words::Bytes { a_signed, b_signed } => {
            let number = |byte: u8, signed: bool| if signed { i32::from(byte as i8) } else { byte.into() };
            let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
            products.fold(d, |d, (a, b)| {
                d.wrapping_add_signed(number(a, a_signed).wrapping_mul(number(b, b_signed)))
            })
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod host {
    use std::arch::asm;
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    use std::ptr;
    use std::sync::OnceLock;

    use super::super::tile::{ROWS, Row, Tile};
    use super::{Factors, Kind, Words};

    /// Products that are multiplied in one go.
    const MOST: usize = 32;

    pub fn is_there() -> bool {
        static IS_THERE: OnceLock<bool> = OnceLock::new();
        *IS_THERE.get_or_init(|| has_instructions() && saves_tiles() && is_permitted())
    }

    /// Whether the processor has tiles, and multiplies bf16 and bytes.
    fn has_instructions() -> bool {
        const OSXSAVE: u32 = 1 << 27;
        const BF16: u32 = 1 << 22;
        const TILE: u32 = 1 << 24;
        const INT8: u32 = 1 << 25;
        const ALL: u32 = BF16 | TILE | INT8;
        __cpuid(0).eax >= 7 && __cpuid(1).ecx & OSXSAVE != 0 && __cpuid_count(7, 0).edx & ALL == ALL
    }

    /// Whether the system saves tiles and their configuration when threads change. The processor must have XGETBV.
    fn saves_tiles() -> bool {
        const TILES: u32 = 3 << 17;
        let low: u32;
        // SAFETY: the processor has the instruction, since the system has switched XSAVE on. It changes two registers.
        unsafe {
            asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") _, options(nomem, nostack, preserves_flags));
        }
        low & TILES == TILES
    }

    /// Asks the system for tiles, once for the process: threads that use them have larger signal frames.
    fn is_permitted() -> bool {
        const ARCH_PRCTL: i64 = 158;
        const ARCH_REQ_XCOMP_PERM: i64 = 0x1023;
        const XFEATURE_XTILEDATA: i64 = 18;
        let answer: i64;
        // SAFETY: the call takes two numbers and touches no memory of ours; a system that does not know it says so. It
        // changes the registers that are named.
        unsafe {
            asm!(
                "syscall",
                inlateout("rax") ARCH_PRCTL => answer,
                in("rdi") ARCH_REQ_XCOMP_PERM, in("rsi") XFEATURE_XTILEDATA,
                out("rcx") _, out("r11") _,
                options(nostack),
            );
        }
        answer == 0
    }

    /// What LDTILECFG reads: palette 1, and the bytes of a row and the rows of each tile.
    #[repr(C, align(64))]
    struct Configuration {
        palette: u8,
        start_row: u8,
        reserved: [u8; 14],
        row_bytes: [u16; 16],
        rows: [u8; 16],
    }

    impl Configuration {
        /// Tiles 0 and 1 are A's, 2 and 3 are B's, 4 and 5 are D's; rows of A have so many words.
        fn new(words: usize) -> Self {
            let words = words.clamp(1, ROWS);
            let (mut row_bytes, mut rows) = ([0; 16], [0; 16]);
            row_bytes[..6].copy_from_slice(&[4 * words as u16, 4 * words as u16, 64, 64, 64, 64]);
            let all = ROWS as u8;
            rows[..6].copy_from_slice(&[all, all, words as u8, words as u8, all, all]);
            Self { palette: 1, start_row: 0, reserved: [0; 14], row_bytes, rows }
        }
    }

    /// Two tiles of D at a time, to which all products are added before they are stored, by this instruction.
    macro_rules! instructions {
        ($multiply:literal, $configuration:ident, $factors:ident, $d:ident, $bytes:ident; $($second_part:literal),*) => {
            asm!(
                "ldtilecfg [{next}]",
                "2:",
                "tileloadd tmm4, [{d} + {row}]",
                "tileloadd tmm5, [{d} + {row} + 1024]",
                "mov {next}, {factors}",
                "3:",
                "mov {a}, [{next}]",
                "mov {b}, [{next} + 8]",
                "add {b}, {at}",
                "add {next}, 16",
                "tileloadd tmm2, [{b} + {row}]",
                "tileloadd tmm0, [{a} + {row}]",
                concat!($multiply, " tmm4, tmm0, tmm2"),
                "tileloadd tmm3, [{b} + {row} + 1024]",
                concat!($multiply, " tmm5, tmm0, tmm3"),
                $($second_part,)*
                "cmp {next}, {end}",
                "jb 3b",
                "tilestored [{d} + {row}], tmm4",
                "tilestored [{d} + {row} + 1024], tmm5",
                "add {d}, 2048",
                "add {at}, 2048",
                "cmp {at}, {bytes}",
                "jb 2b",
                "tilerelease",
                next = inout(reg) &raw const $configuration => _,
                factors = in(reg) $factors.start, end = in(reg) $factors.end,
                d = inout(reg) $d => _, at = inout(reg) 0usize => _, bytes = in(reg) $bytes,
                row = in(reg) size_of::<Row>(), a = out(reg) _, b = out(reg) _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _, out("tmm4") _, out("tmm5") _,
                options(nostack),
            )
        };
    }

    /// The places of the factors of a product, as the instructions read them.
    #[repr(C)]
    struct Places {
        a: *const Tile,
        b: *const Tile,
    }

    pub fn multiply(kind: Kind, factors: &[Factors<'_>], d: &mut [Tile]) {
        assert!(is_there(), "the host has no tiles");
        let all_there = factors.iter().all(|factors| factors.b.len() >= d.len());
        assert!(d.len().is_multiple_of(2) && all_there, "tiles go by twos, and D has as many as each B");
        let configuration = Configuration::new(kind.words);
        let bytes = size_of_val(d);
        for factors in factors.chunks(MOST) {
            let mut places = [const { Places { a: ptr::null(), b: ptr::null() } }; MOST];
            for (to, Factors { a, b }) in places.iter_mut().zip(factors) {
                *to = Places { a: a.as_ptr(), b: b.as_ptr() };
            }
            let places = places[..factors.len()].as_ptr_range();
            let d = d.as_mut_ptr();
            if bytes == 0 {
                continue;
            }
            // SAFETY of all: the host has the instructions and permits them. There is at least one product and one pair
            // of tiles of D. They read the configuration, the places, two tiles of each A at most, and as many tiles of
            // each B as D has, and write D's; a tile is 1024 bytes, of which the configuration has them touch no more.
            // They change the registers that are named, and leave no tile behind.
            macro_rules! multiply {
                ($multiply:literal $($second_part:literal)*) => {
                    // SAFETY: see above.
                    unsafe { instructions!($multiply, configuration, places, d, bytes; $($second_part),*) }
                };
            }
            match kind.of {
                Words::Bf16 if kind.is_split => multiply!("tdpbf16ps" "tileloadd tmm1, [{a} + {row} + 1024]"
                    "tdpbf16ps tmm4, tmm1, tmm2" "tdpbf16ps tmm5, tmm1, tmm3"),
                Words::Bf16 => multiply!("tdpbf16ps"),
                Words::Bytes { a_signed: true, b_signed: true } => multiply!("tdpbssd"),
                Words::Bytes { a_signed: true, b_signed: false } => multiply!("tdpbsud"),
                Words::Bytes { a_signed: false, b_signed: true } => multiply!("tdpbusd"),
                Words::Bytes { a_signed: false, b_signed: false } => multiply!("tdpbuud"),
            }
        }
    }
}
