//! The algorithm of [kass1990] as it is printed: two levels are kept, h(n−1) and h(n−2), and volume is restored after
//! each step, piece by piece.
//!
//! ```text
//!     A h(n) = h(n−1) + (1 − τ)(h(n−1) − h(n−2))                 eq. (17), A of eqs. (15) and (16)
//! ```
//!
//! along rows and then along columns, eqs. (19) and (20): one extrapolation, two implicit sweeps. What is poured in is
//! added to both levels. A sample that ends below the ground is dry, and both its levels are set to b − ε. Then each
//! connected piece of fluid gets back what that clipping gave it or took from it ([`pieces`]).
//!
//! One thing differs. To the letter, dry ground beside water would press on it with its own height, and water against a
//! steep wall would not stay at rest. So water passes between two samples only when the higher surface stands above
//! the higher ground. The conductance between them is still one number for both, so the columns of A still sum to 1.
//!
//! This is here to compare with: in double precision, on one thread, with walls on all sides. The other schemes keep
//! volume without a repair ([`stage`](super::stage)).

mod levels;
mod pieces;

use undine_grid::tridiagonal::{Reduced, Row, solve};
use undine_grid::{Grid, Real};

use self::pieces::Pieces;
use super::basin::{Basin, Weights};
use super::stage::Outcome;

/// The two levels, and room to work in.
pub struct Paper {
    columns: usize,
    rows: usize,
    /// Ground above the basin's reference.
    bed: Vec<f64>,
    /// h(n−1) and h(n−2).
    level: Vec<f64>,
    last: Vec<f64>,
    /// The depth that the basin was last given, so that what has been poured since can be told.
    shown: Vec<f64>,
    /// Length of the step that led from the last level to this one.
    dt: f64,
    /// How far dry levels stand below the ground.
    epsilon: f64,
    depth: Vec<f64>,
    next: Vec<f64>,
    line: Vec<f64>,
    room: Vec<Reduced<f64>>,
    pieces: Pieces,
}

impl Paper {
    /// Begins with the basin as it is: h(0) from h(1) and the velocities, by eq. (6).
    pub fn new<T: Real, const W: usize>(basin: &Basin<T, W>, first_dt: f64) -> Paper {
        let grid: &Grid<2> = basin.grid();
        let [columns, rows] = grid.cells();
        let count = columns * rows;
        let dense = |value: &dyn Fn([usize; 2]) -> f64| -> Vec<f64> {
            (0..count).map(|index| value([index % columns, index / columns])).collect()
        };
        let mut paper = Paper {
            bed: dense(&|cell| basin.bed[cell].to_f64()),
            level: vec![0.0; count],
            last: vec![0.0; count],
            shown: vec![0.0; count],
            dt: first_dt,
            epsilon: basin.film,
            depth: dense(&|cell| basin.depth[cell].to_f64()),
            next: vec![0.0; count],
            line: vec![0.0; columns.max(rows)],
            room: vec![Reduced::default(); columns.max(rows)],
            pieces: Pieces::new(count),
            columns,
            rows,
        };
        for index in 0..count {
            paper.place(index, paper.bed[index] + paper.depth[index], paper.depth[index] > 0.0);
            paper.shown[index] = paper.depth[index];
        }
        for axis in 0..2 {
            paper.start_moving(basin, axis, first_dt / grid.spacing()[axis]);
        }
        paper
    }

    /// A wet sample stands at `level`; a dry one at b − ε.
    fn place(&mut self, index: usize, level: f64, is_wet: bool) {
        let level = if is_wet { level } else { self.bed[index] - self.epsilon };
        (self.level[index], self.last[index]) = (level, level);
    }

    /// Puts −Δt ∂(d u)/∂x into the difference of the two levels.
    fn start_moving<T: Real, const W: usize>(&mut self, basin: &Basin<T, W>, axis: usize, pace: f64) {
        for index in 0..self.level.len() {
            let Some(before) = self.before(index, axis) else { continue };
            let cell = [index % self.columns, index / self.columns];
            let flux = 0.5 * (self.depth[index] + self.depth[before]) * basin.face_speed(axis, cell) * pace;
            // Only water that stays wet when it is taken back a step.
            if self.depth[index] > flux.abs() && self.depth[before] > flux.abs() {
                self.last[before] += flux;
                self.last[index] -= flux;
            }
        }
    }

    /// The neighbour below along an axis.
    fn before(&self, index: usize, axis: usize) -> Option<usize> {
        let (column, row) = (index % self.columns, index / self.columns);
        if axis == 0 { (column > 0).then(|| index - 1) } else { (row > 0).then(|| index - self.columns) }
    }

