//! The limits, flags and preferences of contexts.

use serde_json::{Value, json};

use crate::client::{call, context, record, to};

fn limit(number: u64) -> Value {
    let mut value = 0usize;
    match call("cuCtxGetLimit", &[to(&mut value), number]) {
        0 => json!(value),
        error => json!(format!("error {error}")),
    }
}

/// The order of settings matters: a stack grows in steps. JSON's objects lose it, so it stands here.
const SETTINGS: [u64; 22] = [
    0,
    1,
    15,
    16,
    17,
    32,
    64,
    100,
    128,
    129,
    1000,
    1024,
    1025,
    4096,
    65536,
    100_000,
    1 << 20,
    (1 << 20) + 1,
    8 << 20,
    1 << 26,
    1 << 30,
    1 << 40,
];

#[test]
fn limits_are_rounded_and_refused_as_recorded() {
    let context = context();
    for (number, told) in record("attributes")["limits"].as_object().unwrap() {
        let number: u64 = number.parse().unwrap();
        assert_eq!(limit(number), told["get"], "limit {number}");
        for value in SETTINGS {
            // How much of its memory the device would give to the heap at most is not known.
            if (number, value) == (2, 1 << 40) {
                continue;
            }
            let answer = call("cuCtxSetLimit", &[number, value]);
            assert_eq!(
                json!([answer, limit(number)]),
                told["set"][value.to_string()],
                "limit {number} = {value}"
            );
        }
    }
    assert_eq!(call("cuCtxDestroy_v2", &[context]), 0);
}

#[test]
fn preferences_are_kept() {
    let context = context();
    let record = record("attributes");
    for (set, get, told) in [
        ("cuCtxSetCacheConfig", "cuCtxGetCacheConfig", &record["set_cache_config"]),
        ("cuCtxSetSharedMemConfig", "cuCtxGetSharedMemConfig", &record["set_shared_config"]),
    ] {
        let first = if get.contains("Cache") { &record["cache_config"] } else { &record["shared_config"] };
        let mut value = 99u32;
        assert_eq!((call(get, &[to(&mut value)]), json!(value)), (0, first.clone()));
        for config in 0..told.as_object().unwrap().len() as u64 {
            let answer = call(set, &[config]);
            let asked = call(get, &[to(&mut value)]);
            assert_eq!(json!([answer, asked, value]), told[config.to_string()], "{set} {config}");
        }
    }
    let (mut least, mut greatest) = (9i32, 9i32);
    assert_eq!(call("cuCtxGetStreamPriorityRange", &[to(&mut least), to(&mut greatest)]), 0);
    assert_eq!(json!([least, greatest]), record["priorities"]);
    assert_eq!(call("cuCtxDestroy_v2", &[context]), 0);
}

#[test]
fn flags_are_checked_and_told() {
    call("cuInit", &[0]);
    let record = record("attributes");
    for (flags, told) in record["flags"].as_object().unwrap() {
        let (mut context, mut value) = (0u64, 999u32);
        let made = call("cuCtxCreate_v2", &[to(&mut context), flags.parse().unwrap(), 0]);
        let asked = (made == 0).then(|| call("cuCtxGetFlags", &[to(&mut value)]));
        assert_eq!(json!([made, asked, value]), *told, "flags {flags}");
        if made == 0 {
            assert_eq!(call("cuCtxDestroy_v2", &[context]), 0);
        }
    }
    let own = context();
    for flags in [1u64, 2, 3, 4, 0, 8, 16, 32, 128, 256] {
        let mut value = 999u32;
        let set = call("cuCtxSetFlags", &[flags]);
        let asked = call("cuCtxGetFlags", &[to(&mut value)]);
        assert_eq!(json!([set, asked, value]), record["set_flags"][flags.to_string()], "set flags {flags}");
    }
    assert_eq!(call("cuCtxDestroy_v2", &[own]), 0);
}

#[test]
fn versions_of_the_api() {
    call("cuInit", &[0]);
    let record = &record("attributes")["api_version"];
    for (name, version, arguments) in [
        ("v1", "cuCtxCreate", 2),
        ("v2", "cuCtxCreate_v2", 2),
        ("v3", "cuCtxCreate_v3", 4),
        ("v4", "cuCtxCreate_v4", 3),
    ] {
        let (mut context, mut value) = (0u64, 0u32);
        let mut words = vec![to(&mut context)];
        words.resize(1 + arguments, 0);
        let made = call(version, &words);
        let asked = call("cuCtxGetApiVersion", &[context, to(&mut value)]);
        assert_eq!(json!([made, asked, value]), record[name], "{version}");
        assert_eq!(call("cuCtxDestroy_v2", &[context]), 0);
    }
}
