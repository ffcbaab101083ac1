//! What a checked module tells later layers: where its names lead, and what its tables hold.

use ptxvm_isa::{ISA, Type};
use ptxvm_module::entity::{FunctionId, VariableId, VariableType};
use ptxvm_module::module::{Module, Used};
use ptxvm_module::{Options, check};
use ptxvm_syntax::Interner;
use ptxvm_syntax::ast::{File, InstructionId, LinkageKind, OperandId, OperandKind, SpaceKind};

const SOURCE: &str = "\
.version 9.1
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.extern .global .f32 table[];
.visible .global .f32 table[] = { 1.0, 2.0, 3.0 };
.global .align 2 .u32 member<4>;
.func (.reg .b32 out) twice(.reg .b32 in) { add.s32 out, in, in; ret; }
.visible .entry kernel(.param .u64 pointer, .param .align 8 .b8 record[12]) {
    .reg .b32 %r<10>;
    .reg .v2 .f32 %v;
    .reg .b64 %d;
    ld.param.u64 %d, [pointer];
    mov.u32 %r7, %tid.x;
    st.shared.u32 [dynamic], %r7;
    ld.global.u32 %r2, [member3];
    {
        .reg .b32 %r<2>;
        mov.u32 %r1, 5;
        call (%r1), twice, (%r7);
    }
    bra done;
done:
    ret;
}
";

fn checked() -> (File, Module) {
    let parsed = ptxvm_syntax::parse(SOURCE, &Interner::with_words(ISA.words));
    let checked = check(&parsed.file, SOURCE, &ISA, &Options::default());
    assert!(parsed.diagnostics.is_empty() && checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    (parsed.file, checked.module)
}

/// What each operand that names `name` stands for, in source order.
fn uses(file: &File, module: &Module, name: &str) -> Vec<Used> {
    let named = |kind: OperandKind| match kind {
        OperandKind::Name(symbol) | OperandKind::Member { name: symbol, .. } => file.text(symbol) == name,
        _ => false,
    };
    let mut found: Vec<_> = (0..file.operands.len() as u32)
        .map(OperandId)
        .filter(|&id| named(file[id].kind))
        .filter_map(|id| Some((file[id].span.start, module.used(id)?)))
        .collect();
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, used)| used).collect()
}

#[test]
fn registers_are_numbered_within_their_function() {
    let (file, module) = checked();
    assert_eq!(uses(&file, &module, "%r7"), [Used::Register(7); 3]);
    assert_eq!(uses(&file, &module, "%d"), [Used::Register(12)]);
    // The inner block's range hides the outer one and comes after it.
    assert_eq!(uses(&file, &module, "%r1"), [Used::Register(14); 2]);
    let kernel = module.functions[1].body.as_ref().expect("the kernel has a body");
    let vector = kernel.register(11).expect("the second element of %v");
    assert_eq!((vector.first.ty, vector.first.vector, vector.count), (Type::F32, 2, None));
    assert_eq!(uses(&file, &module, "twice"), [Used::Function(FunctionId(0))]);
}

#[test]
fn variables_have_their_sizes_and_definitions() {
    let (file, module) = checked();
    let of = |name: &str| {
        let Some(&Used::Variable(id)) = uses(&file, &module, name).first() else {
            panic!("{name} is a variable")
        };
        (id, module.variable(id))
    };
    let table = module.variables.iter().find(|v| file.text(v.name) == "table").expect("the table");
    assert_eq!((table.elements, table.size, table.linkage), (Some(3), 12, Some(LinkageKind::Visible)));
    assert!(!table.initializer.is_empty());
    let (id, member) = of("member3");
    assert_eq!((member.count, id.0 - member.id.0, member.align), (Some(4), 3, 4));
    let (_, dynamic) = of("dynamic");
    assert_eq!((dynamic.space, dynamic.align, dynamic.size), (SpaceKind::Shared, 16, 0));
    let record = &module.functions[1].signature.parameters[1];
    assert_eq!((record.ty, record.elements, record.align), (VariableType::Data(Type::B8), Some(12), 8));
}

#[test]
fn every_instruction_is_a_row_of_the_table() {
    let (file, module) = checked();
    assert_eq!(module.rows.len(), file.instructions.len());
    for (instruction, &row) in file.instructions.iter().zip(&module.rows) {
        let row = ISA.rows.get(usize::from(row)).expect("a row");
        assert_eq!(ISA.text(row.name[0]), file.text(instruction.opcode.symbol));
    }
}

const NAMES: &str = "\
.version 9.1
.target sm_90a
.address_size 64
.func helper() { ret; }
.global .u32 word;
.global .u64 table[3] = { 0, word, helper };
.visible .entry kernel(.param .u32 n) {
    .reg .pred %p<4>;
    .reg .b32 %r<4>;
    .local .u32 slot;
    list: .branchtargets L<2>, out;
    @!%p3 mov.u32 %r1, 0;
    @%is_explicit_cluster bar.sync 0, 32;
    bar.sync 0;
    brx.idx %r1, list;
L0: L1: out:
    ret;
}
";

#[test]
fn guards_initialisers_and_target_lists_lead_somewhere_too() {
    let parsed = ptxvm_syntax::parse(NAMES, &Interner::with_words(ISA.words));
    let checked = check(&parsed.file, NAMES, &ISA, &Options::default());
    assert!(parsed.diagnostics.is_empty() && checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let (file, module) = (parsed.file, checked.module);
    let instructions = (0..file.instructions.len() as u32).map(InstructionId);
    let guards: Vec<_> = instructions.map(|id| module.guard(id)).collect();
    let cluster = ISA.sregs.iter().position(|s| s.name == "%is_explicit_cluster").expect("it exists") as u32;
    assert_eq!(guards[1..4], [Some(Used::Register(3)), Some(Used::Special(cluster)), None]);
    // A thread count makes the second list of `bar.sync`; without it the first one fits.
    let list = |at: usize| ISA.rows[usize::from(module.rows[at])].lists[usize::from(module.lists[at])].len();
    assert_eq!((list(2), list(3)), (2, 1));
    // The marks are an opening brace, three values, and a closing one.
    let names: Vec<_> = (0..5).map(|mark| module.initial_name(mark)).collect();
    let word = Some(Used::Variable(VariableId(0)));
    assert_eq!(names, [None, None, word, Some(Used::Function(FunctionId(0))), None]);
    let prefix = file.targets[0].name.symbol;
    let kernel = FunctionId(1);
    let members: Vec<_> = (0..3).map(|number| module.target_member(kernel, prefix, number)).collect();
    assert!(matches!(members[..], [Some(Used::Label(a)), Some(Used::Label(b)), None] if a < b));
    assert!(matches!(module.target(1), Some(Used::Label(_))) && module.target(0).is_none());
    let owners: Vec<_> = module.variables.iter().map(|v| v.function).collect();
    assert_eq!(owners, [None, None, Some(kernel), Some(kernel)]);
}
