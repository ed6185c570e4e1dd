//! Surface tension: the pressure jumps by σκ across the surface.
//!
//! κ = ∇·n is the curvature of the surface, from the distance smoothed over a few cells, because particles leave it
//! rough. The jump enters the pressure where the ghost-fluid method has its value at the surface [enright2003, kang2000]:
//! ψ = Δt σκ/ρ. Stable for Δt ≤ √(ρ Δ³ / (2π σ)) [brackbill1992].

use undine_grid::{Condition, Field, FieldError, Grid, Location, fill_ghosts, neighbour, par};

/// Times that the distance is smoothed.
const SMOOTHING_PASSES: usize = 4;

/// What finds the jump of the pressure.
#[derive(Debug)]
pub(super) struct SurfaceTension<const D: usize> {
    /// σ in N/m.
    sigma: f64,
    smooth: Field<f32, D>,
    scratch: Field<f32, D>,
    /// ψ on the surface near each cell.
    pub jump: Field<f32, D>,
}

impl<const D: usize> SurfaceTension<D> {
    /// A tension of σ in N/m.
    pub fn new(grid: Grid<D>, sigma: f64) -> Result<Self, FieldError> {
        let wall = || Field::new(grid, Location::Center, Condition::Wall, 1);
        Ok(SurfaceTension { sigma, smooth: wall()?, scratch: wall()?, jump: wall()? })
    }

    /// The longest stable step in seconds.
    pub fn max_dt(&self, cell: f64, density: f64) -> f64 {
        (density * cell.powi(3) / (2.0 * std::f64::consts::PI * self.sigma)).sqrt()
    }

    /// Finds the jump for a step of `dt`, from the distance in cells.
    pub fn compute_jump(&mut self, distance: &Field<f32, D>, density: f64, dt: f64) {
        par::rows(&mut self.smooth, |at, row| row.copy_from_slice(distance.row(at)));
        for _ in 0..SMOOTHING_PASSES {
            for axis in 0..D {
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
        fill_ghosts(&mut self.smooth);
        let cell = self.smooth.grid().spacing()[0];
        let scale = (dt * self.sigma / (density * cell)) as f32;
        let smooth = &self.smooth;
        par::rows(&mut self.jump, |at, row| {
            for (x, jump) in row.iter_mut().enumerate() {
                let here = neighbour(at, 0, x as isize);
                *jump = if distance.at(here).abs() < 1.5 { scale * curvature(smooth, here) } else { 0.0 };
            }
        });
    }
}

/// ∇·(∇φ/|∇φ|) at the middle of a cell, per cell.
fn curvature<const D: usize>(phi: &Field<f32, D>, at: [isize; D]) -> f32 {
    let value = |a: usize, i: isize, b: usize, j: isize| phi.at(neighbour(neighbour(at, a, i), b, j));
    let slope = |axis: usize| 0.5 * (value(axis, 1, axis, 0) - value(axis, -1, axis, 0));
    let slopes: [f32; D] = std::array::from_fn(slope);
    let squared: f32 = slopes.iter().map(|along| along * along).sum();
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
    // No curvature that the grid cannot hold
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
            ((point.iter().map(|along| along * along).sum::<f64>().sqrt() - 1.2) / 0.1).clamp(-3.0, 3.0)
        });
        let mut tension = SurfaceTension::new(grid, 0.072).unwrap();
        tension.compute_jump(&distance, 1000.0, 1e-3);
        let wanted = 1e-3 * 0.072 / 1000.0 * 2.0 / 1.2;
        for (at, phi) in distance.iter().filter(|(_, phi)| phi.abs() < 0.7) {
            let jump = f64::from(tension.jump[at]);
            assert!((jump / wanted - 1.0).abs() < 0.1, "{jump} for {wanted} at {phi}");
        }
    }
}
