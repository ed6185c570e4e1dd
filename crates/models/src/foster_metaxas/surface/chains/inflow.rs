//! Chains that begin at an inflow where there is no liquid yet.
//!
//! A chain that touches an inflow grows by itself: its particles on the face stay, and the others move on with the water.
//! Before faces with an Empty cell the water that comes in is summed up, until it is a layer of a quarter of a cell;
//! then a chain begins around that layer, of exactly its area.

use undine_frame::CellKind;

use super::super::sliding::FACE_MARGIN;
use super::super::{InflowFace, InflowFaces, SurfaceChange, SurfaceStep};
use super::{Chains, in_space};

/// Thickness of the layer with which a chain begins, in cells.
const LAYER: f64 = 0.25;

impl<const D: usize> Chains<D> {
    /// Sums up what comes in before Empty cells, and begins chains around layers that are thick enough.
    pub(super) fn begin_chains(
        &mut self,
        step: &SurfaceStep<'_, D>,
        inflows: &[InflowFaces<'_, D>],
        change: &mut SurfaceChange,
    ) {
        let count = inflows.iter().map(|inflow| inflow.faces.len()).sum();
        if self.due.len() != count {
            self.due.clear();
            self.due.resize(count, 0.0);
        }
        let mut first = 0;
        for inflow in inflows {
            for (number, face) in inflow.faces.iter().enumerate() {
                let due = &mut self.due[first + number];
                *due = match speed_into_air(step, face) {
                    Some(speed) => *due + (speed * step.dt).max(0.0),
                    None => 0.0,
                };
            }
            // Faces side by side begin one chain
            let mut begin = 0;
            while begin < inflow.faces.len() {
                let run = self.run(step, &inflow.faces[begin..]);
                self.begin_chain(&inflow.faces[begin..begin + run], first + begin, change);
                begin += run;
            }
            first += inflow.faces.len();
        }
    }

    /// How many of these faces lie side by side, before Empty cells; at least one.
    fn run(&self, step: &SurfaceStep<'_, D>, faces: &[InflowFace<D>]) -> usize {
        let is_next = |pair: &[InflowFace<D>]| {
            let (one, other) = (pair[0], pair[1]);
            let across = 1 - one.axis.min(1);
            (one.axis, one.towards_high, one.cell[one.axis])
                == (other.axis, other.towards_high, other.cell[one.axis])
                && one.cell[across] + 1 == other.cell[across]
                && speed_into_air(step, &one).is_some()
                && speed_into_air(step, &other).is_some()
        };
        1 + faces.windows(2).take_while(|pair| is_next(pair)).count()
    }

    /// Begins a chain around the layer before faces that lie side by side, if it is thick enough.
    fn begin_chain(&mut self, faces: &[InflowFace<D>], first: usize, change: &mut SurfaceChange) {
        let (axis, towards_high) = (faces[0].axis, faces[0].towards_high);
        let across = 1 - axis.min(1);
        let due = &mut self.due[first..first + faces.len()];
        let thickness = due.iter().sum::<f64>() / faces.len() as f64;
        // A time step longer than a cell cannot be: eq. 3
        let thickness = thickness.min(1.0 - 2.0 * FACE_MARGIN);
        if thickness < LAYER {
            return;
        }
        due.fill(0.0);
        let low = faces[0].cell[axis] as f64;
        let near = if towards_high { low + 1.0 + FACE_MARGIN } else { low - FACE_MARGIN };
        let far = if towards_high { near + thickness } else { near - thickness };
        let [low, high] = [faces[0].cell[across], faces[faces.len() - 1].cell[across] + 1].map(|i| i as f64);
        let [low, high] = [low + FACE_MARGIN, high - FACE_MARGIN];
        let mut corners = [[near, low], [far, low], [far, high], [near, high]];
        if axis == 1 {
            corners.iter_mut().for_each(|corner| corner.swap(0, 1));
        }
        // Swapped or mirrored corners go around the other way
        if (axis == 1) == towards_high {
            corners.reverse();
        }
        let spacing = super::plane(self.grid.spacing());
        let points = super::spacing::space_evenly(&corners, spacing, 0.5 * self.settings.max_link, None);
        self.points.extend(points.iter().map(|point| in_space::<D>(*point)));
        self.starts.push(self.points.len() as u32);
        change.born += points.len();
        change.inflow += thickness * (high - low) * self.grid.cell_measure();
    }
}

/// Cells of water per second that come in through a face before an Empty cell; `None` before any other.
fn speed_into_air<const D: usize>(step: &SurfaceStep<'_, D>, face: &InflowFace<D>) -> Option<f64> {
    let mut front = face.cell.map(|i| i as isize);
    front[face.axis] += if face.towards_high { 1 } else { -1 };
    if step.cells.kind(front) != CellKind::Empty {
        return None;
    }
    let mut at = face.cell;
    at[face.axis] += usize::from(face.towards_high);
    let speed = step.velocity[face.axis][at] / step.cells.grid().spacing()[face.axis];
    Some(if face.towards_high { speed } else { -speed }).filter(|speed| speed.is_finite())
}
