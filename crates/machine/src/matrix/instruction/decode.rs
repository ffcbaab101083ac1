//! Decoding an instruction descriptor: tables 39, 42 to 44, 51, 52, 56 and 57 of the manual as rules of its fields.

use ptxvm_num::matrix::Element;
use ptxvm_num::matrix::scaled::Scale;

use super::{Asked, Factor, InstructionDescriptor, MmaKind, Sum, WrongField};

/// The fields of a descriptor by their first and last bits.
#[derive(Clone, Copy)]
struct Fields(u32);

impl Fields {
    fn get(self, first: u32, last: u32) -> u32 {
        self.0 >> first & ((1 << (last - first + 1)) - 1)
    }

    fn is_set(self, bit: u32) -> bool {
        self.0 >> bit & 1 != 0
    }

    fn wrong(
        self,
        name: &str,
        (first, last): (u32, u32),
        value: &str,
        rule: impl Into<String>,
    ) -> WrongField {
        let bits = if first == last { format!("bit {first}") } else { format!("bits {first} to {last}") };
        let message = format!("{name} ({bits}) of the instruction descriptor {:#010x} is {value}", self.0);
        WrongField { message, rule: rule.into() }
    }

    fn require(
        self,
        holds: bool,
        name: &str,
        at: (u32, u32),
        rule: impl FnOnce() -> String,
    ) -> Result<(), WrongField> {
        match holds {
            true => Ok(()),
            false => Err(self.wrong(name, at, &self.get(at.0, at.1).to_string(), rule())),
        }
    }
}

impl InstructionDescriptor {
    /// Decodes a descriptor; otherwise says which field is wrong.
    pub fn decode(bits: u32, asked: &Asked) -> Result<Self, WrongField> {
        let fields = Fields(bits);
        let kind = asked.kind;
        reserved(fields, kind)?;
        fields.require(fields.is_set(2) == asked.sparse, "sparsity", (2, 2), || {
            let (with, value) = if asked.sparse { ("with", 1) } else { ("without", 0) };
            format!("it must be {value} {with} `.sp`")
        })?;
        let selector = if asked.sparse && !kind.scaled() { fields.get(0, 1) } else { 0 };
        fields.require(
            selector == 0 || matches!(kind, MmaKind::F16 | MmaKind::Tf32),
            "the sparsity selector",
            (0, 1),
            || format!("it must be 0 for `.{}`", kind.name()),
        )?;
        let a = factor(fields, kind, "atype", (7, 9))?;
        let b = factor(fields, kind, "btype", if kind.packed() { (10, 11) } else { (10, 12) })?;
        let (m, n) = (rows(fields, asked)?, columns(fields, asked)?);
        let d = sum(fields, kind, [a, b])?;
        let negate = [fields.is_set(13), fields.is_set(14)];
        for (index, name) in ["negate A", "negate B"].into_iter().enumerate() {
            let bit = 13 + index as u32;
            fields.require(kind != MmaKind::I8 || !negate[index], name, (bit, bit), || {
                "integers are not negated: it must be 0 for `.kind::i8`".into()
            })?;
        }
        let transpose = transposed(fields, asked, [a, b], n)?;
        if asked.ashift && !matches!(m, 128 | 256) {
            let rule = "M must be 128 or 256 with `.ashift`";
            return Err(fields.wrong("M", (24, 28), &m.to_string(), rule));
        }
        let k = depth(fields, asked)?;
        let stored = if asked.sparse { k / 2 } else { k };
        let scales = if kind.scaled() { stored / asked.block } else { 0 };
        let (scale, scale_id) = factors(fields, asked, scales)?;
        Ok(Self {
            m,
            n,
            k,
            a,
            b,
            d,
            saturate: kind == MmaKind::I8 && fields.is_set(3),
            negate,
            transpose,
            selector,
            scale,
            scales,
            scale_id,
        })
    }
}

/// The bits that no field uses.
fn reserved(fields: Fields, kind: MmaKind) -> Result<(), WrongField> {
    let ranges: &[(u32, u32)] = match kind {
        MmaKind::I8 => &[(6, 6), (23, 23), (29, 29)],
        MmaKind::F16 | MmaKind::Tf32 | MmaKind::F8f6f4 => &[(6, 6), (23, 23), (29, 29)],
        MmaKind::Mxf8f6f4 => &[(0, 1), (3, 3), (6, 6), (24, 26), (31, 31)],
        MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => &[(0, 1), (3, 3), (6, 6), (12, 12), (24, 26)],
    };
    for range in ranges {
        fields.require(fields.get(range.0, range.1) == 0, "a reserved field", *range, || {
            format!("it must be 0 for `.{}`", kind.name())
        })?;
    }
    fields.require(kind.scaled() || kind == MmaKind::I8 || !fields.is_set(3), "saturate", (3, 3), || {
        "only sums of integers saturate: it must be 0 for floating point types".into()
    })
}

