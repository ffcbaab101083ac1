//! Right and wrong calls: our library answers them as NVIDIA's 13.1 did (`tests/golden/nvjitlink`, recorded by
//! `tests/golden/generate/nvjitlink.py`, which says how to read it).
#![allow(unsafe_code)]

mod client;

use client::{Library, Session, folder};
use serde_json::{Value, json};

/// Calls that ours answers otherwise on purpose: how the case begins, and why.
const OTHERWISE: [(&str, &str); 7] = [
    (
        r#"[["create","-nonsense"],["get","ErrorLog"],["add","#,
        "a link whose options are wrong can do nothing; NVIDIA's takes inputs and crashes when it is completed",
    ),
    (
        r#"[["create","-arch=sm_90"],["add_bytes",3,"?",10,"#,
        "a null pointer is a null pointer whatever it is said to be; for other kinds NVIDIA's crashes",
    ),
    (
        r#"[["create","-arch=sm_90"],["add",2,"caller.ptx","caller.ptx"],["add",2,"other_callee.ptx","#,
        "a function is called with parameters that it does not have; NVIDIA's answers success all the same",
    ),
    (
        r#"[["create","-arch=sm_90"],["add",2,"callee.ptx","callee.ptx"],["add",2,"other_callee.ptx","#,
        "a function is defined twice; NVIDIA's says so on standard error and answers success all the same",
    ),
    (
        r#"[["create","-arch=sm_90"],["add",2,"caller.ptx","caller.ptx"],["complete"],"#,
        "what cannot be linked gives no cubin; NVIDIA's gives one that cannot be loaded",
    ),
    (
        r#"[["create","-arch=sm_90"],["add",2,"missing_variable.ptx","#,
        "what cannot be linked gives no cubin; NVIDIA's gives one that cannot be loaded",
    ),
    (r#"[["create","-arch=sm_90","-lto"],["add","#, "reading LTO-IR needs NVIDIA's library; see lto.rs"),
];

#[test]
fn answers_are_those_of_nvidias_library() {
    // SAFETY: this is the only test of the program, and no thread has been started.
    unsafe { std::env::set_var("PTXVM_NVJITLINK", "/there/is/none") };
    let library = Library::open();
    let text = std::fs::read_to_string(folder().join("answers.json")).expect("the record is there");
    let recorded: Value = serde_json::from_str(&text).expect("it is JSON");
    let cases = recorded["cases"].as_array().expect("it has cases");
    assert!(cases.len() > 300);
    let mut used = [false; OTHERWISE.len()];
    let mut wrong = Vec::new();
    for case in cases {
        let (mut calls, mut expected) = (Vec::new(), Vec::new());
        for step in case.as_array().expect("a list of calls") {
            let (answer, call) = step.as_array().and_then(|s| s.split_last()).expect("a call and an answer");
            calls.push(Value::from(call));
            expected.push(answer.clone());
        }
        let shown = Value::from(calls.clone()).to_string();
        let known = OTHERWISE.iter().position(|(start, _)| shown.starts_with(start));
        let mut session = Session::new(&library);
        let mut same = true;
        for (call, expected) in calls.iter().zip(&expected) {
            // Where NVIDIA's library ended the process, ours only has to survive.
            let answer = session.call(call);
            if expected != "crash" && !alike(&answer, expected) {
                same = false;
                if known.is_none() {
                    wrong.push(format!("{shown}\n  {call}: {answer}, not {expected}"));
                }
            }
        }
        if let Some(known) = known {
            used[known] |= !same;
        }
    }
    assert!(wrong.is_empty(), "{} answers differ:\n{}", wrong.len(), wrong.join("\n"));
    for ((start, why), used) in OTHERWISE.iter().zip(used) {
        assert!(used, "nothing is answered otherwise any more: {start} ({why})");
    }
}

/// Whether an answer is the recorded one. What ptxas and the linker say of PTX, we say in words of our own.
fn alike(answer: &Value, expected: &Value) -> bool {
    let own_words = |text: &Value| {
        text.as_str().is_some_and(|text| {
            ["ptxas ", "Undefined reference", "Multiple definition", "bad input: .."]
                .iter()
                .any(|own| text.contains(own))
        })
    };
    if own_words(&expected[2]) {
        return answer[0] == expected[0]
            && answer[1] == expected[1]
            && own_words(&answer[2])
            && last_line(&answer[2]) == last_line(&expected[2]);
    }
    answer == expected
}

fn last_line(text: &Value) -> Value {
    json!(text.as_str().and_then(|text| text.lines().last()))
}
