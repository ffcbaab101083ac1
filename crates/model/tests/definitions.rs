//! What the models' texts define and what the predicates of `strength` say is the same.

use std::path::Path;

use ptxvm_model::notation::Step;
use ptxvm_model::{Limits, decide, herd, model, strength};

/// `morally-strong` is defined in the text and once more as a function, for users that need no search.
#[test]
fn the_function_morally_strong_is_the_definition() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus/manual");
    let mut model = model("ptx-9.1").expect("a model").clone();
    let strong = model.slot("morally-strong").expect("a definition");
    let po = model.slot("po").expect("a base relation");
    model.shown = vec![strong, po];
    let mut pairs = 0;
    for entry in std::fs::read_dir(folder).expect("litmus tests").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("a litmus test");
        let test = herd::parse(&text).expect("a right test");
        let verdict = decide(&test, &model, &Limits::default()).expect("a small test");
        let Some(execution) = verdict.witness else { continue };
        let has = |name: &str, from: usize, to: usize| {
            execution.edges.contains(&Step { from, to, relation: name.to_owned() })
        };
        for a in 0..execution.events.len() {
            for b in (0..execution.events.len()).filter(|&b| b != a) {
                let order = has("po", a, b) || has("po", b, a);
                let function = strength::morally_strong(&execution.events[a], &execution.events[b], order);
                assert_eq!(function, has("morally-strong", a, b), "{}: {a} {b}", entry.path().display());
                pairs += usize::from(function);
            }
        }
    }
    assert!(pairs > 20, "{pairs} pairs are morally strong");
}
