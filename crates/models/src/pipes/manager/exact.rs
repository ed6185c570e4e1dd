//! The exact manager: tiles sleep, and what reaches them is booked on accounts until they wake.
//!
//! **Quiet** is a tile of which every column stayed within the calm band of its volume for a window: at least 32 steps, and
//! twice the time in which a long wave crosses the tile. It falls asleep with the mean flows of that window. Where its
//! account wakes it again after less than four windows, its water drifts more slowly than the window can tell: the next
//! window is twice as long, up to 5/k with the friction rate k.
//!
//! Where a lake still drains over a sill, the window is 10/k at least: such a drift never sways back, and what the lake
//! stands above its sill when it falls asleep stays there.
//!
//! **Asleep** its columns keep their volumes. Pipes to tiles that are awake go on, against its frozen levels; pipes between
//! two sleeping tiles pass on their mean flow and what has gathered (`seams`). What comes and goes is booked on the tile's
//! account. Where a river passes through it, the account is spread over its columns now and then, so that the tiles beside
//! it that are awake, and open sides, see the level that it makes.
//!
//! **Pools** of which all is asleep are set to one level (`pools`), and what they take in raises it.
//!
//! **It wakes** when what it has been given since it fell asleep, with the rain that it is owed, passes twice the band
//! for every wet column (the band of one column, where its water lies in several places, to one of which it belongs), when
//! a step brings more than the band for every column along a side of a tile and six standard deviations of its flows, when
//! water stands above a sill to dry ground in it, or when something falls into it. The account
//! is then spread over its wet columns. A tile that nothing has reached wakes with the bits that it had.

use std::io;

use undine_sim::{Reader, Writer};

use super::super::pipe_set::PipeSet;
use super::super::tiling::{Tiling, WIDTH};
use super::super::visits::Visits;
use super::pools::{self, Levelling, Pools};
use super::seams::{SeamMeans, Seams};
use super::window::{WindowState, Windows};
use super::{ManagedStep, ManagedWater, Manager};

/// The calm band in units. In a river of Manning's n = 0.035 rounding moves columns by 60 to 100 units to and fro.
const CALM_BAND: i32 = 128;

/// Tiles that sleep, with their accounts.
pub(in super::super) struct Exact {
    /// Δx/√(g δ) in √units·s: the time in which a long wave crosses a cell of depth n units is this over √n.
    cell_time: f64,
    /// The longest window that friction asks for, 5/k, in seconds.
    longest_window: f64,
    /// Units booked on each tile.
    accounts: Vec<i64>,
    /// What was booked on each tile at the end of the last step.
    before: Vec<i64>,
    /// Wet columns of each tile that sleeps.
    wet: Vec<u32>,
    /// The window of each tile is 2ⁿ times the least.
    patience: Vec<u8>,
    /// Units of its account that each tile has been given since it fell asleep.
    raised: Vec<i64>,
    /// Whether more water passes through each tile in a window than the band holds.
    is_river: Vec<u32>,
    /// Whether the still water of each tile lies in several places: what one is given must not be spread over all.
    is_divided: Vec<u32>,
    /// When each tile fell asleep.
    asleep_since: Vec<f64>,
    /// Standard deviation of the flows to each tile before it fell asleep, in units per second.
    unrest: Vec<f64>,
    windows: Windows,
    seams: Seams,
    means: SeamMeans,
    pools: Pools,
    /// Steps so far: windows are compared on every eighth.
    steps: u64,
    /// Time at the end of the last step in seconds.
    time: f64,
    /// Time for which the seams have still to flow: that of a step, until its sources are done.
    due: f64,
    /// How often a tile has fallen asleep, and woken.
    transitions: [u64; 2],
}

/// A window is never more than 2⁶ times the least.
const MOST_PATIENCE: u8 = 6;

/// Without a rate of friction a tile in which a lake drains is watched for as many of its least windows.
const LEASTS_TO_DRAIN: f64 = 16.0;

/// The account of a tile with fewer wet columns may be as large as with these.
const FEWEST: u32 = 8;

/// Steps from one comparison of volumes with the window's to the next: in fewer, no wave passes a cell unseen.
const STRIDE: u64 = 8;

