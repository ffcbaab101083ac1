//! Parses `--arg`: a number, a buffer with its type, shape and contents, a tensor map of a buffer, a texture or a surface,
//! or plain bytes.
//!
//! Parsing needs neither the kernel nor any file, so mistakes are reported before anything runs.

use super::element::{self, Element};
use super::image::{self, Role};
use super::tensor_map;

/// An argument as it was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Specification {
    /// `42`, `f32:1.5`: a number, of the parameter's type unless it names its own.
    Scalar { element: Option<Element>, text: String },
    /// `f32[64,64]=iota`; without dimensions (`f32[]=@x.bin`) the file decides how many elements there are.
    Buffer { element: Element, shape: Option<Vec<u64>>, contents: Contents },
    /// `@x.npy`, `@x.bin`: the file's bytes, as a buffer or by value, whichever the parameter is.
    File(String),
    /// `hex:01ff`: bytes, by value.
    Bytes(Vec<u8>),
    /// `tensormap(#0, box [32,8])`: the tensor map of a buffer, by value or in memory, whichever the parameter is.
    TensorMap(Box<tensor_map::TensorMapDescription>),
    /// `texture(f32[4,4]=iota, filter linear)`, `surface(u8[4,4])`: the handle of one.
    Image(Box<image::ImageDescription>),
    /// `sampler(filter linear)`: a sampler's state, for a `.samplerref`.
    Sampler(Box<image::Settings>),
}

/// What a buffer holds at first.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// The same number everywhere; `zeros` and `ones` are such.
    Value(String),
    /// One number for each element.
    List(Vec<String>),
    /// 0, 1, 2, …
    Iota,
    /// Random numbers: floats from 0 to 1, integers from all of their range, unless bounds are given.
    Random { seed: Option<u64>, bounds: Option<(f64, f64)> },
    /// `uninit`: nothing that anybody has written. It reads as zeros, and `--check=init` tells who relies on that.
    Unwritten,
    /// `@file`
    File(String),
}

impl Specification {
    /// Reads an argument; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(digits) = text.strip_prefix("hex:") {
            return hex(digits).map(Specification::Bytes);
        }
        if let Some(inner) = within(text, "tensormap")? {
            return tensor_map::TensorMapDescription::parse(inner)
                .map(Box::new)
                .map(Specification::TensorMap);
        }
        for role in [Role::Texture, Role::Surface] {
            if let Some(inner) = within(text, role.noun())? {
                return image::ImageDescription::parse(role, inner).map(Box::new).map(Specification::Image);
            }
        }
        if let Some(inner) = within(text, "sampler")? {
            return image::Settings::parse(inner).map(Box::new).map(Specification::Sampler);
        }
        if let Some(source) = Self::texels(text)? {
            return Ok(source);
        }
        if let Some((name, number)) = text.split_once(':') {
            let element = named(name)?;
            element.parse(number)?;
            return Ok(Specification::Scalar { element: Some(element), text: number.to_owned() });
        }
        if text.is_empty() {
            return Err("an argument is missing its value".to_owned());
        }
        Ok(Specification::Scalar { element: None, text: text.to_owned() })
    }

    /// Reads what texels are made of, a file or a buffer's type, shape and contents; `None` if it is neither. Images hold
    /// such and no images: nothing nests.
    pub fn texels(text: &str) -> Result<Option<Self>, String> {
        let text = text.trim();
        if let Some(path) = text.strip_prefix('@') {
            return file(path).map(Specification::File).map(Some);
        }
        match text.split_once('[') {
            Some((name, rest)) => buffer(name.trim(), rest).map(Some),
            None => Ok(None),
        }
    }

    /// The bytes of a buffer that is made, not read.
    pub fn bytes(&self) -> u64 {
        match self {
            Specification::Buffer { element, shape: Some(shape), .. } => {
                shape.iter().fold(element.bytes() as u64, |n, &d| n.saturating_mul(d))
            }
            Specification::Image(image) => image.bytes(),
            _ => 0,
        }
    }
}

