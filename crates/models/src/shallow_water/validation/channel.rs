//! One-dimensional problems with known solutions, run along x, along y and at 45° to both.
//!
//! Along an axis the channel has the borders that the problem states. At 45° it crosses a square whose diagonal is the
//! channel; through all four sides the water is driven by the exact solution, and runs that look for a steady state
//! start from it.

use glam::{DVec2, DVec3};
use undine_checks::{Checks, Target};
use undine_grid::{Condition, Field, Grid, Location};
use undine_sim::{Sample, Simulation, Step, World};

use crate::heightfield::HeightFieldSetup;
use crate::shallow_water::{Border, Settings, ShallowWater};

/// A problem along a line, with its exact solution.
pub struct ChannelCase {
    /// Metres from end to end.
    pub length: f64,
    /// When to compare, in seconds.
    pub end: f64,
    /// Duration of the run at 45°, which starts from the solution if that is steady.
    pub diagonal_end: f64,
    /// Friction, borders along the line and all else.
    pub settings: Settings,
    /// Level of the bed at a place.
    pub bed: Box<dyn Fn(f64) -> f64 + Sync>,
    /// Depth and velocity at a place at the start.
    pub start: Box<dyn Fn(f64) -> [f64; 2] + Sync>,
    /// Depth and velocity at a place and time.
    pub exact: Box<dyn Fn(f64, f64) -> [f64; 2] + Sync>,
}

/// Orientation of a channel in the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ChannelOrientation {
    /// A single row.
    AlongX,
    /// Two columns, with walls beside them.
    AlongY,
    /// Across a square.
    Diagonal,
}

impl ChannelOrientation {
    /// All of them, with their names.
    pub const ALL: [(ChannelOrientation, &'static str); 3] = [
        (ChannelOrientation::AlongX, "along x"),
        (ChannelOrientation::AlongY, "along y"),
        (ChannelOrientation::Diagonal, "at 45°"),
    ];
}

/// Errors of the depth, relative to its own norms.
#[derive(Debug, Clone, Copy, Default)]
pub struct Norms {
    /// Σ|e| / Σ|h|.
    pub mean: f64,
    /// √(Σe² / Σh²).
    pub square: f64,
    /// max|e| / max h.
    pub most: f64,
}

impl Norms {
    /// The norms of pairs of computed and exact depths.
    pub fn of(pairs: impl Iterator<Item = [f64; 2]>) -> Norms {
        let (mut error, mut size) = ([0.0f64; 3], [0.0f64; 3]);
        for [found, exact] in pairs {
            for (sums, value) in [(&mut error, (found - exact).abs()), (&mut size, exact.abs())] {
                sums[0] += value;
                sums[1] += value * value;
                sums[2] = sums[2].max(value);
            }
        }
        let square = (error[1] / size[1]).sqrt();
        Norms { mean: error[0] / size[0], square, most: error[2] / size[2] }
    }
}

impl ChannelCase {
    /// Runs the problem with `count` cells from end to end.
    pub fn run(&self, way: ChannelOrientation, count: usize) -> anyhow::Result<Norms> {
        let end = if way == ChannelOrientation::Diagonal { self.diagonal_end } else { self.end };
        let water = self.watch(way, count, end, |_, _| {})?;
        Ok(Norms::of(self.pairs(&water, way, end)))
    }

    /// Runs the problem until `end`, shows the water after every step with its time, and answers it.
    pub fn watch(
        &self,
        way: ChannelOrientation,
        count: usize,
        end: f64,
        mut look: impl FnMut(&ShallowWater, f64),
    ) -> anyhow::Result<ShallowWater> {
        let mut water = self.water(way, count)?;
        let mut outside = Outside { channel: self, time: 0.0 };
        let mut time = 0.0;
        while time < end {
            let dt = water.max_dt().min(end - time);
            time = outside.step(&mut water, time, dt)?;
            look(&water, time);
        }
        Ok(water)
    }

    /// Depth found and depth expected in every cell. At 45° the two cells beside the sides, where the outside is
    /// imposed, do not count.
    pub fn pairs(
        &self,
        water: &ShallowWater,
        way: ChannelOrientation,
        time: f64,
    ) -> impl Iterator<Item = [f64; 2]> {
        let grid = *water.grid();
        let counted =
            cells(&grid).filter(move |cell| way != ChannelOrientation::Diagonal || is_apart(&grid, *cell));
        counted.map(move |cell| [water.depth_in(cell), (self.exact)(self.place(way, &grid, cell), time)[0]])
    }

    /// The water at the start.
    fn water(&self, way: ChannelOrientation, count: usize) -> anyhow::Result<ShallowWater> {
        let grid = grid(self.length, way, count)?;
        let is_diagonal = way == ChannelOrientation::Diagonal;
        let blank = Field::new(grid, Location::Center, Condition::Open, 3)?;
        let (mut bed, mut depth) = (blank.clone(), blank.clone());
        let mut velocity = [blank.clone(), blank];
        for cell in cells(&grid) {
            let place = self.place(way, &grid, cell);
            let [h, u] = if is_diagonal { (self.exact)(place, 0.0) } else { (self.start)(place) };
            bed[cell] = (self.bed)(place);
            depth[cell] = h;
            let direction = direction(way);
            velocity[0][cell] = u * direction.x;
            velocity[1][cell] = u * direction.y;
        }
        let [low, high, ..] = self.settings.borders.clone();
        let borders = match way {
            ChannelOrientation::AlongX => [low, high, Border::Wall, Border::Wall],
            ChannelOrientation::AlongY => [Border::Wall, Border::Wall, low, high],
            ChannelOrientation::Diagonal if matches!(low, Border::Wall) => [const { Border::Wall }; 4],
            ChannelOrientation::Diagonal => [const { Border::Driven }; 4],
        };
        let land = HeightFieldSetup { grid, bed, depth, velocity, still_level: 0.0, warnings: Vec::new() };
        Ok(ShallowWater::new(land, Settings { borders, ..self.settings.clone() })?)
    }

