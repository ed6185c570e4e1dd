//! Particles inserted and deleted, and chains reconnected, after every motion [foster1996 §4.2].
//!
//! - A link longer than d_max gets particles on it, evenly spaced.
//! - Of two neighbours nearer than d_min one is deleted, the one whose deletion changes the area less; and the tip of a
//!   spike, whose neighbours are nearer than that to each other.
//! - Where two links that are not near along the chain come nearer than d_min and run opposite ways, or cross, both
//!   particles there are deleted and their neighbours connected crosswise: before a to after b, before b to after a. So
//!   surfaces that collide become one, and necks part. Links are compared, not particles alone, so that nothing slips
//!   through between two particles.
//!
//! Near links share a cell, enlarged by d_min, so that all is linear in the number of particles as long as chains do not
//! crowd; and they cannot, because those nearer than d_min are reconnected.

use super::link_bins::{LinkBins, cell_range};
use super::rings::Rings;
use super::segments::{approach, cross, dot, minus};
use super::{ChainSettings, plane};

/// Links between two others along the chain that are too few to reconnect these when they come near: a bend, no neck.
const MIN_LINKS_BETWEEN: usize = 3;

/// Most particles of all chains.
const MAX_PARTICLES: usize = 1 << 24;

/// Lists for the search of near links, used again at every step.
#[derive(Debug, Clone, Default)]
pub struct NearLinks {
    bins: LinkBins,
    candidates: Vec<Candidate>,
    /// Particles whose neighbours have changed in this step.
    touched: Vec<bool>,
}

/// Two links, named by their first particles, that are near or cross.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    distance2: f64,
    links: [u32; 2],
    at: [f64; 2],
}

/// Deletes particles near their neighbours along the chain, and the tips of spikes. Answers how many.
pub fn delete_near_neighbours<const D: usize>(rings: &mut Rings<D>, settings: &ChainSettings) -> usize {
    let (min, mut deleted) = (settings.min_distance, 0);
    for first in 0..rings.len() {
        while rings.is_alive(first) {
            let second = rings.next(first);
            let third = rings.next(second);
            if second == first || third == first {
                break;
            }
            if rings.distance(first, second) < min {
                let before = rings.prev(first);
                let keeps_first =
                    triangle(rings, [first, second, third]) <= triangle(rings, [before, first, second]);
                rings.remove(if keeps_first { second } else { first });
            } else if rings.distance(first, third) < min {
                rings.remove(second);
            } else {
                break;
            }
            deleted += 1;
        }
    }
    deleted
}

/// Twice the area of a triangle of particles.
fn triangle<const D: usize>(rings: &Rings<D>, corners: [usize; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| rings.metres(corner));
    cross(minus(b, a), minus(c, a)).abs()
}

/// Inserts particles on links longer than d_max. Answers how many.
pub fn insert_on_long_links<const D: usize>(rings: &mut Rings<D>, settings: &ChainSettings) -> usize {
    let before = rings.len();
    for first in 0..before {
        if !rings.is_alive(first) {
            continue;
        }
        let length = rings.distance(first, rings.next(first));
        let pieces = (length / settings.max_link).ceil();
        if pieces > 1.0 && rings.len() as f64 + pieces < MAX_PARTICLES as f64 {
            let (count, mut at) = (pieces as usize, first);
            let (from, to) = (rings.positions[first], rings.positions[rings.next(first)]);
            for piece in 1..count {
                let t = piece as f64 / count as f64;
                at = rings
                    .insert_after(at, std::array::from_fn(|axis| from[axis] + t * (to[axis] - from[axis])));
            }
        }
    }
    rings.len() - before
}

/// Reconnects near and crossing links crosswise, the nearest first, and each particle at most once. Answers how many.
pub fn reconnect<const D: usize>(
    rings: &mut Rings<D>,
    near: &mut NearLinks,
    settings: &ChainSettings,
    size: [usize; 2],
) -> usize {
    near.find(rings, settings, size);
    near.touched.clear();
    near.touched.resize(rings.len(), false);
    let mut count = 0;
    for number in 0..near.candidates.len() {
        let Candidate { links, at, .. } = near.candidates[number];
        let [a, b] = links.map(|link| link as usize);
        if near.is_touched(rings, a) || near.is_touched(rings, b) {
            continue;
        }
        let first = particle_on_link(rings, a, at[0], settings);
        let second = particle_on_link(rings, b, at[1], settings);
        near.touched.resize(rings.len(), false);
        connect_crosswise(rings, &mut near.touched, first, second);
        count += 1;
    }
    count
}

