//! Sweeps: a quarter of a million generated lookups each, of which the H200's answers are kept as hashes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ptxvm_vm::{Buffer, Device, LaunchOptions};
use serde::Deserialize;

use crate::common::golden;
use crate::compare::{self, BLOCK};
use crate::golden::{Case, Golden};
use crate::image::Bound;
use crate::kernel::Kernels;

#[derive(Deserialize)]
struct Description {
    cases: Vec<Sweep>,
}

#[derive(Deserialize)]
struct Sweep {
    #[serde(flatten)]
    case: Case,
    columns: Vec<Column>,
    /// What the texels are made of, unless they are recorded.
    texel_seed: Option<u64>,
    /// Whether the hashes are of the texels after the launch.
    stored: bool,
    /// Threads, or words of the texels, that share a hash.
    block: usize,
    hashes: Vec<u64>,
}

/// How the numbers of one input are made; one of the ranges is given.
#[derive(Deserialize)]
struct Column {
    seed: u64,
    uniform: Option<[f64; 2]>,
    /// How many, and the least.
    integer: Option<[i64; 2]>,
    /// Exponents of floats of either sign.
    float: Option<[u64; 2]>,
}

impl Column {
    fn word(&self, thread: usize) -> u32 {
        let random = word(self.seed, thread);
        if let Some([low, high]) = self.uniform {
            return ((low + (high - low) * ((random >> 40) as f64 / 16_777_216.0)) as f32).to_bits();
        }
        if let Some([count, least]) = self.integer {
            return ((random % count as u64) as i64 + least) as u32;
        }
        let [least, most] = self.float.expect("a range");
        let exponent = least + (random >> 8) % (most - least);
        ((random & 1) << 31 | exponent << 23 | random >> 41) as u32
    }
}

/// A word of the stream with this seed.
fn word(seed: u64, place: usize) -> u64 {
    mix((place as u64 + 1).wrapping_add(seed << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The finaliser of splitmix64.
fn mix(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

impl Sweep {
    /// The first word of its name.
    fn kind(&self) -> &str {
        self.case.name.split('/').next().unwrap_or_default()
    }
}

fn recorded() -> Description {
    serde_json::from_slice(&golden("texture/sweep.json.zst")).expect("the sweeps")
}

/// Fails if a sweep is of none of these kinds.
pub fn all_are_of(kinds: &[&str]) {
    let description = recorded();
    let others: Vec<&str> =
        description.cases.iter().map(Sweep::kind).filter(|kind| !kinds.contains(kind)).collect();
    assert!(others.is_empty(), "sweeps without a test: {others:?}");
}

/// The names of all sweeps.
pub fn names() -> Vec<String> {
    recorded().cases.into_iter().map(|sweep| sweep.case.name).collect()
}

/// Runs every sweep of a kind; fails with the names of those that differ in more hashes than the list of inexact cases
/// says, or in fewer.
pub fn sweeps(kind: &str) {
    let golden_data = Golden::get();
    let mut description = recorded();
    description.cases.retain(|sweep| sweep.kind() == kind);
    assert!(!description.cases.is_empty(), "no sweep is of the kind {kind}");
    let device = Device::default();
    let cases: Vec<&Case> = description.cases.iter().map(|sweep| &sweep.case).collect();
    let kernels = Kernels::load(&device, &cases);
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(sweep) = description.cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let known = golden_data.inexact().find(|inexact| inexact.case == sweep.case.name);
                    let known = known.map_or(0, |inexact| inexact.words);
                    let told = match run(&device, golden_data, &kernels, sweep) {
                        Ok(blocks) if blocks == known => continue,
                        Ok(blocks) => {
                            format!("{blocks} of {} hashes, {known} are known", sweep.hashes.len())
                        }
                        Err(error) => error,
                    };
                    let mut wrong = wrong.lock().expect("no thread panicked");
                    wrong.push(format!("{}: {told}", sweep.case.name));
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no thread panicked");
    wrong.sort();
    let of = description.cases.len();
    assert!(wrong.is_empty(), "{} of {of} sweeps differ:\n  {}", wrong.len(), wrong.join("\n  "));
}

/// How many hashes differ.
fn run(device: &Device, golden: &Golden, kernels: &Kernels, sweep: &Sweep) -> Result<usize, String> {
    let case = &sweep.case;
    let kernel = kernels.of(case).as_ref().map_err(Clone::clone)?;
    let bound = Bound::new(device, golden, case)?;
    if let Some(seed) = sweep.texel_seed {
        let length = bound.texels().len();
        let texels: Vec<u8> = (0..length.div_ceil(8)).flat_map(|n| word(seed, n).to_le_bytes()).collect();
        bound.fill(0, &texels[..length])?;
    }
    let columns = sweep.columns.iter();
    let words: Vec<u32> = columns.flat_map(|column| (0..case.threads).map(|n| column.word(n))).collect();
    let input = Buffer::from_slice(device, &words).expect("memory");
    let output = Buffer::new(device, case.threads * (case.outs + 1) * 4).expect("memory");
    let launch = LaunchOptions::new((case.threads as u32).div_ceil(BLOCK), BLOCK)
        .argument(&input)
        .argument(&output)
        .argument(case.threads as u32)
        .argument(bound.texture)
        .argument(bound.surface);
    kernel.launch(&launch).map_err(|failure| format!("it does not run: {failure}"))?;
    let mut hashes = vec![0u64; sweep.hashes.len()];
    let (words, threads) = if sweep.stored {
        let texels = bound.texels();
        let words: Vec<u32> = texels.chunks_exact(4).map(compare::word).collect();
        let length = words.len();
        (words, length)
    } else {
        (output.to_vec::<u32>()[..case.threads * case.outs].to_vec(), case.threads)
    };
    for (place, word) in words.iter().enumerate() {
        let (column, thread) = (place / threads, place % threads);
        let hash = &mut hashes[thread / sweep.block];
        *hash = hash.wrapping_add(mix(u64::from(*word) ^ mix((thread * 8 + column) as u64)));
    }
    Ok(hashes.iter().zip(&sweep.hashes).filter(|(have, want)| have != want).count())
}
