//! Outside crates/models no text in the code names a model: what depends on one is data of its entry.
//!
//! Judged are the sources of all other crates. Tests, checks, benchmarks, examples and comments choose a model as a user
//! does, by its name, and are left out.

use super::Finding;
use super::tree::Tree;

const MODELS: &str = "crates/models/";

/// Files and folders of code that only tries a model out.
const TRIALS: &[&str] = &["tests", "validation", "bench"];

const REMEDY: &str = "ask the model's entry instead: its sections, answers and dimension";

/// Checks every text in the code of every crate but that of the models.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let names = model_names(tree);
    let mut findings = Vec::new();
    for (path, source) in tree.written(&["rs"]).filter(|(path, _)| is_judged(path)) {
        for literal in literals(source.unwrap_or_default()) {
            if let Some(name) = names.iter().find(|name| speaks_of(&literal.text, name)) {
                let problem = format!("a text names the model {name:?}");
                findings.push(Finding::at(path, literal.line, problem, REMEDY));
            }
        }
    }
    findings
}

fn is_judged(path: &str) -> bool {
    let is_source = path.starts_with("crates/") && path.contains("/src/") && !path.starts_with(MODELS);
    let is_trial = |name: &str| path.ends_with(&format!("/{name}.rs")) || path.contains(&format!("/{name}/"));
    is_source && !TRIALS.iter().any(|name| is_trial(name))
}

/// The names in all entries of models.
fn model_names(tree: &Tree) -> Vec<String> {
    let mut names = Vec::new();
    for path in tree.below("crates/models/src").filter(|path| path.ends_with(".rs")) {
        let text = tree.text(path).unwrap_or_default();
        for entry in text.split("ModelEntry = ModelEntry {").skip(1) {
            let name = entry.split_once("name: \"").and_then(|(_, rest)| rest.split_once('"'));
            names.extend(name.map(|(name, _)| name.to_owned()));
        }
    }
    names
}

/// Whether a text is the name of a model, gives it as a kind, or holds it where it can mean nothing else.
fn speaks_of(text: &str, name: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut places = text.match_indices(name).filter(|(start, _)| {
        !text[..*start].ends_with(is_inner) && !text[start + name.len()..].starts_with(is_inner)
    });
    let is_kind = |before: &str| {
        let before = before.trim_end_matches(['\'', '"', '\\']).trim_end();
        before.strip_suffix('=').is_some_and(|key| key.trim_end().ends_with("kind"))
    };
    text == name || places.any(|(start, _)| name.contains('-') || is_kind(&text[..start]))
}

/// A text in the code.
struct RustLiteral {
    line: usize,
    text: String,
}

/// All texts in a source, but for comments and what is only there for tests.
fn literals(source: &str) -> Vec<RustLiteral> {
    let mut scanner = Scanner { rest: source, line: 1 };
    let mut found = Vec::new();
    let mut skipped = Skipped::Nothing;
    while let Some(token) = scanner.next_token() {
        skipped = skipped.after(&token);
        if let (RustToken::Text(text, line), Skipped::Nothing) = (token, skipped) {
            found.push(RustLiteral { line, text });
        }
    }
    found
}

/// The tokens of a source that matter.
enum RustToken {
    Text(String, usize),
    ForTests,
    Open,
    Close,
    End,
    Other,
}

/// Whether an item that is only there for tests is being passed over.
#[derive(Clone, Copy)]
enum Skipped {
    Nothing,
    /// Its header.
    Head,
    /// Its body, at this depth of braces.
    Body(usize),
}

impl Skipped {
    fn after(self, token: &RustToken) -> Skipped {
        match (self, token) {
            (Skipped::Nothing, RustToken::ForTests) => Skipped::Head,
            (Skipped::Head, RustToken::End) | (Skipped::Body(1), RustToken::Close) => Skipped::Nothing,
            (Skipped::Head, RustToken::Open) => Skipped::Body(1),
            (Skipped::Body(depth), RustToken::Open) => Skipped::Body(depth + 1),
            (Skipped::Body(depth), RustToken::Close) => Skipped::Body(depth - 1),
            (same, _) => same,
        }
    }
}

struct Scanner<'s> {
    rest: &'s str,
    line: usize,
}

