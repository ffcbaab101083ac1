//! Texels as an H200 read and stored them: a few of each format. The golden vectors hold many more, of whole lookups.

use ptxvm_texture::{Decoder, Format, Read, Sampler, Texel};

/// The fields of one kind of lines of the record.
fn lines(kind: &str) -> impl Iterator<Item = Vec<&'static str>> {
    include_str!("texels.txt")
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .filter(move |fields| fields[0] == kind)
}

fn number(field: &str) -> u32 {
    u32::from_str_radix(field, 16).expect("a number in base 16")
}

fn texel(fields: &[&str]) -> Texel {
    [0, 1, 2, 3].map(|channel| number(fields[channel]))
}

fn bytes(field: &str) -> Vec<u8> {
    (0..field.len() / 2).map(|at| number(&field[2 * at..2 * at + 2]) as u8).collect()
}

/// The format of a line, and how it is read.
fn decoder(fields: &[&str]) -> (Format, Decoder) {
    let array = Format::of_array(number(fields[0]), number(fields[2])).expect("the H200 had it");
    let format = Format::of_view(number(fields[1])).unwrap_or(array);
    assert_eq!(format.bytes(), array.bytes(), "a view has texels of the same size");
    let flags = number(fields[3]);
    let read = if flags & 1 == 1 { Read::Element } else { Read::NormalizedFloat };
    (format, Decoder::new(format, &Sampler { read, srgb: flags & 0x10 != 0, ..Sampler::default() }))
}

#[test]
fn texels_are_read_as_by_the_h200() {
    let mut count = 0;
    for fields in lines("texel") {
        let (format, decoder) = decoder(&fields[1..]);
        let own = bytes(fields[5]);
        assert_eq!(own.len(), format.bytes() as usize, "{fields:?}");
        let mut all = [0xee; 16];
        all[..own.len()].copy_from_slice(&own);
        let within = fields[6].parse().expect("a number");
        assert_eq!(decoder.decode(&all, within), texel(&fields[7..]), "{fields:?}");
        count += 1;
    }
    assert!(count > 500);
}

#[test]
fn border_colours_are_no_finer_than_texels() {
    for fields in lines("border") {
        let (_, decoder) = decoder(&fields[1..]);
        let color = texel(&fields[5..]).map(f32::from_bits);
        assert_eq!(decoder.border(color), texel(&fields[9..]), "{fields:?}");
    }
    assert_eq!(lines("border").count(), 120);
}

#[test]
fn values_are_stored_as_by_the_h200() {
    for fields in lines("store") {
        let format = Format::of_array(number(fields[1]), number(fields[2])).expect("the H200 had it");
        let stored = format.encode(texel(&fields[3..]));
        let expected = bytes(fields[7]);
        assert_eq!(stored[..expected.len()], expected, "{fields:?}");
        assert_eq!(expected.len(), format.bytes() as usize);
    }
    assert_eq!(lines("store").count(), 222);
}
