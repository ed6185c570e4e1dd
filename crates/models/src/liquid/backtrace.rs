//! Semi-Lagrangian backtrace: the departure point of a point in the flow, and clamped cubic interpolation there.
//!
//! x_d = x − Δt u(x − ½ Δt u(x)), the midpoint rule [stam1999]. Unconditionally stable: the interpolant is clamped to
//! the values of the faces around x_d.

use undine_grid::Field;

use super::grid_to_particles::{FaceSampler, advance, clamp_to_box, sample_velocity};

/// Traces points back through a velocity field.
pub(super) struct Backtrace<'a, const D: usize> {
    components: [FaceSampler<'a, D>; D],
    high: [f32; D],
    dt_per_cell: f32,
}

impl<'a, const D: usize> Backtrace<'a, D> {
    /// Through this velocity, for `dt` seconds.
    pub fn new(velocity: &'a [Field<f32, D>; D], cells: [usize; D], dt: f32) -> Self {
        let per_cell = 1.0 / velocity[0].grid().spacing()[0] as f32;
        Backtrace {
            components: velocity.each_ref().map(FaceSampler::new),
            high: cells.map(|count| count as f32),
            dt_per_cell: dt * per_cell,
        }
    }

    /// The departure point x_d of a point, in cells.
    #[inline(always)]
    pub fn departure_point(&self, point: [f32; D]) -> [f32; D] {
        let midpoint = clamp_to_box(
            advance(point, sample_velocity(&self.components, point), -0.5 * self.dt_per_cell),
            self.high,
        );
        clamp_to_box(
            advance(point, sample_velocity(&self.components, midpoint), -self.dt_per_cell),
            self.high,
        )
    }
}

/// A velocity component at a point in cells by Catmull–Rom interpolation [catmull1974], clamped to the values of the
/// 2^D faces around it.
#[inline(always)]
pub(super) fn sample_cubic<const D: usize>(
    field: &Field<f32, D>,
    size: [usize; D],
    axis: usize,
    point: [f32; D],
) -> f32 {
    let layout = field.layout();
    let (strides, values) = (layout.strides(), field.storage());
    let origin = layout.offset([0; D]);
    let (mut indices, mut weights) = ([[0; 4]; D], [[0.0; 4]; D]);
    // Offsets of the four taps along each axis, clamped at the sides, and their weights
    for dim in 0..D {
        let local = (point[dim] - if dim == axis { 0.0 } else { 0.5 }).max(0.0);
        let last = size[dim] - 1;
        let below = (local as usize).min(last.saturating_sub(1));
        let t = (local - below as f32).min(1.0);
        for tap in 0..4 {
            indices[dim][tap] = (below + tap).saturating_sub(1).min(last) * strides[dim];
        }
        let (squared, cubed) = (t * t, t * t * t);
        weights[dim] = [
            0.5 * (2.0 * squared - cubed - t),
            0.5 * (2.0 - 5.0 * squared + 3.0 * cubed),
            0.5 * (4.0 * squared - 3.0 * cubed + t),
            0.5 * (cubed - squared),
        ];
    }
    // Weighted sum over the taps, and the range of the inner ones
    let (mut lines, mut min, mut max) = ([0.0; 4], f32::INFINITY, f32::NEG_INFINITY);
    let planes = if D > 2 { 4 } else { 1 };
    let is_run = indices[0][3] - indices[0][0] == 3;
    for z in 0..planes {
        for y in 0..4 {
            let (mut weight, mut start, mut is_inner) =
                (weights[1][y], origin + indices[1][y], y == 1 || y == 2);
            if D > 2 {
                weight *= weights[D - 1][z];
                start += indices[D - 1][z];
                is_inner &= z == 1 || z == 2;
            }
            // Away from the sides the four taps along x are contiguous
            let run = values.get(start + indices[0][0]..).and_then(|from| from.first_chunk::<4>());
            let taps = match run.filter(|_| is_run) {
                Some(run) => *run,
                None => indices[0].map(|index| values[start + index]),
            };
            for x in 0..4 {
                lines[x] += weight * taps[x];
            }
            if is_inner {
                min = min.min(taps[1]).min(taps[2]);
                max = max.max(taps[1]).max(taps[2]);
            }
        }
    }
    let sum = (0..4).map(|x| weights[0][x] * lines[x]).sum::<f32>();
    sum.clamp(min, max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use undine_grid::{Condition, Grid, MacVelocity};

    #[test]
    fn cubics_are_exact_for_parabolas_and_make_no_new_extremes() {
        let grid = Grid::new([12, 9, 10], [1.0; 3], [0.0; 3]).unwrap();
        let mut velocity = MacVelocity::<f32, 3>::new(grid, Condition::Open, 1).unwrap();
        velocity[1].set_by_position(|[x, y, z]| 0.1 * x * x + y * z);
        let point = [5.3, 4.2, 6.9];
        let found = sample_cubic(&velocity[1], velocity[1].size(), 1, point);
        let expected = 0.1 * 5.3 * 5.3 + 4.2 * 6.9;
        assert!((found - expected).abs() < 1e-3, "{found} for {expected}");
        velocity[1].set_by_position(|[x, _, _]| if x > 6.0 { 1.0 } else { 0.0 });
        for step in 0..120 {
            let found = sample_cubic(&velocity[1], velocity[1].size(), 1, [0.1 * step as f32, 0.0, 10.0]);
            assert!((0.0..=1.0).contains(&found));
        }
    }
}
