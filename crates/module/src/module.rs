//! A checked module: its variables, functions and registers, and what each name in an operand stands for.
//!
//! This is what later layers build on. Everything is in dense tables; text and spans stay in the syntax tree.

use ptxvm_isa::{Language, Target, Type, Version};
use ptxvm_syntax::ast::{
    self, FunctionKind, Initializer, LinkageKind, List, OperandId, SpaceKind, Span, Symbol,
};

use rustc_hash::FxHashMap;

use crate::entity::{Entity, FunctionId, Register, RegisterIndex, Role, VariableId, VariableType};

/// How textures and samplers go together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureMode {
    /// A texture carries its sampler.
    #[default]
    Unified,
    /// They are separate variables.
    Independent,
}

/// A module with its names resolved. Where the check found errors, what is wrong is left out.
#[derive(Clone, Debug)]
pub struct Module {
    /// The `.version` and the first `.target`.
    pub language: Language,
    /// The bits of an address: 32 or 64; 64 if the module does not say.
    pub address_size: u8,
    /// How textures and samplers go together.
    pub texture_mode: TextureMode,
    /// Whether the target list says `debug`.
    pub debug: bool,
    /// Every variable and `.param` parameter, of the module and of its functions, in the order of their numbers.
    /// A range of names has one entry.
    pub variables: Vec<Variable>,
    /// Every function, declared or defined.
    pub functions: Vec<Function>,
    /// By prototype of the tree: its signature.
    pub prototypes: Vec<Signature>,
    /// By target list of the tree: for a `.calltargets`, one function for each signature among its targets.
    pub(crate) call_lists: Vec<Vec<FunctionId>>,
    /// By operand of the tree: what the name in it stands for.
    pub(crate) uses: Vec<Use>,
    /// By instruction of the tree: the row of the table it is an instance of, `u16::MAX` if none.
    pub rows: Vec<u16>,
    /// By instruction of the tree: which of the row's operand lists its operands fit.
    pub lists: Vec<u8>,
    /// The instructions that have a guard, in the order of their numbers, and what the name in it stands for.
    pub(crate) guards: Vec<(u32, Use)>,
    /// The marks of initialisers that are names, in the order of their numbers, and what each stands for.
    pub(crate) initial_names: Vec<(u32, Use)>,
    /// By entry of the tree's target lists: what a single name in it stands for.
    pub(crate) target_uses: Vec<Use>,
    /// By function and prefix: what the names of the ranges `prefix<N>` in target lists stand for.
    pub(crate) target_members: FxHashMap<(FunctionId, Symbol), Vec<Use>>,
}

impl Module {
    pub(crate) fn new(file: &ast::File) -> Self {
        let target = Target { sm: 10, suffix: ptxvm_isa::Suffix::Plain };
        Self {
            language: Language { ptx: Version::new(1, 0), target },
            address_size: 64,
            texture_mode: TextureMode::Unified,
            debug: false,
            variables: Vec::new(),
            functions: Vec::new(),
            prototypes: vec![Signature::default(); file.prototypes.len()],
            call_lists: vec![Vec::new(); file.target_lists.len()],
            uses: vec![Use(0); file.operands.len()],
            rows: vec![u16::MAX; file.instructions.len()],
            lists: vec![0; file.instructions.len()],
            guards: Vec::new(),
            initial_names: Vec::new(),
            target_uses: vec![Use(0); file.targets.len()],
            target_members: FxHashMap::default(),
        }
    }

    /// The variable, or the range of variables, of this number.
    #[must_use]
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[self.variable_index(id)]
    }

    pub(crate) fn variable_mut(&mut self, id: VariableId) -> &mut Variable {
        let index = self.variable_index(id);
        &mut self.variables[index]
    }

    fn variable_index(&self, id: VariableId) -> usize {
        self.variables.partition_point(|v| v.id.0 <= id.0).saturating_sub(1)
    }

    /// What the name in an operand stands for; `None` if it has no name, or one that means nothing.
    #[must_use]
    pub fn used(&self, operand: OperandId) -> Option<Used> {
        self.uses.get(operand.0 as usize)?.unpack()
    }

    /// What the name in an instruction's guard stands for: a predicate register, or a special register that is one.
    #[must_use]
    pub fn guard(&self, instruction: ast::InstructionId) -> Option<Used> {
        find(&self.guards, instruction.0)
    }

    /// What a name in an initialiser stands for; `mark` is its position in the tree's `initializers`.
    #[must_use]
    pub fn initial_name(&self, mark: u32) -> Option<Used> {
        find(&self.initial_names, mark)
    }

    /// What a single name in a list of targets stands for; `target` is its position in the tree's `targets`.
    #[must_use]
    pub fn target(&self, target: u32) -> Option<Used> {
        self.target_uses.get(target as usize)?.unpack()
    }

    /// What the name `prefixN` in a function's lists of targets stands for.
    #[must_use]
    pub fn target_member(&self, function: FunctionId, prefix: Symbol, number: u32) -> Option<Used> {
        self.target_members.get(&(function, prefix))?.get(number as usize)?.unpack()
    }

    /// One function for each signature among the targets of a `.calltargets`.
    #[must_use]
    pub fn call_targets(&self, list: ast::TargetListId) -> &[FunctionId] {
        self.call_lists.get(list.0 as usize).map_or(&[], Vec::as_slice)
    }
}

fn find(table: &[(u32, Use)], number: u32) -> Option<Used> {
    let at = table.binary_search_by_key(&number, |&(key, _)| key).ok()?;
    table[at].1.unpack()
}

/// A name's meaning in four bytes: the kind in the upper bits, the number below; 0 is nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use(u32);

