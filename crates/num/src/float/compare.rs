//! Comparisons, for `set` and `setp` of 9.7.6 and 9.7.7, and the classes of `testp`.

use super::half;

/// `.CmpOp`: the relation that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `.eq`
    Eq,
    /// `.ne`: of numbers only; with NaN it is false.
    Ne,
    /// `.lt`, and `.lo` of unsigned integers
    Lt,
    /// `.le`, and `.ls` of unsigned integers
    Le,
    /// `.gt`, and `.hi` of unsigned integers
    Gt,
    /// `.ge`, and `.hs` of unsigned integers
    Ge,
    /// `.equ`: as `.eq`, but with NaN it is true; so with the five that follow.
    Equ,
    /// `.neu`
    Neu,
    /// `.ltu`
    Ltu,
    /// `.leu`
    Leu,
    /// `.gtu`
    Gtu,
    /// `.geu`
    Geu,
    /// `.num`: neither is NaN.
    Num,
    /// `.nan`: one is NaN.
    Nan,
}

impl Comparison {
    /// The comparison of a modifier without its dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "eq" => Self::Eq,
            "ne" => Self::Ne,
            "lt" | "lo" => Self::Lt,
            "le" | "ls" => Self::Le,
            "gt" | "hi" => Self::Gt,
            "ge" | "hs" => Self::Ge,
            "equ" => Self::Equ,
            "neu" => Self::Neu,
            "ltu" => Self::Ltu,
            "leu" => Self::Leu,
            "gtu" => Self::Gtu,
            "geu" => Self::Geu,
            "num" => Self::Num,
            "nan" => Self::Nan,
            _ => return None,
        })
    }

    /// Whether the relation holds. Values that are neither below, above nor equal to each other are unordered: one
    /// of them is NaN.
    #[inline(always)]
    #[must_use]
    #[expect(
        clippy::neg_cmp_op_on_partial_ord,
        reason = "that NaN makes a negated comparison true is the point"
    )]
    pub fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => (a < b) | (a > b),
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
            Self::Equ => !((a < b) | (a > b)),
            Self::Neu => !(a == b),
            Self::Ltu => !(a >= b),
            Self::Leu => !(a > b),
            Self::Gtu => !(a <= b),
            Self::Geu => !(a < b),
            Self::Num => (a <= b) | (a > b),
            Self::Nan => !((a <= b) | (a > b)),
        }
    }
}

/// A comparison of `.f32`
#[inline(always)]
#[must_use]
pub fn f32(relation: Comparison, a: u32, b: u32, ftz: bool) -> bool {
    relation.holds(f32::from_bits(super::f32::flush(a, ftz)), f32::from_bits(super::f32::flush(b, ftz)))
}

/// A comparison of `.f64`
#[inline(always)]
#[must_use]
pub fn f64(relation: Comparison, a: u64, b: u64) -> bool {
    relation.holds(f64::from_bits(a), f64::from_bits(b))
}

/// A comparison of `.f16`
#[inline(always)]
#[must_use]
pub fn f16(relation: Comparison, a: u16, b: u16, ftz: bool) -> bool {
    relation.holds(half::f16::to_f32(half::f16::flush(a, ftz)), half::f16::to_f32(half::f16::flush(b, ftz)))
}

/// A comparison of `.bf16`
#[inline(always)]
#[must_use]
pub fn bf16(relation: Comparison, a: u16, b: u16) -> bool {
    relation.holds(half::bf16::to_f32(a), half::bf16::to_f32(b))
}

/// `.BoolOp`: how a comparison is joined with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Junction {
    /// `.and`
    And,
    /// `.or`
    Or,
    /// `.xor`
    Xor,
}

impl Junction {
    /// The junction of a modifier without its dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "and" => Self::And,
            "or" => Self::Or,
            "xor" => Self::Xor,
            _ => return None,
        })
    }

    /// The comparison's answer joined with the predicate.
    #[inline(always)]
    #[must_use]
    pub fn join(self, answer: bool, predicate: bool) -> bool {
        match self {
            Self::And => answer & predicate,
            Self::Or => answer | predicate,
            Self::Xor => answer ^ predicate,
        }
    }
}

/// What `testp` asks of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `.finite`: neither infinite nor NaN
    Finite,
    /// `.infinite`
    Infinite,
    /// `.number`: not NaN
    Number,
    /// `.notanumber`
    NotANumber,
    /// `.normal`: finite and not subnormal; zero counts as normal.
    Normal,
    /// `.subnormal`
    Subnormal,
}

impl Class {
    /// The class of a modifier without its dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "finite" => Self::Finite,
            "infinite" => Self::Infinite,
            "number" => Self::Number,
            "notanumber" => Self::NotANumber,
            "normal" => Self::Normal,
            "subnormal" => Self::Subnormal,
            _ => return None,
        })
    }

    /// `testp.f32`
    #[must_use]
    pub fn has_f32(self, a: u32) -> bool {
        self.has(f32::from_bits(a).classify())
    }

    /// `testp.f64`
    #[must_use]
    pub fn has_f64(self, a: u64) -> bool {
        self.has(f64::from_bits(a).classify())
    }

    fn has(self, category: std::num::FpCategory) -> bool {
        use std::num::FpCategory as Is;
        match self {
            Self::Finite => !matches!(category, Is::Nan | Is::Infinite),
            Self::Infinite => category == Is::Infinite,
            Self::Number => category != Is::Nan,
            Self::NotANumber => category == Is::Nan,
            Self::Normal => matches!(category, Is::Normal | Is::Zero),
            Self::Subnormal => category == Is::Subnormal,
        }
    }
}
