//! How much liquid there is around every cell, edge and face, and how strongly it is held together.
//!
//! Everything lies on one lattice of nodes, whatever it belongs to: the cell, edge or face with the same coordinates. So
//! all fields have the same layout, and what does not exist is zero.

use undine_grid::{Condition, Field, FieldError, Grid, Location, neighbour, par};

use super::row_span::{RowSpan, row_number};
use super::{KinematicViscosity, ViscosityInputs, ViscousSide};

/// Mass of a face that has stress but no liquid of its own, as a share of a full one.
const LEAST_MASS: f32 = 0.01;

/// Least share of the way across an edge that is liquid where one side of it is.
const LEAST_OPEN: f32 = 0.25;

/// A field of zeros on the lattice.
pub(super) fn lattice<const D: usize>(grid: Grid<D>) -> Result<Field<f32, D>, FieldError> {
    Field::new(grid, Location::Node, Condition::Open, 1)
}

/// One of them for each axis.
pub(super) fn lattices<const D: usize>(grid: Grid<D>) -> Result<[Field<f32, D>; D], FieldError> {
    let one = lattice(grid)?;
    Ok(std::array::from_fn(|_| one.clone()))
}

/// The number of a pair of axes.
#[inline(always)]
pub(super) fn pair(a: usize, b: usize) -> usize {
    a + b - 1
}

/// The matrix: masses and how stiff the liquid is in cells and edges.
#[derive(Debug)]
pub(super) struct Coefficients<const D: usize> {
    grid: Grid<D>,
    sides: [[ViscousSide; 2]; D],
    /// V at faces; zero where there is nothing to solve for.
    pub mass: [Field<f32, D>; D],
    /// One over the diagonal there; zero elsewhere.
    pub inverse: [Field<f32, D>; D],
    /// 2 ν dt V / Δ² at cells.
    pub normal: Field<f32, D>,
    /// ν dt V / Δ² at the edges of each pair of axes.
    pub shear: Vec<Field<f32, D>>,
    /// What matters of each row, whatever the axis.
    pub spans: Vec<RowSpan>,
    /// Where each row of cells is in or near the liquid.
    wet: Vec<RowSpan>,
}

impl<const D: usize> Coefficients<D> {
    /// Room for them.
    pub fn new(grid: Grid<D>, sides: [[ViscousSide; 2]; D]) -> Result<Self, FieldError> {
        let normal = lattice(grid)?;
        let rows = normal.size()[1..].iter().product();
        Ok(Coefficients {
            grid,
            sides,
            mass: lattices(grid)?,
            inverse: lattices(grid)?,
            shear: vec![normal.clone(); D * (D - 1) / 2],
            normal,
            spans: vec![RowSpan::default(); rows],
            wet: vec![RowSpan::default(); grid.cells()[1..].iter().product()],
        })
    }

    /// Takes them from what is around.
    pub fn set(&mut self, inputs: &ViscosityInputs<'_, D>) {
        self.find_wet(inputs.distance);
        let uniform = match inputs.viscosity {
            KinematicViscosity::Uniform(nu) => Some(strength(self.grid, nu, inputs.dt)),
            KinematicViscosity::Varying(_) => None,
        };
        let liquid = LiquidFractions { grid: self.grid, sides: self.sides, inputs, uniform, wet: &self.wet };
        par::rows(&mut self.normal, |row, stiffness| {
            liquid.each_place(row, stiffness, |at| 2.0 * liquid.of_cell(at));
        });
        for (a, b) in (0..D).flat_map(|b| (0..b).map(move |a| (a, b))) {
            par::rows(&mut self.shear[pair(a, b)], |row, stiffness| {
                liquid.each_place(row, stiffness, |at| liquid.of_edge(a, b, at));
            });
        }
        for (axis, (mass, inverse)) in self.mass.iter_mut().zip(&mut self.inverse).enumerate() {
            set_faces(axis, &liquid, &self.normal, &self.shear, [mass, inverse]);
        }
        self.find_spans();
    }

    fn find_wet(&mut self, distance: &Field<f32, D>) {
        let near = 0.5 * self.grid.spacing()[0] as f32;
        for ((_, row), wet) in distance.rows().zip(&mut self.wet) {
            *wet = RowSpan::where_true(row, |&distance| distance < near);
        }
    }

