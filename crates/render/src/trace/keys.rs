//! The keys of traced pictures.

use undine_scene::{Absent, Key};

const WORDS_QUALITY: &[(&str, &str)] = &[
    ("auto", "the highest with which this machine renders the film in minutes, or a still in one minute"),
    ("draft", "few samples, for trials"),
    ("good", "for films"),
    ("best", "many samples, for stills"),
];

const WORDS_PASSES: &[(&str, &str)] = &[
    ("light", "linear radiance, in thousands of candela per square metre"),
    ("depth", "distance of the first surface, in metres"),
    ("normal", "normal of the first surface"),
    ("albedo", "diffuse reflectance of what is seen, through water too"),
    ("motion", "motion of the first surface, in pixels per second to the right and up"),
    ("caustics", "radiance due to sunlight that came through water"),
];

/// The keys of a lamp.
static LAMP_KEYS: &[Key] = &[
    Key::vector("at", 3).unit("m").within(-1e6, 1e6).help("Its centre"),
    Key::number("radius").unit("m").or(0.1).positive_to(1e5).help("Its radius"),
    Key::number("light").unit("kcd/m²").or(200.0).within(0.0, 1e9).help("Radiance of its surface"),
    Key::colour("colour").default(Absent::Vector(&[1.0, 1.0, 1.0])).help("The colour of its light"),
];

pub(crate) const QUALITY: Key = Key::choice("quality", WORDS_QUALITY)
    .default(Absent::Text("auto"))
    .help("trace: quality preset, which sets samples per pixel and limits of paths");
pub(crate) const PATHS: Key = Key::integer("paths")
    .within(1.0, 65536.0)
    .optional("8, 24 or 512, by the quality")
    .help("trace: most paths per pixel");
pub(crate) const BOUNCES: Key = Key::integer("bounces")
    .within(1.0, 1000.0)
    .optional("10, 16 or 40, by the quality")
    .help("trace: most bounces of a path");
pub(crate) const DENOISE: Key =
    Key::flag("denoise").default(Absent::Flag(true)).help("trace: whether noise is filtered out");
pub(crate) const APERTURE: Key = Key::number("aperture")
    .unit("m")
    .or(0.0)
    .within(0.0, 1e4)
    .help("trace: diameter of the lens (depth of field); 0 for a pinhole");
pub(crate) const FOCUS: Key = Key::number("focus")
    .unit("m")
    .positive_to(1e6)
    .optional("the distance of the target")
    .help("trace: distance of the plane of focus");
pub(crate) const SHUTTER: Key =
    Key::number("shutter").unit("s").or(0.0).within(0.0, 10.0).help("trace: exposure time, for motion blur");
pub(crate) const PORT: Key = Key::number("port")
    .unit("m")
    .or(0.0)
    .within(0.0, 1e3)
    .help("trace: distance of the port of an underwater housing, for a view half under water");
pub(crate) const LAMP: Key = Key::tables("lamp", LAMP_KEYS)
    .optional("none")
    .help("trace: spherical lamps, such as [{ at = [1, 2, 3], radius = 0.1, light = 500 }]");
pub(crate) const PANORAMA: Key = Key::file("panorama").optional("the sky, or a studio").help(
    "trace: environment map, Radiance (.hdr) or OpenEXR (.exr): equirectangular of 2 to 1, or a cube map as a cross of 4 to 3 or 3 to 4",
);
pub(crate) const PANORAMA_LIGHT: Key = Key::number("panorama_light")
    .unit("kcd/m²")
    .or(10.0)
    .positive_to(1e9)
    .help("trace: radiance of the environment map's value 1");
pub(crate) const PASSES: Key = Key::choices("passes", WORDS_PASSES)
    .default(Absent::Words(&[]))
    .help("trace: render passes that are written beside the picture, into an EXR file");

/// The keys that only traced pictures have.
pub(crate) static TRACE_KEYS: [Key; 12] = [
    QUALITY,
    PATHS,
    BOUNCES,
    DENOISE,
    APERTURE,
    FOCUS,
    SHUTTER,
    PORT,
    LAMP,
    PANORAMA,
    PANORAMA_LIGHT,
    PASSES,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::PASSES as LIST;

    #[test]
    fn the_words_are_those_of_the_list() {
        let passes: Vec<_> = LIST.iter().map(|(name, help, _)| (*name, *help)).collect();
        assert_eq!(WORDS_PASSES, passes);
    }
}
