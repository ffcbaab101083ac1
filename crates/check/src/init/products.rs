//! Products whose results stay in registers: which registers no other instruction writes, and which products have been issued.

use ptxvm_ir::operation::Operation;
use ptxvm_ir::operation::matrix::{Matrix, Wgmma};
use ptxvm_ir::{Function, FunctionId, Home, OperandKind, Program, RegisterId};
use ptxvm_machine::code::Source;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of products whose results stay in registers.
#[derive(Debug, Default)]
pub struct Products {
    /// By product: its first register, if nothing but products writes it.
    pub alone: FxHashMap<Source, RegisterId>,
    /// By warp: the products that it has issued.
    pub issued: FxHashMap<(u64, u32, u32), Vec<Source>>,
}

fn is_product(operation: Option<&Operation>) -> bool {
    matches!(operation, Some(Operation::Matrix(Matrix::Wgmma(Wgmma::Product(_)))))
}

/// Whether a function is called with a register.
fn is_parameter(function: &Function, register: RegisterId) -> bool {
    function.parameters.iter().any(|one| one.home == Some(Home::Register(register)))
}

impl Products {
    /// Those of a program.
    pub fn of(program: &Program) -> Self {
        let mut alone = FxHashMap::default();
        for (number, function) in (0..).map(FunctionId).zip(&program.functions) {
            let products = || {
                let all = (0u32..).zip(&function.instructions);
                all.filter(|(_, instruction)| is_product(program.operation(instruction)))
            };
            if products().next().is_none() {
                continue;
            }
            let others = function.instructions.iter().filter(|one| !is_product(program.operation(one)));
            let written: FxHashSet<RegisterId> = others
                .flat_map(|instruction| function.writes(instruction))
                .map(|written| written.register)
                .collect();
            for (at, product) in products() {
                let first = function.operands_of(product).iter().find(|operand| operand.written);
                if let Some(OperandKind::Register { register, .. }) = first.map(|operand| operand.kind)
                    && !written.contains(&register)
                    && !is_parameter(function, register)
                {
                    alone.insert(Source { function: number, instruction: at }, register);
                }
            }
        }
        Self { alone, issued: FxHashMap::default() }
    }

    /// A cluster has ended.
    pub fn end_cluster(&mut self, cluster: u64) {
        self.issued.retain(|(of, ..), _| *of != cluster);
    }
}
