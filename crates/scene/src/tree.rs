//! The TOML text as a tree in which every node has its source location.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use toml::de::{DeTable, DeValue, Error};

use crate::depth;
use crate::problem::{Problem, SceneErrors};
use crate::source_location::{SourceText, Span};

/// Maximum nesting depth of tables and arrays.
pub(crate) const DEEPEST: usize = 32;
/// Maximum number of syntax errors shown per file.
const SYNTAX_ERRORS: usize = 20;

pub(crate) type TomlTable = BTreeMap<String, Node>;

/// A value with its place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    source: Arc<SourceText>,
    /// Where its key stands; for an element of an array, where the element stands.
    key: Range<usize>,
    /// Where the value stands; for a table, its header.
    range: Range<usize>,
    pub value: TomlValue,
}

/// A TOML value.
#[derive(Debug, Clone)]
pub(crate) enum TomlValue {
    Text(String),
    Integer(i64),
    Float(f64),
    Flag(bool),
    Date(String),
    Array(Vec<Node>),
    Table(TomlTable),
}

impl Node {
    pub fn new(source: &Arc<SourceText>, key: Range<usize>, range: Range<usize>, value: TomlValue) -> Node {
        Node { source: source.clone(), key, range, value }
    }

    pub fn span(&self) -> Span {
        Span::new(&self.source, self.range.clone())
    }

    pub fn key_span(&self) -> Span {
        Span::new(&self.source, self.key.clone())
    }

