//! Makes operands from the table: walks through an operand's shape, and supplies the registers, constants and names in it.

use ptxvm_isa::form::{self, Filling};
use ptxvm_isa::table::{Isa, Operand, Shape, SpaceOf, TypeOf};
use ptxvm_isa::{NO_WORD, Type};

use super::random::Random;

/// Where the leaves of operands come from: what registers, variables and labels the module has.
pub trait Supply {
    /// A special register.
    fn special(&mut self, operand: &Operand, random: &mut Random) -> String;
    /// A variable whose address is a value.
    fn variable(&mut self, random: &mut Random) -> String;
    /// A constant that the operand's ranges allow.
    fn constant(&mut self, operand: &Operand, ty: Option<Type>, random: &mut Random) -> String;
    /// A register that fits the type.
    fn register(&mut self, operand: &Operand, ty: Option<Type>, random: &mut Random) -> String;
    /// A predicate register without `!`.
    fn predicate(&mut self, random: &mut Random) -> String;
    /// What stands first in brackets, for an address in this space; generic if it has no name.
    fn address(&mut self, space: &str, random: &mut Random) -> String;
    /// A texture, sampler or surface.
    fn opaque(&mut self, operand: &Operand, random: &mut Random) -> String;
}

/// An operand that the table holds legal.
pub fn legal(
    isa: &Isa,
    operand: &Operand,
    filling: &Filling,
    supply: &mut dyn Supply,
    random: &mut Random,
) -> String {
    let ty = form::type_of(operand, filling, isa);
    match operand.shape {
        Shape::Value if operand.sreg && random.one_in(3) => supply.special(operand, random),
        Shape::Value if operand.var && random.one_in(3) => supply.variable(random),
        Shape::Value if !operand.ranges.is_empty() || random.one_in(5) => {
            supply.constant(operand, ty, random)
        }
        Shape::Value | Shape::Register => match operand.ty {
            TypeOf::Texture | TypeOf::Surface | TypeOf::Sampler => supply.opaque(operand, random),
            _ if operand.sink && random.one_in(6) => "_".into(),
            _ => supply.register(operand, ty, random),
        },
        Shape::Constant => supply.constant(operand, ty, random),
        Shape::Predicate => {
            let not = if random.one_in(3) { "!" } else { "" };
            format!("{not}{}", supply.predicate(random))
        }
        Shape::Vector(count, inner) => match form::count_of(count, filling, isa) {
            None => legal(isa, &inner[0], filling, supply, random),
            Some(n) if n > 8 => match form::type_of(&inner[0], filling, isa) {
                Some(ty) => format!("{{{}*{n}}}", stem(ty, inner[0].wider)),
                None => "{}".into(),
            },
            Some(n) => {
                let items: Vec<String> = (0..n)
                    .map(|i| {
                        let place = &inner[(i as usize).min(inner.len() - 1)];
                        match form::type_of(place, filling, isa) {
                            Some(ty) if place.written => numbered(ty, place.wider, i as usize),
                            // Real code has registers in its vectors; a constant there is rare.
                            Some(ty) if place.ranges.is_empty() && !random.one_in(8) => {
                                supply.register(place, Some(ty), random)
                            }
                            _ => legal(isa, place, filling, supply, random),
                        }
                    })
                    .collect();
                format!("{{{}}}", items.join(", "))
            }
        },
        Shape::Bracket(inner, lists) => {
            let list = *random.pick(lists);
            let mut items: Vec<String> = Vec::new();
            for (i, &o) in list.iter().enumerate() {
                let inner = &inner[usize::from(o)];
                let is_address =
                    i == 0 && matches!(inner.ty, TypeOf::None | TypeOf::Slot(_) | TypeOf::Fixed(_));
                items.push(if is_address {
                    supply.address(space(isa, operand, filling), random)
                } else {
                    legal(isa, inner, filling, supply, random)
                });
            }
            format!("[{}]", items.join(", "))
        }
        Shape::Pair(a, b, optional) => {
            let first = legal(isa, a, filling, supply, random);
            if optional && random.one_in(2) {
                return first;
            }
            format!("{first}|{}", legal(isa, b, filling, supply, random))
        }
        Shape::Sink => "_".into(),
        Shape::Label => "L0".into(),
        Shape::Function => "fn".into(),
        Shape::Targets => "BT".into(),
        Shape::Prototype => "CP".into(),
        Shape::Call => "(%r1), fn, (%r2)".into(),
    }
}

/// The space of an address, empty if it is generic.
fn space(isa: &Isa, operand: &Operand, filling: &Filling) -> &'static str {
    let word = match operand.space {
        SpaceOf::Generic => NO_WORD,
        SpaceOf::Slot(slot) => filling[usize::from(slot)],
        SpaceOf::Fixed(word) => word,
    };
    if word == NO_WORD { "" } else { isa.words[usize::from(word)] }
}

/// The registers and variables of the oracle's prelude.
pub struct Prelude;

impl Supply for Prelude {
    fn special(&mut self, _: &Operand, _: &mut Random) -> String {
        "%tid.x".into()
    }

    fn variable(&mut self, _: &mut Random) -> String {
        "gl".into()
    }

