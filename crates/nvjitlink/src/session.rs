//! A link (`nvJitLinkHandle`): its inputs, its logs and its result.

use std::sync::{Arc, OnceLock};

use ptxvm_image::{Contents, Kind, Linker, Part, Refusal, Room, Wanted, errors};
use ptxvm_settings::Said;
use ptxvm_vm::{Budget, LoadError, Profile};

use crate::log::Log;
use crate::lto::{self, Lto, Optimised};
use crate::options::Options;
use crate::result::{Answer, JitResult};

/// What an input is said to be (`nvJitLinkInputType`): the number, the name's end, and what the bytes may be.
const INPUTS: [(u32, &str, &[Kind]); 7] = [
    (1, "CUBIN", &[Kind::Container, Kind::MachineCode]),
    (2, "PTX", &[Kind::Ptx]),
    (3, "LTOIR", &[Kind::Intermediate]),
    (4, "FATBIN", &[Kind::Fatbin]),
    (5, "OBJECT", &[Kind::Object]),
    (6, "LIBRARY", &[Kind::Archive]),
    // What an index file is, only NVIDIA's tools know.
    (7, "INDEX", &[]),
];
/// `NVJITLINK_INPUT_ANY`
const ANY: u32 = 10;

/// A link in progress, or what has come out of it.
pub struct Session {
    /// Errors.
    pub errors: Log,
    /// What else there is to say.
    pub info: Log,
    /// Nothing can be done with a link whose options are wrong but to ask why.
    work: Option<Work>,
}

struct Work {
    options: Options,
    budget: Arc<Budget>,
    linker: Linker,
    lto: Option<Lto>,
    linked: Option<Linked>,
    /// The LTO-IR of all inputs, if NVIDIA's library gives it.
    ltoir: Option<Vec<u8>>,
}

/// What has come out of a link.
enum Linked {
    Cubin(Vec<u8>),
    Ptx(Vec<u8>),
}

impl Session {
    /// Begins one; also what is answered, since one with wrong options still has a log.
    pub fn new(words: Vec<String>) -> (Self, JitResult) {
        let (mut errors, info) = (Log::default(), Log::default());
        match Options::parse(words, &mut errors) {
            Ok(options) => {
                let budget = budget();
                let linker = Linker::new(options.target, "-arch", &budget);
                let work = Work { options, budget, linker, lto: None, linked: None, ltoir: None };
                (Self { errors, info, work: Some(work) }, JitResult::SUCCESS)
            }
            Err(result) => (Self { errors, info, work: None }, result),
        }
    }

    /// Adds an input.
    ///
    /// # Errors
    /// What is wrong with it; the log says why. What has been added before stays.
    pub fn add(&mut self, kind: u32, bytes: &[u8], name: &str) -> Answer {
        let work = self.work.as_mut().ok_or(JitResult::INTERNAL)?;
        if work.linked.is_some() {
            return Err(JitResult::INTERNAL);
        }
        if bytes.is_empty() {
            return Err(JitResult::INVALID_INPUT);
        }
        check_kind(kind, bytes, name, &mut self.errors)?;
        work.add(bytes, name, &mut self.errors)
    }

    /// Links what has been added.
    ///
    /// # Errors
    /// Why it cannot be linked; the log says more.
    pub fn complete(&mut self) -> Answer {
        let Self { errors, info, work } = self;
        let work = work.as_mut().filter(|work| work.linked.is_none()).ok_or(JitResult::INTERNAL)?;
        work.linked = Some(work.complete(errors, info)?);
        Ok(())
    }

    /// The image.
    ///
    /// # Errors
    /// There is none, or none yet.
    pub fn cubin(&self) -> Answer<&[u8]> {
        match self.work.as_ref().and_then(|work| work.linked.as_ref()) {
            Some(Linked::Cubin(image)) => Ok(image),
            _ => Err(JitResult::INTERNAL),
        }
    }

    /// The PTX, with a zero at its end.
    ///
    /// # Errors
    /// It was not asked for, or there is none yet.
    pub fn ptx(&self) -> Answer<&[u8]> {
        let work = self.work.as_ref().ok_or(JitResult::INTERNAL)?;
        match &work.linked {
            Some(Linked::Ptx(text)) => Ok(text),
            _ if work.options.ptx => Err(JitResult::INTERNAL),
            _ => Err(JitResult::INVALID_INPUT),
        }
    }

    /// The LTO-IR of all inputs.
    ///
    /// # Errors
    /// There is none, or none yet; NVIDIA's library gives it since 13.2.
    pub fn ltoir(&self) -> Answer<&[u8]> {
        let work = self.work.as_ref().ok_or(JitResult::INTERNAL)?;
        match &work.ltoir {
            Some(code) => Ok(code),
            None if work.options.lto && work.linked.is_none() => Err(JitResult::INTERNAL),
            None => Err(JitResult::INVALID_INPUT),
        }
    }
}

