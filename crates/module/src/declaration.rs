//! Checks declarations of variables and registers (manual 5.1, 5.4, 11.6): what may be declared where, and what twice.

use ptxvm_isa::Version;
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::{Declaration, Declarator, FunctionKind, LinkageKind, Name, SpaceKind, Span};

use crate::codes;
use crate::context::Context;
use crate::declared::{Declared, Extent, Place, declared, extent, fits};
use crate::entity::{self, Entity, Register, Role, VariableId, VariableType};
use crate::initializer;
use crate::module::{Registers, Variable};

/// More registers of a function or variables of a module than this have no numbers.
const MOST_NAMES: u32 = 1 << 29;

/// Declares what a declaration at module level or in a body names.
pub fn check(context: &mut Context<'_>, declaration: &Declaration, place: Place) {
    space(context, declaration, place);
    linkage(context, declaration);
    let file = context.file;
    let Some(found) = declared(context, declaration, place) else {
        return;
    };
    for declarator in &file[declaration.declarators] {
        let Some(extent) = extent(context, declarator) else { continue };
        if !fits(context, declaration, declarator, found, extent, place) {
            continue;
        }
        if declaration.space.kind == SpaceKind::Reg {
            register(context, declaration, declarator, found);
        } else {
            variable(context, declaration, declarator, found, extent, place);
        }
    }
}

/// Whether the state space can be declared at this place.
fn space(context: &mut Context<'_>, declaration: &Declaration, place: Place) {
    let ptx = context.language.ptx;
    let abi = ptx >= Version::new(3, 0);
    let kind = context.function.map(|f| context.function(f).kind);
    let (message, section) = match (declaration.space.kind, place) {
        (SpaceKind::Reg, Place::Module) if abi => ("registers are declared inside functions", "5.1.1"),
        (SpaceKind::Local, Place::Module) if abi => ("`.local` is declared inside functions", "5.1.5"),
        (SpaceKind::Param, Place::Module) => ("parameters cannot be declared at module level", "5.1.6"),
        (SpaceKind::Param, Place::Body) if ptx < Version::new(2, 0) => {
            if kind == Some(FunctionKind::Func) {
                ("before PTX 2.0, `.param` is declared inside a kernel", "5.1.6")
            } else if ptx >= Version::new(1, 4) {
                ("in PTX 1.4 and 1.5, parameters are declared in the kernel's parameter list", "5.1.6.1")
            } else {
                return;
            }
        }
        (SpaceKind::Tex, Place::Body) => ("`.tex` is declared at module level", "5.1.8"),
        (SpaceKind::Tex, Place::Module) => {
            tex(context, declaration);
            return;
        }
        (SpaceKind::Const, _) => {
            bank(context, declaration);
            return;
        }
        _ => return,
    };
    let span = declaration.space.span;
    context.report(Diagnostic::error(codes::MISPLACED_SPACE, span, message).section(section));
}

fn tex(context: &mut Context<'_>, declaration: &Declaration) {
    let span = declaration.space.span;
    if context.language.ptx >= Version::new(1, 5) {
        let message = "`.tex` ended with PTX 1.4";
        let diagnostic = Diagnostic::error(codes::GONE, span, message);
        context.report(diagnostic.help("declare a `.global .texref`").section("5.1.8"));
        return;
    }
    let arrays = context.file[declaration.declarators].iter().any(|d| !d.dimensions.is_empty());
    let suited = matches!(context.text(declaration.ty.symbol), "u32" | "u64");
    if !suited || arrays || declaration.vector.is_some() {
        let message = "a `.tex` variable is a scalar of type `.u32` or `.u64`";
        let span = declaration.ty.span;
        context.report(Diagnostic::error(codes::UNSUITED_TYPE, span, message).section("5.1.8"));
    }
}

