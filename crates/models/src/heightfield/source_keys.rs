//! `[[source]]`: the keys that they all have, what each kind adds, and the tools that place one.

use undine_scene::{
    Absent, Gesture, Key, KindEntry, Placement, Placing, SectionEntry, ToolEntry, ToolSetting,
};

use crate::tools;

/// `[[source]]`: what flows in and out of a water over land.
pub static SOURCE: SectionEntry = SectionEntry {
    name: "source",
    summary: "where water over land wells up, is drawn off or comes in",
    repeats: true,
    common: &[
        Key::text("kind").help("spring, drain, rain or waves"),
        Key::text("water").optional("every water over land").help("the name of the water that it belongs to"),
    ],
    kinds: &[
        KindEntry::new("spring", "water wells up in a disc, or goes up and down in it", &[SPRING])
            .placed(Placing::Region)
            .with_tools(&[tools::spring(write_spring), tools::wobble(write_wobble)]),
        KindEntry::new("drain", "water is drawn off in a disc, as long as there is some", &[DRAIN])
            .placed(Placing::Region)
            .with_tools(&[tools::drain(write_drain)]),
        KindEntry::new("rain", "rain, as an even depth or as drops that fall", &[RAIN]),
        KindEntry::new("waves", "waves come in from a side", &[WAVES]).with_tools(&[SEND_WAVES]),
    ],
};

fn write_spring(placement: &Placement<'_>) -> String {
    disc("spring", placement, &format!("{:?}", placement.rate))
}

fn write_drain(placement: &Placement<'_>) -> String {
    disc("drain", placement, &format!("{:?}", placement.rate))
}

fn write_wobble(placement: &Placement<'_>) -> String {
    disc("spring", placement, &format!("\"{}\"", placement.sine(placement.rate)))
}

/// A source in a disc about the point of the pointer.
fn disc(kind: &str, placement: &Placement<'_>, rate: &str) -> String {
    let ([x, y, _], radius) = (placement.at, placement.radius);
    format!("{{ kind = \"{kind}\", at = [{x:?}, {y:?}], radius = {radius:?}, rate = {rate} }}")
}

/// Waves that one click sends from a side.
const WAVES_OF_A_CLICK: f64 = 4.0;

const SEND_WAVES: ToolEntry = ToolEntry {
    name: "waves",
    icon: "≋",
    help: "Click near a side to send waves from it.",
    order: 140,
    settings: &[ToolSetting::Height, ToolSetting::Period],
    gesture: Gesture::Click,
    write: |placement| {
        let during = format!("pulse(t-{:?}, {:?})", placement.time, WAVES_OF_A_CLICK * placement.period);
        let level = format!("{}*{during}", placement.sine(placement.height));
        format!("{{ kind = \"waves\", side = \"{}\", level = \"{level}\" }}", placement.nearest_side())
    },
};

const SPRING: &[Key] = &[
    Key::vector("at", 2).unit("m").within(-1e8, 1e8).help("its middle"),
    Key::number("radius").unit("m").or(0.0).within(0.0, 1e7).help("radius of the disc; 0 is a single cell"),
    Key::timed("rate").unit("m³/s").within(-1e9, 1e9).help(
        "volume per second; where it is negative, water is drawn off: \"0.3*sin(2*pi*t/1.5)\" makes waves",
    ),
];

const DRAIN: &[Key] = &[
    Key::vector("at", 2).unit("m").within(-1e8, 1e8).help("its middle"),
    Key::number("radius").unit("m").or(0.0).within(0.0, 1e7).help("radius of the disc; 0 is a single cell"),
    Key::timed("rate").unit("m³/s").within(0.0, 1e9).help("the most that it draws per second"),
];

const RAIN: &[Key] = &[
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

const WAVES: &[Key] = &[
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
