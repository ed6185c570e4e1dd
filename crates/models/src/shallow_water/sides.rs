//! The sides of a running water: what lies outside each face at each stage, and what has passed.

use std::io;

use glam::{DVec2, DVec3};
use undine_grid::{BoundaryError, Condition, Field, Grid};
use undine_sim::{Reader, Sample, Writer};

use super::border::{Border, Inflow, SIDES};
use super::outside::Outside;
use crate::heightfield::{SideWaves, Tally};

/// The four sides: west, east, south, north.
pub(super) struct Sides {
    borders: [Border; 4],
    grid: Grid<2>,
    gravity: f64,
    /// Level of the sea outside open sides.
    sea_level: Option<f64>,
    /// What is outside each face at the present stage; for closed sides nothing is kept.
    outside: [Vec<Outside>; 4],
    /// The driving water at the start and at the end of the step.
    driven: [Vec<Outside>; 2],
    is_driven_known: bool,
    pub inflow: Tally,
    pub outflow: Tally,
}

impl Sides {
    pub fn new(borders: [Border; 4], grid: Grid<2>, gravity: f64, sea_level: Option<f64>) -> Sides {
        let faces = |side: usize| grid.cells()[1 - SIDES[side].axis()];
        let count = |side: usize| if borders[side].is_closed() { 0 } else { faces(side) };
        let driven = |side: usize| if matches!(borders[side], Border::Driven) { faces(side) } else { 0 };
        let total = (0..4).map(driven).sum();
        Sides {
            outside: std::array::from_fn(|side| vec![Outside::Nothing; count(side)]),
            driven: [vec![Outside::Nothing; total], vec![Outside::Nothing; total]],
            is_driven_known: false,
            borders,
            grid,
            gravity,
            sea_level,
            inflow: Tally::default(),
            outflow: Tally::default(),
        }
    }

    /// What is outside each side, as a stage reads it.
    pub fn outside(&self) -> [Option<&[Outside]>; 4] {
        std::array::from_fn(|side| (!self.outside[side].is_empty()).then_some(&*self.outside[side]))
    }

    /// Gives a field of the state the conditions of its ghosts. `axis` is that of a momentum, none for depth or bed.
    pub fn set_ghosts(&self, field: &mut Field<f64, 2>, axis: Option<usize>) -> Result<(), BoundaryError> {
        for across in 0..2 {
            let condition = |side: usize| match self.borders[side] {
                Border::Periodic => Condition::Periodic,
                Border::Wall if axis == Some(across) => Condition::Value(0.0),
                Border::Wall => Condition::Wall,
                // What passes such a side is decided at its faces
                _ => Condition::Open,
            };
            field.boundary.set_axis(across, condition(2 * across), condition(2 * across + 1))?;
        }
        Ok(())
    }

    /// Looks at the driving water, which stands at the end of the step already.
    pub fn look(&mut self, driver: Option<&dyn Sample>, bed: &Field<f64, 2>) {
        let mut place = 0;
        for side in 0..4 {
            if !matches!(self.borders[side], Border::Driven) {
                continue;
            }
            for face in 0..self.outside[side].len() {
                self.driven[1][place] =
                    driver.map_or(Outside::Nothing, |water| self.look_through(water, side, face, bed));
                place += 1;
            }
        }
        if !self.is_driven_known {
            let [start, end] = &mut self.driven;
            start.copy_from_slice(end);
        }
    }

    fn look_through(&self, water: &dyn Sample, side: usize, face: usize, bed: &Field<f64, 2>) -> Outside {
        let (at, cell) = self.face(side, face);
        let over_bed = || water.height(at).map(|level| level - bed[cell]);
        let Some(depth) = water.depth(at).or_else(over_bed) else { return Outside::Nothing };
        let depth = depth.max(0.0);
        let velocity = water.velocity(DVec3::new(at.x, at.y, bed[cell] + 0.5 * depth));
        let inwards = if SIDES[side].is_high() { -1.0 } else { 1.0 };
        let (across, along) = match SIDES[side].axis() {
            0 => (inwards * velocity.x, velocity.y),
            _ => (inwards * velocity.y, velocity.x),
        };
        let is_finite = depth.is_finite() && across.is_finite() && along.is_finite();
        if is_finite { Outside::Water { depth, across, along } } else { Outside::Nothing }
    }

    /// Middle of a face on a side, and the cell inside it.
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

