//! What an entry can reach, and where its shared variables lie.

use ptxvm_ir::{Base, Callee, FunctionId, OperandKind, Program, RelocationTarget, Space, VariableId};

use crate::addresses::Addresses;

/// The functions and variables of an entry.
pub struct EntryLayout {
    /// The entry and every function that it can call, in the order of the source.
    pub reachable: Vec<FunctionId>,
    /// By variable: its address, or its offset in shared memory.
    pub variables: Vec<u64>,
    /// The static shared memory of a CTA.
    pub shared_bytes: u32,
    /// The shared variables in use.
    pub shared: Vec<(VariableId, u64)>,
}

impl EntryLayout {
    pub fn of(program: &Program, entry: FunctionId, addresses: &Addresses) -> Self {
        let mut seen = vec![false; program.functions.len()];
        let mut used = vec![false; program.variables.len()];
        let mut work = vec![entry];
        // Whoever's address stands in memory may be called.
        for variable in &program.variables {
            for relocation in &variable.relocations {
                match relocation.target {
                    RelocationTarget::Function(f) => work.push(f),
                    RelocationTarget::Variable(v) => mark(&mut used, v),
                }
            }
        }
        while let Some(id) = work.pop() {
            let Some(function) = program.functions.get(id.0 as usize) else { continue };
            if std::mem::replace(&mut seen[id.0 as usize], true) || !function.defined {
                continue;
            }
            for call in &function.calls {
                if let Callee::Direct(callee) = call.callee {
                    work.push(callee);
                }
            }
            for operand in &function.operands {
                match operand.kind {
                    OperandKind::Function(f) => work.push(f),
                    OperandKind::Variable { variable, .. }
                    | OperandKind::Address { base: Base::Variable(variable), .. } => {
                        mark(&mut used, variable)
                    }
                    _ => {}
                }
            }
        }
        let reachable = |id: &FunctionId| seen[id.0 as usize] && program.functions[id.0 as usize].defined;
        let ids = (0..program.functions.len() as u32).map(FunctionId);
        let mut layout = Self {
            reachable: ids.filter(reachable).collect(),
            variables: addresses.variables.clone(),
            shared_bytes: 0,
            shared: Vec::new(),
        };
        layout.variables.resize(program.variables.len(), 0);
        layout.place_shared(program, &used);
        layout
    }

    /// Static variables one after the other; the dynamic part begins after them, at the same place for all.
    fn place_shared(&mut self, program: &Program, used: &[bool]) {
        let shared = |dynamic: bool| {
            program
                .variables
                .iter()
                .enumerate()
                .filter(move |(i, v)| v.space == Space::Shared && used[*i] && (v.size == 0) == dynamic)
        };
        let mut end = 0u64;
        for (index, variable) in shared(false) {
            let start = end.next_multiple_of(u64::from(variable.align.max(1)));
            self.variables[index] = start;
            self.shared.push((VariableId(index as u32), start));
            end = start.saturating_add(variable.size);
        }
        let align = shared(true).map(|(_, v)| u64::from(v.align)).max().unwrap_or(1).max(1);
        let dynamic = end.next_multiple_of(align);
        let mut any = false;
        for (index, _) in shared(true) {
            self.variables[index] = dynamic;
            self.shared.push((VariableId(index as u32), dynamic));
            any = true;
        }
        let end = if any { dynamic } else { end };
        self.shared_bytes = u32::try_from(end).unwrap_or(u32::MAX);
    }
}

fn mark(used: &mut [bool], variable: VariableId) {
    if let Some(used) = used.get_mut(variable.0 as usize) {
        *used = true;
    }
}
