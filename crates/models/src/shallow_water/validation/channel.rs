//! One-dimensional problems with known solutions, run along x, along y and at 45° to both.
//!
//! Along an axis the channel has the borders that the problem states. At 45° it crosses a square whose diagonal is the
//! channel; through all four sides the water is driven by the exact solution, and runs that look for a steady state
//! start from it.

use glam::{DVec2, DVec3};
use undine_checks::{Checks, Curve, ErrorSums, Norms, Target, Worst, measured};
use undine_grid::{Condition, Field, Grid, Location};
use undine_sim::{Sample, Simulation, Step, World};

use crate::heightfield::HeightFieldSetup;
use crate::shallow_water::{Border, Settings, ShallowWater};

/// The greatest spread of the face flux of a steady flow, in units of its discharge.
const FLUX_SPREAD: f64 = 1e-8;

/// Cells whose exact depth is at most this fraction of the greatest do not count for the velocity: beside a shore it is
/// the quotient of two small numbers.
pub const THIN: f64 = 0.01;

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

/// Errors of a run at its end.
#[derive(Debug, Clone)]
pub struct ChannelErrors {
    /// Of the depth, relative to its own norms.
    pub depth: Norms,
    /// L1 of the depth as a reference for another run, which a perturbation of measurements does not reach.
    pub reference: f64,
    /// Mean error of the discharge, in units of the greatest exact depth times the speed of waves in it.
    pub discharge: f64,
    /// Mean error of the velocity in units of that speed, over the cells whose exact depth is more than [`THIN`].
    pub velocity: f64,
    /// Place, computed and exact depth of every cell.
    pub profile: Vec<[f64; 3]>,
}

impl ChannelCase {
    /// Runs the problem with `count` cells from end to end.
    pub fn run(&self, way: ChannelOrientation, count: usize) -> anyhow::Result<ChannelErrors> {
        let end = if way == ChannelOrientation::Diagonal { self.diagonal_end } else { self.end };
        let water = self.watch(way, count, end, |_, _| {})?;
        Ok(self.errors(&water, way, end))
    }

    /// The errors of a water at a time.
    pub fn errors(&self, water: &ShallowWater, way: ChannelOrientation, time: f64) -> ChannelErrors {
        let states: Vec<_> = self.states(water, way, time).collect();
        let greatest = states.iter().map(|state| state.exact[0]).fold(0.0, f64::max);
        let mut sums = [ErrorSums::default(); 3];
        let [depth, discharge, velocity] = &mut sums;
        let (mut profile, mut error, mut size) = (Vec::new(), 0.0, 0.0);
        for state in states {
            let ([h, hu], [exact, u]) = (state.found, state.exact);
            depth.compare(h, exact);
            discharge.compare(hu, exact * u);
            if exact > THIN * greatest {
                velocity.compare(hu / h, u);
            }
            error += (h - exact).abs();
            size += exact;
            profile.push([state.place, h, exact]);
        }
        profile.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let [depth, discharge, velocity] = sums;
        let wave_speed = (self.settings.gravity * greatest).sqrt();
        ChannelErrors {
            depth: depth.relative(),
            reference: error / size,
            discharge: discharge.absolute(greatest * wave_speed).mean,
            velocity: velocity.absolute(wave_speed).mean,
            profile,
        }
    }

    /// Runs a flow along x that becomes steady, and answers the water and the spread of its face flux in units of the
    /// discharge q. It has settled when that spread is a hundredth of [`FLUX_SPREAD`], or after twenty times `end`.
    pub fn settle(&self, count: usize, q: f64) -> anyhow::Result<(ShallowWater, f64)> {
        const STEPS: usize = 1000;
        let mut water = self.water(ChannelOrientation::AlongX, count)?;
        let mut outside = Outside { channel: self, time: 0.0 };
        let (mut time, mut steps, mut spread) = (0.0, 0, f64::NAN);
        while time < 20.0 * self.end {
            let before: Vec<f64> = (0..count).map(|x| water.depth_in([x, 0])).collect();
            let dt = water.max_dt();
            let taken = outside.step(&mut water, time, dt)?;
            time += taken;
            steps += 1;
            if steps % STEPS == 0 {
                spread = self.flux_spread(&water, &before, taken) / q;
                if time > self.end && spread < 0.01 * FLUX_SPREAD {
                    break;
                }
            }
        }
        Ok((water, spread))
    }

