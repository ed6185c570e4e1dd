//! Implicit diffusion: (1 − ν Δt ∂²/∂x²)(1 − ν Δt ∂²/∂y²) … u(t+Δt) = u(t).
//!
//! The implicit step of [stam1999] couples all cells. Split by axes (locally one-dimensional [yanenko1971]) it leaves
//! tridiagonal systems, one per grid line, solved directly [thomas1949]. Every factor is a contraction, so the step is
//! stable for any ν Δt; the splitting error ν² Δt ∂⁴u/∂x²∂y² vanishes with Δt.
//!
//! At a wall nearer than the next sample the second difference is that of Shortley and Weller [shortley1938]:
//! u″ ≈ 2/(a + b) ((u₊ − u)/b − (u − u₋)/a), with a and b the distances to the values used. So the walls of the box,
//! half a cell from the samples along them, and curved obstacles are both second order, and a parabola is exact.
//!
//! Lines are solved in bundles of adjacent ones. Bundles without obstacles share one factorisation per axis and step;
//! the others are eliminated one by one.

use undine_grid::tridiagonal::{self, Factors};
use undine_grid::{Field, Location, Side, par};

use super::sides::{BoundaryType, Sides};
use crate::solids::{SOLID, Solids, solid_neighbour_flag};

/// Lines per bundle.
const LANES: usize = 8;

type Lanes = [f64; LANES];

/// Boundary condition at one end of the lines of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LineEnd {
    /// Dirichlet: the last sample lies on the side and keeps its value.
    Prescribed,
    /// Neumann: no flux.
    NoFlux,
    /// Dirichlet: this value half a cell beyond the last sample.
    Wall(f64),
    /// Periodic with the other end.
    Periodic,
}

/// Boundary condition at obstacles.
#[derive(Clone, Copy)]
pub enum ObstacleCondition<'a, const D: usize> {
    /// There are no obstacles.
    Absent,
    /// Dirichlet: samples inside keep their values, which the field takes at the surface.
    NoSlip(&'a Solids<D>, &'a Field<u8, D>),
    /// Neumann: no flux through the surface.
    NoFlux(&'a Field<u8, D>),
}

/// Scratch memory of the line solves.
#[derive(Debug, Clone, Default)]
pub struct Diffusion {
    lanes: Vec<Lanes>,
    /// The factorisation shared by all lines without obstacles.
    factors: Factors<f64>,
    /// Contribution of walls to the right-hand sides of those lines.
    source: Vec<f64>,
}

/// A row of the tridiagonal system: `−lower u₋ + diagonal u − upper u₊ = u(t) + source`.
#[derive(Debug, Clone, Copy, Default)]
struct StencilRow {
    lower: f64,
    diagonal: f64,
    upper: f64,
    source: f64,
}

impl StencilRow {
    /// The row with right-hand side u(t) + source.
    fn system(self, value: f64) -> tridiagonal::TridiagonalRow<f64> {
        let right = value + self.source;
        tridiagonal::TridiagonalRow { lower: -self.lower, diagonal: self.diagonal, upper: -self.upper, right }
    }
}

impl Diffusion {
    /// Scratch memory for fields of `size` cells, so that nothing is allocated later.
    pub fn new<const D: usize>(size: [usize; D]) -> Self {
        let longest = size.iter().map(|n| n + 1).max().unwrap_or(1);
        let padded: usize = size.iter().map(|n| (n + 1).next_multiple_of(LANES)).product();
        Diffusion {
            lanes: vec![[0.0; LANES]; 3 * padded / LANES],
            factors: Factors::with_capacity(longest),
            source: vec![0.0; longest],
        }
    }

