//! Every diagnostic code has a page, and the page the code's title.

use std::path::Path;

use ptxvm_model::codes::TABLE;

#[test]
fn every_code_has_a_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics");
    for (code, title) in TABLE {
        let path = folder.join(format!("{code}.md"));
        let page = std::fs::read_to_string(&path).unwrap_or_default();
        let heading = page.lines().next().unwrap_or("").to_lowercase();
        assert_eq!(heading, format!("# {code}: {title}").to_lowercase(), "{}", path.display());
    }
}
