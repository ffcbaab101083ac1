//! `vprintf`: what C prints, from formats and arguments that lie as the compiler lays them.

use ptxvm_machine::{Kind, Stop};

use crate::common::{Outcome, finding, run_ptx, words};

/// An argument in the buffer.
enum Value {
    Int(i32),
    Long(i64),
    Double(f64),
    Text(&'static str),
}
use Value::{Double, Int, Long, Text};

/// Bytes as an initialiser.
fn bytes(text: &[u8]) -> String {
    let list: Vec<String> = text.iter().map(u8::to_string).collect();
    format!("[{}] = {{{}}}", text.len(), list.join(", "))
}

/// A kernel that prints with these arguments, once in each thread; `null` and `body` may replace parts of it.
fn source(format: &[u8], values: &[Value]) -> String {
    let mut declared = format!(".global .align 1 .b8 format{};\n", bytes(format));
    let mut stores = String::new();
    let mut at = 0u64;
    for (index, value) in values.iter().enumerate() {
        let size = if matches!(value, Int(_)) { 4 } else { 8 };
        at = at.next_multiple_of(size);
        let place = format!("[buffer+{at}]");
        stores += &match value {
            Int(value) => format!("st.local.b32 {place}, {value};\n"),
            Long(value) => format!("st.local.b64 {place}, {value};\n"),
            Double(value) => format!("st.local.b64 {place}, {};\n", value.to_bits()),
            Text(text) => {
                let text = [text.as_bytes(), b"\0"].concat();
                declared += &format!(".global .align 1 .b8 text{index}{};\n", bytes(&text));
                format!("cvta.global.u64 %x, text{index}; st.local.b64 {place}, %x;\n")
            }
        };
        at += size;
    }
    format!(
        ".version 9.1\n.target sm_90a\n.address_size 64\n{declared}\
         .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n\
         .visible .entry k(.param .u64 b) {{\n.local .align 8 .b8 buffer[{}];\n\
         .reg .b64 %x, %f, %a, %b; .reg .b32 %r, %t;\n\
         {stores}cvta.global.u64 %f, format; cvta.local.u64 %a, buffer;\n\
         {{ .param .b64 p0; .param .b64 p1; .param .b32 r; st.param.b64 [p0], %f; st.param.b64 [p1], %a;\n\
         call.uni (r), vprintf, (p0, p1); ld.param.b32 %r, [r]; }}\n\
         mov.u32 %t, %tid.x; ld.param.u64 %b, [b]; mad.wide.u32 %b, %t, 4, %b; st.global.u32 [%b], %r; ret; }}\n",
        at.max(8)
    )
}

fn run(source: &str) -> Result<Outcome, Stop> {
    run_ptx(source, "k", 1, 1, &[words(&[77])], 0)
}

fn print(format: &str, values: &[Value]) -> (String, u32) {
    let outcome = run(&source(&[format.as_bytes(), b"\0"].concat(), values)).expect("prints");
    (outcome.printed.concat(), outcome.words(0)[0])
}

/// Formats, arguments, and what glibc's `snprintf` makes of them.
#[allow(clippy::approx_constant, reason = "numbers to print, not to compute with")]
const AS_C: &[(&str, &[Value], &str)] = &[
    (
        "%d|%i|%5d|%-5d|%05d|%+d|% d",
        &[Int(1), Int(-2), Int(3), Int(4), Int(5), Int(6), Int(7)],
        "1|-2|    3|4    |00005|+6| 7",
    ),
    (
        "%.3d|%8.3d|%-8.3d|%08.3d|%.0d|%.d|%+.0d",
        &[Int(5), Int(-5), Int(5), Int(5), Int(0), Int(0), Int(0)],
        "005|    -005|005     |     005|||+",
    ),
    (
        "%u|%x|%X|%o|%#x|%#X|%#o|%#x|%#o",
        &[Int(-1), Int(255), Int(255), Int(8), Int(255), Int(255), Int(8), Int(0), Int(0)],
        "4294967295|ff|FF|10|0xff|0XFF|010|0|0",
    ),
    (
        "%#10x|%#010x|%-#10x|%#.5x|%#.5o|%#.0o|%#08o|%#.3o",
        &[Int(255), Int(255), Int(255), Int(255), Int(8), Int(0), Int(8), Int(511)],
        "      0xff|0x000000ff|0xff      |0x000ff|00010|0|00000010|0777",
    ),
    ("%hd|%hu|%hhd|%hhu|%hx", &[Int(70000), Int(70000), Int(300), Int(300), Int(-1)], "4464|4464|44|44|ffff"),
    (
        "%ld|%lld|%lu|%llx|%zu|%jd|%td",
        &[
            Long(-5000000000),
            Long(4611686018427387904),
            Long(9223372036854775807),
            Long(81985529216486895),
            Long(77),
            Long(-1),
            Long(8),
        ],
        "-5000000000|4611686018427387904|9223372036854775807|123456789abcdef|77|-1|8",
    ),
    (
        "%d %ld %d %lf %d %s",
        &[Int(1), Long(2), Int(3), Double(4.5), Int(5), Text("six")],
        "1 2 3 4.500000 5 six",
    ),
    ("%c|%3c|%-3c|", &[Int(65), Int(66), Int(67)], "A|  B|C  |"),
    (
        "%s|%8s|%-8s|%.2s|%8.2s|%.0s|%s",
        &[Text("abc"), Text("abc"), Text("abc"), Text("abc"), Text("abc"), Text("abc"), Text("")],
        "abc|     abc|abc     |ab|      ab||",
    ),
    (
        "%*d|%-*d|%*d|%.*f|%.*f|%*.*f",
        &[
            Int(6),
            Int(42),
            Int(6),
            Int(42),
            Int(-6),
            Int(42),
            Int(2),
            Double(3.14159),
            Int(-1),
            Double(3.14159),
            Int(9),
            Int(3),
            Double(2.71828),
        ],
        "    42|42    |42    |3.14|3.141590|    2.718",
    ),
    ("100%%|%d%%", &[Int(50)], "100%|50%"),
    (
        "%f|%.0f|%#.0f|%.1f|%.10f|%10.2f|%-10.2f|%010.2f|%+f|% f",
        &[
            Double(1.5),
            Double(2.5),
            Double(2.5),
            Double(0.25),
            Double(0.1),
            Double(-3.14159),
            Double(3.14159),
            Double(-3.14159),
            Double(0.0),
            Double(-0.0),
        ],
        "1.500000|2|2.|0.2|0.1000000000|     -3.14|3.14      |-000003.14|+0.000000|-0.000000",
    ),
    (
        "%f|%.3f|%.0f|%.0f|%.2f",
        &[Double(1e+22), Double(1.0005), Double(0.5), Double(1.5), Double(1.005)],
        "10000000000000000000000.000000|1.000|0|2|1.00",
    ),
    (
        "%e|%.0e|%#.0e|%.3E|%12.2e|%e|%e",
        &[
            Double(12345.678),
            Double(12345.678),
            Double(5.0),
            Double(1e-10),
            Double(-1.0),
            Double(0.0),
            Double(1e+300),
        ],
        "1.234568e+04|1e+04|5.e+00|1.000E-10|   -1.00e+00|0.000000e+00|1.000000e+300",
    ),
    (
        "%g|%g|%g|%g|%g|%g|%g",
        &[
            Double(100000.0),
            Double(1000000.0),
            Double(0.0001),
            Double(1e-05),
            Double(1.5),
            Double(0.0),
            Double(123456789.0),
        ],
        "100000|1e+06|0.0001|1e-05|1.5|0|1.23457e+08",
    ),
    (
        "%#g|%.3g|%.0g|%#.3g|%G|%10.4g|%-10.4g|%.10g",
        &[
            Double(1.5),
            Double(1234.5),
            Double(1234.5),
            Double(1.0),
            Double(1e-10),
            Double(3.14159265),
            Double(3.14159265),
            Double(0.1),
        ],
        "1.50000|1.23e+03|1e+03|1.00|1E-10|     3.142|3.142     |0.1",
    ),
    (
        "%.20g|%.17g|%#.20g",
        &[Double(0.1), Double(0.1), Double(0.5)],
        "0.10000000000000000555|0.10000000000000001|0.50000000000000000000",
    ),
    (
        "%a|%a|%a|%A|%.0a|%.0a|%.2a|%.15a|%a|%a",
        &[
            Double(1.0),
            Double(0.5),
            Double(-3.14159),
            Double(255.5),
            Double(1.5),
            Double(1.25),
            Double(1.999),
            Double(1.5),
            Double(0.0),
            Double(5e-324),
        ],
        "0x1p+0|0x1p-1|-0x1.921f9f01b866ep+1|0X1.FFP+7|0x2p+0|0x1p+0|0x2.00p+0|0x1.800000000000000p+0|0x0p+0|0x0.0000000000001p-1022",
    ),
    (
        "%#.0a|%20a|%-20a|%020a|%.1a",
        &[Double(1.0), Double(1.5), Double(1.5), Double(1.5), Double(2.225073858507201e-308)],
        "0x1.p+0|            0x1.8p+0|0x1.8p+0            |0x0000000000001.8p+0|0x1.0p-1022",
    ),
    (
        "%f|%5.1f|%010f|%F|%e|%G|%a|%-6f|",
        &[
            Double(f64::INFINITY),
            Double(f64::NEG_INFINITY),
            Double(f64::INFINITY),
            Double(f64::NAN),
            Double(f64::NEG_INFINITY),
            Double(f64::INFINITY),
            Double(f64::INFINITY),
            Double(f64::NAN),
        ],
        "inf| -inf|       inf|NAN|-inf|INF|inf|nan   |",
    ),
    (
        "%.40f|%.30e",
        &[Double(0.3333333333333333), Double(1e-05)],
        "0.3333333333333333148296162562473909929395|1.000000000000000081803053914031e-05",
    ),
    ("x%+5d|%+05d|% 05d|%+-6d|", &[Int(1), Int(1), Int(1), Int(1)], "x   +1|+0001| 0001|+1    |"),
    (
        "%p|%20p|%-20p|",
        &[Long(3735928559), Long(3735928559), Long(3735928559)],
        "0xdeadbeef|          0xdeadbeef|0xdeadbeef          |",
    ),
    ("%p|%10p", &[Long(0), Long(0)], "(nil)|     (nil)"),
];

#[test]
fn prints_as_c_does() {
    for (format, values, expected) in AS_C {
        let (text, count) = print(format, values);
        assert_eq!(text, *expected, "{format}");
        assert_eq!(count as usize, values.len(), "{format}");
    }
}

#[test]
fn every_thread_prints_once() {
    let text = source(b"thread\n\0", &[]);
    let outcome = run_ptx(&text, "k", 2, 33, &[words(&[9; 33])], 0).expect("prints");
    assert_eq!(outcome.printed, vec!["thread\n"; 66]);
    assert_eq!(outcome.words(0), [0; 33]);
}

/// CUDA reads 32 arguments at most and prints what lies beyond as it stands, as it does with what it does not know.
#[test]
fn what_c_leaves_open() {
    let many: Vec<Value> = (0..34).map(Int).collect();
    let (text, count) = print(&"%d ".repeat(34), &many);
    assert!(text.ends_with(" 30 31 %d %d "), "{text}");
    assert_eq!(count, 32);
    assert_eq!(print("%y %", &[]), ("%y %".into(), 0));
    assert_eq!(print("%5", &[]), ("%5".into(), 0));
    assert_eq!(print("%d%n%d", &[Int(1), Long(12345), Int(2)]), ("12".into(), 3));
    assert_eq!(print("%s %.3s|", &[Long(0), Long(0)]), ("(null) |".into(), 2));
    assert_eq!(print("", &[]), (String::new(), 0));
    let null = source(b"x\0", &[]).replace("st.param.b64 [p0], %f", "st.param.b64 [p0], 0");
    let outcome = run(&null).expect("runs");
    assert_eq!((outcome.printed.len(), outcome.words(0)[0]), (0, u32::MAX));
}

/// Whatever the guest asks for, no more than a megabyte comes out.
#[test]
fn what_a_hostile_format_asks_for_is_bounded() {
    for format in [
        "%999999999999999999999d",
        "%-2000000000d|",
        "%.2000000000f",
        "%.2000000000e",
        "%2000000000.2000000000a",
    ] {
        let (text, _) = print(format, &[Long(1)]);
        assert_eq!(text.len(), 1 << 20, "{format}");
    }
    let (text, _) = print("%.2000000000d%*d%*d", &[Int(5), Int(i32::MAX), Int(5), Int(i32::MIN), Int(5)]);
    assert_eq!(text.len(), 1 << 20);
    assert_eq!(print("%.2000000000g", &[Double(0.1)]).0.len(), 57);
}

#[test]
fn strings_are_read_with_checks() {
    // Without a terminator the format runs over its end.
    finding(run(&source(b"unending", &[])), Kind::OutOfBounds);
    finding(run(&source(b"%s\0", &[Long(16)])), Kind::Null);
    finding(run(&source(b"%s\0", &[Long(1 << 50)])), Kind::OutOfBounds);
    // More arguments than the buffer has: the thread's whole local memory follows it, and then nothing.
    let beyond = source(b"%d\0", &[]).replace("cvta.local.u64 %a, buffer", "mov.u64 %a, 0x2000000000100000");
    finding(run(&beyond), Kind::OutOfBounds);
}
