//! What a listing says of the flow beside each block and instruction.

use std::fmt::{self, Formatter};

use super::instruction::register_name;
use crate::flow::{Flow, UniformOver, Uniformity, ValueId};
use crate::id::RegisterId;
use crate::program::{Function, Program};

/// What is known of a function's flow.
pub(super) struct Notes<'a> {
    function: &'a Function,
    flow: Flow,
    uniformity: Uniformity,
}

impl<'a> Notes<'a> {
    pub fn of(program: &Program, function: &'a Function) -> Self {
        let flow = Flow::of(program, function);
        let uniformity = Uniformity::of(program, function, &flow);
        Self { function, flow, uniformity }
    }

    /// Beside the head of a block: what leads to it, what every way to it and from it passes, its loop, and below the
    /// values that come together in it.
    pub fn block(&self, f: &mut Formatter<'_>, number: u32) -> fmt::Result {
        let Flow { graph, dominators, ends, loops, values } = &self.flow;
        if !dominators.reaches(number) {
            return write!(f, "; not reached");
        }
        if !graph.before(number).is_empty() {
            write!(f, "; after")?;
            for before in graph.before(number) {
                write!(f, " {before}")?;
            }
        }
        if let Some(above) = dominators.immediate(number) {
            write!(f, "; dominated by {above}")?;
        }
        if let Some(below) = ends.immediate(number).filter(|below| (*below as usize) < graph.len()) {
            write!(f, "; post-dominated by {below}")?;
        }
        if let Some(innermost) = loops.innermost(number).map(|id| &loops.loops[id as usize]) {
            write!(f, "; in the loop of {}, depth {}", innermost.head, innermost.depth)?;
        }
        let joins = values.as_ref().map_or(&[][..], |values| &values.joins[number as usize]);
        for join in joins {
            let register = values.as_ref().map_or(0, |values| values.values[join.0 as usize].register);
            let level = self.uniformity.value(*join);
            write!(f, "\n  join {}; {}", self.name(register), level.name())?;
        }
        Ok(())
    }

    /// Beside an instruction: the threads that its results are the same for, unless they differ from lane to lane.
    pub fn instruction(&self, f: &mut Formatter<'_>, at: u32) -> fmt::Result {
        let written = self.flow.values.as_ref().map_or(&[][..], |values| values.writes(at));
        let level = |value: &ValueId| self.uniformity.value(*value);
        match written.iter().map(level).max() {
            None | Some(UniformOver::Lane) => Ok(()),
            Some(uniform) => write!(f, "; {}", uniform.name()),
        }
    }

    /// Beside the end of a block: the threads that go the same way, and the edges that are critical.
    pub fn ending(&self, f: &mut Formatter<'_>, number: u32) -> fmt::Result {
        let graph = &self.flow.graph;
        let after = graph.after(number);
        if after.len() < 2 {
            return Ok(());
        }
        write!(f, "; {}", self.uniformity.branch(number).name())?;
        for to in after.iter().filter(|to| graph.before(**to).len() > 1) {
            write!(f, "; critical to {to}")?;
        }
        Ok(())
    }

    /// The name of a register; the carry flag follows the last.
    fn name(&self, register: u32) -> &str {
        if register as usize == self.function.registers.len() {
            return "the carry flag";
        }
        register_name(self.function, RegisterId(register))
    }
}
