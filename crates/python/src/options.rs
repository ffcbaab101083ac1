//! Options by keyword: the same switches, in the same words, as those of the command and of the environment.

use ptxvm_settings::{SWITCHES, Said, Switch, Takes};
use pyo3::prelude::*;
use serde_json::json;

use crate::failed::wrong;

/// What an option is given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A device, and with it all its launches.
    Device,
    /// One launch.
    Launch,
}

/// Switches that are about a device, not about its launches.
const OF_DEVICES: [&str; 4] = ["device", "max-memory", "memory", "suppress"];
/// Switches that are about what the command and libcuda print.
const OF_OUTPUT: [&str; 3] = ["api-trace", "color", "save-launch"];

/// Whether a switch is an option in Python.
fn is_option(switch: &Switch, place: Place) -> bool {
    !OF_OUTPUT.contains(&switch.name) && (place == Place::Device || !OF_DEVICES.contains(&switch.name))
}

/// Reads options.
pub fn read(options: &[(String, String)], place: Place) -> PyResult<Said> {
    let mut said = Said::default();
    for (name, value) in options {
        let known = || SWITCHES.iter().filter(|switch| is_option(switch, place));
        let Some(switch) = known().find(|switch| switch.name.replace('-', "_") == *name) else {
            let names: Vec<String> = known().map(|switch| switch.name.replace('-', "_")).collect();
            let also = match SWITCHES.iter().any(|switch| switch.name.replace('-', "_") == *name) {
                true if place == Place::Launch => ": it is an option of a Device",
                _ => "",
            };
            let message = format!("there is no option `{name}` here{also}; there are {}", names.join(", "));
            return Err(wrong(message));
        };
        said.say(switch, value).map_err(|why| wrong(format!("{name}={value}: {why}")))?;
    }
    Ok(said)
}

/// What the environment says (`PTXVM_SEED` and the others).
pub fn from_environment() -> PyResult<Said> {
    let mut complaint = None;
    let said = Said::from_environment(|switch| is_option(switch, Place::Device), |why| complaint = Some(why));
    complaint.map_or(Ok(said), |why| Err(wrong(why)))
}

/// Every option: its name, what it takes, whether one launch can have it, and what it is for.
#[pyfunction]
pub fn options() -> String {
    let all = SWITCHES.iter().filter(|switch| is_option(switch, Place::Device)).map(|switch| {
        let takes = match switch.takes {
            Takes::Nothing => "bool",
            Takes::Value(name) | Takes::OneOf(name, _) | Takes::Optional(name, _) => name,
        };
        json!({
            "name": switch.name.replace('-', "_"), "takes": takes, "launch": is_option(switch, Place::Launch),
            "help": switch.help,
        })
    });
    serde_json::Value::from_iter(all).to_string()
}
