//! The values of number literals, with the limits that ptxas sets.

/// The value of an integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    /// `unsigned` with the suffix `U`, or when the value needs 64 bits.
    Value { value: u64, unsigned: bool },
    /// ptxas loses the high bits of some literals beyond 64 bits without a word; `value` has the rest.
    Wrapped { value: u64 },
    /// ptxas refuses a literal that has its 64th bit set when one more digit follows.
    Overflow,
}

/// The value of the text of an `Integer` token: `10`, `0x1F`, `017`, `0b101`, perhaps with a `U`.
#[must_use]
pub fn integer(text: &str) -> Integer {
    let (digits, suffixed) = match text.strip_suffix('U') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', rest @ ..] => (rest, 16),
        [b'0', b'b' | b'B', rest @ ..] => (rest, 2),
        [b'0', rest @ ..] => (rest, 8),
        rest => (rest, 10),
    };
    let mut value: u64 = 0;
    let mut wrapped = false;
    for &byte in digits {
        if value >> 63 != 0 {
            return Integer::Overflow;
        }
        let digit = u64::from(char::from(byte).to_digit(radix).unwrap_or(0));
        let (product, high) = value.overflowing_mul(u64::from(radix));
        let (sum, carry) = product.overflowing_add(digit);
        wrapped |= high || carry;
        value = sum;
    }
    if wrapped {
        return Integer::Wrapped { value };
    }
    Integer::Value { value, unsigned: suffixed || value >> 63 != 0 }
}

/// The bits of `0f…` or `0d…`.
#[must_use]
pub fn hexadecimal_float(text: &str) -> u64 {
    text.get(2..).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

/// The value of a decimal float; `None` if it is too large or, like ptxas, too small for a normal
/// double.
#[must_use]
pub fn decimal_float(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or("");
    let zero = mantissa.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    (value.is_normal() || zero).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        let signed = |value| Integer::Value { value, unsigned: false };
        let unsigned = |value| Integer::Value { value, unsigned: true };
        let table = [
            ("0", signed(0)),
            ("00", signed(0)),
            ("10", signed(10)),
            ("017", signed(15)),
            ("0x1F", signed(31)),
            ("0X1fU", unsigned(31)),
            ("0b101", signed(5)),
            ("9223372036854775807", signed(i64::MAX as u64)),
            ("9223372036854775808", unsigned(1 << 63)),
            ("18446744073709551615", unsigned(u64::MAX)),
            // What ptxas 13.1 makes of literals beyond 64 bits.
            ("18446744073709551620", Integer::Wrapped { value: 4 }),
            ("0x1fffffffffffffff7", Integer::Wrapped { value: 0xffff_ffff_ffff_fff7 }),
            ("0x10000000000000000", Integer::Wrapped { value: 0 }),
            ("0x80000000000000000", Integer::Overflow),
            ("100000000000000000000", Integer::Overflow),
            ("200000000000000000000", Integer::Wrapped { value: 15_532_559_262_904_483_840 }),
            ("020000000000000000000000", Integer::Wrapped { value: 0 }),
        ];
        for (text, expected) in table {
            assert_eq!(integer(text), expected, "{text}");
        }
    }

    #[test]
    fn floats() {
        assert_eq!(decimal_float("1.5e3"), Some(1500.0));
        assert_eq!(decimal_float(".5"), Some(0.5));
        assert_eq!(decimal_float("1."), Some(1.0));
        assert_eq!(decimal_float("0.0e999"), Some(0.0));
        assert_eq!(decimal_float("1e400"), None);
        assert_eq!(decimal_float("1e-320"), None);
        assert_eq!(hexadecimal_float("0f3F800000"), 0x3f80_0000);
        assert_eq!(hexadecimal_float("0D3FF0000000000000"), 1.0_f64.to_bits());
    }
}
