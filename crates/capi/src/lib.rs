//! `libptxvm.so`: the machine for programs in C. `include/ptxvm.h` is the interface and says what each function promises.

mod answer;
mod device;
mod launch;
mod message;
mod module;
mod pointer;
mod status;

pub use device::{
    ptxvm_allocate, ptxvm_device_free, ptxvm_device_new, ptxvm_device_on_print, ptxvm_device_set, ptxvm_free,
    ptxvm_read, ptxvm_write,
};
pub use launch::{Dim3, ptxvm_launch};
pub use message::{ptxvm_message, ptxvm_message_json, ptxvm_version};
pub use module::{ptxvm_module_free, ptxvm_module_load, ptxvm_variable};
pub use status::Status;
