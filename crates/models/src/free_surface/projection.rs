//! Pressure projection of a liquid with a free surface: ∇·u = 0.
//!
//! With ψ = Δt p/ρ, −∇·(α∇ψ) = −∇·u* and u = u* − ∇ψ, where α is the open fraction of a face [batty2007]. The flux of
//! moving solids through the closed fraction 1 − α enters the divergence. Between a cell of liquid (φ < 0) and one of
//! air (φ' ≥ 0) the surface lies at the fraction θ = φ/(φ − φ') of the distance, where ψ has its surface value: zero,
//! or Δt σκ/ρ with surface tension, interpolated there from both centres. The difference quotient is taken to that point [gibou2002, enright2003], second
//! order, so that still water stays still. θ ≥ 0.01 bounds the condition number. In parts of the liquid that touch no
//! air, ψ is determined up to a constant.
//!
//! The same operator serves a second solve, for a potential flow of prescribed divergence. Implicit: no bound on Δt.

use undine_grid::poisson::{
    self, Inside, PoissonError, PoissonProblem, PoissonSolver, SOLVERS, SideKind, Stop,
};
use undine_grid::{Condition, Field, FieldError, Grid, Location, neighbour, par};
use undine_sim::StepError;

use super::solid_boundary::SolidBoundary;

/// The least θ.
const MIN_SURFACE_FRACTION: f32 = 0.01;
/// Iterations after which a solve stops, converged or not.
const MAX_ITERATIONS: usize = 400;
/// Relative residual of a solve for a prescribed divergence: what remains is left to the next steps.
const DIVERGENCE_TOLERANCE: f64 = 0.05;

/// The solver, and its last solutions.
pub(crate) struct PressureProjection<const D: usize> {
    problem: PoissonProblem<f32, D>,
    solver: Box<dyn PoissonSolver<f32, D>>,
    tolerance: f64,
    /// ψ in m²/s; the first guess of the next solve.
    pub psi: Field<f32, D>,
    /// The potential of the last prescribed divergence, in m²/s; the first guess of the next solve.
    pub correction: Field<f32, D>,
    rhs: Field<f32, D>,
    unknown: Field<u8, D>,
    surface_diagonal: Field<f32, D>,
    /// The Δt of the last ψ.
    last_dt: f64,
    /// Iterations of the last projection.
    pub iterations: usize,
    /// Iterations of the last solve for a prescribed divergence.
    pub correction_iterations: usize,
}

/// A factor at each cell of a side.
pub(crate) type SideScale<'a, const D: usize> = dyn Fn(usize, usize, [usize; D]) -> f32 + Sync + 'a;

/// The domain of a projection and the conditions on its boundary.
pub(crate) struct BoundaryConditions<'a, const D: usize> {
    pub boundary: &'a SolidBoundary<D>,
    /// φ in cells.
    pub distance: &'a Field<f32, D>,
    /// Sides open to the air, where p = 0.
    pub open_sides: [[bool; 2]; D],
    /// Normal velocity of closed sides, in m/s.
    pub side_velocities: [[f32; 2]; D],
    /// Height in cells below which they have it; zero velocity above.
    pub side_levels: [[f32; 2]; D],
    /// The factor of the normal velocity of a closed side, given by axis and end, at a cell.
    pub side_scale: Option<&'a SideScale<'a, D>>,
    /// ψ of the surface at the centres of the cells near it; zero without surface tension.
    pub surface: Option<&'a Field<f32, D>>,
}

impl<const D: usize> PressureProjection<D> {
    /// For a box, with the Poisson solver of this name.
    pub fn new(
        grid: Grid<D>,
        open_sides: [[bool; 2]; D],
        solver: &str,
        tolerance: f64,
    ) -> Result<Self, FieldError> {
        let kind = |is_open: bool| if is_open { SideKind::Fixed } else { SideKind::Closed };
        let no_memory = |_: PoissonError| FieldError::Memory { size: grid.cells().to_vec() };
        let centre = || Field::new(grid, Location::Center, Condition::Open, 1);
        Ok(PressureProjection {
            problem: PoissonProblem::new(grid, open_sides.map(|pair| pair.map(kind))).map_err(no_memory)?,
            solver: poisson::solver(solver).unwrap_or(&SOLVERS[0]).build(),
            tolerance,
            psi: centre()?,
            correction: centre()?,
            rhs: centre()?,
            unknown: Field::new(grid, Location::Center, Condition::Open, 1)?,
            surface_diagonal: centre()?,
            last_dt: 0.0,
            iterations: 0,
            correction_iterations: 0,
        })
    }

