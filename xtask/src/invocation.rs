//! A program with its arguments and environment, which can be run, and printed for the user to repeat it.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// A command line.
#[derive(Debug, Clone)]
pub struct Invocation {
    program: String,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Invocation {
    /// A program with arguments.
    pub fn new(program: impl Into<String>, arguments: &[&str]) -> Invocation {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Invocation { program: program.into(), arguments, environment: Vec::new() }
    }

    /// Cargo with arguments.
    pub fn cargo(arguments: &[&str]) -> Invocation {
        Invocation::new("cargo", arguments)
    }

    /// The same with more arguments.
    pub fn and(mut self, arguments: &[String]) -> Invocation {
        self.arguments.extend_from_slice(arguments);
        self
    }

    /// The same with a variable of the environment.
    pub fn with(mut self, variable: &str, value: &str) -> Invocation {
        self.environment.push((variable.to_owned(), value.to_owned()));
        self
    }

    /// Runs it in `folder`; what it prints goes where our own output goes.
    pub fn run(&self, folder: &Path) -> Result<()> {
        let status = self.command(folder).status().with_context(|| format!("could not start `{self}`"))?;
        if !status.success() {
            bail!("`{self}` failed ({status})");
        }
        Ok(())
    }

    /// Runs it in `folder` and hands back what it prints.
    pub fn output(&self, folder: &Path) -> Result<String> {
        let mut command = self.command(folder);
        let output =
            command.stderr(Stdio::inherit()).output().with_context(|| format!("could not start `{self}`"))?;
        if !output.status.success() {
            bail!("`{self}` failed ({})", output.status);
        }
        String::from_utf8(output.stdout)
            .with_context(|| format!("`{self}` printed something that is not UTF-8"))
    }

    /// Whether it can be started in `folder` and succeeds; it prints nothing.
    pub fn succeeds(&self, folder: &Path) -> bool {
        let status = self.command(folder).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(self.resolved());
        let environment = self.environment.iter().map(|(variable, value)| (variable, value));
        command.args(&self.arguments).envs(environment).current_dir(folder);
        command
    }

    // The cargo that started us, not another that happens to come first in the search path.
    fn resolved(&self) -> OsString {
        let outer = if self.program == "cargo" { std::env::var_os("CARGO") } else { None };
        outer.unwrap_or_else(|| OsString::from(&self.program))
    }
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (variable, value) in &self.environment {
            write!(f, "{variable}={} ", quoted(value))?;
        }
        write!(f, "{}", quoted(&self.program))?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {}", quoted(argument)))
    }
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_as_it_would_be_typed() {
        let docs = Invocation::cargo(&["doc", "--no-deps"]).with("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(docs.to_string(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
        let odd = Invocation::new("echo", &["it's", ""]);
        assert_eq!(odd.to_string(), r"echo 'it'\''s' ''");
    }

    #[test]
    fn output_is_handed_back_and_failure_names_the_command() {
        let here = std::env::temp_dir();
        let version = Invocation::cargo(&["--version"]);
        assert!(version.output(&here).unwrap().starts_with("cargo"));
        assert!(version.succeeds(&here));
        let wrong = Invocation::cargo(&["--no-such-option"]);
        assert!(!wrong.succeeds(&here));
        assert!(wrong.output(&here).unwrap_err().to_string().contains("cargo --no-such-option"));
    }

    #[test]
    fn a_missing_program_is_an_error_not_a_panic() {
        let missing = Invocation::new("no-such-program-anywhere", &[]);
        assert!(missing.run(&std::env::temp_dir()).unwrap_err().to_string().contains("could not start"));
    }
}