    fn constant(&mut self, operand: &Operand, ty: Option<Type>, random: &mut Random) -> String {
        if let Some(number) = within(operand, random) {
            return number;
        }
        match ty {
            Some(Type::F32) => "0f3F800000".into(),
            Some(Type::F64) => "0d3FF0000000000000".into(),
            _ => random.pick(&["1", "0", "7"]).to_string(),
        }
    }

    fn register(&mut self, operand: &Operand, ty: Option<Type>, random: &mut Random) -> String {
        match ty {
            None => "%r1".into(),
            Some(ty) => numbered(ty, operand.wider, random.below(10)),
        }
    }

    fn predicate(&mut self, random: &mut Random) -> String {
        format!("%p{}", random.below(10))
    }

    fn address(&mut self, space: &str, random: &mut Random) -> String {
        if space == "tmem" {
            return numbered(Type::B32, false, random.below(10));
        }
        let variable = match space.split("::").next().unwrap_or("") {
            "global" => "gl",
            "shared" => "sm",
            "local" => "lo",
            "const" => "co",
            "param" => "pa",
            _ => "",
        };
        if variable.is_empty() || (variable != "pa" && !random.one_in(4)) {
            return random.pick(&["%rd1", "%rd2+16", "%rd3"]).to_string();
        }
        if random.one_in(2) { variable.into() } else { format!("{variable}+16") }
    }

    fn opaque(&mut self, operand: &Operand, random: &mut Random) -> String {
        match operand.ty {
            TypeOf::Texture if random.one_in(2) => "tx".into(),
            TypeOf::Surface if random.one_in(2) => "su".into(),
            _ => "%rd1".into(),
        }
    }
}

/// A constant of one of the operand's ranges; `None` if it has none.
pub fn within(operand: &Operand, random: &mut Random) -> Option<String> {
    let range = operand.ranges.get(random.below(operand.ranges.len()))?;
    let count = (range.high.saturating_sub(range.low) / range.step).saturating_add(1);
    let steps = random.below(count.clamp(1, 1 << 30) as usize) as i64;
    Some(range.low.saturating_add(range.step.saturating_mul(steps)).to_string())
}

fn numbered(ty: Type, wider: bool, number: usize) -> String {
    format!("{}{number}", stem(ty, wider))
}

/// What the names of the prelude's registers of a type begin with.
pub fn stem(ty: Type, wider: bool) -> &'static str {
    match (ty, ty.bits()) {
        (Type::Pred, _) => "%p",
        (Type::F32, _) => "%f",
        (Type::F64, _) => "%fd",
        (_, ..=8) if wider => "%h",
        (_, ..=8) => "%c",
        (_, ..=16) => "%h",
        (_, ..=32) => "%r",
        (_, ..=64) => "%rd",
        _ => "%q",
    }
}

/// Writes out `{%f*64}`, the short form of a long vector, as `{%f0, %f1 … %f63}`.
pub fn expand(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('*') {
        let (head, stem) = before.rsplit_once('{').unwrap_or((before, ""));
        let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        let count: usize = tail[..end].parse().unwrap_or(0);
        out += head;
        out.push('{');
        out += &(0..count).map(|i| format!("{stem}{i}")).collect::<Vec<_>>().join(", ");
        rest = &tail[end..];
    }
    out + rest
}

/// Whether an operand is a number.
pub fn is_number(text: &str) -> bool {
    text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
}

/// A number at or beyond an end of what instructions take, floating-point ones included.
pub fn odd_number(random: &mut Random) -> String {
    let all = [
        "-1",
        "-32",
        "0",
        "16",
        "32",
        "256",
        "65536",
        "4294967295",
        "4294967296",
        "4294967297",
        "4294967328",
        "-4294967264",
        "0.0",
        "0.5",
        "1.5",
        "0f00000001",
        "0f7FC00000",
        "0dBFE0000000000000",
    ];
    random.pick(&all).to_string()
}

/// Something that could stand in any operand's place.
pub fn any(random: &mut Random) -> String {
    let all = [
        "%r1",
        "%rd1",
        "%f1",
        "%fd1",
        "%h1",
        "%p1",
        "1",
        "0f3F800000",
        "[%rd1]",
        "{%r1, %r2}",
        "%tid.x",
        "gl",
        "_",
        "sm",
        "%ru1",
        "%rs1",
        "%c1",
        "%hf1",
        "%hx1",
        "!%p1",
        "0",
        "-1",
        "1.5",
        "%rdu1",
        "{%r1, %r2, %r3, %r4}",
        "{%p1, %p2}",
        "{%rd1, %rd2}",
        "[su]",
        "sm[1]",
        "63",
    ];
    random.pick(&all).to_string()
}

/// The same operand with one thing changed, or another one.
pub fn mutated(text: &str, random: &mut Random) -> String {
    if text.starts_with('{') && text.ends_with('}') && random.one_in(2) {
        let inner = text.trim_matches(['{', '}']);
        return match random.below(2) {
            0 => format!("{{{inner}, %r9}}"),
            _ => format!("{{{}}}", inner.rsplit_once(',').map_or(inner, |(head, _)| head)),
        };
    }
    if text.starts_with('[') && random.one_in(2) {
        let address = [
            "[gl]", "[sm]", "[lo]", "[co]", "[pa]", "[%r1]", "[%f1]", "[%rd1+4]", "[4]", "[%h1]", "[sm+4]",
            "[tx]",
        ];
        return random.pick(&address).to_string();
    }
    any(random)
}
