//! Written by `cargo xtask isa` from `isa/*.isa`; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]
#![allow(unused_imports)]

use crate::generated::prelude::*;

pub static ROWS: [Row; 4] = [
    // add{.rn}{.satfinite}.cdtype.atype d:.cdtype, %a:.atype, %c:.cdtype
    Row {
        section: 157,
        head: "add{.rn}{.satfinite}.cdtype.atype d:.cdtype, %a:.atype, %c:.cdtype",
        name: &[w_add as Word],
        slots: &[Slot { name: "rn", values: &[w_rn as Word], optional: true }, Slot { name: "satfinite", values: &[w_satfinite as Word], optional: true }, Slot { name: "cdtype", values: &[w_e5m2x4 as Word, w_e4m3x4 as Word], optional: false }, Slot { name: "atype", values: &[w_e5m2x4 as Word, w_e4m3x4 as Word, w_e3m2x4 as Word, w_e2m3x4 as Word, w_e2m1x4 as Word, w_e2m1p4x4 as Word, w_ue8m0x4 as Word], optional: false }],
        operands: &[Operand { name: "d", shape: Shape::Register, ty: TypeOf::Slot(2), written: true, ..Operand::BLANK }, Operand { name: "a", shape: Shape::Register, ty: TypeOf::Slot(3), ..Operand::BLANK }, Operand { name: "c", shape: Shape::Register, ty: TypeOf::Slot(2), ..Operand::BLANK }],
        lists: &[&[0, 1, 2]],
        need: &[Platform { ptx: V(9, 4), targets: &[A(100), A(103)] }],
        gone: None,
        deprecated: None,
        order: &[&[2, 3]],
        rules: &[],
        notes: &[],
    },
    // sub{.rn}{.satfinite}.cdtype.atype d:.cdtype, %a:.atype, %c:.cdtype
    Row {
        section: 158,
        head: "sub{.rn}{.satfinite}.cdtype.atype d:.cdtype, %a:.atype, %c:.cdtype",
        name: &[w_sub as Word],
        slots: &[Slot { name: "rn", values: &[w_rn as Word], optional: true }, Slot { name: "satfinite", values: &[w_satfinite as Word], optional: true }, Slot { name: "cdtype", values: &[w_e5m2x4 as Word, w_e4m3x4 as Word], optional: false }, Slot { name: "atype", values: &[w_e5m2x4 as Word, w_e4m3x4 as Word, w_e3m2x4 as Word, w_e2m3x4 as Word, w_e2m1x4 as Word, w_e2m1p4x4 as Word, w_ue8m0x4 as Word], optional: false }],
        operands: &[Operand { name: "d", shape: Shape::Register, ty: TypeOf::Slot(2), written: true, ..Operand::BLANK }, Operand { name: "a", shape: Shape::Register, ty: TypeOf::Slot(3), ..Operand::BLANK }, Operand { name: "c", shape: Shape::Register, ty: TypeOf::Slot(2), ..Operand::BLANK }],
        lists: &[&[0, 1, 2]],
        need: &[Platform { ptx: V(9, 4), targets: &[A(100), A(103)] }],
        gone: None,
        deprecated: None,
        order: &[&[2, 3]],
        rules: &[],
        notes: &[],
    },
    // mul{.rn}{.satfinite}.cdtype.atype.ctype d:.cdtype, %a:.atype, %c:.ctype
    Row {
        section: 159,
        head: "mul{.rn}{.satfinite}.cdtype.atype.ctype d:.cdtype, %a:.atype, %c:.ctype",
        name: &[w_mul as Word],
        slots: &[Slot { name: "rn", values: &[w_rn as Word], optional: true }, Slot { name: "satfinite", values: &[w_satfinite as Word], optional: true }, Slot { name: "cdtype", values: &[w_e5m2x4 as Word, w_e4m3x4 as Word], optional: false }, Slot { name: "atype", values: &[w_e5m2x4 as Word, w_e4m3x4 as Word, w_e3m2x4 as Word, w_e2m3x4 as Word, w_e2m1x4 as Word, w_e2m1p4x4 as Word, w_ue8m0x4 as Word], optional: false }, Slot { name: "ctype", values: &[w_e5m2x4 as Word, w_e4m3x4 as Word, w_e3m2x4 as Word, w_e2m3x4 as Word, w_e2m1x4 as Word, w_e2m1p4x4 as Word, w_ue8m0x4 as Word], optional: false }],
        operands: &[Operand { name: "d", shape: Shape::Register, ty: TypeOf::Slot(2), written: true, ..Operand::BLANK }, Operand { name: "a", shape: Shape::Register, ty: TypeOf::Slot(3), ..Operand::BLANK }, Operand { name: "c", shape: Shape::Register, ty: TypeOf::Slot(4), ..Operand::BLANK }],
        lists: &[&[0, 1, 2]],
        need: &[Platform { ptx: V(9, 4), targets: &[A(100), A(103)] }],
        gone: None,
        deprecated: None,
        order: &[&[2, 3, 4]],
        rules: &[],
        notes: &[],
    },
    // fma{.rn}{.satfinite}.cdtype.atype.btype d:.cdtype, %a:.atype, %b:.btype, %c:.cdtype
    Row {
        section: 160,
        head: "fma{.rn}{.satfinite}.cdtype.atype.btype d:.cdtype, %a:.atype, %b:.btype, %c:.cdtype",
        name: &[w_fma as Word],
        slots: &[Slot { name: "rn", values: &[w_rn as Word], optional: true }, Slot { name: "satfinite", values: &[w_satfinite as Word], optional: true }, Slot { name: "cdtype", values: &[w_e5m2x4 as Word, w_e4m3x4 as Word], optional: false }, Slot { name: "atype", values: &[w_e5m2x4 as Word, w_e4m3x4 as Word, w_e3m2x4 as Word, w_e2m3x4 as Word, w_e2m1x4 as Word, w_e2m1p4x4 as Word, w_ue8m0x4 as Word], optional: false }, Slot { name: "btype", values: &[w_e5m2x4 as Word, w_e4m3x4 as Word, w_e3m2x4 as Word, w_e2m3x4 as Word, w_e2m1x4 as Word, w_e2m1p4x4 as Word, w_ue8m0x4 as Word], optional: false }],
        operands: &[Operand { name: "d", shape: Shape::Register, ty: TypeOf::Slot(2), written: true, ..Operand::BLANK }, Operand { name: "a", shape: Shape::Register, ty: TypeOf::Slot(3), ..Operand::BLANK }, Operand { name: "b", shape: Shape::Register, ty: TypeOf::Slot(4), ..Operand::BLANK }, Operand { name: "c", shape: Shape::Register, ty: TypeOf::Slot(2), ..Operand::BLANK }],
        lists: &[&[0, 1, 2, 3]],
        need: &[Platform { ptx: V(9, 4), targets: &[A(100), A(103)] }],
        gone: None,
        deprecated: None,
        order: &[&[2, 3, 4]],
        rules: &[],
        notes: &[],
    },
];
