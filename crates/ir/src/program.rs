//! The executable program: what an engine needs of a module, and nothing of its text but spans.
//!
//! Names have become numbers, expressions bits, labels blocks.

use ptxvm_isa::{Language, Type};
use ptxvm_syntax::ast::Span;

use crate::block::{Block, BlockId};
use crate::id::{FunctionId, RegisterId, VariableId};
use crate::instruction::{Call, FormUse, Instruction, Operand};
use crate::operation::meaning::Operation;
use crate::variable::{Linkage, Space, Variable};

/// A module made ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The `.version` and `.target`.
    pub language: Language,
    /// The bits of an address: 32 or 64.
    pub address_size: u8,
    /// Every function, declared or defined.
    pub functions: Vec<Function>,
    /// Every variable with an address: of the module, and of its functions.
    pub variables: Vec<Variable>,
    /// The distinct forms that the instructions have.
    pub forms: Vec<FormUse>,
    /// What the instructions mean; many have the same.
    pub operations: Vec<Operation>,
    /// The files that `.loc` speaks of, by their number.
    pub files: Vec<(u32, String)>,
    /// The positions that `.loc` gives.
    pub locations: Vec<Location>,
    /// The names of inlined functions that `.loc` gives.
    pub inlined_functions: Vec<String>,
}

impl Program {
    /// One that has nothing in it yet.
    pub(crate) const fn empty(language: Language, address_size: u8) -> Self {
        Self {
            language,
            address_size,
            functions: Vec::new(),
            variables: Vec::new(),
            forms: Vec::new(),
            operations: Vec::new(),
            files: Vec::new(),
            locations: Vec::new(),
            inlined_functions: Vec::new(),
        }
    }

    /// What an instruction means; `None` if nothing that is known.
    #[must_use]
    pub fn operation(&self, instruction: &Instruction) -> Option<&Operation> {
        self.operations.get(instruction.operation?.0 as usize)
    }

    /// A location, and where the function that it stands in was inlined, and so on: the innermost first.
    pub fn inlined(&self, location: u32) -> impl Iterator<Item = &Location> {
        let found = move |number: u32| self.locations.get(number as usize).map(|found| (number, found));
        let outer = move |(number, inner): &(u32, &Location)| {
            // Each was known before the one inside of it.
            inner.inlined_at.filter(|outer| outer < number).and_then(found)
        };
        std::iter::successors(found(location), outer).map(|(_, location)| location)
    }

    /// The name of the file of this number.
    #[must_use]
    pub fn file_name(&self, number: u32) -> Option<&str> {
        self.files.iter().find(|(known, _)| *known == number).map(|(_, name)| name.as_str())
    }
}

/// A position in the source that the PTX was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The number that `.file` gave.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
    /// The inlined function that it stands in, if it does: an index into [`Program::inlined_functions`].
    pub function: Option<u32>,
    /// Where that function was inlined: an index into [`Program::locations`], lower than its own.
    pub inlined_at: Option<u32>,
}

/// A kernel or device function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it is an `.entry`.
    pub entry: bool,
    /// Who else can find it by its name.
    pub linkage: Linkage,
    /// `.alias`: the function that this one is another name of. Calls in the module have been led to it already.
    pub alias: Option<FunctionId>,
    /// Whether it has a body; the engine provides some functions that have none (`vprintf`).
    pub defined: bool,
    /// Where the name stands.
    pub span: Span,
    /// The input parameters.
    pub parameters: Vec<Parameter>,
    /// The return parameters.
    pub returns: Vec<Parameter>,
    /// The types of its registers. `Type::Pred` for predicates.
    pub registers: Vec<Type>,
    /// The names of its registers, for reports.
    pub register_names: Vec<String>,
    /// The size of an entry's parameter block.
    pub parameter_bytes: u64,
    /// The bytes of local memory that one activation takes: local variables and function parameters.
    pub frame_bytes: u64,
    /// The alignment of the frame.
    pub frame_align: u32,
    /// Its blocks, in the order of the source; the first is where it begins, and the last leads to none after it.
    pub blocks: Vec<Block>,
    /// Its instructions, block after block.
    pub instructions: Vec<Instruction>,
    /// The operands of its instructions.
    pub operands: Vec<Operand>,
    /// The calls in it.
    pub calls: Vec<Call>,
    /// The lists of `brx.idx`.
    pub branch_lists: Vec<Vec<BlockId>>,
    /// What it asks of a launch.
    pub limits: Limits,
}

impl Function {
    /// The operands of one of its instructions.
    #[must_use]
    pub fn operands_of(&self, instruction: &Instruction) -> &[Operand] {
        &self.operands[instruction.operands.0 as usize..instruction.operands.1 as usize]
    }
}

/// The directives of an entry that bind its launches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// `.maxntid`: the product of its numbers.
    pub maxntid: Option<u64>,
    /// `.reqntid`
    pub reqntid: Option<[u32; 3]>,
    /// `.minnctapersm`
    pub minnctapersm: Option<u32>,
    /// `.maxnreg`
    pub maxnreg: Option<u32>,
    /// `.reqnctapercluster`
    pub reqnctapercluster: Option<[u32; 3]>,
    /// `.maxclusterrank`
    pub maxclusterrank: Option<u32>,
    /// `.explicitcluster`
    pub explicitcluster: bool,
    /// `.blocksareclusters`
    pub blocksareclusters: bool,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub ty: Type,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u32,
    /// Where a body finds it; `None` in a declaration without body.
    pub home: Option<Home>,
    /// `.ptr`: it is a pointer, into this space (`None`: generic), with this alignment.
    pub pointer: Option<(Option<Space>, u32)>,
}

/// Where a body finds a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In a register (`.reg` parameters).
    Register(RegisterId),
    /// In memory: the parameter block of an entry, the frame of a function.
    Variable(VariableId),
}
