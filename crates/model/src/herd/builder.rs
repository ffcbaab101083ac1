//! Gathers what a litmus test declares: addresses and their locations, threads and their registers and labels.

use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::Span;

use super::cursor::{Named, Parsed};
use super::lexer::Token;
use crate::codes;
use crate::event::{Place, Proxy};
use crate::test::{Action, Address, Instruction, Location, Thread};

/// The most instructions of a thread, and the most locations: no search could follow more.
const MOST_INSTRUCTIONS: usize = 512;
const MOST_LOCATIONS: usize = 128;

/// A test under construction.
#[derive(Default)]
pub struct Builder {
    pub threads: Vec<Thread>,
    pub addresses: Vec<Address>,
    pub locations: Vec<Location>,
    /// What each name stands for: an address, and the proxy that it was declared for.
    names: Vec<(String, usize, Option<Proxy>)>,
    /// How many arrivals complete a phase of an mbarrier: its address, its count.
    mbarriers: Vec<(usize, i64)>,
    /// First values of registers, until the threads are known: thread, register, value.
    pub register_values: Vec<(OwnedToken, OwnedToken, i64)>,
    /// Of each thread its labels.
    labels: Vec<Vec<(String, usize)>>,
    /// Branches whose target is not known yet: thread, instruction, label.
    branches: Vec<(usize, usize, Named)>,
    /// Where a thread became too long.
    too_long: Option<Span>,
    /// How many asynchronous operations there are.
    pub asynchronous: usize,
}

/// A token whose text is kept.
pub type OwnedToken = Named;

impl From<Token<'_>> for Named {
    fn from(token: Token<'_>) -> Named {
        Named { text: token.text.to_owned(), span: token.span }
    }
}

impl Builder {
    fn find(&self, name: &str) -> Option<&(String, usize, Option<Proxy>)> {
        self.names.iter().find(|(known, ..)| known == name)
    }

    fn twice<T>(&self, name: &Named) -> Parsed<T> {
        let message = format!("`{}` is declared twice", name.text);
        Err(Box::new(Diagnostic::error(codes::NAME, name.span, message)))
    }

    /// `x = 0`
    pub fn declare(&mut self, name: &Named, initial: i64) -> Parsed<()> {
        if self.find(&name.text).is_some() {
            return self.twice(name);
        }
        if self.names.len() >= MOST_LOCATIONS {
            let message = format!("a litmus test has at most {MOST_LOCATIONS} locations");
            return Err(Box::new(Diagnostic::error(codes::TOO_LARGE, name.span, message)));
        }
        let location = self.locations.len();
        self.locations.push(Location { name: name.text.clone(), initial, mbarrier: None });
        self.names.push((name.text.clone(), self.addresses.len(), None));
        self.addresses.push(Address { name: name.text.clone(), location });
        Ok(())
    }

    /// `m @ mbarrier 2`: an mbarrier object, as the number of arrivals so far.
    pub fn mbarrier(&mut self, name: &Named, count: i64) -> Parsed<()> {
        if count < 1 {
            let message = "an mbarrier waits for one arrival at least";
            return Err(Box::new(Diagnostic::error(codes::UNEXPECTED, name.span, message)));
        }
        self.declare(name, 0)?;
        if let Some(location) = self.locations.last_mut() {
            location.mbarrier = Some(count);
        }
        self.mbarriers.push((self.addresses.len() - 1, count));
        Ok(())
    }

    /// `y @ generic aliases x`: another address of the same location. `s @ surface aliases x`: the same address, by
    /// another proxy.
    pub fn alias(&mut self, name: &Named, proxy: Proxy, target: &Named) -> Parsed<()> {
        if self.find(&name.text).is_some() {
            return self.twice(name);
        }
        let address = self.address(target)?;
        if proxy == Proxy::Generic {
            let location = self.addresses[address].location;
            self.names.push((name.text.clone(), self.addresses.len(), None));
            self.addresses.push(Address { name: name.text.clone(), location });
        } else {
            self.names.push((name.text.clone(), address, Some(proxy)));
        }
        Ok(())
    }

    /// The address of a name that must be declared.
    pub fn address(&self, name: &Named) -> Parsed<usize> {
        match self.find(&name.text) {
            Some((_, address, _)) => Ok(*address),
            None => {
                let message = format!("`{}` is not declared", name.text);
                let error = Diagnostic::error(codes::NAME, name.span, message);
                let help = "no instruction uses it, and it has no initial value";
                Err(Box::new(error.help(help)))
            }
        }
    }

