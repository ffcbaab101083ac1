//! Every instruction of `tests/oracle` that ptxas accepted, which is every form of the table: lowered, its operands
//! must be what its row says, and it must have a meaning.

use std::path::{Path, PathBuf};

use ptxvm_ir::operation::{Form, decode};
use ptxvm_ir::{Function, Instruction, Operand, OperandKind, Program, lower};
use ptxvm_isa::form::count_of;
use ptxvm_isa::table::Shape;
use ptxvm_isa::{ISA, Kind, Type};
use ptxvm_module::{Options, check};
use ptxvm_syntax::{Interner, LineIndex, Severity};

/// The module that the oracle put around its instructions; each then stands on a line of its own.
fn module(target: &str, version: &str, instructions: &[&str]) -> String {
    let wide = version.split_once('.').is_some_and(|(major, minor)| {
        let number = |text: &str| text.parse().unwrap_or(0);
        (number(major), number(minor)) >= (8, 3)
    });
    // The first GPUs have no generic addresses, surfaces and functions.
    if version.starts_with("1.") {
        let body = instructions.join("\n");
        return format!(
            ".version {version}\n.target {target}\n.entry k() {{ .reg .f32 %f<10>; .reg .f64 %fd<10>;\nL0:\n{body}\nexit; }}\n"
        );
    }
    let sm: u32 = target.trim_start_matches("sm_").trim_end_matches(['a', 'f']).parse().unwrap_or(0);
    let quads = if wide && sm >= 70 { ".reg .b128 %q<10>;" } else { "" };
    format!(
        ".version {version}
.target {target}
.address_size 64
.global .align 128 .b8 gl[1024]; .const .align 128 .b8 co[1024]; .global .texref tx; .global .surfref su;
.func (.reg .b32 o) fn(.reg .b32 i) {{ ret; }}
.visible .entry k(.param .align 128 .b8 pa[1024]) {{
.reg .pred %p<10>; .reg .b8 %c<10>; .reg .b16 %h<20>; .reg .u16 %hu<10>; .reg .s16 %hs<10>; .reg .b32 %r<300>;
.reg .u32 %ru<10>; .reg .s32 %rs<10>; .reg .f32 %f<300>; .reg .b64 %rd<300>; .reg .u64 %rdu<10>; {quads}
.reg .s64 %rds<10>; .reg .f64 %fd<20>; .reg .f16 %hf<10>; .reg .f16x2 %hx<10>; .shared .align 128 .b8 sm[1024];
.local .align 128 .b8 lo[1024]; BT: .branchtargets L0; CP: .callprototype (.reg .b32 _) _ (.reg .b32 _);
L0:
{}
ret; }}
",
        instructions.join("\n")
    )
}