    /// Distance of a cell along the channel.
    fn place(&self, way: ChannelOrientation, grid: &Grid<2>, cell: [usize; 2]) -> f64 {
        let at = DVec2::from(grid.centre(cell.map(|index| index as isize)));
        at.dot(direction(way))
    }
}

/// The exact solution, as the water outside.
struct Outside<'a> {
    channel: &'a ChannelCase,
    time: f64,
}

impl Outside<'_> {
    /// One step of the model, shortened on every retry; returns the time reached.
    fn step(&mut self, water: &mut ShallowWater, time: f64, mut dt: f64) -> anyhow::Result<f64> {
        loop {
            self.time = time + dt;
            let gravity = self.channel.settings.gravity;
            let mut world = World { time, gravity, seed: 0, driver: Some(self) };
            match water.step(dt, &mut world)? {
                Step::Done(_) => return Ok(time + dt),
                Step::Retry { dt: shorter } => dt = shorter.min(0.9 * dt),
            }
        }
    }

    /// Depth and velocity at a point.
    fn state(&self, xy: DVec2) -> [f64; 2] {
        (self.channel.exact)(xy.dot(direction(ChannelOrientation::Diagonal)), self.time)
    }
}

impl Sample for Outside<'_> {
    fn height(&self, xy: DVec2) -> Option<f64> {
        Some((self.channel.bed)(xy.dot(direction(ChannelOrientation::Diagonal))) + self.state(xy)[0])
    }

    fn depth(&self, xy: DVec2) -> Option<f64> {
        Some(self.state(xy)[0])
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        (self.state(at.truncate())[1] * direction(ChannelOrientation::Diagonal)).extend(0.0)
    }
}

/// The channel's direction.
fn direction(way: ChannelOrientation) -> DVec2 {
    match way {
        ChannelOrientation::AlongX => DVec2::X,
        ChannelOrientation::AlongY => DVec2::Y,
        ChannelOrientation::Diagonal => DVec2::splat(0.5f64.sqrt()),
    }
}

/// The grid on which a channel lies with cells of its length over `count`.
fn grid(length: f64, way: ChannelOrientation, count: usize) -> anyhow::Result<Grid<2>> {
    let spacing = length / count as f64;
    let cells = match way {
        ChannelOrientation::AlongX => [count, 1],
        ChannelOrientation::AlongY => [2, count],
        ChannelOrientation::Diagonal => [(count as f64 * 0.5f64.sqrt()).round() as usize; 2],
    };
    let spacing =
        if way == ChannelOrientation::Diagonal { length * 0.5f64.sqrt() / cells[0] as f64 } else { spacing };
    Ok(Grid::new(cells, [spacing; 2], [0.0; 2])?)
}

fn cells(grid: &Grid<2>) -> impl Iterator<Item = [usize; 2]> + use<> {
    let [columns, rows] = grid.cells();
    (0..rows).flat_map(move |row| (0..columns).map(move |column| [column, row]))
}

/// Whether a cell of the square is at least two cells away from its sides, where the outside is imposed.
fn is_apart(grid: &Grid<2>, cell: [usize; 2]) -> bool {
    (0..2).all(|axis| (2..grid.cells()[axis].saturating_sub(2)).contains(&cell[axis]))
}

/// Checks the three norms of a problem at several resolutions, and their order between the first and the last.
pub fn check(
    checks: &mut Checks,
    name: &str,
    channel: &ChannelCase,
    runs: &[(ChannelOrientation, usize, [f64; 3])],
    order: Option<f64>,
    source: &'static str,
) -> anyhow::Result<()> {
    let mut found: Vec<(ChannelOrientation, usize, f64)> = Vec::new();
    for &(way, count, bounds) in runs {
        let norms = channel.run(way, count)?;
        let label = ChannelOrientation::ALL.iter().find(|known| known.0 == way).map_or("", |known| known.1);
        let values = [("L1", norms.mean), ("L2", norms.square), ("L∞", norms.most)];
        for ((norm, value), bound) in values.into_iter().zip(bounds) {
            checks.at_most(
                format!("{name} {label}, {count} cells: {norm}"),
                value,
                Target::exact(bound, source),
            );
        }
        found.push((way, count, norms.mean));
    }
    let along_x: Vec<_> = found.iter().filter(|run| run.0 == ChannelOrientation::AlongX).collect();
    if let (Some(least), [first, .., last]) = (order, &along_x[..]) {
        let reached = (first.2 / last.2).log2() / (last.1 as f64 / first.1 as f64).log2();
        checks.at_most(format!("{name}: 2 − order of L1"), 2.0 - reached, Target::exact(2.0 - least, source));
    }
    Ok(())
}
