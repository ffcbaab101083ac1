//! The version, with the commit where it is known.

use std::sync::LazyLock;

/// What `cargo xtask dist` says of the commit that it builds. Cargo alone says nothing: the command would be linked anew for
/// every commit.
const COMMIT: Option<&str> = option_env!("PTXVM_COMMIT");

static TEXT: LazyLock<String> = LazyLock::new(|| match COMMIT {
    Some(commit) => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
    None => env!("CARGO_PKG_VERSION").to_owned(),
});

/// Both as one text.
pub fn text() -> &'static str {
    &TEXT
}
