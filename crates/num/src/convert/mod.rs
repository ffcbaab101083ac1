//! Conversions between all the number formats of PTX (manual 9.7.9.21 `cvt` and 9.7.9.22 `cvt.pack`).
//!
//! Everything goes through one exact core: a bit pattern is decoded to a number (`format`), and the number is
//! rounded once into the target format (`round`). The other files add what each pair of types needs: clamping, NaN,
//! flushing, packing. `quick` has branch-free versions of the most frequent conversions; its tests compare it with the
//! core.

mod fixed;
mod float;
mod float_to_int;
pub(crate) mod format;
mod int_to_float;
mod integer;
mod narrow;
mod pack;
pub mod quick;
mod round;
mod scale;
mod small;
mod stochastic;
mod tf32;

pub use fixed::{bf16x2_from_s2f6x2, s2f6x2_from_bf16x2, s2f6x2_from_f32};
pub use float::{Modifiers, bf16_to_f32, float_to_float, float_to_integral};
pub use float_to_int::float_to_integer;
pub use format::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, Format};
pub use int_to_float::integer_to_float;
pub use integer::{Integer, S8, S16, S32, S64, U8, U16, U32, U64, integer_to_integer};
pub use narrow::{bf16x2_from_pair, narrow_pair, pair_from_f32, widen_pair};
pub use pack::{pack_integers, pack_integers_over};
pub use scale::{bf16x2_from_ue8m0x2, ue8m0_from, ue8m0x2_from_bf16x2, ue8m0x2_from_f32};
pub use small::{Quad, SmallFunction, small_quad};
pub use stochastic::{stochastic_pair, stochastic_quad};
pub use tf32::{tf32_from_f32, tf32_rna_from_f32};
