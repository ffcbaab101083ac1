//! Operands by the shape of their place in the row: vectors, pairs, labels and lists; flattened into one list.

use ptxvm_isa::Type;
use ptxvm_isa::form::{Filling, count_of, type_of};
use ptxvm_isa::table::{Operand as Place, Shape};
use ptxvm_module::module::Used;
use ptxvm_syntax::ast::{List, Operand, OperandId, OperandKind as Tree, Span, TargetListId};

use crate::instruction::OperandKind;
use crate::lower::body::BodyLowering;
use crate::lower::layout::{Label, MOST_TARGETS, Target};

/// Where an operand goes.
#[derive(Clone, Copy)]
pub struct Slot {
    /// The operand of the row that it belongs to.
    pub place: u8,
    /// Which part of it.
    pub part: u8,
    /// Whether it is written.
    pub written: bool,
    /// Its type.
    pub ty: Option<Type>,
}

/// The positions of a list's nodes as ids.
pub fn ids(list: List<Operand>) -> impl Iterator<Item = OperandId> {
    list.range().map(|at| OperandId(at as u32))
}

impl BodyLowering<'_, '_> {
    /// Lowers what stands in one place of the row, or in a part of it.
    pub fn place(
        &mut self,
        described: &'static Place,
        filling: &Filling,
        place: u8,
        part: u8,
        operand: OperandId,
    ) {
        let found = self.lowering.file[operand];
        let ty = type_of(described, filling, self.lowering.isa);
        let slot = Slot { place, part, written: described.written, ty };
        match described.shape {
            Shape::Value | Shape::Register | Shape::Constant | Shape::Predicate => {
                self.value(slot, operand, false);
            }
            Shape::Vector(count, elements) => {
                let count = count_of(count, filling, self.lowering.isa);
                self.vector(elements, count, filling, place, part, operand);
            }
            Shape::Bracket(parts, lists) => self.bracket(parts, lists, filling, place, operand),
            Shape::Pair(first, second, _) => match found.kind {
                Tree::Pair(pair) => {
                    for (part, (described, operand)) in [first, second].into_iter().zip(ids(pair)).enumerate()
                    {
                        self.place(described, filling, place, part as u8, operand);
                    }
                }
                _ => self.place(first, filling, place, 0, operand),
            },
            // A bare `_` stands where a result would.
            Shape::Sink => self.put(Slot { written: true, ..slot }, OperandKind::Sink),
            Shape::Label => match self.lowering.module.used(operand) {
                Some(Used::Label(statement)) => self.target = Some(Target::Label(Label(statement))),
                _ => self.lowering.unresolved(found.span),
            },
            Shape::Targets => match self.lowering.module.used(operand) {
                Some(Used::Targets(list)) => {
                    self.target = self.branch_list(TargetListId(list), found.span).map(Target::List);
                }
                _ => self.lowering.unresolved(found.span),
            },
            Shape::Function => match self.lowering.module.used(operand) {
                Some(Used::Function(function)) => {
                    let kind = OperandKind::Function(self.lowering.callee(function));
                    self.put(slot, kind);
                }
                _ => self.lowering.unresolved(found.span),
            },
            // Calls have been taken apart before, and no row asks for a prototype alone.
            Shape::Call | Shape::Prototype => {}
        }
    }

    /// Appends an operand.
    pub fn put(&mut self, slot: Slot, kind: OperandKind) {
        self.push(slot.place, slot.part, slot.written, slot.ty, kind);
    }

    /// `%r0|_` as the first operand where the form has no second result stands for `%r0`.
    pub fn without_sink(&self, i: usize, place: &Place, operand: OperandId) -> OperandId {
        match self.lowering.file[operand].kind {
            Tree::Pair(pair) if i == 0 && !matches!(place.shape, Shape::Pair(..)) => OperandId(pair.start),
            _ => operand,
        }
    }

    /// The elements of a vector, or the scalar that stands where the form has no length.
    fn vector(
        &mut self,
        elements: &'static [Place],
        count: Option<u32>,
        filling: &Filling,
        place: u8,
        part: u8,
        operand: OperandId,
    ) {
        let found = self.lowering.file[operand];
        let Some(first) = elements.first() else { return };
        let ty = type_of(first, filling, self.lowering.isa);
        let slot = Slot { place, part, written: first.written, ty };
        match (found.kind, self.lowering.module.used(operand)) {
            (Tree::Vector(list), _) => {
                for (i, element) in ids(list).enumerate() {
                    let described = elements.get(i).or(elements.last()).unwrap_or(first);
                    self.place(described, filling, place, part, element);
                }
            }
            (Tree::Name(_), Some(Used::Register(index))) if count.is_some() => {
                let vector = self.body.register(index).map_or(1, |r| r.first.vector);
                for member in 0..vector {
                    if let Some(register) = self.register(index, member, found.span) {
                        self.put(slot, OperandKind::Register { register, negated: false, selector: 0 });
                    }
                }
            }
            (Tree::Sink, _) => self.put(slot, OperandKind::Sink),
            _ => self.place(first, filling, place, part, operand),
        }
    }

    /// The labels of a `.branchtargets`.
    fn branch_list(&mut self, id: TargetListId, span: Span) -> Option<u32> {
        let file = self.lowering.file;
        let list = &file[id];
        let mut labels = Vec::new();
        for (at, target) in list.targets.range().zip(&file[list.targets]) {
            let count = match target.count {
                None => None,
                Some(count) => Some(self.lowering.integer(count)?.min(u64::from(u32::MAX)) as u32),
            };
            let total = count.map_or(1, |count| count as usize) + labels.len() + self.layout.targets;
            if total > MOST_TARGETS {
                let message = format!("the lists of branch targets have more than {MOST_TARGETS} entries");
                self.lowering.unsupported(target.name.span, message);
                return None;
            }
            for number in 0..count.unwrap_or(1) {
                let used = match count {
                    None => self.lowering.module.target(at as u32),
                    Some(_) => self.lowering.module.target_member(self.id, target.name.symbol, number),
                };
                match used {
                    Some(Used::Label(statement)) => labels.push(Label(statement)),
                    _ if target.name.symbol == list.label.symbol => {
                        let message = "a list of branch targets that names itself cannot be followed";
                        self.lowering.unsupported(span, message);
                        return None;
                    }
                    _ => {
                        self.lowering.unresolved(target.name.span);
                        return None;
                    }
                }
            }
        }
        Some(self.layout.list(labels))
    }
}
