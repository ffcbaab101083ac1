//! The module around a tried instruction: registers of every type, a variable in every state space.

use ptxvm_isa::{Language, Version};

/// The lines before the instructions. Each instruction then stands on a line of its own.
pub fn before(language: Language) -> String {
    let at_least = |major, minor| language.ptx >= Version::new(major, minor);
    let mut text = format!(".version {}\n.target {}\n", language.ptx, language.target);
    text += ".address_size 64\n";
    text += ".global .align 128 .b8 gl[1024];\n.const .align 128 .b8 co[1024];\n";
    text += ".global .texref tx;\n.global .surfref su;\n";
    text += ".func (.reg .b32 o) fn(.reg .b32 i) { ret; }\n";
    text += ".visible .entry k(.param .align 128 .b8 pa[1024])\n{\n";
    text += ".reg .pred %p<10>; .reg .b8 %c<10>; .reg .b16 %h<20>; .reg .u16 %hu<10>; .reg .s16 %hs<10>;\n";
    text += ".reg .b32 %r<300>; .reg .u32 %ru<10>; .reg .s32 %rs<10>; .reg .f32 %f<300>;\n";
    text += ".reg .b64 %rd<300>; .reg .u64 %rdu<10>; .reg .s64 %rds<10>; .reg .f64 %fd<20>;\n";
    text += ".reg .f16 %hf<10>; .reg .f16x2 %hx<10>;\n";
    if at_least(8, 3) && language.target.sm >= 70 {
        text += ".reg .b128 %q<10>;\n";
    }
    text +=
        ".param .align 16 .b8 ar[16];\n.shared .align 128 .b8 sm[1024];\n.local .align 128 .b8 lo[1024];\n";
    text += "L0:\nBT: .branchtargets L0;\nCP: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n";
    text
}

/// The lines after them.
pub const AFTER: &str = "ret;\n}\n";

/// A module with these instructions, and the number of the line the first stands on.
pub fn module(language: Language, instructions: &[&str]) -> (String, usize) {
    let mut text = before(language);
    let first = text.lines().count() + 1;
    for instruction in instructions {
        text += instruction;
        text.push('\n');
    }
    (text + AFTER, first)
}
