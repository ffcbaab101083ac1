//! What the same launches left in the memory of an H200 (`tests/golden/corpus.*`), bit for bit.

use serde::Deserialize;

use crate::common::golden;
use crate::launches::{Case, Run};

#[derive(Deserialize)]
struct Recorded {
    cases: Vec<RecordedCase>,
}

#[derive(Deserialize)]
struct RecordedCase {
    case: String,
    outcomes: Vec<Outcome>,
}

/// What some files of a kernel gave alike.
#[derive(Deserialize)]
struct Outcome {
    variants: Vec<String>,
    /// The buffers that changed.
    buffers: Vec<Changed>,
}

#[derive(Deserialize)]
struct Changed {
    position: usize,
    length: usize,
    /// Where its bytes lie; large ones have only the hashes of their blocks.
    offset: Option<usize>,
    #[serde(default)]
    hashes: Vec<u64>,
}

/// The H200's answers.
pub struct Golden {
    recorded: Recorded,
    outputs: Vec<u8>,
}

const BLOCK: usize = 4096;

impl Golden {
    pub fn read() -> Self {
        let recorded = serde_json::from_slice(&golden("corpus.json.zst")).expect("the description");
        Self { recorded, outputs: golden("corpus.outputs.zst") }
    }

    /// The cases that were recorded.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.recorded.cases.iter().map(|c| c.case.as_str())
    }

    /// How a run differs from the H200's; `None` if it was not recorded.
    pub fn compare(&self, case: &Case, run: &Run) -> Option<Result<(), String>> {
        let name = case.name();
        let recorded = self.recorded.cases.iter().find(|c| c.case == name)?;
        let outcome = recorded.outcomes.iter().find(|o| o.variants.contains(&run.file.variant))?;
        for buffer in run.buffers.iter().filter(|b| !b.volatile) {
            let changed = outcome.buffers.iter().find(|c| c.position == buffer.position);
            let differs = match changed {
                Some(changed) => self.differs(changed, &buffer.after),
                None => first(&buffer.before, &buffer.after),
            };
            if let Some(differs) = differs {
                return Some(Err(format!("argument {}: {differs}", buffer.position)));
            }
        }
        Some(Ok(()))
    }

    fn differs(&self, changed: &Changed, after: &[u8]) -> Option<String> {
        if after.len() != changed.length {
            return Some(format!("{} bytes, the H200 had {}", after.len(), changed.length));
        }
        if let Some(offset) = changed.offset {
            return first(&self.outputs[offset..offset + changed.length], after);
        }
        let hashes = after.chunks(BLOCK).map(hash);
        let at = hashes.zip(&changed.hashes).position(|(have, want)| have != *want)?;
        Some(format!("the {BLOCK} bytes from {} on differ", at * BLOCK))
    }
}

fn first(want: &[u8], have: &[u8]) -> Option<String> {
    let at = want.iter().zip(have).position(|(w, h)| w != h)?;
    let word = at / 8 * 8;
    let end = (word + 8).min(want.len());
    let count = want.chunks(4).zip(have.chunks(4)).filter(|(w, h)| w != h).count();
    Some(format!(
        "{count} words differ; the bytes from {word} on are {:02x?}, the H200 gave {:02x?}",
        &have[word..end],
        &want[word..end]
    ))
}

fn mix(z: u64) -> u64 {
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The hash of a block: each word, mixed with its place.
fn hash(block: &[u8]) -> u64 {
    let word = |i: usize| {
        let bytes = std::array::from_fn(|b| block.get(8 * i + b).copied().unwrap_or(0));
        mix(u64::from_le_bytes(bytes) ^ mix(i as u64 + 1))
    };
    (0..BLOCK / 8).map(word).fold(0, u64::wrapping_add)
}

#[test]
fn the_script_for_the_h200_hashes_the_same() {
    let bytes: Vec<u8> = (0..5000).map(|i| i as u8).collect();
    let hashes: Vec<u64> = bytes.chunks(BLOCK).map(hash).collect();
    assert_eq!(hashes, [3_524_756_382_601_910_041, 2_579_943_245_708_569_267]);
}
