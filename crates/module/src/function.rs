//! Checks `.entry`, `.func` and `.alias` (manual 7.1, 11.2): declarations and definitions must agree, and parameters become
//! names of the body.

use ptxvm_isa::Version;
use ptxvm_isa::target::{Suffix, Target};
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::{self, Argument, FunctionKind, LinkageKind, List, Name, SpaceKind, Span};

use crate::codes;
use crate::context::Context;
use crate::declaration::duplicate;
use crate::declared::Place;
use crate::entity::{Entity, FunctionId, Register, Role, VariableId, VariableType};
use crate::module::{Body, Function, Parameter, Registers, Signature, Variable, written};
use crate::parameter::{self, Direction, Header};
use crate::{body, bounds, entity};

/// Checks a function and, if it has one, its body.
pub fn check(context: &mut Context<'_>, id: ast::FunctionId) {
    let file = context.file;
    let function = &file[id];
    needs(context, function);
    let place = match function.kind {
        FunctionKind::Entry => Place::EntryParameter,
        FunctionKind::Func => Place::FuncParameter,
    };
    let header = if function.body.is_some() { Header::Defines } else { Header::Declares };
    let mut signature = Signature {
        returns: parameter::list(context, function.returns, place, header, Direction::Return),
        parameters: parameter::list(context, function.parameters, place, header, Direction::Input),
        unified: unified(context, function.attributes),
        ..Signature::default()
    };
    match function.kind {
        FunctionKind::Entry => bounds::entry(context, function.directives),
        FunctionKind::Func => bounds::func(context, function.directives, &mut signature),
    }
    if function.kind == FunctionKind::Entry && function.body.is_some() {
        parameter_space(context, function, &signature);
    }
    if function.body.is_some() && function.linkage.is_some_and(|l| l.kind == LinkageKind::Extern) {
        let message = "an `.extern` function is defined elsewhere, so it has no body here";
        let diagnostic = Diagnostic::error(codes::EXTERN_DEFINITION, function.name.span, message);
        context.report(diagnostic.help("write `.visible` instead").section("11.6.1"));
    }
    let id = declare(context, function, signature);
    if let Some(body) = function.body {
        define(context, id, function, body);
    }
}

fn needs(context: &mut Context<'_>, function: &ast::Function) {
    if let Some(linkage) = function.linkage
        && linkage.kind == LinkageKind::Weak
    {
        context.need(".weak", "`.weak`", linkage.span);
    }
    let ptx = context.language.ptx;
    if function.kind == FunctionKind::Entry {
        let parameters = function.parameters.filter(|p| !p.list.is_empty());
        if let Some(parameters) = parameters
            && ptx < Version::new(1, 4)
        {
            context.lack("a kernel's parameter list", "PTX 1.4".into(), parameters.span, "11.2.1");
        }
        if function.body.is_none() && ptx < Version::new(3, 0) {
            context.lack("a kernel without a body", "PTX 3.0".into(), function.name.span, "11.2.1");
        }
    }
}

fn unified(context: &mut Context<'_>, attributes: List<ast::Attribute>) -> Option<(u64, u64)> {
    let file = context.file;
    let mut found = None;
    for attribute in &file[attributes] {
        let word = file.text(attribute.name.symbol);
        let dotted = format!(".{word}");
        context.need(&dotted, &format!("the attribute `{dotted}`"), attribute.span);
        if word == "managed" {
            let diagnostic =
                Diagnostic::error(codes::ATTRIBUTE, attribute.span, "a function cannot be `.managed`");
            context.report(diagnostic.section("5.4.8"));
        }
        let mut numbers = file[attribute.arguments].iter().filter_map(|argument| match argument {
            Argument::Expression(id) => context.constant(*id)?.integer(),
            Argument::Text(_) => None,
        });
        if let (Some(first), Some(second)) = (numbers.next(), numbers.next()) {
            found = Some((first, second));
        }
    }
    found
}

/// The parameters of a kernel must fit into the space that version and target give them.
fn parameter_space(context: &mut Context<'_>, function: &ast::Function, signature: &Signature) {
    let ptx = context.language.ptx;
    let large = context.language.target.meets(Target { sm: 70, suffix: Suffix::Plain });
    let most = match ptx {
        _ if ptx >= Version::new(8, 1) && large => 32764,
        _ if ptx >= Version::new(1, 5) => 4352,
        _ => 256,
    };
    let bytes = parameter::bytes(&signature.parameters);
    if bytes > most {
        let message = format!("the kernel's parameters take {bytes} bytes, and may take at most {most} here");
        let span = function.parameters.map_or(function.name.span, |p| p.span);
        let diagnostic = Diagnostic::error(codes::PARAMETER_SIZE, span, message).section("11.2.1");
        context.report(diagnostic.help("PTX 8.1 on sm_70 and later gives 32764 bytes"));
    }
}

