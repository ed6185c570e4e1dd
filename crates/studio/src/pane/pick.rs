//! Picking: the point of the water under the pointer.

use glam::{DVec3, Vec2, Vec3};
use undine::Frame;
use undine::frame::{Heights, SurfaceShape};
use undine::render::preview::PinholeCamera;

/// Steps along a ray over a height field before bisection.
const STEPS: usize = 512;

/// A picked point in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PickHit {
    /// The point.
    pub at: DVec3,
    /// World displacement for a pointer motion of one point to the right, in metres.
    pub right: DVec3,
    /// The same for a motion downwards.
    pub down: DVec3,
}

/// The first intersection of the ray through a pixel position with the water.
pub fn pick(frame: &Frame, camera: &PinholeCamera, pixel: Vec2) -> Option<PickHit> {
    let direction = camera.ray_direction(pixel);
    let found = frame
        .heights()
        .filter_map(|(_, heights)| on_heights(heights, camera.position, direction))
        .chain(on_particles(frame, camera, direction))
        .chain(on_sheets(frame, camera.position, direction))
        .min_by(f32::total_cmp)?;
    let at = camera.position + found * direction;
    let metres = camera.to_view_space(at).z * camera.pixel_angle();
    let is_in_space = frame.heights().next().is_none() && frame.tank().is_some();
    // On a surface the pointer moves horizontally; in a tank it moves parallel to the picture
    let level = |direction: Vec3| direction.with_z(0.0).normalize_or_zero();
    let (right, down) = match is_in_space {
        true => (camera.right, -camera.up),
        false => (level(camera.right), level(-camera.up - camera.forward * camera.up.z.max(0.05))),
    };
    let steepness = if is_in_space { 1.0 } else { 1.0 / direction.z.abs().max(0.2) };
    Some(PickHit {
        at: at.as_dvec3(),
        right: (right * metres).as_dvec3(),
        down: (down * metres * steepness).as_dvec3(),
    })
}

/// The level of the surface, or of the ground where it is dry, at a horizontal position; `None` outside the field.
pub fn level(heights: &Heights, at: Vec2) -> Option<f32> {
    let [columns, rows] = heights.size.map(|count| count as usize);
    let cell = (at - single(heights.origin)) / single(heights.spacing);
    let is_inside = |cell: f32, count: usize| (-0.5..=count as f32 - 0.5).contains(&cell);
    if !is_inside(cell.x, columns) || !is_inside(cell.y, rows) || columns * rows == 0 {
        return None;
    }
    let column = (cell.x.round().max(0.0) as usize).min(columns - 1);
    let row = (cell.y.round().max(0.0) as usize).min(rows - 1);
    let index = row * columns + column;
    let water = heights.level.get(index).copied()?;
    let ground = heights.bed.as_ref().and_then(|bed| bed.get(index).copied()).unwrap_or(f32::NEG_INFINITY);
    Some(water.max(ground)).filter(|level| level.is_finite())
}

fn single(pair: [f64; 2]) -> Vec2 {
    Vec2::from(pair.map(|x| x as f32))
}

fn on_heights(heights: &Heights, from: Vec3, direction: Vec3) -> Option<f32> {
    let finite = heights.level.iter().chain(heights.bed.iter().flatten()).filter(|level| level.is_finite());
    let (low, high) = finite
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), level| (low.min(*level), high.max(*level)));
    let spacing = single(heights.spacing);
    let first = single(heights.origin) - 0.5 * spacing;
    let last = first + spacing * Vec2::new(heights.size[0] as f32, heights.size[1] as f32);
    let [enter, leave] = through_box(from, direction, first.extend(low - 1e-3), last.extend(high + 1e-3))?;
    let above = |far: f32| {
        let point = from + far * direction;
        level(heights, point.truncate()).map(|level| point.z - level)
    };
    let mut before = enter;
    for step in 1..=STEPS {
        let far = enter + (leave - enter) * step as f32 / STEPS as f32;
        if above(far).is_some_and(|above| above <= 0.0) {
            let [mut near, mut far] = [before, far];
            for _ in 0..16 {
                let middle = 0.5 * (near + far);
                if above(middle).is_some_and(|above| above > 0.0) { near = middle } else { far = middle }
            }
            return Some(far);
        }
        before = far;
    }
    None
}

