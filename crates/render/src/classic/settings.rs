//! Reads classic pictures from a scene file.

use glam::Vec3;
use undine_scene::{SceneErrors, Values};

use super::cube_map::{CubeMap, FACES};
use super::{BumpMap, BumpSpec, ClassicSpec, CubeMapShading, Shading};
use crate::caustics::{CausticsKind, CausticsSpec};
use crate::flat::{RgbaImage, read_image};
use crate::preview::PreviewSpec;

/// Images of at least twice this size are downsampled.
const LARGEST: [usize; 2] = [1024, 1024];

/// Reads the keys of a classic picture; those shared with previews are taken from `preview`.
pub fn read_classic(values: &Values, preview: PreviewSpec) -> Result<ClassicSpec, SceneErrors> {
    let number = |key: &str| values.number(key) as f32;
    let mut errors = SceneErrors::new();
    let cube = errors.keep(read_cube(values)).flatten();
    let map = errors.keep(read_bumps(values)).flatten();
    errors.into_result()?;
    // The illumination map of the paper is the default
    let kind =
        if values.is_given("caustics") { preview.caustics.kind } else { CausticsKind::IlluminationMap };
    Ok(ClassicSpec {
        samples: preview.samples,
        exposure: preview.exposure,
        shading: match values.word("shading") {
            "cube-map" => Shading::CubeMap,
            "caustic" => Shading::Caustic,
            _ => Shading::Auto,
        },
        shine: CubeMapShading {
            sky: number("s_sky"),
            underwater: number("s_underwater"),
            specular: number("s_specular"),
            ambient: number("s_ambient"),
            underwater_colour: values.colour("underwater").into(),
            highlight: values.colour("highlight").into(),
        },
        bumps: BumpSpec {
            strength: number("bump"),
            length: number("bump_length"),
            drift: number("bump_drift"),
            map,
        },
        cube,
        look: preview.look,
        ground: preview.ground,
        beyond: preview.beyond,
        level: preview.level,
        caustics: CausticsSpec { kind, ..preview.caustics },
        solid: preview.solid,
    })
}

fn read_bumps(values: &Values) -> Result<Option<BumpMap>, SceneErrors> {
    let Some(image) = read_image(values, "bump_file", LARGEST)? else { return Ok(None) };
    let heights: Vec<f32> =
        image.pixels().iter().map(|[red, green, blue, _]| (red + green + blue) / 3.0).collect();
    Ok(Some(BumpMap::new(image.width(), &heights)))
}

fn read_cube(values: &Values) -> Result<Option<CubeMap>, SceneErrors> {
    let keys = FACES.map(|(name, ..)| format!("cube_{name}"));
    let Some(given) = keys.iter().find(|key| values.is_given(key)) else { return Ok(None) };
    if let Some(missing) = keys.iter().find(|key| !values.is_given(key)) {
        let message = "a cube map has six faces";
        return Err(values.problem(given, message, format!("add {missing}")).into());
    }
    let mut errors = SceneErrors::new();
    let images: Vec<RgbaImage> =
        keys.iter().filter_map(|key| errors.keep(read_image(values, key, LARGEST)).flatten()).collect();
    errors.into_result()?;
    let side = images.first().map_or(0, RgbaImage::width);
    let colours = |face: usize| {
        let pixels = images.get(face).map(RgbaImage::pixels).unwrap_or_default();
        pixels.iter().map(|&[red, green, blue, _]| Vec3::new(red, green, blue)).collect()
    };
    let cube = CubeMap::of_faces(side, std::array::from_fn(colours));
    let unlike =
        || values.problem(given, "the six faces are not squares of one size", "use six squares of one size");
    cube.map(Some).ok_or_else(|| unlike().into())
}
