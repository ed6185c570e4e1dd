//! The keys of `[[port]]`: cells through which water flows in or out.

use undine_scene::{Absent, Key, KindEntry, Placing, SectionEntry};

use crate::solids::{
    BOX, BOX_KEYS, CIRCLE, CIRCLE_KEYS, CYLINDER, CYLINDER_KEYS, POLYGON, POLYGON_KEYS, RECTANGLE,
    RECTANGLE_KEYS, SPHERE, SPHERE_KEYS, TRAJECTORY_KEYS,
};

/// `[[port]]`: cells through which water flows in or out.
pub(super) static PORT: SectionEntry = SectionEntry {
    name: "port",
    summary: "cells through which water flows in or out",
    repeats: true,
    common: &[
        Key::text("kind").help(
            "its shape: the cells whose centres lie in it, or that it touches if there are none; or voxels, by their \
             letter",
        ),
        Key::text("water")
            .optional("every water with ports")
            .help("the name of the water that it belongs to"),
        Key::choice(
            "flow",
            &[
                ("in", "water comes in with a speed, across the faces of its cells"),
                ("out", "water leaves as it likes, or with a speed"),
            ],
        )
        .default(Absent::Text("in"))
        .help("which way the water flows"),
        Key::timed("speed")
            .unit("m/s")
            .optional("0 where it flows in; where it flows out, that of the water")
            .within(-1e4, 1e4)
            .help(
                "speed across the open faces of its cells, into the water or, with flow = \"out\", out of it",
            ),
        Key::number("wave_amplitude")
            .unit("m")
            .or(0.0)
            .within(0.0, 1e3)
            .help("makes waves: a ω sin ωt is added to the speed, with this a"),
        Key::number("wave_period").unit("s").or(1.0).positive_to(1e6).help("period of these waves, 2π/ω"),
        Key::number("turns_out_at")
            .unit("s")
            .optional("never")
            .within(0.0, 1e9)
            .help("the time from which water leaves here as it likes"),
        Key::timed("markers")
            .unit("1/s")
            .optional("as dense as the water at the start")
            .within(0.0, 1e9)
            .help("rate of new markers, which need not be that of the water"),
    ],
    kinds: &[
        region(POLYGON, &[IN_PLANE, TRAJECTORY_KEYS, POLYGON_KEYS]),
        region(CIRCLE, &[IN_PLANE, TRAJECTORY_KEYS, CIRCLE_KEYS]),
        region(RECTANGLE, &[IN_PLANE, TRAJECTORY_KEYS, RECTANGLE_KEYS]),
        region(SPHERE, &[IN_SPACE, TRAJECTORY_KEYS, SPHERE_KEYS]),
        region(BOX, &[IN_SPACE, TRAJECTORY_KEYS, BOX_KEYS]),
        region(CYLINDER, &[IN_SPACE, TRAJECTORY_KEYS, CYLINDER_KEYS]),
        VOXELS.with_keys(&[IN_PLANE, LETTER]).only_in(&[2]),
        VOXELS.with_keys(&[IN_SPACE, LETTER]).only_in(&[3]),
    ],
};

const fn region(shape: KindEntry, keys: &'static [&'static [Key]]) -> KindEntry {
    shape.with_keys(keys).placed(Placing::Region)
}

const VOXELS: KindEntry = KindEntry::new("voxels", "the cells with a letter in [[voxels]]", &[]);

const LETTER: &[Key] = &[Key::text("letter").help("the letter of its cells in the map, i or o or another")];

const IN_PLANE: &[Key] = &[Key::vector("towards", 2)
    .optional("into the box from the side at which all its cells lie; else across each open face")
    .within(-1e6, 1e6)
    .help("the direction in which water comes in, such as [1, 0]")];

const IN_SPACE: &[Key] = &[Key::vector("towards", 3)
    .optional("into the box from the side at which all its cells lie; else across each open face")
    .within(-1e6, 1e6)
    .help("the direction in which water comes in, such as [1, 0, 0]")];
