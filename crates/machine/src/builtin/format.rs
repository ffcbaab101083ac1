//! C's `printf` directives: taking a format apart, and laying out what is converted.
//!
//! Formats come from the guest, so every number in them is bounded: no text grows beyond [`MOST`] bytes, which is
//! also the size of the buffer that CUDA prints into by default.

use super::float::{self, Style};

/// The most bytes that one call prints.
pub const MOST: usize = 1 << 20;

/// Appends bytes, as far as there is room.
pub fn put(text: &mut Vec<u8>, bytes: &[u8]) {
    let room = MOST.saturating_sub(text.len());
    text.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

fn repeat(text: &mut Vec<u8>, byte: u8, count: usize) {
    let room = MOST.saturating_sub(text.len());
    text.resize(text.len() + count.min(room), byte);
}

/// A part of a format.
pub enum Piece<'a> {
    /// What is printed as it stands.
    Text(&'a [u8]),
    /// What is converted.
    Directive(Directive<'a>),
}

/// The parts of a format, in order.
pub fn pieces(format: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = format;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let plain = rest.iter().position(|byte| *byte == b'%').unwrap_or(rest.len());
        let (piece, length) = if plain > 0 {
            (Piece::Text(&rest[..plain]), plain)
        } else if rest.starts_with(b"%%") {
            (Piece::Text(b"%"), 2)
        } else {
            match Directive::parse(rest) {
                Some(directive) => (Piece::Directive(directive), directive.text.len()),
                None => (Piece::Text(b"%"), 1),
            }
        };
        rest = &rest[length..];
        Some(piece)
    })
}

/// A number in a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectiveNumber {
    /// Not there.
    None,
    /// Written out.
    Given(i64),
    /// `*`: the next argument.
    Argument,
}

/// How long an integer argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// `hh`
    Byte,
    /// `h`
    Short,
    /// Nothing.
    Int,
    /// `l`, `ll`, `j`, `z`, `t`
    Long,
}

impl Size {
    /// The bytes that it takes in the buffer; shorter ones are promoted to `int`.
    pub fn bytes(self) -> u64 {
        if self == Self::Long { 8 } else { 4 }
    }

    /// The argument as a signed number.
    pub fn signed(self, bits: u64) -> i64 {
        match self {
            Self::Byte => i64::from(bits as i8),
            Self::Short => i64::from(bits as i16),
            Self::Int => i64::from(bits as i32),
            Self::Long => bits as i64,
        }
    }

    /// The argument as an unsigned number.
    pub fn unsigned(self, bits: u64) -> u64 {
        match self {
            Self::Byte => u64::from(bits as u8),
            Self::Short => u64::from(bits as u16),
            Self::Int => u64::from(bits as u32),
            Self::Long => bits,
        }
    }
}

/// The digits of an unsigned number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// `%u`
    Decimal,
    /// `%o`
    Octal,
    /// `%x`
    Hexadecimal,
    /// `%X`
    Upper,
}

/// What a directive converts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// `%d`, `%i`
    Signed(Size),
    /// `%u`, `%o`, `%x`, `%X`
    Unsigned(Size, Radix),
    /// `%f`, `%e`, `%g`, `%a` and their capitals
    Float(Style),
    /// `%c`
    Character,
    /// `%s`
    String,
    /// `%p`
    Pointer,
    /// `%n`
    Nothing,
}

/// `%` with all that follows.
#[derive(Clone, Copy, Debug)]
pub struct Directive<'a> {
    /// As it was written.
    pub text: &'a [u8],
    flags: Flags,
    /// The least width.
    pub width: DirectiveNumber,
    /// The precision.
    pub precision: DirectiveNumber,
    /// What comes out.
    pub conversion: Conversion,
}

#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
}

impl<'a> Directive<'a> {
    /// The directive that a format begins with; `None` if it is not one of C's.
    fn parse(format: &'a [u8]) -> Option<Self> {
        let mut at = 1;
        let mut flags = Flags::default();
        loop {
            match format.get(at)? {
                b'-' => flags.left = true,
                b'+' => flags.plus = true,
                b' ' => flags.space = true,
                b'#' => flags.alternate = true,
                b'0' => flags.zero = true,
                _ => break,
            }
            at += 1;
        }
        let width = count(format, &mut at, DirectiveNumber::None);
        let mut precision = DirectiveNumber::None;
        if format.get(at) == Some(&b'.') {
            at += 1;
            // A point alone means none.
            precision = count(format, &mut at, DirectiveNumber::Given(0));
        }
        let (size, letters) = match format.get(at..)? {
            [b'h', b'h', ..] => (Size::Byte, 2),
            [b'h', ..] => (Size::Short, 1),
            [b'l', b'l', ..] => (Size::Long, 2),
            [b'l' | b'j' | b'z' | b't' | b'q' | b'L', ..] => (Size::Long, 1),
            _ => (Size::Int, 0),
        };
        at += letters;
        let conversion = match format.get(at)? {
            b'd' | b'i' => Conversion::Signed(size),
            b'u' => Conversion::Unsigned(size, Radix::Decimal),
            b'o' => Conversion::Unsigned(size, Radix::Octal),
            b'x' => Conversion::Unsigned(size, Radix::Hexadecimal),
            b'X' => Conversion::Unsigned(size, Radix::Upper),
            b'c' => Conversion::Character,
            b's' => Conversion::String,
            b'p' => Conversion::Pointer,
            b'n' => Conversion::Nothing,
            letter => Conversion::Float(Style::from_letter(*letter)?),
        };
        Some(Self { text: &format[..=at], flags, width, precision, conversion })
    }

