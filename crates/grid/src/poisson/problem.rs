//! The problem −∇·(β∇p) + σp = f at cell centres.
//!
//! With finite volumes, the sum over the faces of a cell of β (p − p') / Δ² plus (e + σ) p is f. Between the cell and
//! its neighbour p' lies a face with open fraction `faces`. Cells without an unknown are solid or air: nothing
//! couples to them. What is fixed to p = 0 nearby enters the diagonal as e: a cell at distance θΔ from a free surface has
//! e = β/(θΔ²) for that face [gibou2002], and a fixed side is half a cell away.

use std::sync::atomic::{AtomicU64, Ordering};

use super::checkered::Checkered;
use super::components::Components;
use super::matrix::Matrix;
use super::spans::BlockSpan;
use super::{PoissonError, SideKind};
use crate::field::Field;
use crate::grid::Grid;
use crate::location::Location;
use crate::par;
use crate::value::{Real, Value};

/// Unique stamp of a state of a problem.
static NEXT_STAMP: AtomicU64 = AtomicU64::new(1);

/// Interior of the box. With all fields absent it is filled with fluid.
#[derive(Debug, Clone, Copy)]
pub struct Inside<'a, T, const D: usize> {
    /// Conductance β of every face relative to that of an open one, from 0 (solid) upwards, one field per axis.
    pub faces: Option<&'a [Field<T, D>; D]>,
    /// Not zero where a cell has an unknown.
    pub unknown: Option<&'a Field<u8, D>>,
    /// Extra diagonal e, in 1/m² times β: Dirichlet values p = 0 at surfaces.
    pub extra: Option<&'a Field<T, D>>,
}

impl<T, const D: usize> Default for Inside<'_, T, D> {
    fn default() -> Self {
        Inside { faces: None, unknown: None, extra: None }
    }
}

/// A Poisson or Helmholtz problem on a box of cells: sides, strength and what lies inside. Solvers remember what they
/// derived from it until it changes.
///
/// ```
/// use undine_grid::poisson::{PoissonProblem, SideKind};
/// use undine_grid::Grid;
///
/// // A channel: closed walls, what leaves at the east leaves at pressure zero
/// let grid = Grid::new([64, 32], [0.1, 0.1], [0.0, 0.0])?;
/// let sides = [[SideKind::Closed, SideKind::Fixed], [SideKind::Closed; 2]];
/// let problem = PoissonProblem::<f32, 2>::new(grid, sides)?;
/// assert!(problem.is_box() && problem.closed_parts() == 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct PoissonProblem<T, const D: usize> {
    grid: Grid<D>,
    sides: [[SideKind; 2]; D],
    is_box: bool,
    stamp: u64,
    pub(super) matrix: Matrix<T, D>,
    pub(super) components: Components,
}

impl<T: Real, const D: usize> PoissonProblem<T, D> {
    /// A box full of fluid with β = 1 and σ = 0.
    pub fn new(grid: Grid<D>, sides: [[SideKind; 2]; D]) -> Result<Self, PoissonError> {
        let is_half = |pair: &[SideKind; 2]| pair[0] != pair[1] && pair.contains(&SideKind::Periodic);
        if let Some(axis) = sides.iter().position(is_half) {
            return Err(PoissonError::HalfPeriodic { axis });
        }
        let periodic = sides.map(|[low, _]| low == SideKind::Periodic);
        let weights = grid.spacing().map(|spacing| T::from_f64(1.0 / (spacing * spacing)));
        let matrix = Matrix::new(grid.cells(), periodic, weights, 0.0)?;
        let components = Components::default();
        let mut problem = PoissonProblem { grid, sides, is_box: true, stamp: 0, matrix, components };
        problem.set_strength(1.0, 0.0)?;
        Ok(problem)
    }

    /// Sets β of an open face and σ, and takes everything out of the box.
    pub fn set_strength(&mut self, beta: f64, sigma: f64) -> Result<(), PoissonError> {
        let weights = self.grid.spacing().map(|spacing| T::from_f64(beta / (spacing * spacing)));
        let is_sound = |weight: &T| weight.is_finite() && *weight > T::zeroed();
        if !(weights.iter().all(is_sound) && sigma.is_finite() && sigma >= 0.0) {
            return Err(PoissonError::Strength { beta, sigma });
        }
        self.matrix.weights = weights;
        self.matrix.shift = sigma;
        self.set_inside(&Inside::default())
    }

