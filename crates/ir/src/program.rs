//! The executable program: what an engine needs of a module, and nothing of its text but spans.
//!
//! Names have become numbers, expressions bits, labels blocks. Operands stand in one flat list per instruction,
//! each with the place in the table's row that it fills, so that an engine can ask for "the sources" without
//! knowing the instruction.

use ptxvm_isa::form::Filling;
use ptxvm_isa::{Language, Type};
use ptxvm_syntax::ast::Span;

/// A register of a function: an index into [`Function::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterId(pub u32);

/// A basic block of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// A function of the program, the same number as in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A variable of the program: an index into [`Program::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// A form of an instruction: an index into [`Program::forms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormId(pub u32);

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
    /// The files that `.loc` speaks of, by their number.
    pub files: Vec<(u32, String)>,
    /// The positions that `.loc` gives.
    pub locations: Vec<Location>,
    /// The names of inlined functions that `.loc` gives.
    pub inlined_functions: Vec<String>,
}

/// A row of the table with its slots filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FormUse {
    /// The row's index in the table.
    pub row: u16,
    /// The word in each of its slots.
    pub filling: Filling,
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

/// The state space of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.global`
    Global,
    /// `.const`
    Const,
    /// `.shared`
    Shared,
    /// `.local`
    Local,
    /// A parameter of an `.entry`.
    EntryParam,
    /// A parameter of a `.func`, or a `.param` variable of a body: it lies in the frame.
    FuncParam,
}

/// Who finds a name when modules are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// Its own module.
    Private,
    /// `.extern`: it is another module's.
    Extern,
    /// `.visible`: all, and there is one of them.
    Visible,
    /// `.weak`: all, and it gives way to others.
    Weak,
    /// `.common`: all, and those of several modules are one.
    Common,
}

/// A variable with an address.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it lies.
    pub space: Space,
    /// Its size in bytes; 0 for an unsized array.
    pub size: u64,
    /// Its address is a multiple of this.
    pub align: u32,
    /// Who else can find it by its name. `.extern` shared memory is the dynamic part of a launch; otherwise it is a
    /// variable of another module.
    pub linkage: Linkage,
    /// `.attribute(.managed)`
    pub managed: bool,
    /// The function it was declared in.
    pub function: Option<FunctionId>,
    /// For `EntryParam`, `Local` and `FuncParam`: the offset in the function's parameter block or frame. A local
    /// variable of the module, which only PTX before 3.0 has, lies in the frame of every entry, at its beginning. A
    /// parameter of a `.func` that leaves its size open (`rest[]`) lies at the end of the frame, which an activation
    /// makes as much larger as what is passed for it.
    pub offset: u64,
    /// Its initial bytes, shorter than `size` where the rest is zero.
    pub initial: Vec<u8>,
    /// The addresses to be put into the initial bytes.
    pub relocations: Vec<Relocation>,
    /// Whether it is a texture, sampler or surface, which has a handle in place of an address.
    pub opaque: Option<Opaque>,
}

/// What is known about a `.texref`, `.samplerref` or `.surfref` variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// Which of the three.
    pub kind: OpaqueKind,
    /// How many there are: more than one in an array. Their handles follow one another.
    pub count: u64,
    /// What the initialiser says.
    pub fields: Vec<Field>,
}

/// The kinds of opaque variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueKind {
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

/// A field in the initialiser of an opaque variable: `filter_mode = linear`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The element of the array that it belongs to.
    pub element: u64,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: FieldValue,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// `linear`, `wrap`, …
    Word(String),
    /// A constant.
    Number(u64),
}

/// An address in an initialiser.
#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    /// Where in the variable it goes.
    pub at: u64,
    /// How many bytes it takes.
    pub bytes: u8,
    /// Shift the value right by this before it is stored (`0xff00(x)` stores one byte of it).
    pub shift: u8,
    /// What it is the address of.
    pub target: RelocationTarget,
    /// What is added to it.
    pub addend: i64,
    /// `generic(x)`: the generic address, not the one in the variable's own space.
    pub generic: bool,
}

/// What a relocation is the address of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationTarget {
    /// A variable.
    Variable(VariableId),
    /// A function.
    Function(FunctionId),
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
    /// Its blocks, in the order of the source; the first is where it begins.
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

