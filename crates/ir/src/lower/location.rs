//! `.loc`: where in somebody's source an instruction comes from, through all the functions that were inlined there
//! (manual 11.5.4).
//!
//! `.loc` names a position, and of an inlined function its name and the position it was inlined at. That position has had
//! a `.loc` of its own before, which may stand in an inlined function itself: so a chain of them is found backwards. The
//! name is a string in `.debug_str`, at a label or some bytes after it.

use ptxvm_syntax::ast::{DebugItem, DebugItemKind, File, FunctionName, Loc, Position, Symbol};
use rustc_hash::FxHashMap;

use crate::lower::lowering::Lowering;
use crate::program::{Location, Program};

/// What has been found out about positions.
#[derive(Debug, Default)]
pub struct Positions {
    /// The latest `.loc` of each position.
    latest: FxHashMap<(u32, u32, u32), u32>,
    /// The number of each function name.
    numbers: FxHashMap<String, u32>,
    /// The sections, once somebody has asked for a name in them.
    strings: Option<Strings>,
}

impl Lowering<'_> {
    /// The number of the location that a `.loc` gives.
    pub fn location(&mut self, loc: &Loc) -> Option<u32> {
        let at = self.position(loc.position)?;
        let inlined_at = loc.inlined_at.and_then(|position| self.inlined_at(position));
        let function = loc.function_name.and_then(|name| self.inlined_function(name));
        let location = Location { file: at.0, line: at.1, column: at.2, function, inlined_at };
        Some(self.place(location))
    }

    /// Appends a location, unless it is the last already.
    fn place(&mut self, location: Location) -> u32 {
        let locations = &mut self.program.locations;
        if locations.last() != Some(&location) {
            locations.push(location);
        }
        let number = locations.len() as u32 - 1;
        self.positions.latest.insert((location.file, location.line, location.column), number);
        number
    }

    fn position(&mut self, position: Position) -> Option<(u32, u32, u32)> {
        let mut number = |id| self.integer(id).map(|n| n.min(u64::from(u32::MAX)) as u32);
        Some((number(position.file)?, number(position.line)?, number(position.column)?))
    }

    /// The location that a function was inlined at: the latest `.loc` of that position.
    fn inlined_at(&mut self, position: Position) -> Option<u32> {
        let at = self.position(position)?;
        if let Some(known) = self.positions.latest.get(&at) {
            return Some(*known);
        }
        // It stands in a function that is not lowered, or in inline assembly.
        Some(self.place(Location { file: at.0, line: at.1, column: at.2, function: None, inlined_at: None }))
    }

    /// The number of an inlined function's name.
    fn inlined_function(&mut self, name: FunctionName) -> Option<u32> {
        let offset = match name.offset {
            Some(offset) => self.integer(offset)?,
            None => 0,
        };
        let file = self.file;
        let strings = self.positions.strings.get_or_insert_with(|| Strings::of(file));
        let text = strings.text(name.label.symbol, offset)?;
        let names = &mut self.program.inlined_functions;
        let number = *self.positions.numbers.entry(text).or_insert_with_key(|text| {
            names.push(text.clone());
            names.len() as u32 - 1
        });
        Some(number)
    }
}

/// The bytes of the sections, as far as they are bytes, and where their labels stand.
#[derive(Debug, Default)]
struct Strings {
    sections: Vec<Vec<u8>>,
    /// By label or section name: the section and the offset in it.
    labels: FxHashMap<Symbol, (usize, usize)>,
}

impl Strings {
    fn of(file: &File) -> Self {
        let mut strings = Self::default();
        for (number, section) in file.sections.iter().enumerate() {
            strings.labels.insert(section.name.symbol, (number, 0));
            let bytes = strings.section(file, number, &file[section.items]);
            strings.sections.push(bytes);
        }
        strings
    }

    fn section(&mut self, file: &File, number: usize, items: &[DebugItem]) -> Vec<u8> {
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
    fn text(&self, label: Symbol, offset: u64) -> Option<String> {
        let (section, at) = self.labels.get(&label)?;
        let rest = self.sections.get(*section)?.get(at.checked_add(usize::try_from(offset).ok()?)?..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        let text = String::from_utf8_lossy(&rest[..end]).into_owned();
        (!text.is_empty()).then_some(text)
    }
}

impl Program {
    /// A location, and where the function that it stands in was inlined, and so on: the innermost first.
    pub fn inlined(&self, location: u32) -> impl Iterator<Item = &Location> {
        let found = move |number: u32| self.locations.get(number as usize).map(|found| (number, found));
        let outer = move |(number, inner): &(u32, &Location)| {
            // Each was known before the one inside of it.
            inner.inlined_at.filter(|outer| outer < number).and_then(found)
        };
        std::iter::successors(found(location), outer).map(|(_, location)| location)
    }

    /// The name of the file of this number.
    #[must_use]
    pub fn file_name(&self, number: u32) -> Option<&str> {
        self.files.iter().find(|(known, _)| *known == number).map(|(_, name)| name.as_str())
    }
}
