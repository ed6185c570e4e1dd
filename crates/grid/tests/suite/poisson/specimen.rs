//! Rough problems of every kind, and the equation written down cell by cell to hold solutions against.

use undine_grid::poisson::{Inside, PoissonProblem, SideKind};
use undine_grid::{Condition, Field, Grid, Location, Real, neighbour};

/// What lies inside a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Only fluid.
    Nothing,
    /// Faces that are partly or wholly closed.
    Solids,
    /// Air above a rough surface at which p = 0, at any distance from the centres below it.
    Surface,
    /// Walls that cut the box into chambers, each without a way out.
    Pockets,
    /// Solids and air.
    Everything,
}

impl Content {
    pub const ALL: [Content; 5] =
        [Content::Nothing, Content::Solids, Content::Surface, Content::Pockets, Content::Everything];
}

/// A problem, all that it was made from, and a right-hand side.
pub struct Specimen<T, const D: usize> {
    pub problem: PoissonProblem<T, D>,
    pub rhs: Field<T, D>,
    faces: [Field<T, D>; D],
    unknown: Field<u8, D>,
    extra: Field<T, D>,
}

/// A number from 0 to 1 that looks like chance.
pub fn chance(seed: u64) -> f64 {
    let mixed = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ mixed >> 31) as f64 / u64::MAX as f64
}

fn seed_of<const D: usize>(at: [usize; D], seed: u64) -> u64 {
    at.iter().fold(seed.wrapping_add(0x9e37_79b9_7f4a_7c15), |sum, &along| {
        (sum ^ along as u64).wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(31)
    })
}

/// A field at a place of the cells, from a function of the coordinates.
pub fn field_of<T: Real, const D: usize>(
    grid: Grid<D>,
    location: Location,
    value: impl Fn([usize; D]) -> f64,
) -> Field<T, D> {
    let mut field = Field::new(grid, location, Condition::Open, 1).unwrap();
    let dense: Vec<T> = field.iter().map(|(at, _)| T::from_f64(value(at))).collect();
    field.copy_from(&dense).unwrap();
    field
}

pub fn zeros<T: Real, const D: usize>(grid: Grid<D>) -> Field<T, D> {
    Field::new(grid, Location::Center, Condition::Open, 1).unwrap()
}

impl<T: Real, const D: usize> Specimen<T, D> {
    /// Numbers are multiples of 2⁻¹⁰, so that they are the same in single and in double precision.
    pub fn new(cells: [usize; D], sides: [[SideKind; 2]; D], content: Content, seed: u64) -> Self {
        let grid = Grid::new(cells, [1.0; D], [0.0; D]).unwrap();
        let rounded = |number: f64| (number * 1024.0).round() / 1024.0;
        let last = D - 1;
        let has_solids = matches!(content, Content::Solids | Content::Everything);
        let has_air = matches!(content, Content::Surface | Content::Everything);
        let is_wall = |at: [usize; D]| content == Content::Pockets && at.iter().any(|along| along % 5 == 3);
        let openness = |axis: usize, at: [usize; D]| match chance(seed_of(at, seed + axis as u64)) {
            share if has_solids && share < 0.15 => 0.0,
            share if has_solids && share < 0.6 => rounded(share.max(0.2)),
            _ => 1.0,
        };
        let mut under_surface = cells;
        under_surface[last] = (2 * cells[last]).div_ceil(3);
        let is_air = |at: [usize; D]| {
            let mut column = at;
            column[last] = 0;
            let bump = (chance(seed_of(column, seed)) * 2.9) as usize;
            has_air && (at[last] + bump >= under_surface[last].max(1))
        };
        let unknown = {
            let mut unknown = Field::new(grid, Location::Center, Condition::Open, 1).unwrap();
            let dense: Vec<u8> =
                unknown.iter().map(|(at, _): (_, u8)| u8::from(!(is_air(at) || is_wall(at)))).collect();
            unknown.copy_from(&dense).unwrap();
            unknown
        };
        let extra = field_of(grid, Location::Center, |at| {
            let mut above = at;
            above[last] += 1;
            let is_below_air = has_air && above[last] < cells[last] && !is_air(at) && is_air(above);
            if is_below_air { rounded(1.0 / chance(seed_of(at, seed + 9)).max(0.05)) } else { 0.0 }
        });
        let faces = std::array::from_fn(|axis| field_of(grid, Location::Face(axis), |at| openness(axis, at)));
        let rhs = field_of(grid, Location::Center, |at| rounded(chance(seed_of(at, seed + 5)) - 0.4));
        let mut problem = PoissonProblem::new(grid, sides).unwrap();
        if content != Content::Nothing {
            let inside = Inside {
                faces: has_solids.then_some(&faces),
                unknown: (content != Content::Solids).then_some(&unknown),
                extra: has_air.then_some(&extra),
            };
            problem.set_inside(&inside).unwrap();
        }
        Specimen { problem, rhs, faces, unknown, extra }
    }

