//! The entry points of the graphics interfaces, beside what the driver of an H200 without a display answered.

use serde_json::{Value, json};

use crate::client::{alone, call, context, from, is_alone, record};

/// Calls an entry point with the words of a recorded row.
fn answer(row: &Value) -> u32 {
    let (zeros, mut lists) = (vec![[0u8; 4096]; 8], Vec::new());
    let mut words = Vec::new();
    for (place, word) in row[1].as_array().unwrap().iter().enumerate() {
        words.push(match word.as_str() {
            Some("out" | "handle") => from(&zeros[place]),
            Some("handles") => {
                lists.push(Box::new(from(&zeros[place])));
                from(&**lists.last().unwrap())
            }
            _ => word.as_u64().unwrap(),
        });
    }
    call(row[0].as_str().unwrap(), &words)
}

/// Compares all rows with one column of the record.
fn compare(column: usize) {
    let record = record("graphics");
    for row in record.as_array().unwrap() {
        let told = match &row[column] {
            // The driver dies of these; they are wrong arguments, or nothing that is supported.
            Value::String(_) => json!(1),
            // The driver makes a context for VDPAU of nothing and finds no memory for it.
            Value::Number(n) if row[0] == "cuVDPAUCtxCreate" && *n == 2.into() => json!(1),
            told => told.clone(),
        };
        assert_eq!(json!(answer(row)), told, "{row} in column {column}");
    }
}

#[test]
fn with_a_context() {
    context();
    compare(4);
}

#[test]
fn without_a_context() {
    assert_eq!(call("cuInit", &[0]), 0);
    call("cuCtxSetCurrent", &[0]);
    compare(3);
}

#[test]
fn before_the_driver_is_initialised() {
    if is_alone() {
        return compare(2);
    }
    let output = alone("graphics::before_the_driver_is_initialised", ("PTXVM_TEST_GRAPHICS", "1"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
