//! Coverage-guided: any text that loads is run, every kernel of it, with limits. Nothing may panic or go on for long,
//! whatever the guest does. Good seeds are `examples/*.ptx` and `tests/ptx/valid/*.ptx`.
#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use ptxvm_vm::{Arguments, Buffer, Device, Failure, Kernel, KernelError, LaunchOptions, LoadError, Settings};

const TIME: Duration = Duration::from_millis(200);

/// How much later than its time a launch may end on a busy host with a slow build.
const SLACK: Duration = Duration::from_secs(5);

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = std::str::from_utf8(bytes) else { return };
    let device = Device::default();
    let module = match device.load(source) {
        Ok(module) => module,
        Err(LoadError::Bug(bug)) => panic!("loading: {bug}"),
        Err(_) => return,
    };
    let names: Vec<String> = module.kernels().map(|k| k.name.clone()).collect();
    for name in names {
        match module.kernel(&name) {
            Ok(kernel) => launch(&device, &kernel),
            Err(KernelError::Bug(bug)) => panic!("linking: {bug}"),
            Err(KernelError::Unknown { .. }) => {}
        }
    }
});

fn launch(device: &Device, kernel: &Kernel) {
    let mut buffers = Vec::new();
    let mut arguments = Arguments::new();
    for parameter in kernel.parameters() {
        if parameter.size == 8 {
            let Ok(buffer) = Buffer::new(device, 4096) else { return };
            arguments.push(&buffer);
            buffers.push(buffer);
        } else {
            arguments.push(vec![7u8; parameter.size as usize].as_slice());
        }
    }
    let block = kernel.limits().reqntid.unwrap_or([40, 1, 1]);
    for (threads, seed) in [(1, 0), (2, 1)] {
        let launch = LaunchOptions {
            arguments: arguments.clone(),
            settings: Settings {
                threads,
                seed,
                max_instructions: Some(20_000),
                timeout: Some(TIME),
                ..Settings::default()
            },
            ..LaunchOptions::new(3, block)
        };
        let began = Instant::now();
        if let Err(Failure::Bug(bug)) = kernel.launch(&launch) {
            panic!("{bug}");
        }
        assert!(began.elapsed() < TIME + SLACK, "it ended after {:?}", began.elapsed());
    }
}
