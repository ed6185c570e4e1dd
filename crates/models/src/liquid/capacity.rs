//! Capacity: the liquid that each compartment of the box can still take.
//!
//! The open space of the box falls into compartments. One without an open side holds at most its open volume V, so
//! prescribed inflow has to end when it is full:
//!
//! - Where every cell of a compartment is liquid there is no free surface, and ∇·u = 0 has a solution only if the net
//!   flux through the sides is zero. Before the projection its inflow Q is scaled by max(0, −W)/Q, where W is the flux
//!   that wave-makers prescribe.
//! - Before it is full, a step brings in at most a quarter of what is left: Q Δt ≤ (V − V_held)/4. So the last air goes
//!   within several steps, not at any speed through a hole of one cell.
//! - No particle enters a compartment without room.
//!
//! A compartment with an open side takes what flows through it, up to 1.005 V.
//!
//! Not modelled: the flux of moving solids, which the pressure solver balances in a compartment that is full.

use undine_grid::{Field, Side, par};

use super::density_correction::RestDensity;
use super::ledger::ParticleLedger;
use super::narrow_band::Interior;
use super::sources::{LiquidSide, LiquidSides};
use crate::free_surface::particles::Particles;
use crate::free_surface::solid_boundary::SolidBoundary;
use crate::free_surface::tiles::cell_of;
use crate::solids::Compartments;

/// The fraction of the room that may be filled in a step.
const ROOM_PER_STEP: f64 = 0.25;
/// The greatest ratio of the volume held to the open volume, with an open side.
const MAX_FILL_WITH_OPEN_SIDE: f64 = 1.005;

/// What the sides of the box prescribe in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideFlow<const D: usize> {
    /// Normal velocities along the axes, in m/s.
    pub velocities: [[f32; 2]; D],
    /// Heights in cells below which they hold.
    pub levels: [[f32; 2]; D],
    kinds: [[LiquidSide; 2]; D],
}

impl<const D: usize> SideFlow<D> {
    /// The flow of all sides, given their velocities and levels. An inflow never draws liquid out.
    pub fn new(sides: &LiquidSides<D>, velocities: [[f32; 2]; D], levels: [[f32; 2]; D]) -> Self {
        let kinds: [[LiquidSide; 2]; D] =
            std::array::from_fn(|axis| [0, 1].map(|high| sides.kind(Side::ALL[2 * axis + high])));
        let velocity = |axis: usize, high: usize| match kinds[axis][high] {
            LiquidSide::Inflow if high == 1 => velocities[axis][1].min(0.0),
            LiquidSide::Inflow => velocities[axis][0].max(0.0),
            _ => velocities[axis][high],
        };
        SideFlow {
            velocities: std::array::from_fn(|axis| [0, 1].map(|high| velocity(axis, high))),
            levels,
            kinds,
        }
    }

    /// The velocity into the box through the face of a side at a cell.
    pub fn inward_velocity(&self, side: Side, cell: [usize; D]) -> f64 {
        let (axis, high) = (side.axis(), usize::from(side.is_high()));
        let is_below = (cell[D - 1] as f32 + 0.5) < self.levels[axis][high] || axis == D - 1;
        let inwards = if side.is_high() { -1.0 } else { 1.0 };
        if is_below { inwards * f64::from(self.velocities[axis][high]) } else { 0.0 }
    }

    /// Whether liquid enters through a side.
    pub fn is_inflow(&self, axis: usize, high: usize) -> bool {
        self.kinds[axis][high] == LiquidSide::Inflow
    }
}

/// One compartment.
#[derive(Debug, Clone, Copy, Default)]
struct Space {
    /// Open volume V in m³.
    volume: f64,
    has_open_side: bool,
    /// Liquid in it, in m³.
    held: f64,
    /// Whether some cell is not liquid.
    has_surface: bool,
    /// Q and W, in m³/s into the compartment.
    inflow: f64,
    wall_flux: f64,
    /// The factor of its inflow.
    scale: f32,
    /// Particles that may still enter in this step.
    admissible: u64,
}

impl Space {
    fn is_sealed(&self) -> bool {
        !self.has_surface && !self.has_open_side
    }

    fn room(&self) -> f64 {
        let fill = if self.has_open_side { MAX_FILL_WITH_OPEN_SIDE } else { 1.0 };
        (fill * self.volume - self.held).max(0.0)
    }

    /// The greatest net flux into it, in m³/s.
    fn max_inflow(&self, dt: f64) -> f64 {
        match (self.has_open_side, self.is_sealed()) {
            (true, _) => f64::INFINITY,
            (false, true) => (-self.wall_flux).max(0.0).min(self.room() / dt),
            (false, false) => ROOM_PER_STEP * self.room() / dt,
        }
    }
}

