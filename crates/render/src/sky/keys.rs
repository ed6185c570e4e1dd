//! The keys of `[sky]`.

use undine_scene::{Absent, Key};

const WORDS_KIND: &[(&str, &str)] = &[
    ("slab", "scattering in a plane-parallel atmosphere of clear and hazy air"),
    ("preetham", "the analytic model of Preetham, Shirley and Smits, fitted to a simulated atmosphere"),
    ("moonlit", "a clear night with stars; the full moon stands where the sun would"),
];

/// The keys of `[sky]`.
pub static SKY_KEYS: &[Key] = &[
    Key::choice("kind", WORDS_KIND)
        .default(Absent::Text("slab"))
        .help("Model of the clear sky, or a moonlit night, which suits an exposure of about 6"),
    Key::timed("sun_azimuth")
        .unit("deg")
        .or(60.0)
        .within(-1e5, 1e5)
        .help("Azimuth of the sun, or of the moon, from +x towards +y"),
    Key::timed("sun_elevation")
        .unit("deg")
        .or(28.0)
        .within(-90.0, 90.0)
        .help("Elevation of the sun, or of the moon, above the horizon"),
    Key::timed("time")
        .unit("h")
        .within(-1e5, 1e5)
        .optional("sun_azimuth and sun_elevation are used")
        .help("Solar time of day, in place of sun_azimuth and sun_elevation; the sun culminates at 12"),
    Key::number("latitude")
        .unit("deg")
        .or(45.0)
        .within(-90.0, 90.0)
        .help("time: latitude, north of the equator"),
    Key::number("day")
        .or(172.0)
        .within(1.0, 366.0)
        .help("time: day of the year; 172 is the longest on the northern hemisphere"),
    Key::number("north")
        .unit("deg")
        .or(90.0)
        .within(-360.0, 360.0)
        .help("time: azimuth of north, from +x towards +y"),
    Key::number("turbidity").or(2.1).within(1.5, 10.0).help("Turbidity of the air: 2 very clear, 6 milky"),
    Key::number("clouds").or(0.35).within(0.0, 1.0).help("Cloud cover"),
    Key::number("cloud_drift").unit("m/s").or(8.0).within(-100.0, 100.0).help("Speed of the clouds along +x"),
    Key::number("visibility")
        .unit("m")
        .within(10.0, 1e6)
        .optional("15000, or 40 times the width of the land")
        .help("Visibility (meteorological optical range)"),
];
