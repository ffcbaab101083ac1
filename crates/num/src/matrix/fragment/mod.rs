//! Products of matrices as the lanes of a warp hold them, in blocks of 8 rows and 8 columns.
//!
//! Lane `4g + t` has of a block of D the elements in row `g` and the columns `2t` and `2t + 1`, in two registers. A vector
//! of such lanes is multiplied as it is: A's factors are put into whole quads beforehand ([`FragmentA`]), four of B's at a
//! time are loaded into every quad ([`FragmentB`]). So accumulators need not be turned into rows and back, and a block has
//! as many products for a vector as there are lanes. The products of a step may come in any order, since they are added
//! exactly; here those come together that have the same place in their words.

mod a;
mod b;
mod elements;
mod exact;
mod fast;
mod integer;
mod interleaved;
mod multiply;
mod shape;
mod sparse;
mod stored_b;

pub use a::FragmentA;
pub use b::{FragmentB, ORDER_OF_ROWS};
pub use integer::IntegerFragments;
pub use interleaved::{InterleavedFragments, is_interleaved};
pub use multiply::{multiply, suits};
pub use shape::{BLOCK, Block, LANES};
pub use sparse::{dense_scheme, spread};
pub use stored_b::StoredB;
