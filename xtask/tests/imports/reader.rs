//! Which files a crate has and which of them each names, read from tokens: paths in macros count too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module's path from the root of its crate.
type Module = Vec<String>;

/// The files of a crate.
pub struct Sources {
    /// Each with what it names of others: the file, and the first path that names an item of it.
    pub files: BTreeMap<PathBuf, BTreeMap<PathBuf, String>>,
}

/// A module, the file it lies in and what it says.
struct Source {
    module: Module,
    file: PathBuf,
    tokens: Vec<TokenTree>,
}

impl Sources {
    /// The crate whose `lib.rs` lies in a folder.
    pub fn read(root: &Path) -> Self {
        Self::of(|path| std::fs::read_to_string(root.join(path)).ok())
    }

    /// The crate whose files `text` gives.
    pub fn of(text: impl Fn(&Path) -> Option<String>) -> Self {
        let mut modules: BTreeMap<Module, PathBuf> = BTreeMap::new();
        let mut sources = Vec::new();
        let mut todo = vec![(Module::new(), PathBuf::from("lib.rs"))];
        while let Some((module, file)) = todo.pop() {
            let source = text(&file).unwrap_or_else(|| panic!("there is no {}", file.display()));
            let tokens: TokenStream = source.parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
                Some("lib" | "mod") | None => file.parent().unwrap_or(Path::new("")).to_owned(),
                Some(stem) => file.with_file_name(stem),
            };
            let tokens = without_tests(tokens);
            for (child, inline) in declared(&tokens) {
                let (path, mut file) =
                    (module.iter().chain(&child).cloned().collect::<Module>(), file.clone());
                if !inline {
                    let base = child.iter().fold(folder.clone(), |folder, name| folder.join(name));
                    file = base.with_extension("rs");
                    if text(&file).is_none() {
                        file = base.join("mod.rs");
                    }
                    todo.push((path.clone(), file.clone()));
                }
                modules.insert(path, file);
            }
            modules.insert(module.clone(), file.clone());
            sources.push(Source { module, file, tokens });
        }
        let mut files: BTreeMap<PathBuf, BTreeMap<PathBuf, String>> = BTreeMap::new();
        for source in &sources {
            let named = files.entry(source.file.clone()).or_default();
            let mut scope =
                Scope { modules: &modules, module: source.module.clone(), file: &source.file, named };
            scope.read(&source.tokens);
        }
        Self { files }
    }
}

/// The modules that are declared: their paths from here, and whether their text stands here too.
fn declared(tokens: &[TokenTree]) -> Vec<(Module, bool)> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let (Some("mod"), Some(name)) = (word(tokens, at).as_deref(), word(tokens, at + 1)) else { continue };
        match tokens.get(at + 2) {
            Some(TokenTree::Group(body)) => {
                for (child, inline) in declared(&without_tests(body.stream())) {
                    found.push(([name.clone()].into_iter().chain(child).collect(), inline));
                }
                found.push((vec![name], true));
            }
            _ => found.push((vec![name], false)),
        }
    }
    found
}

