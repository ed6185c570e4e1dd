//! The drops of a fall that are seen: drawn from the water in the air, without a state of their own.
//!
//! The drops of a parcel arrive evenly over the time in which it does, and fly as water leaves the lip now. Each has its
//! number in the parcel, from which all that is random about it follows, so that it is the same drop in every picture.

use glam::DVec3;
use undine_frame::CloudRole;
use undine_sim::CloudView;

use super::super::water::Pipes;
use super::fall::{Fall, Parcel};
use super::lips::Way;

/// The most drops that are seen.
const MOST_SEEN: f64 = 65_536.0;

/// The radius of a drop that is seen, as a part of that of one that flies: falling water breaks up finely.
const FINENESS: f64 = 0.25;

/// Places and velocities of drops.
#[derive(Debug, Default)]
pub(super) struct FallCloud {
    positions: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
}

impl Pipes {
    /// The water in the air as a cloud of spheres; drops that fly are spheres of this radius. It is made when somebody looks
    /// for the first time since the last step.
    pub(in super::super) fn falls_cloud(&self, radius: f64) -> Option<CloudView<'_>> {
        if self.manager.is_none() || self.falls.falls.is_empty() {
            return None;
        }
        let cloud = self.falls.cloud.get_or_init(|| self.draw_falls());
        (!cloud.positions.is_empty()).then_some(CloudView {
            role: CloudRole::Spray,
            positions: &cloud.positions,
            velocities: &cloud.velocities,
            radius: (FINENESS * radius) as f32,
            attributes: Vec::new(),
        })
    }

    fn draw_falls(&self) -> FallCloud {
        let mut cloud = FallCloud::default();
        let each = self.units_of_drop() as f64 * FINENESS.powi(3);
        let all: f64 = self.falls.falls.iter().map(|fall| fall.held() as f64 / each).sum();
        // Of more drops than that, some are not drawn
        let each = each * (all / MOST_SEEN).max(1.0);
        for fall in &self.falls.falls {
            fall.parcels().iter().for_each(|parcel| self.draw_parcel(&mut cloud, fall, parcel, each));
        }
        cloud
    }

    fn draw_parcel(&self, cloud: &mut FallCloud, fall: &Fall, parcel: &Parcel, each: f64) {
        let interval = each * (parcel.to - parcel.from) / parcel.units as f64;
        if !interval.is_finite() || interval <= 0.0 {
            return;
        }
        let first = ((parcel.from - parcel.begin) / interval).ceil().max(0.0) as u64;
        for number in first.. {
            let arrival = parcel.begin + number as f64 * interval;
            if arrival >= parcel.to || cloud.positions.len() as f64 > 2.0 * MOST_SEEN {
                return;
            }
            let seed = parcel.begin.to_bits().wrapping_add(number.wrapping_mul(0x9e37_79b9));
            let [across, speed, height, moment] = random(fall.donor, fall.way, seed);
            let left = arrival + moment * interval - self.time;
            let age = (fall.path.seconds - left).max(0.0);
            let [at, velocity] = self.start_of_drop(fall, [across, speed, height], age);
            if self.is_in_the_air(at) {
                cloud.positions.push(at.as_vec3().to_array());
                cloud.velocities.push(velocity.as_vec3().to_array());
            }
        }
    }

    /// Whether a place is inside the domain and above water and ground.
    fn is_in_the_air(&self, at: DVec3) -> bool {
        let (cell, cells) = (self.grid.cell_at([at.x, at.y]), self.grid.cells());
        let is_inside = (0..2).all(|axis| (0..cells[axis] as isize).contains(&cell[axis]));
        is_inside && at.is_finite() && at.z > self.level_in(cell.map(|index| index as usize))
    }
}

/// Four random numbers from 0 to 1 for a drop of a fall.
pub(super) fn random(donor: u32, way: Way, number: u64) -> [f64; 4] {
    let mut state = (u64::from(donor) << 8 | u64::from(way.0)).wrapping_mul(0xd134_2543_de82_ef95) ^ number;
    std::array::from_fn(|_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    })
}
