//! Occupancy: the machine's arithmetic beside the driver's.

use ptxvm_profile::{Demand, Profile};
use serde_json::Value;

use crate::client::record;

/// The shared memory that a program may ask for where the record says that it has been allowed more.
const ALLOWED: u64 = 232_448;

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

fn h200() -> &'static Profile {
    Profile::named("h200").unwrap()
}

/// A recorded kernel.
struct Kernel {
    registers: u32,
    fixed: u32,
    allowed: u64,
}

impl Kernel {
    fn of(record: &Value, name: &str) -> Self {
        let (name, more) = name.split_once('+').map_or((name, false), |(name, _)| (name, true));
        let attributes = &record["functions"][name];
        let get = |attribute: &str| number(&attributes[attribute]);
        let allowed = if more { ALLOWED } else { u64::from(get("8")) };
        Self { registers: get("4"), fixed: get("1"), allowed }
    }

    fn demand(&self, threads: u32, dynamic: u64, carveout: Option<u32>) -> Option<Demand> {
        let shared = self.fixed + u32::try_from(dynamic).ok().filter(|&n| u64::from(n) <= self.allowed)?;
        Some(Demand { threads, registers: self.registers, shared, carveout })
    }
}

#[test]
fn ctas_of_a_multiprocessor() {
    let record = record("occupancy");
    let mut compared = 0;
    for row in record["blocks"].as_array().unwrap() {
        let [name, threads, dynamic, answer, blocks] = &row.as_array().unwrap()[..] else { continue };
        assert_eq!(*answer, 0);
        let kernel = Kernel::of(&record, name.as_str().unwrap());
        let demand = kernel.demand(number(threads), dynamic.as_u64().unwrap(), None);
        let held = demand.map_or(0, |demand| h200().ctas_per_multiprocessor(&demand));
        assert_eq!(held, number(blocks), "{row}");
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn carveouts() {
    let record = record("occupancy");
    let kernel = Kernel::of(&record, "greedy16");
    for row in record["carveout"].as_array().unwrap() {
        let row = row.as_array().unwrap();
        let Ok(percent) = i32::try_from(row[0].as_i64().unwrap()) else { panic!("{row:?}") };
        if row[1] != 0 {
            continue;
        }
        for (dynamic, blocks) in [0, 8192, 40_000].into_iter().zip(&row[2..]) {
            let demand = kernel.demand(128, dynamic, u32::try_from(percent).ok()).unwrap();
            assert_eq!(h200().ctas_per_multiprocessor(&demand), number(blocks), "{percent}% {dynamic}");
        }
    }
}

#[test]
fn clusters() {
    let record = record("occupancy");
    let mut compared = 0;
    for row in record["clusters"].as_array().unwrap() {
        let [name, threads, Value::Array(size), dynamic, answer, clusters] = &row.as_array().unwrap()[..]
        else {
            continue;
        };
        if *answer != 0 {
            continue;
        }
        // By then the record's script had allowed this kernel more.
        let name = if name == "store" { "store+optin" } else { name.as_str().unwrap() };
        let kernel = Kernel::of(&record, name);
        let demand = kernel.demand(number(threads), dynamic.as_u64().unwrap(), None);
        let size = size.iter().map(number).product();
        assert_eq!(demand.map_or(0, |demand| h200().clusters(&demand, size)), number(clusters), "{row}");
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn room_for_dynamic_shared_memory() {
    let record = record("occupancy");
    for row in record["available"].as_array().unwrap() {
        let [name, ctas, threads, answer, room] = &row.as_array().unwrap()[..] else { panic!("{row}") };
        let kernel = Kernel::of(&record, name.as_str().unwrap());
        let most = h200().ctas_per_multiprocessor(&kernel.demand(number(threads), 0, None).unwrap());
        let ctas = number(ctas);
        assert_eq!((1..=most).contains(&ctas), *answer == 0, "{row}");
        if *answer == 0 {
            let each = u64::from(h200().shared_for_each(ctas, kernel.fixed));
            assert_eq!(each.min(kernel.allowed), room.as_u64().unwrap(), "{row}");
        }
    }
}
