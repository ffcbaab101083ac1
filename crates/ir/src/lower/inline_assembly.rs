//! Which `.loc` stand in inline assembly. LLVM writes one before each line of it and counts the lines of the assembly as
//! if they were the source's: of a load that Triton writes in three lines, the third would be two lines too far down. The
//! first is right, and counts for all.

use ptxvm_syntax::ast::{File, Span, TriviaKind};

/// What LLVM's NVPTX back end writes around inline assembly.
const BEGIN: &str = "// begin inline asm";
const END: &str = "// end inline asm";

/// The pieces of inline assembly of a module.
pub struct InlineAssembly {
    /// Where each begins and ends, in the order of the source.
    pieces: Vec<(u32, u32)>,
    /// The piece whose first `.loc` has been met.
    met: Option<usize>,
}

impl InlineAssembly {
    pub fn of(file: &File, source: &str) -> Self {
        let mut pieces = Vec::new();
        let mut begun = None;
        for trivia in file.trivia.iter().filter(|trivia| trivia.kind == TriviaKind::Line) {
            let Span { start, end } = trivia.span;
            match source.get(start as usize..end as usize).map(str::trim_end) {
                Some(BEGIN) => begun = Some(end),
                Some(END) => pieces.extend(begun.take().map(|begin| (begin, start))),
                _ => {}
            }
        }
        Self { pieces, met: None }
    }

    /// Whether a `.loc` here repeats, wrongly counted, what one before it says. They are asked about in the order of the
    /// source, function by function.
    pub fn repeats(&mut self, loc: Span) -> bool {
        let after = self.pieces.partition_point(|(begin, _)| *begin <= loc.start);
        let piece = after.checked_sub(1).filter(|piece| loc.start < self.pieces[*piece].1);
        piece.is_some() && std::mem::replace(&mut self.met, piece) == piece
    }
}
