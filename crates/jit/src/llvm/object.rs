//! What an object file defines, what it lacks, and how much code is in it.

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
                SectionKind::Text => summary.code += size,
                SectionKind::Data
                | SectionKind::ReadOnlyData
                | SectionKind::ReadOnlyString
                | SectionKind::UninitializedData => summary.data += size,
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
