//! Functions: the kernels of modules, with what programs set on them.

use std::sync::Weak;
use std::sync::atomic::AtomicI32;

use super::CUmodule;
use crate::context::Context;
use crate::handles::{Handle, Object};

/// A handle of a function.
pub type CUfunction = Handle<Function>;

/// A kernel of a module.
pub struct Function {
    /// Its own handle.
    pub handle: CUfunction,
    /// The module that it belongs to.
    pub module: CUmodule,
    /// The context that the module was loaded in.
    pub context: Weak<Context>,
    /// What the machine has of it.
    pub kernel: ptxvm_vm::Kernel,
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
    pub dynamic_shared: AtomicI32,
}

impl Object for Function {}

/// The dynamic shared memory that a function may have unless the program allows more.
const DEFAULT_SHARED: i32 = 48 << 10;

impl Function {
    /// A function with nothing set.
    pub fn new(
        handle: CUfunction,
        module: CUmodule,
        context: Weak<Context>,
        kernel: ptxvm_vm::Kernel,
    ) -> Self {
        let fixed = i32::try_from(kernel.shared_bytes()).unwrap_or(i32::MAX);
        let dynamic_shared = AtomicI32::new((DEFAULT_SHARED - fixed).max(0));
        Self { handle, module, context, kernel, dynamic_shared }
    }
}
