//! Sequential consistency, twice: by the axioms and the search, and by running the threads one step at a time in every
//! order. Both must find the same states, which tests everything in the search but the axioms of PTX themselves.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use ptxvm_model::event::Proxy;
use ptxvm_model::test::{Action, Observable, Operand, Test, Update};
use ptxvm_model::{Limits, decide, herd, model};

/// Where all threads stand, what their registers hold, what memory holds.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Machine {
    at: Vec<usize>,
    registers: Vec<Vec<i64>>,
    memory: Vec<i64>,
}

/// Whether a test has only what the machine below executes in one step each.
fn plain(test: &Test) -> bool {
    test.threads.iter().all(|thread| {
        thread.code.iter().all(|instruction| {
            let single = match &instruction.action {
                Action::Load { addresses, manner, .. } | Action::Store { addresses, manner, .. } => {
                    addresses.len() == 1 && manner.proxy == Proxy::Generic
                }
                Action::Barrier(_) | Action::Await(_) | Action::TensorBefore | Action::TensorAfter => false,
                _ => true,
            };
            single && instruction.asynchronous.is_none()
        })
    })
}

/// Runs one instruction of a thread.
fn step(test: &Test, machine: &Machine, thread: usize) -> Machine {
    let mut next = machine.clone();
    let value = |operand: Operand| match operand {
        Operand::Register(register) => machine.registers[thread][register],
        Operand::Constant(constant) => constant,
    };
    let location = |address: usize| test.addresses[address].location;
    next.at[thread] += 1;
    match &test.threads[thread].code[machine.at[thread]].action {
        Action::Compute { to, function, left, right } => {
            next.registers[thread][*to] = function.apply(value(*left), value(*right));
        }
        Action::Branch { comparison, left, right, target }
            if comparison.holds(value(*left), value(*right)) =>
        {
            next.at[thread] = *target;
        }
        Action::Load { to, addresses, .. } => {
            next.registers[thread][to[0]] = machine.memory[location(addresses[0])];
        }
        Action::Store { addresses, values, .. } => next.memory[location(addresses[0])] = value(values[0]),
        Action::Atomic { to, address, update, .. } => {
            let old = machine.memory[location(*address)];
            let new = match update {
                Update::Function(function, operand) => function.apply(old, value(*operand)),
                Update::CompareAndSwap(expected, new) if old == value(*expected) => value(*new),
                Update::CompareAndSwap(..) => old,
            };
            next.memory[location(*address)] = new;
            if let Some(to) = to {
                next.registers[thread][*to] = old;
            }
        }
        _ => {}
    }
    next
}

/// Every state that the threads can end in.
fn interleavings(test: &Test) -> BTreeSet<Vec<i64>> {
    let registers = |thread: &ptxvm_model::test::Thread| thread.registers.iter().map(|(_, v)| *v).collect();
    let start = Machine {
        at: vec![0; test.threads.len()],
        registers: test.threads.iter().map(registers).collect(),
        memory: test.locations.iter().map(|location| location.initial).collect(),
    };
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    let mut ends = BTreeSet::new();
    while let Some(machine) = open.pop() {
        let running: Vec<usize> =
            (0..test.threads.len()).filter(|&t| machine.at[t] < test.threads[t].code.len()).collect();
        if running.is_empty() {
            let value = |observable: &Observable| match *observable {
                Observable::Register { thread, register } => machine.registers[thread][register],
                Observable::Memory(location) => machine.memory[location],
            };
            ends.insert(test.observables().iter().map(value).collect());
        }
        for thread in running {
            let next = step(test, &machine, thread);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        assert!(seen.len() < 1_000_000, "{} has too many states", test.name);
    }
    ends
}

#[test]
fn the_axioms_of_sc_allow_what_interleaving_gives() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let folders = std::fs::read_dir(root).expect("litmus tests").flatten().map(|entry| entry.path());
    let files: Vec<PathBuf> = folders
        .filter(|folder| !folder.ends_with("invalid"))
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "litmus"))
        .collect();
    let model = model("sc").expect("a model");
    let mut compared = 0;
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a litmus test");
        let test = herd::parse(&text).expect("a right test");
        if !plain(&test) || test.filter.is_some() {
            continue;
        }
        let verdict = decide(&test, model, &Limits::default()).expect("a small test");
        let found: BTreeSet<Vec<i64>> = verdict.states.into_iter().map(|state| state.values).collect();
        assert_eq!(found, interleavings(&test), "{}", path.display());
        compared += 1;
    }
    assert!(compared > 70, "{compared} tests were compared");
}

