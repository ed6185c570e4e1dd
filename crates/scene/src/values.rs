//! The values of a section after its check: every key of the schema, defaults filled in.

use std::collections::BTreeMap;

use crate::file::SceneFile;
use crate::problem::Problem;
use crate::source_location::Span;
use crate::timed::Timed;

/// The checked values of a section or table.
///
/// Every key of the schema is there, with its default where the user wrote nothing. A getter that asks for a key that
/// is not in the schema, or for another type than the schema says, is a slip of the programmer and panics.
///
/// ```
/// use undine_scene::{Key, LoadOptions, Scene};
///
/// static POOL: &[Key] = &[Key::vector("size", 2).unit("m"), Key::number("depth").unit("m").or(2.0)];
///
/// let text = "[scene]\nduration = 1\n[pool]\nsize = [4, 3]\n";
/// let scene = Scene::parse("pool", text, &LoadOptions::default())?;
/// let pool = scene.section("pool").read(&[POOL])?;
/// assert_eq!(pool.vector("size"), [4.0, 3.0]);
/// assert_eq!(pool.number("depth"), 2.0);
/// assert!(!pool.is_given("depth"));
/// # Ok::<(), undine_scene::SceneErrors>(())
/// ```
#[derive(Debug, Clone)]
pub struct Values {
    /// Where the table's header stands.
    header: Span,
    entries: BTreeMap<&'static str, ValueEntry>,
}

#[derive(Debug, Clone)]
pub(crate) struct ValueEntry {
    pub held: CheckedValue,
    /// Where the value was typed; none for a default.
    pub given: Option<Span>,
}

/// A checked value.
#[derive(Debug, Clone)]
pub(crate) enum CheckedValue {
    Absent,
    Number(f64),
    Integer(i64),
    Flag(bool),
    Text(String),
    Words(Vec<String>),
    Vector(Vec<f64>),
    Integers(Vec<i64>),
    Colour([f32; 3]),
    Timed(Timed),
    File(SceneFile),
    Table(Box<Values>),
    Tables(Vec<Values>),
}

/// Makes the getters of one type: `get_if` for optional keys, `get` for those with a value.
macro_rules! getters {
    ($($(#[$docs:meta])* $get:ident, $get_if:ident: $held:ident => $type:ty, $take:expr;)*) => {$(
        $(#[$docs])*
        #[track_caller]
        pub fn $get(&self, key: &str) -> $type {
            self.$get_if(key).unwrap_or_else(|| missing(key))
        }

        #[doc = concat!("As [`Values::", stringify!($get), "`], for a key that may be absent.")]
        #[track_caller]
        pub fn $get_if(&self, key: &str) -> Option<$type> {
            match self.held(key) {
                CheckedValue::$held(value) => Some($take(value)),
                CheckedValue::Absent => None,
                other => mismatch(key, stringify!($held), other),
            }
        }
    )*};
}

impl Values {
    pub(crate) fn new(header: Span) -> Values {
        Values { header, entries: BTreeMap::new() }
    }

    pub(crate) fn insert(&mut self, key: &'static str, entry: ValueEntry) {
        self.entries.insert(key, entry);
    }

    getters! {
        /// The number under a key.
        number, number_if: Number => f64, |value: &f64| *value;
        /// The whole number under a key.
        integer, integer_if: Integer => i64, |value: &i64| *value;
        /// The flag under a key.
        flag, flag_if: Flag => bool, |value: &bool| *value;
        /// The text under a key.
        text, text_if: Text => &str, String::as_str;
        /// The word that was chosen.
        word, word_if: Text => &str, String::as_str;
        /// The words that were chosen, in the order typed.
        words, words_if: Words => Vec<&str>, |words| spelled(words);
        /// The colour under a key, as linear red, green and blue.
        colour, colour_if: Colour => [f32; 3], |value: &[f32; 3]| *value;
        /// The number or course in time under a key.
        timed, timed_if: Timed => &Timed, std::convert::identity;
        /// The file under a key, which exists and may be read.
        file, file_if: File => &SceneFile, std::convert::identity;
        /// The table under a key; one that is absent holds its defaults.
        table, table_if: Table => &Values, Box::as_ref;
        /// The tables under a key, in the order of the file.
        tables, tables_if: Tables => &[Values], Vec::as_slice;
    }

    /// The numbers under a key; `N` is the count that the schema says.
    #[track_caller]
    pub fn vector<const N: usize>(&self, key: &str) -> [f64; N] {
        self.vector_if(key).unwrap_or_else(|| missing(key))
    }

    /// As [`Values::vector`], for a key that may be absent.
    #[track_caller]
    pub fn vector_if<const N: usize>(&self, key: &str) -> Option<[f64; N]> {
        match self.held(key) {
            CheckedValue::Vector(numbers) => Some(sized(key, numbers)),
            CheckedValue::Absent => None,
            other => mismatch(key, "Vector", other),
        }
    }

    /// The whole numbers under a key; `N` is the count that the schema says.
    #[track_caller]
    pub fn integers<const N: usize>(&self, key: &str) -> [i64; N] {
        self.integers_if(key).unwrap_or_else(|| missing(key))
    }

    /// As [`Values::integers`], for a key that may be absent.
    #[track_caller]
    pub fn integers_if<const N: usize>(&self, key: &str) -> Option<[i64; N]> {
        match self.held(key) {
            CheckedValue::Integers(numbers) => Some(sized(key, numbers)),
            CheckedValue::Absent => None,
            other => mismatch(key, "Integers", other),
        }
    }

    /// Whether the user wrote the key, rather than left it to its default.
    #[track_caller]
    pub fn is_given(&self, key: &str) -> bool {
        self.entry(key).given.is_some()
    }

    /// A problem with the value of a key, placed where it was typed, or at the header of its table.
    ///
    /// For checks that only the reader can make, such as one key against another.
    pub fn problem(&self, key: &str, message: impl Into<String>, remedy: impl Into<String>) -> Problem {
        let given = self.entries.get(key).and_then(|entry| entry.given.as_ref());
        Problem::at(given.unwrap_or(&self.header), message, remedy)
    }

    #[track_caller]
    fn entry(&self, key: &str) -> &ValueEntry {
        self.entries.get(key).unwrap_or_else(|| panic!("the schema that was read has no key {key:?}"))
    }

    #[track_caller]
    fn held(&self, key: &str) -> &CheckedValue {
        &self.entry(key).held
    }
}

fn spelled(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[track_caller]
fn missing(key: &str) -> ! {
    panic!("{key:?} is absent; ask for an optional key with the getter that ends in _if")
}

#[track_caller]
fn mismatch(key: &str, asked: &str, held: &CheckedValue) -> ! {
    panic!("{key:?} was asked for as {asked} but its schema gives {held:?}")
}

#[track_caller]
fn sized<T: Copy, const N: usize>(key: &str, numbers: &[T]) -> [T; N] {
    numbers.try_into().unwrap_or_else(|_| panic!("{key:?} holds {} numbers, not {N}", numbers.len()))
}
