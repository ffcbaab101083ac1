//! What is written of a launch, as the rest of this folder sees it.

use ptxvm_vm::{Device, Kernel, LaunchOptions};

/// A launch that is about to begin.
pub struct Launch<'a> {
    pub kernel: &'a Kernel,
    /// The device whose memory it uses.
    pub device: &'a Device,
    /// Its shape and its settings.
    pub options: &'a LaunchOptions,
    /// The value of each parameter.
    pub parameters: &'a [Vec<u8>],
    /// Whether it may begin before the one that comes before it has ended.
    pub early: bool,
}
