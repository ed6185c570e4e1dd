//! A stage over a band of rows: the fluxes of a row are made when the rows around it are there, and used while they
//! are still in cache.
//!
//! Work on row r + 1 is: load it; draw lines through row r along x and y; solve the faces of row r and those between
//! r − 1 and r; see whether row r − 1 can afford what flows out of it, and cut the fluxes if not; then advance row
//! r − 2, all of whose fluxes are now final. Rows beside the band are computed by both bands that need them, to the
//! same bits, so bands and tiles do not know of each other.

use std::ops::Range;

use undine_grid::{Field, Grid, simd};

use super::outside::Outside;
use super::reconstruct::reconstruct;
use super::riemann::{Side, solve};
use super::tile::{BLANK, Cells, Edge, Faces, HALO, LANES, Row, TILE, greater};
use super::update::{Around, Found, Stage, afford, load, update};

/// What a stage reads.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub stage: Stage,
    pub grid: Grid<2>,
    /// Depth and momentum along x and y, ghosts filled.
    pub state: [&'a Field<f64, 2>; 3],
    pub bed: &'a Field<f64, 2>,
    /// What is outside west, east, south and north; nothing where ghosts say it all, as at walls and periodic sides.
    pub outside: [Option<&'a [Outside]>; 4],
}

/// What a stage writes of a band of rows.
pub(super) struct Band<'a> {
    pub rows: Range<usize>,
    /// Depth and momentum; from the first sample of the first row on, rows `pitch` apart.
    pub state: [&'a mut [f64]; 3],
    pub pitch: usize,
    pub found: &'a mut [Found],
    /// Flux inwards through the west and east face of each row.
    pub through: [&'a mut [f64]; 2],
    /// Flux inwards through the south faces, given to the first band, and the north faces, to the last.
    pub south: Option<&'a mut [f64]>,
    pub north: Option<&'a mut [f64]>,
}

/// Rows that are kept of everything: as many as the work on one row looks back.
const KEPT: usize = 4;

/// The rows of a tile that the sweep is working on.
struct Rows {
    cells: [Cells; KEPT],
    west: Edge,
    east: Edge,
    south: Edge,
    /// Of this row and the one before.
    north: [Edge; 2],
    across_x: [Faces; KEPT],
    across_y: [Faces; KEPT],
    push_x: [Row; KEPT],
    push_y: [Row; KEPT],
    share: [Row; KEPT],
    is_short: [bool; KEPT],
    /// The two outermost rows on a side.
    inside: [Cells; 2],
    /// For numbers that are needed at once.
    scratch: [Row; 2],
}

impl Rows {
    const BLANK: Rows = Rows {
        cells: [Cells::BLANK; KEPT],
        west: Edge::BLANK,
        east: Edge::BLANK,
        south: Edge::BLANK,
        north: [Edge::BLANK; 2],
        across_x: [Faces::BLANK; KEPT],
        across_y: [Faces::BLANK; KEPT],
        push_x: [BLANK; KEPT],
        push_y: [BLANK; KEPT],
        share: [BLANK; KEPT],
        is_short: [false; KEPT],
        inside: [Cells::BLANK; 2],
        scratch: [BLANK; 2],
    };
}

/// The place of a row among those kept.
#[inline(always)]
fn kept(row: isize) -> usize {
    row.rem_euclid(KEPT as isize) as usize
}

/// Advances a band by the fastest code that this machine can run. All of it gives the same bits.
pub(super) fn advance(input: &Input<'_>, band: &mut Band<'_>) {
    simd::dispatch(
        #[inline(always)]
        || sweep(input, band),
    );
}

#[inline(always)]
fn sweep(input: &Input<'_>, band: &mut Band<'_>) {
    let [columns, rows] = input.grid.cells();
    let mut kept_rows = Rows::BLANK;
    band.found.fill(Found::default());
    for first in (0..columns).step_by(TILE) {
        let tile = Tile { input, columns: first..columns.min(first + TILE), total: [columns, rows] };
        if rows == 1 { tile.sweep_curve(&mut kept_rows, band) } else { tile.sweep(&mut kept_rows, band) }
    }
}

/// Some columns of the domain.
struct Tile<'a> {
    input: &'a Input<'a>,
    columns: Range<usize>,
    total: [usize; 2],
}

impl Tile<'_> {
    /// Numbers to compute for `count` that are wanted.
    #[inline(always)]
    fn whole(&self, count: usize) -> usize {
        count.next_multiple_of(LANES)
    }

    /// Places in a row, halo included.
    #[inline(always)]
    fn width(&self) -> usize {
        self.columns.len() + 2 * HALO
    }

    #[inline(always)]
    fn sweep(&self, kept_rows: &mut Rows, band: &mut Band<'_>) {
        let (start, end) = (band.rows.start as isize, band.rows.end as isize);
        self.load(kept_rows, start - 3);
        self.load(kept_rows, start - 2);
        for row in start - 2..end + 2 {
            self.load(kept_rows, row + 1);
            if (start - 1..=end).contains(&row) {
                self.solve_along_x(kept_rows, row);
            }
            self.solve_along_y(kept_rows, row);
            let ripe = row - 1;
            if ripe >= start - 1 {
                self.limit(kept_rows, ripe, start);
            }
            if ripe > start {
                self.finish(kept_rows, ripe - 1, band);
            }
        }
    }

    /// A single row has no faces across y.
    #[inline(always)]
    fn sweep_curve(&self, kept_rows: &mut Rows, band: &mut Band<'_>) {
        self.load(kept_rows, 0);
        self.solve_along_x(kept_rows, 0);
        self.limit(kept_rows, 0, 0);
        self.finish(kept_rows, 0, band);
    }

    #[inline(always)]
    fn load(&self, kept_rows: &mut Rows, row: isize) {
        let [.., south, north] = self.input.outside;
        let [_, rows] = self.total.map(|count| count as isize);
        let inwards = match row {
            -1 if south.is_some() => 1,
            _ if row == rows && north.is_some() => -1,
            _ => 0,
        };
        if inwards == 0 || rows < 2 {
            return self.load_stored(row, &mut kept_rows.cells[kept(row)]);
        }
        let Rows { cells, inside, .. } = kept_rows;
        for (distance, inside) in (1..).zip(inside.iter_mut()) {
            self.load_stored(row + inwards * distance, inside);
        }
        continue_row(inside, &mut cells[kept(row)], inwards as f64, self.input.stage.gravity);
    }

    #[inline(always)]
    fn load_stored(&self, row: isize, cells: &mut Cells) {
        let from = [self.columns.start as isize - HALO as isize, row];
        let Input { state: [depth, flow_x, flow_y], bed, stage, .. } = self.input;
        let stored = [depth, flow_x, flow_y, bed].map(|field| field.run(from, self.width()));
        load(stored, stage.dry, cells);
        let [west, east, ..] = self.input.outside;
        let [columns, _] = self.total;
        if west.is_some() && self.columns.start == 0 && columns >= 2 {
            continue_beyond(cells, HALO - 1, [HALO, HALO + 1], 1.0, stage.gravity);
        }
        if east.is_some() && self.columns.end == columns && columns >= 2 {
            let last = self.width() - HALO - 1;
            continue_beyond(cells, last + 1, [last, last - 1], -1.0, stage.gravity);
        }
    }

    #[inline(always)]
    fn solve_along_x(&self, kept_rows: &mut Rows, row: isize) {
        let (stage, width) = (&self.input.stage, self.width());
        let Rows { cells, west, east, across_x, push_x, .. } = kept_rows;
        let (cells, faces) = (&cells[kept(row)], &mut across_x[kept(row)]);
        let count = self.whole(width - 2);
        let around = [0, 1, 2].map(|place| cells.along_x(place, place + count));
        reconstruct(around, stage.gravity, stage.dry, 1, west, east, &mut push_x[kept(row)]);
        let count = self.whole(width - 3);
        solve(east.run(1, 1 + count), west.run(2, 2 + count), stage.gravity, 2, faces);
        if (0..self.total[1] as isize).contains(&row) {
            self.pass_west_and_east(row as usize, west, east, faces);
        }
    }

    /// Faces on a side with something outside it.
    #[inline(always)]
    fn pass_west_and_east(&self, row: usize, west: &Edge, east: &Edge, faces: &mut Faces) {
        let [on_west, on_east, ..] = self.input.outside;
        if let Some(outside) = on_west.filter(|_| self.columns.start == 0) {
            pass_low(outside[row], west, HALO, self.input.stage.gravity, faces);
        }
        if let Some(outside) = on_east.filter(|_| self.columns.end == self.total[0]) {
            pass_high(outside[row], east, self.width() - HALO, 1, self.input.stage.gravity, faces);
        }
    }

    #[inline(always)]
    fn solve_along_y(&self, kept_rows: &mut Rows, row: isize) {
        let (stage, width) = (&self.input.stage, self.width());
        let Rows { cells, south, north, across_y, push_y, .. } = kept_rows;
        let [before, north] = pair(north, row);
        let end = 2 + self.whole(width - 4);
        let run = |row: isize| cells[kept(row)].along_y(2, end);
        let around = [run(row - 1), run(row), run(row + 1)];
        reconstruct(around, stage.gravity, stage.dry, 2, south, north, &mut push_y[kept(row)]);
        let faces = &mut across_y[kept(row)];
        solve(before.run(2, end), south.run(2, end), stage.gravity, 2, faces);

        let [.., on_south, on_north] = self.input.outside;
        let gravity = stage.gravity;
        if let Some(outside) = on_south.filter(|_| row == 0) {
            for (place, column) in (HALO..).zip(self.columns.clone()) {
                pass_low(outside[column], south, place, gravity, faces);
            }
        }
        if let Some(outside) = on_north.filter(|_| row == self.total[1] as isize) {
            for (place, column) in (HALO..).zip(self.columns.clone()) {
                pass_high(outside[column], before, place, 0, gravity, faces);
            }
        }
    }

    /// Cuts the fluxes out of a row of cells that cannot afford them, and those into it from cells that cannot.
    #[inline(always)]
    fn limit(&self, kept_rows: &mut Rows, row: isize, start: isize) {
        let width = self.width();
        let Rows { cells, across_x, across_y, share, is_short, scratch: [scratch, _], .. } = kept_rows;
        let [south, north] = [&across_y[kept(row)], &across_y[kept(row + 1)]];
        let (depth, own) = (&cells[kept(row)].depth, &mut share[kept(row)]);
        let across_x = &mut across_x[kept(row)];
        let places = [2, 2 + self.whole(width - 4)];
        let is_own_short = !self.is_outside(row)
            && afford(&self.input.stage, depth, across_x, [south, north], places, [scratch, own]);
        is_short[kept(row)] = is_own_short;
        if is_own_short {
            self.trust_outside(own);
            across_x.scale(3, width - 2, |mass, face| if mass > 0.0 { own[face - 1] } else { own[face] });
        }
        if row < start || !(is_own_short || is_short[kept(row - 1)]) {
            return;
        }
        for row in [row - 1, row] {
            if !is_short[kept(row)] {
                share[kept(row)].fill(1.0);
            }
        }
        let [below, own] = [&share[kept(row - 1)], &share[kept(row)]];
        let faces = &mut across_y[kept(row)];
        faces.scale(3, width - 3, |mass, face| if mass > 0.0 { below[face] } else { own[face] });
    }

    /// Whether a row lies beyond a side with something outside, which owes nothing to its ghosts.
    #[inline(always)]
    fn is_outside(&self, row: isize) -> bool {
        let [.., south, north] = self.input.outside;
        (row < 0 && south.is_some()) || (row >= self.total[1] as isize && north.is_some())
    }

    #[inline(always)]
    fn trust_outside(&self, share: &mut Row) {
        let [west, east, ..] = self.input.outside;
        if west.is_some() && self.columns.start == 0 {
            share[HALO - 1] = 1.0;
        }
        if east.is_some() && self.columns.end == self.total[0] {
            share[self.width() - HALO] = 1.0;
        }
    }

    /// Advances a row whose fluxes are final.
    #[inline(always)]
    fn finish(&self, kept_rows: &mut Rows, row: isize, band: &mut Band<'_>) {
        let (width, count) = (self.width(), self.columns.len());
        let Rows { cells, across_x, across_y, push_x, push_y, scratch, .. } = kept_rows;
        let around = Around {
            across_x: &across_x[kept(row)],
            south: &across_y[kept(row)],
            north: &across_y[kept(row + 1)],
            push_x: &push_x[kept(row)],
            push_y: &push_y[kept(row)],
        };
        let local = row as usize - band.rows.start;
        let from = [self.columns.start as isize, row];
        let state = self.input.state;
        let stored = [state[0].run(from, count), state[1].run(from, count), state[2].run(from, count)];
        let place = local * band.pitch + self.columns.start;
        let [depth, flow_x, flow_y] = &mut band.state;
        let into = [
            &mut depth[place..place + count],
            &mut flow_x[place..place + count],
            &mut flow_y[place..place + count],
        ];
        let stage = &self.input.stage;
        let cells = &cells[kept(row)];
        let found = match (stage.friction.is_none(), stage.is_second) {
            (true, false) => {
                update::<false, false>(stage, cells, stored, &around, HALO, into, scratch.each_mut())
            }
            (true, true) => {
                update::<false, true>(stage, cells, stored, &around, HALO, into, scratch.each_mut())
            }
            (false, false) => {
                update::<true, false>(stage, cells, stored, &around, HALO, into, scratch.each_mut())
            }
            (false, true) => {
                update::<true, true>(stage, cells, stored, &around, HALO, into, scratch.each_mut())
            }
        };
        band.found[local].add(&found);
        self.note_passage(&around, row as usize, width, band);
    }

    /// Notes what has passed the sides, for the ledger.
    #[inline(always)]
    fn note_passage(&self, around: &Around<'_>, row: usize, width: usize, band: &mut Band<'_>) {
        let local = row - band.rows.start;
        if self.columns.start == 0 {
            band.through[0][local] = around.across_x.mass[HALO];
        }
        if self.columns.end == self.total[0] {
            band.through[1][local] = -around.across_x.mass[width - HALO];
        }
        if let Some(south) = band.south.as_mut().filter(|_| row == 0) {
            south[self.columns.clone()].copy_from_slice(&around.south.mass[HALO..width - HALO]);
        }
        if let Some(north) = band.north.as_mut().filter(|_| row + 1 == self.total[1]) {
            let out = &around.north.mass[HALO..width - HALO];
            north[self.columns.clone()].iter_mut().zip(out).for_each(|(inward, out)| *inward = -out);
        }
    }
}

