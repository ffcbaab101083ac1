//! Random programs that the checker accepts: every form that the machine runs, in any order, under any control flow.
//!
//! A program is a kernel, functions that it calls, and variables in every space. It loads its data registers
//! from one buffer and stores them to another at the end, so that the effect of every instruction can be seen. Tame
//! programs stay within bounds and end; wild ones need not.

use std::fmt::Write as _;

use super::data::{mix_of, named};
use super::flow::Flow;
use super::forms::Forms;
use super::matrix::{self, LONGEST};
use super::names::{AREA, Liberties, Names, REGISTERS, interesting};
use super::scene;
use crate::oracle::Random;

/// A program and what may be expected of it.
pub struct Program {
    /// The module, a statement to a line.
    pub lines: Vec<String>,
    /// Two launches on one host thread must do the same.
    pub repeatable: bool,
    /// Launches on one and on two host threads must do the same.
    pub isolated: bool,
}

/// The formats that are printed.
const FORMATS: usize = 3;

/// Makes a program.
pub fn program(forms: &Forms, random: &mut Random) -> Program {
    let liberties = Liberties {
        wild: random.one_in(4),
        fleeting: random.one_in(4),
        sharing: random.one_in(2),
        racing: random.one_in(2),
        matrix: random.one_in(3),
        texture: random.one_in(3),
    };
    let mut lines = head(forms, liberties, random);
    let functions = random.below(4);
    let mut names = Names { opcode: "", entry: false, liberties, registers: REGISTERS, functions: true };
    lines.push(".func (.param .b32 ro) f0(.param .b64 pp, .param .b32 pd);".into());
    lines.push(".global .u64 tb[2] = {f0, f0};".into());
    for number in 1..=functions {
        lines.push(format!(".func (.param .b32 ro) f{number}(.param .b64 pp, .param .b32 pd)"));
        function(forms, number, functions, &mut names, &mut lines, random);
    }
    lines.push(".func (.param .b32 ro) f0(.param .b64 pp, .param .b32 pd)".into());
    function(forms, 0, functions, &mut names, &mut lines, random);
    names.entry = true;
    entry(forms, functions, &mut names, &mut lines, random);
    let repeatable = !liberties.wild && !liberties.fleeting;
    Program { lines, repeatable, isolated: repeatable && !liberties.sharing }
}

/// The beginning of a module.
pub fn head(forms: &Forms, liberties: Liberties, random: &mut Random) -> Vec<String> {
    let version = format!(".version {}", forms.language.ptx);
    // Lookups name their samplers only there.
    let mode = if liberties.texture && random.one_in(3) { ", texmode_independent" } else { "" };
    let target = format!(".target {}{mode}", forms.language.target);
    let mut lines = vec![version, target, ".address_size 64".into()];
    lines.push(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);".into());
    lines.push(".extern .func (.param .b64 r) malloc(.param .b64 n);".into());
    lines.push(".extern .func free(.param .b64 p);".into());
    for (space, name) in [("global", "gl"), ("const", "co")] {
        let bytes: Vec<String> = (0..32).map(|_| (random.next() as u8).to_string()).collect();
        lines.push(format!(".{space} .align 128 .b8 {name}[{AREA}] = {{{}}};", bytes.join(", ")));
    }
    lines.extend(scene::VARIABLES.iter().map(|variable| (*variable).to_owned()));
    // Every thread has its own part of shared memory.
    lines.push(format!(".shared .align 128 .b8 sm[{}];", AREA * super::setting::MOST_THREADS));
    for number in 0..FORMATS {
        let mut text = format(random).into_bytes();
        text.push(0);
        let bytes: Vec<String> = text.iter().map(u8::to_string).collect();
        lines.push(format!(".global .b8 fm{number}[{}] = {{{}}};", text.len(), bytes.join(", ")));
    }
    lines
}

