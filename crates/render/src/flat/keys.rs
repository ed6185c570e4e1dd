//! The scene keys of the layers of a flat picture.

use undine_scene::{Absent, Key};

use crate::keys::{
    HUE_A, HUE_B, LIGHT_LIMIT, LINEAR, LOG, OVERFLOW_LIMIT, SATURATION, WORDS_MAP, WORDS_SCALE,
};

/// Layer contents: name, help, and the keys that such a layer reads besides `opacity` and `blend`.
pub(super) static SHOWS: &[(&str, &str, &[&str])] = &[
    (
        "field",
        "a field by a colour map",
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
    ("dye", "dye, as light or as ink on paper", &["field", "ink", "strength", "paper"]),
    ("vectors", "a vector field as arrows", &["field", "spacing", "thickness", "colour", "longest"]),
    (
        "streamlines",
        "a vector field as streamlines",
        &["field", "spacing", "thickness", "length", "seeds", "colour", "map", "ramp", "limits"],
    ),
    (
        "particles",
        "particles as dots or streaks",
        &["cloud", "radius", "softness", "streak", "colour", "colour_by", "map", "ramp", "limits"],
    ),
    (
        "metaballs",
        "particles merged to a smooth body",
        &["cloud", "radius", "threshold", "softness", "core", "colour", "map", "ramp"],
    ),
    (
        "relief",
        "a field as a bump-mapped surface that shades the colours below",
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
    ("cells", "the type of every cell: empty, surface, full, solid, inflow or outflow", &["field"]),
    ("picture", "a picture from a file", &["file", "over"]),
    ("glow", "bloom of the layers below", &["radius", "threshold", "strength"]),
];

const WORDS_SHOW: &[(&str, &str)] = &[
    ("field", "a field by a colour map"),
    ("dye", "dye, as light or as ink on paper"),
    ("vectors", "a vector field as arrows"),
    ("streamlines", "a vector field as streamlines"),
    ("particles", "particles as dots or streaks"),
    ("metaballs", "particles merged to a smooth body"),
    ("relief", "a field as a bump-mapped surface that shades the colours below"),
    ("solid", "obstacles"),
    ("water", "a liquid, filled with water; in a preview its surface"),
    ("outline", "the surface of a liquid as a line; in a preview the edges of its triangles"),
    ("grid", "the borders of the cells"),
    ("cells", "the type of every cell: empty, surface, full, solid, inflow or outflow"),
    ("picture", "a picture from a file"),
    ("glow", "bloom of the layers below"),
];
const WORDS_BLEND: &[(&str, &str)] = &[
    ("over", "normal: covers what is below"),
    ("add", "sum"),
    ("multiply", "product"),
    ("screen", "sum up to white at most"),
    ("lighten", "maximum per channel"),
];
const WORDS_INK: &[(&str, &str)] =
    &[("glow", "additive: light on black"), ("paper", "subtractive: ink on paper")];
const WORDS_SEEDS: &[(&str, &str)] = &[
    ("even", "evenly spaced lines"),
    ("lattice", "a fixed lattice of seeds: temporally coherent in a film"),
];
const WORDS_MEASURE: &[(&str, &str)] = &[
    ("none", "one colour"),
    ("speed", "by their speed"),
    ("mass", "by their mass"),
    ("colour", "by their colour attribute"),
];
const WORDS_OVER: &[(&str, &str)] =
    &[("box", "over the box of the fluid, stretched"), ("page", "over the whole page, cropped")];

static RAMP_KEYS: &[Key] = &[Key::colour("colour").help("a colour of the ramp")];

/// The keys of a layer of a flat picture.
pub static LAYER_KEYS: &[Key] = &[
    Key::choice("show", WORDS_SHOW).help("What the layer shows"),
    Key::number("opacity").or(1.0).within(0.0, 1.0).help("Opacity"),
    Key::choice("blend", WORDS_BLEND).default(Absent::Text("over")).help("Blend mode"),
    Key::text("field")
        .optional("dye, velocity, vorticity or distance by what is shown")
        .help("field, dye, vectors, streamlines, relief, water, outline, cells: the field that is shown"),
    // Colours
    Key::choice("map", WORDS_MAP)
        .default(Absent::Text("auto"))
        .help("field, streamlines, particles, metaballs: colour map"),
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
        .help("field: linear or logarithmic scale"),
    Key::number("fade")
        .or(0.0)
        .within(0.0, 10.0)
        .help("field: transparent at 0, opaque from this fraction of the scale on; 0 for opaque everywhere"),
    HUE_A,
    HUE_B,
    SATURATION,
    LINEAR,
    LOG,
    LIGHT_LIMIT,
    OVERFLOW_LIMIT,
    // Dye
    Key::choice("ink", WORDS_INK).default(Absent::Text("glow")).help("dye: colour model"),
    Key::number("strength")
        .within(0.0, 100.0)
        .optional("2.5 for dye, 0.6 for glow")
        .help("dye, glow: strength"),
    Key::colour("paper").optional("warm white").help("dye: the colour of the paper"),
    // Arrows and lines
    Key::number("spacing")
        .unit("px")
        .within(3.0, 1000.0)
        .optional("24 for arrows, 14 for lines")
        .help("vectors, streamlines: spacing"),
    Key::number("thickness")
        .unit("px")
        .positive_to(100.0)
        .optional("1.5; 0.6 for the grid")
        .help("vectors, streamlines, outline, grid: line thickness"),
    Key::number("longest")
        .positive_to(1e12)
        .optional("the greatest there is")
        .help("vectors: magnitude drawn one spacing long; relief: value of height depth"),
    Key::number("length")
        .unit("px")
        .within(4.0, 1e5)
        .optional("unlimited; six spacings on a lattice")
        .help("streamlines: their greatest length"),
    Key::choice("seeds", WORDS_SEEDS).default(Absent::Text("even")).help("streamlines: seeding"),
    // Particles and metaballs
    Key::text("cloud")
        .optional("all of them")
        .help("particles, metaballs: the water whose particles are shown"),
    Key::number("radius")
        .positive_to(1e6)
        .optional("that of the particles, four times that for metaballs; 0.04 for glow")
        .help("particles, metaballs: radius in metres; glow: blur radius, in heights of the box"),
    Key::number("softness")
        .or(0.0)
        .within(0.0, 10.0)
        .help("particles: fraction of the radius that fades; metaballs: width of the soft edge"),
    Key::number("streak")
        .unit("s")
        .or(0.0)
        .within(0.0, 1e3)
        .help("particles: length of streaks, in seconds of motion"),
    Key::choice("colour_by", WORDS_MEASURE)
        .default(Absent::Text("none"))
        .help("particles: quantity shown by the colour map"),
    Key::number("threshold")
        .within(0.0, 1e6)
        .optional("1 for metaballs, 0.2 for glow")
        .help("metaballs: potential at the edge; glow: brightness above which pixels bloom"),
    Key::number("core")
        .or(8.0)
        .within(1.0, 1e9)
        .help("metaballs: overlap count at the upper end of the colour map"),
    // Light
    Key::number("depth")
        .within(-10.0, 10.0)
        .optional("0.03 for a relief, 0.3 for water")
        .help("relief: height scale; water: attenuation depth; in heights of the box"),
    Key::vector("lamp", 3)
        .within(-100.0, 100.0)
        .default(Absent::Vector(&[0.25, 0.9, 0.7]))
        .help("relief, solid: light position, across and up the box (0 to 1) and heights in front of it"),
    Key::colour("lamp_colour").default(Absent::Vector(&[1.0, 1.0, 1.0])).help("relief, solid: light colour"),
    Key::number("shading").or(1.0).within(0.0, 4.0).help("relief: strength of the diffuse shading"),
    Key::number("gloss")
        .within(0.0, 10.0)
        .optional("0.35 for a relief, 0.25 for solids")
        .help("relief, solid: strength of the specular highlights"),
    Key::number("shininess")
        .within(1.0, 1e4)
        .optional("40 for a relief, 24 for solids")
        .help("relief, solid: specular exponent"),
    // Solids
    Key::flag("cut").default(Absent::Flag(false)).help("solid: a hole that shows the background"),
    Key::number("wall")
        .positive_to(1.0)
        .optional("solid throughout")
        .help("solid: wall thickness of hollow obstacles, in heights of the box"),
    Key::number("rim")
        .within(0.0, 1.0)
        .optional("0.012 for solids, 0.03 for water")
        .help("solid: width of the bevelled rim; water: of the bright rim; in heights of the box"),
    Key::number("shadow").or(0.35).within(0.0, 1.0).help("solid: darkness of the shadow on the fluid"),
    Key::number("shadow_width")
        .or(0.025)
        .within(0.0, 1.0)
        .help("solid: width of the shadow, in heights of the box"),
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
