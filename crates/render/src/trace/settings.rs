//! Settings of traced pictures in a scene file.

use glam::Vec3;
use undine_scene::{SceneErrors, Values};

use super::{RenderPass, SphereLight, TraceQuality, TraceSpec};
use crate::preview::PreviewSpec;
use crate::sky::EnvironmentMap;

/// Largest file of an environment map in bytes.
const LARGEST_PANORAMA: u64 = 256 << 20;

/// Reads the settings of a traced picture; `scene` holds those in common with previews.
pub fn read_trace(values: &Values, scene: PreviewSpec) -> Result<TraceSpec, SceneErrors> {
    let count = |key: &str| values.integer_if(key).map(|count| count.clamp(1, 65536) as u32);
    let number = |key: &str| values.number(key) as f32;
    Ok(TraceSpec {
        scene,
        quality: match values.word("quality") {
            "draft" => TraceQuality::Draft,
            "best" => TraceQuality::Best,
            _ => TraceQuality::Good,
        },
        paths: count("paths"),
        bounces: count("bounces"),
        keeps_noise: !values.flag("denoise"),
        aperture: number("aperture"),
        focus: values.number_if("focus").map(|metres| metres as f32),
        shutter: number("shutter"),
        port: number("port"),
        lamps: values.tables("lamp").iter().map(read_lamp).collect(),
        panorama: read_panorama(values)?,
        passes: values.words("passes").iter().filter_map(|name| RenderPass::named(name)).collect(),
    })
}

fn read_lamp(values: &Values) -> SphereLight {
    SphereLight {
        centre: Vec3::from(values.vector::<3>("at").map(|metres| metres as f32)),
        radius: values.number("radius") as f32,
        light: Vec3::from(values.colour("colour")) * values.number("light") as f32,
    }
}

fn read_panorama(values: &Values) -> Result<Option<(EnvironmentMap, f32)>, SceneErrors> {
    let Some(file) = values.file_if("panorama") else { return Ok(None) };
    let refused =
        |what: String| values.problem("panorama", what, "save it anew as Radiance (.hdr) or OpenEXR (.exr)");
    let bytes = file.read(LARGEST_PANORAMA).map_err(|error| refused(error.to_string()))?;
    let panorama = EnvironmentMap::decode(&bytes).map_err(|error| refused(error.to_string()))?;
    Ok(Some((panorama, values.number("panorama_light") as f32)))
}
