//! Every example runs by its own launch line and gives the result that its head states.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn run(example: &str, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .arg("run")
        .arg(examples().join(example))
        .args(more)
        .output()
        .expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder for what a test saves, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ptxvm-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs an example and gives the bytes of these buffers afterwards.
fn buffers<const N: usize>(example: &str, names: [&str; N], more: &[&str]) -> [Vec<u8>; N] {
    let folder = Folder::new(example);
    let path = |name: &str| folder.0.join(format!("{name}.bin")).to_string_lossy().into_owned();
    let mut arguments: Vec<String> = more.iter().map(|s| (*s).to_owned()).collect();
    for name in names {
        arguments.extend(["--save".to_owned(), format!("{name}={}", path(name))]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = run(example, &arguments);
    assert_eq!(output.status.code(), Some(0), "{example}: {}", text(&output.stderr));
    names.map(|name| std::fs::read(path(name)).expect("it was saved"))
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|&b| u32::from_le_bytes(b)).collect()
}

#[test]
fn every_example_has_a_test_here_and_a_head() {
    let this = include_str!("examples.rs");
    let mut runs = 0;
    for entry in std::fs::read_dir(examples()).expect("the folder is there").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Programs that use a GPU are run by `cargo xtask clients` and `cargo xtask python`.
        if name == "mistakes.ptx" || entry.path().is_dir() {
            continue;
        }
        let source = std::fs::read_to_string(entry.path()).expect("text");
        assert!(this.contains(&format!("\"{name}\"")), "{name} has no test");
        assert!(source.starts_with("// ") && source.contains("// ptxvm: run "), "{name} has no launch line");
        runs += 1;
    }
    assert!(runs >= 12);
}

#[test]
fn saxpy() {
    let [y] = buffers("saxpy.ptx", ["y"], &[]);
    assert_eq!(floats(&y), (0..1000).map(|i| (2 * i + 1) as f32).collect::<Vec<_>>());
    // An argument by name replaces that of the launch line.
    let [y] = buffers("saxpy.ptx", ["y"], &["--arg", "a=-3", "--arg", "n=10"]);
    assert_eq!(floats(&y)[..11], [1.0, -2.0, -5.0, -8.0, -11.0, -14.0, -17.0, -20.0, -23.0, -26.0, 1.0]);
}

#[test]
fn the_table_of_saxpy() {
    let output = run("saxpy.ptx", &[]);
    assert_eq!(
        text(&output.stdout),
        "buffer  type       min  max   mean   changed       values\n\
         x       f32[1000]  0    999   499.5  no            0 1 2 3 4 5 6 7 …\n\
         y       f32[1000]  1    1999  1000   999 of 1,000  1 3 5 7 9 11 13 15 …\n"
    );
}

#[test]
fn hello() {
    let output = run("hello.ptx", &[]);
    let expected: String = (0..6u32)
        .map(|i| {
            let root = (i as f32).sqrt();
            format!("thread {} of CTA {}: {i} squared is {}, its root {root:.3}\n", i % 3, i / 3, i * i)
        })
        .collect();
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), expected));
}

#[test]
fn vector_add() {
    let [c] = buffers("vector_add.ptx", ["c"], &[]);
    assert_eq!(floats(&c), (0..4096).map(|i| i as f32 + 0.5).collect::<Vec<_>>());
    // A grid-stride loop gives the same with any grid.
    let [other] = buffers("vector_add.ptx", ["c"], &["--grid", "7", "--block", "33"]);
    assert_eq!(other, c);
}

#[test]
fn dot() {
    let [sum] = buffers("dot.ptx", ["sum"], &[]);
    assert_eq!(floats(&sum), [1_047_552.0]);
}

#[test]
fn matmul() {
    let [a, b, c] = buffers("matmul.ptx", ["a", "b", "c"], &[]);
    let (a, b) = (floats(&a), floats(&b));
    assert_ne!(a, b);
    let element = |i: usize, j: usize| (0..64).fold(0.0f32, |c, k| a[64 * i + k].mul_add(b[64 * k + j], c));
    let expected: Vec<f32> = (0..64 * 64).map(|n| element(n / 64, n % 64)).collect();
    assert_eq!(floats(&c), expected);
}

#[test]
fn histogram() {
    let [data, bins] = buffers("histogram.ptx", ["data", "bins"], &[]);
    let mut expected = vec![0u32; 256];
    data.iter().for_each(|&byte| expected[usize::from(byte)] += 1);
    assert_eq!((data.len(), words(&bins)), (65536, expected));
    // Atomics add up whatever the order.
    let [again] = buffers("histogram.ptx", ["bins"], &["--threads", "2", "--seed", "3"]);
    assert_eq!(again, bins);
}

