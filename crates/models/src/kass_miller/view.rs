//! Views of the model: surface, drops and named fields.

use undine_frame::Quantity;
use undine_grid::{Location, Real, par};
use undine_sim::{Components, FieldView, HeightView, Lattice, SampleField, SurfaceView, View};

use super::height_field::HeightField;
use super::model::KassMiller;

/// Surface, drops in the air and named fields; fields are evaluated on demand.
pub fn view<T: Real, const W: usize>(water: &KassMiller<T, W>) -> View<'_> {
    let height_field = &water.height_field;
    let surface = HeightView {
        level: level(water),
        bed: Some(bed(water)),
        velocity: Some(Box::new(Components([velocity(water, 0), velocity(water, 1)]))),
        wetness: Some(Box::new(water.wetness.field())),
        dry_depth: height_field.film as f32,
    };
    let depth = SampleField::per_cell(*height_field.grid(), |cell| height_field.depth[cell].to_f64() as f32);
    let field = FieldView::new;
    View {
        surfaces: vec![SurfaceView::Height(surface)],
        clouds: water.sources.particles().into_iter().collect(),
        bodies: Vec::new(),
        fields: vec![
            field("height", "m", Quantity::Height, level(water)),
            field("depth", "m", Quantity::Depth, depth),
            field("bed", "m", Quantity::Bed, bed(water)),
            field("wetness", "", Quantity::Wetness, Box::new(water.wetness.field())),
            field("velocity", "m/s", Quantity::Velocity, velocities(water)),
        ],
    }
}

/// Level of the surface; where it is bare, one film below the bed, as in [kass1990].
fn level<T: Real, const W: usize>(water: &KassMiller<T, W>) -> Box<dyn Lattice + '_> {
    let height_field = &water.height_field;
    SampleField::per_cell(*height_field.grid(), |cell| {
        let depth = height_field.depth[cell].to_f64();
        let above = if depth > height_field.film { depth } else { -height_field.film };
        (height_field.reference + (height_field.bed[cell].to_f64() + above)) as f32
    })
}

fn bed<T: Real, const W: usize>(water: &KassMiller<T, W>) -> Box<dyn Lattice + '_> {
    let height_field = &water.height_field;
    SampleField::per_cell(*height_field.grid(), |cell| {
        (height_field.reference + height_field.bed[cell].to_f64()) as f32
    })
}

fn velocity<T: Real, const W: usize>(water: &KassMiller<T, W>, axis: usize) -> Box<dyn Lattice + '_> {
    let height_field = &water.height_field;
    let cells =
        SampleField::per_cell(*height_field.grid(), move |cell| height_field.speed(axis, cell) as f32);
    Box::new(VelocityComponent { cells, height_field, axis })
}

/// One velocity component, evaluated row by row, which is faster than cell by cell.
struct VelocityComponent<'a, T: Real, const W: usize> {
    cells: Box<dyn Lattice + 'a>,
    height_field: &'a HeightField<T, W>,
    axis: usize,
}

impl<T: Real, const W: usize> Lattice for VelocityComponent<'_, T, W> {
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
        let ([columns, rows, _], height_field, axis) = (self.size(), self.height_field, self.axis);
        let mut values = vec![0.0; columns * rows];
        par::for_each_chunk(&mut values, columns, |first, row| {
            height_field.row_speeds(axis, first / columns, row)
        });
        values
    }
}

fn velocities<T: Real, const W: usize>(water: &KassMiller<T, W>) -> Box<dyn Lattice + '_> {
    SampleField::boxed(*water.height_field.grid(), Location::Center, 2, |cell, out| {
        let cell = cell.map(|index| index as usize);
        (0..2).for_each(|axis| out[axis] = water.height_field.speed(axis, cell) as f32);
    })
}
