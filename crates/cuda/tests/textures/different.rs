//! The recorded calls that the library answers in another way than the driver did, each with its reason.

use serde_json::Value;

/// Why the library answers a case differently; `None` if it does not.
pub fn reason(case: &Value) -> Option<&'static str> {
    if let Some(sizes) = case["create"].as_array() {
        return create(sizes, &case["answers"]);
    }
    let name = case["name"].as_str().expect("a case has a name");
    DIFFERENT.iter().find(|(names, _)| names.contains(&name)).map(|(_, reason)| *reason)
}

/// Arrays that the driver makes and the library does not.
fn create(sizes: &[Value], answers: &Value) -> Option<&'static str> {
    let sizes: Vec<u64> = sizes.iter().filter_map(Value::as_u64).collect();
    let made = *answers == 0 || answers.is_array();
    if made && sizes[..3].iter().any(|size| *size > u64::from(u32::MAX)) {
        return Some("the driver looks at 32 bits of a size and makes a smaller array; here it is refused");
    }
    if made && sizes[..3] == [8192, 8192, 16_385] && sizes[5] == 0x40 {
        return Some("a sparse array of a terabyte: here its zeros count as memory");
    }
    None
}

const DIFFERENT: &[(&[&str], &str)] = &[
    (
        &[
            "destroyed twice",
            "descriptor of a destroyed array",
            "mipmapped destroyed twice",
            "an array as a mipmapped array",
            "a mipmapped array as an array",
            "destroying a mipmapped array as an array",
            "a level of a destroyed mipmapped array",
            "a made reference destroyed twice",
            "a texture reference as a surface reference",
            "a surface reference as a texture reference",
        ],
        "the driver follows a pointer to what it finds there; here a handle that names nothing of its kind is invalid",
    ),
    (
        &[
            "invented array",
            "invented array descriptor",
            "destroying an array as a mipmapped array",
            "copy to a destroyed array",
            "AtoH of a destroyed array",
            "copy to an invented array",
            "resource type 1 of an array",
            "array as a mipmapped array",
            "texture of an invented array",
            "surface without a place",
            "batch with a null array",
            "a host pitch of 2^40",
            "surface of a destroyed array",
            "an invented reference",
        ],
        "the driver dies",
    ),
    (
        &[
            "0x20x1 8 4 0 flags 0x80: 2D there and back",
            "0x20x1 8 4 0 flags 0x80: 3D there and back",
            "0x20x1 8 4 0 flags 0x80: 2D out of bounds",
            "0x20x1 8 4 0 flags 0x80: 3D out of bounds",
            "0x20x1 8 4 0 flags 0x80: lines",
        ],
        "a copy to an array without memory fails at once here; the driver tells it at the next call",
    ),
    (&["cuMemMapArrayAsync", "cuMemMapArrayAsync of a plain array"], "not supported"),
    (
        &["sparse properties of small arrays 1"],
        "the driver packs the levels of a box of 17 by 17 by 16 texels closer than is known",
    ),
    (
        &["references of independent mode"],
        "the driver does not load a module of independent texture mode, the library does",
    ),
    (
        &[
            "a kernel with an unbound reference",
            "a kernel with an unbound surface reference",
            "a kernel with a destroyed object",
            "a kernel with no object",
            "a kernel with a reference whose array is destroyed",
        ],
        "an H200 reads zeros or what is left; here it is a finding",
    ),
    (
        &["a kernel with an invented object"],
        "the finding of a handle that names nothing is an illegal instruction here, an illegal address on an H200",
    ),
];
