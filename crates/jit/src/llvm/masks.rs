//! Keeps code generation from an instruction that it gets wrong.
//!
//! LLVM 22.1 makes a `vpternlogd` of `(a & M) | (b & ~M)` where `M` is a constant. If only some lanes take the result,
//! and one of the operands lies in memory, it makes one masked instruction with an operand in memory of that, and mixes
//! two of its operands up (tests/run/control/merge_after_a_barrier.ptx and merge_by_a_constant.ptx show it). Where the
//! constant comes out of memory, by a load that LLVM must leave alone, other code is made, which is right. This is done
//! after the passes, because they are what makes this form of many others.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::functions::{Builder, Context, Functions, Module, Value};

/// `LLVMAnd` and `LLVMOr` of `LLVMOpcode`.
const AND: c_int = 23;
const OR: c_int = 24;
/// `LLVMVectorTypeKind`
const VECTOR: c_int = 13;
/// `LLVMPrivateLinkage`
const PRIVATE: c_int = 9;

/// Has one constant of each `(a & M) | (b & N)` of vectors come out of memory.
///
/// # Safety
/// The module is one of this context, and both are of the library that the functions belong to.
pub unsafe fn hide(functions: &Functions, context: Context, module: Module) {
    // SAFETY: the caller's promise; what is walked is the module's own, and only operands are changed on the way.
    unsafe {
        let builder = (functions.LLVMCreateBuilderInContext)(context);
        let mut function = (functions.LLVMGetFirstFunction)(module);
        while !function.is_null() {
            let mut block = (functions.LLVMGetFirstBasicBlock)(function);
            while !block.is_null() {
                let mut instruction = (functions.LLVMGetFirstInstruction)(block);
                while !instruction.is_null() {
                    of_instruction(functions, module, builder, instruction);
                    instruction = (functions.LLVMGetNextInstruction)(instruction);
                }
                block = (functions.LLVMGetNextBasicBlock)(block);
            }
            function = (functions.LLVMGetNextFunction)(function);
        }
        (functions.LLVMDisposeBuilder)(builder);
    }
}

/// Does it for one instruction, if it is such an `or`.
///
/// # Safety
/// The instruction is one of the module, and the builder one of its context.
unsafe fn of_instruction(functions: &Functions, module: Module, builder: Builder, instruction: Value) {
    // SAFETY: the caller's promise. An `or` and an `and` have two operands. The global is of the constant's type, and so
    // is what is loaded from it, right before its only use.
    unsafe {
        let ty = (functions.LLVMTypeOf)(instruction);
        if (functions.LLVMGetInstructionOpcode)(instruction) != OR
            || (functions.LLVMGetTypeKind)(ty) != VECTOR
        {
            return;
        }
        let sides = [0, 1].map(|side| masked(functions, (functions.LLVMGetOperand)(instruction, side)));
        let [Some((and, place, mask)), Some(_)] = sides else { return };
        let global = (functions.LLVMAddGlobal)(module, ty, c"mask".as_ptr());
        (functions.LLVMSetInitializer)(global, mask);
        (functions.LLVMSetGlobalConstant)(global, 1);
        (functions.LLVMSetLinkage)(global, PRIVATE);
        (functions.LLVMPositionBuilderBefore)(builder, and);
        let loaded = (functions.LLVMBuildLoad2)(builder, ty, global, c"".as_ptr());
        (functions.LLVMSetVolatile)(loaded, 1);
        (functions.LLVMSetOperand)(and, place, loaded);
    }
}

/// If a value is an `and` with a constant: the instruction, and where in it the constant stands.
///
/// # Safety
/// The value is an operand of an instruction.
unsafe fn masked(functions: &Functions, value: Value) -> Option<(Value, u32, Value)> {
    // SAFETY: the caller's promise; an `and` has two operands.
    unsafe {
        if (functions.LLVMIsAInstruction)(value).is_null()
            || (functions.LLVMGetInstructionOpcode)(value) != AND
        {
            return None;
        }
        [1, 0]
            .map(|place| (value, place, (functions.LLVMGetOperand)(value, place)))
            .into_iter()
            .find(|(.., operand)| (functions.LLVMIsConstant)(*operand) != 0)
    }
}
