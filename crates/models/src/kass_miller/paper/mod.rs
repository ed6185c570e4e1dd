//! The algorithm of [kass1990] as printed: two levels h(n−1) and h(n−2), and volume restored after each step for every
//! connected component.
//!
//! ```text
//!     A h(n) = h(n−1) + (1 − τ)(h(n−1) − h(n−2))                 eq. (17), A of eqs. (15) and (16)
//! ```
//!
//! along rows and then along columns, eqs. (19) and (20): one extrapolation, two implicit sweeps. Sources are added to
//! both levels. A sample that ends below the bed is dry, and both its levels are set to b − ε. Then each connected
//! component of fluid gets back the volume that this clipping created or removed ([`components`]).
//!
//! One thing differs. To the letter, the level of dry ground beside water would act on it, and water against a steep wall
//! would not stay at rest. So a face is open only when the higher surface stands above the higher bed. Its conductance is
//! still one number for both samples, so the columns of A still sum to 1.
//!
//! This scheme is for comparison: double precision, one thread, walls on all sides. The other schemes conserve volume
//! without a repair ([`adi_sweep`](super::adi_sweep)).

mod components;
mod levels;

use undine_grid::tridiagonal::{Reduced, TridiagonalRow, solve};
use undine_grid::{Grid, Real};

use self::components::FluidComponents;
use super::adi_sweep::SweepSums;
use super::height_field::{HeightField, TimeWeights};

/// The two levels and work arrays.
pub struct Paper {
    columns: usize,
    rows: usize,
    /// Bed above the height field's reference.
    bed: Vec<f64>,
    /// h(n−1) and h(n−2).
    level: Vec<f64>,
    last: Vec<f64>,
    /// Depth last written to the height field; the difference to its present depth is what sources added.
    written: Vec<f64>,
    /// Length of the previous step.
    dt: f64,
    /// ε: dry levels are b − ε.
    epsilon: f64,
    depth: Vec<f64>,
    next: Vec<f64>,
    line: Vec<f64>,
    room: Vec<Reduced<f64>>,
    components: FluidComponents,
}

impl Paper {
    /// Starts from the height field: h(0) from h(1) and the velocities, by eq. (6).
    pub fn new<T: Real, const W: usize>(height_field: &HeightField<T, W>, first_dt: f64) -> Paper {
        let grid: &Grid<2> = height_field.grid();
        let [columns, rows] = grid.cells();
        let count = columns * rows;
        let dense = |value: &dyn Fn([usize; 2]) -> f64| -> Vec<f64> {
            (0..count).map(|index| value([index % columns, index / columns])).collect()
        };
        // Bed and depth without ghosts, row by row
        let mut paper = Paper {
            bed: dense(&|cell| height_field.bed[cell].to_f64()),
            level: vec![0.0; count],
            last: vec![0.0; count],
            written: vec![0.0; count],
            dt: first_dt,
            epsilon: height_field.film,
            depth: dense(&|cell| height_field.depth[cell].to_f64()),
            next: vec![0.0; count],
            line: vec![0.0; columns.max(rows)],
            room: vec![Reduced::default(); columns.max(rows)],
            components: FluidComponents::new(count),
            columns,
            rows,
        };
        // h(1) from the depths, then h(0) from h(1) and the velocities
        for index in 0..count {
            paper.set_levels(index, paper.bed[index] + paper.depth[index], paper.depth[index] > 0.0);
            paper.written[index] = paper.depth[index];
        }
        for axis in 0..2 {
            paper.set_initial_difference(height_field, axis, first_dt / grid.spacing()[axis]);
        }
        paper
    }

    /// Sets both levels: `level` where wet, b − ε where dry.
    fn set_levels(&mut self, index: usize, level: f64, is_wet: bool) {
        let level = if is_wet { level } else { self.bed[index] - self.epsilon };
        (self.level[index], self.last[index]) = (level, level);
    }

