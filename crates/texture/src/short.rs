//! The numbers in which the unit measures footprints: ten significant bits; lower bits are cut off.
//!
//! An f64 holds them, with room for their exponents and for exact sums of a few of them. The multiplier does not compute
//! the lower columns of a product, and adds a constant instead of their carry. It multiplies exactly by constants.

/// Significant bits of a short number.
const BITS: u32 = 10;
/// Bits of an f64's fraction that a short number does not have.
const REST: u32 = f64::MANTISSA_DIGITS - BITS;
/// The columns of a product below this one are not formed.
const COLUMN: u32 = 6;

/// 256ths of log2 of a number from 1 to 2, by the eight bits after its first.
static LOG2: [u8; 256] = [
    0, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 18, 19, 20, 22, 23, 24, 26, 27, 28, 30, 31, 32, 34, 35, 36, 38,
    39, 40, 42, 43, 44, 45, 47, 48, 49, 50, 52, 53, 54, 55, 57, 58, 59, 60, 62, 63, 64, 65, 66, 68, 69, 70,
    71, 72, 74, 75, 76, 77, 78, 79, 81, 82, 83, 84, 85, 86, 88, 89, 90, 91, 92, 93, 94, 95, 97, 98, 99, 100,
    101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122,
    123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 135, 136, 137, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 162, 163,
    164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 173, 174, 175, 176, 177, 178, 179, 180, 181, 181, 182,
    183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193, 194, 195, 195, 196, 197, 198, 199, 200, 200,
    201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 210, 210, 211, 212, 213, 214, 214, 215, 216, 217, 218,
    218, 219, 220, 221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229, 229, 230, 231, 232, 233, 233, 234,
    235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245, 246, 247, 248, 248, 249, 250,
    251, 251, 252, 253, 253, 254, 255, 255,
];

/// What log2 gives for zero: less than any level of detail, and far from the ends of an i32.
pub const NOTHING: i32 = -(1 << 20);

/// A finite number of which only the upper ten bits are left.
#[must_use]
pub fn cut(value: f64) -> f64 {
    f64::from_bits(value.to_bits() >> REST << REST)
}

/// What the last of a number's ten bits counts; of zero, something too small to matter.
#[must_use]
pub fn last(value: f64) -> f64 {
    let exponent = value.to_bits() >> (f64::MANTISSA_DIGITS - 1) & 0x7ff;
    f64::from_bits(exponent.saturating_sub(u64::from(BITS) - 1) << (f64::MANTISSA_DIGITS - 1))
}

/// The sum of two. The smaller one is brought to the larger one's exponent with one bit more than stays.
#[must_use]
pub fn sum(a: f64, b: f64) -> f64 {
    let unit = last(a.abs().max(b.abs())) / 2.0;
    if unit == 0.0 { 0.0 } else { cut(((a / unit).trunc() + (b / unit).trunc()) * unit) }
}

/// The product of two.
#[must_use]
pub fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let digits = |value: f64| (value.abs() / last(value)) as u32;
    let (x, y) = (digits(a), digits(b));
    let mut columns = 0;
    for bit in (0..BITS).filter(|bit| x >> bit & 1 == 1) {
        let below = COLUMN.saturating_sub(bit);
        columns += y >> below << below << bit;
    }
    let carried = 7 << COLUMN;
    let product =
        f64::from((columns + carried) >> (BITS - 1)) * last(a) * last(b) * f64::from(1 << (BITS - 1));
    cut(product.copysign(a * b))
}

/// The product with a constant in 512ths, which a last bit of some weight rounds.
fn times(value: f64, constant: f64, rounding: f64) -> f64 {
    cut(constant * value + rounding * last(value)) / 512.0
}

/// 11/16 of a number that is not negative.
#[must_use]
pub fn eleven_sixteenths(value: f64) -> f64 {
    times(value, 352.0, 128.0)
}

/// 11/32 of it.
#[must_use]
pub fn eleven_thirty_seconds(value: f64) -> f64 {
    times(value, 176.0, 64.0)
}

/// 11/64 of it.
#[must_use]
pub fn eleven_sixty_fourths(value: f64) -> f64 {
    times(value, 88.0, 32.0)
}

/// 121/512 of it.
#[must_use]
pub fn eleven_eleven(value: f64) -> f64 {
    times(value, 121.0, 32.0)
}

/// 256ths of log2 of a number that is not negative.
#[must_use]
pub fn log2(value: f64) -> i32 {
    if value == 0.0 {
        return NOTHING;
    }
    let bits = value.to_bits();
    let exponent = (bits >> (f64::MANTISSA_DIGITS - 1)) as i32 - (f64::MAX_EXP - 1);
    let index = bits >> (f64::MANTISSA_DIGITS - 1 - u8::BITS) & u64::from(u8::MAX);
    exponent * 256 + i32::from(LOG2[index as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_bits_are_left() {
        assert_eq!(cut(1.0 + 1.0 / 512.0 + 1.0 / 1024.0), 1.0 + 1.0 / 512.0);
        assert_eq!(cut(-1023.9), -1023.0);
        assert_eq!(last(1023.0), 1.0);
        assert_eq!(sum(512.0, 0.75), 512.0);
        assert_eq!(sum(512.0, -0.75), 511.5);
    }

    #[test]
    fn products_carry_what_the_lower_columns_might_have() {
        // Widths of 37 and 100 texels, and derivatives for which an H200 still chose the level below or already the next.
        assert_eq!(product(658.0, 100.0), 65_792.0);
        assert_eq!(product(660.0, 100.0), 66_048.0);
        assert_eq!(product(665.0, 100.0), 66_432.0);
        assert_eq!(product(684.0, 3.0), 2052.0);
        assert_eq!(product(685.0, 3.0), 2056.0);
        assert_eq!(product(-0.75, 256.0), -192.0);
        assert_eq!(product(0.0, 3.0), 0.0);
    }

    #[test]
    fn logarithms_come_from_a_table() {
        assert_eq!(log2(1.0), 0);
        assert_eq!(log2(24.0), 4 * 256 + 150);
        assert_eq!(log2(0.998), -1);
        assert_eq!(log2(0.0), NOTHING);
    }
}
