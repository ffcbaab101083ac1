//! Which checks have something to look for in a kernel. Who asks for a check that has nothing to look for pays nothing:
//! the kernel runs as without it, compiled if it can be.
//!
//! Races and uninitialised values are looked for in every kernel: what one of them writes, the next may read.

use ptxvm_ir::operation::compute::{Bits, Compute, IntegerFunction, Movement};
use ptxvm_ir::operation::generic::Window;
use ptxvm_ir::operation::matrix::{Matrix, Wgmma};
use ptxvm_ir::operation::warp::WarpFunction;
use ptxvm_ir::operation::{Access, Control, Generic, Operation};
use ptxvm_machine::{Check, Checks, Kernel};

/// Those of some checks that may find something in a kernel.
#[must_use]
pub fn needed(kernel: &Kernel, asked: Checks) -> Checks {
    let has_nothing = |check: Check| match check {
        Check::Race | Check::Strict | Check::Init => false,
        Check::Bounds => {
            kernel.program().variables.is_empty()
                && reached(kernel).all(|function| function.frame_bytes == 0)
                && operations(kernel).all(|operation| operation.is_some_and(has_no_window))
        }
        Check::Sync => operations(kernel).all(|operation| operation.is_some_and(is_alone)),
        // The functions of the heap are declared in the module, and the device provides them.
        Check::Leak => {
            let is_of_heap = |name: &str| name == "malloc" || name == "free";
            !kernel.program().functions.iter().any(|function| is_of_heap(&function.name))
        }
        Check::Async => operations(kernel).all(|operation| operation.is_some_and(is_at_once)),
    };
    let found = Check::ALL.into_iter().filter(|check| asked.has(*check) && !has_nothing(*check));
    found.fold(Checks::NONE, Checks::with)
}

/// Whether an instruction of the kernel may leave a value undefined that somebody uses: it reads of other lanes, or converts
/// addresses between the windows of several spaces.
#[must_use]
pub fn may_leave_values_undefined(kernel: &Kernel) -> bool {
    let is_elsewhere = |window: &Window| *window != Window::Global;
    operations(kernel).any(|operation| match operation {
        Some(Operation::Warp(warp)) => matches!(warp.function, WarpFunction::Shfl { .. }),
        Some(Operation::Generic(Generic::From(window) | Generic::To(window))) => is_elsewhere(window),
        _ => false,
    })
}

/// The functions that the kernel may call, and itself.
fn reached(kernel: &Kernel) -> impl Iterator<Item = &ptxvm_ir::Function> {
    let linked = kernel.program().functions.iter().zip(&kernel.code().functions);
    linked.filter(|(_, code)| code.is_some()).map(|(function, _)| function)
}

/// What their instructions mean.
fn operations(kernel: &Kernel) -> impl Iterator<Item = Option<&Operation>> {
    let program = kernel.program();
    reached(kernel).flat_map(|function| &function.instructions).map(|one| program.operation(one))
}

/// Whether an operation works with addresses of global memory alone, if there are no variables.
fn has_no_window(operation: &Operation) -> bool {
    match operation {
        Operation::Generic(Generic::From(window) | Generic::To(window)) => *window == Window::Global,
        Operation::Generic(_) | Operation::Special(_) => false,
        _ => true,
    }
}

/// Whether a thread executes an operation without others, and the manual says what comes of it.
fn is_alone(operation: &Operation) -> bool {
    match operation {
        Operation::Compute(Compute::Integer(integer)) => {
            !matches!(integer.function, IntegerFunction::Div | IntegerFunction::Rem)
        }
        // A vector may name a register twice.
        Operation::Compute(Compute::Bits(Bits::Fns) | Compute::Movement(Movement::Unpack { .. })) => false,
        Operation::Access(Access::Load(words)) => words.count == 1,
        Operation::Access(Access::Atomic(atomic)) => atomic.count == 1,
        Operation::Compute(_)
        | Operation::Access(_)
        | Operation::Fence(_)
        | Operation::Hint(_)
        | Operation::Texture(_)
        | Operation::Surface(_)
        | Operation::Generic(Generic::From(_) | Generic::To(_) | Generic::IsSpace(_)) => true,
        Operation::Control(control) => !matches!(control, Control::Barrier(_)),
        _ => false,
    }
}

/// Whether an operation is done when the next one is executed, and has nothing to do with an mbarrier object.
fn is_at_once(operation: &Operation) -> bool {
    match operation {
        Operation::Copy(_) | Operation::Mbarrier(_) | Operation::Tcgen05(_) => false,
        Operation::Matrix(matrix) => !matches!(matrix, Matrix::Wgmma(Wgmma::Product(_))),
        _ => true,
    }
}
