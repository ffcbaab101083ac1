//! The shape of the table: sections, rows, slots, operands, rules. See `isa/README.md` for the notation it comes from.

pub use crate::rule::{Ask, Condition, OperandForm, Range, Rule};
use crate::target::{Need, Platform, Target, Version};
use crate::types::Type;

/// A word of the language without its dot (`add`, `s32`, `L2::cache_hint`), as an index into [`Isa::words`].
pub type Word = u16;

/// No word: an unfilled slot.
pub const NO_WORD: Word = Word::MAX;

/// The whole table.
#[derive(Clone, Copy, Debug)]
pub struct Isa {
    /// Every opcode and modifier word.
    pub words: &'static [&'static str],
    /// The type that a word names, if it names one; as long as `words`.
    pub word_types: &'static [Option<Type>],
    /// The manual's sections that have rows.
    pub sections: &'static [Section],
    /// Every form of every instruction.
    pub rows: &'static [Row],
    /// Opcodes in the order of their names, with their rows.
    pub opcodes: &'static [Opcode],
    /// What each modifier means.
    pub meanings: &'static [Meaning],
    /// Special registers.
    pub sregs: &'static [Sreg],
    /// Directives.
    pub directives: &'static [Directive],
    /// Targets.
    pub targets: &'static [TargetEntry],
    /// Modifiers that ptxas lets pass where no row has room for them.
    pub tolerated: &'static [Tolerated],
}

/// A section of the manual.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its number, such as `9.7.1.3`.
    pub number: &'static str,
    /// The instruction names it describes.
    pub names: &'static [&'static str],
    /// What they do.
    pub sentence: &'static str,
    /// The file of the table it stands in.
    pub file: &'static str,
}

/// An opcode and where its rows are.
#[derive(Clone, Copy, Debug)]
pub struct Opcode {
    /// Its word.
    pub word: Word,
    /// Indices into [`Isa::rows`].
    pub rows: &'static [u16],
}

/// One form of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Index into [`Isa::sections`].
    pub section: u16,
    /// The head as it stands in the table.
    pub head: &'static str,
    /// The opcode and the parts that must follow it at once and in this order.
    pub name: &'static [Word],
    /// The modifiers after the name.
    pub slots: &'static [Slot],
    /// Every operand that the row mentions at top level.
    pub operands: &'static [Operand],
    /// The operand lists that are possible: indices into `operands`.
    pub lists: &'static [&'static [u8]],
    /// What the module must be written for.
    pub need: Need,
    /// Where this form is refused: from this version on, on these targets.
    pub gone: Option<Platform>,
    /// The version that deprecated it.
    pub deprecated: Option<Version>,
    /// Groups of slots that must stand in this order.
    pub order: &'static [&'static [u8]],
    /// What goes with what.
    pub rules: &'static [Rule],
    /// Sentences for people.
    pub notes: &'static [&'static str],
}

/// A place for a modifier.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Its name without the dot; for a literal, the literal itself.
    pub name: &'static str,
    /// The words it admits.
    pub values: &'static [Word],
    /// Whether it may stay empty.
    pub optional: bool,
}

/// A place for an operand.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Its name in the manual.
    pub name: &'static str,
    /// What may stand there.
    pub shape: Shape,
    /// Whether the instruction writes it.
    pub written: bool,
    /// Its type.
    pub ty: TypeOf,
    /// A register may be wider than the type.
    pub wider: bool,
    /// A special register may stand there too.
    pub sreg: bool,
    /// A variable's or function's address may stand there too.
    pub var: bool,
    /// The sink `_` may stand there too.
    pub sink: bool,
    /// It may be negated (`-a`).
    pub negatable: bool,
    /// A half or byte selector (`.h0`, `.b3`) may follow it.
    pub selector: bool,
    /// `.unified` may follow it.
    pub unified: bool,
    /// The state space of an address.
    pub space: SpaceOf,
    /// The constants allowed, as inclusive ranges; empty: any.
    pub ranges: &'static [Range],
    /// A constant is cut to the width of the type before it is compared with the ranges.
    pub cut: bool,
    /// A constant lies above 0.0 and is at most 1.0.
    pub share: bool,
    /// Where only a register may stand, a constant `0f…` may too.
    pub single: bool,
    /// A predicate may stand in for the 32 bits that are written: it says whether they are not all zero.
    pub predicate: bool,
}

/// What may stand in an operand's place.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A register or a constant.
    Value,
    /// A register.
    Register,
    /// A constant.
    Constant,
    /// A predicate register, perhaps negated.
    Predicate,
    /// A vector of so many elements; the last description holds for every element from its place on.
    Vector(Count, &'static [Operand]),
    /// `[…]`: an address, perhaps with more after it.
    Bracket(&'static [Operand], &'static [&'static [u8]]),
    /// `a|b`; the second may be missing if the flag is set.
    Pair(&'static Operand, &'static Operand, bool),
    /// The sink `_` and nothing else.
    Sink,
    /// A label.
    Label,
    /// A function's name.
    Function,
    /// A label that names a list of branch or call targets.
    Targets,
    /// A label that names a prototype.
    Prototype,
    /// What `call` takes.
    Call,
}

/// How many elements a vector has: a source scaled by `times / over`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Where the number comes from.
    pub source: CountSource,
    /// The factor.
    pub times: u16,
    /// The divisor.
    pub over: u16,
}

/// Where a vector's length comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountSource {
    /// A number.
    Number(u16),
    /// The number in a slot's word (`.v4`, `.x16`, `.2d`); an empty slot means a scalar.
    Slot(u8),
    /// The number after this letter in a slot's word (`n` in `.m64n8k16`).
    Field(u8, char),
}

