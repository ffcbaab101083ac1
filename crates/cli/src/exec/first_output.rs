//! What the first of many runs of a command writes to standard output: it is shown, and kept in a file, so that what the
//! others write can be compared with it. They may write any amount: it is compared as it comes, and not kept.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// So much is kept and compared.
const MOST: u64 = 64 << 20;

/// So much is compared at once.
const BLOCK: usize = 1 << 16;

/// The most of a line that is looked at.
const PIECE: u64 = 4096;

/// The most of a line that is shown.
const SHOWN: usize = 120;

/// A line in which the output of another run differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its number, from 1.
    pub line: u64,
    /// It, as the first run and the other have it; one may have ended before.
    pub texts: [Option<String>; 2],
}

/// Shows what comes, and keeps the beginning in a file.
pub fn show(mut from: impl Read, keep: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(keep)?);
    let (mut left, mut buffer) = (MOST, vec![0; 1 << 16]);
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return file.flush(),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut out = io::stdout().lock();
        // A reader that has gone away is found when the pipe to the command is closed.
        out.write_all(&buffer[..count]).and_then(|()| out.flush())?;
        let kept = left.min(count as u64);
        file.write_all(&buffer[..kept as usize])?;
        left -= kept;
    }
}

/// Compares what comes with what was kept of the first run.
pub fn compare(from: impl Read, kept: &Path) -> io::Result<Option<Difference>> {
    let mut first = BufReader::with_capacity(BLOCK, File::open(kept)?);
    let mut other = BufReader::with_capacity(BLOCK, from);
    let (mut line, mut compared) = (1, 0);
    // What both have of that line so far.
    let mut begun = Vec::new();
    let differs = loop {
        let (a, b) = (first.fill_buf()?, other.fill_buf()?);
        let shorter = a.len().min(b.len());
        let common = match a[..shorter] == b[..shorter] {
            true => shorter,
            false => a.iter().zip(b).take_while(|(a, b)| a == b).count(),
        };
        if common == 0 {
            // What the first run wrote beyond that is not known.
            break compared < MOST && !(a.is_empty() && b.is_empty());
        }
        let same = &a[..common];
        line += same.iter().filter(|byte| **byte == b'\n').count() as u64;
        let rest = same.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        if rest.len() < same.len() {
            begun.clear();
        }
        let room = (PIECE as usize).saturating_sub(begun.len());
        begun.extend_from_slice(&rest[..rest.len().min(room)]);
        compared += common as u64;
        first.consume(common);
        other.consume(common);
    };
    let texts = [line_from(&begun, &mut first)?, line_from(&begun, &mut other)?];
    // The command must not wait for somebody who reads on.
    io::copy(&mut other, &mut io::sink())?;
    Ok(differs.then_some(Difference { line, texts }))
}

/// A line that has been begun, or a part of a long one; `None` at the end.
fn line_from(begun: &[u8], from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = begun.to_vec();
    from.take(PIECE).read_until(b'\n', &mut line)?;
    Ok((!line.is_empty()).then(|| shown(&line)))
}

fn shown(line: &[u8]) -> String {
    let text = ptxvm_report::for_terminal(line);
    let text = text.trim_end_matches(['\n', '\r']);
    let cut: String = text.chars().take(SHOWN).collect();
    if cut.len() == text.len() { cut } else { cut + "…" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_named() {
        let kept = std::env::temp_dir().join(format!("ptxvm-first-output-{}", std::process::id()));
        std::fs::write(&kept, "one\ntwo\nthree\n").expect("a file can be written");
        let with = |text: &str| compare(text.as_bytes(), &kept).expect("both can be read");
        let differs = |line, a: Option<&str>, b: Option<&str>| {
            Some(Difference { line, texts: [a, b].map(|text| text.map(str::to_owned)) })
        };
        assert_eq!(with("one\ntwo\nthree\n"), None);
        assert_eq!(with("one\n2\nthree\n"), differs(2, Some("two"), Some("2")));
        assert_eq!(with("one\n"), differs(2, Some("two"), None));
        assert_eq!(with("one\ntwo\nthree\nfour"), differs(4, None, Some("four")));
        assert_eq!(with("one\ntwo\nthree"), differs(3, Some("three"), Some("three")));
        assert_eq!(with("one\ntwo\nthree\n\n"), differs(4, None, Some("")));
        let long = "x".repeat(10_000);
        assert_eq!(with(&long).and_then(|d| d.texts[1].clone()), Some("x".repeat(120) + "…"));
        std::fs::remove_file(&kept).expect("it is there");
    }
}
