//! Where the results of two runs differ: the buffer, the first element, and its value in either. No order is promised to a
//! program between threads that nothing orders, so that results which depend on it are a finding.

use ptxvm_report::Message;
use ptxvm_report::number::{grouped, plural};
use serde_json::{Value, json};

use super::job::Job;
use super::table::Outcome;
use crate::seeds::{Shown, Way, runs};

/// The code of the finding.
const CODE: &str = "order-dependent";

/// How far addresses of a device lie from the lowest, at most.
const RANGE: u64 = 1 << 40;

/// Gives addresses that another run has left the values that they have on the first run's device: the devices lie at
/// different places (`origins`), and a pointer to the same thing is no difference.
pub fn readdress<'o>(
    first: impl Iterator<Item = &'o Outcome>,
    other: impl Iterator<Item = &'o mut Outcome>,
    origins: [u64; 2],
) {
    let offset = |bytes: &[u8; 8], origin: u64| u64::from_le_bytes(*bytes).wrapping_sub(origin);
    for (first, other) in first.zip(other).filter(|(first, other)| first.after != other.after) {
        let (words, _) = first.after.as_chunks::<8>();
        let (others, _) = other.after.as_chunks_mut::<8>();
        for (word, other) in words.iter().zip(others).filter(|(word, other)| word != other) {
            let offsets = [offset(word, origins[0]), offset(other, origins[1])];
            if offsets[0] == offsets[1] && offsets[0] < RANGE {
                *other = *word;
            }
        }
    }
}

/// The first difference between two runs.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    buffer: String,
    /// Its place, by the buffer's dimensions.
    index: Vec<u64>,
    /// What the first run has left there, and the other.
    values: [String; 2],
    /// In how many elements of the buffer they differ.
    count: u64,
}

impl Difference {
    /// The first in what two runs have left, bit for bit.
    pub fn of<'o>(
        first: impl Iterator<Item = &'o Outcome>,
        other: impl Iterator<Item = &'o Outcome>,
    ) -> Option<Difference> {
        let (first, other) = first.zip(other).find(|(first, other)| first.after != other.after)?;
        let element = first.before.element;
        let size = element.bytes();
        let pairs = || first.after.chunks_exact(size).zip(other.after.chunks_exact(size)).enumerate();
        let differs = |(_, (a, b)): &(usize, (&[u8], &[u8]))| a != b;
        let (at, (a, b)) = pairs().find(differs)?;
        let shown = |bytes: &[u8]| element.number(element.load(bytes)).to_string();
        let mut values = [shown(a), shown(b)];
        if values[0] == values[1] {
            let bits = |bytes: &[u8]| format!("{:#0width$x}", element.load(bytes), width = 2 + 2 * size);
            values = [a, b].map(|bytes| format!("{} ({})", shown(bytes), bits(bytes)));
        }
        Some(Difference {
            buffer: first.name.clone(),
            index: index(at as u64, &first.before.shape),
            values,
            count: pairs().filter(differs).count() as u64,
        })
    }

    /// The finding: for people and for programs. `first` is the run that the others are compared with, `other` the first
    /// that differs, and `differing` are all that do, of so many.
    pub fn finding(
        &self,
        job: &Job<'_>,
        differing: &Shown,
        [first, other]: [Way; 2],
        compared: usize,
    ) -> (Message, Value) {
        let text = format!(
            "the results depend on the order of execution: {} of {} differ from those of {first}",
            grouped(differing.count() as u64),
            runs(compared)
        );
        let list: Vec<String> = self.index.iter().map(u64::to_string).collect();
        let [with_first, with_other] = &self.values;
        let note = format!(
            "`{}[{}]` is {with_first} with {first}, and {with_other} with {other}; {} of it {}",
            self.buffer,
            list.join(","),
            plural(self.count as usize, "element"),
            if self.count == 1 { "differs" } else { "differ" },
        );
        let advice =
            "nothing that the program does decides which; `--check` looks for accesses that nothing orders";
        let notes = [note, advice.to_owned()];
        let mut message = Message::new(text.clone()).id(CODE);
        message.notes.extend(notes.clone());
        let value = |way: Way, value: &str| json!({ "seed": way.seed, "async": way.asynchrony.map(|when| when.name()), "value": value });
        let object = json!({
            "kind": "finding",
            "severity": "error",
            "stopped": false,
            "code": CODE,
            "message": text,
            "notes": notes,
            "file": job.report.name,
            "kernel": job.kernel().name(),
            "buffer": self.buffer,
            "index": self.index,
            "differing_elements": self.count,
            "values": [value(first, with_first), value(other, with_other)],
        });
        (message, object)
    }
}

/// The place of an element by dimensions.
pub fn index(mut at: u64, shape: &[u64]) -> Vec<u64> {
    let mut index: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&size| {
            let size = size.max(1);
            let here = at % size;
            at /= size;
            here
        })
        .collect();
    index.reverse();
    index
}

#[cfg(test)]
mod tests {
    use super::super::contents::HostBuffer;
    use super::super::element::Element;
    use super::*;

    fn outcome(element: Element, shape: &[u64], bytes: &[u8]) -> Outcome {
        let before =
            HostBuffer { element, shape: shape.to_vec(), bytes: bytes.to_vec(), is_unwritten: false };
        Outcome { parameter: 0, name: "out".into(), before: before.into(), after: bytes.to_vec() }
    }

    #[test]
    fn the_same_place_on_another_device_is_no_difference() {
        let words = |words: [u64; 3]| outcome(Element::U32, &[6], &words.map(u64::to_le_bytes).concat());
        let first = words([0x2000_0000_0040, 7, 0x2000_0000_0040]);
        let mut other = words([0x2100_0000_0040, 7, 0x2100_0000_0048]);
        readdress([&first].into_iter(), [&mut other].into_iter(), [0x2000_0000_0000, 0x2100_0000_0000]);
        let difference = Difference::of([&first].into_iter(), [&other].into_iter());
        assert_eq!(difference.map(|difference| difference.index), Some(vec![4]));
    }

    #[test]
    fn the_first_element_is_named_by_its_dimensions() {
        let bytes = [
            outcome(Element::U8, &[2, 3], &[0, 1, 2, 3, 4, 5]),
            outcome(Element::U8, &[2, 3], &[0, 1, 2, 3, 9, 9]),
        ];
        let [first, other] = bytes;
        let difference = Difference::of([first].iter(), [other].iter()).expect("they differ");
        let expected = Difference {
            buffer: "out".into(),
            index: vec![1, 1],
            values: ["4".into(), "9".into()],
            count: 2,
        };
        assert_eq!(difference, expected);
        let float = |value: f32| [outcome(Element::F32, &[1], &value.to_le_bytes())];
        assert_eq!(Difference::of(float(1.0).iter(), float(1.0).iter()), None);
        let zeros =
            Difference::of(float(0.333_333_34).iter(), float(0.333_333_37).iter()).expect("they differ");
        assert_eq!(zeros.values, ["0.333333 (0x3eaaaaab)", "0.333333 (0x3eaaaaac)"]);
    }
}
