//! Checks the debugging directives `.file`, `.loc`, `.section` and `@@DWARF` (manual 11.5).

use ptxvm_isa::Version;
use ptxvm_syntax::ast::{
    Argument, DebugItem, DebugItemKind, Directive, ExpressionId, ExpressionKind, File, List, Loc, Name,
    Position, Section, Span, Symbol, UnaryOp,
};
use ptxvm_syntax::{Diagnostic, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes;
use crate::context::Context;

/// What the debugging directives have said so far.
#[derive(Debug, Default)]
pub struct Debug {
    /// The numbers that `.file` has given, and where.
    files: FxHashMap<u32, Span>,
    /// Whether any `.loc` says `inlined_at`; only then positions are kept.
    inlined: bool,
    positions: FxHashSet<(u32, u32, u32)>,
    /// Labels in sections, and the names of sections.
    labels: FxHashMap<Symbol, Span>,
    sections: FxHashSet<Symbol>,
    /// The labels that `function_name` has used.
    used: Vec<Name>,
}

impl Debug {
    /// Nothing has been said yet.
    #[must_use]
    pub fn new(file: &File) -> Self {
        Self { inlined: file.locs.iter().any(|loc| loc.inlined_at.is_some()), ..Self::default() }
    }
}

/// `.file 1 "a.cu", time, size`
pub fn file(context: &mut Context<'_>, directive: &Directive) {
    let file = context.file;
    let mut numbers = file[directive.arguments].iter().filter_map(|argument| match argument {
        Argument::Expression(id) => Some(*id),
        Argument::Text(_) => None,
    });
    let Some(index) = numbers.next().and_then(|id| context.small_integer(id)) else { return };
    if let Some(id) = numbers.next()
        && context.language.ptx < Version::new(3, 2)
    {
        let span = file[id].span;
        context.lack("the time and size of a file", "PTX 3.2".into(), span, "11.5.3");
    }
    if let Some(earlier) = context.debug.files.insert(index, directive.span) {
        let message = format!("the file number {index} is given twice");
        let diagnostic = Diagnostic::error(codes::REPEATED_FILE, directive.span, message);
        context.report(diagnostic.also(earlier, "given here before").section("11.5.3"));
    }
}

/// `.loc 1 2 3, function_name L, inlined_at 1 2 3`
pub fn location(context: &mut Context<'_>, loc: &Loc) {
    let position = position(context, loc.position);
    if let Some(name) = loc.function_name {
        if context.language.ptx < Version::new(7, 0) {
            context.lack("`function_name`", "PTX 7.0".into(), loc.span, "11.5.4");
        }
        context.debug.used.push(name.label);
        if let Some(offset) = name.offset {
            context.constant(offset);
        }
    }
    if let Some(inlined) = loc.inlined_at
        && let Some(at) = self::position(context, inlined)
        && !context.debug.positions.contains(&at)
    {
        let (file, line, column) = at;
        let message = format!("no `.loc {file} {line} {column}` stands before this one");
        let help = "the place that a function is inlined at must have had a `.loc` of its own";
        let diagnostic = Diagnostic::error(codes::LOCATION, loc.span, message).help(help);
        context.report(diagnostic.section("11.5.4"));
    }
    if let Some(position) = position
        && context.debug.inlined
    {
        context.debug.positions.insert(position);
    }
}

fn position(context: &mut Context<'_>, position: Position) -> Option<(u32, u32, u32)> {
    Some((
        context.small_integer(position.file)?,
        context.small_integer(position.line)?,
        context.small_integer(position.column)?,
    ))
}

/// `.section .debug_info { … }`
pub fn section(context: &mut Context<'_>, section: &Section) {
    context.need(".section", "`.section`", section.name.span);
    context.debug.sections.insert(section.name.symbol);
    data(context, section.items);
}

fn data(context: &mut Context<'_>, items: List<DebugItem>) {
    let file = context.file;
    let mut bits = 64;
    let mut told = false;
    for item in &file[items] {
        match item.kind {
            DebugItemKind::Data(word) => {
                bits = match file.text(word) {
                    "b8" => 8,
                    "b16" => 16,
                    "b32" => 32,
                    _ => 64,
                }
            }
            DebugItemKind::Integer(value) => {
                if bits < 32 && value >> bits != 0 {
                    out_of_range(context, item.span, bits);
                }
            }
            DebugItemKind::Expression(id) => integer(context, id, item.span, bits, &mut told),
            DebugItemKind::Label(symbol) => {
                old(context, "a label in a section", (7, 0), item.span, &mut told);
                if let Some(earlier) = context.debug.labels.insert(symbol, item.span) {
                    let text = file.text(symbol);
                    let message = format!("the label `{text}` stands twice in the sections");
                    let diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, item.span, message);
                    context.report(diagnostic.also(earlier, "declared here before").section("11.5.2"));
                }
            }
            DebugItemKind::Name(_) => {
                if bits < 32 {
                    let message = "an address has 32 or 64 bits";
                    let diagnostic = Diagnostic::error(codes::SECTION, item.span, message);
                    context.report(diagnostic.help("write `.b32` or `.b64`").section("11.5.2"));
                }
            }
            DebugItemKind::Offset(_) => {
                old(context, "an offset to a label", (3, 2), item.span, &mut told);
            }
            DebugItemKind::Minus(_) => {
                old(context, "a difference of labels", (7, 5), item.span, &mut told);
            }
        }
    }
}

