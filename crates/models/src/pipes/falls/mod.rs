//! Waterfalls: water that runs over a sharp drop is in the air until it lands (section 4.2.2 of [thompson2009], in 2-D).
//!
//! A face whose ground falls by `sharp_drop`, with the surface below as far under the sill, is a **lip** (`lips`). Its pipe
//! carries the flow of a weir (`flow_update`). What leaves it in a step does not reach the column below: it is taken out of
//! what that column received, to the unit, and is in the air for the time of fall.
//!
//! **Where and when it lands** follows from two traced drops (eqs. 4.17, 4.18, corrected), which leave the surface at the
//! lip along the pipe and fall by gravity and drag until they touch water or ground:
//!
//! ```text
//! v = i (1 ± C_xsply) u + j dh/dt        u = Q/(depth d)
//! ```
//!
//! They are traced again every eight steps, so that a waterfall is one source that is kept up to date (Algorithm 6,
//! corrected).
//!
//! - **With the manager `exact`** the water in the air is an account (`fall`); it arrives in equal parts in the columns
//!   between the two landings. Those beyond an open side are an outflow; at a wall it lands in the last column. Where tiles
//!   sleep, their manager books what leaves and what arrives: a fall whose lip sleeps goes on with its mean flow. The drops
//!   that are seen are drawn from the account (`cloud`).
//! - **With the manager `none`** it is drops of `drop_volume`, each with a speed between those of the two.
//!
//! What would land within the step goes to the next column at once, as over any face.
//!
//! **Cost** follows the falls that flow: a step looks at the lips of wet tiles that are touched by awake ones.

mod cloud;
mod fall;
mod lips;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::OnceLock;

use glam::DVec3;
use undine_grid::Side;
use undine_sim::{Reader, Writer};

use super::border::WEIR;
use super::drops::{DropReceiver, Landing};
use super::manager::{ManagedStep, ManagedWater, Manager};
use super::pipe_set::moved;
use super::settings::Border;
use super::spray::SprayReceiver;
use super::thesis::{FallPhysics, Touchdown, TracedDrop};
use super::tiling::Tiling;
use super::water::{FILM, Pipes};
use cloud::FallCloud;
use fall::{Fall, Trajectory};
use lips::{Lip, Lips, lip};

/// The most waterfalls; over further lips water falls at once.
const MOST: usize = 1 << 16;

/// Steps after which a fall is traced again.
const TRACE_STEPS: u32 = 8;

/// The most drops that a lip gives off in a step.
const MOST_DROPS: i64 = 4096;

/// The waterfalls of a water.
#[derive(Debug, Default)]
pub(super) struct Falls {
    lips: Lips,
    /// In the order of their lips.
    falls: Vec<Fall>,
    /// The drops to be seen, once somebody has looked since the last step.
    cloud: OnceLock<FallCloud>,
    /// The flows over lips that managers do not see, while they work.
    hidden: Vec<(u8, u32, f32)>,
}

impl Falls {
    /// Units in the air.
    pub fn held(&self) -> i128 {
        self.falls.iter().map(|fall| i128::from(fall.held())).sum()
    }

    /// The fall over a lip, if it flows.
    fn position(&self, lip: &Lip) -> Result<usize, usize> {
        self.falls.binary_search_by_key(&(lip.donor, lip.way), |fall| (fall.donor, fall.way))
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.records("falls", self.falls.iter().map(|fall| fall.record()))
    }
}

impl Pipes {
    /// Finds the lips of the bed. Falls over edges that are gone end with what is in the air.
    pub(super) fn find_lips(&mut self) {
        let sharp_drop = self.units.depth(self.settings.sharp_drop);
        self.falls.lips = Lips::find(&self.columns, &self.sets, sharp_drop);
    }

    /// Whether water falls freely from a stored column to one beside it: the surface there lies a sharp drop or more below
    /// the sill.
    fn is_falling(&self, lip: &Lip) -> bool {
        let [donor, receiver] = [lip.donor as usize, lip.receiver as usize];
        let fall = self.columns.bed[donor].saturating_sub(self.columns.level(receiver));
        fall >= self.units.depth(self.settings.sharp_drop).max(1)
    }

