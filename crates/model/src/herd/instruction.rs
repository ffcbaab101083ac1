//! One instruction of a litmus test: PTX's own spelling, with names of locations for addresses, and types and state spaces
//! left out.

use ptxvm_syntax::Diagnostic;

use super::builder::Builder;
use super::cursor::{Cursor, Named, Parsed};
use super::lexer::Token;
use super::line::Line;
use super::operands::{self as operand, Opcode, comma};
use super::{asynchronous, lexer};
use crate::codes;
use crate::event::{Proxy, Scope, Semantics};
use crate::test::{Action, Barrier, Comparison, Function, Operand, Update};

const FUNCTIONS: [(&str, Function); 9] = [
    ("add", Function::Add),
    ("sub", Function::Sub),
    ("mul", Function::Mul),
    ("div", Function::Div),
    ("and", Function::And),
    ("or", Function::Or),
    ("xor", Function::Xor),
    ("min", Function::Min),
    ("max", Function::Max),
];

const BRANCHES: [(&str, Comparison); 6] = [
    ("beq", Comparison::Equal),
    ("bne", Comparison::NotEqual),
    ("blt", Comparison::Less),
    ("ble", Comparison::LessOrEqual),
    ("bgt", Comparison::Greater),
    ("bge", Comparison::GreaterOrEqual),
];