    fn find_spans(&mut self) {
        let inverse = &self.inverse;
        for (at, row) in inverse[0].rows() {
            let others = inverse[1..]
                .iter()
                .map(|component| RowSpan::where_true(component.row(at), |&inverse| inverse != 0.0));
            let number = row_number(&inverse[0], at);
            self.spans[number] =
                others.fold(RowSpan::where_true(row, |&inverse| inverse != 0.0), RowSpan::and);
        }
    }

    /// How strongly the cells and edges around a face hold it.
    pub fn held(&self, axis: usize, at: [isize; D]) -> f32 {
        held_by(&self.normal, &self.shear, axis, at)
    }

    /// What matters of the row through `at`.
    #[inline]
    pub fn span(&self, at: [isize; D]) -> RowSpan {
        self.spans[row_number(&self.normal, at)]
    }
}

fn held_by<const D: usize>(
    normal: &Field<f32, D>,
    shear: &[Field<f32, D>],
    axis: usize,
    at: [isize; D],
) -> f32 {
    let cells = normal.at(at) + normal.at(neighbour(at, axis, -1));
    let others = (0..D).filter(|&other| other != axis);
    others.fold(cells, |sum, other| {
        let edges = &shear[pair(axis, other)];
        sum + edges.at(at) + edges.at(neighbour(at, other, 1))
    })
}

/// Sets the masses and inverse diagonals of the faces across an axis.
fn set_faces<const D: usize>(
    axis: usize,
    liquid: &LiquidFractions<'_, D>,
    normal: &Field<f32, D>,
    shear: &[Field<f32, D>],
    masses_and_inverses: [&mut Field<f32, D>; 2],
) {
    par::rows_each(masses_and_inverses, |row, [masses, inverses]| {
        masses.fill(0.0);
        inverses.fill(0.0);
        for x in liquid.near(row, masses.len()).cells() {
            let at = along_row(row, x);
            let held = held_by(normal, shear, axis, at);
            if held > 0.0 && liquid.can_move(axis, at) {
                masses[x] = liquid.of_face(axis, at).max(LEAST_MASS);
                inverses[x] = 1.0 / (masses[x] + held);
            }
        }
    });
}

/// ν dt / Δ².
fn strength<const D: usize>(grid: Grid<D>, nu: f64, dt: f64) -> f32 {
    (nu * dt / grid.spacing()[0].powi(2)) as f32
}

pub(super) fn along_row<const D: usize>(mut row: [isize; D], x: usize) -> [isize; D] {
    row[0] = x as isize;
    row
}

/// Looks up how much liquid there is.
pub(super) struct LiquidFractions<'a, const D: usize> {
    pub grid: Grid<D>,
    pub sides: [[ViscousSide; 2]; D],
    pub inputs: &'a ViscosityInputs<'a, D>,
    /// ν dt / Δ² where that is the same everywhere.
    pub uniform: Option<f32>,
    pub wet: &'a [RowSpan],
}

