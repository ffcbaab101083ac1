//! Why an image cannot be loaded, and what its owner can do about it.

use std::fmt;

use ptxvm_isa::Target;
use ptxvm_vm::image::ImageError;

/// Why an image cannot be loaded.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// It is nothing that a driver takes.
    Unknown,
    /// It is empty, cut off, or contradicts itself.
    Damaged(&'static str),
    /// It is a fatbin that is cut off or contradicts itself. The driver then says that it found nothing in it.
    Fatbin(&'static str),
    /// An image of ours that cannot be read.
    Container(ImageError),
    /// It has machine code only, for these if it says so.
    MachineCode(Vec<Target>),
    /// It has PTX, or code for link-time optimisation, but for these, which the device is not.
    OtherDevice(Vec<Target>, Target),
    /// It has code for link-time optimisation only.
    Intermediate,
    /// It has nothing for a GPU in it.
    NoDeviceCode,
    /// There is no memory for so many bytes of text.
    Room(u64),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("this is not PTX, a fatbin or any other image that ptxvm knows"),
            Self::Damaged(why) | Self::Fatbin(why) => write!(f, "the image cannot be read: {why}"),
            Self::Container(error) => error.fmt(f),
            Self::MachineCode(targets) => {
                write!(f, "the image holds machine code{} and no PTX. ", list(" for ", targets))?;
                f.write_str(
                    "ptxvm runs PTX. With nvcc, compile with -gencode arch=compute_90,code=compute_90; with NVRTC, \
                     use --gpu-architecture=compute_90 and take the PTX. Run Numba, Triton and other programs that \
                     link with nvJitLink under `ptxvm exec`, which gives them a linker and an assembler of its own",
                )
            }
            Self::OtherDevice(targets, device) => write!(
                f,
                "the image holds code{}, which {device} cannot run; `--device` of `ptxvm exec` chooses another",
                list(" for ", targets)
            ),
            Self::Intermediate => f.write_str(
                "the image holds intermediate code (LTO-IR or NVVM), which only NVIDIA's linker can read; link it with \
                 nvJitLink and -lto under `ptxvm exec`, or compile to PTX, without -dlto",
            ),
            Self::NoDeviceCode => f.write_str("the image holds nothing for a GPU"),
            Self::Room(bytes) => write!(
                f,
                "the image unpacks to {bytes} bytes or more, and loading them takes more memory than is left of \
                 --max-memory; give a larger --max-memory (PTXVM_MAX_MEMORY)"
            ),
        }
    }
}

fn list(before: &str, targets: &[Target]) -> String {
    if targets.is_empty() {
        return String::new();
    }
    let names: Vec<String> = targets.iter().map(Target::to_string).collect();
    format!("{before}{}", names.join(", "))
}
