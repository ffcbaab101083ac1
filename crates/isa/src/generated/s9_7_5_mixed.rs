//! Written by `cargo xtask isa` from `isa/*.isa`; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]
#![allow(unused_imports)]

use crate::generated::prelude::*;

pub static ROWS: [Row; 3] = [
    // add{.rnd}{.sat}.f32.atype d:.f32, %a:.atype, c:.f32
    Row {
        section: 142,
        head: "add{.rnd}{.sat}.f32.atype d:.f32, %a:.atype, c:.f32",
        name: &[w_add as Word],
        slots: &[Slot { name: "rnd", values: &[w_rn as Word, w_rz as Word, w_rm as Word, w_rp as Word], optional: true }, Slot { name: "sat", values: &[w_sat as Word], optional: true }, Slot { name: "f32", values: &[w_f32 as Word], optional: false }, Slot { name: "atype", values: &[w_f16 as Word, w_bf16 as Word], optional: false }],
        operands: &[Operand { name: "d", shape: Shape::Register, ty: TypeOf::Slot(2), written: true, ..Operand::BLANK }, Operand { name: "a", shape: Shape::Register, ty: TypeOf::Slot(3), ..Operand::BLANK }, Operand { name: "c", shape: Shape::Value, ty: TypeOf::Slot(2), ..Operand::BLANK }],
        lists: &[&[0, 1, 2]],
        need: &[Platform { ptx: V(8, 6), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[&[2, 3]],
        rules: &[],
        notes: &[],
    },
    // sub{.rnd}{.sat}.f32.atype d:.f32, %a:.atype, c:.f32
    Row {
        section: 143,
        head: "sub{.rnd}{.sat}.f32.atype d:.f32, %a:.atype, c:.f32",
        name: &[w_sub as Word],
        slots: &[Slot { name: "rnd", values: &[w_rn as Word, w_rz as Word, w_rm as Word, w_rp as Word], optional: true }, Slot { name: "sat", values: &[w_sat as Word], optional: true }, Slot { name: "f32", values: &[w_f32 as Word], optional: false }, Slot { name: "atype", values: &[w_f16 as Word, w_bf16 as Word], optional: false }],
        operands: &[Operand { name: "d", shape: Shape::Register, ty: TypeOf::Slot(2), written: true, ..Operand::BLANK }, Operand { name: "a", shape: Shape::Register, ty: TypeOf::Slot(3), ..Operand::BLANK }, Operand { name: "c", shape: Shape::Value, ty: TypeOf::Slot(2), ..Operand::BLANK }],
        lists: &[&[0, 1, 2]],
        need: &[Platform { ptx: V(8, 6), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[&[2, 3]],
        rules: &[],
        notes: &[],
    },
    // fma.rnd{.sat}.f32.abtype d:.f32, %a:.abtype, %b:.abtype, c:.f32
    Row {
        section: 144,
        head: "fma.rnd{.sat}.f32.abtype d:.f32, %a:.abtype, %b:.abtype, c:.f32",
        name: &[w_fma as Word],
        slots: &[Slot { name: "rnd", values: &[w_rn as Word, w_rz as Word, w_rm as Word, w_rp as Word], optional: false }, Slot { name: "sat", values: &[w_sat as Word], optional: true }, Slot { name: "f32", values: &[w_f32 as Word], optional: false }, Slot { name: "abtype", values: &[w_f16 as Word, w_bf16 as Word], optional: false }],
        operands: &[Operand { name: "d", shape: Shape::Register, ty: TypeOf::Slot(2), written: true, ..Operand::BLANK }, Operand { name: "a", shape: Shape::Register, ty: TypeOf::Slot(3), ..Operand::BLANK }, Operand { name: "b", shape: Shape::Register, ty: TypeOf::Slot(3), ..Operand::BLANK }, Operand { name: "c", shape: Shape::Value, ty: TypeOf::Slot(2), ..Operand::BLANK }],
        lists: &[&[0, 1, 2, 3]],
        need: &[Platform { ptx: V(8, 6), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[&[2, 3]],
        rules: &[],
        notes: &[],
    },
];
