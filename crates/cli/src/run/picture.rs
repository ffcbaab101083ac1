//! Buffers as PNG pictures: `[h,w]` is grey, `[h,w,3]` red, green and blue, `[h,w,4]` with alpha.
//!
//! u8 is taken as it is, f32 from 0 to 1 is scaled to 255.

use super::element::{Element, Number};

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

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(file: &[u8]) -> (u32, u32, png::ColorType, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("a frame");
        (info.width, info.height, info.color_type, pixels)
    }

    #[test]
    fn bytes_are_pixels() {
        let pixels: Vec<u8> = (0..18).collect();
        let file = encode(Element::U8, &[2, 3, 3], &pixels).expect("a picture");
        assert_eq!(decode(&file), (3, 2, png::ColorType::Rgb, pixels));
    }

    #[test]
    fn floats_are_scaled_and_clamped() {
        let values = [0.0f32, 1.0, 0.5, -1.0, 7.0, f32::NAN];
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let file = encode(Element::F32, &[1, 6], &bytes).expect("a picture");
        assert_eq!(decode(&file).3, [0, 255, 128, 0, 255, 0]);
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
}
