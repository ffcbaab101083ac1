//! What an object file defines, what it lacks, and how much code is in it. The file may be any bytes.

use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionKind};

/// What is to be known of an object file before it is linked.
#[derive(Debug, Default)]
pub struct Summary {
    /// The names that can be looked up in it.
    pub defined: Vec<String>,
    /// The names that it uses and does not define.
    pub undefined: Vec<String>,
    /// Bytes of machine code.
    pub code: usize,
    /// Bytes of constants and variables.
    pub data: usize,
}

/// The linker defines it.
const GLOBAL_OFFSET_TABLE: &str = "_GLOBAL_OFFSET_TABLE_";

impl Summary {
    /// Reads an object file.
    pub fn of(bytes: &[u8]) -> Result<Self, String> {
        let file =
            object::File::parse(bytes).map_err(|error| format!("the object file is unreadable: {error}"))?;
        let mut summary = Self::default();
        for section in file.sections() {
            let size = usize::try_from(section.size()).unwrap_or(usize::MAX);
            match section.kind() {
                SectionKind::Text => summary.code = summary.code.saturating_add(size),
                SectionKind::Data
                | SectionKind::ReadOnlyData
                | SectionKind::ReadOnlyString
                | SectionKind::UninitializedData => summary.data = summary.data.saturating_add(size),
                _ => {}
            }
        }
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            if name.is_empty() || name == GLOBAL_OFFSET_TABLE {
                continue;
            }
            if symbol.is_undefined() {
                summary.undefined.push(name.to_owned());
            } else if symbol.is_global() {
                summary.defined.push(name.to_owned());
            }
        }
        Ok(summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This program with some of its bytes changed, most of them where the headers are.
    #[test]
    fn no_bytes_make_it_panic() {
        let program = std::env::current_exe().and_then(std::fs::read).expect("a program can read itself");
        assert!(Summary::of(&program).is_ok_and(|summary| summary.code > 0));
        let mut number = 1_u64;
        let mut random = |below: usize| {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (number >> 33) as usize % below
        };
        // The headers of sections lie at the end.
        let (mut damaged, end) = (program.clone(), program.len());
        for round in 0..300 {
            let mut changed = Vec::new();
            for _ in 0..=random(4) {
                let at = if round % 2 == 0 { random(64) } else { end - 1 - random(3000) };
                changed.push(at);
                damaged[at] = random(256) as u8;
            }
            let _answer = Summary::of(&damaged);
            changed.into_iter().for_each(|at| damaged[at] = program[at]);
        }
        for length in [0, 1, 15, 63, 64, 65, 1000, end / 2, end - 1] {
            let _answer = Summary::of(&program[..length]);
        }
    }
}