    /// The Δt of the last projection.
    pub fn last_dt(&self) -> f64 {
        self.last_dt
    }

    /// Restores the Δt of ψ.
    pub fn restore(&mut self, last_dt: f64) {
        self.last_dt = last_dt;
    }

    /// One in the cells that were liquid, hence unknowns, in the last projection.
    pub fn unknown(&self) -> &Field<u8, D> {
        &self.unknown
    }

    /// Makes a velocity free of divergence in the liquid.
    pub fn project(
        &mut self,
        velocity: &mut [Field<f32, D>; D],
        conditions: &BoundaryConditions<'_, D>,
        dt: f64,
    ) -> Result<(), StepError> {
        self.set_side_velocities(velocity, conditions);
        self.mark_unknowns(conditions);
        self.add_surface_terms(conditions);
        self.subtract_divergence(velocity, conditions);
        let faces = conditions.boundary.solids.as_ref().map(|geometry| geometry.face_fractions.components());
        let inside = Inside { faces, unknown: Some(&self.unknown), extra: Some(&self.surface_diagonal) };
        self.problem.set_inside(&inside).map_err(solve_failed)?;
        self.warm_start(dt);
        let stop = Stop { tolerance: self.tolerance, max_iterations: MAX_ITERATIONS };
        let outcome =
            self.solver.solve(&self.problem, &self.rhs, &mut self.psi, stop).map_err(solve_failed)?;
        self.iterations = outcome.iterations;
        self.last_dt = dt;
        let potential = Potential { values: &self.psi, surface: conditions.surface };
        self.subtract_gradient(velocity, conditions, &potential);
        Ok(())
    }

    /// The potential flow on the liquid that was projected last whose divergence in each cell is `divergence`, per
    /// second.
    pub fn prescribe_divergence(
        &mut self,
        velocity: &mut [Field<f32, D>; D],
        conditions: &BoundaryConditions<'_, D>,
        divergence: impl Fn([isize; D]) -> f32 + Sync,
    ) -> Result<(), StepError> {
        let unknown = &self.unknown;
        par::rows_each([&mut self.rhs, &mut self.correction], |at, [rhs, correction]| {
            for (x, &unknown) in unknown.row(at).iter().enumerate() {
                rhs[x] = if unknown != 0 { divergence(neighbour(at, 0, x as isize)) } else { 0.0 };
                correction[x] = if unknown != 0 { correction[x] } else { 0.0 };
            }
        });
        let stop = Stop { tolerance: DIVERGENCE_TOLERANCE, max_iterations: MAX_ITERATIONS };
        let outcome =
            self.solver.solve(&self.problem, &self.rhs, &mut self.correction, stop).map_err(solve_failed)?;
        self.correction_iterations = outcome.iterations;
        velocity.iter_mut().for_each(|component| component.fill(0.0));
        let potential = Potential { values: &self.correction, surface: None };
        self.subtract_gradient(velocity, conditions, &potential);
        Ok(())
    }

