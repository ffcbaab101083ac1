//! Checks initial values (manual 5.4.4, 5.3): their nesting against the declared dimensions, their types, and the names in
//! them.
//!
//! An initialiser is a flat stream of marks; the check counts the elements of each open brace.

use ptxvm_isa::{Kind, Type, Version};
use ptxvm_syntax::ast::{Declarator, ExpressionId, Initializer, InitializerKind, SpaceKind, Span, Symbol};
use ptxvm_syntax::{Code, Diagnostic, Value};

use crate::codes;
use crate::context::Context;
use crate::declared::Declared;
use crate::entity::{Entity, VariableType};
use crate::module::Use;

/// What an open brace holds.
#[derive(Clone, Copy, Debug)]
enum OpenBrace {
    /// An array of at most so many elements; 0: as many as there are.
    Array { limit: u64, seen: u64 },
    /// A vector of exactly so many.
    Vector { length: u64, seen: u64 },
    /// The fields of an opaque variable.
    Fields,
}

struct Walk<'c, 'a> {
    context: &'c mut Context<'a>,
    declared: Declared,
    /// The sizes of the dimensions, the outermost first.
    sizes: Vec<u64>,
    open: Vec<OpenBrace>,
    /// The position of the first mark in the tree.
    first: u32,
}

/// Checks an initialiser; gives the elements of its outermost dimension, or `None` if it is wrong.
pub fn check(context: &mut Context<'_>, declarator: &Declarator, declared: Declared) -> Option<u64> {
    let file = context.file;
    let sizes = file[declarator.dimensions]
        .iter()
        .map(|d| d.size.and_then(|size| context.constant(size)?.integer()).unwrap_or(0))
        .collect();
    let first = declarator.initializer.start;
    let mut walk = Walk { context, declared, sizes, open: Vec::new(), first };
    match walk.marks(&file[declarator.initializer]) {
        Ok(rows) => Some(rows),
        Err(diagnostic) => {
            if let Some(diagnostic) = diagnostic {
                walk.context.report(*diagnostic);
            }
            None
        }
    }
}

/// Why the walk ends early; `None` if it has been reported.
type Outcome<T> = Result<T, Option<Box<Diagnostic>>>;

fn wrong<T>(code: Code, span: Span, message: impl Into<String>) -> Outcome<T> {
    Err(Some(Box::new(Diagnostic::error(code, span, message).section("5.4.4"))))
}

impl Walk<'_, '_> {
    fn marks(&mut self, marks: &[Initializer]) -> Outcome<u64> {
        let mut rows = 0;
        let mut at = 0;
        while let Some(mark) = marks.get(at) {
            at += 1;
            match mark.kind {
                InitializerKind::Open => self.open(mark.span)?,
                InitializerKind::Close => {
                    if let Some(seen) = self.close(mark.span)? {
                        rows = seen;
                    }
                }
                InitializerKind::Field(field) => {
                    let value = marks.get(at);
                    at += 1;
                    self.field(field, mark.span, value)?;
                }
                _ => at = self.value(marks, at - 1)?,
            }
        }
        if rows == 0 && self.sizes.first() == Some(&0) {
            let span = marks.first().map_or(Span::default(), |m| m.span);
            return wrong(codes::INITIALIZER_SHAPE, span, "an array without a size needs at least one value");
        }
        Ok(rows)
    }

    /// Counts an element of the innermost brace.
    fn count(&mut self, span: Span) -> Outcome<()> {
        match self.open.last_mut() {
            Some(OpenBrace::Array { limit, seen }) => {
                *seen += 1;
                if *limit != 0 && *seen > *limit {
                    let message = format!("this dimension has {limit} elements, and this is one more");
                    return wrong(codes::INITIALIZER_SHAPE, span, message);
                }
            }
            Some(OpenBrace::Vector { seen, .. }) => *seen += 1,
            Some(OpenBrace::Fields) | None => {}
        }
        Ok(())
    }

    fn open(&mut self, span: Span) -> Outcome<()> {
        self.count(span)?;
        let depth = self.open.len();
        let opaque = self.declared.ty.data().is_none();
        let level = if depth < self.sizes.len() {
            OpenBrace::Array { limit: self.sizes[depth], seen: 0 }
        } else if depth == self.sizes.len() && opaque {
            OpenBrace::Fields
        } else if depth == self.sizes.len() && self.declared.vector > 1 {
            OpenBrace::Vector { length: u64::from(self.declared.vector), seen: 0 }
        } else {
            return wrong(codes::INITIALIZER_SHAPE, span, "a value is expected here, not a list");
        };
        self.open.push(level);
        Ok(())
    }

