//! The scene keys of `[[picture]]`.

use undine_scene::{Absent, Key};

use crate::flat::LAYER_KEYS;
use crate::trace::keys as trace;

const WORDS_KIND: &[(&str, &str)] = &[
    ("trace", "3-D, by path tracing"),
    ("preview", "3-D, by a rasteriser with sun, sky and reflection: many times faster"),
    ("classic", "3-D, by the methods of 1990 and 2007: z-buffer, cube map, caustics map"),
    ("plot", "2-D plot of a field with axes and a colour scale"),
    ("flat", "2-D fluid without axes: layers of dye, fields, lines, particles and light"),
];
const WORDS_LOOK: &[(&str, &str)] = &[
    ("clear-lake", "a clean mountain lake: green-blue depths, the bed visible for metres"),
    ("tropical", "turquoise over sand"),
    ("storm-sea", "a dark, cold, open sea"),
    ("muddy-river", "brown with silt"),
    ("pool", "clean water with the blue of a pool, for tanks of a metre or two"),
    ("honey", "amber and cloudy, for a jar or a glass"),
    ("milk", "white and opaque, for a glass"),
    ("coffee", "black coffee: a thin layer is amber, a cup nearly black"),
    ("soup", "a creamy soup of carrots or pumpkin, orange and opaque"),
    ("pure", "water and nothing else, as measured: blue from a few metres on"),
    ("ocean", "the clearest ocean, as measured: Jerlov's type I"),
    ("coastal", "green water of a coast, as measured: Jerlov's type 3C"),
    ("turbid", "a turbid harbour, as measured: Jerlov's type 9C"),
];
const WORDS_BED: &[(&str, &str)] = &[
    ("sand", "pale sand with weed here and there"),
    ("pebbles", "rounded stones"),
    ("tiles", "square tiles, as in a pool"),
    ("dark", "dark mud"),
];
const WORDS_BEYOND: &[(&str, &str)] = &[
    ("sea", "more water, to the horizon"),
    ("shore", "a bank of sand and grass that hides the edges of the water, and trees behind it"),
    ("land", "more land, extrapolated from the border of the domain"),
    ("none", "nothing: land is cut out as a block, water alone ends at a hazy horizon"),
];
const WORDS_GROUND: &[(&str, &str)] = &[
    ("auto", "grass on gentle land, rock where it is steep, and sand by a water of known level"),
    ("sand", "sand"),
    ("rock", "bare rock in layers"),
    ("grass", "grass, and rock where it is steep"),
    ("earth", "bare earth"),
    ("alpine", "meadows, rock, and snow on the heights"),
    ("pebbles", "rounded stones"),
    ("tiles", "square tiles, as in a pool"),
];
const WORDS_BACKDROP: &[(&str, &str)] = &[
    ("auto", "a studio for liquids, for a block of land and for smoke alone, the sky for all else"),
    ("sky", "the sky"),
    ("studio", "a pale floor and wall, for a block of land, or for objects without water around them"),
    ("dark", "the same in dark grey, for smoke"),
];
const WORDS_CAUSTICS: &[(&str, &str)] = &[
    ("none", "none: sunlight as through level water"),
    ("paper", "illumination map of Kass and Miller: flat water, flat bottom, cones; fast"),
    ("beams", "beam tracing that conserves energy, with shadows"),
    ("photons", "photon mapping: slow, and the reference"),
];
const WORDS_SHADING: &[(&str, &str)] = &[
    ("auto", "caustic where the water stands on land, cube-map elsewhere"),
    ("cube-map", "cube-map reflection, gloss map and one underwater colour [li2007]"),
    ("caustic", "refracted ray to a flat bottom, with caustics and wetness maps [kass1990]"),
];
const WORDS_TANK: &[(&str, &str)] = &[
    ("glass", "walls of thin glass on a slab"),
    ("plinth", "a slab without walls"),
    ("none", "nothing: the liquid stands on the floor"),
];
const WORDS_VIEW: &[(&str, &str)] = &[
    ("auto", "a profile for a field along a line, a map for all others"),
    ("map", "from above, in colours"),
    ("profile", "from the side, as a line"),
];
pub(crate) const WORDS_MAP: &[(&str, &str)] = &[
    ("auto", "by the kind of the field"),
    ("lagoon", "deep violet over blue and green to pale yellow"),
    ("ember", "black over red and orange to cream"),
    ("ice", "near black over blue to white"),
    ("grey", "black to white"),
    ("balance", "blue below zero, red above, pale between"),
    ("flame", "deep red over orange and yellow to white"),
    ("foam", "brown over cream to white"),
    ("rgb", "three components are linear red, green and blue, as in dye"),
    ("hsl", "one hue for each sign, lighter with size"),
];
const WORDS_FILTER: &[(&str, &str)] =
    &[("linear", "linear interpolation between samples"), ("nearest", "every cell has one colour")];
