//! Coverage-guided: any matrix descriptor, shape and size of shared memory. Whether the matrix lies inside must be what
//! looking at each of its units says. `cargo xtask fuzz descriptors` runs the instructions themselves.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ptxvm_machine::matrix::descriptor::{Descriptor, Major};

fuzz_target!(|input: (u64, bool, bool, u8, u16, u32)| {
    let (bits, blackwell, transposed, along, across, bytes) = input;
    let descriptor = match blackwell {
        true => match Descriptor::tcgen05(bits) {
            Ok(descriptor) => descriptor,
            Err(_) => return,
        },
        false => Descriptor::wgmma(bits),
    };
    let major = if transposed { Major::Mn } else { Major::K };
    let (along, across) = (u32::from(along % 80), u32::from(across % 300));
    let ends =
        (0..across).flat_map(|across| (0..along).map(move |along| descriptor.unit(major, along, across) + 16));
    let end = ends.max().unwrap_or(0);
    for bytes in [u64::from(bytes), end, end.saturating_sub(1)] {
        let found = descriptor.within(major, along, across, bytes);
        assert_eq!(found.err(), (end > bytes).then_some(end), "{descriptor:?}, {along} by {across}, {bytes} bytes");
    }
});