    /// Closes a brace; gives the count of the outermost one.
    fn close(&mut self, span: Span) -> Outcome<Option<u64>> {
        match self.open.pop() {
            Some(OpenBrace::Vector { length, seen }) if seen != length => {
                let message = format!("this vector has {length} elements, but {seen} are given");
                wrong(codes::INITIALIZER_SHAPE, span, message)
            }
            Some(OpenBrace::Array { seen, .. }) if self.open.is_empty() => Ok(Some(seen)),
            _ => Ok(None),
        }
    }

    /// A value that is no list: it must stand where an element belongs. Gives the position after it.
    fn value(&mut self, marks: &[Initializer], at: usize) -> Outcome<usize> {
        let mark = &marks[at];
        if matches!(self.open.last(), Some(OpenBrace::Fields)) {
            let name = self.declared.ty.name();
            let message = format!("a `.{name}` is initialised by named fields, such as `width = 4`");
            return wrong(codes::INITIALIZER_FIELD, mark.span, message);
        }
        self.count(mark.span)?;
        let opaque = self.declared.ty.data().is_none();
        let vector = usize::from(self.declared.vector > 1 || opaque);
        if self.open.len() != self.sizes.len() + vector {
            return wrong(codes::INITIALIZER_SHAPE, mark.span, "a list in braces is expected here");
        }
        let VariableType::Data(ty) = self.declared.ty else {
            return wrong(codes::INITIALIZER_SHAPE, mark.span, "a list in braces is expected here");
        };
        match mark.kind {
            InitializerKind::Mask(mask) => self.masked(marks, at, mask, ty),
            InitializerKind::Name(name) => self.address(marks, at, name, false, ty, false),
            InitializerKind::Generic(name) => self.address(marks, at, name, true, ty, false),
            InitializerKind::Integer(_) => {
                self.constant(Kind::Signed, mark.span, ty)?;
                Ok(at + 1)
            }
            InitializerKind::Expression(id) => {
                let value = self.context.constant(id).ok_or(None)?;
                let kind = match value {
                    Value::Integer { .. } => Kind::Signed,
                    Value::Single(_) | Value::Double(_) => Kind::Float,
                };
                self.constant(kind, mark.span, ty)?;
                Ok(at + 1)
            }
            _ => Ok(at + 1),
        }
    }

    /// Whether a constant of this kind can be the value of an element of that type.
    fn constant(&self, kind: Kind, span: Span, ty: Type) -> Outcome<()> {
        if matches!(ty, Type::F16 | Type::F16x2) {
            let message = format!("a `.{}` variable cannot have an initial value", ty.name());
            return wrong(codes::INITIALIZER_TYPE, span, message);
        }
        let fits = match ty.kind() {
            Kind::Bits => true,
            Kind::Signed | Kind::Unsigned => kind == Kind::Signed,
            Kind::Float => kind == Kind::Float,
            Kind::Predicate | Kind::Packed => false,
        };
        if fits {
            return Ok(());
        }
        let (found, wanted) = match kind {
            Kind::Float => ("a floating-point constant", "an integer"),
            _ => ("an integer constant", "a floating-point constant such as `1.0`"),
        };
        let message = format!("{found} cannot initialise a `.{}`; write {wanted}", ty.name());
        wrong(codes::INITIALIZER_TYPE, span, message)
    }

    /// `0xff00(x + 4)`: one byte of an address or integer.
    fn masked(&mut self, marks: &[Initializer], at: usize, mask: ExpressionId, ty: Type) -> Outcome<usize> {
        let span = marks[at].span;
        if self.context.language.ptx < Version::new(7, 1) {
            self.context.lack("a mask in an initialiser", "PTX 7.1".into(), span, "5.4.4");
        }
        let value = self.context.constant(mask).and_then(Value::integer).ok_or(None)?;
        if !(0..8).any(|byte| value == 0xff << (8 * byte)) {
            let message = format!("the mask {value:#x} does not select one byte");
            return wrong(codes::INITIALIZER_TYPE, span, message);
        }
        match marks.get(at + 1).map(|m| (m.kind, m.span)) {
            Some((InitializerKind::Name(name), _)) => self.address(marks, at + 1, name, false, ty, true),
            Some((InitializerKind::Generic(name), _)) => self.address(marks, at + 1, name, true, ty, true),
            Some((InitializerKind::Expression(id), span)) => {
                if self.context.language.ptx < Version::new(7, 2) {
                    self.context.lack("a mask of an integer", "PTX 7.2".into(), span, "5.4.4");
                }
                self.context.constant(id).ok_or(None)?;
                self.constant(Kind::Signed, span, ty)?;
                Ok(at + 2)
            }
            _ => Ok(at + 2),
        }
    }

