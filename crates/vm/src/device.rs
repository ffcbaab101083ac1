//! A device: a profile and a memory. Modules and buffers are made from it and keep it alive.

use std::collections::BTreeMap;
use std::sync::Arc;

use ptxvm_memory::{AccessError, AllocationKind, Budget, FreeError, GlobalMemory, OutOfMemory};
use ptxvm_profile::Profile;
use ptxvm_texture::{Object, Objects, Sampler};

use crate::failure::LoadError;
use crate::linked::{Goal, LoadOptions};
use crate::module::Module;
use crate::reference::Reference;

/// A virtual GPU. Cloning gives another handle to the same one.
#[derive(Clone, Debug)]
pub struct Device {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    profile: &'static Profile,
    memory: GlobalMemory,
    objects: Objects,
    places: BTreeMap<String, u64>,
}

/// How much memory a device has, and how much of the host's it may take.
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// The device's memory in bytes; what the profile has if nothing is said.
    pub memory: Option<u64>,
    /// What everything that guests make us take comes out of; without a limit if nothing is said.
    pub budget: Arc<Budget>,
    /// Where variables of modules lie, by their names: a launch that is replayed has them where pointers in memory say that
    /// they are. The others lie where there is room.
    pub places: BTreeMap<String, u64>,
}

impl DeviceOptions {
    /// This, with so many bytes of device memory.
    #[must_use]
    pub fn memory(self, bytes: u64) -> Self {
        Self { memory: Some(bytes), ..self }
    }

    /// This, with a budget of so many bytes of the host's memory.
    #[must_use]
    pub fn max_memory(self, bytes: u64) -> Self {
        Self { budget: Arc::new(Budget::new(bytes)), ..self }
    }
}

impl Device {
    /// A device with the limits and numbers of `profile`, and empty memory.
    #[must_use]
    pub fn new(profile: &'static Profile) -> Self {
        Self::with_options(profile, DeviceOptions::default())
    }

    /// The same with another memory, and with a limit to what it may take of the host's.
    ///
    /// ```
    /// # use ptxvm_vm::{Device, DeviceOptions};
    /// let device = Device::with_options(Default::default(), DeviceOptions::default().memory(1 << 20));
    /// assert_eq!(device.memory().limit(), 1 << 20);
    /// assert!(device.allocate(2 << 20).is_err());
    /// ```
    #[must_use]
    pub fn with_options(profile: &'static Profile, options: DeviceOptions) -> Self {
        // Kernels may be compiled at any time from now on, also while the process ends. Most make their device on the
        // main thread.
        ptxvm_jit::llvm::wait_at_end();
        let DeviceOptions { memory, budget, places } = options;
        let memory = GlobalMemory::with_budget(memory.unwrap_or(profile.memory), budget);
        Self { shared: Arc::new(Shared { profile, memory, objects: Objects::default(), places }) }
    }

    /// Where variables of modules are to lie, by their names.
    pub(crate) fn places(&self) -> &BTreeMap<String, u64> {
        &self.shared.places
    }