    /// Sets h(n−1) − h(n−2) = −Δt ∂(d u)/∂x.
    fn set_initial_difference<T: Real, const W: usize>(
        &mut self,
        height_field: &HeightField<T, W>,
        axis: usize,
        dt_over_dx: f64,
    ) {
        for index in 0..self.level.len() {
            let Some(low) = self.low_neighbour(index, axis) else { continue };
            let cell = [index % self.columns, index / self.columns];
            let flux = 0.5
                * (self.depth[index] + self.depth[low])
                * height_field.face_speed(axis, cell)
                * dt_over_dx;
            // Only where both samples stay wet
            if self.depth[index] > flux.abs() && self.depth[low] > flux.abs() {
                self.last[low] += flux;
                self.last[index] -= flux;
            }
        }
    }

    /// Takes over the bed of the height field, also where it has changed.
    fn load_bed<T: Real, const W: usize>(&mut self, height_field: &HeightField<T, W>) {
        for (index, bed) in self.bed.iter_mut().enumerate() {
            *bed = height_field.bed[[index % self.columns, index / self.columns]].to_f64();
        }
    }

    /// Raises and lowers both levels with ground that has changed, so that depths stay.
    pub fn move_with<T: Real, const W: usize>(&mut self, height_field: &HeightField<T, W>) {
        self.add_source_changes(height_field);
        for index in 0..self.bed.len() {
            let cell = [index % self.columns, index / self.columns];
            let (depth, rise) = (self.level[index] - self.bed[index], self.level[index] - self.last[index]);
            let bed = height_field.bed[cell].to_f64();
            if bed == self.bed[index] {
                continue;
            }
            self.bed[index] = bed;
            self.set_levels(index, bed + depth, depth > 0.0);
            if depth > 0.0 {
                self.last[index] = self.level[index] - rise;
            }
        }
    }

    /// Index of the previous sample along an axis.
    fn low_neighbour(&self, index: usize, axis: usize) -> Option<usize> {
        let (column, row) = (index % self.columns, index / self.columns);
        if axis == 0 { (column > 0).then(|| index - 1) } else { (row > 0).then(|| index - self.columns) }
    }

    /// One iteration of the algorithm; writes depths and velocities to the height field.
    pub fn step<T: Real, const W: usize>(
        &mut self,
        height_field: &mut HeightField<T, W>,
        dt: f64,
        gravity: f64,
        weights: TimeWeights,
    ) -> SweepSums {
        self.add_source_changes(height_field);
        for (depth, (level, bed)) in self.depth.iter_mut().zip(self.level.iter().zip(&self.bed)) {
            *depth = (level - bed).max(0.0);
        }
        let undamped = 1.0 - weights.damping;
        // Extrapolate, with the difference rescaled to the present dt
        let extrapolation = undamped * dt / std::mem::replace(&mut self.dt, dt);
        for index in 0..self.next.len() {
            self.next[index] = self.level[index] + extrapolation * (self.level[index] - self.last[index]);
        }
        // Implicit sweeps, volume repair, new levels
        let spacing = height_field.grid().spacing();
        (0..2).for_each(|axis| self.sweep(axis, gravity * (dt / spacing[axis]).powi(2)));
        self.restore_volume();
        self.shift_levels();
        let sums = self.write_depths(height_field);
        (0..2).for_each(|axis| {
            self.update_velocities(height_field, axis, gravity * dt / spacing[axis], undamped)
        });
        sums
    }

    /// Adds to both levels what sources have added to the depths.
    fn add_source_changes<T: Real, const W: usize>(&mut self, height_field: &HeightField<T, W>) {
        for index in 0..self.level.len() {
            let depth = height_field.depth[[index % self.columns, index / self.columns]].to_f64();
            let added = depth - self.written[index];
            if added == 0.0 {
                continue;
            }
            if self.level[index] > self.bed[index] && self.level[index] + added > self.bed[index] {
                self.level[index] += added;
                self.last[index] += added;
            } else {
                self.set_levels(index, self.bed[index] + depth, depth > 0.0);
            }
        }
    }

