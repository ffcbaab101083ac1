//! What an H200 did with the litmus tests of `tests/litmus` (`tests/litmus/h200/observed.jsonl`), a run with weak memory
//! must be able to do too: each outcome that silicon showed appears under some seed, but for those that are listed here
//! with the reason. And what such a run does the model allows.
//!
//! The kernels are those that ran on the H200 (`ptxvm_model::kernel`), one round of 32 instances a launch. Dat3M's tests and
//! NVlabs' are run too if `PTXVM_LITMUS` names a folder into which `cargo xtask litmus texts` has written them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ptxvm_isa::ISA;
use ptxvm_model::kernel::{self, Preference};
use ptxvm_model::test::Test;
use ptxvm_model::{Limits, herd, model, ptx};
use ptxvm_profile::Profile;
use ptxvm_syntax::Interner;
use ptxvm_vm::{Buffer, Device, Kernel, LaunchOptions, MemoryModel, Settings};
use serde_json::Value;

/// The seeds that are tried of each test, at most.
const SEEDS: u64 = 600;
/// The seeds of a test whose outcomes have all appeared, at least: what the model forbids might be among them.
const LEAST: u64 = 200;

/// What silicon showed and no run does: the test, its home, and why.
const NEVER: &[(&str, &str, &str)] = &[
    (
        "Dat3M/Manual/MICRO24-Fig4b.litmus",
        "global",
        "its atomic operation is executed after a fence that follows it, of too narrow a scope; ours wait for no fence",
    ),
    ("Dat3M/Nvidia/proxy/Proxy-MP-cta-synonym1.litmus", "global", ALIAS),
    ("manual/CoWR-alias-no-fence.litmus", "global", ALIAS),
    ("mixedproxy/MP_cta_synonym.test 1", "global", ALIAS),
];
const ALIAS: &str =
    "it takes one memory at two addresses, which a launch here does not have: both buffers are one";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus")
}

/// Other people's tests, each under the name that it has here.
fn theirs() -> Option<PathBuf> {
    std::env::var_os("PTXVM_LITMUS").map(PathBuf::from)
}

fn is_theirs(name: &str) -> bool {
    name.starts_with("Dat3M/") || name.starts_with("mixedproxy/")
}

