//! Variables: their sizes and initial bytes, and the offsets of those that lie in a parameter block or a frame.

use ptxvm_isa::Version;
use ptxvm_module::entity::{FunctionId, Role, VariableType};
use ptxvm_module::module;
use ptxvm_syntax::ast::{FunctionKind, LinkageKind, SpaceKind};

use crate::id;
use crate::lower::lowering::{Frame, Lowering};
use crate::variable::{Linkage, Space, Variable};

/// More variables than this are not made from `x<1000000>`: a few bytes of text must not become gigabytes. Those that are
/// written one by one have a text that is longer than they are many.
const MOST_EXPANDED: usize = 1 << 16;

impl Lowering<'_> {
    /// How many variables a module may have.
    fn most_variables(&self) -> usize {
        MOST_EXPANDED + self.source.len()
    }

    /// Lowers every variable. Their numbers are those of the module.
    pub fn variables(&mut self) {
        let module = self.module;
        self.module_locals();
        for described in &module.variables {
            let count = described.count.unwrap_or(1);
            let most = self.most_variables();
            if self.program.variables.len() + count as usize > most {
                let message = format!("the module has more than {most} variables");
                return self.unsupported(described.span, message);
            }
            if described.id.0 as usize != self.program.variables.len() {
                return self.unresolved(described.span);
            }
            let (initial, relocations) = self.initial(described, count);
            let opaque = self.opaque(described);
            for number in 0..count {
                let mut variable = self.variable(described);
                if described.count.is_some() {
                    variable.name += &number.to_string();
                }
                variable.offset = self.offset(described, variable.space);
                variable.initial.clone_from(&initial);
                variable.relocations.clone_from(&relocations);
                variable.opaque.clone_from(&opaque);
                self.program.variables.push(variable);
            }
        }
        self.open_parameters();
    }

    /// A last parameter that leaves its size open lies after everything else in its frame, so that what is passed
    /// for it has room there.
    fn open_parameters(&mut self) {
        let module = self.module;
        let open = |v: &&module::Variable| v.role == Role::Parameter && v.elements == Some(0);
        for described in module.variables.iter().filter(open) {
            let frame = described.function.and_then(|f| self.frames.get_mut(f.0 as usize));
            if let (Some(frame), Some(variable)) =
                (frame, self.program.variables.get_mut(described.id.0 as usize))
            {
                variable.offset = take(&mut frame.bytes, &mut frame.align, described);
            }
        }
    }

    fn variable(&self, described: &module::Variable) -> Variable {
        Variable {
            name: self.file.text(described.name).to_owned(),
            space: self.space(described),
            size: size(described),
            align: described.align,
            linkage: linkage(described.linkage),
            managed: described.managed,
            function: described.function.map(|f| id::FunctionId(f.0)),
            offset: 0,
            initial: Vec::new(),
            relocations: Vec::new(),
            opaque: None,
        }
    }

    fn space(&self, described: &module::Variable) -> Space {
        match described.space {
            SpaceKind::Global | SpaceKind::Tex | SpaceKind::Reg => Space::Global,
            SpaceKind::Const => Space::Const,
            SpaceKind::Shared => Space::Shared,
            SpaceKind::Local => Space::Local,
            SpaceKind::Param if described.role == Role::EntryParameter => Space::EntryParam,
            SpaceKind::Param if self.is_old_parameter(described) => Space::EntryParam,
            SpaceKind::Param => Space::FuncParam,
        }
    }

    /// Before PTX 1.4, the parameters of a kernel are declared in its body.
    fn is_old_parameter(&self, described: &module::Variable) -> bool {
        let kind = described.function.and_then(|f| self.module.functions.get(f.0 as usize)).map(|f| f.kind);
        self.module.language.ptx < Version::new(1, 4) && kind == Some(FunctionKind::Entry)
    }

    /// Gives each entry the module's local variables as the beginning of its frame.
    fn module_locals(&mut self) {
        let module = self.module;
        let mut locals = Frame::default();
        for described in
            module.variables.iter().filter(|v| v.space == SpaceKind::Local && v.function.is_none())
        {
            for _ in 0..described.count.unwrap_or(1).min(self.most_variables() as u32) {
                take(&mut locals.bytes, &mut locals.align, described);
                locals.variables += 1;
            }
        }
        self.frames = module
            .functions
            .iter()
            .map(|f| if f.kind == FunctionKind::Entry { locals } else { Frame::default() })
            .collect();
    }

    /// The offset of the next variable like this one in its parameter block or frame.
    fn offset(&mut self, described: &module::Variable, space: Space) -> u64 {
        let Some(FunctionId(function)) = described.function else {
            if space != Space::Local {
                return 0;
            }
            return take(&mut self.module_local_bytes, &mut 1, described);
        };
        let Some(frame) = self.frames.get_mut(function as usize) else { return 0 };
        match space {
            Space::EntryParam => take(&mut frame.parameter_bytes, &mut 1, described),
            Space::Local | Space::FuncParam => {
                frame.variables += 1;
                take(&mut frame.bytes, &mut frame.align, described)
            }
            Space::Global | Space::Const | Space::Shared => 0,
        }
    }
}

/// Who finds a name, by the directive in front of it.
pub fn linkage(directive: Option<LinkageKind>) -> Linkage {
    match directive {
        None => Linkage::Private,
        Some(LinkageKind::Extern) => Linkage::Extern,
        Some(LinkageKind::Visible) => Linkage::Visible,
        Some(LinkageKind::Weak) => Linkage::Weak,
        Some(LinkageKind::Common) => Linkage::Common,
    }
}

/// The size of a variable; a texture, sampler or surface among a kernel's parameters takes no room.
fn size(described: &module::Variable) -> u64 {
    match described.ty {
        VariableType::Data(_) => described.size,
        _ if described.role == Role::EntryParameter => 0,
        _ => described.size,
    }
}

/// Takes the next aligned bytes for a variable.
fn take(end: &mut u64, align: &mut u32, described: &module::Variable) -> u64 {
    let size = size(described);
    let opaque = !matches!(described.ty, VariableType::Data(_));
    let alignment = if opaque { 1 } else { described.align.max(1) };
    let offset = end.checked_next_multiple_of(u64::from(alignment)).unwrap_or(u64::MAX);
    *end = offset.saturating_add(size);
    *align = alignment.max(*align);
    offset
}
