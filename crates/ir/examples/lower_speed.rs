//! Measures the lowering: `cargo run --release -p ptxvm-ir --example lower_speed -- FILE…` lowers every file again and
//! again for two seconds, on one thread, and prints the rate beside that of parsing and checking.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what it measures, it prints")]

use std::hint::black_box;
use std::time::Instant;

use ptxvm_isa::ISA;
use ptxvm_module::{Options, check};
use ptxvm_syntax::{Interner, parse};

fn main() {
    let words = Interner::with_words(ISA.words);
    let texts: Vec<String> =
        std::env::args().skip(1).filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let (mut front, mut lowering, mut rounds) = (0.0, 0.0, 0);
    while rounds < 3 || front + lowering < 2.0 {
        for text in &texts {
            let start = Instant::now();
            let parsed = parse(text, &words);
            let checked = check(&parsed.file, text, &ISA, &Options::default());
            let middle = Instant::now();
            let program = black_box(ptxvm_ir::lower(&parsed.file, text, &checked.module, &ISA));
            lowering += middle.elapsed().as_secs_f64();
            front += (middle - start).as_secs_f64();
            drop(program);
        }
        rounds += 1;
    }
    let rate = |seconds: f64| (bytes * rounds) as f64 / 1e6 / seconds.max(1e-9);
    println!("{} files, {:.2} MB", texts.len(), bytes as f64 / 1e6);
    println!("parse and check {:.0} MB/s, lower {:.0} MB/s", rate(front), rate(lowering));
}
