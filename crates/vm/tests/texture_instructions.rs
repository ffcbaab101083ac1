//! Texture instructions through the machine: which operands they take, and what they find in which images.

mod common_texture;

use common_texture::{Answer, Bench, bits};
use ptxvm_texture::{AddressMode, Sampler, Shape};

const ROW: Shape = Shape { width: 5, height: 0, depth: 0, layers: 0, cube: false, levels: 1 };
const PLANE: Shape = Shape { height: 4, ..ROW };
const SOLID: Shape = Shape { depth: 3, ..PLANE };
const ROWS: Shape = Shape { layers: 3, ..ROW };
const PLANES: Shape = Shape { layers: 3, ..PLANE };

/// The number of a texel, from 1 up.
fn number(shape: &Shape, plane: u32, [x, y, z]: [u32; 3]) -> f32 {
    let slices = plane * shape.depth.max(1) + z;
    (1 + (slices * shape.height.max(1) + y) * shape.width + x) as f32
}

/// Looks at texel (3, 2, 1) of layer 2.
fn look(bench: &Bench, shape: &Shape, geometry: &str, coordinates: &str) -> Result<Answer, String> {
    let texture = bench.texture(shape, Sampler::default());
    let code = format!("tex.{geometry} {{o0, o1, o2, o3}}|p, [t, {{{coordinates}}}];");
    bench.one(texture, &code, &[2, 3.5f32.to_bits(), 2.5f32.to_bits(), 1.5f32.to_bits(), 3, 2, 1])
}

#[test]
fn every_geometry_finds_its_texel() -> Result<(), String> {
    let bench = Bench::new();
    for (shape, geometry, coordinates, plane, at) in [
        (ROW, "1d.v4.f32.f32", "i1", 0, [3, 0, 0]),
        (PLANE, "2d.v4.f32.f32", "i1, i2", 0, [3, 2, 0]),
        (PLANE, "2d.v4.f32.s32", "i4, i5", 0, [3, 2, 0]),
        (SOLID, "3d.v4.f32.f32", "i1, i2, i3, i3", 0, [3, 2, 1]),
        (SOLID, "3d.v4.f32.s32", "i4, i5, i6, i6", 0, [3, 2, 1]),
        (ROWS, "a1d.v4.f32.f32", "i0, i1", 2, [3, 0, 0]),
        (ROWS, "5d.v4.f32.f32", "i0, i1, i1, i1", 2, [3, 0, 0]),
        (ROWS, "a1d.v4.f32.s32", "i0, i4", 2, [3, 0, 0]),
        (PLANES, "a2d.v4.f32.f32", "i0, i1, i2, i2", 2, [3, 2, 0]),
        (PLANES, "a2d.v4.f32.s32", "i0, i4, i5, i5", 2, [3, 2, 0]),
        // Longer vectors are taken, and the rest ignored.
        (ROW, "1d.v4.f32.f32", "i1, i2", 0, [3, 0, 0]),
        (ROW, "1d.v4.f32.f32", "i1, i2, i2, i2", 0, [3, 0, 0]),
        (PLANE, "2d.v4.f32.f32", "i1, i2, i3, i3", 0, [3, 2, 0]),
        // What an H200 finds in images of other classes.
        (PLANE, "1d.v4.f32.f32", "i1", 0, [3, 0, 0]),
        (PLANES, "1d.v4.f32.f32", "i1", 0, [3, 0, 0]),
        (PLANES, "2d.v4.f32.s32", "i4, i5", 0, [3, 2, 0]),
        (PLANE, "a2d.v4.f32.f32", "i0, i1, i2, i2", 0, [3, 2, 0]),
        (ROWS, "1d.v4.f32.s32", "i4", 0, [3, 0, 0]),
    ] {
        let found = look(&bench, &shape, geometry, coordinates)?;
        let expected = number(&shape, plane, at).to_bits();
        assert_eq!(
            (found.words[0], found.flag),
            (expected, true),
            "{geometry} {{{coordinates}}} of {shape:?}"
        );
    }
    Ok(())
}