/// A format for `vprintf`.
fn format(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(4) {
        let letter =
            *random.pick(&["d", "u", "x", "lld", "llx", "f", "g", "e", "a", "c", "p", "hhd", "i", "o", "%"]);
        let flags = *random.pick(&["", "", "-", "+", "#", "0", " "]);
        let width = *random.pick(&["", "", "3", "12", "*"]);
        let precision = *random.pick(&["", "", ".0", ".3", ".17", ".*"]);
        let _ = match random.below(40) {
            0 => write!(text, "%s"),
            1 => write!(text, "%1{}d", random.next() as u32),
            2 => write!(text, "%."),
            3 => write!(text, "%n%y%"),
            _ => write!(text, "%{flags}{width}{precision}{letter},"),
        };
    }
    text
}

/// The registers of a function or kernel.
pub fn registers() -> Vec<String> {
    vec![
        format!(".reg .pred %p<{REGISTERS}>, %lp; .reg .b8 %c<{REGISTERS}>; .reg .b16 %h<{REGISTERS}>;"),
        // Only long vectors name those above the first few.
        format!(".reg .b32 %r<{LONGEST}>; .reg .f32 %f<{LONGEST}>; .reg .b64 %rd<{LONGEST}>;"),
        matrix::REGISTERS.into(),
        scene::registers(),
        format!(
            ".reg .f64 %fd<{LONGEST}>; .reg .b128 %q<{REGISTERS}>; .reg .b32 %t<4>, %mix, %am, %n<32>, %depth;"
        ),
        ".reg .b64 %ga, %gb, %sa, %sb, %la, %ca, %xs, %xl, %sp, %out, %in, %fp;".into(),
        format!(".local .align 128 .b8 lo[{AREA}];"),
        "CP: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);".into(),
    ]
}

/// The number of the thread in its CTA, then the addresses that depend on it alone.
pub fn addresses() -> Vec<String> {
    let text = "mov.u32 %t0, %tid.z;\nmov.u32 %t1, %ntid.y;\nmov.u32 %t2, %tid.y;\nmad.lo.u32 %t0, %t0, %t1, %t2;\n\
        mov.u32 %t1, %ntid.x;\nmov.u32 %t2, %tid.x;\nmad.lo.u32 %t0, %t0, %t1, %t2;\n\
        mov.u64 %sb, sm;\nmad.wide.u32 %sa, %t0, 256, %sb;\ncvta.shared.u64 %xs, %sa;\n\
        mov.u64 %la, lo;\ncvta.local.u64 %xl, %la;\nmov.u64 %ca, co;\nactivemask.b32 %am;\nstacksave.u64 %sp;";
    text.lines().map(str::to_owned).collect()
}

fn function(
    forms: &Forms,
    number: usize,
    functions: usize,
    names: &mut Names,
    lines: &mut Vec<String>,
    random: &mut Random,
) {
    lines.push("{".into());
    lines.extend(registers());
    lines.extend(addresses());
    lines.extend(matrix::operands(forms.blackwell(), random));
    lines.extend(scene::operands(names.liberties, random));
    lines.push("ld.param.u64 %ga, [pp];".into());
    lines.push("ld.param.u32 %depth, [pd];".into());
    lines.push("mov.u64 %gb, %ga;".into());
    let mut flow = Flow { forms, prefix: format!("F{number}"), functions, formats: FORMATS, names, random };
    flow.body(lines);
    lines.push("st.param.b32 [ro], %r0;".into());
    lines.push("ret;".into());
    lines.push("}".into());
}

/// The kernel's name and parameters.
pub fn declaration() -> String {
    let pointers = ["work", "out", "in"].map(|name| format!(".param .u64 .ptr .global .align 16 {name}"));
    format!(".visible .entry k({}, .param .align 128 .b8 pa[{AREA}])", pointers.join(", "))
}

