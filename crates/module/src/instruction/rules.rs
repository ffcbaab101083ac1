//! Answers what a row's rules ask about an instruction's operands: is it given, of which form, in which range.

use ptxvm_isa::form::Operands;
use ptxvm_isa::table::{Ask, Operand, OperandForm, Row, Shape};
use ptxvm_syntax::ast::{self, OperandKind};

use crate::context::Context;
use crate::module::TextureMode;

/// The operands of an instruction, seen through one operand list of a row.
pub struct Given<'a> {
    pub context: &'a Context<'a>,
    pub row: &'static Row,
    pub list: &'static [u8],
    pub operands: &'a [ast::Operand],
}

impl Given<'_> {
    /// The operand that stands in the place of this name.
    fn find(&self, name: &str) -> Option<&ast::Operand> {
        let places = self.list.iter().map(|&i| &self.row.operands[usize::from(i)]);
        places.zip(self.operands).find_map(|(place, operand)| self.find_in(place, operand, name))
    }

    /// The integer that stands in the place of this name, if a constant does.
    fn constant(&self, name: &str) -> Option<i64> {
        match self.find(name)?.kind {
            OperandKind::Constant(expression) => {
                crate::constant::evaluate(self.context.file, expression).ok()?.integer()
            }
            _ => None,
        }
    }

    fn find_in<'o>(
        &'o self,
        place: &Operand,
        operand: &'o ast::Operand,
        name: &str,
    ) -> Option<&'o ast::Operand> {
        if place.name == name && !matches!(place.shape, Shape::Pair(..)) {
            return Some(operand);
        }
        let file = self.context.file;
        match (place.shape, operand.kind) {
            (Shape::Vector(_, inner), _) if inner.iter().any(|o| o.name == name) => Some(operand),
            (Shape::Pair(a, b, _), OperandKind::Pair(pair)) => {
                let pair = &file[pair];
                self.find_in(a, pair.first()?, name).or_else(|| self.find_in(b, pair.get(1)?, name))
            }
            (Shape::Pair(a, ..), _) => self.find_in(a, operand, name),
            (Shape::Bracket(inner, lists), OperandKind::Address(items)) => {
                let items = &file[items];
                let list = lists.iter().find(|l| l.len() == items.len())?;
                let places = list.iter().map(|&i| &inner[usize::from(i)]);
                places.zip(items).find_map(|(place, item)| self.find_in(place, item, name))
            }
            _ => None,
        }
    }
}

impl Operands for Given<'_> {
    fn holds(&self, ask: &Ask) -> bool {
        match ask {
            Ask::Given(name) => self.find(name).is_some(),
            Ask::Is(name, form) => self.find(name).is_some_and(|o| {
                let found = match o.kind {
                    OperandKind::Constant(_) => OperandForm::Constant,
                    OperandKind::Vector(_) => OperandForm::Vector,
                    _ => OperandForm::Register,
                };
                found == *form
            }),
            Ask::Within(name, ranges) => {
                self.constant(name).is_none_or(|v| ranges.iter().any(|r| r.contains(v)))
            }
            Ask::AtMost(a, b) => match (self.constant(a), self.constant(b)) {
                (Some(a), Some(b)) => a as u32 <= b as u32,
                _ => true,
            },
            Ask::IndependentTextures => self.context.module.texture_mode == TextureMode::Independent,
            _ => false,
        }
    }
}
