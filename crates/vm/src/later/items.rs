//! The items of a text by their names, and which of them a function needs to be parsed and checked as if all the others
//! were there.

use ptxvm_syntax::Interner;
use ptxvm_syntax::ast::Span;
use ptxvm_syntax::outline::{Outline, Outlined, OutlinedKind, names_in, outline};
use rustc_hash::FxHashSet;

use super::pieces::Pieces;

/// No further item.
const NONE: u32 = u32::MAX;

/// The items of a text.
#[derive(Debug)]
pub struct Items {
    outline: Outline,
    /// The names of functions and variables.
    names: Interner,
    /// By name: the first item that gives it a meaning.
    first: Vec<u32>,
    /// By item: the next one of the same name.
    next: Vec<u32>,
    /// The items that every function needs.
    always: Vec<u32>,
    sections: Vec<u32>,
}

impl Items {
    /// Those of a text; `None` if it is not regular.
    pub fn of(source: &str) -> Option<Self> {
        let outline = outline(source)?;
        let mut items = Self {
            names: Interner::default(),
            first: Vec::new(),
            next: vec![NONE; outline.items.len()],
            always: Vec::new(),
            sections: Vec::new(),
            outline,
        };
        for (number, item) in (0..).zip(&items.outline.items) {
            match item.kind {
                OutlinedKind::Head | OutlinedKind::Variables => items.always.push(number),
                OutlinedKind::Section => items.sections.push(number),
                // What it says is taken from the program of the declarations.
                OutlinedKind::File => {}
                OutlinedKind::Function | OutlinedKind::Alias | OutlinedKind::Variable => {
                    let name = items.names.intern(item.name.text(source)).0 as usize;
                    if name == items.first.len() {
                        items.first.push(NONE);
                    }
                    items.next[number as usize] = std::mem::replace(&mut items.first[name], number);
                }
            }
        }
        let debug = |number: &u32| {
            let item: &Outlined = &items.outline.items[*number as usize];
            item.kind == OutlinedKind::Head && item.span.text(source).contains("debug")
        };
        // A target with `debug` asks for a section, whichever it is.
        if items.always.iter().any(debug) {
            let length = |number: &u32| {
                let span = items.outline.items[*number as usize].span;
                span.end - span.start
            };
            items.always.extend(items.sections.iter().copied().min_by_key(length));
        }
        Some(items)
    }

    /// The memory that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.outline.items) + self.names.heap_bytes() + 4 * (self.first.len() + self.next.len())
    }

    fn named(&self, name: &str) -> impl Iterator<Item = u32> {
        let first = self.names.get(name).map_or(NONE, |symbol| self.first[symbol.0 as usize]);
        let is_one = |number: &u32| *number != NONE;
        std::iter::successors(Some(first).filter(is_one), move |number| {
            Some(self.next[*number as usize]).filter(is_one)
        })
    }

    /// All items, the functions with empty bodies.
    pub fn declarations(&self, source: &str) -> Pieces {
        let mut pieces = Pieces::default();
        for item in &self.outline.items {
            let Span { start, end } = item.body;
            if start == end {
                pieces.push(source, item.span);
            } else {
                pieces.push(source, Span::new(item.span.start, start + 1));
                pieces.push(source, Span::new(end - 1, end));
            }
            pieces.end_line();
        }
        pieces
    }

    /// A function and all that it speaks of, and they in their turn.
    pub fn needed(&self, source: &str, function: &str) -> Pieces {
        let mut chosen: FxHashSet<u32> = self.always.iter().copied().collect();
        let mut work: Vec<u32> = self.always.clone();
        let mut inlined = false;
        work.extend(self.named(function).filter(|number| chosen.insert(*number)));
        while let Some(number) = work.pop() {
            let span = self.outline.items[number as usize].span;
            inlined |= names_in(source, span, |name| {
                work.extend(self.named(name).filter(|number| chosen.insert(*number)));
            });
            if inlined {
                // The names of inlined functions are strings in a section.
                work.extend(self.sections.iter().filter(|number| chosen.insert(**number)));
            }
        }
        let mut chosen: Vec<u32> = chosen.into_iter().collect();
        chosen.sort_unstable();
        let mut pieces = Pieces::default();
        for number in chosen {
            pieces.push(source, self.outline.items[number as usize].span);
            pieces.end_line();
        }
        pieces
    }
}
