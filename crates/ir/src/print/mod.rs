//! The text form of a program, for tests and for people: the same program is always the same text.
//!
//! [`Listing`] adds what is known of the flow before anything runs.

mod flow;
mod instruction;

use std::fmt::{self, Display, Formatter};

use ptxvm_isa::form::MAX_SLOTS;
use ptxvm_isa::{ISA, NO_WORD};

use self::flow::Notes;
use self::instruction::{Ending, Offset, register_name};
use crate::id::VariableId;
use crate::instruction::FormUse;
use crate::program::{Function, Home, Limits, Parameter, Program};
use crate::variable::{Linkage, RelocationTarget, Space, Variable};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.head(f)?;
        for function in &self.functions {
            self.function(f, function, None)?;
        }
        Ok(())
    }
}

/// The text of a program with what is known of its flow: the blocks before each, dominators, loops, and which values
/// and branches are uniform.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a>(pub &'a Program);

impl Display for Listing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(program) = *self;
        program.head(f)?;
        for function in &program.functions {
            let notes = function.defined.then(|| Notes::of(program, function));
            program.function(f, function, notes.as_ref())?;
        }
        Ok(())
    }
}

impl Display for FormUse {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(row) = ISA.rows.get(usize::from(self.row)) else { return f.write_str("?") };
        let slots = &self.filling[..row.slots.len().min(MAX_SLOTS)];
        let words = row.name.iter().chain(slots).filter(|&&word| word != NO_WORD);
        for (i, &word) in words.enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { "." }, ISA.text(word))?;
        }
        Ok(())
    }
}

impl Space {
    fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Const => "const",
            Self::Shared => "shared",
            Self::Local => "local",
            Self::EntryParam => "param::entry",
            Self::FuncParam => "param::func",
        }
    }

    fn has_offset(self) -> bool {
        matches!(self, Self::Local | Self::EntryParam | Self::FuncParam)
    }
}

impl Program {
    /// The language, the files and the variables.
    fn head(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let language = self.language;
        writeln!(f, "ptx {} {} address {}", language.ptx, language.target, self.address_size)?;
        for (number, name) in &self.files {
            writeln!(f, "file {number} {name:?}")?;
        }
        for (number, variable) in self.variables.iter().enumerate() {
            self.variable(f, number, variable)?;
        }
        Ok(())
    }

