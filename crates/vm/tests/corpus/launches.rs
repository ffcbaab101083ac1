//! How each kernel of the corpus is launched (`launches.json`), and what came of it.
//!
//! A case names a kernel and fits all files that were made from it for different targets.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ptxvm_tensor::encode::{Tensor, Tiled};
use ptxvm_vm::{
    Asynchrony, Buffer, Checks, Device, Dimensions, Failure, LaunchOptions, LoadError, MemoryModel, Mistake,
    Module, Profile, Race, Races, Settings,
};
use serde::Deserialize;

use crate::fill::{Element, fill};
use crate::opaque::{Made, Opaque};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The folder and the first word of the files' names.
    pub kernel: String,
    /// The entry; without one, the only one of the file.
    #[serde(default)]
    entry: Option<String>,
    /// Tells cases of one kernel apart.
    #[serde(default)]
    case: Option<String>,
    grid: Vec<u32>,
    block: Vec<u32>,
    #[serde(default)]
    shared: Shared,
    /// The module that defines what the kernel only declares.
    #[serde(default)]
    pub link: Option<String>,
    /// The kind of the finding that ends it; without one it runs to its end.
    #[serde(default)]
    pub ends: Option<String>,
    arguments: Vec<Argument>,
    /// Whether its copies must complete in the order in which they are issued, as they do on an H200, though nothing says so.
    #[serde(default)]
    in_order: bool,
    /// Whether an H200 gives the same bits every time.
    #[serde(default = "yes")]
    pub gpu: bool,
    /// Why it is as it is.
    #[serde(default, rename = "note")]
    _note: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Argument {
    /// A number (`u32 7`), a buffer (`f32[7]=zero`), an array as numba passes it (`array f32[7]=zero`), a tensor map
    /// of a buffer with the box that it copies (`map 4,8 f32[16,16]=zero`), or a texture or surface (`opaque.rs`).
    One(String),
    /// A structure by value.
    Structure(Vec<String>),
}

/// Dynamic shared memory.
#[derive(Deserialize)]
#[serde(untagged)]
enum Shared {
    Bytes(u32),
    /// `all`: as much as the device has.
    Word(String),
}

impl Default for Shared {
    fn default() -> Self {
        Self::Bytes(0)
    }
}

fn yes() -> bool {
    true
}

/// A file of the corpus.
#[derive(Clone)]
pub struct File {
    pub path: PathBuf,
    /// The folder and the first word of its name: `nvrtc/basic`.
    pub kernel: String,
    /// The rest of its name: `G.sm_90a`.
    pub variant: String,
}

impl File {
    pub fn name(&self) -> String {
        format!("{}.{}", self.kernel, self.variant)
    }

    pub fn source(&self) -> String {
        std::fs::read_to_string(&self.path).unwrap_or_else(|e| panic!("{}: {e}", self.path.display()))
    }

