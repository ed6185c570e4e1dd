//! Curl, by planes of rotation.
//!
//! A rotation turns in a plane, from one axis to another. In 2-D there is one plane, [0, 1], and its curl
//! ∂v/∂x − ∂u/∂y lies on nodes. In 3-D there are three, [1, 2], [2, 0] and [0, 1], whose curls are the components along
//! x, y and z; they lie on the edges along those axes. On edges each is a difference around one face of the dual grid,
//! so that the identities hold exactly; at centres they would hold only on average, and a chequerboard would be missed.
//! Interpolate it for vorticity at centres.

use super::{Between, add_difference, per_spacing, set_difference};
use crate::field::Field;
use crate::location::Location;
use crate::mac::MacVelocity;
use crate::par;
use crate::value::Real;

/// Location of the curl in a plane on a grid of `dimension` axes: nodes in 2-D, edges across the plane in 3-D.
///
/// ```
/// use undine_grid::{Location, operators::curl_location};
/// assert_eq!(curl_location(2, [0, 1]), Some(Location::Node));
/// assert_eq!(curl_location(3, [2, 0]), Some(Location::Edge(1)));
/// assert_eq!(curl_location(2, [0, 2]), None);
/// ```
pub fn curl_location(dimension: usize, plane: [usize; 2]) -> Option<Location> {
    let [from, to] = plane;
    match dimension {
        _ if from == to || from >= dimension || to >= dimension => None,
        2 => Some(Location::Node),
        3 => Some(Location::Edge(3 - from - to)),
        _ => None,
    }
}

/// Curl of a velocity in one plane: ∂u_b/∂a − ∂u_a/∂b for the plane `[a, b]`, at [`curl_location`].
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location, MacVelocity, operators};
///
/// // Water that turns about the middle at half a radian per second has a vorticity of one
/// let grid = Grid::new([4, 4], [1.0, 1.0], [-2.0, -2.0])?;
/// let mut velocity = MacVelocity::<f64, 2>::new(grid, Condition::Extrapolated, 1)?;
/// velocity[0].set_by_position(|[_, y]| -0.5 * y);
/// velocity[1].set_by_position(|[x, _]| 0.5 * x);
/// velocity.fill_ghosts();
/// let mut vorticity = Field::new(grid, Location::Node, Condition::Open, 1)?;
/// operators::curl(&velocity, [0, 1], &mut vorticity);
/// assert_eq!(vorticity.to_dense(), [1.0; 25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn curl<T: Real, const D: usize>(of: &MacVelocity<T, D>, plane: [usize; 2], out: &mut Field<T, D>) {
    assert_turns(plane, out);
    assert_eq!(of.grid(), out.grid(), "a velocity and its curl share a grid");
    let [a, b] = plane;
    par::rows(out, |at, row| {
        let along_a = Between::BeforeAndAt.runs(&of[b], a, at, row.len());
        let along_b = Between::BeforeAndAt.runs(&of[a], b, at, row.len());
        set_difference(row, along_a, per_spacing(&of[b], a));
        add_difference(row, along_b, -per_spacing(&of[a], b));
    });
}

/// Adds to a velocity the curl of a potential that turns in one plane: the stream function in 2-D
/// (u = ∂ψ/∂y, v = −∂ψ/∂x), one component of the vector potential in 3-D. What is added has no divergence.
/// Reads no ghosts.
pub fn add_curl_of_potential<T: Real, const D: usize>(
    of: &Field<T, D>,
    plane: [usize; 2],
    out: &mut MacVelocity<T, D>,
) {
    assert_turns(plane, of);
    assert_eq!(of.grid(), out.grid(), "a potential and its velocity share a grid");
    let [a, b] = plane;
    for (component, axis, sign) in [(a, b, T::from_f64(1.0)), (b, a, T::from_f64(-1.0))] {
        let scale = sign * per_spacing(of, axis);
        par::rows(&mut out[component], |at, row| {
            add_difference(row, Between::AtAndAfter.runs(of, axis, at, row.len()), scale);
        });
    }
}

fn assert_turns<T: Real, const D: usize>(plane: [usize; 2], rotation: &Field<T, D>) {
    assert_eq!(
        curl_location(D, plane),
        Some(rotation.location()),
        "the curl in plane {plane:?} lies elsewhere"
    );
}