impl Scanner<'_> {
    fn next_token(&mut self) -> Option<RustToken> {
        let first = self.rest.chars().next()?;
        let line = self.line;
        let hashes = self.rest.strip_prefix('r').map(|rest| rest.len() - rest.trim_start_matches('#').len());
        let is_raw = hashes.is_some_and(|hashes| self.rest[1 + hashes..].starts_with('"'));
        if self.rest.starts_with("//") {
            self.take_to("\n");
            return Some(RustToken::Other);
        }
        if self.rest.starts_with("/*") {
            self.take_to("*/");
            return Some(RustToken::Other);
        }
        if let (true, Some(hashes)) = (is_raw, hashes) {
            self.take(2 + hashes);
            let text = self.take_to(&format!("\"{}", "#".repeat(hashes)));
            return Some(RustToken::Text(text, line));
        }
        if first == '"' {
            self.take(1);
            return Some(RustToken::Text(self.take_quoted(), line));
        }
        if self.rest.starts_with("#[cfg(test)]") {
            self.take("#[cfg(test)]".len());
            return Some(RustToken::ForTests);
        }
        // A letter in quotes may be a quote or a brace; anything else behind one quote is a lifetime
        if first == '\'' && self.take_letter() {
            return Some(RustToken::Other);
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = self.rest.len() - self.rest.trim_start_matches(is_word).len();
        self.take(word.max(first.len_utf8()));
        Some(match first {
            '{' => RustToken::Open,
            '}' => RustToken::Close,
            ';' => RustToken::End,
            _ => RustToken::Other,
        })
    }

    fn take(&mut self, bytes: usize) -> String {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken.to_owned()
    }

    /// Takes everything to a mark, and the mark; gives what is before it.
    fn take_to(&mut self, mark: &str) -> String {
        let length = self.rest.find(mark).unwrap_or(self.rest.len());
        let taken = self.take(length);
        self.take(mark.len().min(self.rest.len()));
        taken
    }

    /// The rest of a text to its closing quote.
    fn take_quoted(&mut self) -> String {
        let mut is_escaped = false;
        let end = self.rest.find(|c: char| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        });
        let taken = self.take(end.unwrap_or(self.rest.len()));
        self.take(1.min(self.rest.len()));
        taken
    }

    /// Takes a letter in single quotes, if there is one.
    fn take_letter(&mut self) -> bool {
        let mut letters = self.rest.char_indices().skip(1);
        let end = match letters.next() {
            Some((_, '\\')) => self.rest.get(3..).and_then(|rest| rest.find('\'')).map(|at| at + 4),
            Some(_) => letters.next().filter(|(_, c)| *c == '\'').map(|(at, _)| at + 1),
            None => None,
        };
        end.map(|end| self.take(end)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::SampleRepository;
    use super::*;

    const FILE: &str = "crates/cli/src/palette.rs";

    fn with(source: &str) -> SampleRepository {
        SampleRepository::sound().with(FILE, source)
    }

    #[test]
    fn a_text_that_names_a_model_is_found_with_its_line() {
        let named = "fn a(name: &str) -> bool {\n    name == \"sine-waves\"\n}\n";
        with(named).fails_only_with(check, &["crates/cli/src/palette.rs:2:", "\"sine-waves\"", "answers"]);
        with("const A: &str = \"only sine-waves can\";\n").fails_only_with(check, &["palette.rs:1:"]);
        with("const A: &str = r#\"\nkind = \"sine-waves\"\n\"#;\n")
            .fails_only_with(check, &["palette.rs:1:"]);
        with("fn a(c: char) -> bool { c == '\"' }\nconst A: &str = \"sine-waves\";\n")
            .fails_only_with(check, &["palette.rs:2:"]);
    }

    #[test]
    fn an_english_word_names_a_model_only_alone_or_as_a_kind() {
        let sample = || {
            let entry = "static ENTRY: ModelEntry = ModelEntry {\n    name: \"liquid\",\n};\n";
            SampleRepository::sound().with("crates/models/src/waves/liquid.rs", entry)
        };
        let passing = "const A: &str = \"the liquid is at rest\";\n";
        assert_eq!(sample().with(FILE, passing).findings(check), [""; 0]);
        for text in ["const A: &str = \"liquid\";\n", "const A: &str = \"[[water]]\\nkind = 'liquid'\";\n"] {
            sample().with(FILE, text).fails_only_with(check, &["\"liquid\""]);
        }
    }

    #[test]
    fn comments_tests_and_longer_words_pass() {
        let source = "//! Not only \"sine-waves\".\n/// `\"sine-waves\"` /* */\n/* \"sine-waves\" */\n\
            fn a<'a>(b: &'a str) -> &'a str { b }\nconst B: &str = \"cosine-waves, sine-waves-2\";\n\
            #[cfg(test)]\nmod sample;\n\
            #[cfg(test)]\nmod tests {\n    fn c() { let _ = (\"sine-waves\", '}', \"}\"); }\n}\n";
        assert_eq!(with(source).findings(check), [""; 0]);
        let named = "const A: &str = \"sine-waves\";\n";
        for path in ["cli/tests/a.rs", "cli/src/a/tests.rs", "cli/examples/a.rs", "render/src/bench.rs"] {
            let path = &format!("crates/{path}");
            assert_eq!(SampleRepository::sound().with(path, named).findings(check), [""; 0], "{path}");
        }
        let below = format!("#[cfg(test)]\nmod tests {{\n    fn c() {{}}\n}}\n{named}");
        with(&below).fails_only_with(check, &["palette.rs:5:"]);
    }
}