    /// The address of a name that an instruction uses; one that was not declared holds zero, as in herd.
    pub fn used(&mut self, name: &Named) -> Parsed<usize> {
        if self.find(&name.text).is_none() {
            self.declare(name, 0)?;
        }
        self.address(name)
    }

    /// How many arrivals complete a phase of an mbarrier.
    pub fn mbarrier_count(&self, name: &Named) -> Parsed<(usize, i64)> {
        let address = self.address(name)?;
        match self.mbarriers.iter().find(|(known, _)| *known == address) {
            Some(&(_, count)) => Ok((address, count)),
            None => {
                let message = format!("`{}` is no mbarrier", name.text);
                let help = format!("declare it so: `{} @ mbarrier 1;`", name.text);
                Err(Box::new(Diagnostic::error(codes::NAME, name.span, message).help(help)))
            }
        }
    }

    pub fn thread(&mut self, name: &Token<'_>, place: Place) -> Parsed<()> {
        let text = full_name(name.text);
        if self.threads.iter().any(|thread| thread.name == text) {
            return self.twice(&Named { text, span: name.span });
        }
        if self.threads.len() == 32 {
            let message = "a litmus test has at most 32 threads";
            return Err(Box::new(Diagnostic::error(codes::TOO_LARGE, name.span, message)));
        }
        self.add_thread(text, place);
        Ok(())
    }

    /// Adds a thread whose name is its own.
    pub fn add_thread(&mut self, name: String, place: Place) {
        self.threads.push(Thread { name, place, registers: Vec::new(), code: Vec::new() });
        self.labels.push(Vec::new());
    }

    pub fn apply_registers(&mut self) -> Parsed<()> {
        for (thread, register, value) in std::mem::take(&mut self.register_values) {
            let thread = self.find_thread(&thread.text, thread.span)?;
            let register = self.register(thread, &register.text);
            self.threads[thread].registers[register].1 = value;
        }
        Ok(())
    }

    pub fn find_thread(&self, name: &str, span: Span) -> Parsed<usize> {
        let full = full_name(name);
        self.threads.iter().position(|thread| thread.name == full).ok_or_else(|| {
            let message = format!("there is no thread `{full}`");
            Box::new(Diagnostic::error(codes::NAME, span, message))
        })
    }

    /// The number of a register, which is zero at first if nothing else was said.
    pub fn register(&mut self, thread: usize, name: &str) -> usize {
        let registers = &mut self.threads[thread].registers;
        registers.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            registers.push((name.to_owned(), 0));
            registers.len() - 1
        })
    }

    /// Adds an instruction; of a thread that is too long only its place is kept.
    pub fn push(&mut self, thread: usize, action: Action, span: Span) {
        let code = &mut self.threads[thread].code;
        if code.len() < MOST_INSTRUCTIONS {
            code.push(Instruction { action, asynchronous: None, span });
        } else {
            self.too_long.get_or_insert(span);
        }
    }

    /// Whether a thread is too long.
    pub fn check_size(&self) -> Parsed<()> {
        let Some(span) = self.too_long else { return Ok(()) };
        let message = format!("a thread of a litmus test has at most {MOST_INSTRUCTIONS} instructions");
        Err(Box::new(Diagnostic::error(codes::TOO_LARGE, span, message)))
    }

    pub fn label(&mut self, thread: usize, name: &Named) -> Parsed<()> {
        if self.labels[thread].iter().any(|(known, _)| *known == name.text) {
            return self.twice(name);
        }
        let at = self.threads[thread].code.len();
        self.labels[thread].push((name.text.clone(), at));
        Ok(())
    }

    /// Adds a branch whose target is a label that may come later.
    pub fn branch(&mut self, thread: usize, action: Action, label: Named, span: Span) {
        self.branches.push((thread, self.threads[thread].code.len(), label));
        self.push(thread, action, span);
    }

    /// Finds the targets of branches.
    pub fn finish(&mut self, errors: &mut Vec<Diagnostic>) {
        if let Err(error) = self.check_size() {
            errors.push(*error);
            return;
        }
        for (thread, at, label) in std::mem::take(&mut self.branches) {
            let known = self.labels[thread].iter().find(|(name, _)| *name == label.text);
            let Some(&(_, found)) = known else {
                let name = &self.threads[thread].name;
                let message = format!("thread {name} has no label `{}`", label.text);
                errors.push(Diagnostic::error(codes::NAME, label.span, message));
                continue;
            };
            if let Action::Branch { target, .. } = &mut self.threads[thread].code[at].action {
                *target = found;
            }
        }
    }
}

/// `0` is short for `P0`.
fn full_name(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("P{name}") } else { name.to_owned() }
}
