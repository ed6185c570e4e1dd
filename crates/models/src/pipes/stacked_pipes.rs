//! Columns of cells joined by pipes: the volume model of [thompson2009] along a row of columns, corrected.
//!
//! Column i holds the volume vᵢ over the bed gᵢ, so its surface stands at hᵢ = gᵢ + vᵢ/(w d), eq. (4.1). It is divided
//! into n_cell cells of height h_cell above its bed; the uppermost one is open upwards. Each pair of neighbouring cells
//! that overlap is joined by one pipe, whose base is the higher of the two bases and whose top is the lower of the two
//! tops (Algorithm 2; as printed, minimum and maximum are exchanged and a second overlap overwrites the first). Over a
//! step, with the velocity η of a pipe, its length l = Δx and its wetted height s:
//!
//! ```text
//!     P = max(h − base, 0) ρ g + E                                   eqs. (4.3), (4.4), clamped, with E at either end
//!     η′ = (η + Δt/(ρ l) (P_left − P_right)) / (1 + k Δt)            eq. (4.6), friction as the rate k
//!     Q = Σ η′ s d                                                   eq. (4.8), over the pipes between two columns
//! ```
//!
//! Printed, η is a flow rate and s the full overlap; then all depths have one wave speed. With s the wetted part of the
//! overlap, long waves have the speed √(g d) as they should. The pipes between two columns together cover every height
//! above the higher bed exactly once, so with equal velocities any number of cells gives the flow of a single pipe.
//!
//! **Stability**: Δt ≤ Δx/√(2 g d) for a row of columns of depth d, whatever the number of cells.
//!
//! Heights are whole units of δ, as bed and volume are: a unit of volume is the area of a column times δ.

use std::io;

use undine_sim::{Reader, Writer};

/// The part of a pipe that carries water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipeArea {
    /// The height of the overlap, wet or dry, as the thesis has it; h_cell for the uppermost pipe.
    Constant,
    /// The wetted height of the overlap.
    Wetted,
}

/// What the velocities of pipes obey during a step.
#[derive(Debug, Clone, Copy)]
pub struct PipePhysics {
    /// Length of the step Δt in seconds.
    pub dt: f64,
    /// Gravity g in m/s².
    pub gravity: f64,
    /// Length l of a pipe, the distance of two columns, in metres.
    pub length: f64,
    /// Metres per unit of height.
    pub delta: f64,
    /// Friction rate k in 1/s.
    pub friction: f64,
    /// Manning's n in s/m^(1/3), which adds g n² |η|/d^(4/3) to k.
    pub manning: f64,
    /// Bound of |η|/√(g d), d the wetted height above the higher bed.
    pub froude_cap: f64,
    /// The part of a pipe that carries water.
    pub area: PipeArea,
}

/// The water at both ends of the pipes between two columns: left or lower index first.
#[derive(Debug, Clone, Copy)]
pub struct PipeEnds {
    /// Levels of the surface h in units.
    pub level: [i64; 2],
    /// External pressure E as a head E/(ρ g), in metres.
    pub pressure_head: [f64; 2],
}

/// A pipe: the overlap of two neighbouring cells.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pipe {
    base: i64,
    /// `i64::MAX` where it is open upwards.
    top: i64,
}

/// The pipes along a row of columns. The pipes of face i join the columns i and i + 1.
#[derive(Debug, Clone, Default)]
pub struct StackedPipes {
    cell_height: i64,
    cells: usize,
    /// Face i has the pipes `first[i]..first[i + 1]`.
    first: Vec<usize>,
    pipes: Vec<Pipe>,
    /// η of each pipe in m/s.
    velocity: Vec<f64>,
}

impl StackedPipes {
    /// Pipes over a bed, for columns of at most `cells` cells that are `cell_height` units high.
    pub fn new(bed: &[i32], cell_height: i64, cells: usize) -> StackedPipes {
        let mut stack =
            StackedPipes { cell_height: cell_height.max(1), cells: cells.max(1), ..Self::default() };
        stack.lay(bed);
        stack
    }

