//! Properties that hold for any input: no panic, the resolved text is read back, an override said twice says no more.

use proptest::prelude::*;
use undine_scene::{Key, LoadOptions, Scene};

use crate::pool;

const VALID: &str = r##"# A pool.
[scene]
duration = 4
name = "bath"

[pool]
depth = 3.5
size = [4, 2.5]
west = "open"
outputs = ["meshes", "film"]
tint = "#3a7ca5"
level = "0.1*sin(2*pi*t)*exp(-t/2)"
inlet = { rate = "min(t, 3)", width = 1e-1 }

[[pool.drops]]
position = [1, 1]

[[water]]
kind = "windy"
wind = "10 + 2*t"
"##;

/// Pieces that mutations put in: those that mean something in TOML or in expressions.
const PIECES: [&str; 24] = [
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "\"",
    "'",
    "\"\"\"",
    "\n",
    "\r",
    "\t",
    "#",
    "-",
    "nan",
    "1e999",
    "水",
    "\u{feff}",
    "\0",
    "(((",
    "include = 'x'\n",
];

fn options(overrides: Vec<String>) -> LoadOptions {
    LoadOptions { overrides, ..LoadOptions::default() }
}

/// Reads everything, shows every message, and checks that a sound scene survives being written out.
fn exercise(text: &str, options: &LoadOptions) {
    let scene = match Scene::parse("any", text, options) {
        Ok(scene) => scene,
        Err(errors) => return assert!(!errors.to_string().is_empty()),
    };
    let again = LoadOptions { overrides: Vec::new(), ..options.clone() };
    let written = Scene::parse("other", scene.resolved(), &again)
        .unwrap_or_else(|errors| panic!("{errors}\n{}", scene.resolved()));
    assert_eq!(written.resolved(), scene.resolved());
    assert_eq!(
        (written.name.as_str(), written.duration, written.seed),
        (scene.name.as_str(), scene.duration, scene.seed)
    );
    if let Err(errors) = pool::read(scene) {
        assert!(!errors.is_empty() && errors.to_string().contains("problem"));
    }
}

/// Cuts a text at two character borders and puts a piece between.
fn mutate(text: &str, from: prop::sample::Index, length: usize, piece: &str) -> String {
    let start = text.floor_char_boundary(from.index(text.len() + 1));
    let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
    format!("{}{piece}{}", &text[..start], &text[end..])
}

type Mutation = (prop::sample::Index, usize, String);

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let piece = prop_oneof![
        prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        "\\PC{0,4}",
        "[0-9a-z.()*^+-]{0,6}"
    ];
    prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, piece), 1..4)
}

fn override_text() -> impl Strategy<Value = String> {
    let step =
        prop_oneof!["pool", "water", "scene", "depth", "size", "0", "1", "drops", "label", "[a-z]{1,3}"];
    let path = prop::collection::vec(step, 1..5).prop_map(|steps| steps.join("."));
    let value = prop_oneof![
        "-?[0-9]{1,3}",
        "[a-z]{1,5}",
        "\"[a-z]*\"",
        "\\[[0-9], [0-9]\\]",
        "\\{a = [0-9]\\}",
        "\\PC{0,8}"
    ];
    (path, value).prop_map(|(path, value)| format!("{path}={value}"))
}

/// An expression as a tree, to be written out and computed in two ways.
#[derive(Debug, Clone)]
enum Sum {
    Time,
    Number(u32),
    Negative(Box<Sum>),
    Call(&'static str, Box<Sum>),
    Call2(&'static str, Box<Sum>, Box<Sum>),
    Infix(char, Box<Sum>, Box<Sum>),
}

fn sums() -> impl Strategy<Value = Sum> {
    let leaf = prop_oneof![Just(Sum::Time), (0u32..50).prop_map(Sum::Number)];
    leaf.prop_recursive(5, 40, 2, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed().prop_map(Sum::Negative),
            (prop::sample::select(vec!["sin", "abs", "floor", "tanh"]), boxed())
                .prop_map(|(name, a)| Sum::Call(name, a)),
            (prop::sample::select(vec!["min", "max"]), boxed(), boxed())
                .prop_map(|(name, a, b)| Sum::Call2(name, a, b)),
            (prop::sample::select(vec!['+', '-', '*', '/', '^']), boxed(), boxed())
                .prop_map(|(sign, a, b)| Sum::Infix(sign, a, b)),
        ]
    })
}

