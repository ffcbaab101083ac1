//! Writes the diagnostic for an operand that does not fit (E05xx): what it is, what belongs there, and how to fix it.

use ptxvm_isa::table::{Operand as Place, Range, Shape, TypeOf};
use ptxvm_isa::{Kind, NO_WORD, Type};
use ptxvm_syntax::ast::{self, Span};
use ptxvm_syntax::{Code, Diagnostic};

use super::immediate::Literal;
use super::types::{self, Fit};
use super::{Found, Mismatch, Misuse, Why};
use crate::context::Context;
use crate::instruction::form::Candidate;

macro_rules! codes {
    ($($name:ident $code:literal $title:literal;)*) => {
        $(const $name: Code = Code($code);)*

        /// The codes of this file, with the titles of their pages.
        pub const CODES: &[(Code, &str)] = &[$(($name, $title)),*];
    };
}

codes! {
    NUMBER "E0501" "wrong number of operands";
    TYPE "E0502" "register of the wrong type";
    LITERAL "E0503" "constant of the wrong kind";
    RANGE "E0504" "constant out of range";
    KIND "E0505" "operand of the wrong kind";
    SPECIAL "E0506" "special register not allowed here";
    SINK "E0507" "sink not allowed here";
    NEGATION "E0508" "negation not allowed here";
    LENGTH "E0509" "vector of the wrong length";
    MIXED "E0510" "vector elements that do not go together";
    ADDRESS "E0511" "register that cannot hold an address";
    SPACE "E0512" "variable in another state space";
    IMMEDIATE_ADDRESS "E0513" "plain number used as an address";
    NARROW_ADDRESS "E0514" "32-bit address in a 64-bit module";
    PARAMETER "E0515" "parameter used the wrong way";
    OPAQUE "E0516" "texture, sampler or surface expected";
    INDEX "E0517" "index into something that is not an array";
    SELECTOR "E0518" "member or selector that does not exist";
    SUBSCRIPT "E0519" "index that is not an integer";
    TARGET "E0520" "label, function or target list expected";
}

/// Says what is wrong with the operand of a mismatch; `None` if it has been said already.
pub fn describe(
    context: &Context<'_>,
    instruction: &ast::Instruction,
    candidate: &Candidate,
    mismatch: Mismatch,
) -> Option<Diagnostic> {
    let modifiers = &context.file[instruction.modifiers];
    let head = modifiers.iter().fold(instruction.opcode.span, |head, modifier| head.to(modifier.span));
    let speech = Speech {
        context,
        candidate,
        place: mismatch.place,
        span: mismatch.span,
        form: head.text(context.source),
        text: mismatch.span.text(context.source),
    };
    let section = context.isa.sections[usize::from(candidate.row.section)].number;
    let diagnostic = match mismatch.why {
        Why::Number { given, wanted } => speech.number(given, wanted, instruction.span),
        Why::Type(found) => speech.register(found),
        Why::Literal(ty, literal) => speech.literal(ty, literal),
        Why::Range(value) => speech.range(value),
        Why::Share => speech.share(),
        Why::Expression(error) => return error.diagnostic(),
        Why::Kind(found) => speech.kind(found),
        Why::Length(wanted, given) => speech.length(wanted, given),
        Why::Mixed(a, b) => speech.mixed(a, b),
        Why::Sinks => speech.say(
            MIXED,
            "a vector of nothing but `_` has no type".into(),
            "leave the instruction out, or keep at least one of its results",
        ),
        Why::AddressType(found) => speech.address_type(found),
        Why::Space(word) => speech.space(word),
        Why::ImmediateAddress => speech.say(
            IMMEDIATE_ADDRESS,
            "a number can be an address only in `.local`".into(),
            "put the number into a register, or add it to a variable or register",
        ),
        Why::NarrowAddress(ty) => speech.narrow(ty),
        Why::Parameter(misuse) => speech.parameter(misuse),
        Why::Index => {
            speech.say(INDEX, "only an array can be indexed".into(), "`[name+offset]` works for any variable")
        }
        Why::Subscript(found) => speech.say(
            SUBSCRIPT,
            format!("a .{} register cannot be an index", found.name()),
            "an index is an integer: a constant, or a scalar register of at most 64 bits",
        ),
        Why::Selector => speech.selector(),
    };
    Some(diagnostic.section(section))
}