    /// Lays the pipes over a bed that has changed. Water in the new pipes starts at rest where a pipe of the same base
    /// was not there before.
    pub fn lay(&mut self, bed: &[i32]) {
        let old = std::mem::take(self);
        (self.cell_height, self.cells) = (old.cell_height, old.cells);
        self.first.push(0);
        for (face, pair) in bed.windows(2).enumerate() {
            let start = self.pipes.len();
            self.lay_face([i64::from(pair[0]), i64::from(pair[1])]);
            self.first.push(self.pipes.len());
            let before = if face < old.faces() { old.range(face) } else { 0..0 };
            for pipe in &self.pipes[start..] {
                let same = before.clone().find(|index| old.pipes[*index].base == pipe.base);
                self.velocity.push(same.map_or(0.0, |index| old.velocity[index]));
            }
        }
    }

    /// Algorithm 2 between two columns: cells in rising order, the one that ends first is left first.
    fn lay_face(&mut self, bed: [i64; 2]) {
        let (height, last) = (self.cell_height, self.cells - 1);
        let base_of = |side: usize, cell: usize| bed[side].saturating_add(height.saturating_mul(cell as i64));
        let top_of = |side: usize, cell: usize| if cell == last { i64::MAX } else { base_of(side, cell + 1) };
        let mut cell = [0, 0];
        loop {
            let base = base_of(0, cell[0]).max(base_of(1, cell[1]));
            let tops = [top_of(0, cell[0]), top_of(1, cell[1])];
            let top = tops[0].min(tops[1]);
            if base < top {
                self.pipes.push(Pipe { base, top });
            }
            if top == i64::MAX {
                return;
            }
            for side in 0..2 {
                cell[side] += usize::from(tops[side] == top);
            }
        }
    }

    /// The pipes of a face.
    fn range(&self, face: usize) -> std::ops::Range<usize> {
        self.first[face]..self.first[face + 1]
    }

    /// Number of faces: one less than there are columns.
    pub fn faces(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Advances the pipes of a face and returns their flow per width of the face, Q/d in m²/s, positive from the left
    /// to the right column.
    pub fn advance(&mut self, face: usize, ends: PipeEnds, physics: &PipePhysics) -> f64 {
        let range = self.range(face);
        let upper = ends.level[0].max(ends.level[1]);
        let sill = self.pipes[range.start].base;
        if upper <= sill {
            self.stop(face);
            return 0.0;
        }
        let depth = (upper - sill) as f64 * physics.delta;
        let fastest = physics.froude_cap * (physics.gravity * depth).sqrt();
        let manning = physics.gravity * physics.manning.powi(2) / depth.powf(4.0 / 3.0);
        let mut flow = 0.0;
        for (pipe, velocity) in self.pipes[range.clone()].iter().zip(&mut self.velocity[range]) {
            let bed_friction = if physics.manning > 0.0 { manning * velocity.abs() } else { 0.0 };
            let rate = physics.friction + bed_friction;
            *velocity = pipe.accelerated(*velocity, ends, physics, rate).clamp(-fastest, fastest);
            flow += *velocity * pipe.height(upper, physics.area, self.cell_height) * physics.delta;
        }
        flow
    }

    /// Brings the water in the pipes of a face to rest.
    pub fn stop(&mut self, face: usize) {
        self.set_velocity(face, 0.0);
    }

    /// Sets the velocity in all pipes of a face, in m/s.
    pub fn set_velocity(&mut self, face: usize, velocity: f64) {
        if face < self.faces() {
            let range = self.range(face);
            self.velocity[range].fill(velocity);
        }
    }

    /// Accelerates the water in all pipes of a face by `change` in m/s, from the left to the right column.
    pub fn push(&mut self, face: usize, change: f64) {
        if face < self.faces() {
            let range = self.range(face);
            self.velocity[range].iter_mut().for_each(|velocity| *velocity += change);
        }
    }

    /// Writes the velocities; the pipes follow from the bed.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("stacked pipes", &self.velocity)
    }

    /// Reads the velocities; where the bed has changed so that there are other pipes, they stay as they are.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let mut saved = Vec::new();
        from.list_into("stacked pipes", &mut saved)?;
        if saved.len() == self.velocity.len() {
            self.velocity.copy_from_slice(&saved);
        }
        Ok(())
    }
}

