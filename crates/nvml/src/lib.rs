//! `libnvidia-ml.so.1`: NVIDIA's management library (NVML), for the one device that ptxvm has.
//!
//! Frameworks ask it how many devices there are, what they are called and how much memory is free, often before they start
//! the driver. Every answer comes from the process's libcuda ([`facts`]), so that both say the same. What has no honest
//! answer (temperature, power, fans) is not supported, and so is what changes a device.

mod api;
mod entry;
mod facts;
mod layout;
mod result;
mod state;
mod text;
mod unsupported;
