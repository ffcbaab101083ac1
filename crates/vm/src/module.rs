//! A loaded module: its kernels by name, its variables by name, the text it came from.

use std::sync::{Arc, OnceLock};

use ptxvm_ir::{Function, FunctionId, Linkage, Program, Space};
use ptxvm_machine::Addresses;
use ptxvm_memory::Charge;
use ptxvm_syntax::ast::Span;
use ptxvm_syntax::{Diagnostic, LineColumn, LineIndex};

use crate::device::Device;
use crate::failure::{KernelError, LoadError, guarded};
use crate::kernel::Kernel;
use crate::later::Later;
use crate::linked::Text;
use crate::reference::{self, Reference};

/// PTX that a device has taken. Cloning gives another handle; the last one frees the variables.
#[derive(Clone, Debug)]
pub struct Module {
    pub(crate) loaded: Arc<Loaded>,
}

/// A variable of a module that has an address for the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// `.const`: the guest cannot write it.
    pub constant: bool,
    /// `.attribute(.managed)`
    pub managed: bool,
    /// Whether other modules may see it.
    pub visible: bool,
}

#[derive(Debug)]
pub(crate) struct Loaded {
    pub device: Device,
    /// If functions are read later, their bodies in it are empty.
    pub program: Arc<Program>,
    pub addresses: Arc<Addresses>,
    pub read: Arc<Read>,
    /// The host's memory that it takes besides its variables.
    pub _kept: Charge,
}

/// What a module has of its text, on whatever device it is loaded.
#[derive(Debug)]
pub(crate) struct Read {
    pub source: String,
    pub texts: Vec<Text>,
    pub warnings: Vec<Diagnostic>,
    /// The functions, if they are read later.
    pub later: Option<Later>,
    lines: OnceLock<LineIndex>,
}

impl Read {
    pub fn new(source: String, texts: Vec<Text>, warnings: Vec<Diagnostic>, later: Option<Later>) -> Self {
        Self { source, texts, warnings, later, lines: OnceLock::new() }
    }

    fn place(&self, at: u32) -> LineColumn {
        self.lines.get_or_init(|| LineIndex::new(&self.source)).line_column(&self.source, at)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        free(&self.device, &self.program, &self.addresses);
    }
}

/// Frees what was placed for the variables of a module.
pub(crate) fn free(device: &Device, program: &Program, addresses: &Addresses) {
    let placed = program.variables.iter().zip(&addresses.variables);
    for (variable, &address) in placed.filter(|&(_, &address)| address != 0) {
        match &variable.opaque {
            Some(opaque) => reference::destroy(device, opaque, address),
            // This fails only if the host has freed the module's variables itself.
            None => drop(device.memory().free(address)),
        }
    }
}