    /// What GPU it is.
    #[must_use]
    pub fn profile(&self) -> &'static Profile {
        self.shared.profile
    }

    /// Its memory, for what the methods here do not offer.
    #[must_use]
    pub fn memory(&self) -> &GlobalMemory {
        &self.shared.memory
    }

    /// What PTX must be for to run on it.
    #[must_use]
    pub fn goal(&self) -> Goal<'_> {
        let profile = self.profile();
        Goal { target: profile.target(), name: profile.name, budget: self.budget() }
    }

    /// What everything that guests make us take of the host's memory comes out of.
    #[must_use]
    pub fn budget(&self) -> &Arc<Budget> {
        self.shared.memory.budget()
    }

    /// Its textures, samplers and surfaces by their handles.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.shared.objects
    }

    /// Binds a `.samplerref` of a module to another state than its initialiser's. Gives whether it is such a reference.
    pub fn bind_sampler(&self, reference: &Reference<'_>, sampler: Sampler) -> bool {
        self.objects().bind(reference.handle, Some(Object::Sampler(sampler)))
    }

    /// Checks a module, makes it ready to run and places its variables in memory.
    ///
    /// # Errors
    /// Everything that is wrong with the PTX, or why this device cannot take it.
    pub fn load(&self, source: &str) -> Result<Module, LoadError> {
        self.load_with(source, &LoadOptions::default())
    }

    /// The same, with a say in how strictly the PTX is taken.
    ///
    /// # Errors
    /// As for [`Device::load`].
    pub fn load_with(&self, source: &str, options: &LoadOptions) -> Result<Module, LoadError> {
        crate::load::load(self, source, options)
    }

    /// Links several texts, each with a name for reports, and loads them as one module: `.extern` functions and
    /// variables are those that another text defines `.visible`, `.weak` or `.common`.
    ///
    /// ```
    /// # use ptxvm_vm::{Buffer, Device, LaunchOptions};
    /// let head = ".version 9.1\n.target sm_80\n.address_size 64\n";
    /// let caller = format!("{head}
    ///     .extern .func (.param .u32 r) seven();
    ///     .visible .entry k(.param .u64 out) {{
    ///         .reg .b64 %p; .reg .b32 %v;
    ///         .param .u32 r;
    ///         ld.param.u64 %p, [out];
    ///         call (r), seven;
    ///         ld.param.u32 %v, [r];
    ///         st.global.u32 [%p], %v;
    ///         ret;
    ///     }}");
    /// let callee = format!("{head} .visible .func (.param .u32 r) seven() {{ st.param.u32 [r], 7; ret; }}");
    /// let device = Device::default();
    /// let module = device.load_linked(&[("caller.ptx", &caller), ("callee.ptx", &callee)])?;
    /// let out = Buffer::new(&device, 4)?;
    /// module.kernel("k")?.launch(&LaunchOptions::new(1, 1).argument(&out))?;
    /// assert_eq!(out.to_vec::<u32>(), [7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with a text, or why they cannot be linked.
    pub fn load_linked(&self, texts: &[(&str, &str)]) -> Result<Module, LoadError> {
        self.load_linked_with(texts, &LoadOptions::default())
    }

    /// The same, with a say in how strictly the PTX is taken.
    ///
    /// # Errors
    /// As for [`Device::load_linked`].
    pub fn load_linked_with(
        &self,
        texts: &[(&str, &str)],
        options: &LoadOptions,
    ) -> Result<Module, LoadError> {
        crate::load::load_linked(self, texts, options)
    }

    /// Gives zeroed memory, aligned as the driver aligns it. [`Buffer`](crate::Buffer) frees itself; this does not.
    ///
    /// ```
    /// let device = ptxvm_vm::Device::default();
    /// let address = device.allocate(1024)?;
    /// device.write(address + 8, b"hello")?;
    /// let mut text = [0; 5];
    /// device.read(address + 8, &mut text)?;
    /// assert_eq!(&text, b"hello");
    /// device.free(address)?;
    /// assert!(device.read(address, &mut text).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The device or the host has not that much.
    pub fn allocate(&self, size: u64) -> Result<u64, OutOfMemory> {
        self.allocate_named(size, None)
    }

    /// The same, with a name for reports.
    ///
    /// # Errors
    /// The device or the host has not that much.
    pub fn allocate_named(&self, size: u64, name: Option<&str>) -> Result<u64, OutOfMemory> {
        self.memory().allocate(size, 1, AllocationKind::Device, name.map(str::to_owned))
    }

    /// Gives zeroed memory at an address where a device of another process has memory: its own, a block of a kernel's
    /// `malloc`, or an array of the host that a kernel was passed. Memory of the last kind stays as long as the device.
    ///
    /// # Errors
    /// Why it cannot lie there.
    pub fn place(&self, address: u64, size: u64, name: Option<&str>) -> Result<(), String> {
        let memory = self.memory();
        if !memory.owns(address) {
            return memory.place_host_array(address, size).map_err(|error| error.to_string());
        }
        let kind = match memory.is_of_heap(address) {
            true => AllocationKind::Heap,
            false => AllocationKind::Device,
        };
        match memory.allocate_at(address, size, kind, name.map(str::to_owned)) {
            Ok(_) => Ok(()),
            Err(error) if !error.refused_by_host => Err(error.to_string()),
            Err(_) => Err(format!("something else is there, or a driver puts no {size} bytes there")),
        }
    }

    /// Frees what [`Device::allocate`] gave.
    ///
    /// # Errors
    /// The address is not the start of such memory.
    pub fn free(&self, address: u64) -> Result<(), FreeError> {
        self.memory().free_kind(address, AllocationKind::Device)
    }

    /// Copies device memory to the host.
    ///
    /// # Errors
    /// Part of it is not allocated.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), AccessError> {
        self.memory().read(address, to)
    }

    /// Copies host memory to the device.
    ///
    /// # Errors
    /// Part of the target is not allocated.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), AccessError> {
        self.memory().write(address, from)
    }

    /// Sets `size` bytes of device memory to `byte`.
    ///
    /// # Errors
    /// Part of it is not allocated.
    pub fn fill(&self, address: u64, size: u64, byte: u8) -> Result<(), AccessError> {
        self.memory().fill(address, size, byte)
    }

    /// Copies device memory to device memory; the two may overlap.
    ///
    /// # Errors
    /// Part of either is not allocated.
    pub fn copy(&self, to: u64, from: u64, size: u64) -> Result<(), AccessError> {
        self.memory().copy(to, from, size)
    }
}

impl Default for Device {
    /// An H200.
    fn default() -> Self {
        Self::new(Default::default())
    }
}
