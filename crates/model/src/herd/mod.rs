//! The format that herd, NVIDIA's researchers and Dat3M write litmus tests in: a name, initial values in braces, a column of
//! instructions for each thread, and a question.
//!
//! docs/litmus.md has the whole format, with what we add to it for clusters, mbarriers, asynchronous copies and the tensor
//! cores.

mod asynchronous;
mod builder;
pub(crate) mod condition;
mod cursor;
mod instruction;
mod lexer;
mod line;
mod operands;

use ptxvm_syntax::Diagnostic;

use crate::codes;
use crate::event::{Place, Proxy};
use crate::test::{Quantifier, Test};
pub(crate) use builder::Builder;
pub(crate) use cursor::{Cursor, Named, Parsed};
pub(crate) use lexer::tokens;

/// Reads a litmus test.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text.
pub fn parse(text: &str) -> Result<Test, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let test = File::read(text, &mut errors);
    match test {
        Some(test) if errors.is_empty() => Ok(test),
        _ => {
            errors.sort_by_key(|error| error.primary.span.start);
            Err(errors)
        }
    }
}

struct File<'t, 'e> {
    cursor: Cursor<'t>,
    builder: Builder,
    errors: &'e mut Vec<Diagnostic>,
}

impl<'t> File<'t, '_> {
    fn read(text: &'t str, errors: &mut Vec<Diagnostic>) -> Option<Test> {
        let (name, start) = match head(text) {
            Ok(head) => head,
            Err(error) => {
                errors.push(*error);
                return None;
            }
        };
        let tokens = lexer::tokens(text, start, errors);
        let mut file = File { cursor: Cursor::new(tokens), builder: Builder::default(), errors };
        let declared = file.declarations();
        file.note(declared)?;
        let threads = file.threads();
        file.note(threads)?;
        if let Err(error) = file.builder.apply_registers() {
            file.errors.push(*error);
        }
        file.rows();
        let question = file.question();
        let (filter, quantifier, condition) = file.note(question)?;
        file.builder.finish(file.errors);
        Some(Test {
            name,
            threads: file.builder.threads,
            addresses: file.builder.addresses,
            locations: file.builder.locations,
            filter,
            quantifier,
            condition,
        })
    }

    fn note<T>(&mut self, parsed: Parsed<T>) -> Option<T> {
        match parsed {
            Ok(value) => Some(value),
            Err(error) => {
                self.errors.push(*error);
                None
            }
        }
    }

    /// `{ x = 0; P0:r1 = 2; s @ surface aliases x; m @ mbarrier 2; }`
    fn declarations(&mut self) -> Parsed<()> {
        self.cursor.expect("{", "the initial values: `{ x = 0; … }`")?;
        while !self.cursor.take("}") {
            if !self.cursor.take(";") {
                self.declaration()?;
                if !self.cursor.is("}") {
                    self.cursor.expect(";", "`;` after an initial value, or `}` after the last")?;
                }
            }
        }
        self.cursor.take(";");
        Ok(())
    }

    fn declaration(&mut self) -> Parsed<()> {
        if self.cursor.second_is(":") {
            let thread = self.cursor.thread_name()?;
            self.cursor.expect(":", "`P0:r1 = 2`")?;
            let register = self.cursor.word("a register, such as `r1`")?;
            self.cursor.expect("=", "`=` and the register's first value")?;
            let value = self.cursor.number()?;
            self.builder.register_values.push((thread.into(), register.into(), value));
            return Ok(());
        }
        let name = self.cursor.location()?;
        if self.cursor.take("=") {
            if !self.cursor.is_number() {
                return self.cursor.fail("a number; a location cannot hold an address in a litmus test");
            }
            let value = self.cursor.number()?;
            return self.builder.declare(&name, value);
        }
        self.cursor.expect("@", "`x = 0`, `s @ surface aliases x` or `m @ mbarrier 1`")?;
        let kind = self.cursor.word("a proxy, or `mbarrier`")?;
        if kind.text == "mbarrier" {
            let count = self.cursor.number()?;
            return self.builder.mbarrier(&name, count);
        }
        let proxy = Proxy::ALL.into_iter().find(|proxy| proxy.name() == kind.text);
        let Some(proxy) = proxy else {
            let message = format!("`{}` is no proxy", kind.text);
            let help = "proxies are generic, surface, texture, constant, async and tensor";
            return Err(Box::new(Diagnostic::error(codes::UNEXPECTED, kind.span, message).help(help)));
        };
        self.cursor.expect("aliases", "`aliases` and a location")?;
        let target = self.cursor.location()?;
        self.builder.alias(&name, proxy, &target)
    }

    /// `P0@cta 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;`
    fn threads(&mut self) -> Parsed<()> {
        loop {
            let name = self.cursor.thread_name()?;
            self.cursor.expect("@", "where the thread runs: `P0@cta 0,gpu 0`")?;
            let (mut cta, mut cluster, mut gpu) = (None, None, 0);
            loop {
                let level = self.cursor.word("`cta`, `cluster` or `gpu`")?;
                let number = self.cursor.small_number()?;
                match level.text {
                    "cta" => cta = Some(number),
                    "cluster" => cluster = Some(number),
                    "gpu" => gpu = number,
                    other => {
                        let message = format!("`{other}` is no level of the hierarchy of threads");
                        let error = Diagnostic::error(codes::UNEXPECTED, level.span, message);
                        return Err(Box::new(error.help("write `cta`, `cluster` or `gpu`")));
                    }
                }
                if !self.cursor.take(",") {
                    break;
                }
            }
            let Some(cta) = cta else {
                return self.cursor.fail("the thread's CTA, as in `P0@cta 0,gpu 0`");
            };
            // CTAs of different devices are different, whatever their numbers; a CTA alone is a cluster of its own.
            let unique = |number: u32| gpu * 1024 + number;
            let place =
                Place { cta: unique(cta), cluster: cluster.map_or(unique(cta) | 1 << 31, unique), gpu };
            self.builder.thread(&name, place)?;
            if !self.cursor.take("|") {
                return self.cursor.expect(";", "`|` and the next thread, or `;` after the last");
            }
        }
    }

    /// Rows of instructions, a column for each thread.
    fn rows(&mut self) {
        while !self.cursor.at_end() && !self.cursor.starts_question() {
            let mut column = 0;
            loop {
                let cell = self.cursor.cell();
                if column < self.builder.threads.len() {
                    if let Err(error) = instruction::parse(cell, column, &mut self.builder) {
                        self.errors.push(*error);
                    }
                } else if let Some(first) = cell.first() {
                    let count = self.builder.threads.len();
                    let message = format!("this row has more columns than the test has threads ({count})");
                    self.errors.push(Diagnostic::error(codes::COLUMNS, first.span, message));
                }
                column += 1;
                if !self.cursor.take("|") {
                    break;
                }
            }
            if !self.cursor.take(";") {
                let found = self.cursor.found();
                let message = format!("a row ends with `;`, found {found}");
                self.errors.push(Diagnostic::error(codes::UNEXPECTED, self.cursor.span(), message));
                return;
            }
        }
    }

    /// What is asked: `locations […]`, `filter (…)`, then `exists`, `~exists` or `forall` and a condition.
    #[allow(clippy::type_complexity, reason = "the three parts of a question, used once")]
    fn question(
        &mut self,
    ) -> Parsed<(Option<crate::test::Proposition>, Quantifier, crate::test::Proposition)> {
        if self.cursor.take("locations") {
            self.cursor.expect("[", "`locations [x; y]`")?;
            while !self.cursor.take("]") {
                if self.cursor.at_end() {
                    return self.cursor.fail("`]`");
                }
                self.cursor.skip();
            }
        }
        let mut filter = None;
        if self.cursor.take("filter") {
            filter = Some(condition::parse(&mut self.cursor, &self.builder)?);
            self.cursor.take(";");
        }
        let quantifier = quantifier(&mut self.cursor)?;
        let condition = condition::parse(&mut self.cursor, &self.builder)?;
        self.cursor.take(";");
        if !self.cursor.at_end() {
            return self.cursor.fail("the end of the file after the condition");
        }
        Ok((filter, quantifier, condition))
    }
}

