//! Variables with an address: where they lie, and what they hold when a program is loaded.

use crate::id::{FunctionId, VariableId};

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
