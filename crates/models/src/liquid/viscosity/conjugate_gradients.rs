//! Preconditioned conjugate gradients [hestenes1952] for the change of the velocity: (M + S) d = −S u, M the masses, S
//! the stresses, D = diag(M + S).

use undine_grid::{Field, FieldError, Grid, par};

use super::coefficients::{Coefficients, along_row, lattices};
use super::stencil::apply_stress;
use super::{ViscosityError, ViscosityInputs, ViscousOutcome, ViscousStop};

/// The vectors of the iteration, each with a component per axis.
#[derive(Debug)]
pub(super) struct ViscousConjugateGradients<const D: usize> {
    /// The change d.
    change: [Field<f32, D>; D],
    /// The residual r.
    residual: [Field<f32, D>; D],
    /// The direction p. At first the velocity.
    direction: [Field<f32, D>; D],
    /// (M + S) p.
    image: [Field<f32, D>; D],
    /// (M u)·D⁻¹(M u) of the velocity and of solids that touch it: the scale of the residual.
    momentum: f64,
}

impl<const D: usize> ViscousConjugateGradients<D> {
    /// Memory for a grid.
    pub fn new(grid: Grid<D>) -> Result<Self, FieldError> {
        Ok(ViscousConjugateGradients {
            change: lattices(grid)?,
            residual: lattices(grid)?,
            direction: lattices(grid)?,
            image: lattices(grid)?,
            momentum: 0.0,
        })
    }

    /// Loads the velocity; on closed faces that of solids.
    pub fn load(
        &mut self,
        c: &Coefficients<D>,
        velocity: &[Field<f32, D>; D],
        inputs: &ViscosityInputs<'_, D>,
    ) {
        self.momentum = 0.0;
        for axis in 0..D {
            let (velocity, solid) = (&velocity[axis], inputs.solid_velocity.map(|solid| &solid[axis]));
            let size = velocity.size();
            self.momentum += par::rows_sum([&mut self.direction[axis]], |at, [row]| {
                row.fill(0.0);
                if (1..D).any(|dim| at[dim] as usize >= size[dim]) {
                    return 0.0;
                }
                let row = &mut row[..size[0]];
                let momentum = load_liquid(c, axis, at, velocity.row(at), row);
                momentum + solid.map_or(0.0, |solid| load_solid(c, axis, at, solid.row(at), row))
            });
        }
    }

    /// Iterates to the change d.
    pub fn solve(
        &mut self,
        c: &Coefficients<D>,
        stop: ViscousStop,
    ) -> Result<ViscousOutcome, ViscosityError> {
        let mut rz = self.initialise(c);
        if !(rz.is_finite() && self.momentum.is_finite()) {
            return Err(ViscosityError::NotFinite);
        }
        let scale = rz.min(self.momentum);
        let target = stop.tolerance * stop.tolerance * scale;
        let mut iterations = 0;
        while rz > target && iterations < stop.max_iterations {
            let curvature = self.apply(c);
            if !(curvature > 0.0 && curvature.is_finite()) {
                break;
            }
            let alpha = rz / curvature;
            let next = self.update_residual(c, alpha);
            if !next.is_finite() {
                break;
            }
            self.update_direction(c, alpha, next / rz);
            rz = next;
            iterations += 1;
        }
        let residual = if scale > 0.0 { (rz / scale).sqrt() } else { 0.0 };
        Ok(ViscousOutcome { iterations, residual, has_converged: rz <= target })
    }

    /// r = −S u, d = 0, p = D⁻¹ r. Returns r·D⁻¹ r.
    fn initialise(&mut self, c: &Coefficients<D>) -> f64 {
        let velocity = &self.direction;
        // r = −S u
        let total = par::rows_sum(self.residual.each_mut(), |at, rows| {
            let cells = c.span(at).cells();
            let mut total = 0.0;
            for (axis, row) in rows.into_iter().enumerate() {
                if cells.is_empty() {
                    continue;
                }
                let row = &mut row[cells.clone()];
                apply_stress(c, velocity, axis, along_row(at, cells.start), row);
                let inverse = &c.inverse[axis].row(at)[cells.clone()];
                for (r, &inverse) in row.iter_mut().zip(inverse) {
                    *r = if inverse > 0.0 { -*r } else { 0.0 };
                }
                total += weighted_square(row, inverse);
            }
            total
        });
        // d = 0, p = D⁻¹ r
        for axis in 0..D {
            let (residual, inverse) = (&self.residual[axis], &c.inverse[axis]);
            par::rows_each([&mut self.change[axis], &mut self.direction[axis]], |at, [change, direction]| {
                let cells = c.span(at).cells();
                change.fill(0.0);
                direction.fill(0.0);
                let (r, inverse) = (&residual.row(at)[cells.clone()], &inverse.row(at)[cells.clone()]);
                for ((p, &r), &inverse) in direction[cells].iter_mut().zip(r).zip(inverse) {
                    *p = inverse * r;
                }
            });
        }
        total
    }

    /// q = (M + S) p. Returns p·q.
    fn apply(&mut self, c: &Coefficients<D>) -> f64 {
        apply(c, &self.direction, &mut self.image)
    }

