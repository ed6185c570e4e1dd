//! Drops and the columns: where they are given off, and what they do where they land.

use glam::DVec3;

use super::curve::Curve;
use super::drops::{DropReceiver, Landing};
use super::manager::{ManagedWater, Manager};
use super::pipe_set::PipeSet;
use super::units::Units;
use super::water::{FILM, Pipes};

/// The columns as drops meet them.
pub(super) struct SprayReceiver<'a> {
    pub water: ManagedWater<'a>,
    pub manager: &'a mut Option<Box<dyn Manager>>,
    units: &'a Units,
    /// The stacked pipes of a curve that has them.
    curve: Option<&'a mut Curve>,
    /// c, and the area and length of a column.
    push: f64,
    area: f64,
    length: f64,
}

impl DropReceiver for SprayReceiver<'_> {
    fn level(&self, cell: [usize; 2]) -> f64 {
        let columns = &*self.water.columns;
        self.units.metres(columns.level(columns.tiling.index(cell)))
    }

    fn land(&mut self, landing: Landing) -> i64 {
        let tiling = self.water.columns.tiling;
        let index = tiling.index(landing.cell);
        let units = landing.units.min(i64::from(i32::MAX)) as i32;
        let taken = self.water.exchange(self.manager, index, units);
        // Eq. (4.12) over ρ: pressure over a step, which accelerates the water in all pipes away from the column
        let depth = f64::from(self.water.columns.volume[index]) * self.units.unit();
        let pressure = self.push * f64::from(taken) * self.units.unit() * landing.speed.max(0.0);
        if pressure > 0.0 && depth > 0.0 && self.water.visits.is_awake(index / tiling.tile_len()) {
            if let Some(curve) = &mut self.curve {
                curve.push(landing.cell[0], pressure, self.length);
            }
            let impulse = pressure * depth / (self.area * self.units.unit());
            for set in &mut *self.water.sets {
                let change = (impulse * set.direction.conductance) as f32;
                if tiling.beside(landing.cell, set.direction.offset).is_some() {
                    set.values[PipeSet::flow_index(&tiling, index)] -= change;
                }
                if let Some(beyond) = tiling.beside(landing.cell, set.direction.opposite()) {
                    set.values[PipeSet::flow_index(&tiling, tiling.index(beyond))] += change;
                }
            }
        }
        i64::from(taken)
    }
}

/// Water that leaves a column as drops.
struct Emission {
    cell: [usize; 2],
    at: DVec3,
    velocity: DVec3,
    units: i64,
}

impl Pipes {
    /// Algorithm 3: moves the drops, and gives off new ones.
    pub(super) fn update_drops(&mut self, dt: f64) {
        self.counts.drop_updates += self.drops.count() as u64;
        let (grid, borders) = (self.grid, self.settings.borders);
        let (gravity, drag) = (self.settings.gravity, self.settings.drops.drag);
        let mut drops = std::mem::take(&mut self.drops);
        let left = drops.fly(dt, gravity, drag, &grid, &borders, &mut self.spray_receiver());
        self.drops = drops;
        self.ledger.record(-left);
        self.land_falls(dt);
        if self.settings.drops.is_active() {
            self.emit_drops(dt);
        }
    }

