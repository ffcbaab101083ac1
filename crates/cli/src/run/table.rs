//! The table of buffers after a run: a few numbers about their contents, and whether the kernel changed them.

use std::io::{self, Write};
use std::sync::Arc;

use ptxvm_report::number::{general, grouped};
use serde_json::{Value, json};

use super::contents::HostBuffer;
use super::element::Number;

/// A buffer before and after the run.
pub struct Outcome {
    /// The index of its parameter.
    pub parameter: usize,
    pub name: String,
    pub before: Arc<HostBuffer>,
    pub after: Vec<u8>,
}

/// What is worth knowing of a buffer's numbers; those that are not numbers are only counted.
#[derive(Debug, PartialEq)]
struct Summary {
    least: Option<Number>,
    most: Option<Number>,
    mean: Option<f64>,
    nans: u64,
    changed: u64,
    count: u64,
}

impl Outcome {
    fn summary(&self) -> Summary {
        let element = self.before.element;
        let size = element.bytes();
        let mut s = Summary { least: None, most: None, mean: None, nans: 0, changed: 0, count: 0 };
        let mut sum = 0.0;
        for (after, before) in self.after.chunks_exact(size).zip(self.before.bytes.chunks_exact(size)) {
            s.count += 1;
            s.changed += u64::from(after != before);
            let number = element.number(element.load(after));
            let value = number.as_f64();
            if value.is_nan() {
                s.nans += 1;
                continue;
            }
            sum += value;
            if s.least.is_none_or(|least| number.less(least)) {
                s.least = Some(number);
            }
            if s.most.is_none_or(|most| most.less(number)) {
                s.most = Some(number);
            }
        }
        s.mean = (s.count > s.nans).then(|| sum / (s.count - s.nans) as f64);
        s
    }

    fn first(&self, count: usize) -> impl Iterator<Item = Number> {
        let element = self.before.element;
        self.after.chunks_exact(element.bytes()).take(count).map(move |b| element.number(element.load(b)))
    }

    /// The buffer in the object that closes a run.
    pub fn json(&self, shown: usize) -> Value {
        let s = self.summary();
        json!({
            "name": self.name,
            "type": self.before.element.name(),
            "shape": self.before.shape,
            "min": s.least.map(Number::json),
            "max": s.most.map(Number::json),
            "mean": s.mean.map(|m| Number::Float(m).json()),
            "nans": s.nans,
            "changed": s.changed,
            "first": self.first(shown).map(Number::json).collect::<Vec<_>>(),
        })
    }
}

impl Number {
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Integer(n) => n as f64,
            Number::Float(x) => x,
        }
    }

    fn less(self, other: Number) -> bool {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => a < b,
            (a, b) => a.as_f64() < b.as_f64(),
        }
    }

    /// JSON has no infinities; they and NaN are strings there.
    fn json(self) -> Value {
        match self {
            Number::Integer(n) => u64::try_from(n).map_or_else(|_| json!(n as i64), |n| json!(n)),
            Number::Float(x) if x.is_finite() => json!(x),
            Number::Float(x) => json!(general(x)),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Integer(n) => n.fmt(f),
            Number::Float(x) => f.write_str(&general(*x)),
        }
    }
}

/// Writes the table; nothing if there are no buffers.
pub fn write(outcomes: &[Outcome], shown: usize, out: &mut dyn Write) -> io::Result<()> {
    if outcomes.is_empty() {
        return Ok(());
    }
    let head = ["buffer", "type", "min", "max", "mean", "changed", "values"];
    let mut rows: Vec<[String; 7]> = vec![head.map(str::to_owned)];
    rows.extend(outcomes.iter().map(|outcome| row(outcome, shown)));
    let width: Vec<usize> =
        (0..6).map(|c| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0)).collect();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&width) {
            line += &format!("{cell:<width$}  ");
        }
        line += &row[6];
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn row(outcome: &Outcome, shown: usize) -> [String; 7] {
    let s = outcome.summary();
    let or_dash = |number: Option<String>| number.unwrap_or_else(|| "-".to_owned());
    let changed = match s.changed {
        0 => "no".to_owned(),
        n if n == s.count => "all".to_owned(),
        n => format!("{} of {}", grouped(n), grouped(s.count)),
    };
    let mut values: Vec<String> = outcome.first(shown).map(|n| n.to_string()).collect();
    if s.count > values.len() as u64 {
        values.push("…".to_owned());
    }
    if s.nans > 0 {
        values.push(format!("({} nan)", grouped(s.nans)));
    }
    [
        outcome.name.clone(),
        outcome.before.type_name(),
        or_dash(s.least.map(|n| n.to_string())),
        or_dash(s.most.map(|n| n.to_string())),
        or_dash(s.mean.map(general)),
        changed,
        values.join(" "),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::element::Element;
    use super::*;

    fn outcome(element: Element, before: &[&str], after: &[&str]) -> Outcome {
        let bytes = |texts: &[&str]| {
            let mut bytes = Vec::new();
            texts.iter().for_each(|t| element.store(element.parse(t).expect("a number"), &mut bytes));
            bytes
        };
        let shape = vec![before.len() as u64];
        Outcome {
            parameter: 0,
            name: "y".into(),
            before: HostBuffer { element, shape, bytes: bytes(before), is_unwritten: false }.into(),
            after: bytes(after),
        }
    }

    fn shown(outcomes: &[Outcome]) -> String {
        let mut out = Vec::new();
        write(outcomes, 2, &mut out).expect("a vector takes it");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_row_says_what_changed() {
        let text = shown(&[
            outcome(Element::F32, &["0", "1", "2"], &["0", "-1.5", "nan"]),
            outcome(Element::S32, &["1", "2"], &["-3", "5"]),
            outcome(Element::U64, &["18446744073709551615"], &["18446744073709551615"]),
        ]);
        assert_eq!(
            text,
            "buffer  type    min                   max                   mean        changed  values\n\
             y       f32[3]  -1.5                  0                     -0.75       2 of 3   0 -1.5 … (1 nan)\n\
             y       s32[2]  -3                    5                     1           all      -3 5\n\
             y       u64[1]  18446744073709551615  18446744073709551615  1.84467e19  no       18446744073709551615\n"
        );
    }

    #[test]
    fn json_keeps_numbers_that_json_cannot_write() {
        let value = outcome(Element::F32, &["0", "0"], &["inf", "nan"]).json(8);
        assert_eq!(value["first"], json!(["inf", "nan"]));
        assert_eq!((&value["max"], &value["nans"], &value["changed"]), (&json!("inf"), &json!(1), &json!(2)));
    }
}
