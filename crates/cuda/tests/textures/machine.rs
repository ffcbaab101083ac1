//! Runs the recorded cases: what `tests/golden/generate/driver_textures.py` does with the driver, done with the library.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::fmt::Write;

use serde_json::{Value, json};

use crate::client::{answer, library};

/// The most arguments that are words; floats have registers of their own.
const WORDS: usize = 8;
/// What a place for a result holds before the call.
const UNTOUCHED: u8 = 0xaa;

/// The variables and buffers of a case.
#[derive(Default)]
pub struct Machine {
    variables: BTreeMap<String, Box<u64>>,
    buffers: BTreeMap<String, Buffer>,
}

/// A host buffer. As where the answers were recorded, it begins where no texture can: a heap's block may lie anywhere.
struct Buffer {
    room: Vec<u8>,
    start: usize,
}

impl Buffer {
    fn of(bytes: impl ExactSizeIterator<Item = u8>) -> Self {
        /// What textures begin at multiples of, and where a buffer begins instead.
        const ALIGNMENT: usize = 512;
        const BESIDE: usize = 16;
        let mut room = vec![0; bytes.len() + ALIGNMENT];
        let start = (BESIDE.wrapping_sub(room.as_ptr() as usize)) % ALIGNMENT;
        room.truncate(start + bytes.len());
        room[start..].iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        Self { room, start }
    }

    fn bytes(&self) -> &[u8] {
        &self.room[self.start..]
    }
}

/// The arguments of one call, and what is kept for its time.
#[derive(Default)]
struct Call {
    words: Vec<u64>,
    floats: Vec<f32>,
    /// What the arguments point to.
    kept: Vec<Vec<u8>>,
    /// Which results are told: pieces of `kept`, or variables.
    told: Vec<Told>,
}

enum Told {
    Kept(usize),
    Variable(String),
}

impl Machine {
    /// Does one step and gives what is recorded of it.
    pub fn step(&mut self, step: &[Value]) -> Value {
        let (name, arguments) = (step[0].as_str().expect("a name"), &step[1..]);
        match name {
            "buffer" => self.buffer(&arguments[0], &arguments[1]),
            "add" => {
                let sum = self.value(&arguments[1]).wrapping_add(self.value(&arguments[2]));
                self.set(&arguments[0], sum)
            }
            "qword" => {
                let value = self.value(&arguments[1]);
                self.set(&arguments[0], value)
            }
            "load" => {
                let offset = arguments.get(2).and_then(Value::as_u64).unwrap_or(0);
                let bytes = self.in_buffer(self.value(&arguments[1]) + offset);
                self.set(&arguments[0], u64::from_le_bytes(bytes))
            }
            "less" => json!(u32::from(self.value(&arguments[0]) < self.value(&arguments[1]))),
            "launch" => {
                let parameters: Vec<u64> = arguments[1..].iter().map(|value| self.value(value)).collect();
                json!(crate::client::launch(self.value(&arguments[0]), [1; 3], [1; 3], 0, &parameters))
            }
            _ => self.call(name, arguments),
        }
    }

    /// Names a host buffer, or tells what is in it.
    fn buffer(&mut self, said: &Value, variable: &Value) -> Value {
        let length = said["n"].as_u64().expect("a length") as usize;
        if let Some(name) = said["r"].as_str() {
            return json!(hexadecimal(&self.buffers[name].bytes()[..length]));
        }
        let name = said["b"].as_str().expect("a name").to_owned();
        let first = said["k"].as_u64().expect("a number") as usize;
        let buffer = Buffer::of((0..length).map(|index| (7 * index + first) as u8));
        let address = buffer.bytes().as_ptr() as u64;
        self.buffers.insert(name, buffer);
        self.set(variable, address)
    }

    /// Eight bytes of a host buffer.
    fn in_buffer(&self, address: u64) -> [u8; 8] {
        let holds = |bytes: &&[u8]| bytes.as_ptr_range().contains(&(address as *const u8));
        let bytes = self.buffers.values().map(Buffer::bytes).find(holds).expect("an address in a buffer");
        let offset = (address - bytes.as_ptr() as u64) as usize;
        bytes[offset..offset + 8].try_into().expect("eight bytes")
    }

