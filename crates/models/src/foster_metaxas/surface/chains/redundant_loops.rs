//! Loops that separate nothing: within liquid that other chains enclose, or within air.
//!
//! Two liquids that have run into each other between two steps overlap. Where their chains cross they are reconnected, to
//! one chain around both and one around the overlap; the second has liquid on both sides. A loop that does not cross any
//! other is a border only if the winding number on its left, where its liquid lies, is one.

use super::{Chains, plane, shoelace};

impl<const D: usize> Chains<D> {
    /// Removes loops that have liquid or air on both sides. Answers the sum of their areas.
    pub(super) fn remove_redundant_loops(&mut self) -> f64 {
        let (mut removed, mut number) = (0.0, 0);
        while number + 1 < self.starts.len() {
            if !self.is_redundant(number) {
                number += 1;
                continue;
            }
            let (start, end) = (self.starts[number], self.starts[number + 1]);
            removed += self.area_of(&[start, end]).abs();
            self.points.drain(start as usize..end as usize);
            self.starts.remove(number + 1);
            self.starts[number + 1..].iter_mut().for_each(|later| *later -= end - start);
        }
        removed
    }

    /// Whether the other chains go around a loop in a way that makes it no border, seen from three of its links: one of
    /// them may lie on another chain.
    fn is_redundant(&self, number: usize) -> bool {
        let range = self.starts[number] as usize..self.starts[number + 1] as usize;
        let points = &self.points[range.clone()];
        let left_of_others = i32::from(shoelace(points) > 0.0);
        [0, points.len() / 3, 2 * points.len() / 3].iter().all(|&at| {
            let (a, b) = (plane(points[at]), plane(points[(at + 1) % points.len()]));
            let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
            self.winding_of_others(middle, number) + left_of_others != 1
        })
    }

    /// How often all loops but one go around a point, in cells.
    fn winding_of_others(&self, point: [f64; 2], except: usize) -> i32 {
        let loops = self.starts.windows(2).enumerate().filter(|(number, _)| *number != except);
        loops.map(|(_, range)| winding(&self.points[range[0] as usize..range[1] as usize], point)).sum()
    }
}

/// How often a loop goes around a point, counter-clockwise.
pub(super) fn winding<const D: usize>(points: &[[f64; D]], point: [f64; 2]) -> i32 {
    let mut winding = 0;
    for at in 0..points.len() {
        let (a, b) = (plane(points[at]), plane(points[if at + 1 < points.len() { at + 1 } else { 0 }]));
        if (a[1] <= point[1]) != (b[1] <= point[1]) {
            let t = (point[1] - a[1]) / (b[1] - a[1]);
            if a[0] + t * (b[0] - a[0]) > point[0] {
                winding += if b[1] > a[1] { 1 } else { -1 };
            }
        }
    }
    winding
}
