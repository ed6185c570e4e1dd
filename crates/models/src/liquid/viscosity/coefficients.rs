//! The coefficients of the viscous system: masses of faces, and stresses of cells and edges.
//!
//! All are fields on the lattice of nodes: the cell, edge or face with the same integer coordinates. So they share one
//! layout, and entries that do not exist are zero.

use undine_grid::{Condition, Field, FieldError, Grid, Location, neighbour, par};

use super::row_span::{RowSpan, row_index};
use super::{KinematicViscosity, ViscosityInputs, ViscousSide};

/// Mass of a face that has stress but no liquid of its own, relative to a full one.
const MIN_MASS: f32 = 0.01;

/// The least open fraction between the two faces at an edge.
const MIN_OPEN_FRACTION: f32 = 0.25;

/// A field of zeros on the lattice.
pub(super) fn lattice<const D: usize>(grid: Grid<D>) -> Result<Field<f32, D>, FieldError> {
    Field::new(grid, Location::Node, Condition::Open, 1)
}

/// One such field per axis.
pub(super) fn lattices<const D: usize>(grid: Grid<D>) -> Result<[Field<f32, D>; D], FieldError> {
    let one = lattice(grid)?;
    Ok(std::array::from_fn(|_| one.clone()))
}

/// The index of a pair of axes.
#[inline(always)]
pub(super) fn pair(a: usize, b: usize) -> usize {
    a + b - 1
}

/// The matrix M + S: masses of faces, and stiffness of cells and edges.
#[derive(Debug)]
pub(super) struct Coefficients<const D: usize> {
    grid: Grid<D>,
    sides: [[ViscousSide; 2]; D],
    /// M: V at faces; zero where there is no unknown.
    pub mass: [Field<f32, D>; D],
    /// D⁻¹, the inverse diagonal of M + S; zero where there is no unknown.
    pub inverse: [Field<f32, D>; D],
    /// 2 ν dt V / Δ² at cells.
    pub normal: Field<f32, D>,
    /// ν dt V / Δ² at the edges of each pair of axes.
    pub shear: Vec<Field<f32, D>>,
    /// The span of unknowns of each row, over all axes.
    pub spans: Vec<RowSpan>,
    /// The span of each row of cells that is in or near the liquid.
    liquid_spans: Vec<RowSpan>,
}

impl<const D: usize> Coefficients<D> {
    /// Memory for a grid.
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
            liquid_spans: vec![RowSpan::default(); grid.cells()[1..].iter().product()],
        })
    }

    /// Computes them.
    pub fn set(&mut self, inputs: &ViscosityInputs<'_, D>) {
        self.find_liquid_spans(inputs.distance);
        let uniform = match inputs.viscosity {
            KinematicViscosity::Uniform(nu) => Some(strength(self.grid, nu, inputs.dt)),
            KinematicViscosity::Varying(_) => None,
        };
        let liquid = LiquidFractions {
            grid: self.grid,
            sides: self.sides,
            inputs,
            uniform,
            liquid_spans: &self.liquid_spans,
        };
        par::rows(&mut self.normal, |row, stiffness| {
            liquid.set_row(row, stiffness, |at| 2.0 * liquid.of_cell(at));
        });
        for (a, b) in (0..D).flat_map(|b| (0..b).map(move |a| (a, b))) {
            par::rows(&mut self.shear[pair(a, b)], |row, stiffness| {
                liquid.set_row(row, stiffness, |at| liquid.of_edge(a, b, at));
            });
        }
        for (axis, (mass, inverse)) in self.mass.iter_mut().zip(&mut self.inverse).enumerate() {
            set_faces(axis, &liquid, &self.normal, &self.shear, [mass, inverse]);
        }
        self.find_spans();
    }

    fn find_liquid_spans(&mut self, distance: &Field<f32, D>) {
        let near = 0.5 * self.grid.spacing()[0] as f32;
        for ((_, row), liquid_spans) in distance.rows().zip(&mut self.liquid_spans) {
            *liquid_spans = RowSpan::where_true(row, |&distance| distance < near);
        }
    }

    fn find_spans(&mut self) {
        let inverse = &self.inverse;
        for (at, row) in inverse[0].rows() {
            let others = inverse[1..]
                .iter()
                .map(|component| RowSpan::where_true(component.row(at), |&inverse| inverse != 0.0));
            let index = row_index(&inverse[0], at);
            self.spans[index] =
                others.fold(RowSpan::where_true(row, |&inverse| inverse != 0.0), RowSpan::hull);
        }
    }

    /// The diagonal of S at a face: the sum over its cells and edges.
    pub fn stress_diagonal(&self, axis: usize, at: [isize; D]) -> f32 {
        stress_diagonal_of(&self.normal, &self.shear, axis, at)
    }

    /// The span of unknowns of the row through `at`.
    #[inline]
    pub fn span(&self, at: [isize; D]) -> RowSpan {
        self.spans[row_index(&self.normal, at)]
    }
}