/// `exists`, `~exists` or `forall`
pub(crate) fn quantifier(cursor: &mut Cursor<'_>) -> Parsed<Quantifier> {
    if cursor.take("forall") {
        return Ok(Quantifier::Forall);
    }
    if cursor.take("exists") {
        return Ok(Quantifier::Exists);
    }
    if cursor.take("~") || cursor.take("not") {
        cursor.expect("exists", "`~exists`")?;
        return Ok(Quantifier::NotExists);
    }
    cursor.fail("`exists`, `~exists` or `forall` and a condition")
}

/// The test's name, and where its initial values begin.
fn head(text: &str) -> Parsed<(String, usize)> {
    let mut errors = Vec::new();
    let line = text.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//"));
    let Some(line) = line.filter(|line| line.trim().to_ascii_lowercase().starts_with("ptx")) else {
        let span = lexer::place(0, text.lines().next().map_or(0, str::len));
        let message = "a litmus test begins with `PTX` and its name";
        return Err(Box::new(Diagnostic::error(codes::UNEXPECTED, span, message).help("write `PTX MP`")));
    };
    let name = line.trim()[3..].trim().to_owned();
    let start = line.as_ptr() as usize - text.as_ptr() as usize + line.len();
    let open = lexer::tokens(text, start, &mut errors).into_iter().find(|token| token.text == "{");
    match open {
        Some(open) => Ok((name, open.span.start as usize)),
        None => {
            let span = lexer::place(text.len(), text.len());
            let message = "a litmus test has its initial values in braces after its name";
            Err(Box::new(Diagnostic::error(codes::UNEXPECTED, span, message).help("write `{ x = 0; }`")))
        }
    }
}
