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

use super::solid_boundary::Walls;

/// The least share of the way to the surface.
const LEAST_WAY: f32 = 0.01;
/// Iterations after which a solve is left as it is.
const MOST_ITERATIONS: usize = 400;
/// Residual at which the spreading of particles is found well enough: what is left over is done by the next steps.
const SPREADING: f64 = 0.05;

/// What solves for the pressure, and what it found.
pub(crate) struct Pressure<const D: usize> {
    problem: Problem<f32, D>,
    solver: Box<dyn PoissonSolver<f32, D>>,
    tolerance: f64,
    /// ψ in m²/s; what the next solve starts from.
    pub psi: Field<f32, D>,
    /// The potential by which particles were spread, in m²/s; what the next solve starts from.
    pub shift: Field<f32, D>,
    rhs: Field<f32, D>,
    unknown: Field<u8, D>,
    extra: Field<f32, D>,
    /// The step for which ψ was found.
    last_dt: f64,
    /// Iterations of the last solve.
    pub iterations: usize,
}

/// What a projection is told about the liquid.
pub(crate) struct Around<'a, const D: usize> {
    pub walls: &'a Walls<D>,
    /// Distance from the surface in cells.
    pub distance: &'a Field<f32, D>,
    /// Which sides are open to the air.
    pub open_sides: [[bool; 2]; D],
    /// Normal velocity of closed sides, in m/s.
    pub side_speeds: [[f32; 2]; D],
    /// Height in cells below which they have it.
    pub side_levels: [[f32; 2]; D],
    /// ψ on the surface beside each cell, where there is tension.
    pub surface: Option<&'a Field<f32, D>>,
}

