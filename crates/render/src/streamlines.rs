//! Evenly spaced streamlines [jobard1997].
//!
//! A streamline is integrated both ways from its seed by the midpoint method, until it leaves the page, meets an obstacle or
//! fluid at rest, closes into a loop, or comes closer to another line than half the spacing. New seeds lie one spacing
//! beside existing lines; where none is left, a jittered lattice of seeds fills the gaps. All of it is done in pixels, one
//! line after the other, so that it is the same for any number of threads.

use std::collections::VecDeque;

use glam::Vec2;

use crate::noise::hash;

/// Integration step in pixels.
const STEP: f32 = 1.5;
/// Least distance to another line, as a fraction of the spacing.
const MIN_SEPARATION: f32 = 0.5;
/// Lines shorter than this many spacings are discarded.
const MIN_LENGTH: f32 = 1.2;
/// Most points of all lines together.
const MAX_POINTS: usize = 2_000_000;

/// A streamline: its points, one step apart, in the direction of the flow.
pub type Streamline = Vec<Vec2>;

/// Integrates streamlines of a velocity field over a page of pixels.
pub struct StreamlineTracer<F> {
    /// Width and height of the page.
    pub size: Vec2,
    /// The velocity at a point of the page, y down; `None` where lines end.
    pub velocity: F,
}

impl<F: Fn(Vec2) -> Option<Vec2>> StreamlineTracer<F> {
    /// Streamlines that fill the page, about `spacing` pixels apart and at most `longest` long.
    pub fn evenly_spaced(&self, spacing: f32, longest: f32) -> Vec<Streamline> {
        let spacing = spacing.clamp(3.0, 1e4);
        let mut near = PointBins::new(self.size, spacing);
        let (mut lines, mut points) = (Vec::<Streamline>::new(), 0);
        let mut seeds = VecDeque::new();
        let mut lattice = lattice(self.size, spacing).into_iter();
        while points < MAX_POINTS
            && let Some(seed) = seeds.pop_front().or_else(|| lattice.next())
        {
            if !self.is_inside(seed) || !near.is_free(seed, 0.98 * spacing) {
                continue;
            }
            let line = self.line(seed, longest, |at| near.is_free(at, MIN_SEPARATION * spacing), spacing);
            if line.len() as f32 * STEP >= MIN_LENGTH * spacing.min(longest) {
                line.iter().for_each(|&at| near.add(at));
                seeds.extend(adjacent_seeds(&line, spacing));
                points += line.len();
                lines.push(line);
            }
        }
        lines
    }

    /// Streamlines from a fixed lattice of seeds, for animations: the seeds do not depend on the flow.
    pub fn lattice_seeded(&self, spacing: f32, longest: f32) -> Vec<Streamline> {
        let spacing = spacing.clamp(3.0, 1e4);
        let most = MAX_POINTS / ((longest / STEP) as usize).max(1);
        let seeds = lattice(self.size, spacing).into_iter().take(most.max(1));
        let lines = seeds.map(|seed| self.line(seed, longest, |_| true, spacing));
        lines.filter(|line| line.len() > 2).collect()
    }

    fn is_inside(&self, at: Vec2) -> bool {
        at.x >= 0.0 && at.y >= 0.0 && at.x <= self.size.x && at.y <= self.size.y
    }

    fn line(&self, seed: Vec2, longest: f32, is_free: impl Fn(Vec2) -> bool, spacing: f32) -> Streamline {
        let steps = ((0.5 * longest / STEP) as usize).clamp(1, 8192);
        let mut line = self.integrate(seed, -STEP, steps, &is_free, spacing);
        line.reverse();
        let ahead = self.integrate(seed, STEP, steps, &is_free, spacing);
        // The backward half already covers a closed loop
        let is_loop = line.len() > 8 && closes(&line, line[0], spacing) && ahead.len() > 8;
        line.push(seed);
        if !is_loop {
            line.extend(ahead);
        }
        line
    }

    fn integrate(
        &self,
        seed: Vec2,
        step: f32,
        steps: usize,
        is_free: impl Fn(Vec2) -> bool,
        spacing: f32,
    ) -> Streamline {
        let mut line = Vec::new();
        let mut at = seed;
        for _ in 0..steps {
            let Some(next) = self.next(at, step) else { break };
            if !self.is_inside(next) || !is_free(next) || closes(&line, next, spacing) {
                break;
            }
            line.push(next);
            at = next;
        }
        line
    }

    fn next(&self, at: Vec2, step: f32) -> Option<Vec2> {
        let ahead = |at: Vec2| (self.velocity)(at).and_then(Vec2::try_normalize);
        let middle = at + ahead(at)? * (0.5 * step);
        Some(at + ahead(middle)? * step)
    }
}

// Whether a line that continues to `next` returns to its own earlier points.
fn closes(line: &[Vec2], next: Vec2, spacing: f32) -> bool {
    let recent = (2.0 * spacing / STEP) as usize + 2;
    let old = &line[..line.len().saturating_sub(recent)];
    // A step is far shorter than half the spacing, so that every other point suffices
    old.iter().step_by(2).any(|at| at.distance_squared(next) < (0.35 * spacing).powi(2))
}