impl Sum {
    fn value(&self, t: f64) -> f64 {
        match self {
            Sum::Time => t,
            Sum::Number(number) => f64::from(*number),
            Sum::Negative(a) => 0.0 - a.value(t),
            Sum::Call("sin", a) => a.value(t).sin(),
            Sum::Call("abs", a) => a.value(t).abs(),
            Sum::Call("floor", a) => a.value(t).floor(),
            Sum::Call(_, a) => a.value(t).tanh(),
            Sum::Call2("min", a, b) => a.value(t).min(b.value(t)),
            Sum::Call2(_, a, b) => a.value(t).max(b.value(t)),
            Sum::Infix('+', a, b) => a.value(t) + b.value(t),
            Sum::Infix('-', a, b) => a.value(t) - b.value(t),
            Sum::Infix('*', a, b) => a.value(t) * b.value(t),
            Sum::Infix('/', a, b) => a.value(t) / b.value(t),
            Sum::Infix(_, a, b) => a.value(t).powf(b.value(t)),
        }
    }

    /// How closely the outermost sign binds.
    fn rank(&self) -> u8 {
        match self {
            Sum::Infix('+' | '-', ..) => 0,
            Sum::Infix('*' | '/', ..) => 1,
            Sum::Negative(_) => 2,
            Sum::Infix(..) => 3,
            _ => 4,
        }
    }

    /// Written with no more brackets than paper needs.
    fn text(&self) -> String {
        let part = |inner: &Sum, least: u8| match inner.rank() >= least {
            true => inner.text(),
            false => format!("({})", inner.text()),
        };
        match self {
            Sum::Time => "t".to_owned(),
            Sum::Number(number) => number.to_string(),
            Sum::Negative(a) => format!("-{}", part(a, 3)),
            Sum::Call(name, a) => format!("{name}({})", a.text()),
            Sum::Call2(name, a, b) => format!("{name}({}, {})", a.text(), b.text()),
            Sum::Infix('^', a, b) => format!("{}^{}", part(a, 4), part(b, 4)),
            Sum::Infix(sign, a, b) => format!("{} {sign} {}", part(a, self.rank()), part(b, self.rank() + 1)),
        }
    }
}

static COURSE: &[Key] = &[Key::timed("level")];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        exercise(&String::from_utf8_lossy(&bytes), &LoadOptions::default());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        exercise(&text, &options(vec![text.clone()]));
    }

    #[test]
    fn any_change_of_a_sound_scene_is_read_or_refused(changes in mutations()) {
        let text = changes.into_iter().fold(VALID.to_owned(), |text, (from, length, piece)| mutate(&text, from, length, &piece));
        exercise(&text, &LoadOptions::default());
    }

    #[test]
    fn any_expression_is_read_or_refused(expression in "[0-9t.,()*/^+ einscomax-]{0,40}") {
        exercise(VALID, &options(vec![format!("pool.level={expression}")]));
    }

    #[test]
    fn an_override_said_twice_says_no_more(first in override_text(), second in override_text()) {
        let once = Scene::parse("a", VALID, &options(vec![first.clone(), second.clone()]));
        let twice = Scene::parse("a", VALID, &options(vec![first, second.clone(), second]));
        match (once, twice) {
            (Ok(once), Ok(twice)) => prop_assert_eq!(once.resolved(), twice.resolved()),
            (once, twice) => prop_assert_eq!(once.is_ok(), twice.is_ok()),
        }
    }

    #[test]
    fn overrides_survive_being_written_out(overrides in prop::collection::vec(override_text(), 1..4)) {
        exercise(VALID, &options(overrides));
    }

    #[test]
    fn expressions_are_computed_as_on_paper(sum in sums(), t in -4.0..4.0f64) {
        let (text, expected) = (sum.text(), sum.value(t));
        let scene = format!("[scene]\nduration = 1e-9\n[course]\nlevel = \"{text}\"\n");
        let scene = Scene::parse("a", &scene, &LoadOptions::default()).unwrap();
        // A course that is not finite at the start is refused; what is then left is the arithmetic.
        if let Ok(course) = scene.section("course").read(&[COURSE]) {
            let found = course.timed("level").at(t);
            match found {
                Ok(found) => prop_assert!(found == expected, "{text} is {found}, not {expected}"),
                Err(problem) => prop_assert!(!expected.is_finite(), "{text}: {problem}, not {expected}"),
            }
        }
    }
}
