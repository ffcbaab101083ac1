//! Makes documents from the table and from other files: the coverage page and the pages of `ptxvm explain`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use ptxvm_isa::ISA;
use ptxvm_isa::table::{Isa, Row};
use ptxvm_isa::target::describe_need;

use crate::confirmed;
use crate::executed::{self, Share};

/// The coverage page: every form, and what works with it today.
pub fn coverage(isa: &Isa, golden: &Path) -> Result<String, String> {
    let mut text = String::from(
        "# Coverage\n\nMade from the table (`isa/*.isa`) by `cargo xtask isa`; do not edit.\n\n\
         *Checked* means that `ptxvm check` knows the form and judges it as ptxas 13.4 does. \
         *Executed* means that the machine runs it; a percentage is the share of the instructions made from that row \
         that it runs. *Compiled* says whether the compiled engine writes machine code for it, or calls the interpreter's \
         own function; a percentage is the share of the former ([engines](engines.md)). *H200* says whether an H200 has confirmed it: kernels with the form ran on an H200, and the tests \
         compare their results with it bit for bit. Forms of newer GPUs follow the manual alone.\n\n",
    );
    let shares = executed::by_row();
    let confirmed = confirmed::by_row(golden)?;
    // The compiled table may be older than the files; rows are then matched by their text.
    let state = |row: &Row| {
        let section = isa.sections[usize::from(row.section)].number;
        let same = |r: &&Row| r.head == row.head && ISA.sections[usize::from(r.section)].number == section;
        let index = ISA.rows.iter().position(|r| same(&r));
        index.map_or((Share::default(), false), |index| {
            (shares[index], confirmed[index] && shares[index].runs > 0)
        })
    };
    let _ = writeln!(
        text,
        "{} instructions in {} forms, {} special registers, {} directives, {} targets.\n",
        isa.opcodes.len(),
        isa.rows.len(),
        isa.sregs.len(),
        isa.directives.len(),
        isa.targets.len()
    );
    text += &summary(isa, state);
    text += &missing(isa, state);
    let mut section = None;
    for row in isa.rows {
        if section != Some(row.section) {
            section = Some(row.section);
            let s = &isa.sections[usize::from(row.section)];
            let _ = writeln!(text, "\n## {} {}\n\n{}\n", s.number, s.names.join(", "), s.sentence);
            text +=
                "| form | legal with | checked | executed | compiled | H200 |\n|---|---|---|---|---|---|\n";
        }
        let need = if row.need.is_empty() { "everywhere".into() } else { describe_need(row.need) };
        let (share, confirmed) = state(row);
        let (runs, compiled) = (share.words(), share.compiled_words());
        let (head, silicon) = (row.head.replace('|', "\\|"), if confirmed { "yes" } else { "no" });
        let _ = writeln!(text, "| `{head}` | {need} | yes | {runs} | {compiled} | {silicon} |");
    }
    text += "\n## Special registers\n\n| register | section | legal with |\n|---|---|---|\n";
    for s in isa.sregs {
        let _ = writeln!(text, "| `{}` | {} | {} |", s.name, s.section, describe_need(s.need));
    }
    text += "\n## Directives\n\n| directive | section | legal with | what it says |\n|---|---|---|---|\n";
    for d in isa.directives {
        let _ =
            writeln!(text, "| `{}` | {} | {} | {} |", d.name, d.section, describe_need(d.need), d.sentence);
    }
    Ok(text)
}

