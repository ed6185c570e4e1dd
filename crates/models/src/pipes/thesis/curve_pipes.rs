//! The stacked pipes of a curve as the faces of the manager.

use super::manager::FacePipes;
use crate::pipes::stacked_pipes::{PipeEnds, PipePhysics, StackedPipes};

/// The stacked pipes of a row of columns during a step.
pub struct CurvePipes<'a> {
    /// The pipes; face i lies between the columns i and i + 1.
    pub stack: &'a mut StackedPipes,
    /// What their velocities obey.
    pub physics: PipePhysics,
    /// Width d of the row in metres.
    pub width: f64,
    /// External pressure on each column as a head in metres; empty for none.
    pub pressure_head: &'a [f64],
}

impl FacePipes for CurvePipes<'_> {
    fn advance(&mut self, face: usize, columns: [usize; 2], level: [i64; 2]) -> f64 {
        let pressure_head = columns.map(|column| self.pressure_head.get(column).copied().unwrap_or(0.0));
        self.width * self.stack.advance(face, PipeEnds { level, pressure_head }, &self.physics)
    }

    fn stop(&mut self, face: usize) {
        self.stack.stop(face);
    }
}
