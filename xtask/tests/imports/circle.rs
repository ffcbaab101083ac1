//! Circles in who imports whom.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use crate::reader::Sources;

/// The shortest circle through each file that no circle before has named.
pub fn circles(sources: &Sources) -> Vec<String> {
    let mut named = BTreeSet::new();
    let mut circles = Vec::new();
    for file in sources.files.keys() {
        if named.contains(file.as_path()) {
            continue;
        }
        let Some(circle) = shortest(sources, file) else { continue };
        let mut text = file.display().to_string();
        for (from, to) in circle.iter().zip(circle.iter().skip(1)) {
            text += &format!(" -> {} ({})", to.display(), sources.files[*from][*to]);
        }
        named.extend(circle);
        circles.push(text);
    }
    circles
}

/// The files of the shortest circle through a file, which comes first and last.
fn shortest<'a>(sources: &'a Sources, file: &'a Path) -> Option<Vec<&'a Path>> {
    let mut came_from: BTreeMap<&Path, &Path> = BTreeMap::new();
    let mut todo = VecDeque::from([file]);
    while let Some(at) = todo.pop_front() {
        for next in sources.files[at].keys().map(|next| next.as_path()) {
            if next == file {
                let mut circle = vec![file, at];
                while let Some(before) = circle.last().and_then(|last| came_from.get(last)) {
                    circle.push(before);
                }
                circle.reverse();
                return Some(circle);
            }
            if !came_from.contains_key(next) {
                came_from.insert(next, at);
                todo.push_back(next);
            }
        }
    }
    None
}
