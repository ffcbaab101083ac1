//! Matches arguments with parameters: gives each parameter its bytes, or a sentence that says why they do not fit.

use std::sync::Arc;

use ptxvm_tensor::bits::BYTES;
use ptxvm_vm::Parameter;

use super::contents::HostBuffer;
use super::element::Element;
use super::host_memory::HostMemory;
use super::image::{self, TexelSource};
use super::options::name_of;
use super::reference::Bound;
use super::specification::Specification;
use super::tensor_map;

/// What a parameter is given.
#[derive(Debug, PartialEq)]
pub enum Value {
    /// Bytes by value.
    Bytes(Vec<u8>),
    /// The address of a buffer with these contents.
    Buffer(Arc<HostBuffer>),
    /// The tensor map of the buffer that another parameter is given, or, where `points`, the address of it.
    TensorMap { of: usize, map: Box<tensor_map::TensorMapDescription>, points: bool },
    /// The handle of a texture or a surface, whose texels are its own or those of the argument `of`.
    Image { description: Box<image::ImageDescription>, host: Option<image::HostImage>, of: Option<usize> },
    /// A sampler's state.
    Sampler(Box<image::Settings>),
    /// Memory that no parameter gets, at an address or where there is room; or what a variable holds at first.
    Memory { at: Option<u64>, contents: Arc<HostBuffer> },
}

/// Gives every parameter its value, in order, and then every bound reference.
pub fn bind(
    kernel: &str,
    parameters: &[Parameter],
    arguments: &[String],
    bound: &[Bound<'_>],
    memory: &HostMemory,
) -> Result<Vec<Value>, String> {
    let mut given: Vec<Option<Specification>> = vec![None; parameters.len()];
    let mut position = 0;
    for argument in arguments {
        let (index, text) = match name_of(argument) {
            Some((name, text)) => (parameters.iter().position(|p| p.name == name), text),
            None => (Some(position), argument.as_str()),
        };
        let Some((place, parameter)) = index.and_then(|i| Some((given.get_mut(i)?, parameters.get(i)?)))
        else {
            let what = if index.is_some() { "one too many" } else { "for no parameter" };
            return Err(format!("`--arg {argument}` is {what} of {}", signature(kernel, parameters)));
        };
        let specification = Specification::parse(text);
        *place = Some(specification.map_err(|why| format!("the argument for `{}`: {why}", parameter.name))?);
        position += usize::from(name_of(argument).is_none());
    }
    let missing: Vec<&Parameter> =
        parameters.iter().zip(&given).filter(|(_, g)| g.is_none()).map(|(p, _)| p).collect();
    if let Some(first) = missing.first() {
        let names: Vec<&str> = missing.iter().map(|p| p.name.as_str()).collect();
        return Err(format!(
            "{} lacks arguments for {}; give --arg for each, such as --arg {}",
            signature(kernel, parameters),
            names.join(", "),
            suggestion(first),
        ));
    }
    let all = given.iter().flatten().chain(bound.iter().map(|bound| &bound.specification));
    memory.afford(all.map(Specification::bytes).fold(0, u64::saturating_add))?;
    let names: Vec<&str> = names(parameters, bound);
    let mut values = Vec::new();
    for (i, (parameter, specification)) in parameters.iter().zip(given.iter().flatten()).enumerate() {
        let value = match specification {
            Specification::TensorMap(map) => tensor_map(&names, parameter, map),
            Specification::Image(image) if may_point(parameter) || is_reference(parameter) => {
                self::image(&names, image, i as u64, memory)
            }
            Specification::Sampler(settings) if is_reference(parameter) => {
                Ok(Value::Sampler(settings.clone()))
            }
            other => value(parameter, other, i as u64, memory),
        };
        values.push(value.map_err(|why| wrong(&parameter.name, &why))?);
    }
    for bound in bound {
        let value = match &bound.specification {
            Specification::Image(image) => self::image(&names, image, values.len() as u64, memory),
            Specification::Sampler(settings) => Ok(Value::Sampler(settings.clone())),
            _ => Err("a reference stands for a texture, a sampler or a surface".to_owned()),
        };
        values.push(value.map_err(|why| wrong(bound.reference.name, &why))?);
    }
    for (value, name) in values.iter().zip(&names) {
        let problem = match value {
            Value::TensorMap { of, .. } if !matches!(values[*of], Value::Buffer(_)) => {
                format!("`{}` is given no buffer to make a map of", names[*of])
            }
            Value::Image { of: Some(of), .. } if !has_texels(&values[*of]) => {
                format!("`{}` is given neither a buffer nor texels", names[*of])
            }
            _ => continue,
        };
        return Err(wrong(name, &problem));
    }
    Ok(values)
}

/// The names of all that is given something: parameters, then bound references.
pub fn names<'a>(parameters: &'a [Parameter], bound: &'a [Bound<'_>]) -> Vec<&'a str> {
    let references = bound.iter().map(|bound| bound.reference.name);
    parameters.iter().map(|p| p.name.as_str()).chain(references).collect()
}

fn wrong(name: &str, why: &str) -> String {
    format!("the argument for `{name}`: {why}")
}

fn has_texels(value: &Value) -> bool {
    matches!(value, Value::Buffer(_) | Value::Image { host: Some(_), .. })
}