    /// Whether water falls from a cell over one of its lips.
    pub(super) fn is_waterfall(&self, cell: [usize; 2]) -> bool {
        let donor = self.columns.tiling.index(cell) as u32;
        let lips = self.falls.lips.of_tile(self.columns.tiling.tile_of(cell));
        let first = lips.partition_point(|lip| lip.donor < donor);
        lips[first..].iter().take_while(|lip| lip.donor == donor).any(|lip| self.is_falling(lip))
    }

    /// Hands the columns what arrives until the end of a step of length `dt`.
    pub(super) fn land_falls(&mut self, dt: f64) {
        self.falls.cloud.take();
        let time = self.time + dt;
        let mut falls = std::mem::take(&mut self.falls.falls);
        for fall in &mut falls {
            let due = fall.take_due(time);
            if due > 0 {
                let rest = self.land(fall, due);
                fall.put_back(rest, time);
            }
        }
        self.falls.falls = falls;
    }

    /// Hands units to the columns between the two landings, in equal parts; the first ones get the rest. Answers those for
    /// which there is no room.
    fn land(&mut self, fall: &Fall, units: i64) -> i64 {
        let Trajectory { landing: [least, most], inside, impact, .. } = fall.path;
        let (tiling, offset) = (self.columns.tiling, fall.way.offset(&self.sets));
        let origin = tiling.cell_of(fall.donor as usize);
        let count = i64::from(most - least) + 1;
        let cell_at = |steps: u32| along(&tiling, origin, offset, steps.min(inside));
        // Dry ground that sleeps goes on sleeping while there is water beside it
        let depth = |cell: [usize; 2]| self.columns.volume[tiling.index(cell)];
        let deepest = (least..=most.min(inside)).filter_map(cell_at).max_by_key(|cell| depth(*cell));
        let film = self.units.depth(FILM);
        let is_wet = deepest.is_some_and(|cell| depth(cell) > film);
        let mut rest = 0;
        for steps in least..=most {
            let extra = i64::from(i64::from(steps - least) < units % count);
            let part = units / count + extra;
            if steps > inside {
                self.ledger.record(-part);
                continue;
            }
            let Some(mut cell) = cell_at(steps) else {
                rest += part;
                continue;
            };
            let index = tiling.index(cell);
            let sleeps = !self.visits.is_awake(index / tiling.tile_len());
            if let Some(deepest) = deepest.filter(|_| is_wet && sleeps && self.columns.volume[index] <= film)
            {
                cell = deepest;
            }
            rest += part - self.spray_receiver().land(Landing { cell, units: part, speed: impact });
        }
        rest
    }

    /// Takes what runs over the lips out of the columns below, lets the manager end the step without it, and lets what has
    /// left sleeping lips fall.
    pub(super) fn conclude(&mut self, step: ManagedStep) {
        if !self.has_regions() {
            self.divert_falls(step);
            self.continue_sleeping_falls(step);
            self.falls.falls.retain(|fall| !fall.is_over(step.time));
        }
        self.managed_without_falls(step.time, |water, manager| manager.conclude(water, step));
    }