    /// Sets the interior of the box, replacing the previous one. Memory is reused.
    pub fn set_inside(&mut self, inside: &Inside<'_, T, D>) -> Result<(), PoissonError> {
        T::family::<D>().assemble(self, inside)
    }

    /// Does [`PoissonProblem::set_inside`]. Called by [`super::instances`] only, which compiles it once.
    pub(super) fn assemble(&mut self, inside: &Inside<'_, T, D>) -> Result<(), PoissonError> {
        self.check(inside)?;
        self.stamp = NEXT_STAMP.fetch_add(1, Ordering::Relaxed);
        self.is_box = inside.faces.is_none() && inside.unknown.is_none() && inside.extra.is_none();
        let (one, width) = (T::from_f64(1.0), self.grid.cells()[0]);
        let unknown = inside.unknown;
        self.matrix.set_spans(|at| match unknown {
            Some(unknown) => BlockSpan::of_labels(unknown.row(at)),
            None => BlockSpan::full(width),
        });
        self.matrix.diagonal.set_within(&self.matrix.spans, |at| {
            let unknown = inside.unknown.map(|unknown| unknown.row(at));
            move |x| if unknown.is_none_or(|unknown| unknown[x] != 0) { one } else { T::zeroed() }
        });
        self.set_couplings(inside)?;
        self.set_extra(inside)?;
        self.matrix.assemble();
        self.components.find(&self.matrix);
        Ok(())
    }

    fn check(&self, inside: &Inside<'_, T, D>) -> Result<(), PoissonError> {
        for (axis, faces) in inside.faces.into_iter().flatten().enumerate() {
            self.check_field("faces", faces, Location::Face(axis))?;
            check_amounts("faces", faces)?;
        }
        if let Some(unknown) = inside.unknown {
            self.check_field("unknown", unknown, Location::Center)?;
        }
        if let Some(extra) = inside.extra {
            self.check_field("extra", extra, Location::Center)?;
            check_amounts("extra", extra)?;
        }
        Ok(())
    }

    /// Refuses fields of another grid or at another place.
    pub(super) fn check_field<V: Value>(
        &self,
        what: &'static str,
        field: &Field<V, D>,
        location: Location,
    ) -> Result<(), PoissonError> {
        match *field.grid() == self.grid && field.location() == location {
            true => Ok(()),
            false => Err(PoissonError::Misfit { what, location }),
        }
    }

    /// Refuses a field that cannot take the solution.
    pub(super) fn check_solution(&self, p: &Field<T, D>) -> Result<(), PoissonError> {
        self.check_field("solution", p, Location::Center)
    }

    fn set_couplings(&mut self, inside: &Inside<'_, T, D>) -> Result<(), PoissonError> {
        if inside.faces.is_none() && inside.unknown.is_none() {
            self.matrix.couplings = None;
            return Ok(());
        }
        if self.matrix.couplings.is_none() {
            self.matrix.set_room_for_couplings()?;
        }
        // The coupling across a low face is β/Δ² between two unknowns, and zero on a side that is not periodic
        let (weights, periodic, cells) = (self.matrix.weights, self.matrix.periodic, self.grid.cells());
        let spans = &self.matrix.spans;
        for (axis, coupling) in self.matrix.couplings.iter_mut().flatten().enumerate() {
            let last = cells[axis] as isize - 1;
            coupling.set_within(spans, |at| {
                let unknown = inside.unknown.map(|unknown| unknown.row(at));
                let face = inside.faces.map(|faces| faces[axis].row(at));
                let is_side = axis > 0 && at[axis] == 0;
                let below = match axis {
                    0 => at,
                    _ if is_side => super::checkered::moved(at, axis, last),
                    _ => crate::neighbour(at, axis, -1),
                };
                let below = inside.unknown.map(|unknown| unknown.row(below));
                move |x| {
                    let is_open = periodic[axis] || !(is_side || axis == 0 && x == 0);
                    let x_below = if axis > 0 { x } else { x.checked_sub(1).unwrap_or(last as usize) };
                    let are_unknown = unknown.is_none_or(|unknown| unknown[x] != 0)
                        && below.is_none_or(|below| below[x_below] != 0);
                    let face = face.map_or(T::from_f64(1.0), |face| face[x]);
                    if is_open && are_unknown { weights[axis] * face } else { T::zeroed() }
                }
            });
        }
        Ok(())
    }

