//! What texels are made of, as people write it: `u8x4`, `f16`, `unorm8x2`, `rgba8`.

use ptxvm_vm::{Channel, Format};

use crate::run::element::Element;

/// Codings of a channel by name, and the elements that a source of them has.
const CHANNELS: [(&str, Channel, Element); 12] = [
    ("u8", Channel::U8, Element::U8),
    ("u16", Channel::U16, Element::U16),
    ("u32", Channel::U32, Element::U32),
    ("s8", Channel::S8, Element::S8),
    ("s16", Channel::S16, Element::S16),
    ("s32", Channel::S32, Element::S32),
    ("f16", Channel::F16, Element::F16),
    ("f32", Channel::F32, Element::F32),
    ("unorm8", Channel::Unorm8, Element::U8),
    ("unorm16", Channel::Unorm16, Element::U16),
    ("snorm8", Channel::Snorm8, Element::S8),
    ("snorm16", Channel::Snorm16, Element::S16),
];

/// Names that graphics programs use.
const OTHERS: [(&str, &str); 9] = [
    ("r8", "u8"),
    ("rg8", "u8x2"),
    ("rgba8", "u8x4"),
    ("r16f", "f16"),
    ("rg16f", "f16x2"),
    ("rgba16f", "f16x4"),
    ("r32f", "f32"),
    ("rg32f", "f32x2"),
    ("rgba32f", "f32x4"),
];

/// The format of a name; `None` if it is none.
pub fn parse(name: &str) -> Option<Format> {
    let name = OTHERS.iter().find(|(other, _)| *other == name).map_or(name, |&(_, name)| name);
    let (channel, channels) = match name.split_once('x') {
        Some((channel, "2")) => (channel, 2),
        Some((channel, "4")) => (channel, 4),
        Some(_) => return None,
        None => (name, 1),
    };
    let (_, channel, _) = CHANNELS.iter().find(|(known, ..)| *known == channel)?;
    Some(Format { channel: *channel, channels })
}

/// The format of plain elements, so many in a texel.
pub fn of_elements(element: Element, channels: u8) -> Result<Format, String> {
    let known = CHANNELS.iter().find(|(.., own)| *own == element);
    let (_, channel, _) =
        known.ok_or_else(|| format!("a texel has no channels of type {}", element.name()))?;
    Ok(Format { channel: *channel, channels })
}

/// Makes sure that a source's elements are those of a format.
pub fn check(format: Format, element: Element) -> Result<(), String> {
    match CHANNELS.iter().find(|(_, channel, _)| *channel == format.channel) {
        Some((_, _, own)) if *own == element => Ok(()),
        Some((name, _, own)) => {
            Err(format!("texels of {name} are made of {}, not of {}", own.name(), element.name()))
        }
        None => Err("the format has no elements".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_channel_and_count() {
        assert_eq!(parse("f16x4"), Some(Format { channel: Channel::F16, channels: 4 }));
        assert_eq!(parse("rgba8"), Some(Format { channel: Channel::U8, channels: 4 }));
        assert_eq!(parse("snorm16"), Some(Format { channel: Channel::Snorm16, channels: 1 }));
        for none in ["f64", "u8x3", "u8x", "x4", "", "filter"] {
            assert_eq!(parse(none), None, "{none}");
        }
        let unorm = Format { channel: Channel::Unorm8, channels: 1 };
        assert!(check(unorm, Element::U8).is_ok() && check(unorm, Element::S8).is_err());
        assert_eq!(of_elements(Element::S32, 2).map(|f| f.channel), Ok(Channel::S32));
        assert!(of_elements(Element::F64, 1).is_err());
    }
}
