//! Devices and their attributes.

use serde_json::{Value, json};

use crate::client::{alone, call, from, is_alone, record, to};

fn attribute(number: i64) -> Value {
    let mut value = -12345i32;
    match call("cuDeviceGetAttribute", &[to(&mut value), number as u64, 0]) {
        0 => json!(value),
        error => json!(format!("error {error}")),
    }
}

fn text(function: &str, length: usize) -> (u32, String) {
    let mut text = vec![b'?'; 64];
    let answer = call(function, &[text.as_mut_ptr() as u64, length as u64, 0]);
    let end = text.iter().position(|&c| c == 0).unwrap_or(0);
    (answer, String::from_utf8_lossy(&text[..end]).into_owned())
}

#[test]
fn an_h200_answers_as_recorded() {
    call("cuInit", &[0]);
    let record = record("attributes");
    for (number, value) in record["attributes"].as_object().unwrap() {
        assert_eq!(attribute(number.parse().unwrap()), *value, "attribute {number}");
    }
    let (mut total, mut major, mut minor, mut properties) = (0usize, 0i32, 0i32, [0i32; 14]);
    assert_eq!(call("cuDeviceTotalMem_v2", &[to(&mut total), 0]), 0);
    assert_eq!(json!([0, total]), record["total_mem"]);
    assert_eq!(call("cuDeviceComputeCapability", &[to(&mut major), to(&mut minor), 0]), 0);
    assert_eq!(json!([0, major, minor]), record["capability"]);
    assert_eq!(call("cuDeviceGetProperties", &[to(&mut properties), 0]), 0);
    assert_eq!(json!([0, properties[..13]]), record["properties"]);
    assert_eq!(text("cuDeviceGetName", 64), (0, record["name"].as_str().unwrap().to_owned()));
    assert_eq!(text("cuDeviceGetName", 8), (0, "NVIDIA ".to_owned()));
    assert_eq!(json!(text("cuDeviceGetPCIBusId", 64)), record["pci_bus_id"]);
    assert_eq!(json!(text("cuDeviceGetPCIBusId", 13)), record["pci_bus_id_13"]);
    assert_eq!(json!(text("cuDeviceGetPCIBusId", 12)), record["pci_bus_id_12"]);
}

#[test]
fn devices_are_found_by_their_place() {
    call("cuInit", &[0]);
    for (place, answer) in record("attributes")["by_pci"].as_object().unwrap() {
        let (mut device, place) = (0i32, format!("{place}\0"));
        let result = call("cuDeviceGetByPCIBusId", &[to(&mut device), from(place.as_bytes())]);
        assert_eq!(json!([result, device]), *answer, "{place}");
    }
}

#[test]
fn the_widest_linear_textures() {
    call("cuInit", &[0]);
    for (form, answer) in record("attributes")["texture_linear"].as_object().unwrap() {
        let (format, channels) = form.split_once('x').unwrap();
        let (format, channels) = (format.parse().unwrap(), channels.parse().unwrap());
        let mut width = 0usize;
        let result = call("cuDeviceGetTexture1DLinearMaxWidth", &[to(&mut width), format, channels, 0]);
        assert_eq!(json!([result, width]), *answer, "{form}");
    }
}

#[test]
fn the_uuid_is_no_real_gpu_s() {
    call("cuInit", &[0]);
    let (mut one, mut two) = ([0u8; 16], [0u8; 16]);
    assert_eq!(call("cuDeviceGetUuid", &[to(&mut one), 0]), 0);
    assert_eq!(call("cuDeviceGetUuid_v2", &[to(&mut two), 0]), 0);
    assert_eq!(one, two);
    assert_eq!((one[6] >> 4, one[8] >> 6), (8, 2), "version 8, variant 1");
}

/// Every profile answers every attribute, and those that the manual gives for its compute capability.
#[test]
fn every_device_has_every_attribute() {
    // Name, compute capability, multiprocessors, CTAs and threads of one, shared memory of one and of a CTA, clusters.
    let known: [(&str, [i32; 8]); 10] = [
        ("h200", [9, 0, 132, 32, 2048, 233_472, 232_448, 1]),
        ("v100", [7, 0, 80, 32, 2048, 98_304, 98_304, 0]),
        ("t4", [7, 5, 40, 16, 1024, 65_536, 65_536, 0]),
        ("a100", [8, 0, 108, 32, 2048, 167_936, 166_912, 0]),
        ("rtx3090", [8, 6, 82, 16, 1536, 102_400, 101_376, 0]),
        ("l40s", [8, 9, 142, 24, 1536, 102_400, 101_376, 0]),
        ("h100", [9, 0, 132, 32, 2048, 233_472, 232_448, 1]),
        ("b200", [10, 0, 148, 32, 2048, 233_472, 232_448, 1]),
        ("b300", [10, 3, 148, 32, 2048, 233_472, 232_448, 1]),
        ("rtx5090", [12, 0, 170, 24, 1536, 102_400, 101_376, 1]),
    ];
    if !is_alone() {
        for (device, _) in known {
            let output = alone("attributes::every_device_has_every_attribute", ("PTXVM_DEVICE", device));
            assert!(output.status.success(), "{device}: {}", String::from_utf8_lossy(&output.stderr));
        }
        return;
    }
    let device = std::env::var("PTXVM_DEVICE").unwrap();
    let (_, numbers) = known.iter().find(|(name, _)| *name == device).unwrap();
    call("cuInit", &[0]);
    for number in 1..=147 {
        assert!(attribute(number).is_i64(), "{device} has attribute {number}");
    }
    let told = [75, 76, 16, 106, 39, 81, 97, 120].map(attribute);
    assert_eq!(told, numbers.map(|n| json!(n)), "{device}");
}
