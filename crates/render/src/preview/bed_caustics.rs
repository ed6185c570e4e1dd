//! Where the simulated waves send the sun on the bed.

use glam::Vec3;
use undine_frame::Frame;

use super::PreviewSpec;
use super::basin::{Basin, Beyond};
use super::land::Land;
use crate::caustics::{Caustics, CausticsKind, Floor};
use crate::sky::Sky;

/// Under water of this optical depth no pattern of light can be seen.
const OPAQUE: f32 = 5.0;

/// The sun on the bed of a frame in water that takes `absorption` of its light per metre; `None` where it cannot be seen or
/// is not wanted. Where light fades on its way in the hands of a painter, the water is clear here.
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
            // A pond's bed is smooth; a sea's is level.
            let cells = if basin.beyond == Beyond::Shore { [128; 2] } else { [1; 2] };
            let floor = Floor::sampled([low, high], cells, |at| f64::from(basin.ground(at.as_vec2())));
            Caustics::new(&spec.caustics, frame, floor, sky.sun, absorption)
        }
    };
    let open = |point: Vec3| land.map_or(1.0, |land| land.daylight(point).0);
    Some(made.for_pictures(frame, open))
}
