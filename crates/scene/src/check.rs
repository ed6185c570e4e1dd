//! Reading a table against its schema: every key is checked, and all problems are reported at once.

use crate::colour;
use crate::defaults;
use crate::fence::Fence;
use crate::file::SceneFile;
use crate::numbers;
use crate::phrase::{self, quoted};
use crate::problem::{Problem, SceneErrors};
use crate::schema::{Absent, Key, Kind};
use crate::source_location::Span;
use crate::suggest;
use crate::timed::Timed;
use crate::tree::{Node, TomlTable, TomlValue};
use crate::values::{CheckedValue, ValueEntry, Values};

/// Number of times between 0 and the duration at which an expression is evaluated for its check.
const SAMPLES: u32 = 256;

/// Settings of the scene that the check of a section needs.
#[derive(Debug, Clone)]
pub(crate) struct CheckContext {
    pub duration: f64,
    pub scale: f64,
    pub fence: Fence,
}

/// Reads one table, with all its problems.
pub(crate) fn read(
    surroundings: &CheckContext,
    label: &str,
    header: &Span,
    table: &TomlTable,
    groups: &[&[Key]],
) -> Result<Values, SceneErrors> {
    let mut checker = Checker { surroundings, errors: SceneErrors::new() };
    let values = checker.table(label, header, table, groups);
    checker.errors.into_result().map(|()| values)
}

struct Checker<'s> {
    surroundings: &'s CheckContext,
    errors: SceneErrors,
}

