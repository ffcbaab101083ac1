//! Reads files of rows: sections, heads, and the lines below a head.

use std::collections::HashMap;

use ptxvm_isa::form::MAX_SLOTS;
use ptxvm_isa::table::{Row, Section, Slot, Word};
use ptxvm_isa::target::Platform;

use super::{Loader, condition, leak, leak_all, operand};

/// A row as its lines stand in the file, before it is understood.
struct Raw {
    line: usize,
    head: String,
    body: Vec<(usize, String)>,
}

impl Loader {
    /// Reads one file of rows.
    pub fn rows(&mut self, file: &str, text: &str) {
        let mut sets: HashMap<String, Vec<Word>> = HashMap::new();
        let mut open: Option<Raw> = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            if line.starts_with([' ', '\t']) {
                match &mut open {
                    Some(raw) => match trimmed.strip_prefix('|') {
                        Some(more) => raw.head += &format!(" {}", more.trim()),
                        None => raw.body.push((number, strip_comment(trimmed).to_owned())),
                    },
                    None => self.error(file, number, "an indented line stands under no row"),
                }
                continue;
            }
            if let Some(raw) = open.take() {
                self.close(file, raw, &sets);
            }
            if let Some(head) = trimmed.strip_prefix('§') {
                self.section(file, number, head.trim());
            } else if trimmed.starts_with('.') {
                match trimmed.split_once('=') {
                    Some((name, values)) => match self.values(strip_comment(values)) {
                        Ok(words) => {
                            sets.insert(name.trim()[1..].to_owned(), words);
                        }
                        Err(e) => self.error(file, number, &e),
                    },
                    None => self.error(file, number, "expected '.name = .value …'"),
                }
            } else {
                open = Some(Raw { line: number, head: strip_comment(trimmed).to_owned(), body: Vec::new() });
            }
        }
        if let Some(raw) = open {
            self.close(file, raw, &sets);
        }
    }

    pub(super) fn error(&mut self, file: &str, line: usize, what: &str) {
        self.errors.push(format!("{file}:{line}: {what}"));
    }

    fn section(&mut self, file: &str, line: usize, head: &str) {
        let (left, sentence) = head.split_once('|').unwrap_or((head, ""));
        let (number, names) = left.trim().split_once(' ').unwrap_or((left.trim(), ""));
        if names.is_empty() || sentence.trim().is_empty() {
            self.error(file, line, "a section is written '§ NUMBER NAMES | SENTENCE'");
        }
        let names: Vec<&str> = names.split(',').map(|n| leak(n.trim())).collect();
        self.sections.push(Section {
            number: leak(number),
            names: leak_all(names),
            sentence: leak(sentence.trim()),
            file: leak(file.rsplit('/').next().unwrap_or(file)),
        });
    }

    fn close(&mut self, file: &str, raw: Raw, sets: &HashMap<String, Vec<Word>>) {
        let line = raw.line;
        if self.sections.is_empty() {
            return self.error(file, line, "a row stands before the first section");
        }
        match self.row(&raw, sets) {
            Ok(row) => self.rows.push(row),
            Err((line, e)) => self.error(file, line, &e),
        }
    }

    fn row(&mut self, raw: &Raw, sets: &HashMap<String, Vec<Word>>) -> Result<Row, (usize, String)> {
        let at_head = |e: String| (raw.line, e);
        let mut own: HashMap<String, Vec<Word>> = HashMap::new();
        for (line, text) in &raw.body {
            if let Some((name, values)) = definition(text) {
                own.insert(name.to_owned(), self.values(values).map_err(|e| (*line, e))?);
            }
        }
        let (form, operand_text) = raw.head.split_once(char::is_whitespace).unwrap_or((&raw.head, ""));
        let (name, modifiers) = self.name(form).map_err(at_head)?;
        let lookup = |slot: &str| own.get(slot).or_else(|| sets.get(slot)).cloned();
        let slots = self.slots(&modifiers, &lookup).map_err(at_head)?;
        if let Some(unused) = own.keys().find(|k| !slots.iter().any(|s| s.name == k.as_str())) {
            return Err(at_head(format!("'.{unused}' is defined but is no slot of the row")));
        }
        if slots.len() > MAX_SLOTS {
            return Err(at_head(format!("more than {MAX_SLOTS} slots")));
        }
        let operands = operand::parse(self, operand_text.trim(), &slots).map_err(at_head)?;
        let names = operand::names(&operands.all);
        let mut row = Row {
            section: (self.sections.len() - 1) as u16,
            head: leak(&raw.head.split_whitespace().collect::<Vec<_>>().join(" ")),
            name: leak_all(name),
            slots: &[],
            operands: leak_all(operands.all),
            lists: leak_all(operands.lists.into_iter().map(leak_all).collect()),
            need: &[],
            gone: None,
            deprecated: None,
            order: &[],
            rules: &[],
            notes: &[],
        };
        let (mut rules, mut notes, mut order) = (Vec::new(), Vec::new(), Vec::new());
        for (line, text) in &raw.body {
            self.body_line(text, &slots, &names, &mut row, &mut rules, &mut notes, &mut order)
                .map_err(|e| (*line, e))?;
        }
        row.slots = leak_all(slots);
        row.rules = leak_all(rules);
        row.notes = leak_all(notes);
        row.order = leak_all(order);
        Ok(row)
    }

    #[allow(clippy::too_many_arguments)]
    fn body_line(
        &mut self,
        text: &str,
        slots: &[Slot],
        names: &[&str],
        row: &mut Row,
        rules: &mut Vec<ptxvm_isa::table::Rule>,
        notes: &mut Vec<&'static str>,
        order: &mut Vec<&'static [u8]>,
    ) -> Result<(), String> {
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let words: Vec<&str> = text.split_whitespace().collect();
        if first == "note" {
            notes.push(leak(rest.trim()));
        } else if text.contains("=>") {
            rules.push(condition::rule(self, text, slots, names)?);
        } else if definition(text).is_some() {
            // Read before the head, which needs it.
        } else if first == "gone" {
            let need = condition::need(&words[1..])?;
            row.gone = Some(*need.first().unwrap_or(&Platform { ptx: super::tables::FIRST, targets: &[] }));
        } else if first == "deprecated" {
            row.deprecated = Some(condition::version(words.last().copied().unwrap_or(""))?);
        } else if first == "order" {
            let find = |w: &&str| {
                let name = w.strip_prefix('.').unwrap_or(w);
                let found = slots.iter().position(|s| s.name == name);
                found.map(|i| i as u8).ok_or_else(|| format!("'{w}' is no slot of this row"))
            };
            order.push(leak_all(words[1..].iter().map(find).collect::<Result<Vec<u8>, _>>()?));
        } else if first == "ptx" || first.starts_with("sm_") {
            row.need = condition::need(&words)?;
        } else {
            return Err(format!("'{text}' is no line of a row"));
        }
        Ok(())
    }

    /// Splits a form into its name (the section's longest that fits) and the modifiers after it.
    fn name(&mut self, form: &str) -> Result<(Vec<Word>, String), String> {
        let section = self.sections.last().ok_or("no section")?;
        let fits = |name: &&&str| {
            form.strip_prefix(**name).is_some_and(|r| r.is_empty() || r.starts_with(['.', '{']))
        };
        let name = section
            .names
            .iter()
            .filter(fits)
            .max_by_key(|n| n.len())
            .ok_or_else(|| format!("'{form}' begins with no name of section {}", section.number))?;
        let modifiers = form[name.len()..].to_owned();
        let words = name.split('.').map(|part| self.word(part)).collect();
        Ok((words, modifiers))
    }

    fn slots(
        &mut self,
        modifiers: &str,
        lookup: &dyn Fn(&str) -> Option<Vec<Word>>,
    ) -> Result<Vec<Slot>, String> {
        let mut slots: Vec<Slot> = Vec::new();
        let mut rest = modifiers;
        while !rest.is_empty() {
            let (item, after, optional) = if let Some(inner) = rest.strip_prefix('{') {
                let (item, after) = inner.split_once('}').ok_or("'{' is not closed")?;
                (item, after, true)
            } else {
                let end = rest[1..].find(['.', '{']).map_or(rest.len(), |i| i + 1);
                (&rest[..end], &rest[end..], false)
            };
            rest = after;
            let name = item.strip_prefix('.').ok_or_else(|| format!("'{item}' is no modifier"))?;
            if name.contains(['.', ' ', ',']) || name.is_empty() {
                return Err(format!("'{item}' is more than one modifier"));
            }
            let values = lookup(name).unwrap_or_else(|| vec![self.word(name)]);
            if slots.iter().any(|s| s.name == name && values.len() > 1) {
                return Err(format!("slot '.{name}' stands twice"));
            }
            slots.push(Slot { name: leak(name), values: leak_all(values), optional });
        }
        Ok(slots)
    }

    /// Reads `.a .b .m64nNk16(8..256/8)`.
    fn values(&mut self, text: &str) -> Result<Vec<Word>, String> {
        let mut words = Vec::new();
        for value in text.split([' ', '\t', ',']).filter(|v| !v.is_empty()) {
            if !value.starts_with('.') {
                return Err(format!("'{value}' has no dot"));
            }
            match value.split_once('(') {
                None => words.push(self.word(value)),
                Some((pattern, series)) => {
                    let series = series.strip_suffix(')').ok_or("'(' is not closed")?;
                    let (range, step) = series.split_once('/').unwrap_or((series, "1"));
                    let (low, high) = range.split_once("..").ok_or("a series is written LOW..HIGH/STEP")?;
                    let number = |t: &str| t.parse::<usize>().map_err(|_| format!("'{t}' is no number"));
                    for n in (number(low)?..=number(high)?).step_by(number(step)?.max(1)) {
                        words.push(self.word(&pattern.replacen('N', &n.to_string(), 1)));
                    }
                }
            }
        }
        if words.is_empty() {
            return Err("a set needs values".into());
        }
        Ok(words)
    }
}

/// `.x = .a .b`, as name and values.
fn definition(text: &str) -> Option<(&str, &str)> {
    let (name, values) = text.split_once('=')?;
    let name = name.trim().strip_prefix('.')?;
    let is_rule = values.starts_with('>') || name.contains(char::is_whitespace) || !text.contains(" = ");
    (!is_rule).then_some((name, values))
}

/// Cuts a comment (` # …`) off a line.
fn strip_comment(text: &str) -> &str {
    text.split_once(" # ").map_or(text, |(left, _)| left.trim_end())
}
