//! The initial bytes of a variable (manual 5.4.4), and the addresses to be put into them.

use ptxvm_isa::{Kind, Type};
use ptxvm_module::entity::VariableType;
use ptxvm_module::module::{self, Used};
use ptxvm_syntax::ast::{ExpressionId, Initializer, InitializerKind, Span};

use crate::id::VariableId;
use crate::lower::constant;
use crate::lower::lowering::Lowering;
use crate::lower::opaque;
use crate::variable::{Relocation, RelocationTarget};

/// More zeros than this are not kept between the initial bytes of a module: `{{1}, {1}}` may stand for two rows of a
/// gigabyte each.
const MOST_ZEROS: u64 = 1 << 25;
/// What a byte of an initialiser gives at most: `a,` is an address, which is 8 bytes and has to be remembered.
const WEIGHT: u64 = 64;

/// What an initialiser gives.
type Initial = (Vec<u8>, Vec<Relocation>);

/// The walk through the marks of one initialiser.
struct InitialiserWalk {
    ty: Type,
    /// The distance between neighbours at each depth of braces, the outermost first.
    strides: Vec<u64>,
    /// For each open brace: where it begins, and how many elements it has had.
    open: Vec<(u64, u64)>,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
    /// How long the bytes may grow.
    most: u64,
}

