//! Devices, contexts, names and occupancy, beside what the driver of an H200 answered (`tests/golden/driver`).

mod attributes;
mod calls;
mod client;
mod contexts;
mod errors;
mod graphics;
mod limits;
mod look_up;
mod occupancy;
mod primary;