    /// Lets the manager work on pipes without the flows over lips over which water falls at this time.
    pub(super) fn managed_without_falls(
        &mut self,
        time: f64,
        work: impl FnOnce(&mut ManagedWater<'_>, &mut dyn Manager),
    ) {
        if !self.has_regions() {
            self.hide_flows(time);
        }
        self.managed(work);
        for (set, flow, value) in self.falls.hidden.drain(..) {
            self.sets[usize::from(set)].values[flow as usize] = value;
        }
    }

    /// Water that falls does not reach the columns below by their pipes.
    fn divert_falls(&mut self, step: ManagedStep) {
        let lips = std::mem::take(&mut self.falls.lips);
        let touched: Vec<usize> =
            self.visits.touched().filter(|&tile| !lips.of_tile(tile).is_empty()).collect();
        for tile in touched {
            if self.tile_total(tile) > 0 {
                lips.of_tile(tile).iter().for_each(|lip| self.divert(lip, step));
            }
        }
        self.falls.lips = lips;
    }

    fn tile_total(&self, tile: usize) -> i64 {
        self.sums.as_flattened()[tile].total
    }

    /// Takes what ran over a lip in a step out of the column below, and throws it.
    fn divert(&mut self, lip: &Lip, step: ManagedStep) {
        let length = self.columns.tiling.tile_len();
        let [above, below] = [lip.donor, lip.receiver].map(|index| index as usize / length);
        let is_visited = self.visits.is_awake(above) || self.visits.is_awake(below);
        let transfer = self.sets[lip.way.set()].values[lip.flow as usize + length];
        let mut units = lip.way.sign() as i64 * i64::from(moved(transfer));
        if !is_visited || units <= 0 || !self.has_time_to_fall(lip, units, step.dt) {
            return;
        }
        let index = match self.falls.position(lip) {
            Ok(index) => index,
            Err(_) if self.falls.falls.len() >= MOST => return,
            Err(index) => {
                let fall = Fall::new(lip.donor, lip.way, units as f64 / step.dt);
                self.falls.falls.insert(index, fall);
                index
            }
        };
        let mut fall = self.falls.falls[index];
        self.update_path(&mut fall, units as f64 / step.dt);
        // What the column below has received of it
        if self.visits.is_awake(below) {
            units = units.min(i64::from(self.columns.volume[lip.receiver as usize]));
        }
        if self.manager.is_none() {
            units = units.min(self.room_for_drops(fall.pending));
        }
        if self.visits.is_awake(below) {
            let film = self.units.depth(FILM);
            self.columns.add(lip.receiver as usize, -(units as i32), film, &mut self.sums);
        } else {
            self.sums.as_flattened_mut()[below].received -= units;
        }
        fall.average(units, step.dt);
        fall.last = step.time;
        if self.manager.is_some() {
            fall.throw(units, step.time, step.dt);
        } else {
            fall.pending += units;
        }
        self.falls.falls[index] = fall;
    }

    /// Whether water falls over a lip, and for longer than a step. `units` of it have reached the column below.
    fn has_time_to_fall(&self, lip: &Lip, units: i64, dt: f64) -> bool {
        let [donor, receiver] = [lip.donor as usize, lip.receiver as usize];
        let foot =
            i64::from(self.columns.level(receiver)) - units.min(i64::from(self.columns.volume[receiver]));
        let fall = i64::from(self.columns.bed[donor]) - foot;
        let seconds = (2.0 * fall.max(0) as f64 * self.units.unit() / self.settings.gravity).sqrt();
        fall >= i64::from(self.units.depth(self.settings.sharp_drop)).max(1) && seconds > dt
    }

    /// Traces the two drops of a fall, if it is time; `flow` in units per second runs over its lip.
    fn update_path(&mut self, fall: &mut Fall, flow: f64) {
        fall.age = fall.age.saturating_add(1);
        if fall.age < TRACE_STEPS {
            return;
        }
        fall.age = 0;
        fall.path = self.trace(fall, flow);
        self.counts.drop_updates += 2;
    }

    /// Where a fall lands.
    fn trace(&self, fall: &Fall, flow: f64) -> Trajectory {
        let (tiling, unit, gravity) = (self.columns.tiling, self.units.unit(), self.settings.gravity);
        let (origin, offset) = (tiling.cell_of(fall.donor as usize), fall.way.offset(&self.sets));
        let direction = &self.sets[fall.way.set()].direction;
        // u = Q/(depth d). The depth is at least that of a weir that carries Q
        let per_width = flow * self.unit_volume() / direction.width;
        let weir_depth = (per_width / (WEIR * gravity.sqrt())).powf(2.0 / 3.0);
        let depth = self.depth_in(origin).max(weir_depth).max(unit);
        let speed = per_width / depth;
        // Beyond that, at the front of a surge, the difference of one column is no velocity of the surface
        let rise = self.rising(origin).clamp(-speed, speed);
        let height = self.bed_in(origin) + depth;
        let physics = FallPhysics {
            gravity,
            drag: self.settings.drops.drag,
            spacing: direction.width / direction.conductance,
        };
        let surface =
            |steps: usize| along(&tiling, origin, offset, steps as u32).map(|cell| self.level_in(cell));
        let ends = [-1.0, 1.0].map(|sign| {
            let speed = speed * (1.0 + sign * self.settings.fall_spread);
            TracedDrop { speed, rise, height }.touchdown(physics, surface)
        });
        let inside = ends.iter().map(|end| end.column).max().unwrap_or(1);
        let column = |end: &Touchdown| {
            (end.column + usize::from(end.is_outside && self.is_open_after(origin, offset, end.column)))
                as u32
        };
        let [least, most] = [&ends[0], &ends[1]].map(column);
        Trajectory {
            landing: [least.min(most), least.max(most)],
            inside: inside as u32,
            seconds: 0.5 * (ends[0].seconds + ends[1].seconds),
            speed,
            rise,
            impact: 0.5 * (ends[0].speed + ends[1].speed),
            height,
        }
    }

    /// Whether the side beyond the column so many steps away is open.
    fn is_open_after(&self, origin: [usize; 2], offset: [isize; 2], steps: usize) -> bool {
        let Some(last) = along(&self.columns.tiling, origin, offset, steps as u32) else { return false };
        Side::ALL.into_iter().zip(self.settings.borders).any(|(side, border)| {
            let (axis, is_low) = (side.axis(), matches!(side, Side::West | Side::South));
            let is_beside = match offset[axis] {
                -1 => is_low && last[axis] == 0,
                1 => !is_low && last[axis] + 1 == self.grid.cells()[axis],
                _ => false,
            };
            is_beside && border == Border::Open
        })
    }

    /// Falls between columns of which no step updates the pipe go on with their mean flow, while there is water at the lip.
    /// Those that wait at a lip without water are let go.
    fn continue_sleeping_falls(&mut self, step: ManagedStep) {
        let mut falls = std::mem::take(&mut self.falls.falls);
        for fall in falls.iter_mut().filter(|fall| fall.last < step.time) {
            let Some(lip) = lip(&self.columns.tiling, &self.sets, fall.donor as usize, fall.way) else {
                continue;
            };
            let length = self.columns.tiling.tile_len();
            let is_visited = [lip.donor, lip.receiver]
                .into_iter()
                .any(|index| self.visits.is_awake(index as usize / length));
            if is_visited || !self.is_falling(&lip) || self.columns.volume[lip.donor as usize] == 0 {
                fall.average(0, step.dt);
                continue;
            }
            let wanted = fall.flow * step.dt + fall.remainder;
            let whole = wanted.floor();
            fall.remainder = wanted - whole;
            let units = whole.clamp(0.0, f64::from(i32::MAX)) as i32;
            let SprayReceiver { mut water, manager, .. } = self.spray_receiver();
            let taken = water.exchange(manager, fall.donor as usize, -units);
            fall.throw(-i64::from(taken), step.time, step.dt);
            fall.last = step.time;
        }
        if self.manager.is_none() {
            falls.iter_mut().for_each(|fall| self.give_off_drops(fall, step));
        }
        self.falls.falls = falls;
    }

    /// How many more units may leave a lip as drops, beside those that wait there.
    fn room_for_drops(&self, pending: i64) -> i64 {
        let room = (self.drops.room() as i64).min(MOST_DROPS);
        (room.saturating_mul(self.units_of_drop()) - pending).max(0)
    }

    /// Units of a drop.
    fn units_of_drop(&self) -> i64 {
        (self.settings.drops.volume / self.unit_volume()).clamp(1.0, f64::from(u32::MAX)) as i64
    }

    /// Gives off what waits at a lip as whole drops, and the rest when nothing more comes.
    fn give_off_drops(&mut self, fall: &mut Fall, step: ManagedStep) {
        let each = self.units_of_drop();
        while fall.pending >= each || fall.pending > 0 && step.time - fall.last > 0.5 {
            let [along, speed, height, moment] = cloud::random(fall.donor, fall.way, fall.emitted);
            let start = self.start_of_drop(fall, [along, speed, height], moment * step.dt);
            let given = self.drops.emit(start[0], start[1], fall.pending.min(each), each);
            if given == 0 {
                return;
            }
            fall.pending -= given;
            fall.emitted += 1;
        }
    }

    /// Place and velocity of a drop of a fall when it has flown for `age`; its place along the lip, its speed and its height
    /// in the water are random numbers from 0 to 1.
    fn start_of_drop(&self, fall: &Fall, [across, speed, height]: [f64; 3], age: f64) -> [DVec3; 2] {
        let Trajectory { speed: mean, rise, height: surface, .. } = fall.path;
        let origin = self.columns.tiling.cell_of(fall.donor as usize);
        let direction = &self.sets[fall.way.set()].direction;
        let [x, y] = fall.way.along(&self.sets);
        let length = direction.width / direction.conductance;
        let (forward, sideways) = (DVec3::new(x, y, 0.0), DVec3::new(-y, x, 0.0));
        let centre = self.grid.centre(origin.map(|index| index as isize));
        let bed = self.bed_in(origin);
        let start = DVec3::new(centre[0], centre[1], bed + height * (surface - bed).max(0.0))
            + forward * (0.51 * length)
            + sideways * ((across - 0.5) * direction.width);
        let spread = self.settings.fall_spread;
        let velocity = forward * mean * (1.0 + spread * (2.0 * speed - 1.0)) + DVec3::Z * rise;
        // v(t) = (v + g/f) e^(−ft) − g/f, and its integral
        let (drag, gravity) = (self.settings.drops.drag, DVec3::Z * -self.settings.gravity);
        let (decay, held) = match drag * age {
            small if small < 1e-6 => (1.0, age),
            part => ((-part).exp(), (1.0 - (-part).exp()) / drag),
        };
        let slowed = if drag * age < 1e-6 { 0.5 * age * age } else { (age - held) / drag };
        [start + velocity * held + gravity * slowed, velocity * decay + gravity * held]
    }

    /// Managers see no flow in the pipes of lips over which water fell in this step.
    fn hide_flows(&mut self, time: f64) {
        self.falls.hidden.clear();
        for fall in self.falls.falls.iter().filter(|fall| fall.last == time) {
            let lip = lip(&self.columns.tiling, &self.sets, fall.donor as usize, fall.way);
            let Some(lip) = lip.filter(|_| self.columns.volume[fall.donor as usize] > 0) else { continue };
            let value = &mut self.sets[lip.way.set()].values[lip.flow as usize];
            self.falls.hidden.push((lip.way.set() as u8, lip.flow, std::mem::take(value)));
        }
    }

    /// Reads what [`Falls::save`] wrote, over the bed that the water now has.
    pub(super) fn restore_falls(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.find_lips();
        self.falls.cloud.take();
        self.falls.falls.clear();
        let (falls, mut is_sound) = (&mut self.falls.falls, true);
        let (tiling, sets) = (&self.columns.tiling, &self.sets);
        from.records("falls", |record| {
            let fall = Fall::from_record(record).filter(|fall| {
                fall.way.set() < sets.len()
                    && (fall.donor as usize) < tiling.stored()
                    && lip(tiling, sets, fall.donor as usize, fall.way).is_some()
                    && falls.last().is_none_or(|last| (last.donor, last.way) < (fall.donor, fall.way))
            });
            is_sound &= fall.is_some();
            falls.extend(fall);
        })?;
        if is_sound {
            return Ok(());
        }
        self.falls.falls.clear();
        Err(io::Error::new(io::ErrorKind::InvalidData, "the saved waterfalls are of another water"))
    }
}

/// The column so many steps from another one in a direction; `None` outside the domain.
fn along(tiling: &Tiling, origin: [usize; 2], offset: [isize; 2], steps: u32) -> Option<[usize; 2]> {
    tiling.beside(origin, offset.map(|part| part * steps as isize))
}