    fn variable(&self, f: &mut Formatter<'_>, number: usize, variable: &Variable) -> fmt::Result {
        let Variable { name, space, size, align, .. } = variable;
        write!(f, "variable {number} {name}: {} size {size} align {align}", space.name())?;
        if space.has_offset() {
            write!(f, " at {}", variable.offset)?;
        }
        if let Some(function) = variable.function {
            write!(f, " in {}", self.function_name(function.0))?;
        }
        for (word, holds) in [
            ("external", variable.linkage == Linkage::Extern),
            ("visible", variable.linkage == Linkage::Visible),
            ("weak", variable.linkage == Linkage::Weak),
            ("common", variable.linkage == Linkage::Common),
            ("managed", variable.managed),
            ("opaque", variable.opaque.is_some()),
        ] {
            if holds {
                write!(f, " {word}")?;
            }
        }
        writeln!(f)?;
        if !variable.initial.is_empty() {
            write!(f, "  bytes")?;
            for byte in &variable.initial {
                write!(f, " {byte:02x}")?;
            }
            writeln!(f)?;
        }
        for relocation in &variable.relocations {
            let target = match relocation.target {
                RelocationTarget::Variable(id) => self.variable_name(id),
                RelocationTarget::Function(id) => self.function_name(id.0),
            };
            let target = if relocation.generic { format!("generic({target})") } else { target.to_owned() };
            write!(f, "  at {}: {} bytes of {target}", relocation.at, relocation.bytes)?;
            write!(f, "{}", Offset(relocation.addend))?;
            if relocation.shift > 0 {
                write!(f, " >> {}", relocation.shift)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }

    fn variable_name(&self, id: VariableId) -> &str {
        self.variables.get(id.0 as usize).map_or("?", |variable| &variable.name)
    }

    fn function_name(&self, id: u32) -> &str {
        self.functions.get(id as usize).map_or("?", |function| &function.name)
    }

    fn function(&self, f: &mut Formatter<'_>, function: &Function, notes: Option<&Notes<'_>>) -> fmt::Result {
        let kind = if function.entry { "entry" } else { "func" };
        writeln!(f, "\n{kind} {}{}", function.name, if function.defined { "" } else { " declared only" })?;
        for (word, list) in [("return", &function.returns), ("parameter", &function.parameters)] {
            for parameter in list {
                self.parameter(f, function, word, parameter)?;
            }
        }
        if !function.defined {
            return Ok(());
        }
        if function.entry {
            writeln!(f, "  parameter bytes {}", function.parameter_bytes)?;
        }
        if function.frame_bytes > 0 {
            writeln!(f, "  frame {} align {}", function.frame_bytes, function.frame_align)?;
        }
        print_limits(f, &function.limits)?;
        if !function.registers.is_empty() {
            write!(f, "  registers")?;
            for (name, ty) in function.register_names.iter().zip(&function.registers) {
                write!(f, " {name}:{}", ty.name())?;
            }
            writeln!(f)?;
        }
        self.blocks(f, function, notes)
    }

    fn blocks(&self, f: &mut Formatter<'_>, function: &Function, notes: Option<&Notes<'_>>) -> fmt::Result {
        let mut location = u32::MAX;
        for (number, block) in (0..).zip(&function.blocks) {
            write!(f, "block {number}")?;
            if let Some(notes) = notes {
                notes.block(f, number)?;
            }
            writeln!(f)?;
            for at in block.start..block.end {
                let instruction = &function.instructions[at as usize];
                if instruction.location != location {
                    location = instruction.location;
                    for (depth, at) in self.inlined(location).enumerate() {
                        let inlined = if depth == 0 { "" } else { "inlined at " };
                        write!(f, "  # {inlined}{}:{}:{}", at.file, at.line, at.column)?;
                        match at.function.and_then(|name| self.inlined_functions.get(name as usize)) {
                            Some(name) => writeln!(f, " in {name}")?,
                            None => writeln!(f)?,
                        }
                    }
                }
                self.instruction(f, function, instruction)?;
                if let Some(notes) = notes {
                    notes.instruction(f, at)?;
                }
                writeln!(f)?;
            }
            write!(f, "  -> {}", Ending(block.terminator, function))?;
            if let Some(notes) = notes {
                notes.ending(f, number)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }

    fn parameter(
        &self,
        f: &mut Formatter<'_>,
        function: &Function,
        word: &str,
        parameter: &Parameter,
    ) -> fmt::Result {
        let Parameter { name, ty, size, align, .. } = parameter;
        write!(f, "  {word} {name}: {} size {size} align {align}", ty.name())?;
        match parameter.home {
            Some(Home::Register(register)) => write!(f, " in {}", register_name(function, register))?,
            Some(Home::Variable(id)) => write!(f, " in variable {}", id.0)?,
            None => {}
        }
        if let Some((space, align)) = parameter.pointer {
            write!(f, " pointer to {} align {align}", space.map_or("generic", Space::name))?;
        }
        writeln!(f)
    }
}

fn print_limits(f: &mut Formatter<'_>, limits: &Limits) -> fmt::Result {
    let numbers = [
        ("maxntid", limits.maxntid),
        ("minnctapersm", limits.minnctapersm.map(u64::from)),
        ("maxnreg", limits.maxnreg.map(u64::from)),
        ("maxclusterrank", limits.maxclusterrank.map(u64::from)),
    ];
    for (word, number) in numbers {
        if let Some(number) = number {
            writeln!(f, "  {word} {number}")?;
        }
    }
    for (word, extents) in [("reqntid", limits.reqntid), ("reqnctapercluster", limits.reqnctapercluster)] {
        if let Some([x, y, z]) = extents {
            writeln!(f, "  {word} {x} {y} {z}")?;
        }
    }
    for (word, holds) in
        [("explicitcluster", limits.explicitcluster), ("blocksareclusters", limits.blocksareclusters)]
    {
        if holds {
            writeln!(f, "  {word}")?;
        }
    }
    Ok(())
}
