//! Overrides from the command line: `--set water.0.wind=12`.
//!
//! The part before `=` names a key; missing tables are made, an index that equals the length of a list appends to it.
//! The part behind is a TOML value, or else plain text. Values of an override keep their source location, so a
//! wrong value is shown in the override and not in the file.

use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use crate::phrase;
use crate::problem::{Problem, SceneErrors};
use crate::source_location::{SourceText, Span};
use crate::tree::{self, Node, TomlTable, TomlValue};

/// Applies one override to the tree.
pub(crate) fn apply(root: &mut TomlTable, source: &Arc<SourceText>) -> Result<(), SceneErrors> {
    let text = &source.text;
    let problem =
        |range, message: &str, remedy: &str| Problem::at(&Span::new(source, range), message, remedy);
    let Some(equals) = text.find('=') else {
        return Err(problem(
            0..text.len(),
            "an override needs a key and a value",
            "write KEY=VALUE, as in water.0.wind=12",
        )
        .into());
    };
    let steps = steps(source, equals)?;
    let value = value(source, equals + 1)?;
    if text[steps[0].clone()] == *"include" {
        return Err(problem(
            steps[0].clone(),
            "an override cannot include files",
            "put the include into the scene file",
        )
        .into());
    }
    Ok(set(root, source, &steps, value)?)
}

/// The steps of the dotted path before the equals sign.
fn steps(source: &Arc<SourceText>, equals: usize) -> Result<Vec<Range<usize>>, Problem> {
    let path = &source.text[..equals];
    let mut steps = Vec::new();
    let mut start = 0;
    for step in path.split('.') {
        let trimmed = step.trim();
        let from = start + (step.len() - step.trim_start().len());
        let range = from..from + trimmed.len();
        if trimmed.is_empty()
            || !trimmed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        {
            let message = format!("{} is no key", phrase::quoted(trimmed));
            return Err(Problem::at(
                &Span::new(source, range),
                message,
                "keys are made of letters, digits, - and _, joined by points",
            ));
        }
        if steps.len() == tree::DEEPEST {
            return Err(Problem::at(&Span::new(source, 0..equals), "this path is too long", ""));
        }
        steps.push(range);
        start += step.len() + 1;
    }
    Ok(steps)
}

/// The value behind the equals sign.
fn value(source: &Arc<SourceText>, from: usize) -> Result<Node, SceneErrors> {
    let typed = source.text[from..].trim();
    let start = from + (source.text[from..].len() - source.text[from..].trim_start().len());
    if typed.is_empty() {
        let end = Span::new(source, from..from);
        return Err(Problem::at(&end, "an override needs a value", "write \"\" for an empty text").into());
    }
    let range = start..start + typed.len();
    let as_text = || Ok(Node::new(source, range.clone(), range.clone(), TomlValue::Text(typed.to_owned())));
    tree::parse_value(source, range.clone()).unwrap_or_else(as_text)
}

/// Walks down the path, making what is missing, and puts the value at its end.
fn set(
    root: &mut TomlTable,
    source: &Arc<SourceText>,
    steps: &[Range<usize>],
    value: Node,
) -> Result<(), Problem> {
    let name = |range: &Range<usize>| source.text[range.clone()].to_owned();
    let Some((first, rest)) = steps.split_first() else { return Ok(()) };
    if rest.is_empty() {
        root.insert(name(first), keyed(source, first, value));
        return Ok(());
    }
    let missing = || empty_for(source, first, &rest[0]);
    let mut node = root.entry(name(first)).or_insert_with(missing);
    for (at, step) in rest.iter().enumerate() {
        let next = rest.get(at + 1);
        let made = match next {
            Some(next) => empty_for(source, step, next),
            None => keyed(source, step, value.clone()),
        };
        node = child(node, source, step, made, next.is_none())?;
    }
    Ok(())
}

/// A value under the key it was given.
fn keyed(source: &Arc<SourceText>, key: &Range<usize>, value: Node) -> Node {
    Node::new(source, key.clone(), value.span().range, value.value)
}

/// An empty table, or an empty list when the next step is an index.
fn empty_for(source: &Arc<SourceText>, step: &Range<usize>, next: &Range<usize>) -> Node {
    let value = match index(&source.text[next.clone()]) {
        Some(_) => TomlValue::Array(Vec::new()),
        None => TomlValue::Table(TomlTable::new()),
    };
    Node::new(source, step.clone(), step.clone(), value)
}

fn index(step: &str) -> Option<usize> {
    step.bytes().all(|byte| byte.is_ascii_digit()).then(|| step.parse().ok()).flatten()
}

/// The child of a node, made or replaced by `made` where needed.
fn child<'n>(
    node: &'n mut Node,
    source: &Arc<SourceText>,
    step: &Range<usize>,
    made: Node,
    replace: bool,
) -> Result<&'n mut Node, Problem> {
    let name = &source.text[step.clone()];
    let place = Span::new(source, step.clone());
    make_list_of_table(node, name);
    let found = phrase::found(node);
    match &mut node.value {
        TomlValue::Table(table) => Ok(match table.entry(name.to_owned()) {
            Entry::Vacant(place) => place.insert(made),
            Entry::Occupied(mut known) => {
                if replace {
                    known.insert(made);
                }
                known.into_mut()
            }
        }),
        TomlValue::Array(elements) => element(elements, &place, made, replace),
        _ => Err(Problem::at(&place, format!("{name} cannot be set: {found} has no keys"), "")),
    }
}

/// A single `[water]` is a list of one when it is addressed by index.
fn make_list_of_table(node: &mut Node, step: &str) {
    let alone = node.as_table().is_some_and(|table| !table.contains_key(step));
    if alone && index(step).is_some() {
        let (key, range, source) = (node.key_span().range, node.span().range, node.span().source);
        let table = std::mem::replace(&mut node.value, TomlValue::Array(Vec::new()));
        node.value = TomlValue::Array(vec![Node::new(&source, key, range, table)]);
    }
}

fn element<'n>(
    elements: &'n mut Vec<Node>,
    place: &Span,
    made: Node,
    replace: bool,
) -> Result<&'n mut Node, Problem> {
    let count = elements.len();
    let Some(at) = index(place.text()) else {
        let message = format!("{} is not an index", phrase::quoted(place.text()));
        return Err(Problem::at(place, message, listing(count)));
    };
    if at > count {
        return Err(Problem::at(place, format!("there is no element {at}"), listing(count)));
    }
    if at == count {
        elements.push(made);
    } else if replace {
        elements[at] = made;
    }
    Ok(&mut elements[at])
}

fn listing(count: usize) -> String {
    match count {
        0 => "the list is empty; index 0 appends".to_owned(),
        _ => format!("indexes run from 0 to {}; {count} appends", count - 1),
    }
}