/// Where an operand's type comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeOf {
    /// It has none (addresses, labels).
    None,
    /// The word in this slot.
    Slot(u8),
    /// Twice as wide as the word in this slot.
    Doubled(u8),
    /// This type.
    Fixed(Type),
    /// A texture reference or handle.
    Texture,
    /// A sampler reference or handle.
    Sampler,
    /// A surface reference or handle.
    Surface,
}

/// Where an address lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpaceOf {
    /// In the generic space.
    Generic,
    /// In the space this slot names; generic if it is empty.
    Slot(u8),
    /// In this space.
    Fixed(Word),
}

/// What a modifier means, for one opcode or for all.
#[derive(Clone, Copy, Debug)]
pub struct Meaning {
    /// The opcode it is said of; empty: of all.
    pub opcode: &'static str,
    /// The modifier without its dot.
    pub word: &'static str,
    /// The sentence.
    pub sentence: &'static str,
}

/// A special register.
#[derive(Clone, Copy, Debug)]
pub struct Sreg {
    /// Its name with the percent sign.
    pub name: &'static str,
    /// The type of the register or of its members.
    pub ty: Type,
    /// Whether it has members `.x .y .z .w`.
    pub vector: bool,
    /// What the module must be written for.
    pub need: Need,
    /// The manual's section.
    pub section: &'static str,
    /// What it holds.
    pub sentence: &'static str,
}

/// A directive.
#[derive(Clone, Copy, Debug)]
pub struct Directive {
    /// Its name with the dot.
    pub name: &'static str,
    /// Where it may stand.
    pub place: &'static str,
    /// What the module must be written for.
    pub need: Need,
    /// The manual's section.
    pub section: &'static str,
    /// What it says.
    pub sentence: &'static str,
}

/// A target and the version that introduced it.
#[derive(Clone, Copy, Debug)]
pub struct TargetEntry {
    /// The target.
    pub target: Target,
    /// The version that introduced it.
    pub ptx: Version,
}

/// Modifiers that ptxas lets pass although no row has room for them.
#[derive(Clone, Copy, Debug)]
pub struct Tolerated {
    /// The modifiers.
    pub words: &'static [Word],
    /// How they are let pass.
    pub how: Tolerance,
    /// The names (`mul.hi`) that `only` speaks of.
    pub names: &'static [&'static [Word]],
    /// Whether these names alone tolerate them; otherwise all but these do.
    pub only: bool,
    /// Only rows that have room for one of these tolerate them; all do if there are none.
    pub given: &'static [Word],
    /// Rows that have room for one of these do not tolerate them.
    pub unless: &'static [Word],
}

/// How a modifier without a slot is let pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// It has a slot and may stand there more than once.
    Repeat,
    /// One of the group is ignored.
    Once,
    /// Any number of them is ignored.
    Any,
    /// Any number of them is ignored after the types, even if they could stand among these.
    Last,
}

impl Tolerated {
    /// Whether this entry speaks of the modifier of this row.
    pub fn covers(&self, row: &Row, word: Word) -> bool {
        let room = |words: &[Word]| row.slots.iter().any(|s| s.values.iter().any(|v| words.contains(v)));
        self.words.contains(&word)
            && self.names.contains(&row.name) == self.only
            && (self.given.is_empty() || room(self.given))
            && !room(self.unless)
    }
}

impl Row {
    /// A row that says nothing, for the generated table to start from.
    pub const BLANK: Row = Row {
        section: 0,
        head: "",
        name: &[],
        slots: &[],
        operands: &[],
        lists: &[],
        need: &[],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &[],
    };
}

impl Operand {
    /// An operand of which nothing is said: a value without a type.
    pub const BLANK: Operand = Operand {
        name: "",
        shape: Shape::Value,
        written: false,
        ty: TypeOf::None,
        wider: false,
        sreg: false,
        var: false,
        sink: false,
        negatable: false,
        selector: false,
        unified: false,
        space: SpaceOf::Generic,
        ranges: &[],
        cut: false,
        share: false,
        single: false,
        predicate: false,
    };
}

impl Isa {
    /// The opcode of this word.
    pub fn opcode(&self, word: Word) -> Option<&Opcode> {
        self.opcodes.iter().find(|o| o.word == word)
    }

    /// The word of this text (without dot).
    pub fn word(&self, text: &str) -> Option<Word> {
        self.words.iter().position(|w| *w == text).map(|i| i as Word)
    }

    /// The text of a word, without dot.
    pub fn text(&self, word: Word) -> &'static str {
        self.words.get(usize::from(word)).copied().unwrap_or("")
    }

    /// What a modifier means to an opcode.
    pub fn meaning(&self, opcode: &str, word: &str) -> Option<&'static str> {
        let of = |opcode: &str| {
            self.meanings.iter().find(|m| m.word == word && m.opcode == opcode).map(|m| m.sentence)
        };
        of(opcode).or_else(|| of(""))
    }
}
