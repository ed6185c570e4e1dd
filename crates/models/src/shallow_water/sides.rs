//! The four sides of the domain: ghost-cell conditions, exterior states at each stage, and the ledger of boundary fluxes.

use std::io;
use std::ops::Range;

use glam::{DVec2, DVec3};
use undine_grid::{BoundaryError, Condition, Field, Grid};
use undine_scene::Problem;
use undine_sim::{Reader, Sample, Writer};

use super::border::{Border, Inflow, SIDES};
use super::exterior_state::ExteriorState;
use crate::heightfield::{CompensatedSum, SideWaves};

/// The four sides: west, east, south, north.
pub(super) struct DomainSides {
    borders: [Border; 4],
    grid: Grid<2>,
    gravity: f64,
    /// Still level outside open sides.
    sea_level: Option<f64>,
    /// Exterior state of each face at the current stage; empty for walls and periodic sides.
    exterior: [Vec<ExteriorState>; 4],
    /// States of the driving model at tⁿ and tⁿ⁺¹, for the faces of driven sides.
    driver_states: [Vec<ExteriorState>; 2],
    /// Whether the state of the driver at tⁿ is known.
    has_driver_start: bool,
    /// Volume that has come in and gone out through the sides, in m³.
    pub inflow: CompensatedSum,
    pub outflow: CompensatedSum,
}

impl DomainSides {
    /// Sides with nothing in the ledger.
    pub fn new(borders: [Border; 4], grid: Grid<2>, gravity: f64, sea_level: Option<f64>) -> DomainSides {
        let faces = |side: usize| grid.cells()[1 - SIDES[side].axis()];
        let count = |side: usize| if borders[side].is_closed() { 0 } else { faces(side) };
        let driven = |side: usize| if matches!(borders[side], Border::Driven) { faces(side) } else { 0 };
        let total = (0..4).map(driven).sum();
        DomainSides {
            exterior: std::array::from_fn(|side| vec![ExteriorState::FreeOutflow; count(side)]),
            driver_states: [vec![ExteriorState::FreeOutflow; total], vec![ExteriorState::FreeOutflow; total]],
            has_driver_start: false,
            borders,
            grid,
            gravity,
            sea_level,
            inflow: CompensatedSum::default(),
            outflow: CompensatedSum::default(),
        }
    }

    /// Exterior states as a stage reads them.
    pub fn exterior_states(&self) -> [Option<&[ExteriorState]>; 4] {
        std::array::from_fn(|side| (!self.exterior[side].is_empty()).then_some(&*self.exterior[side]))
    }

    /// Sets the ghost-cell conditions of a field; `axis` is that of a momentum component, none for depth and bed.
    pub fn set_ghosts(&self, field: &mut Field<f64, 2>, axis: Option<usize>) -> Result<(), BoundaryError> {
        for normal in 0..2 {
            let condition = |side: usize| match self.borders[side] {
                Border::Periodic => Condition::Periodic,
                Border::Wall if axis == Some(normal) => Condition::Value(0.0),
                Border::Wall => Condition::Wall,
                // The flux through such a side is computed from the exterior state
                _ => Condition::Open,
            };
            field.boundary.set_axis(normal, condition(2 * normal), condition(2 * normal + 1))?;
        }
        Ok(())
    }

    /// Samples the driving model at tⁿ⁺¹, to which it has already advanced, at the faces of driven sides.
    pub fn sample_driver(&mut self, driver: Option<&dyn Sample>, bed: &Field<f64, 2>) {
        let mut index = 0;
        for side in 0..4 {
            if !matches!(self.borders[side], Border::Driven) {
                continue;
            }
            for face in 0..self.exterior[side].len() {
                self.driver_states[1][index] = driver
                    .map_or(ExteriorState::FreeOutflow, |driver| self.driver_state(driver, side, face, bed));
                index += 1;
            }
        }
        if !self.has_driver_start {
            let [start, end] = &mut self.driver_states;
            start.copy_from_slice(end);
        }
    }