    /// Solves (1 − amount ∂²/∂x²)(1 − amount ∂²/∂y²) … u = u(t) in place, with `amount` = ν Δt in m². Values in
    /// obstacles and on sides must be set; those on sides must be set again afterwards. Ghosts are not read.
    pub fn diffuse<T: undine_grid::Real, const D: usize>(
        &mut self,
        field: &mut Field<T, D>,
        amount: f64,
        ends: [[LineEnd; 2]; D],
        inside: ObstacleCondition<'_, D>,
    ) {
        // Samples on a side keep their values along the axis normal to it. The other axes would change them: they come
        // later
        let location = field.location();
        let across = (0..D).filter(|&axis| location.is_on_side(axis));
        for axis in across.chain((0..D).filter(|&axis| !location.is_on_side(axis))) {
            let spacing = field.grid().spacing()[axis];
            let ratio = amount / (spacing * spacing);
            let lines = LineSet::new(field.size(), axis, ends[axis], field.distinct_size()[axis]);
            // A periodic line of two samples has no second difference
            let is_short = lines.distinct < if ends[axis][0] == LineEnd::Periodic { 3 } else { 1 };
            if ratio > 0.0 && !is_short {
                self.solve(field, ratio, &lines, inside);
            }
        }
    }

    fn solve<T: undine_grid::Real, const D: usize>(
        &mut self,
        field: &mut Field<T, D>,
        ratio: f64,
        lines: &LineSet<D>,
        inside: ObstacleCondition<'_, D>,
    ) {
        // Factorise the matrix of the lines without obstacles, once for all of them
        let length = lines.distinct;
        self.factors.factor(length, |index| lines.row(index, ratio).system(0.0), lines.is_periodic());
        let source = &mut self.source[..length];
        source.iter_mut().enumerate().for_each(|(index, source)| *source = lines.row(index, ratio).source);
        let (factors, source) = (&self.factors, &*source);
        let solve_shared = |values: &mut [Lanes]| {
            for (lanes, source) in values.iter_mut().zip(source) {
                lanes.iter_mut().for_each(|value| *value += source);
            }
            factors.solve(values);
        };
        // Gather, solve and scatter bundle by bundle
        let used = &mut self.lanes[..3 * length * lines.bundles()];
        let source = &*field;
        par::for_each_chunk(used, 3 * length, |first, lanes| {
            let (values, scratch) = lanes.split_at_mut(length);
            let bundle = lines.bundle(first / (3 * length));
            gather(source, lines, &bundle, values);
            match inside {
                ObstacleCondition::Absent => solve_shared(values),
                ObstacleCondition::NoSlip(_, kinds) | ObstacleCondition::NoFlux(kinds) => {
                    match lines.contains_solid(kinds, &bundle) {
                        false => solve_shared(values),
                        true => solve_near_solids(lines, &bundle, ratio, inside, values, scratch),
                    }
                }
            }
        });
        let solved = &self.lanes;
        par::rows(field, |at, row| scatter(solved, lines, at, row));
    }
}

/// The lines of a field along one axis.
struct LineSet<const D: usize> {
    size: [usize; D],
    axis: usize,
    ends: [LineEnd; 2],
    /// Distinct samples of a line: without the repeated end of a periodic one.
    distinct: usize,
    /// The axis along which lines are bundled.
    across: usize,
}

/// Adjacent lines: the first sample of the first one, and their number.
struct DiffusionBundle<const D: usize> {
    start: [isize; D],
    count: usize,
}

impl<const D: usize> LineSet<D> {
    fn new(size: [usize; D], axis: usize, ends: [LineEnd; 2], distinct: usize) -> Self {
        LineSet { size, axis, ends, distinct, across: usize::from(axis == 0) }
    }

    fn is_periodic(&self) -> bool {
        self.ends[0] == LineEnd::Periodic
    }

    fn bundles_across(&self) -> usize {
        self.size[self.across].div_ceil(LANES)
    }

    /// In 3-D, the axis that is neither along the lines nor across the bundle.
    fn third_axis(&self) -> Option<usize> {
        (0..D).find(|axis| *axis != self.axis && *axis != self.across)
    }

    fn bundles(&self) -> usize {
        self.bundles_across() * self.third_axis().map_or(1, |axis| self.size[axis])
    }

    fn bundle(&self, number: usize) -> DiffusionBundle<D> {
        let across = number % self.bundles_across() * LANES;
        let mut start = [0; D];
        start[self.across] = across as isize;
        if let Some(third_axis) = self.third_axis() {
            start[third_axis] = (number / self.bundles_across()) as isize;
        }
        DiffusionBundle { start, count: LANES.min(self.size[self.across] - across) }
    }

    fn sample(&self, bundle: &DiffusionBundle<D>, index: usize, lane: usize) -> [isize; D] {
        let mut at = bundle.start;
        at[self.axis] += index as isize;
        at[self.across] += lane as isize;
        at
    }