    /// One iteration of the algorithm; the basin's depths and velocities follow.
    pub fn step<T: Real, const W: usize>(
        &mut self,
        basin: &mut Basin<T, W>,
        dt: f64,
        gravity: f64,
        weights: Weights,
    ) -> Outcome {
        self.take_up_what_was_poured(basin);
        for (depth, (level, bed)) in self.depth.iter_mut().zip(self.level.iter().zip(&self.bed)) {
            *depth = (level - bed).max(0.0);
        }
        let kept = 1.0 - weights.damping;
        // h(n−1) − h(n−2) was the motion of a step of the length before.
        let carried = kept * dt / std::mem::replace(&mut self.dt, dt);
        for index in 0..self.next.len() {
            self.next[index] = self.level[index] + carried * (self.level[index] - self.last[index]);
        }
        let spacing = basin.grid().spacing();
        (0..2).for_each(|axis| self.sweep(axis, gravity * (dt / spacing[axis]).powi(2)));
        self.restore_volume();
        self.dry();
        let outcome = self.show(basin);
        (0..2).for_each(|axis| self.follow(basin, axis, gravity * dt / spacing[axis], kept));
        outcome
    }

    /// Adds to the current and the last level what sources have added to the basin's depths.
    fn take_up_what_was_poured<T: Real, const W: usize>(&mut self, basin: &Basin<T, W>) {
        for index in 0..self.level.len() {
            let depth = basin.depth[[index % self.columns, index / self.columns]].to_f64();
            let poured = depth - self.shown[index];
            if poured == 0.0 {
                continue;
            }
            if self.level[index] > self.bed[index] && self.level[index] + poured > self.bed[index] {
                self.level[index] += poured;
                self.last[index] += poured;
            } else {
                self.place(index, self.bed[index] + depth, depth > 0.0);
            }
        }
    }

    /// Solves A h = h along every line of an axis; `gain` is g (Δt/Δx)².
    fn sweep(&mut self, axis: usize, gain: f64) {
        let (length, lines, stride, step) = match axis {
            0 => (self.columns, self.rows, self.columns, 1),
            _ => (self.rows, self.columns, 1, self.columns),
        };
        if length == 1 {
            return;
        }
        for line in 0..lines {
            let at = |index: usize| line * stride + index * step;
            let mut unknowns = std::mem::take(&mut self.line);
            let mut room = std::mem::take(&mut self.room);
            let (face, next) = (|low: usize| gain * self.conductance(at(low), at(low + 1)), &self.next);
            let row = |index: usize| {
                let lower = if index > 0 { -face(index - 1) } else { 0.0 };
                let upper = if index + 1 < length { -face(index) } else { 0.0 };
                Row { lower, diagonal: 1.0 - lower - upper, upper, right: next[at(index)] }
            };
            solve(row, &mut unknowns[..length], &mut room[..length]);
            (0..length).for_each(|index| self.next[at(index)] = unknowns[index]);
            (self.line, self.room) = (unknowns, room);
        }
    }

    /// Mean depth between two neighbours, eq. (16); zero where the ground is a wall.
    fn conductance(&self, a: usize, b: usize) -> f64 {
        if self.is_open(a, b) { 0.5 * (self.depth[a] + self.depth[b]) } else { 0.0 }
    }

    fn is_open(&self, a: usize, b: usize) -> bool {
        let surface =
            |index: usize| if self.depth[index] > 0.0 { self.level[index] } else { f64::NEG_INFINITY };
        surface(a).max(surface(b)) > self.bed[a].max(self.bed[b])
    }

    fn restore_volume(&mut self) {
        self.pieces.separate();
        for index in 0..self.level.len() {
            for axis in 0..2 {
                if let Some(before) = self.before(index, axis).filter(|&before| self.is_open(before, index)) {
                    self.pieces.join(before, index);
                }
            }
        }
        self.pieces.restore(&self.bed, &self.level, &mut self.next);
    }

    /// h(n) becomes h(n−1); what ended below the ground is dry.
    fn dry(&mut self) {
        for index in 0..self.level.len() {
            if self.next[index] > self.bed[index] {
                (self.last[index], self.level[index]) = (self.level[index], self.next[index]);
            } else {
                self.place(index, 0.0, false);
            }
        }
    }

    /// Velocities by eq. (7), for whoever asks: the levels do not need them.
    fn follow<T: Real, const W: usize>(&self, basin: &mut Basin<T, W>, axis: usize, pull: f64, kept: f64) {
        for index in 0..self.level.len() {
            let Some(before) = self.before(index, axis) else { continue };
            let cell = [index % self.columns, index / self.columns];
            let is_wet = self.level[index] > self.bed[index] && self.level[before] > self.bed[before];
            let old = basin.face_speed(axis, cell);
            let new = if is_wet { kept * old - pull * (self.level[index] - self.level[before]) } else { 0.0 };
            basin.set_speed(axis, cell, new);
        }
    }

    /// Gives the basin the depths of the new level.
    fn show<T: Real, const W: usize>(&mut self, basin: &mut Basin<T, W>) -> Outcome {
        let mut outcome = Outcome::default();
        for index in 0..self.level.len() {
            let cell = [index % self.columns, index / self.columns];
            let depth = T::from_f64((self.level[index] - self.bed[index]).max(0.0));
            basin.depth[cell] = depth;
            self.shown[index] = depth.to_f64();
            outcome.held += depth.to_f64();
            outcome.bare += usize::from(depth.to_f64() <= basin.film);
        }
        basin.has_bare_ground = outcome.bare > 0;
        outcome
    }
}

#[cfg(test)]
mod tests;
