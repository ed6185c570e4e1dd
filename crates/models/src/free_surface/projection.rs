//! The pressure that keeps the liquid's volume.
//!
//! With ψ = Δt p/ρ, −∇·(α∇ψ) = −∇·u* and u = u* − ∇ψ, where α is the open share of a face [batty2007]. What solids push
//! through the closed share enters the divergence. Between a cell of liquid and one of air the surface lies at the
//! share θ = φ/(φ − φ') of the way, where ψ has the value of the surface: zero, or what surface tension gives. The
//! difference quotient runs to there [gibou2002, enright2003], which is second order and holds still water still.
//! θ is not let below 0.01. Parts of the liquid that touch no air know their pressure up to a constant.
//!
//! The same operator finds by how much particles are to be spread where they have crowded (`density`) and where volume
//! is to be won or lost (`volume`).

use undine_grid::poisson::{self, Inside, PoissonError, PoissonSolver, Problem, SOLVERS, SideKind, Stop};
use undine_grid::{Condition, Field, FieldError, Grid, Location, neighbour, par};
use undine_sim::StepError;

use super::solid_boundary::SolidBoundary;

/// The least share of the way to the surface.
const MIN_SURFACE_FRACTION: f32 = 0.01;
/// Iterations after which a solve is left as it is.
const MAX_ITERATIONS: usize = 400;
/// Residual at which the spreading of particles is found well enough: what is left over is done by the next steps.
const DIVERGENCE_TOLERANCE: f64 = 0.05;

/// What solves for the pressure, and what it found.
pub(crate) struct PressureProjection<const D: usize> {
    problem: Problem<f32, D>,
    solver: Box<dyn PoissonSolver<f32, D>>,
    tolerance: f64,
    /// ψ in m²/s; what the next solve starts from.
    pub psi: Field<f32, D>,
    /// The potential by which particles were spread, in m²/s; what the next solve starts from.
    pub correction: Field<f32, D>,
    rhs: Field<f32, D>,
    unknown: Field<u8, D>,
    surface_diagonal: Field<f32, D>,
    /// The step for which ψ was found.
    last_dt: f64,
    /// Iterations of the last solve.
    pub iterations: usize,
}

/// What a projection is told about the liquid.
pub(crate) struct BoundaryConditions<'a, const D: usize> {
    pub boundary: &'a SolidBoundary<D>,
    /// Distance from the surface in cells.
    pub distance: &'a Field<f32, D>,
    /// Which sides are open to the air.
    pub open_sides: [[bool; 2]; D],
    /// Normal velocity of closed sides, in m/s.
    pub side_velocities: [[f32; 2]; D],
    /// Height in cells below which they have it.
    pub side_levels: [[f32; 2]; D],
    /// ψ on the surface beside each cell, where there is tension.
    pub surface: Option<&'a Field<f32, D>>,
}

