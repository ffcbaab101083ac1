//! Matrix multiply-accumulate as tensor cores do it; the manual leaves the rounding open.
//!
//! A dot product is not a chain of rounded additions. Several products and the accumulator are aligned to the largest
//! exponent among them, cut off below a fixed number of bits, added exactly, and rounded once. The number of products and
//! of bits depends on the architecture ([`Unit`]), the instruction ([`Family`]) and the formats ([`Element`]).
//! [`fused::dot`] is that arithmetic, readable beside its description; [`tile::multiply`] computes whole tiles with the same
//! bits as fast as the host allows.

pub mod amx;
mod by_format;
mod decode;
pub mod double;
mod element;
pub mod fragment;
pub mod fused;
pub mod integer;
mod operand;
mod packed;
pub mod quad_pair;
pub mod scaled;
mod scheme;
pub mod tile;

pub use element::{Accumulator, Element};
pub use operand::{Left, Right};
pub use packed::Packed;
pub use scheme::{Family, Order, Rounded, Scheme, Unit};
pub use tile::Precision;
