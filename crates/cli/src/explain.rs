//! `ptxvm explain E0402`: the page of a diagnostic code.

use clap::Args;

use crate::exit::{self, Exit};
use crate::pages;

#[derive(Args)]
pub struct Arguments {
    /// The code; without one, every code is listed
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
    let wanted = code.to_uppercase();
    match pages::PAGES.iter().find(|(code, _)| *code == wanted) {
        Some((_, page)) => {
            print!("{page}");
            exit::CLEAN
        }
        None => exit::usage(format!("there is no code {code}; `ptxvm explain` lists them")),
    }
}
