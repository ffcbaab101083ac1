//! Walks through a function's body: opens scopes for its blocks, collects labels, and resolves the names of each
//! instruction.

use ptxvm_isa::Type;
use ptxvm_isa::target::describe_need;
use ptxvm_syntax::ast::{
    ExpressionId, Guard, Instruction, InstructionId, List, Name, Operand, OperandKind, PrototypeId,
    SpaceKind, Span, Statement, StatementKind, Symbol, TargetListId, TargetListKind,
};
use ptxvm_syntax::{Diagnostic, ERROR_LIMIT};

use crate::context::Context;
use crate::declared::Place;
use crate::entity::{Entity, FunctionId, LabelId, Role};
use crate::module::{Signature, Use};
use crate::parameter::{self, Direction, Header};
use crate::pragma::{self, PragmaPlace};
use crate::{bounds, call, codes, debug, declaration, function, instruction};

/// Walks the statements of a body, whose scope is open.
pub fn walk(context: &mut Context<'_>, statements: List<Statement>) {
    let file = context.file;
    let mut blocks = 0u32;
    announce(context, statements.range());
    for at in statements.range() {
        if context.diagnostics.len() > ERROR_LIMIT {
            break;
        }
        let statement = &file.statements[at];
        match statement.kind {
            StatementKind::Instruction(id) => check_instruction(context, id),
            StatementKind::Label(symbol) => {
                label(context, symbol, statement.span, Entity::Label(LabelId(at as u32)));
            }
            StatementKind::Variable(id) => declaration::check(context, &file[id], Place::Body),
            StatementKind::Open { close } => {
                blocks += 1;
                context.scopes.enter();
                announce(context, at + 1..(close.0 as usize).max(at + 1));
            }
            StatementKind::Close => {
                if blocks > 0 {
                    blocks -= 1;
                    context.scopes.leave();
                }
            }
            StatementKind::Targets(id) => targets(context, id),
            StatementKind::Prototype(id) => prototype(context, id),
            StatementKind::Directive(id) => {
                let directive = &file[id];
                if file.text(directive.name.symbol) == "loc_intermediate" {
                    context.need(".loc_intermediate", "`.loc_intermediate`", directive.span);
                } else {
                    pragma::check(context, directive, PragmaPlace::Body);
                }
            }
            StatementKind::Loc(id) => debug::location(context, &file[id]),
            StatementKind::Function(id) => function::check(context, id),
        }
    }
    for _ in 0..blocks {
        context.scopes.leave();
    }
}

/// Makes the labels of a block known, those of the blocks inside it left out.
fn announce(context: &mut Context<'_>, range: std::ops::Range<usize>) {
    let file = context.file;
    let mut at = range.start;
    while at < range.end {
        match file.statements[at].kind {
            StatementKind::Label(symbol) => context.scopes.announce_label(symbol, LabelId(at as u32)),
            StatementKind::Open { close } => at = at.max(close.0 as usize),
            _ => {}
        }
        at += 1;
    }
}

fn label(context: &mut Context<'_>, symbol: Symbol, span: Span, entity: Entity) {
    let span = Span::new(span.start, span.start + context.text(symbol).len() as u32);
    if let Err(clash) = context.scopes.declare_label(symbol, entity, span) {
        declaration::duplicate(context, Name { symbol, span }, clash.0);
    }
}

fn check_instruction(context: &mut Context<'_>, id: InstructionId) {
    let file = context.file;
    let found = &file[id];
    if let Some(guard) = found.guard {
        check_guard(context, id, guard);
    }
    let complete = resolve(context, found.operands);
    if let Some(guard) = found.guard {
        guarded_parameter(context, found, guard);
    }
    if Some(found.opcode.symbol) == context.call {
        call::check(context, found, complete);
    }
    if let Some(form) = instruction::check(found, context) {
        context.module.rows[id.0 as usize] = form.row;
        context.module.lists[id.0 as usize] = form.list;
    }
}

fn check_guard(context: &mut Context<'_>, instruction: InstructionId, guard: Guard) {
    let entity = name(context, guard.name.symbol, guard.name.span);
    if let Some(entity) = entity {
        context.module.guards.push((instruction.0, Use::pack(entity)));
    }
    match entity {
        Some(Entity::Register(register)) if register.ty == Type::Pred && register.vector == 1 => {}
        Some(Entity::Special(sreg)) if context.isa.sregs[usize::from(sreg)].ty == Type::Pred => {}
        None => {}
        Some(_) => {
            let text = context.text(guard.name.symbol);
            let message = format!("a guard is a predicate register, `{text}` is not");
            let diagnostic = Diagnostic::error(codes::GUARD, guard.name.span, message)
                .help("declare it with `.reg .pred`");
            context.report(diagnostic.section("4.3.2"));
        }
    }
}

