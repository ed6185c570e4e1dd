//! The outline of liquid at the start: marching squares on a lattice finer than the cells.
//!
//! Every square of the lattice lies in one cell. In open cells its outline is part of the chain where it separates inside
//! from outside, and where a side of the square lies on the face of an obstacle: so chains are aligned to obstacles
//! exactly, also in corners and where the surface meets them. Crossings are found by bisection of the inside test.

use undine_grid::Grid;

use super::super::super::cells::Cells;
use super::super::sliding::FACE_MARGIN;

/// Squares per cell along each axis.
const SQUARES: usize = 8;

/// Halvings of a side of a square: to 2⁻⁴⁸ of it.
const HALVINGS: usize = 48;

/// A piece of the outline with the liquid to its left, between two corners or crossings of the lattice.
#[derive(Debug, Clone, Copy)]
struct Piece {
    from: u64,
    to: u64,
    /// In cells.
    start: [f64; 2],
    is_used: bool,
}

/// The lattice over a grid, and what is inside.
struct Lattice<'a, const D: usize, F> {
    cells: &'a Cells<D>,
    size: [usize; 2],
    is_inside: Vec<bool>,
    inside: &'a F,
}

/// The closed outlines of the part of the open cells that is `inside`, in cells, with the liquid to the left. `inside` is
/// asked with points in metres.
pub fn outlines<const D: usize>(cells: &Cells<D>, inside: &impl Fn([f64; D]) -> bool) -> Vec<Vec<[f64; 2]>> {
    let count = cells.grid().cells();
    let size = [count[0] * SQUARES, count[1] * SQUARES];
    let mut lattice = Lattice { cells, size, is_inside: Vec::new(), inside };
    for j in 0..=size[1] {
        for i in 0..=size[0] {
            let is_inside = lattice.asks([i as f64, j as f64]);
            lattice.is_inside.push(is_inside);
        }
    }
    let mut pieces = Vec::new();
    for j in 0..size[1] {
        (0..size[0]).for_each(|i| lattice.add_pieces([i, j], &mut pieces));
    }
    connect(pieces)
}

