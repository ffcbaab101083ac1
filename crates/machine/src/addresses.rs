//! The addresses of what a program refers to: variables, which the loader places, and functions.

use ptxvm_ir::FunctionId;

/// Where the loader put what a program refers to.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    /// By variable: the address of global and constant variables; 0 for the others.
    pub variables: Vec<u64>,
}

/// The address of a function, as `mov.u64 %rd, f` and initialisers give it.
///
/// Code has no bytes here: these are small numbers above the null page that no allocation has.
#[must_use]
pub fn function_address(function: FunctionId) -> u64 {
    0x1_0000 + 16 * u64::from(function.0)
}