/// What a name in an operand stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Used {
    /// A register of the function.
    Register(RegisterIndex),
    /// A variable or parameter.
    Variable(VariableId),
    /// A function.
    Function(FunctionId),
    /// A label: the position of its statement in the tree.
    Label(u32),
    /// A list of targets in the tree.
    Targets(u32),
    /// A prototype in the tree.
    Prototype(u32),
    /// A special register: its position in the table.
    Special(u32),
}

const NUMBER: u32 = (1 << 29) - 1;

impl Use {
    pub(crate) fn pack(entity: Entity) -> Self {
        let (kind, number) = match entity {
            Entity::Register(r) => (1, r.index),
            Entity::Variable(v) => (2, v.id.0),
            Entity::Function(f) => (3, f.0),
            Entity::Label(l) => (4, l.0),
            Entity::Targets(t) => (5, t.0),
            Entity::Prototype(p) => (6, p.0),
            Entity::Special(s) => (7, u32::from(s)),
        };
        Self(kind << 29 | number.min(NUMBER))
    }

    fn unpack(self) -> Option<Used> {
        let number = self.0 & NUMBER;
        Some(match self.0 >> 29 {
            1 => Used::Register(number),
            2 => Used::Variable(VariableId(number)),
            3 => Used::Function(FunctionId(number)),
            4 => Used::Label(number),
            5 => Used::Targets(number),
            6 => Used::Prototype(number),
            7 => Used::Special(number),
            _ => return None,
        })
    }
}

/// A variable in memory, a `.param` parameter, or a texture, sampler or surface.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its number; those of a range follow one another.
    pub id: VariableId,
    /// Its name, or the prefix of the range.
    pub name: Symbol,
    /// How many `name<N>` declares; `None` for a single one.
    pub count: Option<u32>,
    /// Where it was declared: the name.
    pub span: Span,
    /// Where it lies.
    pub space: SpaceKind,
    /// The type of its elements.
    pub ty: VariableType,
    /// The length of its vector type: 1, 2 or 4.
    pub vector: u8,
    /// How many elements its array has, all dimensions multiplied; `None` if it is no array, `Some(0)` if it has no
    /// size.
    pub elements: Option<u64>,
    /// The sizes of its dimensions, in the tree; the first may have to be taken from `elements`.
    pub dimensions: List<ast::Dimension>,
    /// Its size in bytes, 0 if it has none.
    pub size: u64,
    /// Its address is a multiple of this.
    pub align: u32,
    /// How the linker sees it.
    pub linkage: Option<LinkageKind>,
    /// Which part it plays.
    pub role: Role,
    /// Its initial value, in the tree; empty if it has none.
    pub initializer: List<Initializer>,
    /// `.attribute(.managed)`
    pub managed: bool,
    /// The function it was declared in, or is a parameter of.
    pub function: Option<FunctionId>,
}

/// An `.entry` or `.func`.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Symbol,
    /// Where the name stands in the declaration or definition that counts.
    pub span: Span,
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// How the linker sees it.
    pub linkage: Option<LinkageKind>,
    /// Its signature.
    pub signature: Signature,
    /// Its body and the registers in it; `None` if it is only declared.
    pub body: Option<Body>,
    /// `.alias`: the function that this one is another name of.
    pub alias: Option<FunctionId>,
    /// The directives between its signature and its body, in the tree.
    pub directives: List<ast::Directive>,
}

/// What a call must agree with.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// The return parameters.
    pub returns: Vec<Parameter>,
    /// The input parameters.
    pub parameters: Vec<Parameter>,
    /// `.noreturn`
    pub noreturn: bool,
    /// `.abi_preserve`
    pub preserve: Option<u32>,
    /// `.abi_preserve_control`
    pub preserve_control: Option<u32>,
    /// `.attribute(.unified(a, b))`
    pub unified: Option<(u64, u64)>,
}

/// A parameter as a call sees it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Symbol,
    /// Where the name stands.
    pub span: Span,
    /// `Reg` or `Param`.
    pub space: SpaceKind,
    /// The type of its elements.
    pub ty: VariableType,
    /// The length of its vector type.
    pub vector: u8,
    /// How many elements its array has; `None` if it is no array, `Some(0)` if it has no size.
    pub elements: Option<u64>,
    /// Its alignment in bytes.
    pub align: u32,
    /// What the body sees, if there is one.
    pub entity: Option<Entity>,
}

/// A function's body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its statements, in the tree.
    pub statements: List<ast::Statement>,
    /// Its registers, in the order of their numbers.
    pub registers: Vec<Registers>,
}

impl Body {
    /// The declaration that a register belongs to.
    #[must_use]
    pub fn register(&self, index: RegisterIndex) -> Option<&Registers> {
        let after = self.registers.partition_point(|r| r.first.index <= index);
        self.registers.get(after.checked_sub(1)?)
    }
}

/// One register or a range of them.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// The name, or the prefix of the range.
    pub name: Symbol,
    /// The first of them.
    pub first: Register,
    /// How many there are; `None` for a single one.
    pub count: Option<u32>,
}

/// The type of a parameter's or variable's element as the source writes it.
#[must_use]
pub fn written(ty: VariableType, vector: u8, elements: Option<u64>) -> String {
    let vector = if vector > 1 { format!(".v{vector} ") } else { String::new() };
    let array = match elements {
        None => String::new(),
        Some(0) => "[]".into(),
        Some(n) => format!("[{n}]"),
    };
    format!("{vector}.{}{array}", ty.name())
}

/// Whether a type may be the type of a declaration: not one that only instructions have.
#[must_use]
pub fn is_fundamental(ty: Type) -> bool {
    !matches!(ty.kind(), ptxvm_isa::Kind::Packed) && !matches!(ty, Type::B1 | Type::B4 | Type::U4 | Type::S4)
}
