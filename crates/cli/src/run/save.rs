//! `--save NAME=FILE`: checks before the run which buffer goes to which file, and writes the files after it.

use std::fs::File;
use std::path::Path;

use super::bind::Value;
use super::contents::HostBuffer;
use super::element::Element;
use super::image::Role;
use super::npy;
use super::picture;
use super::table::Outcome;

/// A buffer to be written.
#[derive(Debug, PartialEq)]
pub struct Save {
    /// The parameter's index.
    pub parameter: usize,
    /// Where it goes.
    pub path: String,
}

/// Reads the options and makes sure that each can be done.
pub fn plan(options: &[String], names: &[&str], values: &[Value]) -> Result<Vec<Save>, String> {
    options.iter().map(|option| one(option, names, values)).collect()
}

fn one(option: &str, names: &[&str], values: &[Value]) -> Result<Save, String> {
    let fail = |why: String| format!("`--save {option}`: {why}");
    let (name, path) = option.split_once('=').ok_or_else(|| fail("write NAME=FILE".to_owned()))?;
    let (parameter, element, shape) = buffer(name, names, values).map_err(fail)?;
    if path.is_empty() {
        return Err(fail("the file's name is missing".to_owned()));
    }
    if ends_with(path, ".png") {
        picture::check(element, &shape).map_err(fail)?;
    }
    if Path::new(path).is_dir() {
        return Err(fail(format!("{path} is a folder")));
    }
    let folder = Path::new(path).parent().filter(|p| !p.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|f| !f.is_dir()) {
        return Err(fail(format!("there is no folder {}", folder.display())));
    }
    Ok(Save { parameter, path: path.to_owned() })
}

/// The parameter of this name or index, and the type and shape of what a run leaves in it.
pub fn buffer(name: &str, names: &[&str], values: &[Value]) -> Result<(usize, Element, Vec<u64>), String> {
    let by_index = || name.parse().ok().filter(|&index: &usize| index < names.len());
    let Some(parameter) = names.iter().position(|n| *n == name).or_else(by_index) else {
        return Err(format!("there is no parameter `{name}`; available: {}", names.join(", ")));
    };
    let Some((element, shape)) = shown(values, parameter) else {
        let name = names[parameter];
        return Err(format!("`{name}` is neither a buffer nor a surface with texels of its own"));
    };
    Ok((parameter, element, shape))
}

/// The type and shape of what a run shows of a value afterwards, if anything.
fn shown(values: &[Value], parameter: usize) -> Option<(Element, Vec<u64>)> {
    match &values[parameter] {
        Value::Buffer(buffer) | Value::Memory { contents: buffer, .. } => {
            Some((buffer.element, buffer.shape.clone()))
        }
        Value::Image { description, host, of } if description.role == Role::Surface => {
            let other = || match &values[(*of)?] {
                Value::Image { host, .. } => host.as_ref(),
                _ => None,
            };
            let host = host.as_ref().or_else(other)?;
            Some((host.levels.first()?.element, host.level_shape(description.at_level())))
        }
        _ => None,
    }
}

/// Writes a buffer as its file's ending says.
pub fn write(save: &Save, outcome: &Outcome) -> Result<(), String> {
    let HostBuffer { element, shape, .. } = &*outcome.before;
    let path = &save.path;
    let made = if ends_with(path, ".npy") {
        File::create(path).and_then(|mut file| npy::write(*element, shape, &outcome.after, &mut file))
    } else if ends_with(path, ".png") {
        let file = picture::encode(*element, shape, &outcome.after);
        std::fs::write(path, file.map_err(|why| format!("cannot write {path}: {why}"))?)
    } else {
        std::fs::write(path, &outcome.after)
    };
    made.map_err(|e| format!("cannot write {path}: {e}"))
}

fn ends_with(path: &str, ending: &str) -> bool {
    path.to_ascii_lowercase().ends_with(ending)
}

#[cfg(test)]
mod tests {
    use super::super::element::Element;
    use super::*;

    #[test]
    fn names_indices_and_mistakes() {
        let bytes = vec![0; 12];
        let buffer = HostBuffer { element: Element::U8, shape: vec![12], bytes, is_unwritten: false };
        let values = [Value::Bytes(vec![0; 4]), Value::Buffer(buffer.into())];
        let plan = |option: &str| plan(&[option.to_owned()], &["n", "out"], &values);
        let saved = |path: &str| Ok(vec![Save { parameter: 1, path: path.into() }]);
        assert_eq!(plan("out=a.npy"), saved("a.npy"));
        assert_eq!(plan("1=a=b.bin"), saved("a=b.bin"));
        for (option, expected) in [
            ("out", "NAME=FILE"),
            ("x=a.npy", "no parameter `x`"),
            ("2=a.npy", "no parameter `2`"),
            ("n=a.npy", "neither a buffer"),
            ("out=", "name is missing"),
            ("out=a.PNG", "[h,w"),
            ("out=/", "is a folder"),
            ("out=/nowhere/at/all/a.npy", "no folder"),
        ] {
            let error = plan(option).expect_err(option);
            assert!(error.contains(expected), "{option}: {error}");
        }
    }
}
