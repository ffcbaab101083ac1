//! What somebody has said of the switches, and what becomes of it when several have a say.

use crate::choices::Choices;
use crate::list::SWITCHES;
use crate::switch::Switch;

/// The values that one command line, one launch line or one environment gives to switches.
#[derive(Clone, Debug, Default)]
pub struct Said {
    values: Vec<(&'static Switch, String)>,
}

impl Said {
    /// Says a value, after any that was said before.
    ///
    /// # Errors
    /// A sentence if the switch has no such value.
    pub fn say(&mut self, switch: &'static Switch, text: &str) -> Result<(), String> {
        let value = switch.canonical(text)?;
        self.values.retain(|(other, _)| other.name != switch.name);
        self.values.push((switch, value));
        Ok(())
    }

    /// What the environment says of those switches that `asked` names. What cannot be read is told to `complain`, with the
    /// variable's name, and left out. An empty variable says nothing.
    pub fn from_environment(asked: impl Fn(&Switch) -> bool, mut complain: impl FnMut(String)) -> Said {
        let mut said = Said::default();
        for switch in SWITCHES.iter().filter(|switch| asked(switch)) {
            let variable = switch.variable();
            let Some(text) = std::env::var_os(&variable).filter(|text| !text.is_empty()) else { continue };
            let text = text.to_string_lossy();
            if let Err(why) = said.say(switch, &text) {
                complain(format!("{variable}={text}: {why}"));
            }
        }
        said
    }

    /// This, and what it leaves open from another.
    #[must_use]
    pub fn over(mut self, other: &Said) -> Said {
        let open = other.values.iter().filter(|(switch, _)| self.of(switch.name).is_none());
        let open: Vec<_> = open.cloned().collect();
        self.values.extend(open);
        self
    }

    /// The switches and values, as the environment has them.
    pub fn values(&self) -> impl Iterator<Item = (&'static Switch, &str)> {
        self.values.iter().map(|(switch, value)| (*switch, value.as_str()))
    }

    /// Whether something was said of a switch.
    pub fn says(&self, name: &str) -> bool {
        self.of(name).is_some()
    }

    /// What was said of one switch.
    fn of(&self, name: &str) -> Option<&str> {
        self.values().find_map(|(switch, value)| (switch.name == name).then_some(value))
    }

    /// What follows from it: defaults for what nobody has said, and as many threads as the host has room for.
    #[must_use]
    pub fn choices(&self) -> Choices {
        let mut choices = Choices::default();
        for (switch, value) in self.values() {
            let read = (switch.set)(&mut choices, value);
            debug_assert!(read.is_ok(), "{switch:?} reads what it shows");
        }
        choices.settings.threads = ptxvm_host::threads(choices.settings.threads);
        choices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pairs: &[(&str, &str)]) -> Said {
        let mut said = Said::default();
        for (name, text) in pairs {
            let switch = SWITCHES.iter().find(|switch| switch.name == *name).expect("it is in the list");
            said.say(switch, text).expect("a value");
        }
        said
    }

    #[test]
    fn what_is_said_last_or_above_counts() {
        let line = said(&[("seed", "5"), ("max-instructions", "10M"), ("timeout", "2min")]);
        let user = said(&[("seed", "6"), ("seed", "7"), ("threads", "2")]);
        let settings = user.over(&line).choices().settings;
        assert_eq!((settings.seed, settings.threads), (7, 2));
        assert_eq!(settings.max_instructions, Some(10_000_000));
        assert_eq!(settings.timeout, Some(std::time::Duration::from_secs(120)));
        assert!(!settings.statistics);
    }

    #[test]
    fn values_are_passed_on_as_plain_numbers_and_names() {
        let said = said(&[("timeout", "1500ms"), ("max-memory", "2K"), ("threads", "0"), ("stats", "yes")]);
        let values: Vec<_> = said.values().map(|(switch, value)| (switch.variable(), value)).collect();
        let expected = [
            ("PTXVM_TIMEOUT", "1.5"),
            ("PTXVM_MAX_MEMORY", "2048"),
            ("PTXVM_THREADS", "0"),
            ("PTXVM_STATS", "1"),
        ];
        assert_eq!(values, expected.map(|(name, value)| (name.to_owned(), value)));
        assert!(said.choices().settings.threads > 0, "0 is one for each core");
    }
}
