//! Devices: making them, their options, and their memory.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_settings::{SWITCHES, Said};
use ptxvm_vm::DeviceOptions;

use crate::answer::answer;
use crate::pointer::{Bytes, Handle, Out, Printer, Text};
use crate::status::{Status, Told};

/// Options that belong to a device as a whole, or to what a command prints.
const NOT_OF_LAUNCHES: [&str; 7] =
    ["device", "memory", "max-memory", "suppress", "api-trace", "color", "events"];

/// A device, which its modules keep too.
pub type DeviceHandle = Handle<Arc<Device>>;

/// What a handle of a device stands for.
pub struct Device {
    pub device: ptxvm_vm::Device,
    said: Mutex<Said>,
    printer: Mutex<Option<Printer>>,
}

impl Device {
    /// What the options say.
    pub fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who takes what kernels print.
    pub fn printer(&self) -> Option<Printer> {
        *self.printer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An option by its name.
fn say(said: &mut Said, name: &str, value: &str) -> Result<(), Told> {
    let known = || SWITCHES.iter().filter(|switch| !NOT_OF_LAUNCHES.contains(&switch.name));
    let Some(switch) = known().find(|switch| switch.name == name) else {
        let names: Vec<&str> = known().map(|switch| switch.name).collect();
        return Err(Told::usage(format!("there is no option `{name}`; available: {}", names.join(", "))));
    };
    said.say(switch, value).map_err(|why| Told::usage(format!("{name}={value}: {why}")))
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_device_new(name: Text, device: Out<DeviceHandle>) -> Status {
    answer(|| {
        let mut said = Said::default();
        if !name.is_null() {
            let name = name.get("the device's name")?;
            let switch = SWITCHES.iter().find(|switch| switch.name == "device");
            let switch = switch.ok_or_else(|| Told::bug("no switch is called `device`"))?;
            said.say(switch, name).map_err(|why| Told::usage(format!("{name}: {why}")))?;
        }
        let choices = said.choices();
        let share = choices.memory.share(choices.profile.memory);
        let options = DeviceOptions::default().memory(share.memory).max_memory(share.max_memory);
        let made = ptxvm_vm::Device::with_options(choices.profile, options);
        if device.is_null() {
            return Err(Told::usage("the place for the device is null"));
        }
        let made = Device { device: made, said: Mutex::new(said), printer: Mutex::default() };
        device.set(Handle::give(Arc::new(made)), "the place for the device")
    })
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_device_free(device: DeviceHandle) {
    answer(|| {
        device.free();
        Ok(())
    });
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_device_set(device: DeviceHandle, option: Text, value: Text) -> Status {
    answer(|| {
        let device = device.get("the device")?;
        say(&mut device.said(), option.get("the option")?, value.get("the option's value")?)
    })
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_device_on_print(
    device: DeviceHandle,
    print: Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize)>,
    user: *mut c_void,
) {
    answer(|| {
        let device = device.get("the device")?;
        *device.printer.lock().unwrap_or_else(PoisonError::into_inner) = Printer::new(print, user);
        Ok(())
    });
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_allocate(device: DeviceHandle, bytes: usize, address: Out<u64>) -> Status {
    answer(|| {
        let device = &device.get("the device")?.device;
        if address.is_null() {
            return Err(Told::usage("the place for the address is null"));
        }
        let given = device.allocate(bytes as u64).map_err(|error| Told::usage(error.to_string()))?;
        address.set(given, "the place for the address")
    })
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_free(device: DeviceHandle, address: u64) -> Status {
    answer(|| {
        let device = &device.get("the device")?.device;
        device.free(address).map_err(|error| Told::usage(format!("{address:#x}: {error}")))
    })
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_write(device: DeviceHandle, to: u64, from: Bytes, bytes: usize) -> Status {
    answer(|| {
        let device = &device.get("the device")?.device;
        let from = from.get(bytes, "what is to be written")?;
        device
            .write(to, from)
            .map_err(|error| Told::usage(format!("writing {bytes} bytes to {to:#x}: {error}")))
    })
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_read(device: DeviceHandle, to: Bytes, from: u64, bytes: usize) -> Status {
    answer(|| {
        let device = &device.get("the device")?.device;
        let to = to.get_mut(bytes, "the place for what is read")?;
        device
            .read(from, to)
            .map_err(|error| Told::usage(format!("reading {bytes} bytes at {from:#x}: {error}")))
    })
}
