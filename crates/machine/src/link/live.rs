//! Which registers a function may read before it has written them.
//!
//! PTX leaves their value open; here it is zero, so that runs can be repeated. Only these are cleared when an
//! activation begins: clearing all would cost more than many a short kernel does.

use ptxvm_ir::{Argument, Base, BlockId, Callee, Function, Instruction, OperandKind, RegisterId};

/// More bits of liveness than this are not worth computing: then every register is taken to be read first.
const MOST: usize = 1 << 28;

/// The registers that may be read first, by number.
pub fn read_first(function: &Function, opcode: impl Fn(&Instruction) -> &'static str) -> Vec<RegisterId> {
    let registers = function.registers.len();
    let all = || (0..registers as u32).map(RegisterId).collect();
    if registers.saturating_mul(function.blocks.len()) > MOST {
        return all();
    }
    let words = registers.div_ceil(64);
    let mut blocks: Vec<Flow> = Vec::with_capacity(function.blocks.len());
    for (number, block) in function.blocks.iter().enumerate() {
        let mut flow =
            Flow { read: vec![0; words], written: vec![0; words], next: Vec::new(), live: vec![0; words] };
        let instructions = &function.instructions[block.start as usize..block.end as usize];
        for instruction in instructions {
            flow.instruction(function, instruction);
        }
        flow.successors(function, instructions.last(), number as u32, &opcode);
        blocks.push(flow);
    }
    // Backwards until nothing changes; code mostly runs downwards, so few rounds are needed.
    let mut changed = true;
    while changed {
        changed = false;
        for number in (0..blocks.len()).rev() {
            let mut live = blocks[number].read.clone();
            for next in &blocks[number].next {
                let Some(next) = blocks.get(*next as usize) else { continue };
                for (word, bits) in live.iter_mut().enumerate() {
                    *bits |= next.live[word] & !blocks[number].written[word];
                }
            }
            if live != blocks[number].live {
                blocks[number].live = live;
                changed = true;
            }
        }
    }
    let Some(first) = blocks.first() else { return Vec::new() };
    let is_live = |register: &RegisterId| first.live[register.0 as usize / 64] >> (register.0 % 64) & 1 != 0;
    (0..registers as u32).map(RegisterId).filter(is_live).collect()
}

/// What a block does to registers, and where it leads.
struct Flow {
    read: Vec<u64>,
    written: Vec<u64>,
    live: Vec<u64>,
    next: Vec<u32>,
}

impl Flow {
    fn instruction(&mut self, function: &Function, instruction: &Instruction) {
        if let Some(guard) = instruction.guard {
            self.reads(guard.register);
        }
        let operands = function.operands_of(instruction);
        for operand in operands.iter().filter(|o| !o.written) {
            match operand.kind {
                OperandKind::Register { register, .. }
                | OperandKind::Address { base: Base::Register(register), .. } => self.reads(register),
                OperandKind::Call(call) => {
                    if let Some(call) = function.calls.get(call as usize) {
                        if let Callee::Indirect(register) = call.callee {
                            self.reads(register);
                        }
                        for argument in &call.arguments {
                            if let Argument::Register(register) = argument {
                                self.reads(*register);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        // A guarded write leaves some lanes as they were, and so does one of a part of a register.
        if instruction.guard.is_none() {
            for operand in operands.iter().filter(|o| o.written) {
                if let OperandKind::Register { register, selector: 0, .. } = operand.kind {
                    self.written[register.0 as usize / 64] |= 1 << (register.0 % 64);
                }
            }
        }
    }

    fn reads(&mut self, register: RegisterId) {
        let (word, bit) = (register.0 as usize / 64, 1 << (register.0 % 64));
        if self.written[word] & bit == 0 {
            self.read[word] |= bit;
        }
    }

    fn successors(
        &mut self,
        function: &Function,
        last: Option<&Instruction>,
        number: u32,
        opcode: impl Fn(&Instruction) -> &'static str,
    ) {
        let mut falls = true;
        if let Some(last) = last {
            falls = last.guard.is_some() || !matches!(opcode(last), "bra" | "brx" | "ret" | "exit");
            for operand in function.operands_of(last) {
                match operand.kind {
                    OperandKind::Block(BlockId(block)) => self.next.push(block),
                    OperandKind::BranchList(list) => {
                        let list = function.branch_lists.get(list as usize);
                        self.next.extend(list.into_iter().flatten().map(|b| b.0));
                    }
                    _ => {}
                }
            }
        }
        if falls {
            self.next.push(number + 1);
        }
    }
}