impl Pipe {
    /// η′ of eq. (4.6). A pipe above both surfaces is empty and keeps no velocity; one that is wet at one end only
    /// cannot carry water from the dry end.
    fn accelerated(&self, velocity: f64, ends: PipeEnds, physics: &PipePhysics, rate: f64) -> f64 {
        let is_wet = ends.level.map(|level| level > self.base);
        let head = |side: usize| match is_wet[side] {
            true => (ends.level[side] - self.base) as f64 * physics.delta + ends.pressure_head[side],
            false => 0.0,
        };
        let push = physics.gravity * physics.dt / physics.length * (head(0) - head(1));
        let velocity = (velocity + push) / (1.0 + rate * physics.dt);
        match is_wet {
            [true, true] => velocity,
            [true, false] => velocity.max(0.0),
            [false, true] => velocity.min(0.0),
            [false, false] => 0.0,
        }
    }

    /// s in units of height, below the higher of the two surfaces.
    fn height(&self, upper: i64, area: PipeArea, cell_height: i64) -> f64 {
        let wet = (upper.min(self.top) - self.base).max(0);
        match area {
            PipeArea::Wetted => wet as f64,
            _ if wet == 0 => 0.0,
            PipeArea::Constant if self.top == i64::MAX => cell_height as f64,
            PipeArea::Constant => (self.top - self.base) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHYSICS: PipePhysics = PipePhysics {
        dt: 0.01,
        gravity: 9.81,
        length: 0.5,
        delta: 0.001,
        friction: 0.2,
        manning: 0.0,
        froude_cap: f64::INFINITY,
        area: PipeArea::Wetted,
    };

    fn ends(level: [i64; 2]) -> PipeEnds {
        PipeEnds { level, pressure_head: [0.0; 2] }
    }

    fn overlaps(stack: &StackedPipes, face: usize) -> Vec<[i64; 2]> {
        stack.pipes[stack.range(face)].iter().map(|pipe| [pipe.base, pipe.top]).collect()
    }

    #[test]
    fn each_pair_of_overlapping_cells_has_one_pipe() {
        // Cells of 10: left 0, 10, 20 and up; right 4, 14, 24 and up
        let stack = StackedPipes::new(&[0, 4, 4], 10, 3);
        assert_eq!(overlaps(&stack, 0), [[4, 10], [10, 14], [14, 20], [20, 24], [24, i64::MAX]]);
        // Equal beds: as many pipes as cells
        assert_eq!(overlaps(&stack, 1), [[4, 14], [14, 24], [24, i64::MAX]]);
        assert_eq!((stack.faces(), stack.pipes.len()), (2, 8));
        // A cliff higher than the cells of the lower column: only its open cell reaches
        let cliff = StackedPipes::new(&[100, 0], 10, 3);
        assert_eq!(overlaps(&cliff, 0), [[100, 110], [110, 120], [120, i64::MAX]]);
    }

    #[test]
    fn the_pipes_of_a_face_cover_every_height_above_the_higher_bed_once() {
        for (beds, height, cells) in [([0, 7], 3, 5), ([-40, 13], 8, 2), ([5, 5], 1, 9), ([90, -3], 17, 4)] {
            let pipes = overlaps(&StackedPipes::new(&beds, height, cells), 0);
            assert_eq!(pipes[0][0], i64::from(beds[0].max(beds[1])));
            assert!(pipes.windows(2).all(|pair| pair[0][1] == pair[1][0]), "{pipes:?}");
            assert!(pipes.last().unwrap()[1] == i64::MAX && pipes.len() < 2 * cells);
        }
    }

    #[test]
    fn water_at_one_level_stays_at_rest_over_any_bed() {
        let mut stack = StackedPipes::new(&[0, 30, -12, 50], 9, 4);
        for face in 0..3 {
            assert_eq!(stack.advance(face, ends([44, 44]), &PHYSICS), 0.0);
        }
        // Ground above the water of the lower column draws none up
        assert_eq!(stack.advance(2, ends([44, 50]), &PHYSICS), 0.0);
    }

    #[test]
    fn cells_together_carry_what_a_single_pipe_carries_while_both_ends_are_covered() {
        let bed = [0, 6];
        let mut single = StackedPipes::new(&bed, 10, 1);
        let mut stack = StackedPipes::new(&bed, 10, 8);
        for step in 0..50 {
            // Levels stay above 60, in the uppermost cells of both columns
            let levels = [200 + step, 210 - 2 * step];
            let (one, many) =
                (single.advance(0, ends(levels), &PHYSICS), stack.advance(0, ends(levels), &PHYSICS));
            assert!((one - many).abs() < 1e-12 * one.abs().max(1e-3), "{one} {many}");
        }
    }

    #[test]
    fn a_falling_column_drives_each_pipe_by_its_own_head() {
        // Left water of 30 units, right dry on the same bed: pipes at 0, 10 and 20 see heads of 30, 20 and 10 units
        let mut stack = StackedPipes::new(&[0, 0], 10, 4);
        let flow = stack.advance(0, ends([30, 0]), &PHYSICS);
        let velocity = |head: f64| 9.81 * 0.01 / 0.5 * head * 0.001 / (1.0 + 0.2 * 0.01);
        let exact = 0.01 * (velocity(30.0) + velocity(20.0) + velocity(10.0));
        assert!((flow - exact).abs() < 1e-15, "{flow} {exact}");
        // The uppermost pipe is dry
        assert_eq!(stack.velocity[3], 0.0);
    }

    #[test]
    fn flow_is_opposite_when_the_ends_are_exchanged() {
        // Eq. (4.7)
        let mut forth = StackedPipes::new(&[3, 8], 4, 5);
        let mut back = StackedPipes::new(&[8, 3], 4, 5);
        for step in 0..20 {
            let levels = [20 - step, 9 + step];
            let flow = forth.advance(0, ends(levels), &PHYSICS);
            assert_eq!(flow, -back.advance(0, ends([levels[1], levels[0]]), &PHYSICS));
        }
    }

    #[test]
    fn a_pressure_head_pushes_as_a_rise_of_the_level_does() {
        let (mut raised, mut pressed) =
            (StackedPipes::new(&[0, 0], 10, 1), StackedPipes::new(&[0, 0], 10, 1));
        let pressure = PipeEnds { level: [50, 50], pressure_head: [0.004, 0.0] };
        let by_pressure = pressed.advance(0, pressure, &PHYSICS);
        let by_level = raised.advance(0, ends([54, 50]), &PHYSICS);
        assert!((by_pressure / 50.0 - by_level / 54.0).abs() < 1e-15);
    }

    #[test]
    fn a_constant_area_carries_more_than_a_thin_layer_holds() {
        let constant = PipePhysics { area: PipeArea::Constant, ..PHYSICS };
        let (mut thesis, mut wetted) = (StackedPipes::new(&[0, 0], 10, 3), StackedPipes::new(&[0, 0], 10, 3));
        let (full, wet) =
            (thesis.advance(0, ends([2, 1]), &constant), wetted.advance(0, ends([2, 1]), &PHYSICS));
        assert!((full / wet - 5.0).abs() < 1e-12, "10 units of area for 2 wet ones: {full} {wet}");
    }

    #[test]
    fn velocity_is_bounded_by_the_froude_number() {
        let capped = PipePhysics { froude_cap: 1.5, dt: 10.0, ..PHYSICS };
        let mut stack = StackedPipes::new(&[0, -5000], 5000, 2);
        let flow = stack.advance(0, ends([100, -4900]), &capped);
        assert!((flow - 1.5 * (9.81_f64 * 0.1).sqrt() * 0.1).abs() < 1e-12, "{flow}");
    }

    #[test]
    fn a_changed_bed_keeps_the_velocity_of_pipes_that_stay() {
        let mut stack = StackedPipes::new(&[0, 0, 0], 10, 2);
        let flow = stack.advance(1, ends([20, 10]), &PHYSICS);
        assert!(flow > 0.0);
        let kept = stack.velocity[stack.first[1]];
        stack.lay(&[5, 0, 0]);
        assert_eq!(stack.velocity[stack.first[1]], kept);
        assert!(stack.velocity[..stack.first[1]].iter().all(|velocity| *velocity == 0.0));
    }
}
