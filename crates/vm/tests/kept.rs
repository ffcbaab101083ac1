//! A kernel whose code is kept on disk is taken from there long before it would be compiled.

use std::fs::{File, read_dir, remove_dir_all};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use ptxvm_vm::{Buffer, CodeCache, Device, EngineChoice, LaunchOptions, keep_code, llvm};

/// Each warp executes some thousand instructions.
const SOURCE: &str = r"
.version 9.1
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x)
{
    .reg .b32 %n, %v, %t;
    .reg .b64 %p;
    .reg .pred %q;
    ld.param.u64 %p, [x];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %p, %t, 4, %p;
    mov.u32 %n, 500;
    mov.u32 %v, 0;
again:
    mad.lo.u32 %v, %v, 3, %n;
    sub.u32 %n, %n, 1;
    setp.ne.u32 %q, %n, 0;
    @%q bra again;
    st.global.u32 [%p], %v;
    ret;
}";

/// Launches the kernel on a device of its own.
fn launch(ctas: u32) -> Vec<u32> {
    let device = Device::default();
    let module = device.load(SOURCE).expect("it is right");
    let x = Buffer::from_slice(&device, &[0u32; 32]).expect("there is room");
    let mut launch = LaunchOptions::new(ctas, 32).argument(&x);
    launch.settings.engine = EngineChoice::Auto;
    module.kernel("k").expect("it is there").launch(&launch).expect("it runs");
    x.to_vec()
}

/// The file in the folder, when it comes.
fn file(folder: &Path) -> PathBuf {
    let start = Instant::now();
    loop {
        let entries = read_dir(folder).into_iter().flatten().flatten();
        let mut kept = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some());
        if let Some(path) = kept.next() {
            return path;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is kept");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_old(path: &Path) -> bool {
    let used = path.metadata().and_then(|about| about.modified()).expect("the file is there");
    SystemTime::now().duration_since(used).is_ok_and(|age| age > Duration::from_secs(3600))
}

#[test]
#[allow(clippy::print_stdout, reason = "who runs the tests is to know what was not looked at")]
fn a_kernel_that_is_warm_takes_its_code_from_the_disk() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kept-{}", std::process::id()));
    let _ = remove_dir_all(&folder);
    keep_code(CodeCache::new(folder.clone(), 1 << 20, true, |why| panic!("{why}")));
    if let Err(why) = llvm() {
        println!("skipped: {why}");
        return;
    }
    let device = Device::default();
    let kernel = device.load(SOURCE).expect("it is right").kernel("k").expect("it is there");
    kernel.compile(32).expect("it can be compiled");
    let file = file(&folder);
    let age = SystemTime::now() - Duration::from_secs(2 * 3600);
    File::options().write(true).open(&file).and_then(|file| file.set_modified(age)).expect("it is ours");

    // Some thousand instructions are not worth looking.
    let expected = launch(2);
    std::thread::sleep(Duration::from_millis(100));
    assert!(is_old(&file), "the code was looked for at once");

    // A few hundred thousand are, and are not worth compiling. Who reads the file notes that it is used.
    assert_eq!(launch(200), expected);
    let start = Instant::now();
    while is_old(&file) {
        assert!(start.elapsed() < Duration::from_secs(60), "nobody has looked for the code");
        std::thread::sleep(Duration::from_millis(5));
    }
    remove_dir_all(&folder).expect("it was made");
}
