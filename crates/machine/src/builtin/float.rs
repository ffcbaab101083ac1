//! The digits of floating-point numbers as C prints them.
//!
//! The host's own formatting is exact and rounds to nearest, ties to even, as C's does; what is added here is C's
//! way to write exponents, to choose between the styles, and hexadecimal digits.

/// More decimal places than a double has; the digits after them are zeros.
const PLACES: usize = 1100;

/// `%f`, `%e`, `%g`, `%a`, and whether in capitals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    kind: Notation,
    upper: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    Fixed,
    Exponent,
    General,
    Hexadecimal,
}

impl Style {
    /// The style of a conversion's letter.
    pub fn from_letter(letter: u8) -> Option<Self> {
        let kind = match letter.to_ascii_lowercase() {
            b'f' => Notation::Fixed,
            b'e' => Notation::Exponent,
            b'g' => Notation::General,
            b'a' => Notation::Hexadecimal,
            _ => return None,
        };
        Some(Self { kind, upper: letter.is_ascii_uppercase() })
    }
}

/// A number taken apart: zeros may come between the digits and the exponent.
#[derive(Debug, Default)]
pub struct Digits {
    /// `0x`, after the sign and before any padding with zeros.
    pub prefix: &'static str,
    /// The digits.
    pub head: String,
    /// Zeros that follow them.
    pub zeros: usize,
    /// The exponent.
    pub tail: String,
}

/// The digits of a number that is not negative.
pub fn digits(value: f64, style: Style, precision: Option<usize>, alternate: bool) -> Digits {
    let mut digits = if value.is_nan() {
        Digits { head: "nan".into(), ..Digits::default() }
    } else if value.is_infinite() {
        Digits { head: "inf".into(), ..Digits::default() }
    } else {
        match style.kind {
            Notation::Fixed => fixed(value, precision.unwrap_or(6), alternate),
            Notation::Exponent => exponent(value, precision.unwrap_or(6), alternate),
            Notation::General => general(value, precision.unwrap_or(6).max(1), alternate),
            Notation::Hexadecimal => hexadecimal(value, precision, alternate),
        }
    };
    if style.upper {
        digits.head.make_ascii_uppercase();
        digits.tail.make_ascii_uppercase();
        digits.prefix = if digits.prefix.is_empty() { "" } else { "0X" };
    }
    digits
}

fn fixed(value: f64, precision: usize, alternate: bool) -> Digits {
    let places = precision.min(PLACES);
    let mut head = format!("{value:.places$}");
    if alternate && precision == 0 {
        head.push('.');
    }
    Digits { head, zeros: precision - places, ..Digits::default() }
}

/// The digits and the exponent of a number in scientific notation.
fn scientific(value: f64, places: usize) -> (String, i32) {
    let text = format!("{value:.places$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

fn exponent(value: f64, precision: usize, alternate: bool) -> Digits {
    let places = precision.min(PLACES);
    let (mut head, exponent) = scientific(value, places);
    if alternate && precision == 0 {
        head.push('.');
    }
    Digits { head, zeros: precision - places, tail: exponent_text(exponent), ..Digits::default() }
}

fn exponent_text(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:02}", exponent.unsigned_abs())
}

/// `%g`: as many significant digits as the precision says, in the shorter of the two styles, without trailing
/// zeros unless `#` asks for them.
fn general(value: f64, precision: usize, alternate: bool) -> Digits {
    let (_, x) = scientific(value, (precision - 1).min(PLACES));
    let small = x < -4 || i64::from(x) >= precision as i64;
    let mut digits = if small {
        exponent(value, precision - 1, alternate)
    } else {
        let places = (precision as i64 - 1 - i64::from(x)).max(0) as usize;
        fixed(value, places, alternate)
    };
    if !alternate && digits.head.contains('.') {
        digits.zeros = 0;
        let length = digits.head.trim_end_matches('0').trim_end_matches('.').len();
        digits.head.truncate(length);
    }
    digits
}

/// `%a`: the digits of the mantissa, all that are not zero or as many as the precision says.
fn hexadecimal(value: f64, precision: Option<usize>, alternate: bool) -> Digits {
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let mantissa = bits & ((1 << 52) - 1);
    let biased = (bits >> 52) as i32;
    let (lead, exponent) = match (biased, mantissa) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1u64, biased - 1023),
    };
    let whole = lead << 52 | mantissa;
    let (whole, shown) = match precision {
        Some(places) if places < DIGITS => (round(whole, 4 * (DIGITS - places) as u32), places),
        Some(_) => (whole, DIGITS),
        None => (whole, DIGITS - (mantissa.trailing_zeros() as usize / 4).min(DIGITS)),
    };
    let fraction = format!("{:013x}", whole & ((1 << 52) - 1));
    let mut head = (whole >> 52).to_string();
    if precision.unwrap_or(shown) > 0 || alternate {
        head.push('.');
    }
    head.push_str(&fraction[..shown]);
    let sign = if exponent < 0 { '-' } else { '+' };
    let tail = format!("p{sign}{}", exponent.unsigned_abs());
    Digits { prefix: "0x", head, zeros: precision.unwrap_or(shown).saturating_sub(shown), tail }
}

/// Rounds away the low bits, ties to even.
fn round(value: u64, bits: u32) -> u64 {
    let half = 1 << (bits - 1);
    let rest = value & ((1 << bits) - 1);
    let up = rest > half || rest == half && value >> bits & 1 != 0;
    ((value >> bits) + u64::from(up)) << bits
}