    fn call(&mut self, name: &str, arguments: &[Value]) -> Value {
        let mut call = Call::default();
        for argument in arguments {
            self.push(&mut call, argument);
        }
        let result = call.run(name);
        if name == "cuGraphMemcpyNodeGetParams" {
            // The structure has two gaps, which hold anything.
            for gap in [36, 124] {
                call.kept[0][gap..gap + 4].fill(0);
            }
        }
        if call.told.is_empty() {
            return json!(result);
        }
        let mut all = vec![json!(result)];
        for told in &call.told {
            all.push(json!(match told {
                Told::Kept(index) => self.show(&call.kept[*index]),
                Told::Variable(name) => self.show(&self.variables[name].to_le_bytes()),
            }));
        }
        Value::Array(all)
    }

    fn push(&mut self, call: &mut Call, argument: &Value) {
        if let Some(text) = argument.as_str() {
            let name = &text[1..];
            match &text[..1] {
                "&" => call.words.push(self.place(name)),
                "=" => {
                    call.words.push(self.place(name));
                    call.told.push(Told::Variable(name.to_owned()));
                }
                "#" => call.keep(CString::new(name).expect("no zeros").into_bytes_with_nul()),
                _ => call.words.push(self.value(argument)),
            }
        } else if let Some(fields) = argument["s"].as_str() {
            let bytes = self.structure(fields);
            call.keep(bytes);
        } else if let Some(length) = argument["o"].as_u64() {
            call.told.push(Told::Kept(call.kept.len()));
            call.keep(vec![UNTOUCHED; length as usize]);
        } else if let Some(float) = argument["F"].as_f64() {
            call.floats.push(float as f32);
        } else {
            call.words.push(self.value(argument));
        }
    }

    /// A structure, and room after it for those whose end the record leaves out.
    fn structure(&mut self, fields: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        for field in fields.split_whitespace() {
            let (kind, text) = field.split_at(1);
            match kind {
                "z" => bytes.resize(bytes.len() + text.parse::<usize>().expect("a count"), 0),
                "f" => bytes.extend(text.parse::<f32>().expect("a float").to_le_bytes()),
                "d" => bytes.extend((self.value(&json!(text)) as u32).to_le_bytes()),
                _ => bytes.extend(self.value(&json!(text)).to_le_bytes()),
            }
        }
        bytes.resize(bytes.len() + 16, 0);
        bytes
    }

    /// A number, or the value of a variable.
    fn value(&self, said: &Value) -> u64 {
        match said.as_str() {
            Some(text) if text.starts_with('$') => self.variables.get(&text[1..]).map_or(0, |value| **value),
            Some(text) => text.parse().expect("a number"),
            None => said.as_u64().expect("a number"),
        }
    }

    /// The address of a variable.
    fn place(&mut self, name: &str) -> u64 {
        let value = self.variables.entry(name.to_owned()).or_default();
        std::ptr::from_mut::<u64>(value) as u64
    }

    fn set(&mut self, variable: &Value, value: u64) -> Value {
        let name = &variable.as_str().expect("a variable")[1..];
        **self.variables.entry(name.to_owned()).or_default() = value;
        Value::Null
    }

    /// Bytes as they are recorded: words that equal a variable by its name.
    fn show(&self, bytes: &[u8]) -> String {
        let mut text = String::new();
        for word in bytes.chunks(8) {
            let value = <[u8; 8]>::try_from(word).ok().map(u64::from_le_bytes);
            let known = value.filter(|value| *value > 0xffff);
            match known.and_then(|value| self.variables.iter().find(|(_, other)| ***other == value)) {
                Some((name, _)) => write!(text, "<{name}>").expect("a string grows"),
                None => text.push_str(&hexadecimal(word)),
            }
        }
        text
    }
}

impl Call {
    fn keep(&mut self, bytes: Vec<u8>) {
        self.words.push(bytes.as_ptr() as u64);
        self.kept.push(bytes);
    }

    fn run(&self, name: &str) -> u32 {
        let word = |index: usize| self.words.get(index).copied().unwrap_or(0);
        if self.floats.is_empty() {
            let words: [u64; WORDS] = std::array::from_fn(word);
            let [a, b, c, d, e, f, g, h] = words;
            return answer(name, (a, b, c, d, e, f, g, h));
        }
        let float = |index: usize| self.floats.get(index).copied().unwrap_or(0.0);
        // SAFETY: the entry points that take floats take a word and at most two of them.
        unsafe {
            let symbol = library().get::<*const c_void>(name.as_bytes()).expect("it is exported");
            let function: unsafe extern "C" fn(u64, f32, f32) -> u32 = std::mem::transmute(*symbol);
            function(word(0), float(0), float(1))
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string grows");
        text
    })
}