impl Lowering<'_> {
    /// The initial bytes of each of `count` equal variables.
    pub fn initial(&mut self, described: &module::Variable, count: u32) -> Initial {
        let file = self.file;
        let VariableType::Data(ty) = described.ty else { return Initial::default() };
        if described.initializer.is_empty() || count == 0 {
            return Initial::default();
        }
        let mut strides = Vec::new();
        let element = described.ty.bytes();
        if described.vector > 1 {
            strides.push(element);
        }
        let mut stride = element * u64::from(described.vector);
        for dimension in file[described.dimensions].iter().rev() {
            strides.push(stride);
            let size = dimension.size.and_then(|size| self.integer(size)).unwrap_or(0);
            stride = stride.saturating_mul(size);
        }
        strides.reverse();
        let all = MOST_ZEROS + WEIGHT * self.source.len() as u64;
        let most = all.saturating_sub(self.initial_bytes) / u64::from(count);
        let open = Vec::new();
        let mut walk =
            InitialiserWalk { ty, strides, open, bytes: Vec::new(), relocations: Vec::new(), most };
        if self.marks(&mut walk, &file[described.initializer], described.initializer.start).is_none() {
            return Initial::default();
        }
        self.initial_bytes += walk.taken() * u64::from(count);
        (walk.bytes, walk.relocations)
    }

    fn marks(&mut self, walk: &mut InitialiserWalk, marks: &[Initializer], first: u32) -> Option<()> {
        let mut at = 0;
        while let Some(mark) = marks.get(at) {
            match mark.kind {
                InitializerKind::Open => {
                    let begin = walk.next(mark.span, self)?;
                    walk.open.push((begin, 0));
                }
                InitializerKind::Close => {
                    walk.open.pop();
                }
                InitializerKind::Mask(mask) => {
                    let begin = walk.next(mark.span, self)?;
                    let shift = self.integer(mask)?.trailing_zeros() as u8 & 56;
                    at += 1;
                    let value = marks.get(at)?;
                    match value.kind {
                        InitializerKind::Integer(_) | InitializerKind::Expression(_) => {
                            let bits = self.masked(value.kind, shift)?;
                            self.store(walk, begin, bits, value.span)?;
                        }
                        _ => at = self.name(walk, marks, at, first, begin, Some(shift))?,
                    }
                }
                InitializerKind::Name(_) | InitializerKind::Generic(_) => {
                    let begin = walk.next(mark.span, self)?;
                    at = self.name(walk, marks, at, first, begin, None)?;
                }
                InitializerKind::Integer(value) => {
                    let begin = walk.next(mark.span, self)?;
                    self.store(walk, begin, u128::from(value), mark.span)?;
                }
                InitializerKind::Expression(id) => {
                    let begin = walk.next(mark.span, self)?;
                    let bits = self.element_bits(id, walk.ty)?;
                    self.store(walk, begin, bits, mark.span)?;
                }
                // An offset has been taken with its name; opaque variables have no bytes.
                InitializerKind::Offset(_) | InitializerKind::Field(_) => {}
            }
            at += 1;
        }
        Some(())
    }

    /// The bits of a constant in an element of this type.
    fn element_bits(&mut self, id: ExpressionId, ty: Type) -> Option<u128> {
        let value = self.constant(id)?;
        match constant::initial(value, ty) {
            Some(bits) => Some(u128::from(bits)),
            None => {
                self.unresolved(self.file[id].span);
                None
            }
        }
    }

    /// The byte of an integer that a mask selects.
    fn masked(&mut self, value: InitializerKind, shift: u8) -> Option<u128> {
        let value = match value {
            InitializerKind::Integer(value) => u64::from(value),
            InitializerKind::Expression(id) => self.integer(id)?,
            _ => return None,
        };
        Some(u128::from(value >> shift & 0xff))
    }

    /// The address of a variable or function; gives the position of its last mark.
    fn name(
        &mut self,
        walk: &mut InitialiserWalk,
        marks: &[Initializer],
        at: usize,
        first: u32,
        begin: u64,
        mask: Option<u8>,
    ) -> Option<usize> {
        let mark = marks[at];
        let target = match self.module.initial_name(first + at as u32) {
            Some(Used::Variable(id)) => RelocationTarget::Variable(VariableId(id.0)),
            Some(Used::Function(id)) => RelocationTarget::Function(self.callee(id)),
            _ => {
                self.unresolved(mark.span);
                return None;
            }
        };
        let offset = match marks.get(at + 1).map(|next| next.kind) {
            Some(InitializerKind::Offset(id)) => Some(self.integer(id)?.cast_signed()),
            _ => None,
        };
        let opaque = match self.module.initial_name(first + at as u32) {
            Some(Used::Variable(id)) => opaque::kind(self.module.variable(id)).is_some(),
            _ => false,
        };
        let addend = offset.unwrap_or(0) / if opaque { opaque::BYTES } else { 1 };
        let bytes = if mask.is_some() { 1 } else { (walk.ty.bits() / 8) as u8 };
        // The bytes under an address must be there, for the engine writes into them.
        self.store(walk, begin, 0, mark.span)?;
        walk.relocations.push(Relocation {
            at: begin,
            bytes,
            shift: mask.unwrap_or(0),
            target,
            addend,
            generic: matches!(mark.kind, InitializerKind::Generic(_)),
        });
        Some(at + usize::from(offset.is_some()))
    }

    fn store(&mut self, walk: &mut InitialiserWalk, begin: u64, bits: u128, span: Span) -> Option<()> {
        let size = u64::from(walk.ty.bits() / 8);
        let end = begin.checked_add(size).filter(|&end| end.max(walk.taken()) <= walk.most);
        let Some(end) = end else {
            self.unsupported(span, format!("the module has more than {} initial bytes", walk.most));
            return None;
        };
        if walk.bytes.len() < end as usize {
            walk.bytes.resize(end as usize, 0);
        }
        let bits = if walk.ty.kind() == Kind::Predicate { 0 } else { bits };
        walk.bytes[begin as usize..end as usize].copy_from_slice(&bits.to_le_bytes()[..size as usize]);
        Some(())
    }
}

impl InitialiserWalk {
    /// The memory of the bytes and addresses so far.
    fn taken(&self) -> u64 {
        (self.bytes.len() + size_of_val(&*self.relocations)) as u64
    }

    /// Where the next element of the innermost brace begins.
    fn next(&mut self, span: Span, lowering: &mut Lowering<'_>) -> Option<u64> {
        let depth = self.open.len();
        let Some((begin, seen)) = self.open.last_mut() else { return Some(0) };
        let Some(stride) = self.strides.get(depth - 1) else {
            lowering.unresolved(span);
            return None;
        };
        let at = begin.saturating_add(seen.saturating_mul(*stride));
        *seen += 1;
        Some(at)
    }
}