/// `.const[3]`: banks 1 to 10 were for external arrays without a size, until PTX 2.1.
fn bank(context: &mut Context<'_>, declaration: &Declaration) {
    let ptx = context.language.ptx;
    let span = declaration.space.span;
    let external = declaration.linkage.is_some_and(|l| l.kind == LinkageKind::Extern);
    let incomplete = context.file[declaration.declarators]
        .iter()
        .any(|d| context.file[d.dimensions].first().is_some_and(|d| d.size.is_none()));
    if ptx >= Version::new(2, 2) {
        if declaration.space.bank.is_some() {
            let diagnostic =
                Diagnostic::error(codes::GONE, span, "numbered constant banks ended with PTX 2.1");
            context.report(diagnostic.help("write `.const`").section("5.1.3.1"));
        }
        return;
    }
    let bank = declaration.space.bank.unwrap_or(0);
    let message = if bank > 0 && ptx < Version::new(1, 5) {
        "numbered constant banks need PTX 1.5".to_owned()
    } else if bank > 10 {
        format!("there is no constant bank {bank}, the last is 10")
    } else if (bank > 0) != (external && incomplete) {
        "banks 1 to 10 are for external arrays without a size, bank 0 for everything else".to_owned()
    } else {
        return;
    };
    context.report(Diagnostic::error(codes::MISPLACED_SPACE, span, message).section("5.1.3.1"));
}

fn linkage(context: &mut Context<'_>, declaration: &Declaration) {
    let Some(linkage) = declaration.linkage else { return };
    match linkage.kind {
        LinkageKind::Weak => context.need(".weak", "`.weak`", linkage.span),
        LinkageKind::Common => {
            context.need(".common", "`.common`", linkage.span);
            let opaque = matches!(context.text(declaration.ty.symbol), "texref" | "samplerref" | "surfref");
            let scalar = context.file[declaration.declarators].iter().any(|d| d.dimensions.is_empty());
            if declaration.space.kind != SpaceKind::Global || opaque && scalar {
                let message = "`.common` is for variables in `.global` that are not opaque";
                let diagnostic = Diagnostic::error(codes::COMMON, linkage.span, message);
                context.report(diagnostic.section("11.6.4"));
            }
        }
        LinkageKind::Extern | LinkageKind::Visible => {}
    }
}

/// The number of names in `name<N>`.
fn count(context: &mut Context<'_>, declarator: &Declarator) -> Result<Option<u32>, ()> {
    match declarator.count {
        None => Ok(None),
        Some(count) => context.small_integer(count).map(Some).ok_or(()),
    }
}

fn register(
    context: &mut Context<'_>,
    declaration: &Declaration,
    declarator: &Declarator,
    declared: Declared,
) {
    no_initializer(context, declaration, declarator);
    attributes(context, declaration, declarator);
    let (Ok(count), VariableType::Data(ty)) = (count(context, declarator), declared.ty) else { return };
    let first = Register { index: context.next_register, ty, vector: declared.vector };
    let names = count.unwrap_or(1);
    declare(context, declarator, Entity::Register(first), count);
    context.registers.push(Registers { name: declarator.name.symbol, first, count });
    let slots = names.saturating_mul(u32::from(declared.vector));
    context.next_register = taken(context, context.next_register, slots, declarator.span);
}

fn declare(context: &mut Context<'_>, declarator: &Declarator, entity: Entity, count: Option<u32>) {
    let interner = &context.file.interner;
    let name = declarator.name;
    if context.scopes.used_as_label(name.symbol) && count.is_none() {
        let text = context.text(name.symbol);
        let message = format!("`{text}` has been used as a label in this block");
        context.report(Diagnostic::error(codes::LABEL_MEANING, name.span, message).section("6.4.4"));
    }
    let outcome = match count {
        None => context.scopes.declare(name.symbol, entity, name.span, interner),
        Some(count) => context.scopes.declare_range(name.symbol, count, entity, name.span),
    };
    if let Err(clash) = outcome {
        duplicate(context, name, clash.0);
    }
}

/// Reports a name that its scope has already.
pub fn duplicate(context: &mut Context<'_>, name: Name, earlier: Span) {
    let text = context.text(name.symbol);
    let mut diagnostic = Diagnostic::error(
        codes::DUPLICATE_NAME,
        name.span,
        format!("`{text}` is declared twice in this scope"),
    )
    .section("4.4");
    if earlier.end > 0 {
        diagnostic = diagnostic.also(earlier, "declared here before");
    } else {
        diagnostic = diagnostic.label("this is a special register");
    }
    context.report(diagnostic);
}