/// Sheets are picked at their level at rest.
fn on_sheets(frame: &Frame, from: Vec3, direction: Vec3) -> Option<f32> {
    let is_sheet = |shape: &SurfaceShape| matches!(shape, SurfaceShape::Sheet(_));
    let is_open = frame.surfaces.iter().any(|surface| is_sheet(&surface.shape));
    let is_open = is_open && frame.heights().next().is_none() && frame.tank().is_none();
    let far = -from.z / direction.z;
    (is_open && far.is_finite() && far > 0.0).then_some(far)
}

/// The nearest particle that the ray passes; else the ray ends in the middle of the tank.
fn on_particles(frame: &Frame, camera: &PinholeCamera, direction: Vec3) -> Option<f32> {
    let [low, high] = frame.tank()?.map(|corner| Vec3::from(corner.map(|x| x as f32)));
    let [enter, leave] = through_box(camera.position, direction, low, high)?;
    let points = frame.clouds.iter().flat_map(|points| {
        let reach = (2.0 * points.radius).max(0.0);
        points.positions.iter().map(move |at| (Vec3::from(*at), reach))
    });
    let distance_along_ray = |(at, reach): (Vec3, f32)| {
        let offset = at - camera.position;
        let far = offset.dot(direction);
        let aside = (offset - far * direction).length_squared();
        (far > 0.0 && aside < reach * reach).then_some(far)
    };
    let nearest = points.filter_map(distance_along_ray).min_by(f32::total_cmp);
    nearest.or(Some(0.5 * (enter + leave)))
}

/// Slab test: the ray parameters at which a ray enters and leaves a box.
fn through_box(from: Vec3, direction: Vec3, low: Vec3, high: Vec3) -> Option<[f32; 2]> {
    let (a, b) = ((low - from) / direction, (high - from) / direction);
    let enter = a.min(b).max_element().max(0.0);
    let leave = a.max(b).min_element();
    (enter.is_finite() && leave.is_finite() && leave > enter).then_some([enter, leave])
}

#[cfg(test)]
mod tests {
    use undine::frame::{Implicit, Surface, SurfaceRole};

    use super::*;

    fn pool() -> Frame {
        let heights = Heights {
            size: [20, 20],
            origin: [0.05, 0.05],
            spacing: [0.1, 0.1],
            level: vec![0.3; 400].into(),
            ..Heights::default()
        };
        Frame { surfaces: Surface::with_bed("pool", heights), ..Frame::default() }
    }

    #[test]
    fn the_surface_is_picked_at_its_projected_position() {
        let camera = PinholeCamera::new(Vec3::new(1.0, -3.0, 2.0), Vec3::new(1.0, 1.0, 0.3), 0.7, 200, 100);
        let hit = pick(&pool(), &camera, Vec2::new(100.0, 50.0)).unwrap();
        assert!((hit.at - DVec3::new(1.0, 1.0, 0.3)).length() < 0.02, "{hit:?}");
        assert!(hit.right.x > 0.0 && hit.down.y < 0.0);
        assert_eq!(pick(&pool(), &camera, Vec2::new(100.0, -4000.0)), None);
    }

    #[test]
    fn a_tank_is_picked_at_its_particles() {
        let points = undine::frame::Cloud {
            positions: vec![[0.5, 0.5, 0.2], [0.5, 0.9, 0.2]],
            radius: 0.05,
            ..Default::default()
        };
        let shape = SurfaceShape::Implicit(Implicit { bounds: [[0.0; 3], [1.0; 3]], cell: 0.1 });
        let tank = Surface {
            name: String::new(),
            water: 0,
            role: SurfaceRole::Water,
            shape,
            attributes: Vec::new(),
        };
        let frame = Frame { clouds: vec![points], surfaces: vec![tank], ..Frame::default() };
        let camera = PinholeCamera::new(Vec3::new(0.5, -3.0, 0.2), Vec3::new(0.5, 0.5, 0.2), 0.7, 100, 100);
        let hit = pick(&frame, &camera, Vec2::splat(50.0)).unwrap();
        assert!((hit.at.y - 0.5).abs() < 1e-3, "{hit:?}");
    }
}
