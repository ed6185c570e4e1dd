//! What the water shows of itself.

use glam::DVec2;
use undine_frame::RasterKind;
use undine_grid::{Grid, Location, Real, par};
use undine_sim::{HeightView, Lattice, NamedField, SampleField, SurfaceView, View};

use super::basin::Basin;
use super::model::KassMiller;

/// The surface, drops in the air, and the named fields; nothing is computed before somebody asks for it.
pub fn view<T: Real, const W: usize>(water: &KassMiller<T, W>) -> View<'_> {
    let basin = &water.basin;
    let surface = HeightView {
        level: level(water),
        bed: Some(bed(water)),
        velocity: Some([velocity(water, 0), velocity(water, 1)]),
        wetness: Some(Box::new(water.wetness.field())),
        dry_depth: basin.film as f32,
    };
    let depth = SampleField::per_cell(*basin.grid(), |cell| basin.depth[cell].to_f64() as f32);
    let field = |name, unit, kind, samples| NamedField { name, unit, kind, samples };
    View {
        surface: Some(SurfaceView::Height(surface)),
        particles: water.sources.particles(),
        bodies: Vec::new(),
        fields: vec![
            field("height", "m", RasterKind::Surface, level(water)),
            field("depth", "m", RasterKind::Scalar, depth),
            field("bed", "m", RasterKind::Ground, bed(water)),
            field("wetness", "", RasterKind::Scalar, Box::new(water.wetness.field())),
            field("velocity", "m/s", RasterKind::Vector, velocities(water)),
        ],
    }
}

/// The surface; where it is bare, a film below the ground, as in [kass1990].
fn level<T: Real, const W: usize>(water: &KassMiller<T, W>) -> Box<dyn Lattice + '_> {
    let basin = &water.basin;
    SampleField::per_cell(*basin.grid(), |cell| {
        let depth = basin.depth[cell].to_f64();
        let above = if depth > basin.film { depth } else { -basin.film };
        (basin.reference + (basin.bed[cell].to_f64() + above)) as f32
    })
}

fn bed<T: Real, const W: usize>(water: &KassMiller<T, W>) -> Box<dyn Lattice + '_> {
    let basin = &water.basin;
    SampleField::per_cell(*basin.grid(), |cell| (basin.reference + basin.bed[cell].to_f64()) as f32)
}

fn velocity<T: Real, const W: usize>(water: &KassMiller<T, W>, axis: usize) -> Box<dyn Lattice + '_> {
    let basin = &water.basin;
    let cells = SampleField::per_cell(*basin.grid(), move |cell| basin.speed(axis, cell) as f32);
    Box::new(Speeds { cells, basin, axis })
}

/// The velocity along an axis, found row by row: windows ask for it sixty times a second.
struct Speeds<'a, T: Real, const W: usize> {
    cells: Box<dyn Lattice + 'a>,
    basin: &'a Basin<T, W>,
    axis: usize,
}

impl<T: Real, const W: usize> Lattice for Speeds<'_, T, W> {
    fn size(&self) -> [usize; 3] {
        self.cells.size()
    }

    fn origin(&self) -> [f64; 3] {
        self.cells.origin()
    }

    fn spacing(&self) -> [f64; 3] {
        self.cells.spacing()
    }

    fn components(&self) -> usize {
        1
    }

    fn values(&self) -> Vec<f32> {
        let ([columns, rows, _], basin, axis) = (self.size(), self.basin, self.axis);
        let mut values = vec![0.0; columns * rows];
        par::for_each_chunk(&mut values, columns, |first, row| basin.row_speeds(axis, first / columns, row));
        values
    }
}

fn velocities<T: Real, const W: usize>(water: &KassMiller<T, W>) -> Box<dyn Lattice + '_> {
    SampleField::boxed(*water.basin.grid(), Location::Center, 2, |cell, out| {
        let cell = cell.map(|along| along as usize);
        (0..2).for_each(|axis| out[axis] = water.basin.speed(axis, cell) as f32);
    })
}

/// A value between the cell centres, linear along x and y, and constant from the last centre to the side; `None`
/// outside the grid.
pub fn between(grid: &Grid<2>, xy: DVec2, value: impl Fn([usize; 2]) -> f64) -> Option<f64> {
    let (low, high) = (DVec2::from(grid.origin()), DVec2::from(grid.far_corner()));
    if !(xy.cmpge(low).all() && xy.cmple(high).all()) {
        return None;
    }
    let place = |axis: usize| {
        let last = grid.cells()[axis] - 1;
        let at = ((xy[axis] - low[axis]) / grid.spacing()[axis] - 0.5).clamp(0.0, last as f64);
        let cell = (at as usize).min(last.saturating_sub(1));
        (cell, (cell + 1).min(last), at - cell as f64)
    };
    let ((west, east, x), (south, north, y)) = (place(0), place(1));
    let along = |row: usize| value([west, row]) * (1.0 - x) + value([east, row]) * x;
    Some(along(south) * (1.0 - y) + along(north) * y)
}
