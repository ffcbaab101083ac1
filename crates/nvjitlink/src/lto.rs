//! Link-time optimisation: asks NVIDIA's library to turn LTO-IR into PTX.
//!
//! If all inputs are LTO-IR, we ask for PTX (`-lto -ptx`), and the library optimises the program as a whole. If some inputs
//! are PTX, the library refuses `-ptx`, because it then keeps every function that the PTX could call. We need those
//! functions, also for what will be linked again. So we give it an empty PTX and ask for an object that will be linked
//! again (`-r`, so that names may be missing) with line information, and take the text from there ([`debug_text`]).

use ptxvm_image::{Intermediate, Kind};
use ptxvm_isa::{Suffix, Target};

use crate::debug_text;
use crate::log::Log;
use crate::nvidia::{Input, Library, Link};
use crate::options::Options;
use crate::result::{Answer, JitResult};
use crate::search;

/// What NVIDIA's linker calls the PTX that it makes.
pub const NAME: &str = "ltoPtx";

/// The inputs for NVIDIA's library, and a link that has them.
pub struct Lto {
    library: &'static Library,
    inputs: Vec<Intermediate>,
    /// The link that gives PTX. Inputs are added at once, so that it can say what is wrong with them.
    whole: Link,
}

/// What NVIDIA's library has made.
pub struct Optimised {
    /// PTX.
    pub texts: Vec<String>,
    /// The LTO-IR of it all, if the library gives it.
    pub ltoir: Option<Vec<u8>>,
}

impl Lto {
    /// Begins one.
    ///
    /// # Errors
    /// There is no such library, or it does not take the options.
    pub fn new(options: &Options, log: &mut Log) -> Answer<Self> {
        let Some(library) = search::library() else {
            log.add(search::MISSING);
            return Err(JitResult::NVVM_COMPILE);
        };
        let mut words = options.words.clone();
        if !options.ptx {
            words.push("-ptx".to_owned());
        }
        let (mut whole, result) = Link::new(library, &words);
        told(result.ok(), &mut whole, log)?;
        Ok(Self { library, inputs: Vec::new(), whole })
    }

    /// Adds an input.
    ///
    /// # Errors
    /// What NVIDIA's library answers.
    pub fn add(&mut self, input: Intermediate, log: &mut Log) -> Answer {
        let answer = self.whole.add(kind(&input), &input.code, &input.name);
        told(answer, &mut self.whole, log)?;
        self.inputs.push(input);
        Ok(())
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// The PTX of the whole program.
    ///
    /// # Errors
    /// What NVIDIA's library answers.
    pub fn whole(&mut self, log: &mut Log, info: &mut Log) -> Answer<Optimised> {
        let answer = self.whole.complete();
        told(answer, &mut self.whole, log)?;
        info.add(&self.whole.info_log());
        Ok(Optimised { texts: vec![self.whole.ptx()?], ltoir: self.whole.ltoir() })
    }

    /// The PTX of a program that others will be linked to.
    ///
    /// # Errors
    /// What NVIDIA's library answers.
    pub fn part(&self, options: &Options, log: &mut Log, info: &mut Log) -> Answer<Optimised> {
        let mut words = options.words.clone();
        let more = ["-r", "-lineinfo"].map(str::to_owned);
        words.extend(more.into_iter().filter(|word| !options.words.contains(word)));
        let (mut link, result) = Link::new(self.library, &words);
        told(result.ok(), &mut link, log)?;
        // NVIDIA's library takes a text for PTX only if it ends with a zero.
        let empty = format!("{}\0", empty(options.target));
        let answer = link.add(Input::Ptx, empty.as_bytes(), "empty");
        told(answer, &mut link, log)?;
        for input in &self.inputs {
            let answer = link.add(kind(input), &input.code, &input.name);
            told(answer, &mut link, log)?;
        }
        let answer = link.complete();
        told(answer, &mut link, log)?;
        info.add(&link.info_log());
        let texts = debug_text::texts(&link.cubin()?);
        let own: Vec<String> =
            texts.into_iter().filter(|text| text.trim() != empty.trim_end_matches('\0').trim()).collect();
        if own.is_empty() {
            log.add("ptxvm: NVIDIA's libnvJitLink has left no PTX of the LTO-IR in what it has linked");
            return Err(JitResult::NVVM_COMPILE);
        }
        Ok(Optimised { texts: own, ltoir: link.ltoir() })
    }
}

/// What an input is handed over as.
fn kind(input: &Intermediate) -> Input {
    if input.kind == Kind::Fatbin { Input::Fatbin } else { Input::Intermediate }
}

/// A module with nothing in it.
fn empty(target: Target) -> String {
    let target = Target { suffix: Suffix::Plain, ..target };
    format!(".version 9.0\n.target {target}\n.address_size 64\n")
}

/// An answer, and if it is a bad one, what was said with it.
fn told(answer: Answer, link: &mut Link, log: &mut Log) -> Answer {
    answer.inspect_err(|_| log.add(&link.new_errors()))
}
