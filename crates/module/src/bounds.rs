//! Checks the directives between a function's signature and its body (manual 11.4, 11.7, 11.8): their values, and which
//! exclude each other.

use ptxvm_isa::Version;
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::{Argument, Directive, List, Span};

use crate::codes;
use crate::context::Context;
use crate::module::Signature;
use crate::pragma::{self, PragmaPlace};

/// The most control registers that a function can keep for its callers, on every target.
const MOST_CONTROL_REGISTERS: u32 = 11;

/// Checks the directives of a kernel.
pub fn entry(context: &mut Context<'_>, directives: List<Directive>) {
    let file = context.file;
    let mut seen = Seen::default();
    for directive in &file[directives] {
        let word = file.text(directive.name.symbol);
        if word == "pragma" {
            pragma::check(context, directive, PragmaPlace::Entry);
            continue;
        }
        let dotted = format!(".{word}");
        context.need(&dotted, &format!("`{dotted}`"), directive.span);
        if word == "language" {
            languages(context, directive);
            continue;
        }
        let values = values(context, directive);
        match word {
            "maxnctapersm" if context.language.ptx >= Version::new(2, 1) => {
                let message = "`.maxnctapersm` ended with PTX 2.0";
                let diagnostic = Diagnostic::error(codes::GONE, directive.span, message);
                context.report(diagnostic.help("write `.minnctapersm`").section("11.4.5"));
            }
            "maxnreg" | "local_maxnreg" | "minnctapersm" | "maxnctapersm" => {
                positive(context, directive, &dotted, &values)
            }
            "maxntid" => {
                positive(context, directive, &dotted, &values);
                seen.maxntid = Some(directive.span);
            }
            "reqntid" => {
                positive(context, directive, &dotted, &values);
                seen.reqntid = Some(directive.span);
            }
            "reqnctapercluster" => {
                seen.reqnctapercluster = Some(directive.span);
                seen.cluster_given = values.iter().all(|&value| value != 0);
            }
            "maxclusterrank" => seen.maxclusterrank = Some(directive.span),
            "blocksareclusters" => seen.blocksareclusters = Some(directive.span),
            _ => {}
        }
    }
    seen.together(context);
}

/// The directives of a kernel that bear on each other.
#[derive(Default)]
struct Seen {
    maxntid: Option<Span>,
    reqntid: Option<Span>,
    reqnctapercluster: Option<Span>,
    /// Whether the extents of the cluster are numbers other than 0.
    cluster_given: bool,
    maxclusterrank: Option<Span>,
    blocksareclusters: Option<Span>,
}

impl Seen {
    fn together(&self, context: &mut Context<'_>) {
        if let (Some(a), Some(b)) = (self.maxntid, self.reqntid) {
            exclude(context, a, b, "`.maxntid` and `.reqntid` exclude each other", "11.4.3");
        }
        if let (Some(a), Some(b)) = (self.maxclusterrank, self.reqnctapercluster) {
            exclude(context, a, b, "`.maxclusterrank` and `.reqnctapercluster` exclude each other", "11.7.3");
        }
        let complete = self.reqntid.is_some() && self.reqnctapercluster.is_some() && self.cluster_given;
        if let Some(span) = self.blocksareclusters
            && !complete
        {
            let message = "`.blocksareclusters` needs `.reqntid` and `.reqnctapercluster`";
            let diagnostic = Diagnostic::error(codes::REQUIRED_DIRECTIVE, span, message);
            context.report(diagnostic.section("11.8.1"));
        }
    }
}

fn exclude(context: &mut Context<'_>, a: Span, b: Span, message: &str, section: &'static str) {
    let (first, second) = if a.start < b.start { (a, b) } else { (b, a) };
    let diagnostic = Diagnostic::error(codes::CONFLICTING_DIRECTIVES, second, message);
    context.report(diagnostic.also(first, "the other is here").section(section));
}

/// Checks the directives of a device function or prototype and keeps them in its signature.
pub fn func(context: &mut Context<'_>, directives: List<Directive>, signature: &mut Signature) {
    let file = context.file;
    for directive in &file[directives] {
        let word = file.text(directive.name.symbol);
        let dotted = format!(".{word}");
        context.need(&dotted, &format!("`{dotted}`"), directive.span);
        if word == "language" {
            languages(context, directive);
            continue;
        }
        let values = values(context, directive);
        let value = values.first().copied();
        let kept = match word {
            "noreturn" => {
                if !signature.returns.is_empty() {
                    let message = "a function with return parameters returns, it cannot be `.noreturn`";
                    let diagnostic = Diagnostic::error(codes::NORETURN, directive.span, message);
                    context.report(diagnostic.section("11.4.6"));
                }
                signature.noreturn = true;
                continue;
            }
            "local_maxnreg" => {
                positive(context, directive, &dotted, &values);
                continue;
            }
            "abi_preserve" => &mut signature.preserve,
            "abi_preserve_control" => {
                if value.is_some_and(|value| value > MOST_CONTROL_REGISTERS) {
                    let message =
                        format!("a function keeps at most {MOST_CONTROL_REGISTERS} control registers");
                    let diagnostic = Diagnostic::error(codes::DIRECTIVE_VALUE, directive.span, message);
                    context.report(diagnostic.section("11.4.9"));
                }
                &mut signature.preserve_control
            }
            _ => continue,
        };
        if kept.is_some() {
            let message = format!("`{dotted}` is given twice");
            context.report(Diagnostic::error(codes::REPEATED_DIRECTIVE, directive.span, message));
        }
        *kept = value.or(*kept);
    }
}

/// The names that `.language` knows, in any case of letters. Each has a number too, up to [`LAST_LANGUAGE`].
const LANGUAGES: [&str; 9] =
    ["unknown", "ptx", "nvvm", "cuda c++", "cuda c++ tile", "tile ir", "python-cutile", "fortran", "optix"];
const LAST_LANGUAGE: u32 = 10;

fn languages(context: &mut Context<'_>, directive: &Directive) {
    let file = context.file;
    for argument in &file[directive.arguments] {
        let wrong = match argument {
            Argument::Text(text) => {
                let name = file.string(*text, context.source);
                let known = LANGUAGES.iter().any(|known| known.eq_ignore_ascii_case(name));
                (!known).then(|| (text.span, format!("there is no language \"{name}\"")))
            }
            Argument::Expression(id) => {
                let number = context.small_integer(*id).filter(|&number| number > LAST_LANGUAGE);
                number.map(|number| (directive.span, format!("there is no language of the number {number}")))
            }
        };
        if let Some((span, message)) = wrong {
            let diagnostic = Diagnostic::error(codes::DIRECTIVE_VALUE, span, message);
            let help = format!("the names are {}, the numbers 0 to {LAST_LANGUAGE}", LANGUAGES.join(", "));
            context.report(diagnostic.help(help).section("9.4:11.8.2"));
        }
    }
}

fn values(context: &mut Context<'_>, directive: &Directive) -> Vec<u32> {
    let file = context.file;
    file[directive.arguments]
        .iter()
        .filter_map(|argument| match argument {
            Argument::Expression(id) => context.small_integer(*id),
            Argument::Text(_) => None,
        })
        .collect()
}

fn positive(context: &mut Context<'_>, directive: &Directive, word: &str, values: &[u32]) {
    if values.contains(&0) {
        let message = format!("the numbers of `{word}` are greater than 0");
        let section = context.isa.directives.iter().find(|d| d.name == word).map_or("11.4", |d| d.section);
        let diagnostic = Diagnostic::error(codes::DIRECTIVE_VALUE, directive.span, message);
        context.report(diagnostic.section(section));
    }
}
