//! The operands of an instruction in the order that an operation numbers them in: destinations first, then sources.

use ptxvm_ir::operation::SpecialRegister;
use ptxvm_ir::{Function, Instruction, Operand, OperandKind};

use super::header::ThreadPlace;

pub fn of(function: &Function, instruction: &Instruction) -> Vec<Operand> {
    let operands = function.operands_of(instruction);
    let written = operands.iter().filter(|operand| operand.written);
    written.chain(operands.iter().filter(|operand| !operand.written)).copied().collect()
}

/// The registers that an instruction writes.
pub fn written(function: &Function, instruction: &Instruction) -> Vec<usize> {
    let operands = function.operands_of(instruction).iter().filter(|operand| operand.written);
    operands
        .filter_map(|operand| match operand.kind {
            OperandKind::Register { register, .. } => Some(register.0 as usize),
            _ => None,
        })
        .collect()
}

/// The value of a special register that a thread's place decides; blocks and grids have one dimension.
pub fn special(place: &ThreadPlace, sreg: u16, member: u8) -> Option<i64> {
    let launch = place.launch;
    let (first, others) = match SpecialRegister::of(sreg) {
        SpecialRegister::Tid => (place.tid, 0),
        SpecialRegister::Ntid => (launch.block, 1),
        SpecialRegister::Ctaid => (place.cta, 0),
        SpecialRegister::Nctaid => (launch.grid, 1),
        SpecialRegister::Laneid => (place.tid % 32, 0),
        SpecialRegister::ClusterCtaid => (place.cta % launch.cluster, 0),
        SpecialRegister::ClusterCtarank => (place.cta % launch.cluster, 0),
        SpecialRegister::ClusterNctaid => (launch.cluster, 1),
        SpecialRegister::ClusterNctarank => (launch.cluster, 1),
        SpecialRegister::Clusterid => (place.cta / launch.cluster, 0),
        SpecialRegister::Nclusterid => (launch.grid / launch.cluster, 1),
        _ => return None,
    };
    Some(i64::from(if member == 0 { first } else { others }))
}
