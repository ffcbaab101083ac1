//! `--map NAME=WHAT at ADDRESS`: memory that no parameter makes, at the addresses that other memory knows it by, and what the
//! module's variables hold at first. Launches that `ptxvm exec --save-launch` has written are replayed so.

use std::collections::BTreeMap;

use super::contents::HostBuffer;
use super::host_memory::HostMemory;
use super::options::name_of;
use super::specification::Specification;

/// What stands between the contents and the address.
const AT: &str = " at ";

/// What an option says.
#[derive(Debug, PartialEq)]
struct Map {
    name: String,
    contents: Specification,
    at: Option<u64>,
}

/// Memory besides that of the arguments.
#[derive(Debug, PartialEq)]
pub struct Memory {
    pub name: String,
    pub contents: HostBuffer,
    /// Where it lies; the device chooses if nothing is said.
    pub at: Option<u64>,
}

/// Reads the options; of several for one name the last counts. The error is a sentence.
fn read(options: &[String]) -> Result<Vec<Map>, String> {
    let mut all: Vec<Map> = Vec::new();
    for option in options {
        let map = one(option).map_err(|why| format!("`--map {option}`: {why}"))?;
        all.retain(|other| other.name != map.name);
        all.push(map);
    }
    Ok(all)
}

fn one(option: &str) -> Result<Map, String> {
    let (name, text) = name_of(option).ok_or("write NAME='u32[16]=zeros at 0x200000000000'")?;
    let (text, at) = match text.rsplit_once(AT) {
        Some((text, address)) => (text, Some(address_of(address.trim())?)),
        None => (text, None),
    };
    let contents = Specification::texels(text)?;
    let contents = contents.ok_or_else(|| format!("`{text}` is neither a buffer nor @FILE"))?;
    Ok(Map { name: name.to_owned(), contents, at })
}

fn address_of(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let address = digits.and_then(|digits| u64::from_str_radix(&digits.replace('_', ""), 16).ok());
    address
        .filter(|address| *address != 0)
        .ok_or_else(|| format!("`{text}` is not an address such as 0x200000000000"))
}

/// Where variables of the module lie.
pub fn places(options: &[String]) -> Result<BTreeMap<String, u64>, String> {
    Ok(read(options)?.into_iter().filter_map(|map| Some((map.name, map.at?))).collect())
}

/// Makes the contents of all.
pub fn plan(options: &[String], memory: &HostMemory) -> Result<Vec<Memory>, String> {
    let maps = read(options)?;
    memory.afford(maps.iter().map(|map| map.contents.bytes()).fold(0, u64::saturating_add))?;
    let make = |(index, Map { name, contents, at }): (usize, Map)| {
        let made = match &contents {
            Specification::Buffer { element, shape, contents } => {
                HostBuffer::new(*element, shape.as_deref(), contents, index as u64, memory)
            }
            Specification::File(path) => HostBuffer::from_file(path, None, None, memory),
            _ => Err("it is neither a buffer nor a file".to_owned()),
        };
        let contents = made.map_err(|why| format!("the memory `{name}`: {why}"))?;
        Ok(Memory { name, contents, at })
    };
    maps.into_iter().enumerate().map(make).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_contents_and_addresses() {
        let all = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|o| (*o).to_owned()).collect();
            plan(&options, &HostMemory::default())
        };
        let made =
            all(&["m1=u8[4]=1,2,3,4 at 0x2000_0000_0200", "n=u32[2]=7", "n=u32[1]=8"]).expect("it is right");
        assert_eq!(made[0].at, Some(0x2000_0000_0200));
        assert_eq!(made[0].contents.bytes, [1, 2, 3, 4]);
        assert_eq!((made[1].at, made.len()), (None, 2));
        assert_eq!(made[1].contents.bytes, [8, 0, 0, 0]);
        for (option, expected) in [
            ("u8[4]=1", "write NAME="),
            ("m=7 at 0x10", "neither a buffer"),
            ("m=u8[4] at 16", "not an address"),
            ("m=u8[4] at 0x", "not an address"),
            ("m=u8[4] at 0x0", "not an address"),
            ("m=u8[4] at 0x10000000000000000", "not an address"),
            ("m=@", "name is missing"),
            ("m=@/nowhere/x.bin at 0x10", "/nowhere/x.bin"),
        ] {
            let error = all(&[option]).expect_err(option);
            assert!(error.contains(expected), "{option}: {error}");
        }
    }
}