impl Checker<'_> {
    fn table(&mut self, label: &str, header: &Span, table: &TomlTable, groups: &[&[Key]]) -> Values {
        let keys = || groups.iter().flat_map(|group| group.iter());
        for (name, node) in table.iter().filter(|(name, _)| !keys().any(|key| key.name == *name)) {
            let message = format!("unknown key {} in {label}", quoted(name));
            let remedy = suggest::remedy(name, keys().map(|key| key.name));
            self.errors.push(Problem::at(&node.key_span(), message, remedy));
        }
        let mut values = Values::new(header.clone());
        for key in keys() {
            let given = table.get(key.name);
            let held = match given {
                Some(node) => self.given(label, key, node),
                None => self.absent(label, key, header),
            };
            values.insert(key.name, ValueEntry { held, given: given.map(Node::span) });
        }
        values
    }

    /// The value of a key that was typed; a wrong one counts as absent once it is reported.
    fn given(&mut self, label: &str, key: &Key, node: &Node) -> CheckedValue {
        match self.value(label, key, node) {
            Ok(held) => held,
            Err(problem) => {
                self.errors.push(problem);
                CheckedValue::Absent
            }
        }
    }

    fn value(&mut self, label: &str, key: &Key, node: &Node) -> Result<CheckedValue, Problem> {
        // Numbers of keys marked `scaled` are multiplied by the scale of the run
        let scale = self.surroundings.scale;
        Ok(match key.kind {
            Kind::Number => {
                CheckedValue::Number(numbers::scaled(key, numbers::real(key, key.name, node)?, scale))
            }
            Kind::Integer => {
                CheckedValue::Integer(numbers::scaled_whole(key, numbers::whole(key, key.name, node)?, scale))
            }
            Kind::Flag => CheckedValue::Flag(flag(key, node)?),
            Kind::Text => CheckedValue::Text(text(key, "a text in quotes", node)?.to_owned()),
            Kind::Choice(words) => CheckedValue::Text(choice(key, words, node)?.to_owned()),
            Kind::Choices(words) => CheckedValue::Words(self.choices(key, words, node)),
            Kind::Vector(count) => {
                let numbers = self.components(key, count, node, numbers::real)?;
                CheckedValue::Vector(
                    numbers.into_iter().map(|number| numbers::scaled(key, number, scale)).collect(),
                )
            }
            Kind::Integers(count) => {
                let numbers = self.components(key, count, node, numbers::whole)?;
                CheckedValue::Integers(
                    numbers.into_iter().map(|number| numbers::scaled_whole(key, number, scale)).collect(),
                )
            }
            Kind::Colour => CheckedValue::Colour(self.colour(key, node)?),
            Kind::Timed => CheckedValue::Timed(self.timed(key, node)?),
            Kind::File => CheckedValue::File(self.file(key, node)?),
            Kind::Table(keys) => CheckedValue::Table(Box::new(self.nested(label, key, keys, node)?)),
            Kind::Tables(keys) => CheckedValue::Tables(self.several(label, key, keys, node)),
        })
    }

    fn absent(&mut self, label: &str, key: &Key, header: &Span) -> CheckedValue {
        match (key.default, key.kind) {
            (Absent::Required, _) => {
                let message = format!("{label} needs {}", quoted(key.name));
                self.errors.push(Problem::at(header, message, phrase::addition(key)));
                CheckedValue::Absent
            }
            (Absent::Optional(_), Kind::Table(keys)) => {
                CheckedValue::Table(Box::new(self.defaults(header, keys)))
            }
            (Absent::Optional(_), Kind::Tables(_)) => CheckedValue::Tables(Vec::new()),
            (Absent::Optional(_), _) => CheckedValue::Absent,
            _ => defaults::held(key, self.surroundings.scale),
        }
    }

    /// The values of a table that is absent altogether: its required keys are not required.
    fn defaults(&mut self, header: &Span, keys: &[Key]) -> Values {
        let mut values = Values::new(header.clone());
        for key in keys {
            let required = matches!(key.default, Absent::Required);
            let held = if required { CheckedValue::Absent } else { self.absent("", key, header) };
            values.insert(key.name, ValueEntry { held, given: None });
        }
        values
    }

    fn choices(
        &mut self,
        key: &Key,
        words: &'static [(&'static str, &'static str)],
        node: &Node,
    ) -> Vec<String> {
        let mut chosen: Vec<String> = Vec::new();
        for element in node.elements() {
            match choice(key, words, element) {
                Ok(word) if chosen.iter().any(|known| known == word) => {
                    let message = format!("{} names {} twice", key.name, quoted(word));
                    self.errors.push(Problem::at(&element.span(), message, "name it once"));
                }
                Ok(word) => chosen.push(word.to_owned()),
                Err(problem) => self.errors.push(problem),
            }
        }
        chosen
    }

    /// The components of a vector; problems with several of them are all reported.
    fn components<T>(
        &mut self,
        key: &Key,
        count: usize,
        node: &Node,
        component: impl Fn(&Key, &str, &Node) -> Result<T, Problem>,
    ) -> Result<Vec<T>, Problem> {
        let TomlValue::Array(elements) = &node.value else {
            let message =
                format!("{} must be {count} numbers in brackets, not {}", key.name, phrase::found(node));
            return Err(Problem::at(&node.span(), message, phrase::purpose(key)));
        };
        if elements.len() != count {
            let message = format!("{} must be {count} numbers in brackets, not {}", key.name, elements.len());
            return Err(Problem::at(&node.span(), message, phrase::purpose(key)));
        }
        let numbers = elements
            .iter()
            .enumerate()
            .map(|(at, element)| component(key, &format!("{}[{at}]", key.name), element));
        let (numbers, problems): (Vec<_>, Vec<_>) = numbers.partition(Result::is_ok);
        self.errors.extend(problems.into_iter().filter_map(Result::err));
        Ok(numbers.into_iter().flatten().collect())
    }

    fn colour(&mut self, key: &Key, node: &Node) -> Result<[f32; 3], Problem> {
        let remedy = "write \"#rrggbb\", or three linear numbers in brackets";
        match &node.value {
            TomlValue::Text(text) => colour::from_hex(text).ok_or_else(|| {
                let message = format!("{} is not a colour: {}", key.name, quoted(text));
                Problem::at(&node.span(), message, remedy)
            }),
            TomlValue::Array(elements) if elements.len() == 3 => {
                let light = Key::number(key.name).within(0.0, 1e9);
                let numbers = self.components(&light, 3, node, numbers::real)?;
                Ok(std::array::from_fn(|channel| numbers.get(channel).map_or(0.0, |light| *light as f32)))
            }
            _ => {
                let message = format!("{} must be a colour, not {}", key.name, phrase::found(node));
                Err(Problem::at(&node.span(), message, remedy))
            }
        }
    }

    fn timed(&self, key: &Key, node: &Node) -> Result<Timed, Problem> {
        let TomlValue::Text(text) = &node.value else {
            return numbers::real(key, key.name, node).map(Timed::constant);
        };
        let timed = Timed::expression(text, key, Some(&node.span())).map_err(|fault| {
            let span = inner_span(node, text, fault.range);
            Problem::at(&span, format!("{}: {}", key.name, fault.message), fault.remedy)
        })?;
        self.check_course(key, &timed, node)?;
        Ok(timed)
    }

    /// Evaluates an expression at times from 0 to the duration.
    fn check_course(&self, key: &Key, timed: &Timed, node: &Node) -> Result<(), Problem> {
        // An expression without t has one value, and no time
        if timed.is_constant() {
            let number = timed.at(0.0)?;
            return numbers::check(key, key.name, phrase::rounded(number, &key.range))
                .map_err(|(message, remedy)| Problem::at(&node.span(), message, remedy));
        }
        let time = |sample: u32| self.surroundings.duration * f64::from(sample) / f64::from(SAMPLES);
        (0..=SAMPLES).try_for_each(|sample| timed.at(time(sample)).map(|_| ()))
    }

    fn file(&self, key: &Key, node: &Node) -> Result<SceneFile, Problem> {
        let typed = text(key, "the name of a file in quotes", node)?;
        let span = node.span();
        let admitted = self.surroundings.fence.admit(span.source.folder.as_deref(), typed);
        admitted.map_err(|refusal| {
            Problem::at(&span, format!("{}: {}", key.name, refusal.message), refusal.remedy)
        })
    }

    fn nested(&mut self, label: &str, key: &Key, keys: &[Key], node: &Node) -> Result<Values, Problem> {
        let table = node.as_table().ok_or_else(|| {
            let message = format!("{} must be a table, not {}", key.name, phrase::found(node));
            Problem::at(
                &node.span(),
                message,
                format!("write [{}] with its keys below", phrase::header(label, key)),
            )
        })?;
        Ok(self.table(&format!("{label}.{}", key.name), &node.span(), table, &[keys]))
    }

    fn several(&mut self, label: &str, key: &Key, keys: &[Key], node: &Node) -> Vec<Values> {
        let mut tables = Vec::new();
        for (at, element) in node.elements().iter().enumerate() {
            match element.as_table() {
                Some(table) => {
                    let label = format!("{label}.{}.{at}", key.name);
                    tables.push(self.table(&label, &element.span(), table, &[keys]));
                }
                None => {
                    let message = format!("{} must be tables, not {}", key.name, phrase::found(element));
                    let remedy = format!("write [[{}]] with its keys below", phrase::header(label, key));
                    self.errors.push(Problem::at(&element.span(), message, remedy));
                }
            }
        }
        tables
    }
}

