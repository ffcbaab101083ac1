//! Checks `call` (manual 7.1, 9.7.12.5): the function or prototype, and each argument against its parameter.

use ptxvm_isa::{Kind, Type};
use ptxvm_syntax::ast::{FunctionKind, Instruction, List, Operand, OperandKind, SpaceKind, Span};
use ptxvm_syntax::{Diagnostic, Value};

use crate::codes;
use crate::context::Context;
use crate::entity::{Entity, FunctionId, Role, Variable, VariableType};
use crate::function::parameter_text;
use crate::module::{Parameter, Signature, written};
use crate::parameter::Direction;

const SECTION: &str = "9.7.12.5";

/// The operands of a call by their parts.
struct Call {
    returns: Option<List<Operand>>,
    callee: Operand,
    arguments: Option<List<Operand>>,
    prototype: Option<Operand>,
}

/// Checks a call; `complete` says that every name in it means something.
pub fn check(context: &mut Context<'_>, instruction: &Instruction, complete: bool) {
    let file = context.file;
    let Some(call) = parts(&file[instruction.operands]) else { return };
    if !complete {
        return;
    }
    let OperandKind::Name(callee) = call.callee.kind else { return };
    let text = context.text(callee);
    let (code, message) = match (context.lookup(callee), call.prototype) {
        (Some(Entity::Function(id)), None) => {
            if context.function(id).kind == FunctionKind::Func {
                return against_function(context, id, &call, instruction.span);
            }
            (codes::CALL_TARGET, format!("`{text}` is a kernel, which cannot be called"))
        }
        (Some(Entity::Function(_)), Some(_)) => {
            (codes::CALL_TARGET, format!("`{text}` is known, so its call takes no prototype"))
        }
        (Some(Entity::Register(register)), Some(prototype)) => {
            let pointer = matches!(register.ty.kind(), Kind::Bits | Kind::Signed | Kind::Unsigned)
                && matches!(register.ty.bits(), 32 | 64);
            if pointer && register.vector == 1 {
                return indirect(context, prototype, &call, instruction.span);
            }
            (codes::CALL_TARGET, format!("`{text}` cannot hold a function's address"))
        }
        (Some(Entity::Register(_)), None) => (
            codes::CALL_INDIRECT,
            format!("the call through `{text}` needs a prototype or a list of targets"),
        ),
        _ => (codes::CALL_TARGET, format!("`{text}` is not a function")),
    };
    context.report(Diagnostic::error(code, call.callee.span, message).section(SECTION));
}

fn parts(operands: &[Operand]) -> Option<Call> {
    let mut rest = operands.iter().copied().peekable();
    let group = |rest: &mut std::iter::Peekable<_>| match rest.peek() {
        Some(Operand { kind: OperandKind::Group(list), .. }) => {
            let list = *list;
            rest.next();
            Some(list)
        }
        _ => None,
    };
    let returns = group(&mut rest);
    let callee = rest.next()?;
    let arguments = group(&mut rest);
    Some(Call { returns, callee, arguments, prototype: rest.next() })
}

fn against_function(context: &mut Context<'_>, id: FunctionId, call: &Call, span: Span) {
    let index = id.0 as usize;
    let signature = std::mem::take(&mut context.module.functions[index].signature);
    against(context, &signature, call, span);
    context.module.functions[index].signature = signature;
}

