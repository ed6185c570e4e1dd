//! Metaballs in lattice coordinates, scaled so that the surface is where the potential is 1.

use undine_frame::{Cloud, Quantity};

use super::Metaballs;

/// Most nodes along an axis that edge keys can encode.
const MAX_NODES: f64 = (1 << 20) as f64 - 64.0;
/// Most samples within reach of all balls together, and most cells of the greatest reach.
const MAX_SAMPLES: f64 = 2e10;
const MAX_REACH: f64 = 128.0;
/// Particles further out than this, in metres, are left out.
const MAX_COORDINATE: f32 = 1e9;
/// The window begins at this fraction of the squared reach.
const WINDOW: f32 = 0.25;
/// ε as a fraction of the reach.
const SOFTENING: f32 = 1e-3;

/// The kernel of a metaball as a function of the squared distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Falloff {
    /// Mass over threshold: the square of the radius of the ball alone.
    pub strength: f32,
    /// Squared reach, where the kernel ends.
    pub reach_squared: f32,
}

impl Falloff {
    /// The potential, and its derivative with respect to the squared distance.
    #[inline(always)]
    pub fn at(&self, distance_squared: f32) -> (f32, f32) {
        let per_square = 1.0 / ((1.0 - WINDOW) * self.reach_squared);
        let s = ((distance_squared - WINDOW * self.reach_squared) * per_square).clamp(0.0, 1.0);
        let window = (1.0 - s) * (1.0 - s) * (1.0 + 2.0 * s);
        let softened = 1.0 / (distance_squared + SOFTENING * SOFTENING * self.reach_squared);
        let fraction = self.strength * window * softened;
        (fraction, -softened * (fraction + 6.0 * self.strength * s * (1.0 - s) * per_square))
    }
}

/// A particle in lattice coordinates. The integer and the fractional part of its position are kept apart, so that its
/// distance to a node has the same bits in every block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metaball {
    pub node: [i32; 3],
    pub fraction: [f32; 3],
    pub falloff: Falloff,
    pub velocity: [f32; 3],
}

impl Metaball {
    /// The nodes within reach along an axis, as (first, last).
    pub fn range(&self, axis: usize) -> (i32, i32) {
        let reach = self.falloff.reach_squared.sqrt().ceil() as i32;
        (self.node[axis] - reach, self.node[axis] + reach + 1)
    }
}

/// All balls and their lattice.
#[derive(Debug, Clone, PartialEq)]
pub struct BallCloud {
    /// Edge of a cell in metres.
    pub cell: f64,
    /// The first node, in cells from the origin of the scene.
    pub first: [i64; 3],
    pub balls: Vec<Metaball>,
}

/// A particle with position, mass and velocity.
#[derive(Clone, Copy)]
pub struct MassParticle {
    pub position: [f64; 3],
    pub mass: f64,
    pub velocity: [f32; 3],
}

/// The particles with finite positions and positive masses.
pub fn particles<'a>(cloud: &'a Cloud) -> impl Iterator<Item = MassParticle> + Clone + 'a {
    let masses = cloud.attributes.iter().find(|attribute| attribute.quantity == Quantity::Mass);
    let particle = move |(index, position): (usize, &[f32; 3])| MassParticle {
        position: position.map(f64::from),
        mass: f64::from(masses.map_or(1.0, |masses| masses.values.get(index).copied().unwrap_or(0.0))),
        velocity: cloud.velocities.get(index).copied().unwrap_or([0.0; 3]),
    };
    let is_near = |position: &[f32; 3]| position.iter().all(|x| x.abs() <= MAX_COORDINATE);
    let near = cloud.positions.iter().enumerate().filter(move |(_, position)| is_near(position));
    near.map(particle).filter(|particle| particle.mass > 0.0 && particle.mass.is_finite())
}

