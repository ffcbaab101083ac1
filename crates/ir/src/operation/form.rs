//! One instruction in the words of the table. Only decoding reads it.

use crate::id::VariableId;
use crate::instruction::{Base, FormUse, Operand, OperandKind, SELECTORS};
use crate::variable::{Space, Variable};
use ptxvm_isa::{ISA, NO_WORD, Row, Type};
use ptxvm_num::Rounding;

/// A row of the table, its modifiers, and the operands given.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    row: &'static Row,
    used: &'a FormUse,
    operands: &'a [Operand],
    /// The variables that operands name.
    variables: &'a [Variable],
    /// Whether it stands in a kernel, not in a function.
    in_entry: bool,
}

impl<'a> Form<'a> {
    /// The form of an instruction with these operands.
    #[must_use]
    pub fn new(used: &'a FormUse, operands: &'a [Operand]) -> Self {
        Self { row: &ISA.rows[usize::from(used.row)], used, operands, variables: &[], in_entry: true }
    }

    /// The same, knowing the program's variables, which operands name, and whether a kernel or a function has it.
    #[must_use]
    pub fn of(self, variables: &'a [Variable], in_entry: bool) -> Self {
        Self { variables, in_entry, ..self }
    }

    /// Whether it stands in a kernel, not in a function.
    #[must_use]
    pub(super) fn in_entry(&self) -> bool {
        self.in_entry
    }

    /// The state space of a variable.
    #[must_use]
    pub(super) fn variable_space(&self, variable: VariableId) -> Option<Space> {
        Some(self.variables.get(variable.0 as usize)?.space)
    }