/// What the sentences are made of.
struct Speech<'a> {
    context: &'a Context<'a>,
    candidate: &'a Candidate,
    place: Option<&'static Place>,
    span: Span,
    /// The opcode and modifiers as written.
    form: &'a str,
    /// The operand as written.
    text: &'a str,
}

impl Speech<'_> {
    fn say(&self, code: Code, message: String, help: &str) -> Diagnostic {
        let diagnostic = Diagnostic::error(code, self.span, message);
        if help.is_empty() { diagnostic } else { diagnostic.help(help) }
    }

    fn number(&self, given: u8, wanted: u8, whole: Span) -> Diagnostic {
        let row = self.candidate.row;
        if self.place.is_some() {
            let message = format!("these brackets hold {given} parts, but {wanted} belong there");
            return Diagnostic::error(NUMBER, self.span, message).help(format!("the form is `{}`", row.head));
        }
        let mut counts: Vec<usize> = row.lists.iter().map(|list| list.len()).collect();
        counts.sort_unstable();
        counts.dedup();
        let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
        let plural = if counts == ["1"] { "" } else { "s" };
        let message =
            format!("`{}` takes {} operand{plural}, but {given} are given", self.form, listed(&counts, "or"));
        let span = if given > wanted { self.span } else { whole };
        Diagnostic::error(NUMBER, span, message).help(format!("the form is `{}`", row.head))
    }

    fn register(&self, found: Type) -> Diagnostic {
        let Some((place, wanted)) = self.place.zip(self.wanted_type()) else {
            return self.kind(Found::Register);
        };
        let does = if place.written { "writes" } else { "reads" };
        let message = format!(
            "`{}` is .{}, but `{}` {does} .{} here",
            self.text,
            found.name(),
            self.form,
            wanted.name()
        );
        let may_be = self.choices(wanted, Fit::of(place));
        let help = match (wanted.kind(), found.kind()) {
            (Kind::Predicate, _) if place.written => {
                format!("the result goes into a register declared {may_be}")
            }
            (Kind::Predicate, _) => "`setp.ne.s32 %p, %r, 0` makes a predicate from a number".into(),
            (_, Kind::Predicate) if !place.written => {
                "`selp.b32 %r, 1, 0, %p` makes a number from a predicate".into()
            }
            _ if wanted.bits() == found.bits() => {
                format!("the register may be declared {may_be}; `mov.b{}` copies the bits", found.bits())
            }
            _ => format!("the register may be declared {may_be}; `cvt` converts between widths"),
        };
        self.say(TYPE, message, &help)
    }

    fn literal(&self, wanted: Type, literal: Literal) -> Diagnostic {
        let (name, what) = (wanted.name(), literal.name());
        let message = format!("`{}` is {what}, but `{}` reads .{name} here", self.text, self.form);
        let help = match (wanted.kind(), literal) {
            (Kind::Float, Literal::Integer) if matches!(wanted, Type::F32 | Type::F64) => {
                "write it with a decimal point, or give its bits as `0f…` or `0d…`".into()
            }
            (Kind::Float | Kind::Packed, _) => {
                format!(
                    "there is no constant of type .{name}: put its bits into a register with `mov.b{}`",
                    wanted.bits().max(16)
                )
            }
            (Kind::Bits, _) if wanted.bits() == 32 => "of floats, .b32 takes only `0f…`".into(),
            (Kind::Bits, _) if wanted.bits() == 64 => {
                "of floats, .b64 takes only `0d…` and decimal fractions".into()
            }
            _ => "write an integer".into(),
        };
        self.say(LITERAL, message, &help)
    }

    fn range(&self, value: i64) -> Diagnostic {
        let name = self.place.map_or("", |place| place.name);
        let message = format!("{value} is out of range for `{name}` of `{}`", self.form);
        let ranges = self.place.map_or(&[][..], |place| place.ranges);
        let parts: Vec<String> = ranges.iter().map(|range| range_text(*range)).collect();
        self.say(RANGE, message, &format!("it may be {}", listed(&parts, "or")))
    }

    fn share(&self) -> Diagnostic {
        let name = self.place.map_or("", |place| place.name);
        let message = format!("this constant is not a fraction for `{name}` of `{}`", self.form);
        self.say(RANGE, message, "it must be greater than 0.0 and at most 1.0")
    }

    fn kind(&self, found: Found) -> Diagnostic {
        let wanted = self.wanted();
        let written = self.place.is_some_and(|place| place.written);
        let does = if written { "writes" } else { "takes" };
        let (code, what, help) = match found {
            Found::Register => (KIND, "a register", ""),
            Found::Constant if written => (KIND, "a constant", "a result goes into a register"),
            Found::Constant => (KIND, "a constant", "put it into a register with `mov` first"),
            Found::Special => (SPECIAL, "a special register", "copy it into a register with `mov` first"),
            Found::Variable => (KIND, "a variable", "`mov` gives its address, `[…]` its value"),
            Found::Opaque => (KIND, "a texture, sampler or surface", ""),
            Found::Function => (KIND, "a function", "`mov.u64` gives its address"),
            Found::Label => (KIND, "a label", ""),
            Found::List => (KIND, "a list of targets or a prototype", ""),
            Found::Sink => (SINK, "the sink `_`", ""),
            Found::Vector => (LENGTH, "a vector", "without the braces it is a scalar"),
            Found::VectorRegister => {
                (LENGTH, "a vector register", "name one of its members: `.x`, `.y`, `.z` or `.w`")
            }
            Found::Bracket => {
                (KIND, "something in brackets", "`ld` brings a value from memory into a register")
            }
            Found::Pair => (KIND, "a pair of results", ""),
            Found::NotPair => (KIND, "a single result", "join the two with a bar: `%r0|%p0`"),
            Found::Negated => {
                (NEGATION, "a negated predicate", "`!` is allowed only before a predicate that is read")
            }
            Found::Minus => (NEGATION, "a minus sign before a register", "`neg` changes the sign"),
            Found::Offset => {
                (KIND, "a name with an offset", "`add` it, or put it in brackets to reach memory")
            }
            Found::Index => (KIND, "an element of an array", ""),
            Found::Unified => (KIND, "`.unified`", ""),
            Found::Group => (KIND, "a list in parentheses", ""),
        };
        let code = match self.place.map(|place| (place.shape, place.ty)) {
            Some((_, TypeOf::Texture | TypeOf::Sampler | TypeOf::Surface)) => OPAQUE,
            Some((Shape::Label | Shape::Function | Shape::Targets | Shape::Prototype, _)) => TARGET,
            _ => code,
        };
        self.say(code, format!("{what} is not allowed here: `{}` {does} {wanted}", self.form), help)
    }

    /// What belongs in the place.
    fn wanted(&self) -> String {
        let Some(place) = self.place else { return "something else".into() };
        let ty = self.wanted_type().map_or(String::new(), |ty| format!(" of type .{}", ty.name()));
        match (place.shape, place.ty) {
            (_, TypeOf::Texture) => "a texture: a .texref or a 64-bit register".into(),
            (_, TypeOf::Sampler) => "a sampler: a .samplerref or a 64-bit register".into(),
            (_, TypeOf::Surface) => "a surface: a .surfref or a 64-bit register".into(),
            (Shape::Value, _) if place.var => format!("a register, constant or variable{ty}"),
            (Shape::Value, _) => format!("a register or constant{ty}"),
            (Shape::Register, _) => format!("a register{ty}"),
            (Shape::Constant, _) => format!("a constant{ty}"),
            (Shape::Predicate, _) => "a predicate register".into(),
            (Shape::Vector(..), _) => format!("a vector with elements{ty}"),
            (Shape::Bracket(..), _) => "an address in brackets".into(),
            (Shape::Pair(..), _) => "two results joined by a bar".into(),
            (Shape::Sink, _) => "only the sink `_`".into(),
            (Shape::Label, _) => "a label".into(),
            (Shape::Function, _) => "a function".into(),
            (Shape::Targets, _) => "the label of a list of targets".into(),
            (Shape::Prototype, _) => "the label of a .callprototype".into(),
            (Shape::Call, _) => "what a call takes".into(),
        }
    }

    fn length(&self, wanted: u16, given: u16) -> Diagnostic {
        let what = match given {
            0 => "this is a scalar".into(),
            1 => "this one has a single element".into(),
            n => format!("this one has {n} elements"),
        };
        let elements = if wanted == 1 { "one element" } else { &format!("{wanted} elements") };
        let message = format!("`{}` takes a vector of {elements} here, but {what}", self.form);
        self.say(LENGTH, message, if given == 0 { "a vector is written in braces: `{%r0, %r1}`" } else { "" })
    }

    fn mixed(&self, before: Type, this: Type) -> Diagnostic {
        let sizes = before.bits() != this.bits();
        let message =
            format!("this element is .{}, but the one before it is .{}", this.name(), before.name());
        let help = if sizes {
            "the elements of a vector have one size"
        } else {
            "integers and floats do not mix in a vector; plain bits go with both"
        };
        self.say(MIXED, message, help)
    }

    fn address_type(&self, found: Type) -> Diagnostic {
        let message = format!("`{}` is .{} and cannot hold an address", self.text, found.name());
        let help = match found.kind() {
            Kind::Float | Kind::Predicate => "an address is an integer: declare the register .u64 or .b64",
            _ => "this instruction takes addresses of another width",
        };
        self.say(ADDRESS, message, help)
    }

    fn space(&self, word: ptxvm_isa::Word) -> Diagnostic {
        if word == NO_WORD {
            return self.say(
                SPACE,
                format!("`{}` has no generic address, which `{}` needs", self.text, self.form),
                "name its state space in the instruction, or convert its address with `cvta`",
            );
        }
        let space = self.context.isa.text(word);
        self.say(
            SPACE,
            format!("`{}` is not in .{space}, which `{}` accesses", self.text, self.form),
            "name the variable's own state space in the instruction",
        )
    }

    fn narrow(&self, ty: Type) -> Diagnostic {
        let message = format!(
            "a .{} cannot hold a global or generic address in a module with 64-bit addresses",
            ty.name()
        );
        self.say(
            NARROW_ADDRESS,
            message,
            "use a 64-bit register; only .shared, .local, .const and .param addresses fit in 32 bits",
        )
    }

    fn parameter(&self, misuse: Misuse) -> Diagnostic {
        let (message, help) = match misuse {
            Misuse::Written => {
                ("an input parameter cannot be written", "copy it into a register or a local variable")
            }
            Misuse::Read => {
                ("a return parameter cannot be read", "keep the value in a register and read that")
            }
            Misuse::Pointed => (
                "the address of a call's argument cannot be taken",
                "`st.param` and `ld.param` access it by name",
            ),
            Misuse::Kind => (
                "this parameter is of the other kind",
                "`.param::entry` is for a kernel's own parameters, `.param::func` for those of functions and calls",
            ),
        };
        self.say(PARAMETER, message.into(), help)
    }

    fn selector(&self) -> Diagnostic {
        let help = match self.place {
            Some(place) if place.selector => "a half is `.h0` or `.h1`, a byte `.b0` to `.b3`",
            _ => "a vector's members are `.x`, `.y`, `.z` and `.w`",
        };
        self.say(SELECTOR, format!("there is no `{}` here", self.text), help)
    }

    fn wanted_type(&self) -> Option<Type> {
        let place = self.place?;
        ptxvm_isa::form::type_of(place, &self.candidate.filling, self.context.isa)
    }

    /// The types a register may have, as a person would list them.
    fn choices(&self, wanted: Type, fit: Fit) -> String {
        let names: Vec<String> = types::choices(wanted, fit)
            .filter(|ty| *ty != Type::F16x2 || wanted == Type::F16x2)
            .map(|ty| format!(".{}", ty.name()))
            .collect();
        listed(&names, "or")
    }
}

fn range_text(range: Range) -> String {
    match range {
        Range { low, high, .. } if low == high => low.to_string(),
        Range { low, high, step: 1 } => format!("{low} to {high}"),
        Range { low, high, step } => format!("{low} to {high} in steps of {step}"),
    }
}

/// `a`, `a or b`, `a, b or c`.
fn listed(parts: &[String], last: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., end] => format!("{} {last} {end}", most.join(", ")),
    }
}
