//! Single calls with right and wrong arguments, beside what the driver answered.

use serde_json::{Value, json};

use crate::client::{alone, call, context, from, is_alone, record, recorded_call, to};

#[test]
fn devices() {
    call("cuInit", &[0]);
    let (mut value, mut text, mut bytes) = (0i32, [0u8; 64], 0usize);
    let (value, text, bytes) = (to(&mut value), to(&mut text), to(&mut bytes));
    let calls: &[(&str, &str, &[u64])] = &[
        ("cuInit", "flags 1", &[1]),
        ("cuDeviceGet", "ordinal 1", &[value, 1]),
        ("cuDeviceGet", "ordinal -1", &[value, u64::MAX]),
        ("cuDeviceGet", "null out pointer", &[0, 0]),
        ("cuDeviceGetCount", "null out pointer", &[0]),
        ("cuDriverGetVersion", "null out pointer", &[0]),
        ("cuDeviceGetName", "null out pointer", &[0, 10, 0]),
        ("cuDeviceGetName", "device 7", &[text, 10, 7]),
        ("cuDeviceGetAttribute", "device 7", &[value, 1, 7]),
        ("cuDeviceGetAttribute", "null out pointer", &[0, 1, 0]),
        ("cuDeviceTotalMem_v2", "null out pointer", &[0, 0]),
        ("cuDeviceTotalMem_v2", "device 7", &[bytes, 7]),
        ("cuDeviceGetUuid_v2", "null out pointer", &[0, 0]),
    ];
    for (name, with, arguments) in calls {
        assert_eq!(json!(call(name, arguments)), recorded_call(name, with), "{name} with {with}");
    }
    // A driver that is asked so dies.
    assert_eq!(call("cuDeviceGetName", &[text, 0, 0]), 1);
    let record = record("attributes");
    let mut number = 7u32;
    assert_eq!(json!(call("cuDeviceGetLuid", &[text, to(&mut number), 0])), record["luid"]);
    for kind in 0..3u64 {
        let answer = call("cuDeviceGetExecAffinitySupport", &[to(&mut number), kind, 0]);
        assert_eq!(json!([answer, number]), record["affinity"][kind.to_string()]);
    }
    for kind in 0..6u64 {
        let answer = call("cuDeviceGetP2PAttribute", &[to(&mut number), kind, 0, 0]);
        assert_eq!(json!(answer), record["p2p"][kind.to_string()][0]);
    }
    let told = [
        call("cuDeviceCanAccessPeer", &[to(&mut number), 0, 0]),
        number,
        call("cuDeviceCanAccessPeer", &[to(&mut number), 0, 1]),
        call("cuDeviceCanAccessPeer", &[0, 0, 0]),
    ];
    assert_eq!(json!(told), recorded_call("cuDeviceCanAccessPeer", "itself, device 1, null out pointer"));
}

#[test]
fn contexts() {
    let own = context();
    let (mut made, mut value, mut pair) = (0u64, 0u32, [0u32; 2]);
    let (made, number) = (to(&mut made), to(&mut value));
    let affinity = |count: u32| [0u32, count];
    let (none, eight) = (affinity(0), affinity(8));
    let calls: &[(&str, &str, &[u64])] = &[
        ("cuCtxCreate_v2", "null out pointer", &[0, 0, 0]),
        ("cuCtxCreate_v2", "device 7", &[made, 0, 7]),
        ("cuCtxCreate_v3", "affinity of 0 multiprocessors", &[made, from(&none), 1, 0, 0]),
        ("cuCtxCreate_v3", "affinity of 8 multiprocessors", &[made, from(&eight), 1, 0, 0]),
        ("cuCtxCreate_v3", "affinity null, count 1", &[made, 0, 1, 0, 0]),
        ("cuCtxGetExecAffinity", "type 1", &[to(&mut pair), 1]),
        ("cuCtxGetCurrent", "null out pointer", &[0]),
        ("cuCtxGetDevice", "null out pointer", &[0]),
        ("cuCtxGetLimit", "null out pointer", &[0, 0]),
        ("cuCtxGetApiVersion", "null out pointer", &[own, 0]),
        ("cuCtxGetStreamPriorityRange", "both null", &[0, 0]),
        ("cuCtxPushCurrent_v2", "null", &[0]),
        ("cuCtxDestroy_v2", "null", &[0]),
        ("cuCtxResetPersistingL2Cache", "plain", &[]),
        ("cuCtxSynchronize_v2", "own", &[own]),
        ("cuCtxSynchronize_v2", "null", &[0]),
    ];
    for (name, with, arguments) in calls {
        assert_eq!(json!(call(name, arguments)), recorded_call(name, with), "{name} with {with}");
    }
    assert_eq!(
        json!([call("cuCtxGetExecAffinity", &[to(&mut pair), 0]), pair]),
        recorded_call("cuCtxGetExecAffinity", "type 0")
    );
    let two = |name: &str, arguments: [[u64; 2]; 2]| json!(arguments.map(|words| call(name, &words)));
    assert_eq!(
        two("cuCtxGetDevice_v2", [[number, own], [number, 0]]),
        recorded_call("cuCtxGetDevice_v2", "own, null")
    );
    let told = [
        call("cuCtxEnablePeerAccess", &[own, 0]),
        call("cuCtxDisablePeerAccess", &[own]),
        call("cuCtxEnablePeerAccess", &[0, 0]),
        call("cuCtxDisablePeerAccess", &[0]),
    ];
    assert_eq!(json!(told), recorded_call("cuCtxEnablePeerAccess", "itself"));
    assert_eq!(call("cuCtxEnablePeerAccess", &[own, 1]), 1);
    assert_eq!(json!([call("cuProfilerStart", &[]), call("cuProfilerStop", &[])]), json!([0, 0]));
    assert_eq!(call("cuCtxDestroy_v2", &[own]), 0);
}