/// What stands between the parentheses after a word; `None` if the text does not begin with them.
fn within<'t>(text: &'t str, word: &str) -> Result<Option<&'t str>, String> {
    let Some(rest) = text.strip_prefix(word).and_then(|rest| rest.trim_start().strip_prefix('(')) else {
        return Ok(None);
    };
    rest.strip_suffix(')').map(Some).ok_or_else(|| format!("`{text}` lacks its `)`"))
}

fn named(name: &str) -> Result<Element, String> {
    Element::from_name(name).ok_or_else(|| match name {
        "c64" | "complex64" => format!("`{name}`: complex numbers are pairs, such as f32[8,2] for eight"),
        "c128" | "complex128" => format!("`{name}`: complex numbers are pairs, such as f64[8,2] for eight"),
        _ => format!("`{name}` is not an element type ({})", element::EXPECTED),
    })
}

fn file(path: &str) -> Result<String, String> {
    if path.is_empty() { Err("a file's name is missing after `@`".to_owned()) } else { Ok(path.to_owned()) }
}

fn hex(digits: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = digits.bytes().filter(|b| !matches!(b, b'_' | b' ')).collect();
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() {
        return Err("`hex:` needs two digits for each byte".to_owned());
    }
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    pairs
        .iter()
        .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?))
        .collect::<Option<Vec<u8>>>()
        .ok_or_else(|| "`hex:` takes hexadecimal digits only".to_owned())
}

fn buffer(name: &str, rest: &str) -> Result<Specification, String> {
    let element = named(name)?;
    let (dimensions, contents) =
        rest.split_once(']').ok_or_else(|| format!("`{name}[{rest}` lacks its `]`"))?;
    let contents = match contents.trim() {
        "" => Contents::Value("0".to_owned()),
        with => match with.strip_prefix('=') {
            Some(text) => Contents::parse(text.trim(), element)?,
            None => return Err(format!("expected `=` and contents after `]`, not `{with}`")),
        },
    };
    let shape = match dimensions.trim() {
        "" if matches!(contents, Contents::File(_)) => None,
        "" => return Err(format!("`{name}[]` needs dimensions, such as {name}[1024] or {name}[64,64]")),
        dimensions => Some(shape(dimensions, element)?),
    };
    if let (Contents::List(values), Some(shape)) = (&contents, &shape) {
        let wanted: u64 = shape.iter().product();
        if values.len() as u64 != wanted {
            return Err(format!("the shape has {wanted} elements, but {} are listed", values.len()));
        }
    }
    Ok(Specification::Buffer { element, shape, contents })
}

/// Reads dimensions, and makes sure that the bytes they ask for are a number at all.
fn shape(text: &str, element: Element) -> Result<Vec<u64>, String> {
    let mut bytes = element.bytes() as u64;
    let mut shape = Vec::new();
    for dimension in text.split([',', 'x']) {
        let number: u64 = dimension
            .trim()
            .replace('_', "")
            .parse()
            .map_err(|_| format!("`{}` is not a dimension; write [1024] or [64,64]", dimension.trim()))?;
        if number == 0 {
            return Err("a dimension of 0 makes an empty buffer; give at least one element".to_owned());
        }
        bytes = bytes
            .checked_mul(number)
            .filter(|&b| b < 1 << 47)
            .ok_or_else(|| format!("[{text}] is more than any device can hold"))?;
        shape.push(number);
    }
    Ok(shape)
}

impl Contents {
    fn parse(text: &str, element: Element) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix('@') {
            return file(path).map(Contents::File);
        }
        match text {
            "zeros" => return Ok(Contents::Value("0".to_owned())),
            "ones" => return Ok(Contents::Value("1".to_owned())),
            "iota" => return Ok(Contents::Iota),
            "rand" => return Ok(Contents::Random { seed: None, bounds: None }),
            "uninit" => return Ok(Contents::Unwritten),
            _ => {}
        }
        if let Some(inner) = text.strip_prefix("rand(").and_then(|t| t.strip_suffix(')')) {
            return random(inner);
        }
        let values: Vec<String> = text.split(',').map(|v| v.trim().to_owned()).collect();
        for value in &values {
            element.parse(value).map_err(|why| match values.len() {
                1 => format!(
                    "{why}; contents are zeros, ones, iota, rand, rand(SEED), uninit, a number, or @FILE"
                ),
                _ => why,
            })?;
        }
        Ok(if values.len() == 1 { Contents::Value(text.to_owned()) } else { Contents::List(values) })
    }
}

