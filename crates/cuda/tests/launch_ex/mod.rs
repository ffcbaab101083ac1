//! `cuLaunchKernelEx` for tests: a launch with attributes.

#![allow(dead_code, reason = "every test takes what it needs")]

use std::ffi::c_void;

use crate::client::{Handle, answer};

/// `CUlaunchAttribute`
#[repr(C)]
pub struct Attribute {
    id: u32,
    value: Value,
}

#[repr(C, align(8))]
struct Value([u32; 16]);

impl Attribute {
    /// An attribute whose value begins with these words.
    pub fn new(id: u32, words: &[u32]) -> Self {
        let mut value = Value([0; 16]);
        value.0[..words.len()].copy_from_slice(words);
        Self { id, value }
    }
}

/// `CUlaunchConfig`
#[repr(C)]
pub struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: Handle,
    attributes: *const Attribute,
    count: u32,
}

impl Config {
    /// A launch in the legacy stream; the attributes must be there as long as it.
    pub fn new(grid: [u32; 3], block: [u32; 3], shared: u32, attributes: &[Attribute]) -> Self {
        Self {
            grid,
            block,
            shared,
            stream: 0,
            attributes: attributes.as_ptr(),
            count: attributes.len() as u32,
        }
    }
}

/// Launches CTAs of one warp with attributes; each parameter has eight bytes.
pub fn launch_ex(
    kernel: Handle,
    grid: [u32; 3],
    stream: Handle,
    attributes: &[Attribute],
    parameters: &[u64],
) -> u32 {
    launch_shaped(kernel, grid, [32, 1, 1], 0, stream, attributes, parameters)
}

/// Launches CTAs of any shape, with dynamic shared memory.
pub fn launch_shaped(
    kernel: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: Handle,
    attributes: &[Attribute],
    parameters: &[u64],
) -> u32 {
    let pointers: Vec<*const u64> = parameters.iter().map(std::ptr::from_ref).collect();
    let config = Config { stream, ..Config::new(grid, block, shared, attributes) };
    answer("cuLaunchKernelEx", (&raw const config, kernel, pointers.as_ptr(), std::ptr::null::<c_void>()))
}