    /// The row of the table.
    #[must_use]
    pub fn row(&self) -> &'static Row {
        self.row
    }

    /// The opcode and the parts that belong to its name: `mul.wide` gives `mul`, `wide`.
    pub(super) fn words(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.row.name.iter().map(|w| ISA.text(*w))
    }

    /// The opcode: `mul` of `mul.wide`.
    #[must_use]
    pub(super) fn opcode(&self) -> &'static str {
        self.row.name.first().map_or("", |w| ISA.text(*w))
    }

    /// The row's name: `mul.wide`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        // The head in the table begins with the name; modifiers follow after a dot, a brace or a blank.
        let length: usize = self.words().map(str::len).sum::<usize>() + self.row.name.len().saturating_sub(1);
        self.row.head.get(..length).unwrap_or(self.row.head)
    }

    /// The manual's section.
    #[must_use]
    pub(super) fn section(&self) -> &'static str {
        ISA.sections[usize::from(self.row.section)].number
    }

    /// The words in the slots, in the row's order.
    pub fn modifiers(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.used.filling[..self.row.slots.len()].iter().filter(|w| **w != NO_WORD).map(|w| ISA.text(*w))
    }

    /// Whether a word stands in some slot.
    #[must_use]
    pub(super) fn has(&self, word: &str) -> bool {
        self.modifiers().any(|w| w == word)
    }

    /// Whether a word stands in the name or in some slot.
    #[must_use]
    pub(super) fn says(&self, word: &str) -> bool {
        self.words().chain(self.modifiers()).any(|w| w == word)
    }

    /// The word in a slot, by the slot's name in the table (without its dot).
    #[must_use]
    pub(super) fn slot(&self, name: &str) -> Option<&'static str> {
        let index = self.row.slots.iter().position(|s| s.name == name)?;
        let word = self.used.filling[index];
        (word != NO_WORD).then(|| ISA.text(word))
    }

    /// The type in a slot.
    #[must_use]
    pub(super) fn ty(&self, name: &str) -> Option<Type> {
        Type::from_name(self.slot(name)?)
    }

    /// The type in the slot `type`, or the only type among the modifiers.
    #[must_use]
    pub(super) fn main_type(&self) -> Option<Type> {
        self.ty("type").or_else(|| self.modifiers().filter_map(Type::from_name).last())
    }

    /// The rounding in a slot; `.rn` if there is none.
    #[must_use]
    pub(super) fn rounding(&self, name: &str) -> Rounding {
        self.slot(name).and_then(Rounding::from_name).unwrap_or(Rounding::Rn)
    }

    /// Whether the row's operand of this name is given.
    #[must_use]
    pub(super) fn given(&self, name: &str) -> bool {
        self.operand(name).is_some()
    }

    /// The first operand in the place of this name.
    #[must_use]
    pub(super) fn operand(&self, name: &str) -> Option<&'a Operand> {
        self.operands.iter().find(|o| self.place_name(o) == name)
    }

    /// Every operand in the place of this name: the elements of a vector.
    pub(super) fn elements(&self, name: &'a str) -> impl Iterator<Item = &'a Operand> + '_ {
        self.operands.iter().filter(move |o| self.place_name(o) == name)
    }

    /// All operands, in order.
    #[must_use]
    pub fn operands(&self) -> &'a [Operand] {
        self.operands
    }

    fn place_name(&self, operand: &Operand) -> &'static str {
        use ptxvm_isa::table::Shape;
        let Some(place) = self.row.operands.get(usize::from(operand.place)) else { return "" };
        match place.shape {
            Shape::Pair(first, second, _) => {
                if operand.part == 0 {
                    first.name
                } else {
                    second.name
                }
            }
            // What stands after the address has a name of its own.
            Shape::Bracket(parts, _) if place.name.is_empty() || operand.part > 0 => {
                parts.get(usize::from(operand.part)).map_or("", |p| p.name)
            }
            Shape::Vector(_, elements) if place.name.is_empty() => elements.first().map_or("", |e| e.name),
            _ => place.name,
        }
    }

    /// The byte or half selector of a video operand.
    #[must_use]
    pub(super) fn selector(&self, name: &str) -> Option<&'static str> {
        match self.operand(name)?.kind {
            OperandKind::Register { selector, .. } if selector > 0 => {
                SELECTORS.get(usize::from(selector) - 1).copied()
            }
            _ => None,
        }
    }

    /// Whether `-` stands before a video operand.
    #[must_use]
    pub(super) fn negated(&self, name: &str) -> bool {
        matches!(self.operand(name).map(|o| o.kind), Some(OperandKind::Register { negated: true, .. }))
    }

    /// The operand's value if it is a constant.
    #[must_use]
    pub(super) fn constant(&self, name: &str) -> Option<u64> {
        match self.operand(name)?.kind {
            OperandKind::Immediate(bits) => Some(bits),
            _ => None,
        }
    }

    /// The base and offset of the first address among the operands. What lies in the frame is told by its offset
    /// there, because the base of such a variable is the frame.
    #[must_use]
    pub(super) fn address(&self) -> Option<(Base, i64)> {
        self.operands.iter().find_map(|o| match o.kind {
            OperandKind::Address { base, offset } => Some((base, offset.wrapping_add(self.in_frame(base)))),
            _ => None,
        })
    }

    /// The offset of a variable in its function's frame; 0 for what lies elsewhere.
    #[must_use]
    pub(super) fn in_frame(&self, base: Base) -> i64 {
        let Base::Variable(variable) = base else { return 0 };
        let described = self.variables.get(variable.0 as usize);
        match described {
            Some(v) if matches!(v.space, Space::Local | Space::FuncParam) => v.offset as i64,
            _ => 0,
        }
    }

    /// How many destinations it has.
    #[must_use]
    pub(super) fn destinations(&self) -> usize {
        self.operands.iter().filter(|o| o.written).count()
    }

    /// Where the first operand in the place of this name stands: destinations come first, then sources.
    #[must_use]
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let wanted = self.operand(name)?;
        self.in_order().position(|operand| std::ptr::eq(operand, wanted))
    }

    /// Where the first address among the operands stands.
    #[must_use]
    pub(super) fn position_of_address(&self) -> Option<usize> {
        self.in_order().position(|operand| matches!(operand.kind, OperandKind::Address { .. }))
    }

    /// Destinations, then sources.
    fn in_order(&self) -> impl Iterator<Item = &'a Operand> {
        let sources = self.operands.iter().filter(|o| !o.written);
        self.operands.iter().filter(|o| o.written).chain(sources)
    }
}
