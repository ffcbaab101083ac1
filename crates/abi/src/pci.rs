//! Places on the PCI bus, as programs write them.

/// The domain, bus and device of `domain:bus:device`, with or without `.function`, or of `bus:device.function`; with the
/// function. `None` if the text is no place.
pub fn place(text: &str) -> Option<([u32; 3], u32)> {
    let number = |text: &str| u32::from_str_radix(text, 16).ok();
    let (place, function) = match text.split_once('.') {
        Some((place, function)) => (place, Some(number(function)?)),
        None => (text, None),
    };
    let parts: Vec<u32> = place.split(':').map(number).collect::<Option<_>>()?;
    let place = match (&parts[..], function) {
        ([domain, bus, device], _) => [*domain, *bus, *device],
        ([bus, device], Some(_)) => [0, *bus, *device],
        _ => return None,
    };
    Some((place, function.unwrap_or(0)))
}
