//! Written by `cargo xtask isa` from `isa/*.isa`; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]
#![allow(unused_imports)]

use crate::generated::prelude::*;

pub static ROWS: [Row; 3] = [
    // stacksave.type d
    Row {
        section: 99,
        head: "stacksave.type d",
        name: &[w_stacksave as Word],
        slots: &[Slot { name: "type", values: &[w_u32 as Word, w_u64 as Word], optional: false }],
        operands: &[Operand { name: "d", shape: Shape::Register, ty: TypeOf::Slot(0), written: true, ..Operand::BLANK }],
        lists: &[&[0]],
        need: &[Platform { ptx: V(7, 3), targets: &[P(52)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &[],
    },
    // stackrestore.type %a
    Row {
        section: 100,
        head: "stackrestore.type %a",
        name: &[w_stackrestore as Word],
        slots: &[Slot { name: "type", values: &[w_u32 as Word, w_u64 as Word], optional: false }],
        operands: &[Operand { name: "a", shape: Shape::Register, ty: TypeOf::Slot(0), ..Operand::BLANK }],
        lists: &[&[0]],
        need: &[Platform { ptx: V(7, 3), targets: &[P(52)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &[],
    },
    // alloca.type >ptr, size{, #immAlign:.u32=~1|2|4|8|16|32|64|128|256|512|1024|2048|4096|8192|16384|32768|65536|131072|262144|524288|1048576|2097152|4194304|8388608}
    Row {
        section: 101,
        head: "alloca.type >ptr, size{, #immAlign:.u32=~1|2|4|8|16|32|64|128|256|512|1024|2048|4096|8192|16384|32768|65536|131072|262144|524288|1048576|2097152|4194304|8388608}",
        name: &[w_alloca as Word],
        slots: &[Slot { name: "type", values: &[w_u32 as Word, w_u64 as Word], optional: false }],
        operands: &[Operand { name: "ptr", shape: Shape::Register, ty: TypeOf::Slot(0), written: true, ..Operand::BLANK }, Operand { name: "size", shape: Shape::Value, ty: TypeOf::Slot(0), ..Operand::BLANK }, Operand { name: "immAlign", shape: Shape::Constant, ty: TypeOf::Fixed(Type::U32), cut: true, ranges: &[Range { low: 1, high: 1, step: 1 }, Range { low: 2, high: 2, step: 1 }, Range { low: 4, high: 4, step: 1 }, Range { low: 8, high: 8, step: 1 }, Range { low: 16, high: 16, step: 1 }, Range { low: 32, high: 32, step: 1 }, Range { low: 64, high: 64, step: 1 }, Range { low: 128, high: 128, step: 1 }, Range { low: 256, high: 256, step: 1 }, Range { low: 512, high: 512, step: 1 }, Range { low: 1024, high: 1024, step: 1 }, Range { low: 2048, high: 2048, step: 1 }, Range { low: 4096, high: 4096, step: 1 }, Range { low: 8192, high: 8192, step: 1 }, Range { low: 16384, high: 16384, step: 1 }, Range { low: 32768, high: 32768, step: 1 }, Range { low: 65536, high: 65536, step: 1 }, Range { low: 131072, high: 131072, step: 1 }, Range { low: 262144, high: 262144, step: 1 }, Range { low: 524288, high: 524288, step: 1 }, Range { low: 1048576, high: 1048576, step: 1 }, Range { low: 2097152, high: 2097152, step: 1 }, Range { low: 4194304, high: 4194304, step: 1 }, Range { low: 8388608, high: 8388608, step: 1 }], ..Operand::BLANK }],
        lists: &[&[0, 1], &[0, 1, 2]],
        need: &[Platform { ptx: V(7, 3), targets: &[P(52)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &["ptr points to local memory; without immAlign it is aligned to eight bytes."],
    },
];
