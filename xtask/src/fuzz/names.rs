//! What the instructions of a random program may name: its registers, constants, variables and addresses.
//!
//! Data registers have the oracle's names. Addresses have registers of their own, which nothing overwrites, so that most
//! accesses hit allocated memory; a few are wild on purpose.

use ptxvm_isa::table::{Operand, TypeOf};
use ptxvm_isa::{ISA, Type};

use super::scene;
use crate::oracle::Random;
use crate::oracle::operands::{Supply, stem, within};

/// The registers of each type.
pub const REGISTERS: usize = 10;

/// The bytes that every thread has for itself in each space, and the bytes of each variable.
pub const AREA: usize = 256;

/// The supply of a function's instructions, and what it has handed out.
pub struct Names {
    /// The opcode of the instruction, because some operands only make sense to it within limits.
    pub opcode: &'static str,
    /// Whether the parameter `pa` of the entry can be named.
    pub entry: bool,
    /// What the program may do.
    pub liberties: Liberties,
    /// How many registers of each type are named.
    pub registers: usize,
    /// Whether there is a function `f0`.
    pub functions: bool,
}

/// What a program may do besides computing for itself.
#[derive(Clone, Copy, Debug)]
pub struct Liberties {
    /// Addresses may be anything, and loops and recursions need not end.
    pub wild: bool,
    /// It may see what differs from one launch to the next: heap blocks, parameters' addresses, the grid's number.
    pub fleeting: bool,
    /// It may see other CTAs, through memory that all share and through clocks.
    pub sharing: bool,
    /// Threads of a CTA may reach each other's shared memory at any time.
    pub racing: bool,
    /// Many of its instructions are matrix instructions.
    pub matrix: bool,
    /// Many of its instructions look textures up or access surfaces.
    pub texture: bool,
}

/// Numbers at which things change.
const INTEGERS: &[i64] = &[
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    32767,
    65535,
    -1,
    -2,
    -128,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    i64::MAX,
    i64::MIN,
];

const SINGLES: &[u32] = &[
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    1,
    0x007f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0x4b00_0000,
    0x4f00_0000,
    0x5f00_0000,
    0x3300_0000,
];

const DOUBLES: &[u64] = &[
    0,
    1 << 63,
    0x3ff0_0000_0000_0000,
    1,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0x41e0_0000_0000_0000,
    0x43e0_0000_0000_0000,
];

/// One of the numbers at which things change, or any.
pub fn interesting(random: &mut Random) -> u64 {
    match random.below(8) {
        0 => random.next(),
        1 => random.next() >> random.below(64),
        2 => u64::from(*random.pick(SINGLES)) << (32 * random.below(2)),
        3 => *random.pick(DOUBLES),
        4 => u64::from(*random.pick(SINGLES)) | random.next() << 32,
        _ => *random.pick(INTEGERS) as u64,
    }
}

impl Names {
    /// A special register of about this width.
    fn sreg(&mut self, operand: &Operand, random: &mut Random) -> String {
        let wide = matches!(operand.ty, TypeOf::Fixed(Type::U64 | Type::B64));
        for _ in 0..8 {
            let sreg = random.pick(ISA.sregs);
            let fits = sreg.ty.bits() == if wide { 64 } else { 32 } || random.one_in(4);
            let fleeting = sreg.name == "%gridid";
            // Clocks count what the host's thread has run.
            let shared = sreg.name.starts_with("%clock") || sreg.name.starts_with("%globaltimer");
            if !fits || fleeting && !self.liberties.fleeting || shared && !self.liberties.sharing {
                continue;
            }
            let member = if sreg.vector { *random.pick(&[".x", ".y", ".z"]) } else { "" };
            return format!("{}{member}", sreg.name);
        }
        "%laneid".into()
    }

    /// A constant for an operand that only makes sense within limits.
    fn sensible(&mut self, operand: &Operand, random: &mut Random) -> Option<String> {
        Some(match (self.opcode, operand.name) {
            _ if random.one_in(if self.liberties.wild { 20 } else { 200 }) => return None,
            (_, "membermask") => match random.below(32) {
                0 => format!("{:#x}", random.next() as u32),
                1..=4 => "%am".into(),
                _ => "0xffffffff".into(),
            },
            ("alloca", "size") => (random.below(8) * 16).to_string(),
            ("alloca", "immAlign") => (1 << random.below(8)).to_string(),
            ("stackrestore", _) => "%sp".into(),
            ("bar" | "barrier", "a") => random.below(3).to_string(),
            ("bar" | "barrier", "b") => (32 * (1 + random.below(3))).to_string(),
            ("wgmma" | "tcgen05", "a-desc" | "b-desc" | "s-desc") => (*random.pick(&["%ma", "%mb"])).into(),
            ("tcgen05", "idesc") => "%mi".into(),
            ("wmma", "stride") => (*random.pick(&["8", "16", "32", "64"])).into(),
            ("tcgen05", "taddr") => "%tz".into(),
            ("mma", "e") | ("wgmma", "sp-meta") => "%mm".into(),
            _ => return None,
        })
    }

