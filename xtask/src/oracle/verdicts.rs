//! The recorded verdicts: `tests/oracle/FAMILY.txt`, one file per file of the table.
//!
//! A line `# sm_90a 9.1` names the module's target and version; below it `+` stands before what ptxas accepts and
//! `-` before what it refuses.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Instructions and whether ptxas accepts them, by `target version`.
pub type Verdicts = BTreeMap<String, Vec<(bool, String)>>;

/// The text of a file of verdicts.
pub fn write(verdicts: &Verdicts) -> String {
    let mut text = String::new();
    for (language, list) in verdicts {
        let _ = writeln!(text, "# {language}");
        for (accepted, instruction) in list {
            let _ = writeln!(text, "{}{instruction}", if *accepted { '+' } else { '-' });
        }
    }
    text
}

/// Reads a file of verdicts.
pub fn read(path: &Path) -> Result<Verdicts, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut verdicts = Verdicts::new();
    let mut language = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            language = name.to_owned();
        } else if let Some(instruction) = line.strip_prefix('+') {
            verdicts.entry(language.clone()).or_default().push((true, instruction.to_owned()));
        } else if let Some(instruction) = line.strip_prefix('-') {
            verdicts.entry(language.clone()).or_default().push((false, instruction.to_owned()));
        }
    }
    Ok(verdicts)
}
