//! The switches by which a user says how launches are executed and on what device: one list for `ptxvm run`, `ptxvm exec`,
//! launch lines and the environment.
//!
//! [`SWITCHES`] names each, with its help and how it is read and shown. A door collects what the user has [`Said`] and has
//! [`Choices`] made of it; the [`ptxvm_vm::Settings`] in them go whole into every launch. Only the doors (the command,
//! libcuda and libgpuocelot) know this crate: nothing below them reads the environment.
//!
//! Where compiled code is kept on disk is no switch: [`code_cache()`] asks the environment for it.
//!
//! A new switch is a field of `Settings` (or of [`Choices`], if no launch asks for it) and an entry in the list.

mod choices;
mod code_cache;
mod list;
mod said;
mod save_launch;
mod switch;
mod value;

pub use choices::Choices;
pub use code_cache::code_cache;
pub use list::SWITCHES;
pub use said::Said;
pub use save_launch::SaveLaunch;
pub use switch::{Switch, Takes, Who};
