//! The keys of `[[source]]`: those of every source, and those that each kind adds.

use undine_scene::{Absent, Key};

/// A kind of source, and the keys that it adds to [`SOURCE_KEYS`].
#[derive(Debug, Clone, Copy)]
pub struct SourceKind {
    /// The `kind` in the scene file.
    pub name: &'static str,
    /// One line that says what it is.
    pub summary: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// The keys that every `[[source]]` has.
pub static SOURCE_KEYS: &[Key] = &[
    Key::text("kind").help("spring, drain, rain or waves"),
    Key::text("water").optional("every water over land").help("the name of the water that it belongs to"),
];

/// Every kind of source.
pub static SOURCE_KINDS: &[SourceKind] = &[
    SourceKind {
        name: "spring",
        summary: "water wells up in a disc, or goes up and down in it",
        keys: SPRING,
    },
    SourceKind {
        name: "drain",
        summary: "water is drawn off in a disc, as long as there is some",
        keys: DRAIN,
    },
    SourceKind { name: "rain", summary: "rain, as an even depth or as drops that fall", keys: RAIN },
    SourceKind { name: "waves", summary: "waves come in from a side", keys: WAVES },
];

static SPRING: &[Key] = &[
    Key::vector("at", 2).unit("m").within(-1e8, 1e8).help("its middle"),
    Key::number("radius").unit("m").or(0.0).within(0.0, 1e7).help("radius of the disc; 0 is a single cell"),
    Key::timed("rate").unit("m³/s").within(-1e9, 1e9).help(
        "volume per second; where it is negative, water is drawn off: \"0.3*sin(2*pi*t/1.5)\" makes waves",
    ),
];

static DRAIN: &[Key] = &[
    Key::vector("at", 2).unit("m").within(-1e8, 1e8).help("its middle"),
    Key::number("radius").unit("m").or(0.0).within(0.0, 1e7).help("radius of the disc; 0 is a single cell"),
    Key::timed("rate").unit("m³/s").within(0.0, 1e9).help("the most that it draws per second"),
];

static RAIN: &[Key] = &[
    Key::timed("rate").unit("mm/h").within(0.0, 1e9).help("intensity; a cloudburst has 100 mm/h"),
    Key::vector("from", 2)
        .unit("m")
        .optional("the whole domain")
        .within(-1e8, 1e8)
        .help("a corner of the box it falls on"),
    Key::vector("to", 2).unit("m").optional("the whole domain").within(-1e8, 1e8).help("the opposite corner"),
    Key::flag("drops")
        .default(Absent::Flag(false))
        .help("fall as single drops, each of which makes its own rings"),
    Key::number("drop_radius").unit("m").or(0.01).positive_to(1e3).help("radius of a drop"),
    Key::number("splash")
        .unit("m")
        .optional("twice the drop, at least 1.5 cells")
        .positive_to(1e6)
        .help("radius of the disc over which a drop spreads where it lands"),
    Key::number("height")
        .unit("m")
        .or(5.0)
        .positive_to(1e5)
        .help("drops begin this far above the highest ground or water"),
    Key::number("fall_speed").unit("m/s").or(6.0).positive_to(1e4).help("speed at which they fall"),
];

static WAVES: &[Key] = &[
    Key::choice("side", &[("west", "low x"), ("east", "high x"), ("south", "low y"), ("north", "high y")])
        .help("the side from which they come; it lets out what comes back"),
    Key::timed("level")
        .unit("m")
        .within(-1e4, 1e4)
        .help("incoming surface above the still level, such as \"0.2*sin(2*pi*t/4)\""),
    Key::number("angle")
        .unit("°")
        .or(0.0)
        .within(-80.0, 80.0)
        .help("between their way and the side's normal; positive towards higher x or y along the side"),
];
