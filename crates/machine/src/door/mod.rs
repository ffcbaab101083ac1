//! The door to memory: what a guest's instruction names becomes bytes of the host here, after a check, or a finding.
//!
//! There is no other way. Pointers to guest memory are made in this folder alone, as [`Pointers`](pointer::Pointers) of
//! lanes or as a [`Checked`](pointer::Checked) range; what has been made elsewhere cannot be handed to
//! `ptxvm_memory::access`. What an asynchronous operation will touch it says itself
//! ([`Transfer::footprint`](crate::asynchronous::queue::Transfer::footprint)). Who wants to be told of every touch is an
//! [`Observer`].

pub mod address;
pub(crate) mod apart;
pub mod executed;
mod followed;
pub mod follower;
pub mod fragments;
pub(crate) mod frame;
mod late;
pub(crate) mod lend;
pub(crate) mod matrix;
pub mod observer;
pub(crate) mod on_silicon;
pub mod opaque;
mod parameter;
pub mod peer;
pub mod pointer;
mod proof;
mod shared;
pub(crate) mod shared_address;
pub(crate) mod tell;
pub mod tensor_box;
pub(crate) mod tensor_memory;
pub mod touch;
pub mod values;
pub mod watch;

pub use follower::Follower;
pub use observer::Observer;
pub use touch::{Proxy, Space, Touch, Wants, When};