/// A driver that is given these dies; here they are refused.
#[test]
fn invented_contexts() {
    let own = context();
    let mut value = 0u64;
    for garbage in [1, 0x1234_5678_9000, u64::MAX] {
        for name in ["cuCtxSetCurrent", "cuCtxPushCurrent_v2", "cuCtxDetach", "cuCtxSynchronize_v2"] {
            assert_eq!(call(name, &[garbage]), 201, "{name}");
        }
        assert_eq!(call("cuCtxDestroy_v2", &[garbage]), 709);
        assert_eq!(call("cuCtxGetApiVersion", &[garbage, to(&mut value)]), 201);
        assert_eq!(call("cuCtxGetId", &[garbage, to(&mut value)]), 201);
    }
    assert_eq!(call("cuCtxDestroy_v2", &[own]), 0);
}

/// Calls of ours out of a record of many, by their names there.
fn ours(words: &str, calls: &[(&str, &str, &[u64])]) {
    let told = recorded_call("sequence", words);
    for (key, name, arguments) in calls {
        let recorded: &Value = if told[key].is_array() { &told[key][0] } else { &told[key] };
        assert_eq!(json!(call(name, arguments)), *recorded, "{key}");
    }
}

#[test]
fn before_anything() {
    if !is_alone() {
        let output = alone("calls::before_anything", ("PTXVM_DEVICE", "h200"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let (mut value, mut handle, mut size) = (0u32, 0u64, 0usize);
    let (value, handle, size) = (to(&mut value), to(&mut handle), to(&mut size));
    ours(
        "before cuInit: every call",
        &[
            ("cuDriverGetVersion", "cuDriverGetVersion", &[value]),
            ("cuGetErrorName", "cuGetErrorName", &[1, handle]),
            ("cuGetProcAddress_v2", "cuGetProcAddress_v2", &[from(b"cuInit\0"), handle, 12000, 0, value]),
            ("cuDeviceGet", "cuDeviceGet", &[value, 0]),
            ("cuDeviceGetCount", "cuDeviceGetCount", &[value]),
            ("cuDeviceGetCount(null)", "cuDeviceGetCount", &[0]),
            ("cuDeviceGetName", "cuDeviceGetName", &[handle, 4, 0]),
            ("cuCtxGetCurrent", "cuCtxGetCurrent", &[handle]),
            ("cuCtxGetCurrent(null)", "cuCtxGetCurrent", &[0]),
            ("cuCtxCreate_v2", "cuCtxCreate_v2", &[handle, 0, 0]),
            ("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain", &[handle, 0]),
            ("cuDevicePrimaryCtxGetState", "cuDevicePrimaryCtxGetState", &[0, value, value]),
            ("cuCtxSynchronize", "cuCtxSynchronize", &[]),
            ("cuInit(1)", "cuInit", &[1]),
            ("cuProfilerStart", "cuProfilerStart", &[]),
            ("cuCtxSetCurrent(null)", "cuCtxSetCurrent", &[0]),
            ("cuCtxPopCurrent_v2", "cuCtxPopCurrent_v2", &[handle]),
            ("cuCtxDestroy_v2(null)", "cuCtxDestroy_v2", &[0]),
            ("cuCtxGetFlags", "cuCtxGetFlags", &[value]),
        ],
    );
    assert_eq!(call("cuInit", &[0]), 0);
    ours(
        "initialised, no context: every call",
        &[
            ("cuCtxSynchronize", "cuCtxSynchronize", &[]),
            ("cuCtxGetDevice", "cuCtxGetDevice", &[value]),
            ("cuCtxPopCurrent_v2", "cuCtxPopCurrent_v2", &[handle]),
            ("cuCtxGetCurrent", "cuCtxGetCurrent", &[handle]),
            ("cuCtxGetLimit", "cuCtxGetLimit", &[size, 0]),
            ("cuCtxSetLimit", "cuCtxSetLimit", &[0, 1024]),
            ("cuCtxGetApiVersion(null)", "cuCtxGetApiVersion", &[0, value]),
            ("cuCtxGetFlags", "cuCtxGetFlags", &[value]),
            ("cuCtxGetId(null)", "cuCtxGetId", &[0, handle]),
            ("cuCtxGetCacheConfig", "cuCtxGetCacheConfig", &[value]),
            ("cuCtxGetStreamPriorityRange", "cuCtxGetStreamPriorityRange", &[value, value]),
            ("cuCtxSetCacheConfig", "cuCtxSetCacheConfig", &[0]),
            ("cuCtxResetPersistingL2Cache", "cuCtxResetPersistingL2Cache", &[]),
            ("cuProfilerStart", "cuProfilerStart", &[]),
            (
                "cuOccupancyMaxActiveBlocksPerMultiprocessor(null)",
                "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                &[value, 0, 32, 0],
            ),
            ("cuCtxDetach(null)", "cuCtxDetach", &[0]),
            ("cuCtxAttach", "cuCtxAttach", &[handle, 0]),
            ("cuCtxSetSharedMemConfig", "cuCtxSetSharedMemConfig", &[0]),
            ("cuCtxSetFlags", "cuCtxSetFlags", &[0]),
        ],
    );
}