/// Reads a cell of the table, and adds what it says to its thread.
pub fn parse(cell: &[Token<'_>], thread: usize, builder: &mut Builder) -> Parsed<()> {
    let (Some(first), Some(last)) = (cell.first(), cell.last()) else { return Ok(()) };
    let span = first.span.to(last.span);
    let mut tokens = cell.to_vec();
    tokens.push(Token { text: "", span: lexer::place(last.span.end as usize, last.span.end as usize) });
    let mut cursor = Cursor::new(tokens);
    if cell.len() == 2 && first.is_word() && last.text == ":" {
        return builder.label(thread, &Named::from(*first));
    }
    let opcode = Opcode::parse(&mut cursor)?;
    let mut line = Line { cursor, opcode, thread, builder, span };
    line.read()?;
    line.opcode.finish()?;
    if !line.cursor.at_end() {
        return line.cursor.fail("`|` or `;` after the last operand");
    }
    Ok(())
}

impl Line<'_, '_> {
    fn read(&mut self) -> Parsed<()> {
        let name = self.opcode.name.clone();
        if let Some((_, comparison)) = BRANCHES.iter().find(|(known, _)| *known == name) {
            return self.branch(*comparison);
        }
        if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
            let to = self.register()?;
            comma(&mut self.cursor)?;
            let left = self.value()?;
            comma(&mut self.cursor)?;
            let right = self.value()?;
            self.push(Action::Compute { to, function: *function, left, right });
            return Ok(());
        }
        match name.as_str() {
            "ld" => self.load(Proxy::Generic),
            "suld" => self.load(Proxy::Surface),
            "tld" => self.load(Proxy::Texture),
            "cold" | "ldc" => self.load(Proxy::Constant),
            "mov" => {
                let to = self.register()?;
                comma(&mut self.cursor)?;
                self.set(to)
            }
            "st" if self.opcode.take("async") => asynchronous::store(self),
            "st" => self.store(Proxy::Generic),
            "sust" => self.store(Proxy::Surface),
            "atom" => self.atomic(Proxy::Generic, true),
            "suatom" => self.atomic(Proxy::Surface, true),
            "red" => self.atomic(Proxy::Generic, false),
            "sured" => self.atomic(Proxy::Surface, false),
            "fence" => self.fence(),
            "membar" => {
                // 9.7.13.4: `membar` is `fence.sc`; `gl` is its word for the device.
                let scopes =
                    [("cta", Scope::Cta), ("gl", Scope::Gpu), ("gpu", Scope::Gpu), ("sys", Scope::Sys)];
                let Some(scope) = self.opcode.one_of(&scopes) else {
                    return self.opcode.lacks("a level: `.cta`, `.gl` or `.sys`");
                };
                self.push(Action::Fence { semantics: Semantics::Sc, scope });
                Ok(())
            }
            "bar" | "barrier" => self.barrier(),
            "goto" | "bra" => {
                let label = self.label()?;
                let zero = Operand::Constant(0);
                let action =
                    Action::Branch { comparison: Comparison::Equal, left: zero, right: zero, target: 0 };
                self.builder.branch(self.thread, action, label, self.span);
                Ok(())
            }
            "mbarrier" => asynchronous::mbarrier(self),
            "cp" => asynchronous::copy(self),
            "tcgen05" => asynchronous::tensor(self),
            _ => {
                let message = format!("`{name}` is no instruction of a litmus test");
                let error = Diagnostic::error(codes::INSTRUCTION, self.opcode.span, message);
                Err(Box::new(error.help("docs/litmus.md lists those that are")))
            }
        }
    }

    /// The addresses of a vector's elements: `x[0]`, `x[1]` …
    fn addresses(&mut self, count: usize) -> Parsed<Vec<usize>> {
        let name = operand::location(&mut self.cursor)?;
        if count == 1 {
            return Ok(vec![self.builder.used(&name)?]);
        }
        let element = |i: usize| Named { text: format!("{}[{i}]", name.text), span: name.span };
        (0..count).map(|i| self.builder.used(&element(i))).collect()
    }

    fn label(&mut self) -> Parsed<Named> {
        self.cursor.word("a label").map(Named::from)
    }

    fn branch(&mut self, comparison: Comparison) -> Parsed<()> {
        let left = self.value()?;
        comma(&mut self.cursor)?;
        let right = self.value()?;
        comma(&mut self.cursor)?;
        let label = self.label()?;
        let action = Action::Branch { comparison, left, right, target: 0 };
        self.builder.branch(self.thread, action, label, self.span);
        Ok(())
    }

    /// A register becomes what a register or a number is.
    fn set(&mut self, to: usize) -> Parsed<()> {
        let right = self.value()?;
        self.push(Action::Compute { to, function: Function::Second, left: Operand::Constant(0), right });
        Ok(())
    }

    fn vector(&mut self) -> usize {
        self.opcode.one_of(&[("v2", 2), ("v4", 4), ("v8", 8)]).unwrap_or(1)
    }

    fn load(&mut self, proxy: Proxy) -> Parsed<()> {
        let count = self.vector();
        let strong = [Semantics::Relaxed, Semantics::Acquire];
        let manner = self.opcode.manner(proxy, &strong, Semantics::Weak, None)?;
        let (thread, builder) = (self.thread, &mut *self.builder);
        let to = operand::listed(&mut self.cursor, count, |c| operand::register(c, thread, builder))?;
        comma(&mut self.cursor)?;
        let plain = self.cursor.is_number() || operand::is_register(self.cursor.token().text);
        if plain && count == 1 && manner.semantics == Semantics::Weak {
            return self.set(to[0]);
        }
        let addresses = self.addresses(count)?;
        self.push(Action::Load { to, addresses, manner });
        Ok(())
    }

    fn store(&mut self, proxy: Proxy) -> Parsed<()> {
        let count = self.vector();
        let strong = [Semantics::Relaxed, Semantics::Release];
        let manner = self.opcode.manner(proxy, &strong, Semantics::Weak, None)?;
        let addresses = self.addresses(count)?;
        comma(&mut self.cursor)?;
        let (thread, builder) = (self.thread, &mut *self.builder);
        let values = operand::listed(&mut self.cursor, count, |c| operand::value(c, thread, builder))?;
        self.push(Action::Store { addresses, values, manner });
        Ok(())
    }

    fn atomic(&mut self, proxy: Proxy, returns: bool) -> Parsed<()> {
        let strong = [Semantics::Relaxed, Semantics::Acquire, Semantics::Release, Semantics::AcqRel];
        let cas = self.opcode.take("cas");
        let exchange = self.opcode.take("exch");
        let function = if exchange { Some(Function::Second) } else { self.opcode.one_of(&FUNCTIONS) };
        // 9.7.13.5: relaxed and `.gpu` where nothing else is said.
        let manner = self.opcode.manner(proxy, &strong, Semantics::Relaxed, Some(Scope::Gpu))?;
        let to = if returns {
            let to = self.register()?;
            comma(&mut self.cursor)?;
            Some(to)
        } else {
            None
        };
        let address = self.address()?;
        comma(&mut self.cursor)?;
        let first = self.value()?;
        let update = match function {
            Some(function) => Update::Function(function, first),
            None if cas => {
                comma(&mut self.cursor)?;
                Update::CompareAndSwap(first, self.value()?)
            }
            None => return self.opcode.lacks("an operation: `.add`, `.exch`, `.cas` …"),
        };
        self.push(Action::Atomic { to, address, update, manner });
        Ok(())
    }

    fn fence(&mut self) -> Parsed<()> {
        if self.opcode.take("proxy") {
            if self.opcode.take("alias") {
                self.push(Action::AliasFence);
                return Ok(());
            }
            let proxies = Proxy::ALL.map(|proxy| (proxy.name(), proxy));
            let Some(proxy) = self.opcode.one_of(&proxies) else {
                return self
                    .opcode
                    .lacks("a proxy: `.alias`, `.async`, `.surface`, `.texture` or `.constant`");
            };
            self.push(Action::ProxyFence(proxy));
            return Ok(());
        }
        let kinds = [Semantics::Sc, Semantics::AcqRel, Semantics::Acquire, Semantics::Release];
        let semantics = self.opcode.one_of(&kinds.map(|kind| (kind.name(), kind)));
        let Some(scope) = self.opcode.scope() else {
            return self.opcode.lacks("a scope: `.cta`, `.cluster`, `.gpu` or `.sys`");
        };
        // 9.7.13.4: a fence without semantics is `.acq_rel`.
        self.push(Action::Fence { semantics: semantics.unwrap_or(Semantics::AcqRel), scope });
        Ok(())
    }

    /// `bar.sync a{, count}`, `barrier.cluster.arrive`; and Dat3M's `bar.cta.sync instance{, a{, count}}`.
    fn barrier(&mut self) -> Parsed<()> {
        let cluster = self.opcode.take("cluster");
        let numbered = self.opcode.take("cta");
        let arrives_only = self.opcode.take("arrive");
        let waits_only = self.opcode.take("wait");
        let both = self.opcode.take("sync");
        if !(arrives_only || both || waits_only && cluster) {
            return self.opcode.lacks(if cluster { "`.arrive` or `.wait`" } else { "`.sync` or `.arrive`" });
        }
        let relaxed = cluster && self.opcode.take("relaxed");
        if cluster {
            let _ = self.opcode.take(if arrives_only { "release" } else { "acquire" });
        }
        let mut barrier = Barrier {
            cluster,
            instance: 0,
            resource: Operand::Constant(0),
            count: None,
            arrives: !waits_only,
            waits: !arrives_only,
            orders: !relaxed,
        };
        if !cluster && numbered {
            barrier.instance = self.cursor.number()?;
            if self.cursor.take(",") {
                barrier.resource = self.value()?;
            }
        } else if !cluster {
            barrier.resource = self.value()?;
        }
        if !cluster && self.cursor.take(",") {
            barrier.count = Some(self.value()?);
        }
        self.push(Action::Barrier(barrier));
        Ok(())
    }
}