/// The type in a field.
fn factor(fields: Fields, kind: MmaKind, name: &str, at: (u32, u32)) -> Result<Factor, WrongField> {
    let value = fields.get(at.0, at.1);
    let (known, rule) = match kind {
        MmaKind::F16 => (
            [Some(Element::F16), Some(Element::Bf16)].get(value as usize).copied().flatten(),
            "0 (f16) or 1 (bf16)",
        ),
        MmaKind::Tf32 => ((value == 2).then_some(Element::Tf32), "2 (tf32)"),
        MmaKind::F8f6f4 | MmaKind::Mxf8f6f4 => {
            let known = match value {
                0 => Some(Element::E4m3),
                1 => Some(Element::E5m2),
                3 => Some(Element::E2m3),
                4 => Some(Element::E3m2),
                5 => Some(Element::E2m1),
                _ => None,
            };
            (known, "0 (e4m3), 1 (e5m2), 3 (e2m3), 4 (e3m2) or 5 (e2m1)")
        }
        MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => ((value == 1).then_some(Element::E2m1), "1 (e2m1)"),
        MmaKind::I8 => match value {
            0 => return Ok(Factor::Unsigned),
            1 => return Ok(Factor::Signed),
            _ => (None, "0 (u8) or 1 (s8)"),
        },
    };
    known.map(Factor::Float).ok_or_else(|| {
        let rule = format!("it must be {rule} for `.{}`", kind.name());
        fields.wrong(name, at, &value.to_string(), rule)
    })
}

/// The type of D.
fn sum(fields: Fields, kind: MmaKind, factors: [Factor; 2]) -> Result<Sum, WrongField> {
    if kind.scaled() {
        return Ok(Sum::F32);
    }
    let value = fields.get(4, 5);
    let wrong = |rule: &str| fields.wrong("dtype", (4, 5), &value.to_string(), rule);
    match (kind, value) {
        (MmaKind::F16, 0) if factors.contains(&Factor::Float(Element::Bf16)) => {
            Err(wrong("it must be 1 (f32) where A or B is bf16"))
        }
        (MmaKind::F16 | MmaKind::F8f6f4, 0) => Ok(Sum::F16),
        (MmaKind::F16 | MmaKind::F8f6f4 | MmaKind::Tf32, 1) => Ok(Sum::F32),
        (MmaKind::I8, 2) => Ok(Sum::S32),
        (MmaKind::I8, _) => Err(wrong("it must be 2 (s32) for `.kind::i8`")),
        (MmaKind::Tf32, _) => Err(wrong("it must be 1 (f32) for `.kind::tf32`")),
        _ => Err(wrong(&format!("it must be 0 (f16) or 1 (f32) for `.{}`", kind.name()))),
    }
}

/// M.
fn rows(fields: Fields, asked: &Asked) -> Result<u32, WrongField> {
    let (at, unit) = if asked.kind.scaled() { ((27, 28), 7) } else { ((24, 28), 4) };
    let m = fields.get(at.0, at.1) << unit;
    let (valid, rule): (&[u32], _) = match (asked.kind.scaled(), asked.pair, asked.sparse) {
        (true, false, _) => (&[128], "128"),
        (true, true, true) => (&[256], "256 for a sparse A"),
        (false, false, _) if asked.stationary => (&[32, 64, 128], "32, 64 or 128 with `.ws`"),
        (false, false, _) => (&[64, 128], "64 or 128"),
        (_, true, _) => (&[128, 256], "128 or 256"),
    };
    if valid.contains(&m) {
        return Ok(m);
    }
    let rule = format!("M must be {rule} for `.{}` of {}", asked.kind.name(), group(asked));
    Err(fields.wrong("M", at, &m.to_string(), rule))
}

fn group(asked: &Asked) -> &'static str {
    if asked.pair { "`.cta_group::2`" } else { "`.cta_group::1`" }
}

