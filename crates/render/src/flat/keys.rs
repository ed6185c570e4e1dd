//! What a scene file may say about the layers of a flat picture.

use undine_scene::{Absent, Key};

use crate::keys::{
    HUE_A, HUE_B, LIGHT_LIMIT, LINEAR, LOG, OVERFLOW_LIMIT, SATURATION, WORDS_MAP, WORDS_SCALE,
};

/// What a layer shows: the word, a line of help, and the keys that such a layer reads besides `opacity` and `blend`.
pub(super) static SHOWS: &[(&str, &str, &[&str])] = &[
    (
        "field",
        "a field in colours",
        &[
            "field",
            "map",
            "colour",
            "ramp",
            "limits",
            "scale",
            "fade",
            "hue_a",
            "hue_b",
            "saturation",
            "linear",
            "log",
            "light_limit",
            "overflow_limit",
        ],
    ),
    ("dye", "coloured ink", &["field", "ink", "strength", "paper"]),
    ("vectors", "a vector field as arrows", &["field", "spacing", "thickness", "colour", "longest"]),
    (
        "streamlines",
        "a vector field as lines along it",
        &["field", "spacing", "thickness", "length", "seeds", "colour", "map", "ramp", "limits"],
    ),
    (
        "particles",
        "particles as dots or streaks",
        &["cloud", "radius", "softness", "streak", "colour", "colour_by", "map", "ramp", "limits"],
    ),
    (
        "metaballs",
        "particles that flow together to one soft body",
        &["cloud", "radius", "threshold", "softness", "core", "colour", "map", "ramp"],
    ),
    (
        "relief",
        "a field as a surface that a lamp shines on, over the colours below",
        &["field", "longest", "depth", "lamp", "lamp_colour", "shading", "gloss", "shininess"],
    ),
    (
        "solid",
        "obstacles",
        &[
            "colour",
            "cut",
            "wall",
            "rim",
            "lamp",
            "lamp_colour",
            "gloss",
            "shininess",
            "shadow",
            "shadow_width",
        ],
    ),
    ("water", "a liquid, filled with water; in a preview its surface", &["field", "colour", "rim", "depth"]),
    (
        "outline",
        "the surface of a liquid as a line; in a preview the edges of its triangles",
        &["field", "colour", "thickness"],
    ),
    ("grid", "the borders of the cells", &["field", "colour", "thickness"]),
    ("cells", "which cells are empty, at the surface, full or solid", &["field"]),
    ("picture", "a picture from a file", &["file", "over"]),
    ("glow", "light that spills over from what is bright below", &["radius", "threshold", "strength"]),
];

const WORDS_SHOW: &[(&str, &str)] = &[
    ("field", "a field in colours"),
    ("dye", "coloured ink"),
    ("vectors", "a vector field as arrows"),
    ("streamlines", "a vector field as lines along it"),
    ("particles", "particles as dots or streaks"),
    ("metaballs", "particles that flow together to one soft body"),
    ("relief", "a field as a surface that a lamp shines on, over the colours below"),
    ("solid", "obstacles"),
    ("water", "a liquid, filled with water; in a preview its surface"),
    ("outline", "the surface of a liquid as a line; in a preview the edges of its triangles"),
    ("grid", "the borders of the cells"),
    ("cells", "which cells are empty, at the surface, full or solid"),
    ("picture", "a picture from a file"),
    ("glow", "light that spills over from what is bright below"),
];
const WORDS_BLEND: &[(&str, &str)] = &[
    ("over", "it hides what is below"),
    ("add", "its light is added"),
    ("multiply", "it is a filter through which one sees what is below"),
    ("screen", "its light is added, but never beyond white"),
    ("lighten", "the brighter of both is seen"),
];
const WORDS_INK: &[(&str, &str)] =
    &[("glow", "light in the dark"), ("paper", "ink on paper, where colours darken each other")];
const WORDS_SEEDS: &[(&str, &str)] = &[
    ("even", "lines begin where there is room, and are evenly spaced"),
    ("lattice", "lines begin on a lattice that stays: they flow smoothly in a film"),
];
const WORDS_MEASURE: &[(&str, &str)] = &[
    ("none", "all alike"),
    ("speed", "by their speed"),
    ("mass", "by their mass"),
    ("colour", "each in its own colour"),
];
const WORDS_OVER: &[(&str, &str)] = &[
    ("box", "over the box of the fluid, stretched"),
    ("page", "over the whole page, cropped where it is too long"),
];

static RAMP_KEYS: &[Key] = &[Key::colour("colour").help("a colour of the ramp")];

