//! The type, vector length, size and alignment that a declaration gives, and whether they are allowed in its state space
//! (manual 5.1, 5.2, 5.4).

use ptxvm_isa::Type;
use ptxvm_isa::target::{Suffix, Target};
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::{Align, Declaration, Declarator, SpaceKind, Span};

use crate::codes;
use crate::context::Context;
use crate::entity::VariableType;
use crate::module::{TextureMode, is_fundamental};

/// Where a declaration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At module level.
    Module,
    /// In a function's body.
    Body,
    /// In a kernel's parameter list.
    EntryParameter,
    /// In a device function's parameter lists.
    FuncParameter,
    /// In the parameter lists of a `.callprototype` or of a function without body, where ptxas looks at little.
    Prototype,
}

/// What a declaration says of all its names.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// The type of an element.
    pub ty: VariableType,
    /// The length of the vector type: 1, 2 or 4.
    pub vector: u8,
    /// The alignment asked for.
    pub align: Option<u32>,
}

/// The dimensions of one declared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// No array.
    Scalar,
    /// An array of so many elements, modulo 2^64.
    Array(u64),
    /// An array whose first dimension is not given (or is 0), and the elements of the others together.
    Incomplete(u64),
}

impl Declared {
    /// The bytes of one element, a vector counted as one.
    #[must_use]
    pub fn element(self) -> u64 {
        self.ty.bytes() * u64::from(self.vector)
    }

    /// The alignment: that of an element, or more if more is asked for.
    #[must_use]
    pub fn alignment(self) -> u32 {
        self.align.unwrap_or(1).max(self.element() as u32)
    }
}

/// Reads the type and alignment of a declaration; `None` if there is no such type, which has been reported.
pub fn declared(context: &mut Context<'_>, declaration: &Declaration, place: Place) -> Option<Declared> {
    let align = match declaration.align_after_type.or(declaration.align) {
        Some(align) => alignment(context, align),
        None => None,
    };
    if let (Some(first), Some(_)) = (declaration.align, declaration.align_after_type) {
        alignment(context, first);
    }
    let text = context.text(declaration.ty.symbol);
    let span = declaration.ty.span;
    let ty = match text {
        "texref" => VariableType::Texref,
        "samplerref" => VariableType::Samplerref,
        "surfref" => VariableType::Surfref,
        _ => match Type::from_name(text) {
            Some(ty) if is_fundamental(ty) || lenient(ty, declaration, place, context) => {
                VariableType::Data(ty)
            }
            found => {
                let message = match found {
                    Some(_) => format!("`.{text}` is a type of instructions only"),
                    None => format!("there is no type `.{text}`"),
                };
                let mut diagnostic = Diagnostic::error(codes::DECLARED_TYPE, span, message).section("5.2.1");
                if let Some(ty) = found {
                    let bits = ty.bits().next_power_of_two().max(8);
                    diagnostic = diagnostic.help(format!("declare it as `.b{bits}`"));
                }
                context.report(diagnostic);
                return None;
            }
        },
    };
    type_need(context, ty, span);
    let vector = vector(context, declaration, ty)?;
    Some(Declared { ty, vector, align })
}

/// ptxas lets packed types pass in prototypes and as element types of parameters that are arrays.
fn lenient(ty: Type, declaration: &Declaration, place: Place, context: &Context<'_>) -> bool {
    let array = |d: &Declarator| !d.dimensions.is_empty();
    let grammatical = !matches!(
        ty,
        Type::B1
            | Type::B4
            | Type::U4
            | Type::S4
            | Type::Bf16
            | Type::Bf16x2
            | Type::Tf32
            | Type::U8x4
            | Type::S8x4
            | Type::E2m3
            | Type::E3m2
            | Type::E2m1
            | Type::Ue8m0
            | Type::Ue4m3
    );
    grammatical
        && match place {
            Place::Prototype => true,
            Place::EntryParameter | Place::FuncParameter => {
                context.file[declaration.declarators].iter().all(array)
            }
            Place::Module | Place::Body => false,
        }
}

fn type_need(context: &mut Context<'_>, ty: VariableType, span: Span) {
    const fn sm(sm: u16) -> Target {
        Target { sm, suffix: Suffix::Plain }
    }
    let (ptx, target, section) = match ty {
        VariableType::Data(Type::B128) => ((8, 3), sm(70), "5.2.1"),
        VariableType::Data(Type::F16x2) => ((4, 2), sm(53), "5.2.1"),
        VariableType::Data(_) => return,
        _ => ((1, 5), sm(10), "5.3"),
    };
    let version = ptxvm_isa::Version::new(ptx.0, ptx.1);
    if context.language.ptx < version || !context.language.target.meets(target) {
        let need = format!("PTX {version} on {target} and later");
        context.lack(&format!("the type `.{}`", ty.name()), need, span, section);
    }
}

