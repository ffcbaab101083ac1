//! How the values of switches are read: counts, times, names from a list. Sizes of memory are `ptxvm_host`'s.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// A plain number.
pub fn number<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// A count, with a unit of thousands.
pub fn count(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a count; write 1000000, 10M or 1e9");
    let (digits, unit) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 1e3),
        Some((at, 'M')) => (&text[..at], 1e6),
        Some((at, 'G')) => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    if let (Ok(number), 1.0) = (digits.replace('_', "").parse(), unit) {
        return Ok(number);
    }
    match digits.parse::<f64>() {
        Ok(number) if number >= 0.0 && number * unit <= 1.8e19 => Ok((number * unit).round() as u64),
        _ => Err(wrong()),
    }
}

/// A time; without a unit in seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time; write 10s, 500ms or 2min");
    // Seconds as programs write them, with an exponent.
    if let Ok(seconds) = text.parse() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| wrong());
    }
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let unit = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| wrong())
}

/// Whether a switch that takes nothing is on: by any value but 0.
pub fn flag(text: &str) -> bool {
    text != "0"
}

/// How such a switch is shown.
pub fn show_flag(on: bool) -> String {
    u8::from(on).to_string()
}

/// The choice of this name.
pub fn one_of<T: Copy>(text: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, String> {
    let named = |choice: &T| name(*choice) == text;
    all.iter().copied().find(named).ok_or_else(|| {
        let (last, others) = all.split_last().map_or(("", all), |(last, others)| (name(*last), others));
        let others: Vec<&str> = others.iter().map(|choice| name(*choice)).collect();
        format!("expected {} or {last}", others.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units() {
        assert_eq!(count("10M"), Ok(10_000_000));
        assert_eq!(count("1e9"), Ok(1_000_000_000));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert!(
            count("ten").is_err() && count("-1").is_err() && count("1e30").is_err() && count("").is_err()
        );
        assert!(duration("-1s").is_err() && duration("1 year").is_err() && duration("1e300h").is_err());
    }

    #[test]
    fn a_name_that_is_not_known_is_answered_with_those_that_are() {
        let name = |n: u8| ["one", "two", "three"][usize::from(n)];
        assert_eq!(one_of("two", &[0, 1, 2], name), Ok(1));
        assert_eq!(one_of("four", &[0, 1, 2], name), Err("expected one, two or three".to_owned()));
    }
}