fn adjacent_seeds(line: &[Vec2], spacing: f32) -> Vec<Vec2> {
    let stride = ((spacing / STEP) as usize).max(1);
    let pairs = line.windows(2).step_by(stride);
    pairs
        .flat_map(|pair| {
            let aside = (pair[1] - pair[0]).perp().normalize_or_zero() * spacing;
            [pair[0] + aside, pair[0] - aside]
        })
        .collect()
}

// Jittered lattice of seeds over the page, in pseudorandom order.
fn lattice(size: Vec2, spacing: f32) -> Vec<Vec2> {
    let counts = [size.x, size.y].map(|room| ((room / spacing) as usize).clamp(1, 4096));
    let mut numbers: Vec<usize> = (0..counts[0] * counts[1]).collect();
    let order = |number: usize| hash((number % counts[0]) as i32, (number / counts[0]) as i32, 7);
    numbers.sort_by_key(|&number| (order(number), number));
    let seed = |number: usize| {
        let bits = order(number);
        let off = |shift: u32| 0.5 + 0.6 * ((bits >> shift & 0xff) as f32 / 255.0 - 0.5);
        let column = (number % counts[0]) as f32 + off(0);
        let row = (number / counts[0]) as f32 + off(8);
        Vec2::new(column / counts[0] as f32 * size.x, row / counts[1] as f32 * size.y)
    };
    numbers.into_iter().map(seed).collect()
}

/// Points of lines in square bins, for neighbour search.
struct PointBins {
    side: f32,
    counts: [usize; 2],
    bins: Vec<Vec<Vec2>>,
}

impl PointBins {
    fn new(size: Vec2, side: f32) -> Self {
        let counts = [size.x, size.y].map(|room| (room / side) as usize + 1);
        PointBins { side, counts, bins: vec![Vec::new(); counts[0] * counts[1]] }
    }

    fn bin(&self, at: Vec2) -> [usize; 2] {
        [(at.x, 0), (at.y, 1)]
            .map(|(coordinate, axis)| ((coordinate / self.side).max(0.0) as usize).min(self.counts[axis] - 1))
    }

    fn add(&mut self, at: Vec2) {
        let [column, row] = self.bin(at);
        self.bins[row * self.counts[0] + column].push(at);
    }

    // The distance is at most the side of a bin.
    fn is_free(&self, at: Vec2, distance: f32) -> bool {
        let [column, row] = self.bin(at);
        let around = |middle: usize, count: usize| middle.saturating_sub(1)..(middle + 2).min(count);
        around(row, self.counts[1]).all(|row| {
            around(column, self.counts[0]).all(|column| {
                let points = &self.bins[row * self.counts[0] + column];
                points.iter().all(|point| point.distance_squared(at) >= distance * distance)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Vec2 = Vec2::new(300.0, 200.0);

    fn least_gap(lines: &[Streamline]) -> f32 {
        let mut least = f32::INFINITY;
        for (index, line) in lines.iter().enumerate() {
            for other in &lines[index + 1..] {
                for at in line {
                    least = other.iter().map(|point| point.distance(*at)).fold(least, f32::min);
                }
            }
        }
        least
    }

    #[test]
    fn lines_of_a_stream_are_straight_and_fill_the_page() {
        let tracer = StreamlineTracer { size: SIZE, velocity: |_| Some(Vec2::new(2.0, 0.0)) };
        let lines = tracer.evenly_spaced(12.0, 1e4);
        for line in &lines {
            assert!(line.iter().all(|at| (at.y - line[0].y).abs() < 1e-2));
            assert!(line.windows(2).all(|pair| pair[1].x > pair[0].x), "they run with the flow");
        }
        assert!(least_gap(&lines) > 0.49 * 12.0);
        let length: f32 = lines.iter().map(|line| line.len() as f32 * STEP).sum();
        assert!((0.8..1.5).contains(&(length * 12.0 / (300.0 * 200.0))), "{length}");
    }

    #[test]
    fn lines_of_a_vortex_are_circles_that_close() {
        let middle = 0.5 * SIZE;
        let tracer = StreamlineTracer { size: SIZE, velocity: |at: Vec2| Some((at - middle).perp()) };
        let lines = tracer.evenly_spaced(14.0, 1e4);
        assert!(lines.len() > 5);
        for line in &lines {
            let radius = line[0].distance(middle);
            // Steps are straight, so that tight circles widen a little.
            let widened = 0.3 + 4.0 * STEP * STEP / radius;
            assert!(line.iter().all(|at| (at.distance(middle) - radius).abs() < widened));
            let round = std::f32::consts::TAU * radius;
            assert!(line.len() as f32 * STEP < round + 30.0, "no circle is walked twice");
        }
    }

    #[test]
    fn no_line_enters_where_there_is_no_flow() {
        let middle = 0.5 * SIZE;
        let tracer = StreamlineTracer {
            size: SIZE,
            velocity: |at: Vec2| (at.distance(middle) > 40.0).then_some(Vec2::X),
        };
        let lines = tracer.evenly_spaced(10.0, 1e4);
        assert!(lines.iter().flatten().all(|at| at.distance(middle) > 38.0));
        assert!(
            StreamlineTracer { size: SIZE, velocity: |_| Some(Vec2::NAN) }
                .evenly_spaced(10.0, 1e4)
                .is_empty()
        );
        assert!(StreamlineTracer { size: SIZE, velocity: |_| None }.lattice_seeded(10.0, 50.0).is_empty());
    }
}
