//! Sizes of memory as people write them: `8G`, `512M`, `1.5GiB`, plain bytes. The units are powers of 1024.

/// What a message says when a text is no size.
pub const EXPECTED: &str = "write bytes, or a number with K, M, G or T, such as 512M or 8G";

const UNITS: [(char, u32); 4] = [('k', 10), ('m', 20), ('g', 30), ('t', 40)];

/// Reads a size; the error is a sentence.
///
/// # Errors
/// The text is no size, or one that 64 bits cannot hold.
pub fn parse(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size of memory; {EXPECTED}");
    let lower = text.trim().to_ascii_lowercase();
    // `8G`, `8GB` and `8GiB` mean the same here.
    let bare = lower.strip_suffix("ib").or_else(|| lower.strip_suffix('b')).unwrap_or(&lower);
    let unit = UNITS.iter().find(|(unit, _)| bare.ends_with(*unit));
    let (digits, shift) = match unit {
        Some((unit, shift)) => (bare.strip_suffix(*unit).unwrap_or(bare).trim_end(), *shift),
        None if bare.len() == lower.len() => (bare, 0),
        None => return Err(wrong()),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let number = |digits: &str| -> Option<u64> {
        let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'_');
        digits.replace('_', "").parse().ok().filter(|_| plain)
    };
    let bytes = number(whole).ok_or_else(wrong)?.checked_mul(1 << shift).ok_or_else(wrong)?;
    if part.is_empty() {
        return if digits.ends_with('.') { Err(wrong()) } else { Ok(bytes) };
    }
    // More digits than these say nothing of a byte.
    let fraction = number(part).filter(|_| shift > 0 && part.len() <= 9).ok_or_else(wrong)?;
    let fraction = (u128::from(fraction) << shift) / 10u128.pow(part.len() as u32);
    bytes.checked_add(fraction as u64).ok_or_else(wrong)
}

/// A size as people read it, in the unit that suits it.
#[must_use]
pub fn show(bytes: u64) -> String {
    let unit = UNITS.iter().rev().find(|(_, shift)| bytes >> shift > 0);
    match unit {
        Some((unit, shift)) => {
            let tenths = (u128::from(bytes) * 10) >> shift;
            let unit = unit.to_ascii_uppercase();
            if tenths % 10 == 0 {
                format!("{}{unit}", tenths / 10)
            } else {
                format!("{}.{}{unit}", tenths / 10, tenths % 10)
            }
        }
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_1024() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("1_000", 1000),
            ("2K", 2048),
            ("512M", 512 << 20),
            ("8G", 8 << 30),
            ("8g", 8 << 30),
            ("8GB", 8 << 30),
            ("8 GiB", 8 << 30),
            ("1.5GiB", 3 << 29),
            ("0.25T", 1 << 38),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_said() {
        for text in [
            "",
            "G",
            "-1",
            "+1",
            "8X",
            "8GG",
            "8iB",
            "8B",
            "1.5",
            "1.",
            "1.G",
            ".5G",
            "1e9",
            "0x10",
            "ten",
            "1,5G",
            "16777216T",
            "18446744073709551616",
            "1.0000000001G",
            "\u{ff18}G",
            "8G\u{0}",
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains("512M"), "{error}");
        }
    }

    #[test]
    fn sizes_are_shown_short() {
        let all = [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (3 << 29, "1.5G"),
            (8 << 30, "8G"),
            (u64::MAX, "16777215.9T"),
        ];
        for (bytes, text) in all {
            assert_eq!(show(bytes), text);
        }
    }
}