    /// State of the driving model at a face; free outflow where it has no water or is not finite.
    fn driver_state(
        &self,
        driver: &dyn Sample,
        side: usize,
        face: usize,
        bed: &Field<f64, 2>,
    ) -> ExteriorState {
        let (at, cell) = self.face(side, face);
        let over_bed = || driver.height(at).map(|level| level - bed[cell]);
        let Some(depth) = driver.depth(at).or_else(over_bed) else { return ExteriorState::FreeOutflow };
        let depth = depth.max(0.0);
        let velocity = driver.velocity(DVec3::new(at.x, at.y, bed[cell] + 0.5 * depth));
        let inwards = if SIDES[side].is_high() { -1.0 } else { 1.0 };
        let (across, along) = match SIDES[side].axis() {
            0 => (inwards * velocity.x, velocity.y),
            _ => (inwards * velocity.y, velocity.x),
        };
        let is_finite = depth.is_finite() && across.is_finite() && along.is_finite();
        if is_finite { ExteriorState::Water { depth, across, along } } else { ExteriorState::FreeOutflow }
    }

    /// Midpoint of a face on a side, and the cell inside it.
    fn face(&self, side: usize, face: usize) -> (DVec2, [usize; 2]) {
        let cells = self.grid.cells();
        let axis = SIDES[side].axis();
        let last = if SIDES[side].is_high() { cells[axis] } else { 0 };
        let (at, inside) = match axis {
            0 => ([last, face], [last.min(cells[0] - 1), face]),
            _ => ([face, last], [face, last.min(cells[1] - 1)]),
        };
        (DVec2::from(self.grid.face(axis, at.map(|index| index as isize))), inside)
    }

    /// Sets the exterior states of a stage: levels and waves at tⁿ for the first, at tⁿ⁺¹ for the second, discharges as
    /// their means over the step for both.
    pub fn set_exterior_states(
        &mut self,
        step: &Range<f64>,
        is_second: bool,
        depth: &Field<f64, 2>,
        bed: &Field<f64, 2>,
        waves: &[SideWaves],
    ) -> Result<(), Problem> {
        // Taken out for the work, which also reads `self`
        let mut exterior = std::mem::take(&mut self.exterior);
        let filled = self.fill_exterior_states(&mut exterior, step, is_second, depth, bed, waves);
        self.exterior = exterior;
        filled
    }

    fn fill_exterior_states(
        &self,
        exterior: &mut [Vec<ExteriorState>; 4],
        step: &Range<f64>,
        is_second: bool,
        depth: &Field<f64, 2>,
        bed: &Field<f64, 2>,
        waves: &[SideWaves],
    ) -> Result<(), Problem> {
        // Driven faces take the driver's states in order
        let mut driver = self.driver_states[usize::from(is_second)].iter();
        let time = if is_second { step.end } else { step.start };
        for (side, faces) in exterior.iter_mut().enumerate() {
            match &self.borders[side] {
                Border::Wall | Border::Periodic => {}
                Border::Open | Border::Sponge { .. } => {
                    self.set_sea_states(side, faces, time, bed, waves)?;
                }
                Border::Stage { level } => {
                    faces.fill(ExteriorState::Stage { level: level.at(time)? });
                }
                Border::Discharge { inflow, depth: given } => {
                    self.distribute_discharge(inflow, *given, side, faces, step, depth, bed)?;
                }
                Border::Driven => faces.iter_mut().zip(&mut driver).for_each(|(face, water)| *face = *water),
            }
        }
        Ok(())
    }

    /// Still water with the incoming waves, or free outflow where there is no sea level.
    fn set_sea_states(
        &self,
        side: usize,
        faces: &mut [ExteriorState],
        time: f64,
        bed: &Field<f64, 2>,
        waves: &[SideWaves],
    ) -> Result<(), Problem> {
        let Some(level) = self.sea_level else {
            faces.fill(ExteriorState::FreeOutflow);
            return Ok(());
        };
        for (index, face) in faces.iter_mut().enumerate() {
            let (at, cell) = self.face(side, index);
            let s = if SIDES[side].axis() == 0 { at.y } else { at.x };
            let speed = (self.gravity * (level - bed[cell]).max(0.0)).sqrt();
            let mut rise = 0.0;
            for wave in waves.iter().filter(|wave| wave.side == SIDES[side]) {
                rise += wave.level(s, time, speed)?;
            }
            *face = ExteriorState::Sea { level, rise };
        }
        Ok(())
    }

