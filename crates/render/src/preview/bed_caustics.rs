//! Caustics of the simulated waves on the bed.

use glam::Vec3;
use undine_frame::Frame;

use super::PreviewSpec;
use super::basin::{Basin, Beyond};
use super::land::Land;
use crate::caustics::{Caustics, CausticsKind, Floor};
use crate::sky::Sky;

/// Optical depth at which caustics are invisible.
const OPAQUE: f32 = 5.0;

/// Caustics on the bed of a frame, in water with the absorption coefficient `absorption`; `None` where they are invisible
/// or switched off. Renderers that attenuate the light themselves pass zero.
pub fn caustics(
    spec: &PreviewSpec,
    sky: &Sky,
    land: Option<&Land>,
    basin: &Basin,
    frame: &Frame,
    absorption: Vec3,
) -> Option<Caustics> {
    let depth = land.map_or(basin.depth, Land::deepest);
    let is_hidden = land.is_none() && depth * spec.look.extinction().min_element() > OPAQUE;
    if spec.caustics.kind == CausticsKind::Nothing || is_hidden || sky.sun.z <= 0.02 {
        return None;
    }
    let made = match land {
        Some(_) => Caustics::on_ground(&spec.caustics, frame, sky.sun, absorption)?,
        None => {
            let [low, high] = basin.sheet.map(|corner| corner.as_dvec2());
            // The bed of a pond is smooth, that of a sea level
            let cells = if basin.beyond == Beyond::Shore { [128; 2] } else { [1; 2] };
            let floor = Floor::sampled([low, high], cells, |at| f64::from(basin.ground(at.as_vec2())));
            Caustics::new(&spec.caustics, frame, floor, sky.sun, absorption)
        }
    };
    let open = |point: Vec3| land.map_or(1.0, |land| land.daylight(point).0);
    Some(made.for_pictures(frame, open))
}
