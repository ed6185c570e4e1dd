//! Particles and solids: nothing passes through, however thin the wall and whichever of the two moves.
//!
//! A move is looked at from the solid: where the particle was before, seen from where the solid was then, to where it
//! will be, seen from where the solid is now. So a paddle that overtakes a particle stops it as well as one that
//! is run into.

use super::placement::{Obstacle, Solids};
use super::probe::Probe;

/// How far before a wall a particle is stopped, in cells.
const MARGIN: f64 = 0.02;

/// Where a move meets a solid.
struct Meeting<const D: usize> {
    /// Share of the way.
    way: f64,
    /// The obstacle's number.
    number: usize,
    /// The move as the obstacle sees it.
    own: [[f64; D]; 2],
}

impl<const D: usize> Solids<D> {
    /// Distances for particles; none unless the solids are [`Solids::watertight`].
    pub fn probe(&self) -> Option<&Probe<D>> {
        self.thin.as_ref().map(|(_, probe)| probe)
    }

    /// Whether a wall thinner than a cell closes a face across an axis. Its open share is zero then. Always false
    /// unless the solids are [`Solids::watertight`].
    #[inline]
    pub fn blocks(&self, axis: usize, face: [isize; D]) -> bool {
        self.thin.as_ref().is_some_and(|(barriers, _)| barriers.blocks(axis, face))
    }

    /// Whether a cell lies on both sides of a wall; it stands for the side on which its centre is.
    #[inline]
    pub fn is_torn(&self, cell: [isize; D]) -> bool {
        self.thin.as_ref().is_some_and(|(barriers, _)| barriers.is_torn(cell))
    }

    /// Number of faces that thin walls close.
    pub fn blocked_faces(&self) -> usize {
        self.thin.as_ref().map_or(0, |(barriers, _)| barriers.count())
    }

    /// The last point, in cells from the low corner, before a move passes into a solid; `None` when it does not. The
    /// move begins when the last [`Solids::advance`] began and ends when it ended.
    pub fn crossing(&self, from: [f32; D], to: [f32; D]) -> Option<[f32; D]> {
        let (_, probe) = self.thin.as_ref()?;
        let length = (0..D).map(|axis| (to[axis] - from[axis]).powi(2)).sum::<f32>().sqrt();
        // Seen from a solid that moves, the start is nearer by its way, and the move longer by it
        if probe.is_free(from, length + 2.0 * self.travel) {
            return None;
        }
        self.meet(from.map(f64::from), to.map(f64::from)).map(|place| place.map(|along| along as f32))
    }

    /// Where a particle ends that slides along what is in its way: it goes as far as it can, then on along the wall.
    pub fn slide(&self, from: [f32; D], to: [f32; D]) -> [f32; D] {
        let Some(stop) = self.crossing(from, to) else { return to };
        let (stop, cell) = (stop.map(f64::from), self.smallest_cell());
        let Some(away) = self.slope(self.in_metres(stop), 0.01 * cell) else {
            return stop.map(|at| at as f32);
        };
        let left: [f64; D] = std::array::from_fn(|axis| f64::from(to[axis]) - stop[axis]);
        let into = (0..D).map(|axis| left[axis] * away[axis]).sum::<f64>().min(0.0);
        let on: [f64; D] = std::array::from_fn(|axis| stop[axis] + left[axis] - into * away[axis]);
        // The wall has done its moving by now
        let end = self.meet_at([&self.poses, &self.poses], stop, on).unwrap_or(on);
        end.map(|along| along as f32)
    }

    fn meet(&self, from: [f64; D], to: [f64; D]) -> Option<[f64; D]> {
        self.meet_at([&self.earlier, &self.poses], from, to)
    }

    /// The last point before a move meets a solid, which is in the first pose when it begins and in the second when it
    /// ends.
    fn meet_at(
        &self,
        [before, after]: [&[super::pose::Pose<D>]; 2],
        from: [f64; D],
        to: [f64; D],
    ) -> Option<[f64; D]> {
        let (from, to) = (self.in_metres(from), self.in_metres(to));
        let meeting = |(number, obstacle): (usize, &Obstacle<D>)| {
            let own = [before[number].inwards(from), after[number].inwards(to)];
            obstacle.shape.entry(own).map(|way| Meeting { way, number, own })
        };
        let meetings = self.obstacles.iter().enumerate().filter_map(meeting);
        let first = meetings.reduce(|one, other| if other.way < one.way { other } else { one })?;
        let [start, end] = first.own;
        let length = (0..D).map(|axis| (end[axis] - start[axis]).powi(2)).sum::<f64>().sqrt();
        let back = MARGIN * self.smallest_cell() / length.max(f64::MIN_POSITIVE);
        let way = (first.way - back).max(0.0);
        let stop = std::array::from_fn(|axis| start[axis] + way * (end[axis] - start[axis]));
        Some(self.in_cells(after[first.number].outwards(stop)))
    }

    fn in_metres(&self, point: [f64; D]) -> [f64; D] {
        let grid = self.distances.nearest.grid();
        std::array::from_fn(|axis| grid.origin()[axis] + point[axis] * grid.spacing()[axis])
    }

    fn in_cells(&self, point: [f64; D]) -> [f64; D] {
        let grid = self.distances.nearest.grid();
        std::array::from_fn(|axis| (point[axis] - grid.origin()[axis]) / grid.spacing()[axis])
    }
}
