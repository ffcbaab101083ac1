//! NumPy's `.npy` files, read and written: a magic, a version, a Python dictionary with type, order and shape, and
//! then the elements.
//!
//! bf16 and the floats of eight bits have no type in NumPy; their bits are written as `<u2` and `|u1`, and read from those or
//! from what ml_dtypes calls them (`V2`, `V1`, `f1`), which does not say which they are. Complex numbers are read as pairs.

use std::io::{self, Write};

use super::element::Element;

const MAGIC: &[u8] = b"\x93NUMPY";

/// An array from a file.
#[derive(Debug, PartialEq)]
pub struct Array {
    pub element: Element,
    pub shape: Vec<u64>,
    pub bytes: Vec<u8>,
}

/// Writes a file: the header, and the elements as they are.
pub fn write(element: Element, shape: &[u64], bytes: &[u8], to: &mut dyn Write) -> io::Result<()> {
    to.write_all(&header(element, shape))?;
    to.write_all(bytes)
}

/// What stands before the elements.
fn header(element: Element, shape: &[u64]) -> Vec<u8> {
    let kind = match element {
        Element::U8 | Element::E4m3 | Element::E5m2 => "|u1",
        Element::Bool => "|b1",
        Element::S8 => "|i1",
        Element::U16 | Element::Bf16 => "<u2",
        Element::U32 => "<u4",
        Element::U64 => "<u8",
        Element::S16 => "<i2",
        Element::S32 => "<i4",
        Element::S64 => "<i8",
        Element::F16 => "<f2",
        Element::F32 => "<f4",
        Element::F64 => "<f8",
    };
    let mut dimensions: String = shape.iter().map(|d| format!("{d}, ")).collect();
    dimensions.truncate(dimensions.len().saturating_sub(if shape.len() == 1 { 1 } else { 2 }));
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({dimensions}), }}");
    // The elements begin at a multiple of 64, and the header ends with a line feed.
    let used = MAGIC.len() + 4 + header.len() + 1;
    header.extend(std::iter::repeat_n(' ', used.next_multiple_of(64) - used));
    header.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&[1, 0]);
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file
}

/// Reads a file; `wanted` is the type that the argument names, which settles what two bytes of bits are.
pub fn read(file: &[u8], wanted: Option<Element>) -> Result<Array, String> {
    let rest = file.strip_prefix(MAGIC).ok_or("it does not begin as .npy files do")?;
    let (header, data) = match rest {
        [1, _, a, b, rest @ ..] => split(rest, usize::from(u16::from_le_bytes([*a, *b]))),
        [2 | 3, _, a, b, c, d, rest @ ..] => split(rest, u32::from_le_bytes([*a, *b, *c, *d]) as usize),
        _ => return Err("its version of the .npy format is not known".to_owned()),
    }
    .ok_or("it ends within its header")?;
    let header = String::from_utf8_lossy(header);
    let (element, parts) = element_of(value(&header, "descr")?, wanted)?;
    let mut shape = shape_of(value(&header, "shape")?)?;
    if value(&header, "fortran_order")?.starts_with("True") && shape.iter().filter(|&&d| d > 1).count() > 1 {
        return Err("its elements are in Fortran order; save numpy.ascontiguousarray(a)".to_owned());
    }
    shape.extend(parts);
    let size = shape.iter().try_fold(element.bytes() as u64, |n, &d| n.checked_mul(d));
    if size != Some(data.len() as u64) {
        return Err(format!("its shape asks for other than the {} bytes it has", data.len()));
    }
    Ok(Array { element, shape, bytes: data.to_vec() })
}

fn split(bytes: &[u8], at: usize) -> Option<(&[u8], &[u8])> {
    bytes.split_at_checked(at)
}

/// The text after a key of the header's dictionary.
fn value<'h>(header: &'h str, key: &str) -> Result<&'h str, String> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quoted.iter().find_map(|k| header.split_once(k.as_str())).map(|(_, rest)| rest);
    after
        .and_then(|rest| rest.trim_start().strip_prefix(':'))
        .map(str::trim_start)
        .ok_or_else(|| format!("its header has no '{key}'"))
}

/// The type, and how many of it make one element of NumPy's, if that is not one.
fn element_of(text: &str, wanted: Option<Element>) -> Result<(Element, Option<u64>), String> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let kind = quote.and_then(|q| text[1..].split_once(q)).map(|(kind, _)| kind);
    let kind =
        kind.ok_or("its elements are records, not numbers; save a.view('u1'), or the fields by themselves")?;
    if kind.starts_with('>') && !kind.ends_with('1') {
        return Err(format!("its elements ('{kind}') are big-endian; save a.astype('<{}')", &kind[1..]));
    }
    let mut parts = None;
    let element = match kind.trim_start_matches(['<', '>', '|', '=']) {
        "u1" | "V1" | "f1" if matches!(wanted, Some(Element::E4m3 | Element::E5m2)) => {
            wanted.unwrap_or(Element::U8)
        }
        "b1" if wanted != Some(Element::U8) => Element::Bool,
        "u1" | "b1" => Element::U8,
        "i1" => Element::S8,
        "u2" | "V2" if wanted == Some(Element::Bf16) => Element::Bf16,
        "u2" => Element::U16,
        "u4" => Element::U32,
        "u8" => Element::U64,
        "i2" => Element::S16,
        "i4" => Element::S32,
        "i8" => Element::S64,
        "f2" => Element::F16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        "c8" | "c16" => {
            parts = Some(2);
            if kind.ends_with("c8") { Element::F32 } else { Element::F64 }
        }
        "V2" => return Err("its elements ('V2') are not named; as bf16 it is bf16[]=@FILE".to_owned()),
        "V1" | "f1" => {
            return Err(format!(
                "its elements ('{kind}') are not named; as floats of eight bits it is e4m3[]=@FILE or e5m2[]=@FILE"
            ));
        }
        _ => return Err(format!("its elements are of NumPy's type '{kind}', which ptxvm has no type for")),
    };
    match wanted {
        Some(wanted) if wanted != element => {
            Err(format!("its elements are {} ('{kind}'), not {}", element.name(), wanted.name()))
        }
        _ => Ok((element, parts)),
    }
}

