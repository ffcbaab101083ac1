//! `--seeds FROM..TO` and `--async all`: which runs a command line asks for, how a finding names those that show it, and the
//! command that runs one of them again. `ptxvm run` and `ptxvm exec` share it.

use std::collections::BTreeMap;
use std::ffi::OsString;

use ptxvm_report::number::{grouped, plural};
use ptxvm_vm::Asynchrony;
use serde_json::{Value, json};

/// The most seeds of one command: which of them show a finding is kept for each finding.
const MOST_SEEDS: u64 = 1 << 16;

/// So many seeds are named one by one.
const NAMED: usize = 5;

/// A range of seeds, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    from: u64,
    to: u64,
}

impl Seeds {
    /// `0..64`; the error is a sentence.
    pub fn parse(text: &str) -> Result<Seeds, String> {
        let wrong = || "expected FROM..TO, such as 0..64 for the seeds from 0 to 63".to_owned();
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
        let (from, to) = (number(from)?, number(to)?);
        if to < from {
            return Err(format!("it ends before it begins; write {to}..{from}"));
        }
        match to - from {
            0 => Err(format!(
                "it holds no seed, because TO does not belong to it; seed {from} alone is `--seed {from}`"
            )),
            1..=MOST_SEEDS => Ok(Seeds { from, to }),
            count => {
                Err(format!("it holds {} seeds, and {} are the most", grouped(count), grouped(MOST_SEEDS)))
            }
        }
    }
}

/// How one run is executed: its seed, and when its asynchronous operations complete if the runs differ in that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub seed: u64,
    pub asynchrony: Option<Asynchrony>,
}

impl Way {
    /// The options that choose it.
    fn options(self) -> String {
        let seed = format!("--seed {}", self.seed);
        self.asynchrony.map_or_else(|| seed.clone(), |when| format!("{seed} --async {}", when.name()))
    }
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}", self.seed)?;
        self.asynchrony.map_or(Ok(()), |when| write!(f, " and --async {}", when.name()))
    }
}

/// All runs of a command, in their order: by seed, and for each seed by [`Asynchrony::ALL`].
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    seeds: Seeds,
    every_asynchrony: bool,
}

impl Ways {
    /// Those that a command line asks for, if it asks for several.
    pub fn of(seeds: Option<Seeds>, every_asynchrony: bool) -> Result<Option<Ways>, String> {
        match seeds {
            Some(seeds) => Ok(Some(Ways { seeds, every_asynchrony })),
            None if every_asynchrony => {
                Err("--async all runs the kernel once for each, and needs --seeds, such as --seeds 0..1"
                    .to_owned())
            }
            None => Ok(None),
        }
    }

    fn for_each_seed(self) -> usize {
        if self.every_asynchrony { Asynchrony::ALL.len() } else { 1 }
    }

    /// How many there are.
    pub fn count(self) -> usize {
        // There are `MOST_SEEDS` at most.
        (self.seeds.to - self.seeds.from) as usize * self.for_each_seed()
    }

    /// One of them by its number.
    pub fn at(self, index: usize) -> Way {
        let seed = self.seeds.from + (index / self.for_each_seed()) as u64;
        let asynchrony = self.every_asynchrony.then(|| Asynchrony::ALL[index % self.for_each_seed()]);
        Way { seed, asynchrony }
    }

    /// The fields that say of an object which runs are meant: `runs`, `seeds`, and `async` if they differ in that.
    pub fn object(self, shown: &Shown) -> Value {
        let (seeds, by_asynchrony) = self.seeds_of(shown);
        let mut object = json!({ "runs": shown.count(), "seeds": seeds });
        if self.every_asynchrony {
            let named = by_asynchrony.iter().map(|(when, seeds)| (Asynchrony::ALL[*when].name(), seeds));
            object["async"] = json!(named.collect::<BTreeMap<_, _>>());
        }
        object
    }

    /// Adds to a finding's object which runs show it, and the smallest command that shows it again. Gives the notes that say
    /// so to people.
    pub fn add_to(self, object: &mut Value, shown: &Shown, again: &Again) -> Vec<String> {
        let Some(first) = shown.first() else { return Vec::new() };
        let command = again.command(self.at(first));
        let notes = vec![format!("shown by {}", self.named(shown)), format!("`{command}` shows it again")];
        if let (Value::Object(object), Value::Object(more)) = (&mut *object, self.object(shown)) {
            object.extend(more);
        }
        object["again"] = json!(command);
        match object["notes"].as_array_mut() {
            Some(all) => all.extend(notes.iter().cloned().map(Value::from)),
            None => object["notes"] = json!(notes),
        }
        notes
    }

