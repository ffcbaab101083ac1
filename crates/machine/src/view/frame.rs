//! Where a group of lanes is: the instruction, the calls that led there, and the registers of each.

use ptxvm_syntax::ast::Span;

use super::threads::{GroupView, WarpView};
use crate::code::{self, Source};
use crate::explain::finding::SourceLine;
use crate::explain::sources::source_lines;
use crate::schedule::interpret;

/// A function that lanes are in.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    warp: WarpView<'a>,
    activation: u32,
    source: Source,
}

/// A register in one lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type's bits: 1 for a predicate.
    pub bits: u32,
    /// Its bits.
    pub value: u128,
}

impl<'a> GroupView<'a> {
    /// The functions that it is in, the innermost first.
    #[must_use]
    pub fn frames(&self) -> Vec<Frame<'a>> {
        let code = self.warp.cta.run.code;
        let source = interpret::place(code, self.group.at(code));
        let mut frames = vec![Frame { warp: self.warp, activation: self.group.activation, source }];
        let mut at = self.group.activation;
        // Each call is deeper than its caller.
        while frames.len() <= self.group.depth as usize
            && let Some(call) = self.warp.warp.activations.get(at as usize)
            && let Some(block) = code.blocks.get(call.site as usize)
        {
            at = call.parent;
            frames.push(Frame { warp: self.warp, activation: at, source: block.source });
        }
        frames
    }

    /// The innermost of them.
    #[must_use]
    pub fn frame(&self) -> Frame<'a> {
        let code = self.warp.cta.run.code;
        let source = interpret::place(code, self.group.at(code));
        Frame { warp: self.warp, activation: self.group.activation, source }
    }
}

impl<'a> Frame<'a> {
    fn described(&self) -> &'a ptxvm_ir::Function {
        &self.warp.cta.run.code.program.functions[self.source.function.0 as usize]
    }

    fn linked(&self) -> Option<&'a code::Function> {
        self.warp.cta.run.code.functions.get(self.source.function.0 as usize)?.as_ref()
    }

    /// The instruction that comes next, or the call that has been made.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// The function's name.
    #[must_use]
    pub fn function(&self) -> &'a str {
        &self.described().name
    }

    /// The number of that instruction in the function.
    #[must_use]
    pub fn instruction(&self) -> u32 {
        self.source.instruction
    }

    /// Where that stands in the PTX.
    #[must_use]
    pub fn span(&self) -> Span {
        self.described().instructions[self.source.instruction as usize].span
    }

    /// What `.loc` says of it: where what it was made from stands, through all functions that were inlined, the
    /// innermost first.
    #[must_use]
    pub fn sources(&self) -> Vec<SourceLine> {
        let location = self.described().instructions[self.source.instruction as usize].location;
        source_lines(&self.warp.cta.run.code.program, location)
    }

    /// A register of the function in one lane, by its name.
    #[must_use]
    pub fn register(&self, name: &str, lane: u32) -> Option<Register<'a>> {
        let number = self.described().register_names.iter().position(|known| known == name)?;
        self.numbered(number, lane)
    }

    /// All registers of the function in one lane.
    pub fn registers(&self, lane: u32) -> impl Iterator<Item = Register<'a>> + use<'a> {
        let frame = *self;
        (0..frame.described().register_names.len()).filter_map(move |number| frame.numbered(number, lane))
    }

    fn numbered(&self, number: usize, lane: u32) -> Option<Register<'a>> {
        let slot = *self.linked()?.registers.get(number)?;
        let registers = &self.warp.warp.activations.get(self.activation as usize)?.registers;
        let name = self.described().register_names.get(number)?;
        Some(Register { name, bits: slot.bits(), value: registers.value(slot, lane as usize)? })
    }

    /// Where the function's own variables begin in the local memory of a lane.
    #[must_use]
    pub fn local_base(&self, lane: u32) -> Option<u64> {
        let registers = &self.warp.warp.activations.get(self.activation as usize)?.registers;
        u64::try_from(registers.value(self.linked()?.frame, lane as usize)?).ok()
    }
}