/// The keys of a layer of a flat picture.
pub static LAYER_KEYS: &[Key] = &[
    Key::choice("show", WORDS_SHOW).help("What the layer shows"),
    Key::number("opacity").or(1.0).within(0.0, 1.0).help("How strongly it covers what is below"),
    Key::choice("blend", WORDS_BLEND).default(Absent::Text("over")).help("How it meets what is below"),
    Key::text("field")
        .optional("dye, velocity, vorticity or distance by what is shown")
        .help("field, dye, vectors, streamlines, relief, water, outline, cells: the field that is shown"),
    // Colours
    Key::choice("map", WORDS_MAP)
        .default(Absent::Text("auto"))
        .help("field, streamlines, particles, metaballs: colours"),
    Key::tables("ramp", RAMP_KEYS)
        .optional("the map")
        .help("field, streamlines, particles, metaballs: colours from low to high"),
    Key::colour("colour")
        .optional("the map; white for lines and dots, grey for solids and the grid, blue for water")
        .help("One colour instead of a map; the colour of arrows, lines, dots, solids and deep water"),
    Key::vector("limits", 2)
        .optional("fit the values")
        .help("field, streamlines, particles: ends of the scale"),
    Key::choice("scale", WORDS_SCALE)
        .default(Absent::Text("linear"))
        .help("field: how values are spread over the scale"),
    Key::number("fade")
        .or(0.0)
        .within(0.0, 10.0)
        .help("field: clear at 0, opaque from this share of the scale on; 0 for opaque everywhere"),
    HUE_A,
    HUE_B,
    SATURATION,
    LINEAR,
    LOG,
    LIGHT_LIMIT,
    OVERFLOW_LIMIT,
    // Dye
    Key::choice("ink", WORDS_INK).default(Absent::Text("glow")).help("dye: what it is to the light"),
    Key::number("strength")
        .within(0.0, 100.0)
        .optional("2.5 for dye, 0.6 for glow")
        .help("dye, glow: how strong it is"),
    Key::colour("paper").optional("warm white").help("dye: the colour of the paper"),
    // Arrows and lines
    Key::number("spacing")
        .unit("px")
        .within(3.0, 1000.0)
        .optional("24 for arrows, 14 for lines")
        .help("vectors, streamlines: the distance between them"),
    Key::number("thickness")
        .unit("px")
        .positive_to(100.0)
        .optional("1.5; 0.6 for the grid")
        .help("vectors, streamlines, outline, grid: how thick they are"),
    Key::number("longest")
        .positive_to(1e12)
        .optional("the greatest there is")
        .help("vectors: the value drawn one spacing long; relief: the value that rises by the depth"),
    Key::number("length")
        .unit("px")
        .within(4.0, 1e5)
        .optional("as long as they go; six spacings on a lattice")
        .help("streamlines: their greatest length"),
    Key::choice("seeds", WORDS_SEEDS).default(Absent::Text("even")).help("streamlines: where they begin"),
    // Particles and metaballs
    Key::text("cloud")
        .optional("all of them")
        .help("particles, metaballs: the water whose particles are shown"),
    Key::number("radius")
        .positive_to(1e6)
        .optional("that of the particles, four times that for metaballs; 0.04 for glow")
        .help("particles, metaballs: radius in metres; glow: how far light spills, in heights of the box"),
    Key::number("softness")
        .or(0.0)
        .within(0.0, 10.0)
        .help("particles: share of the radius that fades; metaballs: width of the soft edge"),
    Key::number("streak")
        .unit("s")
        .or(0.0)
        .within(0.0, 1e3)
        .help("particles: how much of their way is drawn"),
    Key::choice("colour_by", WORDS_MEASURE)
        .default(Absent::Text("none"))
        .help("particles: what the map is for"),
    Key::number("threshold")
        .within(0.0, 1e6)
        .optional("1 for metaballs, 0.2 for glow")
        .help("metaballs: the potential at the edge; glow: the light from which on it spills"),
    Key::number("core")
        .or(8.0)
        .within(1.0, 1e9)
        .help("metaballs: how many overlap where the last colour is reached"),
    // Light
    Key::number("depth")
        .within(-10.0, 10.0)
        .optional("0.03 for a relief, 0.3 for water")
        .help("relief: how far it rises; water: how deep its surface lights it; in heights of the box"),
    Key::vector("lamp", 3)
        .within(-100.0, 100.0)
        .default(Absent::Vector(&[0.25, 0.9, 0.7]))
        .help("relief, solid: place of the lamp, across and up the box (0 to 1) and heights before it"),
    Key::colour("lamp_colour").default(Absent::Vector(&[1.0, 1.0, 1.0])).help("relief, solid: its colour"),
    Key::number("shading").or(1.0).within(0.0, 4.0).help("relief: how strongly slopes change the light"),
    Key::number("gloss")
        .within(0.0, 10.0)
        .optional("0.35 for a relief, 0.25 for solids")
        .help("relief, solid: strength of the highlights"),
    Key::number("shininess")
        .within(1.0, 1e4)
        .optional("40 for a relief, 24 for solids")
        .help("relief, solid: how narrow the highlights are"),
    // Solids
    Key::flag("cut").default(Absent::Flag(false)).help("solid: a hole through which the background is seen"),
    Key::number("wall")
        .positive_to(1.0)
        .optional("solid throughout")
        .help("solid: thickness of a wall, in heights of the box, with the background behind it"),
    Key::number("rim")
        .within(0.0, 1.0)
        .optional("0.012 for solids, 0.03 for water")
        .help("solid: width of the rounded rim; water: of the bright one; in heights of the box"),
    Key::number("shadow").or(0.35).within(0.0, 1.0).help("solid: how dark the fluid is beside it"),
    Key::number("shadow_width")
        .or(0.025)
        .within(0.0, 1.0)
        .help("solid: how far it is, in heights of the box"),
    // Pictures
    Key::file("file").optional("none").help("picture: a PNG file"),
    Key::choice("over", WORDS_OVER).default(Absent::Text("box")).help("picture: what it covers"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_explained_and_read_by_a_layer() {
        for key in LAYER_KEYS {
            assert!(!key.help.is_empty(), "{}", key.name);
            let is_read = SHOWS.iter().any(|(.., keys)| keys.contains(&key.name));
            assert!(is_read || ["show", "opacity", "blend"].contains(&key.name), "{}", key.name);
        }
        for name in SHOWS.iter().flat_map(|(.., keys)| *keys) {
            assert!(LAYER_KEYS.iter().any(|key| key.name == *name), "{name}");
        }
    }

    #[test]
    fn the_words_are_those_of_the_list() {
        let shows: Vec<_> = SHOWS.iter().map(|(name, help, _)| (*name, *help)).collect();
        assert_eq!(WORDS_SHOW, shows);
    }
}
