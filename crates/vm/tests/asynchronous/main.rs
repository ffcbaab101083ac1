//! The H200's recorded answers on clusters, mbarriers and copies (`tests/golden/async`), bit for bit, whenever the
//! operations complete.

#[path = "../common/mod.rs"]
mod common;
mod copies;
mod mbarrier;
mod recorded;
mod tensor;
