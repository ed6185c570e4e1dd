//! Edge crossings of the isosurface: mesh vertices with their normals and velocities.

use std::ops::Range;

use super::balls::{BallCloud, Metaball};
use super::block::{CELLS, NODES};
use super::marching_tetrahedra::{LEVEL, corner_offset, edge_key};

/// Vertices keep this fraction of an edge away from its ends, against degenerate triangles.
const MARGIN: f32 = 0.002;

/// Least potential to divide by.
const MIN_POTENTIAL: f32 = 1e-4;

/// A vertex on an edge, and the sums over the balls there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    pub key: u64,
    node: [i32; 3],
    /// 1 along the axes of the edge's direction.
    direction: [f32; 3],
    /// 1/F at the ends of the edge.
    ends: [f32; 2],
    /// Position along the edge, from 0 to 1.
    fraction: f32,
    potential: f32,
    gradient: [f32; 3],
    /// Velocities, weighted by potential.
    momentum: [f32; 3],
}

/// The crossings of a block in the order of their keys, from the potential at its nodes.
pub fn find(first: [i32; 3], potential: &[f32]) -> Vec<Crossing> {
    let mut crossings = Vec::new();
    for [x, y, z] in cells() {
        let index = (z * NODES + y) * NODES + x;
        for direction in 1..8 {
            let (here, there) = (potential[index], potential[index + corner_offset(direction)]);
            if (here >= LEVEL) != (there >= LEVEL) {
                let node = [x, y, z].map(|i| i as i32);
                let node = std::array::from_fn(|axis| first[axis] + node[axis]);
                crossings.push(Crossing::new(node, direction, here, there));
            }
        }
    }
    crossings
}

/// The cells of a block, x fastest.
pub fn cells() -> impl Iterator<Item = [usize; 3]> {
    let range = 0..CELLS as usize;
    range.clone().flat_map(move |z| {
        let xs = range.clone();
        range.clone().flat_map(move |y| xs.clone().map(move |x| [x, y, z]))
    })
}

impl Crossing {
    fn new(node: [i32; 3], direction: usize, here: f32, there: f32) -> Crossing {
        let ends = [here, there].map(|potential| potential.max(MIN_POTENTIAL).recip());
        let [near, far] = ends.map(f32::sqrt);
        Crossing {
            key: edge_key(node, direction),
            node,
            direction: [0, 1, 2].map(|axis| (direction >> axis & 1) as f32),
            ends,
            fraction: clamp_off_ends((1.0 - near) / (far - near)),
            potential: 0.0,
            gradient: [0.0; 3],
            momentum: [0.0; 3],
        }
    }

    fn add(&mut self, ball: &Metaball) {
        let offset: [f32; 3] = std::array::from_fn(|axis| {
            (self.node[axis] - ball.node[axis]) as f32 - ball.fraction[axis]
                + self.fraction * self.direction[axis]
        });
        let (fraction, slope) = ball.falloff.at(dot(offset, offset));
        self.potential += fraction;
        for axis in 0..3 {
            self.gradient[axis] += 2.0 * slope * offset[axis];
            self.momentum[axis] += fraction * ball.velocity[axis];
        }
    }

    /// Moves the vertex to where the parabola through 1/F at both ends and at the vertex equals 1; the sums over the
    /// balls are reset. For a lone ball 1/F is the squared distance, for which this is exact.
    fn refine(&mut self) {
        let [here, there] = self.ends.map(|end| end - 1.0);
        let middle = self.potential.max(MIN_POTENTIAL).recip() - 1.0;
        let slope = (middle - here) / self.fraction;
        let bend = (there - middle) / (1.0 - self.fraction) - slope;
        self.fraction = root(bend, slope - bend * self.fraction, here).map_or(self.fraction, clamp_off_ends);
        (self.potential, self.gradient, self.momentum) = (0.0, [0.0; 3], [0.0; 3]);
    }

    /// Position of the vertex in metres.
    pub fn position(&self, cloud: &BallCloud) -> [f32; 3] {
        cloud.position(self.node, self.direction.map(|x| x * self.fraction))
    }

    /// The unit normal, outwards; upwards where the gradient vanishes.
    pub fn normal(&self) -> [f32; 3] {
        let length = dot(self.gradient, self.gradient).sqrt();
        let is_sound = length > 0.0 && length.is_finite();
        if is_sound { self.gradient.map(|x| -x / length) } else { [0.0, 0.0, 1.0] }
    }

    /// Potential-weighted mean velocity of the balls, in m/s.
    pub fn velocity(&self) -> [f32; 3] {
        let mean = self.momentum.map(|x| x / self.potential);
        if mean.iter().all(|x| x.is_finite()) { mean } else { [0.0; 3] }
    }
}

/// Refines all crossings of a block, which are in the order of [`find`], and sums over the balls there.
pub fn refine<'b>(
    first: [i32; 3],
    crossings: &mut [Crossing],
    balls: impl Iterator<Item = &'b Metaball> + Clone,
) {
    let rows = rows(first, crossings);
    add_balls(first, crossings, &rows, balls.clone());
    crossings.iter_mut().for_each(Crossing::refine);
    add_balls(first, crossings, &rows, balls);
}

fn add_balls<'b>(
    first: [i32; 3],
    crossings: &mut [Crossing],
    rows: &[usize],
    balls: impl Iterator<Item = &'b Metaball>,
) {
    for ball in balls {
        let [ys, zs] = [1, 2].map(|axis| begun(ball.range(axis), first[axis]));
        for (z, y) in zs.flat_map(|z| ys.clone().map(move |y| (z, y))) {
            let row = z * CELLS as usize + y;
            let (low, high) = ball.range(0);
            for crossing in &mut crossings[rows[row]..rows[row + 1]] {
                if (low - 1..=high).contains(&crossing.node[0]) {
                    crossing.add(ball);
                }
            }
        }
    }
}

/// Where the crossings of each row of nodes begin.
fn rows(first: [i32; 3], crossings: &[Crossing]) -> Vec<usize> {
    let row = |crossing: &Crossing| (crossing.node[2] - first[2]) * CELLS + crossing.node[1] - first[1];
    (0..=CELLS * CELLS).map(|wanted| crossings.partition_point(|crossing| row(crossing) < wanted)).collect()
}

/// The rows of a block whose edges may end at nodes in a range.
fn begun((low, high): (i32, i32), first: i32) -> Range<usize> {
    let inside = |node: i32| (node - first).clamp(0, CELLS) as usize;
    inside(low - 1)..inside(high + 1)
}

/// The root of a x² + b x + c between 0 and 1.
fn root(a: f32, b: f32, c: f32) -> Option<f32> {
    let sum = -0.5 * (b + (b * b - 4.0 * a * c).max(0.0).sqrt().copysign(b));
    [sum / a, c / sum].into_iter().find(|root| (0.0..=1.0).contains(root))
}

fn clamp_off_ends(fraction: f32) -> f32 {
    fraction.clamp(MARGIN, 1.0 - MARGIN)
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
