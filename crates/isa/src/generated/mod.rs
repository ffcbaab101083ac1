//! Written by `cargo xtask isa` from `isa/*.isa`; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]

mod s9_7_1_integer;
mod s9_7_10_sparse;
mod s9_7_10_texture;
mod s9_7_11_fabric;
mod s9_7_11_surface;
mod s9_7_12_control;
mod s9_7_13_atomics;
mod s9_7_13_fence_mbarrier;
mod s9_7_13_sync;
mod s9_7_14_mma;
mod s9_7_14_wmma;
mod s9_7_15_wgmma;
mod s9_7_16_tcgen05;
mod s9_7_17_stack;
mod s9_7_18_video;
mod s9_7_19_misc;
mod s9_7_2_extended;
mod s9_7_3_floating;
mod s9_7_4_half;
mod s9_7_5_mixed;
mod s9_7_6_alternate;
mod s9_7_6_comparison;
mod s9_7_7_half_comparison;
mod s9_7_8_logic;
mod s9_7_9_async_copy;
mod s9_7_9_cvt;
mod s9_7_9_load_store;
mod s9_7_9_movement;
mod s9_7_9_tensor_copy;
mod tables;
mod words;

mod prelude {
    pub use super::words::Number::*;
    pub use crate::table::*;
    pub use crate::target::Platform;
    pub use crate::types::Type;
    use crate::target::{Suffix, Target, Version};

    #[allow(non_snake_case)]
    pub const fn V(major: u8, minor: u8) -> Version { Version::new(major, minor) }
    #[allow(non_snake_case)]
    pub const fn P(sm: u16) -> Target { Target { sm, suffix: Suffix::Plain } }
    #[allow(non_snake_case)]
    pub const fn F(sm: u16) -> Target { Target { sm, suffix: Suffix::Family } }
    #[allow(non_snake_case)]
    pub const fn A(sm: u16) -> Target { Target { sm, suffix: Suffix::Arch } }
    pub const S9_7_1_INTEGER: u16 = 0;
    pub const S9_7_10_SPARSE: u16 = S9_7_1_INTEGER + super::s9_7_1_integer::ROWS.len() as u16;
    pub const S9_7_10_TEXTURE: u16 = S9_7_10_SPARSE + super::s9_7_10_sparse::ROWS.len() as u16;
    pub const S9_7_11_FABRIC: u16 = S9_7_10_TEXTURE + super::s9_7_10_texture::ROWS.len() as u16;
    pub const S9_7_11_SURFACE: u16 = S9_7_11_FABRIC + super::s9_7_11_fabric::ROWS.len() as u16;
    pub const S9_7_12_CONTROL: u16 = S9_7_11_SURFACE + super::s9_7_11_surface::ROWS.len() as u16;
    pub const S9_7_13_ATOMICS: u16 = S9_7_12_CONTROL + super::s9_7_12_control::ROWS.len() as u16;
    pub const S9_7_13_FENCE_MBARRIER: u16 = S9_7_13_ATOMICS + super::s9_7_13_atomics::ROWS.len() as u16;
    pub const S9_7_13_SYNC: u16 = S9_7_13_FENCE_MBARRIER + super::s9_7_13_fence_mbarrier::ROWS.len() as u16;
    pub const S9_7_14_MMA: u16 = S9_7_13_SYNC + super::s9_7_13_sync::ROWS.len() as u16;
    pub const S9_7_14_WMMA: u16 = S9_7_14_MMA + super::s9_7_14_mma::ROWS.len() as u16;
    pub const S9_7_15_WGMMA: u16 = S9_7_14_WMMA + super::s9_7_14_wmma::ROWS.len() as u16;
    pub const S9_7_16_TCGEN05: u16 = S9_7_15_WGMMA + super::s9_7_15_wgmma::ROWS.len() as u16;
    pub const S9_7_17_STACK: u16 = S9_7_16_TCGEN05 + super::s9_7_16_tcgen05::ROWS.len() as u16;
    pub const S9_7_18_VIDEO: u16 = S9_7_17_STACK + super::s9_7_17_stack::ROWS.len() as u16;
    pub const S9_7_19_MISC: u16 = S9_7_18_VIDEO + super::s9_7_18_video::ROWS.len() as u16;
    pub const S9_7_2_EXTENDED: u16 = S9_7_19_MISC + super::s9_7_19_misc::ROWS.len() as u16;
    pub const S9_7_3_FLOATING: u16 = S9_7_2_EXTENDED + super::s9_7_2_extended::ROWS.len() as u16;
    pub const S9_7_4_HALF: u16 = S9_7_3_FLOATING + super::s9_7_3_floating::ROWS.len() as u16;
    pub const S9_7_5_MIXED: u16 = S9_7_4_HALF + super::s9_7_4_half::ROWS.len() as u16;
    pub const S9_7_6_ALTERNATE: u16 = S9_7_5_MIXED + super::s9_7_5_mixed::ROWS.len() as u16;
    pub const S9_7_6_COMPARISON: u16 = S9_7_6_ALTERNATE + super::s9_7_6_alternate::ROWS.len() as u16;
    pub const S9_7_7_HALF_COMPARISON: u16 = S9_7_6_COMPARISON + super::s9_7_6_comparison::ROWS.len() as u16;
    pub const S9_7_8_LOGIC: u16 = S9_7_7_HALF_COMPARISON + super::s9_7_7_half_comparison::ROWS.len() as u16;
    pub const S9_7_9_ASYNC_COPY: u16 = S9_7_8_LOGIC + super::s9_7_8_logic::ROWS.len() as u16;
    pub const S9_7_9_CVT: u16 = S9_7_9_ASYNC_COPY + super::s9_7_9_async_copy::ROWS.len() as u16;
    pub const S9_7_9_LOAD_STORE: u16 = S9_7_9_CVT + super::s9_7_9_cvt::ROWS.len() as u16;
    pub const S9_7_9_MOVEMENT: u16 = S9_7_9_LOAD_STORE + super::s9_7_9_load_store::ROWS.len() as u16;
    pub const S9_7_9_TENSOR_COPY: u16 = S9_7_9_MOVEMENT + super::s9_7_9_movement::ROWS.len() as u16;
}