    /// Sets the normal velocity of closed sides.
    fn set_side_velocities(&self, velocity: &mut [Field<f32, D>; D], conditions: &BoundaryConditions<'_, D>) {
        for axis in 0..D {
            let last = velocity[axis].size()[axis] as isize - 1;
            par::rows(&mut velocity[axis], |at, row| {
                let scale = |high: usize, x: usize| {
                    let mut cell = at.map(|i| i as usize);
                    cell[0] = x;
                    cell[axis] = if high == 1 { last as usize - 1 } else { 0 };
                    conditions.side_scale.map_or(1.0, |scale| scale(axis, high, cell))
                };
                for (high, side_index) in [0, last].into_iter().enumerate() {
                    if conditions.open_sides[axis][high] {
                        continue;
                    }
                    let is_below =
                        (at[D - 1] as f32 + 0.5) < conditions.side_levels[axis][high] || axis == D - 1;
                    let speed = if is_below { conditions.side_velocities[axis][high] } else { 0.0 };
                    match axis {
                        0 => row[side_index as usize] = speed * scale(high, 0),
                        _ if at[axis] == side_index => {
                            row.iter_mut().enumerate().for_each(|(x, u)| *u = speed * scale(high, x));
                        }
                        _ => {}
                    }
                }
            });
        }
    }

    /// Marks the cells of liquid, with any open face, as unknowns.
    fn mark_unknowns(&mut self, conditions: &BoundaryConditions<'_, D>) {
        let (boundary, distance) = (conditions.boundary, conditions.distance);
        par::rows(&mut self.unknown, |at, row| {
            if boundary.solids.is_none() {
                row.iter_mut()
                    .zip(distance.row(at))
                    .for_each(|(unknown, phi)| *unknown = u8::from(*phi < 0.0));
                return;
            }
            for (x, unknown) in row.iter_mut().enumerate() {
                let cell = neighbour(at, 0, x as isize);
                let is_open = || {
                    let is_face_open = |axis| {
                        boundary.face_fraction(axis, cell) > 0.0
                            || boundary.face_fraction(axis, neighbour(cell, axis, 1)) > 0.0
                    };
                    (0..D).any(is_face_open)
                };
                *unknown = u8::from(distance.at(cell) < 0.0 && is_open());
            }
        });
    }

    /// Dirichlet condition on the surface: with c = α/(θ Δ²) for each neighbour that is air, the diagonal is c and the
    /// right-hand side c ψ of the surface.
    fn add_surface_terms(&mut self, conditions: &BoundaryConditions<'_, D>) {
        let (boundary, distance) = (conditions.boundary, conditions.distance);
        let unknown = &self.unknown;
        let spacing = self.rhs.grid().spacing()[0] as f32;
        let (cells, per_area) = (boundary.cells, 1.0 / (spacing * spacing));
        let rhs = &mut self.rhs;
        par::rows_each([&mut self.surface_diagonal, rhs], |at, [surface_diagonal, rhs]| {
            surface_diagonal.fill(0.0);
            rhs.fill(0.0);
            let unknowns = unknown.row(at);
            let adjacent = unknown.neighbour_runs(at, unknowns.len());
            for x in (0..surface_diagonal.len()).filter(|&x| unknowns[x] != 0) {
                // Only cells with a neighbour that is no unknown touch the surface
                if adjacent.iter().flatten().all(|row| row[x] != 0) {
                    continue;
                }
                let cell = neighbour(at, 0, x as isize);
                let here = distance.at(cell);
                for side in 0..2 * D {
                    let (axis, by) = (side / 2, 2 * (side as isize % 2) - 1);
                    let adjacent = neighbour(cell, axis, by);
                    if adjacent[axis] < 0 || adjacent[axis] as usize >= cells[axis] {
                        continue;
                    }
                    if unknown.at(adjacent) != 0 {
                        continue;
                    }
                    let open = boundary.face_fraction(axis, if by > 0 { adjacent } else { cell });
                    let there = distance.at(adjacent);
                    if open > 0.0 && there >= 0.0 {
                        let coefficient = open * per_area / surface_fraction(here, there);
                        surface_diagonal[x] += coefficient;
                        let jump = |surface: &Field<f32, D>| {
                            surface_value(
                                surface_fraction(here, there),
                                surface.at(cell),
                                surface.at(adjacent),
                            )
                        };
                        rhs[x] += coefficient * conditions.surface.map_or(0.0, jump);
                    }
                }
            }
        });
    }

