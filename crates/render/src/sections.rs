//! The scene sections of rendering.

use undine_scene::SectionEntry;

use crate::camera::CAMERA_KEYS;
use crate::keys::PICTURE_KEYS;
use crate::props::PROP_KEYS;
use crate::sky::keys::SKY_KEYS;

/// All of them.
pub static SECTIONS: &[&SectionEntry] = &[&CAMERA, &SKY, &PROP, &PICTURE];

/// `[camera]`: its position or its path.
pub static CAMERA: SectionEntry = SectionEntry {
    name: "camera",
    summary: "position or path of the camera",
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

/// `[[prop]]`: an object that only pictures show.
pub static PROP: SectionEntry = SectionEntry {
    name: "prop",
    summary: "objects that only pictures show",
    repeats: true,
    common: PROP_KEYS,
    kinds: &[],
};

/// `[[picture]]`: what is rendered, and how.
pub static PICTURE: SectionEntry = SectionEntry {
    name: "picture",
    summary: "how frames are rendered",
    repeats: true,
    common: PICTURE_KEYS,
    kinds: &[],
};
