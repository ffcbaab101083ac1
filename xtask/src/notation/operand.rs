//! The operands of a row's head: `d{|>p:pred}, [a, {c:.s32}x.dim]{, cache-policy:.b64}`.

use ptxvm_isa::Type;
use ptxvm_isa::table::{Count, CountSource, Operand, Shape, Slot, SpaceOf, TypeOf};

use super::condition::ranges;
use super::{Loader, leak, leak_all};

/// A list of operands as written: each a place or an optional group.
enum Node {
    One(Operand),
    /// One of these: a vector of several possible lengths.
    Either(Vec<Operand>),
    Maybe(Vec<Node>),
}

/// What [`parse`] gives: every operand, and the lists of them that are possible.
pub struct Operands {
    pub all: Vec<Operand>,
    pub lists: Vec<Vec<u8>>,
}

/// Reads the operands of a row with these slots.
pub fn parse(loader: &mut Loader, text: &str, slots: &[Slot]) -> Result<Operands, String> {
    let mut reader = Reader { loader, text, at: 0, slots, bracket: false };
    let nodes = reader.list(None)?;
    Ok(expand(nodes))
}

/// Names of operands at every depth, for the rules to speak of.
pub fn names(operands: &[Operand]) -> Vec<&'static str> {
    let mut all = Vec::new();
    for o in operands {
        all.push(o.name);
        match o.shape {
            Shape::Vector(_, inner) => all.extend(inner.iter().map(|o| o.name)),
            Shape::Bracket(inner, _) => all.extend(names(inner)),
            Shape::Pair(a, b, _) => all.extend([a.name, b.name]),
            _ => {}
        }
    }
    all
}

fn expand(nodes: Vec<Node>) -> Operands {
    let mut all = Vec::new();
    let lists = expand_into(nodes, &mut all);
    Operands { all, lists }
}

