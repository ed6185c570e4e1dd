//! Particles as dots on a page.

use glam::Vec3;
use undine_frame::Cloud;
use undine_render::plots::ColourMap;

use super::marks::DotInstance;

/// Colour map of speeds.
const SPEED_MAP: &str = "ice";

/// Steps of the colour table.
const TABLE_SIZE: usize = 255;

/// Colours of particles as bytes that store the square root of each linear channel.
#[derive(Debug)]
pub struct PointColours<'p> {
    own: Option<&'p [[f32; 3]]>,
    velocities: &'p [[f32; 3]],
    fastest: f32,
    table: Vec<[u8; 4]>,
}

impl<'p> PointColours<'p> {
    /// By the colour attribute of a cloud, or else by speed.
    pub fn of(cloud: &'p Cloud) -> PointColours<'p> {
        let speeds = cloud.velocities.iter().map(|velocity| Vec3::from(*velocity).length_squared());
        let fastest = speeds.filter(|speed| speed.is_finite()).fold(0.0, f32::max).sqrt();
        let map = ColourMap::named(SPEED_MAP).unwrap_or_else(|| ColourMap::through(&[[1.0; 3]]));
        // The darkest third of the map is not visible on a dark page
        let table = (0..=TABLE_SIZE)
            .map(|step| bytes(map.colour(0.35 + 0.65 * step as f32 / TABLE_SIZE as f32)))
            .collect();
        PointColours { own: cloud.colours(), velocities: &cloud.velocities, fastest, table }
    }

    /// The colour of a particle.
    pub fn at(&self, index: usize) -> [u8; 4] {
        if let Some(colours) = self.own {
            return bytes(colours[index]);
        }
        let speed = self.velocities.get(index).map_or(0.0, |velocity| Vec3::from(*velocity).length());
        let fraction = if self.fastest > 0.0 { speed / self.fastest } else { 0.0 };
        // NaN is cast to 0
        self.table[((fraction * TABLE_SIZE as f32) as usize).min(TABLE_SIZE)]
    }
}

fn bytes(linear: [f32; 3]) -> [u8; 4] {
    let [red, green, blue] = linear.map(|channel| (channel.clamp(0.0, 1.0).sqrt() * 255.0 + 0.5) as u8);
    [red, green, blue, 255]
}

/// The dots of the particles for which `holds` is true, projected to the plane of `axes`.
pub fn dots(cloud: &Cloud, axes: [usize; 2], holds: impl Fn([f32; 3]) -> bool) -> Vec<DotInstance> {
    let colours = PointColours::of(cloud);
    let kept = cloud.positions.iter().enumerate().filter(|(_, position)| holds(**position));
    let dot = |(index, position): (usize, &[f32; 3])| DotInstance {
        position: axes.map(|axis| position[axis]),
        colour: colours.at(index),
    };
    kept.map(dot).filter(|dot| dot.position.iter().all(|metres| metres.is_finite())).collect()
}
