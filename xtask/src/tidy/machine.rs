//! Nothing names one machine's folders, or the hosts from which packages come.

use super::Finding;
use super::tree::{SourceLine, Tree};

const ENDINGS: &[&str] = &["rs", "toml", "md", "sh", "run"];
const FOLDERS: &[&str] = &["/home/", "/root/", "/work/", "/tmp/"];
const HOSTS: &[&str] =
    &["crates.io", "index.crates", "static.crates", "pypi.org", "registry.npmjs", "deb.debian.org"];

/// Checks every file that people write.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut tests = None;
    for line in tree.lines(ENDINGS) {
        if line.text.trim() == "#[cfg(test)]" {
            tests = Some(line.path);
        }
        let is_test = tests == Some(line.path) || line.path.contains("/tests/");
        findings.extend(folders_in(line, is_test).chain(hosts_in(line)));
    }
    findings
}

/// Tests may name the temporary folder, if only as an example of a path from the root.
fn folders_in(line: SourceLine<'_>, is_test: bool) -> impl Iterator<Item = Finding> {
    let named = FOLDERS
        .iter()
        .filter(move |folder| starts_path(line.text, folder) && !(is_test && **folder == "/tmp/"));
    let remedy = "use a path from the repository's root, or std::env::temp_dir()";
    named.map(move |folder| {
        Finding::at(line.path, line.number, format!("{folder:?} is a folder of one machine"), remedy)
    })
}

fn hosts_in(line: SourceLine<'_>) -> impl Iterator<Item = Finding> {
    // One finding is enough where one name contains the other.
    let named = HOSTS.iter().find(|host| line.text.contains(**host));
    let remedy = "leave it to the configuration of cargo and the system";
    named
        .into_iter()
        .map(move |host| Finding::at(line.path, line.number, format!("names the host {host:?}"), remedy))
}

/// Whether the folder stands at the beginning of a path rather than within one.
fn starts_path(text: &str, folder: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || "_-.~}>)*".contains(c);
    text.match_indices(folder).any(|(start, _)| !text[..start].ends_with(goes_on))
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    const FILE: &str = "crates/cli/src/lib.rs";

    #[test]
    fn every_machine_folder_is_found() {
        for folder in FOLDERS {
            let sample = SampleRepository::sound()
                .with(FILE, &format!("//! Ours.\nconst OUT: &str = \"{folder}out\";\n"));
            sample.fails_only_with(check, &["lib.rs:2:", folder]);
        }
    }

    #[test]
    fn every_host_is_found_once() {
        for host in HOSTS {
            let sample = SampleRepository::sound().with("README.md", &format!("see https://{host}/\n"));
            sample.fails_only_with(check, &["README.md:1: names the host"]);
        }
    }

    #[test]
    fn scripts_are_read_too() {
        let sample = SampleRepository::sound().edited(".ci/run", "exec", "cd /work/main\nexec");
        sample.fails_only_with(check, &[".ci/run:3:"]);
    }

    #[test]
    fn a_path_that_only_passes_through_such_a_name_is_fine() {
        let sample = SampleRepository::sound()
            .with(FILE, "//! docs/work/plan.md, https://host/home/page, $HOME/tmp/a\n");
        assert_eq!(sample.findings(check), [""; 0]);
    }

    #[test]
    fn tests_may_name_the_temporary_folder_and_no_other() {
        let test = "#[cfg(test)]\nmod tests {\n    const OUT: &str = \"/tmp/pond\";\n}\n";
        assert_eq!(SampleRepository::sound().with(FILE, test).findings(check), [""; 0]);
        assert_eq!(
            SampleRepository::sound().with("crates/cli/tests/run.rs", "\"/tmp/pond\"\n").findings(check),
            [""; 0]
        );
        SampleRepository::sound()
            .with(FILE, &test.replace("/tmp/", "/root/"))
            .fails_only_with(check, &["lib.rs:3:"]);
    }
}