impl<const D: usize, F: Fn([f64; D]) -> bool> Lattice<'_, D, F> {
    /// Whether a point, in squares, is inside.
    fn asks(&self, at: [f64; 2]) -> bool {
        let grid: &Grid<D> = self.cells.grid();
        let (origin, spacing) = (grid.origin(), grid.spacing());
        let metres = |axis: usize| at.get(axis).map_or(0.0, |x| x / SQUARES as f64 * spacing[axis]);
        (self.inside)(std::array::from_fn(|axis| origin[axis] + metres(axis)))
    }

    fn is_inside(&self, [i, j]: [usize; 2]) -> bool {
        self.is_inside[i + j * (self.size[0] + 1)]
    }

    /// Adds the pieces of the outline in one square.
    fn add_pieces(&self, square: [usize; 2], pieces: &mut Vec<Piece>) {
        let cell = [square[0] / SQUARES, square[1] / SQUARES];
        if self.is_obstacle([cell[0] as isize, cell[1] as isize]) {
            return;
        }
        let corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[x, y]| [square[0] + x, square[1] + y]);
        let is_in = corners.map(|corner| self.is_inside(corner));
        let mut add = |from: Vertex, to: Vertex| {
            // Kept in the open cell, so that the particle does not lie in the obstacle beside it
            let kept = |axis: usize| {
                let low = cell[axis] as f64;
                from.at[axis].clamp(low + FACE_MARGIN, low + 1.0 - FACE_MARGIN)
            };
            pieces.push(Piece { from: from.id, to: to.id, start: [kept(0), kept(1)], is_used: false });
        };
        for side in 0..4 {
            let (a, b) = (corners[side], corners[(side + 1) % 4]);
            // Along the face of an obstacle, as far as there is liquid
            if self.is_face_of_obstacle(square, side) {
                match [is_in[side], is_in[(side + 1) % 4]] {
                    [true, true] => add(self.corner(a), self.corner(b)),
                    [true, false] => add(self.corner(a), self.crossing(a, b)),
                    [false, true] => add(self.crossing(a, b), self.corner(b)),
                    [false, false] => {}
                }
            }
            // From where the outline of the liquid leaves the square's own to where it comes back
            if is_in[side] && !is_in[(side + 1) % 4] {
                let entry = self.entry_after(side, is_in, square);
                let (c, d) = (corners[entry], corners[(entry + 1) % 4]);
                add(self.crossing(a, b), self.crossing(c, d));
            }
        }
    }

    /// The side through which the outline that leaves through `side` comes back. Where two opposite corners are inside,
    /// the middle of the square decides whether they belong together.
    fn entry_after(&self, side: usize, is_in: [bool; 4], square: [usize; 2]) -> usize {
        let is_entry = |at: &usize| !is_in[*at] && is_in[(*at + 1) % 4];
        let is_saddle = is_in[0] == is_in[2] && is_in[1] == is_in[3] && is_in[0] != is_in[1];
        if is_saddle && !self.asks([square[0] as f64 + 0.5, square[1] as f64 + 0.5]) {
            return (side + 3) % 4;
        }
        (1..4).map(|turn| (side + turn) % 4).find(is_entry).unwrap_or(side)
    }

    fn is_obstacle(&self, [i, j]: [isize; 2]) -> bool {
        self.cells.is_obstacle(std::array::from_fn(|axis| match axis {
            0 => i,
            1 => j,
            _ => 0,
        }))
    }

    /// Whether an obstacle, or the end of the domain, lies beyond a side of a square.
    fn is_face_of_obstacle(&self, square: [usize; 2], side: usize) -> bool {
        let by = [[0, -1], [1, 0], [0, 1], [-1, 0]][side];
        let beyond = [square[0] as isize + by[0], square[1] as isize + by[1]];
        self.is_obstacle(beyond.map(|i| i.div_euclid(SQUARES as isize)))
    }

    fn corner(&self, at: [usize; 2]) -> Vertex {
        Vertex { id: 3 * self.number(at), at: at.map(|i| i as f64 / SQUARES as f64) }
    }

    fn number(&self, [i, j]: [usize; 2]) -> u64 {
        (i + j * (self.size[0] + 1)) as u64
    }

    /// The point of a side where inside turns into outside.
    fn crossing(&self, a: [usize; 2], b: [usize; 2]) -> Vertex {
        let low = [a[0].min(b[0]), a[1].min(b[1])];
        let id = 3 * self.number(low) + if a[1] == b[1] { 1 } else { 2 };
        let (mut inner, mut outer) = (a.map(|i| i as f64), b.map(|i| i as f64));
        if !self.is_inside(a) {
            std::mem::swap(&mut inner, &mut outer);
        }
        for _ in 0..HALVINGS {
            let middle = [0.5 * (inner[0] + outer[0]), 0.5 * (inner[1] + outer[1])];
            *(if self.asks(middle) { &mut inner } else { &mut outer }) = middle;
        }
        Vertex { id, at: inner.map(|x| x / SQUARES as f64) }
    }
}

/// A corner of the lattice or a crossing on one of its sides, with a number of its own.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    id: u64,
    at: [f64; 2],
}

/// Connects pieces to closed outlines.
fn connect(mut pieces: Vec<Piece>) -> Vec<Vec<[f64; 2]>> {
    pieces.sort_by_key(|piece| piece.from);
    let mut outlines = Vec::new();
    for first in 0..pieces.len() {
        let mut outline = Vec::new();
        let mut next = Some(first).filter(|&at| !pieces[at].is_used);
        while let Some(at) = next {
            pieces[at].is_used = true;
            outline.push(pieces[at].start);
            let to = pieces[at].to;
            let begin = pieces.partition_point(|piece| piece.from < to);
            let after = pieces[begin..].iter().take_while(|piece| piece.from == to);
            next = after.enumerate().find(|(_, piece)| !piece.is_used).map(|(number, _)| begin + number);
            next = next.filter(|_| to != pieces[first].from);
        }
        if outline.len() > 2 {
            outlines.push(outline);
        }
    }
    outlines
}
