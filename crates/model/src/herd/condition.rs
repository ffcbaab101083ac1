//! Conditions over final states: `(P0:r0 == 1 /\ ~(x == 2 \/ P1:r1 != P0:r0))`.

use super::builder::Builder;
use super::cursor::{Cursor, Parsed};
use crate::codes;
use crate::test::{Comparison, Observable, Proposition, Term};
use ptxvm_syntax::Diagnostic;

/// How deep parentheses may nest, and how many parts may be joined in one: a condition is read by calls within calls.
const DEEPEST: usize = 100;
const LONGEST: usize = 200;

pub fn parse(cursor: &mut Cursor<'_>, builder: &Builder) -> Parsed<Proposition> {
    either(cursor, builder, 0)
}

fn either(cursor: &mut Cursor<'_>, builder: &Builder, depth: usize) -> Parsed<Proposition> {
    let mut left = both(cursor, builder, depth)?;
    let mut parts = 1;
    while cursor.take("\\/") {
        parts += 1;
        if parts > LONGEST {
            return cursor.fail("a condition with fewer parts");
        }
        left = Proposition::Or(Box::new(left), Box::new(both(cursor, builder, depth)?));
    }
    Ok(left)
}

fn both(cursor: &mut Cursor<'_>, builder: &Builder, depth: usize) -> Parsed<Proposition> {
    let mut left = simple(cursor, builder, depth)?;
    let mut parts = 1;
    while cursor.take("/\\") {
        parts += 1;
        if parts > LONGEST {
            return cursor.fail("a condition with fewer parts");
        }
        left = Proposition::And(Box::new(left), Box::new(simple(cursor, builder, depth)?));
    }
    Ok(left)
}

fn simple(cursor: &mut Cursor<'_>, builder: &Builder, depth: usize) -> Parsed<Proposition> {
    if depth > DEEPEST {
        return cursor.fail("fewer parentheses within parentheses");
    }
    if cursor.take("~") || cursor.take("not") {
        return Ok(Proposition::Not(Box::new(simple(cursor, builder, depth + 1)?)));
    }
    if cursor.take("(") {
        let inner = either(cursor, builder, depth + 1)?;
        cursor.expect(")", "`)`, `/\\` or `\\/`")?;
        return Ok(inner);
    }
    let left = term(cursor, builder)?;
    let comparison = match cursor.token().text {
        "=" | "==" => Comparison::Equal,
        "!=" => Comparison::NotEqual,
        "<" => Comparison::Less,
        "<=" => Comparison::LessOrEqual,
        ">" => Comparison::Greater,
        ">=" => Comparison::GreaterOrEqual,
        _ => return cursor.fail("a comparison (`==`, `!=`, `<`, `<=`, `>`, `>=`)"),
    };
    cursor.skip();
    Ok(Proposition::Compare(comparison, left, term(cursor, builder)?))
}

/// `P0:r1`, `x`, `[x]`, `12`
fn term(cursor: &mut Cursor<'_>, builder: &Builder) -> Parsed<Term> {
    if cursor.second_is(":") {
        let name = cursor.thread_name()?;
        let thread = builder.find_thread(name.text, name.span)?;
        cursor.expect(":", "`P0:r1`")?;
        let register = cursor.word("a register, such as `r1`")?;
        let registers = &builder.threads[thread].registers;
        let Some(number) = registers.iter().position(|(known, _)| known == register.text) else {
            let message =
                format!("thread {} has no register `{}`", builder.threads[thread].name, register.text);
            return Err(Box::new(Diagnostic::error(codes::NAME, register.span, message)));
        };
        return Ok(Term::Observed(Observable::Register { thread, register: number }));
    }
    if cursor.is_number() {
        return Ok(Term::Constant(cursor.number()?));
    }
    let brackets = cursor.take("[");
    let name = cursor.location()?;
    if brackets {
        cursor.expect("]", "`]`")?;
    }
    let address = builder.address(&name)?;
    Ok(Term::Observed(Observable::Memory(builder.addresses[address].location)))
}