impl BallCloud {
    /// The balls of all valid particles; `None` when there is none.
    pub fn new(cloud: &Cloud, metaballs: &Metaballs) -> Option<BallCloud> {
        let mut cell = metaballs.cell;
        let (low, high) = bounds(cloud, metaballs)?;
        let heaviest = particles(cloud).map(|particle| particle.mass).fold(0.0, f64::max);
        let reach = metaballs.cutoff * heaviest.sqrt();
        let is_too_fine = |cell: f64| {
            let wide = (0..3).any(|axis| (high[axis] - low[axis]) / cell > MAX_NODES);
            wide || reach > MAX_REACH * cell || samples(cloud, metaballs, cell) > MAX_SAMPLES
        };
        while is_too_fine(cell) {
            cell *= 2.0;
        }
        let first = low.map(|low| (low / cell).floor() as i64 - 2);
        let balls = particles(cloud).map(|particle| ball(&particle, metaballs, cell, first)).collect();
        Some(BallCloud { cell, first, balls })
    }

    /// Position in metres of a point `beyond` a node.
    pub fn position(&self, node: [i32; 3], beyond: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|axis| {
            let integer = (self.first[axis] + i64::from(node[axis])) as f64;
            ((integer + f64::from(beyond[axis])) * self.cell) as f32
        })
    }
}

/// Bounds of all balls, in metres.
fn bounds(cloud: &Cloud, metaballs: &Metaballs) -> Option<([f64; 3], [f64; 3])> {
    particles(cloud).fold(None, |bounds, MassParticle { position, mass, .. }| {
        let reach = metaballs.cutoff * mass.sqrt();
        let (low, high) = bounds.unwrap_or((position, position));
        Some((
            std::array::from_fn(|axis| f64::min(low[axis], position[axis] - reach)),
            std::array::from_fn(|axis| f64::max(high[axis], position[axis] + reach)),
        ))
    })
}

/// Number of samples within reach of the balls for cells of this size.
fn samples(cloud: &Cloud, metaballs: &Metaballs, cell: f64) -> f64 {
    let across = |mass: f64| 2.0 * metaballs.cutoff * mass.sqrt() / cell + 2.0;
    particles(cloud).map(|particle| across(particle.mass).powi(3)).sum()
}

fn ball(particle: &MassParticle, metaballs: &Metaballs, cell: f64, first: [i64; 3]) -> Metaball {
    let MassParticle { position, mass, velocity } = *particle;
    let integer = position.map(|x| (x / cell).floor());
    let reach = metaballs.cutoff / cell;
    Metaball {
        node: std::array::from_fn(|axis| (integer[axis] as i64 - first[axis]) as i32),
        fraction: std::array::from_fn(|axis| (position[axis] / cell - integer[axis]) as f32),
        falloff: Falloff {
            strength: (mass / (metaballs.threshold * cell * cell)) as f32,
            // The reach is divided by, even if a ball is far smaller than a cell.
            reach_squared: ((mass * reach * reach) as f32).max(1e-12),
        },
        velocity,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_the_falloff_is_its_derivative() {
        let falloff = Falloff { strength: 2.0, reach_squared: 9.0 };
        for square in [0.5f32, 2.0, 3.0, 5.0, 8.0, 8.9] {
            let (up, down) = (falloff.at(square + 1e-2).0, falloff.at(square - 1e-2).0);
            let slope = falloff.at(square).1;
            assert!(((up - down) / 2e-2 - slope).abs() < 2e-3 * (1.0 + slope.abs()), "at {square}");
        }
        assert_eq!(falloff.at(9.0).0, 0.0);
        assert_eq!(falloff.at(400.0), (0.0, 0.0));
    }

    #[test]
    fn a_cloud_that_is_too_wide_gets_coarser_cells() {
        let positions = [[0.0; 3], [1e8, 0.0, 0.0], [f32::NAN, 0.0, 0.0], [0.0, f32::INFINITY, 0.0]];
        let cloud = Cloud { positions: positions.to_vec(), radius: 1.0, ..Cloud::default() };
        let cloud = BallCloud::new(&cloud, &Metaballs::new(1.0)).unwrap();
        assert_eq!(cloud.balls.len(), 2);
        assert!(cloud.cell > 90.0 && cloud.balls[1].node[0] < 1 << 20);
    }
}
