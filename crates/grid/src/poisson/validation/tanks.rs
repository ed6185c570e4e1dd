//! Tanks of liquid to solve for the pressure in: still, breaking, splashing; empty, over slanted solids, cut by a plate.

use crate::poisson::{Inside, PoissonError, PoissonProblem, SideKind};
use crate::{Condition, Field, FieldError, Grid, Location, neighbour, par};

/// Shape of the liquid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TankFilling {
    /// Nearly fills the tank, at rest.
    Full,
    /// A block in a corner, the moment before it breaks.
    Dam,
    /// A ragged wave after the dam has broken, up the far wall.
    Wave,
    /// A pool with a crown, hundreds of drops and thin sheets over it.
    Splash,
}

/// Solids in the tank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TankSolids {
    /// Nothing.
    None,
    /// A ramp, a slanted pillar and a ball that cut faces anywhere.
    Slanted,
    /// A slanted plate of no thickness with a gap below it: faces that it crosses are closed.
    Plate,
}

impl TankFilling {
    /// All of them, with a name.
    pub const ALL: [(TankFilling, &str); 4] = [
        (TankFilling::Full, "full tank"),
        (TankFilling::Dam, "dam"),
        (TankFilling::Wave, "ragged wave"),
        (TankFilling::Splash, "splash"),
    ];
}

impl TankSolids {
    /// All of them, with a name.
    pub const ALL: [(TankSolids, &str); 3] = [
        (TankSolids::None, "no solids"),
        (TankSolids::Slanted, "slanted solids"),
        (TankSolids::Plate, "thin plate"),
    ];
}

/// Least distance to the surface that a cell may have, in cells, and least openness of a face that is not closed.
const LEAST: f64 = 0.01;

/// Lumps of air along each axis with a drop in them.
const LUMPS: f64 = 9.0;

/// A tank and all that the pressure in it depends on.
pub struct TestTank {
    grid: Grid<3>,
    liquid: TankFilling,
    solids: TankSolids,
    /// Open fraction of each face.
    pub faces: [Field<f32, 3>; 3],
    /// Which cells hold liquid.
    pub unknown: Field<u8, 3>,
    /// The pull of the surface on them.
    pub extra: Field<f32, 3>,
    /// Minus the divergence of a falling, swirling and noisy velocity.
    pub rhs: Field<f32, 3>,
}

impl TestTank {
    /// A tank of unit height in cells of the same edge.
    pub fn new(cells: [usize; 3], liquid: TankFilling, solids: TankSolids) -> anyhow::Result<TestTank> {
        let grid = Grid::new(cells, [1.0 / cells[2] as f64; 3], [0.0; 3])?;
        let faces = |axis| Field::new(grid, Location::Face(axis), Condition::Open, 1);
        let centres = || Field::new(grid, Location::Center, Condition::Open, 1);
        let mut tank = TestTank {
            grid,
            liquid,
            solids,
            faces: [faces(0)?, faces(1)?, faces(2)?],
            unknown: Field::new(grid, Location::Center, Condition::Open, 1)?,
            extra: centres()?,
            rhs: centres()?,
        };
        tank.open_faces();
        tank.mark_liquid()?;
        tank.set_rhs();
        Ok(tank)
    }

    /// The problem of a closed tank without a lid on the liquid.
    pub fn problem(&self) -> Result<PoissonProblem<f32, 3>, PoissonError> {
        let mut problem = PoissonProblem::new(self.grid, [[SideKind::Closed; 2]; 3])?;
        self.enter(&mut problem)?;
        Ok(problem)
    }

    /// Sets the interior of a problem.
    pub fn enter(&self, problem: &mut PoissonProblem<f32, 3>) -> Result<(), PoissonError> {
        let faces = (self.solids != TankSolids::None).then_some(&self.faces);
        problem.set_inside(&Inside { faces, unknown: Some(&self.unknown), extra: Some(&self.extra) })
    }

    /// Cells that hold liquid.
    pub fn unknowns(&self) -> usize {
        self.unknown.iter().filter(|(_, unknown)| *unknown != 0).count()
    }

    fn open_faces(&mut self) {
        let (grid, solids) = (self.grid, self.solids);
        for (axis, faces) in self.faces.iter_mut().enumerate() {
            faces.set_by_position(|at| match solids {
                TankSolids::None => 1.0,
                TankSolids::Slanted => open_share(at, axis, grid.spacing()[0]),
                TankSolids::Plate => f64::from(u8::from(!crosses_plate(at, axis, grid.spacing()[0]))),
            });
        }
    }

