//! Surface tension: a pressure jump of σκ across the surface.
//!
//! κ = ∇·(∇φ/|∇φ|) is the curvature, from a smoothed φ, because particles leave it rough. With the binomial filter F
//! the smoothed φ is 2Fφ − F²φ, the first deconvolution of [stolz1999]: its response 1 − (1 − F)² to a wave is 1 to
//! the fourth order of the wavenumber, so that the frequencies of drops of a few cells are not lowered, and it falls
//! with F for short waves. A stronger filter would leave short waves without a restoring force, and they grow.
//!
//! The jump is the surface value of the ghost-fluid method in the projection [enright2003, kang2000]: ψ = Δt σκ/ρ,
//! which the projection interpolates from the cell centres to the surface. Explicit, stable for Δt ≤ √(ρ Δ³ / (2π σ))
//! [brackbill1992].

use undine_grid::{Condition, Field, FieldError, Grid, Location, fill_ghosts, neighbour, par};

/// Passes of (¼, ½, ¼) along each axis that make up F.
const FILTER_PASSES: usize = 2;
/// The |φ| in cells beyond which φ does not enter: from there on it is a constant, with a step in between.
const MAX_DISTANCE: f32 = 2.0;

/// Surface tension, and its jump of the pressure.
#[derive(Debug)]
pub(super) struct SurfaceTension<const D: usize> {
    /// σ in N/m.
    sigma: f64,
    /// φ in cells, smoothed.
    smooth: Field<f32, D>,
    scratch: Field<f32, D>,
    /// ψ = Δt σκ/ρ at cell centres near the surface.
    pub jump: Field<f32, D>,
}

impl<const D: usize> SurfaceTension<D> {
    /// With σ in N/m.
    pub fn new(grid: Grid<D>, sigma: f64) -> Result<Self, FieldError> {
        let wall = || Field::new(grid, Location::Center, Condition::Wall, 1);
        Ok(SurfaceTension { sigma, smooth: wall()?, scratch: wall()?, jump: wall()? })
    }

    /// The greatest stable Δt in seconds.
    pub fn max_dt(&self, cell: f64, density: f64) -> f64 {
        (density * cell.powi(3) / (2.0 * std::f64::consts::PI * self.sigma)).sqrt()
    }

    /// Computes the jump for a step of `dt` from φ in cells.
    pub fn compute_jump(&mut self, distance: &Field<f32, D>, density: f64, dt: f64) {
        // 2Fφ − F²φ; meanwhile the jump holds Fφ
        par::rows(&mut self.smooth, |at, row| {
            for (smooth, phi) in row.iter_mut().zip(distance.row(at)) {
                *smooth = phi.clamp(-MAX_DISTANCE, MAX_DISTANCE);
            }
        });
        self.filter();
        let once = &self.smooth;
        par::rows(&mut self.jump, |at, row| row.copy_from_slice(once.row(at)));
        self.filter();
        let once = &self.jump;
        par::rows(&mut self.smooth, |at, row| {
            for (smooth, once) in row.iter_mut().zip(once.row(at)) {
                *smooth = 2.0 * once - *smooth;
            }
        });
        fill_ghosts(&mut self.smooth);
        // ψ = Δt σκ/ρ near the surface
        let cell = self.smooth.grid().spacing()[0];
        let scale = (dt * self.sigma / (density * cell)) as f32;
        let smooth = &self.smooth;
        par::rows(&mut self.jump, |at, row| {
            for (x, jump) in row.iter_mut().enumerate() {
                let here = neighbour(at, 0, x as isize);
                let is_near = smooth.at(here).abs() < MAX_DISTANCE;
                *jump = if is_near { scale * curvature(smooth, here) } else { 0.0 };
            }
        });
    }

    /// φ ← Fφ.
    fn filter(&mut self) {
        for axis in (0..FILTER_PASSES).flat_map(|_| 0..D) {
            fill_ghosts(&mut self.smooth);
            let from = &self.smooth;
            par::rows(&mut self.scratch, |at, row| {
                let [low, high] = [-1, 1].map(|by| from.run(neighbour(at, axis, by), row.len()));
                for (x, (to, here)) in row.iter_mut().zip(from.row(at)).enumerate() {
                    *to = 0.5 * here + 0.25 * (low[x] + high[x]);
                }
            });
            self.smooth.swap(&mut self.scratch);
        }
    }
}

/// κ = ∇·(∇φ/|∇φ|) at a cell centre, in 1/cells.
fn curvature<const D: usize>(phi: &Field<f32, D>, at: [isize; D]) -> f32 {
    let value = |a: usize, i: isize, b: usize, j: isize| phi.at(neighbour(neighbour(at, a, i), b, j));
    let slope = |axis: usize| 0.5 * (value(axis, 1, axis, 0) - value(axis, -1, axis, 0));
    let slopes: [f32; D] = std::array::from_fn(slope);
    let squared: f32 = slopes.iter().map(|x| x * x).sum();
    if squared < 0.01 {
        return 0.0;
    }
    let mut sum = 0.0;
    for a in 0..D {
        let second = value(a, 1, a, 0) - 2.0 * phi.at(at) + value(a, -1, a, 0);
        sum += second * (squared - slopes[a] * slopes[a]);
        for b in a + 1..D {
            let mixed =
                0.25 * (value(a, 1, b, 1) - value(a, 1, b, -1) - value(a, -1, b, 1) + value(a, -1, b, -1));
            sum -= 2.0 * slopes[a] * slopes[b] * mixed;
        }
    }
    // At most the curvature that the grid resolves, a radius of one cell
    (sum / squared.powf(1.5)).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_has_the_curvature_of_its_radius() {
        let grid = Grid::new([40; 3], [0.1; 3], [-2.0; 3]).unwrap();
        let mut distance = Field::<f32, 3>::new(grid, Location::Center, Condition::Wall, 1).unwrap();
        distance.set_by_position(|point| {
            ((point.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.2) / 0.1).clamp(-3.0, 3.0)
        });
        let mut tension = SurfaceTension::new(grid, 0.072).unwrap();
        tension.compute_jump(&distance, 1000.0, 1e-3);
        let expected = 1e-3 * 0.072 / 1000.0 * 2.0 / 1.2;
        for (at, phi) in distance.iter().filter(|(_, phi)| phi.abs() < 0.7) {
            let jump = f64::from(tension.jump[at]);
            assert!((jump / expected - 1.0).abs() < 0.1, "{jump} for {expected} at {phi}");
        }
    }
}
