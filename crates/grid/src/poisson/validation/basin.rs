//! Boxes of water to solve Poisson's equation in: empty, with round solids, and with a free surface over them.

use crate::poisson::{Inside, PoissonProblem, SideKind};
use crate::{Condition, Field, Grid, Location, Real, neighbour, par};

/// Contents of the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filling {
    /// Water everywhere.
    Box,
    /// Round solids.
    TankSolids,
    /// Round solids, and air above a wavy surface.
    Surface,
}

impl Filling {
    /// All of them, with a name.
    pub const ALL: [(Filling, &str); 3] =
        [(Filling::Box, "box"), (Filling::TankSolids, "solids"), (Filling::Surface, "free surface")];
}

/// Least distance to the surface that a cell may have, in cells, and least openness of a face that is not closed.
const LEAST: f64 = 0.01;

/// A unit box of `cells` along each axis, and a right-hand side of long waves and noise. The seed moves all of it a
/// little.
pub fn basin<T: Real, const D: usize>(
    cells: usize,
    sides: [[SideKind; 2]; D],
    filling: Filling,
    seed: f64,
) -> anyhow::Result<(PoissonProblem<T, D>, Field<T, D>)> {
    let spacing = 1.0 / cells as f64;
    let grid = Grid::new([cells; D], [spacing; D], [0.0; D])?;
    let mut problem = PoissonProblem::new(grid, sides)?;
    if filling != Filling::Box {
        let faces = open_faces(grid, seed)?;
        let (unknown, extra) = under_surface(grid, &faces, seed)?;
        problem.set_inside(&match filling {
            Filling::Surface => Inside { faces: Some(&faces), unknown: Some(&unknown), extra: Some(&extra) },
            _ => Inside { faces: Some(&faces), ..Inside::default() },
        })?;
    }
    let mut rhs = Field::new(grid, Location::Center, Condition::Open, 1)?;
    rhs.set_by_position(|at| {
        let phase: f64 = at.iter().zip([5.0, 4.0, 3.0]).map(|(along, k)| along * k).sum();
        let rough: f64 = at.iter().zip([1e5, 7.7e6, 3.3e7]).map(|(along, k)| along * k).sum();
        (phase + seed).sin() + 0.2 * (rough + seed).sin()
    });
    Ok((problem, rhs))
}

/// Distance to the nearest of four balls, negative inside.
fn distance<const D: usize>(at: [f64; D], seed: f64) -> f64 {
    const BALLS: [([f64; 3], f64); 4] =
        [([0.3; 3], 0.15), ([0.7, 0.6, 0.4], 0.2), ([0.4, 0.75, 0.7], 0.12), ([0.75, 0.2, 0.75], 0.1)];
    let to_ball = |(middle, radius): ([f64; 3], f64)| {
        let square = |axis: usize| (at[axis] - middle[axis] - 0.02 * seed.sin()).powi(2);
        (0..D).map(square).sum::<f64>().sqrt() - radius
    };
    BALLS.into_iter().map(to_ball).fold(f64::INFINITY, f64::min)
}

/// Open fraction of each face: exact where a solid is flat and normal to an axis.
fn open_faces<T: Real, const D: usize>(grid: Grid<D>, seed: f64) -> anyhow::Result<[Field<T, D>; D]> {
    let mut faces = Vec::with_capacity(D);
    for axis in 0..D {
        let mut field = Field::new(grid, Location::Face(axis), Condition::Open, 1)?;
        field.set_by_position(|at| {
            let fraction = (0.5 + distance(at, seed) / grid.spacing()[axis]).clamp(0.0, 1.0);
            if fraction < LEAST { 0.0 } else { fraction }
        });
        faces.push(field);
    }
    faces.try_into().map_err(|_| anyhow::anyhow!("a field for each axis"))
}

/// Height above the surface of the water.
fn height<const D: usize>(at: [f64; D], seed: f64) -> f64 {
    let across = if D > 2 { at[1] } else { 0.0 };
    let wave = 0.15 * (7.0 * at[0] + seed).sin() * (5.0 * across).cos();
    at[D - 1] - (0.6 + wave + 0.05 * (31.0 * at[0] + 17.0 * across).sin())
}

/// The cells that hold water, and the diagonal term of the free surface at them.
fn under_surface<T: Real, const D: usize>(
    grid: Grid<D>,
    faces: &[Field<T, D>; D],
    seed: f64,
) -> anyhow::Result<(Field<u8, D>, Field<T, D>)> {
    let mut unknown = Field::<u8, D>::new(grid, Location::Center, Condition::Open, 1)?;
    let mut extra = Field::<T, D>::new(grid, Location::Center, Condition::Open, 1)?;
    let at_x = |mut row: [isize; D], x: usize| {
        row[0] = x as isize;
        row
    };
    par::rows(&mut unknown, |row, cells| {
        let is_water = |x| height(grid.centre(at_x(row, x)), seed) < 0.0;
        cells.iter_mut().enumerate().for_each(|(x, cell)| *cell = u8::from(is_water(x)));
    });
    // Ghost fluid: p = 0 at the distance θΔ of the surface adds β/(θΔ²) [gibou2002]
    let pull = |at: [isize; D], axis: usize, side: isize| {
        let adjacent = neighbour(at, axis, 2 * side - 1);
        let (own, other) = (height(grid.centre(at), seed), height(grid.centre(adjacent), seed));
        let is_inside = (0..grid.cells()[axis] as isize).contains(&adjacent[axis]);
        let theta = (own / (own - other)).max(LEAST);
        let openness = faces[axis].at(neighbour(at, axis, side)).to_f64();
        if is_inside && own < 0.0 && other >= 0.0 {
            openness / (theta * grid.spacing()[axis].powi(2))
        } else {
            0.0
        }
    };
    par::rows(&mut extra, |row, cells| {
        for (x, cell) in cells.iter_mut().enumerate() {
            let pulls = (0..2 * D).map(|face| pull(at_x(row, x), face / 2, (face % 2) as isize));
            *cell = T::from_f64(pulls.sum());
        }
    });
    Ok((unknown, extra))
}
