//! Numbers as people read them: six digits that matter, thousands apart, bytes in units.

/// A float with six digits that matter, or all digits of a whole number that is not too long.
#[must_use]
pub fn general(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "nan".to_owned() } else { format!("{value}") };
    }
    let scientific = format!("{value:.5e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value == 0.0 || (-5..10).contains(&exponent) {
        let decimals = (5 - exponent).max(0) as usize;
        return trimmed(&format!("{value:.decimals$}"));
    }
    format!("{}e{exponent}", trimmed(mantissa))
}

/// Without the zeros at the end of a fraction.
fn trimmed(text: &str) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    }
}

/// `1,234,567`
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 error`, `2 errors`
#[must_use]
pub fn plural(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// `1.5 MB`
#[must_use]
pub fn bytes(number: u64) -> String {
    scaled(number as f64, &["B", "kB", "MB", "GB", "TB"])
}

/// `1.5 G` of something in a second, or plain.
#[must_use]
pub fn rate(number: f64) -> String {
    scaled(number, &["", "k", "M", "G", "T"]).trim_end().to_owned()
}

fn scaled(mut number: f64, units: &[&str]) -> String {
    let mut unit = 0;
    while number >= 1000.0 && unit + 1 < units.len() {
        number /= 1000.0;
        unit += 1;
    }
    let digits = if unit == 0 || number >= 100.0 { 0 } else { 1 };
    format!("{number:.digits$} {}", units[unit])
}

/// `1.5 s`, `3 min 20 s`
#[must_use]
pub fn time(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.1} s"),
        s => format!("{} min {} s", s as u64 / 60, s as u64 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_short_and_whole_numbers_whole() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (511.5, "511.5"),
            (1.0 / 3.0, "0.333333"),
            (1e-5, "0.00001"),
            (1.5e-7, "1.5e-7"),
            (123_456_789.0, "123456789"),
            (1e300, "1e300"),
            (-2.5e20, "-2.5e20"),
            (999_999.9, "1000000"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(general(value), text);
        }
    }

    #[test]
    fn units() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(12), "12");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_500_000), "1.5 MB");
        assert_eq!(rate(2.5e9), "2.5 G");
        assert_eq!(time(std::time::Duration::from_millis(1500)), "1.5 s");
        assert_eq!(time(std::time::Duration::from_secs(200)), "3 min 20 s");
    }
}