fn random(inner: &str) -> Result<Contents, String> {
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    let wrong = || format!("`rand({inner})` should be rand(SEED) or rand(SEED,LOW,HIGH)");
    let seed = parts.first().and_then(|s| s.parse().ok()).ok_or_else(wrong)?;
    let bounds = match parts[1..] {
        [] => None,
        [low, high] => {
            let (low, high): (f64, f64) =
                (low.parse().map_err(|_| wrong())?, high.parse().map_err(|_| wrong())?);
            if !(low.is_finite() && high.is_finite() && low < high) {
                return Err(format!("`rand({inner})`: {low} is not below {high}"));
            }
            Some((low, high))
        }
        _ => return Err(wrong()),
    };
    Ok(Contents::Random { seed: Some(seed), bounds })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer_of(text: &str) -> (Element, Option<Vec<u64>>, Contents) {
        match Specification::parse(text) {
            Ok(Specification::Buffer { element, shape, contents }) => (element, shape, contents),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn buffers() {
        assert_eq!(buffer_of("f32[1024]=iota"), (Element::F32, Some(vec![1024]), Contents::Iota));
        assert_eq!(
            buffer_of("u8[64, 32,3]"),
            (Element::U8, Some(vec![64, 32, 3]), Contents::Value("0".into()))
        );
        assert_eq!(
            buffer_of("s32[2]=-1,7"),
            (Element::S32, Some(vec![2]), Contents::List(vec!["-1".into(), "7".into()]))
        );
        assert_eq!(
            buffer_of("f64[8]=rand(3,-1,1)").2,
            Contents::Random { seed: Some(3), bounds: Some((-1.0, 1.0)) }
        );
        assert_eq!(buffer_of("f16[]=@a=b.bin"), (Element::F16, None, Contents::File("a=b.bin".into())));
    }

    #[test]
    fn scalars_and_bytes() {
        let scalar = |element, text: &str| Ok(Specification::Scalar { element, text: text.into() });
        assert_eq!(Specification::parse("-1"), scalar(None, "-1"));
        assert_eq!(Specification::parse("f32:1.5"), scalar(Some(Element::F32), "1.5"));
        assert_eq!(Specification::parse("hex:01 fF"), Ok(Specification::Bytes(vec![1, 255])));
        assert_eq!(Specification::parse("@x.npy"), Ok(Specification::File("x.npy".into())));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, expected) in [
            ("", "missing"),
            ("@", "name is missing"),
            ("q32[4]", "not an element type"),
            ("c64[4]", "f32[8,2]"),
            ("f32[4", "lacks its `]`"),
            ("f32[]", "needs dimensions"),
            ("f32[0]", "at least one"),
            ("f32[-1]", "not a dimension"),
            ("f32[1e9]", "not a dimension"),
            ("f32[4]iota", "expected `=`"),
            ("f32[4]=ioat", "iota"),
            ("f32[3]=1,2", "2 are listed"),
            ("u8[2]=256", "does not fit"),
            ("f32[4294967296,4294967296,4294967296]", "any device"),
            ("f32[4]=rand(x)", "rand(SEED)"),
            ("f32[4]=rand(1,2,2)", "not below"),
            ("hex:0", "two digits"),
            ("hex:0g", "hexadecimal"),
            ("f31:1", "not an element type"),
            ("u8:300", "does not fit"),
            ("tensormap(#0", "lacks its `)`"),
            ("tensormap()", "lacks its buffer"),
            ("texture(f32[4]", "lacks its `)`"),
            ("surface()", "lacks its texels"),
            ("sampler(filter best)", "filter cannot be `best`"),
            ("sampler(layered)", "not a setting of a sampler"),
        ] {
            let error = Specification::parse(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
