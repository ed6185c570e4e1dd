//! What a scene file may say about its camera.

use undine_scene::{Absent, Key};

const WORDS_PATH: &[(&str, &str)] = &[
    ("still", "none: it stays where its angles and distance place it"),
    ("turntable", "around what it looks at, at one height and distance"),
    ("fly-through", "from waypoint to waypoint, along a smooth curve"),
];

pub(super) const WORDS_SIDE: &[(&str, &str)] = &[
    ("front", "from the south, level"),
    ("back", "from the north, level"),
    ("left", "from the west, level"),
    ("right", "from the east, level"),
    ("top", "from straight above, north up"),
    ("corner", "from the south-east and above"),
    ("under", "from below the surface of open water or of a tank; all else from low down"),
];

static WAYPOINT_KEYS: &[Key] = &[
    Key::number("time").unit("s").within(0.0, 1e9).help("When the camera is there"),
    Key::vector("eye", 3).unit("m").within(-1e6, 1e6).help("Where it is then"),
    Key::vector("target", 3)
        .unit("m")
        .within(-1e6, 1e6)
        .optional("that of the camera; all waypoints or none")
        .help("What it looks at then"),
    Key::number("field")
        .unit("deg")
        .within(2.0, 150.0)
        .optional("that of the camera; all waypoints or none")
        .help("Its vertical angle of view then"),
];

/// The keys of `[camera]`.
pub static CAMERA_KEYS: &[Key] = &[
    Key::vector("eye", 3)
        .unit("m")
        .within(-1e6, 1e6)
        .optional("placed by azimuth, elevation and distance")
        .help("Where the camera is"),
    Key::vector("target", 3)
        .unit("m")
        .within(-1e6, 1e6)
        .optional("the middle of the scene")
        .help("What it looks at"),
    Key::choice("view", WORDS_SIDE)
        .optional("a side that suits the scene")
        .help("The side from which it looks; azimuth and elevation can still change it"),
    Key::timed("azimuth")
        .unit("deg")
        .within(-1e5, 1e5)
        .optional(
            "that of the view, or -110; -38 for land; -64 for a tank; -60 in a studio; the side of a section",
        )
        .help("Where it stands as seen from the target, from +x towards +y"),
    Key::timed("elevation")
        .unit("deg")
        .within(-90.0, 90.0)
        .optional("that of the view, or 14; 30 for land; 17 for a tank; 9 in a studio; 5 for a section")
        .help("How high it stands above the level"),
    Key::timed("distance")
        .unit("m")
        .positive_to(1e6)
        .optional("fits the scene")
        .help("Distance from the target"),
    Key::timed("field")
        .unit("deg")
        .within(2.0, 150.0)
        .optional("42; 28 for a tank; 75 from under water")
        .help("Vertical angle of view"),
    Key::choice("path", WORDS_PATH).default(Absent::Text("still")).help("The way it takes"),
    Key::number("turns")
        .or(1.0)
        .within(-1e4, 1e4)
        .help("turntable: how often it goes around, counter-clockwise as seen from above"),
    Key::number("seconds")
        .unit("s")
        .positive_to(1e9)
        .optional("the duration of the scene")
        .help("turntable: how long these turns take; it goes on after them"),
    Key::tables("waypoint", WAYPOINT_KEYS)
        .optional("none")
        .help("fly-through: where it passes, such as [{ time = 0, eye = [9, 0, 2], target = [0, 0, 0] }, …]"),
];
