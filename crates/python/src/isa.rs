//! `isa`: rows of the instruction table as objects.

use ptxvm_isa::form;
use ptxvm_isa::table::Row;
use ptxvm_isa::target::describe_need;
use ptxvm_isa::{ISA, NO_WORD, Word};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::failed::wrong;

/// The forms of an instruction (`mul.wide.s32`, `mul`), or without a name of all.
#[pyfunction]
pub fn isa(name: Option<&str>) -> PyResult<String> {
    let Some(name) = name else {
        return Ok(ISA.rows.iter().map(object).collect::<Value>().to_string());
    };
    let mut parts = name.split('.');
    let opcode = parts.next().unwrap_or_default();
    let rows = ISA.word(opcode).and_then(|word| ISA.opcode(word)).map(|opcode| opcode.rows);
    let rows = rows.ok_or_else(|| wrong(format!("there is no instruction `{opcode}`")))?;
    let words: Vec<Word> = parts.map(|modifier| ISA.word(modifier).unwrap_or(NO_WORD)).collect();
    let rows = || rows.iter().map(|&row| &ISA.rows[usize::from(row)]);
    let has_room = |row: &&Row| {
        words.iter().all(|w| row.name[1..].contains(w) || row.slots.iter().any(|s| s.values.contains(w)))
    };
    let fits = |row: &&Row| form::fill(row, &ISA, &words).is_ok();
    let mut fitting: Vec<Value> = rows().filter(fits).map(object).collect();
    if fitting.is_empty() {
        fitting = rows().filter(has_room).map(object).collect();
    }
    match fitting.is_empty() {
        true => Err(wrong(format!(
            "no form of `{opcode}` has these modifiers; ptxvm.isa(\"{opcode}\") has its forms"
        ))),
        false => Ok(Value::from(fitting).to_string()),
    }
}

fn object(row: &Row) -> Value {
    let section = &ISA.sections[usize::from(row.section)];
    let slots = row.slots.iter().map(|slot| {
        let values: Vec<&str> = slot.values.iter().map(|&word| ISA.text(word)).collect();
        json!({ "name": slot.name, "values": values, "optional": slot.optional })
    });
    json!({
        "form": row.head,
        "section": section.number,
        "sentence": section.sentence,
        "legal": describe_need(row.need),
        "modifiers": slots.collect::<Value>(),
        "rules": row.rules.iter().map(|rule| rule.text).collect::<Value>(),
        "notes": row.notes,
    })
}