impl<const D: usize> Pressure<D> {
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
        Ok(Pressure {
            problem: Problem::new(grid, open_sides.map(|pair| pair.map(kind))).map_err(no_memory)?,
            solver: poisson::solver(solver).unwrap_or(&SOLVERS[0]).build(),
            tolerance,
            psi: centre()?,
            shift: centre()?,
            rhs: centre()?,
            unknown: Field::new(grid, Location::Center, Condition::Open, 1)?,
            extra: centre()?,
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
        around: &Around<'_, D>,
        dt: f64,
    ) -> Result<(), StepError> {
        self.set_sides(velocity, around);
        self.name_cells(around);
        self.set_right_hand_side(velocity, around);
        let faces = around.walls.solids.as_ref().map(|standing| standing.open.components());
        let inside = Inside { faces, unknown: Some(&self.unknown), extra: Some(&self.extra) };
        self.problem.set_inside(&inside).map_err(failed)?;
        self.begin_from_last(dt);
        let stop = Stop { tolerance: self.tolerance, max_iterations: MOST_ITERATIONS };
        let outcome = self.solver.solve(&self.problem, &self.rhs, &mut self.psi, stop).map_err(failed)?;
        self.iterations = outcome.iterations;
        self.last_dt = dt;
        let pushed = Potential { values: &self.psi, surface: around.surface };
        self.apply(velocity, around, &pushed);
        Ok(())
    }

    /// The potential flow on the liquid that was projected last whose divergence in each cell is `divergence`, per second.
    pub fn spread(
        &mut self,
        velocity: &mut [Field<f32, D>; D],
        around: &Around<'_, D>,
        divergence: impl Fn([isize; D]) -> f32 + Sync,
    ) -> Result<(), StepError> {
        let unknown = &self.unknown;
        par::rows_each([&mut self.rhs, &mut self.shift], |at, [rhs, shift]| {
            for (x, &unknown) in unknown.row(at).iter().enumerate() {
                rhs[x] = if unknown != 0 { divergence(neighbour(at, 0, x as isize)) } else { 0.0 };
                shift[x] = if unknown != 0 { shift[x] } else { 0.0 };
            }
        });
        let stop = Stop { tolerance: SPREADING, max_iterations: MOST_ITERATIONS };
        self.solver.solve(&self.problem, &self.rhs, &mut self.shift, stop).map_err(failed)?;
        velocity.iter_mut().for_each(|component| component.fill(0.0));
        let pushed = Potential { values: &self.shift, surface: None };
        self.apply(velocity, around, &pushed);
        Ok(())
    }

    /// Closed sides move as they are told.
    fn set_sides(&self, velocity: &mut [Field<f32, D>; D], around: &Around<'_, D>) {
        for axis in 0..D {
            let last = velocity[axis].size()[axis] as isize - 1;
            par::rows(&mut velocity[axis], |at, row| {
                for (high, place) in [0, last].into_iter().enumerate() {
                    if around.open_sides[axis][high] {
                        continue;
                    }
                    let is_below = (at[D - 1] as f32 + 0.5) < around.side_levels[axis][high] || axis == D - 1;
                    let speed = if is_below { around.side_speeds[axis][high] } else { 0.0 };
                    match axis {
                        0 => row[place as usize] = speed,
                        _ if at[axis] == place => row.fill(speed),
                        _ => {}
                    }
                }
            });
        }
    }

    /// Which cells have an unknown, and how the surface pulls at them.
    fn name_cells(&mut self, around: &Around<'_, D>) {
        let (walls, distance) = (around.walls, around.distance);
        par::rows(&mut self.unknown, |at, row| {
            if walls.solids.is_none() {
                row.iter_mut()
                    .zip(distance.row(at))
                    .for_each(|(unknown, phi)| *unknown = u8::from(*phi < 0.0));
                return;
            }
            for (x, unknown) in row.iter_mut().enumerate() {
                let cell = neighbour(at, 0, x as isize);
                let is_open = || {
                    let is_face_open = |axis| {
                        walls.open(axis, cell) > 0.0 || walls.open(axis, neighbour(cell, axis, 1)) > 0.0
                    };
                    (0..D).any(is_face_open)
                };
                *unknown = u8::from(distance.at(cell) < 0.0 && is_open());
            }
        });
        let unknown = &self.unknown;
        let spacing = self.rhs.grid().spacing()[0] as f32;
        let (cells, per_area) = (walls.cells, 1.0 / (spacing * spacing));
        let rhs = &mut self.rhs;
        par::rows_each([&mut self.extra, rhs], |at, [extra, rhs]| {
            extra.fill(0.0);
            rhs.fill(0.0);
            let unknowns = unknown.row(at);
            let beside = unknown.runs_beside(at, unknowns.len());
            for x in (0..extra.len()).filter(|&x| unknowns[x] != 0) {
                if beside.iter().flatten().all(|row| row[x] != 0) {
                    continue;
                }
                let cell = neighbour(at, 0, x as isize);
                let here = distance.at(cell);
                for side in 0..2 * D {
                    let (axis, by) = (side / 2, 2 * (side as isize % 2) - 1);
                    let beside = neighbour(cell, axis, by);
                    if beside[axis] < 0 || beside[axis] as usize >= cells[axis] {
                        continue;
                    }
                    if unknown.at(beside) != 0 {
                        continue;
                    }
                    let open = walls.open(axis, if by > 0 { beside } else { cell });
                    let there = distance.at(beside);
                    if open > 0.0 && there >= 0.0 {
                        let pull = open * per_area / way(here, there);
                        extra[x] += pull;
                        let surface = around.surface.map_or(0.0, |surface| surface.at(cell));
                        rhs[x] += pull * surface;
                    }
                }
            }
        });
    }

    /// Adds what flows out of each cell, with its sign turned.
    fn set_right_hand_side(&mut self, velocity: &[Field<f32, D>; D], around: &Around<'_, D>) {
        let per_cell = 1.0 / self.rhs.grid().spacing()[0] as f32;
        let unknown = &self.unknown;
        let through = |axis: usize, face: [isize; D]| {
            let u = velocity[axis].at(face);
            match &around.walls.solids {
                None => u,
                Some(standing) => {
                    let open = standing.open[axis].at(face);
                    if open >= 1.0 {
                        return u;
                    }
                    open * u + (1.0 - open) * standing.solids.velocity(axis, face) as f32
                }
            }
        };
        par::rows(&mut self.rhs, |at, row| {
            let unknowns = unknown.row(at);
            if around.walls.solids.is_none() {
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
    fn begin_from_last(&mut self, dt: f64) {
        let scale = if self.last_dt > 0.0 { (dt / self.last_dt) as f32 } else { 0.0 };
        let unknown = &self.unknown;
        par::rows(&mut self.psi, |at, row| {
            for (psi, &unknown) in row.iter_mut().zip(unknown.row(at)) {
                *psi = if unknown != 0 { scale * *psi } else { 0.0 };
            }
        });
    }

    /// u −= ∇ψ on all faces that liquid touches.
    fn apply(&self, velocity: &mut [Field<f32, D>; D], around: &Around<'_, D>, potential: &Potential<'_, D>) {
        let psi = potential.values;
        let per_cell = 1.0 / psi.grid().spacing()[0] as f32;
        for (axis, component) in velocity.iter_mut().enumerate() {
            let cells = around.walls.cells;
            par::rows(component, |at, row| {
                let is_side = |along: isize| along == 0 || along as usize == cells[axis];
                if axis > 0 && is_side(at[axis]) {
                    let is_high = at[axis] != 0;
                    let inner = if is_high { neighbour(at, axis, -1) } else { at };
                    for (u, psi) in row.iter_mut().zip(psi.row(inner)) {
                        *u += per_cell * self.rise_at_side(around, axis, is_high, *psi);
                    }
                    return;
                }
                let below = if axis == 0 { at } else { neighbour(at, axis, -1) };
                let low = self.line(around, potential, below);
                let high = self.line(around, potential, at);
                let mut faces = row;
                if axis == 0 {
                    let last = cells[0];
                    faces[0] += per_cell * self.rise_at_side(around, 0, false, high.psi[0]);
                    faces[last] += per_cell * self.rise_at_side(around, 0, true, high.psi[last - 1]);
                    faces = &mut faces[1..last];
                    subtract_slopes(faces, per_cell, &low, &high.from(1));
                } else {
                    subtract_slopes(faces, per_cell, &low, &high);
                }
            });
        }
    }

    /// How much the velocity of a face on a side rises, in m/s per 1/Δ: only where the side is open to the air.
    fn rise_at_side(&self, around: &Around<'_, D>, axis: usize, is_high: bool, psi: f32) -> f32 {
        match around.open_sides[axis][usize::from(is_high)] {
            true if is_high => 2.0 * psi,
            true => -2.0 * psi,
            false => 0.0,
        }
    }

    fn line<'a>(&'a self, around: &Around<'a, D>, potential: &Potential<'a, D>, at: [isize; D]) -> Line<'a> {
        Line {
            psi: potential.values.row(at),
            unknown: self.unknown.row(at),
            distance: around.distance.row(at),
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
struct Line<'a> {
    psi: &'a [f32],
    unknown: &'a [u8],
    distance: &'a [f32],
    surface: Option<&'a [f32]>,
}

impl<'a> Line<'a> {
    /// The cells of the row from `first` on.
    fn from(&self, first: usize) -> Line<'a> {
        Line {
            psi: &self.psi[first..],
            unknown: &self.unknown[first..],
            distance: &self.distance[first..],
            surface: self.surface.map(|surface| &surface[first..]),
        }
    }
}

/// Takes the slope of ψ from the velocities of the faces between two lines of cells: its difference, run to the surface
/// where one of two neighbours is air; zero where none is liquid.
fn subtract_slopes(faces: &mut [f32], per_cell: f32, low: &Line<'_>, high: &Line<'_>) {
    let to_surface = |liquid: &Line<'_>, x: usize, there: f32| {
        let surface = liquid.surface.map_or(0.0, |surface| surface[x]);
        (surface - liquid.psi[x]) / way(liquid.distance[x], there)
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
fn way(here: f32, there: f32) -> f32 {
    (here / (here - there)).clamp(LEAST_WAY, 1.0)
}

fn failed(error: PoissonError) -> StepError {
    StepError::Failed(format!("the pressure cannot be solved for: {error}"))
}