/// The cell beyond the outermost of a side, on the line through the outer two. Where the flow comes in faster than waves
/// run, nothing from inside could correct that line and what grows on it: there only the bed goes on.
#[inline(always)]
fn beyond(outermost: [f64; 4], next: [f64; 4], inwards: f64, gravity: f64) -> [f64; 4] {
    let [depth, level, across, along] = outermost;
    let is_rapid = (inwards * across > 0.0) & (across * across > gravity * depth);
    let slope: [f64; 4] = std::array::from_fn(|index| outermost[index] - next[index]);
    let on = |slope: f64| if is_rapid { 0.0 } else { slope };
    [
        greater(depth + on(slope[0]), 0.0),
        level + if is_rapid { slope[1] - slope[0] } else { slope[1] },
        across + on(slope[2]),
        along + on(slope[3]),
    ]
}

/// Fills a cell beyond the west or east side from the two inside it; `inwards` is 1 or −1.
#[inline(always)]
fn continue_beyond(
    cells: &mut Cells,
    place: usize,
    [outermost, next]: [usize; 2],
    inwards: f64,
    gravity: f64,
) {
    let at = |place: usize| [cells.depth[place], cells.level[place], cells.u[place], cells.v[place]];
    let [depth, level, u, v] = beyond(at(outermost), at(next), inwards, gravity);
    (cells.depth[place], cells.level[place], cells.u[place], cells.v[place]) = (depth, level, u, v);
}

