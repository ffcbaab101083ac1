//! Finds the forms of the table that an H200 has confirmed: those in the kernels whose results are in `tests/golden`.
//!
//! The machine's tests compare with these results bit for bit. So a form that is executed and found here does what an
//! H200 does, as far as the recorded inputs go.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use ptxvm_isa::ISA;
use ptxvm_syntax::Interner;
use serde_json::Value;

/// By row of the compiled table: whether a recorded kernel uses it.
pub fn by_row(golden: &Path) -> Result<Vec<bool>, String> {
    let mut rows = vec![false; ISA.rows.len()];
    for name in ["scalar", "float", "integer", "convert", "matrix/mma"] {
        let recorded = json(&golden.join(format!("{name}.json.zst")))?;
        let language = format!(
            ".version {}\n.target {}\n.address_size 64\n",
            recorded["ptx"].as_str().unwrap_or_default(),
            recorded["target"].as_str().unwrap_or_default()
        );
        for case in recorded["cases"].as_array().into_iter().flatten() {
            mark(&(language.clone() + &around(case)), &mut rows);
        }
    }
    for name in ["approx.json", "mufu.json"] {
        let recorded = json(&golden.join(name))?;
        let entries = recorded["entries"].as_array().into_iter().flatten().map(|entry| &entry["name"]);
        let hashes = recorded["hashes"].as_array().into_iter().flatten();
        for function in entries.chain(hashes).filter_map(Value::as_str) {
            mark(&alone(function), &mut rows);
        }
    }
    let corpus = json(&golden.join("corpus.json.zst"))?;
    for case in corpus["cases"].as_array().into_iter().flatten() {
        let kernel = case["case"].as_str().unwrap_or_default().split(':').next().unwrap_or_default();
        for variant in case["outcomes"].as_array().into_iter().flatten().flat_map(|outcome| {
            outcome["variants"].as_array().into_iter().flatten().filter_map(Value::as_str)
        }) {
            let file = golden.join("../corpus").join(format!("{kernel}.{variant}.ptx"));
            if let Ok(text) = std::fs::read_to_string(file) {
                mark(&text, &mut rows);
            }
        }
    }
    let textures = json(&golden.join("texture/texture.json.zst"))?;
    let cases = textures["cases"].as_array().into_iter().flatten();
    for code in cases.filter_map(|case| case["code"].as_str()).collect::<BTreeSet<_>>() {
        mark(&with_textures(code), &mut rows);
    }
    texts(&json(&golden.join("wgmma.json.zst"))?, &mut |text| mark(text, &mut rows));
    for folder in [golden.to_owned(), golden.join("async"), golden.join("matrix")] {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.ends_with(".ptx") {
                let text = std::fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
                mark(&text, &mut rows);
            } else if folder != golden && name.contains(".json") {
                texts(&json(&path)?, &mut |text| mark(text, &mut rows));
            }
        }
    }
    Ok(rows)
}

/// A recorded description, compressed or not.
fn json(path: &Path) -> Result<Value, String> {
    let wrong = |why: String| format!("{}: {why}", path.display());
    let packed = std::fs::read(path).map_err(|e| wrong(e.to_string()))?;
    let mut bytes = Vec::new();
    if path.extension().is_some_and(|ending| ending == "zst") {
        let frame = ruzstd::decoding::StreamingDecoder::new(packed.as_slice());
        let read = frame.map_err(|e| e.to_string()).map(|mut frame| frame.read_to_end(&mut bytes));
        read.map_err(wrong)?.map_err(|e| wrong(e.to_string()))?;
    } else {
        bytes = packed;
    }
    serde_json::from_slice(&bytes).map_err(|e| wrong(e.to_string()))
}

/// The kernel around the body of a case, as far as its instructions need it.
fn around(case: &Value) -> String {
    let mut text = String::from(".visible .entry k()\n{\n.reg .b64 %scr;\n");
    for (list, letter) in [("ins", 'a'), ("outs", 'd')] {
        for (index, ty) in case[list].as_array().into_iter().flatten().enumerate() {
            text += &format!(".reg .{} %{letter}{index};\n", ty.as_str().unwrap_or("b32"));
        }
    }
    let shared = case["shared"].as_u64().unwrap_or(0).max(1);
    text += &format!(".shared .align 128 .b8 sm[{shared}];\n");
    for part in ["scratch", "body"] {
        text += case[part].as_str().unwrap_or_default();
        text += "\n";
    }
    text + "ret;\n}\n"
}

/// The kernel around the code of a case with a texture and a surface.
fn with_textures(code: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{{\n\
         .reg .b32 i<8>, o<8>, r<16>;\n.reg .b64 w<4>, t, s;\n.reg .b16 h<8>;\n.reg .pred p, q;\n{{ {code} }}\nret;\n}}\n"
    )
}

/// A kernel with one instruction of one or two operands, given by its name.
fn alone(name: &str) -> String {
    let ty = name.rsplit('.').next().unwrap_or("f32");
    let wide = match ty {
        "f64" => "b64",
        "f16" | "bf16" => "b16",
        _ => "b32",
    };
    let operands = if name.starts_with("div") { "%a, %b, %c" } else { "%a, %b" };
    format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{{\n\
         .reg .{wide} %a, %b, %c;\n{name} {operands};\nret;\n}}\n"
    )
}

/// Every module among the strings of a value.
fn texts(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) if text.contains(".entry") => found(text),
        Value::Array(all) => all.iter().for_each(|one| texts(one, found)),
        Value::Object(all) => all.values().for_each(|one| texts(one, found)),
        _ => {}
    }
}

/// Marks the rows of a module's instructions.
fn mark(text: &str, rows: &mut [bool]) {
    let parsed = ptxvm_syntax::parse(text, &Interner::with_words(ISA.words));
    let checked = ptxvm_module::check(&parsed.file, text, &ISA, &ptxvm_module::Options::default());
    let Ok(program) = ptxvm_ir::lower(&parsed.file, text, &checked.module, &ISA) else { return };
    for used in &program.forms {
        rows[usize::from(used.row)] = true;
    }
}
