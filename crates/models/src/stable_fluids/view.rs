//! The [`View`] of a grid fluid: surface, particles, bodies and fields.

use undine_frame::Quantity;
use undine_grid::Location;
use undine_sim::{Components, FieldView, HeightView, Lattice, SampleField, SurfaceView, View};

use super::confinement::{at_centre, vorticity};
use super::fluid::StableFluid;
use super::staggered::divergence_at;
use crate::solids::{SOLID, Solids};

/// The view of a fluid.
pub(super) fn view<const D: usize>(fluid: &StableFluid<D>) -> View<'_> {
    View {
        surfaces: surface(fluid).into_iter().collect(),
        clouds: fluid.tracers.view().into_iter().collect(),
        bodies: fluid.solids.as_ref().map_or_else(Vec::new, Solids::bodies),
        fields: fields(fluid),
    }
}

fn fields<const D: usize>(fluid: &StableFluid<D>) -> Vec<FieldView<'_>> {
    let velocity = &fluid.velocity;
    let mut fields = vec![
        named(fluid, "velocity", "m/s", Quantity::Velocity, D, |cell, out| {
            (0..D).for_each(|axis| out[axis] = at_centre(velocity, axis, cell) as f32);
        }),
        scalar(fluid, "speed", "m/s", Quantity::Speed, |cell| fluid.speed_at(cell)),
        match D {
            2 => scalar(fluid, "vorticity", "1/s", Quantity::Vorticity, |cell| vorticity(velocity, cell)[2]),
            _ => named(fluid, "vorticity", "1/s", Quantity::Vorticity, 3, |cell, out| {
                out.copy_from_slice(&vorticity(velocity, cell).map(|x| x as f32));
            }),
        },
        scalar(fluid, "pressure", "Pa", Quantity::DynamicPressure, |cell| fluid.pressure_at(cell)),
        scalar(fluid, "divergence", "1/s", Quantity::Divergence, |cell| {
            divergence_at(velocity, fluid.solids.as_ref(), fluid.grid.spacing(), cell)
        }),
    ];
    // Transported scalars
    if let Some([red, green, blue]) = fluid.scalars.dye() {
        fields.push(named(fluid, "dye", "", Quantity::Dye, 3, move |cell, out| {
            out.copy_from_slice(&[red.at(cell), green.at(cell), blue.at(cell)]);
        }));
    }
    fields.extend(
        fluid
            .scalars
            .smoke()
            .map(|smoke| scalar(fluid, "smoke", "", Quantity::Smoke, |cell| f64::from(smoke.at(cell)))),
    );
    fields.extend(fluid.scalars.temperature().map(|heat| {
        scalar(fluid, "temperature", "K", Quantity::Temperature, |cell| f64::from(heat.at(cell)))
    }));
    // Obstacles
    fields.extend(fluid.solids.as_ref().map(|solids| {
        scalar(fluid, "solid", "", Quantity::SolidMask, |cell| {
            f64::from(solids.cell_kinds().at(cell) & SOLID)
        })
    }));
    fields.extend(fluid.solids.as_ref().map(|solids| {
        scalar(fluid, "distance", "m", Quantity::SolidDistance, |cell| {
            solids.distance_from(fluid.grid.centre(cell))
        })
    }));
    fields
}

fn scalar<'a, const D: usize>(
    fluid: &'a StableFluid<D>,
    name: &'static str,
    unit: &'static str,
    quantity: Quantity,
    value: impl Fn([isize; D]) -> f64 + Sync + 'a,
) -> FieldView<'a> {
    named(fluid, name, unit, quantity, 1, move |cell, out| out[0] = value(cell) as f32)
}

fn named<'a, const D: usize>(
    fluid: &'a StableFluid<D>,
    name: &'static str,
    unit: &'static str,
    quantity: Quantity,
    components: usize,
    value: impl Fn([isize; D], &mut [f32]) + Sync + 'a,
) -> FieldView<'a> {
    FieldView::new(name, unit, quantity, SampleField::boxed(fluid.grid, Location::Center, components, value))
}

/// The surface of a 2-D fluid, raised by its pressure as in [chen1995].
fn surface<const D: usize>(fluid: &StableFluid<D>) -> Option<SurfaceView<'_>> {
    if D != 2 || fluid.settings.raised == 0.0 {
        return None;
    }
    let velocity = &fluid.velocity;
    Some(SurfaceView::Height(HeightView {
        level: lattice(fluid, |cell| fluid.level_at(cell)),
        bed: Some(lattice(fluid, |_| -fluid.settings.depth)),
        velocity: Some(Box::new(Components([
            lattice(fluid, |cell| at_centre(velocity, 0, cell)),
            lattice(fluid, |cell| at_centre(velocity, 1, cell)),
        ]))),
        wetness: None,
        dry_depth: 0.0,
    }))
}

fn lattice<'a, const D: usize>(
    fluid: &'a StableFluid<D>,
    value: impl Fn([isize; D]) -> f64 + Sync + 'a,
) -> Box<dyn Lattice + 'a> {
    SampleField::scalar(fluid.grid, Location::Center, move |cell| value(cell) as f32)
}