#[test]
fn a_geometry_that_does_not_fit_finds_zeros() -> Result<(), String> {
    let bench = Bench::new();
    for (shape, geometry, coordinates) in [
        (PLANE, "3d.v4.f32.f32", "i1, i2, i3, i3"),
        (PLANE, "cube.v4.f32.f32", "i1, i2, i3, i3"),
        (SOLID, "2d.v4.f32.f32", "i1, i2"),
        (ROWS, "1d.v4.f32.f32", "i1"),
        (ROW, "1d.v4.f32.s32", "i4"),
        // No such layer, no such sample.
        (PLANE, "a2d.v4.f32.s32", "i0, i4, i5, i5"),
        (PLANE, "2dms.v4.f32.s32", "i0, i4, i5, i5"),
    ] {
        let found = look(&bench, &shape, geometry, coordinates)?;
        assert_eq!(found, Answer { words: [0; 4], flag: true }, "{geometry} of {shape:?}");
    }
    Ok(())
}

#[test]
fn offsets_have_four_bits() -> Result<(), String> {
    let bench = Bench::new();
    let border = Sampler { address: [AddressMode::Border; 3], border: [-1.0; 4], ..Sampler::default() };
    let plane = Shape { width: 20, height: 20, ..PLANE };
    let texture = bench.texture(&plane, border);
    let at = |x: i32, y: i32| [10.5f32.to_bits(), 10.5f32.to_bits(), x.cast_unsigned(), y.cast_unsigned()];
    let code = "tex.2d.v4.f32.f32 {o0, o1, o2, o3}, [t, {i0, i1}], {i2, i3};";
    for (given, meant) in [((7, -8), (7, -8)), ((-3, 2), (-3, 2)), ((8, 16), (-8, 0)), ((100, -9), (4, 7))] {
        let found = bench.one(texture, code, &at(given.0, given.1))?;
        let [x, y] = [meant.0, meant.1].map(|n: i32| (10 + n) as u32);
        assert_eq!(found.words[0], number(&plane, 0, [x, y, 0]).to_bits(), "{given:?}");
    }
    // A lone register is no offset.
    let lone = "tex.2d.v4.f32.f32 {o0, o1, o2, o3}, [t, {i0, i1}], i2;";
    let found = bench.one(texture, lone, &at(3, 0))?;
    assert_eq!(found.words[0], number(&plane, 0, [10, 10, 0]).to_bits());
    // A row is looked up as a plane, which the upper half of a negative offset leaves.
    let row = bench.texture(&Shape { width: 20, ..ROW }, border);
    let code = "tex.1d.v4.f32.f32 {o0, o1, o2, o3}, [t, {i0}], {i2};";
    assert_eq!(bench.one(row, code, &at(3, 0))?.words[0], 14f32.to_bits());
    assert_eq!(bench.one(row, code, &at(-3, 0))?.words[0], (-1f32).to_bits());
    assert_eq!(bench.one(row, code, &at(13, 0))?.words[0], 8f32.to_bits());
    Ok(())
}

/// ptxas hands the coordinates to the same instruction, whatever their type.
#[test]
fn gradients_take_integers_for_floats() -> Result<(), String> {
    let bench = Bench::new();
    for (shape, geometry, coordinates, gradient, expected) in [
        (PLANE, "2d", "i0, i1", "i2, i2", number(&PLANE, 0, [3, 2, 0])),
        (ROWS, "1d", "i0", "i2", number(&ROWS, 0, [3, 0, 0])),
        (ROW, "1d", "i0", "i2", 0.0),
    ] {
        let texture = bench.texture(&shape, Sampler::default());
        let code = format!(
            "tex.grad.{geometry}.v4.f32.s32 {{o0, _, _, _}}, [t, {{{coordinates}}}], {{{gradient}}}, {{{gradient}}};"
        );
        let found = bench.one(texture, &code, &bits(&[3.5, 2.5, 0.0]))?;
        assert_eq!(f32::from_bits(found.words[0]), expected, "{geometry} of {shape:?}");
    }
    Ok(())
}