/// Deletes two particles and connects their neighbours crosswise.
fn connect_crosswise<const D: usize>(rings: &mut Rings<D>, touched: &mut [bool], p: usize, q: usize) {
    let [before_p, after_p, before_q, after_q] = [rings.prev(p), rings.next(p), rings.prev(q), rings.next(q)];
    rings.connect(before_p, after_q);
    rings.connect(before_q, after_p);
    rings.mark_removed(p);
    rings.mark_removed(q);
    [p, q, before_p, after_p, before_q, after_q].iter().for_each(|&at| touched[at] = true);
}

/// The particle at a fraction of a link: one of its ends, or a new one between them.
fn particle_on_link<const D: usize>(
    rings: &mut Rings<D>,
    link: usize,
    fraction: f64,
    settings: &ChainSettings,
) -> usize {
    let after = rings.next(link);
    let length = rings.distance(link, after);
    if fraction * length < 0.5 * settings.min_distance {
        link
    } else if (1.0 - fraction) * length < 0.5 * settings.min_distance {
        after
    } else {
        let position = rings.point_of_link(link, fraction);
        rings.insert_after(link, position)
    }
}

impl NearLinks {
    /// Finds all pairs of links to reconnect, the nearest first.
    fn find<const D: usize>(&mut self, rings: &Rings<D>, settings: &ChainSettings, size: [usize; 2]) {
        let spacing = rings.spacing();
        let margin = [settings.min_distance / spacing[0], settings.min_distance / spacing[1]];
        let ends = |link: usize| {
            rings
                .is_alive(link)
                .then(|| [plane(rings.positions[link]), plane(rings.positions[rings.next(link)])])
        };
        self.bins.build(size, margin, rings.len(), ends);
        self.candidates.clear();
        let first_cell =
            |link: u32| ends(link as usize).map(|ends| cell_range(ends, margin, size).map(|x| x[0]));
        for cell in (0..size[0] * size[1]).map(|index| [index % size[0], index / size[0]]) {
            let links = self.bins.links(cell);
            for (number, &one) in links.iter().enumerate() {
                for &other in &links[number + 1..] {
                    let Some(candidate) = candidate(rings, [one, other], settings) else { continue };
                    // A pair that shares several cells counts in the first of them
                    let (Some(a), Some(b)) = (first_cell(one), first_cell(other)) else { continue };
                    if [a[0].max(b[0]), a[1].max(b[1])] == cell {
                        self.candidates.push(candidate);
                    }
                }
            }
        }
        let order = |one: &Candidate, other: &Candidate| {
            one.distance2.total_cmp(&other.distance2).then(one.links.cmp(&other.links))
        };
        self.candidates.sort_unstable_by(order);
    }

    /// Whether a particle of a link, or one before or after them, has new neighbours or is no more.
    fn is_touched<const D: usize>(&self, rings: &Rings<D>, link: usize) -> bool {
        if !rings.is_alive(link) {
            return true;
        }
        let after = rings.next(link);
        let around = [rings.prev(link), link, after, rings.next(after)];
        around.iter().any(|&at| self.touched.get(at).copied().unwrap_or(true))
    }
}

/// The closest approach of two links if they are to be reconnected.
fn candidate<const D: usize>(
    rings: &Rings<D>,
    links: [u32; 2],
    settings: &ChainSettings,
) -> Option<Candidate> {
    let [a, b] = links.map(|link| link as usize);
    let (one, other) = (rings.link(a), rings.link(b));
    let found = approach(one, other);
    let is_crossing = found.distance2 == 0.0;
    let is_opposite = dot(minus(one[1], one[0]), minus(other[1], other[0])) < 0.0;
    if found.distance2 >= settings.min_distance.powi(2) || !(is_crossing || is_opposite) {
        return None;
    }
    // Links that touch at a particle cross there; those at a bend are near without being a neck
    let between = if is_crossing { 1 } else { MIN_LINKS_BETWEEN };
    (links_between(rings, a, b).min(links_between(rings, b, a)) >= between).then_some(Candidate {
        distance2: found.distance2,
        links,
        at: found.at,
    })
}

/// Links between the end of a link and the beginning of another along the chain, as far as they matter.
fn links_between<const D: usize>(rings: &Rings<D>, from: usize, to: usize) -> usize {
    let mut at = rings.next(from);
    for count in 0..MIN_LINKS_BETWEEN {
        if at == to {
            return count;
        }
        at = rings.next(at);
    }
    MIN_LINKS_BETWEEN
}