    /// How many arguments it takes.
    pub fn arguments(&self) -> u32 {
        1 + u32::from(self.width == DirectiveNumber::Argument)
            + u32::from(self.precision == DirectiveNumber::Argument)
    }

    /// How its conversion is laid out, when the numbers are known.
    pub fn layout(&self, width: Option<i64>, precision: Option<i64>) -> FieldLayout {
        let width = width.unwrap_or(0);
        let Flags { left, plus, space, alternate, zero } = self.flags;
        FieldLayout {
            left: left || width < 0,
            sign: if plus {
                "+"
            } else if space {
                " "
            } else {
                ""
            },
            alternate,
            zero,
            width: usize::try_from(width.unsigned_abs()).unwrap_or(MOST).min(MOST),
            precision: precision.and_then(|p| usize::try_from(p).ok()).map(|p| p.min(MOST)),
        }
    }
}

fn count(format: &[u8], at: &mut usize, absent: DirectiveNumber) -> DirectiveNumber {
    if format.get(*at) == Some(&b'*') {
        *at += 1;
        return DirectiveNumber::Argument;
    }
    let mut number: Option<i64> = None;
    while let Some(digit) = format.get(*at).filter(|byte| byte.is_ascii_digit()) {
        let value = number.unwrap_or(0).saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        number = Some(value);
        *at += 1;
    }
    number.map_or(absent, DirectiveNumber::Given)
}

/// Flags, width and precision of one conversion.
#[derive(Clone, Copy, Debug)]
pub struct FieldLayout {
    left: bool,
    /// What stands before a number that is not negative.
    sign: &'static str,
    alternate: bool,
    zero: bool,
    width: usize,
    /// The precision, if there is one.
    pub precision: Option<usize>,
}

impl FieldLayout {
    /// `%d`
    pub fn signed(&self, text: &mut Vec<u8>, value: i64) {
        let sign = if value < 0 { "-" } else { self.sign };
        self.integer(text, sign, &value.unsigned_abs().to_string(), value == 0);
    }

    /// `%u`, `%o`, `%x`
    pub fn unsigned(&self, text: &mut Vec<u8>, value: u64, radix: Radix) {
        let (prefix, digits) = match radix {
            Radix::Decimal => ("", value.to_string()),
            Radix::Octal => ("", format!("{value:o}")),
            Radix::Hexadecimal => ("0x", format!("{value:x}")),
            Radix::Upper => ("0X", format!("{value:X}")),
        };
        let mut layout = *self;
        if self.alternate && radix == Radix::Octal {
            // The precision is raised so far that a zero comes first.
            let digits = if value == 0 { 0 } else { digits.len() };
            layout.precision =
                self.precision.map(|p| p.max(digits + 1)).or((value != 0).then_some(digits + 1));
            if self.precision.is_none() && self.zero && !self.left {
                layout.precision = Some((digits + 1).max(self.width));
            }
        }
        let prefix = if self.alternate && value != 0 { prefix } else { "" };
        layout.integer(text, prefix, &digits, value == 0);
    }

    /// `%p`
    pub fn pointer(&self, text: &mut Vec<u8>, value: u64) {
        if value == 0 {
            return self.pad(text, b"", 0, b"(nil)", false);
        }
        let layout = Self { alternate: true, ..*self };
        layout.integer(text, "0x", &format!("{value:x}"), false);
    }

    fn integer(&self, text: &mut Vec<u8>, prefix: &str, digits: &str, zero: bool) {
        let digits = if zero && self.precision == Some(0) { "" } else { digits };
        let zeros = self.precision.unwrap_or(0).saturating_sub(digits.len());
        // A precision turns the flag `0` off.
        self.pad(text, prefix.as_bytes(), zeros, digits.as_bytes(), self.zero && self.precision.is_none());
    }

    /// `%f`, `%e`, `%g`, `%a`
    pub fn float(&self, text: &mut Vec<u8>, value: f64, style: Style) {
        let sign = if value.is_sign_negative() { "-" } else { self.sign };
        let float::Digits { prefix, head, zeros, tail } =
            float::digits(value.abs(), style, self.precision, self.alternate);
        let sign = format!("{sign}{prefix}");
        let zero = self.zero && value.is_finite();
        let length = sign.len() + head.len() + zeros + tail.len();
        let room = self.width.saturating_sub(length);
        if !self.left && !zero {
            repeat(text, b' ', room);
        }
        put(text, sign.as_bytes());
        if !self.left && zero {
            repeat(text, b'0', room);
        }
        put(text, head.as_bytes());
        repeat(text, b'0', zeros);
        put(text, tail.as_bytes());
        if self.left {
            repeat(text, b' ', room);
        }
    }

    /// `%s`, and `%c`, which the precision does not cut.
    pub fn string(&self, text: &mut Vec<u8>, string: &[u8], cut: bool) {
        let most = if cut { self.precision.unwrap_or(string.len()) } else { string.len() };
        self.pad(text, b"", 0, &string[..string.len().min(most)], false);
    }

    /// A prefix, zeros and a body in the least width, filled with blanks, or with zeros after the prefix.
    fn pad(&self, text: &mut Vec<u8>, prefix: &[u8], zeros: usize, body: &[u8], fill: bool) {
        let room = self.width.saturating_sub(prefix.len() + zeros + body.len());
        if !self.left && !fill {
            repeat(text, b' ', room);
        }
        put(text, prefix);
        repeat(text, b'0', zeros + if !self.left && fill { room } else { 0 });
        put(text, body);
        if self.left {
            repeat(text, b' ', room);
        }
    }
}
