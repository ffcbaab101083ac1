//! For which processor code is made: the host's, or less than that on request.

/// What code is made for, and with how much effort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    pub level: Level,
    pub effort: Effort,
}

/// How much of the host's instruction set the code may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// What every processor of the architecture has (on x86-64: SSE2).
    Baseline,
    /// All the host has but AVX-512 and AVX10.
    NoAvx512,
    /// All the host has.
    #[default]
    Host,
}

/// How hard code generation tries (`LLVMCodeGenOptLevel`); the passes before it are named at each compilation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    None = 0,
    Less = 1,
    #[default]
    Default = 2,
    Aggressive = 3,
}

/// LLVM's name of the host's target, as in `LLVMInitializeX86Target`.
pub const HOST: Option<&str> = if cfg!(target_arch = "x86_64") {
    Some("X86")
} else if cfg!(target_arch = "aarch64") {
    Some("AArch64")
} else {
    None
};

/// The processor that every host of the architecture can stand for.
const BASELINE: &str = if cfg!(target_arch = "x86_64") { "x86-64" } else { "generic" };

/// The names of the extensions that need 512-bit registers or the encoding that came with them.
const AVX512: [&str; 3] = ["avx512", "avx10", "evex512"];

/// The processor's name and its list of features (`+avx,-xop`) at this level, of those that LLVM found for the host.
pub fn lowered(level: Level, cpu: &str, features: &str) -> (String, String) {
    match level {
        Level::Host => (cpu.to_owned(), features.to_owned()),
        Level::Baseline => (BASELINE.to_owned(), String::new()),
        Level::NoAvx512 => {
            let words = features.split(',').map(|feature| {
                let name = feature.trim_start_matches(['+', '-']);
                let lacks = AVX512.iter().any(|prefix| name.starts_with(prefix));
                if lacks { format!("-{name}") } else { feature.to_owned() }
            });
            (cpu.to_owned(), words.collect::<Vec<_>>().join(","))
        }
    }
}
