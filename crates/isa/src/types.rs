//! The types an instruction or a register may have, with their width and kind.

/// How a type's bits are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A predicate: one bit that lives in its own registers.
    Predicate,
    /// Untyped bits.
    Bits,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A floating point number that PTX lets a register have (f16, f16x2, f32, f64).
    Float,
    /// A number format no register can be declared with (bf16, tf32, fp8 …, and packed formats).
    Packed,
}

macro_rules! types {
    ($($variant:ident $name:literal $bits:literal $kind:ident)*) => {
        /// A fundamental, packed or alternate type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Type { $($variant),* }

        impl Type {
            /// Every type.
            pub const ALL: &'static [Type] = &[$(Type::$variant),*];

            /// The name without its dot.
            pub const fn name(self) -> &'static str {
                match self { $(Type::$variant => $name),* }
            }

            /// The width of a value of this type in a register, in bits.
            pub const fn bits(self) -> u32 {
                match self { $(Type::$variant => $bits),* }
            }

            /// How its bits are read.
            pub const fn kind(self) -> Kind {
                match self { $(Type::$variant => Kind::$kind),* }
            }

            /// The type of this name (without dot).
            pub fn from_name(name: &str) -> Option<Type> {
                match name { $($name => Some(Type::$variant),)* _ => None }
            }
        }
    };
}

types! {
    Pred "pred" 1 Predicate
    B1 "b1" 1 Bits
    B4 "b4" 4 Bits      U4 "u4" 4 Unsigned     S4 "s4" 4 Signed
    B8 "b8" 8 Bits      U8 "u8" 8 Unsigned     S8 "s8" 8 Signed
    B16 "b16" 16 Bits   U16 "u16" 16 Unsigned  S16 "s16" 16 Signed  F16 "f16" 16 Float
    B32 "b32" 32 Bits   U32 "u32" 32 Unsigned  S32 "s32" 32 Signed  F32 "f32" 32 Float
    B64 "b64" 64 Bits   U64 "u64" 64 Unsigned  S64 "s64" 64 Signed  F64 "f64" 64 Float
    B128 "b128" 128 Bits
    F16x2 "f16x2" 32 Float
    Bf16 "bf16" 16 Packed   Bf16x2 "bf16x2" 32 Packed   Tf32 "tf32" 32 Packed
    F32x2 "f32x2" 64 Packed
    U16x2 "u16x2" 32 Packed S16x2 "s16x2" 32 Packed
    U8x4 "u8x4" 32 Packed   S8x4 "s8x4" 32 Packed
    E4m3 "e4m3" 8 Packed    E5m2 "e5m2" 8 Packed
    E2m3 "e2m3" 6 Packed    E3m2 "e3m2" 6 Packed        E2m1 "e2m1" 4 Packed
    Ue8m0 "ue8m0" 8 Packed  Ue4m3 "ue4m3" 8 Packed
    E4m3x2 "e4m3x2" 16 Packed E5m2x2 "e5m2x2" 16 Packed
    E2m3x2 "e2m3x2" 16 Packed E3m2x2 "e3m2x2" 16 Packed
    E2m1x2 "e2m1x2" 8 Packed  Ue8m0x2 "ue8m0x2" 16 Packed Ue5m3x2 "ue5m3x2" 16 Packed S2f6x2 "s2f6x2" 16 Packed
    E4m3x4 "e4m3x4" 32 Packed E5m2x4 "e5m2x4" 32 Packed
    E2m3x4 "e2m3x4" 32 Packed E3m2x4 "e3m2x4" 32 Packed E2m1x4 "e2m1x4" 16 Packed
    E2m1p4x4 "e2m1p4x4" 32 Packed Ue8m0x4 "ue8m0x4" 32 Packed
}

impl Type {
    /// The type of the same kind that is twice as wide, for `mul.wide` and its like.
    pub fn doubled(self) -> Option<Type> {
        Some(match self {
            Type::B8 => Type::B16,
            Type::U8 => Type::U16,
            Type::S8 => Type::S16,
            Type::B16 => Type::B32,
            Type::U16 => Type::U32,
            Type::S16 => Type::S32,
            Type::B32 => Type::B64,
            Type::U32 => Type::U64,
            Type::S32 => Type::S64,
            Type::B64 => Type::B128,
            Type::F16 => Type::F32,
            Type::F32 => Type::F64,
            _ => return None,
        })
    }

    /// Whether it is a signed or unsigned integer.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Unsigned | Kind::Signed)
    }
}