#[test]
fn results_go_where_they_are_wanted() -> Result<(), String> {
    let bench = Bench::new();
    let texture = bench.texture(&PLANE, Sampler::default());
    let at = [0.5f32.to_bits(), 0.5f32.to_bits()];
    let sinks = bench.one(texture, "tex.2d.v4.f32.f32 {o3, _, _, _}, [t, {i0, i1}];", &at)?;
    assert_eq!(sinks, Answer { words: [0, 0, 0, 1f32.to_bits()], flag: false });
    let halves = "tex.2d.v4.f16.f32 {h0, h1, h2, h3}, [t, {i0, i1}]; mov.b32 o0, {h1, h0};";
    assert_eq!(bench.one(texture, halves, &at)?.words, [0x3c00_0000, 0, 0, 0]);
    let pairs = bench.one(texture, "tex.2d.v2.f16x2.f32 {o0, _}, [t, {i0, i1}];", &at)?;
    assert_eq!(pairs.words, [0x3c00, 0, 0, 0]);
    let four = bench.one(
        texture,
        "tld4.r.2d.v4.f32.f32 {o0, _, o2, _}|p, [t, {i0, i1}], {1, 2};",
        &bits(&[1.0, 1.0]),
    )?;
    assert_eq!(four, Answer { words: [17f32.to_bits(), 0, 13f32.to_bits(), 0], flag: true });
    let integers = bench.one(texture, "tex.2d.v4.u32.f32 {o0, o1, o2, o3}, [t, {i0, i1}];", &at)?;
    assert_eq!(integers.words[0], 1f32.to_bits(), "the bits of a float");
    let lone = bench.one(texture, "tex.2d.v4.f32.f32 {o0, o1, o2, o3}, [t, i0];", &bits(&[3.5]))?;
    assert_eq!(lone.words[0], 4f32.to_bits(), "the other coordinates are zero");
    Ok(())
}

/// ptxas takes what stands in a sampler's place for a lone coordinate, and the coordinates for offsets.
#[test]
fn a_sampler_in_unified_mode_is_a_coordinate() -> Result<(), String> {
    let bench = Bench::new();
    let texture = bench.texture(&PLANE, Sampler::default());
    let inputs = [1.5f32.to_bits(), 2, 3];
    let shifted = "cvt.u64.u32 w0, i0; tex.2d.v4.f32.f32 {o0, o1, o2, o3}, [t, w0, {i1, i2}];";
    let found = bench.one(texture, shifted, &inputs)?;
    assert_eq!(found.words[0], number(&PLANE, 0, [3, 3, 0]).to_bits());
    Ok(())
}

#[test]
fn lanes_look_into_textures_of_their_own() -> Result<(), String> {
    let bench = Bench::new();
    let textures = [ROW, PLANE, PLANES].map(|shape| {
        let shape = Shape { width: shape.width + shape.height + shape.layers, ..shape };
        bench.texture(&shape, Sampler::default())
    });
    // Each lane takes one of the three, and the widths tell which.
    let code = "cvt.u64.u32 w0, i0; txq.width.b32 o0, [w0]; txq.height.b32 o1, [w0]; txq.depth.b32 o2, [w0];
        tex.2d.v4.f32.f32 {o3, _, _, _}, [w0, {i1, i1}];";
    let inputs: Vec<Vec<u32>> =
        (0..40).map(|lane| vec![textures[lane % 3] as u32, (lane as f32).to_bits()]).collect();
    let found = bench.all(textures[0], code, &inputs)?;
    for (lane, found) in found.iter().enumerate() {
        let (width, height, depth) = [(5, 1, 0), (9, 4, 0), (12, 4, 3)][lane % 3];
        let (x, y) = ((lane as u32).min(width - 1), (lane as u32).min(height - 1));
        assert_eq!(found.words, [width, height, depth, ((1 + y * width + x) as f32).to_bits()]);
    }
    Ok(())
}
