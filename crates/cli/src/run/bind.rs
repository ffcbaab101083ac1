//! Arguments meet parameters: each parameter gets the bytes it wants, or a sentence says why not.

use ptxvm_vm::Parameter;
use ptxvm_vm::tensor::bits::BYTES;

use super::contents::{self, HostBuffer};
use super::element::Element;
use super::options::name_of;
use super::specification::Specification;
use super::tensor_map;

/// What a parameter is given.
#[derive(Debug, PartialEq)]
pub enum Value {
    /// Bytes by value.
    Bytes(Vec<u8>),
    /// The address of a buffer with these contents.
    Buffer(HostBuffer),
    /// The tensor map of the buffer that another parameter is given, or, where `points`, the address of it.
    TensorMap { of: usize, map: Box<tensor_map::Description>, points: bool },
}

/// Gives every parameter its value, in order.
pub fn bind(kernel: &str, parameters: &[Parameter], arguments: &[String]) -> Result<Vec<Value>, String> {
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
    contents::affordable(given.iter().flatten().map(Specification::bytes).fold(0, u64::saturating_add))?;
    let mut values = Vec::new();
    for (i, (parameter, specification)) in parameters.iter().zip(given.iter().flatten()).enumerate() {
        let value = match specification {
            Specification::TensorMap(map) => tensor_map(parameters, parameter, map),
            other => value(parameter, other, i as u64),
        };
        values.push(value.map_err(|why| format!("the argument for `{}`: {why}", parameter.name))?);
    }
    for (value, parameter) in values.iter().zip(parameters) {
        if let Value::TensorMap { of, .. } = value
            && !matches!(values[*of], Value::Buffer(_))
        {
            let (map, other) = (&parameter.name, &parameters[*of].name);
            return Err(format!("the argument for `{map}`: `{other}` is given no buffer to make a map of"));
        }
    }
    Ok(values)
}

fn tensor_map(
    parameters: &[Parameter],
    parameter: &Parameter,
    map: &tensor_map::Description,
) -> Result<Value, String> {
    let name = &map.buffer;
    let of = match name.strip_prefix('#') {
        Some(number) => number.parse().ok().filter(|&n: &usize| n < parameters.len()),
        None => parameters.iter().position(|p| p.name == *name),
    };
    let of = of.ok_or_else(|| format!("`{name}` is no parameter; `#0` is the first"))?;
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
    if is_scalar(parameter) { parameter.ty.name().to_owned() } else { format!("{} bytes", parameter.size) }
}

fn suggestion(parameter: &Parameter) -> String {
    if parameter.pointer.is_some() {
        "'f32[1024]=zeros'".to_owned()
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

/// Whether an address fits the parameter.
fn may_point(parameter: &Parameter) -> bool {
    is_scalar(parameter)
        && Element::of_parameter(parameter.ty).is_some_and(|e| e.bytes() == 8 && !e.is_float())
}

fn value(parameter: &Parameter, specification: &Specification, index: u64) -> Result<Value, String> {
    let buffer = |made: Result<HostBuffer, String>| match may_point(parameter) {
        true => made.map(Value::Buffer),
        false => Err(format!("it is {} and cannot point to a buffer", type_of(parameter))),
    };
    match specification {
        Specification::Scalar { element, text } => scalar(parameter, *element, text).map(Value::Bytes),
        Specification::Buffer { element, shape, contents } => {
            buffer(HostBuffer::new(*element, shape.as_deref(), contents, index))
        }
        Specification::File(path) if may_point(parameter) => buffer(HostBuffer::from_file(path, None, None)),
        Specification::File(path) => exactly(parameter, contents::read(path)?, path),
        Specification::Bytes(bytes) => exactly(parameter, bytes.clone(), "`hex:`"),
        Specification::TensorMap(_) => Err("a tensor map is made of other arguments".to_owned()),
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