    fn contains_solid(&self, kinds: &Field<u8, D>, bundle: &DiffusionBundle<D>) -> bool {
        let kind = |index, lane| kinds.at(self.sample(bundle, index, lane));
        (0..self.distinct).any(|index| (0..bundle.count).any(|lane| kind(index, lane) != 0))
    }

    /// The row of a sample away from obstacles.
    fn row(&self, index: usize, ratio: f64) -> StencilRow {
        let end = |high: usize| match (high, index) {
            (0, 0) => Some(self.ends[0]),
            (1, index) if index + 1 == self.distinct => Some(self.ends[1]),
            _ => None,
        };
        let ends = [end(0), end(1)];
        if ends.contains(&Some(LineEnd::Prescribed)) {
            return StencilRow { diagonal: 1.0, ..StencilRow::default() };
        }
        let gaps = ends.map(|end| if matches!(end, Some(LineEnd::Wall(_))) { 0.5 } else { 1.0 });
        let mut weights = weights(gaps, ratio);
        let mut row = StencilRow { diagonal: 1.0, ..StencilRow::default() };
        for (weight, end) in weights.iter_mut().zip(ends) {
            match end {
                Some(LineEnd::Wall(value)) => {
                    row.source += *weight * value;
                    row.diagonal += *weight;
                    *weight = 0.0;
                }
                Some(LineEnd::NoFlux) => *weight = 0.0,
                _ => row.diagonal += *weight,
            }
        }
        [row.lower, row.upper] = weights;
        row
    }
}

/// Shortley–Weller weights of the neighbours at distances `low` and `high`, in cells, times ν Δt/Δ².
fn weights([low, high]: [f64; 2], ratio: f64) -> [f64; 2] {
    [low, high].map(|gap| 2.0 * ratio / ((low + high) * gap))
}

/// Solves the lines of a bundle one by one, each with its own matrix.
fn solve_near_solids<const D: usize>(
    lines: &LineSet<D>,
    bundle: &DiffusionBundle<D>,
    ratio: f64,
    inside: ObstacleCondition<'_, D>,
    values: &mut [Lanes],
    scratch: &mut [Lanes],
) {
    for lane in 0..bundle.count {
        let row = |index: usize, value: f64| {
            row_near_solids(lines, lines.sample(bundle, index, lane), index, ratio, inside).system(value)
        };
        tridiagonal::solve_lane(row, lines.is_periodic(), lane, values, scratch);
    }
}

/// The row of a sample that may lie inside or beside an obstacle.
fn row_near_solids<const D: usize>(
    lines: &LineSet<D>,
    at: [isize; D],
    index: usize,
    ratio: f64,
    inside: ObstacleCondition<'_, D>,
) -> StencilRow {
    let (kind, solids) = match inside {
        ObstacleCondition::Absent => return lines.row(index, ratio),
        ObstacleCondition::NoSlip(solids, kinds) => (kinds.at(at), Some((solids, kinds.location()))),
        ObstacleCondition::NoFlux(kinds) => (kinds.at(at), None),
    };
    if kind & SOLID != 0 {
        return StencilRow { diagonal: 1.0, ..StencilRow::default() };
    }
    let has_solid_neighbour =
        [false, true].map(|is_high| kind & solid_neighbour_flag(lines.axis, is_high) != 0);
    if has_solid_neighbour == [false, false] {
        return lines.row(index, ratio);
    }
    let Some((solids, location)) = solids else {
        return remove_links(lines.row(index, ratio), has_solid_neighbour);
    };
    // A wall of the box at the other end is part of the row too
    row_beside_solid(lines, at, index, ratio, has_solid_neighbour, solids, location)
}

/// A row without flux to solid neighbours.
fn remove_links(mut row: StencilRow, has_solid_neighbour: [bool; 2]) -> StencilRow {
    if has_solid_neighbour[0] {
        row.diagonal -= row.lower;
        row.lower = 0.0;
    }
    if has_solid_neighbour[1] {
        row.diagonal -= row.upper;
        row.upper = 0.0;
    }
    row
}

