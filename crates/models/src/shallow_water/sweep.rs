//! A stage over the whole domain: bands of rows on all threads.

use undine_grid::{Field, par};

use super::band::{self, Band, Input};
use super::update::Found;

/// Rows of a band. Each computes four rows of its neighbours again, so thin bands compute more; thick ones leave
/// threads without work. The cut does not depend on the threads.
const BAND_ROWS: usize = 64;

/// What a stage writes beside the state.
pub(super) struct Record {
    /// What was found in each row.
    pub found: Vec<Found>,
    /// Flux inwards through each face of the west, east, south and north side, in m²/s.
    pub through: [Vec<f64>; 4],
}

impl Record {
    pub fn new([columns, rows]: [usize; 2]) -> Record {
        let blank = |count| vec![0.0; count];
        Record {
            found: vec![Found::default(); rows],
            through: [blank(rows), blank(rows), blank(columns), blank(columns)],
        }
    }
}

/// Advances `into` by a stage that reads `input`.
pub(super) fn advance(input: &Input<'_>, into: &mut [Field<f64, 2>; 3], record: &mut Record) {
    let rows = input.grid.cells()[1];
    let layout = *input.bed.layout();
    let (start, pitch) = (layout.offset([0, 0]), layout.strides()[1]);
    let state = into.each_mut().map(|field| &mut field.storage_mut()[start..start + rows * pitch]);
    let Record { found, through: [west, east, south, north] } = record;
    let whole = Band {
        rows: 0..rows,
        state,
        pitch,
        found,
        through: [west, east],
        south: Some(south),
        north: Some(north),
    };
    split(input, whole);
}

/// Halves a band until it is thin, and works on the halves at the same time.
fn split(input: &Input<'_>, mut band: Band<'_>) {
    let bands = band.rows.len().div_ceil(BAND_ROWS);
    if bands <= 1 {
        return band::advance(input, &mut band);
    }
    let count = bands / 2 * BAND_ROWS;
    let (low, high) = band.split_at(count);
    par::join(|| split(input, low), || split(input, high));
}

impl<'a> Band<'a> {
    fn split_at(self, count: usize) -> (Band<'a>, Band<'a>) {
        let Band { rows, state, pitch, found, through: [west, east], south, north } = self;
        let middle = rows.start + count;
        let [depth, flow_x, flow_y] = state.map(|values| values.split_at_mut(count * pitch));
        let (found, west, east) =
            (found.split_at_mut(count), west.split_at_mut(count), east.split_at_mut(count));
        let low = Band {
            rows: rows.start..middle,
            state: [depth.0, flow_x.0, flow_y.0],
            pitch,
            found: found.0,
            through: [west.0, east.0],
            south,
            north: None,
        };
        let high = Band {
            rows: middle..rows.end,
            state: [depth.1, flow_x.1, flow_y.1],
            pitch,
            found: found.1,
            through: [west.1, east.1],
            south: None,
            north,
        };
        (low, high)
    }
}