#[test]
fn warp_scan() {
    let [sums] = buffers("warp_scan.ptx", ["sums"], &[]);
    let expected: Vec<u32> = (0..128).map(|i| (i / 32 * 32..=i).sum()).collect();
    assert_eq!(words(&sums), expected);
}

#[test]
fn transpose() {
    let [out] = buffers("transpose.ptx", ["out"], &[]);
    let expected: Vec<f32> = (0..96 * 64).map(|n| ((n % 64) * 96 + n / 64) as f32).collect();
    assert_eq!(floats(&out), expected);
}

#[test]
fn lookback_scan() {
    for more in [&[][..], &["--threads", "2"], &["--seed", "5"]] {
        let [sums] = buffers("lookback_scan.ptx", ["sums"], more);
        assert_eq!(words(&sums), (1..=16384).collect::<Vec<u32>>());
    }
}

#[test]
fn tma_pipeline() {
    let expected: Vec<f32> = (0..64).map(|i| (65536 * i + 32640) as f32).collect();
    for mode in ["--async=eager", "--async=lazy", "--async=seeded"] {
        let [sums] = buffers("tma_pipeline.ptx", ["sums"], &[mode]);
        assert_eq!(floats(&sums), expected, "{mode}");
    }
}

/// One pixel as the kernel's comments say it is made, in the host's own arithmetic.
fn pixel(column: u32, row: u32) -> [u8; 3] {
    let (cx, cy) = ((column as f32).mul_add(0.005625, -2.45f32), (row as f32).mul_add(0.005625, -1.125f32));
    let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
    while n < 100 && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + cx, (x * y).mul_add(2.0, cy));
        n += 1;
    }
    let t = (n as f32 / 100.0).sqrt();
    let v = t * (1.0 - t);
    [t * t * v * (9.0 * 255.0), v * v * (15.0 * 255.0), (1.0 - t) * (1.0 - t) * v * (8.5 * 255.0)]
        .map(|c| c.round_ties_even() as u8)
}

#[test]
fn mandelbrot() {
    let folder = Folder::new("mandelbrot");
    let path = folder.0.join("m.png");
    let output = run("mandelbrot.ptx", &["--quiet", "--save", &format!("out={}", path.display())]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
    let picture = decode(&path);
    let expected: Vec<u8> = (0..640 * 400).flat_map(|n| pixel(n % 640, n / 640)).collect();
    assert_eq!(picture.len(), expected.len());
    let wrong = picture.iter().zip(&expected).position(|(a, b)| a != b);
    assert_eq!(wrong, None, "the first byte that differs");
    assert!(expected.iter().any(|&b| b > 200), "the picture is not dark");
}

fn decode(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("it was saved"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a frame");
    assert_eq!((info.width, info.height, info.color_type), (640, 400, png::ColorType::Rgb));
    pixels
}

#[test]
fn faults_are_findings() {
    for (example, kind) in [("out_of_bounds.ptx", "out-of-bounds"), ("deadlock.ptx", "deadlock")] {
        let output = run(example, &["--format", "json"]);
        assert_eq!(output.status.code(), Some(3), "{example}: {}", text(&output.stderr));
        let finding: Value = serde_json::from_slice(&output.stdout).expect("one object");
        assert_eq!((&finding["kind"], &finding["code"]), (&"finding".into(), &kind.into()));
    }
}

#[test]
fn the_missing_barrier_is_found_by_what_orders_accesses() {
    let output = run("race.ptx", &["--check=race", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let finding: Value =
        serde_json::from_str(text(&output.stdout).lines().next().unwrap_or_default()).expect("a finding");
    let source = std::fs::read_to_string(examples().join("race.ptx")).expect("text");
    let line = |text: &str| source.lines().position(|line| line.contains(text)).map(|at| at + 1);
    let places =
        [&finding["line"], &finding["related"][0]["line"]].map(|line| line.as_u64().map(|at| at as usize));
    assert_eq!(places, [line("@%adds ld.shared"), line("@%adds st.shared")]);
}

#[test]
fn out_of_bounds_names_place_thread_object_and_distance() {
    let output = run("out_of_bounds.ptx", &["--format", "json"]);
    let finding: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(finding["line"], 27);
    assert_eq!(finding["thread"]["ctaid"], serde_json::json!([7, 0, 0]));
    assert_eq!(finding["thread"]["tid"], serde_json::json!([104, 0, 0]));
    let human = text(&run("out_of_bounds.ptx", &["--color", "never"]).stderr);
    for expected in [
        "error[out-of-bounds]: ",
        "out_of_bounds.ptx:27:2",
        "ld.global.f32 %x, [%p];",
        "^^^^^^^^^^^^^",
        "thread (104,0,0) of CTA (7,0,0)",
        "`x`",
        "4000 bytes",
        "%p = 0x",
    ] {
        assert!(human.contains(expected), "{expected} is missing in {human}");
    }
}
