//! Buffers as PNG pictures: `[h,w]` is grey, `[h,w,3]` red, green and blue, `[h,w,4]` with alpha.
//!
//! u8 is stored unchanged; f32 from 0 to 1 is scaled to 255. In the other direction, a PNG, PGM or PPM file gives the
//! texels of an image: one, two or four channels of u8. A picture without alpha is opaque.

use super::contents::HostBuffer;
use super::element::{Element, Number};
use super::host_memory::{COPIES, HostMemory};

/// Says why a buffer of this type and shape is no picture, so that a run need not begin in vain.
pub fn check(element: Element, shape: &[u64]) -> Result<(u32, u32, png::ColorType), String> {
    let name = element.name();
    if !matches!(element, Element::U8 | Element::F32) {
        return Err(format!("a picture is made of u8 or f32, not of {name}"));
    }
    let (height, width, color) = match *shape {
        [height, width] | [height, width, 1] => (height, width, png::ColorType::Grayscale),
        [height, width, 3] => (height, width, png::ColorType::Rgb),
        [height, width, 4] => (height, width, png::ColorType::Rgba),
        _ => {
            return Err(format!("a picture has the shape {name}[h,w], {name}[h,w,3] or {name}[h,w,4]"));
        }
    };
    match (u32::try_from(height), u32::try_from(width)) {
        (Ok(height @ 1..=0x7fff_ffff), Ok(width @ 1..=0x7fff_ffff)) => Ok((height, width, color)),
        _ => Err("that is too large for a picture".to_owned()),
    }
}

/// Makes a PNG file's bytes.
pub fn encode(element: Element, shape: &[u64], bytes: &[u8]) -> Result<Vec<u8>, String> {
    let (height, width, color) = check(element, shape)?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    let written = match element {
        Element::U8 => writer.write_image_data(bytes),
        _ => writer.write_image_data(&bytes.chunks_exact(4).map(shade).collect::<Vec<u8>>()),
    };
    written.and_then(|()| writer.finish()).map_err(|e| e.to_string())?;
    Ok(file)
}

/// A float as a shade: what is not a number is black.
fn shade(bytes: &[u8]) -> u8 {
    match Element::F32.number(Element::F32.load(bytes)) {
        Number::Float(value) => (value * 255.0).round() as u8,
        Number::Integer(_) => 0,
    }
}

/// Whether a file's name says that it is a picture that can be read.
pub fn is_named(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["png", "pgm", "ppm"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The pixels of a picture, `[h,w]` or `[h,w,channels]`; the error is a sentence.
pub fn decode(file: &[u8], memory: &HostMemory) -> Result<HostBuffer, String> {
    match file {
        [b'P', kind @ (b'5' | b'6'), rest @ ..] => netpbm(*kind == b'6', rest, memory),
        _ => decode_png(file, memory),
    }
}

fn decode_png(file: &[u8], memory: &HostMemory) -> Result<HostBuffer, String> {
    // Rows and profiles are held to the decoder's own limits, the pixels to ours.
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(file), png::Limits::default());
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|e| format!("it is not a PNG: {e}"))?;
    let size = reader.output_buffer_size().ok_or("the picture is too large")?;
    let mut bytes = Vec::new();
    reserve(&mut bytes, size, memory)?;
    bytes.resize(size, 0);
    let frame = reader.next_frame(&mut bytes).map_err(|e| format!("it is not a complete PNG: {e}"))?;
    bytes.truncate(frame.buffer_size());
    let channels = frame.color_type.samples();
    pixels(frame.width.into(), frame.height.into(), channels, bytes)
}

/// Takes the memory of a picture's pixels: as they are read, with alpha, and what they become in a run.
fn reserve(bytes: &mut Vec<u8>, size: usize, memory: &HostMemory) -> Result<(), String> {
    memory.take((size as u64).saturating_mul(2 + COPIES), "the picture")?;
    bytes.try_reserve_exact(size).map_err(|_| format!("this machine has no {size} bytes for the picture"))
}

