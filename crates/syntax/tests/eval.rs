//! The values of constant expressions: those that ptxas 13.1 puts into the image of a `.u64` array.

use ptxvm_syntax::ast::{InitializerKind, ItemKind};
use ptxvm_syntax::{Interner, Value, eval, parse};

fn value(expression: &str) -> Result<Value, String> {
    let source = format!(".global .u64 x = {expression};\n");
    let parsed = parse(&source, &Interner::default());
    if let Some(first) = parsed.diagnostics.first() {
        return Err(first.code.to_string());
    }
    let file = &parsed.file;
    let ItemKind::Variable(id) = file.items[0].kind else { panic!("{source} is a variable") };
    let declarator = file[file[id].declarators][0];
    match file[declarator.initializer][0].kind {
        InitializerKind::Integer(value) => Ok(Value::Integer { bits: value.into(), unsigned: false }),
        InitializerKind::Expression(id) => eval(file, id).map_err(|error| format!("{:?}", error.kind)),
        other => panic!("{source} has no expression but {other:?}"),
    }
}

fn check_integers(table: &[(&str, i128)]) {
    for &(expression, expected) in table {
        match value(expression) {
            Ok(Value::Integer { bits, .. }) => {
                assert_eq!(bits, (expected & i128::from(u64::MAX)) as u64, "{expression}");
            }
            other => panic!("{expression} is {other:?}"),
        }
    }
}

#[test]
fn integers() {
    check_integers(&[
        ("-7/2", -3),
        ("-7U/2", 9223372036854775804),
        ("-7/2U", 9223372036854775804),
        ("-7 % 3", 0),
        ("(.u64)-7 % 3", 0),
        ("7 % -3", 7),
        ("-8>>1", -4),
        ("-8U>>1", 9223372036854775804),
        ("(.u64)-8>>1", 9223372036854775804),
        ("(.s64)0xfffffffffffffff8>>1", -4),
        ("0xfffffffffffffff8>>1", 9223372036854775804),
        ("~7>>1", 9223372036854775804),
        ("~7/2", 9223372036854775804),
        ("1<<64", 1),
        ("1<<65", 2),
        ("1<<-1", -9223372036854775808),
        ("-8>>64", -8),
        ("-8>>100", -1),
        ("8U>>64", 8),
        ("-1<1U", 0),
        ("-1<1", 1),
        ("(.u64)-1<1", 0),
        ("-1==0xffffffffffffffff", 1),
        ("-1==-1U", 1),
        ("1?-7:7U", -7),
        ("(1?-7:7U)/2", -3),
        ("(0?-7:7U)", 7),
        ("(1?-7:7)/2", -3),
        ("!5", 0),
        ("!0/-1", -1),
        ("(!5-1)/2", 0),
        ("(!0)-2>>1", -1),
        ("1+2*3", 7),
        ("1|2^3&4", 3),
        ("1|2&&0", 0),
        ("1||0&&0", 1),
        ("1?2:0?3:4", 2),
        ("0?2:1?3:4", 3),
        ("2-3-4", -5),
        ("2-(3-4)", 3),
        ("16/4/2", 2),
        ("1<<2+1", 8),
        ("1<<2<<1", 8),
        ("5&4==4", 1),
        ("5&3==1", 0),
        ("5|4==4", 5),
        ("1<2==1", 1),
        ("3>2>1", 0),
        ("1==1!=0", 1),
        ("-2*3", -6),
        ("~1+1", -1),
        ("!1+1", 1),
        ("-1>>1", -1),
        ("(.u64)-1>>1", 9223372036854775807),
        ("(-1)>>1", -1),
        ("-9223372036854775808 % -1", -9223372036854775808),
        ("9223372036854775807+1>>1", -4611686018427387904),
        ("9223372036854775808>>1", 4611686018427387904),
        ("0x8000000000000000>>1", 4611686018427387904),
        ("0xfabc123400000000/-1", 0),
        ("WARP_SZ*2", 64),
        ("(WARP_SZ-64)/2", -16),
        ("-WARP_SZ>>1", -16),
        ("1.5<2.5", 1),
        ("1.5==1.5", 1),
        ("(.s64)-1>>1", -1),
        ("(.u64)(.s64)-1>>1", 9223372036854775807),
        ("(.s64)1-2>>1", -1),
        ("-(.u64)1>>1", 9223372036854775807),
        ("(.u64)1-2>>1", 9223372036854775807),
        ("1?0?1:2:3", 2),
        ("0x10 - 1 << 2", 60),
        ("7&&0||1", 1),
        ("1.5>1.5?1:2", 2),
        ("-1U<0", 0),
        ("(1&&1)-2>>1", -1),
        ("(1<2)-2>>1", -1),
        ("(1U<2U)-2>>1", -1),
        ("(1U==2U)-1>>1", -1),
        ("~0", -1),
        ("~0>>63", 1),
        ("!0U-2>>1", -1),
        ("(-4U&-1)>>1", 9223372036854775806),
        ("(-4&-1)>>1", -2),
        ("(-4&1U)>>1", 0),
        ("-1>>1U", -1),
        ("-1>>63", -1),
        ("1U<<63>>63", 1),
        ("1<<63>>63", -1),
        ("5%(3)", 2),
        ("-5*-3", 15),
        ("+-+5", -5),
        ("7 % 3 - 4 >> 1", 9223372036854775806),
        ("(5>>1U)-4>>1", -1),
        ("(5<<1U)-40>>1", -15),
        ("(5U<<1)-40>>1", 9223372036854775793),
        ("((-9) % 7U) - 4 >> 1", 9223372036854775806),
    ]);
}

