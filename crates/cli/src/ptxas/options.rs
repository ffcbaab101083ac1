//! ptxas's options: which there are, what values they take, and what ptxas says when they are wrong.
//!
//! Almost none changes what ptxvm does, since it makes no machine code. It reads them so that scripts written for ptxas
//! work, and so that a misspelt option is an error here too.

use std::collections::BTreeMap;

/// What may follow an option.
#[derive(Clone, Copy)]
enum OptionValue {
    /// Nothing.
    None,
    /// Any text.
    Text,
    /// Texts, which gather when the option is repeated.
    List,
    Number,
    /// A number written directly after the option, or none at all.
    Attached,
    Boolean,
    /// A number, or one of the words for the most and the least.
    Registers,
    /// One of these.
    Choice(&'static [&'static str]),
}

/// Every option: its long name, its short one, and its value.
const OPTIONS: &[(&str, &str, OptionValue)] = &[
    ("Ofast-compile", "Ofc", OptionValue::Text),
    ("allow-expensive-optimizations", "allow-expensive-optimizations", OptionValue::Boolean),
    ("apply-controls", "apply-controls", OptionValue::List),
    ("compile-as-tools-patch", "astoolspatch", OptionValue::None),
    ("compile-only", "c", OptionValue::None),
    ("compiler-annotations", "annotate", OptionValue::None),
    ("def-load-cache", "dlcm", OptionValue::Text),
    ("def-store-cache", "dscm", OptionValue::Text),
    ("device-debug", "g", OptionValue::None),
    ("device-function-maxrregcount", "func-maxrregcount", OptionValue::Registers),
    ("device-stack-protector", "device-stack-protector", OptionValue::Boolean),
    ("disable-optimizer-constants", "disable-optimizer-consts", OptionValue::None),
    ("disable-warnings", "w", OptionValue::None),
    ("dont-merge-basicblocks", "no-bb-merge", OptionValue::None),
    ("enable-func-clone-sc", "enable-func-clone-sc", OptionValue::Boolean),
    ("entry", "e", OptionValue::List),
    ("extensible-whole-program", "ewp", OptionValue::None),
    ("fmad", "fmad", OptionValue::Boolean),
    ("force-load-cache", "flcm", OptionValue::Text),
    ("force-store-cache", "fscm", OptionValue::Text),
    ("g-tensor-memory-access-check", "g-tmem-access-check", OptionValue::None),
    ("generate-line-info", "lineinfo", OptionValue::None),
    ("gno-tensor-memory-access-check", "gno-tmem-access-check", OptionValue::None),
    ("gpu-name", "arch", OptionValue::Choice(ARCHITECTURES)),
    ("help", "h", OptionValue::None),
    ("input-as-string", "ias", OptionValue::Text),
    ("jobserver", "jobserver", OptionValue::None),
    ("legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", OptionValue::None),
    ("list-arch", "arch-ls", OptionValue::None),
    ("list-version", "version-ls", OptionValue::None),
    ("machine", "m", OptionValue::Choice(&["64"])),
    ("make-errors-visible-at-exit", "make-errors-visible-at-exit", OptionValue::None),
    ("maxntid", "maxntid", OptionValue::List),
    ("maxrregcount", "maxrregcount", OptionValue::Registers),
    ("minnctapersm", "minnctapersm", OptionValue::Number),
    ("opt-level", "O", OptionValue::Number),
    ("optimize-float-atomics", "opt-fp-atomics", OptionValue::None),
    ("options-file", "optf", OptionValue::List),
    ("output-file", "o", OptionValue::Text),
    ("override-directive-values", "override-directive-values", OptionValue::None),
    ("position-independent-code", "pic", OptionValue::Boolean),
    ("preserve-relocs", "preserve-relocs", OptionValue::None),
    // ptxas's help does not name this one, but Triton gives it.
    ("regAllocOptLevel", "regAllocOptLevel", OptionValue::Number),
    ("register-usage-level", "regUsageLevel", OptionValue::Number),
    ("return-at-end", "ret-end", OptionValue::None),
    ("sanitize", "sanitize", OptionValue::Choice(&["memcheck", "threadsteer"])),
    ("sp-bounds-check", "sp-bounds-check", OptionValue::None),
    ("split-compile", "split-compile", OptionValue::Number),
    (
        "suppress-async-bulk-multicast-advisory-warning",
        "suppress-async-bulk-multicast-advisory-warning",
        OptionValue::None,
    ),
    ("suppress-debug-info", "suppress-debug-info", OptionValue::None),
    ("suppress-double-demote-warning", "suppress-double-demote-warning", OptionValue::None),
    ("suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", OptionValue::None),
    ("suppress-stack-size-warning", "suppress-stack-size-warning", OptionValue::None),
    ("verbose", "v", OptionValue::None),
    ("version", "V", OptionValue::None),
    ("warn-on-double-precision-use", "warn-double-usage", OptionValue::None),
    ("warn-on-local-memory-usage", "warn-lmem-usage", OptionValue::None),
    ("warn-on-spills", "warn-spills", OptionValue::None),
    ("warning-as-error", "Werror", OptionValue::None),
];