impl<const D: usize> PressureProjection<D> {
    /// For a box, with the solver of this name.
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
            problem: Problem::new(grid, open_sides.map(|pair| pair.map(kind))).map_err(no_memory)?,
            solver: poisson::solver(solver).unwrap_or(&SOLVERS[0]).build(),
            tolerance,
            psi: centre()?,
            correction: centre()?,
            rhs: centre()?,
            unknown: Field::new(grid, Location::Center, Condition::Open, 1)?,
            surface_diagonal: centre()?,
            last_dt: 0.0,
            iterations: 0,
        })
    }

    /// The step that the pressure belongs to.
    pub fn last_dt(&self) -> f64 {
        self.last_dt
    }

    /// Takes up what was saved.
    pub fn restore(&mut self, last_dt: f64) {
        self.last_dt = last_dt;
    }

    /// One in the cells that had liquid in the last projection.
    pub fn unknown(&self) -> &Field<u8, D> {
        &self.unknown
    }

    /// Takes the divergence out of a velocity.
    pub fn project(
        &mut self,
        velocity: &mut [Field<f32, D>; D],
        conditions: &BoundaryConditions<'_, D>,
        dt: f64,
    ) -> Result<(), StepError> {
        self.set_side_velocities(velocity, conditions);
        self.name_cells(conditions);
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

    /// The potential flow on the liquid that was projected last whose divergence in each cell is `divergence`, per second.
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
        self.solver.solve(&self.problem, &self.rhs, &mut self.correction, stop).map_err(solve_failed)?;
        velocity.iter_mut().for_each(|component| component.fill(0.0));
        let potential = Potential { values: &self.correction, surface: None };
        self.subtract_gradient(velocity, conditions, &potential);
        Ok(())
    }

    /// Closed sides move as they are told.
    fn set_side_velocities(&self, velocity: &mut [Field<f32, D>; D], conditions: &BoundaryConditions<'_, D>) {
        for axis in 0..D {
            let last = velocity[axis].size()[axis] as isize - 1;
            par::rows(&mut velocity[axis], |at, row| {
                for (high, side_index) in [0, last].into_iter().enumerate() {
                    if conditions.open_sides[axis][high] {
                        continue;
                    }
                    let is_below =
                        (at[D - 1] as f32 + 0.5) < conditions.side_levels[axis][high] || axis == D - 1;
                    let speed = if is_below { conditions.side_velocities[axis][high] } else { 0.0 };
                    match axis {
                        0 => row[side_index as usize] = speed,
                        _ if at[axis] == side_index => row.fill(speed),
                        _ => {}
                    }
                }
            });
        }
    }

    /// Which cells have an unknown, and how the surface pulls at them.
    fn name_cells(&mut self, conditions: &BoundaryConditions<'_, D>) {
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
        let unknown = &self.unknown;
        let spacing = self.rhs.grid().spacing()[0] as f32;
        let (cells, per_area) = (boundary.cells, 1.0 / (spacing * spacing));
        let rhs = &mut self.rhs;
        par::rows_each([&mut self.surface_diagonal, rhs], |at, [surface_diagonal, rhs]| {
            surface_diagonal.fill(0.0);
            rhs.fill(0.0);
            let unknowns = unknown.row(at);
            let adjacent = unknown.runs_beside(at, unknowns.len());
            for x in (0..surface_diagonal.len()).filter(|&x| unknowns[x] != 0) {
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
                        let surface = conditions.surface.map_or(0.0, |surface| surface.at(cell));
                        rhs[x] += coefficient * surface;
                    }
                }
            }
        });
    }

    /// Adds what flows out of each cell, with its sign turned.
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

    /// The last ψ is the first guess, for the same pressure.
    fn warm_start(&mut self, dt: f64) {
        let scale = if self.last_dt > 0.0 { (dt / self.last_dt) as f32 } else { 0.0 };
        let unknown = &self.unknown;
        par::rows(&mut self.psi, |at, row| {
            for (psi, &unknown) in row.iter_mut().zip(unknown.row(at)) {
                *psi = if unknown != 0 { scale * *psi } else { 0.0 };
            }
        });
    }

    /// u −= ∇ψ on all faces that liquid touches.
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
                let is_side = |along: isize| along == 0 || along as usize == cells[axis];
                if axis > 0 && is_side(at[axis]) {
                    let is_high = at[axis] != 0;
                    let inner = if is_high { neighbour(at, axis, -1) } else { at };
                    for (u, psi) in row.iter_mut().zip(psi.row(inner)) {
                        *u += per_cell * self.change_at_open_side(conditions, axis, is_high, *psi);
                    }
                    return;
                }
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

    /// How much the velocity of a face on a side rises, in m/s per 1/Δ: only where the side is open to the air.
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
    ) -> CellRow<'a> {
        CellRow {
            psi: potential.values.row(at),
            unknown: self.unknown.row(at),
            distance: conditions.distance.row(at),
            surface: potential.surface.map(|surface| surface.row(at)),
        }
    }
}

/// What pushes: ψ in the liquid, and on the surface beside each cell where it is not zero there.
struct Potential<'a, const D: usize> {
    values: &'a Field<f32, D>,
    surface: Option<&'a Field<f32, D>>,
}

/// A row of cells.
struct CellRow<'a> {
    psi: &'a [f32],
    unknown: &'a [u8],
    distance: &'a [f32],
    surface: Option<&'a [f32]>,
}

impl<'a> CellRow<'a> {
    /// The cells of the row from `first` on.
    fn from(&self, first: usize) -> CellRow<'a> {
        CellRow {
            psi: &self.psi[first..],
            unknown: &self.unknown[first..],
            distance: &self.distance[first..],
            surface: self.surface.map(|surface| &surface[first..]),
        }
    }
}

/// Takes the slope of ψ from the velocities of the faces between two lines of cells: its difference, run to the surface
/// where one of two neighbours is air; zero where none is liquid.
fn subtract_differences(faces: &mut [f32], per_cell: f32, low: &CellRow<'_>, high: &CellRow<'_>) {
    let to_surface = |liquid: &CellRow<'_>, x: usize, there: f32| {
        let surface = liquid.surface.map_or(0.0, |surface| surface[x]);
        (surface - liquid.psi[x]) / surface_fraction(liquid.distance[x], there)
    };
    let count = faces.len();
    let (low_unknown, high_unknown) = (&low.unknown[..count], &high.unknown[..count]);
    let (low_psi, high_psi) = (&low.psi[..count], &high.psi[..count]);
    let mut borders = 0;
    for x in 0..count {
        let is_inside = low_unknown[x] & high_unknown[x] != 0;
        faces[x] -= if is_inside { per_cell * (high_psi[x] - low_psi[x]) } else { 0.0 };
        borders |= low_unknown[x] ^ high_unknown[x];
    }
    if borders == 0 {
        return;
    }
    for x in 0..count {
        let slope = match [low_unknown[x] != 0, high_unknown[x] != 0] {
            [true, false] if high.distance[x] >= 0.0 => to_surface(low, x, high.distance[x]),
            [false, true] if low.distance[x] >= 0.0 => -to_surface(high, x, low.distance[x]),
            _ => continue,
        };
        faces[x] -= per_cell * slope;
    }
}

/// Share of the way from the middle of a cell of liquid to that of a cell of air at which the surface lies.
#[inline]
fn surface_fraction(here: f32, there: f32) -> f32 {
    (here / (here - there)).clamp(MIN_SURFACE_FRACTION, 1.0)
}

fn solve_failed(error: PoissonError) -> StepError {
    StepError::Failed(format!("the pressure cannot be solved for: {error}"))
}