    /// Distributes a discharge Q over the faces of a side: q uniform, or q ∝ h^(5/3) as in uniform river flow.
    fn distribute_discharge(
        &self,
        inflow: &Inflow,
        given: Option<f64>,
        side: usize,
        faces: &mut [ExteriorState],
        step: &Range<f64>,
        depth: &Field<f64, 2>,
        bed: &Field<f64, 2>,
    ) -> Result<(), Problem> {
        let total = match inflow {
            Inflow::Even(rate) => {
                let rate = rate.mean(step.start, step.end)?;
                faces.fill(ExteriorState::Discharge { rate, depth: given });
                return Ok(());
            }
            Inflow::Total(flow) => flow.mean(step.start, step.end)?,
        };
        let cells = (0..faces.len()).map(|face| self.face(side, face).1);
        let lowest = cells.map(|cell| bed[cell]).fold(f64::INFINITY, f64::min);
        // Weights h^(5/3); on a dry side the lowest centimetre counts as wet
        let weight = |face: usize| {
            let cell = self.face(side, face).1;
            depth[cell].max(lowest + 0.01 - bed[cell]).max(0.0).powf(5.0 / 3.0)
        };
        let width = self.grid.spacing()[1 - SIDES[side].axis()];
        let total_weight: f64 = (0..faces.len()).map(weight).sum::<f64>() * width;
        for (face, exterior) in faces.iter_mut().enumerate() {
            *exterior = ExteriorState::Discharge { rate: total * weight(face) / total_weight, depth: given };
        }
        Ok(())
    }

    /// Adds the boundary fluxes of a stage, in m²/s, over `dt` seconds to the ledger.
    pub fn record_fluxes(&mut self, boundary_flux: &[Vec<f64>; 4], dt: f64) {
        for (side, flux) in
            boundary_flux.iter().enumerate().filter(|(side, _)| !self.exterior[*side].is_empty())
        {
            let factor = dt * self.grid.spacing()[1 - SIDES[side].axis()];
            for &flux in flux {
                let sum = if flux > 0.0 { &mut self.inflow } else { &mut self.outflow };
                sum.add(factor * flux.abs());
            }
        }
    }

    /// Ends a step: the driver's state at tⁿ⁺¹ becomes that at tⁿ.
    pub fn swap_time_levels(&mut self) {
        self.driver_states.swap(0, 1);
        self.has_driver_start = true;
    }

    /// Writes the ledger and the driver's state at tⁿ.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.records("through", [self.inflow.parts(), self.outflow.parts()].into_iter())?;
        to.integer("known", u64::from(self.has_driver_start))?;
        let numbers = |outside: &ExteriorState| match *outside {
            ExteriorState::Water { depth, across, along } => [depth, across, along],
            _ => [-1.0; 3],
        };
        to.records("outside", self.driver_states[0].iter().map(numbers))
    }

    /// Restores what [`DomainSides::save`] wrote.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let [inflow, more, outflow, rest] = from.array("through")?;
        (self.inflow, self.outflow) =
            (CompensatedSum::from_parts([inflow, more]), CompensatedSum::from_parts([outflow, rest]));
        self.has_driver_start = from.integer("known")? != 0;
        let mut outside = self.driver_states[0].iter_mut();
        let mut count = 0;
        from.records("outside", |[depth, across, along]: [f64; 3]| {
            let water = if depth < 0.0 {
                ExteriorState::FreeOutflow
            } else {
                ExteriorState::Water { depth, across, along }
            };
            outside.next().into_iter().for_each(|outside| *outside = water);
            count += 1;
        })?;
        // Other sides are driven now: the driver is sampled in the next step
        self.has_driver_start &= count == self.driver_states[0].len();
        Ok(())
    }
}
