//! Reads flat pictures from a scene file.

use undine_scene::{SceneErrors, Values};

use undine_frame::FieldChoice;

use super::keys::SHOWS;
use super::{
    ArrowLayer, Blend, CellsLayer, ColourBy, DyeLayer, FieldLayer, FlatSpec, GlowLayer, GridLayer,
    ImageExtent, ImageLayer, InkKind, LayerContent, MetaballLayer, OutlineLayer, ParticleLayer, PictureLayer,
    PointLight, ReliefLayer, RgbaImage, Seeding, SolidLayer, StreamlineLayer, WaterLayer,
};
use crate::plots::MapChoice;
use crate::settings::{read_across, read_limits, read_map};

/// Most layers of a picture.
const MOST_LAYERS: usize = 64;

/// Reads the keys of a flat picture of this size.
pub fn read_flat(values: &Values, size: [usize; 2]) -> Result<FlatSpec, SceneErrors> {
    let mut errors = SceneErrors::new();
    let layers = errors.keep(read_layers(values, size)).unwrap_or_default();
    let background_image = errors.keep(read_image(values, "background_file", size)).flatten();
    errors.into_result()?;
    Ok(FlatSpec {
        layers,
        margin: values.number("margin") as f32,
        background: values.colour("background"),
        background_image,
        across: read_across(values),
        position: values.number_if("position"),
    })
}

/// Reads the layers of a picture of this size.
pub fn read_layers(values: &Values, size: [usize; 2]) -> Result<Vec<PictureLayer>, SceneErrors> {
    let mut errors = SceneErrors::new();
    let tables = values.tables("layer");
    if tables.len() > MOST_LAYERS {
        let message = format!("a picture has at most {MOST_LAYERS} layers");
        errors.push(values.problem("layer", message, "leave some out"));
    }
    let layers = tables.iter().filter_map(|table| errors.keep(read_layer(table, size))).collect();
    errors.into_result()?;
    Ok(layers)
}

fn read_layer(values: &Values, size: [usize; 2]) -> Result<PictureLayer, SceneErrors> {
    let word = values.word("show");
    refuse_unread_keys(values, word)?;
    let show = match word {
        "field" => LayerContent::Field(read_field(values)?),
        "dye" => LayerContent::Dye(read_dye(values)),
        "vectors" => LayerContent::Vectors(read_arrows(values)),
        "streamlines" => LayerContent::Streamlines(read_lines(values)),
        "particles" => LayerContent::Particles(read_dots(values)),
        "metaballs" => LayerContent::Metaballs(read_balls(values)),
        "relief" => LayerContent::Relief(read_relief(values)),
        "solid" => LayerContent::Solid(read_solid(values)),
        "glow" => LayerContent::Glow(read_glow(values)),
        "water" => LayerContent::Water(read_water(values)),
        "outline" => LayerContent::Outline(read_outline(values)),
        "grid" => LayerContent::Grid(read_grid(values)),
        "cells" => LayerContent::Cells(CellsLayer { field: values.text_if("field").map(FieldChoice::from) }),
        _ => LayerContent::Picture(read_placed(values, size)?),
    };
    let blend = match values.word("blend") {
        "add" => Blend::Add,
        "multiply" => Blend::Multiply,
        "screen" => Blend::Screen,
        "lighten" => Blend::Lighten,
        _ => Blend::Over,
    };
    Ok(PictureLayer { show, opacity: values.number("opacity") as f32, blend })
}

// Refuses keys that this kind of layer does not use.
fn refuse_unread_keys(values: &Values, word: &str) -> Result<(), SceneErrors> {
    let mut errors = SceneErrors::new();
    let read = SHOWS.iter().find(|(known, ..)| *known == word).map_or(&[][..], |(.., keys)| keys);
    let all: std::collections::BTreeSet<&str> =
        SHOWS.iter().flat_map(|(.., keys)| keys.iter().copied()).collect();
    for key in all.into_iter().filter(|key| values.is_given(key) && !read.contains(key)) {
        let message = format!("a layer that shows \"{word}\" does not read {key}");
        errors.push(values.problem(key, message, format!("it reads {}, opacity, blend", read.join(", "))));
    }
    errors.into_result()
}

fn number(values: &Values, key: &str, otherwise: f32) -> f32 {
    values.number_if(key).map_or(otherwise, |number| number as f32)
}

fn named(values: &Values, otherwise: FieldChoice) -> FieldChoice {
    values.text_if("field").map_or(otherwise, FieldChoice::from)
}

// One colour, a ramp, or a named map; `otherwise` if none is given.
fn read_colours(values: &Values, otherwise: MapChoice) -> MapChoice {
    let ramp = values.tables("ramp");
    if let Some(colour) = values.colour_if("colour") {
        return MapChoice::One(colour);
    }
    if !ramp.is_empty() {
        return MapChoice::Ramp(ramp.iter().map(|table| table.colour("colour")).collect());
    }
    if values.is_given("map") { read_map(values) } else { otherwise }
}

fn read_field(values: &Values) -> Result<FieldLayer, SceneErrors> {
    let Some(field) = values.text_if("field") else {
        let message = "a layer that shows a field does not say which";
        return Err(values.problem("field", message, "add field = \"speed\"").into());
    };
    Ok(FieldLayer {
        map: read_colours(values, MapChoice::Auto),
        limits: read_limits(values),
        is_log: values.word("scale") == "log",
        fade: values.number("fade") as f32,
        ..FieldLayer::of(field)
    })
}

fn read_dye(values: &Values) -> DyeLayer {
    let plain = DyeLayer::default();
    let is_paper = values.word("ink") == "paper";
    DyeLayer {
        field: named(values, plain.field),
        ink: if is_paper { InkKind::Paper } else { InkKind::Glow },
        strength: number(values, "strength", plain.strength),
        paper: values.colour_if("paper").unwrap_or(plain.paper),
    }
}

