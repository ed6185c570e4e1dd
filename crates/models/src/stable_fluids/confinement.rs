//! Vorticity at centres, and vorticity confinement: f = ε Δ (N × ω), N = ∇|ω|/|∇|ω|| [fedkiw2001].
//!
//! It compensates numerical diffusion of small vortices. It is not physical: with ε > 0 the fluid gains energy.

use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, fill_ghosts, neighbour, par};

/// The planes of rotation about x, y and z.
pub const PLANES: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// The velocity component along an axis at the centre of a cell; the cell may be a ghost along another axis.
#[inline]
pub fn at_centre<const D: usize>(velocity: &MacVelocity<f64, D>, axis: usize, cell: [isize; D]) -> f64 {
    0.5 * (velocity[axis].at(cell) + velocity[axis].at(neighbour(cell, axis, 1)))
}

/// Vorticity ω = ∇ × u at the centre of a cell by central differences; in 2-D only ω_z. Ghosts must be filled.
#[inline]
pub fn vorticity<const D: usize>(velocity: &MacVelocity<f64, D>, cell: [isize; D]) -> [f64; 3] {
    let spacing = velocity.grid().spacing();
    PLANES.map(|[a, b]| {
        if a >= D || b >= D {
            return 0.0;
        }
        let slope = |component: usize, direction: usize| {
            let value = |by: isize| at_centre(velocity, component, neighbour(cell, direction, by));
            (value(1) - value(-1)) / (2.0 * spacing[direction])
        };
        slope(b, a) - slope(a, b)
    })
}

/// Vorticity magnitude and confinement force at centres.
#[derive(Debug, Clone)]
pub struct Confinement<const D: usize> {
    strength: f64,
    magnitude: Field<f64, D>,
    force: Vec<Field<f64, D>>,
}

impl<const D: usize> Confinement<D> {
    /// Zero fields on a grid; `strength` is ε.
    pub fn new(grid: Grid<D>, strength: f64) -> Result<Self, FieldError> {
        let field = || Field::new(grid, Location::Center, Condition::Open, 1);
        Ok(Confinement {
            strength,
            magnitude: field()?,
            force: (0..D).map(|_| field()).collect::<Result<_, _>>()?,
        })
    }

    /// Adds the force of `dt` seconds to the velocity, whose ghosts must be filled.
    pub fn apply(&mut self, velocity: &mut MacVelocity<f64, D>, dt: f64) {
        let flow = &*velocity;
        par::rows(&mut self.magnitude, |at, row| {
            for (x, magnitude) in row.iter_mut().enumerate() {
                *magnitude = length(vorticity(flow, neighbour(at, 0, x as isize)));
            }
        });
        fill_ghosts(&mut self.magnitude);
        let (magnitudes, strength) = (&self.magnitude, self.strength);
        for (axis, force) in self.force.iter_mut().enumerate() {
            par::rows(force, |at, row| {
                for (x, force) in row.iter_mut().enumerate() {
                    *force = dt
                        * strength
                        * confinement_force(flow, magnitudes, neighbour(at, 0, x as isize))[axis];
                }
            });
            fill_ghosts(force);
        }
        for (axis, force) in self.force.iter().enumerate() {
            par::rows(&mut velocity[axis], |at, row| {
                let (low, high) = (force.run(neighbour(at, axis, -1), row.len()), force.run(at, row.len()));
                for x in 0..row.len() {
                    row[x] += 0.5 * (low[x] + high[x]);
                }
            });
        }
    }
}

/// Δ (N × ω) at a cell.
fn confinement_force<const D: usize>(
    velocity: &MacVelocity<f64, D>,
    magnitudes: &Field<f64, D>,
    cell: [isize; D],
) -> [f64; 3] {
    let spacing = velocity.grid().spacing();
    let mut gradient = [0.0; 3];
    for axis in 0..D {
        let value = |by: isize| magnitudes.at(neighbour(cell, axis, by));
        gradient[axis] = (value(1) - value(-1)) / (2.0 * spacing[axis]);
    }
    let gradient_length = length(gradient);
    if gradient_length == 0.0 {
        return [0.0; 3];
    }
    let omega = vorticity(velocity, cell);
    let scale = spacing.into_iter().fold(f64::INFINITY, f64::min) / gradient_length;
    PLANES.map(|[a, b]| scale * (gradient[a] * omega[b] - gradient[b] * omega[a]))
}

fn length(vector: [f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}
