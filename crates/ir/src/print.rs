//! The text form of a program, for tests and for people: the same program is always the same text.

use std::fmt::{self, Display, Formatter, Write};

use ptxvm_isa::form::MAX_SLOTS;
use ptxvm_isa::{ISA, NO_WORD};

use crate::program::{
    Argument, Base, Call, Callee, FormUse, Function, Home, Instruction, Limits, Linkage, Operand,
    OperandKind, Parameter, Program, RegisterId, RelocationTarget, SELECTORS, SIMD_SELECTOR, Space, Variable,
    VariableId,
};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let language = self.language;
        writeln!(f, "ptx {} {} address {}", language.ptx, language.target, self.address_size)?;
        for (number, name) in &self.files {
            writeln!(f, "file {number} {name:?}")?;
        }
        for (number, variable) in self.variables.iter().enumerate() {
            self.variable(f, number, variable)?;
        }
        for function in &self.functions {
            self.function(f, function)?;
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

/// ` + 4`, or nothing.
struct Offset(i64);

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            n if n < 0 => write!(f, " - {}", n.unsigned_abs()),
            n => write!(f, " + {n}"),
        }
    }
}

impl Program {
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

    fn function(&self, f: &mut Formatter<'_>, function: &Function) -> fmt::Result {
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
        let mut location = u32::MAX;
        for (number, block) in function.blocks.iter().enumerate() {
            writeln!(f, "block {number}")?;
            for instruction in &function.instructions[block.start as usize..block.end as usize] {
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
            }
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

    fn instruction(
        &self,
        f: &mut Formatter<'_>,
        function: &Function,
        instruction: &Instruction,
    ) -> fmt::Result {
        f.write_str("  ")?;
        if let Some(guard) = instruction.guard {
            let sign = if guard.negated { "!" } else { "" };
            write!(f, "@{sign}{} ", register_name(function, guard.register))?;
        }
        match self.forms.get(instruction.form.0 as usize) {
            Some(form) => write!(f, "{form}")?,
            None => f.write_char('?')?,
        }
        let (start, end) = instruction.operands;
        let operands = &function.operands[start as usize..end as usize];
        let mut before: Option<&Operand> = None;
        for operand in operands {
            // Elements and parts of one place go together.
            let joint = match before {
                None => " ",
                Some(b) if b.place != operand.place => ", ",
                Some(b) if b.part != operand.part => " | ",
                Some(_) => " ",
            };
            f.write_str(joint)?;
            self.operand(f, function, operand)?;
            before = Some(operand);
        }
        writeln!(f)
    }

    fn operand(&self, f: &mut Formatter<'_>, function: &Function, operand: &Operand) -> fmt::Result {
        match operand.kind {
            OperandKind::Register { register, negated, selector } => {
                let sign = match (negated, function.registers.get(register.0 as usize)) {
                    (false, _) => "",
                    (true, Some(ptxvm_isa::Type::Pred)) => "!",
                    (true, _) => "-",
                };
                write!(f, "{sign}{}", register_name(function, register))?;
                match selector {
                    0 => {}
                    SIMD_SELECTOR.. => write!(f, ".<{:o}>", selector - SIMD_SELECTOR)?,
                    _ => write!(f, ".{}", SELECTORS.get(usize::from(selector) - 1).unwrap_or(&"?"))?,
                }
            }
            OperandKind::Immediate(bits) => {
                write!(f, "{bits:#x}")?;
                if let Some(ty) = operand.ty {
                    write!(f, ":{}", ty.name())?;
                }
            }
            OperandKind::Special { sreg, member } => {
                let sreg = ISA.sregs.get(usize::from(sreg));
                write!(f, "{}", sreg.map_or("?", |sreg| sreg.name))?;
                if sreg.is_some_and(|sreg| sreg.vector) {
                    write!(f, ".{}", ["x", "y", "z", "w"][usize::from(member & 3)])?;
                }
            }
            OperandKind::Address { base, offset } => {
                f.write_char('[')?;
                match base {
                    Base::Absolute => write!(f, "{offset:#x}")?,
                    Base::Register(register) => {
                        write!(f, "{}{}", register_name(function, register), Offset(offset))?;
                    }
                    Base::Variable(id) => write!(f, "{}{}", self.variable_name(id), Offset(offset))?,
                }
                f.write_char(']')?;
            }
            OperandKind::Variable { variable, offset } => {
                write!(f, "&{}{}", self.variable_name(variable), Offset(offset))?;
            }
            OperandKind::Function(id) => write!(f, "&{}", self.function_name(id.0))?,
            OperandKind::Block(block) => write!(f, "block {}", block.0)?,
            OperandKind::BranchList(list) => {
                f.write_str("blocks")?;
                for block in function.branch_lists.get(list as usize).into_iter().flatten() {
                    write!(f, " {}", block.0)?;
                }
            }
            OperandKind::Call(call) => {
                if let Some(call) = function.calls.get(call as usize) {
                    self.call(f, function, call)?;
                }
            }
            OperandKind::Sink => f.write_char('_')?,
        }
        if operand.written { f.write_char('\'') } else { Ok(()) }
    }

    fn call(&self, f: &mut Formatter<'_>, function: &Function, call: &Call) -> fmt::Result {
        self.arguments(f, function, &call.returns)?;
        match call.callee {
            Callee::Direct(id) => write!(f, " = {}", self.function_name(id.0))?,
            Callee::Indirect(register) => write!(f, " = *{}", register_name(function, register))?,
        }
        self.arguments(f, function, &call.arguments)?;
        if let Some(prototype) = &call.prototype {
            write!(f, " sizes {:?} {:?}", prototype.returns, prototype.parameters)?;
        }
        Ok(())
    }

    fn arguments(&self, f: &mut Formatter<'_>, function: &Function, list: &[Argument]) -> fmt::Result {
        f.write_char('(')?;
        for (i, argument) in list.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            match *argument {
                Argument::Register(register) => f.write_str(register_name(function, register))?,
                Argument::Immediate(bits) => write!(f, "{bits:#x}")?,
                Argument::Param(id) => write!(f, "{} {}", self.variable_name(id), id.0)?,
                Argument::Sink => f.write_char('_')?,
            }
        }
        f.write_char(')')
    }
}

fn register_name(function: &Function, register: RegisterId) -> &str {
    function.register_names.get(register.0 as usize).map_or("?", String::as_str)
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
