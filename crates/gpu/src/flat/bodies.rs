//! Silhouettes of solid bodies on a page.

use std::collections::HashSet;

use glam::{Quat, Vec2, Vec3};
use undine_frame::Body;

use super::marks::{FillVertex, StrokeInstance};

/// The front-facing triangles and the outlines of bodies, in white.
pub fn bodies(posed: &[Body], axes: [usize; 2]) -> (Vec<FillVertex>, Vec<StrokeInstance>) {
    let (mut corners, mut edges) = (Vec::new(), Vec::new());
    for body in posed.iter().filter(|body| body.mesh.inconsistency().is_none()) {
        add(body, axes, &mut corners, &mut edges);
    }
    (corners, edges)
}

fn add(body: &Body, axes: [usize; 2], corners: &mut Vec<FillVertex>, edges: &mut Vec<StrokeInstance>) {
    let rotation = Quat::from_array(body.rotation);
    let rotation = if rotation.is_finite() && rotation.length_squared() > 0.0 {
        rotation.normalize()
    } else {
        Quat::IDENTITY
    };
    let placed = |position: &[f32; 3]| {
        let at = rotation * Vec3::from(*position) + Vec3::from(body.position);
        Vec2::from(axes.map(|axis| at[axis]))
    };
    let positions: Vec<Vec2> = body.mesh.positions.iter().map(placed).collect();
    let area = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|vertex| positions[vertex as usize]);
        (b - a).perp_dot(c - a)
    };
    // In the xz plane, seen from −y, front faces have a negative signed area
    let side = if axes == [0, 2] { -1.0 } else { 1.0 };
    let facing: Vec<[u32; 3]> =
        body.mesh.triangles().filter(|&triangle| side * area(triangle) > 0.0).collect();
    let half_edges: HashSet<[u32; 2]> =
        facing.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    let position = |vertex: u32| positions[vertex as usize].to_array();
    corners.extend(
        facing.iter().flatten().map(|&vertex| FillVertex { position: position(vertex), colour: [1.0; 4] }),
    );
    // A stroke along the outline antialiases the edges of the triangles
    let outline = half_edges.iter().filter(|[from, to]| !half_edges.contains(&[*to, *from]));
    edges.extend(outline.map(|&[from, to]| StrokeInstance {
        from: position(from),
        to: position(to),
        halves: [0.5; 2],
        colour: [1.0; 4],
    }));
}

#[cfg(test)]
mod tests {
    use undine_frame::Mesh;

    use super::*;

    #[test]
    fn a_sheet_has_its_area_and_an_outline() {
        let shape = Mesh::flat_sheet("plate", [2.0, 1.0], [3, 3]);
        let turned = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2).to_array();
        let posed = Body { position: [5.0, 0.0, 0.0], rotation: turned, ..Body::standing(0, shape) };
        let (corners, edges) = bodies(&[posed], [0, 1]);
        assert_eq!((corners.len(), edges.len()), (24, 8));
        let high = corners.iter().map(|corner| corner.position[1]).fold(0.0, f32::max);
        assert!((high - 2.0).abs() < 1e-5 && corners.iter().all(|corner| corner.position[0] < 5.0 + 1e-5));
    }
}
