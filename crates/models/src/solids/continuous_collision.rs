//! Continuous collision detection of particles with solids: no particle passes a wall, however thin, whichever of the
//! two moves.
//!
//! The segment tested runs in the local coordinates of the solid: from the particle's start in the solid's earlier pose
//! to its end in the current pose. So a moving paddle stops a particle that it overtakes as well as one that runs into
//! it.

use super::distance_sampler::DistanceSampler;
use super::immersed_solids::{Obstacle, Solids};

/// Distance before a wall at which a particle is stopped, in cells.
const MARGIN: f64 = 0.02;

/// First contact of a move with an obstacle.
struct Collision<const D: usize> {
    /// Parameter of the move, 0 to 1.
    t: f64,
    /// Index of the obstacle.
    number: usize,
    /// The move in the obstacle's local coordinates.
    own: [[f64; D]; 2],
}

impl<const D: usize> Solids<D> {
    /// Interpolated distances for particles; `None` unless the solids are [`Solids::watertight`].
    pub fn distance_sampler(&self) -> Option<&DistanceSampler<D>> {
        self.thin.as_ref().map(|(_, distance_sampler)| distance_sampler)
    }

    /// Whether a wall thinner than a cell closes the face normal to an axis; its open fraction is zero then. Always
    /// false unless the solids are [`Solids::watertight`].
    #[inline]
    pub fn blocks(&self, axis: usize, face: [isize; D]) -> bool {
        self.thin.as_ref().is_some_and(|(thin_wall_faces, _)| thin_wall_faces.blocks(axis, face))
    }

    /// Whether a cell lies on both sides of a wall; it represents the side of its centre.
    #[inline]
    pub fn is_split(&self, cell: [isize; D]) -> bool {
        self.thin.as_ref().is_some_and(|(thin_wall_faces, _)| thin_wall_faces.is_split(cell))
    }

    /// Number of faces that thin walls close.
    pub fn blocked_faces(&self) -> usize {
        self.thin.as_ref().map_or(0, |(thin_wall_faces, _)| thin_wall_faces.count())
    }

    /// The last point, in cells from the low corner, before a move enters a solid; `None` when it enters none. The move
    /// spans the time interval of the last [`Solids::advance`].
    pub fn crossing(&self, from: [f32; D], to: [f32; D]) -> Option<[f32; D]> {
        let (_, distance_sampler) = self.thin.as_ref()?;
        let length = (0..D).map(|axis| (to[axis] - from[axis]).powi(2)).sum::<f32>().sqrt();
        // Relative to a moving solid the start is nearer by its displacement, and the move longer by it
        if distance_sampler.is_clear(from, length + 2.0 * self.travel) {
            return None;
        }
        self.first_contact_of_move(from.map(f64::from), to.map(f64::from))
            .map(|position| position.map(|x| x as f32))
    }

    /// End of the move of a particle that slides along solids: up to the first contact, then along the tangential part.
    pub fn slide(&self, from: [f32; D], to: [f32; D]) -> [f32; D] {
        let Some(stop) = self.crossing(from, to) else { return to };
        let (stop, cell) = (stop.map(f64::from), self.smallest_cell());
        let Some(away) = self.outward_normal(self.in_metres(stop), 0.01 * cell) else {
            return stop.map(|at| at as f32);
        };
        let left: [f64; D] = std::array::from_fn(|axis| f64::from(to[axis]) - stop[axis]);
        let into = (0..D).map(|axis| left[axis] * away[axis]).sum::<f64>().min(0.0);
        let on: [f64; D] = std::array::from_fn(|axis| stop[axis] + left[axis] - into * away[axis]);
        // The rest of the move happens with the wall in its final pose
        let end = self.first_contact([&self.poses, &self.poses], stop, on).unwrap_or(on);
        end.map(|x| x as f32)
    }

    fn first_contact_of_move(&self, from: [f64; D], to: [f64; D]) -> Option<[f64; D]> {
        self.first_contact([&self.earlier, &self.poses], from, to)
    }

    /// The last point before a move enters a solid, which is in the first pose when it begins and in the second when it
    /// ends.
    fn first_contact(
        &self,
        [before, after]: [&[super::trajectory::Pose<D>]; 2],
        from: [f64; D],
        to: [f64; D],
    ) -> Option<[f64; D]> {
        let (from, to) = (self.in_metres(from), self.in_metres(to));
        let collision = |(number, obstacle): (usize, &Obstacle<D>)| {
            let own = [before[number].to_local(from), after[number].to_local(to)];
            obstacle.shape.entry(own).map(|t| Collision { t, number, own })
        };
        let collisions = self.obstacles.iter().enumerate().filter_map(collision);
        let first = collisions.reduce(|one, other| if other.t < one.t { other } else { one })?;
        let [start, end] = first.own;
        let length = (0..D).map(|axis| (end[axis] - start[axis]).powi(2)).sum::<f64>().sqrt();
        let back = MARGIN * self.smallest_cell() / length.max(f64::MIN_POSITIVE);
        let t = (first.t - back).max(0.0);
        let stop = std::array::from_fn(|axis| start[axis] + t * (end[axis] - start[axis]));
        Some(self.in_cells(after[first.number].to_world(stop)))
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
