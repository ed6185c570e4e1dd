//! Row buffers of a column tile: short enough for the first-level cache.
//!
//! A tile is [`TILE`] columns wide and carries [`HALO`] more on each side, so that its own columns are advanced without
//! data of another tile. All rows are indexed alike: index `HALO` is the first of the tile's own columns.

/// Columns of a tile; with its halo a multiple of the widest vector. Wider tiles do not fit into the first-level cache,
/// narrower ones spend more on the halo.
pub(super) const TILE: usize = 66;

/// Cells beyond a tile that its own cells depend on: two for the limited slopes, one for the positivity limiter of a
/// neighbour.
pub(super) const HALO: usize = 3;

/// Loops run over full vectors of this many numbers. Results beyond the halo are computed and not used: a scalar
/// remainder would cost as much as a full vector.
pub(super) const LANES: usize = 8;

/// One number per column of a tile and its halo, padded to full vectors.
pub(super) type TileRow = [f64; (TILE + 2 * HALO).next_multiple_of(LANES) + LANES];

/// A row of zeros.
pub(super) const BLANK: TileRow = [0.0; (TILE + 2 * HALO).next_multiple_of(LANES) + LANES];

/// Primitive variables of a row of cells: depth h, surface level η = h + z, velocity (u, v).
#[derive(Clone)]
pub(super) struct CellRow {
    pub depth: TileRow,
    pub level: TileRow,
    pub u: TileRow,
    pub v: TileRow,
}

/// Reconstructed state at the same edge of every cell of a row: h, η, and the velocity across (normal to) and along
/// (tangential to) the edge.
#[derive(Clone)]
pub(super) struct EdgeRow {
    pub depth: TileRow,
    pub level: TileRow,
    pub across: TileRow,
    pub along: TileRow,
}

/// Numerical fluxes through a row of faces, per metre of face.
#[derive(Clone)]
pub(super) struct FluxRow {
    /// Mass flux (volume), in m²/s.
    pub mass: TileRow,
    /// Normal momentum flux less the hydrostatic pressure ½ g h² on the low side.
    pub low: TileRow,
    /// Normal momentum flux less the hydrostatic pressure on the high side.
    pub high: TileRow,
    /// Tangential momentum flux.
    pub shear: TileRow,
}

/// A part of a row of cells or edges; all slices of the same length.
#[derive(Clone, Copy)]
pub(super) struct RowSlice<'a> {
    pub depth: &'a [f64],
    pub level: &'a [f64],
    pub across: &'a [f64],
    pub along: &'a [f64],
}

impl CellRow {
    pub const BLANK: CellRow = CellRow { depth: BLANK, level: BLANK, u: BLANK, v: BLANK };

    /// Cells `from..to` for faces normal to x: across = u, along = v.
    #[inline(always)]
    pub fn along_x(&self, from: usize, to: usize) -> RowSlice<'_> {
        RowSlice {
            depth: &self.depth[from..to],
            level: &self.level[from..to],
            across: &self.u[from..to],
            along: &self.v[from..to],
        }
    }

    /// Cells `from..to` for faces normal to y: across = v, along = u.
    #[inline(always)]
    pub fn along_y(&self, from: usize, to: usize) -> RowSlice<'_> {
        RowSlice {
            depth: &self.depth[from..to],
            level: &self.level[from..to],
            across: &self.v[from..to],
            along: &self.u[from..to],
        }
    }
}

impl EdgeRow {
    pub const BLANK: EdgeRow = EdgeRow { depth: BLANK, level: BLANK, across: BLANK, along: BLANK };

    /// Edges `from..to`.
    #[inline(always)]
    pub fn slice(&self, from: usize, to: usize) -> RowSlice<'_> {
        RowSlice {
            depth: &self.depth[from..to],
            level: &self.level[from..to],
            across: &self.across[from..to],
            along: &self.along[from..to],
        }
    }
}

impl FluxRow {
    pub const BLANK: FluxRow = FluxRow { mass: BLANK, low: BLANK, high: BLANK, shear: BLANK };

    /// F ← r F for the faces `from..to`, with r = `factor(mass flux, face)`.
    #[inline(always)]
    pub fn scale(&mut self, from: usize, to: usize, factor: impl Fn(f64, usize) -> f64) {
        for face in from..to {
            let factor = factor(self.mass[face], face);
            self.mass[face] *= factor;
            self.low[face] *= factor;
            self.high[face] *= factor;
            self.shear[face] *= factor;
        }
    }
}

/// min(a, b) as a single instruction, unlike `f64::min`, which treats NaN apart.
#[inline(always)]
pub(super) fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// max(a, b) as a single instruction, unlike `f64::max`.
#[inline(always)]
pub(super) fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Sum in eight lanes, in a fixed order, so that additions overlap.
#[inline(always)]
pub(super) fn sum(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        (0..8).for_each(|lane| lanes[lane] += chunk[lane]);
    }
    rest.iter().enumerate().for_each(|(lane, value)| lanes[lane] += value);
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

/// Greatest value, at least zero.
#[inline(always)]
pub(super) fn greatest(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        (0..8).for_each(|lane| lanes[lane] = greater(chunk[lane], lanes[lane]));
    }
    rest.iter().chain(&lanes).fold(0.0, |greatest, &value| greater(value, greatest))
}