/// The compartments of a box and the liquid in them.
#[derive(Debug)]
pub(super) struct Capacity<const D: usize> {
    compartments: Compartments<D>,
    spaces: Vec<Space>,
    /// Whether solids have moved since the compartments were found.
    is_stale: bool,
    has_solids: bool,
    /// Volume of a cell in m³, and area of a face in m².
    cell_volume: f64,
    face_area: f64,
    /// Open volume of cells without particles in each compartment, in cells.
    interior_volumes: Vec<f64>,
}

impl<const D: usize> Capacity<D> {
    /// Of a box of cells of this edge in metres; the compartments are found when they are first needed.
    pub fn new(cells: [usize; D], edge: f64) -> Self {
        Capacity {
            compartments: Compartments::whole(cells),
            spaces: Vec::new(),
            is_stale: true,
            has_solids: false,
            cell_volume: edge.powi(D as i32),
            face_area: edge.powi(D as i32 - 1),
            interior_volumes: Vec::new(),
        }
    }

    /// To be called when solids have moved.
    pub fn invalidate(&mut self) {
        self.is_stale = true;
    }

    /// Finds the compartments anew where solids have moved.
    pub fn update(
        &mut self,
        boundary: &SolidBoundary<D>,
        density: &RestDensity<D>,
        open_sides: [[bool; 2]; D],
    ) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        self.has_solids = boundary.solids.is_some();
        let fraction = |axis: usize, face: [usize; D]| boundary.face_fraction(axis, face.map(|i| i as isize));
        if self.has_solids {
            self.compartments.find([false; D], |axis, face| fraction(axis, face) > 0.0);
        }
        // Open volume of each compartment
        self.spaces.clear();
        self.spaces
            .resize(self.compartments.count(), Space { has_surface: true, scale: 1.0, ..Space::default() });
        let (spaces, cell_volume) = (&mut self.spaces, self.cell_volume);
        self.compartments.for_each(|cell, number| {
            let mut first = cell;
            first[0] = 0;
            spaces[number].volume += cell_volume * f64::from(density.volume_fractions(first)[cell[0]]);
        });
        // Those that an open side drains
        for side in Side::of_dimension(D) {
            if open_sides[side.axis()][usize::from(side.is_high())] {
                for_each_side_face(boundary.cells, *side, |face, cell| {
                    if let Some(number) =
                        self.compartments.of(cell).filter(|_| fraction(side.axis(), face) > 0.0)
                    {
                        spaces[number].has_open_side = true;
                    }
                });
            }
        }
    }

    /// Measures the liquid in each compartment. Liquid without particles is shared out by the open volume that it fills.
    pub fn measure(
        &mut self,
        particles: &Particles<D>,
        ledger: &ParticleLedger,
        interior: &Interior<D>,
        density: &RestDensity<D>,
    ) {
        if let [space] = &mut self.spaces[..] {
            space.held = ledger.expected_volume();
            return;
        }
        let (spaces, compartments) = (&mut self.spaces, &self.compartments);
        spaces.iter_mut().for_each(|space| space.held = 0.0);
        let cells = density.cells();
        for index in (0..particles.len()).filter(|&index| !particles.position[0][index].is_nan()) {
            if let Some(number) = compartments.of(cell_of(particles.position_of(index), cells)) {
                spaces[number].held += ledger.particle_volume();
            }
        }
        // The pool: in the interior, or where there is none, beside the particles
        self.interior_volumes.clear();
        self.interior_volumes.resize(spaces.len(), 0.0);
        let volumes = &mut self.interior_volumes;
        interior.map().for_each(|cell, is_interior| {
            if let Some(number) = compartments.of(cell).filter(|_| is_interior != 0) {
                volumes[number] += 1.0;
            }
        });
        if volumes.iter().all(|volume| *volume == 0.0) {
            volumes.iter_mut().zip(&*spaces).for_each(|(volume, space)| *volume = space.held);
        }
        let total: f64 = volumes.iter().sum();
        let pooled = ledger.pooled_volume() / total.max(f64::MIN_POSITIVE);
        spaces.iter_mut().zip(&*volumes).for_each(|(space, volume)| space.held += pooled * volume);
    }

    /// Finds the factor of the inflow of each compartment for a step of `dt` seconds.
    pub fn balance(
        &mut self,
        flow: &SideFlow<D>,
        boundary: &SolidBoundary<D>,
        distance: &Field<f32, D>,
        dt: f64,
    ) {
        let (spaces, compartments) = (&mut self.spaces, &self.compartments);
        spaces.iter_mut().for_each(|space| (space.inflow, space.wall_flux) = (0.0, 0.0));
        // Which compartments have a free surface
        if self.has_solids {
            spaces.iter_mut().for_each(|space| space.has_surface = false);
            compartments.for_each(|cell, number| {
                spaces[number].has_surface |= distance[cell] >= 0.0;
            });
        } else {
            let highest = par::max(distance, f64::from);
            spaces.iter_mut().for_each(|space| space.has_surface = highest >= 0.0);
        }
        // Prescribed fluxes
        for side in Side::of_dimension(D) {
            let is_inflow = flow.is_inflow(side.axis(), usize::from(side.is_high()));
            for_each_side_face(boundary.cells, *side, |face, cell| {
                let Some(number) = compartments.of(cell) else { return };
                let flux = open_area(boundary, side.axis(), face, self.face_area)
                    * flow.inward_velocity(*side, cell);
                let to = &mut spaces[number];
                if is_inflow { to.inflow += flux } else { to.wall_flux += flux }
            });
        }
        for space in spaces {
            space.scale = (space.max_inflow(dt) / space.inflow.max(f64::MIN_POSITIVE)).min(1.0) as f32;
        }
    }

    /// The factor of the inflow at a cell.
    pub fn scale(&self, cell: [usize; D]) -> f32 {
        self.compartments.of(cell).and_then(|number| self.spaces.get(number)).map_or(1.0, |space| space.scale)
    }

    /// Begins the inflow of a step: finds the number of particles that may enter each compartment.
    pub fn admit_step(&mut self, particle_volume: f64) {
        for space in &mut self.spaces {
            let particles = space.room() / particle_volume;
            space.admissible = match (space.has_open_side, space.is_sealed()) {
                (false, true) => 0,
                (true, _) => particles as u64,
                // A single one may fill what is left
                (false, false) => ((ROOM_PER_STEP * particles) as u64).max(u64::from(particles >= 1.0)),
            };
        }
    }

    /// Admits a particle to a cell, where its compartment has room.
    pub fn admit(&mut self, cell: [usize; D]) -> bool {
        let space = self.compartments.of(cell).and_then(|number| self.spaces.get_mut(number));
        space.filter(|space| space.admissible > 0).map(|space| space.admissible -= 1).is_some()
    }

    /// Whether no further particle may enter the compartment of a cell in this step.
    pub fn is_full(&self, cell: [usize; D]) -> bool {
        let space = self.compartments.of(cell).and_then(|number| self.spaces.get(number));
        space.is_none_or(|space| space.admissible == 0)
    }

    /// The flux through a side into the box, in m³/s: what it prescribes, and what the velocity carries.
    pub fn side_flux(
        &self,
        side: Side,
        flow: &SideFlow<D>,
        boundary: &SolidBoundary<D>,
        velocity: &Field<f32, D>,
    ) -> [f64; 2] {
        let (mut prescribed, mut carried) = (0.0, 0.0);
        let inwards = if side.is_high() { -1.0 } else { 1.0 };
        for_each_side_face(boundary.cells, side, |face, cell| {
            let area = open_area(boundary, side.axis(), face, self.face_area);
            prescribed += area * flow.inward_velocity(side, cell).max(0.0);
            carried += area * (inwards * f64::from(velocity[face])).max(0.0);
        });
        [prescribed, carried]
    }
}