fn expand_into(nodes: Vec<Node>, all: &mut Vec<Operand>) -> Vec<Vec<u8>> {
    let mut lists = vec![Vec::new()];
    for node in nodes {
        match node {
            Node::One(operand) => {
                let index = all.len() as u8;
                all.push(operand);
                lists.iter_mut().for_each(|l| l.push(index));
            }
            Node::Either(choices) => {
                let before = std::mem::take(&mut lists);
                for operand in choices {
                    let index = all.len() as u8;
                    all.push(operand);
                    lists.extend(before.iter().map(|list| [list.as_slice(), &[index]].concat()));
                }
            }
            Node::Maybe(group) => {
                let with = expand_into(group, all);
                let mut more = Vec::new();
                for list in &lists {
                    more.extend(with.iter().map(|w| [list.as_slice(), w].concat()));
                }
                lists.extend(more);
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    lists.retain(|l| seen.insert(l.clone()));
    lists
}

struct Reader<'a> {
    loader: &'a mut Loader,
    text: &'a str,
    at: usize,
    slots: &'a [Slot],
    /// Whether the reader is inside brackets, where nothing is a destination.
    bracket: bool,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|c| c.is_whitespace() || c == ',') {
            self.at += 1;
        }
    }

    /// Reads up to `end` (or to the end of the text), commas between operands being understood.
    fn list(&mut self, end: Option<char>) -> Result<Vec<Node>, String> {
        let mut nodes = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None if end.is_none() => return Ok(nodes),
                None => return Err("a bracket is not closed".into()),
                Some(c) if Some(c) == end => {
                    self.at += 1;
                    return Ok(nodes);
                }
                Some('{') if !self.is_vector() => {
                    self.at += 1;
                    nodes.push(Node::Maybe(self.list(Some('}'))?));
                }
                Some(_) => {
                    let operand = self.pair()?;
                    nodes.push(self.lengths(operand)?);
                }
            }
        }
    }

    /// A vector of one length, or with `|2|4` after it of several, where `0` is a register without braces.
    fn lengths(&mut self, operand: Operand) -> Result<Node, String> {
        let Shape::Vector(first, inner) = operand.shape else { return Ok(Node::One(operand)) };
        let choice = |count: Count| match count.source {
            CountSource::Number(0) => {
                Operand { shape: Shape::Register, sink: false, single: true, ..inner[0] }
            }
            _ => Operand { shape: Shape::Vector(count, inner), ..operand },
        };
        let mut choices = vec![choice(first)];
        while self.eat('|') {
            choices.push(choice(self.count()?));
        }
        Ok(if choices.len() == 1 { Node::One(operand) } else { Node::Either(choices) })
    }

    /// Whether the brace here opens a vector: its closing brace is followed by `x` and a count.
    fn is_vector(&self) -> bool {
        let mut depth = 0;
        for (i, c) in self.rest().char_indices() {
            match c {
                '{' => depth += 1,
                '}' => {
                    depth -= 1;
                    if depth == 0 {
                        let after = &self.rest()[i + 1..];
                        let mut chars = after.chars();
                        return chars.next() == Some('x')
                            && chars.next().is_some_and(|c| c == '.' || c.is_ascii_digit());
                    }
                }
                _ => {}
            }
        }
        false
    }

    fn pair(&mut self) -> Result<Operand, String> {
        let first = self.single()?;
        let optional = if self.rest().starts_with("{|") {
            self.at += 2;
            true
        } else if self.peek() == Some('|') && !self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.at += 1;
            false
        } else {
            return Ok(first);
        };
        let second = self.single()?;
        if optional && !self.eat('}') {
            return Err("'{|' is not closed".into());
        }
        let (a, b) = (Box::leak(Box::new(first)), Box::leak(Box::new(second)));
        Ok(Operand { shape: Shape::Pair(a, b, optional), ..blank(a.name) })
    }

    fn single(&mut self) -> Result<Operand, String> {
        if self.eat('{') {
            let mut inner = vec![self.single()?];
            while self.eat(',') {
                self.blanks();
                inner.push(self.single()?);
            }
            if !self.eat('}') || !self.eat('x') {
                return Err("a vector is written {a}x4 or {a, b}x4".into());
            }
            let count = self.count()?;
            let first = inner[0];
            let (written, ty, wider) = (first.written, first.ty, first.wider);
            let shape = Shape::Vector(count, leak_all(inner));
            let operand = Operand { shape, written, ty, wider, ..blank(first.name) };
            return self.suffixes(operand, true);
        }
        if self.eat('[') {
            self.bracket = true;
            let nodes = self.list(Some(']'))?;
            self.bracket = false;
            let Operands { all, lists } = expand(nodes);
            let name = all.first().map_or("a", |o| o.name);
            let mut operand = blank(name);
            operand.space = self.default_space();
            if let Some(first) = all.first().filter(|o| o.space != SpaceOf::Generic) {
                operand.space = first.space;
            }
            let lists = lists.into_iter().map(leak_all).collect();
            operand.shape = Shape::Bracket(leak_all(all), leak_all(lists));
            return self.suffixes(operand, true);
        }
        let mut operand = blank("");
        let mut marked = false;
        loop {
            match self.peek() {
                Some('>') => (operand.written, marked) = (true, true),
                Some('%') => operand.shape = Shape::Register,
                Some('#') => operand.shape = Shape::Constant,
                Some('!') => {
                    operand.shape = Shape::Predicate;
                    operand.ty = TypeOf::Fixed(Type::Pred);
                }
                _ => break,
            }
            self.at += 1;
        }
        operand.negatable = self.eat('-');
        operand.name = self.name()?;
        if operand.name == "_" {
            operand.shape = Shape::Sink;
            return Ok(operand);
        }
        if operand.name.starts_with('d')
            && !self.bracket
            && matches!(operand.shape, Shape::Value | Shape::Register)
            && !marked
        {
            operand.written = true;
        }
        if operand.written {
            operand.shape = Shape::Register;
        }
        self.suffixes(operand, false)
    }

    fn name(&mut self) -> Result<&'static str, String> {
        let rest = self.rest();
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        if end == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(format!("an operand's name is missing before '{rest}'"));
        }
        let name = leak(&rest[..end]);
        self.at += end;
        Ok(name)
    }

    /// Reads the characters of a suffix's argument.
    fn argument(&mut self, allowed: fn(char) -> bool) -> String {
        let rest = self.rest();
        let end = rest.find(|c| !allowed(c)).unwrap_or(rest.len());
        let text = rest[..end].to_owned();
        self.at += end;
        text
    }

    fn suffixes(&mut self, mut operand: Operand, composite: bool) -> Result<Operand, String> {
        let mut typed = composite || !matches!(operand.ty, TypeOf::None);
        loop {
            match self.peek() {
                Some(':') => {
                    self.at += 1;
                    let text = self.argument(|c| c.is_ascii_alphanumeric() || "._:".contains(c));
                    let doubled = self.rest().starts_with("*2");
                    if doubled {
                        self.at += 2;
                    }
                    self.set_type(&mut operand, &text, doubled)?;
                    typed = true;
                }
                Some('+') => {
                    self.at += 1;
                    operand.wider = true;
                }
                Some('@') => {
                    self.at += 1;
                    let text = self.argument(|c| c.is_ascii_alphanumeric() || "._:".contains(c));
                    operand.space = self.space(&text);
                }
                Some('/') => {
                    self.at += 1;
                    match self.argument(|c| c.is_ascii_alphanumeric() || c == '_').as_str() {
                        "sreg" => operand.sreg = true,
                        "var" => operand.var = true,
                        "_" => operand.sink = true,
                        "sel" => operand.selector = true,
                        "share" => operand.share = true,
                        "0f" => operand.single = true,
                        "pred" => operand.predicate = true,
                        other => return Err(format!("'/{other}' is no suffix")),
                    }
                }
                Some('=') => {
                    self.at += 1;
                    operand.cut = self.eat('~');
                    let mut text = self.argument(|c| c.is_ascii_hexdigit() || "x.|-".contains(c));
                    if self.rest().starts_with('/')
                        && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit())
                    {
                        self.at += 1;
                        text += &format!("/{}", self.argument(|c| c.is_ascii_digit()));
                    }
                    operand.ranges = leak_all(ranges(&text)?);
                }
                Some('{') if self.rest().starts_with("{.unified}") => {
                    self.at += "{.unified}".len();
                    operand.unified = true;
                }
                _ => break,
            }
        }
        if !typed {
            operand.ty = self.default_type();
        }
        Ok(operand)
    }

    fn set_type(&mut self, operand: &mut Operand, text: &str, doubled: bool) -> Result<(), String> {
        let shape = match text {
            "label" => Some(Shape::Label),
            "func" => Some(Shape::Function),
            "targets" | "list" => Some(Shape::Targets),
            "proto" => Some(Shape::Prototype),
            "call" => Some(Shape::Call),
            _ => None,
        };
        if let Some(shape) = shape {
            operand.shape = shape;
            return Ok(());
        }
        operand.ty = match text {
            "tex" => TypeOf::Texture,
            "sampler" => TypeOf::Sampler,
            "surf" => TypeOf::Surface,
            "pred" => TypeOf::Fixed(Type::Pred),
            _ => {
                let name = text.strip_prefix('.').ok_or_else(|| format!("'{text}' is no type"))?;
                match self.slots.iter().position(|s| s.name == name) {
                    Some(slot) if doubled => TypeOf::Doubled(slot as u8),
                    Some(slot) => TypeOf::Slot(slot as u8),
                    None => {
                        TypeOf::Fixed(Type::from_name(name).ok_or_else(|| format!("'{text}' is no type"))?)
                    }
                }
            }
        };
        Ok(())
    }

    fn space(&mut self, text: &str) -> SpaceOf {
        match self.slots.iter().position(|s| s.name == &text[1..]) {
            Some(slot) => SpaceOf::Slot(slot as u8),
            None if text == ".generic" => SpaceOf::Generic,
            None => SpaceOf::Fixed(self.loader.word(text)),
        }
    }

    fn default_space(&self) -> SpaceOf {
        let slot = self.slots.iter().position(|s| s.name == "ss" || s.name == "space");
        slot.map_or(SpaceOf::Generic, |s| SpaceOf::Slot(s as u8))
    }

    fn default_type(&self) -> TypeOf {
        if let Some(slot) = self.slots.iter().position(|s| s.name == "type") {
            return TypeOf::Slot(slot as u8);
        }
        let mut literal = self.slots.iter().enumerate().filter(|(_, s)| Type::from_name(s.name).is_some());
        match (literal.next(), literal.next()) {
            (Some((slot, s)), None) if !s.optional => TypeOf::Slot(slot as u8),
            (Some((_, s)), None) => Type::from_name(s.name).map_or(TypeOf::None, TypeOf::Fixed),
            _ => TypeOf::None,
        }
    }

    /// Reads `4`, `.vec`, `.shape.n/2`, `.num*4`.
    fn count(&mut self) -> Result<Count, String> {
        let mut count = Count { source: CountSource::Number(0), times: 1, over: 1 };
        if self.peek() == Some('.') {
            let text = self.argument(|c| c.is_ascii_alphanumeric() || "._:".contains(c));
            let slot = |name: &str| self.slots.iter().position(|s| s.name == name).map(|i| i as u8);
            count.source = match (slot(&text[1..]), text[1..].rsplit_once('.')) {
                (Some(index), _) => CountSource::Slot(index),
                (None, Some((name, field))) if field.len() == 1 => {
                    let index = slot(name).ok_or_else(|| format!("'.{name}' is no slot"))?;
                    CountSource::Field(index, field.chars().next().unwrap_or('n'))
                }
                _ => return Err(format!("'{text}' is no slot of this row")),
            };
        } else {
            let text = self.argument(|c| c.is_ascii_digit());
            count.source = CountSource::Number(text.parse().map_err(|_| "a vector's length is missing")?);
        }
        loop {
            let times = self.peek() == Some('*');
            if !times && self.peek() != Some('/') {
                return Ok(count);
            }
            if !self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) {
                return Ok(count);
            }
            self.at += 1;
            let number: u16 =
                self.argument(|c| c.is_ascii_digit()).parse().map_err(|_| "a factor is missing")?;
            if times {
                count.times *= number;
            } else {
                count.over *= number;
            }
        }
    }
}

fn blank(name: &'static str) -> Operand {
    Operand { name, ..Operand::BLANK }
}
