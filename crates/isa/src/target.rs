//! Targets and versions: which `.target` and `.version` a form needs, and whether a module has them.
//!
//! A plain target (`sm_90`) includes everything of the targets before it. An architecture-specific one (`sm_90a`)
//! adds features found nowhere else; a family-specific one (`sm_100f`) adds features shared by its family.

use std::fmt;

/// A PTX ISA version, such as 9.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The part before the dot.
    pub major: u8,
    /// The part after the dot.
    pub minor: u8,
}

impl Version {
    /// The version `major.minor`.
    pub const fn new(major: u8, minor: u8) -> Version {
        Version { major, minor }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What follows the number in a target's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suffix {
    /// `sm_90`
    Plain,
    /// `sm_100f`
    Family,
    /// `sm_90a`
    Arch,
}

/// A target architecture, such as `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The number: 90 in `sm_90a`.
    pub sm: u16,
    /// The letter after it.
    pub suffix: Suffix,
}

impl Target {
    /// Reads `sm_90a`; `None` when it is not of that form. Whether such a target exists is the table's business.
    pub fn parse(text: &str) -> Option<Target> {
        let rest = text.strip_prefix("sm_")?;
        let (digits, suffix) = match rest.as_bytes().last()? {
            b'a' => (&rest[..rest.len() - 1], Suffix::Arch),
            b'f' => (&rest[..rest.len() - 1], Suffix::Family),
            _ => (rest, Suffix::Plain),
        };
        if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        Some(Target { sm: digits.parse().ok()?, suffix })
    }

    /// Whether a module for `self` may use what `need` names.
    ///
    /// A plain need asks for that architecture or a later one; `a` for exactly that target; `f` for a
    /// suffixed target of the same family, not earlier than the one named.
    pub fn meets(self, need: Target) -> bool {
        match need.suffix {
            Suffix::Plain => self.sm >= need.sm,
            Suffix::Arch => self.suffix == Suffix::Arch && modern(self.sm) == modern(need.sm),
            Suffix::Family => {
                self.suffix != Suffix::Plain
                    && family(self.sm) == family(need.sm)
                    && modern(self.sm) >= modern(need.sm)
            }
        }
    }
}

/// PTX 9.0 renamed sm_101 to sm_110; both names mean one chip.
fn modern(sm: u16) -> u16 {
    if sm == 101 { 110 } else { sm }
}

/// The family a chip belongs to, named by its first member.
fn family(sm: u16) -> u16 {
    match modern(sm) {
        103 | 107 => 100,
        121 => 120,
        other => other,
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.suffix {
            Suffix::Plain => "",
            Suffix::Family => "f",
            Suffix::Arch => "a",
        };
        write!(f, "sm_{}{letter}", self.sm)
    }
}

/// One way to be allowed: at least this version, and one of these targets (none listed: any target).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// The least `.version`.
    pub ptx: Version,
    /// The targets, any of which will do.
    pub targets: &'static [Target],
}

/// What a form asks of the module: any one of these platforms (none listed: nothing).
pub type Need = &'static [Platform];

/// The `.version` and `.target` a module is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Language {
    /// The module's `.version`.
    pub ptx: Version,
    /// The module's `.target`.
    pub target: Target,
}

impl Language {
    /// Whether the module's target is among those listed (an empty list admits every target).
    pub fn targets(self, targets: &[Target]) -> bool {
        targets.is_empty() || targets.iter().any(|&t| self.target.meets(t))
    }

    /// Whether the module may use what asks for `need`.
    pub fn meets(self, need: &[Platform]) -> bool {
        need.is_empty() || need.iter().any(|p| self.ptx >= p.ptx && self.targets(p.targets))
    }
}

/// Writes a need as a person would read it: `PTX 8.6+ on sm_100a, or PTX 8.8+ on the sm_100f family`.
pub fn describe_need(need: &[Platform]) -> String {
    let one = |p: &Platform| {
        let mut text = format!("PTX {}+", p.ptx);
        if !p.targets.is_empty() {
            let names: Vec<String> = p.targets.iter().map(describe_target).collect();
            text += &format!(" on {}", names.join(" or "));
        }
        text
    };
    need.iter().map(one).collect::<Vec<_>>().join(", or ")
}

fn describe_target(target: &Target) -> String {
    match target.suffix {
        Suffix::Plain => format!("{target}+"),
        Suffix::Family => format!("the {target} family"),
        Suffix::Arch => target.to_string(),
    }
}
