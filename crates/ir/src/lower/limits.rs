//! The directives of an entry that bind its launches (manual 11.4, 11.7).

use ptxvm_syntax::ast::{Argument, Directive, List};

use crate::lower::lowering::Lowering;
use crate::program::Limits;

impl Lowering<'_> {
    /// What the directives ask for; the last of several counts.
    pub fn limits(&mut self, directives: List<Directive>) -> Limits {
        let file = self.file;
        let mut limits = Limits::default();
        for directive in &file[directives] {
            let numbers = self.numbers(directive);
            let first = numbers.first().copied();
            match file.text(directive.name.symbol) {
                "maxntid" => limits.maxntid = Some(product(&numbers)),
                "reqntid" => limits.reqntid = Some(extents(&numbers)),
                "minnctapersm" | "maxnctapersm" => limits.minnctapersm = first,
                "maxnreg" => limits.maxnreg = first,
                "reqnctapercluster" => limits.reqnctapercluster = Some(extents(&numbers)),
                "maxclusterrank" => limits.maxclusterrank = first,
                "explicitcluster" => limits.explicitcluster = true,
                "blocksareclusters" => limits.blocksareclusters = true,
                _ => {}
            }
        }
        limits
    }

    fn numbers(&mut self, directive: &Directive) -> Vec<u32> {
        let file = self.file;
        let mut numbers = Vec::new();
        for argument in &file[directive.arguments] {
            if let Argument::Expression(id) = *argument
                && let Some(number) = self.integer(id)
            {
                numbers.push(number.min(u64::from(u32::MAX)) as u32);
            }
        }
        numbers
    }
}

fn product(numbers: &[u32]) -> u64 {
    numbers.iter().fold(1, |product: u64, &n| product.saturating_mul(u64::from(n)))
}

/// Three extents; those that are not given are 1.
fn extents(numbers: &[u32]) -> [u32; 3] {
    [0, 1, 2].map(|at| numbers.get(at).copied().unwrap_or(1))
}