fn vector(context: &mut Context<'_>, declaration: &Declaration, ty: VariableType) -> Option<u8> {
    let Some(word) = declaration.vector else { return Some(1) };
    let length: u8 = match context.text(word.symbol) {
        "v2" => 2,
        "v4" => 4,
        _ => 0,
    };
    let message = match ty {
        _ if length == 0 => "a declared vector has two or four elements".to_owned(),
        VariableType::Data(Type::Pred) => "a predicate is always a scalar".to_owned(),
        VariableType::Data(ty) if is_fundamental(ty) => {
            let bits = ty.bits() * u32::from(length);
            if bits <= 128 {
                return Some(length);
            }
            format!("this vector has {bits} bits, more than 128")
        }
        _ => format!("there are no vectors of `.{}`", ty.name()),
    };
    let span = word.span.to(declaration.ty.span);
    context.report(Diagnostic::error(codes::VECTOR_TYPE, span, message).section("5.4.2"));
    None
}

/// The value of an `.align`, which must be a power of two.
pub fn alignment(context: &mut Context<'_>, align: Align) -> Option<u32> {
    let value = context.small_integer(align.value)?;
    if value.is_power_of_two() {
        return Some(value);
    }
    let message = format!("an alignment is a power of two, {value} is not");
    let span = context.file[align.value].span;
    context.report(Diagnostic::error(codes::ALIGNMENT, span, message).section("5.4.5"));
    None
}

/// The dimensions of a name; `None` if they cannot be, which has been reported.
pub fn extent(context: &mut Context<'_>, declarator: &Declarator) -> Option<Extent> {
    let file = context.file;
    let mut sizes = file[declarator.dimensions].iter().map(|d| (d.span, d.size));
    let Some((_, first)) = sizes.next() else { return Some(Extent::Scalar) };
    let first = match first {
        Some(size) => context.constant(size)?.integer()?,
        None => 0,
    };
    let mut inner = 1u64;
    for (span, size) in sizes {
        let size = size.and_then(|size| context.constant(size)?.integer()).unwrap_or(0);
        if size == 0 {
            let message = "only the first dimension of an array may be left open";
            context.report(Diagnostic::error(codes::INCOMPLETE_ARRAY, span, message).section("5.4.3"));
            return None;
        }
        inner = inner.wrapping_mul(size);
    }
    Some(match first {
        0 => Extent::Incomplete(inner),
        _ => Extent::Array(first.wrapping_mul(inner)),
    })
}

/// Whether the space can hold a name of this type and extent; reports if not.
pub fn fits(
    context: &mut Context<'_>,
    declaration: &Declaration,
    declarator: &Declarator,
    declared: Declared,
    extent: Extent,
    place: Place,
) -> bool {
    let space = declaration.space.kind;
    let name = context.text(declarator.name.symbol);
    let scalar = extent == Extent::Scalar;
    let opaque = declared.ty.data().is_none();
    let (code, message, section) = if declared.ty == VariableType::Data(Type::Pred) {
        if space == SpaceKind::Reg && scalar {
            return true;
        }
        (codes::MISPLACED_PREDICATE, "a predicate can only be a scalar register".to_owned(), "5.4.1")
    } else if opaque && place == Place::Body {
        let message =
            format!("`.{}` can be declared at module level or as a kernel parameter", declared.ty.name());
        (codes::MISPLACED_OPAQUE, message, "5.3")
    } else if opaque && place == Place::Module && space != SpaceKind::Global {
        let message = format!("`.{}` is declared in `.global`", declared.ty.name());
        (codes::MISPLACED_OPAQUE, message, "5.3")
    } else if declared.ty == VariableType::Samplerref
        && scalar
        && context.module.texture_mode == TextureMode::Unified
        && place != Place::FuncParameter
    {
        let message = "a sampler can be declared in independent texture mode only".to_owned();
        (codes::MISPLACED_OPAQUE, message, "5.3")
    } else if space == SpaceKind::Reg && (opaque || !scalar) {
        (codes::UNSUITED_TYPE, format!("`{name}` cannot be a register: {}", why(opaque)), "5.1.1")
    } else if space == SpaceKind::Param && scalar && place != Place::EntryParameter && opaque {
        (
            codes::MISPLACED_OPAQUE,
            format!("`.{}` can be a kernel's parameter only", declared.ty.name()),
            "5.3",
        )
    } else if space == SpaceKind::Param
        && scalar
        && (declared.vector > 1 || declared.ty == VariableType::Data(Type::F16x2))
    {
        let message = format!("`{name}` cannot be a parameter: vectors and `.f16x2` are passed as arrays");
        (codes::UNSUITED_TYPE, message, "5.1.6")
    } else {
        return true;
    };
    let span = declaration.ty.span.to(declarator.span);
    let mut diagnostic = Diagnostic::error(code, span, message).section(section);
    if declared.ty == VariableType::Samplerref {
        diagnostic = diagnostic.help("write `.target …, texmode_independent`");
    }
    context.report(diagnostic);
    false
}

fn why(opaque: bool) -> &'static str {
    if opaque { "its type is opaque" } else { "it is an array" }
}