    /// The device that the file was compiled for, or a later one of its line.
    pub fn device(&self) -> Device {
        let profile = match self.variant.rsplit("sm_").next() {
            Some("80" | "90" | "90a") => "h200",
            Some("100" | "100a") => "b200",
            Some("103a") => "b300",
            _ => "rtx5090",
        };
        Device::new(Profile::named(profile).expect("a profile of ours"))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

/// Every file of the corpus, in the order of their names.
pub fn files() -> Vec<File> {
    let mut files = Vec::new();
    for folder in ["cute", "numba", "nvrtc", "triton"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("the corpus").flatten() {
            let path = entry.path();
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            let Some((kernel, variant)) = name.strip_suffix(".ptx").and_then(|n| n.split_once('.')) else {
                panic!("{} is no file of the corpus", path.display());
            };
            let (kernel, variant) = (format!("{folder}/{kernel}"), variant.to_owned());
            files.push(File { path, kernel, variant });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Every case.
pub fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/launches.json");
    let text = std::fs::read_to_string(path).expect("the table of launches");
    serde_json::from_str(&text).expect("the table of launches is right")
}

/// Puts the definitions of a library in the place of declarations that wait for a linker.
fn link(source: &str, library: &str) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/library").join(format!("{library}.ptx"));
    let library = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (_, definitions) = library.split_once(".address_size 64").expect("a module");
    source.replace(".extern .func", ".func") + definitions
}

/// How CTAs and warps take turns, and which writes reads see.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub seed: u64,
    pub threads: usize,
    pub memory_model: MemoryModel,
    pub checks: Checks,
}

/// What came of a launch.
pub struct Run {
    pub file: File,
    /// The numbers of CTAs.
    pub grid: [u32; 3],
    pub result: Result<(), Failure>,
    /// The numbers among the arguments, by position; 0 for the others.
    numbers: Vec<f64>,
    /// The buffers by the position of their argument.
    pub buffers: Vec<Contents>,
    /// What the kernel printed.
    pub text: String,
    /// Accesses that nothing orders, if they were looked for.
    pub races: Vec<Race>,
    /// What other checks have found.
    pub mistakes: Vec<Mistake>,
}

/// A buffer before and after.
pub struct Contents {
    pub position: usize,
    pub before: Vec<u8>,
    pub after: Vec<u8>,
    /// Whether it holds what is different every time.
    pub volatile: bool,
}

impl Run {
    /// A number among the arguments.
    pub fn number(&self, position: usize) -> f64 {
        self.numbers[position]
    }

    fn contents(&self, position: usize) -> &Contents {
        self.buffers.iter().find(|b| b.position == position).expect("a buffer at this position")
    }

    /// The elements of a buffer before the launch.
    pub fn before<T: ptxvm_vm::Element>(&self, position: usize) -> Vec<T> {
        self.contents(position).before.chunks_exact(T::SIZE).map(T::load).collect()
    }

    /// The elements of a buffer after the launch.
    pub fn after<T: ptxvm_vm::Element>(&self, position: usize) -> Vec<T> {
        self.contents(position).after.chunks_exact(T::SIZE).map(T::load).collect()
    }
}

impl Case {
    /// Its name: the kernel, the entry, and what tells it apart.
    pub fn name(&self) -> String {
        let parts = [Some(&self.kernel), self.entry.as_ref(), self.case.as_ref()];
        parts.into_iter().flatten().cloned().collect::<Vec<String>>().join(" ")
    }

    pub fn fits(&self, file: &File, entry: &str) -> bool {
        self.kernel == file.kernel && self.entry.as_ref().is_none_or(|e| e == entry)
    }

    /// Whether the machine has every instruction of the kernel.
    pub fn runs(&self, file: &File) -> bool {
        let device = file.device();
        let Some(module) = self.load(&device, file) else { return false };
        module.kernel(self.entry(&module)).is_ok_and(|kernel| kernel.unsupported().is_empty())
    }

    fn entry<'a>(&'a self, module: &'a Module) -> &'a str {
        let only = || module.kernels().next().map_or("", |k| k.name.as_str());
        self.entry.as_deref().unwrap_or_else(only)
    }

    /// Loads a file for this case; `None` if the device is another.
    fn load(&self, device: &Device, file: &File) -> Option<Module> {
        let mut source = file.source();
        if let Some(library) = &self.link {
            source = link(&source, library);
        }
        match device.load(&source) {
            Ok(module) => Some(module),
            Err(LoadError::Target { .. }) => None,
            Err(error) => panic!("{}: {error}", file.name()),
        }
    }

    /// Launches the kernel of a file, in the order that a seed chooses.
    pub fn run(&self, file: &File, order: Order) -> Run {
        let device = file.device();
        let module = self.load(&device, file).expect("the device takes it");
        let kernel = module.kernel(self.entry(&module)).unwrap_or_else(|e| panic!("{}: {e}", file.name()));
        let (text, races) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Races::default()));
        let sink = Arc::clone(&text);
        let mut launch = LaunchOptions {
            shared: match &self.shared {
                Shared::Bytes(bytes) => *bytes,
                Shared::Word(word) => {
                    assert_eq!(word, "all");
                    device.profile().shared_per_cta - kernel.shared_bytes()
                }
            },
            settings: Settings {
                seed: order.seed,
                asynchrony: if self.in_order { Asynchrony::Eager } else { Asynchrony::default() },
                threads: order.threads,
                memory_model: order.memory_model,
                checks: order.checks,
                max_instructions: Some(50_000_000),
                ..Settings::default()
            },
            races: Some(Arc::clone(&races)),
            mistakes: order.checks.are_any().then(Arc::default),
            ..LaunchOptions::new(dimensions(&self.grid), dimensions(&self.block))
        }
        .on_print(move |bytes| sink.lock().expect("no panic").extend_from_slice(bytes));
        let mut numbers = vec![0.0; self.arguments.len()];
        let (mut made, mut images) = (Vec::new(), Vec::new());
        for (position, argument) in self.arguments.iter().enumerate() {
            match argument {
                Argument::Structure(parts) => {
                    let bytes: Vec<u8> = parts.iter().flat_map(|p| parse(p, position).bytes).collect();
                    launch = launch.argument(bytes.as_slice());
                    made.push((position, bytes, None, true));
                }
                Argument::One(text) => {
                    let parsed = parse(text, position);
                    let Some(shape) = &parsed.shape else {
                        numbers[position] = parsed.number;
                        launch = launch.argument(parsed.bytes.as_slice());
                        continue;
                    };
                    if let Passed::Opaque(opaque, words) = &parsed.how {
                        let made_of =
                            Made::new(&device, *opaque, words, parsed.element, shape, &parsed.bytes);
                        launch = launch.argument(made_of.handle);
                        images.push((position, parsed.bytes, made_of));
                        continue;
                    }
                    let buffer = Buffer::from_slice(&device, &parsed.bytes).expect("memory");
                    launch = match &parsed.how {
                        Passed::Pointer | Passed::Opaque(..) => launch.argument(&buffer),
                        Passed::Array => pass(launch, &buffer, shape, parsed.element),
                        Passed::Map(size) => {
                            launch.argument(map(&device, &buffer, shape, parsed.element, size).as_slice())
                        }
                    };
                    made.push((position, parsed.bytes, Some(buffer), parsed.volatile));
                }
            }
        }
        let result = kernel.launch(&launch).map(drop);
        let contents =
            |(position, before, buffer, volatile): (usize, Vec<u8>, Option<Buffer>, bool)| Contents {
                position,
                after: buffer.map_or_else(|| before.clone(), |b| b.to_bytes()),
                before,
                volatile,
            };
        let mut buffers: Vec<Contents> = made.into_iter().map(contents).collect();
        for (position, before, image) in images {
            buffers.push(Contents { position, before, after: image.to_bytes(&device), volatile: false });
        }
        for buffer in &mut buffers {
            // What all threads add to in no order.
            let first = match &self.arguments[buffer.position] {
                Argument::One(text) if text.ends_with(BUT_THE_FIRST) => parse(text, 0).element.bytes(),
                _ => 0,
            };
            buffer.after[..first].copy_from_slice(&buffer.before[..first]);
        }
        let text = String::from_utf8_lossy(&text.lock().expect("no panic")).into_owned();
        let mistakes = launch.mistakes.as_ref().map(|mistakes| mistakes.take()).unwrap_or_default();
        let (file, grid, races) = (file.clone(), dimensions(&self.grid).0, races.take());
        Run { file, grid, result, numbers, buffers, text, races, mistakes }
    }
}

