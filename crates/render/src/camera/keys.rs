//! The scene keys of `[camera]`.

use undine_scene::{Absent, Key};

const WORDS_PATH: &[(&str, &str)] = &[
    ("still", "none: position by eye, or by angles and distance"),
    ("turntable", "orbit around the target at constant height and distance"),
    ("fly-through", "spline through the waypoints"),
];

pub(super) const WORDS_SIDE: &[(&str, &str)] = &[
    ("front", "from the south, level"),
    ("back", "from the north, level"),
    ("left", "from the west, level"),
    ("right", "from the east, level"),
    ("top", "from straight above, north up"),
    ("corner", "from the south-east and above"),
    ("under", "from below the surface of open water or of a tank; for all else from a low elevation"),
];

static WAYPOINT_KEYS: &[Key] = &[
    Key::number("time").unit("s").within(0.0, 1e9).help("Time of the waypoint"),
    Key::vector("eye", 3).unit("m").within(-1e6, 1e6).help("Position of the camera"),
    Key::vector("target", 3)
        .unit("m")
        .within(-1e6, 1e6)
        .optional("that of the camera; all waypoints or none")
        .help("Look-at point"),
    Key::number("field")
        .unit("deg")
        .within(2.0, 150.0)
        .optional("that of the camera; all waypoints or none")
        .help("Vertical field of view"),
];

/// The keys of `[camera]`.
pub static CAMERA_KEYS: &[Key] = &[
    Key::vector("eye", 3)
        .unit("m")
        .within(-1e6, 1e6)
        .optional("placed by azimuth, elevation and distance")
        .help("Position of the camera"),
    Key::vector("target", 3)
        .unit("m")
        .within(-1e6, 1e6)
        .optional("the middle of the scene")
        .help("Look-at point"),
    Key::choice("view", WORDS_SIDE)
        .optional("a side that suits the scene")
        .help("Preset view direction; azimuth and elevation override it"),
    Key::timed("azimuth")
        .unit("deg")
        .within(-1e5, 1e5)
        .optional(
            "that of the view, or -110; -38 for land; -64 for a tank; -60 in a studio; the side of a section",
        )
        .help("Azimuth of the camera as seen from the target, from +x towards +y"),
    Key::timed("elevation")
        .unit("deg")
        .within(-90.0, 90.0)
        .optional("that of the view, or 14; 30 for land; 17 for a tank; 9 in a studio; 5 for a section")
        .help("Elevation of the camera as seen from the target"),
    Key::timed("distance")
        .unit("m")
        .positive_to(1e6)
        .optional("fits the scene")
        .help("Distance from the target"),
    Key::timed("field")
        .unit("deg")
        .within(2.0, 150.0)
        .optional("42; 28 for a tank; 75 from under water")
        .help("Vertical field of view"),
    Key::choice("path", WORDS_PATH).default(Absent::Text("still")).help("Camera path"),
    Key::number("turns")
        .or(1.0)
        .within(-1e4, 1e4)
        .help("turntable: number of turns, counter-clockwise as seen from above"),
    Key::number("seconds")
        .unit("s")
        .positive_to(1e9)
        .optional("the duration of the scene")
        .help("turntable: duration of these turns; it continues after them"),
    Key::tables("waypoint", WAYPOINT_KEYS).optional("none").help(
        "fly-through: waypoints (keyframes), such as [{ time = 0, eye = [9, 0, 2], target = [0, 0, 0] }, …]",
    ),
];
