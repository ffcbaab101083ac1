//! `libcuda.so.1`: the CUDA driver API, served by a CPU.
//!
//! A program that was written for an NVIDIA GPU loads this library instead of the driver. Each entry point is a small
//! function ([`entry`]) in the module of its subject. Handles are keys of a table ([`handles`]). Asynchronous work is an
//! operation ([`work`]) on a stream.

mod abi;
mod array;
mod context;
mod device;
mod driver;
mod end;
mod entry;
mod graph;
mod graphics;
mod handles;
mod interrupt;
mod launch;
mod logged;
mod logs;
mod memory;
mod module;
mod nvtx;
mod options;
mod proc_address;
mod report;
mod stream;
mod table;
mod texture;
mod work;