fn dimensions(list: &[u32]) -> Dimensions {
    let at = |i: usize| list.get(i).copied().unwrap_or(1);
    Dimensions([at(0), at(1), at(2)])
}

/// An array as numba passes it: two pointers that kernels do not use, the number and size of its elements, its
/// data, then its shape and strides.
fn pass(launch: LaunchOptions, buffer: &Buffer, shape: &[usize], element: Element) -> LaunchOptions {
    let count: usize = shape.iter().product();
    let mut launch = launch
        .argument(0u64)
        .argument(0u64)
        .argument(count as u64)
        .argument(element.bytes() as u64)
        .argument(buffer);
    for extent in shape {
        launch = launch.argument(*extent as u64);
    }
    for dimension in 0..shape.len() {
        let stride = element.bytes() * shape[dimension + 1..].iter().product::<usize>();
        launch = launch.argument(stride as u64);
    }
    launch
}

/// The tensor map of a buffer, whose last dimension is the innermost, with boxes of this size, innermost first.
fn map(device: &Device, buffer: &Buffer, shape: &[usize], element: Element, size: &[u32]) -> [u8; 128] {
    assert_eq!(element, Element::Float(32, 23), "a map of f32");
    let sizes: Vec<u64> = shape.iter().rev().map(|n| *n as u64).collect();
    let strides: Vec<u64> = (1..sizes.len()).map(|d| 4 * sizes[..d].iter().product::<u64>()).collect();
    let tensor = Tensor {
        element: 7,
        address: buffer.address(),
        sizes: &sizes,
        strides: &strides,
        element_strides: &vec![1; sizes.len()],
        interleave: 0,
        swizzle: 0,
        promotion: 0,
        fill: 0,
    };
    Tiled { tensor, box_sizes: size }.encode(device.profile()).expect("a right map").to_bytes()
}

