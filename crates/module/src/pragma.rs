//! Checks `.pragma` strings (manual 12). Those that ptxas knows have a place and arguments; unknown ones are allowed inside
//! functions and refused at module level.

use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::{Argument, Directive, FunctionKind, Span};

use crate::codes;
use crate::context::Context;

/// Where a `.pragma` stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PragmaPlace {
    /// At module level.
    Module,
    /// Between a kernel's parameters and its body.
    Entry,
    /// Among the statements of a body.
    Body,
}

/// Checks each string of a `.pragma`.
pub fn check(context: &mut Context<'_>, directive: &Directive, level: PragmaPlace) {
    context.need(".pragma", "`.pragma`", directive.span);
    let file = context.file;
    for argument in &file[directive.arguments] {
        if let Argument::Text(text) = argument {
            let string = file.string(*text, context.source);
            one(context, string, text.span, level);
        }
    }
}

/// The strings that only a body may have; what follows is their argument.
const OF_BODIES: [&str; 4] = ["used_bytes_mask", "enable_smem_spilling", "frequency", "mma_throughput"];

fn one(context: &mut Context<'_>, string: &str, span: Span, level: PragmaPlace) {
    let known = OF_BODIES.iter().find_map(|word| Some((*word, string.strip_prefix(word)?)));
    let Some((word, argument)) = known else {
        if level == PragmaPlace::Module && string != "nounroll" {
            let message = format!("there is no pragma \"{string}\" for a whole module");
            let diagnostic = Diagnostic::error(codes::PRAGMA, span, message);
            context.report(diagnostic.help("a module may say \"nounroll\"").section("12"));
        }
        return;
    };
    if word == "enable_smem_spilling" && !argument.is_empty() {
        return;
    }
    context.need(word, &format!("the pragma \"{word}\""), span);
    let kernel = context.function.is_some_and(|f| context.function(f).kind == FunctionKind::Entry);
    let message = if level != PragmaPlace::Body {
        format!("the pragma \"{word}\" belongs inside a function's body")
    } else if word == "mma_throughput" {
        return;
    } else if word == "enable_smem_spilling" {
        if kernel {
            return;
        }
        format!("the pragma \"{word}\" is for kernels")
    } else {
        match number(argument.trim_start()) {
            Some(value) if word == "used_bytes_mask" || value > 0 => return,
            _ => format!("the pragma \"{word}\" needs a number"),
        }
    };
    context.report(Diagnostic::error(codes::PRAGMA, span, message).section("12"));
}

/// The sign of a number as C's strtol reads it, with nothing after it; `None` if it is none.
fn number(text: &str) -> Option<i8> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let (digits, radix) = match hex {
        Some(hex) => (hex, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    let number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    let zero = digits.bytes().all(|b| b == b'0');
    number.then_some(if zero { 0 } else { sign })
}