/// Forms that the oracle's generator does not reach: of GPUs that ptxas 13.1 no longer knows, with byte selectors, of
/// vectors in `mov`, of textures' gradients, and of vectors that must not share registers (ptxas 13.4 takes them).
const BESIDE: &str = "\
# sm_13 1.3
mad.f32 %f1, %f2, %f3, %f4;
mad.f64 %fd1, %fd2, %fd3, %fd4;
div.f32 %f1, %f2, %f3;
rcp.f32 %f1, %f2;
sqrt.f32 %f1, %f2;
rsqrt.f32 %f1, %f2;
sin.f32 %f1, %f2;
cos.f32 %f1, %f2;
lg2.f32 %f1, %f2;
ex2.f32 %f1, %f2;
# sm_90 8.4
mad.f32 %f1, %f2, %f3, %f4;
vadd.s32.u32.s32.sat %r1.b0, %r2.h1, %r3.b2, %r4;
vsub.s32.u32.s32 %r1.b0, %r2.h1, %r3.b2, %r4;
vabsdiff.s32.u32.s32 %r1.h0, %r2.h1, %r3.b2, %r4;
vmin.s32.u32.s32 %r1.b0, %r2.h1, %r3.b2, %r4;
vmax.s32.u32.s32 %r1.b3, %r2.h1, %r3.b2, %r4;
vshl.s32.u32.u32.clamp %r1.b0, %r2.h1, %r3.b2, %r4;
vshr.s32.u32.u32.wrap %r1.b0, %r2.h1, %r3.b2, %r4;
vmad.s32.s32.u32.shr7 %r1, %r2.h1, %r3.b2, -%r4;
vset.s32.u32.lt %r1.h1, %r2.h1, %r3.b2, %r4;
mov.pred %p1, 1;
mov.v2.u32 {%r1, %r2}, {%laneid, %r2};
mov.b32 %r1, {%c1, _, %c3, %c4};
mov.b32 %r1, {%h1, _};
mov.b64 %rd1, {%laneid, %r2};
mov.b128 %q1, {%r1, %r2, %laneid, %r4};
mov.b32 %r1, {%laneid};
tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f5, %f6}], {%f7, %f8}, {%f9, %f0};
tex.grad.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f5, %f6, %f7, %f8}], {%f1, %f2, %f3, %f4}, {%f1, %f2, %f3, %f4};
tex.grad.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%r5, %f6, %f7, %f8}], {%f1}, {%f2};
# sm_107a 9.4
spcompress.b8.b2.sp::2:4.x1 {%r0}, {%r1}, {%r2, %r3}, %r99;
spcompress.b8.b2.sp::2:4.x8 {%r0, %r1}, {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25}, %r99;
spcompress.b8.b4.sp::2:4.x1 {%r0}, {%r1}, {%r2, %r3}, %r99;
spcompress.b8.b4.sp::2:4.x8 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}, {%r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, %r99;
spcompress.b16.b2.sp::2:4.x1 {%r0}, {%r1}, {%r2, %r3}, %r99;
spcompress.b16.b2.sp::2:4.x8 {%r0}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24}, %r99;
spcompress.b16.b4.sp::2:4.x1 {%r0}, {%r1}, {%r2, %r3}, %r99;
spcompress.b16.b4.sp::2:4.x8 {%r0, %r1}, {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25}, %r99;
tcgen05.ld.spcompress.sync.aligned.32x32b.x4.max.sp::2:4.f32.b2 {%r0}, {%r1, %r2}, [%r99];
tcgen05.ld.red.spcompress.sync.aligned.32x32b.x4.max.sp::2:4.f32.b2 {%r0}, {%r1, %r2}, %r98, [%r99];
tcgen05.ld.spcompress.sync.aligned.32x32b.x64.max.sp::2:4.f32.b2 {%r0, %r1}, {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33}, [%r99];
tcgen05.ld.red.spcompress.sync.aligned.32x32b.x64.max.sp::2:4.f32.b2 {%r0, %r1}, {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33}, %r98, [%r99];
applypriority.async.bulk.tensor.3d.bulk_group.im2col::w.L2::evict_normal [%rd3, {%r1, %r2, %r3}], {%h1, %h2};
cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster::32b [sm], [%rd1, {%r1, %r2, %r3, %r4, %r5}], [sm+64], {%h1, %h2, %h3}, %r6;
cp.async.bulk.tensor.5d.global.shared::cta.bulk_group.override::global_address.override::global_dim_stride [%rd1, %rd2, {%c1, %c2, %c3, %c4, %c5}, {%r1, %r2, %r3, %r4}, %h1, {%r5, %r6, %r7, %r8, %r9}], [sm];
";

/// Rows that the check does not come to, since an earlier one of the same name takes what they take.
const SHADOWED: &[&str] = &[
    "mov.pred d:pred, #a:pred",
    "mov.vec.type {d/_}x.vec, {%a/sreg}x.vec",
    "mov.type d, {%a/sreg}x1",
    "mov.b64 d, {%a:.b32/sreg}x2",
    "mov.b128 d, {%a:.b32/sreg}x4",
];