/// A call through a register: against its prototype, or against every function of its list.
fn indirect(context: &mut Context<'_>, prototype: Operand, call: &Call, span: Span) {
    let OperandKind::Name(name) = prototype.kind else { return };
    let file = context.file;
    match context.lookup(name) {
        Some(Entity::Prototype(id)) => {
            let signature = std::mem::take(&mut context.module.prototypes[id.0 as usize]);
            against(context, &signature, call, span);
            context.module.prototypes[id.0 as usize] = signature;
        }
        Some(Entity::Targets(id)) if file[id].kind == ptxvm_syntax::ast::TargetListKind::Call => {
            let functions = std::mem::take(&mut context.module.call_lists[id.0 as usize]);
            for &function in &functions {
                against_function(context, function, call, span);
            }
            context.module.call_lists[id.0 as usize] = functions;
        }
        _ => {
            let text = context.text(name);
            let message = format!("`{text}` is neither a prototype nor a list of call targets");
            let diagnostic = Diagnostic::error(codes::CALL_INDIRECT, prototype.span, message);
            context.report(diagnostic.section(SECTION));
        }
    }
}

fn against(context: &mut Context<'_>, signature: &Signature, call: &Call, span: Span) {
    let file = context.file;
    let returns = call.returns.map_or(&[][..], |list| &file[list]);
    let arguments = call.arguments.map_or(&[][..], |list| &file[list]);
    let open = signature.parameters.last().is_some_and(|p| p.elements == Some(0)) && call.arguments.is_some();
    let wanted = signature.parameters.len();
    let (what, found, wanted) = if returns.len() != signature.returns.len() {
        ("results", returns.len(), signature.returns.len())
    } else if arguments.len() != wanted && !(open && arguments.len() + 1 == wanted) {
        ("arguments", arguments.len(), wanted)
    } else {
        for (operand, parameter) in returns.iter().zip(&signature.returns) {
            argument(context, operand, parameter, Direction::Return);
        }
        for (operand, parameter) in arguments.iter().zip(&signature.parameters) {
            argument(context, operand, parameter, Direction::Input);
        }
        return;
    };
    let message = format!("this call has {found} {what}, the function has {wanted}");
    context.report(Diagnostic::error(codes::CALL_COUNT, span, message).section(SECTION));
}

fn argument(context: &mut Context<'_>, operand: &Operand, parameter: &Parameter, direction: Direction) {
    let wrong = match operand.kind {
        OperandKind::Sink if direction == Direction::Return => None,
        OperandKind::Constant(id) if direction == Direction::Input => {
            let Some(value) = context.constant(id) else { return };
            constant_mismatch(value, parameter)
        }
        OperandKind::Name(symbol) => match context.lookup(symbol) {
            Some(Entity::Register(register)) => register_mismatch(register.ty, register.vector, parameter),
            Some(Entity::Variable(variable)) => variable_mismatch(context, variable, parameter),
            _ => Some("only registers, `.param` variables and constants can be passed".to_owned()),
        },
        _ => Some("this cannot be passed".to_owned()),
    };
    let wrong = wrong.map(|why| (codes::CALL_ARGUMENT, why)).or_else(|| {
        narrow(parameter).then(|| {
            let why = format!(
                "a function cannot take or return a `{}`; pass a `.b32`, or a `.param` of type `.b8` or `.b16`",
                parameter_text(parameter)
            );
            (codes::NARROW_PARAMETER, why)
        })
    });
    if let Some((code, why)) = wrong {
        let name = context.text(parameter.name);
        let diagnostic = Diagnostic::error(code, operand.span, why)
            .also(parameter.span, format!("the parameter `{name}` is declared here"));
        context.report(diagnostic.section(SECTION));
    }
}

/// ptxas passes no predicates and no narrow integers between functions, though it lets them be declared.
fn narrow(parameter: &Parameter) -> bool {
    parameter.elements.is_none()
        && parameter.vector == 1
        && matches!(
            parameter.ty,
            VariableType::Data(Type::Pred | Type::U8 | Type::S8 | Type::U16 | Type::S16)
        )
}

fn mismatch(found: &str, parameter: &Parameter) -> Option<String> {
    Some(format!("the parameter is `{}`, this is {found}", parameter_text(parameter)))
}