/// The arguments and results of a call are written and read by all threads that make it, so that no guard may stand
/// before the `st` or `ld` (or a prefetch of them); the function's own parameters have no such rule.
fn guarded_parameter(context: &mut Context<'_>, instruction: &Instruction, guard: Guard) {
    let file = context.file;
    let opcode = file.text(instruction.opcode.symbol);
    let of_call = |operand: &Operand| match operand.kind {
        OperandKind::Name(name) | OperandKind::Offset { name, .. } | OperandKind::Index { name, .. } => {
            match context.lookup(name) {
                Some(Entity::Variable(v)) if v.space == SpaceKind::Param && v.role == Role::Plain => {
                    Some(name)
                }
                _ => None,
            }
        }
        _ => None,
    };
    let found = file[instruction.operands].iter().find_map(|operand| match operand.kind {
        OperandKind::Address(items) => file[items].first().and_then(of_call),
        _ => of_call(operand),
    });
    let Some(name) = found else { return };
    let message = format!("`{opcode}` of the call's parameter `{}` cannot be guarded", file.text(name));
    let diagnostic = Diagnostic::error(codes::GUARDED_PARAMETER, guard.name.span, message)
        .help("guard the call too, with a branch around all of it");
    context.report(diagnostic.section("5.1.6.2"));
}

/// Resolves each name in the operands; false if one means nothing.
fn resolve(context: &mut Context<'_>, operands: List<Operand>) -> bool {
    let mut complete = true;
    for at in operands.range() {
        complete &= resolve_operand(context, at);
    }
    complete
}

#[inline]
fn resolve_operand(context: &mut Context<'_>, at: usize) -> bool {
    let operand = &context.file.operands[at];
    let symbol = match operand.kind {
        OperandKind::Name(symbol)
        | OperandKind::Member { name: symbol, .. }
        | OperandKind::Offset { name: symbol, .. } => symbol,
        OperandKind::Index { name: symbol, index } => {
            if !resolve_operand(context, index.0 as usize) {
                return false;
            }
            symbol
        }
        OperandKind::Sink | OperandKind::Constant(_) => return true,
        OperandKind::Not(inner) | OperandKind::Negate(inner) | OperandKind::Unified(inner) => {
            return resolve_operand(context, inner.0 as usize);
        }
        OperandKind::Pair(list)
        | OperandKind::Vector(list)
        | OperandKind::Address(list)
        | OperandKind::Group(list) => return resolve(context, list),
    };
    let span = operand.span;
    match name(context, symbol, span) {
        Some(entity) => {
            context.module.uses[at] = Use::pack(entity);
            true
        }
        None => false,
    }
}

/// What a name means; reports one that means nothing, or a special register that the module cannot have.
#[inline]
fn name(context: &mut Context<'_>, symbol: Symbol, span: Span) -> Option<Entity> {
    let entity = context.scopes.resolve(symbol, &context.file.interner);
    match entity {
        Some(Entity::Special(index)) => special(context, index, span),
        None => unknown(context, symbol, span),
        Some(_) => {}
    }
    entity
}

fn special(context: &mut Context<'_>, index: u16, span: Span) {
    let sreg = &context.isa.sregs[usize::from(index)];
    if !context.language.meets(sreg.need) {
        let need = describe_need(sreg.need);
        context.lack(&format!("`{}`", sreg.name), need, span, sreg.section);
    }
    if sreg.name.starts_with("%perctamemory") && context.lacks_memory {
        let message = format!("`{}` is only in kernels with `.minperctamemory`", sreg.name);
        let diagnostic = Diagnostic::error(codes::REQUIRED_DIRECTIVE, span, message);
        context.report(diagnostic.section(sreg.section));
    }
}

#[cold]
fn unknown(context: &mut Context<'_>, symbol: Symbol, span: Span) {
    let text = context.text(symbol);
    let span = Span::new(span.start, span.start + text.len() as u32);
    let message = format!("`{text}` is not declared here");
    let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, span, message).section("4.4");
    if let Some((count, declared)) = context.scopes.range_near(symbol, &context.file.interner) {
        diagnostic = diagnostic.also(declared, format!("this declares the numbers below {count}"));
    } else if text.starts_with('%') {
        diagnostic = diagnostic.help("declare it with `.reg` before its first use");
    }
    context.report(diagnostic);
}

