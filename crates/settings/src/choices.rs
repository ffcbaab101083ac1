//! What the switches choose.

use std::path::PathBuf;

use ptxvm_host::Wanted;
use ptxvm_report::ColorChoice;
use ptxvm_vm::{Profile, Settings};

use crate::save_launch::SaveLaunch;

/// Everything that the switches say, with defaults for what was left open.
#[derive(Clone, Debug)]
pub struct Choices {
    /// How every launch is executed.
    pub settings: Settings,
    /// The device.
    pub profile: &'static Profile,
    /// The device's memory, and what may be taken of the host's.
    pub memory: Wanted,
    /// Whether what orders memory is told, event by event.
    pub events: bool,
    /// Whether every call of the driver API is shown.
    pub api_trace: bool,
    /// Where launches are written to be replayed.
    pub save_launch: Option<SaveLaunch>,
    /// The file that names findings which are not told.
    pub suppress: Option<PathBuf>,
    /// When findings are coloured.
    pub color: ColorChoice,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            profile: Default::default(),
            memory: Wanted::default(),
            events: false,
            api_trace: false,
            save_launch: None,
            suppress: None,
            color: ColorChoice::Auto,
        }
    }
}
