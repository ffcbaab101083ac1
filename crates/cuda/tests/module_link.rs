//! The linker: texts, fatbins, objects and archives become one image, which loads and runs.
#![allow(unsafe_code)]

mod client;

use std::ffi::{CStr, CString, c_char, c_void};

use client::{Context, Handle, answer, call, launch, read};

const UNKNOWN: u32 = 999;
const PTX: u32 = 1;
const FATBINARY: u32 = 2;
const OBJECT: u32 = 3;
const LIBRARY: u32 = 4;

const CALLER: &str = include_str!("images/caller.ptx");
const CALLEE: &str = include_str!("images/callee.ptx");

/// A link with a log.
struct Link {
    state: Handle,
    log: Box<[u8; 1000]>,
    values: Box<[usize; 2]>,
}

impl Link {
    fn new() -> Self {
        let mut log = Box::new([0xffu8; 1000]);
        let mut values = Box::new([log.as_mut_ptr() as usize, log.len()]);
        let mut state = 0;
        let options = [5u32, 6];
        call("cuLinkCreate_v2", (2u32, options.as_ptr(), values.as_mut_ptr(), &raw mut state));
        Self { state, log, values }
    }

    fn add(&self, kind: u32, data: &[u8], name: &str) -> u32 {
        let name = CString::new(name).expect("no zeros");
        let (data, size) = (data.as_ptr(), data.len());
        answer("cuLinkAddData_v2", (self.state, kind, data, size, name.as_ptr(), 0u32, 0u64, 0u64))
    }

    fn complete(&self) -> Result<Vec<u8>, u32> {
        let (mut image, mut size): (*const u8, usize) = (std::ptr::null(), 0);
        match answer("cuLinkComplete", (self.state, &raw mut image, &raw mut size)) {
            // SAFETY: the library gives so many bytes, which stay while the link is there.
            0 => Ok(unsafe { std::slice::from_raw_parts(image, size) }.to_vec()),
            result => Err(result),
        }
    }

    fn log(&self) -> String {
        // SAFETY: the library ends what it writes with a zero.
        let text = unsafe { CStr::from_ptr(self.log.as_ptr().cast::<c_char>()) };
        assert_eq!(self.values[1] as u32 as usize, text.count_bytes());
        text.to_string_lossy().into_owned()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        call("cuLinkDestroy", (self.state,));
    }
}

/// What the kernel of an image makes of 7.
#[track_caller]
fn run(context: &Context, image: &[u8]) -> u32 {
    let mut module: Handle = 0;
    call("cuModuleLoadData", (&raw mut module, image.as_ptr()));
    let x = context.memory(4);
    call("cuMemsetD32_v2", (x, 7u32, 1usize));
    assert_eq!(launch(client::Module(module).kernel("add"), [1; 3], [1; 3], 0, &[x]), 0);
    read(x, 1)[0]
}

#[test]
fn inputs_of_every_kind_are_linked() {
    let context = Context::new();
    let callees: [(u32, &[u8]); 4] = [
        (PTX, CALLEE.as_bytes()),
        (OBJECT, include_bytes!("images/callee.o")),
        (LIBRARY, include_bytes!("images/libcallee.a")),
        (PTX, &[CALLEE.as_bytes(), b"\0"].concat()),
    ];
    for (kind, callee) in callees {
        let link = Link::new();
        assert_eq!(link.add(PTX, CALLER.as_bytes(), "caller"), 0);
        assert_eq!(link.add(kind, callee, "callee"), 0);
        let image = link.complete().expect("they go together");
        assert_eq!(link.complete().as_ref(), Ok(&image), "asked again");
        drop(link);
        assert_eq!(run(&context, &image), 21);
    }
}

#[test]
fn what_a_link_gives_can_be_linked_again_and_loaded_as_a_library() {
    let context = Context::new();
    let first = Link::new();
    assert_eq!(first.add(FATBINARY, include_bytes!("images/several.fatbin"), "several"), 0);
    let image = first.complete().expect("one part alone");
    assert_eq!(run(&context, &image), 10);
    let second = Link::new();
    assert_eq!(second.add(0, &image, "a cubin of ours"), 0);
    assert_eq!(run(&context, &second.complete().expect("the same again")), 10);
    let mut library: Handle = 0;
    call("cuLibraryLoadData", (&raw mut library, image.as_ptr(), 0u64, 0u64, 0u32, 0u64, 0u64, 0u32));
    call("cuLibraryUnload", (library,));
}

