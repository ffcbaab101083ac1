//! Forms that came after PTX 9.2 and that no device has yet.

use super::form::Form;

/// Words that only sm_107 takes.
const OF_SM_107: [&str; 16] = [
    "override::global_address",
    "im2col_no_offs::w",
    "pzo",
    "scaled::n1::ue8m0",
    "multicast::cluster::32b",
    "kind::ti16",
    "decompress::lut::b",
    "collector::b::fill",
    "collector::b::use",
    "collector::b::lastuse",
    "collector::b::discard",
    "sync_restrict::shared::read::mma::a",
    "spcompress",
    "generic::fabric",
    "fabric::generic",
    "fabric::fabric",
];

/// Whether a form is of no device that there is: only sm_107 takes it, or it orders the accesses of a fabric.
pub(super) fn is_of_no_device(form: &Form<'_>) -> bool {
    let words = || form.words().chain(form.modifiers());
    let named = words().any(|word| OF_SM_107.contains(&word) || word.starts_with("mbarrier::report::"));
    named
        || match form.opcode() {
            "cvt" => is_new_conversion(form),
            "set" => {
                form.slot("dtype").is_none()
                    && words().any(|word| matches!(word, "u8x4" | "s8x4" | "u16x2" | "s16x2"))
            }
            "add" | "sub" | "mul" | "fma" => {
                words().any(|word| word == "f32x2") && words().any(|word| matches!(word, "f16x2" | "bf16x2"))
                    || form.name() == "mul" && form.says("f16x2") && form.says("bf16x2")
            }
            "cp" => form.says("prefetch") && form.says("L2::evict_last"),
            "ldmatrix" => form.says("s4"),
            // The other allocations of the multiprocessor would have to be waited for.
            "tcgen05" => form.says("exclusive"),
            _ => false,
        }
}

/// Conversions to formats of 8 bits and fewer are rounded towards zero on sm_107 alone, which alone has `.ue5m3x2`.
fn is_new_conversion(form: &Form<'_>) -> bool {
    let narrow = ["e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2", "s2f6x2"];
    form.says("ue5m3x2") || form.has("rz") && form.modifiers().any(|word| narrow.contains(&word))
}