fn stress_diagonal_of<const D: usize>(
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
            let diagonal = stress_diagonal_of(normal, shear, axis, at);
            if diagonal > 0.0 && liquid.is_open(axis, at) {
                masses[x] = liquid.of_face(axis, at).max(MIN_MASS);
                inverses[x] = 1.0 / (masses[x] + diagonal);
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

/// Liquid and open fractions of cells, edges and faces.
pub(super) struct LiquidFractions<'a, const D: usize> {
    pub grid: Grid<D>,
    pub sides: [[ViscousSide; 2]; D],
    pub inputs: &'a ViscosityInputs<'a, D>,
    /// ν dt / Δ² where that is the same everywhere.
    pub uniform: Option<f32>,
    pub liquid_spans: &'a [RowSpan],
}

impl<const D: usize> LiquidFractions<'_, D> {
    /// The span of a row of the lattice that may have or touch liquid: that of the rows of cells around it, dilated.
    fn near(&self, row: [isize; D], width: usize) -> RowSpan {
        let mut near = RowSpan::default();
        for choice in 0..3_isize.pow(D as u32 - 1) {
            let shifts = [0, choice % 3 - 1, choice / 3 - 1];
            let adjacent = std::array::from_fn(|axis| if axis == 0 { 0 } else { row[axis] + shifts[axis] });
            if self.is_cell(adjacent) {
                near = near.hull(self.liquid_spans[row_index(self.inputs.distance, adjacent)]);
            }
        }
        near.dilated(width)
    }

    /// Sets the values of a row that may have liquid, and the rest to zero.
    fn set_row(&self, row: [isize; D], values: &mut [f32], value: impl Fn([isize; D]) -> f32) {
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

    /// The liquid fraction of a cube whose centre has this distance from the surface.
    fn liquid_fraction(&self, distance: f32) -> f32 {
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
        if self.is_cell(at) {
            self.liquid_fraction(self.inputs.distance.at(at)) * self.strength(at)
        } else {
            0.0
        }
    }

    /// V of a face. On an open side only half of its cube is in the box.
    fn of_face(&self, axis: usize, at: [isize; D]) -> f32 {
        let adjacent = [neighbour(at, axis, -1), at];
        let distances = adjacent.map(|cell| self.inputs.distance.at(self.nearest(cell)));
        let inside = adjacent.into_iter().filter(|&cell| self.is_cell(cell)).count() as f32;
        0.5 * inside
            * self.liquid_fraction(0.5 * (distances[0] + distances[1]))
            * self.face_fraction(axis, at)
    }

    fn of_edge(&self, a: usize, b: usize, at: [isize; D]) -> f32 {
        let is_edge = (0..D).all(|axis| {
            let count = self.grid.cells()[axis] as isize + isize::from(axis == a || axis == b);
            (0..count).contains(&at[axis])
        });
        if !is_edge || [a, b].into_iter().any(|axis| self.is_slip_side(axis, at)) {
            return 0.0;
        }
        let before = neighbour(at, a, -1);
        let cells = [at, before, neighbour(at, b, -1), neighbour(before, b, -1)];
        let distance = cells.iter().map(|&cell| self.inputs.distance.at(self.nearest(cell))).sum::<f32>();
        let strength = cells.iter().map(|&cell| self.strength(cell)).sum::<f32>();
        // The distance between the two faces at an edge is shorter where a wall is between
        let open_between = |axis, other| {
            0.5 * (self.face_fraction(axis, at) + self.face_fraction(axis, neighbour(at, other, -1)))
        };
        let open = open_between(a, b).max(open_between(b, a)).max(MIN_OPEN_FRACTION);
        self.liquid_fraction(0.25 * distance) * 0.25 * strength / open
    }

    /// Whether an edge lies on a side without no-slip condition.
    fn is_slip_side(&self, axis: usize, at: [isize; D]) -> bool {
        self.side(axis, at).is_some_and(|side| side != ViscousSide::NoSlip)
    }

    fn side(&self, axis: usize, at: [isize; D]) -> Option<ViscousSide> {
        match at[axis] {
            0 => Some(self.sides[axis][0]),
            last if last == self.grid.cells()[axis] as isize => Some(self.sides[axis][1]),
            _ => None,
        }
    }

    /// The open fraction of a face: zero outside the box and on walls.
    fn face_fraction(&self, axis: usize, at: [isize; D]) -> f32 {
        let is_face = (0..D).all(|dim| {
            let count = self.grid.cells()[dim] as isize + isize::from(dim == axis);
            (0..count).contains(&at[dim])
        });
        let is_wall = self.side(axis, at).is_some_and(|side| side != ViscousSide::Open);
        match self.inputs.open {
            _ if !is_face || is_wall => 0.0,
            Some(open) => open[axis].at(at),
            None => 1.0,
        }
    }

    /// Whether a face is open at all, hence an unknown.
    pub fn is_open(&self, axis: usize, at: [isize; D]) -> bool {
        self.face_fraction(axis, at) > 0.0
    }
}
