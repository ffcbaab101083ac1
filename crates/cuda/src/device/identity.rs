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

/// Whether a place on the bus is the device's, as programs write one; `None` if the text is no place.
pub fn is_pci_bus_id(text: &str) -> Option<bool> {
    ptxvm_abi::pci::place(text).map(|place| place == ([PCI_DOMAIN, PCI_BUS, PCI_DEVICE], 0))
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
