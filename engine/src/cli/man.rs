//! `deadheat-load man`: the manual page, made from the options themselves.

use super::outcome::EXIT_CODES;
use clap::{Arg, Command};
use std::fmt::Write;

/// A page of section 1 for `command`, whose help goes on with `after`: paragraphs that begin with
/// what they are about and a colon.
pub fn page(command: &mut Command, after: &str) -> String {
    command.build();
    let version = command.get_version().unwrap_or_default();
    let mut page = format!(
        ".TH DEADHEAT\\-LOAD 1 \"\" \"deadheat\\-load {version}\" \"User Commands\"\n.SH NAME\n"
    );
    let about = command.get_about().map(ToString::to_string);
    let _ = writeln!(
        page,
        "deadheat\\-load \\- {}",
        text(&about.unwrap_or_default())
    );
    page += ".SH SYNOPSIS\n";
    let usage = command.render_usage().to_string();
    for line in usage.trim_start_matches("Usage:").lines() {
        let _ = write!(page, "{}\n.br\n", text(line.trim()));
    }
    let mut heading = String::new();
    for argument in shown(command) {
        let its = argument
            .get_help_heading()
            .unwrap_or(match argument.is_positional() {
                true => "Arguments",
                false => "Options",
            });
        if its != heading {
            heading = its.to_owned();
            let _ = writeln!(page, ".SH \"{}\"", text(&heading.to_uppercase()));
        }
        listed(argument, &mut page);
    }
    page += ".SH COMMANDS\n";
    for verb in command.get_subcommands() {
        verb_section(verb, "deadheat-load", &mut page);
    }
    for paragraph in after.split("\n\n") {
        after_section(paragraph, &mut page);
    }
    page += ".SH EXIT STATUS\n";
    for (code, means) in EXIT_CODES {
        let _ = write!(page, ".TP\n.B {code}\n{}\n", text(means));
    }
    page
}

/// Arguments that --help shows, in its order: those without a heading first.
fn shown(command: &Command) -> Vec<&Arg> {
    let mut arguments: Vec<&Arg> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
        .collect();
    let mut headings = vec![None];
    for argument in &arguments {
        if !headings.contains(&argument.get_help_heading()) {
            headings.push(argument.get_help_heading());
        }
    }
    let place = |argument: &&Arg| {
        let heading = argument.get_help_heading();
        let place = headings.iter().position(|other| *other == heading);
        (place, !argument.is_positional())
    };
    arguments.sort_by_key(place);
    arguments
}

/// One option: its names with what it takes, what it does, what it may be.
fn listed(argument: &Arg, page: &mut String) {
    let mut names = Vec::new();
    names.extend(argument.get_short().map(|short| format!("-{short}")));
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    let takes = argument.get_action().takes_values();
    let values: Vec<String> = argument
        .get_value_names()
        .filter(|_| takes)
        .unwrap_or_default()
        .iter()
        .map(|name| format!("<{name}>"))
        .collect();
    let names = [vec![names.join(", ")], values].concat().join(" ");
    let _ = write!(page, ".TP\n.B {}\n", text(names.trim()));
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let mut said = help.map(ToString::to_string).unwrap_or_default();
    let possible: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|_| takes)
        .map(|value| match value.get_help() {
            Some(help) => format!("{} ({})", value.get_name(), help),
            None => value.get_name().to_owned(),
        })
        .collect();
    if !possible.is_empty() {
        let _ = write!(said, ". One of: {}", possible.join("; "));
    }
    let defaults = argument.get_default_values();
    if let Some(default) = defaults.first().filter(|_| takes) {
        let _ = write!(said, " [default: {}]", default.to_string_lossy());
    }
    let _ = writeln!(page, "{}", text(&said.replace('\n', " ")));
}

/// A verb with its options, and the verbs below it.
fn verb_section(verb: &Command, above: &str, page: &mut String) {
    if verb.get_name() == "help" {
        return;
    }
    let name = format!("{above} {}", verb.get_name());
    let about = verb.get_about().map(ToString::to_string);
    let _ = writeln!(page, ".SS \"{}\"", text(&name));
    let _ = writeln!(page, "{}", text(&about.unwrap_or_default()));
    for argument in shown(verb) {
        listed(argument, page);
    }
    for below in verb.get_subcommands() {
        verb_section(below, &name, page);
    }
}

/// `Name: words` is a section; where lines follow its name they stay lines.
fn after_section(paragraph: &str, page: &mut String) {
    let Some((name, rest)) = paragraph.split_once(':') else {
        return;
    };
    // These stand in a table of their own.
    if name == "Exit codes" {
        return;
    }
    let name = match name.contains(',') {
        true => "See also",
        false => name,
    };
    let _ = writeln!(page, ".SH \"{}\"", text(&name.to_uppercase()));
    match rest.strip_prefix('\n') {
        Some(lines) => {
            page.push_str(".nf\n");
            for line in lines.lines() {
                let _ = writeln!(page, "{}", text(line));
            }
            page.push_str(".fi\n");
        }
        None => {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let _ = writeln!(page, "{}", text(&words.join(" ")));
        }
    }
}

/// With what roff would read otherwise escaped.
fn text(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('\'', "\\(aq")
        .replace('"', "\\(dq");
    match escaped.starts_with('.') {
        true => format!("\\&{escaped}"),
        false => escaped,
    }
}
