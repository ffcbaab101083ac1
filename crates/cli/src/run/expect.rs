//! `--expect NAME=FILE[,rtol=…][,atol=…]`: what a buffer must hold after the run. Without a tolerance bits are compared;
//! with one, numbers as `numpy.allclose` compares them.

use ptxvm_report::number::grouped;

use super::bind::Value;
use super::contents::HostBuffer;
use super::element::{Element, Number};
use super::host_memory::HostMemory;
use super::save;
use super::table::Outcome;

/// What is expected of a buffer.
#[derive(Debug)]
pub struct Expectation {
    /// The parameter's index.
    pub parameter: usize,
    /// As it was written.
    pub option: String,
    element: Element,
    bytes: Vec<u8>,
    tolerance: Option<Tolerance>,
}

/// How far a number may be from the one that is expected: by so much, and by so much of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tolerance {
    absolute: f64,
    relative: f64,
}

/// Reads the options and what they name, so that nothing runs in vain.
pub fn plan(
    options: &[String],
    names: &[&str],
    values: &[Value],
    memory: &HostMemory,
) -> Result<Vec<Expectation>, String> {
    let one = |option: &String| {
        one(option, names, values, memory).map_err(|why| format!("`--expect {option}`: {why}"))
    };
    options.iter().map(one).collect()
}

fn one(option: &str, names: &[&str], values: &[Value], memory: &HostMemory) -> Result<Expectation, String> {
    let (name, rest) =
        option.split_once('=').ok_or("write NAME=FILE, NAME=FILE,rtol=1e-5 or NAME=[1,2,3]")?;
    let (parameter, element, shape) = save::buffer(name, names, values)?;
    let (what, tolerance) = tolerance(rest)?;
    let expected = if let Some(list) = what.strip_prefix('[').and_then(|what| what.strip_suffix(']')) {
        let mut bytes = Vec::new();
        for value in list.split(',').map(str::trim) {
            element.store(element.parse(value)?, &mut bytes);
        }
        let shape = vec![(bytes.len() / element.bytes()) as u64];
        HostBuffer { element, shape, bytes, is_unwritten: false }
    } else if what.is_empty() {
        return Err("the file's name is missing".to_owned());
    } else {
        let bare = (!what.ends_with(".npy")).then_some(element);
        HostBuffer::from_file(what, bare, None, memory)?
    };
    let (has, wants) = (count(&shape), count(&expected.shape));
    if has != wants {
        let (has, wants) = (grouped(has), grouped(wants));
        return Err(format!("`{}` has {has} elements, and {wants} are expected", names[parameter]));
    }
    if expected.element != element && tolerance.is_none() {
        let (is, wanted) = (element.name(), expected.element.name());
        return Err(format!(
            "`{}` is {is}, and {wanted} is expected; with a tolerance (rtol=1e-6) numbers are compared, without one bits",
            names[parameter]
        ));
    }
    Ok(Expectation {
        parameter,
        option: option.to_owned(),
        element: expected.element,
        bytes: expected.bytes,
        tolerance,
    })
}

fn count(shape: &[u64]) -> u64 {
    shape.iter().product()
}

/// What stands before the tolerances, and these.
fn tolerance(mut text: &str) -> Result<(&str, Option<Tolerance>), String> {
    let mut tolerance: Option<Tolerance> = None;
    while let Some((rest, last)) = text.rsplit_once(',') {
        let Some((name, number)) = last.trim().split_once('=') else { break };
        let value: f64 = number
            .parse()
            .ok()
            .filter(|value: &f64| *value >= 0.0)
            .ok_or_else(|| format!("{name}={number}: {number} is no number of 0 or more"))?;
        let said = tolerance.get_or_insert_default();
        match name {
            "rtol" => said.relative = value,
            "atol" => said.absolute = value,
            _ => return Err(format!("{name}={number}: there are rtol=… and atol=…")),
        }
        text = rest;
    }
    Ok((text.trim(), tolerance))
}

/// What is wrong with a buffer.
#[derive(Debug, PartialEq)]
pub struct Wrong {
    /// How many elements are.
    pub count: u64,
    /// The first of them.
    pub first: Pair,
    /// That which is furthest off, and how far; not for bits.
    pub furthest: Option<(Pair, f64)>,
}

/// An element that is wrong: its number, what it is, and what it should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub at: u64,
    is: (Element, u64),
    expected: (Element, u64),
}