    /// The columns, with their manager, for what falls on them.
    pub(super) fn spray_receiver(&mut self) -> SprayReceiver<'_> {
        SprayReceiver {
            water: ManagedWater {
                columns: &mut self.columns,
                sets: &mut self.sets,
                visits: &mut self.visits,
                sums: &mut self.sums,
                film: self.units.depth(FILM),
                rain_owed: &|_| 0,
            },
            manager: &mut self.manager,
            units: &self.units,
            curve: self.curve.as_mut(),
            push: self.settings.drops.push,
            area: self.grid.cell_measure(),
            length: self.grid.spacing()[0],
        }
    }

    /// Gives off drops in all tiles that are awake.
    fn emit_drops(&mut self, dt: f64) {
        let (tiling, film) = (self.columns.tiling, self.units.depth(FILM));
        let each = (self.settings.drops.volume / self.unit_volume()).clamp(1.0, f64::from(u32::MAX)) as i64;
        for tile in 0..tiling.count() {
            if !self.visits.is_awake(tile) {
                continue;
            }
            let [columns, rows] = tiling.extent(tile);
            for cell in rows.flat_map(|y| columns.clone().map(move |x| [x, y])) {
                if self.columns.volume[tiling.index(cell)] <= film || self.drops.room() == 0 {
                    continue;
                }
                let Some(emission) = self.emission(cell, dt) else { continue };
                let Emission { cell, at, velocity, units } = emission;
                let given = self.drops.emit(at, velocity, units, each);
                self.columns.add(tiling.index(cell), -(given as i32), film, &mut self.sums);
            }
        }
    }

    /// What a column gives off, for the first of the causes that holds.
    fn emission(&self, cell: [usize; 2], dt: f64) -> Option<Emission> {
        let (settings, unit) = (self.settings.drops, self.units.unit());
        let half = i64::from(self.columns.volume[self.columns.tiling.index(cell)] / 2);
        let units = |metres: f64| ((metres / unit) as i64).clamp(0, half);
        let above = |value: f64, bound: Option<f64>| bound.map_or(0.0, |bound| (value - bound).max(0.0));
        let (fall, lip, sideways) = self.steepest(cell);
        let higher = units(above(fall, settings.height));
        if higher > 0 {
            return Some(Emission { cell, at: lip, velocity: sideways, units: higher });
        }
        let rising = self.rising(cell);
        let faster = units(above(rising, settings.speed) * dt);
        let area = self.grid.cell_measure();
        let sharper = units(above(self.curvature(cell), settings.curvature) * area / 8.0);
        let units = faster.max(sharper);
        let [x, y] = self.grid.centre(cell.map(|index| index as isize));
        let velocity = self.velocity_in(cell).extend(rising.max(0.0));
        (units > 0).then(|| Emission {
            cell,
            at: DVec3::new(x, y, self.level_in(cell) + unit),
            velocity,
            units,
        })
    }

    /// How far the lowest neighbour lies below a column in metres, the middle of the lip between them, and the velocity of the
    /// water over it.
    fn steepest(&self, cell: [usize; 2]) -> (f64, DVec3, DVec3) {
        let (tiling, level) = (&self.columns.tiling, self.level_in(cell));
        let [x, y] = self.grid.centre(cell.map(|index| index as isize));
        let mut found = (0.0, DVec3::ZERO, DVec3::ZERO);
        for (number, set) in self.sets.iter().enumerate() {
            let along = DVec3::new(set.direction.along[0], set.direction.along[1], 0.0);
            for (offset, way) in [(set.direction.offset, -along), (set.direction.opposite(), along)] {
                let Some(beside) = tiling.beside(cell, offset) else { continue };
                let fall = level - self.level_in(beside);
                if fall > found.0 {
                    let [to_x, to_y] = self.grid.centre(beside.map(|index| index as isize));
                    let lip = DVec3::new(0.5 * (x + to_x), 0.5 * (y + to_y), level) + 1e-3 * way;
                    let owner = if way == along { beside } else { cell };
                    let velocity = along * self.pipe_velocity(number, owner);
                    found = (fall, lip, velocity);
                }
            }
        }
        found
    }

    /// Speed at which the surface of a column rises, in m/s, by the flows of its pipes.
    pub(super) fn rising(&self, cell: [usize; 2]) -> f64 {
        let tiling = &self.columns.tiling;
        let flow =
            |set: &PipeSet, cell| f64::from(set.values[PipeSet::flow_index(tiling, tiling.index(cell))]);
        let net = |set: &PipeSet| {
            let out = tiling.beside(cell, set.direction.opposite()).map_or(0.0, |beyond| flow(set, beyond));
            flow(set, cell) - out
        };
        self.sets.iter().map(net).sum::<f64>() * self.units.unit()
    }

    /// −∇²h of a column in 1/m: positive on a crest.
    fn curvature(&self, cell: [usize; 2]) -> f64 {
        let (tiling, level) = (&self.columns.tiling, self.level_in(cell));
        let term = |set: &PipeSet| {
            let ends = [set.direction.offset, set.direction.opposite()];
            let falls = ends.into_iter().filter_map(|offset| tiling.beside(cell, offset));
            let falls: f64 = falls.map(|beside| level - self.level_in(beside)).sum();
            set.direction.conductance * falls
        };
        self.sets.iter().map(term).sum::<f64>() / self.grid.cell_measure()
    }
}