pub(crate) const WORDS_SCALE: &[(&str, &str)] = &[("linear", "linear"), ("log", "logarithmic")];
const WORDS_AXIS: &[(&str, &str)] =
    &[("x", "from west to east"), ("y", "from south to north"), ("z", "upwards")];

// Parameters of the hsl map, shared by plots and layers of flat pictures
pub(crate) const HUE_A: Key =
    Key::number("hue_a").unit("deg").or(20.0).within(0.0, 360.0).help("hsl map: hue of values above zero");
pub(crate) const HUE_B: Key =
    Key::number("hue_b").unit("deg").or(210.0).within(0.0, 360.0).help("hsl map: hue of values below zero");
pub(crate) const SATURATION: Key =
    Key::number("saturation").or(0.9).within(0.0, 1.0).help("hsl map: saturation of both hues");
pub(crate) const LINEAR: Key =
    Key::number("linear").or(0.25).within(0.0, 1e6).help("hsl map: lightness per unit of the value");
pub(crate) const LOG: Key =
    Key::number("log").or(0.25).within(0.0, 1e6).help("hsl map: lightness per unit of ln(1 + value)");
pub(crate) const LIGHT_LIMIT: Key =
    Key::number("light_limit").or(0.6).within(0.0, 1.0).help("hsl map: lightness is held at this limit");
pub(crate) const OVERFLOW_LIMIT: Key = Key::number("overflow_limit")
    .or(4.0)
    .within(0.0, 1e6)
    .help("hsl map: lightness beyond this is drawn white");