/// Makes the function known, or checks that it agrees with what is known of it.
fn declare(context: &mut Context<'_>, function: &ast::Function, signature: Signature) -> FunctionId {
    let name = function.name;
    let described = Function {
        name: name.symbol,
        span: name.span,
        kind: function.kind,
        linkage: function.linkage.map(|l| l.kind),
        signature,
        body: None,
        alias: None,
        directives: function.directives,
    };
    match context.scopes.binding(name.symbol).filter(|b| b.depth == 1).map(|b| (b.entity, b.span)) {
        Some((Entity::Function(id), _)) => {
            let (defined, different) = {
                let earlier = context.function(id);
                (earlier.body.is_some(), difference(earlier, &described))
            };
            if defined {
                duplicate(context, name, context.function(id).span);
            } else if let Some(different) = different {
                inconsistent(context, name, context.function(id).span, different);
            }
            let earlier = &mut context.module.functions[id.0 as usize];
            if earlier.body.is_none() {
                let (linkage, alias) = (described.linkage.or(earlier.linkage), earlier.alias);
                *earlier = Function { linkage, alias, ..described };
            }
            return id;
        }
        Some((Entity::Special(_), _)) => duplicate(context, name, Span::default()),
        Some((_, span)) => inconsistent(context, name, span, "it was a variable before"),
        None => {}
    }
    let id = FunctionId(context.module.functions.len() as u32);
    context.module.functions.push(described);
    if let Err(clash) = context.scopes.declare_global(name.symbol, Entity::Function(id), name.span) {
        duplicate(context, name, clash.0);
    }
    id
}

fn inconsistent(context: &mut Context<'_>, name: Name, earlier: Span, different: &str) {
    let text = context.text(name.symbol);
    let message = format!("`{text}` is declared again with a difference: {different}");
    let diagnostic = Diagnostic::error(codes::INCONSISTENT_FUNCTION, name.span, message);
    context.report(diagnostic.also(earlier, "declared here before").section("7.1"));
}

/// How a declaration and a later one, or a definition, differ.
fn difference(before: &Function, now: &Function) -> Option<&'static str> {
    use LinkageKind::{Extern, Visible, Weak};
    if before.kind != now.kind {
        return Some("one is a kernel, the other a device function");
    }
    match (before.linkage, now.linkage) {
        (a, b) if a == b => {}
        (Some(Visible | Weak), None) => {}
        (Some(Extern), None) => return Some("`.extern` says that it is defined elsewhere"),
        _ => return Some("the linking directives differ"),
    }
    if before.signature.unified.is_some()
        && now.signature.unified.is_some()
        && before.signature.unified != now.signature.unified
    {
        return Some("the numbers of `.unified` differ");
    }
    signatures_differ(&before.signature, &now.signature)
}

/// How two signatures differ.
pub fn signatures_differ(a: &Signature, b: &Signature) -> Option<&'static str> {
    if a.parameters.len() != b.parameters.len() || a.returns.len() != b.returns.len() {
        return Some("the number of parameters differs");
    }
    if a.noreturn != b.noreturn {
        return Some("one is `.noreturn`");
    }
    if (a.preserve, a.preserve_control) != (b.preserve, b.preserve_control) {
        return Some("`.abi_preserve` differs");
    }
    let pairs = a.returns.iter().zip(&b.returns).chain(a.parameters.iter().zip(&b.parameters));
    for (a, b) in pairs {
        if a.space != b.space {
            return Some("the state space of a parameter differs");
        }
        if (a.ty, a.vector, a.elements) != (b.ty, b.vector, b.elements) {
            return Some("the type of a parameter differs");
        }
        if a.align != b.align {
            return Some("the alignment of a parameter differs");
        }
    }
    None
}