impl<const D: usize> LiquidFractions<'_, D> {
    /// What may have liquid, or touch what has, of a row of the lattice: the rows of cells around it, and a cell more.
    fn near(&self, row: [isize; D], width: usize) -> RowSpan {
        let mut near = RowSpan::default();
        for choice in 0..3_isize.pow(D as u32 - 1) {
            let shifts = [0, choice % 3 - 1, choice / 3 - 1];
            let beside = std::array::from_fn(|axis| if axis == 0 { 0 } else { row[axis] + shifts[axis] });
            if self.is_cell(beside) {
                near = near.and(self.wet[row_number(self.inputs.distance, beside)]);
            }
        }
        near.widened(width)
    }

    /// Sets what may have liquid of a row, and the rest to zero.
    fn each_place(&self, row: [isize; D], values: &mut [f32], value: impl Fn([isize; D]) -> f32) {
        values.fill(0.0);
        for x in self.near(row, values.len()).cells() {
            values[x] = value(along_row(row, x));
        }
    }

    fn is_cell(&self, at: [isize; D]) -> bool {
        (0..D).all(|axis| (0..self.grid.cells()[axis] as isize).contains(&at[axis]))
    }

    /// The nearest cell inside the box.
    fn nearest(&self, at: [isize; D]) -> [isize; D] {
        std::array::from_fn(|axis| at[axis].clamp(0, self.grid.cells()[axis] as isize - 1))
    }

    /// The share of a cube that is liquid when its middle is so far from the surface.
    fn share(&self, distance: f32) -> f32 {
        (0.5 - distance / self.grid.spacing()[0] as f32).clamp(0.0, 1.0)
    }

    /// ν dt / Δ² in a cell.
    fn strength(&self, at: [isize; D]) -> f32 {
        match (self.uniform, self.inputs.viscosity) {
            (Some(strength), _) => strength,
            (None, KinematicViscosity::Uniform(nu)) => strength(self.grid, nu, self.inputs.dt),
            (None, KinematicViscosity::Varying(nu)) => {
                strength(self.grid, f64::from(nu.at(self.nearest(at))), self.inputs.dt)
            }
        }
    }

    fn of_cell(&self, at: [isize; D]) -> f32 {
        if self.is_cell(at) { self.share(self.inputs.distance.at(at)) * self.strength(at) } else { 0.0 }
    }

    /// Half of a face on an open side belongs to the box.
    fn of_face(&self, axis: usize, at: [isize; D]) -> f32 {
        let beside = [neighbour(at, axis, -1), at];
        let distances = beside.map(|cell| self.inputs.distance.at(self.nearest(cell)));
        let inside = beside.into_iter().filter(|&cell| self.is_cell(cell)).count() as f32;
        0.5 * inside * self.share(0.5 * (distances[0] + distances[1])) * self.openness(axis, at)
    }

    fn of_edge(&self, a: usize, b: usize, at: [isize; D]) -> f32 {
        let is_edge = (0..D).all(|axis| {
            let count = self.grid.cells()[axis] as isize + isize::from(axis == a || axis == b);
            (0..count).contains(&at[axis])
        });
        if !is_edge || [a, b].into_iter().any(|axis| self.is_loose_side(axis, at)) {
            return 0.0;
        }
        let before = neighbour(at, a, -1);
        let cells = [at, before, neighbour(at, b, -1), neighbour(before, b, -1)];
        let distance = cells.iter().map(|&cell| self.inputs.distance.at(self.nearest(cell))).sum::<f32>();
        let strength = cells.iter().map(|&cell| self.strength(cell)).sum::<f32>();
        // The way from one face to the other is shorter where a wall is between
        let way =
            |axis, other| 0.5 * (self.openness(axis, at) + self.openness(axis, neighbour(at, other, -1)));
        let open = way(a, b).max(way(b, a)).max(LEAST_OPEN);
        self.share(0.25 * distance) * 0.25 * strength / open
    }

    /// Whether there is no wall to stick to on a side that an edge lies on.
    fn is_loose_side(&self, axis: usize, at: [isize; D]) -> bool {
        self.side(axis, at).is_some_and(|side| side != ViscousSide::NoSlip)
    }

    fn side(&self, axis: usize, at: [isize; D]) -> Option<ViscousSide> {
        match at[axis] {
            0 => Some(self.sides[axis][0]),
            last if last == self.grid.cells()[axis] as isize => Some(self.sides[axis][1]),
            _ => None,
        }
    }

    /// How far a face is open: not at all outside the box.
    fn openness(&self, axis: usize, at: [isize; D]) -> f32 {
        let is_face = (0..D).all(|along| {
            let count = self.grid.cells()[along] as isize + isize::from(along == axis);
            (0..count).contains(&at[along])
        });
        let is_wall = self.side(axis, at).is_some_and(|side| side != ViscousSide::Open);
        match self.inputs.open {
            _ if !is_face || is_wall => 0.0,
            Some(open) => open[axis].at(at),
            None => 1.0,
        }
    }

    /// Whether a face is not held by a solid or a wall.
    pub fn can_move(&self, axis: usize, at: [isize; D]) -> bool {
        self.openness(axis, at) > 0.0
    }
}