    /// The seeds of some runs, and the same by their asynchrony.
    fn seeds_of(self, shown: &Shown) -> (Vec<u64>, BTreeMap<usize, Vec<u64>>) {
        let (mut seeds, mut by_asynchrony) = (Vec::new(), BTreeMap::<usize, Vec<u64>>::new());
        for index in shown.indices() {
            let seed = self.at(index).seed;
            if seeds.last() != Some(&seed) {
                seeds.push(seed);
            }
            by_asynchrony.entry(index % self.for_each_seed()).or_default().push(seed);
        }
        (seeds, by_asynchrony)
    }

    /// `seeds 3, 7, 12 and 20 more of 64`
    pub fn named(self, shown: &Shown) -> String {
        let all = self.count();
        let each = self.seeds.to - self.seeds.from;
        if !self.every_asynchrony {
            return named_seeds(&self.seeds_of(shown).0, each);
        }
        if shown.count() == all {
            return format!("all {} runs", grouped(all as u64));
        }
        let part = |(when, seeds): (usize, Vec<u64>)| {
            format!("--async {} with {}", Asynchrony::ALL[when].name(), named_seeds(&seeds, each))
        };
        let parts: Vec<String> = self.seeds_of(shown).1.into_iter().map(part).collect();
        parts.join("; ")
    }
}

fn named_seeds(seeds: &[u64], of: u64) -> String {
    let list = |seeds: &[u64]| seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    match seeds {
        [only] if of == 1 => format!("seed {only}"),
        _ if seeds.len() as u64 == of => format!("all {} seeds", grouped(of)),
        [only] => format!("seed {only} of {}", grouped(of)),
        [others @ .., last] if seeds.len() <= NAMED => {
            format!("seeds {} and {last} of {}", list(others), grouped(of))
        }
        _ => {
            let (first, more) = seeds.split_at(seeds.len().min(NAMED - 1));
            format!("seeds {} and {} more of {}", list(first), grouped(more.len() as u64), grouped(of))
        }
    }
}

/// Which runs of a command show something: a bit for each, so that a million findings of many runs stay small.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown(Vec<u64>);

impl Shown {
    /// Adds a run by its number.
    pub fn add(&mut self, index: usize) {
        let word = index / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (index % 64);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Their numbers, the first one first.
    pub fn indices(&self) -> impl Iterator<Item = usize> {
        let of_word = |(at, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| at * 64 + bit)
        };
        self.0.iter().enumerate().flat_map(of_word)
    }

    /// The first of them.
    pub fn first(&self) -> Option<usize> {
        self.indices().next()
    }
}

/// The user's own command, in which one run can stand in the place of all.
#[derive(Clone, Debug)]
pub struct Again {
    words: Vec<String>,
    /// Where the range stood.
    at: usize,
}

/// Options of a command line that are not those of one run: each has a value.
const SEEDS: &str = "--seeds";
const ASYNC: &str = "--async";
const THREADS: &str = "--threads";

impl Again {
    /// The command as it was typed. Its last words are not ptxvm's own; of the others, those go that belong to many runs:
    /// the range, `--async all`, and, if `one_thread`, the threads that share the runs.
    pub fn of(command_line: &[OsString], foreign: usize, one_thread: bool) -> Again {
        let own = command_line.len().saturating_sub(foreign);
        let text = |word: &OsString| word.to_string_lossy().into_owned();
        let mut again = Again { words: vec!["ptxvm".to_owned()], at: 1 };
        let mut words = command_line[..own].iter().skip(1).map(text);
        while let Some(word) = words.next() {
            let (name, joined) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let goes = match name {
                SEEDS | ASYNC => true,
                THREADS => one_thread,
                _ => false,
            };
            if !goes {
                again.words.push(quoted(&word));
                continue;
            }
            let is_range = name == SEEDS;
            let value = joined.or_else(|| words.next()).unwrap_or_default();
            if is_range {
                again.at = again.words.len();
            } else if word.starts_with(ASYNC) && value != "all" {
                again.words.extend([ASYNC.to_owned(), value]);
            }
        }
        again.words.extend(command_line[own..].iter().map(|word| quoted(&text(word))));
        again
    }

