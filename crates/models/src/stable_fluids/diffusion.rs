//! Implicit diffusion: (1 − ν Δt ∂²/∂x²)(1 − ν Δt ∂²/∂y²) … u(t+Δt) = u(t).
//!
//! Stam's implicit step couples all cells [stam1999]. Split by axes (locally one-dimensional [yanenko1971]) it leaves
//! tridiagonal systems, one per line of samples, which are solved directly [thomas1949]. Every factor only shrinks what
//! it is given, so the step is stable for any ν Δt; the splitting adds ν² Δt ∂⁴u/∂x²∂y² to the equation, which vanishes
//! with Δt.
//!
//! At a wall that is nearer than the next sample the second difference takes the wall where it is [shortley1938]:
//! u″ ≈ 2/(a + b) ((u₊ − u)/b − (u − u₋)/a), with a and b the ways to the values used. So the walls of the box, half
//! a cell from the samples along them, and curved obstacles are both of second order, and a parabola is exact.
//!
//! Lines are solved in bundles that lie side by side. A bundle that meets no obstacle shares one elimination, made once
//! per axis and step; the others eliminate for themselves.

use undine_grid::tridiagonal::{self, Factors};
use undine_grid::{Field, Location, Side, par};

use super::sides::{SideKind, Sides};
use crate::solids::{SOLID, Solids, solid_neighbour_flag};

/// Lines that are solved side by side.
const WIDTH: usize = 8;

type Lanes = [f64; WIDTH];

/// What the lines of a field meet at one end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    /// The last sample lies on the side and keeps its value.
    Fixed,
    /// Nothing passes.
    Closed,
    /// This value half a cell beyond the last sample.
    Wall(f64),
    /// The line begins again at its other end.
    Periodic,
}

/// What the field does in obstacles.
#[derive(Clone, Copy)]
pub enum Inside<'a, const D: usize> {
    /// There are none.
    Nothing,
    /// Samples in them keep their values, and the field takes those values at their surface.
    Sticks(&'a Solids<D>, &'a Field<u8, D>),
    /// Nothing passes their surface.
    Closed(&'a Field<u8, D>),
}

/// Working memory for diffusion.
#[derive(Debug, Clone, Default)]
pub struct Diffusion {
    lanes: Vec<Lanes>,
    /// The elimination that all lines without obstacles share.
    factors: Factors<f64>,
    /// What walls add to the right-hand sides of those lines.
    given: Vec<f64>,
}

/// What a sample exchanges with its neighbours: `−lower u₋ + diagonal u − upper u₊ = u(t) + given`.
#[derive(Debug, Clone, Copy, Default)]
struct Exchange {
    lower: f64,
    diagonal: f64,
    upper: f64,
    given: f64,
}

impl Exchange {
    /// The row of a system for a value u(t).
    fn system(self, value: f64) -> tridiagonal::Row<f64> {
        let right = value + self.given;
        tridiagonal::Row { lower: -self.lower, diagonal: self.diagonal, upper: -self.upper, right }
    }
}

impl Diffusion {
    /// Room for fields of so many samples along each axis, so that nothing is allocated later.
    pub fn new<const D: usize>(size: [usize; D]) -> Self {
        let longest = size.iter().map(|n| n + 1).max().unwrap_or(1);
        let padded: usize = size.iter().map(|n| (n + 1).next_multiple_of(WIDTH)).product();
        Diffusion {
            lanes: vec![[0.0; WIDTH]; 3 * padded / WIDTH],
            factors: Factors::with_capacity(longest),
            given: vec![0.0; longest],
        }
    }