    /// Says what is outside at a stage: the first at the start of the step, the second at its end.
    pub fn prepare(
        &mut self,
        time: f64,
        is_second: bool,
        depth: &Field<f64, 2>,
        bed: &Field<f64, 2>,
        waves: &[SideWaves],
    ) {
        let mut outside = std::mem::take(&mut self.outside);
        let mut driven = self.driven[usize::from(is_second)].iter();
        for (side, faces) in outside.iter_mut().enumerate() {
            let fill = |faces: &mut [Outside], what: Outside| faces.fill(what);
            match &self.borders[side] {
                Border::Wall | Border::Periodic => {}
                Border::Open | Border::Sponge { .. } => self.look_at_sea(side, faces, time, bed, waves),
                Border::Stage { level } => {
                    let level = level.at(time);
                    fill(faces, if level.is_finite() { Outside::Stage { level } } else { Outside::Nothing });
                }
                Border::Discharge { inflow, depth: given } => {
                    self.share_out(inflow, *given, side, faces, time, depth, bed);
                }
                Border::Driven => faces.iter_mut().zip(&mut driven).for_each(|(face, water)| *face = *water),
            }
        }
        self.outside = outside;
    }

    /// The still sea, with the waves that come in from it; nothing where there is no sea.
    fn look_at_sea(
        &self,
        side: usize,
        faces: &mut [Outside],
        time: f64,
        bed: &Field<f64, 2>,
        waves: &[SideWaves],
    ) {
        let Some(level) = self.sea_level else { return faces.fill(Outside::Nothing) };
        for (index, face) in faces.iter_mut().enumerate() {
            let (at, cell) = self.face(side, index);
            let along = if SIDES[side].axis() == 0 { at.y } else { at.x };
            let speed = (self.gravity * (level - bed[cell]).max(0.0)).sqrt();
            let here = waves.iter().filter(|wave| wave.side == SIDES[side]);
            let rise = here.map(|wave| wave.level(along, time, speed)).sum();
            *face = Outside::Sea { level, rise };
        }
    }

    /// Spreads a discharge over the faces of a side: evenly, or as a steady river would, by depth^(5/3).
    fn share_out(
        &self,
        inflow: &Inflow,
        given: Option<f64>,
        side: usize,
        faces: &mut [Outside],
        time: f64,
        depth: &Field<f64, 2>,
        bed: &Field<f64, 2>,
    ) {
        let finite = |rate: f64| if rate.is_finite() { rate } else { 0.0 };
        let total = match inflow {
            Inflow::Even(rate) => {
                faces.fill(Outside::Inflow { rate: finite(rate.at(time)), depth: given });
                return;
            }
            Inflow::Total(flow) => finite(flow.at(time)),
        };
        let cells = (0..faces.len()).map(|face| self.face(side, face).1);
        let lowest = cells.map(|cell| bed[cell]).fold(f64::INFINITY, f64::min);
        // A dry side is entered through its lowest centimetre
        let share = |face: usize| {
            let cell = self.face(side, face).1;
            depth[cell].max(lowest + 0.01 - bed[cell]).max(0.0).powf(5.0 / 3.0)
        };
        let width = self.grid.spacing()[1 - SIDES[side].axis()];
        let whole: f64 = (0..faces.len()).map(share).sum::<f64>() * width;
        for (face, outside) in faces.iter_mut().enumerate() {
            *outside = Outside::Inflow { rate: total * share(face) / whole, depth: given };
        }
    }

    /// Enters what has passed the sides in a stage into the ledger: `through` per metre and second, for `dt` seconds.
    pub fn enter(&mut self, through: &[Vec<f64>; 4], dt: f64) {
        for (side, flux) in through.iter().enumerate().filter(|(side, _)| !self.outside[*side].is_empty()) {
            let factor = dt * self.grid.spacing()[1 - SIDES[side].axis()];
            for &flux in flux {
                let tally = if flux > 0.0 { &mut self.inflow } else { &mut self.outflow };
                tally.add(factor * flux.abs());
            }
        }
    }

    /// Ends a step: the driving water at its end is that at the start of the next.
    pub fn turn(&mut self) {
        self.driven.swap(0, 1);
        self.is_driven_known = true;
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.records("through", [self.inflow.parts(), self.outflow.parts()].into_iter())?;
        to.integer("known", u64::from(self.is_driven_known))?;
        let numbers = |outside: &Outside| match *outside {
            Outside::Water { depth, across, along } => [depth, across, along],
            _ => [-1.0; 3],
        };
        to.records("outside", self.driven[0].iter().map(numbers))
    }

    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let [inflow, more, outflow, rest] = from.array("through")?;
        (self.inflow, self.outflow) = (Tally::from_parts([inflow, more]), Tally::from_parts([outflow, rest]));
        self.is_driven_known = from.integer("known")? != 0;
        let mut outside = self.driven[0].iter_mut();
        let mut count = 0;
        from.records("outside", |[depth, across, along]: [f64; 3]| {
            let water = if depth < 0.0 { Outside::Nothing } else { Outside::Water { depth, across, along } };
            outside.next().into_iter().for_each(|outside| *outside = water);
            count += 1;
        })?;
        // Other sides are driven now: what was outside them is seen in the next step
        self.is_driven_known &= count == self.driven[0].len();
        Ok(())
    }
}