/// The text of a test by its name among the observations.
fn text(name: &str) -> String {
    let path = match theirs() {
        Some(theirs) if is_theirs(name) => theirs.join(name),
        _ => folder().join(name),
    };
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read(name: &str, text: &str) -> Test {
    if !name.ends_with(".ptx") {
        return herd::parse(text).unwrap_or_else(|errors| panic!("{name}: {}", errors[0].message));
    }
    let parsed = ptxvm_syntax::parse(text, &Interner::with_words(ISA.words));
    let checked = ptxvm_module::check(&parsed.file, text, &ISA, &ptxvm_module::Options::default());
    let program = ptxvm_ir::lower(&parsed.file, text, &checked.module, &ISA).expect("a program");
    ptx::read(&program, text).unwrap_or_else(|errors| panic!("{name}: {}", errors[0].message))
}

/// What was observed of one test in one home.
struct Observed {
    name: String,
    home: String,
    outcomes: BTreeSet<Vec<i64>>,
}

/// What was observed of the tests whose texts are there.
fn observed() -> Vec<Observed> {
    let text = std::fs::read_to_string(folder().join("h200/observed.jsonl")).expect("the observations");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let values = |row: &Value| -> Vec<i64> {
        let values = row[0].as_array().expect("values");
        values.iter().map(|value| value.as_i64().expect("a number")).collect()
    };
    let of = |line: Value| {
        // The first line is about the machine.
        let name = line["test"].as_str()?.to_owned();
        (theirs().is_some() || !is_theirs(&name)).then(|| Observed {
            name,
            home: line["home"].as_str().unwrap_or_default().to_owned(),
            outcomes: line["outcomes"].as_array().expect("outcomes").iter().map(values).collect(),
        })
    };
    lines.filter_map(of).collect()
}

/// A test's kernel on a device, and its buffers.
struct Player {
    made: kernel::Kernel,
    observables: usize,
    kernel: Kernel,
    locations: Buffer,
    results: Buffer,
    outcomes: Buffer,
    meeting: Buffer,
    scratch: Buffer,
}

/// The words of a table of outcomes: 1,024 keys and counts, and how many runs did not fit or were given up.
const TABLE: usize = 2 * 1024 + 2;

impl Player {
    fn new(device: &Device, test: &Test, text: &str, home: &str) -> Self {
        let preference = if home == "shared" { Preference::Shared } else { Preference::Global };
        let observables = test.observables().len();
        let made =
            kernel::write(test, text, preference).unwrap_or_else(|why| panic!("{}: {}", test.name, why.0));
        let module = device.load(&made.ptx).unwrap_or_else(|error| panic!("{}: {error}", test.name));
        let kernel = module.kernel("litmus").expect("the kernel");
        let buffer = |bytes: usize| Buffer::new(device, bytes).expect("memory");
        Self {
            made,
            observables,
            kernel,
            locations: buffer(1 << 18),
            results: buffer(1 << 18),
            outcomes: buffer(TABLE * 8),
            meeting: buffer(1 << 14),
            scratch: buffer(1 << 12),
        }
    }

    /// The outcomes of a run with a seed.
    fn play(&self, seed: u64) -> BTreeSet<Vec<i64>> {
        let kernel::Kernel { cluster, units, threads, objects, bits, .. } = self.made;
        for buffer in [&self.results, &self.outcomes, &self.meeting] {
            buffer.fill(0);
        }
        let (own, all) = (objects.1.max(1) as u32, objects.0.max(1) as u32);
        let settings = Settings {
            memory_model: MemoryModel::Weak,
            seed,
            timeout: Some(Duration::from_secs(60)),
            ..Settings::default()
        };
        let delay = [0_u32, 63, 255][(seed % 3) as usize];
        let mut launch = LaunchOptions {
            shared: 32 * own * 128,
            settings,
            ..LaunchOptions::new((units * cluster) as u32, (threads * 32) as u32)
        };
        for buffer in
            [&self.locations, &self.locations, &self.results, &self.outcomes, &self.meeting, &self.scratch]
        {
            launch = launch.argument(buffer);
        }
        let (rounds, align) = (1_u32, u32::from(!seed.is_multiple_of(4)));
        for word in [rounds, seed as u32, 1, 0, 128, 128 * all, 128, 128 * own, align, delay, 0, 0, 0] {
            launch = launch.argument(word);
        }
        self.kernel.launch(&launch).unwrap_or_else(|failure| panic!("{failure:?}\n{}", self.made.ptx));
        let table = self.outcomes.to_vec::<u64>();
        assert_eq!(table[TABLE - 2], 0, "the table is full");
        let mask = (1_u64 << bits) - 1;
        let keys = table[..TABLE - 2].chunks(2).map(|entry| entry[0]).filter(|key| *key != 0);
        let values = |key: u64| {
            let value = |at: usize| (key >> (bits as usize * (self.observables - 1 - at)) & mask) as i64;
            (0..self.observables).map(value).collect()
        };
        keys.map(values).collect()
    }
}

/// What came of a test.
#[derive(Default)]
struct Came {
    missing: BTreeSet<Vec<i64>>,
    forbidden: Vec<Vec<i64>>,
}

fn run(device: &Device, observed: &Observed) -> Came {
    let text = text(&observed.name);
    let plain = read(&observed.name, &text);
    let test = kernel::observing_all(&plain);
    let player = Player::new(device, &test, &text, &observed.home);
    let (mut missing, mut seen) = (observed.outcomes.clone(), BTreeSet::new());
    for seed in 1..=SEEDS {
        for outcome in player.play(seed) {
            missing.remove(&outcome);
            seen.insert(outcome);
        }
        if missing.is_empty() && seed >= LEAST {
            break;
        }
    }
    let seen: Vec<_> = seen.into_iter().collect();
    let model = model("ptx-9.1").expect("a model");
    let forbidden = kernel::forbidden(&plain, &seen, model, &Limits::default());
    Came { missing, forbidden: forbidden.unwrap_or_else(|why| panic!("{}: {why}", observed.name)) }
}

#[test]
fn what_silicon_does_a_run_can_do() {
    let profile: &'static Profile = Profile::named("h200").expect("an H200");
    let all = observed();
    assert!(all.len() > 150, "only {} observations", all.len());
    let (next, came) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        let device = Device::new(profile);
        while let Some(observed) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let of = run(&device, observed);
            came.lock().expect("whole").insert((observed.name.clone(), observed.home.clone()), of);
        }
    };
    std::thread::scope(|scope| {
        (0..2).for_each(|_| {
            scope.spawn(work);
        });
    });
    let came = came.into_inner().expect("whole");
    let forbidden: Vec<String> = came
        .iter()
        .filter(|(_, of)| !of.forbidden.is_empty())
        .map(|((name, home), of)| format!("{name} ({home}): {:?}", of.forbidden))
        .collect();
    assert!(forbidden.is_empty(), "forbidden outcomes:\n{}", forbidden.join("\n"));
    let missing: Vec<_> = came
        .iter()
        .filter(|(_, of)| !of.missing.is_empty())
        .map(|((name, home), _)| (name.as_str(), home.as_str()))
        .collect();
    let is_there = |name: &str| all.iter().any(|observed| observed.name == name);
    let never = NEVER.iter().filter(|(name, ..)| is_there(name));
    let never: Vec<_> = never.map(|(name, home, _)| (*name, *home)).collect();
    assert_eq!(missing, never, "what silicon showed and no run does");
}