fn variable(
    context: &mut Context<'_>,
    declaration: &Declaration,
    declarator: &Declarator,
    declared: Declared,
    extent: Extent,
    place: Place,
) {
    let managed = attributes(context, declaration, declarator);
    if declaration.space.kind == SpaceKind::Param && declared.alignment() > 128 {
        parameter_alignment(context, declaration, declarator);
    }
    let Ok(count) = count(context, declarator) else { return };
    let elements = initialized(context, declaration, declarator, declared, extent);
    let mut space = declaration.space.kind;
    let mut ty = declared.ty;
    if space == SpaceKind::Tex {
        (space, ty) = (SpaceKind::Global, VariableType::Texref);
    }
    let id = VariableId(context.next_variable);
    let described = Variable {
        id,
        name: declarator.name.symbol,
        count,
        span: declarator.name.span,
        space,
        ty,
        vector: declared.vector,
        elements,
        dimensions: declarator.dimensions,
        size: declared.element().wrapping_mul(elements.unwrap_or(1)),
        align: declared.alignment(),
        linkage: declaration.linkage.map(|l| l.kind),
        role: Role::Plain,
        initializer: declarator.initializer,
        managed,
        function: if place == Place::Module { None } else { context.function },
    };
    let entity = Entity::Variable(entity::Variable {
        id,
        space,
        ty,
        vector: declared.vector,
        array: elements.is_some(),
        role: Role::Plain,
    });
    if place == Place::Module && count.is_none() && again(context, declarator, &described) {
        return;
    }
    if place == Place::Module
        && count.is_some()
        && described.linkage == Some(LinkageKind::Extern)
        && context.scopes.has_range(declarator.name.symbol)
    {
        return;
    }
    declare(context, declarator, entity, count);
    context.module.variables.push(described);
    context.next_variable = taken(context, context.next_variable, count.unwrap_or(1), declarator.span);
}

/// The next free number after `names` more, if there are that many.
fn taken(context: &mut Context<'_>, next: u32, names: u32, span: Span) -> u32 {
    match next.checked_add(names).filter(|&n| n < MOST_NAMES) {
        Some(next) => next,
        None => {
            let message = format!("this declares more than {MOST_NAMES} names");
            context.report(Diagnostic::error(codes::COUNT_RANGE, span, message).section("5.4.6"));
            next
        }
    }
}

/// Checks that a variable of the module that has been declared before is declared in the same way; true if so.
fn again(context: &mut Context<'_>, declarator: &Declarator, now: &Variable) -> bool {
    let Some(earlier) = context.scopes.binding(declarator.name.symbol) else { return false };
    let name = declarator.name;
    let Entity::Variable(found) = earlier.entity else {
        if matches!(earlier.entity, Entity::Function(_)) {
            let text = context.text(name.symbol);
            let message = format!("`{text}` has been declared as a function");
            let diagnostic = Diagnostic::error(codes::INCONSISTENT_VARIABLE, name.span, message);
            context.report(diagnostic.also(earlier.span, "declared here before"));
            return true;
        }
        return false;
    };
    let before = context.variable(found.id).clone();
    let text = context.text(name.symbol);
    let external = |v: &Variable| v.linkage == Some(LinkageKind::Extern);
    let same_type = before.ty == now.ty
        && before.vector == now.vector
        && before.elements.is_some() == now.elements.is_some()
        && (before.elements == now.elements || before.elements == Some(0) || now.elements == Some(0));
    let message = if !same_type {
        format!("`{text}` is declared again with another type")
    } else if !external(&before) && !external(now) {
        return false;
    } else if external(&before) && now.linkage.is_none() {
        format!(
            "`{text}` has been declared `.extern`, so its definition needs `.visible`, `.weak` or `.common`"
        )
    } else {
        if external(&before) && !external(now) {
            let id = before.id;
            *context.module.variable_mut(found.id) = Variable { id, ..now.clone() };
        } else if before.elements == Some(0) {
            let kept = context.module.variable_mut(found.id);
            (kept.elements, kept.size, kept.dimensions) = (now.elements, now.size, now.dimensions);
        }
        return true;
    };
    let diagnostic = Diagnostic::error(codes::INCONSISTENT_VARIABLE, name.span, message);
    context.report(diagnostic.also(before.span, "declared here before").section("11.6"));
    true
}