impl Module {
    /// The device that it is loaded on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.loaded.device
    }

    /// The same module on another device. Its text is not read and checked again; its variables are placed there, and
    /// begin anew.
    ///
    /// ```
    /// use ptxvm_vm::Device;
    /// let first = Device::default();
    /// let module = first.load(
    ///     ".version 9.1\n.target sm_80\n.address_size 64\n
    ///      .visible .global .u32 count = 7;",
    /// )?;
    /// let (address, _) = module.variable("count").expect("it is declared");
    /// first.write(address, &[1, 0, 0, 0])?;
    /// let second = Device::default();
    /// let again = module.on(&second)?;
    /// let (address, _) = again.variable("count").expect("it is declared");
    /// let mut bytes = [0; 4];
    /// second.read(address, &mut bytes)?;
    /// assert_eq!(bytes, [7, 0, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The device cannot take it, or has no memory for it.
    pub fn on(&self, device: &Device) -> Result<Module, LoadError> {
        crate::load::load_again(device, self)
    }

    /// Where its variables lie.
    pub(crate) fn addresses(&self) -> &Arc<Addresses> {
        &self.loaded.addresses
    }

    /// Its kernel of this name. If functions are read later ([`LoadOptions::bodies_later`](crate::LoadOptions)), this
    /// one is now.
    ///
    /// # Errors
    /// There is none, or it is wrong.
    pub fn kernel(&self, name: &str) -> Result<Kernel, KernelError> {
        let program = &self.loaded.program;
        let all = || program.functions.iter().enumerate().filter(|(_, f)| is_kernel(f) && f.name == name);
        // Of several texts, each may have one of this name of its own; the one that all see comes first.
        let visible = all().find(|(_, f)| f.linkage != Linkage::Private);
        let Some((index, _)) = visible.or_else(|| all().next()) else {
            let known = self.kernels().map(|f| f.name.clone()).collect();
            return Err(KernelError::Unknown { name: name.to_owned(), known });
        };
        self.kernel_of(FunctionId(index as u32))
    }

    /// Its kernel that this function is.
    pub(crate) fn kernel_of(&self, entry: FunctionId) -> Result<Kernel, KernelError> {
        let Loaded { program, addresses, read, .. } = &*self.loaded;
        let (program, own, addresses) = match &read.later {
            None => (Arc::clone(program), entry, Arc::clone(addresses)),
            Some(later) => {
                let body = later.body(program, &read.source, entry);
                let body = body.map_err(|error| KernelError::Load(Box::new(error)))?;
                (Arc::clone(body.program()), body.entry(), Arc::new(body.addresses(addresses)))
            }
        };
        let linked = guarded(|| ptxvm_machine::Kernel::link(program, own, &addresses));
        let linked = linked.map_err(KernelError::Bug)?;
        Ok(Kernel {
            module: self.clone(),
            entry,
            addresses,
            linked: Arc::new(linked),
            address_words: Arc::default(),
            linked_followed: Arc::default(),
            compiled: Arc::default(),
            max_registers: None,
            elsewhere: Arc::default(),
        })
    }

    /// Its kernels, in the order of the source.
    pub fn kernels(&self) -> impl Iterator<Item = &Function> {
        self.loaded.program.functions.iter().filter(|f| is_kernel(f))
    }

    /// The address and the size of a `.global` or `.const` variable of the module.
    ///
    /// ```
    /// let device = ptxvm_vm::Device::default();
    /// let module = device.load(
    ///     ".version 9.1\n.target sm_80\n.address_size 64\n
    ///      .visible .global .u32 table[4] = {1, 2, 3};",
    /// )?;
    /// let (address, size) = module.variable("table").expect("it is declared");
    /// let mut bytes = vec![0; size as usize];
    /// device.read(address, &mut bytes)?;
    /// assert_eq!(bytes, [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        let all = || self.variables().filter(|v| v.name == name);
        let found = all().find(|v| v.visible).or_else(|| all().next())?;
        Some((found.address, found.size))
    }

    /// Its `.global` and `.const` variables, in the order of the source.
    pub fn variables(&self) -> impl Iterator<Item = Variable<'_>> {
        let placed = self.loaded.program.variables.iter().zip(&self.loaded.addresses.variables);
        let global = placed.filter(|(v, _)| {
            matches!(v.space, Space::Global | Space::Const) && v.opaque.is_none() && v.function.is_none()
        });
        global.map(|(v, &address)| Variable {
            name: &v.name,
            address,
            size: v.size,
            constant: v.space == Space::Const,
            managed: v.managed,
            visible: v.linkage != Linkage::Private,
        })
    }

    /// Its texture, sampler or surface variable of this name.
    ///
    /// ```
    /// use ptxvm_texture::{AddressMode, Kind};
    /// let device = ptxvm_vm::Device::default();
    /// let module = device.load(
    ///     ".version 9.1\n.target sm_80\n.address_size 64\n
    ///      .global .texref picture = { addr_mode_0 = mirror };",
    /// )?;
    /// let picture = module.reference("picture").expect("it is declared");
    /// assert_eq!(picture.kind, Kind::Texture);
    /// assert_eq!(picture.sampler.address[0], AddressMode::Mirror);
    /// assert!(device.objects().get(picture.handle).is_err(), "nothing is bound to it yet");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reference(&self, name: &str) -> Option<Reference<'_>> {
        let all = || self.references().filter(|r| r.kernel.is_none() && r.name == name);
        all().find(|r| r.visible).or_else(|| all().next())
    }

    /// Its texture, sampler and surface variables and those among its kernels' parameters, in the order of the source.
    pub fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        reference::of(&self.loaded.program, &self.loaded.addresses)
    }

    /// What the check warned of.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.loaded.read.warnings
    }

    /// The text that it was made from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.loaded.read.source
    }

    /// The line and column where a span of a finding begins.
    #[must_use]
    pub fn place(&self, span: Span) -> LineColumn {
        self.loaded.read.place(span.start)
    }

    /// The texts it was linked from, in their order; one without a name if it was not.
    #[must_use]
    pub fn texts(&self) -> &[Text] {
        &self.loaded.read.texts
    }

    /// The text in which a span of a finding begins, by its name, and the line and column there.
    #[must_use]
    pub fn place_in_text(&self, span: Span) -> (&str, LineColumn) {
        let place = self.place(span);
        let before = self.loaded.read.texts.partition_point(|text| text.start <= span.start);
        let Some(text) = before.checked_sub(1).and_then(|at| self.loaded.read.texts.get(at)) else {
            return ("", place);
        };
        let first = self.loaded.read.place(text.start).line;
        (&text.name, LineColumn { line: place.line - first + 1, ..place })
    }

    /// The executable form of it. If functions are read later, this has their declarations, and each kernel a program of
    /// its own ([`Kernel::program`]).
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.loaded.program
    }
}

fn is_kernel(function: &Function) -> bool {
    function.entry && function.defined
}