    /// This, with an option that the command line did not have.
    pub fn with(mut self, option: &str) -> Again {
        self.words.insert(self.at, option.to_owned());
        self
    }

    /// The command for one run.
    pub fn command(&self, way: Way) -> String {
        let (before, after) = self.words.split_at(self.at.min(self.words.len()));
        let words: Vec<String> =
            before.iter().cloned().chain([way.options()]).chain(after.to_vec()).collect();
        words.join(" ")
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// `64 runs`
pub fn runs(count: usize) -> String {
    match count {
        0..=999 => plural(count, "run"),
        _ => format!("{} runs", grouped(count as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(text: &str, every_asynchrony: bool) -> Ways {
        Ways { seeds: Seeds::parse(text).expect("a range"), every_asynchrony }
    }

    fn shown(indices: impl IntoIterator<Item = usize>) -> Shown {
        let mut shown = Shown::default();
        indices.into_iter().for_each(|index| shown.add(index));
        shown
    }

    #[test]
    fn ranges_are_half_open() {
        assert_eq!(ways("0..64", false).count(), 64);
        assert_eq!(ways("7..9", true).count(), 6);
        assert_eq!(ways("7..9", true).at(4), Way { seed: 8, asynchrony: Some(Asynchrony::Lazy) });
        let last = ways("18446744073709551614..18446744073709551615", false).at(0);
        assert_eq!(last, Way { seed: u64::MAX - 1, asynchrony: None });
        for (text, why) in [
            ("x", "expected FROM..TO"),
            ("", "expected FROM..TO"),
            ("..", "expected FROM..TO"),
            ("0..=4", "expected FROM..TO"),
            ("-1..4", "expected FROM..TO"),
            ("5..5", "holds no seed"),
            ("64..0", "write 0..64"),
            ("0..65537", "65,536 are the most"),
            ("0..18446744073709551615", "are the most"),
        ] {
            assert!(Seeds::parse(text).is_err_and(|error| error.contains(why)), "{text}");
        }
    }

    #[test]
    fn runs_are_named_shortly() {
        let plain = ways("0..64", false);
        assert_eq!(plain.named(&shown([3])), "seed 3 of 64");
        assert_eq!(plain.named(&shown([3, 7])), "seeds 3 and 7 of 64");
        assert_eq!(plain.named(&shown([1, 2, 3, 4, 63])), "seeds 1, 2, 3, 4 and 63 of 64");
        assert_eq!(plain.named(&shown(1..64)), "seeds 1, 2, 3, 4 and 59 more of 64");
        assert_eq!(plain.named(&shown(0..64)), "all 64 seeds");
        assert_eq!(ways("9..10", false).named(&shown([0])), "seed 9");
        let every = ways("0..2", true);
        assert_eq!(
            every.named(&shown([1, 4, 5])),
            "--async lazy with all 2 seeds; --async seeded with seed 1 of 2"
        );
        assert_eq!(every.named(&shown(0..6)), "all 6 runs");
        let object = every.object(&shown([1, 4, 5]));
        assert_eq!(object, json!({ "runs": 3, "seeds": [0, 1], "async": { "lazy": [0, 1], "seeded": [1] } }));
    }

    #[test]
    fn a_command_is_written_for_a_shell() {
        let words = |text: &[&str]| text.iter().map(OsString::from).collect::<Vec<_>>();
        let typed =
            words(&["/x/ptxvm", "run", "a b.ptx", "--seeds=0..9", "--arg", "f32[2]=1", "--async", "all"]);
        let again = Again::of(&typed, 0, true);
        let way = Way { seed: 3, asynchrony: Some(Asynchrony::Lazy) };
        let expected = "ptxvm run 'a b.ptx' --seed 3 --async lazy --arg 'f32[2]=1'";
        assert_eq!(again.command(way), expected);
        let typed =
            words(&["ptxvm", "exec", "--threads", "4", "--async", "lazy", "--seeds", "0..9", "x", "--seeds"]);
        let again = Again::of(&typed, 2, false);
        let way = Way { seed: 0, asynchrony: None };
        assert_eq!(again.command(way), "ptxvm exec --threads 4 --async lazy --seed 0 x --seeds");
        let again = Again::of(&words(&["ptxvm", "k.ptx", "--threads", "4", "--seeds", "0..9"]), 0, true);
        assert_eq!(again.with("--threads 1").command(way), "ptxvm k.ptx --seed 0 --threads 1");
    }
}