fn shape_of(text: &str) -> Result<Vec<u64>, String> {
    let inner = text.strip_prefix('(').and_then(|t| t.split_once(')')).map(|(inner, _)| inner);
    inner
        .and_then(|inner| {
            let parts = inner.split(',').map(str::trim).filter(|part| !part.is_empty());
            parts.map(|part| part.trim_end_matches('L').parse().ok()).collect()
        })
        .ok_or_else(|| "its shape cannot be read".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(element: Element, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        super::write(element, shape, bytes, &mut file).expect("memory takes it");
        file
    }

    /// Made with `numpy.save(f, numpy.array([[1, 2, 3], [4, 5, 6]], dtype='<i2'))`, NumPy 2.3.
    fn numpys_own() -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        file.extend_from_slice(b"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }");
        file.resize(127, b' ');
        file.push(b'\n');
        (1..=6i16).for_each(|v| file.extend_from_slice(&v.to_le_bytes()));
        file
    }

    #[test]
    fn numpys_files_are_read_and_written_byte_for_byte() {
        let file = numpys_own();
        let array = read(&file, None).expect("it is right");
        assert_eq!((array.element, array.shape.as_slice()), (Element::S16, &[2, 3][..]));
        assert_eq!(write(array.element, &array.shape, &array.bytes), file);
    }

    /// Made with NumPy 2.4 and ml_dtypes 0.6: `numpy.save(f, numpy.array([1 + 2j], "c8"))` and the like.
    #[test]
    fn types_that_numpy_lacks_are_named_by_the_argument() {
        let of = |kind: &str, shape: &str, bytes: &[u8]| {
            let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
            file.extend_from_slice(
                format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}").as_bytes(),
            );
            file.resize(127, b' ');
            file.push(b'\n');
            file.extend_from_slice(bytes);
            file
        };
        let types = |kind: &str, bytes: usize, wanted| {
            let array = read(&of(kind, "(2,)", &vec![0; 2 * bytes]), wanted).expect(kind);
            (array.element, array.shape)
        };
        assert_eq!(types("<c8", 8, None), (Element::F32, vec![2, 2]));
        assert_eq!(types("<c16", 16, Some(Element::F64)), (Element::F64, vec![2, 2]));
        assert_eq!(types("|b1", 1, None), (Element::Bool, vec![2]));
        assert_eq!(types("|b1", 1, Some(Element::U8)), (Element::U8, vec![2]));
        for kind in ["<f1", "|V1", "|u1"] {
            assert_eq!(types(kind, 1, Some(Element::E5m2)), (Element::E5m2, vec![2]));
        }
        assert_eq!(types("<V2", 2, Some(Element::Bf16)), (Element::Bf16, vec![2]));
        let scalar = read(&of("<c8", "()", &[0; 8]), None).expect("one number");
        assert_eq!(scalar.shape, [2]);
        assert!(write(Element::Bool, &[2], &[0, 1]).starts_with(&of("|b1", "(2,)", &[])[..60]));
    }

    #[test]
    fn one_dimension_has_pythons_comma() {
        let file = write(Element::F32, &[2], &[0; 8]);
        let text = String::from_utf8_lossy(&file).into_owned();
        assert!(text.contains("'shape': (2,), }"), "{text}");
        assert_eq!(read(&file, Some(Element::F32)).expect("it is right").shape, [2]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let with = |from: &str, to: &str| {
            let file = numpys_own();
            let at = file.windows(from.len()).position(|w| w == from.as_bytes()).expect("it is there");
            [&file[..at], to.as_bytes(), &file[at + from.len()..]].concat()
        };
        let error = |file: &[u8], wanted| read(file, wanted).expect_err("it is wrong");
        assert!(error(b"hello", None).contains("begin"));
        assert!(error(&numpys_own()[..40], None).contains("header"));
        assert!(error(&numpys_own()[..130], None).contains("bytes"));
        assert!(error(&with("<i2", ">i2"), None).contains("big-endian"));
        assert!(error(&with("<i2", "<M8"), None).contains("no type"));
        assert!(error(&with("<i2", "<V2"), None).contains("bf16[]=@FILE"));
        assert!(error(&with("<i2", "|V1"), None).contains("e5m2[]=@FILE"));
        assert!(error(&with("'<i2'", "[('a'"), None).contains("records"));
        assert!(error(&with("False", "True "), None).contains("Fortran"));
        assert!(error(&with("(2, 3)", "(2, -3"), None).contains("shape"));
        assert!(error(&with("(2, 3)", "(9, 3)"), None).contains("bytes"));
        assert!(error(&with("\x01\x00\x76", "\x09\x00\x76"), None).contains("version"));
        assert!(error(&numpys_own(), Some(Element::F32)).contains("s16"));
    }
}
