//! The locations of a kernel's variables: each range of bytes that an instruction accesses is one. Ranges that overlap in
//! part are refused, since the axioms do not speak of mixed sizes (8.7.2).

use ptxvm_ir::{Program, Space, VariableId};
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::Span;

use super::header::ThreadPlace;
use super::unsupported::unsupported;
use crate::herd::{Builder, Named};

/// A range of bytes of a variable; of shared memory each CTA has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    variable: VariableId,
    cta: Option<u32>,
    offset: i64,
    bytes: i64,
}

/// The ranges that are known, each with its address in the test.
#[derive(Default)]
pub struct Memory {
    ranges: Vec<(Range, usize)>,
}

impl Memory {
    /// The address of a range of bytes.
    pub fn address(
        &mut self,
        program: &Program,
        place: &ThreadPlace,
        (variable, offset): (VariableId, i64),
        bytes: i64,
        span: Span,
        builder: &mut Builder,
    ) -> Result<usize, Box<Diagnostic>> {
        let Some(about) = program.variables.get(variable.0 as usize) else {
            return Err(unsupported(span, "this variable is not known"));
        };
        let cta = match about.space {
            Space::Global => None,
            Space::Shared => Some(place.cta),
            _ => return Err(unsupported(span, "threads share only global and shared variables")),
        };
        let inside = u64::try_from(offset).is_ok_and(|offset| offset + bytes as u64 <= about.size);
        if !inside {
            return Err(unsupported(span, format!("this access is out of bounds of `{}`", about.name)));
        }
        let range = Range { variable, cta, offset, bytes };
        if let Some((_, address)) = self.ranges.iter().find(|(known, _)| *known == range) {
            return Ok(*address);
        }
        let overlaps = |known: &Range| {
            (known.variable, known.cta) == (variable, cta)
                && known.offset < offset + bytes
                && offset < known.offset + known.bytes
        };
        if self.ranges.iter().any(|(known, _)| overlaps(known)) {
            return Err(unsupported(span, "this access overlaps another of a different size"));
        }
        let mut name = about.name.clone();
        if let Some(cta) = cta.filter(|_| place.launch.grid > 1) {
            name = format!("{name}_cta{cta}");
        }
        if about.size > bytes as u64 {
            name = format!("{name}[{}]", offset / bytes);
        }
        let start = offset as usize;
        let stored = |byte: usize| about.initial.get(start + byte).copied().unwrap_or(0);
        let initial =
            (0..bytes as usize).rev().fold(0_i64, |value, byte| value << 8 | i64::from(stored(byte)));
        let name = Named { text: name, span };
        builder.declare(&name, initial)?;
        let address = builder.address(&name)?;
        self.ranges.push((range, address));
        Ok(address)
    }
}
