//! Functions: their parameters and where a body finds them, and the bodies themselves.

use ptxvm_isa::Type;
use ptxvm_module::entity::{Entity, FunctionId, VariableType};
use ptxvm_module::module::{self, Body};
use ptxvm_syntax::ast::{FunctionKind, Pointer, Span};
use rustc_hash::FxHashMap;

use crate::id::VariableId;
use crate::lower::body::BodyLowering;
use crate::lower::call::{scalars, size};
use crate::lower::lowering::Lowering;
use crate::lower::variable::linkage;
use crate::program::{Function, Home, Limits, Parameter};
use crate::variable::Space;

/// Where the names of parameters that are said to be pointers stand, and what is said of them.
type Pointers = FxHashMap<u32, Pointer>;

impl<'a> Lowering<'a> {
    /// Lowers every function of the module, declared or defined. Their frames have been laid out before.
    pub fn functions(&mut self) {
        let module = self.module;
        let pointers = self.pointers();
        for (number, described) in module.functions.iter().enumerate() {
            let id = FunctionId(number as u32);
            let mut function = self.shell(described);
            match &described.body {
                Some(body) => self.define(id, described, body, &pointers, &mut function),
                None => {
                    function.returns = self.declared(&described.signature.returns, &pointers);
                    function.parameters = self.declared(&described.signature.parameters, &pointers);
                }
            }
            let frame = self.frames.get(number).copied().unwrap_or_default();
            (function.parameter_bytes, function.frame_bytes, function.frame_align) =
                (frame.parameter_bytes, frame.bytes, frame.align);
            self.program.functions.push(function);
        }
    }

    /// A function without its parameters and body.
    fn shell(&mut self, described: &module::Function) -> Function {
        let entry = described.kind == FunctionKind::Entry;
        Function {
            name: self.file.text(described.name).to_owned(),
            entry,
            linkage: linkage(described.linkage),
            alias: described.alias.map(|aliasee| self.callee(aliasee)),
            defined: described.body.is_some(),
            span: described.span,
            parameters: Vec::new(),
            returns: Vec::new(),
            registers: Vec::new(),
            register_names: Vec::new(),
            parameter_bytes: 0,
            frame_bytes: 0,
            frame_align: 1,
            blocks: Vec::new(),
            instructions: Vec::new(),
            operands: Vec::new(),
            calls: Vec::new(),
            branch_lists: Vec::new(),
            limits: if entry { self.limits(described.directives) } else { Limits::default() },
        }
    }

    fn define(
        &mut self,
        id: FunctionId,
        described: &module::Function,
        body: &'a Body,
        pointers: &Pointers,
        function: &mut Function,
    ) {
        let end = match self.file.statements.get(body.statements.range()).and_then(|s| s.last()) {
            Some(last) => last.span,
            None => described.span,
        };
        let mut lowered = BodyLowering::new(self, id, body);
        // Parameters come first, so that a register parameter has the same low number in every body.
        function.returns = lowered.parameters(&described.signature.returns, pointers);
        function.parameters = lowered.parameters(&described.signature.parameters, pointers);
        lowered.walk();
        lowered.pass_in_registers(function);
        lowered.finish(function, Span::new(end.end, end.end));
    }

    /// The parameters of a function without a body.
    fn declared(&mut self, parameters: &[module::Parameter], pointers: &Pointers) -> Vec<Parameter> {
        let mut list = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            list.extend((0..scalars(parameter)).map(|_| self.parameter(parameter, None, pointers)));
        }
        list
    }

    /// One parameter; a vector register counts as so many of them.
    fn parameter(
        &mut self,
        described: &module::Parameter,
        home: Option<Home>,
        pointers: &Pointers,
    ) -> Parameter {
        let pointer = pointers.get(&described.span.start).map(|pointer| self.pointer(pointer));
        Parameter {
            name: self.file.text(described.name).to_owned(),
            ty: match described.ty {
                VariableType::Data(ty) => ty,
                _ => Type::U64,
            },
            size: size(described) / u64::from(scalars(described)),
            align: described.align,
            home,
            pointer,
        }
    }

    fn pointer(&mut self, pointer: &Pointer) -> (Option<Space>, u32) {
        let space = match pointer.space.map(|word| self.file.text(word.symbol)) {
            Some("global") => Some(Space::Global),
            Some("const") => Some(Space::Const),
            Some("shared") => Some(Space::Shared),
            Some("local") => Some(Space::Local),
            Some("param") => Some(Space::EntryParam),
            _ => None,
        };
        let align = pointer.align.and_then(|align| self.integer(align.value));
        (space, align.and_then(|align| u32::try_from(align).ok()).unwrap_or(4))
    }

    /// The `.ptr` of every parameter that has one; the module does not keep them.
    fn pointers(&self) -> Pointers {
        let file = self.file;
        let mut pointers = Pointers::default();
        for parameters in file.functions.iter().filter_map(|function| function.parameters) {
            for declaration in &file[parameters.list] {
                let declarator = file[declaration.declarators].first();
                if let (Some(pointer), Some(declarator)) = (declaration.pointer, declarator) {
                    pointers.insert(declarator.name.span.start, pointer);
                }
            }
        }
        pointers
    }
}

impl BodyLowering<'_, '_> {
    fn parameters(&mut self, parameters: &[module::Parameter], pointers: &Pointers) -> Vec<Parameter> {
        let mut list = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            match parameter.entity {
                Some(Entity::Register(register)) => {
                    for member in 0..register.vector {
                        let home = self.register(register.index, member, parameter.span).map(Home::Register);
                        list.push(self.lowering.parameter(parameter, home, pointers));
                    }
                }
                Some(Entity::Variable(variable)) => {
                    let home = Some(Home::Variable(VariableId(variable.id.0)));
                    list.push(self.lowering.parameter(parameter, home, pointers));
                }
                _ => self.lowering.unresolved(parameter.span),
            }
        }
        list
    }
}
