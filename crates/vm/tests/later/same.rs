//! Whether a kernel is the same in two programs that number its functions and variables differently.

use std::fmt::Write;

use ptxvm_ir::{
    Argument, Base, Callee, Function, FunctionId, Home, Operand, OperandKind, Parameter, Program, VariableId,
};
use ptxvm_vm::Kernel;

/// All that is known of a kernel and of what it can reach, with names in the place of numbers.
pub fn described(kernel: &Kernel) -> String {
    let program = kernel.program();
    let mut out = format!(
        "{} {:?} {:?} {:?} {:?} {:?} {:?} {:?}\n",
        kernel.name(),
        (kernel.shared_bytes(), kernel.local_bytes(), kernel.constant_bytes(), kernel.parameter_bytes()),
        kernel.register_estimate(),
        kernel.parameter_block_layout(),
        kernel.address_words(),
        kernel.unsupported(),
        kernel.limits(),
        (kernel.target(), kernel.ptx_version(), program.address_size, &program.files),
    );
    let entry = program.functions.iter().position(|f| f.name == kernel.name() && f.entry);
    for id in reached(program, entry.expect("the kernel is in its program")) {
        function(&mut out, program, &program.functions[id]);
    }
    out
}

/// The functions that one can reach, in the order of their numbers.
pub fn reached(program: &Program, entry: usize) -> Vec<usize> {
    let mut found = vec![false; program.functions.len()];
    let mut work = vec![entry];
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut found[id], true) {
            continue;
        }
        let function = &program.functions[id];
        work.extend(function.calls.iter().filter_map(|call| match call.callee {
            Callee::Direct(callee) => Some(callee.0 as usize),
            Callee::Indirect(_) => None,
        }));
        work.extend(function.operands.iter().filter_map(|operand| match operand.kind {
            OperandKind::Function(function) => Some(function.0 as usize),
            _ => None,
        }));
    }
    (0..found.len()).filter(|id| found[*id]).collect()
}

fn function(out: &mut String, program: &Program, f: &Function) {
    let alias = f.alias.map(|id| name(program, id));
    let _ = writeln!(
        out,
        "{} {:?} {:?} {alias:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        f.name,
        (f.entry, f.linkage, f.defined),
        f.span,
        f.registers,
        f.register_names,
        (f.parameter_bytes, f.frame_bytes, f.frame_align),
        f.blocks,
        f.branch_lists,
        f.limits,
        f.parameters.iter().map(|p| parameter(program, p)).collect::<Vec<_>>(),
        f.returns.iter().map(|p| parameter(program, p)).collect::<Vec<_>>(),
    );
    for instruction in &f.instructions {
        let locations = program.inlined(instruction.location).map(|at| {
            let function = at.function.map(|number| &program.inlined_functions[number as usize]);
            (at.file, at.line, at.column, function)
        });
        let operands = f.operands_of(instruction).iter().map(|operand| self::operand(program, operand));
        let _ = writeln!(
            out,
            "  {} {:?} {:?} {:?} {:?} {:?}",
            program.forms[instruction.form.0 as usize],
            program.operation(instruction),
            instruction.guard,
            instruction.span,
            locations.collect::<Vec<_>>(),
            operands.collect::<Vec<_>>(),
        );
    }
    for call in &f.calls {
        let callee = match call.callee {
            Callee::Direct(id) => name(program, id).to_owned(),
            Callee::Indirect(register) => format!("{register:?}"),
        };
        let arguments = call.returns.iter().chain(&call.arguments).map(|argument| match argument {
            Argument::Param(id) => variable(program, *id),
            other => format!("{other:?}"),
        });
        let _ = writeln!(out, "  call {callee} {:?} {:?}", arguments.collect::<Vec<_>>(), call.prototype);
    }
}

fn operand(program: &Program, operand: &Operand) -> String {
    let kind = match operand.kind {
        OperandKind::Address { base: Base::Variable(id), offset } => {
            format!("[{} + {offset}]", variable(program, id))
        }
        OperandKind::Variable { variable: id, offset } => format!("{} + {offset}", variable(program, id)),
        OperandKind::Function(id) => format!("{} {id:?}", name(program, id)),
        other => format!("{other:?}"),
    };
    format!("{:?} {kind}", (operand.place, operand.part, operand.written, operand.ty))
}

fn parameter(program: &Program, parameter: &Parameter) -> String {
    let home = match parameter.home {
        Some(Home::Variable(id)) => variable(program, id),
        home => format!("{home:?}"),
    };
    let Parameter { name, ty, size, align, pointer, .. } = parameter;
    format!("{name} {ty:?} {size} {align} {pointer:?} {home}")
}

fn variable(program: &Program, id: VariableId) -> String {
    let v = &program.variables[id.0 as usize];
    let function = v.function.map(|id| name(program, id));
    let opaque = v.opaque.as_ref().map(|opaque| opaque.kind);
    format!(
        "{} {:?} {} {} {:?} {} {function:?} {} {opaque:?}",
        v.name, v.space, v.size, v.align, v.linkage, v.managed, v.offset
    )
}

fn name(program: &Program, id: FunctionId) -> &str {
    &program.functions[id.0 as usize].name
}
