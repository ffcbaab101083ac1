//! Exchange between the lanes of a warp: `shfl`, `bar.warp.sync`, `vote`, `match`, `activemask`, `redux`, `elect` (the
//! manual's 9.7.9.5, 9.7.9.6, 9.7.13.2 and 9.7.13.8 to 9.7.13.14).

use ptxvm_isa::Type;
use ptxvm_num::float::minmax::{Extreme, Modifiers};

use super::access::Combination;
use super::form::Form;

/// An operation that looks at other lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warp {
    /// What is done.
    pub function: WarpFunction,
    /// Whether the last source names the lanes that take part; without, those that execute it.
    pub named: bool,
}

/// What lanes do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpFunction {
    /// `shfl`
    Shfl {
        /// How the lane to read from is found.
        mode: ShflMode,
        /// Whether there is a predicate: was it in range?
        predicate: bool,
    },
    /// `vote`
    Vote(Vote),
    /// `match.any`: the lanes with the same value, of 64 bits or of 32.
    MatchAny {
        /// 64 bits.
        wide: bool,
    },
    /// `match.all`: all lanes if all have the same value.
    MatchAll {
        /// 64 bits.
        wide: bool,
        /// Whether there is a predicate: have they?
        predicate: bool,
    },
    /// `redux` of integers: signed or not.
    Redux {
        /// How two values are combined.
        combination: Combination,
        /// Whether they are signed.
        signed: bool,
    },
    /// `redux` of floating point.
    ReduxFloat {
        /// The smaller or the larger.
        which: Extreme,
        /// `.abs`, `.NaN`
        modifiers: Modifiers,
    },
    /// `activemask`
    Activemask,
    /// `elect`
    Elect,
    /// `bar.warp.sync`
    Sync,
}

/// How `shfl` finds the lane to read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShflMode {
    /// So many lanes below.
    Up,
    /// So many lanes above.
    Down,
    /// The lane whose number differs in these bits.
    Bfly,
    /// The lane of this number in the segment.
    Idx,
}

impl ShflMode {
    /// The lane that `lane` reads from, if it is in range, and whether it is. `b` says which, `c` splits the warp and
    /// bounds the choice.
    #[inline(always)]
    #[must_use]
    pub const fn source(self, lane: u32, b: u32, c: u32) -> (u32, bool) {
        let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
        let most = lane & segment | clamp & !segment;
        let least = lane & segment;
        let source = match self {
            // Below lane 0 the difference wraps; as a signed number it is below every bound.
            Self::Up => lane.wrapping_sub(b),
            Self::Down => lane + b,
            Self::Bfly => lane ^ b,
            Self::Idx => least | b & !segment,
        };
        let inside = match self {
            Self::Up => source as i32 >= most as i32,
            _ => source <= most,
        };
        (if inside { source & 31 } else { lane }, inside)
    }
}

/// What `vote` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum Vote {
    All,
    Any,
    Uni,
    Ballot,
}

impl Warp {
    /// What it is called in reports.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self.function {
            WarpFunction::Shfl { .. } => "shfl",
            WarpFunction::Vote(_) => "vote",
            WarpFunction::MatchAny { .. } | WarpFunction::MatchAll { .. } => "match",
            WarpFunction::Redux { .. } | WarpFunction::ReduxFloat { .. } => "redux",
            WarpFunction::Activemask => "activemask",
            WarpFunction::Elect => "elect",
            WarpFunction::Sync => "bar.warp.sync",
        }
    }
}

pub(super) fn decode(form: &Form<'_>) -> Option<Warp> {
    let predicate = form.destinations() == 2;
    let function = match form.opcode() {
        "shfl" => {
            let mode = match form.slot("mode")? {
                "up" => ShflMode::Up,
                "down" => ShflMode::Down,
                "bfly" => ShflMode::Bfly,
                "idx" => ShflMode::Idx,
                _ => return None,
            };
            WarpFunction::Shfl { mode, predicate }
        }
        "vote" => WarpFunction::Vote(match form.slot("mode") {
            _ if form.says("ballot") => Vote::Ballot,
            Some("all") => Vote::All,
            Some("any") => Vote::Any,
            Some("uni") => Vote::Uni,
            _ => return None,
        }),
        "match" => {
            let wide = form.main_type()? == Type::B64;
            match form.says("any") {
                true => WarpFunction::MatchAny { wide },
                false => WarpFunction::MatchAll { wide, predicate },
            }
        }
        "redux" => redux(form)?,
        "activemask" => WarpFunction::Activemask,
        "elect" => WarpFunction::Elect,
        "bar" => WarpFunction::Sync,
        _ => return None,
    };
    Some(Warp { function, named: form.says("sync") })
}

fn redux(form: &Form<'_>) -> Option<WarpFunction> {
    let combination = Combination::from_name(form.slot("op")?)?;
    let which = if combination == Combination::Min { Extreme::Min } else { Extreme::Max };
    Some(match form.main_type()? {
        Type::F32 => {
            let modifiers = Modifiers { abs: form.has("abs"), nan: form.has("NaN"), ..Modifiers::default() };
            WarpFunction::ReduxFloat { which, modifiers }
        }
        ty => WarpFunction::Redux { combination, signed: ty == Type::S32 },
    })
}