fn constant_mismatch(value: Value, parameter: &Parameter) -> Option<String> {
    let found = if value.is_integer() { "an integer constant" } else { "a floating-point constant" };
    let VariableType::Data(ty) = parameter.ty else { return mismatch(found, parameter) };
    let fits = parameter.elements.is_none()
        && match ty.kind() {
            _ if parameter.vector > 1 => true,
            Kind::Bits => true,
            Kind::Signed | Kind::Unsigned => value.is_integer(),
            Kind::Float => !value.is_integer() && ty != Type::F16x2,
            Kind::Predicate | Kind::Packed => false,
        };
    if fits { None } else { mismatch(found, parameter) }
}

/// A type as a call compares it: its bits and, unless it is untyped, its kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A vector or `.f16x2`, which goes with anything of its size, predicates (of 32 bits) included.
    Untyped(u32),
    Bits(u32),
    Integer(u32),
    Float(u32),
    Predicate,
}

fn shape(ty: Type, vector: u8) -> Shape {
    let bits = ty.bits() * u32::from(vector);
    match ty.kind() {
        _ if vector > 1 || ty == Type::F16x2 => Shape::Untyped(bits),
        Kind::Bits => Shape::Bits(bits),
        Kind::Signed | Kind::Unsigned => Shape::Integer(bits),
        Kind::Float | Kind::Packed => Shape::Float(bits),
        Kind::Predicate => Shape::Predicate,
    }
}

fn compatible(a: Shape, b: Shape) -> bool {
    let bits = |s| match s {
        Shape::Untyped(n) | Shape::Bits(n) | Shape::Integer(n) | Shape::Float(n) => n,
        Shape::Predicate => 32,
    };
    let untyped = |s| matches!(s, Shape::Untyped(_));
    let plain = |s| matches!(s, Shape::Bits(_));
    let predicate = a == Shape::Predicate || b == Shape::Predicate;
    bits(a) == bits(b) && (a == b || untyped(a) || untyped(b) || !predicate && (plain(a) || plain(b)))
}

fn register_mismatch(ty: Type, vector: u8, parameter: &Parameter) -> Option<String> {
    let found = || format!("a `{}` register", written(VariableType::Data(ty), vector, None));
    let VariableType::Data(formal) = parameter.ty else { return mismatch(&found(), parameter) };
    let fits = parameter.elements.is_none() && compatible(shape(formal, parameter.vector), shape(ty, vector));
    if fits { None } else { mismatch(&found(), parameter) }
}

fn variable_mismatch(context: &Context<'_>, variable: Variable, parameter: &Parameter) -> Option<String> {
    let full = context.variable(variable.id);
    if variable.space != SpaceKind::Param {
        return Some("only `.param` variables can be passed, not those of other spaces".to_owned());
    }
    if variable.role != Role::Plain {
        return Some(
            "a function's own parameter cannot be passed on; copy it to a `.param` variable".to_owned(),
        );
    }
    let found = || format!("`{}`", written(full.ty, full.vector, full.elements));
    let (VariableType::Data(formal), VariableType::Data(actual)) = (parameter.ty, full.ty) else {
        return mismatch(&found(), parameter);
    };
    let fits = match (parameter.elements, full.elements) {
        (None, None) => compatible(shape(formal, parameter.vector), shape(actual, full.vector)),
        (Some(elements), Some(_)) => {
            let plain = |ty: Type| ty.kind() == Kind::Bits;
            parameter.space == SpaceKind::Param
                && full.dimensions.len() == 1
                && parameter.vector == 1
                && full.vector == 1
                && formal != Type::F16x2
                && actual != Type::F16x2
                && (formal == actual || plain(formal) || plain(actual))
                && (elements == 0 || elements.wrapping_mul(parameter.ty.bytes()) == full.size)
        }
        _ => false,
    };
    if !fits {
        return mismatch(&found(), parameter);
    }
    if full.align != parameter.align {
        return Some(format!(
            "the parameter is aligned to {} bytes, this is aligned to {}",
            parameter.align, full.align
        ));
    }
    None
}
