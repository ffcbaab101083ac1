//! Which registers matter where a loop begins: those that are read before they are written, and those that the question
//! is about. Two turns of a loop that differ in others alone are the same.

use crate::test::{Action, Instruction, Operand, Update};

/// For each instruction that a branch leads back to, which registers matter there.
pub fn at_heads(code: &[Instruction], registers: usize, observed: &[usize]) -> Vec<Option<Vec<bool>>> {
    let mut at_end = vec![false; registers];
    observed.iter().for_each(|&register| at_end[register] = true);
    let mut live = vec![vec![false; registers]; code.len()];
    live.push(at_end);
    loop {
        let mut changed = false;
        for at in (0..code.len()).rev() {
            let mut now = live[at + 1].clone();
            if let Action::Branch { target, .. } = code[at].action {
                // A jump that is always taken would do without what follows it; what matters too much is harmless.
                now.iter_mut().zip(&live[target]).for_each(|(a, b)| *a |= b);
            }
            written(&code[at].action, &mut |register| now[register] = false);
            read(&code[at].action, &mut |register| now[register] = true);
            if now != live[at] {
                live[at] = now;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut heads = vec![None; code.len() + 1];
    for (at, instruction) in code.iter().enumerate() {
        if let Action::Branch { target, .. } = instruction.action
            && target <= at
        {
            heads[target] = Some(live[target].clone());
        }
    }
    heads
}

fn written(action: &Action, each: &mut dyn FnMut(usize)) {
    match action {
        Action::Compute { to, .. } => each(*to),
        Action::Load { to, .. } => to.iter().for_each(|&register| each(register)),
        Action::Atomic { to, .. } => to.iter().for_each(|&register| each(register)),
        _ => {}
    }
}

fn read(action: &Action, each: &mut dyn FnMut(usize)) {
    let mut operand = |operand: &Operand| {
        if let Operand::Register(register) = operand {
            each(*register);
        }
    };
    match action {
        Action::Compute { left, right, .. } | Action::Branch { left, right, .. } => {
            operand(left);
            operand(right);
        }
        Action::Store { values, .. } => values.iter().for_each(operand),
        Action::Atomic { update: Update::Function(_, value), .. } => operand(value),
        Action::Atomic { update: Update::CompareAndSwap(expected, new), .. } => {
            operand(expected);
            operand(new);
        }
        Action::Barrier(barrier) => {
            operand(&barrier.resource);
            barrier.count.iter().for_each(operand);
        }
        _ => {}
    }
}
