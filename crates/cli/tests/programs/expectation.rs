//! What a program's comments say of its run, and whether a run keeps to it.

use serde_json::{Value, json};

use crate::outcome::{Outcome, without_addresses};

/// The expectations of one program.
#[derive(Default)]
pub struct Expectations {
    values: Vec<Values>,
    prints: Option<String>,
    finding: Option<(String, Vec<String>)>,
    function: Option<String>,
    calls: Option<Vec<String>>,
    thread: Option<Value>,
    registers: Vec<(String, String)>,
    source: Option<String>,
    inlined_at: Option<Vec<String>>,
    /// The kind of the object that ends the run, its code, and a text of its message.
    end: Option<(&'static str, Option<String>, Vec<String>)>,
    exit: Option<i32>,
    line: Option<usize>,
    /// Runs may differ where the expectations leave it open.
    pub unordered: bool,
}

/// What a buffer must hold.
struct Values {
    buffer: String,
    range: Range,
    texts: Vec<String>,
}

#[derive(PartialEq)]
enum Range {
    Whole,
    From(usize),
    Each,
}

impl Expectations {
    /// Reads the comments of a source.
    pub fn read(source: &str) -> Result<Self, String> {
        let mut all = Self::default();
        for (index, line) in source.lines().enumerate() {
            if line.contains("//~") {
                all.line = Some(index + 1);
            }
            if let Some(comment) = line.strip_prefix("// ") {
                all.comment(comment.trim()).map_err(|why| format!("line {}: {why}", index + 1))?;
            }
        }
        let placed = all.finding.as_ref().is_some_and(|(code, _)| code != "launch");
        if placed != all.line.is_some() {
            return Err("a finding needs its line marked with `//~`, and only a finding does".into());
        }
        let expects =
            all.finding.is_some() || all.end.is_some() || all.prints.is_some() || !all.values.is_empty();
        if expects { Ok(all) } else { Err("says nothing of what it must give".into()) }
    }

    fn comment(&mut self, comment: &str) -> Result<(), String> {
        let (word, rest) = comment.split_once(' ').unwrap_or((comment, ""));
        let names = || rest.split_whitespace().map(str::to_owned);
        match word {
            "expect" | "expect-all" => self.expect(word, rest)?,
            "prints" => {
                let text = quoted(rest)?.concat();
                *self.prints.get_or_insert_default() += &text;
            }
            "finding" => {
                let (code, texts) = rest.split_once(' ').unwrap_or((rest, ""));
                self.finding = Some((code.into(), quoted(texts)?));
            }
            "in" if names().count() == 1 => self.function = names().next(),
            "called" if rest.starts_with("from ") => self.calls = Some(names().skip(1).collect()),
            "thread" if rest.contains(" of ") => self.thread = Some(coordinates(rest)?),
            "register" => {
                let (name, value) = rest.split_once(" = ").ok_or("write `register %r = V`")?;
                self.registers.push((name.into(), value.into()));
            }
            "source" if rest.contains(':') => self.source = Some(rest.into()),
            "inlined" if rest.starts_with("at ") => self.inlined_at = Some(names().skip(1).collect()),
            "limit" => self.end = Some(("limit", Some(rest.into()), Vec::new())),
            "invalid" => self.end = Some(("invalid", Some(rest.into()), Vec::new())),
            "unsupported" => self.end = Some(("unsupported", None, quoted(rest)?)),
            "exit" => self.exit = Some(rest.parse().map_err(|_| format!("`{rest}` is no exit status"))?),
            "unordered" if rest.is_empty() => self.unordered = true,
            _ => {}
        }
        Ok(())
    }

    fn expect(&mut self, word: &str, rest: &str) -> Result<(), String> {
        let (what, values) = rest.split_once('=').ok_or("write `expect NAME = VALUES`")?;
        let what = what.trim();
        let (buffer, range) = match what.strip_suffix(']').and_then(|w| w.split_once('[')) {
            Some((name, from)) => {
                (name, Range::From(from.parse().map_err(|_| format!("`{from}` is no index"))?))
            }
            None if word == "expect-all" => (what, Range::Each),
            None => (what, Range::Whole),
        };
        let texts = list(values)?;
        let before = self.values.iter_mut().find(|v| v.buffer == buffer && v.range == Range::Whole);
        match before {
            Some(before) if range == Range::Whole => before.texts.extend(texts),
            _ => self.values.push(Values { buffer: buffer.into(), range, texts }),
        }
        Ok(())
    }