/// Whether an input is what it is said to be.
fn check_kind(kind: u32, bytes: &[u8], name: &str, log: &mut Log) -> Answer {
    let found = Kind::of(bytes);
    if kind == ANY {
        if found == Kind::Unknown {
            log.add(&format!("unrecognized input type: {name}"));
            return Err(JitResult::UNRECOGNIZED_INPUT);
        }
        return Ok(());
    }
    let Some((_, word, kinds)) = INPUTS.iter().find(|(number, ..)| *number == kind) else {
        log.add(&format!("unsupported input type: {name}"));
        return Err(JitResult::INCORRECT_INPUT_TYPE);
    };
    if !kinds.contains(&found) {
        log.add(&format!("ERROR 1: bad input: does not match type NVJITLINK_INPUT_{word}{name}"));
        return Err(JitResult::INCORRECT_INPUT_TYPE);
    }
    Ok(())
}

impl Work {
    fn add(&mut self, bytes: &[u8], name: &str, log: &mut Log) -> Answer {
        let room = Room::of(&self.budget);
        let wanted = Wanted {
            target: self.options.target,
            intermediate: self.options.lto,
            any_target: false,
            room: &room,
        };
        let read = ptxvm_image::read(name, bytes, &wanted);
        let Contents { texts, intermediate } = match read {
            // An object of the host alone is no error.
            Err(Refusal::NoDeviceCode) => return Ok(()),
            read => read.map_err(|refusal| refused(&refusal, name, log))?,
        };
        for mut part in texts {
            part.max_registers = match self.options.max_registers {
                0 => part.max_registers,
                most => most,
            };
            self.text(part, log)?;
        }
        for input in intermediate {
            if self.lto.is_none() {
                self.lto = Some(Lto::new(&self.options, log)?);
            }
            if let Some(lto) = &mut self.lto {
                lto.add(input, log)?;
            }
        }
        Ok(())
    }

    /// Adds a text. The same one twice is one: NVIDIA's library complains on standard error, but answers success.
    fn text(&mut self, part: Part, log: &mut Log) -> Answer {
        if self.linker.parts().iter().any(|known| known.ptx == part.ptx) {
            return Ok(());
        }
        let name = part.name.clone();
        self.linker.add(part).map_err(|wrong| {
            log.add(&errors(&wrong.0, &wrong.1.ptx));
            log.add(&format!("ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX ({name})"));
            JitResult::PTX_COMPILE
        })
    }

    fn complete(&mut self, log: &mut Log, info: &mut Log) -> Answer<Linked> {
        let options = self.options.clone();
        let alone = self.linker.parts().is_empty();
        if options.lto {
            // Inputs that were refused are none.
            let Some(mut lto) = self.lto.take().filter(|lto| !lto.is_empty()) else {
                return Err(no_input(alone || !options.ptx, log));
            };
            if options.ptx && !alone {
                return Err(no_input(false, log));
            }
            // What will be linked again keeps what others could call.
            let whole = alone && (options.ptx || !options.relocatable);
            let Optimised { texts, ltoir } =
                if whole { lto.whole(log, info)? } else { lto.part(&options, log, info)? };
            self.ltoir = ltoir;
            if options.ptx {
                let mut text = texts.concat().into_bytes();
                text.push(0);
                return Ok(Linked::Ptx(text));
            }
            for ptx in texts {
                let max_registers = options.max_registers;
                self.text(Part { name: lto::NAME.to_owned(), ptx, max_registers, ..Part::default() }, log)?;
            }
        }
        self.linker.complete(options.relocatable).map(Linked::Cubin).map_err(|error| {
            if alone && options.lto && matches!(error, LoadError::Unresolved(_)) {
                // The whole program is one text, in which ptxas misses the names.
                log.add(&errors(&error, ""));
                log.add(&format!("ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX ({})", lto::NAME));
                return JitResult::PTX_COMPILE;
            }
            log.add(&self.linker.errors(&error));
            log.add("ERROR 9: complete");
            JitResult::INTERNAL
        })
    }
}

/// What NVIDIA's library says of a link with `-lto` that has no LTO-IR, or with `-ptx` that has PTX.
fn no_input(nothing: bool, log: &mut Log) -> JitResult {
    if nothing {
        log.add(
            "ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8) in nvvmCompileProgram: no input files compiled with LTO support \
             (-dlto or -lto) found, cannot proceed with -lto option",
        );
        return JitResult::NVVM_COMPILE;
    }
    log.add("ERROR: -ptx requires that all inputs have LTOIR");
    JitResult::INCORRECT_INPUT_TYPE
}

/// Why an image is refused, and what is answered to that.
fn refused(refusal: &Refusal, name: &str, log: &mut Log) -> JitResult {
    if matches!(refusal, Refusal::Intermediate) {
        log.add("ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto)");
        return JitResult::LTO_NOT_ENABLED;
    }
    log.add(&format!("ptxvm: {refusal}"));
    log.add(&format!("ERROR 3: bad input: {name}"));
    if matches!(refusal, Refusal::Room(_)) { JitResult::INTERNAL } else { JitResult::INVALID_INPUT }
}

/// What linking may take of the host's memory: as much as the virtual GPU of `ptxvm exec`.
fn budget() -> Arc<Budget> {
    static BUDGET: OnceLock<Arc<Budget>> = OnceLock::new();
    let budget = BUDGET.get_or_init(|| {
        let profile: &Profile = Default::default();
        // What is wrong with the variables, libcuda says.
        let share = Said::from_environment(|_| true, drop).choices().memory.share(profile.memory);
        Arc::new(Budget::new(share.max_memory))
    });
    Arc::clone(budget)
}
