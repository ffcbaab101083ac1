//! `cargo xtask fuzz engines`: random and changed programs with both engines, which must do the same.
//!
//! Most programs are small, because LLVM takes its time for every instruction; a few are as large as those of
//! `fuzz run`, and a few are real kernels with changes.

use std::collections::BTreeMap;
use std::path::Path;

use ptxvm_vm::{Device, GoAlone, OneWay, Profile, Tuning};

use super::agreement::{self, Agreed};
use super::forms::Forms;
use super::mutate::Corpus;
use super::run::{DEVICES, accepted, caught};
use super::scene::Scene;
use super::setting::Wrong;
use super::{judge, program, reduce, small};
use crate::oracle::Random;

/// Of so many programs one is large: LLVM takes seconds for it.
const LARGE: u64 = 4000;

/// Of a hundred programs so many are changed kernels.
const CHANGED: u64 = 8;

/// The longest kernels that are changed.
const MOST_LINES: usize = 150;

/// What programs are made of.
pub struct Sources {
    forms: Vec<Forms>,
    corpus: Corpus,
}

/// What has been done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Programs that ran.
    pub programs: u64,
    /// Programs that the checker or the loader refuses.
    pub refused: u64,
    /// Kernels whose result is open where the engines differ.
    pub excused: u64,
    /// Kernels that did not end within their limits.
    pub unended: u64,
    /// Launches by how they ended.
    pub endings: BTreeMap<String, u64>,
}

impl Count {
    /// A line that says what a module did, for [`Count::read`].
    pub fn line(agreed: Option<&Agreed>) -> String {
        match agreed {
            None => "refused".into(),
            Some(Agreed { endings, excused, unended }) => {
                format!("ran {excused} {unended} {}", endings.join(" "))
            }
        }
    }

    /// Counts what a line says, of which `word` is the first.
    pub fn read(&mut self, word: &str, rest: &str) {
        match word {
            "refused" => self.refused += 1,
            "ran" => {
                let mut words = rest.split_whitespace();
                let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
                self.excused += number();
                self.unended += number();
                self.programs += 1;
                words.for_each(|ending| *self.endings.entry(ending.to_owned()).or_default() += 1);
            }
            _ => {}
        }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} programs, {} refused, {} excused, {} did not end",
            self.programs, self.refused, self.excused, self.unended
        )
    }
}

impl Sources {
    /// Reads the table and the kernels of the workspace.
    pub fn read(root: &Path) -> Result<Sources, String> {
        let profiles = DEVICES.iter().filter_map(|name| Profile::named(name));
        Ok(Sources { forms: profiles.map(Forms::new).collect(), corpus: Corpus::read(root, MOST_LINES)? })
    }

    /// The program of a seed, with the device that it is for and whether it is a small one; `None` if it is refused.
    pub fn program(&self, seed: u64) -> Option<(&'static Profile, Vec<String>, bool)> {
        let mut random = Random::new(seed);
        // Most programs are for the default device.
        let forms = &self.forms[[0, 0, 0, 1, 2, 3][random.below(6)].min(self.forms.len() - 1)];
        if (1..=CHANGED).contains(&(seed % 100)) {
            let (profile, lines) = self.corpus.changed(&mut random);
            return Some((profile, lines, false));
        }
        let is_small = !seed.is_multiple_of(LARGE);
        let mut lines = match is_small {
            true => small::program(forms, &mut random),
            false => program::program(forms, &mut random).lines,
        };
        accepted(&mut lines).then_some((forms.profile, lines, is_small))
    }

    /// Makes the program of a seed and judges it; `None` if it is refused with good reason. An error has the program in
    /// it, made as small as it can be.
    pub fn judge(&self, seed: u64) -> Result<Option<Agreed>, String> {
        let Some((profile, lines, is_small)) = self.program(seed) else { return Ok(None) };
        let again = |lines: &[String]| try_lines(profile, lines, is_small, seed);
        again(&lines).map_err(|wrong| reduce::report(seed, lines, wrong, again))
    }
}

/// How the code of a program is made: it is cut at all places where it can be, at some, or as it is best, and lanes go alone
/// wherever they can, where it pays, or nowhere; words that lie close together are moved at once or not; and what lanes go
/// through one way is written once more wherever it can be, where it pays, or nowhere. Where lanes of a warp race, as they may in all but small programs, their order
/// counts: those do not go alone wherever they can.
fn tuning(seed: u64, is_small: bool) -> Tuning {
    let (least, most) = match seed % 4 {
        0 => (1, 1),
        1 => (8, 24),
        _ => (Tuning::default().least, Tuning::default().most),
    };
    let alone = match seed / 4 % 3 {
        1 if is_small => GoAlone::Always,
        2 => GoAlone::Never,
        _ => GoAlone::WhereItPays,
    };
    let avx512 = Tuning::has_avx512() && !(seed / 48).is_multiple_of(3);
    let one_way = match seed / 16 % 3 {
        0 => OneWay::Never,
        1 => OneWay::WhereItPays,
        _ => OneWay::Always,
    };
    Tuning { least, most, alone, close: !(seed / 12).is_multiple_of(4), one_way, avx512 }
}

/// Loads a module and has both engines run it.
fn try_lines(
    profile: &'static Profile,
    lines: &[String],
    is_small: bool,
    seed: u64,
) -> Result<Option<Agreed>, Wrong> {
    let source = lines.join("\n") + "\n";
    caught(|| {
        let device = Device::new(profile);
        let scene = if is_small { Scene::empty() } else { judge::scene(&device, &mut Random::new(seed))? };
        let Some(module) = judge::load(&device, &source)? else { return Ok(None) };
        agreement::engines(&module, &scene, seed, tuning(seed, is_small)).map(Some)
    })
}

/// Prints the program of a seed.
pub fn show(root: &Path, seed: u64) -> Result<(), String> {
    let sources = Sources::read(root)?;
    let (profile, lines, _) = sources.program(seed).ok_or("it is refused")?;
    println!("// {}\n{}", profile.name, lines.join("\n"));
    Ok(())
}