    /// Solves A h = h along every line of an axis; `courant_factor` is g (Δt/Δx)².
    fn sweep(&mut self, axis: usize, courant_factor: f64) {
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
            let (face, next) =
                (|low: usize| courant_factor * self.conductance(at(low), at(low + 1)), &self.next);
            let row = |index: usize| {
                let lower = if index > 0 { -face(index - 1) } else { 0.0 };
                let upper = if index + 1 < length { -face(index) } else { 0.0 };
                TridiagonalRow { lower, diagonal: 1.0 - lower - upper, upper, right: next[at(index)] }
            };
            solve(row, &mut unknowns[..length], &mut room[..length]);
            (0..length).for_each(|index| self.next[at(index)] = unknowns[index]);
            (self.line, self.room) = (unknowns, room);
        }
    }

    /// Mean depth of two neighbours, eq. (16); zero at a closed face.
    fn conductance(&self, a: usize, b: usize) -> f64 {
        if self.is_open(a, b) { 0.5 * (self.depth[a] + self.depth[b]) } else { 0.0 }
    }

    /// Whether the higher surface stands above the higher bed.
    fn is_open(&self, a: usize, b: usize) -> bool {
        let surface =
            |index: usize| if self.depth[index] > 0.0 { self.level[index] } else { f64::NEG_INFINITY };
        surface(a).max(surface(b)) > self.bed[a].max(self.bed[b])
    }

    /// Merges samples with open faces into components, and restores the volume of each.
    fn restore_volume(&mut self) {
        self.components.reset();
        for index in 0..self.level.len() {
            for axis in 0..2 {
                if let Some(low) = self.low_neighbour(index, axis).filter(|&low| self.is_open(low, index)) {
                    self.components.merge(low, index);
                }
            }
        }
        self.components.restore(&self.bed, &self.level, &mut self.next);
    }

    /// Shifts h(n−1) to h(n−2) and h(n) to h(n−1); samples below the bed become dry.
    fn shift_levels(&mut self) {
        for index in 0..self.level.len() {
            if self.next[index] > self.bed[index] {
                (self.last[index], self.level[index]) = (self.level[index], self.next[index]);
            } else {
                self.set_levels(index, 0.0, false);
            }
        }
    }

    /// Velocities by eq. (7), for output only: the levels do not depend on them.
    fn update_velocities<T: Real, const W: usize>(
        &self,
        height_field: &mut HeightField<T, W>,
        axis: usize,
        g_dt_over_dx: f64,
        undamped: f64,
    ) {
        for index in 0..self.level.len() {
            let Some(low) = self.low_neighbour(index, axis) else { continue };
            let cell = [index % self.columns, index / self.columns];
            let is_wet = self.level[index] > self.bed[index] && self.level[low] > self.bed[low];
            let old = height_field.face_speed(axis, cell);
            let new = if is_wet {
                undamped * old - g_dt_over_dx * (self.level[index] - self.level[low])
            } else {
                0.0
            };
            height_field.set_speed(axis, cell, new);
        }
    }

    /// Writes the depths to the height field.
    fn write_depths<T: Real, const W: usize>(&mut self, height_field: &mut HeightField<T, W>) -> SweepSums {
        let mut sums = SweepSums::default();
        for index in 0..self.level.len() {
            let cell = [index % self.columns, index / self.columns];
            let depth = T::from_f64((self.level[index] - self.bed[index]).max(0.0));
            height_field.depth[cell] = depth;
            self.written[index] = depth.to_f64();
            sums.held += depth.to_f64();
            sums.bare += usize::from(depth.to_f64() <= height_field.film);
        }
        height_field.has_bare_ground = sums.bare > 0;
        sums
    }
}

#[cfg(test)]
mod tests;
