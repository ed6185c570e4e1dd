//! Drops: water that leaves the surface, flies and falls back with its volume and a push [thompson2009].
//!
//! A column gives off drops where it stands higher than a neighbour by more than H, where its surface rises faster than w, or
//! where it is more curved than κ: the volume above that bound, at most half of its own. It is cut into drops of a given
//! volume and one with the rest, eq. (4.10). They fall with drag, v ← (v + Δt g)/(1 + Δt f), x ← x + Δt v, Algorithm 3; where
//! they meet water or ground their units go to the column, and the impulse c m v_z/A pushes water out through its pipes,
//! eq. (4.12). Along the side of higher ground they fall down; walls throw them back; through open sides they leave, which is an
//! outflow.

use std::io;

use glam::DVec3;
use undine_frame::CloudRole;
use undine_grid::{Grid, Side};
use undine_sim::{CloudView, Reader, Writer};

use super::settings::Border;

/// The most drops in the air.
const MOST: usize = 1 << 18;

/// When drops are given off, and how they fly; `None` for a cause that is not looked for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct DropSettings {
    /// H in metres.
    pub height: Option<f64>,
    /// w in m/s.
    pub speed: Option<f64>,
    /// κ in 1/m.
    pub curvature: Option<f64>,
    /// Volume of a drop in m³.
    pub volume: f64,
    /// f in 1/s.
    pub drag: f64,
    /// c.
    pub push: f64,
}

impl DropSettings {
    /// Whether any cause is looked for.
    pub fn is_active(&self) -> bool {
        self.height.is_some() || self.speed.is_some() || self.curvature.is_some()
    }
}

/// A drop that has met the surface or the ground of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Landing {
    pub cell: [usize; 2],
    pub units: i64,
    /// Speed downwards in m/s.
    pub speed: f64,
}

/// The water on which drops fall.
pub(super) trait DropReceiver {
    /// Level of the surface in a cell, or of dry ground, in metres.
    fn level(&self, cell: [usize; 2]) -> f64;

    /// Takes a drop; answers the units that there is room for.
    fn land(&mut self, landing: Landing) -> i64;
}

/// The drops in the air.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Drops {
    positions: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    units: Vec<u32>,
}

impl Drops {
    /// Units in the air.
    pub fn held(&self) -> i128 {
        self.units.iter().map(|&units| i128::from(units)).sum()
    }

    /// Number of drops in the air.
    pub fn count(&self) -> usize {
        self.units.len()
    }

    /// Number of drops that can still be given off.
    pub fn room(&self) -> usize {
        MOST - self.units.len().min(MOST)
    }

    /// Adds drops of `each` units and one with the rest; answers how many units they have, fewer than asked for when the air is
    /// full.
    pub fn emit(&mut self, at: DVec3, velocity: DVec3, units: i64, each: i64) -> i64 {
        let mut left = units;
        while left > 0 && self.units.len() < MOST {
            let taken = left.min(each).min(i64::from(u32::MAX));
            self.positions.push(at.as_vec3().to_array());
            self.velocities.push(velocity.as_vec3().to_array());
            self.units.push(taken as u32);
            left -= taken;
        }
        units - left
    }

    /// Moves all drops, and hands those that have met the surface or the ground to the receiver. Answers the units that have
    /// left through open sides.
    pub fn fly(
        &mut self,
        dt: f64,
        gravity: f64,
        drag: f64,
        grid: &Grid<2>,
        borders: &[Border; 4],
        receiver: &mut impl DropReceiver,
    ) -> i64 {
        let (mut index, mut left) = (0, 0);
        while index < self.units.len() {
            let velocity = DVec3::from(self.velocities[index].map(f64::from));
            let velocity = (velocity - DVec3::Z * (dt * gravity)) / (1.0 + dt * drag);
            let before = self.positions[index].map(f64::from);
            let at = DVec3::from(before) + dt * velocity;
            let (mut at, mut velocity) = (at.to_array(), velocity.to_array());
            if leaves(&mut at, &mut velocity, grid, borders) {
                left += i64::from(self.units[index]);
                self.remove(index);
                continue;
            }
            let mut cell = cell_of(grid, at);
            let last = cell_of(grid, before);
            if cell != last && before[2] < receiver.level(cell) {
                // It has hit the side of higher ground, along which it falls
                at[..2].copy_from_slice(&before[..2]);
                velocity[..2].fill(0.0);
                cell = last;
            }
            if at[2] <= receiver.level(cell) {
                let landing = Landing { cell, units: i64::from(self.units[index]), speed: -velocity[2] };
                let rest = landing.units - receiver.land(landing);
                if rest == 0 {
                    self.remove(index);
                    continue;
                }
                // Where there is no room it waits on the surface
                self.units[index] = rest as u32;
                velocity = [0.0; 3];
            }
            self.positions[index] = at.map(|x| x as f32);
            self.velocities[index] = velocity.map(|x| x as f32);
            index += 1;
        }
        left
    }

    fn remove(&mut self, index: usize) {
        self.positions.swap_remove(index);
        self.velocities.swap_remove(index);
        self.units.swap_remove(index);
    }

    /// The drops as a cloud of spheres of this radius.
    pub fn view(&self, radius: f64) -> Option<CloudView<'_>> {
        (!self.units.is_empty()).then_some(CloudView {
            role: CloudRole::Spray,
            positions: &self.positions,
            velocities: &self.velocities,
            radius: radius as f32,
            attributes: Vec::new(),
        })
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("drops", self.positions.as_flattened())?;
        to.values("drop velocities", self.velocities.as_flattened())?;
        to.values("drop units", &self.units)
    }

    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.positions.clear();
        self.velocities.clear();
        from.records("drops", |position| self.positions.push(position))?;
        from.records("drop velocities", |velocity| self.velocities.push(velocity))?;
        from.list_into("drop units", &mut self.units)?;
        let count = self.units.len();
        if self.positions.len() == count && self.velocities.len() == count {
            return Ok(());
        }
        *self = Drops::default();
        Err(io::Error::new(io::ErrorKind::InvalidData, "the saved drops are incomplete"))
    }
}

/// Throws a drop back from a wall; whether it has left through an open side, or has no place any more. A single row has
/// no sides along it.
fn leaves(at: &mut [f64; 3], velocity: &mut [f64; 3], grid: &Grid<2>, borders: &[Border; 4]) -> bool {
    let (low, high) = (grid.origin(), grid.far_corner());
    if !at.iter().all(|x| x.is_finite()) {
        return true;
    }
    for (side, border) in Side::ALL.into_iter().zip(borders) {
        let axis = side.axis();
        let is_low = matches!(side, Side::West | Side::South);
        let beyond = if is_low { low[axis] - at[axis] } else { at[axis] - high[axis] };
        if beyond <= 0.0 || axis == 1 && grid.cells()[1] == 1 {
            continue;
        }
        if *border == Border::Open {
            return true;
        }
        at[axis] = if is_low { low[axis] } else { high[axis] };
        velocity[axis] = if is_low { velocity[axis].abs() } else { -velocity[axis].abs() };
    }
    false
}

fn cell_of(grid: &Grid<2>, at: [f64; 3]) -> [usize; 2] {
    let (cell, cells) = (grid.cell_at([at[0], at[1]]), grid.cells());
    std::array::from_fn(|axis| cell[axis].clamp(0, cells[axis] as isize - 1) as usize)
}
