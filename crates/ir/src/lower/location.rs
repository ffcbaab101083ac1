//! `.loc`: where in somebody's source an instruction comes from, through all the functions that were inlined there
//! (manual 11.5.4).
//!
//! `.loc` names a position, and of an inlined function its name and the position it was inlined at. That position has had
//! a `.loc` of its own before, which may stand in an inlined function itself: so a chain of them is found backwards. The
//! name is a string in `.debug_str`, at a label or some bytes after it.

use ptxvm_syntax::ast::{FunctionName, Loc, Position};

use crate::lower::lowering::Lowering;
use crate::lower::positions::Strings;
use crate::program::Location;

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