    /// rhs −= ∇·(α u + (1 − α) u_solid).
    fn subtract_divergence(&mut self, velocity: &[Field<f32, D>; D], conditions: &BoundaryConditions<'_, D>) {
        let per_cell = 1.0 / self.rhs.grid().spacing()[0] as f32;
        let unknown = &self.unknown;
        let through = |axis: usize, face: [isize; D]| {
            let u = velocity[axis].at(face);
            match &conditions.boundary.solids {
                None => u,
                Some(geometry) => {
                    let open = geometry.face_fractions[axis].at(face);
                    if open >= 1.0 {
                        return u;
                    }
                    open * u + (1.0 - open) * geometry.solids.velocity(axis, face) as f32
                }
            }
        };
        par::rows(&mut self.rhs, |at, row| {
            let unknowns = unknown.row(at);
            // Without solids α = 1 everywhere
            if conditions.boundary.solids.is_none() {
                let faces: [[&[f32]; 2]; D] = std::array::from_fn(|axis| {
                    [at, neighbour(at, axis, 1)].map(|at| velocity[axis].run(at, row.len()))
                });
                for x in 0..row.len() {
                    let out = faces.iter().map(|[low, high]| high[x] - low[x]).sum::<f32>();
                    row[x] -= if unknowns[x] != 0 { per_cell * out } else { 0.0 };
                }
                return;
            }
            // With solids the fluxes are weighted by the open fractions of faces
            for x in (0..row.len()).filter(|&x| unknowns[x] != 0) {
                let cell = neighbour(at, 0, x as isize);
                let mut out = 0.0;
                for axis in 0..D {
                    out += through(axis, neighbour(cell, axis, 1)) - through(axis, cell);
                }
                row[x] -= per_cell * out;
            }
        });
    }

    /// First guess: the last pressure p, so ψ scaled by the ratio of the steps.
    fn warm_start(&mut self, dt: f64) {
        let scale = if self.last_dt > 0.0 { (dt / self.last_dt) as f32 } else { 0.0 };
        let unknown = &self.unknown;
        par::rows(&mut self.psi, |at, row| {
            for (psi, &unknown) in row.iter_mut().zip(unknown.row(at)) {
                *psi = if unknown != 0 { scale * *psi } else { 0.0 };
            }
        });
    }

    /// u −= ∇ψ on all faces with liquid on either side.
    fn subtract_gradient(
        &self,
        velocity: &mut [Field<f32, D>; D],
        conditions: &BoundaryConditions<'_, D>,
        potential: &Potential<'_, D>,
    ) {
        let psi = potential.values;
        let per_cell = 1.0 / psi.grid().spacing()[0] as f32;
        for (axis, component) in velocity.iter_mut().enumerate() {
            let cells = conditions.boundary.cells;
            par::rows(component, |at, row| {
                let is_side = |i: isize| i == 0 || i as usize == cells[axis];
                if axis > 0 && is_side(at[axis]) {
                    // A row of faces on a side
                    let is_high = at[axis] != 0;
                    let inner = if is_high { neighbour(at, axis, -1) } else { at };
                    for (u, psi) in row.iter_mut().zip(psi.row(inner)) {
                        *u += per_cell * self.change_at_open_side(conditions, axis, is_high, *psi);
                    }
                    return;
                }
                // Faces between two rows of cells; across x both are the same row, shifted by one
                let below = if axis == 0 { at } else { neighbour(at, axis, -1) };
                let low = self.cell_row(conditions, potential, below);
                let high = self.cell_row(conditions, potential, at);
                let mut faces = row;
                if axis == 0 {
                    let last = cells[0];
                    faces[0] += per_cell * self.change_at_open_side(conditions, 0, false, high.psi[0]);
                    faces[last] +=
                        per_cell * self.change_at_open_side(conditions, 0, true, high.psi[last - 1]);
                    faces = &mut faces[1..last];
                    subtract_differences(faces, per_cell, &low, &high.from(1));
                } else {
                    subtract_differences(faces, per_cell, &low, &high);
                }
            });
        }
    }

