//! From a model's text to its tree. Names must be defined before they are used; `|` binds weakest, then `;`, `\`, `&`,
//! `*`, and what follows an operand (`+`, `?`, `^-1`) strongest.

use super::ast::{Axiom, Check, Definition, Expression, Model, Order, PATHS, READS, Slot, Stage};
use super::base::{BASE_RELATIONS, BASE_SETS};
use super::lexer::{Token, tokens};

/// Reads a model.
///
/// # Errors
/// A sentence that says what is wrong, with its line.
pub fn parse(name: &str, text: &str) -> Result<Model, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, names: Vec::new(), stages: Vec::new() };
    for base in BASE_SETS.iter().chain(BASE_RELATIONS) {
        parser.names.push((*base).to_owned());
        parser.stages.push(if *base == "rf" { READS } else { PATHS });
    }
    let mut model = Model {
        name: name.to_owned(),
        definitions: Vec::new(),
        orders: Vec::new(),
        axioms: Vec::new(),
        shown: Vec::new(),
        names: Vec::new(),
    };
    while *parser.peek() != Token::End {
        parser.statement(&mut model)?;
    }
    model.names = parser.names;
    Ok(model)
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    names: Vec<String>,
    stages: Vec<Stage>,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].1
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn error<T>(&self, message: impl std::fmt::Display) -> Result<T, String> {
        Err(format!("line {}: {message}", self.tokens[self.at].0))
    }

    fn sign(&mut self, sign: char) -> Result<(), String> {
        if *self.peek() != Token::Sign(sign) {
            return self.error(format!("expected `{sign}`, found {}", self.peek()));
        }
        self.next();
        Ok(())
    }

    fn word(&mut self) -> Result<String, String> {
        match self.peek().clone() {
            Token::Word(word) => {
                self.next();
                Ok(word)
            }
            other => self.error(format!("expected a name, found {other}")),
        }
    }

    fn keyword(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(next) if next == word);
        if found {
            self.next();
        }
        found
    }

    fn define(&mut self, name: String, stage: Stage) -> Result<Slot, String> {
        if self.names.contains(&name) {
            return self.error(format!("`{name}` is defined twice"));
        }
        self.names.push(name);
        self.stages.push(stage);
        Ok(self.names.len() - 1)
    }

    fn statement(&mut self, model: &mut Model) -> Result<(), String> {
        match self.word()?.as_str() {
            "let" => {
                let name = self.word()?;
                self.sign('=')?;
                let (expression, stage) = self.staged()?;
                let slot = self.define(name.clone(), stage)?;
                model.definitions.push(Definition { name, slot, expression, stage });
            }
            "order" => {
                let name = self.word()?;
                self.sign(':')?;
                if !self.keyword("pairs") {
                    return self.error("an order says its `pairs`");
                }
                let pairs = self.expression()?;
                let contains = if self.keyword("contains") { Some(self.expression()?) } else { None };
                let stage = READS + 1 + model.orders.len();
                let slot = self.define(name.clone(), stage)?;
                model.orders.push(Order { name, slot, pairs, contains, stage });
            }
            "axiom" => {
                let name = self.word()?;
                self.sign(':')?;
                let check = match self.word()?.as_str() {
                    "acyclic" => Check::Acyclic,
                    "irreflexive" => Check::Irreflexive,
                    "empty" => Check::Empty,
                    other => return self.error(format!("`{other}` is no kind of axiom")),
                };
                let (expression, stage) = self.staged()?;
                model.axioms.push(Axiom { name, check, expression, stage });
            }
            "show" => loop {
                let name = self.word()?;
                let Some(slot) = self.names.iter().position(|known| *known == name) else {
                    return self.error(format!("`{name}` is not defined"));
                };
                model.shown.push(slot);
                if *self.peek() != Token::Sign(',') {
                    break;
                }
                self.next();
            },
            other => return self.error(format!("`{other}` starts no statement")),
        }
        Ok(())
    }

    /// An expression and when it is known.
    fn staged(&mut self) -> Result<(Expression, Stage), String> {
        let expression = self.expression()?;
        let stage = self.stage(&expression);
        Ok((expression, stage))
    }

    fn stage(&self, expression: &Expression) -> Stage {
        use Expression as E;
        match expression {
            E::Name(slot) => self.stages[*slot],
            E::Identity(a) | E::Closure(a) | E::Optional(a) | E::Inverse(a) => self.stage(a),
            E::Union(a, b)
            | E::Intersection(a, b)
            | E::Difference(a, b)
            | E::Product(a, b)
            | E::Sequence(a, b) => self.stage(a).max(self.stage(b)),
        }
    }

    fn expression(&mut self) -> Result<Expression, String> {
        self.binary(0)
    }

    fn binary(&mut self, level: usize) -> Result<Expression, String> {
        const LEVELS: [char; 5] = ['|', ';', '\\', '&', '*'];
        let Some(&sign) = LEVELS.get(level) else {
            return self.postfix();
        };
        let mut left = self.binary(level + 1)?;
        while *self.peek() == Token::Sign(sign) {
            self.next();
            let right = self.binary(level + 1)?;
            if sign == '\\' && self.stage(&right) > PATHS {
                // The search drops an execution as soon as a part of it contradicts an axiom.
                return self.error("what is taken away must not depend on what reads see or on an order");
            }
            let (a, b) = (Box::new(left), Box::new(right));
            left = match sign {
                '|' => Expression::Union(a, b),
                ';' => Expression::Sequence(a, b),
                '\\' => Expression::Difference(a, b),
                '&' => Expression::Intersection(a, b),
                _ => Expression::Product(a, b),
            };
        }
        Ok(left)
    }

    fn postfix(&mut self) -> Result<Expression, String> {
        let mut operand = self.operand()?;
        loop {
            operand = match self.peek() {
                Token::Sign('+') => Expression::Closure(Box::new(operand)),
                Token::Sign('?') => Expression::Optional(Box::new(operand)),
                Token::Inverse => Expression::Inverse(Box::new(operand)),
                _ => return Ok(operand),
            };
            self.next();
        }
    }

    fn operand(&mut self) -> Result<Expression, String> {
        match self.next() {
            Token::Sign('(') => {
                let inner = self.expression()?;
                self.sign(')')?;
                Ok(inner)
            }
            Token::Sign('[') => {
                let inner = self.expression()?;
                self.sign(']')?;
                Ok(Expression::Identity(Box::new(inner)))
            }
            Token::Word(name) => match self.names.iter().position(|known| *known == name) {
                Some(slot) => Ok(Expression::Name(slot)),
                None => self.error(format!("`{name}` is not defined")),
            },
            other => self.error(format!("expected a set or a relation, found {other}")),
        }
    }
}