#[test]
fn a_limit_on_registers_goes_with_the_image() {
    let context = Context::new();
    let registers = |most: usize| {
        let (mut state, option, mut most): (Handle, u32, usize) = (0, 0, most);
        call("cuLinkCreate_v2", (1u32, &raw const option, &raw mut most, &raw mut state));
        let text = include_bytes!("images/add_sm_90.ptx");
        call("cuLinkAddData_v2", (state, PTX, text.as_ptr(), text.len(), 0u64, 0u32, 0u64, 0u64));
        let (mut image, mut module): (*const u8, Handle) = (std::ptr::null(), 0);
        call("cuLinkComplete", (state, &raw mut image, 0u64));
        call("cuModuleLoadData", (&raw mut module, image));
        call("cuLinkDestroy", (state,));
        let mut value = 0i32;
        call("cuFuncGetAttribute", (&raw mut value, 4i32, client::Module(module).kernel("add")));
        value
    };
    let free = registers(255);
    assert!(free > 3, "an estimate of {free}");
    assert_eq!(registers(3), 3);
    drop(context);
}

#[test]
fn files_are_linked() {
    let context = Context::new();
    let link = Link::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/images/");
    for (kind, file) in [(PTX, "caller.ptx"), (LIBRARY, "libcallee.a")] {
        let path = CString::new(format!("{folder}{file}")).expect("no zeros");
        call("cuLinkAddFile_v2", (link.state, kind, path.as_ptr(), 0u32, 0u64, 0u64));
    }
    let missing = c"/nowhere.a".as_ptr();
    assert_eq!(answer("cuLinkAddFile_v2", (link.state, LIBRARY, missing, 0u32, 0u64, 0u64)), 301);
    assert_eq!(run(&context, &link.complete().expect("they go together")), 21);
}

#[test]
fn the_log_tells_what_is_missing_and_what_is_there_twice() {
    let _context = Context::new();
    let link = Link::new();
    assert_eq!(link.add(PTX, CALLER.as_bytes(), "caller.ptx"), 0);
    assert_eq!(link.log(), "");
    assert_eq!(link.complete(), Err(UNKNOWN));
    assert_eq!(link.log(), "error   : Undefined reference to 'triple' in 'caller.ptx'");

    // Only those that use the name are blamed.
    let link = Link::new();
    assert_eq!(link.add(PTX, include_bytes!("images/add_sm_90.ptx"), "other.ptx"), 0);
    assert_eq!(link.add(PTX, CALLER.replace(".entry add", ".entry sum").as_bytes(), "caller.ptx"), 0);
    assert_eq!(link.complete(), Err(UNKNOWN));
    assert_eq!(link.log(), "error   : Undefined reference to 'triple' in 'caller.ptx'");

    let link = Link::new();
    assert_eq!(link.add(PTX, CALLEE.as_bytes(), "one.ptx"), 0);
    assert_eq!(link.add(PTX, CALLEE.as_bytes(), "two.ptx"), 0);
    assert_eq!(link.complete(), Err(UNKNOWN));
    let expected = "error   : Multiple definition of 'triple' in 'two.ptx', first defined in 'one.ptx'";
    assert_eq!(link.log(), expected);

    let link = Link::new();
    assert_eq!(link.add(PTX, CALLEE.replace("mul.lo", "mul.high").as_bytes(), "wrong.ptx"), 218);
    assert!(link.log().starts_with("ptxas application ptx input, line 9; error   : "), "{}", link.log());
    assert!(link.log().ends_with("\nptxas fatal   : Ptx assembly aborted due to errors"), "{}", link.log());
}

#[test]
fn answers_are_those_of_an_h200() {
    let context = Context::new();
    // As recorded in tests/golden/driver/calls.json.
    let link = Link::new();
    assert_eq!(link.add(PTX, b"garbage\0", "x"), 200);
    assert_eq!(link.add(PTX, b"\0", "x"), 200);
    assert_eq!(link.add(0, CALLEE.as_bytes(), "x"), 200);
    assert_eq!(link.add(17, CALLEE.as_bytes(), "x"), 1);
    let image = link.complete().expect("a link of nothing");
    let mut module: Handle = 0;
    call("cuModuleLoadData", (&raw mut module, image.as_ptr()));
    assert_eq!(answer("cuLinkAddData_v2", (0u64, PTX, b"".as_ptr(), 1usize, 0u64, 0u32, 0u64, 0u64)), 400);
    let (mut out, mut size): (*const c_void, usize) = (std::ptr::null(), 0);
    assert_eq!(answer("cuLinkComplete", (context.0, &raw mut out, &raw mut size)), 400);
    assert_eq!(answer("cuLinkDestroy", (0u64,)), 400);
}
