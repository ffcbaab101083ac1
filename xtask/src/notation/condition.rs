//! Needs (`ptx 8.6 sm_100a or ptx 8.8 sm_100f`) and rules (`COND => REQ`).

use ptxvm_isa::table::{Ask, Condition, OperandForm, Range, Rule, Slot};
use ptxvm_isa::target::{Need, Platform, Target, Version};

use super::{Loader, leak, leak_all};

/// Reads `8.6`.
pub fn version(text: &str) -> Result<Version, String> {
    let (major, minor) = text.split_once('.').ok_or_else(|| format!("'{text}' is no version"))?;
    match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) => Ok(Version::new(major, minor)),
        _ => Err(format!("'{text}' is no version")),
    }
}

/// Reads `sm_90a|sm_100f`.
pub fn targets(text: &str) -> Result<Vec<Target>, String> {
    text.split('|').map(|t| Target::parse(t).ok_or_else(|| format!("'{t}' is no target"))).collect()
}

/// Reads a need from words such as `ptx 8.6 sm_100a or ptx 8.8 sm_100f`.
pub fn need(words: &[&str]) -> Result<Need, String> {
    let mut platforms = Vec::new();
    for part in words.split(|w| *w == "or") {
        let mut ptx = Version::new(1, 0);
        let mut list = Vec::new();
        let mut part = part.iter();
        while let Some(word) = part.next() {
            match *word {
                "ptx" => ptx = version(part.next().copied().unwrap_or(""))?,
                w if w.starts_with("sm_") => list.extend(targets(w)?),
                w => return Err(format!("'{w}' does not belong in a need")),
            }
        }
        platforms.push(Platform { ptx, targets: leak_all(list) });
    }
    Ok(leak_all(platforms))
}

/// Reads `0..31`, `0..1024/32` (in steps of 32) or `1|2|4`, or a mixture.
pub fn ranges(text: &str) -> Result<Vec<Range>, String> {
    let number = |t: &str| -> Result<i64, String> {
        let (sign, digits) = t.strip_prefix('-').map_or((1, t), |d| (-1, d));
        let value = match digits.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16),
            None => digits.parse::<i64>(),
        };
        value.map(|v| sign * v).map_err(|_| format!("'{t}' is no number"))
    };
    text.split('|')
        .map(|part| match part.split_once("..") {
            Some((low, high)) => {
                let (high, step) = high.split_once('/').unwrap_or((high, "1"));
                Ok(Range { low: number(low)?, high: number(high)?, step: number(step)?.max(1) })
            }
            None => number(part).map(|n| Range { low: n, high: n, step: 1 }),
        })
        .collect()
}

/// Reads a rule of a row with these slots and operand names.
pub fn rule(loader: &mut Loader, text: &str, slots: &[Slot], names: &[&str]) -> Result<Rule, String> {
    let (when, then) = text.split_once("=>").ok_or("a rule needs '=>'")?;
    let when = conditions(loader, &when.split_whitespace().collect::<Vec<_>>(), slots, names)?;
    let words: Vec<&str> = then.split_whitespace().collect();
    let starts = |w: &&str| *w == "ptx" || w.starts_with("sm_");
    let (then, need_words) = words.split_at(words.iter().position(starts).unwrap_or(words.len()));
    let never = then == ["never"];
    let then = if never { Vec::new() } else { conditions(loader, then, slots, names)? };
    let need = if need_words.is_empty() { &[] } else { need(need_words)? };
    if then.is_empty() && need.is_empty() && !never {
        return Err("a rule must ask for something".into());
    }
    Ok(Rule { when: leak_all(when), then: leak_all(then), need, never, text: leak(text) })
}

fn conditions(
    loader: &mut Loader,
    words: &[&str],
    slots: &[Slot],
    names: &[&str],
) -> Result<Vec<Condition>, String> {
    let mut list = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (not, word) = word.strip_prefix('!').map_or((false, *word), |w| (true, w));
        let ask = if word == "ptx" {
            Ask::Ptx(version(words.next().copied().unwrap_or(""))?)
        } else if word == "texmode_independent" {
            Ask::IndependentTextures
        } else if word.starts_with("sm_") {
            Ask::Target(leak_all(targets(word)?))
        } else if word.starts_with('.') {
            modifier(loader, word, slots)?
        } else {
            operand(word, names)?
        };
        list.push(Condition { not, ask });
    }
    Ok(list)
}

fn modifier(loader: &mut Loader, text: &str, slots: &[Slot]) -> Result<Ask, String> {
    let slot_of = |name: &str| slots.iter().position(|s| s.name == &name[1..]).map(|i| i as u8);
    if let Some((slot, values)) = text.split_once('=') {
        let index = slot_of(slot).ok_or_else(|| format!("'{slot}' is no slot of this row"))?;
        let values: Vec<_> = values.split('|').map(|v| loader.word(v)).collect();
        if let Some(bad) = values.iter().find(|v| !slots[usize::from(index)].values.contains(v)) {
            return Err(format!("'{slot}' never holds '.{}'", loader.words[usize::from(*bad)]));
        }
        return Ok(Ask::Holds(index, leak_all(values)));
    }
    if let Some(index) = slot_of(text) {
        return Ok(Ask::Filled(index));
    }
    let word = loader.word(text);
    if !slots.iter().any(|s| s.values.contains(&word)) {
        return Err(format!("no slot of this row can hold '{text}'"));
    }
    Ok(Ask::Word(word))
}

fn operand(text: &str, names: &[&str]) -> Result<Ask, String> {
    if let Some((a, b)) = text.split_once("<=") {
        if let Some(unknown) = [a, b].into_iter().find(|name| !names.contains(name)) {
            return Err(format!("'{unknown}' is no operand of this row"));
        }
        return Ok(Ask::AtMost(leak(a), leak(b)));
    }
    let (name, form) = text.split_once('=').map_or((text, None), |(n, f)| (n, Some(f)));
    if !names.contains(&name) {
        return Err(format!("'{name}' is no operand of this row"));
    }
    let name = leak(name);
    Ok(match form {
        None => Ask::Given(name),
        Some("imm") => Ask::Is(name, OperandForm::Constant),
        Some("reg") => Ask::Is(name, OperandForm::Register),
        Some("vec") => Ask::Is(name, OperandForm::Vector),
        Some(values) => Ask::Within(name, leak_all(ranges(values)?)),
    })
}