/// The keys of `[[picture]]`: those of all pictures, then those of previews, of plots, and of flat pictures.
pub static PICTURE_KEYS: &[Key] = &[
    Key::text("name")
        .optional("the kind, numbered when there are several")
        .help("Name of the picture and its files"),
    Key::choice("kind", WORDS_KIND)
        .optional("preview; trace where a key of traced pictures is given, and for a still of `undine render`")
        .help("What is drawn"),
    Key::integers("size", 2)
        .unit("px")
        .optional("960, 540 of a preview; 1280, 720 of others, smaller for a traced film that would take this machine too long")
        .within(16.0, 8192.0)
        .help("Width and height of the picture"),
    // Previews
    Key::integer("samples")
        .default(Absent::Integer(2))
        .within(1.0, 8.0)
        .help("Samples per pixel along each axis"),
    Key::number("exposure").or(1.0).positive_to(100.0).help("Exposure: multiplies the radiance"),
    Key::number("bloom").or(0.12).within(0.0, 1.0).help("Fraction of the highlights added as bloom"),
    Key::choice("look", WORDS_LOOK)
        .optional("clear-lake; in a tank pool, scaled so that a tank of any size looks like one of 2 m³")
        .help("Optical properties of the water: absorption and scattering"),
    Key::vector("absorption", 3)
        .unit("1/m")
        .within(0.0, 10_000.0)
        .optional("that of the look")
        .help("Absorption coefficient for red, green and blue"),
    Key::vector("scattering", 3)
        .unit("1/m")
        .within(0.0, 10_000.0)
        .optional("that of the look")
        .help("Backscattering coefficient for red, green and blue"),
    Key::number("ripples")
        .or(0.05)
        .within(0.0, 0.5)
        .help("RMS slope of the small ripples added to the normals of the water"),
    Key::number("ripple_length")
        .unit("m")
        .or(0.45)
        .positive_to(100.0)
        .help("Wavelength of the strongest ripples"),
    Key::number("ripple_direction")
        .unit("deg")
        .or(20.0)
        .within(-360.0, 360.0)
        .help("Direction in which the ripples travel, from +x towards +y"),
    Key::number("ripple_spread")
        .unit("deg")
        .within(0.0, 180.0)
        .optional("72, as wind raises them")
        .help("Greatest angle between a ripple and their direction; some 10 for long crests [schachter1980]"),
    Key::number("flow_ripples")
        .or(0.0)
        .within(0.0, 0.5)
        .help("RMS slope of the ripples that water over land carries along, from 1.5 m/s on; none below 0.23 m/s"),
    Key::number("flow_ripple_length")
        .unit("m")
        .positive_to(100.0)
        .optional("twice the distance of the water's samples")
        .help("Wavelength of the strongest ripples of running water"),
    Key::number("flow_ripple_rate")
        .or(1.0)
        .within(0.0, 1000.0)
        .help("Speed of these ripples relative to the water: for a time lapse 1 over its speed"),
    Key::choice("bed", WORDS_BED)
        .default(Absent::Text("sand"))
        .help("Material of the bed where no land is simulated"),
    Key::number("depth")
        .unit("m")
        .or(4.0)
        .positive_to(12_000.0)
        .help("Depth of the water at rest above the bed"),
    Key::number("level")
        .unit("m")
        .within(-1e5, 1e5)
        .optional("the mean height of the water")
        .help("Height of the water at rest"),
    Key::choice("beyond", WORDS_BEYOND).default(Absent::Text("sea")).help("What is drawn beyond the domain"),
    Key::choice("ground", WORDS_GROUND)
        .default(Absent::Text("auto"))
        .help("Surface material of simulated land"),
    Key::choice("backdrop", WORDS_BACKDROP).default(Absent::Text("auto")).help("Background"),
    Key::number("foam").or(0.6).within(0.0, 2.0).help("Amount of foam on fast water over land"),
    Key::choice("caustics", WORDS_CAUSTICS)
        .default(Absent::Text("beams"))
        .help("Method for caustics: sunlight focused by waves"),
    Key::integer("caustics_resolution")
        .unit("texels")
        .within(16.0, 8192.0)
        .optional("as many as the water has samples, up to 1024")
        .help("Resolution of the caustics map along the longer side of the bed"),
    Key::integer("photons")
        .default(Absent::Integer(64))
        .within(1.0, 100_000.0)
        .help("Photons per texel where caustics = \"photons\""),
    Key::colour("solid").default(Absent::Vector(&[0.55, 0.23, 0.12])).help("Colour of solid bodies"),
    Key::text("smoke")
        .optional("the field smoke, if there is one")
        .help("The 3-D field that is rendered as smoke"),
    Key::number("smoke_density")
        .unit("1/m")
        .within(0.0, 1e9)
        .optional("30 over the longest side of the box")
        .help("Extinction coefficient of smoke of value 1"),
    Key::colour("smoke_colour")
        .default(Absent::Vector(&[0.9, 0.9, 0.9]))
        .help("Single-scattering albedo of smoke; dark for soot"),
    // Liquids in previews
    Key::choice("tank", WORDS_TANK).default(Absent::Text("glass")).help("What is drawn around a liquid"),
    Key::vector("tank_low", 3)
        .unit("m")
        .within(-1e6, 1e6)
        .optional("that of the simulation")
        .help("Lowest corner of the tank; needs tank_high"),
    Key::vector("tank_high", 3)
        .unit("m")
        .within(-1e6, 1e6)
        .optional("that of the simulation")
        .help("Highest corner of the tank; needs tank_low"),
    Key::text("glass")
        .default(Absent::Text("glass"))
        .help("Bodies whose name contains this word are rendered as glass"),
    Key::number("dye")
        .or(1.0)
        .within(0.0, 100.0)
        .help("Strength of the tint that coloured particles give a liquid"),
    // Traced pictures, which have all keys of previews but samples
    trace::QUALITY,
    trace::PATHS,
    trace::BOUNCES,
    trace::DENOISE,
    trace::APERTURE,
    trace::FOCUS,
    trace::SHUTTER,
    trace::PORT,
    trace::LAMP,
    trace::PANORAMA,
    trace::PANORAMA_LIGHT,
    trace::PASSES,
    // Classic pictures
    Key::choice("shading", WORDS_SHADING).default(Absent::Text("auto")).help("How classic water is shaded"),
    Key::number("s_sky").or(1.4).within(0.0, 100.0).help("Cube map: weight of the reflected sky, S_sky"),
    Key::number("s_underwater")
        .or(1.0)
        .within(0.0, 100.0)
        .help("Cube map: weight of the underwater colour, S_underwater"),
    Key::number("s_specular")
        .or(0.8)
        .within(0.0, 100.0)
        .help("Cube map: weight of the gloss map, S_specular"),
    Key::number("s_ambient")
        .or(0.5)
        .within(0.0, 100.0)
        .help("Cube map: weight of the ambient light, S_ambient"),
    Key::colour("underwater")
        .default(Absent::Vector(&[0.0015, 0.1065, 0.089]))
        .help("Cube map: underwater colour, C_underwater"),
    Key::colour("highlight")
        .default(Absent::Vector(&[1.0, 1.0, 1.0]))
        .help("Cube map: colour of the highlights, C_waterhighcolor"),
    Key::number("bump").or(0.06).within(0.0, 2.0).help("Cube map: RMS slope of the bump map; 0 for none"),
    Key::number("bump_length").unit("m").or(5.0).positive_to(1e5).help("Size of one tile of the bump map"),
    Key::number("bump_drift").unit("m/s").or(0.4).within(-100.0, 100.0).help("Drift speed of the bump map"),
    Key::file("bump_file")
        .optional("many small waves")
        .help("Bump map: a tileable PNG of heights, light for high"),
    Key::file("cube_east").optional("the sky").help("PNG of the cube map face towards +x; all six or none"),
    Key::file("cube_west").optional("the sky").help("PNG of the cube map face towards -x"),
    Key::file("cube_north").optional("the sky").help("PNG of the cube map face towards +y"),
    Key::file("cube_south").optional("the sky").help("PNG of the cube map face towards -y"),
    Key::file("cube_up")
        .optional("the sky")
        .help("PNG of the upper cube map face, its lower edge towards the north"),
    Key::file("cube_down")
        .optional("the sky")
        .help("PNG of the lower cube map face, its upper edge towards the north"),
    // Plots
    Key::text("field").optional("the first field of the frame").help("The field that is plotted"),
    Key::choice("view", WORDS_VIEW).default(Absent::Text("auto")).help("How the field is shown"),
    Key::choice("map", WORDS_MAP).default(Absent::Text("auto")).help("Colour map"),
    Key::vector("limits", 2).optional("fit the values").help("Lower and upper end of the scale"),
    Key::choice("scale", WORDS_SCALE).default(Absent::Text("linear")).help("Linear or logarithmic scale"),
    Key::choice("filter", WORDS_FILTER).default(Absent::Text("linear")).help("Interpolation between samples"),
    Key::integer("contours")
        .default(Absent::Integer(0))
        .within(0.0, 40.0)
        .help("Approximate number of contour lines"),
    Key::flag("grid").default(Absent::Flag(false)).help("Draws the borders of the cells"),
    Key::text("arrows").optional("none").help("A vector field drawn as arrows"),
    Key::number("arrow_spacing").unit("px").or(28.0).within(6.0, 1000.0).help("Distance between arrows"),
    Key::text("streamlines").optional("none").help("A vector field drawn as streamlines"),
    Key::number("line_spacing").unit("px").or(16.0).within(3.0, 1000.0).help("Distance between streamlines"),
    Key::flag("particles").default(Absent::Flag(false)).help("Draws the particles"),
    Key::choice("across", WORDS_AXIS)
        .optional("z, or the axis with one sample")
        .help("Axis normal to the slice of a 3-D field"),
    Key::number("position").unit("m").optional("the middle").help("Position of the slice along that axis"),
    Key::text("title").optional("the name of the field").help("The title of the plot"),
    Key::text("counters")
        .optional("none")
        .help("A unit, such as \"updates\": the counters of the water with it are plotted over time below"),
    HUE_A,
    HUE_B,
    SATURATION,
    LINEAR,
    LOG,
    LIGHT_LIMIT,
    OVERFLOW_LIMIT,
    // Flat pictures
    Key::tables("layer", LAYER_KEYS)
        .optional("water, dye, or else speed, vortices and arrows; and obstacles")
        .help(
            "Layers from the bottom up, such as [{ show = \"water\" }, …]: of a flat picture, or of a liquid",
        ),
    Key::number("margin")
        .or(0.0)
        .within(0.0, 0.49)
        .help("Margin around the fluid, as a fraction of the picture's height"),
    Key::colour("background").default(Absent::Vector(&[0.003, 0.004, 0.006])).help("Background colour"),
    Key::file("background_file").optional("none").help("Background picture (PNG), behind all layers"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::CAMERA_KEYS;
    use crate::plots::MAPS;
    use crate::preview::LOOKS;
    use crate::sky::keys::SKY_KEYS;

    #[test]
    fn every_key_is_explained() {
        for key in [CAMERA_KEYS, SKY_KEYS, PICTURE_KEYS].into_iter().flatten() {
            assert!(!key.help.is_empty(), "{}", key.name);
        }
    }

    #[test]
    fn the_words_are_those_of_the_lists() {
        let looks: Vec<_> = LOOKS.iter().map(|(name, help, _)| (*name, *help)).collect();
        assert_eq!(WORDS_LOOK, looks);
        let maps: Vec<_> = MAPS.iter().map(|(name, help, _)| (*name, *help)).collect();
        assert_eq!(WORDS_MAP[1..WORDS_MAP.len() - 2], maps);
    }
}