fn row_beside_solid<const D: usize>(
    lines: &LineSet<D>,
    at: [isize; D],
    index: usize,
    ratio: f64,
    has_solid_neighbour: [bool; 2],
    solids: &Solids<D>,
    location: Location,
) -> StencilRow {
    // Samples on a side of the box keep their value
    let end = [(index == 0).then_some(lines.ends[0]), (index + 1 == lines.distinct).then_some(lines.ends[1])];
    if end.contains(&Some(LineEnd::Prescribed)) {
        return StencilRow { diagonal: 1.0, ..StencilRow::default() };
    }
    // Distances to the solid surface, the wall of the box or the next sample
    let gap = |high: usize| match end[high] {
        _ if has_solid_neighbour[high] => solids.wall_fraction(location, at, lines.axis, high == 1),
        Some(LineEnd::Wall(_)) => 0.5,
        _ => 1.0,
    };
    let weights = weights([gap(0), gap(1)], ratio);
    let mut row = StencilRow { diagonal: 1.0, ..StencilRow::default() };
    for (high, weight) in weights.into_iter().enumerate() {
        let link = if high == 0 { &mut row.lower } else { &mut row.upper };
        match end[high].filter(|_| !has_solid_neighbour[high]) {
            Some(LineEnd::NoFlux) => continue,
            Some(LineEnd::Wall(value)) => row.source += weight * value,
            _ => *link = weight,
        }
        row.diagonal += weight;
    }
    row
}

fn gather<T: undine_grid::Real, const D: usize>(
    field: &Field<T, D>,
    lines: &LineSet<D>,
    bundle: &DiffusionBundle<D>,
    values: &mut [Lanes],
) {
    if lines.axis == 0 {
        for lane in 0..bundle.count {
            let row = field.row(lines.sample(bundle, 0, lane));
            values.iter_mut().zip(row).for_each(|(lanes, value)| lanes[lane] = value.to_f64());
        }
    } else {
        for (index, lanes) in values.iter_mut().enumerate() {
            let run = field.run(lines.sample(bundle, index, 0), bundle.count);
            lanes.iter_mut().zip(run).for_each(|(lane, value)| *lane = value.to_f64());
        }
    }
}

fn scatter<T: undine_grid::Real, const D: usize>(
    solved: &[Lanes],
    lines: &LineSet<D>,
    at: [isize; D],
    row: &mut [T],
) {
    let length = lines.distinct;
    let third_axis = lines.third_axis().map_or(0, |axis| at[axis] as usize) * lines.bundles_across();
    if lines.axis == 0 {
        let across = at[lines.across] as usize;
        let values = &solved[3 * length * (third_axis + across / LANES)..][..length];
        let lane = across % LANES;
        row.iter_mut().zip(values).for_each(|(value, lanes)| *value = T::from_f64(lanes[lane]));
    } else {
        // The last sample of a periodic line is the first again
        let index = at[lines.axis] as usize % length;
        for (number, piece) in row.chunks_mut(LANES).enumerate() {
            let lanes = &solved[3 * length * (third_axis + number) + index];
            piece.iter_mut().zip(lanes).for_each(|(value, lane)| *value = T::from_f64(*lane));
        }
    }
}

/// Boundary conditions of the lines of a velocity component in the current step.
pub fn velocity_line_ends<const D: usize>(sides: &Sides<D>, component: usize) -> [[LineEnd; 2]; D] {
    std::array::from_fn(|axis| {
        [0, 1].map(|high| {
            let side = Side::ALL[2 * axis + high];
            let along_side = sides.velocity(side)[component];
            match sides.kind(side) {
                BoundaryType::Periodic => LineEnd::Periodic,
                BoundaryType::Outflow => LineEnd::NoFlux,
                _ if axis == component => LineEnd::Prescribed,
                BoundaryType::FreeSlip => LineEnd::NoFlux,
                _ => LineEnd::Wall(along_side),
            }
        })
    })
}

/// Boundary conditions of the lines of a scalar at centres: no flux, or periodic.
pub fn scalar_ends<const D: usize>(sides: &Sides<D>) -> [[LineEnd; 2]; D] {
    std::array::from_fn(|axis| [if sides.is_periodic(axis) { LineEnd::Periodic } else { LineEnd::NoFlux }; 2])
}
