//! The `[output]` section: the files of a run beside pictures.

use undine_export::FORMATS;
use undine_scene::{Absent, Key, Scene, SceneErrors, SectionEntry};

/// `[output]`: the files that a run writes.
pub static OUTPUT: SectionEntry = SectionEntry {
    name: "output",
    summary: "which files a run writes",
    repeats: false,
    common: OUTPUT_KEYS,
    kinds: &[],
};

static OUTPUT_KEYS: &[Key] = &[
    Key::flag("film").default(Absent::Flag(true)).help("encode the pictures as an MP4 film"),
    Key::flag("sheet")
        .default(Absent::Flag(true))
        .help("write a contact sheet: a PNG with a dozen pictures of the film and their times"),
    Key::number("speed")
        .or(1.0)
        .positive_to(1e6)
        .help("simulated seconds per second of the film: 60 shows a minute in a second"),
    Key::flag("cache")
        .default(Absent::Flag(true))
        .help("store every frame, so that pictures and exports can be made without simulating again"),
    Key::choices(
        "formats",
        &[
            ("ply", "meshes and particles, binary PLY"),
            ("obj", "meshes, Wavefront OBJ"),
            ("exr", "fields, OpenEXR in single precision"),
            ("png16", "fields, 16-bit grey PNG"),
            ("csv", "fields, one row per sample"),
        ],
    )
    .default(Absent::Words(&[]))
    .help("files to write for every frame"),
    Key::integer("every")
        .default(Absent::Integer(1))
        .within(1.0, 1e6)
        .help("write these files for every n-th frame"),
    Key::vector("grey_range", 2)
        .optional("the minimum and maximum of every frame")
        .within(-1e30, 1e30)
        .help("png16: the values of black and white"),
    Key::number("checkpoint_every")
        .unit("s")
        .or(5.0)
        .within(0.0, 86_400.0)
        .help("wall-clock seconds between checkpoints; 0 writes one after every frame"),
];

/// The outputs of a run beside pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// Whether films are encoded.
    pub film: bool,
    /// Whether contact sheets are made.
    pub sheet: bool,
    /// Simulated seconds per second of the film.
    pub speed: f64,
    /// Whether the cache is written.
    pub cache: bool,
    /// Formats to write for every n-th frame.
    pub formats: Vec<&'static str>,
    /// That n.
    pub every: u64,
    /// png16: the values of black and white.
    pub grey_range: Option<[f32; 2]>,
    /// Wall-clock seconds between checkpoints.
    pub checkpoint_every: f64,
}

impl Outputs {
    /// Reads `[output]`.
    pub fn read(scene: &Scene) -> Result<Outputs, SceneErrors> {
        let values = scene.section("output").read(&[OUTPUT_KEYS])?;
        let wanted = values.words("formats");
        Ok(Outputs {
            film: values.flag("film"),
            sheet: values.flag("sheet"),
            speed: values.number("speed"),
            cache: values.flag("cache"),
            formats: FORMATS.iter().map(|format| format.name).filter(|name| wanted.contains(name)).collect(),
            every: values.integer("every").max(1) as u64,
            grey_range: values.vector_if::<2>("grey_range").map(|range| range.map(|value| value as f32)),
            checkpoint_every: values.number("checkpoint_every"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use undine_scene::Kind;

    #[test]
    fn the_section_offers_every_format() {
        let key = OUTPUT_KEYS.iter().find(|key| key.name == "formats").unwrap();
        let Kind::Choices(words) = key.kind else { panic!("formats is a list of words") };
        let offered: Vec<&str> = words.iter().map(|word| word.0).collect();
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        assert_eq!(offered, known);
    }
}
