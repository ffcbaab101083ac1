//! The interface for embedders: load a module, allocate, launch, read back.
//!
//! A [`Device`] is a GPU of some make in this process. It loads PTX ([`Device::load`]), owns memory ([`Buffer`], or
//! bare addresses as the driver gives them), and runs kernels with the bits that the GPU would give.
//!
//! ```
//! use ptxvm_vm::{Buffer, Device, LaunchOptions};
//!
//! const SOURCE: &str = r"
//! .version 9.1
//! .target sm_80
//! .address_size 64
//! // x[i] = a * x[i] for the thread i
//! .visible .entry scale(.param .f32 a, .param .u64 x)
//! {
//!     .reg .b32 %t;
//!     .reg .f32 %a, %v;
//!     .reg .b64 %p;
//!     mov.u32 %t, %tid.x;
//!     ld.param.f32 %a, [a];
//!     ld.param.u64 %p, [x];
//!     mad.wide.u32 %p, %t, 4, %p;
//!     ld.global.f32 %v, [%p];
//!     mul.f32 %v, %a, %v;
//!     st.global.f32 [%p], %v;
//!     ret;
//! }";
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::default();
//! let module = device.load(SOURCE)?;
//! let x = Buffer::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0])?;
//! let launch = LaunchOptions::new(1, 4).argument(2.5f32).argument(&x);
//! module.kernel("scale")?.launch(&launch)?;
//! assert_eq!(x.to_vec::<f32>(), [2.5, 5.0, 7.5, 10.0]);
//! # Ok(())
//! # }
//! ```
//!
//! A launch that does not end well says whose fault it was ([`Failure`]): the guest's, with a [`Finding`] that
//! names the instruction, the thread and the registers; nobody's, when ptxvm does not support something yet or a
//! limit was reached; or ptxvm's.
//!
//! ```
//! # use ptxvm_vm::{Buffer, Device, Failure, Kind, LaunchOptions};
//! # const SOURCE: &str = ".version 9.1\n.target sm_80\n.address_size 64\n
//! # .visible .entry late(.param .u64 x) {\n .reg .b32 %r; .reg .b64 %p;\n
//! # ld.param.u64 %p, [x];\n st.global.u32 [%p+16], 1;\n ret; }";
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let device = Device::default();
//! # let module = device.load(SOURCE)?;
//! let x = Buffer::from_slice(&device, &[0u32; 4])?;
//! match module.kernel("late")?.launch(&LaunchOptions::new(1, 1).argument(&x)) {
//!     Err(Failure::Finding(finding)) => assert_eq!(finding.kind, Kind::OutOfBounds),
//!     other => panic!("the kernel writes past the end of its buffer: {other:?}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here prints, reads files or reads the environment: what the guest prints comes through a callback
//! ([`LaunchOptions::on_print`]), and a launch is watched and stopped through its [`Control`]. A checker can observe every
//! access to memory ([`Kernel::observed_by`]). Compiled code is kept on disk only if the program says where
//! ([`keep_code`]).
#![forbid(unsafe_code)]

/// The README, whose example is run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod arguments;
mod array;
mod buffer;
mod compiled;
mod device;
mod failure;
mod follower;
mod held;
pub mod image;
mod kernel;
mod later;
mod launch;
mod limits;
mod linked;
mod load;
mod module;
mod reference;
mod surface;
mod texture;

pub use arguments::{Argument, Arguments, ArgumentsError, Pointer};
pub use array::{Array, ArrayError};
pub use buffer::{Buffer, Element};
pub use compiled::{Llvm, keep_code, llvm};
pub use device::{Device, DeviceOptions};
pub use failure::{Failure, KernelError, LoadError};
pub use held::Held;
pub use kernel::Kernel;
pub use launch::{Dimensions, HeapBlocks, LaunchOptions, OnEvent, Print, SetConditional};
pub use linked::{Goal, LOAD_WEIGHT, LoadOptions, Text, check_linked, is_runtime};
pub use module::{Module, Variable};
pub use reference::Reference;
pub use surface::Surface;
pub use texture::Texture;

pub use ptxvm_check::{
    Advice, Elsewhere, Footprint, Grids, Meeting, Part, Race, RaceKind, Races, Stretch, Unit as Carrier,
};
pub use ptxvm_ir::{Limits, LinkProblem, Parameter};
pub use ptxvm_isa::{Target, Version};
pub use ptxvm_jit::{CodeCache, GoAlone, OneWay, Tuning};
pub use ptxvm_machine::door::{Observer, Proxy, Space, Touch, Wants, When, observer};
pub use ptxvm_machine::event::{Fence, Field, What};
pub use ptxvm_machine::{
    Asynchrony, Check, Checks, Class, Control, EngineChoice, Event, Finding, Findings, GridStatus, Kind,
    Limit, MemoryModel, Mistake, Mistakes, Mma, Place, Related, Settings, SourceLine, Statistics, Stepped,
    Thread, Unsupported, view,
};
pub use ptxvm_memory::{AccessError, Budget, Charge, FreeError, OutOfMemory, OverBudget};
pub use ptxvm_num::matrix::Unit;
pub use ptxvm_order::{Accessed, Asked, How, Missing, OrderAnswer, OrderQuestion, Step};
pub use ptxvm_profile::{Demand, Profile};
pub use ptxvm_tensor as tensor;
pub use ptxvm_texture::Kind as ObjectKind;
pub use ptxvm_texture::{AddressMode, Block, Channel, Filter, Format, Read, Sampler, Shape};
pub use ptxvm_weak::{StaleRead, StaleReads};