/// Fills a row beyond the south or north side from the two inside it.
#[inline(always)]
fn continue_row([outermost, next]: &[Cells; 2], cells: &mut Cells, inwards: f64, gravity: f64) {
    for i in 0..BLANK.len() {
        let at = |cells: &Cells| [cells.depth[i], cells.level[i], cells.v[i], cells.u[i]];
        let [depth, level, v, u] = beyond(at(outermost), at(next), inwards, gravity);
        (cells.depth[i], cells.level[i], cells.u[i], cells.v[i]) = (depth, level, u, v);
    }
}

/// The edges of the row before and of this one.
#[inline(always)]
fn pair(edges: &mut [Edge; 2], row: isize) -> [&mut Edge; 2] {
    let [even, odd] = edges;
    if row % 2 == 0 { [odd, even] } else { [even, odd] }
}

/// Sets the face `place` on a low side, west or south, whose inner water is at `edge`.
fn pass_low(outside: Outside, edge: &Edge, place: usize, gravity: f64, faces: &mut Faces) {
    let passage = outside.passage(side(edge, place, 1.0), gravity);
    faces.mass[place] = passage.mass;
    faces.high[place] = passage.thrust;
    faces.shear[place] = passage.shear;
}

/// Sets the face `place` on a high side, east or north; the inner cell is `back` places before.
fn pass_high(outside: Outside, edge: &Edge, place: usize, back: usize, gravity: f64, faces: &mut Faces) {
    let passage = outside.passage(side(edge, place - back, -1.0), gravity);
    faces.mass[place] = -passage.mass;
    faces.low[place] = passage.thrust;
    faces.shear[place] = -passage.shear;
}

fn side(edge: &Edge, place: usize, inwards: f64) -> Side {
    Side {
        depth: edge.depth[place],
        level: edge.level[place],
        across: inwards * edge.across[place],
        along: edge.along[place],
    }
}
