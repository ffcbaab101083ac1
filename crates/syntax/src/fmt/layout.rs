//! Where lines begin: the part of formatting that needs the tree.

use crate::ast::{DebugItemKind, Declaration, File, Function, Instruction, ItemKind, Section, StatementKind};

/// Something to know at the token that begins at `at`.
pub(super) struct Event {
    pub at: u32,
    pub kind: EventKind,
}

pub(super) enum EventKind {
    /// The token begins a line with so many tabs.
    Line { indent: usize },
    /// A blank comes before the token.
    Space,
    /// An instruction begins or has ended.
    Instruction(bool),
    /// An initialiser begins or has ended.
    KeepBreaks(bool),
}

/// The events of a file in source order.
pub(super) fn events(file: &File) -> Vec<Event> {
    let mut events = Vec::new();
    for item in &file.items {
        line(&mut events, item.span.start, 0);
        match item.kind {
            ItemKind::Variable(id) => declaration(&mut events, file, &file[id]),
            ItemKind::Function(id) => function(&mut events, file, &file[id]),
            ItemKind::Section(id) => section(&mut events, file, &file[id]),
            _ => {}
        }
    }
    events.sort_by_key(|event| event.at);
    events
}

fn line(events: &mut Vec<Event>, at: u32, indent: usize) {
    events.push(Event::new(at, EventKind::Line { indent }));
}

fn declaration(events: &mut Vec<Event>, file: &File, declaration: &Declaration) {
    for declarator in &file[declaration.declarators] {
        if let [first, .., last] = &file[declarator.initializer] {
            events.push(Event::new(first.span.end, EventKind::KeepBreaks(true)));
            events.push(Event::new(last.span.end, EventKind::KeepBreaks(false)));
        }
    }
}

fn function(events: &mut Vec<Event>, file: &File, function: &Function) {
    let Some(body) = function.body else { return };
    if let Some(parameters) = function.parameters
        && !parameters.list.is_empty()
    {
        for parameter in &file[parameters.list] {
            line(events, parameter.span.start, 1);
        }
        line(events, parameters.span.end - 1, 0);
    }
    for directive in &file[function.directives] {
        line(events, directive.span.start, 0);
    }
    line(events, body.span.start, 0);
    let mut depth = 1;
    for statement in &file[body.statements] {
        let start = statement.span.start;
        match statement.kind {
            StatementKind::Label(_) | StatementKind::Targets(_) | StatementKind::Prototype(_) => {
                line(events, start, 0);
            }
            StatementKind::Open { .. } => {
                line(events, start, depth);
                depth += 1;
            }
            StatementKind::Close => {
                depth -= 1;
                line(events, start, depth);
            }
            StatementKind::Instruction(id) => {
                line(events, start, depth);
                instruction(events, file, &file[id]);
            }
            StatementKind::Variable(id) => {
                line(events, start, depth);
                declaration(events, file, &file[id]);
            }
            StatementKind::Directive(_) | StatementKind::Loc(_) | StatementKind::Function(_) => {
                line(events, start, depth);
            }
        }
    }
    line(events, body.span.end - 1, 0);
}

fn instruction(events: &mut Vec<Event>, file: &File, instruction: &Instruction) {
    events.push(Event::new(instruction.span.start, EventKind::Instruction(true)));
    if let Some(operand) = file[instruction.operands].first() {
        events.push(Event::new(operand.span.start, EventKind::Space));
    }
    events.push(Event::new(instruction.span.end, EventKind::Instruction(false)));
}

fn section(events: &mut Vec<Event>, file: &File, section: &Section) {
    // The brace is the token after the name.
    events.push(Event::new(section.name.span.end, EventKind::Line { indent: 0 }));
    for item in &file[section.items] {
        match item.kind {
            DebugItemKind::Label(_) => line(events, item.span.start, 0),
            DebugItemKind::Data(_) => line(events, item.span.start, 1),
            _ => {}
        }
    }
    line(events, section.span.end - 1, 0);
}
