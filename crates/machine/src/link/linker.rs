//! What the linking of an entry works on.

use ptxvm_ir::Program;

use super::constants::Constants;
use super::layout::EntryLayout;
use crate::code::Block;
use crate::context::Instruction;

/// The code as far as it has been linked.
pub struct Linker<'a> {
    pub program: &'a Program,
    pub layout: &'a EntryLayout,
    pub blocks: Vec<Block>,
    pub instructions: Vec<Instruction>,
    pub constants: Constants,
    /// A function has more registers than there is room for.
    pub too_large: bool,
}
