//! Written by `cargo xtask isa` from `isa/*.isa`; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]
#![allow(unused_imports)]

use crate::generated::prelude::*;

pub static ROWS: [Row; 3] = [
    // add{.rnd}{.sat}.f32.atype d:.f32, %a:.atype, c:.f32
    Row {
        section: 142,
        head: "add{.rnd}{.sat}.f32.atype d:.f32, %a:.atype, c:.f32",
        name: &[5],
        slots: &[Slot { name: "rnd", values: &[194, 195, 196, 197], optional: true }, Slot { name: "sat", values: &[6], optional: true }, Slot { name: "f32", values: &[55], optional: false }, Slot { name: "atype", values: &[54, 133], optional: false }],
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
        name: &[10],
        slots: &[Slot { name: "rnd", values: &[194, 195, 196, 197], optional: true }, Slot { name: "sat", values: &[6], optional: true }, Slot { name: "f32", values: &[55], optional: false }, Slot { name: "atype", values: &[54, 133], optional: false }],
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
        name: &[528],
        slots: &[Slot { name: "rnd", values: &[194, 195, 196, 197], optional: false }, Slot { name: "sat", values: &[6], optional: true }, Slot { name: "f32", values: &[55], optional: false }, Slot { name: "abtype", values: &[54, 133], optional: false }],
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
