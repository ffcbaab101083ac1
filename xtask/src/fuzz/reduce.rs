//! Makes a failing input small: removes lines as long as it still fails.

use super::setting::Wrong;

/// What is wrong with the program of a seed, with as few of its lines as show it. `again` judges some lines.
pub fn report<T>(
    seed: u64,
    lines: Vec<String>,
    wrong: Wrong,
    again: impl Fn(&[String]) -> Result<T, Wrong>,
) -> String {
    let same = |lines: &[String]| again(lines).err().filter(|w| w.sort == wrong.sort);
    let lines = reduce(lines, |lines| same(lines).is_some());
    let Wrong { sort, text } = same(&lines).unwrap_or(wrong);
    format!("seed {seed}: {sort}: {text}\n{}", lines.join("\n"))
}

/// The lines without which it would not fail. `fails` must hold of all lines together.
fn reduce(lines: Vec<String>, fails: impl Fn(&[String]) -> bool) -> Vec<String> {
    let mut lines = lines;
    let mut size = lines.len() / 2;
    while size >= 1 {
        let mut start = 0;
        while start < lines.len() {
            let end = (start + size).min(lines.len());
            let mut fewer = lines.clone();
            fewer.drain(start..end);
            if fails(&fewer) {
                lines = fewer;
            } else {
                start = end;
            }
        }
        size /= 2;
    }
    lines
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_matters_stays() {
        let lines: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        let fails = |lines: &[String]| ["7", "50", "51"].iter().all(|n| lines.iter().any(|l| l == n));
        assert_eq!(super::reduce(lines, fails), ["7", "50", "51"]);
    }
}