#[test]
fn doubles() {
    let table = [
        ("1.5", 1.5),
        ("-1.5", -1.5),
        ("--1.5", 1.5),
        ("1.0/4.0", 0.25),
        ("0d3FF0000000000000*2.0", 2.0),
        ("1.0-2.0-3.0", -4.0),
        ("1e308*10.0", f64::INFINITY),
    ];
    for (expression, expected) in table {
        match value(expression) {
            Ok(Value::Double(value)) => assert_eq!(value, expected, "{expression}"),
            other => panic!("{expression} is {other:?}"),
        }
    }
}

#[test]
fn a_lone_single_keeps_its_bits() {
    for expression in ["0f7FC00001", "(0f7FC00001)", "((0F7fc00001))"] {
        assert!(matches!(value(expression), Ok(Value::Single(0x7fc0_0001))), "{expression}");
    }
    assert!(matches!(value("-(0f3F800000)"), Ok(Value::Single(0xbf80_0000))));
}

#[test]
fn errors() {
    let table = [
        ("1/0", "E0127"),
        ("1 % 0", "E0127"),
        ("0?1/0:5", "E0127"),
        ("1&&1/0", "E0127"),
        ("1.0/0.0", "E0127"),
        ("1.0+1", "E0126"),
        ("1==2.0", "E0126"),
        ("1.0&2.0", "E0125"),
        ("!1.0", "E0125"),
        ("~1.0", "E0125"),
        ("1?1.0:2.0", "E0125"),
        ("1.0?1:2", "E0125"),
        ("(.s64)1.5", "E0125"),
        ("(.s32)5", "E0128"),
        ("-0f3F800000", "E0123"),
        ("0f3F800000+1.0", "E0123"),
        ("100000000000000000000", "E0107"),
        ("1e400", "E0108"),
        ("1e-320", "E0108"),
        ("1+x", "E0124"),
        ("(1", "E0101"),
        ("1?2", "E0101"),
        ("1+", "E0101"),
    ];
    for (expression, expected) in table {
        match value(expression) {
            Err(code) => assert_eq!(code, expected, "{expression}"),
            Ok(value) => panic!("{expression} is {value:?}"),
        }
    }
}

/// A division that traps on the host and, in ptxas, crashes it.
#[test]
fn the_least_integer_divided_by_minus_one_wraps() {
    check_integers(&[("(-9223372036854775807-1)/-1", i64::MIN.into())]);
}
