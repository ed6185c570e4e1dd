//! Vorticity at centres, and the force that keeps small vortices alive: f = ε Δ (N × ω), N = ∇|ω|/|∇|ω|| [fedkiw2001].
//!
//! It gives back what interpolation blurs away. It is no physics: with ε > 0 the fluid gains energy.

use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, fill_ghosts, neighbour, par};

/// The planes in which a fluid turns, and the axis along which each rotation points in 3-D.
pub const PLANES: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// The velocity component along an axis at the middle of a cell, which may lie one beyond a side along another axis.
#[inline]
pub fn at_centre<const D: usize>(velocity: &MacVelocity<f64, D>, axis: usize, cell: [isize; D]) -> f64 {
    0.5 * (velocity[axis].at(cell) + velocity[axis].at(neighbour(cell, axis, 1)))
}

/// Vorticity at the middle of a cell: along x, y and z; in 2-D only the last. Ghosts must be filled.
#[inline]
pub fn vorticity<const D: usize>(velocity: &MacVelocity<f64, D>, cell: [isize; D]) -> [f64; 3] {
    let spacing = velocity.grid().spacing();
    PLANES.map(|[a, b]| {
        if a >= D || b >= D {
            return 0.0;
        }
        let slope = |component: usize, along: usize| {
            let value = |by: isize| at_centre(velocity, component, neighbour(cell, along, by));
            (value(1) - value(-1)) / (2.0 * spacing[along])
        };
        slope(b, a) - slope(a, b)
    })
}

/// Room for the force.
#[derive(Debug, Clone)]
pub struct Confinement<const D: usize> {
    strength: f64,
    size: Field<f64, D>,
    force: Vec<Field<f64, D>>,
}

impl<const D: usize> Confinement<D> {
    /// Room on a grid; `strength` is ε.
    pub fn new(grid: Grid<D>, strength: f64) -> Result<Self, FieldError> {
        let field = || Field::new(grid, Location::Center, Condition::Open, 1);
        Ok(Confinement {
            strength,
            size: field()?,
            force: (0..D).map(|_| field()).collect::<Result<_, _>>()?,
        })
    }

    /// Adds the force for `dt` seconds. Ghosts of the velocity must be filled.
    pub fn act(&mut self, velocity: &mut MacVelocity<f64, D>, dt: f64) {
        let flow = &*velocity;
        par::rows(&mut self.size, |at, row| {
            for (x, size) in row.iter_mut().enumerate() {
                *size = length(vorticity(flow, neighbour(at, 0, x as isize)));
            }
        });
        fill_ghosts(&mut self.size);
        let (sizes, strength) = (&self.size, self.strength);
        for (axis, force) in self.force.iter_mut().enumerate() {
            par::rows(force, |at, row| {
                for (x, force) in row.iter_mut().enumerate() {
                    *force = dt * strength * push(flow, sizes, neighbour(at, 0, x as isize))[axis];
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
fn push<const D: usize>(velocity: &MacVelocity<f64, D>, sizes: &Field<f64, D>, cell: [isize; D]) -> [f64; 3] {
    let spacing = velocity.grid().spacing();
    let mut uphill = [0.0; 3];
    for axis in 0..D {
        let value = |by: isize| sizes.at(neighbour(cell, axis, by));
        uphill[axis] = (value(1) - value(-1)) / (2.0 * spacing[axis]);
    }
    let steepness = length(uphill);
    if steepness == 0.0 {
        return [0.0; 3];
    }
    let spin = vorticity(velocity, cell);
    let scale = spacing.into_iter().fold(f64::INFINITY, f64::min) / steepness;
    PLANES.map(|[a, b]| scale * (uphill[a] * spin[b] - uphill[b] * spin[a]))
}

fn length(vector: [f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}
