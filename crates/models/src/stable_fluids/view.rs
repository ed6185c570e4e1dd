//! What a fluid shows of itself.

use undine_frame::RasterKind;
use undine_grid::{Grid, neighbour, par};
use undine_sim::{HeightView, Lattice, NamedField, SurfaceView, View};

use super::confinement::{at_centre, vorticity};
use super::fluid::Fluid;
use super::staggered::divergence_at;
use crate::solids::{SOLID, Solids};

/// Writes the numbers of a cell.
type CellValue<'a, const D: usize> = Box<dyn Fn([isize; D], &mut [f32]) + Sync + 'a>;

/// Numbers at the middles of cells, computed when somebody asks for them.
struct Shown<'a, const D: usize> {
    grid: Grid<D>,
    components: usize,
    value: CellValue<'a, D>,
}

impl<const D: usize> Lattice for Shown<'_, D> {
    fn size(&self) -> [usize; 3] {
        let cells = self.grid.cells();
        std::array::from_fn(|axis| cells.get(axis).copied().unwrap_or(1))
    }

    fn origin(&self) -> [f64; 3] {
        let centre = self.grid.centre([0; D]);
        std::array::from_fn(|axis| centre.get(axis).copied().unwrap_or(0.0))
    }

    fn spacing(&self) -> [f64; 3] {
        let spacing = self.grid.spacing();
        std::array::from_fn(|axis| spacing.get(axis).copied().unwrap_or(1.0))
    }

    fn components(&self) -> usize {
        self.components
    }

    fn values(&self) -> Vec<f32> {
        let cells = self.grid.cells();
        let row_values = cells[0] * self.components;
        let mut values = vec![0.0; self.grid.cell_count() * self.components];
        par::for_each_chunk(&mut values, row_values, |first, row| {
            let mut rest = first / row_values;
            let mut at = [0; D];
            for axis in 1..D {
                at[axis] = (rest % cells[axis]) as isize;
                rest /= cells[axis];
            }
            for (x, sample) in row.chunks_exact_mut(self.components).enumerate() {
                (self.value)(neighbour(at, 0, x as isize), sample);
            }
        });
        values
    }
}

/// Everything there is to see.
pub(super) fn view<const D: usize>(fluid: &Fluid<D>) -> View<'_> {
    View {
        surface: surface(fluid),
        particles: fluid.tracers.view(),
        bodies: fluid.solids.as_ref().map_or_else(Vec::new, Solids::bodies),
        fields: fields(fluid),
    }
}

fn fields<const D: usize>(fluid: &Fluid<D>) -> Vec<NamedField<'_>> {
    let velocity = &fluid.velocity;
    let mut fields = vec![
        named(fluid, "velocity", "m/s", RasterKind::Vector, D, |cell, out| {
            (0..D).for_each(|axis| out[axis] = at_centre(velocity, axis, cell) as f32);
        }),
        scalar(fluid, "speed", "m/s", RasterKind::Scalar, |cell| fluid.speed_at(cell)),
        match D {
            2 => scalar(fluid, "vorticity", "1/s", RasterKind::Signed, |cell| vorticity(velocity, cell)[2]),
            _ => named(fluid, "vorticity", "1/s", RasterKind::Vector, 3, |cell, out| {
                out.copy_from_slice(&vorticity(velocity, cell).map(|along| along as f32));
            }),
        },
        scalar(fluid, "pressure", "Pa", RasterKind::Signed, |cell| fluid.pressure_at(cell)),
        scalar(fluid, "divergence", "1/s", RasterKind::Signed, |cell| {
            divergence_at(velocity, fluid.solids.as_ref(), fluid.grid.spacing(), cell)
        }),
    ];
    if let Some([red, green, blue]) = fluid.cargo.dye() {
        fields.push(named(fluid, "dye", "", RasterKind::Vector, 3, move |cell, out| {
            out.copy_from_slice(&[red.at(cell), green.at(cell), blue.at(cell)]);
        }));
    }
    fields.extend(
        fluid
            .cargo
            .smoke()
            .map(|smoke| scalar(fluid, "smoke", "", RasterKind::Scalar, |cell| f64::from(smoke.at(cell)))),
    );
    fields.extend(
        fluid.cargo.temperature().map(|heat| {
            scalar(fluid, "temperature", "K", RasterKind::Signed, |cell| f64::from(heat.at(cell)))
        }),
    );
    fields.extend(fluid.solids.as_ref().map(|solids| {
        scalar(fluid, "solid", "", RasterKind::CellKind, |cell| {
            f64::from(solids.cell_kinds().at(cell) & SOLID)
        })
    }));
    fields.extend(fluid.solids.as_ref().map(|solids| {
        scalar(fluid, "distance", "m", RasterKind::Signed, |cell| {
            solids.distance_from(fluid.grid.centre(cell))
        })
    }));
    fields
}

fn scalar<'a, const D: usize>(
    fluid: &'a Fluid<D>,
    name: &'static str,
    unit: &'static str,
    kind: RasterKind,
    value: impl Fn([isize; D]) -> f64 + Sync + 'a,
) -> NamedField<'a> {
    named(fluid, name, unit, kind, 1, move |cell, out| out[0] = value(cell) as f32)
}

fn named<'a, const D: usize>(
    fluid: &'a Fluid<D>,
    name: &'static str,
    unit: &'static str,
    kind: RasterKind,
    components: usize,
    value: impl Fn([isize; D], &mut [f32]) + Sync + 'a,
) -> NamedField<'a> {
    NamedField {
        name,
        unit,
        kind,
        samples: Box::new(Shown { grid: fluid.grid, components, value: Box::new(value) }),
    }
}

/// The surface of a flat fluid, raised by its pressure as in [chen1995].
fn surface<const D: usize>(fluid: &Fluid<D>) -> Option<SurfaceView<'_>> {
    if D != 2 || fluid.settings.raised == 0.0 {
        return None;
    }
    let velocity = &fluid.velocity;
    Some(SurfaceView::Height(HeightView {
        level: lattice(fluid, |cell| fluid.level_at(cell)),
        bed: Some(lattice(fluid, |_| -fluid.settings.depth)),
        velocity: Some([
            lattice(fluid, |cell| at_centre(velocity, 0, cell)),
            lattice(fluid, |cell| at_centre(velocity, 1, cell)),
        ]),
        wetness: None,
        dry_depth: 0.0,
    }))
}

fn lattice<'a, const D: usize>(
    fluid: &'a Fluid<D>,
    value: impl Fn([isize; D]) -> f64 + Sync + 'a,
) -> Box<dyn Lattice + 'a> {
    let value = move |cell: [isize; D], out: &mut [f32]| out[0] = value(cell) as f32;
    Box::new(Shown { grid: fluid.grid, components: 1, value: Box::new(value) })
}