impl Exact {
    pub fn new(tiling: &Tiling, cell_time: f64, friction: f64) -> Exact {
        Exact {
            cell_time,
            longest_window: if friction > 0.0 { 5.0 / friction } else { f64::INFINITY },
            accounts: vec![0; tiling.count()],
            before: vec![0; tiling.count()],
            wet: vec![0; tiling.count()],
            patience: vec![0; tiling.count()],
            raised: vec![0; tiling.count()],
            is_river: vec![0; tiling.count()],
            is_divided: vec![0; tiling.count()],
            asleep_since: vec![0.0; tiling.count()],
            unrest: vec![0.0; tiling.count()],
            windows: Windows::new(tiling),
            seams: Seams::new(tiling),
            means: SeamMeans::new(tiling),
            pools: Pools::default(),
            steps: 0,
            time: 0.0,
            due: 0.0,
            transitions: [0; 2],
        }
    }

    /// Whether a sleeping tile must wake for what is booked on it.
    fn is_overdue(&self, water: &mut ManagedWater<'_>, tile: usize) -> bool {
        let owed = self.accounts[tile].saturating_add((water.rain_owed)(tile));
        if owed == 0 {
            return false;
        }
        let band = |columns: u32| 2 * i64::from(CALM_BAND) * i64::from(columns.max(FEWEST));
        let of_one = if self.is_divided[tile] != 0 { i64::from(CALM_BAND) } else { band(self.wet[tile]) };
        // Half of every column stays available to the pipes of a step, see the limiter
        owed.saturating_add(self.raised[tile]).abs() > band(self.wet[tile])
            || self.accounts[tile].saturating_add(self.raised[tile]).abs() > of_one
            || -self.accounts[tile] > water.sums(tile).total / 4
    }

    /// Lengthens or shortens the next window of a tile that its own account wakes, so that it sleeps for four times as long
    /// as it is watched, or not at all.
    fn judge(&mut self, tile: usize) {
        let window = self.seams.time(tile) * f64::from(1_u32 << self.patience[tile]);
        self.patience[tile] = if self.time - self.asleep_since[tile] > 4.0 * window {
            self.patience[tile].saturating_sub(1)
        } else {
            (self.patience[tile] + 1).min(MOST_PATIENCE)
        };
    }

    /// Puts the tiles to sleep that have been quiet for long enough.
    fn rest(&mut self, water: &mut ManagedWater<'_>) {
        let tiling = water.columns.tiling;
        if !self.steps.is_multiple_of(STRIDE) {
            return;
        }
        self.windows.compare(water.columns, water.visits, CALM_BAND, self.steps, self.time);
        for tile in 0..tiling.count() {
            if !water.visits.is_awake(tile) || self.accounts[tile] != 0 {
                continue;
            }
            let WindowState { steps, seconds } = self.windows.state(tile, self.steps, self.time);
            self.means.sample(water, tile, steps == 0);
            let sums = *water.sums(tile);
            let is_dry = sums.total == 0 && !is_flooded(water, tile);
            let wave = self.cell_time * WIDTH as f64 / f64::from(sums.deepest.max(1)).sqrt();
            let factor = 1_u32 << self.patience[tile];
            let least = (2.0 * wave).min(self.longest_window);
            let longest = self.longest_window.max(least);
            let is_long = steps >= 32 && seconds >= (f64::from(factor) * least).min(longest);
            let is_settled = || seconds >= self.drain_window(least) || !self.is_draining(water, tile, least);
            let is_quiet = sums.total > 0 && is_long && is_settled();
            if is_dry || is_quiet {
                self.put_to_sleep(water, tile, least);
                if is_quiet {
                    self.level_pool(water, tile);
                }
            }
        }
    }

    /// How long a tile in which a lake drains must be quiet, in seconds: such a drift does not sway back, and what a sleeping
    /// lake still stands above its outlet stays there.
    fn drain_window(&self, least: f64) -> f64 {
        if self.longest_window.is_finite() { 2.0 * self.longest_window } else { LEASTS_TO_DRAIN * least }
    }

    /// Whether water that stands in a tile runs down over a sill to other water or dry ground, more than would leave the
    /// band of a column in the time for which a draining tile is watched. Rivers run for ever, and are none.
    fn is_draining(&self, water: &ManagedWater<'_>, tile: usize, least: f64) -> bool {
        let tiling = water.columns.tiling;
        if self.is_passed(water, tile, least) {
            return false;
        }
        let slowest = f64::from(CALM_BAND) / self.drain_window(least);
        let [along_x, along_y] = tiling.extent(tile);
        let mut cells = along_y.flat_map(|y| along_x.clone().map(move |x| [x, y]));
        cells.any(|cell| {
            let own = tiling.index(cell);
            water.sets.iter().any(|set| {
                let flow = f64::from(set.values[PipeSet::flow_index(&tiling, own)]);
                flow.abs() > slowest
                    && tiling.beside(cell, set.direction.offset).is_some_and(|beside| {
                        let fall = water.columns.level(own) - water.columns.level(tiling.index(beside));
                        fall.abs() > 4 * CALM_BAND
                    })
            })
        })
    }