/// Which argument `#0` or a name means.
fn other(names: &[&str], name: &str) -> Result<usize, String> {
    let of = match name.strip_prefix('#') {
        Some(number) => number.parse().ok().filter(|&n: &usize| n < names.len()),
        None => names.iter().position(|known| *known == name),
    };
    of.ok_or_else(|| format!("`{name}` is not a parameter; `#0` is the first"))
}

fn image(
    names: &[&str],
    description: &image::ImageDescription,
    salt: u64,
    memory: &HostMemory,
) -> Result<Value, String> {
    let of = match &description.source {
        TexelSource::Own(_) => None,
        TexelSource::Argument(name) => Some(other(names, name)?),
    };
    Ok(Value::Image { description: Box::new(description.clone()), host: description.host(salt, memory)?, of })
}

fn tensor_map(
    names: &[&str],
    parameter: &Parameter,
    map: &tensor_map::TensorMapDescription,
) -> Result<Value, String> {
    let of = other(names, &map.buffer)?;
    let points = may_point(parameter);
    if !points && parameter.size != BYTES as u64 {
        return Err(format!("it is {} and cannot hold a tensor map, which has {BYTES}", type_of(parameter)));
    }
    Ok(Value::TensorMap { of, map: Box::new(map.clone()), points })
}

/// The kernel with its parameters, as messages show it.
pub fn signature(kernel: &str, parameters: &[Parameter]) -> String {
    let parameters: Vec<String> = parameters.iter().map(|p| format!("{}: {}", p.name, type_of(p))).collect();
    format!("{kernel}({})", parameters.join(", "))
}

fn type_of(parameter: &Parameter) -> String {
    if parameter.pointer.is_some() {
        return "pointer".to_owned();
    }
    if is_reference(parameter) {
        return "a reference".to_owned();
    }
    if is_scalar(parameter) { parameter.ty.name().to_owned() } else { format!("{} bytes", parameter.size) }
}

fn suggestion(parameter: &Parameter) -> String {
    if parameter.pointer.is_some() {
        "'f32[1024]=zeros'".to_owned()
    } else if is_reference(parameter) {
        "'texture(f32[4,4]=iota)'".to_owned()
    } else if !is_scalar(parameter) {
        "@structure.bin".to_owned()
    } else if parameter.size == 8 {
        "42 or 'f32[1024]=zeros' for a pointer".to_owned()
    } else {
        "42".to_owned()
    }
}

fn is_scalar(parameter: &Parameter) -> bool {
    parameter.size * 8 == u64::from(parameter.ty.bits())
}

/// Whether it is a `.texref`, `.samplerref` or `.surfref`, which takes no room among the parameters.
fn is_reference(parameter: &Parameter) -> bool {
    parameter.size == 0
}

/// Whether an address fits the parameter.
fn may_point(parameter: &Parameter) -> bool {
    is_scalar(parameter)
        && Element::of_parameter(parameter.ty).is_some_and(|e| e.bytes() == 8 && !e.is_float())
}

fn value(
    parameter: &Parameter,
    specification: &Specification,
    index: u64,
    memory: &HostMemory,
) -> Result<Value, String> {
    let buffer = |made: Result<HostBuffer, String>| match may_point(parameter) {
        true => made.map(|made| Value::Buffer(Arc::new(made))),
        false => Err(format!("it is {} and cannot point to a buffer", type_of(parameter))),
    };
    match specification {
        Specification::Scalar { element, text } => scalar(parameter, *element, text).map(Value::Bytes),
        Specification::Buffer { element, shape, contents } => {
            buffer(HostBuffer::new(*element, shape.as_deref(), contents, index, memory))
        }
        Specification::File(path) if may_point(parameter) => {
            buffer(HostBuffer::from_file(path, None, None, memory))
        }
        Specification::File(path) => exactly(parameter, memory.read(path)?, path),
        Specification::Bytes(bytes) => exactly(parameter, bytes.clone(), "`hex:`"),
        Specification::TensorMap(_) => Err("a tensor map is made of other arguments".to_owned()),
        Specification::Image(image) => {
            Err(format!("it is {} and cannot hold the handle of a {}", type_of(parameter), image.role.noun()))
        }
        Specification::Sampler(_) => {
            Err(format!("it is {}; a sampler is for .samplerref", type_of(parameter)))
        }
    }
}

fn exactly(parameter: &Parameter, bytes: Vec<u8>, what: &str) -> Result<Value, String> {
    if bytes.len() as u64 == parameter.size {
        return Ok(Value::Bytes(bytes));
    }
    Err(format!("it has {} bytes, {what} gives {}", parameter.size, bytes.len()))
}

fn scalar(parameter: &Parameter, element: Option<Element>, text: &str) -> Result<Vec<u8>, String> {
    if text == "null" && may_point(parameter) {
        return Ok(vec![0; 8]);
    }
    if !is_scalar(parameter) {
        return Err(format!("it is a structure of {} bytes; give @FILE or hex:…", parameter.size));
    }
    let own = Element::of_parameter(parameter.ty);
    let Some(element) = element.or(own) else {
        return Err(format!("it is .{}; give its bits with hex:…", parameter.ty.name()));
    };
    if element.bytes() as u64 != parameter.size {
        return Err(format!("it is {}, not {}", type_of(parameter), element.name()));
    }
    if parameter.pointer.is_some() && element.parse(text).is_err() {
        return Err(format!(
            "it is a pointer; `{text}` is neither a buffer such as 'f32[1024]=zeros' nor null"
        ));
    }
    let mut bytes = Vec::new();
    element.store(element.parse(text)?, &mut bytes);
    Ok(bytes)
}