    /// Diffuses a field by `amount` = ν Δt, in m². Values in obstacles and on sides must be set; those on sides must be
    /// set again. Ghosts are not read.
    pub fn spread<T: undine_grid::Real, const D: usize>(
        &mut self,
        field: &mut Field<T, D>,
        amount: f64,
        ends: [[End; 2]; D],
        inside: Inside<'_, D>,
    ) {
        // Samples on a side keep their values along the axis across it; the other axes would spoil them: they come later
        let location = field.location();
        let across = (0..D).filter(|&axis| location.is_on_side(axis));
        for axis in across.chain((0..D).filter(|&axis| !location.is_on_side(axis))) {
            let spacing = field.grid().spacing()[axis];
            let ratio = amount / (spacing * spacing);
            let lines = Lines::new(field.size(), axis, ends[axis], field.distinct_size()[axis]);
            // Two samples that are each other's neighbours twice have no second difference worth the name
            let is_short = lines.distinct < if ends[axis][0] == End::Periodic { 3 } else { 1 };
            if ratio > 0.0 && !is_short {
                self.solve(field, ratio, &lines, inside);
            }
        }
    }

    fn solve<T: undine_grid::Real, const D: usize>(
        &mut self,
        field: &mut Field<T, D>,
        ratio: f64,
        lines: &Lines<D>,
        inside: Inside<'_, D>,
    ) {
        let length = lines.distinct;
        self.factors.factor(length, |place| lines.row(place, ratio).system(0.0), lines.is_periodic());
        let given = &mut self.given[..length];
        given.iter_mut().enumerate().for_each(|(place, given)| *given = lines.row(place, ratio).given);
        let (factors, given) = (&self.factors, &*given);
        let solve_shared = |values: &mut [Lanes]| {
            for (lanes, given) in values.iter_mut().zip(given) {
                lanes.iter_mut().for_each(|value| *value += given);
            }
            factors.solve(values);
        };
        let used = &mut self.lanes[..3 * length * lines.bundles()];
        let source = &*field;
        par::for_each_chunk(used, 3 * length, |first, lanes| {
            let (values, room) = lanes.split_at_mut(length);
            let bundle = lines.bundle(first / (3 * length));
            gather(source, lines, &bundle, values);
            match inside {
                Inside::Nothing => solve_shared(values),
                Inside::Sticks(_, kinds) | Inside::Closed(kinds) => match lines.meets(kinds, &bundle) {
                    false => solve_shared(values),
                    true => solve_around(lines, &bundle, ratio, inside, values, room),
                },
            }
        });
        let solved = &self.lanes;
        par::rows(field, |at, row| scatter(solved, lines, at, row));
    }
}

/// The lines of a field along one axis.
struct Lines<const D: usize> {
    size: [usize; D],
    axis: usize,
    ends: [End; 2],
    /// Samples of a line that are not repeats.
    distinct: usize,
    /// The axis along which lines are bundled.
    across: usize,
}

/// Lines side by side: the coordinates of the first one's first sample, and how many there are.
struct Bundle<const D: usize> {
    start: [isize; D],
    count: usize,
}

impl<const D: usize> Lines<D> {
    fn new(size: [usize; D], axis: usize, ends: [End; 2], distinct: usize) -> Self {
        Lines { size, axis, ends, distinct, across: usize::from(axis == 0) }
    }

    fn is_periodic(&self) -> bool {
        self.ends[0] == End::Periodic
    }

    fn bundles_across(&self) -> usize {
        self.size[self.across].div_ceil(WIDTH)
    }

    /// The axis that is neither along nor across, in 3-D.
    fn third(&self) -> Option<usize> {
        (0..D).find(|axis| *axis != self.axis && *axis != self.across)
    }

    fn bundles(&self) -> usize {
        self.bundles_across() * self.third().map_or(1, |axis| self.size[axis])
    }

    fn bundle(&self, number: usize) -> Bundle<D> {
        let across = number % self.bundles_across() * WIDTH;
        let mut start = [0; D];
        start[self.across] = across as isize;
        if let Some(third) = self.third() {
            start[third] = (number / self.bundles_across()) as isize;
        }
        Bundle { start, count: WIDTH.min(self.size[self.across] - across) }
    }

