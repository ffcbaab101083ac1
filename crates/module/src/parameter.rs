//! Checks parameter lists of kernels, device functions and prototypes (manual 5.1.6, 7.1, 11.2).

use ptxvm_isa::target::{Suffix, Target};
use ptxvm_isa::{Type, Version};
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::{Declaration, Declarator, Parameters, SpaceKind};

use crate::codes;
use crate::context::Context;
use crate::declaration::{attributes, parameter_alignment};
use crate::declared::{Declared, Extent, Place, alignment, declared, extent, fits};
use crate::entity::VariableType;
use crate::module::Parameter;

/// Which list of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// What is passed.
    Input,
    /// What comes back.
    Return,
}

/// Whether ptxas asks if there can be parameters of such types: it does where a body follows, and lets declarations and
/// prototypes name what no function could have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// Of a function with a body.
    Defines,
    /// Of a function without one, or of a prototype.
    Declares,
}

/// Reads a parameter list; what is wrong is reported and left out.
pub fn list(
    context: &mut Context<'_>,
    parameters: Option<Parameters>,
    place: Place,
    header: Header,
    direction: Direction,
) -> Vec<Parameter> {
    let Some(parameters) = parameters else { return Vec::new() };
    let file = context.file;
    let declarations = &file[parameters.list];
    if direction == Direction::Return && declarations.len() > 1 {
        several_returns(context, declarations);
    }
    let last = declarations.len().wrapping_sub(1);
    declarations
        .iter()
        .enumerate()
        .filter_map(|(i, d)| {
            one(context, d, place, header, direction, direction == Direction::Input && i == last)
        })
        .collect()
}

fn several_returns(context: &mut Context<'_>, declarations: &[Declaration]) {
    if let Some(found) = declarations.iter().find(|d| d.space.kind != SpaceKind::Reg) {
        let message = "a function that returns several values returns them in registers";
        let diagnostic = Diagnostic::error(codes::RETURN_PARAMETERS, found.space.span, message)
            .help("write `.reg`, or return one `.param` array");
        context.report(diagnostic.section("7.1"));
    }
}

fn one(
    context: &mut Context<'_>,
    declaration: &Declaration,
    place: Place,
    header: Header,
    direction: Direction,
    last: bool,
) -> Option<Parameter> {
    let file = context.file;
    let declarator = file[declaration.declarators].first()?;
    if !space(context, declaration, declarator, place) {
        return None;
    }
    attributes_of(context, declaration, declarator, place);
    let found = match header {
        Header::Defines => declared(context, declaration, place)?,
        Header::Declares => declared(context, declaration, Place::Prototype)?,
    };
    let extent = extent(context, declarator)?;
    let predicates = found.ty == VariableType::Data(Type::Pred) && extent != Extent::Scalar;
    if header == Header::Defines || predicates {
        if !fits(context, declaration, declarator, found, extent, place) {
            return None;
        }
        if place == Place::FuncParameter
            && declaration.space.kind == SpaceKind::Param
            && found.alignment() > 128
        {
            parameter_alignment(context, declaration, declarator);
        }
    }
    if matches!(extent, Extent::Incomplete(_)) {
        let last = last && declaration.space.kind == SpaceKind::Param;
        incomplete(context, declarator, place, direction, last);
    }
    Some(described(declaration, declarator, found, extent))
}

fn described(
    declaration: &Declaration,
    declarator: &Declarator,
    declared: Declared,
    extent: Extent,
) -> Parameter {
    Parameter {
        name: declarator.name.symbol,
        span: declarator.name.span,
        space: declaration.space.kind,
        ty: declared.ty,
        vector: declared.vector,
        elements: match extent {
            Extent::Scalar => None,
            Extent::Array(n) => Some(n),
            Extent::Incomplete(_) => Some(0),
        },
        align: declared.alignment(),
        entity: None,
    }
}