fn flag(key: &Key, node: &Node) -> Result<bool, Problem> {
    match node.value {
        TomlValue::Flag(flag) => Ok(flag),
        _ => {
            let message = format!("{} must be true or false, not {}", key.name, phrase::found(node));
            Err(Problem::at(&node.span(), message, "write true or false, without quotes"))
        }
    }
}

fn text<'n>(key: &Key, wanted: &str, node: &'n Node) -> Result<&'n str, Problem> {
    match &node.value {
        TomlValue::Text(text) => Ok(text),
        _ => {
            let message = format!("{} must be {wanted}, not {}", key.name, phrase::found(node));
            Err(Problem::at(&node.span(), message, phrase::purpose(key)))
        }
    }
}

fn choice<'n>(key: &Key, words: &[(&'static str, &'static str)], node: &'n Node) -> Result<&'n str, Problem> {
    let known = || words.iter().map(|(word, _)| *word);
    let word = text(key, "a word in quotes", node)
        .map_err(|problem| Problem { remedy: suggest::remedy("", known()), ..problem })?;
    if known().any(|known| known == word) {
        return Ok(word);
    }
    let message = format!("unknown {} {}", key.name, quoted(word));
    Err(Problem::at(&node.span(), message, suggest::remedy(word, known())))
}

/// The place of a part of a text: exact where the text was typed without escapes, else the whole text.
fn inner_span(node: &Node, text: &str, part: std::ops::Range<usize>) -> Span {
    let span = node.span();
    // Plain text, as overrides have it, stands without quotes.
    let start = span.range.start + usize::from(span.text() != text);
    let is_exact = span.source.text.get(start..).is_some_and(|rest| rest.starts_with(text));
    match is_exact {
        true => Span { range: start + part.start..start + part.end, source: span.source },
        false => span,
    }
}
