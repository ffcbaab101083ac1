//! `call`: what is called, and each actual parameter as the formal one has it.

use ptxvm_isa::Type;
use ptxvm_module::entity::{FunctionId, VariableType};
use ptxvm_module::module::{Parameter, Signature, Used};
use ptxvm_syntax::ast::{
    Instruction, List, Operand, OperandId, OperandKind as Tree, PrototypeId, SpaceKind, Span, TargetListId,
};

use crate::id;
use crate::id::VariableId;
use crate::instruction::{Argument, Call, Callee, OperandKind, Prototype};
use crate::lower::body::BodyLowering;
use crate::lower::constant;
use crate::lower::lowering::Lowering;
use crate::lower::operand::ids;

impl Lowering<'_> {
    /// The function that a name means: that of an alias is the function it stands for.
    pub fn callee(&self, id: FunctionId) -> id::FunctionId {
        let mut id = id;
        // An alias of an alias is refused by the check, but nothing here should turn for ever if it were not.
        for _ in 0..8 {
            match self.module.functions.get(id.0 as usize).and_then(|f| f.alias) {
                Some(aliasee) => id = aliasee,
                None => break,
            }
        }
        id::FunctionId(id.0)
    }
}

/// The size of a parameter in bytes; 0 if it is left open, or a texture, sampler or surface, which takes no room.
pub fn size(parameter: &Parameter) -> u64 {
    if parameter.ty.data().is_none() {
        return 0;
    }
    let element = parameter.ty.bytes() * u64::from(parameter.vector);
    element.saturating_mul(parameter.elements.unwrap_or(1))
}

/// How many scalars a parameter is passed as: the elements of a vector register go one by one.
pub fn scalars(parameter: &Parameter) -> u8 {
    if parameter.space == SpaceKind::Reg { parameter.vector.max(1) } else { 1 }
}

/// The size of each scalar that is passed.
fn sizes(parameters: &[Parameter]) -> Vec<u64> {
    let mut sizes = Vec::with_capacity(parameters.len());
    for parameter in parameters {
        let scalars = scalars(parameter);
        sizes.extend((0..scalars).map(|_| size(parameter) / u64::from(scalars)));
    }
    sizes
}

impl<'a> BodyLowering<'_, 'a> {
    /// Lowers a call; `place` is the one operand of its row.
    pub fn call(&mut self, place: u8, instruction: &Instruction) {
        let file = self.lowering.file;
        let module = self.lowering.module;
        let mut rest = ids(instruction.operands).peekable();
        let group = |rest: &mut std::iter::Peekable<_>| match rest.peek().map(|&id: &OperandId| file[id].kind)
        {
            Some(Tree::Group(list)) => {
                rest.next();
                list
            }
            _ => List::EMPTY,
        };
        let returns = group(&mut rest);
        let Some(callee) = rest.next() else { return self.lowering.unresolved(instruction.span) };
        let arguments = group(&mut rest);
        let prototype = rest.next().and_then(|id| module.used(id));
        let (callee, signature, indirect) = match (module.used(callee), prototype) {
            (Some(Used::Function(id)), _) => {
                let direct = Callee::Direct(self.lowering.callee(id));
                (direct, module.functions.get(id.0 as usize).map(|f| &f.signature), false)
            }
            (Some(Used::Register(index)), Some(prototype)) => {
                let Some(register) = self.register(index, 0, instruction.span) else { return };
                (Callee::Indirect(register), self.signature(prototype), true)
            }
            _ => return self.lowering.unresolved(instruction.span),
        };
        let Some(signature) = signature else { return self.lowering.unresolved(instruction.span) };
        let call = Call {
            callee,
            returns: self.arguments(returns, &signature.returns),
            arguments: self.arguments(arguments, &signature.parameters),
            prototype: indirect.then(|| Prototype {
                returns: sizes(&signature.returns),
                parameters: sizes(&signature.parameters),
            }),
        };
        self.push(place, 0, false, None, OperandKind::Call(self.calls.len() as u32));
        self.calls.push(call);
    }

    /// What an indirect call's prototype or list of targets asks for.
    fn signature(&self, used: Used) -> Option<&'a Signature> {
        let module = self.lowering.module;
        match used {
            Used::Prototype(id) => module.prototypes.get(PrototypeId(id).0 as usize),
            Used::Targets(id) => {
                let first = module.call_targets(TargetListId(id)).first()?;
                module.functions.get(first.0 as usize).map(|f| &f.signature)
            }
            _ => None,
        }
    }

    fn arguments(&mut self, actual: List<Operand>, formal: &[Parameter]) -> Vec<Argument> {
        let mut arguments = Vec::with_capacity(actual.len());
        for (operand, parameter) in ids(actual).zip(formal) {
            self.argument(operand, parameter, &mut arguments);
        }
        arguments
    }

    /// Appends what stands for one formal parameter: a vector register passes its elements one by one.
    fn argument(&mut self, operand: OperandId, parameter: &Parameter, arguments: &mut Vec<Argument>) {
        let found = self.lowering.file[operand];
        let elements = scalars(parameter);
        match (found.kind, self.lowering.module.used(operand)) {
            (Tree::Sink, _) => arguments.extend((0..elements).map(|_| Argument::Sink)),
            (Tree::Constant(expression), _) if elements == 1 => {
                let ty = match parameter.ty {
                    VariableType::Data(ty) => Some(ty),
                    _ => Some(Type::U64),
                };
                let Some(value) = self.lowering.constant(expression) else { return };
                match constant::bits(value, ty) {
                    Some(bits) => arguments.push(Argument::Immediate(bits)),
                    None => {
                        self.lowering.unsupported(found.span, "ptxas makes no code for this constant here")
                    }
                }
            }
            (_, Some(Used::Register(index))) => {
                let vector = self.body.register(index).map_or(1, |r| r.first.vector);
                if vector != elements {
                    return self.reshaped(found.span);
                }
                for member in 0..vector {
                    let register = self.register(index, member, found.span);
                    arguments.extend(register.map(Argument::Register));
                }
            }
            (_, Some(Used::Variable(id))) if elements == 1 => {
                let variable = VariableId(id.0);
                let given = self.lowering.program.variables.get(id.0 as usize).map_or(0, |v| v.size);
                if given != size(parameter) {
                    self.kept_in_frame.insert(variable);
                }
                arguments.push(Argument::Param(variable));
            }
            (_, Some(Used::Variable(_))) | (Tree::Constant(_), _) => self.reshaped(found.span),
            _ => self.lowering.unresolved(found.span),
        }
    }

    fn reshaped(&mut self, span: Span) {
        let message = "a vector register is passed as something other than a vector of its length";
        self.lowering.unsupported(span, message);
    }
}
