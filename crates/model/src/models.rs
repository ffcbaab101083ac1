//! The models by name. Their texts are part of the program, so that a wrong one is found by the tests, not by users.

use std::sync::OnceLock;

use crate::notation::{Model, parse};

const TEXTS: [(&str, &str); 4] = [
    ("ptx-9.1", include_str!("../models/ptx-9.1.model")),
    ("ptx-7.5", include_str!("../models/ptx-7.5.model")),
    ("ptx-6.0", include_str!("../models/ptx-6.0.model")),
    ("sc", include_str!("../models/sc.model")),
];

/// The names of the models; the first is the default.
pub const NAMES: [&str; 4] = ["ptx-9.1", "ptx-7.5", "ptx-6.0", "sc"];

/// The model of a name.
///
/// # Panics
/// The text of a model is wrong, which `crates/model/tests` would have found.
#[must_use]
pub fn model(name: &str) -> Option<&'static Model> {
    static MODELS: OnceLock<Vec<Model>> = OnceLock::new();
    let models = MODELS.get_or_init(|| {
        let read = |(name, text): &(&str, &str)| {
            parse(name, text).unwrap_or_else(|error| panic!("the model {name}, {error}"))
        };
        TEXTS.iter().map(read).collect()
    });
    models.iter().find(|model| model.name == name)
}
