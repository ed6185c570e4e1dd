//! Bounds of what a frame shows: on a page, in the horizontal plane, and for the first placement of the camera.

use glam::{DVec2, Vec2, Vec3};
use undine::Frame;
use undine::frame::{Domain, Heights, SurfaceShape};
use undine::render::preview::Subject as Framed;

/// Lowest and highest corner of the contents of a page.
pub fn page_bounds(frame: &Frame) -> [Vec2; 2] {
    // The first frame of a scene comes before its fields are requested, so the bounds are those of the domain
    if let Some(domain) = domain(frame).filter(|_| section(frame).is_none()) {
        // A 3-D field is cut along its xz plane
        let axes = if domain.size[2] > 1 { [0, 2] } else { [0, 1] };
        return box_corners(domain).map(|corner| Vec2::from(axes.map(|axis| corner[axis] as f32)));
    }
    if let Some((_, heights)) = frame.heights().next() {
        let values =
            heights.level.iter().chain(heights.bed.iter().flatten()).filter(|value| value.is_finite());
        let (low, high) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let left = heights.origin[0] - 0.5 * heights.spacing[0];
        let right = left + heights.spacing[0] * f64::from(heights.size[0]);
        let (left, right) = (left as f32, right as f32);
        let margin = 0.4 * (high - low).max(1e-3);
        return [Vec2::new(left, low - margin), Vec2::new(right, high + margin)];
    }
    [Vec2::ZERO, Vec2::ONE]
}

/// The lattice of the first water.
fn domain(frame: &Frame) -> Option<&Domain> {
    frame.waters.iter().find_map(|water| water.domain.as_ref())
}

/// Lowest and highest corner of the cells of a lattice.
fn box_corners(domain: &Domain) -> [[f64; 3]; 2] {
    let low: [f64; 3] = std::array::from_fn(|axis| domain.origin[axis] - 0.5 * domain.spacing[axis]);
    let length = |axis: usize| domain.spacing[axis] * f64::from(domain.size[axis]);
    [low, std::array::from_fn(|axis| low[axis] + length(axis))]
}

/// The height field that is shown as a vertical section: one of a single row.
pub fn section(frame: &Frame) -> Option<&Heights> {
    frame.heights().next().map(|(_, heights)| heights).filter(|heights| heights.size[1] == 1)
}

/// Lowest and highest corner of the water in x and y.
pub fn world_bounds(frame: &Frame, is_page: bool) -> [DVec2; 2] {
    if let Some(corners) = frame.tank() {
        return corners.map(|corner| DVec2::new(corner[0], corner[1]));
    }
    if let (false, Some((_, heights))) = (is_page, frame.heights().next()) {
        let length = |axis: usize| heights.spacing[axis] * f64::from(heights.size[axis]);
        let low = DVec2::from([0, 1].map(|axis| heights.origin[axis] - 0.5 * heights.spacing[axis]));
        return [low, low + DVec2::new(length(0), length(1))];
    }
    if is_page {
        return page_bounds(frame).map(|corner| corner.as_dvec2());
    }
    match framed(frame) {
        Framed::Sheet(Some((low, high))) => {
            [low, high].map(|corner| DVec2::new(f64::from(corner[0]), f64::from(corner[1])))
        }
        _ => [DVec2::ZERO, DVec2::ONE],
    }
}

/// What the camera is first fitted to.
pub fn framed(frame: &Frame) -> Framed {
    let corners = |low: [f32; 3], high: [f32; 3]| [Vec3::from(low), Vec3::from(high)];
    if let Some(tank) = frame.tank() {
        return Framed::Tank(tank.map(|corner| Vec3::from(corner.map(|x| x as f32))));
    }
    if let Some((_, heights)) = frame.heights().next() {
        let range = |values: &[f32]| {
            let finite = values.iter().filter(|value| value.is_finite());
            finite.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| {
                (low.min(*value), high.max(*value))
            })
        };
        // A height field: open water, a ribbon of one row, or water over terrain
        let beds: &[f32] = heights.bed.as_ref().map_or(&[], |bed| bed.as_slice());
        let (level, bed) = (range(&heights.level), range(beds));
        let first = [0, 1].map(|axis| heights.origin[axis] - 0.5 * heights.spacing[axis]);
        let last = [0, 1].map(|axis| first[axis] + heights.spacing[axis] * f64::from(heights.size[axis]));
        let low = [first[0] as f32, first[1] as f32, level.0.min(bed.0)];
        let high = [last[0] as f32, last[1] as f32, level.1.max(bed.1)];
        return match beds.is_empty() {
            true => Framed::Sheet(Some((low, high))),
            false if heights.size[1] == 1 => Framed::Ribbon(corners(low, high)),
            false => Framed::Land(corners(low, high)),
        };
    }
    // A box filled with fluid
    let is_bare = frame.surfaces.is_empty() && frame.meshes.is_empty();
    if let Some(domain) = domain(frame).filter(|domain| is_bare && domain.size[2] > 1) {
        return Framed::Object(box_corners(domain).map(|corner| Vec3::from(corner.map(|x| x as f32))));
    }
    // Sheets and meshes
    let sheets = frame.surfaces.iter().filter_map(|surface| match &surface.shape {
        SurfaceShape::Sheet(sheet) => Some(&sheet.positions),
        SurfaceShape::Heights(_)
        | SurfaceShape::Mesh(_)
        | SurfaceShape::Implicit(_)
        | SurfaceShape::Curve(_) => None,
    });
    let meshes = frame.meshes.iter().flat_map(|mesh| &mesh.positions);
    let positions = sheets.flatten().chain(meshes);
    let bounds = positions.fold(None, |bounds: Option<([f32; 3], [f32; 3])>, at| {
        let (low, high) = bounds.unwrap_or((*at, *at));
        let each =
            |pick: fn(f32, f32) -> f32, of: [f32; 3]| std::array::from_fn(|axis| pick(of[axis], at[axis]));
        Some((each(f32::min, low), each(f32::max, high)))
    });
    Framed::Sheet(bounds)
}
