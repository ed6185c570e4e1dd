//! Chains as doubly linked rings while they are resampled and reconnected, when particles come, go and change neighbours.

use super::plane;

/// The mark of a particle that is no more.
const REMOVED: u32 = u32::MAX;

/// Particles with the ones before and after them. The liquid lies to the left of the link to the next.
#[derive(Debug, Clone)]
pub struct Rings<const D: usize> {
    /// In cells.
    pub positions: Vec<[f64; D]>,
    next: Vec<u32>,
    prev: Vec<u32>,
    /// Length of a cell along each axis, in metres.
    spacing: [f64; 2],
}

impl<const D: usize> Rings<D> {
    /// No rings yet, on cells of this size.
    pub fn new(spacing: [f64; 2]) -> Self {
        Rings { positions: Vec::new(), next: Vec::new(), prev: Vec::new(), spacing }
    }

    /// Takes over loops of points; loop n begins at `starts[n]`, and the last entry is the number of points.
    pub fn load(&mut self, points: &[[f64; D]], starts: &[u32]) {
        self.positions.clear();
        self.positions.extend_from_slice(points);
        self.next.clear();
        self.prev.clear();
        for range in starts.windows(2) {
            let (first, end) = (range[0], range[1]);
            for at in first..end {
                self.next.push(if at + 1 < end { at + 1 } else { first });
                self.prev.push(if at > first { at - 1 } else { end - 1 });
            }
        }
    }

    /// Writes the rings of at least three particles as loops, each from its first particle on, and drops the others; empties
    /// the rings.
    pub fn store(&mut self, points: &mut Vec<[f64; D]>, starts: &mut Vec<u32>) {
        points.clear();
        starts.clear();
        starts.push(0);
        for first in 0..self.positions.len() {
            if !self.is_alive(first) {
                continue;
            }
            let begin = points.len();
            let mut at = first;
            while self.is_alive(at) {
                points.push(self.positions[at]);
                let after = self.next(at);
                self.next[at] = REMOVED;
                at = after;
            }
            match points.len() - begin {
                0..3 => points.truncate(begin),
                _ => starts.push(points.len() as u32),
            }
        }
    }

    /// The number of particles, those removed included.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether a particle has not been removed.
    pub fn is_alive(&self, at: usize) -> bool {
        self.next[at] != REMOVED
    }

    /// The particle after one.
    pub fn next(&self, at: usize) -> usize {
        self.next[at] as usize
    }

    /// The particle before one.
    pub fn prev(&self, at: usize) -> usize {
        self.prev[at] as usize
    }

    /// Makes `b` the particle after `a`.
    pub fn connect(&mut self, a: usize, b: usize) {
        self.next[a] = b as u32;
        self.prev[b] = a as u32;
    }

    /// Inserts a particle between `at` and the next; answers its number.
    pub fn insert_after(&mut self, at: usize, position: [f64; D]) -> usize {
        let (number, after) = (self.len(), self.next(at));
        self.positions.push(position);
        self.next.push(REMOVED);
        self.prev.push(REMOVED);
        self.connect(at, number);
        self.connect(number, after);
        number
    }

    /// Removes a particle and connects its neighbours.
    pub fn remove(&mut self, at: usize) {
        let (before, after) = (self.prev(at), self.next(at));
        self.connect(before, after);
        self.mark_removed(at);
    }

    /// Marks a particle as removed whose neighbours are connected otherwise.
    pub fn mark_removed(&mut self, at: usize) {
        self.next[at] = REMOVED;
    }

    /// Length of a cell along each axis, in metres.
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// A position in metres.
    pub fn metres(&self, at: usize) -> [f64; 2] {
        let [x, y] = plane(self.positions[at]);
        [x * self.spacing[0], y * self.spacing[1]]
    }

    /// The link from a particle to the next, in metres.
    pub fn link(&self, at: usize) -> [[f64; 2]; 2] {
        [self.metres(at), self.metres(self.next(at))]
    }

    /// Distance of two particles, in metres.
    pub fn distance(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (self.metres(a), self.metres(b));
        (a[0] - b[0]).hypot(a[1] - b[1])
    }

    /// The point at a fraction of a link, in cells.
    pub fn point_of_link(&self, at: usize, fraction: f64) -> [f64; D] {
        let (a, b) = (self.positions[at], self.positions[self.next(at)]);
        std::array::from_fn(|axis| a[axis] + fraction * (b[axis] - a[axis]))
    }
}
