//! Finds the entity that a name means at the place where it is used.
//!
//! # For code that checks instructions
//!
//! `instruction::check(inst, &mut Context)` is called for every instruction, in source order, after the body's walker
//! has resolved each name in its guard and operands with [`Scopes::resolve`]. So the check itself only asks
//! [`crate::context::Context::lookup`], which reads one slot of a dense table. A `None` means that nothing of that
//! name is in scope. The walker has already reported it (E0201), so ignore that operand.
//! Report with `context.report(Diagnostic)`. Versions and targets are in `context.language`, the address size in
//! `context.address_size`. Constant expressions are evaluated by [`crate::constant::evaluate`].
//!
//! # How names behave (as ptxas 13.1 does it)
//!
//! - Blocks nest; an inner declaration hides an outer one from there on. Only a label can be used before it is declared,
//!   and only if its name means nothing else at that point.
//! - `%r<100>` declares a *range*. A use `%r17` is looked up as the prefix before all its trailing digits, `%r`, and
//!   the number 17 (leading zeros do not matter, and the number is taken modulo 2^32). A range takes precedence over
//!   a single name of its own scope.
//! - Special registers belong to the module's scope: a function may hide them, the module may not.
//!
//! # How it is kept
//!
//! One slot per symbol holds the innermost meaning, with the scope it belongs to. An undo log keeps what a scope hides, and
//! restores it when the scope closes. A member of a range takes its slot the first time it is used.

use ptxvm_syntax::ast::{Span, Symbol};
use ptxvm_syntax::intern::Interner;

use rustc_hash::FxHashMap;

use crate::entity::{Entity, LabelId};
use crate::member::{Member, Members, has_leading_zero, nth};

/// Depth of a scope: 1 the module with the special registers, 2 a function's parameters and body.
pub type Depth = u32;

/// The meaning of a symbol and where it was given.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// What it stands for.
    pub entity: Entity,
    /// The scope that holds it.
    pub depth: Depth,
    /// Where it was declared.
    pub span: Span,
}

/// A range of names `prefix0 … prefixN-1`.
#[derive(Clone, Copy, Debug)]
struct Range {
    /// What `prefix0` stands for; the others follow it.
    first: Entity,
    count: u32,
    depth: Depth,
    span: Span,
}

/// What a scope's end puts back.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Binding(Symbol, Option<Binding>),
    Range(Symbol),
    Label(Symbol, u32),
}

/// An open scope.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// The length of the undo log when it opened.
    undo: usize,
    /// Its number among all scopes of the file.
    serial: u32,
    /// The deepest open scope that declares a range.
    ranges: Depth,
}

/// Single names that end in numbers.
#[derive(Clone, Copy, Debug)]
struct Singles {
    /// The lowest of their numbers.
    lowest: u32,
    /// The lowest among those that a range must not name, and where it stands.
    clashing: Option<(u32, Span)>,
}

/// So many ranges of one prefix are searched from the innermost outwards; nobody nests more.
const MOST_NESTED: usize = 256;

/// No label.
const NONE: u32 = u32::MAX;

/// The names in scope at one place of the file.
#[derive(Debug)]
pub struct Scopes {
    /// By symbol.
    bindings: Vec<Option<Binding>>,
    /// By symbol: the innermost label of that name in the open blocks, also one further down; `NONE` without.
    labels: Vec<u32>,
    /// By symbol: the serial number of the scope in which it was last used as a label.
    label_uses: Vec<u32>,
    members: Members,
    /// By prefix: the ranges in scope, the innermost last.
    ranges: FxHashMap<Symbol, Vec<Range>>,
    /// By scope and prefix: the single names of that scope that a range could name too.
    singles: FxHashMap<(u32, Symbol), Singles>,
    undo: Vec<Undo>,
    open: Vec<Open>,
    serials: u32,
}

/// A name is declared that the scope already has; where the earlier one stands.
#[derive(Clone, Copy, Debug)]
pub struct Clash(pub Span);

impl Scopes {
    /// A table for the symbols of one file, with only the outermost scope open.
    #[must_use]
    pub fn new(interner: &Interner) -> Self {
        let symbols = interner.len();
        Self {
            bindings: vec![None; symbols],
            labels: vec![NONE; symbols],
            label_uses: vec![0; symbols],
            members: Members::new(symbols),
            ranges: FxHashMap::default(),
            singles: FxHashMap::default(),
            undo: Vec::new(),
            open: Vec::new(),
            serials: 0,
        }
    }

    /// The depth of the innermost open scope.
    #[must_use]
    pub fn depth(&self) -> Depth {
        self.open.len() as Depth
    }