/// The state of each file of the table in a line: what works at a glance.
fn summary(isa: &Isa, state: impl Fn(&Row) -> (Share, bool)) -> String {
    let mut files: Vec<(&str, [usize; 4])> = Vec::new();
    for row in isa.rows {
        let file = isa.sections[usize::from(row.section)].file;
        if files.last().is_none_or(|f| f.0 != file) {
            files.push((file, [0; 4]));
        }
        if let Some((_, counts)) = files.last_mut() {
            let (share, confirmed) = state(row);
            let runs = share.runs > 0 && share.runs == share.tried;
            let each = [true, runs, share.is_compiled(), confirmed];
            counts.iter_mut().zip(each).for_each(|(count, yes)| *count += usize::from(yes));
        }
    }
    let mut text = String::from(
        "| part of the manual | forms | checked | executed | compiled | H200 |\n|---|---|---|---|---|---|\n",
    );
    let mut all = [0; 4];
    for (file, counts) in &files {
        let name = file.trim_end_matches(".isa").replacen('-', " ", 1);
        let [forms, runs, compiled, silicon] = counts;
        let _ = writeln!(text, "| {name} | {forms} | {forms} | {runs} | {compiled} | {silicon} |");
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
    }
    let [forms, runs, compiled, silicon] = all;
    let _ = writeln!(text, "| all | {forms} | {forms} | {runs} | {compiled} | {silicon} |");
    text
}

/// The forms that are not executed, or not whole, with what the table says about them.
fn missing(isa: &Isa, state: impl Fn(&Row) -> (Share, bool)) -> String {
    let whole = |row: &&Row| {
        let share = state(row).0;
        share.runs > 0 && share.runs == share.tried
    };
    let mut text =
        String::from("\n## What is not executed, and why\n\n| form | executed | why |\n|---|---|---|\n");
    for row in isa.rows.iter().filter(|row| !whole(row)) {
        let (head, runs) = (row.head.replace('|', "\\|"), state(row).0.words());
        let _ = writeln!(text, "| `{head}` | {runs} | {} |", row.notes.join(" "));
    }
    text
}

/// The codes of a folder's pages, in order.
fn codes(docs: &Path, folder: &str) -> Result<BTreeSet<String>, String> {
    let path = docs.join(folder);
    let entries = std::fs::read_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.filter_map(|name| name.strip_suffix(".md").map(str::to_owned)).collect())
}

/// The list of all pages that `ptxvm explain` has, for readers of the documents.
pub fn index(docs: &Path) -> Result<String, String> {
    let mut text = String::from(
        "# Findings and diagnostics\n\n<!-- Written by `cargo xtask isa` from the pages; do not edit. -->\n\n\
         `ptxvm explain NAME` shows each of these pages.\n",
    );
    for (folder, title) in
        [("findings", "What is found in runs"), ("diagnostics", "What is wrong in PTX and litmus tests")]
    {
        let _ = write!(text, "\n## {title}\n\n");
        for code in codes(docs, folder)? {
            let path = docs.join(folder).join(format!("{code}.md"));
            let page = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let title =
                page.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, title)| title);
            let _ = writeln!(text, "- [{code}]({folder}/{code}.md): {title}");
        }
    }
    Ok(text)
}

/// The Rust that holds the pages of diagnostics and findings.
pub fn pages(docs: &Path) -> Result<String, String> {
    let mut text = String::from(
        "//! The pages of `ptxvm explain`. Written by `cargo xtask docs` from `docs/diagnostics/` and `docs/findings/`; do not\n\
         //! edit.\n\n/// Each code or kind and its page.\npub const PAGES: &[(&str, &str)] = &[\n",
    );
    for folder in ["diagnostics", "findings"] {
        for code in codes(docs, folder)? {
            let _ = writeln!(text, "    (\"{code}\", include_str!(\"../../../docs/{folder}/{code}.md\")),");
        }
    }
    text += "];\n\n/// The title of a page: its first line without the mark and the code.\n#[must_use]\npub fn title_of(page: &str) -> &str {\n    \
             let line = page.lines().next().unwrap_or(\"\");\n    line.trim_start_matches(['#', ' ']).split_once(\": \").map_or(line, |(_, title)| title)\n}\n\n\
             /// The title of a code's page.\n#[must_use]\npub fn title(code: &str) -> Option<&'static str> {\n    \
             PAGES.iter().find(|(c, _)| *c == code).map(|(_, page)| title_of(page))\n}\n";
    Ok(text)
}