/// How a kernel gets a buffer.
enum Passed {
    Pointer,
    Array,
    Map(Vec<u32>),
    Opaque(Opaque, String),
}

/// What stands after a buffer whose first element is different every time.
const BUT_THE_FIRST: &str = " but the first";

struct Parsed {
    bytes: Vec<u8>,
    /// The value, if it is a number.
    number: f64,
    /// The shape, if it is a buffer.
    shape: Option<Vec<usize>>,
    element: Element,
    how: Passed,
    volatile: bool,
}

fn parse(text: &str, position: usize) -> Parsed {
    let wrong = || -> ! { panic!("the argument `{text}` is not understood") };
    let (how, rest) = if let Some(rest) = text.strip_prefix("array ") {
        (Passed::Array, rest)
    } else if let Some((size, rest)) = text.strip_prefix("map ").and_then(|rest| rest.split_once(' ')) {
        (Passed::Map(size.split(',').map(|n| n.parse().unwrap_or_else(|_| wrong())).collect()), rest)
    } else if let Some((words, rest)) = text.strip_prefix("texture ").and_then(|rest| rest.split_once(' ')) {
        (Passed::Opaque(Opaque::Texture, words.to_owned()), rest)
    } else if let Some((words, rest)) = text.strip_prefix("surface ").and_then(|rest| rest.split_once(' ')) {
        (Passed::Opaque(Opaque::Surface, words.to_owned()), rest)
    } else {
        (Passed::Pointer, text)
    };
    let rest = rest.strip_suffix(BUT_THE_FIRST).unwrap_or(rest);
    let (volatile, rest) = rest.strip_suffix(" volatile").map_or((false, rest), |rest| (true, rest));
    if let Some((ty, number)) = rest.split_once(' ') {
        let Some(element) = Element::named(ty) else { wrong() };
        let Ok(number) = number.parse::<f64>() else { wrong() };
        let bytes = element.encode(number).to_le_bytes()[..element.bytes()].to_vec();
        return Parsed { bytes, number, shape: None, element, how, volatile };
    }
    let Some((ty, (shape, filling))) =
        rest.split_once('[').and_then(|(ty, r)| Some((ty, r.split_once("]=")?)))
    else {
        wrong()
    };
    let Some(element) = Element::named(ty) else { wrong() };
    let shape: Vec<usize> = shape.split(',').map(|n| n.parse().unwrap_or_else(|_| wrong())).collect();
    let bytes = fill(element, shape.iter().product(), filling, position);
    Parsed { bytes, number: 0.0, shape: Some(shape), element, how, volatile }
}