    /// Whether more water passes through a tile within its least window than the band holds.
    fn is_passed(&self, water: &ManagedWater<'_>, tile: usize, window: f64) -> bool {
        let length = water.columns.tiling.tile_len();
        let volumes = &water.columns.volume[tile * length..(tile + 1) * length];
        let wet = volumes.iter().filter(|volume| **volume > 0).count();
        self.means.passing(tile) * window > f64::from(CALM_BAND) * wet as f64
    }

    /// Puts a tile to sleep; `window` is the least time in seconds for which it was quiet.
    fn put_to_sleep(&mut self, water: &mut ManagedWater<'_>, tile: usize, window: f64) {
        let tiling = water.columns.tiling;
        water.visits.set_awake(&tiling, tile, false);
        self.windows.close(tile);
        self.transitions[0] += 1;
        water.sums(tile).received = 0;
        self.before[tile] = self.accounts[tile];
        let length = tiling.tile_len();
        let volumes = &water.columns.volume[tile * length..(tile + 1) * length];
        self.wet[tile] = volumes.iter().filter(|volume| **volume > 0).count() as u32;
        self.unrest[tile] = self.means.deviation(tile);
        self.raised[tile] = 0;
        let is_river = self.is_passed(water, tile, window);
        self.is_river[tile] = u32::from(is_river);
        self.is_divided[tile] = u32::from(!is_river && pools::are_several(water, tile));
        self.asleep_since[tile] = self.time;
        self.seams.freeze(water, &self.means, tile, window);
        // The pipes that no step visits any more keep remainders only
        for tile in tiling.around(tile) {
            for set in &mut *water.sets {
                keep_remainders(set, &tiling, tile);
            }
        }
    }

    /// Levels the pool of a sleeping tile, with what is booked on it; whether there is one. Tiles beyond a sill wake.
    fn level_pool(&mut self, water: &mut ManagedWater<'_>, tile: usize) -> bool {
        match self.pools.level(water, tile, &mut self.accounts, 4 * CALM_BAND) {
            Levelling::NoPool => false,
            Levelling::Level(spills) => {
                for &tile in self.pools.tiles() {
                    (self.raised[tile], self.before[tile]) = (0, self.accounts[tile]);
                }
                self.seams.still(|tile| self.pools.has_tile(tile));
                spills.into_iter().for_each(|tile| self.wake(water, tile));
                true
            }
        }
    }

    /// Spreads the account of a tile over its wet columns, evenly and with the rest in the order of the columns. What there is no room
    /// for stays on the account.
    fn settle(&mut self, water: &mut ManagedWater<'_>, tile: usize) {
        let length = water.columns.tiling.tile_len();
        let columns = tile * length..(tile + 1) * length;
        while self.accounts[tile] != 0 {
            let account = self.accounts[tile];
            let can_take = |water: &ManagedWater<'_>, index: usize| {
                water.columns.volume[index] > 0 && (account < 0 || water.columns.headroom(index) > 0)
            };
            let count = columns.clone().filter(|&index| can_take(water, index)).count() as i64;
            if count == 0 {
                // On dry ground it gathers in the lowest place
                let lowest = columns.clone().min_by_key(|&index| water.columns.bed[index]);
                let units = account.clamp(0, i64::from(i32::MAX)) as i32;
                self.accounts[tile] -= lowest.map_or(0, |index| i64::from(water.add(index, units)));
                break;
            }
            let (share, rest) = (account / count, account % count);
            let mut given = 0;
            let mut number = 0;
            for index in columns.clone() {
                if can_take(water, index) {
                    let extra = if number < rest.abs() { rest.signum() } else { 0 };
                    let units = (share + extra).clamp(i64::from(i32::MIN), i64::from(i32::MAX));
                    given += i64::from(water.add(index, units as i32));
                    number += 1;
                }
            }
            self.accounts[tile] -= given;
            if given == 0 {
                break;
            }
        }
    }
}