    fn sample(&self, bundle: &Bundle<D>, place: usize, lane: usize) -> [isize; D] {
        let mut at = bundle.start;
        at[self.axis] += place as isize;
        at[self.across] += lane as isize;
        at
    }

    fn meets(&self, kinds: &Field<u8, D>, bundle: &Bundle<D>) -> bool {
        let kind = |place, lane| kinds.at(self.sample(bundle, place, lane));
        (0..self.distinct).any(|place| (0..bundle.count).any(|lane| kind(place, lane) != 0))
    }

    /// The row of a sample far from obstacles.
    fn row(&self, place: usize, ratio: f64) -> Exchange {
        let end = |high: usize| match (high, place) {
            (0, 0) => Some(self.ends[0]),
            (1, place) if place + 1 == self.distinct => Some(self.ends[1]),
            _ => None,
        };
        let ends = [end(0), end(1)];
        if ends.contains(&Some(End::Fixed)) {
            return Exchange { diagonal: 1.0, ..Exchange::default() };
        }
        let ways = ends.map(|end| if matches!(end, Some(End::Wall(_))) { 0.5 } else { 1.0 });
        let mut weights = weights(ways, ratio);
        let mut row = Exchange { diagonal: 1.0, ..Exchange::default() };
        for (weight, end) in weights.iter_mut().zip(ends) {
            match end {
                Some(End::Wall(value)) => {
                    row.given += *weight * value;
                    row.diagonal += *weight;
                    *weight = 0.0;
                }
                Some(End::Closed) => *weight = 0.0,
                _ => row.diagonal += *weight,
            }
        }
        [row.lower, row.upper] = weights;
        row
    }
}

/// What the values at these ways, in cells, below and above weigh in the second difference.
fn weights([low, high]: [f64; 2], ratio: f64) -> [f64; 2] {
    [low, high].map(|way| 2.0 * ratio / ((low + high) * way))
}

/// Solves a bundle whose lines each have rows of their own.
fn solve_around<const D: usize>(
    lines: &Lines<D>,
    bundle: &Bundle<D>,
    ratio: f64,
    inside: Inside<'_, D>,
    values: &mut [Lanes],
    room: &mut [Lanes],
) {
    for lane in 0..bundle.count {
        let row = |place: usize, value: f64| {
            row_around(lines, lines.sample(bundle, place, lane), place, ratio, inside).system(value)
        };
        tridiagonal::solve_lane(row, lines.is_periodic(), lane, values, room);
    }
}

/// The row of a sample that may lie in or beside an obstacle.
fn row_around<const D: usize>(
    lines: &Lines<D>,
    at: [isize; D],
    place: usize,
    ratio: f64,
    inside: Inside<'_, D>,
) -> Exchange {
    let (kind, solids) = match inside {
        Inside::Nothing => return lines.row(place, ratio),
        Inside::Sticks(solids, kinds) => (kinds.at(at), Some((solids, kinds.location()))),
        Inside::Closed(kinds) => (kinds.at(at), None),
    };
    if kind & SOLID != 0 {
        return Exchange { diagonal: 1.0, ..Exchange::default() };
    }
    let is_beside = [false, true].map(|is_high| kind & solid_neighbour_flag(lines.axis, is_high) != 0);
    if is_beside == [false, false] {
        return lines.row(place, ratio);
    }
    let Some((solids, location)) = solids else {
        return without_links(lines.row(place, ratio), is_beside);
    };
    // A wall of the box on the other side keeps its place; what the row there has from it is rebuilt
    beside_solid(lines, at, place, ratio, is_beside, solids, location)
}

/// A row from which nothing passes to neighbours that are solid.
fn without_links(mut row: Exchange, is_beside: [bool; 2]) -> Exchange {
    if is_beside[0] {
        row.diagonal -= row.lower;
        row.lower = 0.0;
    }
    if is_beside[1] {
        row.diagonal -= row.upper;
        row.upper = 0.0;
    }
    row
}

