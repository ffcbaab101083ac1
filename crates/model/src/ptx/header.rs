//! The comments that make a litmus test of a module: the launch, and the question.

use ptxvm_ir::{Function, Program};
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::Span;

use crate::codes;
use crate::event::Place;
use crate::herd::{Builder, Cursor, Parsed, condition, quantifier, tokens};
use crate::test::{Proposition, Quantifier};

const MARK: &str = "// litmus:";

/// The most threads that a launch may have.
const MOST_THREADS: u32 = 32;

/// The comments of a text that are about the litmus test: where the text after the mark begins and ends.
pub fn lines(source: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    source.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        line.starts_with(MARK).then(|| (start + MARK.len(), start + line.trim_end().len()))
    })
}

/// How many threads there are, and how they lie in CTAs and clusters.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    pub grid: u32,
    pub block: u32,
    pub cluster: u32,
}

/// One thread of the launch.
#[derive(Clone, Copy, Debug)]
pub struct ThreadPlace {
    pub launch: Launch,
    pub cta: u32,
    pub tid: u32,
}

impl ThreadPlace {
    pub fn name(&self) -> String {
        format!("P{}", self.cta * self.launch.block + self.tid)
    }

    pub fn hierarchy(&self) -> Place {
        Place { cta: self.cta, cluster: self.cta / self.launch.cluster, gpu: 0 }
    }
}

impl Launch {
    pub fn threads(self) -> impl Iterator<Item = ThreadPlace> {
        (0..self.grid)
            .flat_map(move |cta| (0..self.block).map(move |tid| ThreadPlace { launch: self, cta, tid }))
    }
}

pub struct Header {
    pub launch: Launch,
    entry: Option<String>,
    span: Span,
    /// Where the question stands.
    question: (usize, usize),
}

impl Header {
    /// `// litmus: grid 2, block 1, cluster 2, entry mp`, then the question.
    pub fn parse(source: &str) -> Parsed<Header> {
        let mut lines = lines(source);
        let (Some(launch), Some(question)) = (lines.next(), lines.next()) else {
            let message = "a litmus test in PTX says in two comments how it is launched and what is asked";
            let error = Diagnostic::error(codes::UNEXPECTED, Span::new(0, 0), message);
            return Err(Box::new(
                error.help("`// litmus: grid 2, block 1`, `// litmus: exists (P0:%r1 == 1)`"),
            ));
        };
        let mut errors = Vec::new();
        let mut cursor = Cursor::new(tokens(&source[..launch.1], launch.0, &mut errors));
        let span = cursor.span();
        let mut header =
            Header { launch: Launch { grid: 1, block: 1, cluster: 1 }, entry: None, span, question };
        loop {
            let word = cursor.word("`grid`, `block`, `cluster` or `entry`")?;
            match word.text {
                "grid" => header.launch.grid = cursor.small_number()?,
                "block" => header.launch.block = cursor.small_number()?,
                "cluster" => header.launch.cluster = cursor.small_number()?,
                "entry" => header.entry = Some(cursor.word("the name of an entry")?.text.to_owned()),
                other => {
                    let message = format!("`{other}` says nothing about a launch");
                    let error = Diagnostic::error(codes::UNEXPECTED, word.span, message);
                    return Err(Box::new(error.help("write `grid 2, block 1, cluster 2, entry name`")));
                }
            }
            if !cursor.take(",") {
                break;
            }
        }
        if !cursor.at_end() {
            return cursor.fail("`,` or the end of the line");
        }
        let Launch { grid, block, cluster } = header.launch;
        if grid * block == 0 || grid * block > MOST_THREADS || cluster == 0 || grid % cluster != 0 {
            let message = format!("a litmus test has 1 to {MOST_THREADS} threads, in whole clusters");
            return Err(Box::new(Diagnostic::error(codes::TOO_LARGE, span, message)));
        }
        Ok(header)
    }

    /// The entry that is launched: the one that is named, or the only one.
    pub fn entry<'p>(&self, program: &'p Program) -> Parsed<&'p Function> {
        let mut entries = program.functions.iter().filter(|f| f.entry && f.defined);
        let found = match &self.entry {
            Some(name) => entries.find(|function| function.name == *name),
            None => entries.next(),
        };
        found.ok_or_else(|| {
            let message = "the module has no such entry";
            Box::new(Diagnostic::error(codes::NAME, self.span, message))
        })
    }

    /// What is asked.
    pub fn question(&self, source: &str, builder: &Builder) -> Parsed<(Quantifier, Proposition)> {
        let mut errors = Vec::new();
        let mut cursor = Cursor::new(tokens(&source[..self.question.1], self.question.0, &mut errors));
        let quantifier = quantifier(&mut cursor)?;
        let condition = condition::parse(&mut cursor, builder)?;
        if !cursor.at_end() {
            return cursor.fail("the end of the line after the condition");
        }
        Ok((quantifier, condition))
    }
}
