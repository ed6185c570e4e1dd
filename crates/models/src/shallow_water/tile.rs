//! The rows that a sweep works on: short pieces of the domain that stay in the fastest cache.
//!
//! A tile is [`TILE`] columns wide and carries [`HALO`] more on each side, so that everything about its own columns can
//! be computed without asking a neighbour. Row arrays are indexed alike: place `HALO` is the tile's first own column.

/// Columns of a tile; with its halo a multiple of the widest vector. Wider ones fall out of the first-level cache,
/// narrower ones compute more halo.
pub(super) const TILE: usize = 66;

/// Cells beyond a tile that its own cells depend on: two for the slopes, one for the draining of a neighbour.
pub(super) const HALO: usize = 3;

/// Loops run over whole vectors of this many numbers. What lies beyond the halo is computed and never looked at: a
/// last number done alone would cost as much as a whole vector.
pub(super) const LANES: usize = 8;

/// One number per column of a tile and its halo, with room for the last vector.
pub(super) type Row = [f64; (TILE + 2 * HALO).next_multiple_of(LANES) + LANES];

/// A row of zeros.
pub(super) const BLANK: Row = [0.0; (TILE + 2 * HALO).next_multiple_of(LANES) + LANES];

/// A row of cells: depth, level of the surface, and velocity.
#[derive(Clone)]
pub(super) struct Cells {
    pub depth: Row,
    pub level: Row,
    pub u: Row,
    pub v: Row,
}

/// The water at the same edge of every cell of a row, with its velocity across and along that edge.
#[derive(Clone)]
pub(super) struct Edge {
    pub depth: Row,
    pub level: Row,
    pub across: Row,
    pub along: Row,
}

/// What passes through a row of faces, per metre of face.
#[derive(Clone)]
pub(super) struct Faces {
    /// Volume, in m²/s.
    pub mass: Row,
    /// Momentum across the face, less the still pressure of the water on the low side of it.
    pub low: Row,
    /// The same, less the still pressure on the high side.
    pub high: Row,
    /// Momentum along the face.
    pub shear: Row,
}

/// Pieces of a row of cells or edges, all of the same length.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub depth: &'a [f64],
    pub level: &'a [f64],
    pub across: &'a [f64],
    pub along: &'a [f64],
}

impl Cells {
    pub const BLANK: Cells = Cells { depth: BLANK, level: BLANK, u: BLANK, v: BLANK };

    /// Cells `from..to` as seen by faces across x.
    #[inline(always)]
    pub fn along_x(&self, from: usize, to: usize) -> Run<'_> {
        Run {
            depth: &self.depth[from..to],
            level: &self.level[from..to],
            across: &self.u[from..to],
            along: &self.v[from..to],
        }
    }

    /// Cells `from..to` as seen by faces across y.
    #[inline(always)]
    pub fn along_y(&self, from: usize, to: usize) -> Run<'_> {
        Run {
            depth: &self.depth[from..to],
            level: &self.level[from..to],
            across: &self.v[from..to],
            along: &self.u[from..to],
        }
    }
}

impl Edge {
    pub const BLANK: Edge = Edge { depth: BLANK, level: BLANK, across: BLANK, along: BLANK };

    #[inline(always)]
    pub fn run(&self, from: usize, to: usize) -> Run<'_> {
        Run {
            depth: &self.depth[from..to],
            level: &self.level[from..to],
            across: &self.across[from..to],
            along: &self.along[from..to],
        }
    }
}

impl Faces {
    pub const BLANK: Faces = Faces { mass: BLANK, low: BLANK, high: BLANK, shear: BLANK };

    /// Lets only a share of what passes through, face by face.
    #[inline(always)]
    pub fn scale(&mut self, from: usize, to: usize, share: impl Fn(f64, usize) -> f64) {
        for face in from..to {
            let share = share(self.mass[face], face);
            self.mass[face] *= share;
            self.low[face] *= share;
            self.high[face] *= share;
            self.shear[face] *= share;
        }
    }
}

/// The smaller of two numbers; unlike `f64::min` it is a single instruction.
#[inline(always)]
pub(super) fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two numbers; unlike `f64::max` it is a single instruction.
#[inline(always)]
pub(super) fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Sum in eight lanes, so that additions overlap, always in the same order.
#[inline(always)]
pub(super) fn sum(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (whole, rest) = values.as_chunks::<8>();
    for chunk in whole {
        (0..8).for_each(|lane| lanes[lane] += chunk[lane]);
    }
    rest.iter().enumerate().for_each(|(lane, value)| lanes[lane] += value);
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

/// Greatest value, at least zero.
#[inline(always)]
pub(super) fn greatest(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (whole, rest) = values.as_chunks::<8>();
    for chunk in whole {
        (0..8).for_each(|lane| lanes[lane] = greater(chunk[lane], lanes[lane]));
    }
    rest.iter().chain(&lanes).fold(0.0, |most, &value| greater(value, most))
}