fn beside_solid<const D: usize>(
    lines: &Lines<D>,
    at: [isize; D],
    place: usize,
    ratio: f64,
    is_beside: [bool; 2],
    solids: &Solids<D>,
    location: Location,
) -> Exchange {
    let end = [(place == 0).then_some(lines.ends[0]), (place + 1 == lines.distinct).then_some(lines.ends[1])];
    if end.contains(&Some(End::Fixed)) {
        return Exchange { diagonal: 1.0, ..Exchange::default() };
    }
    let way = |high: usize| match end[high] {
        _ if is_beside[high] => solids.wall_fraction(location, at, lines.axis, high == 1),
        Some(End::Wall(_)) => 0.5,
        _ => 1.0,
    };
    let weights = weights([way(0), way(1)], ratio);
    let mut row = Exchange { diagonal: 1.0, ..Exchange::default() };
    for (high, weight) in weights.into_iter().enumerate() {
        let link = if high == 0 { &mut row.lower } else { &mut row.upper };
        match end[high].filter(|_| !is_beside[high]) {
            Some(End::Closed) => continue,
            Some(End::Wall(value)) => row.given += weight * value,
            _ => *link = weight,
        }
        row.diagonal += weight;
    }
    row
}

fn gather<T: undine_grid::Real, const D: usize>(
    field: &Field<T, D>,
    lines: &Lines<D>,
    bundle: &Bundle<D>,
    values: &mut [Lanes],
) {
    if lines.axis == 0 {
        for lane in 0..bundle.count {
            let row = field.row(lines.sample(bundle, 0, lane));
            values.iter_mut().zip(row).for_each(|(lanes, value)| lanes[lane] = value.to_f64());
        }
    } else {
        for (place, lanes) in values.iter_mut().enumerate() {
            let run = field.run(lines.sample(bundle, place, 0), bundle.count);
            lanes.iter_mut().zip(run).for_each(|(lane, value)| *lane = value.to_f64());
        }
    }
}

fn scatter<T: undine_grid::Real, const D: usize>(
    solved: &[Lanes],
    lines: &Lines<D>,
    at: [isize; D],
    row: &mut [T],
) {
    let length = lines.distinct;
    let third = lines.third().map_or(0, |axis| at[axis] as usize) * lines.bundles_across();
    if lines.axis == 0 {
        let across = at[lines.across] as usize;
        let values = &solved[3 * length * (third + across / WIDTH)..][..length];
        let lane = across % WIDTH;
        row.iter_mut().zip(values).for_each(|(value, lanes)| *value = T::from_f64(lanes[lane]));
    } else {
        // The last sample of a periodic line is the first again
        let place = at[lines.axis] as usize % length;
        for (number, piece) in row.chunks_mut(WIDTH).enumerate() {
            let lanes = &solved[3 * length * (third + number) + place];
            piece.iter_mut().zip(lanes).for_each(|(value, lane)| *value = T::from_f64(*lane));
        }
    }
}

/// What the lines of a velocity component meet at the sides at a time.
pub fn velocity_ends<const D: usize>(sides: &Sides<D>, component: usize, time: f64) -> [[End; 2]; D] {
    std::array::from_fn(|axis| {
        [0, 1].map(|high| {
            let side = Side::ALL[2 * axis + high];
            let along_side = sides.velocity(side, time)[component];
            match sides.kind(side) {
                SideKind::Periodic => End::Periodic,
                SideKind::Outflow => End::Closed,
                _ if axis == component => End::Fixed,
                SideKind::FreeSlip => End::Closed,
                _ => End::Wall(along_side),
            }
        })
    })
}

/// What the lines of a quantity at centres meet at the sides: nothing passes.
pub fn quantity_ends<const D: usize>(sides: &Sides<D>) -> [[End; 2]; D] {
    std::array::from_fn(|axis| [if sides.is_periodic(axis) { End::Periodic } else { End::Closed }; 2])
}
