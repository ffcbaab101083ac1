//! Operands in brackets: an address, perhaps with coordinates or a sampler after it, and elements of arrays.

use ptxvm_isa::Type;
use ptxvm_isa::form::Filling;
use ptxvm_isa::table::{Operand as Place, TypeOf};
use ptxvm_module::module::{TextureMode, Used};
use ptxvm_syntax::ast::{OperandId, OperandKind as Tree, Span};

use crate::id::VariableId;
use crate::instruction::{Base, OperandKind};
use crate::lower::body::BodyLowering;
use crate::lower::opaque;
use crate::lower::operand::{Slot, ids};

impl Base {
    /// The same place as a value: its address.
    pub(crate) fn value(self, offset: i64) -> OperandKind {
        match self {
            Base::Absolute => OperandKind::Immediate(offset.cast_unsigned()),
            Base::Register(register) => OperandKind::Register { register, negated: false, selector: 0 },
            Base::Variable(variable) => OperandKind::Variable { variable, offset },
        }
    }
}

impl BodyLowering<'_, '_> {
    /// Lowers an operand in a place that is written with brackets.
    pub fn bracket(
        &mut self,
        parts: &'static [Place],
        lists: &'static [&'static [u8]],
        filling: &Filling,
        place: u8,
        operand: OperandId,
    ) {
        let found = self.lowering.file[operand];
        let slot = Slot { place, part: 0, written: false, ty: None };
        match found.kind {
            Tree::Address(items) => {
                let Some(list) = lists.iter().find(|list| list.len() == items.len()) else {
                    return self.lowering.unresolved(found.span);
                };
                for (i, (&part, item)) in list.iter().zip(ids(items)).enumerate() {
                    let described = &parts[usize::from(part)];
                    let opaque = matches!(described.ty, TypeOf::Texture | TypeOf::Sampler | TypeOf::Surface);
                    if i == 0 && !opaque {
                        self.address(slot, item);
                    } else if i > 0 && self.is_misread(described) {
                        self.value(Slot { part, ty: Some(Type::B32), ..slot }, item, false);
                    } else {
                        self.place(described, filling, place, part, item);
                    }
                }
            }
            Tree::Unified(inner) => self.bracket(parts, lists, filling, place, inner),
            Tree::Sink => self.put(slot, OperandKind::Sink),
            _ => self.address(slot, operand),
        }
    }

    /// Where textures carry their samplers, ptxas takes what stands in a sampler's place for a lone coordinate, in
    /// silence, and what follows for what would follow that. Such an operand has the type of a coordinate.
    fn is_misread(&self, part: &Place) -> bool {
        part.ty == TypeOf::Sampler && self.lowering.module.texture_mode == TextureMode::Unified
    }

    /// The address itself: a register, a variable or a number, perhaps with an offset, or an element of an array.
    fn address(&mut self, slot: Slot, item: OperandId) {
        let found = self.lowering.file[item];
        let offset = match found.kind {
            Tree::Offset { offset, .. } => self.lowering.integer(offset).map(u64::cast_signed),
            _ => Some(0),
        };
        let Some(offset) = offset else { return };
        let (base, offset) = match (found.kind, self.lowering.module.used(item)) {
            (Tree::Constant(expression), _) => match self.lowering.integer(expression) {
                Some(address) => (Base::Absolute, address.cast_signed()),
                None => return,
            },
            (Tree::Index { index, .. }, _) => match self.indexed(item, index, found.span) {
                Some(found) => found,
                None => return,
            },
            (_, Some(Used::Register(index))) => match self.register(index, 0, found.span) {
                Some(register) => (Base::Register(register), offset),
                None => return,
            },
            (_, Some(Used::Variable(id))) => (Base::Variable(VariableId(id.0)), offset),
            _ => return self.lowering.unresolved(found.span),
        };
        self.put(slot, OperandKind::Address { base, offset });
    }

    /// The place of `array[index]`. As in ptxas, an index counts elements and the distance has 32 bits, unsigned.
    pub fn indexed(&mut self, array: OperandId, index: OperandId, span: Span) -> Option<(Base, i64)> {
        let Some(Used::Variable(id)) = self.lowering.module.used(array) else {
            self.lowering.unresolved(span);
            return None;
        };
        let described = self.lowering.module.variable(id);
        // The handles of an array's elements follow one another.
        let size = match opaque::kind(described) {
            Some(_) => 1,
            None => described.ty.bytes() * u64::from(described.vector),
        };
        let variable = VariableId(id.0);
        let found = self.lowering.file[index];
        let offset = match found.kind {
            Tree::Constant(offset) | Tree::Offset { offset, .. } => self.lowering.integer(offset)?,
            _ => 0,
        };
        match (found.kind, self.lowering.module.used(index)) {
            (Tree::Constant(_), _) => {
                let distance = (offset as u32).wrapping_mul(size as u32);
                Some((Base::Variable(variable), i64::from(distance)))
            }
            (_, Some(Used::Register(register))) => {
                let register = self.register(register, 0, found.span)?;
                let element = self.element(variable, size, register, offset.cast_signed(), span)?;
                Some((Base::Register(element), 0))
            }
            _ => {
                let message = "only a number or a register can be an index here";
                self.lowering.unsupported(found.span, message);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ptxvm_isa::ISA;
    use ptxvm_isa::table::{Operand as Place, Shape};

    fn brackets(place: &Place, found: &mut usize) {
        match place.shape {
            Shape::Bracket(parts, lists) => {
                *found += 1;
                let mut lengths: Vec<usize> = lists.iter().map(|list| list.len()).collect();
                lengths.dedup();
                assert_eq!(lengths.len(), lists.len(), "{} has two lists of one length", place.name);
                parts.iter().for_each(|part| brackets(part, found));
            }
            Shape::Pair(first, second, _) => [first, second].into_iter().for_each(|p| brackets(p, found)),
            _ => {}
        }
    }

    /// The number of items in a bracket says which of its lists they are, as `bracket` takes for granted.
    #[test]
    fn lists_of_a_bracket_differ_in_length() {
        let mut found = 0;
        for row in ISA.rows {
            row.operands.iter().for_each(|place| brackets(place, &mut found));
        }
        assert!(found > 100);
    }
}
