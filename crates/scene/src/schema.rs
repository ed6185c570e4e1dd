//! The schema of a section of a scene file: its keys, with unit, default, range and a line of help.
//!
//! A schema belongs to the code that reads the section: a model to its `[[water]]`, the renderer to `[camera]`. From it
//! come the checks, the did-you-mean, `undine models` and the panels of the studio.

/// One key of a section.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The key as typed.
    pub name: &'static str,
    /// The type of its value.
    pub kind: Kind,
    /// The unit of its numbers, empty for a pure number.
    pub unit: &'static str,
    /// Its default.
    pub default: Absent,
    /// Least and greatest value allowed.
    pub range: Range,
    /// Whether `--scale` multiplies it.
    pub scales: bool,
    /// Whether it may be changed while the water runs; any other shapes the water at its start.
    pub is_live: bool,
    /// One line that says what it does.
    pub help: &'static str,
}

/// The type of a key's value.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A real number.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Flag,
    /// Any text.
    Text,
    /// One of these words, each with a line of help.
    Choice(&'static [(&'static str, &'static str)]),
    /// This many real numbers in brackets.
    Vector(usize),
    /// This many whole numbers in brackets.
    Integers(usize),
    /// Any number of words out of these.
    Choices(&'static [(&'static str, &'static str)]),
    /// A colour: `"#rrggbb"` (sRGB), or three linear numbers in brackets.
    Colour,
    /// A number, or an expression of the time `t` in quotes.
    Timed,
    /// A file below the scene's folder.
    File,
    /// A table with keys of its own.
    Table(&'static [Key]),
    /// Any number of such tables.
    Tables(&'static [Key]),
}

/// Default of an absent key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Absent {
    /// The key must be there.
    Required,
    /// The reader does without it; the text says what it does then.
    Optional(&'static str),
    /// This number.
    Number(f64),
    /// This whole number.
    Integer(i64),
    /// This flag.
    Flag(bool),
    /// This text or word.
    Text(&'static str),
    /// These numbers.
    Vector(&'static [f64]),
    /// These whole numbers.
    Integers(&'static [i64]),
    /// These words.
    Words(&'static [&'static str]),
}

/// The numbers a key accepts. Every component of a vector must lie in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Least value.
    pub low: f64,
    /// Greatest value.
    pub high: f64,
    /// Whether the least value itself is refused, as zero is for a length.
    pub above_low: bool,
}

impl Key {
    const fn new(name: &'static str, kind: Kind) -> Key {
        let range = Range { low: f64::NEG_INFINITY, high: f64::INFINITY, above_low: false };
        Key {
            name,
            kind,
            unit: "",
            default: Absent::Required,
            range,
            scales: false,
            is_live: false,
            help: "",
        }
    }

    /// A key for a real number.
    pub const fn number(name: &'static str) -> Key {
        Key::new(name, Kind::Number)
    }

    /// A key for a whole number.
    pub const fn integer(name: &'static str) -> Key {
        Key::new(name, Kind::Integer)
    }

    /// A key for `true` or `false`.
    pub const fn flag(name: &'static str) -> Key {
        Key::new(name, Kind::Flag)
    }

    /// A key for text.
    pub const fn text(name: &'static str) -> Key {
        Key::new(name, Kind::Text)
    }

    /// A key for one of some words; each comes with a line of help.
    pub const fn choice(name: &'static str, words: &'static [(&'static str, &'static str)]) -> Key {
        Key::new(name, Kind::Choice(words))
    }

    /// A key for any number of some words.
    pub const fn choices(name: &'static str, words: &'static [(&'static str, &'static str)]) -> Key {
        Key::new(name, Kind::Choices(words))
    }

    /// A key for `count` real numbers.
    pub const fn vector(name: &'static str, count: usize) -> Key {
        Key::new(name, Kind::Vector(count))
    }

    /// A key for `count` whole numbers.
    pub const fn integers(name: &'static str, count: usize) -> Key {
        Key::new(name, Kind::Integers(count))
    }

    /// A key for a colour.
    pub const fn colour(name: &'static str) -> Key {
        Key::new(name, Kind::Colour)
    }

    /// A key for a number or an expression of `t`.
    pub const fn timed(name: &'static str) -> Key {
        Key::new(name, Kind::Timed)
    }

    /// A key for a file below the scene's folder.
    pub const fn file(name: &'static str) -> Key {
        Key::new(name, Kind::File)
    }

    /// A key for a table.
    pub const fn table(name: &'static str, keys: &'static [Key]) -> Key {
        Key::new(name, Kind::Table(keys)).optional("all its defaults")
    }

    /// A key for any number of tables.
    pub const fn tables(name: &'static str, keys: &'static [Key]) -> Key {
        Key::new(name, Kind::Tables(keys)).optional("none")
    }

    /// States the unit.
    pub const fn unit(mut self, unit: &'static str) -> Key {
        self.unit = unit;
        self
    }

    /// Makes the key optional with this value.
    pub const fn default(mut self, default: Absent) -> Key {
        self.default = default;
        self
    }

    /// Makes a number optional with this value; for a colour or vector use [`Key::default`].
    pub const fn or(self, number: f64) -> Key {
        self.default(Absent::Number(number))
    }

    /// Makes the key optional; `meaning` says what happens without it.
    pub const fn optional(self, meaning: &'static str) -> Key {
        self.default(Absent::Optional(meaning))
    }

    /// Accepts numbers from `low` to `high`.
    pub const fn within(mut self, low: f64, high: f64) -> Key {
        self.range = Range { low, high, above_low: false };
        self
    }

    /// Accepts numbers above zero, up to `high`.
    pub const fn positive_to(mut self, high: f64) -> Key {
        self.range = Range { low: 0.0, high, above_low: true };
        self
    }

    /// Lets `--scale` multiply the value (then rounded, and kept in range).
    pub const fn scaled(mut self) -> Key {
        self.scales = true;
        self
    }

    /// Lets the value be changed while the water runs: the water is built anew with it and takes up its state.
    pub const fn live(mut self) -> Key {
        self.is_live = true;
        self
    }

    /// Sets the line of help.
    pub const fn help(mut self, help: &'static str) -> Key {
        self.help = help;
        self
    }
}

impl Range {
    /// Whether a number is accepted; NaN never is.
    pub fn contains(&self, number: f64) -> bool {
        number <= self.high && if self.above_low { number > self.low } else { number >= self.low }
    }
}