/// A run of instructions that is entered at its first and left after its last.
///
/// A block also begins where a warp may have to wait for its lanes (barriers, `shfl.sync` and the like), so that
/// groups of lanes only ever stop and join at the beginning of blocks.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Its first instruction.
    pub start: u32,
    /// One past its last.
    pub end: u32,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Its row and modifiers.
    pub form: FormId,
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// Its operands: a run of [`Function::operands`], from the first to one past the last.
    pub operands: (u32, u32),
    /// Where it stands in the PTX.
    pub span: Span,
    /// Where what it was made from stands: an index into [`Program::locations`], `u32::MAX` if not known.
    pub location: u32,
}

/// The predicate in front of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub register: RegisterId,
    /// Whether `!` stands before it.
    pub negated: bool,
}

/// An operand and the place it fills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    /// The operand of the row that it belongs to: an index into `Row::operands`.
    pub place: u8,
    /// For parts of a pair: which one, from 0. For parts of a bracket: which of the places that the row names in it,
    /// given or not, so that the coordinates of a texture have the same number with and without a sampler. Elements
    /// of a vector share it.
    pub part: u8,
    /// Whether the instruction writes it.
    pub written: bool,
    /// The type that the row gives it, if it has one.
    pub ty: Option<Type>,
    /// What stands there.
    pub kind: OperandKind,
}

/// What stands in an operand's place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandKind {
    /// A register.
    Register {
        /// Which one.
        register: RegisterId,
        /// `-a` of a video instruction, `!p` of a predicate.
        negated: bool,
        /// A selector of a video instruction: 0 for none, 1 + an index into [`SELECTORS`], or for the SIMD ones
        /// (`.h32`, `.b7210`) a number from [`SIMD_SELECTOR`] on.
        selector: u16,
    },
    /// A constant, as the bits of the operand's type: cut to its width, then sign-extended if the type is signed and
    /// zero-extended if not (also to 128 bits); a predicate is 0 or 1; without a type, all 64 bits.
    Immediate(u64),
    /// A special register.
    Special {
        /// Its index in the table.
        sreg: u16,
        /// 0 to 3 for `.x .y .z .w`; 0 if it is no vector.
        member: u8,
    },
    /// `[base + offset]`, with nothing else in this part of the bracket.
    Address {
        /// What the offset is added to.
        base: Base,
        /// Bytes.
        offset: i64,
    },
    /// The address of a variable in its own space, plus an offset (`mov.u64 %rd, x+8`).
    Variable {
        /// Which one.
        variable: VariableId,
        /// Bytes.
        offset: i64,
    },
    /// The address of a function.
    Function(FunctionId),
    /// Where a branch goes.
    Block(BlockId),
    /// The list of a `brx.idx`: an index into [`Function::branch_lists`].
    BranchList(u32),
    /// A call: an index into [`Function::calls`].
    Call(u32),
    /// `_`
    Sink,
}

/// What an address is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Nothing: an absolute address.
    Absolute,
    /// A register.
    Register(RegisterId),
    /// A variable, in its own space.
    Variable(VariableId),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Where the results go.
    pub returns: Vec<Argument>,
    /// What is passed.
    pub arguments: Vec<Argument>,
    /// For an indirect call: the sizes and alignments that the prototype gives its results and parameters.
    pub prototype: Option<Prototype>,
}

/// The parameters of a `.callprototype`, or those that a `.calltargets` list agrees on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// The size of each result.
    pub returns: Vec<u64>,
    /// The size of each parameter.
    pub parameters: Vec<u64>,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function by name.
    Direct(FunctionId),
    /// The function whose address is in a register.
    Indirect(RegisterId),
}

/// An actual parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// A register.
    Register(RegisterId),
    /// A constant, as the bits of the parameter's type.
    Immediate(u64),
    /// A `.param` variable of the caller.
    Param(VariableId),
    /// `_`: the result is dropped.
    Sink,
}

/// What is added to the selector of a SIMD video operand that names several parts. Below it, for a source, its
/// digits, three bits each, the last digit lowest; for a destination, a bit for each part that is written.
pub const SIMD_SELECTOR: u16 = 0x8000;

/// The selectors of scalar video operands, by their number less one.
pub const SELECTORS: &[&str] = &["b0", "b1", "b2", "b3", "h0", "h1"];
