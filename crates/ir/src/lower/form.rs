//! The forms that instructions have, each row with its modifiers once, and what they mean, each meaning about once.

use ptxvm_isa::form::fill;
use ptxvm_isa::{Isa, Word};
use ptxvm_module::instruction::form::word;
use ptxvm_syntax::ast::{File, Instruction};
use rustc_hash::FxHashMap;

use crate::id::{FormId, OperationId};
use crate::instruction::{FormUse, Operand};
use crate::operation::{self, Form, Operation};
use crate::variable::Variable;

/// The forms met so far.
#[derive(Default)]
pub struct Forms {
    /// By row, opcode and modifiers as they are spelt.
    spelt: FxHashMap<Box<[Word]>, FormId>,
    known: FxHashMap<FormUse, FormId>,
    forms: Vec<FormUse>,
    operations: Vec<Operation>,
    /// By form: the latest meanings that its instructions have had. Most have one; loads and stores differ in offsets.
    latest: Vec<[Option<OperationId>; 4]>,
    spelling: Vec<Word>,
}

impl Forms {
    /// The form of an instruction that the check found to be an instance of this row.
    pub fn of(&mut self, isa: &Isa, file: &File, row: u16, instruction: &Instruction) -> Option<FormId> {
        self.spelling.clear();
        self.spelling.push(row);
        self.spelling.extend(file[instruction.modifiers].iter().map(|m| word(isa, m.symbol)));
        if let Some(&id) = self.spelt.get(self.spelling.as_slice()) {
            return Some(id);
        }
        let filling = fill(isa.rows.get(usize::from(row))?, isa, &self.spelling[1..]).ok()?;
        let id = self.keep(FormUse { row, filling });
        self.spelt.insert(self.spelling.as_slice().into(), id);
        Some(id)
    }

    /// The form of these words, the first being the opcode, that takes so many operands.
    pub fn spelt(&mut self, isa: &Isa, words: &[&str], operands: usize) -> Option<FormId> {
        let words: Option<Vec<Word>> = words.iter().map(|w| isa.word(w)).collect();
        let words = words?;
        let (opcode, modifiers) = words.split_first()?;
        let opcode = isa.opcode(*opcode)?;
        let found = opcode.rows.iter().find_map(|&row| {
            let described = &isa.rows[usize::from(row)];
            let plain = described.lists.iter().any(|list| list.len() == operands);
            let filling = fill(described, isa, modifiers).ok()?;
            plain.then_some(FormUse { row, filling })
        })?;
        Some(self.keep(found))
    }

    fn keep(&mut self, form: FormUse) -> FormId {
        let next = FormId(self.forms.len() as u32);
        let id = *self.known.entry(form).or_insert(next);
        if id == next {
            self.forms.push(form);
            self.latest.push([None; 4]);
        }
        id
    }

    /// The form of this number.
    pub fn get(&self, id: FormId) -> &FormUse {
        &self.forms[id.0 as usize]
    }

    /// What an instruction of the form of this number means, with these operands, in an entry or in a function.
    pub fn meaning(
        &mut self,
        id: FormId,
        operands: &[Operand],
        variables: &[Variable],
        entry: bool,
    ) -> Option<(OperationId, Operation)> {
        let form = Form::new(&self.forms[id.0 as usize], operands).of(variables, entry);
        let operation = operation::decode(&form)?;
        let latest = &mut self.latest[id.0 as usize];
        let known = latest.iter().flatten().find(|known| self.operations[known.0 as usize] == operation);
        if let Some(known) = known {
            return Some((*known, operation));
        }
        let new = OperationId(self.operations.len() as u32);
        self.operations.push(operation);
        latest.rotate_right(1);
        latest[0] = Some(new);
        Some((new, operation))
    }

    /// The operation of this number.
    pub fn operation(&self, id: OperationId) -> Option<Operation> {
        self.operations.get(id.0 as usize).copied()
    }

    /// All of them, and all that they mean.
    pub fn finish(self) -> (Vec<FormUse>, Vec<Operation>) {
        (self.forms, self.operations)
    }
}
