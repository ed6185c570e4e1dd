//! Markers born at inflow faces, at a rate of their own [foster1996 §8: 0.8 m/s of water, 500 particles/s].

use super::super::super::cells::is_obstacle;
use super::super::sliding::{FACE_MARGIN, slide};
use super::super::{InflowFace, InflowFaces, SurfaceChange, SurfaceStep};
use super::{Markers, index_of, is_blocking, seeding::hashed_unit};

/// Markers born at one inflow so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct InflowCounter {
    /// Fraction of the next marker that is due.
    due: f64,
    born: u64,
}

impl InflowCounter {
    /// Its numbers, to be saved. Counts are exact up to 2⁵³.
    pub fn parts(&self) -> [f64; 2] {
        [self.due, self.born as f64]
    }

    /// The counter with these numbers.
    pub fn from_parts([due, born]: [f64; 2]) -> Self {
        InflowCounter { due: if due.is_finite() { due } else { 0.0 }, born: born as u64 }
    }
}

impl<const D: usize> Markers<D> {
    /// Lets the markers of a step be born, each at a random point of a face and a random time of the step: faces in
    /// proportion to what flows through them.
    pub(super) fn give_birth(
        &mut self,
        step: &SurfaceStep<'_, D>,
        inflows: &[InflowFaces<'_, D>],
        change: &mut SurfaceChange,
    ) {
        if self.inflows.len() < inflows.len() {
            self.inflows.resize(inflows.len(), InflowCounter::default());
        }
        for (number, inflow) in inflows.iter().enumerate() {
            let flow: f64 = inflow.faces.iter().map(|face| cells_per_second(step, face)).sum();
            if !(flow.is_finite() && flow > 0.0) {
                continue;
            }
            let rate = inflow.markers_per_second.unwrap_or(flow * self.settings.per_cell as f64);
            // Never more than the whole domain can take, however high the rate
            let counter = &mut self.inflows[number];
            counter.due = (counter.due + (rate * step.dt).max(0.0)).min(self.max_markers as f64 + 1.0);
            let count = counter.due.floor();
            counter.due -= count;
            for _ in 0..count as usize {
                let position = self.place_of_birth(number, flow, step, inflow.faces);
                self.inflows[number].born += 1;
                match position {
                    Some((position, index)) if self.positions.len() < self.max_markers => {
                        self.positions.push(position);
                        self.counts[index] += 1;
                        change.born += 1;
                    }
                    _ => change.refused += 1,
                }
            }
        }
    }

    /// The position at the end of the step of the next marker of an inflow, and the index of its cell.
    fn place_of_birth(
        &self,
        number: usize,
        flow: f64,
        step: &SurfaceStep<'_, D>,
        faces: &[InflowFace<D>],
    ) -> Option<([f64; D], usize)> {
        let born = self.inflows[number].born.wrapping_mul(D as u64 + 2);
        let random = |which: usize| {
            hashed_unit([self.settings.seed, number as u64 + 1, born.wrapping_add(which as u64)])
        };
        // The face at which a random share of the flow has come in
        let mut left = random(0) * flow;
        let speed = |face: &InflowFace<D>| cells_per_second(step, face);
        let face = faces.iter().find(|face| {
            left -= speed(face);
            left < 0.0
        });
        let face = face.or(faces.iter().rev().find(|face| speed(face) > 0.0))?;
        // A random point of it, and the way from there
        let mut by = [0.0; D];
        let mut point: [f64; D] = std::array::from_fn(|axis| {
            let offset = random(1 + axis).clamp(FACE_MARGIN, 1.0 - FACE_MARGIN);
            face.cell[axis] as f64 + offset
        });
        let (low, sign) = (face.cell[face.axis] as f64, if face.towards_high { 1.0 } else { -1.0 });
        point[face.axis] = if face.towards_high { low + 1.0 + FACE_MARGIN } else { low - FACE_MARGIN };
        by[face.axis] = sign * random(1 + D) * speed(face) * step.dt;
        let point = slide(step.cells, point, by, is_blocking);
        let index = index_of(&self.grid, point)?;
        (!is_obstacle(step.cells.kinds()[index])).then_some((point, index))
    }
}

/// Cells of water per second that come in through a face; zero where an obstacle lies before it or the water goes back.
fn cells_per_second<const D: usize>(step: &SurfaceStep<'_, D>, face: &InflowFace<D>) -> f64 {
    let mut front = face.cell.map(|i| i as isize);
    front[face.axis] += if face.towards_high { 1 } else { -1 };
    if step.cells.is_obstacle(front) {
        return 0.0;
    }
    let mut at = face.cell;
    at[face.axis] += usize::from(face.towards_high);
    let speed = step.velocity[face.axis][at] / step.cells.grid().spacing()[face.axis];
    (if face.towards_high { speed } else { -speed }).max(0.0)
}
