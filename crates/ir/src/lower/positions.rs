//! What `.loc` has said so far, and the names of inlined functions in `.debug_str`.

use ptxvm_syntax::ast::{DebugItem, DebugItemKind, File, Symbol};
use rustc_hash::FxHashMap;

/// What has been found out about positions.
#[derive(Debug, Default)]
pub struct Positions {
    /// The latest `.loc` of each position.
    pub latest: FxHashMap<(u32, u32, u32), u32>,
    /// The number of each function name.
    pub numbers: FxHashMap<String, u32>,
    /// The sections, once somebody has asked for a name in them.
    pub strings: Option<Strings>,
}

/// The bytes of the sections, as far as they are bytes, and where their labels stand.
#[derive(Debug, Default)]
pub struct Strings {
    sections: Vec<Vec<u8>>,
    /// By label or section name: the section and the offset in it.
    labels: FxHashMap<Symbol, (usize, usize)>,
}

impl Strings {
    pub fn of(file: &File) -> Self {
        let mut strings = Self::default();
        for (number, section) in file.sections.iter().enumerate() {
            strings.labels.insert(section.name.symbol, (number, 0));
            let bytes = strings.section(file, number, &file[section.items]);
            strings.sections.push(bytes);
        }
        strings
    }

    pub fn section(&mut self, file: &File, number: usize, items: &[DebugItem]) -> Vec<u8> {
        let (mut bytes, mut size) = (Vec::new(), 8);
        for item in items {
            let value = match item.kind {
                DebugItemKind::Label(label) => {
                    self.labels.insert(label, (number, bytes.len()));
                    continue;
                }
                DebugItemKind::Data(word) => {
                    size = match file.text(word) {
                        "b8" => 1,
                        "b16" => 2,
                        "b32" => 4,
                        _ => 8,
                    };
                    continue;
                }
                DebugItemKind::Offset(_) | DebugItemKind::Minus(_) => continue,
                DebugItemKind::Integer(value) => u64::from(value),
                // Names are no part of a string.
                DebugItemKind::Expression(_) | DebugItemKind::Name(_) => 0,
            };
            bytes.extend_from_slice(&value.to_le_bytes()[..size]);
        }
        bytes
    }

    /// The text that ends with a zero, so many bytes after a label.
    pub fn text(&self, label: Symbol, offset: u64) -> Option<String> {
        let (section, at) = self.labels.get(&label)?;
        let rest = self.sections.get(*section)?.get(at.checked_add(usize::try_from(offset).ok()?)?..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        let text = String::from_utf8_lossy(&rest[..end]).into_owned();
        (!text.is_empty()).then_some(text)
    }
}