/// The architectures that ptxas 13.4 knows; each has the forms `sm_`, `compute_` and `lto_`.
#[rustfmt::skip]
const ARCHITECTURES: &[&str] = &[
    "75", "80", "86", "87", "88", "89", "90", "90a", "100", "100a", "100f", "103", "103a", "103f", "107", "107a",
    "107f", "110", "110a", "110f", "120", "120a", "120f", "121", "121a", "121f",
];

/// The architectures as `--list-arch` gives them.
pub fn plain_architectures() -> impl Iterator<Item = &'static str> {
    ARCHITECTURES.iter().copied().filter(|a| a.ends_with(|c: char| c.is_ascii_digit()))
}

/// A command line that has been understood.
#[derive(Debug, Default)]
pub struct Options {
    /// What options have been given, by their long names, with the values.
    given: BTreeMap<&'static str, Vec<String>>,
    /// The files to assemble, in order.
    pub inputs: Vec<String>,
    /// What ptxas would warn of.
    pub warnings: Vec<String>,
}

impl Options {
    /// Reads a command line; the error is what ptxas would call fatal.
    pub fn parse(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options::default();
        options.take(arguments, 0)?;
        options.checked()
    }

    fn take(&mut self, arguments: &[String], depth: u32) -> Result<(), String> {
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let name = match argument.strip_prefix('-') {
                None | Some("") => {
                    self.inputs.push(argument.clone());
                    continue;
                }
                Some(name) => name,
            };
            let (name, attached) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (name, None),
            };
            let (option, kind, attached) = find(name, attached)?;
            let value = match (kind, attached) {
                (OptionValue::None, None) => String::new(),
                (OptionValue::None, Some(_)) => return Err(format!("no argument expected after '-{name}'")),
                (OptionValue::Attached, None) => continue,
                (_, Some(value)) => value,
                (_, None) => {
                    rest.next().cloned().ok_or_else(|| format!("argument expected after '-{name}'"))?
                }
            };
            valid(option, kind, &value)?;
            if option == "options-file" {
                self.include(&value, depth)?;
            }
            self.set(option, kind, value);
        }
        Ok(())
    }

    /// Takes options from a file, which may name further files, but not without end.
    fn include(&mut self, path: &str, depth: u32) -> Result<(), String> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) if depth < 16 => text,
            _ => return Err(format!("Could not open options file '{path}'")),
        };
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        self.take(&words, depth + 1)
    }

    fn set(&mut self, option: &'static str, kind: OptionValue, value: String) {
        let values = self.given.entry(option).or_default();
        let single = !matches!(kind, OptionValue::List | OptionValue::None);
        if single && values.last().is_some_and(|last| *last != value) {
            self.warnings.push(format!(
                "incompatible redefinition for option '{option}', the last value of this option was used"
            ));
        }
        values.push(value);
    }

    /// What can only be said when everything has been read.
    fn checked(mut self) -> Result<Options, String> {
        if let Some(level) = self.last("Ofast-compile")
            && !["0", "min", "mid", "max"].contains(&level)
        {
            return Err(format!(
                "Invalid value for --Ofast-compile/-Ofc ({level}), is not 'max', 'mid', 'min', or '0'"
            ));
        }
        if self.has("suppress-debug-info") && !self.has("device-debug") && !self.has("generate-line-info") {
            let text = "Option suppress-debug-info requires option device-debug or lineinfo; ignoring since latter is not specified";
            self.warnings.push(text.to_owned());
        }
        if self.has("device-debug") && self.has("generate-line-info") {
            let text = "Conflicting options --device-debug and --generate-line-info specified, ignoring --generate-line-info option";
            self.warnings.push(text.to_owned());
        }
        Ok(self)
    }

    /// Whether an option was given.
    pub fn has(&self, option: &str) -> bool {
        self.given.contains_key(option)
    }

    /// The value of an option, if it was given.
    pub fn last(&self, option: &str) -> Option<&str> {
        self.given.get(option)?.last().map(String::as_str)
    }

    /// The values of an option that may be given several times, or with commas.
    pub fn list(&self, option: &str) -> impl Iterator<Item = &str> {
        self.given.get(option).into_iter().flatten().flat_map(|values| values.split(','))
    }

    /// A cache modifier that does not exist, as ptxas complains of it.
    pub fn wrong_cache_modifier(&self) -> Option<String> {
        let loads = ["ca", "cg", "cs", "lu", "cv"];
        let stores = ["wb", "cg", "cs", "wt"];
        let wrong = |option: &str, known: &[&str], what: &str| {
            let value = self.last(option).filter(|value| !known.contains(value))?;
            Some(format!("Invalid default cache modifier on {what} specified: {value}"))
        };
        wrong("def-load-cache", &loads, "load")
            .or_else(|| wrong("def-store-cache", &stores, "store"))
            .or_else(|| wrong("force-load-cache", &loads, "load"))
            .or_else(|| wrong("force-store-cache", &stores, "store"))
    }
}

