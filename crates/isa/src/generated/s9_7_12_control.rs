//! Written by `cargo xtask isa` from `isa/*.isa`; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]
#![allow(unused_imports)]

use crate::generated::prelude::*;

pub static ROWS: [Row; 5] = [
    // bra{.uni} tgt:label
    Row {
        section: 41,
        head: "bra{.uni} tgt:label",
        name: &[w_bra as Word],
        slots: &[Slot { name: "uni", values: &[w_uni as Word], optional: true }],
        operands: &[Operand { name: "tgt", shape: Shape::Label, ty: TypeOf::None, ..Operand::BLANK }],
        lists: &[&[0]],
        need: &[Platform { ptx: V(1, 0), targets: &[] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &[],
    },
    // brx.idx{.uni} index:.u32, tlist:targets
    Row {
        section: 42,
        head: "brx.idx{.uni} index:.u32, tlist:targets",
        name: &[w_brx as Word, w_idx as Word],
        slots: &[Slot { name: "uni", values: &[w_uni as Word], optional: true }],
        operands: &[Operand { name: "index", shape: Shape::Value, ty: TypeOf::Fixed(Type::U32), ..Operand::BLANK }, Operand { name: "tlist", shape: Shape::Targets, ty: TypeOf::None, ..Operand::BLANK }],
        lists: &[&[0, 1]],
        need: &[Platform { ptx: V(6, 0), targets: &[P(30)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &["The list must be declared before the branch, in the same function."],
    },
    // call{.uni} func:call
    Row {
        section: 43,
        head: "call{.uni} func:call",
        name: &[w_call as Word],
        slots: &[Slot { name: "uni", values: &[w_uni as Word], optional: true }],
        operands: &[Operand { name: "func", shape: Shape::Call, ty: TypeOf::None, ..Operand::BLANK }],
        lists: &[&[0]],
        need: &[Platform { ptx: V(1, 0), targets: &[] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &["A call through a register (PTX ISA 2.1, sm_20) names a .callprototype, a .calltargets list or a table of functions after the arguments."],
    },
    // ret{.uni}
    Row {
        section: 44,
        head: "ret{.uni}",
        name: &[w_ret as Word],
        slots: &[Slot { name: "uni", values: &[w_uni as Word], optional: true }],
        operands: &[],
        lists: &[&[]],
        need: &[Platform { ptx: V(1, 0), targets: &[] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &[],
    },
    // exit
    Row {
        section: 45,
        head: "exit",
        name: &[w_exit as Word],
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
];