    pub fn as_table(&self) -> Option<&TomlTable> {
        match &self.value {
            TomlValue::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The tables of an array of tables, or the one table that stands alone.
    pub fn elements(&self) -> &[Node] {
        match &self.value {
            TomlValue::Array(elements) => elements,
            _ => std::slice::from_ref(self),
        }
    }

    /// The node at a path like `size.0`, below this one.
    pub fn descend(&self, path: &str) -> Option<&Node> {
        path.split('.').try_fold(self, |node, step| match &node.value {
            TomlValue::Table(table) => table.get(step),
            TomlValue::Array(elements) => elements.get(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// A node that lies more than `levels` levels below this one.
    fn deeper_than(&self, levels: usize) -> Option<&Node> {
        match &self.value {
            TomlValue::Array(elements) => deepest(elements, levels),
            TomlValue::Table(table) => deepest(table.values(), levels),
            _ => None,
        }
    }
}

fn deepest<'n>(children: impl IntoIterator<Item = &'n Node>, levels: usize) -> Option<&'n Node> {
    children.into_iter().find_map(|node| if levels == 0 { Some(node) } else { node.deeper_than(levels - 1) })
}

/// Refuses a text that is too deep to be parsed.
fn refuse_depth(source: &Arc<SourceText>, shift: usize, text: &str) -> Result<(), SceneErrors> {
    let deep = depth::too_deep(text).map(|deep| deep.start + shift..deep.end + shift);
    deep.map_or(Ok(()), |deep| Err(nested_too_deep(&Span::new(source, deep)).into()))
}

fn nested_too_deep(span: &Span) -> Problem {
    Problem::at(
        span,
        "nested too deep",
        format!("at most {DEEPEST} levels of tables and brackets are accepted"),
    )
}

/// Refuses a tree that is too deep to be meant.
pub(crate) fn check_depth(root: &TomlTable) -> SceneErrors {
    let deep = root.values().filter_map(|node| node.deeper_than(DEEPEST));
    deep.map(|node| nested_too_deep(&node.key_span())).collect()
}

/// Reads a whole TOML text.
pub(crate) fn parse(source: &Arc<SourceText>) -> Result<TomlTable, SceneErrors> {
    refuse_depth(source, 0, &source.text)?;
    let (document, failures) = DeTable::parse_recoverable(&source.text);
    if !failures.is_empty() {
        return Err(syntax_errors(source, &failures));
    }
    let mut builder = Builder { source, shift: 0, errors: SceneErrors::new() };
    let table = builder.table(document.get_ref());
    builder.errors.into_result().map(|()| table)
}

/// Reads one TOML value that stands at `range` of the source; `None` when it is none.
pub(crate) fn parse_value(
    source: &Arc<SourceText>,
    range: Range<usize>,
) -> Option<Result<Node, SceneErrors>> {
    let text = source.text.get(range.clone())?;
    if let Err(errors) = refuse_depth(source, range.start, text) {
        return Some(Err(errors));
    }
    let value = DeValue::parse(text).ok()?;
    let mut builder = Builder { source, shift: range.start, errors: SceneErrors::new() };
    let node = builder.node(value.span(), value.span(), value.get_ref());
    Some(builder.errors.into_result().map(|()| node))
}

/// The first error of each line: those that follow on the same line only echo it.
fn syntax_errors(source: &Arc<SourceText>, failures: &[Error]) -> SceneErrors {
    let placed = failures.iter().map(|failure| (failure.span().unwrap_or(0..0), failure.message()));
    let mut placed: Vec<_> = placed.collect();
    placed.sort_by_key(|(range, _)| (range.start, range.end));
    placed.dedup_by_key(|(range, _)| source.line_around(range.start).0);
    let problem = |(range, message)| Problem::at(&Span::new(source, range), message, "");
    placed.into_iter().take(SYNTAX_ERRORS).map(problem).collect()
}

struct Builder<'s> {
    source: &'s Arc<SourceText>,
    /// Where the parsed text starts in the source.
    shift: usize,
    errors: SceneErrors,
}

impl Builder<'_> {
    fn shifted(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.shift..range.end + self.shift
    }

    fn table(&mut self, table: &DeTable<'_>) -> TomlTable {
        let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = key.get_ref();
            (name.to_string(), self.node(key.span(), value.span(), value.get_ref()))
        };
        table.iter().map(entry).collect()
    }

    fn node(&mut self, key: Range<usize>, range: Range<usize>, value: &DeValue<'_>) -> Node {
        let (key, range) = (self.shifted(key), self.shifted(range));
        let value = match value {
            DeValue::String(text) => TomlValue::Text(text.to_string()),
            DeValue::Integer(digits) => self.integer(&range, digits.as_str(), digits.radix()),
            DeValue::Float(digits) => self.float(&range, digits.as_str()),
            DeValue::Boolean(flag) => TomlValue::Flag(*flag),
            DeValue::Datetime(date) => TomlValue::Date(date.to_string()),
            DeValue::Array(elements) => {
                let element =
                    |value: &toml::Spanned<_>| self.node(value.span(), value.span(), value.get_ref());
                TomlValue::Array(elements.iter().map(element).collect())
            }
            DeValue::Table(table) => TomlValue::Table(self.table(table)),
        };
        Node::new(self.source, key, range, value)
    }

    fn integer(&mut self, range: &Range<usize>, digits: &str, radix: u32) -> TomlValue {
        let integer = i64::from_str_radix(digits, radix);
        if integer.is_err() {
            self.refuse(
                range,
                "this whole number does not fit into 64 bits",
                "write a large number with a point or an exponent: 1e20",
            );
        }
        TomlValue::Integer(integer.unwrap_or(0))
    }

    fn float(&mut self, range: &Range<usize>, digits: &str) -> TomlValue {
        let float: f64 = digits.parse().unwrap_or(f64::NAN);
        if float.is_infinite() && !digits.contains("inf") {
            self.refuse(range, "this number is too large", "the largest is about 1.8e308");
        }
        TomlValue::Float(float)
    }

    fn refuse(&mut self, range: &Range<usize>, message: &str, remedy: &str) {
        self.errors.push(Problem::at(&Span::new(self.source, range.clone()), message, remedy));
    }
}

/// Puts `below` under `above`: what both say, the upper one says; tables are merged, all else is taken whole.
pub(crate) fn merge(above: &mut TomlTable, below: TomlTable) {
    for (name, lower) in below {
        match above.get_mut(&name) {
            None => _ = above.insert(name, lower),
            Some(upper) => {
                if let (TomlValue::Table(upper), TomlValue::Table(lower)) = (&mut upper.value, lower.value) {
                    merge(upper, lower);
                }
            }
        }
    }
}