/// The program of these instructions, those left out that our own check refuses.
fn program(target: &str, version: &str, mut instructions: Vec<&str>) -> (Program, usize) {
    let words = Interner::with_words(ISA.words);
    loop {
        let source = module(target, version, &instructions);
        let parsed = ptxvm_syntax::parse(&source, &words);
        let checked = check(&parsed.file, &source, &ISA, &Options::default());
        let first = source.lines().position(|line| line == "L0:").expect("the label") + 1;
        let index = LineIndex::new(&source);
        let mut wrong: Vec<usize> = parsed
            .diagnostics
            .iter()
            .chain(&checked.diagnostics)
            .filter(|d| d.severity == Severity::Error)
            .map(|d| index.line_column(&source, d.primary.span.start).line as usize - 1)
            .collect();
        wrong.sort_unstable();
        wrong.dedup();
        if wrong.is_empty() {
            match lower(&parsed.file, &source, &checked.module, &ISA) {
                Ok(program) => return (program, instructions.len()),
                Err(problems) => {
                    let line = |p: &ptxvm_ir::Problem| {
                        let at = index.line_column(&source, p.span.start).line as usize - 1;
                        source.lines().nth(at).unwrap_or_default().to_owned()
                    };
                    let told = problems.iter().map(|p| format!("{}\n  {p}\n", line(p)));
                    panic!("{target} {version}:\n{}", told.collect::<String>());
                }
            }
        }
        for line in wrong.iter().rev() {
            assert!(
                *line >= first && *line - first < instructions.len(),
                "an error outside the instructions"
            );
            instructions.remove(line - first);
        }
    }
}

/// Writes out `{%r*32}`, by which the recorded verdicts shorten long vectors.
fn written_out(text: &str) -> String {
    let Some((before, after)) = text.split_once('*') else { return text.to_owned() };
    let (head, stem) = before.rsplit_once('{').expect("a vector");
    let (count, rest) = after.split_once('}').expect("the end of the vector");
    let count: usize = count.parse().expect("how many registers");
    let registers: Vec<String> = (0..count).map(|register| format!("{stem}{register}")).collect();
    format!("{head}{{{}}}{}", registers.join(", "), written_out(rest))
}

/// What is wrong with an operand, by itself.
fn operand_fault(function: &Function, operand: &Operand) -> Option<&'static str> {
    let register = |id: ptxvm_ir::RegisterId| function.registers[id.0 as usize];
    match (operand.kind, operand.ty) {
        (OperandKind::Register { register: id, .. }, Some(ty)) => {
            // A predicate stands for 32 bits in a vector, and a `.f16x2` register for a predicate.
            let odd = register(id) == Type::Pred || ty == Type::Pred;
            (!odd && register(id).bits() < ty.bits()).then_some("the register is narrower than the type")
        }
        (OperandKind::Immediate(bits), Some(ty)) if ty.bits() < 64 => {
            let high = bits >> ty.bits();
            let signed = ty.kind() == Kind::Signed && bits >> (ty.bits() - 1) == u64::MAX >> (ty.bits() - 1);
            (high != 0 && !signed).then_some("the constant does not fit its type")
        }
        (OperandKind::Register { .. } | OperandKind::Sink, _) => None,
        _ if operand.written => Some("this cannot be written"),
        _ => None,
    }
}

