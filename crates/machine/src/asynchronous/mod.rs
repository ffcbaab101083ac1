//! What goes on beside the threads: copies and tensor core operations under way, and the mbarrier objects that they
//! and the threads arrive at.

pub mod issuer;
pub mod mbarrier;
pub mod named;
pub mod queue;
pub mod tensor;
pub mod trouble;