impl Expectation {
    /// Compares what a run has left in the buffer.
    pub fn wrong(&self, outcome: &Outcome) -> Option<Wrong> {
        let element = outcome.before.element;
        let pairs =
            outcome.after.chunks_exact(element.bytes()).zip(self.bytes.chunks_exact(self.element.bytes()));
        let mut wrong: Option<Wrong> = None;
        for (at, (is, expected)) in (0u64..).zip(pairs) {
            let pair = Pair {
                at,
                is: (element, element.load(is)),
                expected: (self.element, self.element.load(expected)),
            };
            let Some(distance) = self.distance(pair) else { continue };
            let wrong = wrong.get_or_insert(Wrong { count: 0, first: pair, furthest: None });
            wrong.count += 1;
            if self.tolerance.is_some() && wrong.furthest.is_none_or(|(_, furthest)| distance > furthest) {
                wrong.furthest = Some((pair, distance));
            }
        }
        wrong
    }

    /// How far an element is from what is expected, if that is too far. NaN is as expected where NaN is, as infinity is where
    /// the same infinity is, and infinitely far from all else.
    fn distance(&self, pair: Pair) -> Option<f64> {
        let Some(Tolerance { absolute, relative }) = self.tolerance else {
            return (pair.is.1 != pair.expected.1).then_some(f64::INFINITY);
        };
        let [is, expected] = [pair.is, pair.expected].map(|(element, bits)| element.number(bits));
        let distance = match (is, expected) {
            (Number::Integer(a), Number::Integer(b)) => a.abs_diff(b) as f64,
            _ => (is.as_f64() - expected.as_f64()).abs(),
        };
        let (is, expected) = (is.as_f64(), expected.as_f64());
        if is.is_nan() && expected.is_nan() || is == expected && is.is_infinite() {
            return None;
        }
        let allowed = absolute + relative * expected.abs();
        if distance.is_nan() || expected.is_infinite() {
            return Some(f64::INFINITY);
        }
        (distance > allowed).then_some(distance)
    }
}

impl Pair {
    /// What it is and what it should be, with their bits if they look the same.
    pub fn shown(&self) -> [String; 2] {
        let [is, expected] = [self.is, self.expected];
        let shown = [is, expected].map(|(element, bits)| element.number(bits).to_string());
        if shown[0] != shown[1] {
            return shown;
        }
        [is, expected].map(|(element, bits)| {
            format!("{} ({bits:#0width$x})", element.number(bits), width = 2 + 2 * element.bytes())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(tolerance: Option<Tolerance>, is: &[f32], expected: &[f32]) -> Option<Wrong> {
        let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        let element = Element::F32;
        let expectation =
            Expectation { parameter: 0, option: String::new(), element, bytes: bytes(expected), tolerance };
        let before =
            HostBuffer { element, shape: vec![is.len() as u64], bytes: Vec::new(), is_unwritten: false };
        expectation.wrong(&Outcome {
            parameter: 0,
            name: "y".into(),
            before: before.into(),
            after: bytes(is),
        })
    }

    #[test]
    fn bits_are_compared_without_a_tolerance_and_numbers_with_one() {
        assert_eq!(wrong(None, &[0.0], &[-0.0]).map(|wrong| wrong.count), Some(1));
        let some = |absolute, relative| Some(Tolerance { absolute, relative });
        assert_eq!(wrong(some(0.0, 0.0), &[0.0, f32::NAN], &[-0.0, f32::NAN]), None);
        assert_eq!(wrong(some(0.0, 0.1), &[1.05, 110.0], &[1.0, 100.5]), None);
        let found =
            wrong(some(0.0, 0.1), &[1.0, 1.2, 9.0, 1.0], &[1.0, 1.0, 1.0, 1.0]).expect("two are wrong");
        assert_eq!((found.count, found.first.at), (2, 1));
        assert_eq!(found.furthest.map(|(pair, distance)| (pair.at, distance)), Some((2, 8.0)));
        let infinite = f32::INFINITY;
        assert_eq!(wrong(some(1.0, 1.0), &[infinite], &[infinite]), None);
        for (is, expected) in [(infinite, -infinite), (1.0, infinite), (f32::NAN, 1.0), (1.0, f32::NAN)] {
            assert_eq!(
                wrong(some(1.0, 1.0), &[is], &[expected]).map(|wrong| wrong.count),
                Some(1),
                "{is} {expected}"
            );
        }
    }

    #[test]
    fn tolerances_stand_at_the_end() {
        let both = Some(Tolerance { absolute: 2.0, relative: 1e-5 });
        assert_eq!(tolerance("a,b.npy,rtol=1e-5,atol=2"), Ok(("a,b.npy", both)));
        assert_eq!(tolerance("[1,2]"), Ok(("[1,2]", None)));
        for wrong in ["a,rtol=-1", "a,tol=1", "a,atol=x", "a,rtol=nan"] {
            assert!(tolerance(wrong).is_err(), "{wrong}");
        }
    }
}