    /// r −= α q. Returns r·D⁻¹ r.
    fn update_residual(&mut self, c: &Coefficients<D>, alpha: f64) -> f64 {
        let (alpha, image) = (alpha as f32, &self.image);
        par::rows_sum(self.residual.each_mut(), |at, rows| {
            let cells = c.span(at).cells();
            let mut total = 0.0;
            for (axis, row) in rows.into_iter().enumerate().filter(|_| !cells.is_empty()) {
                let (row, image) = (&mut row[cells.clone()], &image[axis].row(at)[cells.clone()]);
                row.iter_mut().zip(image).for_each(|(r, &q)| *r -= alpha * q);
                total += weighted_square(row, &c.inverse[axis].row(at)[cells.clone()]);
            }
            total
        })
    }

    /// d += α p, then p = D⁻¹ r + β p.
    fn update_direction(&mut self, c: &Coefficients<D>, alpha: f64, beta: f64) {
        let (alpha, beta) = (alpha as f32, beta as f32);
        for axis in 0..D {
            let (residual, inverse) = (&self.residual[axis], &c.inverse[axis]);
            par::rows_each([&mut self.change[axis], &mut self.direction[axis]], |at, [change, direction]| {
                let cells = c.span(at).cells();
                if cells.is_empty() {
                    return;
                }
                let (r, inverse) = (&residual.row(at)[cells.clone()], &inverse.row(at)[cells.clone()]);
                let (change, direction) = (&mut change[cells.clone()], &mut direction[cells]);
                for x in 0..r.len() {
                    change[x] += alpha * direction[x];
                    direction[x] = inverse[x] * r[x] + beta * direction[x];
                }
            });
        }
    }

    /// Adds the change to the velocity.
    pub fn add_change(&self, c: &Coefficients<D>, velocity: &mut [Field<f32, D>; D]) {
        for (velocity, change) in velocity.iter_mut().zip(&self.change) {
            par::rows(velocity, |at, row| {
                let cells = c.span(at).cells();
                let cells = cells.start.min(row.len())..cells.end.min(row.len());
                let change = &change.row(at)[cells.clone()];
                row[cells].iter_mut().zip(change).for_each(|(velocity, &change)| *velocity += change);
            });
        }
    }
}

/// Copies the velocity of the unknowns of a row. Returns (M u)·D⁻¹(M u).
fn load_liquid<const D: usize>(
    c: &Coefficients<D>,
    axis: usize,
    at: [isize; D],
    velocity: &[f32],
    row: &mut [f32],
) -> f64 {
    let (mass, inverse) = (c.mass[axis].row(at), c.inverse[axis].row(at));
    let mut total = 0.0;
    for x in c.span(at).cells().filter(|&x| x < velocity.len() && inverse[x] > 0.0) {
        row[x] = velocity[x];
        let momentum = f64::from(mass[x]) * f64::from(row[x]);
        total += momentum * momentum * f64::from(inverse[x]);
    }
    total
}

/// Copies the velocity of solids that the liquid touches. Returns (M u)·D⁻¹(M u) for full faces in their place.
fn load_solid<const D: usize>(
    c: &Coefficients<D>,
    axis: usize,
    at: [isize; D],
    solid: &[f32],
    row: &mut [f32],
) -> f64 {
    let inverse = c.inverse[axis].row(at);
    let mut total = 0.0;
    for x in (0..row.len()).filter(|&x| inverse[x] == 0.0 && solid[x] != 0.0) {
        let diagonal = f64::from(c.stress_diagonal(axis, along_row(at, x)));
        if diagonal > 0.0 {
            row[x] = solid[x];
            total += f64::from(solid[x]).powi(2) / (1.0 + diagonal);
        }
    }
    total
}

/// q = (M + S) p at the unknowns, zero elsewhere in a span. Returns p·q.
pub(super) fn apply<const D: usize>(
    c: &Coefficients<D>,
    direction: &[Field<f32, D>; D],
    image: &mut [Field<f32, D>; D],
) -> f64 {
    par::rows_sum(image.each_mut(), |at, rows| {
        let cells = c.span(at).cells();
        let mut total = 0.0;
        for (axis, row) in rows.into_iter().enumerate().filter(|_| !cells.is_empty()) {
            let row = &mut row[cells.clone()];
            apply_stress(c, direction, axis, along_row(at, cells.start), row);
            let (mass, p) = (&c.mass[axis].row(at)[cells.clone()], &direction[axis].row(at)[cells.clone()]);
            for x in 0..p.len() {
                row[x] = if mass[x] > 0.0 { mass[x] * p[x] + row[x] } else { 0.0 };
            }
            total += product(row, p);
        }
        total
    })
}

/// SIMD lanes of a sum, added in a fixed order.
const LANES: usize = 8;

fn product(a: &[f32], b: &[f32]) -> f64 {
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..LANES {
            lanes[lane] += f64::from(a[lane]) * f64::from(b[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
    lanes.iter().sum::<f64>() + rest
}

/// Σ r² w.
fn weighted_square(r: &[f32], w: &[f32]) -> f64 {
    let (r_blocks, r_rest) = r.as_chunks::<LANES>();
    let (w_blocks, w_rest) = w.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (r, w) in r_blocks.iter().zip(w_blocks) {
        for lane in 0..LANES {
            lanes[lane] += f64::from(r[lane]) * f64::from(r[lane] * w[lane]);
        }
    }
    let rest: f64 = r_rest.iter().zip(w_rest).map(|(&r, &w)| f64::from(r) * f64::from(r * w)).sum();
    lanes.iter().sum::<f64>() + rest
}
