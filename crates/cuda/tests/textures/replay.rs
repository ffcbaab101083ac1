//! Every call about arrays, textures and surfaces that an H200's driver was asked, asked again.

use std::io::Read;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::{Context, answer};
use crate::different::reason;
use crate::machine::Machine;

fn record() -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/driver/textures.json.zst");
    let file = std::fs::read(path).expect("the record is there");
    let mut text = String::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file.as_slice()).expect("it is compressed");
    decoder.read_to_string(&mut text).expect("it is text");
    serde_json::from_str(&text).expect("it is a list")
}

/// What the library answers to a case.
fn run(case: &Value) -> Value {
    let mut machine = Machine::default();
    if let Some(sizes) = case["create"].as_array() {
        return create(&mut machine, sizes);
    }
    let steps = case["steps"].as_array().expect("steps");
    steps.iter().map(|step| machine.step(step.as_array().expect("a step"))).collect()
}

/// Makes an array, asks for its description and destroys it; a description as it was said is not told.
fn create(machine: &mut Machine, said: &[Value]) -> Value {
    let letters = ["q", "q", "q", "d", "d", "d"];
    let fields: Vec<String> =
        letters.iter().zip(said).map(|(letter, size)| format!("{letter}{size}")).collect();
    let structure = json!({ "s": format!("{} z4", fields.join(" ")) });
    if let Some(levels) = said.get(6) {
        let step = [json!("cuMipmappedArrayCreate"), json!("&a"), structure, levels.clone()];
        return match machine.step(&step) {
            made if made == json!(0) => {
                json!([0, machine.step(&[json!("cuMipmappedArrayDestroy"), json!("$a")])])
            }
            refused => refused,
        };
    }
    let made = machine.step(&[json!("cuArray3DCreate_v2"), json!("&a"), structure]);
    if made != json!(0) {
        return made;
    }
    let told = machine.step(&[json!("cuArray3DGetDescriptor_v2"), json!({ "o": 36 }), json!("$a")]);
    let destroyed = machine.step(&[json!("cuArrayDestroy"), json!("$a")]);
    let bytes = said.iter().zip(letters).flat_map(|(size, letter)| {
        let bytes = size.as_u64().expect("a size").to_le_bytes();
        bytes.into_iter().take(if letter == "q" { 8 } else { 4 })
    });
    let same: String = bytes.map(|byte| format!("{byte:02x}")).collect();
    if told == json!([0, same]) && destroyed == json!(0) { json!(0) } else { json!([0, told, destroyed]) }
}

#[test]
#[cfg_attr(sanitized, ignore = "some recorded copies read past the program's own buffer")]
fn every_recorded_call_is_answered_alike() {
    let mut context = Context::new();
    let (mut wrong, mut needless) = (Vec::new(), Vec::new());
    for case in record() {
        let here = run(&case);
        let same = here == case["answers"];
        match reason(&case) {
            None if !same => wrong.push(format!("{}: {} here {here}", title(&case), case["answers"])),
            Some(reason) if same => needless.push(format!("{}: {reason}", title(&case))),
            _ => {}
        }
        // A case may break its context, on both sides.
        if answer("cuCtxSynchronize", ()) != 0 {
            context = Context::new();
        }
    }
    drop(context);
    assert!(wrong.is_empty(), "{} answers differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(needless.is_empty(), "these agree and need no reason:\n{}", needless.join("\n"));
}

fn title(case: &Value) -> String {
    let title = if case["name"].is_null() { &case["create"] } else { &case["name"] };
    title.to_string()
}