fn read_arrows(values: &Values) -> ArrowLayer {
    let plain = ArrowLayer::default();
    ArrowLayer {
        field: named(values, plain.field),
        spacing: number(values, "spacing", plain.spacing),
        thickness: number(values, "thickness", 1.5),
        colour: values.colour_if("colour").unwrap_or(plain.colour),
        longest: values.number_if("longest").map(|longest| longest as f32),
    }
}

fn read_lines(values: &Values) -> StreamlineLayer {
    let plain = StreamlineLayer::default();
    let is_mapped = values.is_given("map") || values.is_given("ramp");
    let white = if is_mapped { None } else { plain.colour };
    StreamlineLayer {
        field: named(values, plain.field),
        spacing: number(values, "spacing", plain.spacing),
        thickness: number(values, "thickness", 1.5),
        longest: values.number_if("length").map(|length| length as f32),
        seeding: if values.word("seeds") == "lattice" { Seeding::Lattice } else { Seeding::Even },
        colour: values.colour_if("colour").or(white),
        map: read_colours(values, plain.map),
        limits: read_limits(values),
    }
}

fn read_dots(values: &Values) -> ParticleLayer {
    let plain = ParticleLayer::default();
    ParticleLayer {
        cloud: values.text_if("cloud").map(str::to_owned),
        radius: values.number_if("radius").map(|radius| radius as f32),
        softness: values.number("softness") as f32,
        streak: values.number("streak") as f32,
        colour: values.colour_if("colour").unwrap_or(plain.colour),
        by: match values.word("colour_by") {
            "speed" => ColourBy::Speed,
            "mass" => ColourBy::Mass,
            "colour" => ColourBy::Colour,
            _ => ColourBy::Nothing,
        },
        map: read_colours(values, plain.map),
        limits: read_limits(values),
    }
}

fn read_balls(values: &Values) -> MetaballLayer {
    let plain = MetaballLayer::default();
    MetaballLayer {
        cloud: values.text_if("cloud").map(str::to_owned),
        radius: values.number_if("radius").map(|radius| radius as f32),
        threshold: number(values, "threshold", plain.threshold),
        softness: values.number("softness") as f32,
        core: values.number("core") as f32,
        map: read_colours(values, plain.map),
    }
}

fn read_lamp(values: &Values) -> PointLight {
    PointLight {
        position: values.vector("lamp").map(|fraction| fraction as f32),
        colour: values.colour("lamp_colour"),
    }
}

fn read_relief(values: &Values) -> ReliefLayer {
    let plain = ReliefLayer::default();
    ReliefLayer {
        field: named(values, plain.field),
        limit: values.number_if("longest").map(|limit| limit as f32),
        depth: number(values, "depth", plain.depth),
        lamp: read_lamp(values),
        shading: values.number("shading") as f32,
        gloss: number(values, "gloss", plain.gloss),
        shininess: number(values, "shininess", plain.shininess),
    }
}

fn read_solid(values: &Values) -> SolidLayer {
    let plain = SolidLayer::default();
    SolidLayer {
        colour: values.colour_if("colour").unwrap_or(plain.colour),
        is_cut: values.flag("cut"),
        wall: values.number_if("wall").map(|wall| wall as f32),
        rim: number(values, "rim", plain.rim),
        lamp: read_lamp(values),
        gloss: number(values, "gloss", plain.gloss),
        shininess: number(values, "shininess", plain.shininess),
        shadow: values.number("shadow") as f32,
        shadow_width: values.number("shadow_width") as f32,
    }
}

fn read_water(values: &Values) -> WaterLayer {
    let plain = WaterLayer::default();
    WaterLayer {
        field: named(values, plain.field),
        colour: values.colour_if("colour").unwrap_or(plain.colour),
        rim: number(values, "rim", plain.rim),
        depth: number(values, "depth", plain.depth),
    }
}

fn read_outline(values: &Values) -> OutlineLayer {
    let plain = OutlineLayer::default();
    OutlineLayer {
        field: named(values, plain.field),
        thickness: number(values, "thickness", plain.thickness),
        colour: values.colour_if("colour").unwrap_or(plain.colour),
    }
}

fn read_grid(values: &Values) -> GridLayer {
    let plain = GridLayer::default();
    GridLayer {
        field: values.text_if("field").map(FieldChoice::from),
        thickness: number(values, "thickness", plain.thickness),
        colour: values.colour_if("colour").unwrap_or(plain.colour),
    }
}

fn read_glow(values: &Values) -> GlowLayer {
    let plain = GlowLayer::default();
    GlowLayer {
        radius: number(values, "radius", plain.radius),
        threshold: number(values, "threshold", plain.threshold),
        strength: number(values, "strength", plain.strength),
    }
}

fn read_placed(values: &Values, size: [usize; 2]) -> Result<ImageLayer, SceneErrors> {
    let Some(image) = read_image(values, "file", size)? else {
        let message = "a layer that shows a picture does not say which";
        return Err(values.problem("file", message, "add file = \"name.png\"").into());
    };
    let over = if values.word("over") == "page" { ImageExtent::Page } else { ImageExtent::Inner };
    Ok(ImageLayer { image, over })
}

/// Reads the image that a key names, for a picture of this size.
pub(crate) fn read_image(
    values: &Values,
    key: &str,
    size: [usize; 2],
) -> Result<Option<RgbaImage>, SceneErrors> {
    let Some(file) = values.file_if(key) else { return Ok(None) };
    let image = RgbaImage::read(file, size);
    image.map(Some).map_err(|error| values.problem(key, error.to_string(), "save it again as PNG").into())
}
