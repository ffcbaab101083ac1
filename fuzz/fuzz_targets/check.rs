//! Coverage-guided: any bytes through decoding, parsing, checking and formatting. Nothing may panic or hang, and what
//! is formatted once must not change when it is formatted again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

use ptxvm_isa::ISA;
use ptxvm_syntax::Interner;

static WORDS: OnceLock<Interner> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = ptxvm_syntax::decode(bytes) else { return };
    let words = WORDS.get_or_init(|| Interner::with_words(ISA.words));
    let parsed = ptxvm_syntax::parse(source, words);
    let _ = ptxvm_module::check(&parsed.file, source, &ISA, &ptxvm_module::Options::default());
    if parsed.diagnostics.is_empty() {
        let once = ptxvm_syntax::fmt(source, words).unwrap_or_default();
        let twice = ptxvm_syntax::fmt(&once, words).unwrap_or_default();
        assert_eq!(once, twice);
    }
});
