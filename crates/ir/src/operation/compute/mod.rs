//! Functions of registers alone: arithmetic, logic, comparisons, moves.

mod approximate;
mod bits;
mod comparison;
mod convert;
mod extended;
mod float;
mod integer;
mod logic;
mod mixed;
mod movement;
mod small;
mod video;

pub use approximate::{Approximate, ApproximateFunction};
pub use bits::{Bits, Overflow};
pub use comparison::{Comparing, Set, Setp};
pub use convert::{Convert, ConvertPack};
pub use extended::{Extended, ExtendedFunction};
pub use float::{Float, FloatFunction};
pub use integer::{Integer, IntegerFunction, IntegerType, Limit};
pub use logic::{Logic, LogicFunction};
pub use mixed::{Mixed, MixedFunction};
pub use movement::Movement;
pub use small::Small;
pub use video::Video;

use super::form::Form;

/// A function of registers alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compute {
    /// Integer arithmetic.
    Integer(Integer),
    /// Bits, fields of bits, dot products of bytes.
    Bits(Bits),
    /// Integer arithmetic over several words, with the carry flag.
    Extended(Extended),
    /// Floating point, exactly rounded, of every width.
    Float(Float),
    /// Floating point as the special function unit has it.
    Approximate(Approximate),
    /// Single precision with a source in half precision.
    Mixed(Mixed),
    /// Sums and products of four small numbers at once.
    Small(Small),
    /// Comparing and choosing.
    Comparing(Comparing),
    /// Logic and shifts.
    Logic(Logic),
    /// Moves, packing and unpacking, permutes of bytes.
    Movement(Movement),
    /// `cvt`
    Convert(Convert),
    /// `cvt.pack`
    ConvertPack(ConvertPack),
    /// Video instructions.
    Video(Video),
}

/// What an instruction of the manual's section 9.7.`chapter`.`part` computes.
pub(super) fn decode(form: &Form<'_>, chapter: u32, part: u32) -> Option<Compute> {
    Some(match (chapter, part) {
        (1, 1..=13) => integers(form)?,
        (1, _) => Compute::Bits(bits::decode(form)?),
        (2, _) => Compute::Extended(extended::decode(form)?),
        (3 | 4, _) => match approximate::decode(form) {
            Some(approximate) => Compute::Approximate(approximate),
            None => Compute::Float(float::decode(form)?),
        },
        (5, _) => Compute::Mixed(mixed::decode(form)?),
        (6 | 7, _) => Compute::Comparing(comparison::decode(form)?),
        (8, _) => Compute::Logic(logic::decode(form)?),
        (9, 3 | 4 | 7) => Compute::Movement(movement::decode(form)?),
        (9, 21) => Compute::Convert(convert::decode(form)?),
        (9, 22) => Compute::ConvertPack(convert::decode_pack(form)?),
        (18, _) => Compute::Video(video::decode(form)?),
        _ => return None,
    })
}

/// Integer arithmetic of one word.
pub(super) fn integers(form: &Form<'_>) -> Option<Compute> {
    integer::decode(form).map(Compute::Integer)
}
