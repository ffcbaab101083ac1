//! State spaces, allocations and the checked way into them.
//!
//! Device memory is a range of the process's own addresses at a fixed place, and a device pointer is a host address,
//! so that host arrays can be used in place. [`GlobalMemory`] is the table of what the guest may touch; it answers
//! which live allocation holds an address ([`Region`]) and explains addresses that nothing holds ([`Explanation`]).
//! Shared and local memory are windows of small offsets ([`SharedMemory`], [`LocalMemory`], [`window`]).
//!
//! Looking up is safe; touching is not. Who calls [`access`] or [`atomic`] promises that the address has been
//! checked against a region of the table, and that a [`Lease`] has been held since, or that it lies in a window's
//! memory that cannot move meanwhile. In exchange a racing guest is never a data race in Rust: every touch is
//! an atomic operation.

pub mod access;
pub mod allocation;
mod arena;
pub mod atomic;
pub mod block;
pub mod budget;
pub mod chunk;
mod directory;
pub mod error;
pub mod explain;
pub mod export;
mod exporting;
pub mod global;
mod host_access;
mod host_pages;
pub mod lending;
pub mod local;
mod lookup;
mod placed;
mod quarantine;
mod range;
pub mod row;
mod runs;
pub mod shared;
mod slab;
mod slack;
mod table;
pub mod tensor;
mod unwritten;
pub mod view;
pub mod window;

pub use allocation::{Allocation, AllocationKind, Region};
pub use block::Block;
pub use budget::{Budget, Charge, OverBudget};
pub use error::{AccessError, AdoptError, FreeError, OutOfMemory, OutOfRange, StackOverflow};
pub use explain::{Explanation, Place};
pub use export::Export;
pub use global::{GlobalMemory, Statistics};
pub use lending::Lease;
pub use local::LocalMemory;
pub use range::is_of_some_device;
pub use shared::SharedMemory;
pub use tensor::TensorMemory;
pub use unwritten::Unwritten;
pub use view::View;
pub use window::{LOCAL_BASE, LOCAL_SIZE, SHARED_BASE, SHARED_SIZE, Window, window_of};