/// Whether a tile lies at a side of the domain.
fn is_at_side(tiling: &Tiling, tile: usize) -> bool {
    let (extent, cells) = (tiling.extent(tile), tiling.cells());
    (0..2).any(|axis| extent[axis].start == 0 || extent[axis].end == cells[axis])
}

/// Leaves of the transfers of a tile's pipes what rounding has left over, which is what the next step carries.
fn keep_remainders(set: &mut PipeSet, tiling: &Tiling, tile: usize) {
    let length = tiling.tile_len();
    for transfer in &mut set.values[(2 * tile + 1) * length..(2 * tile + 2) * length] {
        *transfer -= transfer.round_ties_even();
    }
}

impl Manager for Exact {
    fn prepare(&mut self, water: &mut ManagedWater<'_>) {
        // With what sources have added, so that a spring and the flow that it feeds balance in every step
        let dt = std::mem::take(&mut self.due);
        self.seams.pass_on(dt, &self.before, &self.raised, &mut self.accounts);
        for tile in 0..water.columns.tiling.count() {
            if water.visits.is_awake(tile) {
                self.settle(water, tile);
            } else if self.is_overdue(water, tile) {
                if (water.rain_owed)(tile) == 0 && self.level_pool(water, tile) {
                    // What runs over its sills depends on the level
                    for outlet in self.seams.outlets(|tile| self.pools.has_tile(tile)) {
                        self.judge(outlet);
                        self.wake(water, outlet);
                    }
                    continue;
                }
                self.judge(tile);
                self.wake(water, tile);
            } else if water.visits.is_touched(tile) && is_flooded(water, tile) {
                self.wake(water, tile);
            } else {
                let surge = (self.accounts[tile] - self.before[tile]).abs();
                let usual = i64::from(CALM_BAND) * WIDTH as i64 + (6.0 * self.unrest[tile] * dt) as i64;
                if surge > usual {
                    if surge > 4 * usual {
                        self.patience[tile] = 0
                    } else {
                        self.judge(tile)
                    }
                    self.wake(water, tile);
                } else if self.is_river[tile] != 0
                    && (water.visits.is_touched(tile) || is_at_side(&water.columns.tiling, tile))
                    && self.accounts[tile].abs() >= i64::from(CALM_BAND / 8) * i64::from(self.wet[tile])
                {
                    // Awake neighbours and open sides see the level that this makes
                    self.raised[tile] += self.accounts[tile];
                    self.settle(water, tile);
                    self.raised[tile] -= self.accounts[tile];
                }
            }
        }
        self.before.copy_from_slice(&self.accounts);
        self.rest(water);
    }

    fn conclude(&mut self, water: &mut ManagedWater<'_>, step: ManagedStep) {
        self.steps += 1;
        (self.time, self.due) = (step.time, step.dt);
        for tile in 0..self.accounts.len() {
            if !water.visits.is_awake(tile) {
                self.accounts[tile] += std::mem::take(&mut water.sums(tile).received);
            }
        }
    }

    fn book(&mut self, water: &mut ManagedWater<'_>, index: usize, units: i32) -> i32 {
        let tile = index / water.columns.tiling.tile_len();
        if units == 0 {
            return 0;
        }
        let is_wet = water.columns.volume[index] > water.film;
        let has_water = units > 0 || i64::from(-units) - self.accounts[tile] <= water.sums(tile).total / 4;
        if is_wet && has_water {
            self.accounts[tile] += i64::from(units);
            return units;
        }
        if !is_wet && units < 0 {
            // A drain in a column that has run dry takes what comes
            let taken = i64::from(-units).min(self.accounts[tile].max(0));
            self.accounts[tile] -= taken;
            return -(taken as i32);
        }
        self.patience[tile] = 0;
        self.wake(water, tile);
        water.add(index, units)
    }

    fn wake(&mut self, water: &mut ManagedWater<'_>, tile: usize) {
        if water.visits.is_awake(tile) {
            return;
        }
        self.seams.thaw(tile, self.due, &self.before, &self.raised, &mut self.accounts);
        self.settle(water, tile);
        let tiling = water.columns.tiling;
        water.visits.set_awake(&tiling, tile, true);
        self.transitions[1] += 1;
    }