    fn set_extra(&mut self, inside: &Inside<'_, T, D>) -> Result<(), PoissonError> {
        let is_fixed = self.sides.as_flattened().contains(&SideKind::Fixed);
        if inside.extra.is_none() && !is_fixed {
            self.matrix.extra = None;
            return Ok(());
        }
        if self.matrix.extra.is_none() {
            self.matrix.extra = Some(Checkered::new(self.grid.cells())?);
        }
        // A face on a Dirichlet side adds 2β/Δ²: p = 0 half a cell beyond the centre
        let (sides, cells) = (self.sides, self.grid.cells());
        let doubled = self.matrix.weights.map(|weight| T::from_f64(2.0) * weight);
        let fixed_face = |axis: usize, at: [isize; D], side: usize| {
            let along = side * (cells[axis] - 1);
            let is_fixed = sides[axis][side] == SideKind::Fixed && at[axis] as usize == along;
            let face = crate::neighbour(at, axis, side as isize);
            is_fixed
                .then(|| doubled[axis] * inside.faces.map_or(T::from_f64(1.0), |faces| faces[axis].at(face)))
        };
        // The given σ plus those faces, at unknowns
        let spans = &self.matrix.spans;
        self.matrix.extra.iter_mut().for_each(|field| {
            field.set_within(spans, |at| {
                let unknown = inside.unknown.map(|unknown| unknown.row(at));
                let extra = inside.extra.map(|extra| extra.row(at));
                move |x| {
                    if unknown.is_some_and(|unknown| unknown[x] == 0) {
                        return T::zeroed();
                    }
                    let given = extra.map_or(T::zeroed(), |extra| extra[x]);
                    if !is_fixed {
                        return given;
                    }
                    let at = super::checkered::moved(at, 0, x as isize);
                    let pulls = (0..2 * D).filter_map(|side| fixed_face(side / 2, at, side % 2));
                    pulls.fold(given, |sum, pull| sum + pull)
                }
            });
        });
        Ok(())
    }

    /// Adds to a right-hand side what sides do that are not at zero: on a fixed side the value of p, on a closed one the
    /// slope of p along the outward normal. For open faces along the sides; periodic sides are passed over.
    pub fn add_side_values(&self, values: [[f64; 2]; D], rhs: &mut Field<T, D>) -> Result<(), PoissonError> {
        self.check_field("right-hand side", rhs, Location::Center)?;
        let (cells, spacing, sides) = (self.grid.cells(), self.grid.spacing(), self.sides);
        let weights = self.matrix.weights.map(|weight| weight.to_f64());
        par::rows(rhs, |at, row| {
            for (x, value) in row.iter_mut().enumerate() {
                let at = super::checkered::moved(at, 0, x as isize);
                for (axis, side) in (0..2 * D).map(|side| (side / 2, side % 2)) {
                    if at[axis] as usize != side * (cells[axis] - 1) {
                        continue;
                    }
                    let given = weights[axis] * values[axis][side];
                    let amount = match sides[axis][side] {
                        SideKind::Fixed => 2.0 * given,
                        SideKind::Closed => given * spacing[axis],
                        SideKind::Periodic => 0.0,
                    };
                    *value = *value + T::from_f64(amount);
                }
            }
        });
        Ok(())
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<D> {
        &self.grid
    }

    /// Boundary conditions on the low and high side of each axis.
    pub fn sides(&self) -> [[SideKind; 2]; D] {
        self.sides
    }

    /// σ.
    pub fn sigma(&self) -> f64 {
        self.matrix.shift
    }

    /// Whether there is nothing inside but fluid.
    pub fn is_box(&self) -> bool {
        self.is_box
    }

    /// Number of connected parts without a Dirichlet value, in each of which p is only known up to a constant.
    pub fn closed_parts(&self) -> usize {
        self.components.closed()
    }

    /// Changes with every change of the problem.
    pub(super) fn stamp(&self) -> u64 {
        self.stamp
    }
}

fn check_amounts<T: Real, const D: usize>(
    what: &'static str,
    field: &Field<T, D>,
) -> Result<(), PoissonError> {
    let bad = par::sum(field, |value| {
        let is_sound = value >= T::zeroed() && value < T::from_f64(f64::INFINITY);
        if is_sound { 0.0 } else { 1.0 }
    });
    match bad == 0.0 {
        true => Ok(()),
        false => Err(PoissonError::Amount { what }),
    }
}
