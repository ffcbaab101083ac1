//! What a launch needs on the device: buffers, tensor maps, textures and surfaces, and the arguments that name them.

use std::sync::Arc;

use ptxvm_vm::{Array, Buffer, Device, Module, Pointer, Reference, Sampler};

use super::bind::Value;
use super::contents::HostBuffer;
use super::element::Element;
use super::host_memory::{COPIES, HostMemory};
use super::image::object::{self, Made};
use super::image::{ImageDescription, Role};
use super::table::Outcome;

/// Memory that a value has of its own.
enum Placed {
    Nothing,
    Buffer(Buffer),
    Array(Array, Element),
    Memory(u64),
}

/// What is shown after the run.
struct Shown {
    parameter: usize,
    name: String,
    from: From,
    before: Arc<HostBuffer>,
}

enum From {
    Buffer(Buffer),
    Level(Array, u32),
    Memory(Device, u64),
}

/// Everything that lives as long as the launch, and the arguments that point to it.
pub struct Prepared {
    pub arguments: ptxvm_vm::Arguments,
    shown: Vec<Shown>,
    /// Tensor maps in memory.
    _maps: Vec<Buffer>,
    _images: Vec<Made>,
}

impl Prepared {
    /// Places what parameters and bound references are given; those that are references are bound.
    pub fn new(
        module: &Module,
        names: &[String],
        references: &[Option<Reference<'_>>],
        values: &[Value],
        memory: &HostMemory,
    ) -> Result<Prepared, String> {
        let device = module.device();
        let mut placed: Vec<Placed> = Vec::new();
        // What has its address comes first, before anything else is put there.
        for (value, name) in values.iter().zip(names) {
            placed.push(match value {
                Value::Memory { at, contents } => {
                    let address = memory_at(module, name, *at, contents.bytes.len() as u64)?;
                    let written = device.write(address, &contents.bytes);
                    written.map_err(|error| format!("the memory `{name}`: {error}"))?;
                    if contents.is_unwritten {
                        let unwritten = device.memory().unwritten();
                        unwritten.keep();
                        unwritten.add(address, contents.bytes.len() as u64);
                    }
                    Placed::Memory(address)
                }
                _ => Placed::Nothing,
            });
        }
        // Tensor maps and images name the memory of other values, wherever those stand.
        for ((value, name), to) in values.iter().zip(names).zip(&mut placed) {
            let made = match value {
                Value::Buffer(host) => {
                    let buffer = place(device, name, &host.bytes)?;
                    if host.is_unwritten {
                        let unwritten = device.memory().unwritten();
                        unwritten.keep();
                        unwritten.add(buffer.address(), buffer.size() as u64);
                    }
                    Placed::Buffer(buffer)
                }
                Value::Image { host: Some(host), .. } => {
                    let array = object::array(device, name, host).map_err(|why| wrong(name, &why))?;
                    Placed::Array(array, host.levels.first().map_or(Element::U8, |level| level.element))
                }
                _ => continue,
            };
            *to = made;
        }
        let mut all = Prepared {
            arguments: ptxvm_vm::Arguments::new(),
            shown: Vec::new(),
            _maps: Vec::new(),
            _images: Vec::new(),
        };
        for (index, value) in values.iter().enumerate() {
            let (name, reference) = (names[index].as_str(), references.get(index).copied().flatten());
            match value {
                Value::Memory { .. } => {}
                Value::Bytes(bytes) => all.arguments.push(bytes.as_slice()),
                Value::Buffer(_) => {
                    if let Placed::Buffer(buffer) = &placed[index] {
                        all.arguments.push(Pointer(buffer.address()));
                    }
                }
                Value::TensorMap { of, map, points } => {
                    let (Value::Buffer(host), Placed::Buffer(buffer)) = (&values[*of], &placed[*of]) else {
                        continue;
                    };
                    let bytes = map.encode(buffer.address(), host, device.profile());
                    let bytes = bytes.map_err(|why| wrong(name, &why))?;
                    if *points {
                        let map = place(device, name, &bytes)?;
                        all.arguments.push(Pointer(map.address()));
                        all._maps.push(map);
                    } else {
                        all.arguments.push(bytes.as_slice());
                    }
                }
                Value::Image { description, of, .. } => {
                    let source = of.unwrap_or(index);
                    let own = reference.map_or_else(Sampler::default, |reference| reference.sampler);
                    let made = match (&values[source], &placed[source]) {
                        (Value::Buffer(host), Placed::Buffer(buffer)) => {
                            object::of_buffer(description, buffer, host, &own)
                        }
                        (_, Placed::Array(array, element)) => {
                            let shown = all.show(index, name, description, array, *element, memory);
                            shown.map_err(|why| wrong(name, &why))?;
                            object::of_array(description, array, &own)
                        }
                        _ => continue,
                    };
                    let handed = made.and_then(|made| all.hand_over(made, reference));
                    handed.map_err(|why| wrong(name, &why))?;
                }
                Value::Sampler(settings) => {
                    let set = |reference: Reference<'_>| {
                        device.bind_sampler(&reference, settings.over(&reference.sampler))
                    };
                    if !reference.is_some_and(set) {
                        return Err(wrong(name, "the reference is of another kind"));
                    }
                }
            }
            if reference.is_some_and(|reference| reference.kernel.is_some()) {
                // A reference among the parameters takes no room, but has its turn.
                all.arguments.push(&[][..]);
            }
        }
        for (index, (value, placed)) in values.iter().zip(placed).enumerate() {
            let (before, from) = match (value, placed) {
                (Value::Buffer(before), Placed::Buffer(buffer)) => (before, From::Buffer(buffer)),
                (Value::Memory { contents, .. }, Placed::Memory(address)) => {
                    (contents, From::Memory(device.clone(), address))
                }
                _ => continue,
            };
            let (name, before) = (names[index].clone(), Arc::clone(before));
            all.shown.push(Shown { parameter: index, name, from, before });
        }
        all.shown.sort_by_key(|shown| shown.parameter);
        Ok(all)
    }

