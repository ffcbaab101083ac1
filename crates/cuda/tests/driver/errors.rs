//! Results in words.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};

use serde_json::Value;

use crate::client::{call, record, to};

fn text(function: &str, result: u64) -> (u32, Option<String>) {
    let mut text: *const c_char = std::ptr::dangling();
    let answer = call(function, &[result, to(&mut text)]);
    // SAFETY: it is null or a string that stays.
    let words = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned());
    (answer, words)
}

#[test]
fn names_and_strings_are_the_driver_s() {
    for (result, told) in record("errors").as_object().unwrap() {
        let Ok(result) = result.parse() else { continue };
        let [name_answer, name, words_answer, words] = &told.as_array().unwrap()[..] else {
            panic!("{told}")
        };
        let said = |(answer, text): (u32, Option<String>)| (Value::from(answer), Value::from(text));
        assert_eq!(said(text("cuGetErrorName", result)), (name_answer.clone(), name.clone()), "{result}");
        assert_eq!(said(text("cuGetErrorString", result)), (words_answer.clone(), words.clone()), "{result}");
    }
}

#[test]
fn unknown_results_have_none() {
    for result in [9, 12345, u64::from(u32::MAX)] {
        assert_eq!(text("cuGetErrorName", result), (1, None));
        assert_eq!(text("cuGetErrorString", result), (1, None));
    }
    assert_eq!(call("cuGetErrorName", &[0, 0]), 1);
}
