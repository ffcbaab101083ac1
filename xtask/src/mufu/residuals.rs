//! Rebuilds recorded answers, which are stored as differences from the correctly rounded function.

use std::path::Path;

use serde_json::Value;

use super::hashes::{BLOCK, Hashes, decompress, description, hash, read};

/// Answers of one function to the inputs `first`, `first + stride`, …
pub struct Recording {
    pub function: String,
    pub first: u32,
    pub stride: u32,
    pub answers: Vec<u32>,
}

impl Recording {
    /// Inputs with their answers.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        (0u32..).map(|i| self.first + i * self.stride).zip(self.answers.iter().copied())
    }
}

/// All recordings: those of the file `residuals`, which `mufu.json` describes, and those of `approx.bin.zst`.
pub fn load(root: &Path, residuals: &Path) -> Result<Vec<Recording>, String> {
    let data = read(residuals)?;
    let mut recordings = Vec::new();
    for entry in entries(&description(root)?["residuals"]) {
        let first = entry["first_input"]
            .as_str()
            .and_then(|t| u32::from_str_radix(t.trim_start_matches("0x"), 16).ok());
        let frame = data.get(number(entry, "offset")?..).ok_or("the residual file is too short")?;
        recordings.push(rebuild(entry, first.ok_or("an entry has no first_input")?, 1, &decompress(frame)?)?);
    }
    check(root, &recordings)?;
    let golden = root.join("tests/golden");
    let data = decompress(&read(&golden.join("approx.bin.zst"))?)?;
    let approx: Value =
        serde_json::from_slice(&read(&golden.join("approx.json"))?).map_err(|e| e.to_string())?;
    for entry in entries(&approx["entries"]).filter(|e| e["kind"] == "residual") {
        let part = data.get(number(entry, "offset")?..).ok_or("approx.bin.zst is too short")?;
        let (first, stride) = (number(entry, "first")? as u32, number(entry, "stride")? as u32);
        recordings.push(rebuild(entry, first, stride, part)?);
    }
    Ok(recordings)
}

fn entries(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn number(entry: &Value, key: &str) -> Result<usize, String> {
    entry[key].as_u64().map(|n| n as usize).ok_or_else(|| format!("an entry has no {key}"))
}

fn rebuild(entry: &Value, first: u32, stride: u32, data: &[u8]) -> Result<Recording, String> {
    let name = entry["name"].as_str().unwrap_or_default();
    let function = name.split('.').next().unwrap_or_default();
    let (count, width) = (number(entry, "count")?, number(entry, "width")?);
    let data = data.get(..count * width).ok_or("a recording is too short")?;
    let exact: fn(f64) -> f64 = match function {
        "rcp" => f64::recip,
        "rsqrt" => |x| 1.0 / x.sqrt(),
        "sqrt" => f64::sqrt,
        "ex2" => f64::exp2,
        "lg2" => f64::log2,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tanh" => f64::tanh,
        _ => return Err(format!("{name} is no function of the unit")),
    };
    let answers = data.chunks_exact(width).zip(0u32..).map(|(bytes, i)| {
        let residual = match *bytes {
            [a] => i32::from(a as i8),
            [a, b] => i32::from(i16::from_le_bytes([a, b])),
            [a, b, c, d] => i32::from_le_bytes([a, b, c, d]),
            _ => 0,
        };
        let x = f32::from_bits(first + i * stride);
        (exact(f64::from(x)) as f32).to_bits().wrapping_add_signed(residual)
    });
    Ok(Recording { function: function.into(), first, stride, answers: answers.collect() })
}

/// A rebuilt answer is as good as this machine's mathematical library; the hashes say whether it is right.
fn check(root: &Path, recordings: &[Recording]) -> Result<(), String> {
    let hashes = Hashes::load(root)?;
    for recording in recordings {
        let name = format!("{}.approx.f32", recording.function);
        let function =
            hashes.names.iter().position(|n| *n == name).ok_or_else(|| format!("no hashes of {name}"))?;
        for (block, answers) in (recording.first >> 16..).zip(recording.answers.chunks_exact(BLOCK as usize))
        {
            if hash(answers.iter().copied()) != hashes.get(function, block) {
                return Err(format!("{name}: block {block:#06x} of the residuals is not what was recorded"));
            }
        }
    }
    Ok(())
}
