//! Adds the switches of `ptxvm_settings` to command lines and launch lines.

use std::marker::PhantomData;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use ptxvm_settings::{SWITCHES, Said, Switch, Takes, Who};

/// The switch that has a word for all of its values. The word belongs to a command line with `--seeds`: a launch has one
/// value, and so have launch lines and the environment.
const ASYNC: &str = "async";
const ALL: &str = "all";
const ALL_HELP: &str = "Each of these in turn, with --seeds";

/// Which switches of the list a command line takes, and whose help it shows.
pub trait Part {
    fn takes(who: Who) -> bool;

    fn help(switch: &Switch) -> &'static str {
        switch.help
    }
}

/// Those of a launch line, which `ptxvm run` takes too.
#[derive(Clone, Debug, Default)]
pub struct OfFile;

/// The others of `ptxvm run`.
#[derive(Clone, Debug, Default)]
pub struct OfRun;

/// Those of `ptxvm exec`: all of them.
#[derive(Clone, Debug, Default)]
pub struct OfExec;

impl Part for OfFile {
    fn takes(who: Who) -> bool {
        who == Who::File
    }
}

impl Part for OfRun {
    fn takes(who: Who) -> bool {
        who == Who::Run
    }
}

impl Part for OfExec {
    fn takes(_: Who) -> bool {
        true
    }

    fn help(switch: &Switch) -> &'static str {
        switch.exec_help.unwrap_or(switch.help)
    }
}

/// What a command line says of its part of the list.
#[derive(Clone, Debug, Default)]
pub struct Switches<P> {
    pub said: Said,
    /// Whether `--async all` was said.
    pub every_asynchrony: bool,
    part: PhantomData<P>,
}

impl<P> Switches<P> {
    /// This, and what it leaves open from another.
    pub fn over(self, other: &Self) -> Self {
        let said = self.said.over(&other.said);
        Self { said, every_asynchrony: self.every_asynchrony || other.every_asynchrony, part: PhantomData }
    }
}

fn part<P: Part>() -> impl Iterator<Item = &'static Switch> {
    SWITCHES.iter().filter(|switch| P::takes(switch.who))
}

fn argument<P: Part>(switch: &'static Switch) -> Arg {
    let argument = Arg::new(switch.name).long(switch.name).help(P::help(switch));
    match switch.takes {
        Takes::Nothing => argument.action(ArgAction::SetTrue),
        Takes::Value(name) => {
            let parse = |text: &str| switch.canonical(text).map(|_| text.to_owned());
            argument.value_name(name).value_parser(parse)
        }
        Takes::Optional(name, without) => {
            let parse = |text: &str| switch.canonical(text).map(|_| text.to_owned());
            let argument = argument.value_name(name).value_parser(parse);
            argument.num_args(0..=1).require_equals(true).default_missing_value(without)
        }
        Takes::OneOf(name, words) => {
            let described = |&(word, help): &(&'static str, &'static str)| {
                let value = PossibleValue::new(word);
                if help.is_empty() { value } else { value.help(help) }
            };
            let all = (switch.name == ASYNC).then(|| PossibleValue::new(ALL).help(ALL_HELP));
            let words = words.iter().map(described).chain(all);
            argument.value_name(name).value_parser(PossibleValuesParser::new(words))
        }
    }
}

impl<P: Part> Args for Switches<P> {
    fn augment_args(command: Command) -> Command {
        command.args(part::<P>().map(argument::<P>))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<P: Part> FromArgMatches for Switches<P> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut switches = Self { said: Said::default(), every_asynchrony: false, part: PhantomData };
        switches.update_from_arg_matches(matches)?;
        Ok(switches)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for switch in part::<P>() {
            let text = match switch.takes {
                Takes::Nothing => matches.get_flag(switch.name).then_some("1"),
                _ => matches.get_one::<String>(switch.name).map(String::as_str),
            };
            if switch.name == ASYNC && text == Some(ALL) {
                self.every_asynchrony = true;
            } else if let Some(text) = text {
                let said = self.said.say(switch, text);
                said.map_err(|why| Error::raw(clap::error::ErrorKind::ValueValidation, why))?;
            }
        }
        Ok(())
    }
}