    /// The greatest difference between the fluxes through two faces, in m²/s, averaged over a step: by continuity the
    /// flux changes from face to face by −Δx Δh/Δt.
    fn flux_spread(&self, water: &ShallowWater, before: &[f64], dt: f64) -> f64 {
        let dx = self.length / before.len() as f64;
        let (mut flux, mut least, mut most) = (0.0f64, 0.0f64, 0.0f64);
        for (x, before) in before.iter().enumerate() {
            flux -= dx * (measured(water.depth_in([x, 0])) - before) / dt;
            (least, most) = (least.min(flux), most.max(flux));
        }
        // A flux that is not a number would be lost in the extremes
        if flux.is_finite() { most - least } else { f64::NAN }
    }

    /// The greatest difference of depth and discharge between the run along x and the run along y with the same steps.
    pub fn difference_along_y(&self, count: usize) -> anyhow::Result<f64> {
        let mut along_x = self.water(ChannelOrientation::AlongX, count)?;
        let mut along_y = self.water(ChannelOrientation::AlongY, count)?;
        let mut outside = Outside { channel: self, time: 0.0 };
        let mut time = 0.0;
        while time < self.end {
            // Half of what is stable, so that neither run refuses a step that the other takes
            let dt = (0.5 * along_x.max_dt().min(along_y.max_dt())).min(self.end - time);
            let taken = outside.step(&mut along_x, time, dt)?;
            let same = outside.step(&mut along_y, time, taken)?;
            anyhow::ensure!(same == taken, "along y a step was refused that was taken along x");
            time += taken;
        }
        let mut worst = Worst::default();
        for index in 0..count {
            worst.compare(along_x.depth_in([index, 0]), along_y.depth_in([0, index]));
            worst.compare(along_x.discharge_in([index, 0])[0], along_y.discharge_in([0, index])[1]);
        }
        Ok(worst.value())
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
            time += outside.step(&mut water, time, dt)?;
            look(&water, time);
        }
        Ok(water)
    }

    /// Depth and discharge along the channel in every cell, beside the exact depth and velocity. At 45° the two cells
    /// beside the sides, where the outside is imposed, do not count.
    pub fn states(
        &self,
        water: &ShallowWater,
        way: ChannelOrientation,
        time: f64,
    ) -> impl Iterator<Item = ChannelState> {
        let grid = *water.grid();
        let counted =
            cells(&grid).filter(move |cell| way != ChannelOrientation::Diagonal || is_apart(&grid, *cell));
        counted.map(move |cell| {
            let place = self.place(way, &grid, cell);
            let discharge = DVec2::from(water.discharge_in(cell)).dot(direction(way));
            ChannelState { place, found: [water.depth_in(cell), discharge], exact: (self.exact)(place, time) }
        })
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

/// One cell of a channel.
pub struct ChannelState {
    /// Distance along the channel.
    pub place: f64,
    /// Computed depth and discharge.
    pub found: [f64; 2],
    /// Exact depth and velocity.
    pub exact: [f64; 2],
}

/// The exact solution, as the water outside.
struct Outside<'a> {
    channel: &'a ChannelCase,
    time: f64,
}

