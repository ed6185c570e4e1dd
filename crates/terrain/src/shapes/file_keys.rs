//! The keys of ground that comes from a file.

use undine_scene::{Absent, Key};

/// The keys of `kind = "file"`.
pub(crate) const KEYS: &[Key] = &[
    Key::file("file").help("the height map"),
    Key::choice(
        "format",
        &[
            ("auto", "by the content of the file, then by the ending of its name"),
            ("png", "PNG of 8 or 16 bits"),
            ("exr", "OpenEXR"),
            ("asc", "ESRI ASCII grid"),
            ("tiff", "TIFF or GeoTIFF"),
            ("raw", "bare samples; needs samples and sample"),
        ],
    )
    .default(Absent::Text("auto"))
    .help("the format of the file"),
    Key::text("channel").optional("luminance in PNG, height in EXR, the first band in TIFF").help(
        "which channel holds the heights: luminance, red, green, blue, alpha; a name; the number of a band",
    ),
    Key::number("low")
        .unit("m")
        .optional("what the file notes, else 0")
        .within(-1e6, 1e6)
        .help("height of black"),
    Key::number("high")
        .unit("m")
        .optional("what the file notes, else 1")
        .within(-1e6, 1e6)
        .help("height of white"),
    Key::vector("size", 2)
        .unit("m")
        .optional("from the file")
        .positive_to(1e9)
        .help("extent of the map along x and y, after crop and turn"),
    Key::vector("spacing", 2)
        .unit("m")
        .optional("from the file")
        .positive_to(1e8)
        .help("distance of samples along x and y, after turn"),
    Key::choice(
        "units",
        &[
            ("auto", "what the file says, else metres"),
            ("metres", "metres"),
            ("feet", "international feet"),
            ("us-feet", "feet of the survey of the United States"),
            ("degrees", "longitude and latitude, taken to metres at the middle of the map"),
        ],
    )
    .default(Absent::Text("auto"))
    .help("what the file measures distances on the ground in"),
    Key::choice(
        "vertical_unit",
        &[
            ("auto", "what the file says, else metres"),
            ("metres", "metres"),
            ("decimetres", "tenths of a metre"),
            ("centimetres", "hundredths of a metre"),
            ("feet", "international feet"),
            ("us-feet", "feet of the survey of the United States"),
        ],
    )
    .default(Absent::Text("auto"))
    .help("what the file measures heights in"),
    Key::vector("center", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e9, 1e9)
        .help("where the middle of the map is put"),
    Key::flag("keep_coordinates")
        .default(Absent::Flag(false))
        .help("leaves the map where the file says that it is"),
    Key::choice(
        "no_data",
        &[
            ("fill", "smoothly from the samples around"),
            ("level", "no_data_level"),
            ("error", "the map is refused"),
        ],
    )
    .default(Absent::Text("fill"))
    .help("what happens to samples without a height"),
    Key::number("no_data_level")
        .unit("m")
        .or(0.0)
        .within(-1e6, 1e6)
        .help("the height for no_data = \"level\""),
    Key::number("no_data_value")
        .optional("what the file says")
        .help("the sample in the file that stands for no data"),
    Key::integers("crop", 4)
        .optional("the whole map")
        .within(0.0, 1e9)
        .help("first column, first row, columns and rows of a part, counted in the file from its top left"),
    Key::choice(
        "interpolation",
        &[("bicubic", "smooth through the samples"), ("bilinear", "never beyond the samples")],
    )
    .default(Absent::Text("bicubic"))
    .help("the ground between samples"),
    Key::choices(
        "flip",
        &[("columns", "east and west change places"), ("rows", "north and south change places")],
    )
    .default(Absent::Words(&[]))
    .help("mirrors the map"),
    Key::integer("turn")
        .default(Absent::Integer(0))
        .within(0.0, 3.0)
        .help("quarter turns anticlockwise, after flip"),
    Key::integers("samples", 2).optional("in the file").within(1.0, 1e9).help("raw: columns and rows"),
    Key::choice(
        "sample",
        &[
            ("u8", "whole numbers of 8 bits without sign"),
            ("i8", "whole numbers of 8 bits"),
            ("u16", "whole numbers of 16 bits without sign"),
            ("i16", "whole numbers of 16 bits"),
            ("u32", "whole numbers of 32 bits without sign"),
            ("i32", "whole numbers of 32 bits"),
            ("f32", "floating point of 32 bits"),
            ("f64", "floating point of 64 bits"),
        ],
    )
    .default(Absent::Text("f32"))
    .help("raw: the type of samples"),
    Key::choice("bytes", &[("little", "lowest first, as PCs have it"), ("big", "highest first")])
        .default(Absent::Text("little"))
        .help("raw: the order of a sample's bytes"),
    Key::integer("header")
        .default(Absent::Integer(0))
        .within(0.0, 1e9)
        .help("raw: bytes before the first sample"),
    Key::choice(
        "rows_from",
        &[("north", "the first row is the northernmost"), ("south", "the southernmost")],
    )
    .default(Absent::Text("north"))
    .help("raw: the order of rows"),
];
