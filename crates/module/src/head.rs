//! Checks the module's head: `.version`, `.target`, `.address_size` (manual 11.1), in this order and nowhere else.

use ptxvm_isa::target::Target;
use ptxvm_isa::{Language, Version};
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::{Item, ItemKind, List, Name, Span};

use crate::Options;
use crate::codes;
use crate::context::Context;
use crate::module::TextureMode;

/// The newest version that ptxvm knows.
pub const NEWEST: Version = Version::new(9, 4);

/// The last minor version of each major one, from 1 on.
const MINORS: [u8; 9] = [5, 3, 2, 3, 1, 5, 8, 8, 4];

/// Whether there is such a version.
#[must_use]
pub fn is_version(version: Version) -> bool {
    let minors = version.major.checked_sub(1).and_then(|m| MINORS.get(usize::from(m)));
    minors.is_some_and(|&last| version.minor <= last)
}

/// Checks the head and sets the context's language; gives the number of items that belong to it.
pub fn check(context: &mut Context<'_>, options: &Options) -> usize {
    let items = &context.file.items;
    let mut at = 0;
    match items.first() {
        Some(Item { kind: ItemKind::Version { number }, .. }) => {
            context.module.language.ptx = version(context, *number, options);
            at = 1;
        }
        other => {
            let span = other.map_or(Span::new(0, 0), |item| item.span);
            if !attempted(context, span, ".version") {
                let message = "the file does not begin with `.version`";
                let help = format!("begin it with `.version {NEWEST}`");
                let diagnostic = Diagnostic::error(codes::MISSING_VERSION, span, message);
                context.report(diagnostic.help(help).section("11.1.1"));
            }
            context.module.language.ptx = NEWEST;
        }
    }
    context.language = context.module.language;
    let mut targets = Vec::new();
    while let Some(Item { kind: ItemKind::Target(names), .. }) = items.get(at) {
        target(context, *names, &mut targets);
        at += 1;
    }
    finish_targets(context, &targets, at, options);
    if let Some(Item { kind: ItemKind::AddressSize(value), span }) = items.get(at) {
        address_size(context, *value, *span);
        at += 1;
    }
    // ptxas looks at the targets' versions when the first thing after the head arrives.
    if items.len() > at {
        for &(target, span) in &targets {
            target_version(context, target, span);
        }
    }
    at
}

/// Whether a directive stands before this place that the parser could not read, and has complained about.
fn attempted(context: &Context<'_>, place: Span, word: &str) -> bool {
    let end = if place.end == 0 { context.source.len() } else { place.start as usize };
    context.source.get(..end).is_some_and(|before| before.contains(word))
}

/// Reports a directive of the head that stands elsewhere.
pub fn misplaced(context: &mut Context<'_>, item: &Item, word: &str) {
    let message = format!("`{word}` belongs at the head of the file");
    let help = "a file begins with `.version`, `.target` and `.address_size`, in this order";
    let diagnostic = Diagnostic::error(codes::MISPLACED_HEAD, item.span, message);
    context.report(diagnostic.help(help).section("11.1"));
}

fn version(context: &mut Context<'_>, number: Span, options: &Options) -> Version {
    let text = number.text(context.source);
    let parsed = text.split_once('.').and_then(|(major, minor)| {
        Some(Version::new(major.trim_start_matches('0').parse().ok()?, part(minor)?))
    });
    match parsed {
        // 5.1 never was published; ptxas takes it for 6.0.
        Some(Version { major: 5, minor: 1 }) => Version::new(6, 0),
        Some(version) if is_version(version) => version,
        Some(version) if options.newer && version.major == NEWEST.major && version.minor <= 9 => {
            let message = format!("PTX {text} is newer than {NEWEST}, and is read as PTX {NEWEST}");
            let diagnostic = Diagnostic::warning(codes::NEWER_VERSION, number, message).section("11.1.1");
            context.report(diagnostic);
            NEWEST
        }
        _ => {
            let message = format!("there is no PTX version {text}");
            let diagnostic = Diagnostic::error(codes::UNKNOWN_VERSION, number, message)
                .help(format!("the newest is {NEWEST}"))
                .section("11.1.1");
            context.report(diagnostic);
            NEWEST
        }
    }
}

/// A number with any leading zeros.
fn part(digits: &str) -> Option<u8> {
    let short = digits.trim_start_matches('0');
    if short.is_empty() && !digits.is_empty() { Some(0) } else { short.parse().ok() }
}

