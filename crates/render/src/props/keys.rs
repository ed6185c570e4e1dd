//! The keys of `[[prop]]`.

use undine_scene::{Absent, Key};

/// The keys that a scene may set under `[[prop]]`.
pub static PROP_KEYS: &[Key] = &[
    Key::choice(
        "kind",
        &[
            ("ball", "a ball"),
            ("box", "a box"),
            ("cylinder", "a cylinder along its own z"),
            ("bowl", "a bowl, open at the top: z = height (r/radius)² inside"),
        ],
    )
    .help("Its shape"),
    Key::text("name")
        .optional("prop-1, prop-2, …")
        .help("Its name; one that contains the picture's word for glass is rendered as glass"),
    Key::vector("at", 3)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0, 0.0]))
        .within(-1e6, 1e6)
        .help("Position of its centre; of a bowl, that of the lowest point inside"),
    Key::flag("floats")
        .default(Absent::Flag(false))
        .help("Whether it floats: the third number of at is then its height above the water"),
    Key::number("radius")
        .unit("m")
        .or(0.5)
        .positive_to(1e6)
        .help("Radius of a ball or cylinder, or of the rim of a bowl"),
    Key::number("height").unit("m").or(1.0).positive_to(1e6).help("Height of a cylinder, or depth of a bowl"),
    Key::number("wall")
        .unit("m")
        .positive_to(1e6)
        .optional("a fortieth of the radius")
        .help("Thickness of a bowl"),
    Key::vector("size", 3)
        .unit("m")
        .default(Absent::Vector(&[1.0, 1.0, 1.0]))
        .positive_to(1e6)
        .help("Sides of a box along x, y and z"),
    Key::timed("move_x").unit("m").or(0.0).within(-1e6, 1e6).help("Displacement along x"),
    Key::timed("move_y").unit("m").or(0.0).within(-1e6, 1e6).help("Displacement along y"),
    Key::timed("move_z").unit("m").or(0.0).within(-1e6, 1e6).help("Displacement along z"),
    Key::timed("turn").unit("deg").or(0.0).within(-1e6, 1e6).help("Rotation angle, counter-clockwise"),
    Key::choice("axis", &[("x", "about x"), ("y", "about y"), ("z", "about z")])
        .default(Absent::Text("z"))
        .help("Rotation axis"),
    Key::colour("colour").default(Absent::Vector(&[0.7, 0.7, 0.7])).help("Its colour"),
    Key::colour("stripe").optional("no stripes").help("Colour of every second stripe of a ball or cylinder"),
    Key::number("gloss")
        .or(0.0)
        .within(0.0, 1.0)
        .help("Fraction covered by a clear coat, as of a marble; in traced pictures"),
    Key::integer("stripes")
        .default(Absent::Integer(8))
        .within(2.0, 64.0)
        .help("Number of stripes of both colours"),
];
