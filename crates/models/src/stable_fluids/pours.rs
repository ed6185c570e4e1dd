//! Dye and smoke that a hand pours in for a while. The box is full, so nothing is added to it: what is there is coloured.

use std::io;

use undine_grid::Grid;
use undine_sim::{Reader, Writer};

use super::cargo::Cargo;
use super::emitters::Ball;

/// The most that are poured at once; a further one ends the oldest.
const MOST: usize = 64;

/// Everything that is being poured.
#[derive(Debug, Clone)]
pub(super) struct Pours<const D: usize> {
    pours: Vec<Pour<D>>,
}

#[derive(Debug, Clone, Copy)]
struct Pour<const D: usize> {
    ball: Ball<D>,
    until: f64,
}

impl<const D: usize> Pours<D> {
    /// Nothing yet.
    pub fn new() -> Self {
        Pours { pours: Vec::with_capacity(MOST) }
    }

    /// Begins to pour into a ball until a time.
    pub fn begin(&mut self, ball: Ball<D>, until: f64) {
        if self.pours.len() == MOST {
            self.pours.remove(0);
        }
        self.pours.push(Pour { ball, until });
    }

    /// Colours what is poured into, in a step that begins at a time.
    pub fn act(&mut self, time: f64, grid: &Grid<D>, cargo: &mut Cargo<D>) {
        self.pours.retain(|pour| pour.until > time);
        self.pours.iter().for_each(|pour| whiten(pour.ball, grid, cargo));
    }

    /// Writes what is being poured.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.records("pour places", self.pours.iter().map(|pour| pour.ball.at))?;
        to.records("pours", self.pours.iter().map(|pour| [pour.ball.radius, pour.until]))
    }

    /// Takes up what was being poured.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.pours.clear();
        from.records("pour places", |at| {
            if self.pours.len() < MOST {
                self.pours.push(Pour { ball: Ball { at, radius: 0.0 }, until: 0.0 });
            }
        })?;
        let mut pours = self.pours.iter_mut();
        from.records("pours", |[radius, until]: [f64; 2]| {
            pours.next().into_iter().for_each(|pour| (pour.ball.radius, pour.until) = (radius, until));
        })
    }
}

/// Fills a ball with white dye and thick smoke, whichever of them the fluid carries.
pub(super) fn whiten<const D: usize>(ball: Ball<D>, grid: &Grid<D>, cargo: &mut Cargo<D>) {
    let centre = |at: [usize; D]| grid.centre(at.map(|x| x as isize));
    ball.each(grid.cells(), centre, grid, |at, weight| {
        cargo.mix(at, weight as f32, Some([1.0; 3]), Some(1.0), None);
    });
}