/// Random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// An instruction of a thread; `strength` is put behind loads and stores.
    fn instruction(&mut self, register: usize, strength: &str) -> String {
        let location = ["x", "y"][self.below(2) as usize];
        let value = 1 + self.below(2);
        match self.below(7) {
            0 | 1 => format!("st.{strength} {location}, {value}"),
            2 | 3 => format!("ld.{strength} r{register}, {location}"),
            4 => format!("atom.relaxed.sys.add r{register}, {location}, 1"),
            5 => format!("atom.relaxed.sys.cas r{register}, {location}, 0, {value}"),
            _ => format!("atom.relaxed.sys.exch r{register}, {location}, {value}"),
        }
    }

    /// A test with a question about everything; with `fence` between all instructions.
    fn test(&mut self, strength: &str, fence: Option<&str>) -> String {
        let threads = 2 + self.below(2) as usize;
        let length = if threads == 2 { 3 } else { 2 };
        let mut rows = Vec::new();
        for row in 0..length {
            rows.push((0..threads).map(|_| self.instruction(row, strength)).collect::<Vec<String>>());
            rows.extend(fence.map(|fence| vec![fence.to_owned(); threads]));
        }
        let heads: Vec<String> = (0..threads).map(|i| format!("P{i}@cta {i},gpu 0")).collect();
        let values: Vec<String> = (0..threads)
            .flat_map(|thread| (0..length).map(move |register| format!("P{thread}:r{register} = 0;")))
            .collect();
        let asked: Vec<String> = (0..threads)
            .flat_map(|thread| (0..length).map(move |register| format!("P{thread}:r{register} == 0")))
            .collect();
        let rows: Vec<String> = rows.iter().map(|row| format!("{} ;", row.join(" | "))).collect();
        format!(
            "PTX random\n{{ x = 0; y = 0; {} }}\n{} ;\n{}\nexists (x == 0 /\\ y == 0 /\\ {})\n",
            values.join(" "),
            heads.join(" | "),
            rows.join("\n"),
            asked.join(" /\\ ")
        )
    }
}

fn states(test: &Test, name: &str) -> BTreeSet<Vec<i64>> {
    let verdict = decide(test, model(name).expect("a model"), &Limits::default()).expect("a small test");
    assert!(verdict.complete);
    verdict.states.into_iter().map(|state| state.values).collect()
}

/// On random tests: the axioms of SC are interleaving, and whatever SC allows PTX allows, in every version.
#[test]
fn random_tests_agree_with_interleaving() {
    let mut random = Random(7);
    for _ in 0..150 {
        let text = random.test("relaxed.sys", None);
        let test = herd::parse(&text).expect("a right test");
        let sc = states(&test, "sc");
        assert_eq!(sc, interleavings(&test), "{text}");
        for name in ["ptx-9.1", "ptx-7.5", "ptx-6.0"] {
            assert!(sc.is_subset(&states(&test, name)), "{name}:\n{text}");
        }
    }
}

/// fence.sc between all strong accesses gives sequential consistency back (ASPLOS 2019, and 8.10.6 of SB).
#[test]
fn fences_everywhere_make_random_tests_sequentially_consistent() {
    let mut random = Random(11);
    let mut weaker = 0;
    for _ in 0..60 {
        let seed = random.0;
        let text = random.test("relaxed.sys", Some("fence.sc.sys"));
        let test = herd::parse(&text).expect("a right test");
        let sc = states(&test, "sc");
        assert_eq!(states(&test, "ptx-9.1"), sc, "{text}");
        let bare = herd::parse(&Random(seed).test("relaxed.sys", None)).expect("a right test");
        weaker += usize::from(states(&bare, "ptx-9.1") != sc);
    }
    assert!(weaker > 5, "{weaker} of the tests need their fences");
}