impl Outside<'_> {
    /// One step of the model, shortened on every retry; returns its length.
    fn step(&mut self, water: &mut ShallowWater, time: f64, mut dt: f64) -> anyhow::Result<f64> {
        loop {
            self.time = time + dt;
            let gravity = self.channel.settings.gravity;
            let mut world = World { time, gravity, seed: 0, driver: Some(self) };
            match water.step(dt, &mut world)? {
                Step::Done(_) => return Ok(dt),
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

/// What a problem must reach along x.
pub struct ChannelTargets {
    /// Cells from end to end on three grids.
    pub counts: [usize; 3],
    /// Order of L1 of the depth.
    pub order: Target,
    /// The discharge of a flow that becomes steady.
    pub steady: Option<f64>,
    /// Where a jump is, and the depths on both sides of it.
    pub jump: Option<[f64; 3]>,
}

/// Errors of the runs of [`check`]: along x on each grid, and at 45° on the coarsest.
pub struct ChannelRuns {
    pub along_x: Vec<(usize, ChannelErrors)>,
    pub diagonal: ChannelErrors,
}

/// Runs a problem along x on three grids, along y and at 45° on the coarsest, and checks what holds for all of them.
pub fn check(
    checks: &mut Checks,
    name: &str,
    channel: &ChannelCase,
    targets: &ChannelTargets,
) -> anyhow::Result<ChannelRuns> {
    // Along x: norms, the spread of a steady flux, and the place of a jump
    let mut along_x = Vec::new();
    for count in targets.counts {
        let label = format!("{name}, {count} cells");
        let errors = match targets.steady {
            None => channel.run(ChannelOrientation::AlongX, count)?,
            Some(q) => {
                let (water, spread) = channel.settle(count, q)?;
                let target = Target::exact(FLUX_SPREAD, "continuity: the flux of a steady flow is uniform");
                checks.at_most(format!("{label}: spread of the face flux / q"), spread, target);
                channel.errors(&water, ChannelOrientation::AlongX, channel.end)
            }
        };
        record_norms(checks, &label, &errors);
        if let Some(jump) = targets.jump {
            let cells = jump_error(&errors.profile, jump) * count as f64 / channel.length;
            let target = Target::exact(1.0, "the place where both sides have the same thrust");
            checks.at_most(format!("{label}: place of the jump, cells"), cells, target);
        }
        along_x.push((count, errors));
    }
    let means: Vec<_> = along_x.iter().map(|(count, errors)| (*count, errors.depth.mean)).collect();
    checks.order(format!("{name}: order of L1"), &means, targets.order);
    let [coarse, ..] = targets.counts;
    draw_profile(checks, name, &along_x[0].1);

    // Along y, bit for bit, and at 45°
    let difference = channel.difference_along_y(coarse)?;
    let symmetry = Target::exact(0.0, "the equations know no direction");
    checks.at_most(format!("{name}, {coarse} cells: along y from along x"), difference, symmetry);
    let diagonal = channel.run(ChannelOrientation::Diagonal, coarse)?;
    record_norms(checks, &format!("{name} at 45°, {coarse} cells"), &diagonal);
    Ok(ChannelRuns { along_x, diagonal })
}

/// The norms of a run, which have no target of their own.
pub fn record_norms(checks: &mut Checks, label: &str, errors: &ChannelErrors) {
    let Norms { mean, square, most } = errors.depth;
    let found = [("L1", mean), ("L2", square), ("L∞", most)];
    let flow = [("L1 of hu", errors.discharge), ("L1 of u", errors.velocity)];
    for (norm, value) in found.into_iter().chain(flow) {
        checks.baseline(format!("{label}: {norm}"), value);
    }
}

/// The ratio of the errors at 45° and along x, which should be of one size.
pub fn check_diagonal(checks: &mut Checks, name: &str, diagonal: &ChannelErrors, along_x: &ChannelErrors) {
    let ratio = diagonal.depth.mean / along_x.reference;
    let target = Target::ours(2.0, "no direction is much worse than another");
    checks.at_most(format!("{name}: L1 at 45° / along x"), ratio, target);
}

/// Keeps the depths of a run and the exact ones for the report.
pub fn draw_profile(checks: &mut Checks, name: &str, errors: &ChannelErrors) {
    let column = |index: usize| errors.profile.iter().map(|point| [point[0], point[index]]).collect();
    checks.curve(Curve::against_table(
        format!("{name}: depth"),
        ["x [m]", "depth [m]"],
        column(1),
        column(2),
    ));
}

/// Distance between a jump from a depth to another and the nearest place where the computed depth passes through their
/// mean in the same direction. NaN if there is none.
pub fn jump_error(profile: &[[f64; 3]], [place, before, behind]: [f64; 3]) -> f64 {
    let mean = 0.5 * (before + behind);
    let rises = behind > before;
    let crossings = profile.windows(2).filter_map(|pair| {
        let [low, high] = [pair[0][1] - mean, pair[1][1] - mean];
        let is_crossing = if rises { low < 0.0 && high >= 0.0 } else { low > 0.0 && high <= 0.0 };
        is_crossing.then(|| pair[0][0] + (pair[1][0] - pair[0][0]) * low / (low - high))
    });
    let distances = crossings.map(|found| (measured(found) - place).abs());
    distances.reduce(f64::min).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use undine_checks::{Norms, perturbation};

    use super::jump_error;

    #[test]
    fn a_jump_is_found_where_it_is_and_not_found_without_one() {
        let profile = |at: f64| -> Vec<[f64; 3]> {
            (0..100).map(f64::from).map(|x| [x, if x < at { 1.0 } else { 2.0 }, 0.0]).collect()
        };
        assert!(jump_error(&profile(50.0), [50.0, 1.0, 2.0]) <= 1.0);
        assert!(jump_error(&profile(54.0), [50.0, 1.0, 2.0]) > 3.0);
        assert!(jump_error(&profile(50.0), [50.0, 2.0, 1.0]).is_nan());
        assert!(jump_error(&profile(200.0), [50.0, 1.0, 2.0]).is_nan());
    }

    #[test]
    fn a_perturbed_profile_fails() {
        let depths = || Norms::of((0..50).map(|x| [1.0 + 0.01 * f64::from(x); 2])).mean;
        assert!(depths() == 0.0 && perturbation::perturbed(depths) > 0.5);
    }
}