/// The binary forms of PGM and PPM: three numbers in decimal, a blank, and a byte for each channel of each pixel.
fn netpbm(colour: bool, mut rest: &[u8], memory: &HostMemory) -> Result<HostBuffer, String> {
    let mut header = [0u64; 3];
    for number in &mut header {
        while let [b' ' | b'\t' | b'\r' | b'\n', after @ ..] = rest {
            rest = after;
            while let [b'#', ..] = rest {
                let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                rest = &rest[end..];
            }
        }
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let text = std::str::from_utf8(&rest[..digits]).unwrap_or_default();
        *number = text.parse().map_err(|_| "its header should have a width, a height and 255")?;
        rest = &rest[digits..];
    }
    let [width, height, most] = header;
    if most != 255 {
        return Err(format!("its channels reach {most}; only channels up to 255 are read"));
    }
    let channels = if colour { 3 } else { 1 };
    let size = width.checked_mul(height).and_then(|n| n.checked_mul(channels));
    let size = size.and_then(|n| usize::try_from(n).ok()).ok_or("the picture is too large")?;
    let given = rest.get(1..).and_then(|rest| rest.get(..size)).ok_or("it ends before its last pixel")?;
    let mut bytes = Vec::new();
    reserve(&mut bytes, size, memory)?;
    bytes.extend_from_slice(given);
    pixels(width, height, channels as usize, bytes)
}

/// A picture with as many channels as texels may have.
fn pixels(width: u64, height: u64, channels: usize, bytes: Vec<u8>) -> Result<HostBuffer, String> {
    if width == 0 || height == 0 {
        return Err("it has no pixels".to_owned());
    }
    let (channels, bytes) = match channels {
        3 => (4, bytes.as_chunks::<3>().0.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect()),
        _ => (channels as u64, bytes),
    };
    let shape = if channels == 1 { vec![height, width] } else { vec![height, width, channels] };
    Ok(HostBuffer { element: Element::U8, shape, bytes, is_unwritten: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(file: &[u8]) -> Result<HostBuffer, String> {
        super::decode(file, &HostMemory::default())
    }

    fn decoded(file: &[u8]) -> (u32, u32, png::ColorType, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("a frame");
        (info.width, info.height, info.color_type, pixels)
    }

    #[test]
    fn bytes_are_pixels() {
        let pixels: Vec<u8> = (0..18).collect();
        let file = encode(Element::U8, &[2, 3, 3], &pixels).expect("a picture");
        assert_eq!(decoded(&file), (3, 2, png::ColorType::Rgb, pixels));
    }

    #[test]
    fn floats_are_scaled_and_clamped() {
        let values = [0.0f32, 1.0, 0.5, -1.0, 7.0, f32::NAN];
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let file = encode(Element::F32, &[1, 6], &bytes).expect("a picture");
        assert_eq!(decoded(&file).3, [0, 255, 128, 0, 255, 0]);
    }

    #[test]
    fn other_shapes_and_types_are_refused() {
        for (element, shape) in [
            (Element::U8, &[4][..]),
            (Element::U8, &[4, 4, 2]),
            (Element::S32, &[4, 4]),
            (Element::U8, &[1 << 32, 4]),
        ] {
            assert!(check(element, shape).is_err(), "{shape:?}");
        }
    }

    #[test]
    fn pictures_are_read_as_texels() {
        let file = encode(Element::U8, &[1, 2, 3], &[1, 2, 3, 4, 5, 6]).expect("a picture");
        let read = decode(&file).expect("a picture");
        assert_eq!((&read.shape[..], &read.bytes[..]), (&[1, 2, 4][..], &[1, 2, 3, 255, 4, 5, 6, 255][..]));
        let grey = decode(b"P5\n# a comment\n2 1\n255\n\x07\x09").expect("a picture");
        assert_eq!((&grey.shape[..], &grey.bytes[..]), (&[1, 2][..], &[7, 9][..]));
        assert_eq!(decode(b"P6 1 1 255\nabc").map(|read| read.bytes), Ok(vec![b'a', b'b', b'c', 255]));
        assert!(is_named("a.b/c.PNG") && is_named("x.ppm") && !is_named("x.npy") && !is_named("png"));
        for (file, wrong) in [
            (&b"P6 1 1 255\nab"[..], "before its last pixel"),
            (b"P6 1 1 65535\nab", "reach 65535"),
            (b"P5 0 1 255\n", "no pixels"),
            (b"P5 x", "width, a height"),
            (b"P5", "width, a height"),
            (b"P5 99999999999999999999 1 255\n", "width, a height"),
            (b"P5 18446744073709551615 9 255\n", "too large"),
            (b"GIF89a", "not a PNG"),
        ] {
            assert!(decode(file).is_err_and(|why| why.contains(wrong)), "{wrong}");
        }
    }
}
