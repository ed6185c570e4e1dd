//! The resolved scene as one TOML text: includes merged, overrides applied.
//!
//! Keys are sorted, so two files that say the same give the same text. Reading it gives the same scene again.

use crate::tree::{Node, TomlTable, TomlValue};

/// Writes the whole scene.
pub(crate) fn write(root: &TomlTable, scale: f64) -> String {
    let mut text = format!("# scale = {scale:?}\n");
    body(&mut text, "", root);
    text
}

/// One value as it would be typed behind an equals sign.
pub(crate) fn typed(node: &Node) -> String {
    let mut text = String::new();
    inline(&mut text, node);
    text
}

/// The keys of a table, then its tables under their own headers.
fn body(text: &mut String, path: &str, table: &TomlTable) {
    for (name, node) in table.iter().filter(|(_, node)| !has_header(node)) {
        key(text, name);
        text.push_str(" = ");
        inline(text, node);
        text.push('\n');
    }
    for (name, node) in table.iter().filter(|(_, node)| has_header(node)) {
        let mut below = path.to_owned();
        if !path.is_empty() {
            below.push('.');
        }
        key(&mut below, name);
        match &node.value {
            TomlValue::Table(table) => section(text, &below, ("[", "]"), table),
            _ => {
                let tables = node.elements().iter().filter_map(Node::as_table);
                tables.for_each(|table| section(text, &below, ("[[", "]]"), table));
            }
        }
    }
}

fn section(text: &mut String, path: &str, (open, close): (&str, &str), table: &TomlTable) {
    text.extend(["\n", open, path, close, "\n"]);
    body(text, path, table);
}

/// Tables, and lists that hold tables and nothing else, get headers.
fn has_header(node: &Node) -> bool {
    match &node.value {
        TomlValue::Table(_) => true,
        TomlValue::Array(elements) => {
            !elements.is_empty() && elements.iter().all(|element| element.as_table().is_some())
        }
        _ => false,
    }
}

fn key(text: &mut String, name: &str) {
    let is_bare =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare {
        text.push_str(name);
    } else {
        string(text, name);
    }
}

fn inline(text: &mut String, node: &Node) {
    match &node.value {
        TomlValue::Text(value) => string(text, value),
        TomlValue::Integer(value) => text.push_str(&value.to_string()),
        TomlValue::Float(value) => text.push_str(&format!("{value:?}").replace("NaN", "nan")),
        TomlValue::Flag(value) => text.push_str(if *value { "true" } else { "false" }),
        TomlValue::Date(value) => text.push_str(value),
        TomlValue::Array(elements) => {
            text.push('[');
            listed(text, elements, inline);
            text.push(']');
        }
        TomlValue::Table(table) => {
            text.push('{');
            listed(text, table, |text, (name, node)| {
                key(text, name);
                text.push_str(" = ");
                inline(text, node);
            });
            text.push('}');
        }
    }
}

/// Items with commas between.
fn listed<I: IntoIterator>(text: &mut String, items: I, mut item: impl FnMut(&mut String, I::Item)) {
    for (at, element) in items.into_iter().enumerate() {
        text.push_str(if at == 0 { "" } else { ", " });
        item(text, element);
    }
}

fn string(text: &mut String, value: &str) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            control if control.is_control() => text.push_str(&format!("\\u{:04X}", control as u32)),
            plain => text.push(plain),
        }
    }
    text.push('"');
}