/// N.
fn columns(fields: Fields, asked: &Asked) -> Result<u32, WrongField> {
    let n = fields.get(17, 22) << 3;
    let (valid, rule) = match (asked.kind, asked.pair) {
        _ if asked.stationary && asked.sparse => (matches!(n, 64 | 128), "64 or 128 with `.ws.sp`"),
        _ if asked.stationary => (matches!(n, 64 | 128 | 256), "64, 128 or 256 with `.ws`"),
        (MmaKind::I8, true) => (n.is_multiple_of(32), "a multiple of 32"),
        (MmaKind::I8, false) => (n <= 32 || n.is_multiple_of(16), "8, 16, 24, 32 or a multiple of 16"),
        (_, true) => (n.is_multiple_of(16), "a multiple of 16"),
        (_, false) => (true, "a multiple of 8"),
    };
    if valid && (8..=256).contains(&n) {
        return Ok(n);
    }
    let limit = if asked.stationary { "" } else { " up to 256" };
    let rule = format!("N must be {rule}{limit} for `.{}` of {}", asked.kind.name(), group(asked));
    Err(fields.wrong("N", (17, 22), &n.to_string(), rule))
}

/// Which of A and B are transposed.
fn transposed(fields: Fields, asked: &Asked, factors: [Factor; 2], n: u32) -> Result<[bool; 2], WrongField> {
    let transpose = [fields.is_set(15), fields.is_set(16)];
    for (index, name) in ["transpose A", "transpose B"].into_iter().enumerate() {
        if !transpose[index] {
            continue;
        }
        let bit = 15 + index as u32;
        let wrong = |rule: &str| Err(fields.wrong(name, (bit, bit), "1", rule));
        if asked.kind.packed() {
            return wrong(&format!("it must be 0 for `.{}`", asked.kind.name()));
        }
        if factors[index].bits() < 8 {
            return wrong("types of 4 and 6 bits cannot be transposed");
        }
        if index == 0 && asked.a_in_tensor_memory {
            return wrong("A in tensor memory is row-major");
        }
    }
    let step = if asked.pair { 32 } else { 16 };
    if transpose[1] && asked.kind.container() == 8 && !n.is_multiple_of(step) {
        let rule = format!("N must be a multiple of {step} where B has 8-bit types and is transposed");
        return Err(fields.wrong("N", (17, 22), &n.to_string(), rule));
    }
    Ok(transpose)
}

/// K.
fn depth(fields: Fields, asked: &Asked) -> Result<u32, WrongField> {
    if asked.kind.packed() && fields.is_set(31) {
        let wrong = |rule: &str| Err(fields.wrong("the K dimension", (31, 31), "1 (K = 96)", rule));
        return match (asked.sparse, asked.ultra) {
            (true, _) => wrong("K = 96 is for a dense A"),
            (_, false) => wrong("K = 96 needs a device of sm_103a"),
            _ => Ok(96),
        };
    }
    // A row of a dense A takes 32 bytes in every kind.
    Ok((256 / asked.kind.container()) << u32::from(asked.sparse))
}

/// The type of the scale factors, and which of a word's bytes they are.
fn factors(fields: Fields, asked: &Asked, scales: u32) -> Result<(Scale, [u32; 2]), WrongField> {
    if !asked.kind.scaled() {
        return Ok((Scale::Ue8m0, [0; 2]));
    }
    let scale = if fields.is_set(23) { Scale::Ue8m0 } else { Scale::Ue4m3 };
    if scale == Scale::Ue4m3 {
        let wrong = |rule: &str| Err(fields.wrong("the scale matrix type", (23, 23), "0 (ue4m3)", rule));
        if asked.kind != MmaKind::Mxf4nvf4 {
            return wrong(&format!("it must be 1 (ue8m0) for `.{}`", asked.kind.name()));
        }
        if asked.block != 16 {
            return wrong("ue4m3 needs `.scale_vec::4X` or `.block16`");
        }
    }
    let ids = [fields.get(29, 30), fields.get(4, 5)];
    let (valid, rule): (&[u32], _) = match scales {
        2 | 6 => (&[0, 2], "0 or 2"),
        4 => (&[0], "0"),
        _ => (&[0, 1, 2, 3], ""),
    };
    for (id, name, at) in
        [(ids[0], "the scale factor A ID", (29, 30)), (ids[1], "the scale factor B ID", (4, 5))]
    {
        if !valid.contains(&id) {
            let rule = format!("it must be {rule} where a row has {scales} scale factors");
            return Err(fields.wrong(name, at, &id.to_string(), rule));
        }
    }
    Ok((scale, ids))
}
