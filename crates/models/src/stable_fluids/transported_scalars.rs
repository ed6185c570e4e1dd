//! Transported scalars: dye in three colours, smoke, and temperature.
//!
//! ∂q/∂t + u·∇q = D ∇²q − q/τ: advected by the scheme of the velocity, diffused implicitly, decaying exponentially.
//! Temperature is relative to the ambient one. No flux through walls and obstacles; zero gradient at open sides.

use std::io;

use undine_grid::advection::{AdvectionScratch, Paths, Scheme, advect_along};
use undine_grid::{Boundary, Condition, Field, FieldError, Grid, Location, fill_ghosts, par};
use undine_scene::Values;
use undine_sim::{Reader, Writer};

use super::diffusion::{Diffusion, ObstacleCondition, scalar_ends};
use super::sides::Sides;
use crate::solids::Solids;

/// The scalars that a fluid transports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScalarSet {
    /// Dye, as red, green and blue.
    pub dye: bool,
    /// Smoke.
    pub smoke: bool,
    /// Heat.
    pub heat: bool,
}

impl ScalarSet {
    /// One bit each for dye, smoke and heat.
    fn bits(self) -> u64 {
        u64::from(self.dye) | u64::from(self.smoke) << 1 | u64::from(self.heat) << 2
    }

    /// Indices of the fields in use, out of red, green, blue, smoke and heat.
    fn fields(self) -> impl Iterator<Item = u64> {
        ScalarSet::fields_of(self.bits())
    }

    fn fields_of(bits: u64) -> impl Iterator<Item = u64> {
        (0..5_u64).filter(move |number| bits >> number.saturating_sub(2) & 1 == 1)
    }
}

/// The scalar fields of a fluid.
#[derive(Debug, Clone)]
pub struct TransportedScalars<const D: usize> {
    set: ScalarSet,
    /// Red, green, blue; then smoke; then temperature: those in use.
    fields: Vec<Field<f32, D>>,
    scratch: Option<ScalarScratch<D>>,
    diffusivity: f64,
    /// Decay rates 1/τ of dye and smoke, and of temperature, per second.
    fading: [f64; 2],
}

/// Scratch fields shared by all scalars.
#[derive(Debug, Clone)]
struct ScalarScratch<const D: usize> {
    next: Field<f32, D>,
    advection: AdvectionScratch<f32, D>,
    paths: Paths<D>,
}

impl<const D: usize> TransportedScalars<D> {
    /// Zero fields for the given scalars.
    pub fn new(set: ScalarSet, grid: Grid<D>, sides: &Sides<D>, values: &Values) -> Result<Self, FieldError> {
        // Zero gradient on the sides, or periodic
        let mut boundary = Boundary::new(Location::Center, Condition::Open)?;
        for axis in (0..D).filter(|&axis| sides.is_periodic(axis)) {
            boundary.set_axis(axis, Condition::Periodic, Condition::Periodic)?;
        }
        let count = 3 * usize::from(set.dye) + usize::from(set.smoke) + usize::from(set.heat);
        let fields: Vec<_> =
            (0..count).map(|_| Field::with_boundary(grid, boundary, 1)).collect::<Result<_, _>>()?;
        // Scratch memory only where there is a scalar
        let scratch = match fields.first() {
            Some(first) => {
                let paths = Paths::new(grid, Location::Center)?;
                Some(ScalarScratch {
                    next: Field::clone(first),
                    advection: AdvectionScratch::new(first),
                    paths,
                })
            }
            None => None,
        };
        let fading = [values.number("fading"), values.number("cooling")];
        Ok(TransportedScalars { set, fields, scratch, diffusivity: values.number("diffusivity"), fading })
    }

    /// Red, green and blue.
    pub fn dye(&self) -> Option<&[Field<f32, D>]> {
        self.set.dye.then(|| &self.fields[..3])
    }

    /// Smoke density; 1 is thick smoke.
    pub fn smoke(&self) -> Option<&Field<f32, D>> {
        self.set.smoke.then(|| &self.fields[3 * usize::from(self.set.dye)])
    }

    /// Temperature above the ambient one, in kelvin.
    pub fn temperature(&self) -> Option<&Field<f32, D>> {
        self.set.heat.then(|| self.fields.last()).flatten()
    }

    /// Whether dye or smoke is transported.
    pub fn has_visible_scalars(&self) -> bool {
        self.set.dye || self.set.smoke
    }

    /// Blends the scalars of a cell towards given values: q += fraction (value − q).
    pub fn mix(
        &mut self,
        cell: [usize; D],
        fraction: f32,
        colour: Option<[f32; 3]>,
        smoke: Option<f32>,
        heat: Option<f32>,
    ) {
        let mut approach = |index: usize, wanted: f32| {
            let value = &mut self.fields[index][cell];
            *value += fraction * (wanted - *value);
        };
        if let Some(colour) = colour.filter(|_| self.set.dye) {
            (0..3).for_each(|channel| approach(channel, colour[channel]));
        }
        let smoke_index = 3 * usize::from(self.set.dye);
        if let Some(smoke) = smoke.filter(|_| self.set.smoke) {
            approach(smoke_index, smoke);
        }
        if let Some(heat) = heat.filter(|_| self.set.heat) {
            approach(smoke_index + usize::from(self.set.smoke), heat);
        }
    }

    /// Advects, diffuses and decays all scalars for `dt` seconds. Ghosts must be filled, and are filled again.
    pub fn advance(
        &mut self,
        scheme: Scheme,
        flow: [&Field<f64, D>; D],
        dt: f64,
        sides: &Sides<D>,
        solids: Option<&Solids<D>>,
        diffusion: &mut Diffusion,
    ) {
        let Some(ScalarScratch { next, advection, paths }) = &mut self.scratch else { return };
        paths.trace(flow, dt);
        let count = self.fields.len();
        let inside =
            solids.map_or(ObstacleCondition::Absent, |solids| ObstacleCondition::NoFlux(solids.cell_kinds()));
        for (index, field) in self.fields.iter_mut().enumerate() {
            advect_along(scheme, field, paths, next, advection);
            field.swap(next);
            if self.diffusivity > 0.0 {
                diffusion.diffuse(field, self.diffusivity * dt, scalar_ends(sides), inside);
            }
            let is_heat = self.set.heat && index + 1 == count;
            decay(field, self.fading[usize::from(is_heat)] * dt);
            fill_ghosts(field);
        }
    }

    /// Fills the ghosts of all scalars.
    pub fn fill_ghosts(&mut self) {
        self.fields.iter_mut().for_each(fill_ghosts);
    }

    /// Writes all scalars.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.integer("manifest", self.set.bits())?;
        self.fields.iter().try_for_each(|field| to.field("cargo", field))
    }

    /// Restores saved scalars. Those no longer transported are dropped, new ones start at zero.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let saved = from.integer("manifest")?;
        self.fields.iter_mut().for_each(|field| field.fill(0.0));
        for number in ScalarSet::fields_of(saved) {
            match self.set.fields().position(|kept| kept == number) {
                Some(index) => from.field("cargo", &mut self.fields[index])?,
                None => from.skip::<f32>("cargo")?,
            }
        }
        self.fill_ghosts();
        Ok(())
    }
}

fn decay<const D: usize>(field: &mut Field<f32, D>, amount: f64) {
    if amount > 0.0 {
        let factor = (-amount).exp() as f32;
        par::rows(field, |_, row| row.iter_mut().for_each(|value| *value *= factor));
    }
}
