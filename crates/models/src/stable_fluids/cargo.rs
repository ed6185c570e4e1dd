//! What the fluid carries along: dye in three colours, smoke, and heat.
//!
//! ∂q/∂t + u·∇q = D ∇²q − q/τ: carried by the scheme of the velocity, diffused implicitly, fading exponentially. The
//! temperature is that above the surroundings. Nothing passes walls or obstacles; what comes in through an open side is
//! what is at that side.

use std::io;

use undine_grid::advection::{Paths, Room, Scheme, advect_along};
use undine_grid::{Boundary, Condition, Field, FieldError, Grid, Location, fill_ghosts, par};
use undine_scene::Values;
use undine_sim::{Reader, Writer};

use super::diffusion::{Diffusion, Inside, quantity_ends};
use super::sides::Sides;
use crate::solids::Solids;

/// Which of the quantities there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Manifest {
    /// Dye, as red, green and blue.
    pub dye: bool,
    /// Smoke.
    pub smoke: bool,
    /// Heat.
    pub heat: bool,
}

impl Manifest {
    /// One bit each for dye, smoke and heat.
    fn bits(self) -> u64 {
        u64::from(self.dye) | u64::from(self.smoke) << 1 | u64::from(self.heat) << 2
    }

    /// The numbers of the fields that there are, out of red, green, blue, smoke and heat.
    fn fields(self) -> impl Iterator<Item = u64> {
        Manifest::fields_of(self.bits())
    }

    fn fields_of(bits: u64) -> impl Iterator<Item = u64> {
        (0..5_u64).filter(move |number| bits >> number.saturating_sub(2) & 1 == 1)
    }
}

/// The quantities that a fluid carries.
#[derive(Debug, Clone)]
pub struct Cargo<const D: usize> {
    manifest: Manifest,
    /// Red, green, blue; then smoke; then temperature: those that there are.
    fields: Vec<Field<f32, D>>,
    work: Option<Work<D>>,
    diffusivity: f64,
    /// Of dye and smoke, and of heat, per second.
    fading: [f64; 2],
}

/// Working memory that all quantities share.
#[derive(Debug, Clone)]
struct Work<const D: usize> {
    next: Field<f32, D>,
    room: Room<f32, D>,
    paths: Paths<D>,
}

impl<const D: usize> Cargo<D> {
    /// Empty holds for what is on the manifest.
    pub fn new(
        manifest: Manifest,
        grid: Grid<D>,
        sides: &Sides<D>,
        values: &Values,
    ) -> Result<Self, FieldError> {
        let mut boundary = Boundary::new(Location::Center, Condition::Open)?;
        for axis in (0..D).filter(|&axis| sides.is_periodic(axis)) {
            boundary.set_axis(axis, Condition::Periodic, Condition::Periodic)?;
        }
        let count = 3 * usize::from(manifest.dye) + usize::from(manifest.smoke) + usize::from(manifest.heat);
        let fields: Vec<_> =
            (0..count).map(|_| Field::with_boundary(grid, boundary, 1)).collect::<Result<_, _>>()?;
        let work = match fields.first() {
            Some(first) => {
                let paths = Paths::new(grid, Location::Center)?;
                Some(Work { next: Field::clone(first), room: Room::new(first), paths })
            }
            None => None,
        };
        let fading = [values.number("fading"), values.number("cooling")];
        Ok(Cargo { manifest, fields, work, diffusivity: values.number("diffusivity"), fading })
    }

    /// Red, green and blue.
    pub fn dye(&self) -> Option<&[Field<f32, D>]> {
        self.manifest.dye.then(|| &self.fields[..3])
    }

    /// Smoke, as a share of thick smoke.
    pub fn smoke(&self) -> Option<&Field<f32, D>> {
        self.manifest.smoke.then(|| &self.fields[3 * usize::from(self.manifest.dye)])
    }

    /// Temperature above the surroundings, in kelvin.
    pub fn temperature(&self) -> Option<&Field<f32, D>> {
        self.manifest.heat.then(|| self.fields.last()).flatten()
    }

    /// Whether dye or smoke would show.
    pub fn shows_ink(&self) -> bool {
        self.manifest.dye || self.manifest.smoke
    }

    /// Raises what is in a cell towards what is given, by a share of the way.
    pub fn mix(
        &mut self,
        cell: [usize; D],
        share: f32,
        colour: Option<[f32; 3]>,
        smoke: Option<f32>,
        heat: Option<f32>,
    ) {
        let mut approach = |index: usize, wanted: f32| {
            let value = &mut self.fields[index][cell];
            *value += share * (wanted - *value);
        };
        if let Some(colour) = colour.filter(|_| self.manifest.dye) {
            (0..3).for_each(|channel| approach(channel, colour[channel]));
        }
        let smoke_index = 3 * usize::from(self.manifest.dye);
        if let Some(smoke) = smoke.filter(|_| self.manifest.smoke) {
            approach(smoke_index, smoke);
        }
        if let Some(heat) = heat.filter(|_| self.manifest.heat) {
            approach(smoke_index + usize::from(self.manifest.smoke), heat);
        }
    }

    /// Carries everything for `dt` seconds. Ghosts must be filled, and are filled again.
    pub fn advance(
        &mut self,
        scheme: Scheme,
        flow: [&Field<f64, D>; D],
        dt: f64,
        sides: &Sides<D>,
        solids: Option<&Solids<D>>,
        diffusion: &mut Diffusion,
    ) {
        let Some(Work { next, room, paths }) = &mut self.work else { return };
        paths.follow(flow, dt);
        let count = self.fields.len();
        let inside = solids.map_or(Inside::Nothing, |solids| Inside::Closed(solids.cell_kinds()));
        for (index, field) in self.fields.iter_mut().enumerate() {
            advect_along(scheme, field, paths, next, room);
            field.swap(next);
            if self.diffusivity > 0.0 {
                diffusion.spread(field, self.diffusivity * dt, quantity_ends(sides), inside);
            }
            let is_heat = self.manifest.heat && index + 1 == count;
            fade(field, self.fading[usize::from(is_heat)] * dt);
            fill_ghosts(field);
        }
    }

    /// Fills the ghosts of all quantities.
    pub fn fill_ghosts(&mut self) {
        self.fields.iter_mut().for_each(fill_ghosts);
    }

    /// Writes all quantities.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.integer("manifest", self.manifest.bits())?;
        self.fields.iter().try_for_each(|field| to.field("cargo", field))
    }

    /// Takes up quantities that were saved. Those that nobody gives off any more are gone, new ones begin with none.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let saved = from.integer("manifest")?;
        self.fields.iter_mut().for_each(|field| field.fill(0.0));
        for number in Manifest::fields_of(saved) {
            match self.manifest.fields().position(|kept| kept == number) {
                Some(index) => from.field("cargo", &mut self.fields[index])?,
                None => from.skip::<f32>("cargo")?,
            }
        }
        self.fill_ghosts();
        Ok(())
    }
}

fn fade<const D: usize>(field: &mut Field<f32, D>, amount: f64) {
    if amount > 0.0 {
        let kept = (-amount).exp() as f32;
        par::rows(field, |_, row| row.iter_mut().for_each(|value| *value *= kept));
    }
}