    /// Opens a scope.
    pub fn enter(&mut self) {
        self.serials += 1;
        let ranges = self.open.last().map_or(0, |open| open.ranges);
        self.open.push(Open { undo: self.undo.len(), serial: self.serials, ranges });
    }

    /// Closes the innermost scope and puts back what it hid.
    pub fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        for undo in self.undo.drain(open.undo..).rev() {
            match undo {
                Undo::Binding(symbol, before) => self.bindings[symbol.0 as usize] = before,
                Undo::Label(symbol, before) => self.labels[symbol.0 as usize] = before,
                Undo::Range(prefix) => {
                    if let Some(ranges) = self.ranges.get_mut(&prefix) {
                        ranges.pop();
                    }
                }
            }
        }
    }

    /// The meaning of a symbol that [`Self::resolve`] has been asked about in this scope. Reads one slot.
    #[must_use]
    pub fn lookup(&self, symbol: Symbol) -> Option<Entity> {
        match self.bindings.get(symbol.0 as usize)? {
            Some(Binding { entity: Entity::Label(_), .. }) | None => match self.labels[symbol.0 as usize] {
                NONE => None,
                label => Some(Entity::Label(LabelId(label))),
            },
            Some(binding) => Some(binding.entity),
        }
    }

    /// The binding of a symbol, labels further down left out.
    #[must_use]
    pub fn binding(&self, symbol: Symbol) -> Option<Binding> {
        self.bindings[symbol.0 as usize]
    }

    /// The meaning of a symbol here, members of ranges and labels further down included.
    #[inline]
    pub fn resolve(&mut self, symbol: Symbol, interner: &Interner) -> Option<Entity> {
        let ranges = self.open.last().map_or(0, |open| open.ranges);
        match self.bindings[symbol.0 as usize] {
            Some(Binding { entity, depth, .. }) if depth >= ranges && !matches!(entity, Entity::Label(_)) => {
                Some(entity)
            }
            _ => self.resolve_slowly(symbol, interner),
        }
    }

    #[cold]
    fn resolve_slowly(&mut self, symbol: Symbol, interner: &Interner) -> Option<Entity> {
        if let Some(member) = self.member(symbol, interner) {
            self.bind(symbol, member);
            return Some(member.entity);
        }
        let entity = self.lookup(symbol);
        if matches!(entity, Some(Entity::Label(_))) {
            self.label_uses[symbol.0 as usize] = self.serial();
        }
        entity
    }

    /// The member of the innermost range that the symbol names, unless a single name hides that range.
    fn member(&mut self, symbol: Symbol, interner: &Interner) -> Option<Binding> {
        let Member { prefix, number } = self.members.of(symbol, interner)?;
        let ranges = self.ranges.get(&prefix)?;
        let range = ranges.iter().rev().take(MOST_NESTED).find(|range| number < range.count)?;
        if self.bindings[symbol.0 as usize].is_some_and(|b| b.depth > range.depth) {
            return None;
        }
        Some(Binding { entity: nth(range.first, number), depth: range.depth, span: range.span })
    }

    /// For a name that means nothing: the range of its prefix, if there is one, and where it stands.
    pub fn range_near(&mut self, symbol: Symbol, interner: &Interner) -> Option<(u32, Span)> {
        let split = self.members.of(symbol, interner)?;
        self.ranges.get(&split.prefix)?.last().map(|range| (range.count, range.span))
    }

    /// Gives a name its meaning in the innermost scope.
    ///
    /// A range that comes later may not name the same thing; but ptxas only minds at module level and among
    /// registers, and not if the single one is a parameter. Otherwise the range simply goes first.
    ///
    /// # Errors
    /// The scope has that name already, as a single name or as a member of a range.
    pub fn declare(
        &mut self,
        symbol: Symbol,
        entity: Entity,
        span: Span,
        interner: &Interner,
    ) -> Result<(), Clash> {
        let clashes = self.depth() <= 1 || matches!(entity, Entity::Register(_));
        self.declare_single(symbol, entity, span, interner, clashes)
    }

    /// The same for a parameter of a function.
    ///
    /// # Errors
    /// The scope has that name already.
    pub fn declare_parameter(
        &mut self,
        symbol: Symbol,
        entity: Entity,
        span: Span,
        interner: &Interner,
    ) -> Result<(), Clash> {
        self.declare_single(symbol, entity, span, interner, false)
    }

    fn declare_single(
        &mut self,
        symbol: Symbol,
        entity: Entity,
        span: Span,
        interner: &Interner,
        clashes: bool,
    ) -> Result<(), Clash> {
        let depth = self.depth();
        let here = |binding: &Binding| binding.depth == depth;
        if let Some(earlier) = self.member(symbol, interner).filter(here) {
            return Err(Clash(earlier.span));
        }
        if let Some(earlier) = self.bindings[symbol.0 as usize].filter(here) {
            return Err(Clash(earlier.span));
        }
        if let Some(Member { prefix, number }) = self.members.of(symbol, interner) {
            let key = (self.serial(), prefix);
            let singles = self.singles.entry(key).or_insert(Singles { lowest: number, clashing: None });
            singles.lowest = singles.lowest.min(number);
            let lower = singles.clashing.is_none_or(|(lowest, _)| number < lowest);
            if clashes && lower && !has_leading_zero(interner.text(symbol)) {
                singles.clashing = Some((number, span));
            }
        }
        self.bind(symbol, Binding { entity, depth, span });
        Ok(())
    }

    /// Gives `prefix0` to `prefix(count-1)` their meaning in the innermost scope.
    ///
    /// # Errors
    /// The scope has such a range or one of those names already.
    pub fn declare_range(
        &mut self,
        prefix: Symbol,
        count: u32,
        first: Entity,
        span: Span,
    ) -> Result<(), Clash> {
        let (depth, serial) = (self.depth(), self.serial());
        let singles = self.singles.get(&(serial, prefix)).filter(|singles| singles.lowest < count).copied();
        if let Some(Singles { clashing: Some((number, earlier)), .. }) = singles
            && number < count
            && (depth <= 1 || matches!(first, Entity::Register(_)))
        {
            return Err(Clash(earlier));
        }
        let ranges = self.ranges.entry(prefix).or_default();
        if let Some(earlier) = ranges.last()
            && earlier.depth == depth
        {
            return Err(Clash(earlier.span));
        }
        ranges.push(Range { first, count, depth, span });
        self.undo.push(Undo::Range(prefix));
        if let Some(open) = self.open.last_mut() {
            // A range goes before the single names of its scope, so these must not be found the quick way.
            open.ranges = if singles.is_some() { depth + 1 } else { depth.max(open.ranges) };
        }
        Ok(())
    }

    /// Whether the innermost scope has a range of this prefix.
    #[must_use]
    pub fn has_range(&self, prefix: Symbol) -> bool {
        let innermost = self.ranges.get(&prefix).and_then(|ranges| ranges.last());
        innermost.is_some_and(|range| range.depth == self.depth())
    }

    /// Makes a label of the block that has just been opened known before it is reached.
    pub fn announce_label(&mut self, symbol: Symbol, label: LabelId) {
        let slot = &mut self.labels[symbol.0 as usize];
        self.undo.push(Undo::Label(symbol, *slot));
        *slot = label.0;
    }

    /// Puts a name that [`Self::announce_label`] knows, or that names a target list or prototype, in its place.
    ///
    /// # Errors
    /// The scope has that name already. A range does not count: it and a label may share a name.
    pub fn declare_label(&mut self, symbol: Symbol, entity: Entity, span: Span) -> Result<(), Clash> {
        let depth = self.depth();
        if let Some(earlier) = self.bindings[symbol.0 as usize].filter(|b| b.depth == depth) {
            return Err(Clash(earlier.span));
        }
        self.bind(symbol, Binding { entity, depth, span });
        Ok(())
    }

    /// Whether the innermost scope itself has used this name as a label.
    #[must_use]
    pub fn used_as_label(&self, symbol: Symbol) -> bool {
        let serial = self.serial();
        serial != 0 && self.label_uses[symbol.0 as usize] == serial
    }

    /// Gives a name its meaning in the module's scope, from wherever; the module's scope is never put back.
    ///
    /// # Errors
    /// An inner scope has that name.
    pub fn declare_global(&mut self, symbol: Symbol, entity: Entity, span: Span) -> Result<(), Clash> {
        let slot = &mut self.bindings[symbol.0 as usize];
        if let Some(binding) = slot
            && binding.depth > 1
        {
            return Err(Clash(binding.span));
        }
        *slot = Some(Binding { entity, depth: 1, span });
        Ok(())
    }

    fn serial(&self) -> u32 {
        self.open.last().map_or(0, |open| open.serial)
    }

    fn bind(&mut self, symbol: Symbol, binding: Binding) {
        let slot = &mut self.bindings[symbol.0 as usize];
        self.undo.push(Undo::Binding(symbol, *slot));
        *slot = Some(binding);
    }
}
