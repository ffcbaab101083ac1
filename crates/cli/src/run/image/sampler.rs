//! How a texture is sampled, as people write it: `filter linear, address [wrap, clamp], normalized`.

use ptxvm_vm::{AddressMode, Filter, Read, Sampler};

use crate::run::items::{self, choice, elements, list, number};

/// The words of each setting stand where the modes of these lists are.
const FILTERS: [&str; 2] = ["point", "linear"];
const FILTER_MODES: [Filter; 2] = [Filter::Point, Filter::Linear];
const ADDRESSES: [&str; 4] = ["wrap", "clamp", "mirror", "border"];
const ADDRESS_MODES: [AddressMode; 4] =
    [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
const READS: [&str; 2] = ["element", "normalized"];
const READ_MODES: [Read; 2] = [Read::Element, Read::NormalizedFloat];

/// What a message lists when an item is none of these.
pub const EXPECTED: &str = "filter, level_filter, address, border, normalized, read, srgb, seamless, bias, clamp, \
                            anisotropy";

/// What was written about sampling; the rest is the texture's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    filter: Option<Filter>,
    level_filter: Option<Filter>,
    address: Option<[AddressMode; 3]>,
    border: Option<[f32; 4]>,
    normalized: bool,
    read: Option<Read>,
    srgb: bool,
    seamless: bool,
    bias: Option<f32>,
    clamp: Option<(f32, f32)>,
    anisotropy: Option<u32>,
}

impl Settings {
    /// Reads what stands between the parentheses of `sampler(…)`; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut settings = Self::default();
        for item in items::split(text)?.into_iter().filter(|item| !item.is_empty()) {
            let (word, value) = items::word(item);
            if !settings.set(word, value)? {
                return Err(format!("`{item}` is not a setting of a sampler; expected {EXPECTED}"));
            }
        }
        Ok(settings)
    }

    /// Takes an item, and gives whether it was about sampling.
    pub fn set(&mut self, word: &str, value: &str) -> Result<bool, String> {
        match word {
            "filter" => self.filter = Some(FILTER_MODES[choice(word, value, &FILTERS)? as usize]),
            "level_filter" => self.level_filter = Some(FILTER_MODES[choice(word, value, &FILTERS)? as usize]),
            "address" => self.address = Some(address(value)?),
            "border" => self.border = Some(border(value)?),
            "read" => self.read = Some(READ_MODES[choice(word, value, &READS)? as usize]),
            "bias" => self.bias = Some(number(word, value)?),
            "clamp" => {
                let (least, most) = value
                    .split_once("..")
                    .ok_or("clamp is written `clamp 0..2`, the least and most level")?;
                self.clamp = Some((number(word, least)?, number(word, most)?));
            }
            "anisotropy" => self.anisotropy = Some(number(word, value)?),
            "normalized" | "srgb" | "seamless" if !value.is_empty() => {
                return Err(format!("`{word}` takes no value, but `{value}` follows"));
            }
            "normalized" => self.normalized = true,
            "srgb" => self.srgb = true,
            "seamless" => self.seamless = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// A sampler with what was written, and what another says about the rest.
    pub fn over(&self, other: &Sampler) -> Sampler {
        let (min_level, max_level) = self.clamp.unwrap_or((other.min_level, other.max_level));
        Sampler {
            address: self.address.unwrap_or(other.address),
            filter: self.filter.unwrap_or(other.filter),
            level_filter: self.level_filter.unwrap_or(other.level_filter),
            normalized: self.normalized || other.normalized,
            read: self.read.unwrap_or(other.read),
            srgb: self.srgb || other.srgb,
            seamless: self.seamless || other.seamless,
            anisotropy: self.anisotropy.unwrap_or(other.anisotropy),
            bias: self.bias.unwrap_or(other.bias),
            min_level,
            max_level,
            border: self.border.unwrap_or(other.border),
            ..*other
        }
    }
}

/// One mode for all dimensions, or a list with one for each.
fn address(value: &str) -> Result<[AddressMode; 3], String> {
    let mode = |name: &str| choice("address", name, &ADDRESSES).map(|n| ADDRESS_MODES[n as usize]);
    if !value.starts_with('[') {
        return Ok([mode(value)?; 3]);
    }
    let modes: Vec<AddressMode> =
        elements("address", value)?.into_iter().map(mode).collect::<Result<_, _>>()?;
    let mut all = [AddressMode::Clamp; 3];
    if modes.is_empty() || modes.len() > all.len() {
        return Err("address takes one to three modes, such as [wrap, clamp]".to_owned());
    }
    all[..modes.len()].copy_from_slice(&modes);
    Ok(all)
}

/// Red, green, blue and alpha; those that are left out are zero.
fn border(value: &str) -> Result<[f32; 4], String> {
    let bare = value.trim_start_matches('[').trim_end_matches(']');
    let given: Vec<f32> = list("border", &format!("[{bare}]"))?;
    let mut all = [0.0; 4];
    if given.len() > all.len() {
        return Err("border takes one to four numbers, such as [1, 0, 0, 1]".to_owned());
    }
    all[..given.len()].copy_from_slice(&given);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(items: &[(&str, &str)]) -> Settings {
        let mut settings = Settings::default();
        for (word, value) in items {
            assert_eq!(settings.set(word, value), Ok(true), "{word} {value}");
        }
        settings
    }

    #[test]
    fn what_is_written_counts_and_the_rest_stays() {
        let own = Sampler { bias: 0.5, filter: Filter::Linear, normalized: true, ..Sampler::default() };
        let written = settings(&[
            ("address", "[wrap, border]"),
            ("border", "1, 0.5"),
            ("clamp", "0.5..2"),
            ("read", "normalized"),
        ]);
        let both = written.over(&own);
        assert_eq!(both.address, [AddressMode::Wrap, AddressMode::Border, AddressMode::Clamp]);
        assert_eq!((both.border, both.min_level, both.max_level), ([1.0, 0.5, 0.0, 0.0], 0.5, 2.0));
        assert_eq!((both.bias, both.filter, both.normalized), (0.5, Filter::Linear, true));
        assert_eq!(both.read, Read::NormalizedFloat);
        assert_eq!(settings(&[("address", "mirror")]).over(&own).address, [AddressMode::Mirror; 3]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (word, value, wrong) in [
            ("filter", "bilinear", "filter cannot be `bilinear`; expected point, linear"),
            ("address", "repeat", "address cannot be `repeat`"),
            ("address", "[wrap,wrap,wrap,wrap]", "one to three"),
            ("border", "[1,2,3,4,5]", "one to four"),
            ("border", "red", "not a number for border"),
            ("clamp", "1", "clamp 0..2"),
            ("normalized", "yes", "takes no value"),
            ("anisotropy", "-1", "not a number for anisotropy"),
        ] {
            let error = Settings::default().set(word, value).expect_err(word);
            assert!(error.contains(wrong), "{word} {value}: {error}");
        }
        assert_eq!(Settings::default().set("layered", ""), Ok(false));
    }
}
