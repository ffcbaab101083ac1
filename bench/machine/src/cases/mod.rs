//! The cases, by subject as the kernels are. C takes about 1 to 50 ms for each on one thread.

mod arithmetic;
mod block;
mod image;
mod rows;
mod search;
mod six;

use crate::case::Case;

/// Every case, in the order of the table.
pub fn all() -> Vec<Case> {
    [six::cases(), image::cases(), block::cases(), rows::cases(), search::cases(), arithmetic::cases()]
        .into_iter()
        .flatten()
        .collect()
}