/// The tokens without items that only tests have.
fn without_tests(tokens: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let attribute = match (&tokens[at], tokens.get(at + 1)) {
            (TokenTree::Punct(p), Some(TokenTree::Group(group))) if p.as_char() == '#' => {
                Some(group.to_string())
            }
            _ => None,
        };
        match attribute {
            Some(text) if text.replace(' ', "") == "[cfg(test)]" => {
                let ends = |token: &TokenTree| match token {
                    TokenTree::Punct(p) => p.as_char() == ';',
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    _ => false,
                };
                at += 2;
                at += tokens[at..].iter().position(ends).unwrap_or(tokens.len() - at - 1) + 1;
                continue;
            }
            // Comments for readers are attributes; a link in them is no import.
            Some(_) => at += 2,
            None => {
                kept.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    kept
}

/// Where a module looks names up.
struct Scope<'a> {
    modules: &'a BTreeMap<Module, PathBuf>,
    module: Module,
    file: &'a Path,
    named: &'a mut BTreeMap<PathBuf, String>,
}

impl Scope<'_> {
    /// Notes every path of a module's text.
    fn read(&mut self, tokens: &[TokenTree]) {
        let mut known = BTreeMap::new();
        self.paths(tokens, &mut known, true);
        self.paths(tokens, &mut known, false);
    }

    /// Notes the paths of `use` declarations, or all others. `known` has the modules that were imported by name.
    fn paths(&mut self, tokens: &[TokenTree], known: &mut BTreeMap<String, Module>, imports: bool) {
        let mut at = 0;
        while at < tokens.len() {
            match (&tokens[at], word(tokens, at).as_deref()) {
                (_, Some("use")) => {
                    let end = at + tokens[at..].iter().position(is_semicolon).unwrap_or(tokens.len() - at);
                    if imports {
                        for (path, alias) in tree(&tokens[at + 1..end]) {
                            if let Some(module) = self.note(&path, known) {
                                known.insert(alias, module);
                            }
                        }
                    }
                    at = end;
                }
                (_, Some("mod")) if matches!(tokens.get(at + 2), Some(TokenTree::Group(_))) => {
                    if let (Some(name), Some(TokenTree::Group(body))) =
                        (word(tokens, at + 1), tokens.get(at + 2))
                    {
                        let mut module = self.module.clone();
                        module.push(name);
                        let body = without_tests(body.stream());
                        if imports {
                            Scope { module, named: self.named, ..*self }.read(&body);
                        }
                    }
                    at += 3;
                }
                (TokenTree::Group(group), _) => {
                    self.paths(&without_tests(group.stream()), known, imports);
                    at += 1;
                }
                (_, Some(_)) => {
                    let mut path = Vec::new();
                    while let Some(segment) = word(tokens, at) {
                        path.push(segment);
                        at += 1;
                        if !is_colons(tokens, at) || word(tokens, at + 2).is_none() {
                            break;
                        }
                        at += 2;
                    }
                    if !imports && path.len() > 1 {
                        self.note(&path, known);
                    }
                }
                _ => at += 1,
            }
        }
    }

    /// Notes the file whose item a path names. Gives the module that it names, if it names one.
    fn note(&mut self, path: &[String], known: &BTreeMap<String, Module>) -> Option<Module> {
        let mut module = self.module.clone();
        let mut rest = path;
        match path.first().map(String::as_str)? {
            "crate" => (module, rest) = (Module::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while let Some(("super", after)) =
                    rest.split_first().map(|(first, rest)| (first.as_str(), rest))
                {
                    module.pop();
                    rest = after;
                }
            }
            first => {
                let mut child = module.clone();
                child.push(first.to_owned());
                if let Some(imported) = known.get(first) {
                    (module, rest) = (imported.clone(), &path[1..]);
                } else if !self.modules.contains_key(&child) {
                    return None;
                }
            }
        }
        while let Some((first, after)) = rest.split_first() {
            let mut child = module.clone();
            child.push(first.clone());
            if first == "self" {
                rest = after;
                continue;
            }
            if !self.modules.contains_key(&child) {
                break;
            }
            (module, rest) = (child, after);
        }
        if rest.is_empty() {
            // A module by its name; what of it is used says the path that goes on from there.
            return Some(module);
        }
        let file = &self.modules[&module];
        if file != self.file {
            self.named.entry(file.clone()).or_insert_with(|| path.join("::"));
        }
        None
    }
}

/// The paths of a `use` declaration, each with the name that it has here.
fn tree(tokens: &[TokenTree]) -> Vec<(Vec<String>, String)> {
    let mut path = Vec::new();
    let mut at = if is_colons(tokens, 0) { 2 } else { 0 };
    loop {
        match tokens.get(at) {
            Some(TokenTree::Group(group)) => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let parts = inner.split(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ','));
                let mut all = Vec::new();
                for (rest, alias) in parts.filter(|part| !part.is_empty()).flat_map(tree) {
                    let alias =
                        if rest == ["self"] { path.last().cloned().unwrap_or_default() } else { alias };
                    all.push((path.iter().cloned().chain(rest).collect(), alias));
                }
                return all;
            }
            Some(TokenTree::Punct(p)) if p.as_char() == '*' => {
                path.push("*".into());
                return vec![(path, "*".into())];
            }
            Some(TokenTree::Ident(_)) => path.extend(word(tokens, at)),
            _ => return Vec::new(),
        }
        at += 1;
        if is_colons(tokens, at) {
            at += 2;
            continue;
        }
        let alias = match word(tokens, at).as_deref() {
            Some("as") => word(tokens, at + 1),
            _ => path.last().cloned(),
        };
        return vec![(path, alias.unwrap_or_default())];
    }
}

/// The identifier at a place.
fn word(tokens: &[TokenTree], at: usize) -> Option<String> {
    match tokens.get(at) {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_colons(tokens: &[TokenTree], at: usize) -> bool {
    let colon = |at| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    colon(at) && colon(at + 1)
}

fn is_semicolon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == ';')
}