static ROWS: [crate::table::Row; 1003] = {
    let mut all = [crate::table::Row::BLANK; 1003];
    let mut at = 0;
    let mut i = 0;
    while i < s9_7_1_integer::ROWS.len() {
        all[at] = s9_7_1_integer::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_10_sparse::ROWS.len() {
        all[at] = s9_7_10_sparse::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_10_texture::ROWS.len() {
        all[at] = s9_7_10_texture::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_11_fabric::ROWS.len() {
        all[at] = s9_7_11_fabric::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_11_surface::ROWS.len() {
        all[at] = s9_7_11_surface::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_12_control::ROWS.len() {
        all[at] = s9_7_12_control::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_13_atomics::ROWS.len() {
        all[at] = s9_7_13_atomics::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_13_fence_mbarrier::ROWS.len() {
        all[at] = s9_7_13_fence_mbarrier::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_13_sync::ROWS.len() {
        all[at] = s9_7_13_sync::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_14_mma::ROWS.len() {
        all[at] = s9_7_14_mma::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_14_wmma::ROWS.len() {
        all[at] = s9_7_14_wmma::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_15_wgmma::ROWS.len() {
        all[at] = s9_7_15_wgmma::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_16_tcgen05::ROWS.len() {
        all[at] = s9_7_16_tcgen05::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_17_stack::ROWS.len() {
        all[at] = s9_7_17_stack::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_18_video::ROWS.len() {
        all[at] = s9_7_18_video::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_19_misc::ROWS.len() {
        all[at] = s9_7_19_misc::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_2_extended::ROWS.len() {
        all[at] = s9_7_2_extended::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_3_floating::ROWS.len() {
        all[at] = s9_7_3_floating::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_4_half::ROWS.len() {
        all[at] = s9_7_4_half::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_5_mixed::ROWS.len() {
        all[at] = s9_7_5_mixed::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_6_alternate::ROWS.len() {
        all[at] = s9_7_6_alternate::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_6_comparison::ROWS.len() {
        all[at] = s9_7_6_comparison::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_7_half_comparison::ROWS.len() {
        all[at] = s9_7_7_half_comparison::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_8_logic::ROWS.len() {
        all[at] = s9_7_8_logic::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_9_async_copy::ROWS.len() {
        all[at] = s9_7_9_async_copy::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_9_cvt::ROWS.len() {
        all[at] = s9_7_9_cvt::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_9_load_store::ROWS.len() {
        all[at] = s9_7_9_load_store::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_9_movement::ROWS.len() {
        all[at] = s9_7_9_movement::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let mut i = 0;
    while i < s9_7_9_tensor_copy::ROWS.len() {
        all[at] = s9_7_9_tensor_copy::ROWS[i];
        (at, i) = (at + 1, i + 1);
    }
    let _ = at;
    all
};

/// The table.
pub static ISA: crate::table::Isa = crate::table::Isa {
    words: words::WORDS,
    word_types: words::WORD_TYPES,
    sections: tables::SECTIONS,
    rows: &ROWS,
    opcodes: tables::OPCODES,
    meanings: tables::MEANINGS,
    sregs: tables::SREGS,
    directives: tables::DIRECTIVES,
    targets: tables::TARGETS,
    tolerated: tables::TOLERATED,
};