    /// Each face of a cell: its conductance, and the cell behind it; `None` where p = 0 is fixed half a cell away.
    fn links(&self, at: [isize; D]) -> Vec<(f64, Option<[isize; D]>)> {
        let mut links = Vec::new();
        for (axis, side) in (0..2 * D).map(|side| (side / 2, side % 2)) {
            let count = self.problem.grid().cells()[axis] as isize;
            let mut beside = neighbour(at, axis, 2 * side as isize - 1);
            let is_outside = !(0..count).contains(&beside[axis]);
            let mut face = neighbour(at, axis, side as isize);
            let kind = self.problem.sides()[axis][side];
            if is_outside && kind == SideKind::Periodic {
                beside[axis] = beside[axis].rem_euclid(count);
                face[axis] = 0;
            }
            let openness = self.faces[axis].at(face).to_f64();
            match kind {
                SideKind::Fixed if is_outside => links.push((2.0 * openness, None)),
                SideKind::Closed if is_outside => {}
                _ if beside == at || self.unknown.at(beside) == 0 || openness == 0.0 => {}
                _ => links.push((openness, Some(beside))),
            }
        }
        links
    }

    /// (A p) of a cell, from the definition.
    fn applied(&self, p: &Field<T, D>, at: [isize; D]) -> f64 {
        let own = p.at(at).to_f64();
        let other = |beside: Option<[isize; D]>| beside.map_or(0.0, |beside| p.at(beside).to_f64());
        let flows = self.links(at).into_iter().map(|(openness, beside)| openness * (own - other(beside)));
        flows.sum::<f64>() + self.extra.at(at).to_f64() * own
    }

    /// The connected parts, as lists of cells, with whether p is fixed somewhere in each.
    pub fn parts(&self) -> Vec<(Vec<[isize; D]>, bool)> {
        let mut is_seen = self.unknown.clone();
        let mut parts = Vec::new();
        for (at, unknown) in self.unknown.iter() {
            if unknown == 0 || is_seen[at] == 2 {
                continue;
            }
            let (mut part, mut next, mut is_fixed) = (vec![at.map(|along| along as isize)], 0, false);
            is_seen[at] = 2;
            while next < part.len() {
                let here = part[next];
                next += 1;
                is_fixed |= self.extra.at(here).to_f64() > 0.0;
                for (_, beside) in self.links(here) {
                    match beside {
                        None => is_fixed = true,
                        Some(beside) if is_seen.at(beside) != 2 => {
                            is_seen[beside.map(|along| along as usize)] = 2;
                            part.push(beside);
                        }
                        Some(_) => {}
                    }
                }
            }
            parts.push((part, is_fixed));
        }
        parts
    }

    /// What p leaves of the equations, as a share of the right-hand side without the means over closed parts.
    pub fn residual(&self, p: &Field<T, D>) -> f64 {
        let (mut left, mut given) = (0.0, 0.0);
        for (part, is_fixed) in self.parts() {
            let mean = mean_of(&self.rhs, &part, is_fixed);
            for at in part {
                let f = self.rhs.at(at).to_f64() - mean;
                left += (f - self.applied(p, at)).powi(2);
                given += f * f;
            }
        }
        if given > 0.0 { (left / given).sqrt() } else { left.sqrt() }
    }

    /// The greatest mean of p over a closed part, and the greatest value of p where there is no unknown.
    pub fn stray(&self, p: &Field<T, D>) -> f64 {
        let closed = self.parts().into_iter().filter(|(_, is_fixed)| !is_fixed);
        let means = closed.map(|(part, _)| mean_of(p, &part, false).abs()).fold(0.0, f64::max);
        let elsewhere =
            p.iter().filter(|&(at, _)| self.unknown[at] == 0).map(|(_, value)| value.to_f64().abs());
        elsewhere.fold(means, f64::max)
    }
}

fn mean_of<T: Real, const D: usize>(field: &Field<T, D>, part: &[[isize; D]], is_fixed: bool) -> f64 {
    match is_fixed {
        true => 0.0,
        false => part.iter().map(|&at| field.at(at).to_f64()).sum::<f64>() / part.len() as f64,
    }
}

/// The greatest difference of two fields, as a share of the greatest value.
pub fn difference<A: Real, B: Real, const D: usize>(a: &Field<A, D>, b: &Field<B, D>) -> f64 {
    let apart = a.iter().zip(b.iter()).map(|((_, a), (_, b))| (a.to_f64() - b.to_f64()).abs());
    let greatest = b.iter().map(|(_, value)| value.to_f64().abs()).fold(0.0, f64::max);
    apart.fold(0.0, f64::max) / if greatest > 0.0 { greatest } else { 1.0 }
}
