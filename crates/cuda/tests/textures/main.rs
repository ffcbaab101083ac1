//! Arrays, copies of them, textures, surfaces and references as clients use them, beside what an H200's driver said.

#[path = "../client/mod.rs"]
mod client;

mod different;
mod hostile;
mod kernels;
mod machine;
mod replay;
