//! Registers that code does not put back to the activation where it is left: wherever it is entered, it makes their values
//! again (`remade.rs`), and so can the interpreter when it goes on. One instruction only writes each of them and each that it
//! is made of, so that it can be executed at any time.

use std::collections::BTreeSet;

use ptxvm_ir::flow::ValueId;
use ptxvm_ir::{BlockId, Function, Terminator};

use super::home::{Homes, Maker};
use super::id::is_in;

/// More instructions than this are not worth it: the interpreter would have to execute them for each warp.
const MOST: usize = 64;

/// What is left out.
#[derive(Default)]
pub struct LeftOut {
    pub registers: BTreeSet<u32>,
    /// The instructions of the function that make them.
    pub instructions: BTreeSet<u32>,
}

/// Those of a function, if they are made by few.
pub fn left_out(function: &Function, homes: &Homes, live: &[Vec<u64>]) -> LeftOut {
    let mut meeting: BTreeSet<(BlockId, u32)> = BTreeSet::new();
    for block in &function.blocks {
        if let Terminator::Barrier { next, .. } = block.terminator {
            let live = &live[next.0 as usize];
            let registers = (0..function.registers.len() as u32).filter(|register| is_in(live, *register));
            meeting.extend(registers.map(|register| (next, register)));
        }
    }
    let mut found = LeftOut::default();
    for (block, register) in meeting {
        let value = homes.remade(homes.at_start(block, register));
        let Some(made_by) = value.and_then(|value| only_makers(homes, value)) else { continue };
        found.registers.insert(register);
        found.instructions.extend(made_by);
    }
    if found.instructions.len() > MOST { LeftOut::default() } else { found }
}

/// The instructions that make a value, if each writes a register that no other writes.
fn only_makers(homes: &Homes, value: ValueId) -> Option<Vec<u32>> {
    let Maker { instruction, register, reads } = homes.maker(value)?;
    if homes.writes_of(register) != 1 {
        return None;
    }
    let mut all = vec![instruction];
    for (_, read) in reads {
        all.extend(only_makers(homes, read)?);
    }
    Some(all)
}
