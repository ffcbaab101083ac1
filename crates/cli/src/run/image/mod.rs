//! `texture(f32[4,4]=iota, filter linear)` and `surface(u8x4 …)`: arguments that are images, passed as a handle.
//!
//! The text becomes an [`ImageDescription`]; with the elements of its source a [`HostImage`]; and on the device an array
//! with a texture or a surface ([`object`]).

pub mod format;
mod host;
pub mod object;
pub mod sampler;

use ptxvm_vm::Format;

pub use host::HostImage;
pub use sampler::Settings;

use super::items;
use super::specification::Specification;

/// What an image is handed over as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To be sampled.
    Texture,
    /// To be read and written at coordinates.
    Surface,
}

impl Role {
    /// The word that stands before the parentheses.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Texture => "texture",
            Self::Surface => "surface",
        }
    }
}

/// Where the texels come from.
#[derive(Clone, Debug, PartialEq)]
pub enum TexelSource {
    /// Elements of its own: `f32[4,4]=iota`, `@x.npy`, `@x.png`.
    Own(Box<Specification>),
    /// Those of another argument: `#0` or a name.
    Argument(String),
}

/// How many levels of detail there are.
#[derive(Clone, Debug, PartialEq)]
enum Levels {
    /// So many, each the mean of the one before.
    Count(u32),
    /// As many as the size allows.
    All,
    /// Those after the finest.
    Given(Vec<Specification>),
}

/// An image as it was written; what is left out follows from its source.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageDescription {
    /// What it is handed over as.
    pub role: Role,
    /// Where its texels come from.
    pub source: TexelSource,
    format: Option<Format>,
    layered: bool,
    cube: bool,
    levels: Levels,
    /// The level that a surface is of.
    at_level: u32,
    /// From one row to the next in a buffer, in bytes.
    pitch: Option<u64>,
    /// How it is sampled.
    pub settings: Settings,
}

impl ImageDescription {
    /// Reads what stands between the parentheses; the error is a sentence.
    pub fn parse(role: Role, text: &str) -> Result<Self, String> {
        // A number that stands alone belongs to the list before it, since no item begins as a number does.
        let mut items: Vec<String> = Vec::new();
        for item in items::split(text)? {
            let number = item.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
            match items.last_mut().filter(|_| number) {
                Some(list) => *list += &format!(",{item}"),
                None => items.push(item.to_owned()),
            }
        }
        let source = items.remove(0);
        let mut image = Self {
            role,
            source: source_of(role, &source)?,
            format: None,
            layered: false,
            cube: false,
            levels: Levels::Count(1),
            at_level: 0,
            pitch: None,
            settings: Settings::default(),
        };
        for item in &items {
            image.set(item)?;
        }
        if role == Role::Surface && !image.settings.is_empty() {
            return Err("a surface is not sampled; filter, address and the like are a texture's".to_owned());
        }
        Ok(image)
    }

    fn set(&mut self, item: &str) -> Result<(), String> {
        let (word, value) = items::word(item);
        match (word, value) {
            ("layered", "") => self.layered = true,
            ("cube", "") => self.cube = true,
            ("levels", "all") => self.levels = Levels::All,
            ("levels", _) => self.levels = Levels::Count(items::number(word, value)?),
            ("level", _) => {
                let given = texels(value)?;
                match &mut self.levels {
                    Levels::Given(levels) => levels.push(given),
                    levels => *levels = Levels::Given(vec![given]),
                }
            }
            ("at_level", _) if self.role == Role::Surface => self.at_level = items::number(word, value)?,
            ("pitch", _) => self.pitch = Some(items::number(word, value)?),
            _ if self.settings.set(word, value)? => {}
            _ => {
                let format = format::parse(item).ok_or_else(|| self.unknown(item))?;
                self.format = Some(format);
            }
        }
        Ok(())
    }

    fn unknown(&self, item: &str) -> String {
        let more = match self.role {
            Role::Texture => sampler::EXPECTED,
            Role::Surface => "at_level",
        };
        let noun = self.role.noun();
        format!(
            "`{item}` is not a setting of a {noun}; expected a format such as u8x4, layered, cube, levels, level, pitch, \
             {more}"
        )
    }

    /// The bytes of its own elements, as far as they are known before files are read.
    pub fn bytes(&self) -> u64 {
        match &self.source {
            TexelSource::Own(own) => own.bytes(),
            TexelSource::Argument(_) => 0,
        }
    }
}

fn source_of(role: Role, text: &str) -> Result<TexelSource, String> {
    let noun = role.noun();
    if text.is_empty() {
        return Err(format!("`{noun}()` lacks its texels: `f32[4,4]=iota`, `@x.npy`, `@x.png`, or `#0`"));
    }
    if !text.starts_with('@') && !text.contains('[') {
        return Ok(TexelSource::Argument(text.to_owned()));
    }
    texels(text).map(Box::new).map(TexelSource::Own)
}

fn texels(text: &str) -> Result<Specification, String> {
    if let Some((word, _)) = text.split_once('(').filter(|(word, _)| !word.contains(['[', '@'])) {
        return Err(format!("`{}(…)` cannot be inside `texture(…)` or `surface(…)`", word.trim()));
    }
    let wrong = || format!("`{text}` is not a source of texels; write `f32[4,4]=iota`, `@x.npy` or `@x.png`");
    Specification::texels(text)?.ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texture(text: &str) -> Result<ImageDescription, String> {
        ImageDescription::parse(Role::Texture, text)
    }

    #[test]
    fn a_list_of_contents_belongs_to_the_source() {
        let image = texture("f32[2,2]=1,-2,.5,4e0, rgba32f, layered, filter linear").expect("it is right");
        let TexelSource::Own(own) = &image.source else { panic!("it has texels of its own: {image:?}") };
        assert_eq!(Ok(&**own), Specification::parse("f32[2,2]=1,-2,.5,4e0").as_ref());
        assert_eq!(image.format.map(|format| format.channels), Some(4));
        assert!(image.layered && !image.cube && !image.settings.is_empty());
        assert_eq!(texture("#1").map(|image| image.source), Ok(TexelSource::Argument("#1".to_owned())));
        let levels = texture("f32[4]=iota, level f32[2]=7, level f32[1]=9").expect("it is right").levels;
        assert!(matches!(levels, Levels::Given(levels) if levels.len() == 2));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, wrong) in [
            ("", "lacks its texels"),
            ("f32[4", "lacks a `]`"),
            ("f32[4]=iota, filters linear", "not a setting of a texture"),
            ("f32[4]=iota, u8x3", "not a setting of a texture"),
            ("f32[4]=iota, at_level 1", "not a setting of a texture"),
            ("f32[4]=1,2", "2 are listed"),
            ("f32[4]=iota, levels many", "not a number for levels"),
            ("q32[4]=iota", "not an element type"),
            ("texture(f32[4]=iota)", "`texture(…)` cannot be inside"),
            ("f32[4]=iota, level texture(f32[2])", "`texture(…)` cannot be inside"),
        ] {
            let error = texture(text).expect_err(text);
            assert!(error.contains(wrong), "{text}: {error}");
        }
        let sampled =
            ImageDescription::parse(Role::Surface, "u8[4], filter linear").expect_err("it is wrong");
        assert!(sampled.contains("not sampled"), "{sampled}");
        assert!(ImageDescription::parse(Role::Surface, "u8[4], at_level 0").is_ok());
    }
}