/// Reports once for a section that the version is too old for something in it.
fn old(context: &mut Context<'_>, what: &str, need: (u8, u8), span: Span, told: &mut bool) {
    let need = Version::new(need.0, need.1);
    if context.language.ptx < need && !*told {
        *told = true;
        context.lack(what, format!("PTX {need}"), span, "11.5.2");
    }
}

fn integer(context: &mut Context<'_>, id: ExpressionId, span: Span, bits: u32, told: &mut bool) {
    let negative = matches!(context.file[id].kind, ExpressionKind::Unary { op: UnaryOp::Minus, .. });
    let Some(value) = context.constant(id).and_then(Value::integer) else { return };
    let fits = if negative {
        old(context, "a negative number in a section", (7, 5), span, told);
        bits == 64 || (value as i64) >= -(1 << (bits - 1))
    } else {
        bits >= 32 || value >> bits == 0
    };
    if !fits {
        out_of_range(context, span, bits);
    }
}

fn out_of_range(context: &mut Context<'_>, span: Span, bits: u32) {
    let message = format!("this does not fit in {bits} bits");
    context.report(Diagnostic::error(codes::SECTION, span, message).section("11.5.2"));
}

/// `@@DWARF …`
pub fn dwarf(context: &mut Context<'_>, span: Span) {
    if context.language.ptx >= Version::new(2, 0) {
        let diagnostic = Diagnostic::error(codes::GONE, span, "`@@DWARF` ended with PTX 1.5");
        context.report(diagnostic.help("write a `.section`").section("11.5.1"));
    } else {
        context.need("@@DWARF", "`@@DWARF`", span);
    }
}

/// What can be said only when the whole file has been seen.
pub fn finish(context: &mut Context<'_>) {
    for name in std::mem::take(&mut context.debug.used) {
        let known =
            context.debug.labels.contains_key(&name.symbol) || context.debug.sections.contains(&name.symbol);
        if !known {
            let text = context.text(name.symbol);
            let message = format!("no section has a label `{text}`");
            let diagnostic = Diagnostic::error(codes::LOCATION, name.span, message);
            context.report(diagnostic.section("11.5.4"));
        }
    }
    if context.module.debug && context.debug.sections.is_empty() {
        let span = context.file.items.get(1).map_or(Span::default(), |item| item.span);
        let message = "the target says `debug`, but the file has no `.section`";
        context.report(Diagnostic::error(codes::MISSING_DEBUG, span, message).section("11.1.2"));
    }
}
