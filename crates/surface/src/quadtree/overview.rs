//! A coarse copy of a large height water, for what needs all of it but no detail.

use std::borrow::Cow;

use undine_frame::{Attribute, Frame, Heights, LargeWater, Mesh, Surface};
use undine_grid::par;

use crate::height::{ground_mesh, height_mesh};

/// Most samples of an overview along an axis.
const LONGEST: usize = 512;

/// A frame whose large waters have meshes of an overview, in place of others; the same frame if there are none.
///
/// Renderers draw the overview where they look at all of the water, and [`HeightQuadtree`](super::HeightQuadtree) for
/// their viewpoint.
pub fn with_overviews(frame: &Frame) -> Cow<'_, Frame> {
    let large: Vec<_> = frame.large_waters().collect();
    if large.is_empty() {
        return Cow::Borrowed(frame);
    }
    let is_replaced =
        |mesh: &&Mesh| large.iter().any(|one| [&one.water.name, &one.ground.name].contains(&&mesh.name));
    let mut meshes: Vec<Mesh> = frame.meshes.iter().filter(|mesh| !is_replaced(mesh)).cloned().collect();
    meshes.extend(large.iter().flat_map(overview_meshes));
    Cow::Owned(Frame {
        index: frame.index,
        time: frame.time,
        waters: frame.waters.clone(),
        surfaces: frame.surfaces.clone(),
        meshes,
        clouds: frame.clouds.clone(),
        bodies: frame.bodies.clone(),
        fields: frame.fields.clone(),
        counters: frame.counters.clone(),
    })
}

fn overview_meshes(large: &LargeWater<'_>) -> Vec<Mesh> {
    let Some((coarse, blocks)) = overview(large.heights) else { return Vec::new() };
    let bed = coarse.bed.clone().unwrap_or_default();
    let ground = Heights { level: bed, bed: None, velocity: None, ..coarse.clone() };
    let attributes = large.ground.attributes.iter();
    let attributes: Vec<Attribute> = attributes
        .filter(|attribute| attribute.inconsistency(large.heights.count(), "").is_none())
        .map(|attribute| blocks.mean_attribute(attribute))
        .collect();
    vec![height_mesh(&large.water.name, &coarse), ground_mesh(&large.ground.name, &ground, &attributes)]
}

/// A water with at most `LONGEST` samples along an axis, and how its samples are gathered: means over square blocks.
/// Water that covers less than half of a block is left out. `None` if the water has no bed.
pub fn overview(water: &Heights) -> Option<(Heights, BlockMeans)> {
    let beds = water.bed.as_ref()?;
    let blocks = BlockMeans::new(water);
    let bed = blocks.means(|sample| beds[sample]);
    let is_wet = |sample: usize| water.level[sample] - beds[sample] > water.dry_depth;
    let least = 2.0 * water.dry_depth + 1e-4;
    let mut level = vec![0.0; bed.len()];
    blocks.fill(&mut level, |block, samples| {
        let (mut sum, mut wet, mut all) = (0.0_f64, 0_u32, 0_u32);
        for sample in samples {
            all += 1;
            if is_wet(sample) {
                sum += f64::from(water.level[sample]);
                wet += 1;
            }
        }
        let is_water = 2 * wet >= all && wet > 0;
        if is_water { ((sum / f64::from(wet)) as f32).max(bed[block] + least) } else { bed[block] }
    });
    let velocity = water.velocity.as_ref().map(|velocity| {
        let [x, y] = [0, 1].map(|axis: usize| blocks.means(|sample| velocity[sample][axis]));
        x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()
    });
    let spacing =
        [0, 1].map(|axis| water.spacing[axis] * blocks.samples[axis] as f64 / blocks.size[axis] as f64);
    let coarse = Heights {
        size: blocks.size.map(|count| count as u32),
        origin: [0, 1].map(|axis| water.origin[axis] + 0.5 * (spacing[axis] - water.spacing[axis])),
        spacing,
        level: level.into(),
        bed: Some(bed.into()),
        velocity,
        dry_depth: water.dry_depth,
    };
    Some((coarse, blocks))
}

/// Blocks of samples, square within one sample, which share the lattice evenly.
pub struct BlockMeans {
    samples: [usize; 2],
    size: [usize; 2],
}

impl BlockMeans {
    fn new(water: &Heights) -> Self {
        let samples = water.size.map(|count| count as usize);
        let factor = samples[0].max(samples[1]).div_ceil(LONGEST).max(1);
        BlockMeans { samples, size: samples.map(|count| count.div_ceil(factor)) }
    }

    /// The value of every block, from its number and its samples, rows in parallel.
    fn fill(&self, values: &mut [f32], value: impl Fn(usize, &mut dyn Iterator<Item = usize>) -> f32 + Sync) {
        par::for_each_chunk(values, self.size[0], |first, row| {
            for (block, of) in (first..).zip(row) {
                *of = value(block, &mut self.samples_of(block));
            }
        });
    }

    fn samples_of(&self, block: usize) -> impl Iterator<Item = usize> + use<> {
        let (columns, block) = (self.samples[0], [block % self.size[0], block / self.size[0]]);
        let [first, end] =
            [0, 1].map(|next| [0, 1].map(|axis| (block[axis] + next) * self.samples[axis] / self.size[axis]));
        (first[1]..end[1]).flat_map(move |y| (first[0]..end[0]).map(move |x| y * columns + x))
    }

    fn means(&self, value: impl Fn(usize) -> f32 + Sync) -> Vec<f32> {
        let mut means = vec![0.0; self.size[0] * self.size[1]];
        self.fill(&mut means, |_, samples| {
            let (sum, count) = samples
                .fold((0.0_f64, 0_u32), |(sum, count), sample| (sum + f64::from(value(sample)), count + 1));
            (sum / f64::from(count.max(1))) as f32
        });
        means
    }

    fn mean_attribute(&self, attribute: &Attribute) -> Attribute {
        let components = attribute.components as usize;
        let columns: Vec<Vec<f32>> = (0..components)
            .map(|component| self.means(|sample| attribute.values[sample * components + component]))
            .collect();
        let count = self.size[0] * self.size[1];
        let values: Vec<f32> =
            (0..count).flat_map(|block| columns.iter().map(move |column| column[block])).collect();
        Attribute { values: values.into(), ..attribute.clone() }
    }
}

/// A surface of a water too large for a mesh of all its samples.
pub fn is_large(frame: &Frame, surface: &Surface) -> bool {
    frame
        .large_waters()
        .any(|large| std::ptr::eq(large.water, surface) || std::ptr::eq(large.ground, surface))
}
