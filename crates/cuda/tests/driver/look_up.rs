//! `cuGetProcAddress`: every name in every version.

use serde_json::{Value, json};

use crate::client::{call, from, record, symbol, to};

/// What the driver has for debuggers, and a name that no header has; ptxvm has neither.
fn is_foreign(name: &str) -> bool {
    name.starts_with("cudbg") || name.starts_with("cuMemGetAttribute")
}

fn look_up(name: &str, version: u64, flags: u64) -> (u32, i32, usize) {
    let (name, mut address, mut status) = (format!("{name}\0"), 0usize, -1i32);
    let words = [from(name.as_bytes()), to(&mut address), version, flags, to(&mut status)];
    (call("cuGetProcAddress_v2", &words), status, address)
}

#[test]
fn every_name_leads_to_its_version() {
    let mut compared = 0;
    for (name, told) in record("procs")["names"].as_object().unwrap() {
        for flags in 0..3 {
            let rows = told[flags.to_string()].as_array().unwrap();
            for row in rows {
                let [version, answer, status, function] = &row.as_array().unwrap()[..] else {
                    panic!("{row}")
                };
                let version = version.as_u64().unwrap();
                // The driver that was asked was version 13.0; ptxvm says that it is a newer one.
                if version > 13000 || is_foreign(name) {
                    continue;
                }
                let (our_answer, our_status, address) = look_up(name, version, flags);
                assert_eq!(json!(our_answer), *answer, "{name} {version} {flags}");
                match function {
                    Value::String(function) => {
                        assert_eq!(Some(address), symbol(function), "{name} {version} {flags}");
                    }
                    _ => assert_eq!(address, 0, "{name} {version} {flags}"),
                }
                // Names that came after that driver are known here, and too new for a program of its time.
                if *status != json!(1) || our_status != 2 {
                    assert_eq!(json!(our_status), *status, "{name} {version} {flags}");
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn every_symbol_of_the_driver_is_exported() {
    let exported = &record("procs")["exported"];
    let names = exported.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    let missing: Vec<&str> = names.filter(|name| !is_foreign(name) && symbol(name).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn wrong_questions() {
    let misc = &record("procs")["misc"];
    let answer = |flags| json!([look_up("cuMemAlloc", 12000, flags).0, 0]);
    assert_eq!(answer(3), misc["flags 3"]);
    assert_eq!(answer(4), misc["flags 4"]);
    assert_eq!(look_up("cuMemAlloc", 99000, 0).0, 1, "a version after the driver's");
    let mut function = 1usize;
    let name = from(b"cuMemAlloc\0");
    assert_eq!(
        json!(call("cuGetProcAddress_v2", &[name, to(&mut function), 12000, 0, 0])),
        misc["null status"]
    );
    assert_eq!(Some(function), symbol("cuMemAlloc_v2"));
    assert_eq!(call("cuGetProcAddress_v2", &[0, to(&mut function), 12000, 0, 0]), 1);
    assert_eq!(call("cuGetProcAddress_v2", &[name, 0, 12000, 0, 0]), 1);
    for (name, version, told) in
        [("cuNoSuchThing\0", 12000, "v1 unknown"), ("cuMemAllocAsync\0", 4000, "v1 too new")]
    {
        let mut function = 1usize;
        let answer = call("cuGetProcAddress", &[from(name.as_bytes()), to(&mut function), version, 0]);
        assert_eq!(json!([answer, function]), misc[told]);
    }
}

#[test]
fn no_private_tables() {
    let mut table = 0usize;
    assert_eq!(call("cuGetExportTable", &[to(&mut table), from(&[1u8; 16])]), 500);
    assert_eq!(call("cuGetExportTable", &[to(&mut table), 0]), 1);
    assert_eq!(table, 0);
}