fn no_initializer(context: &mut Context<'_>, declaration: &Declaration, declarator: &Declarator) -> bool {
    if declarator.initializer.is_empty() {
        return true;
    }
    let file = context.file;
    let name = file.text(declarator.name.symbol);
    let external = declaration.linkage.is_some_and(|l| l.kind == LinkageKind::Extern);
    let message = match declaration.space.kind {
        SpaceKind::Global | SpaceKind::Const if external => {
            format!("`{name}` is defined elsewhere, so it has no initial value here")
        }
        SpaceKind::Global | SpaceKind::Const => return true,
        _ => format!("`{name}` cannot have an initial value: only `.global` and `.const` variables have one"),
    };
    let marks = &file[declarator.initializer];
    let span = marks.first().map_or(declarator.span, |m| m.span).to(declarator.span);
    context.report(Diagnostic::error(codes::MISPLACED_INITIALIZER, span, message).section("5.4.4"));
    false
}

/// Checks the initialiser, and gives the number of elements of an array, which may come from it.
fn initialized(
    context: &mut Context<'_>,
    declaration: &Declaration,
    declarator: &Declarator,
    declared: Declared,
    extent: Extent,
) -> Option<u64> {
    let mut elements = match extent {
        Extent::Scalar => None,
        Extent::Array(n) => Some(n),
        Extent::Incomplete(_) => Some(0),
    };
    if !declarator.initializer.is_empty() && no_initializer(context, declaration, declarator) {
        let rows = initializer::check(context, declarator, declared);
        if let (Extent::Incomplete(inner), Some(rows)) = (extent, rows) {
            elements = Some(rows.wrapping_mul(inner));
        }
        return elements;
    }
    let external = declaration.linkage.is_some_and(|l| l.kind == LinkageKind::Extern);
    if matches!(extent, Extent::Incomplete(_)) && !external {
        let name = context.text(declarator.name.symbol);
        let message = format!("the array `{name}` has no size");
        let diagnostic = Diagnostic::error(codes::INCOMPLETE_ARRAY, declarator.span, message)
            .help("only an `.extern` variable, or one with an initialiser, may leave its size open");
        context.report(diagnostic.section("5.4.3"));
    }
    elements
}

/// Checks `.attribute`; true if the variable is managed.
pub fn attributes(context: &mut Context<'_>, declaration: &Declaration, declarator: &Declarator) -> bool {
    let file = context.file;
    let mut managed = false;
    for attribute in &file[declaration.attributes] {
        let word = file.text(attribute.name.symbol);
        managed |= word == "managed";
        let dotted = format!(".{word}");
        context.need(&dotted, &format!("the attribute `{dotted}`"), attribute.span);
        if declaration.space.kind != SpaceKind::Global {
            let name = file.text(declarator.name.symbol);
            let message = format!("`{name}` cannot have the attribute `{dotted}`: it is not in `.global`");
            let diagnostic = Diagnostic::error(codes::ATTRIBUTE, attribute.span, message);
            context.report(diagnostic.section("5.4.8"));
        }
    }
    managed
}

/// Reports a `.param` variable that is aligned too much to be passed.
pub fn parameter_alignment(context: &mut Context<'_>, declaration: &Declaration, declarator: &Declarator) {
    let name = context.text(declarator.name.symbol);
    let message = format!("the parameter `{name}` is aligned to more than 128 bytes");
    let span = declaration.align.map_or(declarator.span, |a| a.span);
    context.report(Diagnostic::error(codes::ALIGNMENT, span, message).section("5.1.6.4"));
}