/// The addresses of the thread's parts of the buffers, and data registers with what lies in one of them.
pub fn inputs(random: &mut Random) -> Vec<String> {
    let mut lines = Vec::new();
    let text = "mov.u32 %t1, %nctaid.y;\nmov.u32 %t2, %ctaid.z;\nmov.u32 %t3, %ctaid.y;\n\
        mad.lo.u32 %t2, %t2, %t1, %t3;\nmov.u32 %t1, %nctaid.x;\nmov.u32 %t3, %ctaid.x;\nmad.lo.u32 %t2, %t2, %t1, %t3;\n\
        mov.u32 %t1, %ntid.x;\nmov.u32 %t3, %ntid.y;\nmul.lo.u32 %t1, %t1, %t3;\nmov.u32 %t3, %ntid.z;\n\
        mul.lo.u32 %t1, %t1, %t3;\nmad.lo.u32 %t0, %t1, %t2, %t0;\n\
        ld.param.u64 %gb, [work];\nmad.wide.u32 %ga, %t0, 256, %gb;\n\
        ld.param.u64 %in, [in];\nmad.wide.u32 %in, %t0, 256, %in;\n\
        ld.param.u64 %out, [out];\nmad.wide.u32 %out, %t0, 512, %out;\nmov.u32 %depth, 3;";
    lines.extend(text.lines().map(str::to_owned));
    for number in 0..REGISTERS {
        lines.push(format!("ld.global.b8 %c{number}, [%in+{}];", 3 * number));
        lines.push(format!("ld.global.b16 %h{number}, [%in+{}];", 2 * number));
        lines.push(format!("ld.global.b32 %r{number}, [%in+{}];", 32 + 4 * number));
        lines.push(format!("ld.global.f32 %f{number}, [%in+{}];", 72 + 4 * number));
        lines.push(format!("ld.global.b64 %rd{number}, [%in+{}];", 112 + 8 * number));
        lines.push(format!("ld.global.f64 %fd{number}, [%in+{}];", 168 + 8 * number));
        lines.push(format!("ld.global.b128 %q{number}, [%in+{}];", 16 * number));
        lines.push(format!("setp.lt.s32 %p{number}, %r{number}, {};", interesting(random) as i32));
    }
    lines
}

/// Whether a register is one of those that only long vectors name.
fn is_high(name: &str) -> bool {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().is_ok_and(|number: usize| number >= REGISTERS)
}

fn entry(forms: &Forms, functions: usize, names: &mut Names, lines: &mut Vec<String>, random: &mut Random) {
    lines.push(declaration());
    if names.liberties.matrix {
        lines.push(".reqntid 128".into());
    }
    let begin = lines.len();
    lines.push("{".into());
    lines.extend(registers());
    lines.extend(addresses());
    lines.extend(matrix::operands(forms.blackwell(), random));
    lines.extend(scene::operands(names.liberties, random));
    let allocates = names.liberties.matrix && forms.blackwell();
    if allocates {
        lines.extend(matrix::allocation());
    }
    lines.extend(inputs(random));
    let mut flow = Flow { forms, prefix: "E".into(), functions, formats: FORMATS, names, random };
    if flow.names.liberties.matrix {
        // As long as all threads are together.
        for _ in 0..1 + flow.random.below(4) {
            let line = flow.matrix();
            lines.push(line);
        }
    }
    if flow.names.liberties.texture {
        // Before anything ends the launch.
        for _ in 0..2 + flow.random.below(12) {
            let line = flow.texture();
            lines.push(line);
        }
    }
    flow.body(lines);
    if allocates {
        lines.extend(matrix::deallocation());
    }
    for number in 0..REGISTERS {
        lines.push(format!("st.global.b128 [%out+{}], %q{number};", 16 * number));
        lines.push(format!("st.global.b64 [%out+{}], %rd{number};", 160 + 8 * number));
        lines.push(format!("st.global.f64 [%out+{}], %fd{number};", 240 + 8 * number));
        lines.push(format!("st.global.b32 [%out+{}], %r{number};", 320 + 4 * number));
        lines.push(format!("st.global.f32 [%out+{}], %f{number};", 360 + 4 * number));
        lines.push(format!("st.global.b16 [%out+{}], %h{number};", 400 + 2 * number));
        lines.push(format!("st.global.b8 [%out+{}], %c{number};", 420 + number));
        lines.push(format!("selp.b32 %t1, 1, 0, %p{number};"));
        lines.push(format!("st.global.b32 [%out+{}], %t1;", 432 + 4 * number));
    }
    lines.extend(mix_of(named(&lines[begin..]).iter().filter(|named| is_high(&named.0))));
    lines.push("st.global.b32 [%out+476], %mix;".into());
    lines.push("ret;".into());
    lines.push("}".into());
}
