//! What cannot be compiled is told with a sentence, and the compiler goes on.

mod llvm;

use llvm::compiler;
use ptxvm_jit::llvm::{CompileError, Target};

/// A module that is all right, and shows that the compiler is.
const EMPTY: &str = "define void @f() { ret void }";

#[test]
fn a_text_that_is_no_ir_is_told_with_its_line() {
    let Some(compiler) = compiler(Target::default()) else { return };
    let wrong = [
        (
            "define void @f() {\n  ret void\n}\ndefine void @g() {\n  %x = ad i32 1, 2\n  ret void\n}\n",
            5,
            "%x = ad i32",
        ),
        ("nonsense", 1, "nonsense"),
        ("\n\n  define i32 @f( { ret i32 0 }", 3, "define i32 @f("),
        ("define void @f() {\n  store i32 1, ptr %nothing\n  ret void\n}", 2, "%nothing"),
        ("define void @f() {\n  br label %nowhere\n}", 2, "nowhere"),
    ];
    for (ir, line, quoted) in wrong {
        let error = compiler.compile(ir, "", &[]).expect_err(ir);
        let CompileError::Parse { line: told, message } = &error else { panic!("{error:?}") };
        assert_eq!(*told, Some(line), "{message}");
        assert!(message.contains(quoted), "{message}");
        assert!(!message.contains("datalayout"), "the lines put before the text are not told: {message}");
    }
    compiler.compile(EMPTY, "", &[]).expect("code");
}

#[test]
fn ir_that_is_not_well_formed_is_refused() {
    let Some(compiler) = compiler(Target::default()) else { return };
    let ir = "define i32 @f() {\n  %x = add i32 %y, 1\n  %y = add i32 %x, 1\n  ret i32 %y\n}";
    let error = compiler.compile(ir, "default<O2>", &[]).expect_err("a use before its definition");
    assert!(matches!(&error, CompileError::Refused(message) if message.contains("dominate")), "{error:?}");
    compiler.compile(EMPTY, "", &[]).expect("code");
}

#[test]
fn a_pass_that_does_not_exist_is_named() {
    let Some(compiler) = compiler(Target::default()) else { return };
    for passes in ["default<O2>,make-it-fast", "default<O9>", "function(", ",,"] {
        let error = compiler.compile(EMPTY, passes, &[]).expect_err(passes);
        assert!(
            matches!(&error, CompileError::Passes(message) if !message.is_empty()),
            "{passes}: {error:?}"
        );
    }
    let error = compiler.emit_assembly(EMPTY, "make-it-fast").expect_err("an unknown pass");
    assert!(error.to_string().contains("make-it-fast"), "{error}");
    compiler.compile(EMPTY, "default<O2>", &[]).expect("code");
}

#[test]
fn what_code_generation_reports_is_an_error() {
    let Some(compiler) = compiler(Target::default()) else { return };
    let wrong = [
        ("call void asm sideeffect \"nosuchinstruction\", \"\"()", "nosuchinstruction"),
        ("%x = call i32 asm sideeffect \"nop\", \"={nosuchregister}\"()", "nosuchregister"),
    ];
    for (line, named) in wrong {
        let ir = format!("define void @f() {{\n  {line}\n  ret void\n}}");
        for error in [
            compiler.compile(&ir, "default<O1>", &[]).expect_err(line),
            compiler.emit_assembly(&ir, "").expect_err(line),
        ] {
            assert!(matches!(&error, CompileError::Code(message) if message.contains(named)), "{error:?}");
        }
    }
    compiler.compile(EMPTY, "", &[]).expect("code");
}

#[test]
fn odd_texts_do_no_harm() {
    let Some(compiler) = compiler(Target::default()) else { return };
    // A module without functions is one, and so is a text without anything.
    assert_eq!(compiler.compile("", "default<O2>", &[]).expect("nothing").names().count(), 0);
    assert_eq!(compiler.compile("@x = external global i32", "", &[]).expect("nothing").code_bytes(), 0);
    // A zero within a text is no end of it, and one within a list of passes is.
    let zero = compiler.compile("define void @f() { \0 ret void }\nnonsense", "", &[]).expect_err("nonsense");
    assert!(matches!(zero, CompileError::Parse { line: Some(_), .. }), "{zero:?}");
    compiler.compile(EMPTY, "default<O1>\0nonsense", &[]).expect("code");
    // Names may have any characters.
    let ir = "define i32 @\"a b\\22$\"() { ret i32 1 }";
    assert!(compiler.compile(ir, "", &[]).expect("code").address("a b\"$").is_some());
}