    #[cfg(any(test, feature = "checks"))]
    fn transitions(&self) -> [u64; 2] {
        self.transitions
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        let own = std::mem::size_of_val(&*self.accounts)
            + std::mem::size_of_val(&*self.before)
            + std::mem::size_of_val(&*self.wet)
            + std::mem::size_of_val(&*self.patience)
            + std::mem::size_of_val(&*self.raised)
            + std::mem::size_of_val(&*self.is_river)
            + std::mem::size_of_val(&*self.is_divided)
            + std::mem::size_of_val(&*self.asleep_since)
            + std::mem::size_of_val(&*self.unrest);
        own + self.seams.bytes() + self.means.bytes() + self.windows.bytes() + self.pools.bytes()
    }

    fn held(&self) -> i128 {
        self.accounts.iter().map(|&units| i128::from(units)).sum()
    }

    fn save(&self, visits: &Visits, to: &mut Writer<'_>) -> io::Result<()> {
        let tiles = 0..self.accounts.len();
        to.records(
            "accounts",
            tiles.clone().map(|tile| [u64::from(visits.is_awake(tile)), self.accounts[tile] as u64]),
        )?;
        to.values("steps", &[self.steps, self.transitions[0], self.transitions[1]])?;
        to.records("before", self.before.iter().map(|units| [*units as u64]))?;
        to.values("wet", &self.wet)?;
        to.values("patience", &self.patience)?;
        to.records("raised", self.raised.iter().map(|units| [*units as u64]))?;
        to.values("is river", &self.is_river)?;
        to.values("is divided", &self.is_divided)?;
        to.values("asleep since", &self.asleep_since)?;
        to.values("unrest", &self.unrest)?;
        self.windows.save(to)?;
        self.seams.save(to)?;
        self.means.save(to)
    }

    fn restore(&mut self, water: &mut ManagedWater<'_>, from: &mut Reader<'_>) -> io::Result<()> {
        let tiling = water.columns.tiling;
        let (mut tile, accounts, visits) = (0, &mut self.accounts, &mut *water.visits);
        from.records("accounts", |[is_awake, units]: [u64; 2]| {
            if let Some(account) = accounts.get_mut(tile) {
                *account = units as i64;
                visits.set_awake(&tiling, tile, is_awake != 0);
            }
            tile += 1;
        })?;
        if tile != accounts.len() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the saved accounts are of other tiles"));
        }
        [self.steps, self.transitions[0], self.transitions[1]] = from.array("steps")?;
        let mut before = self.before.iter_mut();
        from.records("before", |[units]: [u64; 1]| {
            if let Some(before) = before.next() {
                *before = units as i64;
            }
        })?;
        from.values_into("wet", &mut self.wet)?;
        from.values_into("patience", &mut self.patience)?;
        let mut raised = self.raised.iter_mut();
        from.records("raised", |[units]: [u64; 1]| {
            if let Some(raised) = raised.next() {
                *raised = units as i64;
            }
        })?;
        from.values_into("is river", &mut self.is_river)?;
        from.values_into("is divided", &mut self.is_divided)?;
        from.values_into("asleep since", &mut self.asleep_since)?;
        from.values_into("unrest", &mut self.unrest)?;
        self.patience.iter_mut().for_each(|patience| *patience = (*patience).min(MOST_PATIENCE));
        self.windows.restore(from)?;
        self.seams.restore(&tiling, from)?;
        self.means.restore(from)
    }
}

/// Whether water stands above the sill to a dry column of a sleeping tile, in a tile that is awake.
fn is_flooded(water: &ManagedWater<'_>, tile: usize) -> bool {
    let (columns, tiling) = (&*water.columns, water.columns.tiling);
    let [along_x, along_y] = tiling.extent(tile);
    let is_edge = |[x, y]: [usize; 2]| {
        x == along_x.start || x + 1 == along_x.end || y == along_y.start || y + 1 == along_y.end
    };
    let cells = along_y.clone().flat_map(|y| along_x.clone().map(move |x| [x, y]));
    cells.filter(|&cell| is_edge(cell)).any(|cell| {
        let own = tiling.index(cell);
        columns.volume[own] == 0
            && water.sets.iter().any(|set| {
                [set.direction.offset, set.direction.opposite()].into_iter().any(|offset| {
                    tiling.beside(cell, offset).is_some_and(|beside| {
                        let index = tiling.index(beside);
                        water.visits.is_awake(tiling.tile_of(beside))
                            && columns.volume[index] > 0
                            && columns.level(index) > columns.bed[own]
                    })
                })
            })
    })
}
