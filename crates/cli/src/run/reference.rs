//! `--bind NAME=texture(…)`: what the `.texref`, `.samplerref` and `.surfref` variables of a file stand for.

use ptxvm_vm::{Kernel, Module, ObjectKind, Reference};

use super::image::Role;
use super::specification::Specification;

/// A reference and what was written for it.
#[derive(Debug)]
pub struct Bound<'m> {
    /// The reference.
    pub reference: Reference<'m>,
    /// What it is bound to.
    pub specification: Specification,
}

/// Reads the options; of several for one name the last counts. The error is a sentence.
pub fn plan<'m>(module: &'m Module, options: &[String]) -> Result<Vec<Bound<'m>>, String> {
    let mut all: Vec<Bound<'m>> = Vec::new();
    for option in options {
        let fail = |why: String| format!("`--bind {option}`: {why}");
        let (name, text) = option.split_once('=').ok_or_else(|| fail("write NAME=texture(…)".to_owned()))?;
        let name = name.trim();
        let reference = module.reference(name).ok_or_else(|| fail(unknown(module, name)))?;
        let specification = Specification::parse(text).map_err(fail)?;
        check(&reference, &specification).map_err(fail)?;
        all.retain(|bound| bound.reference.name != name);
        all.push(Bound { reference, specification });
    }
    Ok(all)
}

fn unknown(module: &Module, name: &str) -> String {
    let known: Vec<&str> = module.references().filter(|r| r.kernel.is_none()).map(|r| r.name).collect();
    match known[..] {
        [] => "the file has no .texref, .samplerref or .surfref variable".to_owned(),
        _ => format!("there is no reference `{name}`; available: {}", known.join(", ")),
    }
}

/// The reference that each parameter of a kernel stands for, where there is one, and then those that are bound.
pub fn of<'m>(module: &'m Module, kernel: &Kernel, bound: &[Bound<'m>]) -> Vec<Option<Reference<'m>>> {
    let own = |name: &str| module.references().find(|r| r.kernel == Some(kernel.name()) && r.name == name);
    let parameters = kernel.parameters().iter().map(|p| if p.size == 0 { own(&p.name) } else { None });
    parameters.chain(bound.iter().map(|bound| Some(bound.reference))).collect()
}

/// Makes sure that a reference is given what it can stand for.
pub fn check(reference: &Reference<'_>, specification: &Specification) -> Result<(), String> {
    let given = match specification {
        Specification::Image(image) if image.role == Role::Texture => Some(ObjectKind::Texture),
        Specification::Image(_) => Some(ObjectKind::Surface),
        Specification::Sampler(_) => Some(ObjectKind::Sampler),
        _ => None,
    };
    let noun = reference.kind.noun();
    match given {
        Some(kind) if kind == reference.kind => Ok(()),
        Some(kind) => {
            Err(format!("`{}` is a {noun} reference, and cannot be a {}", reference.name, kind.noun()))
        }
        None => Err(format!("`{}` is a {noun} reference; give {noun}(…)", reference.name)),
    }
}