    /// Marks cells below the surface that are open somewhere, and measures how far below they are.
    fn mark_liquid(&mut self) -> Result<(), FieldError> {
        let (grid, liquid, faces) = (self.grid, self.liquid, &self.faces);
        let mut level = Field::<f32, 3>::new(grid, Location::Center, Condition::Open, 1)?;
        level.set_by_position(|at| level_of(liquid, at, grid.spacing()[0]));
        par::rows(&mut self.unknown, |row, cells| {
            let level = level.row(row);
            cells.iter_mut().zip(level).for_each(|(cell, &level)| *cell = u8::from(level < 0.0));
        });
        let (unknown, inverse) = (&self.unknown, 1.0 / grid.spacing()[0].powi(2));
        par::rows(&mut self.extra, |row, cells| {
            for (x, cell) in cells.iter_mut().enumerate() {
                let at = [x as isize, row[1], row[2]];
                let own = f64::from(level.at(at));
                for (axis, side) in (0..6).map(|face| (face / 2, face as isize % 2)) {
                    let adjacent = neighbour(at, axis, 2 * side - 1);
                    let is_inside = (0..grid.cells()[axis] as isize).contains(&adjacent[axis]);
                    if own < 0.0 && is_inside && unknown.at(adjacent) == 0 {
                        let theta = (own / (own - f64::from(level.at(adjacent)))).clamp(LEAST, 1.0);
                        let openness = f64::from(faces[axis].at(neighbour(at, axis, side)));
                        *cell += (openness * inverse / theta) as f32;
                    }
                }
            }
        });
        Ok(())
    }

    fn set_rhs(&mut self) {
        let (grid, faces) = (self.grid, &self.faces);
        let flow = |at: [isize; 3], axis: usize| {
            let is_wall = at[axis] == 0 || at[axis] == grid.cells()[axis] as isize;
            let flow = velocity(grid.position(Location::Face(axis), at), axis);
            if is_wall { 0.0 } else { f64::from(faces[axis].at(at)) * flow }
        };
        par::rows(&mut self.rhs, |row, cells| {
            for (x, cell) in cells.iter_mut().enumerate() {
                let at = [x as isize, row[1], row[2]];
                let out = (0..3).map(|axis| flow(neighbour(at, axis, 1), axis) - flow(at, axis)).sum::<f64>();
                *cell = (-out / grid.spacing()[0]) as f32;
            }
        });
    }
}

/// A fall, a swirl and noise.
fn velocity(at: [f64; 3], axis: usize) -> f64 {
    let [x, y, z] = at;
    let rough = (1e5 * x + 7.7e6 * y + 3.3e7 * z + axis as f64).sin();
    let smooth = match axis {
        0 => (3.0 * z + y).sin(),
        1 => 0.5 * (4.0 * x - z).cos(),
        _ => (3.0 * x).cos() - 1.0,
    };
    smooth + 0.2 * rough
}

/// Distance of a point above a plane through `on` with a normal that is made a unit one.
fn above_plane(at: [f64; 3], on: [f64; 3], normal: [f64; 3]) -> (f64, [f64; 3]) {
    let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
    let unit = normal.map(|x| x / length);
    ((0..3).map(|axis| (at[axis] - on[axis]) * unit[axis]).sum(), unit)
}

/// The share of a face outside the solids, from the nearest of them as a plane.
fn open_share(at: [f64; 3], across: usize, edge: f64) -> f64 {
    let ramp = above_plane(at, [0.55, 0.5, 0.0], [-0.5, 0.13, 0.86]);
    let (to_ball, outward) = {
        let apart = [at[0] - 0.3, at[1] - 0.6, at[2] - 0.35];
        let length = apart.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-9);
        (length - 0.13, apart.map(|x| x / length))
    };
    let sides = [[1.0, 0.2, 0.1], [-1.0, -0.2, -0.1], [-0.2, 1.0, 0.3], [0.2, -1.0, -0.3]];
    let pillar = sides.map(|normal| {
        let (above, unit) = above_plane(at, [0.6, 0.35, 0.4], normal);
        (above - 0.06, unit)
    });
    let pillar = pillar
        .into_iter()
        .fold((f64::NEG_INFINITY, [0.0; 3]), |far, side| if side.0 > far.0 { side } else { far });
    let nearest = [ramp, (to_ball, outward), pillar].into_iter().reduce(|a, b| if a.0 < b.0 { a } else { b });
    let Some((distance, unit)) = nearest else { return 1.0 };
    let width: f64 = (0..3).filter(|&axis| axis != across).map(|axis| unit[axis].abs()).sum();
    let fraction = (0.5 + distance / (edge * width.max(1e-6))).clamp(0.0, 1.0);
    if fraction < LEAST { 0.0 } else { fraction }
}