/// What is wrong with the operands of an instruction as a whole.
fn fault(program: &Program, function: &Function, instruction: &Instruction) -> Option<String> {
    let form = &program.forms[instruction.form.0 as usize];
    let row = &ISA.rows[usize::from(form.row)];
    let (start, end) = instruction.operands;
    let operands = &function.operands[start as usize..end as usize];
    for operand in operands {
        if let Some(fault) = operand_fault(function, operand) {
            return Some(format!("{fault}: {operand:?}"));
        }
    }
    let mut places: Vec<u8> = operands.iter().map(|o| o.place).collect();
    places.dedup();
    // Where a branch leads is in the terminator of its block.
    let leads =
        |place: &&u8| matches!(row.operands[usize::from(**place)].shape, Shape::Label | Shape::Targets);
    if !row.lists.iter().any(|list| list.iter().filter(|place| !leads(place)).eq(&places)) {
        return Some(format!("the places {places:?} are none of {:?}", row.lists));
    }
    for &number in &places {
        let place = &row.operands[usize::from(number)];
        let given = operands.iter().filter(|o| o.place == number);
        let fits = match place.shape {
            Shape::Vector(count, _) => {
                let wanted = count_of(count, &form.filling, &ISA).unwrap_or(1) as usize;
                // One sink may stand for a whole vector.
                given.clone().count() == wanted || given.clone().all(|o| o.kind == OperandKind::Sink)
            }
            Shape::Pair(..) => given.clone().all(|o| o.part < 2) && given.clone().any(|o| o.part == 0),
            Shape::Bracket(parts, _) => given.clone().all(|o| usize::from(o.part) < parts.len()),
            _ => given.clone().count() == 1,
        };
        if !fits {
            return Some(format!("{} is {:?}", place.name, given.collect::<Vec<_>>()));
        }
    }
    None
}

/// Whether an instruction has a meaning. Those that ptxas takes and makes no sense of have none, and their row says so.
fn has_meaning(program: &Program, function: &Function, instruction: &Instruction) -> bool {
    let form = &program.forms[instruction.form.0 as usize];
    let view = Form::new(form, function.operands_of(instruction)).of(&program.variables, function.entry);
    let notes = ISA.rows[usize::from(form.row)].notes;
    let decoded = decode(&view);
    assert_eq!(program.operation(instruction), decoded.as_ref(), "{form}");
    decoded.is_some() || notes.iter().any(|note| note.ends_with("executed."))
}

#[test]
fn every_form_has_the_operands_of_its_row_and_a_meaning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle");
    // Those of later releases of ptxas have folders of their own.
    let mut paths: Vec<PathBuf> = ["", "13.3", "13.4"]
        .iter()
        .flat_map(|release| std::fs::read_dir(folder.join(release)).expect("the recorded verdicts").flatten())
        .map(|entry| entry.path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let mut rows = vec![false; ISA.rows.len()];
    let mut count = 0;
    let mut wrong = Vec::new();
    let beside = BESIDE
        .lines()
        .map(|line| if line.starts_with('#') { format!("{line}\n") } else { format!("+{line}\n") });
    let texts = paths.iter().map(|path| std::fs::read_to_string(path).expect("the verdicts of a family"));
    for text in texts.chain([beside.collect()]) {
        for group in text.split("# ").filter(|group| !group.is_empty()) {
            let mut lines = group.lines();
            let Some((target, version)) = lines.next().and_then(|head| head.split_once(' ')) else {
                continue;
            };
            let accepted: Vec<String> =
                lines.filter_map(|line| line.strip_prefix('+')).map(written_out).collect();
            let (program, lowered) = program(target, version, accepted.iter().map(String::as_str).collect());
            count += lowered;
            for function in program.functions.iter().filter(|f| f.entry) {
                for instruction in &function.instructions {
                    let form = &program.forms[instruction.form.0 as usize];
                    rows[usize::from(form.row)] = true;
                    if let Some(fault) = fault(&program, function, instruction) {
                        wrong.push(format!("{form}: {fault}"));
                    }
                    if !has_meaning(&program, function, instruction) {
                        wrong.push(format!("{form}: it is not decoded"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    let unmet: Vec<&str> =
        ISA.rows.iter().zip(&rows).filter(|(_, met)| !**met).map(|(row, _)| row.head).collect();
    assert_eq!(unmet, SHADOWED, "rows that no instruction has met");
    assert!(count > 15_000, "{count} instructions");
}
