//! The sections of a scene that pictures read.

use undine_scene::SectionEntry;

use crate::camera::CAMERA_KEYS;
use crate::keys::PICTURE_KEYS;
use crate::props::PROP_KEYS;
use crate::sky::keys::SKY_KEYS;

/// All of them.
pub static SECTIONS: &[&SectionEntry] = &[&CAMERA, &SKY, &PROP, &PICTURE];

/// `[camera]`: where it stands, or the way it takes.
pub static CAMERA: SectionEntry = SectionEntry {
    name: "camera",
    summary: "where pictures are taken from",
    repeats: false,
    common: CAMERA_KEYS,
    kinds: &[],
};

/// `[sky]`: sun, haze and clouds.
pub static SKY: SectionEntry = SectionEntry {
    name: "sky",
    summary: "sun, haze and clouds",
    repeats: false,
    common: SKY_KEYS,
    kinds: &[],
};

/// `[[prop]]`: something that only pictures show.
pub static PROP: SectionEntry = SectionEntry {
    name: "prop",
    summary: "things that only pictures show",
    repeats: true,
    common: PROP_KEYS,
    kinds: &[],
};

/// `[[picture]]`: what is drawn, and how.
pub static PICTURE: SectionEntry = SectionEntry {
    name: "picture",
    summary: "how frames are drawn",
    repeats: true,
    common: PICTURE_KEYS,
    kinds: &[],
};