    /// Δ times the change of the velocity of a face on a side: ψ = 0 half a cell outside where it is open, else none.
    fn change_at_open_side(
        &self,
        conditions: &BoundaryConditions<'_, D>,
        axis: usize,
        is_high: bool,
        psi: f32,
    ) -> f32 {
        match conditions.open_sides[axis][usize::from(is_high)] {
            true if is_high => 2.0 * psi,
            true => -2.0 * psi,
            false => 0.0,
        }
    }

    fn cell_row<'a>(
        &'a self,
        conditions: &BoundaryConditions<'a, D>,
        potential: &Potential<'a, D>,
        at: [isize; D],
    ) -> ProjectionRow<'a> {
        ProjectionRow {
            psi: potential.values.row(at),
            unknown: self.unknown.row(at),
            distance: conditions.distance.row(at),
            surface: potential.surface.map(|surface| surface.row(at)),
        }
    }
}

/// ψ in the liquid and, where it is not zero, that of the surface at the centres of the cells near it.
struct Potential<'a, const D: usize> {
    values: &'a Field<f32, D>,
    surface: Option<&'a Field<f32, D>>,
}

/// The values of a row of cells.
struct ProjectionRow<'a> {
    psi: &'a [f32],
    unknown: &'a [u8],
    distance: &'a [f32],
    surface: Option<&'a [f32]>,
}

impl<'a> ProjectionRow<'a> {
    /// The cells of the row from `first` on.
    fn from(&self, first: usize) -> ProjectionRow<'a> {
        ProjectionRow {
            psi: &self.psi[first..],
            unknown: &self.unknown[first..],
            distance: &self.distance[first..],
            surface: self.surface.map(|surface| &surface[first..]),
        }
    }
}

/// u −= ∂ψ for the faces between two rows of cells. Where one of the two cells is air the difference is taken to the
/// surface; where neither is liquid nothing changes.
fn subtract_differences(faces: &mut [f32], per_cell: f32, low: &ProjectionRow<'_>, high: &ProjectionRow<'_>) {
    let to_surface = |liquid: &ProjectionRow<'_>, air: &ProjectionRow<'_>, x: usize| {
        let theta = surface_fraction(liquid.distance[x], air.distance[x]);
        let surface = match [liquid.surface, air.surface] {
            [Some(liquid), Some(air)] => surface_value(theta, liquid[x], air[x]),
            _ => 0.0,
        };
        (surface - liquid.psi[x]) / theta
    };
    let count = faces.len();
    let (low_unknown, high_unknown) = (&low.unknown[..count], &high.unknown[..count]);
    let (low_psi, high_psi) = (&low.psi[..count], &high.psi[..count]);
    // Both cells liquid
    let mut borders = 0;
    for x in 0..count {
        let is_inside = low_unknown[x] & high_unknown[x] != 0;
        faces[x] -= if is_inside { per_cell * (high_psi[x] - low_psi[x]) } else { 0.0 };
        borders |= low_unknown[x] ^ high_unknown[x];
    }
    if borders == 0 {
        return;
    }
    // One liquid, one air
    for x in 0..count {
        let slope = match [low_unknown[x] != 0, high_unknown[x] != 0] {
            [true, false] if high.distance[x] >= 0.0 => to_surface(low, high, x),
            [false, true] if low.distance[x] >= 0.0 => -to_surface(high, low, x),
            _ => continue,
        };
        faces[x] -= per_cell * slope;
    }
}

/// θ = φ/(φ − φ'): where the surface lies between the centres of a cell of liquid and one of air.
#[inline]
fn surface_fraction(here: f32, there: f32) -> f32 {
    (here / (here - there)).clamp(MIN_SURFACE_FRACTION, 1.0)
}

/// ψ on the surface at the fraction θ of the way from a cell of liquid to one of air, from ψ at both centres [kang2000].
#[inline]
fn surface_value(theta: f32, liquid: f32, air: f32) -> f32 {
    liquid + theta * (air - liquid)
}

fn solve_failed(error: PoissonError) -> StepError {
    StepError::Failed(format!("the pressure solve failed: {error}"))
}
