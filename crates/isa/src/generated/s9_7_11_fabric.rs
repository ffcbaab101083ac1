//! Written by `cargo xtask isa` from `isa/*.isa`; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]
#![allow(unused_imports)]

use crate::generated::prelude::*;

pub static ROWS: [Row; 8] = [
    // fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128 [dst]@.shared::cta, [srcLeId, %srcDataOff:.b64]@.tmem, size:.u32, [bar]@.shared::cta
    Row {
        section: 31,
        head: "fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128 [dst]@.shared::cta, [srcLeId, %srcDataOff:.b64]@.tmem, size:.u32, [bar]@.shared::cta",
        name: &[w_fabric as Word, w_try_get as Word, w_async as Word],
        slots: &[Slot { name: "shared::cta", values: &[w_shared__cta as Word], optional: false }, Slot { name: "mbarrier::complete_tx::bytes", values: &[w_mbarrier__complete_tx__bytes as Word], optional: false }, Slot { name: "mbarrier::report::fabric", values: &[w_mbarrier__report__fabric as Word], optional: false }, Slot { name: "relaxed", values: &[w_relaxed as Word], optional: false }, Slot { name: "sys", values: &[w_sys as Word], optional: false }, Slot { name: "b128", values: &[w_b128 as Word], optional: false }],
        operands: &[Operand { name: "dst", shape: Shape::Bracket(&[Operand { name: "dst", shape: Shape::Value, ty: TypeOf::Slot(5), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(0), ..Operand::BLANK }, Operand { name: "srcLeId", shape: Shape::Bracket(&[Operand { name: "srcLeId", shape: Shape::Value, ty: TypeOf::Slot(5), ..Operand::BLANK }, Operand { name: "srcDataOff", shape: Shape::Register, ty: TypeOf::Fixed(Type::B64), ..Operand::BLANK }], &[&[0, 1]]), ty: TypeOf::None, space: SpaceOf::Fixed(w_tmem as Word), ..Operand::BLANK }, Operand { name: "size", shape: Shape::Value, ty: TypeOf::Fixed(Type::U32), ..Operand::BLANK }, Operand { name: "bar", shape: Shape::Bracket(&[Operand { name: "bar", shape: Shape::Value, ty: TypeOf::Slot(5), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(0), ..Operand::BLANK }],
        lists: &[&[0, 1, 2, 3]],
        need: &[Platform { ptx: V(9, 3), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &["It needs devices that are joined by a fabric. It is not executed."],
    },
    // fabric.try_put.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.cp_mask}{.relaxed}.sys.b128 [dstLeId, %dstDataOff:.b64]@.tmem, [src]@.shared::cta, size:.u32, [bar]@.shared::cta{, bytemask:.u16}
    Row {
        section: 32,
        head: "fabric.try_put.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.cp_mask}{.relaxed}.sys.b128 [dstLeId, %dstDataOff:.b64]@.tmem, [src]@.shared::cta, size:.u32, [bar]@.shared::cta{, bytemask:.u16}",
        name: &[w_fabric as Word, w_try_put as Word, w_async as Word],
        slots: &[Slot { name: "multimem", values: &[w_multimem as Word], optional: true }, Slot { name: "shared::cta", values: &[w_shared__cta as Word], optional: false }, Slot { name: "mbarrier::complete_tx::16B", values: &[w_mbarrier__complete_tx__16B as Word], optional: false }, Slot { name: "mbarrier::report::fabric", values: &[w_mbarrier__report__fabric as Word], optional: false }, Slot { name: "cp_mask", values: &[w_cp_mask as Word], optional: true }, Slot { name: "relaxed", values: &[w_relaxed as Word], optional: true }, Slot { name: "sys", values: &[w_sys as Word], optional: false }, Slot { name: "b128", values: &[w_b128 as Word], optional: false }],
        operands: &[Operand { name: "dstLeId", shape: Shape::Bracket(&[Operand { name: "dstLeId", shape: Shape::Value, ty: TypeOf::Slot(7), ..Operand::BLANK }, Operand { name: "dstDataOff", shape: Shape::Register, ty: TypeOf::Fixed(Type::B64), ..Operand::BLANK }], &[&[0, 1]]), ty: TypeOf::None, space: SpaceOf::Fixed(w_tmem as Word), ..Operand::BLANK }, Operand { name: "src", shape: Shape::Bracket(&[Operand { name: "src", shape: Shape::Value, ty: TypeOf::Slot(7), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(1), ..Operand::BLANK }, Operand { name: "size", shape: Shape::Value, ty: TypeOf::Fixed(Type::U32), ..Operand::BLANK }, Operand { name: "bar", shape: Shape::Bracket(&[Operand { name: "bar", shape: Shape::Value, ty: TypeOf::Slot(7), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(1), ..Operand::BLANK }, Operand { name: "bytemask", shape: Shape::Value, ty: TypeOf::Fixed(Type::U16), ..Operand::BLANK }],
        lists: &[&[0, 1, 2, 3], &[0, 1, 2, 3, 4]],
        need: &[Platform { ptx: V(9, 3), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[Rule { when: &[Condition { not: false, ask: Ask::Filled(4) }], then: &[Condition { not: false, ask: Ask::Given("bytemask") }], need: &[], never: false, text: ".cp_mask => bytemask" }, Rule { when: &[Condition { not: true, ask: Ask::Filled(4) }], then: &[Condition { not: true, ask: Ask::Given("bytemask") }], need: &[], never: false, text: "!.cp_mask => !bytemask" }],
        notes: &["It needs devices that are joined by a fabric. It is not executed."],
    },
    // fabric.try_put.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes.relaxed.sys.b128 [dstLeId, %dstDataOff:.b64, %dstCounterOff:.b64]@.tmem, [src]@.shared::cta, size:.u32, [bar]@.shared::cta
    Row {
        section: 32,
        head: "fabric.try_put.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes.relaxed.sys.b128 [dstLeId, %dstDataOff:.b64, %dstCounterOff:.b64]@.tmem, [src]@.shared::cta, size:.u32, [bar]@.shared::cta",
        name: &[w_fabric as Word, w_try_put as Word, w_async as Word],
        slots: &[Slot { name: "multimem", values: &[w_multimem as Word], optional: true }, Slot { name: "shared::cta", values: &[w_shared__cta as Word], optional: false }, Slot { name: "mbarrier::complete_tx::16B", values: &[w_mbarrier__complete_tx__16B as Word], optional: false }, Slot { name: "mbarrier::report::fabric", values: &[w_mbarrier__report__fabric as Word], optional: false }, Slot { name: "counted::bytes", values: &[w_counted__bytes as Word], optional: false }, Slot { name: "relaxed", values: &[w_relaxed as Word], optional: false }, Slot { name: "sys", values: &[w_sys as Word], optional: false }, Slot { name: "b128", values: &[w_b128 as Word], optional: false }],
        operands: &[Operand { name: "dstLeId", shape: Shape::Bracket(&[Operand { name: "dstLeId", shape: Shape::Value, ty: TypeOf::Slot(7), ..Operand::BLANK }, Operand { name: "dstDataOff", shape: Shape::Register, ty: TypeOf::Fixed(Type::B64), ..Operand::BLANK }, Operand { name: "dstCounterOff", shape: Shape::Register, ty: TypeOf::Fixed(Type::B64), ..Operand::BLANK }], &[&[0, 1, 2]]), ty: TypeOf::None, space: SpaceOf::Fixed(w_tmem as Word), ..Operand::BLANK }, Operand { name: "src", shape: Shape::Bracket(&[Operand { name: "src", shape: Shape::Value, ty: TypeOf::Slot(7), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(1), ..Operand::BLANK }, Operand { name: "size", shape: Shape::Value, ty: TypeOf::Fixed(Type::U32), ..Operand::BLANK }, Operand { name: "bar", shape: Shape::Bracket(&[Operand { name: "bar", shape: Shape::Value, ty: TypeOf::Slot(7), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(1), ..Operand::BLANK }],
        lists: &[&[0, 1, 2, 3]],
        need: &[Platform { ptx: V(9, 3), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &["It needs devices that are joined by a fabric. It is not executed."],
    },
    // fabric.try_red.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.relaxed}.sys.op.type [dstLeId, %dstDataOff:.b64]@.tmem, [src]@.shared::cta, size:.u32, [bar]@.shared::cta
    Row {
        section: 33,
        head: "fabric.try_red.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.relaxed}.sys.op.type [dstLeId, %dstDataOff:.b64]@.tmem, [src]@.shared::cta, size:.u32, [bar]@.shared::cta",
        name: &[w_fabric as Word, w_try_red as Word, w_async as Word],
        slots: &[Slot { name: "multimem", values: &[w_multimem as Word], optional: true }, Slot { name: "shared::cta", values: &[w_shared__cta as Word], optional: false }, Slot { name: "mbarrier::complete_tx::16B", values: &[w_mbarrier__complete_tx__16B as Word], optional: false }, Slot { name: "mbarrier::report::fabric", values: &[w_mbarrier__report__fabric as Word], optional: false }, Slot { name: "relaxed", values: &[w_relaxed as Word], optional: true }, Slot { name: "sys", values: &[w_sys as Word], optional: false }, Slot { name: "op", values: &[w_and as Word, w_or as Word, w_xor as Word, w_min as Word, w_max as Word, w_add as Word], optional: false }, Slot { name: "type", values: &[w_b32 as Word, w_b64 as Word, w_u32 as Word, w_s32 as Word, w_u64 as Word, w_s64 as Word, w_f16 as Word, w_bf16 as Word, w_f32 as Word, w_f64 as Word], optional: false }],
        operands: &[Operand { name: "dstLeId", shape: Shape::Bracket(&[Operand { name: "dstLeId", shape: Shape::Value, ty: TypeOf::Slot(7), ..Operand::BLANK }, Operand { name: "dstDataOff", shape: Shape::Register, ty: TypeOf::Fixed(Type::B64), ..Operand::BLANK }], &[&[0, 1]]), ty: TypeOf::None, space: SpaceOf::Fixed(w_tmem as Word), ..Operand::BLANK }, Operand { name: "src", shape: Shape::Bracket(&[Operand { name: "src", shape: Shape::Value, ty: TypeOf::Slot(7), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(1), ..Operand::BLANK }, Operand { name: "size", shape: Shape::Value, ty: TypeOf::Fixed(Type::U32), ..Operand::BLANK }, Operand { name: "bar", shape: Shape::Bracket(&[Operand { name: "bar", shape: Shape::Value, ty: TypeOf::Slot(7), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(1), ..Operand::BLANK }],
        lists: &[&[0, 1, 2, 3]],
        need: &[Platform { ptx: V(9, 3), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[Rule { when: &[Condition { not: false, ask: Ask::Holds(6, &[w_and as Word, w_or as Word, w_xor as Word]) }], then: &[Condition { not: false, ask: Ask::Holds(7, &[w_b32 as Word, w_b64 as Word]) }], need: &[], never: false, text: ".op=.and|.or|.xor => .type=.b32|.b64" }, Rule { when: &[Condition { not: false, ask: Ask::Holds(6, &[w_min as Word, w_max as Word]) }], then: &[Condition { not: false, ask: Ask::Holds(7, &[w_u32 as Word, w_s32 as Word, w_u64 as Word, w_s64 as Word, w_f16 as Word, w_bf16 as Word]) }], need: &[], never: false, text: ".op=.min|.max => .type=.u32|.s32|.u64|.s64|.f16|.bf16" }, Rule { when: &[Condition { not: false, ask: Ask::Holds(6, &[w_add as Word]) }], then: &[Condition { not: false, ask: Ask::Holds(7, &[w_u32 as Word, w_u64 as Word, w_f16 as Word, w_bf16 as Word, w_f32 as Word, w_f64 as Word]) }], need: &[], never: false, text: ".op=.add => .type=.u32|.u64|.f16|.bf16|.f32|.f64" }],
        notes: &["It needs devices that are joined by a fabric. It is not executed."],
    },
    // fabric.try_red.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes.relaxed.sys.op.type [dstLeId, %dstDataOff:.b64, %dstCounterOff:.b64]@.tmem, [src]@.shared::cta, size:.u32, [bar]@.shared::cta
    Row {
        section: 33,
        head: "fabric.try_red.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes.relaxed.sys.op.type [dstLeId, %dstDataOff:.b64, %dstCounterOff:.b64]@.tmem, [src]@.shared::cta, size:.u32, [bar]@.shared::cta",
        name: &[w_fabric as Word, w_try_red as Word, w_async as Word],
        slots: &[Slot { name: "multimem", values: &[w_multimem as Word], optional: true }, Slot { name: "shared::cta", values: &[w_shared__cta as Word], optional: false }, Slot { name: "mbarrier::complete_tx::16B", values: &[w_mbarrier__complete_tx__16B as Word], optional: false }, Slot { name: "mbarrier::report::fabric", values: &[w_mbarrier__report__fabric as Word], optional: false }, Slot { name: "counted::bytes", values: &[w_counted__bytes as Word], optional: false }, Slot { name: "relaxed", values: &[w_relaxed as Word], optional: false }, Slot { name: "sys", values: &[w_sys as Word], optional: false }, Slot { name: "op", values: &[w_and as Word, w_or as Word, w_xor as Word, w_min as Word, w_max as Word, w_add as Word], optional: false }, Slot { name: "type", values: &[w_b32 as Word, w_b64 as Word, w_u32 as Word, w_s32 as Word, w_u64 as Word, w_s64 as Word, w_f16 as Word, w_bf16 as Word, w_f32 as Word, w_f64 as Word], optional: false }],
        operands: &[Operand { name: "dstLeId", shape: Shape::Bracket(&[Operand { name: "dstLeId", shape: Shape::Value, ty: TypeOf::Slot(8), ..Operand::BLANK }, Operand { name: "dstDataOff", shape: Shape::Register, ty: TypeOf::Fixed(Type::B64), ..Operand::BLANK }, Operand { name: "dstCounterOff", shape: Shape::Register, ty: TypeOf::Fixed(Type::B64), ..Operand::BLANK }], &[&[0, 1, 2]]), ty: TypeOf::None, space: SpaceOf::Fixed(w_tmem as Word), ..Operand::BLANK }, Operand { name: "src", shape: Shape::Bracket(&[Operand { name: "src", shape: Shape::Value, ty: TypeOf::Slot(8), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(1), ..Operand::BLANK }, Operand { name: "size", shape: Shape::Value, ty: TypeOf::Fixed(Type::U32), ..Operand::BLANK }, Operand { name: "bar", shape: Shape::Bracket(&[Operand { name: "bar", shape: Shape::Value, ty: TypeOf::Slot(8), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(1), ..Operand::BLANK }],
        lists: &[&[0, 1, 2, 3]],
        need: &[Platform { ptx: V(9, 3), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[Rule { when: &[Condition { not: false, ask: Ask::Holds(7, &[w_and as Word, w_or as Word, w_xor as Word]) }], then: &[Condition { not: false, ask: Ask::Holds(8, &[w_b32 as Word, w_b64 as Word]) }], need: &[], never: false, text: ".op=.and|.or|.xor => .type=.b32|.b64" }, Rule { when: &[Condition { not: false, ask: Ask::Holds(7, &[w_min as Word, w_max as Word]) }], then: &[Condition { not: false, ask: Ask::Holds(8, &[w_u32 as Word, w_s32 as Word, w_u64 as Word, w_s64 as Word, w_f16 as Word, w_bf16 as Word]) }], need: &[], never: false, text: ".op=.min|.max => .type=.u32|.s32|.u64|.s64|.f16|.bf16" }, Rule { when: &[Condition { not: false, ask: Ask::Holds(7, &[w_add as Word]) }], then: &[Condition { not: false, ask: Ask::Holds(8, &[w_u32 as Word, w_u64 as Word, w_f16 as Word, w_bf16 as Word, w_f32 as Word, w_f64 as Word]) }], need: &[], never: false, text: ".op=.add => .type=.u32|.u64|.f16|.bf16|.f32|.f64" }],
        notes: &["It needs devices that are joined by a fabric. It is not executed."],
    },
    // fabric.try_pullred.async.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.op{.acc_prec}.type.sync [dst]@.shared::cta, [srcLeId, %srcDataOff:.b64]@.tmem, size:.u32, [bar]@.shared::cta, membermask:.u32=4294967295
    Row {
        section: 34,
        head: "fabric.try_pullred.async.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.op{.acc_prec}.type.sync [dst]@.shared::cta, [srcLeId, %srcDataOff:.b64]@.tmem, size:.u32, [bar]@.shared::cta, membermask:.u32=4294967295",
        name: &[w_fabric as Word, w_try_pullred as Word, w_async as Word],
        slots: &[Slot { name: "multimem", values: &[w_multimem as Word], optional: false }, Slot { name: "shared::cta", values: &[w_shared__cta as Word], optional: false }, Slot { name: "mbarrier::complete_tx::bytes", values: &[w_mbarrier__complete_tx__bytes as Word], optional: false }, Slot { name: "mbarrier::report::fabric", values: &[w_mbarrier__report__fabric as Word], optional: false }, Slot { name: "relaxed", values: &[w_relaxed as Word], optional: false }, Slot { name: "sys", values: &[w_sys as Word], optional: false }, Slot { name: "op", values: &[w_and as Word, w_or as Word, w_xor as Word, w_min as Word, w_max as Word, w_add as Word], optional: false }, Slot { name: "acc_prec", values: &[w_acc__f16 as Word, w_acc__f32 as Word], optional: true }, Slot { name: "type", values: &[w_b32 as Word, w_b64 as Word, w_u32 as Word, w_s32 as Word, w_u64 as Word, w_s64 as Word, w_f16 as Word, w_bf16 as Word, w_f32 as Word, w_e4m3 as Word, w_e5m2 as Word], optional: false }, Slot { name: "sync", values: &[w_sync as Word], optional: false }],
        operands: &[Operand { name: "dst", shape: Shape::Bracket(&[Operand { name: "dst", shape: Shape::Value, ty: TypeOf::Slot(8), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(1), ..Operand::BLANK }, Operand { name: "srcLeId", shape: Shape::Bracket(&[Operand { name: "srcLeId", shape: Shape::Value, ty: TypeOf::Slot(8), ..Operand::BLANK }, Operand { name: "srcDataOff", shape: Shape::Register, ty: TypeOf::Fixed(Type::B64), ..Operand::BLANK }], &[&[0, 1]]), ty: TypeOf::None, space: SpaceOf::Fixed(w_tmem as Word), ..Operand::BLANK }, Operand { name: "size", shape: Shape::Value, ty: TypeOf::Fixed(Type::U32), ..Operand::BLANK }, Operand { name: "bar", shape: Shape::Bracket(&[Operand { name: "bar", shape: Shape::Value, ty: TypeOf::Slot(8), ..Operand::BLANK }], &[&[0]]), ty: TypeOf::None, space: SpaceOf::Slot(1), ..Operand::BLANK }, Operand { name: "membermask", shape: Shape::Value, ty: TypeOf::Fixed(Type::U32), ranges: &[Range { low: 4294967295, high: 4294967295, step: 1 }], ..Operand::BLANK }],
        lists: &[&[0, 1, 2, 3, 4]],
        need: &[Platform { ptx: V(9, 3), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[Rule { when: &[Condition { not: false, ask: Ask::Holds(6, &[w_and as Word, w_or as Word, w_xor as Word]) }], then: &[Condition { not: false, ask: Ask::Holds(8, &[w_b32 as Word, w_b64 as Word]) }], need: &[], never: false, text: ".op=.and|.or|.xor => .type=.b32|.b64" }, Rule { when: &[Condition { not: false, ask: Ask::Holds(6, &[w_min as Word, w_max as Word]) }], then: &[Condition { not: false, ask: Ask::Holds(8, &[w_u32 as Word, w_s32 as Word, w_u64 as Word, w_s64 as Word, w_f16 as Word, w_bf16 as Word, w_e4m3 as Word, w_e5m2 as Word]) }], need: &[], never: false, text: ".op=.min|.max => .type=.u32|.s32|.u64|.s64|.f16|.bf16|.e4m3|.e5m2" }, Rule { when: &[Condition { not: false, ask: Ask::Holds(6, &[w_add as Word]) }], then: &[Condition { not: false, ask: Ask::Holds(8, &[w_u32 as Word, w_u64 as Word, w_f16 as Word, w_bf16 as Word, w_f32 as Word, w_e4m3 as Word, w_e5m2 as Word]) }], need: &[], never: false, text: ".op=.add => .type=.u32|.u64|.f16|.bf16|.f32|.e4m3|.e5m2" }, Rule { when: &[Condition { not: false, ask: Ask::Holds(6, &[w_add as Word]) }, Condition { not: false, ask: Ask::Holds(8, &[w_e4m3 as Word, w_e5m2 as Word]) }], then: &[Condition { not: false, ask: Ask::Word(w_acc__f16 as Word) }], need: &[], never: false, text: ".op=.add .type=.e4m3|.e5m2 => .acc::f16" }, Rule { when: &[Condition { not: false, ask: Ask::Word(w_acc__f16 as Word) }], then: &[Condition { not: false, ask: Ask::Holds(6, &[w_add as Word]) }, Condition { not: false, ask: Ask::Holds(8, &[w_e4m3 as Word, w_e5m2 as Word]) }], need: &[Platform { ptx: V(1, 0), targets: &[A(120), A(121), F(100), F(110)] }], never: false, text: ".acc::f16 => .op=.add .type=.e4m3|.e5m2 sm_120a|sm_121a|sm_100f|sm_110f" }, Rule { when: &[Condition { not: false, ask: Ask::Word(w_acc__f32 as Word) }], then: &[Condition { not: false, ask: Ask::Holds(6, &[w_add as Word]) }, Condition { not: false, ask: Ask::Holds(8, &[w_f16 as Word, w_bf16 as Word]) }], need: &[Platform { ptx: V(1, 0), targets: &[A(120), A(121), F(100), F(110)] }], never: false, text: ".acc::f32 => .op=.add .type=.f16|.bf16 sm_120a|sm_121a|sm_100f|sm_110f" }, Rule { when: &[Condition { not: false, ask: Ask::Holds(8, &[w_e4m3 as Word, w_e5m2 as Word]) }], then: &[], need: &[Platform { ptx: V(1, 0), targets: &[A(120), A(121), F(100), F(110)] }], never: false, text: ".type=.e4m3|.e5m2 => sm_120a|sm_121a|sm_100f|sm_110f" }],
        notes: &["ptxas wants the mask to be that of all lanes only where it is a constant.", "It needs devices that are joined by a fabric. It is not executed."],
    },
    // fabric.submit{.op_restrict::fetching}
    Row {
        section: 35,
        head: "fabric.submit{.op_restrict::fetching}",
        name: &[w_fabric as Word, w_submit as Word],
        slots: &[Slot { name: "op_restrict::fetching", values: &[w_op_restrict__fetching as Word], optional: true }],
        operands: &[],
        lists: &[&[]],
        need: &[Platform { ptx: V(9, 3), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &["It needs devices that are joined by a fabric. It is not executed."],
    },
    // fabric.wait.sync_restrict::reads
    Row {
        section: 36,
        head: "fabric.wait.sync_restrict::reads",
        name: &[w_fabric as Word, w_wait as Word],
        slots: &[Slot { name: "sync_restrict::reads", values: &[w_sync_restrict__reads as Word], optional: false }],
        operands: &[],
        lists: &[&[]],
        need: &[Platform { ptx: V(9, 3), targets: &[P(100)] }],
        gone: None,
        deprecated: None,
        order: &[],
        rules: &[],
        notes: &["It needs devices that are joined by a fabric. It is not executed."],
    },
];
