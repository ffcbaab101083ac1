//! `ptxvm explain E0402`: the page of a diagnostic code, or of a kind of finding.

use clap::Args;

use ptxvm_report::pages;

use crate::exit::{self, Exit};

#[derive(Args)]
pub struct Arguments {
    /// The code, or the kind of a finding (out-of-bounds); without one, all are listed
    code: Option<String>,
}

/// Prints a page, or the list of all.
pub fn run(arguments: &Arguments) -> Exit {
    let Some(code) = &arguments.code else {
        for (code, page) in pages::PAGES {
            println!("{code}  {}", pages::title_of(page));
        }
        return exit::CLEAN;
    };
    match pages::PAGES.iter().find(|(known, _)| known.eq_ignore_ascii_case(code)) {
        Some((_, page)) => {
            print!("{page}");
            exit::CLEAN
        }
        None => exit::usage(format!("there is no code or kind {code}; `ptxvm explain` lists them")),
    }
}