    /// The buffers that expectations speak of.
    pub fn buffers(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.values.iter().map(|v| v.buffer.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What a run does not keep to.
    pub fn broken_by(&self, outcome: &Outcome) -> Vec<String> {
        let mut wrong = Vec::new();
        let exit = self.exit.unwrap_or(match (&self.finding, &self.end) {
            (Some((code, _)), _) if code == "trap" => 134,
            (Some(_), _) | (_, Some(("limit", ..))) => 3,
            (_, Some(("invalid", ..))) => 2,
            (_, Some(("unsupported", ..))) => 4,
            _ => 0,
        });
        let last = outcome.objects.iter().find(|o| !matches!(o["kind"].as_str(), Some("print" | "result")));
        if outcome.code != Some(exit) {
            let words = last.map_or_else(String::new, |o| format!(": {o}"));
            wrong.push(format!("exit {:?} instead of {exit}{words}", outcome.code));
            return wrong;
        }
        if let Some((code, texts)) = &self.finding {
            match outcome.kind("finding") {
                Some(finding) => self.check_finding(finding, code, texts, &mut wrong),
                None => wrong.push("no finding".into()),
            }
        }
        if let Some((kind, code, texts)) = &self.end {
            let found = outcome.kind(kind).cloned().unwrap_or_default();
            if code.as_ref().is_some_and(|code| found["code"] != **code) {
                wrong.push(format!("not {kind} {code:?}: {found}"));
            }
            wrong.extend(missing(&found, texts));
        }
        for values in &self.values {
            match outcome.buffers.get(&values.buffer) {
                Some((ty, bytes)) => wrong.extend(values.broken_by(ty, bytes)),
                None => wrong.push(format!("there is no buffer `{}` after the run", values.buffer)),
            }
        }
        if let Some(prints) = &self.prints {
            let printed = outcome.printed();
            let same = if self.unordered { sorted(prints) == sorted(&printed) } else { *prints == printed };
            if !same {
                wrong.push(format!("prints {printed:?} instead of {prints:?}"));
            }
        }
        wrong
    }

    fn check_finding(&self, finding: &Value, code: &str, texts: &[String], wrong: &mut Vec<String>) {
        let mut same = |what: &str, expected: Value, found: &Value| {
            if expected != *found {
                wrong.push(format!("{what} is {found} instead of {expected}"));
            }
        };
        same("the finding", json!(code), &finding["code"]);
        same("the line", json!(self.line), &finding["line"]);
        if let Some(function) = &self.function {
            same("the function", json!(function), &finding["function"]);
        }
        if let Some(thread) = &self.thread {
            let found = &finding["thread"];
            same("the thread", thread.clone(), &json!([found["tid"], found["ctaid"]]));
        }
        if let Some(calls) = &self.calls {
            let found = finding["calls"].as_array().into_iter().flatten().map(|c| c["function"].clone());
            same("the list of calls", json!(calls), &found.collect());
        }
        let line = |at: &Value| {
            format!("{}:{}:{}", at["file"].as_str().unwrap_or_default(), at["line"], at["column"])
        };
        if let Some(source) = &self.source {
            same("the source", json!(source), &json!(line(&finding["source"])));
        }
        if let Some(outer) = &self.inlined_at {
            let found = finding["source"]["inlined_at"].as_array().into_iter().flatten().map(line);
            same("the place it was inlined at", json!(outer), &found.collect());
        }
        for (name, value) in &self.registers {
            let shown = finding["registers"].as_array().into_iter().flatten().find(|r| r["name"] == **name);
            let found = shown.and_then(|r| r["value"].as_str()).unwrap_or("not shown");
            let found =
                if value == "…" { without_addresses(found).replace("0x…", "…") } else { found.into() };
            same(name, json!(value), &json!(found));
        }
        wrong.extend(missing(finding, texts));
    }
}

/// The texts that stand neither in an object's message nor in its notes.
fn missing(object: &Value, texts: &[String]) -> Vec<String> {
    let notes = object["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let said: Vec<&str> = object["message"].as_str().into_iter().chain(notes).collect();
    let lacking = texts.iter().filter(|text| !said.iter().any(|s| s.contains(text.as_str())));
    lacking.map(|text| format!("{text:?} is not said in {said:?}")).collect()
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines.sort_unstable();
    lines
}

/// `X,Y,Z of X,Y,Z` as the thread's and the CTA's coordinates.
fn coordinates(text: &str) -> Result<Value, String> {
    let read = |part: &str| -> Result<Vec<u32>, String> {
        part.split(',').map(|n| n.trim().parse().map_err(|_| format!("`{n}` is no coordinate"))).collect()
    };
    let (tid, ctaid) = text.split_once(" of ").ok_or("write `thread X,Y,Z of X,Y,Z`")?;
    Ok(json!([read(tid)?, read(ctaid)?]))
}

/// Texts in double quotes, with JSON's escapes.
pub fn quoted(text: &str) -> Result<Vec<String>, String> {
    let mut texts = Vec::new();
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<String>();
    for text in stream.by_ref() {
        texts.push(text.map_err(|e| format!("`{text:?}`: {e}", text = "a text"))?);
    }
    Ok(texts)
}

/// A list of values with its repetitions and ranges written out.
fn list(text: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = if rest.starts_with('(') {
            let close = rest.find(')').ok_or("a list lacks its `)`")?;
            close + rest[close..].find(' ').unwrap_or(rest.len() - close)
        } else {
            rest.find(' ').unwrap_or(rest.len())
        };
        let (item, after) = rest.split_at(end);
        rest = after.trim_start();
        let number = |text: &str| text.parse::<i64>().map_err(|_| format!("`{text}` is no number"));
        if let Some((values, times)) = item.rsplit_once('*') {
            let values = list(values.trim_start_matches('(').trim_end_matches(')'))?;
            for _ in 0..number(times)? {
                all.extend(values.iter().cloned());
            }
        } else if let Some((from, to)) = item.split_once("..") {
            let (to, step) = to.split_once(':').unwrap_or((to, "1"));
            let (to, step) = (number(to)?, number(step)?);
            let mut at = number(from)?;
            while if step > 0 { at <= to } else { step < 0 && at >= to } {
                all.push(at.to_string());
                at += step;
            }
        } else {
            all.push(item.into());
        }
    }
    Ok(all)
}

impl Values {
    fn broken_by(&self, ty: &str, bytes: &[u8]) -> Option<String> {
        let size = ty[1..].trim_start_matches('f').parse::<usize>().unwrap_or(8) / 8;
        let elements: Vec<u64> = bytes.chunks_exact(size).map(word).collect();
        let name = &self.buffer;
        let (from, count) = match self.range {
            Range::Whole if self.texts.len() != elements.len() => {
                return Some(format!(
                    "`{name}` has {} elements, {} are told",
                    elements.len(),
                    self.texts.len()
                ));
            }
            Range::Whole => (0, elements.len()),
            Range::From(from) => (from, self.texts.len()),
            Range::Each => (0, elements.len()),
        };
        for offset in 0..count {
            let text = &self.texts[offset % self.texts.len().max(1)];
            let found = elements.get(from + offset).copied();
            let expected = match bits(ty, size, text) {
                Some(expected) => expected,
                None => return Some(format!("`{text}` is no {ty}")),
            };
            if found != Some(expected) {
                let found = found.map_or("nothing".into(), |f| format!("{f} = {f:#x}"));
                let at = from + offset;
                let all: Vec<u64> = elements.iter().copied().take(32).collect();
                return Some(format!(
                    "{name}[{at}] is {found} instead of {text} = {expected:#x}; all: {all:?}"
                ));
            }
        }
        None
    }
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// The bits of a value of a type.
fn bits(ty: &str, size: usize, text: &str) -> Option<u64> {
    let least = |bits: u64| if size == 8 { bits } else { bits & ((1 << (8 * size)) - 1) };
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    match ty {
        "f32" => match text.strip_prefix("0f") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => text.parse::<f32>().ok().map(|v| v.to_bits().into()),
        },
        "f64" => match text.strip_prefix("0d") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => text.parse::<f64>().ok().map(f64::to_bits),
        },
        _ => text.parse::<i128>().ok().map(|v| least(v as u64)),
    }
}
