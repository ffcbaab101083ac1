//! `vprintf`: C's formatted output, with the arguments packed in a buffer as the compiler packs them.
//!
//! Each argument lies at the next multiple of its size: four bytes for `int`, eight for everything longer, for
//! `double` and for pointers. As with CUDA the answer is the number of arguments, or -1 without a format; at most 32
//! arguments are read, and conversions beyond them or unknown ones are printed as they stand.

use super::format::{self, Conversion, Directive, DirectiveNumber, MOST, Piece};
use super::memory;
use super::site::Site;
use crate::context::Context;
use crate::vector::lanes::Flow;

/// How many arguments CUDA reads.
const MOST_ARGUMENTS: u32 = 32;

pub fn vprintf(site: &Site<'_>, context: &mut Context<'_>) -> Result<(), Flow> {
    let template = site.argument(context, 0);
    if template == 0 {
        site.give(context, u64::from(u32::MAX));
        return Ok(());
    }
    let template = memory::string(context, site.lane, template, MOST)?;
    let buffer = site.argument(context, 1);
    let mut arguments = Arguments { lane: site.lane, at: buffer, count: 0 };
    let mut text = Vec::new();
    for piece in format::pieces(&template) {
        match piece {
            Piece::Text(plain) => format::put(&mut text, plain),
            Piece::Directive(directive) if arguments.count + directive.arguments() > MOST_ARGUMENTS => {
                format::put(&mut text, directive.text);
            }
            Piece::Directive(directive) => convert(directive, &mut arguments, context, &mut text)?,
        }
    }
    context.spend(text.len() as u64)?;
    if !text.is_empty() {
        (context.run.environment.print)(&text);
    }
    site.give(context, u64::from(arguments.count));
    Ok(())
}

/// The arguments that are still to be read.
struct Arguments {
    lane: usize,
    at: u64,
    count: u32,
}

impl Arguments {
    fn next(&mut self, context: &mut Context<'_>, size: u64) -> Result<u64, Flow> {
        let at = self.at.checked_next_multiple_of(size).unwrap_or(self.at);
        let mut bytes = [0; 8];
        memory::read(context, self.lane, at, &mut bytes[..size as usize])?;
        self.at = at.wrapping_add(size);
        self.count += 1;
        Ok(u64::from_le_bytes(bytes))
    }

    fn count(&mut self, context: &mut Context<'_>, count: DirectiveNumber) -> Result<Option<i64>, Flow> {
        Ok(match count {
            DirectiveNumber::None => None,
            DirectiveNumber::Given(number) => Some(number),
            DirectiveNumber::Argument => Some(i64::from(self.next(context, 4)? as i32)),
        })
    }
}

fn convert(
    directive: Directive<'_>,
    arguments: &mut Arguments,
    context: &mut Context<'_>,
    text: &mut Vec<u8>,
) -> Result<(), Flow> {
    let width = arguments.count(context, directive.width)?;
    let precision = arguments.count(context, directive.precision)?;
    let layout = directive.layout(width, precision);
    match directive.conversion {
        Conversion::Signed(size) => {
            let value = size.signed(arguments.next(context, size.bytes())?);
            layout.signed(text, value);
        }
        Conversion::Unsigned(size, radix) => {
            let value = size.unsigned(arguments.next(context, size.bytes())?);
            layout.unsigned(text, value, radix);
        }
        Conversion::Float(style) => {
            let value = f64::from_bits(arguments.next(context, 8)?);
            layout.float(text, value, style);
        }
        Conversion::Character => {
            let value = arguments.next(context, 4)?;
            layout.string(text, &[value as u8], false);
        }
        Conversion::Pointer => {
            let value = arguments.next(context, 8)?;
            layout.pointer(text, value);
        }
        Conversion::String => {
            let address = arguments.next(context, 8)?;
            let most = layout.precision.unwrap_or(MOST).min(MOST);
            let string = match address {
                // As glibc does it: the whole word or nothing.
                0 if most < 6 => Vec::new(),
                0 => b"(null)".to_vec(),
                _ => memory::string(context, arguments.lane, address, most)?,
            };
            layout.string(text, &string, true);
        }
        // The guest may not write through `%n`; its argument is passed over.
        Conversion::Nothing => {
            arguments.next(context, 8)?;
        }
    }
    Ok(())
}
