//! Meshes of rigid bodies in world coordinates.

use undine_frame::{Body, Mesh};

/// The mesh of a body in world coordinates: rotated, then translated.
pub(crate) fn world_mesh(body: &Body) -> Mesh {
    let turn = |v: &[f32; 3]| turned(*v, body.rotation);
    let [x, y, z] = body.position;
    let shift = |[u, v, w]: [f32; 3]| [u + x, v + y, w + z];
    Mesh {
        positions: body.mesh.positions.iter().map(|p| shift(turn(p))).collect(),
        normals: body.mesh.normals.iter().map(turn).collect(),
        velocities: body.mesh.velocities.iter().map(turn).collect(),
        ..Mesh::clone(&body.mesh)
    }
}

/// Rotates a vector by a unit quaternion (x, y, z, w): v + 2w (q × v) + 2 q × (q × v).
fn turned(v: [f32; 3], [x, y, z, w]: [f32; 4]) -> [f32; 3] {
    let axis = [x, y, z];
    let once = cross(axis, v);
    let twice = cross(axis, once);
    std::array::from_fn(|i| v[i] + 2.0 * (w * once[i] + twice[i]))
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let shape = Mesh::flat_sheet("raft", [1.0, 0.0], [2, 1]);
        let body =
            Body { position: [10.0, 0.0, 2.0], rotation: [0.0, 0.0, half, half], ..Body::standing(0, shape) };
        let mesh = world_mesh(&body);
        for (found, expected) in mesh.positions[1].iter().zip([10.0, 1.0, 2.0]) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        assert_eq!(mesh.normals[0], [0.0, 0.0, 1.0]);
    }
}