/// Whether a parameter may lie in its space; reports if not.
fn space(
    context: &mut Context<'_>,
    declaration: &Declaration,
    declarator: &Declarator,
    place: Place,
) -> bool {
    let language = context.language;
    let stack =
        language.ptx >= Version::new(2, 0) && language.target.meets(Target { sm: 20, suffix: Suffix::Plain });
    let (message, section) = match (place, declaration.space.kind) {
        (Place::EntryParameter, SpaceKind::Param)
        | (Place::FuncParameter | Place::Prototype, SpaceKind::Reg) => {
            return true;
        }
        (Place::FuncParameter | Place::Prototype, SpaceKind::Param) if stack => return true,
        (Place::EntryParameter, _) => ("a kernel's parameters are in `.param`", "11.2.1"),
        (_, SpaceKind::Param) => ("`.param` parameters of functions need PTX 2.0 and sm_20", "7.1.1"),
        _ => ("a function's parameters are in `.reg` or `.param`", "11.2.2"),
    };
    let span = declaration.space.span.to(declarator.span);
    context.report(Diagnostic::error(codes::PARAMETER_SPACE, span, message).section(section));
    false
}

fn attributes_of(
    context: &mut Context<'_>,
    declaration: &Declaration,
    declarator: &Declarator,
    place: Place,
) {
    if place != Place::Prototype {
        attributes(context, declaration, declarator);
    }
    if context.text(declarator.name.symbol) == "_" && place == Place::FuncParameter {
        let message = "a function's parameter needs a name, `_` is for prototypes";
        let diagnostic = Diagnostic::error(codes::SINK_PARAMETER, declarator.name.span, message);
        context.report(diagnostic.section("11.2.2"));
    }
    if place == Place::FuncParameter {
        let after_type = declaration.align_after_type.map(|a| a.span);
        if let Some(span) = declaration.pointer.map(|p| p.span).or(after_type) {
            let message = "only a kernel's parameters have attributes after their type";
            let diagnostic = Diagnostic::error(codes::KERNEL_ATTRIBUTE, span, message);
            context.report(diagnostic.section("5.1.6.2"));
        }
    }
    if let Some(pointer) = declaration.pointer {
        context.need(".ptr", "`.ptr`", pointer.span);
        if let Some(align) = pointer.align {
            alignment(context, align);
        }
    }
}

/// An array without a size may only be the last input of a device function.
fn incomplete(
    context: &mut Context<'_>,
    declarator: &Declarator,
    place: Place,
    direction: Direction,
    last: bool,
) {
    let message = match (place, direction) {
        (Place::EntryParameter, _) => "a kernel's parameter needs a size",
        (_, Direction::Return) => "a return parameter needs a size",
        (_, Direction::Input) if !last => {
            "only the last parameter may leave its size open, and only in `.param`"
        }
        _ => {
            let language = context.language;
            let target = Target { sm: 30, suffix: Suffix::Plain };
            if language.ptx < Version::new(6, 0) || !language.target.meets(target) {
                let what = "a parameter without a size";
                context.lack(what, "PTX 6.0 on sm_30 and later".into(), declarator.span, "11.2.2");
            }
            return;
        }
    };
    let diagnostic = Diagnostic::error(codes::INCOMPLETE_ARRAY, declarator.span, message);
    context.report(diagnostic.section("11.2.2"));
}

/// The bytes that a kernel's parameters take, opaque ones not counted.
#[must_use]
pub fn bytes(parameters: &[Parameter]) -> u64 {
    let mut end = 0u64;
    for parameter in parameters.iter().filter(|p| matches!(p.ty, VariableType::Data(_))) {
        let size = parameter.ty.bytes() * u64::from(parameter.vector);
        let size = size.saturating_mul(parameter.elements.unwrap_or(1));
        end = end.next_multiple_of(u64::from(parameter.align.max(1))).saturating_add(size);
    }
    end
}