fn open_area<const D: usize>(boundary: &SolidBoundary<D>, axis: usize, face: [usize; D], area: f64) -> f64 {
    area * f64::from(boundary.face_fraction(axis, face.map(|i| i as isize)))
}

/// Calls `work` with every face on a side of a box, and the cell beside it.
fn for_each_side_face<const D: usize>(
    cells: [usize; D],
    side: Side,
    mut work: impl FnMut([usize; D], [usize; D]),
) {
    let axis = side.axis();
    let count: usize = (0..D).filter(|&other| other != axis).map(|other| cells[other]).product();
    for index in 0..count {
        let (mut face, mut rest) = ([0; D], index);
        for other in (0..D).filter(|&other| other != axis) {
            face[other] = rest % cells[other];
            rest /= cells[other];
        }
        let mut cell = face;
        if side.is_high() {
            (face[axis], cell[axis]) = (cells[axis], cells[axis] - 1);
        }
        work(face, cell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compartment_is_filled_to_its_volume_and_no_further() {
        let mut space = Space { volume: 1.0, has_surface: true, held: 0.9, inflow: 5.0, ..Space::default() };
        assert!((space.max_inflow(0.1) - 0.25).abs() < 1e-12);
        space.held = 1.0;
        assert_eq!(space.max_inflow(0.1), 0.0);
        (space.held, space.has_surface) = (0.9, false);
        assert_eq!(space.max_inflow(0.1), 0.0);
        space.wall_flux = -0.5;
        assert!((space.max_inflow(0.1) - 0.5).abs() < 1e-12);
        (space.has_open_side, space.held) = (true, 1.0);
        assert!(space.max_inflow(0.1).is_infinite() && (space.room() - 0.005).abs() < 1e-12);
    }
}
