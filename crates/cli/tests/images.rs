//! `ptxvm run` with textures and surfaces from outside: pictures in and out, and what is refused, by name.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Runs a module from standard input.
fn run(arguments: &[&str], source: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .args(["run", "--format", "json", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("stdin is piped").write_all(source.as_bytes()).expect("the source is read");
    child.wait_with_output().expect("the command ends")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs, and gives what is said of each buffer and surface afterwards.
fn results(arguments: &[&str], source: &str) -> Vec<Value> {
    let output = run(arguments, source);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output));
    let result: Value = serde_json::from_slice(&output.stdout).expect("one object");
    result["buffers"].as_array().expect("a list").clone()
}

/// Runs and expects exit code 1 with this in the message.
fn is_refused(arguments: &[&str], expected: &str) {
    let output = run(arguments, &copy());
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {shown}");
    assert!(shown.contains(expected) && !shown.contains("internal error"), "{arguments:?}: {shown}");
}

/// A kernel that copies texels of four bytes, each thread one, and turns their bits.
fn copy() -> String {
    let body = "ld.param.u64 %t, [t]; ld.param.u64 %s, [s]; mov.u32 %x, %tid.x; mov.u32 %y, %tid.y;
        cvt.rn.f32.u32 %f, %x; cvt.rn.f32.u32 %g, %y;
        tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%t, {%f, %g}];
        not.b32 %r0, %r0; shl.b32 %x, %x, 2;
        sust.b.2d.v4.b8.trap [%s, {%x, %y}], {%r0, %r1, %r2, %r3};";
    format!(
        ".version 9.1\n.target sm_80\n.address_size 64\n.global .texref image; .global .surfref drawn;
         .visible .entry k(.param .u64 t, .param .u64 s) {{
         .reg .b64 %t, %s; .reg .b32 %x, %y, %r<4>; .reg .f32 %f, %g; {body} ret; }}"
    )
}

#[test]
fn pictures_go_in_and_come_out() {
    let folder = std::env::temp_dir().join(format!("ptxvm-pictures-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).to_str().expect("a plain name").to_owned();
    std::fs::write(path("in.ppm"), b"P6 2 1 255\n\x01\x02\x03\xf0\x05\x06").expect("it is written");
    let (read, saved) = (format!("texture(@{})", path("in.ppm")), format!("s={}", path("out.png")));
    let launch = ["--block", "2", "--arg", &read, "--arg", "surface(u8[1,2,4], u8x4)", "--save", &saved];
    let surface = results(&launch, &copy()).pop().expect("a surface");
    assert_eq!(surface["name"], "s");
    assert_eq!(surface["shape"], serde_json::json!([1, 2, 4]));
    assert_eq!(surface["first"], serde_json::json!([0xfe, 2, 3, 255, 0x0f, 5, 6, 255]));
    // What was saved is a picture that can be read again, and turning the bits twice gives the first one.
    let read = format!("texture(@{})", path("out.png"));
    let again = results(&["--block", "2", "--arg", &read, "--arg", "surface(u8[1,2,4], rgba8)"], &copy());
    assert_eq!(again[0]["first"], serde_json::json!([1, 2, 3, 255, 0xf0, 5, 6, 255]));
    std::fs::remove_dir_all(&folder).expect("the folder can go");
}

#[test]
fn images_that_cannot_be_are_named() {
    let texture = |image: &str, expected: &str| is_refused(&["--arg", image, "--arg", "0"], expected);
    texture("texture(f64[4])", "the argument for `t`: a texel has no channels of type f64");
    texture("texture(f32[4], u8x4)", "made of u8, not of f32");
    texture("texture(f32[0])", "at least one element");
    texture("texture(f32[4], levels 9)", "from 1 to 3 levels, not 9");
    texture("texture(f32[4], filter cubic)", "filter cannot be `cubic`");
    texture("texture(f32[6,2,3], cube)", "square, not 3 by 2");
    texture("texture(#7)", "`#7` is not a parameter");
    texture("texture(s)", "`s` is given neither a buffer nor texels");
    texture("texture(@/nowhere.png)", "cannot read /nowhere.png");
    texture("texture(f32[99999999999,99999999999])", "any device");
    texture("texture(f32[20000000000000])", "of memory, and of the");
    texture("texture(f32[4]", "lacks its `)`");
    texture("sampler(filter linear)", "a sampler is for .samplerref");
    let surface = |image: &str, expected: &str| is_refused(&["--arg", "0", "--arg", image], expected);
    surface("surface(f32[4], filter linear)", "a surface is not sampled");
    surface("surface(f32[4], at_level 1)", "there is no level 1");
    let both = ["--arg", "0", "--arg", "0"];
    let with = |more: &[&str], expected: &str| is_refused(&[&both, more].concat(), expected);
    with(&["--bind", "imagine=texture(f32[4])"], "no reference `imagine`; available: image, drawn");
    with(&["--bind", "image"], "write NAME=texture(…)");
    with(&["--bind", "image=surface(f32[4])"], "`image` is a texture reference, and cannot be a surface");
    with(&["--bind", "drawn=7"], "`drawn` is a surface reference; give surface(…)");
    with(&["--bind", "drawn=sampler(filter linear)"], "cannot be a sampler");
    with(&["--save", "t=x.npy"], "`t` is neither a buffer nor a surface");
}