    /// Surfaces are written, so that their texels are shown.
    fn show(
        &mut self,
        parameter: usize,
        name: &str,
        description: &ImageDescription,
        array: &Array,
        element: Element,
        memory: &HostMemory,
    ) -> Result<(), String> {
        let level = description.at_level();
        if description.role == Role::Surface && (level as usize) < array.image().levels.len() {
            memory.take(object::bytes(array, level).saturating_mul(COPIES), "the surface")?;
            let before = object::contents(array, level, element).into();
            let (name, from) = (name.to_owned(), From::Level(array.clone(), level));
            self.shown.push(Shown { parameter, name, from, before });
        }
        Ok(())
    }

    /// Binds a reference to an image, or makes its handle an argument.
    fn hand_over(&mut self, made: Made, reference: Option<Reference<'_>>) -> Result<(), String> {
        let bound = match (&made, reference) {
            (Made::Texture(texture), Some(reference)) => texture.bind(&reference),
            (Made::Surface(surface), Some(reference)) => surface.bind(&reference),
            (Made::Texture(texture), None) => {
                self.arguments.push(texture);
                true
            }
            (Made::Surface(surface), None) => {
                self.arguments.push(surface);
                true
            }
        };
        self._images.push(made);
        if bound { Ok(()) } else { Err("the reference is of another kind".to_owned()) }
    }

    /// How many bytes that is.
    pub fn bytes(&self) -> u64 {
        self.shown.iter().map(|shown| shown.before.bytes.len() as u64).sum()
    }

    /// What buffers and surfaces hold now.
    pub fn outcomes(self) -> Vec<Outcome> {
        let outcome = |Shown { parameter, name, from, before }: Shown| Outcome {
            parameter,
            name,
            after: match from {
                From::Buffer(buffer) => buffer.to_bytes(),
                From::Level(array, level) => object::contents(&array, level, before.element).bytes,
                From::Memory(device, address) => {
                    let mut bytes = vec![0; before.bytes.len()];
                    // What the kernel itself has freed reads as nothing.
                    let _ = device.read(address, &mut bytes);
                    bytes
                }
            },
            before,
        };
        self.shown.into_iter().map(outcome).collect()
    }
}

fn wrong(name: &str, why: &str) -> String {
    format!("the argument for `{name}`: {why}")
}

/// Puts bytes into a new buffer.
fn place(device: &Device, name: &str, bytes: &[u8]) -> Result<Buffer, String> {
    let fail = |why: String| format!("the buffer for `{name}`: {why}");
    let buffer = Buffer::named(device, bytes.len(), Some(name)).map_err(|e| fail(e.to_string()))?;
    buffer.write(bytes).map_err(|e| fail(e.to_string()))?;
    Ok(buffer)
}

/// Where memory of this name lies: a variable of the module where that is, other memory at its address, if it has one.
fn memory_at(module: &Module, name: &str, at: Option<u64>, bytes: u64) -> Result<u64, String> {
    let fail = |why: String| format!("the memory `{name}`: {why}");
    let device = module.device();
    if let Some((address, size)) = module.variable(name) {
        return match size == bytes {
            true => Ok(address),
            false => Err(fail(format!("the variable has {size} bytes, and is given {bytes}"))),
        };
    }
    let Some(at) = at else {
        return device.allocate_named(bytes, Some(name)).map_err(|error| fail(error.to_string()));
    };
    device.place(at, bytes, Some(name)).map_err(|why| fail(format!("it cannot lie at {at:#x}: {why}")))?;
    Ok(at)
}
