//! Boxes of tensors on their way between global and shared memory: [`ptxvm_tensor`] says which rows a copy moves, and
//! [`load`](load::load), [`store`](store::store) and [`reduce`](reduce::reduce) move them.

pub mod image;
pub mod load;
pub mod reduce;
pub mod store;
pub mod transfer;
