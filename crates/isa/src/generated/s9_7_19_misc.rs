//! Written by `cargo xtask isa` from `isa/*.isa`; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]
#![allow(unused_imports)]

use crate::generated::prelude::*;

pub static ROWS: [Row; 7] = [
    // brkpt
    Row {
        section: 110,
        head: "brkpt",
        name: &[w_brkpt as Word],
        slots: &[],
        operands: &[],
        lists: &[&[]],
        need: &[Platform { ptx: V(1, 0), targets: &[P(11)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &[],
    },
    // nanosleep.u32 t:.u32
    Row {
        section: 111,
        head: "nanosleep.u32 t:.u32",
        name: &[w_nanosleep as Word],
        slots: &[Slot { name: "u32", values: &[w_u32 as Word], optional: false }],
        operands: &[Operand { name: "t", shape: Shape::Value, ty: TypeOf::Slot(0), ..Operand::BLANK }],
        lists: &[&[0]],
        need: &[Platform { ptx: V(6, 2), targets: &[P(70)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &["The manual says PTX ISA 6.3; ptxas takes it from 6.2 on."],
    },
    // pmevent #a:.u32=0..15
    Row {
        section: 112,
        head: "pmevent #a:.u32=0..15",
        name: &[w_pmevent as Word],
        slots: &[],
        operands: &[Operand { name: "a", shape: Shape::Constant, ty: TypeOf::Fixed(Type::U32), ranges: &[Range { low: 0, high: 15, step: 1 }], ..Operand::BLANK }],
        lists: &[&[0]],
        need: &[Platform { ptx: V(1, 4), targets: &[] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &[],
    },
    // pmevent.mask #a:.u32=0..65535
    Row {
        section: 112,
        head: "pmevent.mask #a:.u32=0..65535",
        name: &[w_pmevent as Word, w_mask as Word],
        slots: &[],
        operands: &[Operand { name: "a", shape: Shape::Constant, ty: TypeOf::Fixed(Type::U32), ranges: &[Range { low: 0, high: 65535, step: 1 }], ..Operand::BLANK }],
        lists: &[&[0]],
        need: &[Platform { ptx: V(3, 0), targets: &[P(20)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &[],
    },
    // trap
    Row {
        section: 113,
        head: "trap",
        name: &[w_trap as Word],
        slots: &[],
        operands: &[],
        lists: &[&[]],
        need: &[Platform { ptx: V(1, 0), targets: &[] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &[],
    },
    // setmaxnreg.inc.sync.aligned.type #imm-reg-count=24..256/8
    Row {
        section: 114,
        head: "setmaxnreg.inc.sync.aligned.type #imm-reg-count=24..256/8",
        name: &[w_setmaxnreg as Word, w_inc as Word],
        slots: &[Slot { name: "sync", values: &[w_sync as Word], optional: false }, Slot { name: "aligned", values: &[w_aligned as Word], optional: false }, Slot { name: "type", values: &[w_u32 as Word, w_s32 as Word], optional: false }],
        operands: &[Operand { name: "imm-reg-count", shape: Shape::Constant, ty: TypeOf::Slot(2), ranges: &[Range { low: 24, high: 256, step: 8 }], ..Operand::BLANK }],
        lists: &[&[0]],
        need: &[Platform { ptx: V(8, 0), targets: &[A(90)] }, Platform { ptx: V(8, 6), targets: &[A(100), A(101)] }, Platform { ptx: V(8, 7), targets: &[A(120)] }, Platform { ptx: V(8, 8), targets: &[F(100), F(101), F(120)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &["The manual has only .u32; ptxas takes .s32 too."],
    },
    // setmaxnreg.dec.sync.aligned.type #imm-reg-count=24..256/8
    Row {
        section: 114,
        head: "setmaxnreg.dec.sync.aligned.type #imm-reg-count=24..256/8",
        name: &[w_setmaxnreg as Word, w_dec as Word],
        slots: &[Slot { name: "sync", values: &[w_sync as Word], optional: false }, Slot { name: "aligned", values: &[w_aligned as Word], optional: false }, Slot { name: "type", values: &[w_u32 as Word, w_s32 as Word], optional: false }],
        operands: &[Operand { name: "imm-reg-count", shape: Shape::Constant, ty: TypeOf::Slot(2), ranges: &[Range { low: 24, high: 256, step: 8 }], ..Operand::BLANK }],
        lists: &[&[0]],
        need: &[Platform { ptx: V(8, 0), targets: &[A(90)] }, Platform { ptx: V(8, 6), targets: &[A(100), A(101)] }, Platform { ptx: V(8, 7), targets: &[A(120)] }, Platform { ptx: V(8, 8), targets: &[F(100), F(101), F(120)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &["The manual has only .u32; ptxas takes .s32 too."],
    },
];
