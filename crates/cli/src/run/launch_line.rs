//! The launch line: `// ptxvm: run --grid 8 --arg …` in a comment of the file says how it is run by default.
//!
//! A file may come from anywhere, so its launch line may say what is computed, but not which files of the reader
//! are read or written; those need `--trust-launch-line`. What lies beside the file, as `@./x.bin`, came with it and may
//! be read.

use clap::Parser;

use super::beside;
use super::options::Launch;

/// The launch line's own grammar: the part of the command line that speaks of the launch.
#[derive(Parser)]
#[command(name = "ptxvm: run", disable_help_flag = true, disable_version_flag = true)]
struct Line {
    #[command(flatten)]
    launch: Launch,
}

/// Reads the launch line of a source; `None` if there is none. The error is for people.
pub fn read(source: &str, name: &str, trusted: bool) -> Result<Option<Launch>, String> {
    let mut words = Vec::new();
    let mut first = None;
    for (index, line) in source.lines().enumerate() {
        if let Some(rest) = marked(line) {
            first.get_or_insert(index + 1);
            words.extend(split(rest).map_err(|why| format!("{name}:{}: {why}", index + 1))?);
        }
    }
    let Some(line) = first else { return Ok(None) };
    let at = format!("the launch line at {name}:{line}");
    let words = std::iter::once("ptxvm: run".to_owned()).chain(words);
    let Line { mut launch } = Line::try_parse_from(words).map_err(|e| {
        let text = e.render().to_string();
        format!("{at} is wrong: {}", text.trim().trim_start_matches("error: "))
    })?;
    if launch.switches.every_asynchrony {
        return Err(format!("{at} is wrong: `--async all` belongs to a command line with --seeds"));
    }
    let others = beside::find(&mut launch, name).map_err(|why| format!("{at} is wrong: {why}"))?;
    if !trusted && let Some(what) = touches_files(&others) {
        return Err(format!(
            "{at} asks for {what}; a launch line may touch files only with --trust-launch-line"
        ));
    }
    Ok(Some(launch))
}

/// What stands after `// ptxvm: run` in a line.
fn marked(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("//")?.trim_start_matches('/').trim_start();
    let rest = rest.strip_prefix("ptxvm:")?.trim_start().strip_prefix("run")?;
    if rest.is_empty() || rest.starts_with(char::is_whitespace) { Some(rest) } else { None }
}

/// Splits at blanks; quotes of either kind keep them.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote in the launch line is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}

fn touches_files(launch: &Launch) -> Option<String> {
    if let Some(save) = launch.save.first() {
        return Some(format!("`--save {save}`"));
    }
    let is_list = |text: &&String| text.split_once('=').is_some_and(|(_, what)| what.starts_with('['));
    if let Some(expect) = launch.expect.iter().find(|text| !is_list(text)) {
        return Some(format!("`--expect {expect}`"));
    }
    // What follows `=` in `x=@data.npy` matters as much as what begins with `@`.
    let named = |option, given: &[String]| {
        given.iter().find(|text| text.contains('@')).map(|text| format!("`--{option} {text}`"))
    };
    named("arg", &launch.arg).or_else(|| named("map", &launch.map)).or_else(|| named("bind", &launch.bind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(source: &str) -> Launch {
        read(source, "a.ptx", false).expect("it is right").expect("there is one")
    }

    #[test]
    fn lines_join_and_quotes_keep_blanks() {
        let launch = line(
            "// About.\n// ptxvm: run --grid 4,2 --arg 7\n.version 9.1\n  //ptxvm: run --arg 'f32[2]=1, 2'\n",
        );
        assert_eq!(launch.grid, Some([4, 2, 1]));
        assert_eq!(launch.arg, ["7", "f32[2]=1, 2"]);
    }

    #[test]
    fn other_comments_are_none() {
        for source in ["", "// ptxvm run --grid 4", "// ptxvm: runs well", "// ptxvm: check", "ptxvm: run"] {
            assert!(read(source, "a.ptx", false).expect("nothing is wrong").is_none(), "{source}");
        }
    }

    #[test]
    fn files_need_trust() {
        for text in [
            "--save y=out.npy",
            "--arg @/etc/passwd",
            "--arg f32[]=@x.bin",
            "--arg x=@x.npy",
            "--bind t=texture(@x.png)",
            "--map m=@/etc/passwd",
        ] {
            let source = format!("// ptxvm: run {text}");
            let error = read(&source, "a.ptx", false).expect_err("it is refused");
            assert!(error.contains("--trust-launch-line") && error.contains("a.ptx:1"), "{error}");
            assert!(read(&source, "a.ptx", true).is_ok());
        }
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for text in ["--gird 4", "--grid four", "--grid 1,2,3,4", "--stats", "'open"] {
            let error = read(&format!("\n// ptxvm: run {text}"), "a.ptx", false).expect_err("it is wrong");
            assert!(error.contains("a.ptx:2"), "{error}");
        }
    }
}