/// The option of a name as written after the first dash, and the value written with it.
fn find(name: &str, attached: Option<String>) -> Result<(&'static str, OptionValue, Option<String>), String> {
    let unknown = || format!("Unknown option '{name}'");
    if let Some(long) = name.strip_prefix('-') {
        let &(option, _, kind) = OPTIONS.iter().find(|(o, ..)| *o == long).ok_or_else(unknown)?;
        return Ok((option, kind, attached));
    }
    // `-O3` and `-m64` carry their value without a sign between.
    for (short, option, kind) in
        [("O", "opt-level", OptionValue::Attached), ("m", "machine", OptionValue::Choice(&["64"]))]
    {
        if let Some(value) = name.strip_prefix(short)
            && OPTIONS.iter().all(|&(_, other, _)| other == short || other != name)
        {
            let value = (!value.is_empty()).then(|| value.to_owned()).or(attached);
            return Ok((option, kind, value));
        }
    }
    let &(option, _, kind) = OPTIONS.iter().find(|&&(_, short, _)| short == name).ok_or_else(unknown)?;
    Ok((option, kind, attached))
}

fn valid(option: &str, kind: OptionValue, value: &str) -> Result<(), String> {
    let number = || value.parse::<i64>().is_ok();
    match kind {
        OptionValue::Number | OptionValue::Attached if !number() => {
            Err(format!("'{value}': expected a number"))
        }
        OptionValue::Boolean if value != "true" && value != "false" => {
            Err(format!("'{value}': expected true or false"))
        }
        OptionValue::Registers if !number() && value != "archmax" && value != "archmin" => {
            Err(format!("Invalid value '{value}' for option '{option}'"))
        }
        OptionValue::Choice(known) => {
            let bare = if option == "gpu-name" { architecture(value) } else { value };
            if known.contains(&bare) {
                return Ok(());
            }
            Err(format!("Value '{value}' is not defined for option '{option}'"))
        }
        _ => Ok(()),
    }
}

/// `90a` of `sm_90a` and its virtual forms; nothing of anything else.
fn architecture(name: &str) -> &str {
    ["sm_", "compute_", "lto_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
    }

    #[test]
    fn values_are_written_in_every_way() {
        for line in
            ["-arch=sm_90a -o x a.ptx", "-arch sm_90a -o=x a.ptx", "--gpu-name sm_90a --output-file=x a.ptx"]
        {
            let options = parse(line).expect(line);
            assert_eq!(options.last("gpu-name"), Some("sm_90a"), "{line}");
            assert_eq!(options.last("output-file"), Some("x"), "{line}");
            assert_eq!(options.inputs, ["a.ptx"], "{line}");
        }
        let options = parse("-O3 -m64 -maxrregcount 32 -maxntid 1,2 a").expect("they are options");
        assert_eq!((options.last("opt-level"), options.last("machine")), (Some("3"), Some("64")));
        assert_eq!(options.list("maxntid").collect::<Vec<_>>(), ["1", "2"]);
        // ptxas takes what follows a bare -O for a file.
        assert_eq!(parse("-O 3").expect("an option").inputs, ["3"]);
    }

    /// What ptxas 13.4.92 says.
    #[test]
    fn complaints_are_those_of_ptxas() {
        for (line, complaint) in [
            ("--nonsense", "Unknown option '-nonsense'"),
            ("-nonsense", "Unknown option 'nonsense'"),
            ("-ooutx", "Unknown option 'ooutx'"),
            ("-o", "argument expected after '-o'"),
            ("--fmad=maybe", "'maybe': expected true or false"),
            ("--fmad a.ptx", "'a.ptx': expected true or false"),
            ("-arch=sm_35", "Value 'sm_35' is not defined for option 'gpu-name'"),
            ("-m 32", "Value '32' is not defined for option 'machine'"),
            ("--opt-level=abc", "'abc': expected a number"),
            ("-Oabc", "'abc': expected a number"),
            ("-maxrregcount=abc", "Invalid value 'abc' for option 'maxrregcount'"),
            ("--device-debug=true", "no argument expected after '--device-debug'"),
            ("-h=2", "no argument expected after '-h'"),
            ("-optf nofile", "Could not open options file 'nofile'"),
            ("-Ofc=bad", "Invalid value for --Ofast-compile/-Ofc (bad), is not 'max', 'mid', 'min', or '0'"),
        ] {
            assert_eq!(parse(line).map(|o| o.inputs), Err(complaint.to_owned()), "{line}");
        }
    }

    #[test]
    fn warnings_are_those_of_ptxas() {
        let warnings = |line: &str| parse(line).expect(line).warnings;
        assert_eq!(
            warnings("-arch=sm_80 -arch=sm_90 a"),
            ["incompatible redefinition for option 'gpu-name', the last value of this option was used"]
        );
        assert!(warnings("-arch=sm_90 -arch=sm_90 -v -v a").is_empty());
        assert_eq!(warnings("-suppress-debug-info a").len(), 1);
        assert!(warnings("-suppress-debug-info -lineinfo a").is_empty());
    }
}