/// Declares the parameters in the body's scope and walks the body.
fn define(context: &mut Context<'_>, id: FunctionId, function: &ast::Function, body: ast::Body) {
    let outer = context.function.replace(id);
    let file = context.file;
    context.lacks_memory = function.kind == FunctionKind::Entry
        && file[function.directives].iter().all(|d| file.text(d.name.symbol) != "minperctamemory");
    context.registers.clear();
    context.target_ranges.clear();
    context.next_register = 0;
    context.scopes.enter();
    let mut signature = std::mem::take(&mut context.module.functions[id.0 as usize].signature);
    let role = match function.kind {
        FunctionKind::Entry => Role::EntryParameter,
        FunctionKind::Func => Role::Parameter,
    };
    for parameter in &mut signature.returns {
        name_parameter(context, parameter, Role::Return);
    }
    for parameter in &mut signature.parameters {
        name_parameter(context, parameter, role);
    }
    let described = &mut context.module.functions[id.0 as usize];
    described.signature = signature;
    // A body is there, so that a second definition is found even while this one is walked.
    described.body = Some(Body { statements: body.statements, registers: Vec::new() });
    body::walk(context, body.statements);
    context.scopes.leave();
    let registers = std::mem::take(&mut context.registers);
    if let Some(described) = &mut context.module.functions[id.0 as usize].body {
        described.registers = registers;
    }
    context.function = outer;
}

fn name_parameter(context: &mut Context<'_>, parameter: &mut Parameter, role: Role) {
    let entity = match (parameter.space, parameter.ty) {
        (SpaceKind::Reg, VariableType::Data(ty)) => {
            let register = Register { index: context.next_register, ty, vector: parameter.vector };
            context.next_register += u32::from(parameter.vector);
            context.registers.push(Registers { name: parameter.name, first: register, count: None });
            Entity::Register(register)
        }
        _ => {
            let id = VariableId(context.next_variable);
            context.next_variable += 1;
            let bytes = parameter.ty.bytes() * u64::from(parameter.vector);
            context.module.variables.push(Variable {
                id,
                name: parameter.name,
                count: None,
                span: parameter.span,
                space: SpaceKind::Param,
                ty: parameter.ty,
                vector: parameter.vector,
                elements: parameter.elements,
                dimensions: List::EMPTY,
                size: bytes.wrapping_mul(parameter.elements.unwrap_or(1)),
                align: parameter.align,
                linkage: None,
                role,
                initializer: List::EMPTY,
                managed: false,
                function: context.function,
            });
            Entity::Variable(entity::Variable {
                id,
                space: SpaceKind::Param,
                ty: parameter.ty,
                vector: parameter.vector,
                array: parameter.elements.is_some(),
                role,
            })
        }
    };
    parameter.entity = Some(entity);
    if context.text(parameter.name) == "_" {
        return;
    }
    let name = Name { symbol: parameter.name, span: parameter.span };
    let interner = &context.file.interner;
    if let Err(clash) = context.scopes.declare_parameter(name.symbol, entity, name.span, interner) {
        duplicate(context, name, clash.0);
    }
}

/// Checks `.alias name, aliasee;`.
pub fn alias(context: &mut Context<'_>, span: Span, name: Name, aliasee: Name) {
    context.need(".alias", "`.alias`", span);
    let (Some(alias), Some(of)) = (aliased(context, name), aliased(context, aliasee)) else { return };
    let (one, other) = (context.function(alias), context.function(of));
    let message = if alias == of {
        "a function cannot be an alias of itself".to_owned()
    } else if one.body.is_some() {
        "the alias has a body of its own".to_owned()
    } else if one.alias.is_some() {
        "the alias already stands for a function".to_owned()
    } else if matches!(other.linkage, Some(LinkageKind::Weak | LinkageKind::Extern)) {
        "a `.weak` or `.extern` function cannot be aliased".to_owned()
    } else if let Some(different) = signatures_differ(&one.signature, &other.signature) {
        format!("the two functions differ: {different}")
    } else {
        context.module.functions[alias.0 as usize].alias = Some(of);
        return;
    };
    let span = name.span.to(aliasee.span);
    context.report(Diagnostic::error(codes::ALIAS, span, message).section("11.2.3"));
}

fn aliased(context: &mut Context<'_>, name: Name) -> Option<FunctionId> {
    let interner = &context.file.interner;
    let text = context.text(name.symbol);
    let (code, message) = match context.scopes.resolve(name.symbol, interner) {
        Some(Entity::Function(id)) if context.function(id).kind == FunctionKind::Func => return Some(id),
        Some(Entity::Function(_)) => (codes::ALIAS, format!("`{text}` is a kernel, which has no aliases")),
        Some(_) => (codes::ALIAS, format!("`{text}` is not a function")),
        None => (codes::UNKNOWN_NAME, format!("there is no function `{text}`")),
    };
    context.report(Diagnostic::error(code, name.span, message).section("11.2.3"));
    None
}

/// A parameter as its declaration writes it.
#[must_use]
pub fn parameter_text(parameter: &Parameter) -> String {
    written(parameter.ty, parameter.vector, parameter.elements)
}
