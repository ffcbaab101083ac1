//! What identifies a device: its UUID and its address on the bus.

use ptxvm_profile::Profile;

/// Where the device appears on the PCI bus.
pub const PCI_DOMAIN: u32 = 0;
pub const PCI_BUS: u32 = 0;
pub const PCI_DEVICE: u32 = 6;

/// The device's place on the bus as text: `domain:bus:device.function`.
pub fn pci_bus_id() -> String {
    format!("{PCI_DOMAIN:04x}:{PCI_BUS:02x}:{PCI_DEVICE:02x}.0")
}

/// Whether a place on the bus is the device's: `domain:bus:device`, with or without `.function`, or
/// `bus:device.function`. `None` if the text is no place.
pub fn is_pci_bus_id(text: &str) -> Option<bool> {
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
    Some(place == [PCI_DOMAIN, PCI_BUS, PCI_DEVICE] && function.unwrap_or(0) == 0)
}

/// A number that no real GPU has: version 8 of UUIDs leaves the bits to whoever makes them.
pub fn uuid(profile: &Profile) -> [u8; 16] {
    let mut uuid = *b"ptxvm\0\x80\0\x80virtual";
    let name = profile.name.as_bytes();
    // The name's letters go where they touch neither the version nor the variant.
    for (place, letter) in uuid[9..].iter_mut().zip(name) {
        *place = *letter;
    }
    uuid
}