/// `name: .branchtargets …` and `name: .calltargets …`
fn targets(context: &mut Context<'_>, id: TargetListId) {
    let file = context.file;
    let list = &file[id];
    let (word, what) = match list.kind {
        TargetListKind::Branch => (".branchtargets", "a label"),
        TargetListKind::Call => (".calltargets", "a function"),
    };
    context.need(word, &format!("`{word}`"), list.span);
    for (at, target) in list.targets.range().zip(&file[list.targets]) {
        // ptxas does not look up a list's own name in it.
        if target.name.symbol == list.label.symbol {
            continue;
        }
        match target.count {
            None => {
                if let Some(entity) = target_name(context, target.name, id, what) {
                    context.module.target_uses[at] = Use::pack(entity);
                }
            }
            Some(count) => target_range(context, target.name, count, id, what),
        }
    }
    label(context, list.label.symbol, list.label.span, Entity::Targets(id));
}

/// `name<N>` in a list of targets. A range that has been looked up in this function is not looked up again, so that
/// many lists of many labels take no more time than their text.
fn target_range(
    context: &mut Context<'_>,
    prefix: Name,
    count: ExpressionId,
    list: TargetListId,
    what: &str,
) {
    let file = context.file;
    let Some(count) = context.small_integer(count) else { return };
    let known = context.target_ranges.get(&prefix.symbol).copied().unwrap_or(0);
    for number in known..count {
        let member = format!("{}{number}", file.text(prefix.symbol));
        let Some(symbol) = file.interner.get(&member) else {
            let message = format!("`{member}` is not declared here");
            let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, prefix.span, message);
            context.report(diagnostic.section("11.3.1"));
            return;
        };
        let entity = target_name(context, Name { symbol, span: prefix.span }, list, what);
        if let (Some(function), Some(entity)) = (context.function, entity) {
            let members = context.module.target_members.entry((function, prefix.symbol)).or_default();
            members.push(Use::pack(entity));
        }
    }
    context.target_ranges.insert(prefix.symbol, count.max(known));
}

/// More signatures than any real list has; what lies beyond is not compared with calls.
const MOST_SIGNATURES: usize = 16;

/// What a name in a list of targets stands for; reports one that cannot stand there.
fn target_name(context: &mut Context<'_>, name: Name, list: TargetListId, what: &str) -> Option<Entity> {
    let text = context.text(name.symbol);
    let kind = context.file[list].kind;
    let entity = context.scopes.resolve(name.symbol, &context.file.interner);
    let (code, message) = match (entity, kind) {
        (Some(Entity::Label(_)), TargetListKind::Branch) => return entity,
        (Some(Entity::Function(function)), TargetListKind::Call) => {
            let known = &context.module.call_lists[list.0 as usize];
            let signature = &context.function(function).signature;
            let same = |f: &FunctionId| {
                function::signatures_differ(&context.function(*f).signature, signature).is_none()
            };
            if known.len() < MOST_SIGNATURES && !known.iter().any(same) {
                context.module.call_lists[list.0 as usize].push(function);
            }
            return entity;
        }
        (None, _) => (codes::UNKNOWN_NAME, format!("`{text}` is not declared here")),
        (Some(_), _) => (codes::TARGET_LIST, format!("{what} is expected here, `{text}` is not one")),
    };
    context.report(Diagnostic::error(code, name.span, message).section("11.3"));
    None
}

/// `name: .callprototype …`
fn prototype(context: &mut Context<'_>, id: PrototypeId) {
    let file = context.file;
    let found = &file[id];
    context.need(".callprototype", "`.callprototype`", found.span);
    let mut signature = Signature {
        returns: parameter::list(
            context,
            found.returns,
            Place::Prototype,
            Header::Declares,
            Direction::Return,
        ),
        parameters: parameter::list(
            context,
            found.parameters,
            Place::Prototype,
            Header::Declares,
            Direction::Input,
        ),
        ..Signature::default()
    };
    bounds::func(context, found.directives, &mut signature);
    context.module.prototypes[id.0 as usize] = signature;
    label(context, found.label.symbol, found.label.span, Entity::Prototype(id));
}