/// Reads one `.target` list; the architectures it names are added to `targets`.
fn target(context: &mut Context<'_>, names: List<Name>, targets: &mut Vec<(Target, Span)>) {
    let file = context.file;
    for (place, name) in file[names].iter().enumerate() {
        let text = file.text(name.symbol);
        let first = place == 0 && targets.is_empty();
        if !first && option(context, text, name.span, targets.last().map(|t| t.0)) {
            continue;
        }
        match architecture(context, text) {
            Some(target) => {
                targets.push((target, name.span));
                context.module.language.target = target;
            }
            None => {
                let message = format!("there is no target `{text}`");
                let mut diagnostic =
                    Diagnostic::error(codes::UNKNOWN_TARGET, name.span, message).section("11.1.2");
                if place == 0 {
                    diagnostic = diagnostic.help("the list begins with an architecture such as `sm_90a`");
                }
                context.report(diagnostic);
            }
        }
    }
}

/// The architecture of this name, if ptxas knows it: `sm_90a`, or `compute_90a`, which means the same.
fn architecture(context: &Context<'_>, text: &str) -> Option<Target> {
    let target = match text.strip_prefix("compute_") {
        Some(number) => Target::parse(&format!("sm_{number}"))?,
        None => Target::parse(text)?,
    };
    context.isa.targets.iter().any(|t| t.target == target).then_some(target)
}

/// Reads a word of a `.target` list that is no architecture; false if it is none.
fn option(context: &mut Context<'_>, text: &str, span: Span, target: Option<Target>) -> bool {
    match text {
        "texmode_unified" => texture_mode(context, TextureMode::Unified, text, span),
        "texmode_independent" => texture_mode(context, TextureMode::Independent, text, span),
        "debug" => {
            context.need("debug", "the option `debug`", span);
            context.module.debug = true;
        }
        "map_f64_to_f32" => {
            if target.is_some_and(|t| t.sm >= 13) {
                let message = "`map_f64_to_f32` is for targets before sm_13, which have no doubles";
                let diagnostic = Diagnostic::error(codes::TARGET_OPTION, span, message);
                context.report(diagnostic.section("11.1.2"));
            }
        }
        _ => return false,
    }
    true
}

fn texture_mode(context: &mut Context<'_>, mode: TextureMode, text: &str, span: Span) {
    context.need(text, &format!("the option `{text}`"), span);
    if context.texture_mode_given.is_some_and(|given| given != mode) {
        let message = "a module has one texture mode";
        let diagnostic = Diagnostic::error(codes::TARGET_OPTION, span, message);
        context.report(diagnostic.section("11.1.2"));
    }
    context.texture_mode_given = Some(mode);
    context.module.texture_mode = mode;
}

fn finish_targets(context: &mut Context<'_>, targets: &[(Target, Span)], at: usize, options: &Options) {
    let ptx = context.module.language.ptx;
    if targets.is_empty() {
        let span = context.file.items.get(at).map_or(Span::new(0, 0), |item| item.span);
        if !attempted(context, span, ".target") {
            let message = "`.version` is not followed by `.target`";
            let diagnostic = Diagnostic::error(codes::MISSING_TARGET, span, message)
                .help("write `.target sm_90a` or another architecture in the second line");
            context.report(diagnostic.section("11.1.2"));
        }
        context.module.language.target = Target { sm: 90, suffix: ptxvm_isa::Suffix::Arch };
    }
    let target = options.target.unwrap_or(context.module.language.target);
    context.language = Language { ptx, target };
    context.module.language = context.language;
}

fn target_version(context: &mut Context<'_>, target: Target, span: Span) {
    let ptx = context.language.ptx;
    let Some(entry) = context.isa.targets.iter().find(|t| t.target == target) else { return };
    if ptx < entry.ptx {
        let message = format!("{target} needs PTX {} and later; this module is PTX {ptx}", entry.ptx);
        let diagnostic = Diagnostic::error(codes::TARGET_VERSION, span, message);
        context.report(diagnostic.section("11.1.2"));
    }
}

fn address_size(context: &mut Context<'_>, value: ptxvm_syntax::ast::ExpressionId, span: Span) {
    context.need(".address_size", "`.address_size`", span);
    match context.constant(value).and_then(ptxvm_syntax::Value::integer) {
        Some(size @ (32 | 64)) => context.module.address_size = size as u8,
        Some(size) => {
            let message = format!("an address has 32 or 64 bits, not {size}");
            let span = context.file[value].span;
            let diagnostic = Diagnostic::error(codes::ADDRESS_SIZE, span, message);
            context.report(diagnostic.section("11.1.3"));
        }
        None => {}
    }
}
