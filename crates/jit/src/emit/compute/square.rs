//! The special function unit's squarer by instructions that look bytes up (AVX512-VBMI), and sums of products of half words.
//!
//! `ptxvm_num::mufu::square` says what it computes. Of its partial products six are a bit times up to three bits, in two groups
//! that are alike: a group has six bits in all, and what its products come to is a byte of a table of 64.

use super::super::writer::{LANES, Name, Writer};

/// The words of half a warp, and the halves and bytes of a register.
const WORDS: &str = "<16 x i32>";
const HALVES: &str = "<32 x i16>";
const BYTES: &str = "<64 x i8>";

/// What a group's products come to, by the three bits that are looked at above the three that are added, cut off.
fn sum_of_group(bits: usize) -> usize {
    let value = bits & 7;
    (0..3).filter(|bit| bits >> (3 + bit) & 1 == 1).map(|bit| value >> (2 - bit)).sum()
}

impl Writer {
    /// The square of words of 16 bits, which are the upper ones of 17.
    pub fn square_by_bytes(&mut self, x: &str) -> Name {
        // Packed within each quarter of a register, and unpacked likewise.
        let [first, last] = [0, LANES / 2].map(|from| self.half(x, from));
        let packed = "llvm.x86.avx512.packusdw.512";
        let x = self.made_of(packed, HALVES, [(WORDS, &first), (WORDS, &last)]);
        let squares = self.squares(&x);
        let unpacked = [0, 4].map(|from| {
            let places = (0..LANES).map(|at| {
                let word = at / 2;
                if at % 2 == 0 { word / 4 * 8 + from + word % 4 } else { LANES }
            });
            let places: Vec<String> = places.map(|place| format!("i32 {place}")).collect();
            let order = format!("<{LANES} x i32> <{}>", places.join(", "));
            let halves =
                self.value(format!("shufflevector {HALVES} {squares}, {HALVES} zeroinitializer, {order}"));
            self.value(format!("bitcast {HALVES} {halves} to {WORDS}"))
        });
        let all: Vec<String> = (0..LANES).map(|lane| format!("i32 {lane}")).collect();
        let [first, last] = unpacked;
        self.value(format!(
            "shufflevector {WORDS} {first}, {WORDS} {last}, <{LANES} x i32> <{}>",
            all.join(", ")
        ))
    }

    /// The squares of a register of half words.
    fn squares(&mut self, x: &str) -> Name {
        let bytes = self.value(format!("bitcast {HALVES} {x} to {BYTES}"));
        // The bits of the lower byte's group, and of the upper one's: first those that are looked at, above three others.
        let [looked_at, added] = [[10, 6], [1, 5]].map(|from: [usize; 2]| {
            let from = bytes_of(|at| at % 8 / 2 * 16 + from[at % 2]);
            self.made_of("llvm.x86.avx512.pmultishift.qb.512", BYTES, [(BYTES, &from), (BYTES, &bytes)])
        });
        let looked_at = self.value(format!("and {BYTES} {looked_at}, {}", bytes_of(|_| 0x38)));
        let added = self.value(format!("and {BYTES} {added}, {}", bytes_of(|_| 7)));
        let index = self.value(format!("or {BYTES} {looked_at}, {added}"));
        let table = bytes_of(sum_of_group);
        let sums = self.made_of("llvm.x86.avx512.permvar.qi.512", BYTES, [(BYTES, &table), (BYTES, &index)]);
        let both = self.made_of(
            "llvm.x86.avx512.pmaddubs.w.512",
            HALVES,
            [(BYTES, &sums), (BYTES, &bytes_of(|_| 1))],
        );
        // The upper halves of products of factors that lie high enough in their words.
        let half = self.value(format!("lshr {HALVES} {x}, {}", halves_of(1)));
        let [cross, square] = [[(x, 0xf000), (x, 0xf0)], [(x, 0xff00), (&*half, 0x7f80)]].map(|factors| {
            let [a, b] =
                factors.map(|(a, bits)| self.value(format!("and {HALVES} {a}, {}", halves_of(bits))));
            self.made_of("llvm.x86.avx512.pmulhu.w.512", HALVES, [(HALVES, &a), (HALVES, &b)])
        });
        let sum = self.value(format!("add {HALVES} {square}, {cross}"));
        self.value(format!("add {HALVES} {sum}, {both}"))
    }

    /// The products of the lower and of the upper halves of words, with their signs, added.
    pub fn products_of_halves(&mut self, a: &str, b: &str) -> Name {
        self.by_registers(("i32", 32), "i32", &[a, b], |writer, _, words| {
            let [a, b] = [&words[0], &words[1]]
                .map(|word| writer.value(format!("bitcast {WORDS} {word} to {HALVES}")));
            writer.made_of("llvm.x86.avx512.pmaddw.d.512", WORDS, [(HALVES, &a), (HALVES, &b)])
        })
    }

    /// Half of the words of a warp, from one on.
    fn half(&mut self, all: &str, from: usize) -> Name {
        let places: Vec<String> = (from..from + LANES / 2).map(|lane| format!("i32 {lane}")).collect();
        let (ty, order) = (self.ty(32), places.join(", "));
        self.value(format!("shufflevector {ty} {all}, {ty} poison, {WORDS} <{order}>"))
    }

    /// What an instruction makes of two registers.
    fn made_of(&mut self, name: &str, result: &str, [a, b]: [(&str, &str); 2]) -> Name {
        self.declare(format!("declare {result} @{name}({}, {})", a.0, b.0));
        self.value(format!("call {result} @{name}({} {}, {} {})", a.0, a.1, b.0, b.1))
    }
}

/// A register of bytes, each by its place.
fn bytes_of(value: impl Fn(usize) -> usize) -> Name {
    let bytes: Vec<String> = (0..64).map(|at| format!("i8 {}", value(at) as u8 as i8)).collect();
    format!("<{}>", bytes.join(", "))
}

/// A register of halves that are all the same.
fn halves_of(value: u16) -> Name {
    format!("<{}>", vec![format!("i16 {}", value as i16); LANES].join(", "))
}