    /// The address of a variable or function, with the offset that may follow it.
    fn address(
        &mut self,
        marks: &[Initializer],
        at: usize,
        name: Symbol,
        generic: bool,
        ty: Type,
        masked: bool,
    ) -> Outcome<usize> {
        let span = marks[at].span;
        let text = self.context.text(name);
        let interner = &self.context.file.interner;
        let offset = marks.get(at + 1).and_then(|m| match m.kind {
            InitializerKind::Offset(id) => Some(id),
            _ => None,
        });
        let entity = self.context.scopes.resolve(name, interner);
        match entity {
            Some(Entity::Variable(v)) if matches!(v.space, SpaceKind::Global | SpaceKind::Const) => {
                self.need(Version::new(2, 1), 10, "an address as an initial value", span);
                if generic {
                    self.need(Version::new(3, 1), 10, "`generic()`", span);
                }
            }
            Some(Entity::Variable(_)) => {
                let message =
                    format!("`{text}` is not in `.global` or `.const`, so its address is not a constant");
                return wrong(codes::INITIALIZER_NAME, span, message);
            }
            Some(Entity::Function(function)) if !generic && offset.is_none() => {
                let entry = self.context.function(function).kind == ptxvm_syntax::ast::FunctionKind::Entry;
                if entry {
                    self.need(Version::new(3, 1), 35, "a kernel as an initial value", span);
                } else {
                    self.need(Version::new(2, 1), 20, "a function as an initial value", span);
                }
            }
            Some(Entity::Function(_)) => {
                let message =
                    format!("`{text}` is a function: its address takes no offset and no `generic()`");
                return wrong(codes::INITIALIZER_NAME, span, message);
            }
            Some(_) => {
                let message =
                    format!("`{text}` is neither a variable nor a function, so it has no constant address");
                return wrong(codes::INITIALIZER_NAME, span, message);
            }
            None => {
                let message = format!("`{text}` has not been declared");
                return wrong(codes::INITIALIZER_NAME, span, message);
            }
        }
        let fits = matches!(ty, Type::U32 | Type::U64) || masked && ty == Type::U8;
        if !fits {
            let message = format!("an address cannot initialise a `.{}`", ty.name());
            let help = "declare the variable as `.u64`, or as `.u8` and take one byte: `0xff(name)`";
            let diagnostic = Diagnostic::error(codes::INITIALIZER_TYPE, span, message).help(help);
            return Err(Some(Box::new(diagnostic.section("5.4.4"))));
        }
        if let Some(offset) = offset {
            self.context.constant(offset).ok_or(None)?;
        }
        if let Some(entity) = entity {
            self.context.module.initial_names.push((self.first + at as u32, Use::pack(entity)));
        }
        Ok(at + 1 + usize::from(offset.is_some()))
    }

    fn need(&mut self, ptx: Version, sm: u16, what: &str, span: Span) {
        let target = ptxvm_isa::Target { sm, suffix: ptxvm_isa::Suffix::Plain };
        if self.context.language.ptx < ptx || !self.context.language.target.meets(target) {
            self.context.lack(what, format!("PTX {ptx} on {target} and later"), span, "5.4.4");
        }
    }

    /// `width = 4` in the braces of an opaque variable.
    fn field(&mut self, field: Symbol, span: Span, value: Option<&Initializer>) -> Outcome<()> {
        let name = self.context.text(field);
        let ty = self.declared.ty;
        if !matches!(self.open.last(), Some(OpenBrace::Fields)) {
            let message = "only a `.texref`, `.samplerref` or `.surfref` has fields";
            return wrong(codes::INITIALIZER_SHAPE, span, message);
        }
        if !has_field(ty, name) {
            let message = format!("a `.{}` has no field `{name}`", ty.name());
            return wrong(codes::INITIALIZER_FIELD, span, message);
        }
        let Some(value) = value else { return Ok(()) };
        match value.kind {
            InitializerKind::Name(word) => {
                let word = self.context.text(word);
                if !FIELD_WORDS.contains(&word) {
                    let message = format!("`{word}` is not a value of a field");
                    return wrong(codes::INITIALIZER_FIELD, value.span, message);
                }
            }
            InitializerKind::Expression(id) => {
                self.context.constant(id).ok_or(None)?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// The words that a field can be given.
const FIELD_WORDS: [&str; 7] =
    ["nearest", "linear", "wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"];

/// Whether an opaque type has a field of this name; ptxas does not mind which texture mode it belongs to.
fn has_field(ty: VariableType, name: &str) -> bool {
    let sampler = matches!(name, "filter_mode" | "addr_mode_0" | "addr_mode_1" | "addr_mode_2");
    let shape =
        matches!(name, "width" | "height" | "depth" | "channel_data_type" | "channel_order" | "array_size");
    match ty {
        VariableType::Texref => {
            sampler || shape || matches!(name, "normalized_coords" | "num_mipmap_levels" | "num_samples")
        }
        VariableType::Samplerref => sampler || name == "force_unnormalized_coords",
        VariableType::Surfref => shape || name == "memory_layout",
        VariableType::Data(_) => false,
    }
}