/// Whether the line between the two centres beside a face crosses the plate.
fn crosses_plate(at: [f64; 3], across: usize, edge: f64) -> bool {
    let side_of = |by: f64| {
        let mut centre = at;
        centre[across] += by * edge;
        above_plane(centre, [0.35, 0.5, 0.5], [1.0, 0.37, -0.45]).0 > 0.0
    };
    at[2] > 0.08 && side_of(-0.5) != side_of(0.5)
}

/// Something like the height above the surface; negative in the liquid.
fn level_of(liquid: TankFilling, at: [f64; 3], edge: f64) -> f64 {
    let [x, y, z] = at;
    match liquid {
        TankFilling::Full => z - 0.9 - 0.01 * x + 0.005 * y,
        TankFilling::Dam => (x - 0.4003).max(z - 0.7001),
        TankFilling::Wave => wave(at, edge),
        TankFilling::Splash => {
            let pool = z - 0.3 - 0.02 * (9.0 * x + 4.0 * y).sin();
            pool.min(crown(at, edge)).min(drop_near(at, edge)).min(sheet(at, edge))
        }
    }
}

/// Deep behind, shallow before, a curling front, a tongue up the far wall; rough to the size of a cell.
fn wave([x, y, z]: [f64; 3], edge: f64) -> f64 {
    let height = 0.12 + 0.35 * (-3.0 * x).exp() + 0.04 * (11.0 * x + 3.0 * (4.0 * y).sin()).sin();
    let curl = (x - 0.55).hypot(z - 0.33).max(0.0) - 0.09;
    let hollow = 0.06 - (x - 0.54).hypot(z - 0.31);
    let tongue = (0.94 + 0.02 * (13.0 * y).sin() - x).max(z - 0.65 - 0.1 * (17.0 * y).cos());
    let rough =
        |size: f64| ((x / size).sin() * (y / size + 1.0).sin() * (z / size + 2.0).sin()).clamp(-1.0, 1.0);
    let ragged = edge * (1.5 * rough(1.3 * edge) + 2.0 * rough(0.6 * edge));
    (z - height).min(curl.max(hollow)).min(tongue) + ragged
}

/// A sheet of a cell and a half around a circle, leaning outward, and a jet in its middle.
fn crown([x, y, z]: [f64; 3], edge: f64) -> f64 {
    let from_axis = (x - 0.45).hypot(y - 0.5);
    let rim = 0.55 + 0.05 * (12.0 * (y - 0.5).atan2(x - 0.45)).sin();
    let shell = ((from_axis - 0.12 - 0.3 * (z - 0.3)).abs() - 0.75 * edge).max(z - rim);
    shell.min((from_axis - 0.03).max(z - 0.6))
}

/// A thin slanted sheet in flight.
fn sheet(at: [f64; 3], edge: f64) -> f64 {
    let (above, _) = above_plane(at, [0.75, 0.5, 0.65], [0.3, -0.2, 1.0]);
    let [x, y, _] = at;
    (above.abs() - 0.7 * edge).max((x - 0.75).hypot(y - 0.5) - 0.15)
}

/// The drop of the lump of space that a point is in: from less than a cell to some cells wide.
fn drop_near(at: [f64; 3], edge: f64) -> f64 {
    let lump = at.map(|x| (x * LUMPS).floor());
    let chance = |salt: f64| {
        let mixed = (12.9898 * lump[0] + 78.233 * lump[1] + 37.719 * lump[2] + salt).sin() * 43758.5453;
        mixed - mixed.floor()
    };
    let radius = edge * (0.4 + 2.6 * chance(4.0).powi(2));
    let apart = (0..3).map(|axis| {
        let middle = (lump[axis] + 0.5 + 0.2 * (chance(axis as f64) - 0.5)) / LUMPS;
        (at[axis] - middle).powi(2)
    });
    apart.sum::<f64>().sqrt() - radius
}