    /// An address that is very likely wrong.
    fn wild(&mut self, random: &mut Random) -> String {
        match random.below(8) {
            0 => format!("%rd{}", random.below(self.registers)),
            1 => "0".into(),
            2 => format!("%ga+{}", random.next() as i32),
            3 => format!("%sa+{}", random.below(1 << 20)),
            4 => format!("%xl-{}", random.below(1 << 12)),
            5 => format!("%xs+{}", 1 + random.below(8)),
            6 => format!("{:#x}", random.next() >> random.below(64)),
            _ => format!("%gb-{}", random.below(256)),
        }
    }
}

impl Supply for Names {
    fn special(&mut self, operand: &Operand, random: &mut Random) -> String {
        self.sreg(operand, random)
    }

    fn variable(&mut self, random: &mut Random) -> String {
        let variable = *random.pick(&["gl", "sm", "lo", "co", "f0", "pa"]);
        // Every launch has its parameters elsewhere.
        if variable == "pa" && !(self.entry && self.liberties.fleeting) {
            "gl".into()
        } else if variable == "f0" && !self.functions {
            "co".into()
        } else {
            variable.into()
        }
    }

    fn constant(&mut self, operand: &Operand, ty: Option<Type>, random: &mut Random) -> String {
        if let Some(sensible) = self.sensible(operand, random) {
            return sensible;
        }
        if let Some(number) = within(operand, random) {
            return number;
        }
        let bits = interesting(random);
        match ty {
            Some(Type::F32) => format!("0f{:08X}", bits as u32),
            Some(Type::F64) => format!("0d{bits:016X}"),
            Some(ty) if ty.bits() <= 16 => (bits as i16).to_string(),
            Some(ty) if ty.bits() <= 32 => (bits as i32).to_string(),
            _ => (bits as i64).to_string(),
        }
    }

    fn register(&mut self, operand: &Operand, ty: Option<Type>, random: &mut Random) -> String {
        if !operand.written
            && let Some(sensible) = self.sensible(operand, random)
        {
            return sensible;
        }
        if !operand.written && scene::is_opaque(self.opcode) && random.one_in(2) {
            return scene::coordinate(ty, random);
        }
        let number = random.below(self.registers);
        match ty {
            None => format!("%r{number}"),
            Some(ty) => format!("{}{number}", stem(ty, operand.wider)),
        }
    }

    fn predicate(&mut self, random: &mut Random) -> String {
        if matches!(self.opcode, "wgmma" | "tcgen05") && !random.one_in(8) {
            return "%mp".into();
        }
        format!("%p{}", random.below(self.registers))
    }

    fn address(&mut self, space: &str, random: &mut Random) -> String {
        if space == "tmem" {
            let wild = format!("%r{}", random.below(self.registers));
            return if random.one_in(20) {
                wild
            } else {
                (*random.pick(&["%ta", "%ta", "%ta", "%tz"])).into()
            };
        }
        if self.liberties.wild && random.one_in(12) {
            return self.wild(random);
        }
        // One's own area, everybody's, or a variable by its name.
        let choices: &[&'static str] = match space.split("::").next().unwrap_or("") {
            // All lanes give it the same.
            "shared" | "" if self.opcode == "wmma" => {
                return if space.is_empty() { "%xb" } else { "%sb" }.into();
            }
            "global" if self.opcode == "wmma" && self.liberties.sharing => &["%gb"],
            "global" => &["%ga", "%ga", "%ga", "%gb", "gl"],
            "shared" => &["%sa", "%sa", "%sa", "%sb", "sm"],
            "local" => &["%la", "lo"],
            "const" => &["%ca", "co"],
            "param" if self.entry => &["pa"],
            _ if matches!(self.opcode, "atom" | "red") => &["%ga", "%ga", "%gb", "%gb", "%xs"],
            _ if matches!(self.opcode, "ldmatrix" | "stmatrix") => &["%xs"],
            _ if matches!(self.opcode, "discard" | "applypriority") => &["%ga", "%gb"],
            _ => &["%ga", "%ga", "%gb", "%xs", "%xl"],
        };
        let base = match *random.pick(choices) {
            "%gb" | "gl" if !self.liberties.sharing => "%ga",
            "%sb" | "sm" if !self.liberties.racing => "%sa",
            base => base,
        };
        let step = if matches!(self.opcode, "discard" | "applypriority") { 128 } else { 32 };
        match random.below(AREA / step) * step {
            0 => base.into(),
            offset => format!("{base}+{offset}"),
        }
    }

    fn opaque(&mut self, operand: &Operand, random: &mut Random) -> String {
        if random.one_in(if self.liberties.wild { 20 } else { 400 }) {
            return format!("%rd{}", random.below(self.registers));
        }
        let register = random.below(scene::REGISTERS);
        match operand.ty {
            TypeOf::Texture if random.one_in(6) => "tx".into(),
            TypeOf::Surface if random.one_in(6) && self.liberties.sharing => "su".into(),
            TypeOf::Sampler if random.one_in(6) => "sa".into(),
            TypeOf::Texture => format!("%ox{register}"),
            TypeOf::Sampler => format!("%os{register}"),
            _ => format!("%ou{register}"),
        }
    }
}
