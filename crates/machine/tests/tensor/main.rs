//! Tensor copies as pure functions, against the boxes that an H200 loaded and, where it has no such instruction,
//! against the manual's words.

mod golden;
mod loads;
mod memory;
mod newer;
mod stores;
