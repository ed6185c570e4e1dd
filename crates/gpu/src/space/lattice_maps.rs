//! The maps of a lattice for shaders: positions, slopes and depth, ground.

use std::borrow::Cow;

use glam::Vec3;
use rayon::prelude::*;
use undine_frame::{Mesh, Shared, Triangles};

use super::shore::{ShoreExtension, slopes};
use super::tiles::{Errors, TileGrid, boxes, errors, tile_contents};
use crate::height_field::HeightFieldData;

const GRAVITY: f32 = 9.81;

/// A lattice of water, ready for upload. Samples are stored row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct LatticeMaps {
    /// Samples along both axes; at least two.
    pub size: [u32; 2],
    /// Position of the first sample.
    pub origin: [f32; 2],
    /// Grid spacing.
    pub spacing: [f32; 2],
    /// Of a height field (level, bed, 0, 0); of a sheet (x, y, z, 0).
    pub positions: Vec<[f32; 4]>,
    /// (∂η/∂x, ∂η/∂y, |∇η|², depth); the depth is negative beyond the waterline.
    pub slopes: Vec<[f32; 4]>,
    /// (∂b/∂x, ∂b/∂y, foam if positive else −wetness, depth).
    pub ground: Vec<[f32; 4]>,
    /// Horizontal velocity in m/s; empty if it is unknown.
    pub velocities: Shared<[f32; 2]>,
    /// Whether it has its own bed.
    pub has_bed: bool,
    /// Whether samples are displaced horizontally.
    pub is_sheet: bool,
    /// Extent and tiles.
    pub tile_grid: TileGrid,
    /// Errors of coarser levels of detail, of the water and of the ground.
    pub errors: [Errors; 2],
    /// Mean level of the water.
    pub level: f32,
    /// Height of the highest crest above it.
    pub crest: f32,
    /// Lowest and highest ground.
    pub ground_range: [f32; 2],
    /// Water thinner than this is not drawn.
    pub dry_depth: f32,
}

impl LatticeMaps {
    /// The maps of a height field; `None` if it is empty or inconsistent. A lattice longer than `longest`, the largest
    /// side of a texture, is subsampled.
    pub fn from_heights(heights: &HeightFieldData, longest: u32) -> Option<LatticeMaps> {
        let heights = subsampled(heights, longest)?;
        let heights = &*heights;
        let size = heights.size.map(|samples| samples as usize);
        let spacing = heights.spacing;
        let has_bed = !heights.bed.is_empty();
        // Extrapolate the water over dry ground; without a bed all samples are wet
        let known = |level: f32| if level.is_finite() { level } else { 0.0 };
        let deep = vec![f32::NEG_INFINITY; heights.level.len()];
        let beds: &[f32] = if has_bed { &heights.bed } else { &deep };
        let mut shore =
            ShoreExtension::new(size, spacing, heights.level.to_vec(), beds, heights.dry_depth.max(0.0));
        let mut water_slopes = shore.slopes();
        if has_bed {
            shore.extend(&mut water_slopes);
        }
        // Foam, bed slopes, and levels without NaN
        let (level, crest) = mean_level(&shore);
        let bed_slopes =
            if has_bed { slopes(beds, size, spacing, |sample| beds[sample].is_finite()) } else { Vec::new() };
        let foam = foam(heights, &shore);
        let bed_at = |sample: usize| if has_bed { known(beds[sample]) } else { 0.0 };
        let surface = |sample: usize| {
            let level_here = shore.levels[sample];
            if level_here.is_finite() { level_here } else { level }
        };
        let count = heights.level.len();
        let positions = per_sample(count, |sample| [surface(sample), bed_at(sample), 0.0, 0.0]);
        // Texels of the slope map and of the ground map
        let slope_map = |sample: usize| -> [f32; 4] {
            let [x, y] = water_slopes[sample];
            let depth = if has_bed { surface(sample) - bed_at(sample) } else { 1e3 };
            [x, y, x * x + y * y, depth]
        };
        let ground_map = |sample: usize| {
            let [x, y] = bed_slopes.get(sample).copied().unwrap_or_default();
            let wetness = heights.wetness.get(sample).copied().unwrap_or(0.0);
            let wetness = if shore.is_wet[sample] { 1.0 } else { wetness.clamp(0.0, 1.0) };
            let wetness = if wetness.is_finite() { wetness } else { 0.0 };
            let foam_or_wetness = if foam[sample] > 0.02 { foam[sample] } else { -wetness };
            [x, y, foam_or_wetness, slope_map(sample)[3]]
        };
        // Vertical extent of ground and water
        let range = |values: &mut dyn Iterator<Item = f32>| {
            values.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], value| {
                [low.min(value), high.max(value)]
            })
        };
        let ground_range =
            if has_bed { range(&mut (0..count).map(bed_at)) } else { [level - 1.0, level - 1.0] };
        let levels = range(&mut (0..count).map(surface));
        let low = if has_bed { ground_range[0].min(levels[0]) } else { levels[0] };
        let high = if has_bed { ground_range[1].max(levels[1]) } else { levels[1] };
        // What each tile contains, so that its pipeline can leave out the rest
        let dry = heights.dry_depth.max(1e-5);
        let contents = if has_bed {
            tile_contents(
                heights.size,
                dry,
                |sample| surface(sample) - bed_at(sample),
                |sample| foam[sample] - 0.02,
            )
        } else {
            Vec::new()
        };
        let reach = |axis: usize| heights.origin[axis] + spacing[axis] * (heights.size[axis] - 1) as f32;
        Some(LatticeMaps {
            size: heights.size,
            origin: heights.origin,
            spacing,
            positions,
            slopes: per_sample(count, slope_map),
            ground: per_sample(count, ground_map),
            velocities: heights.velocity.clone(),
            has_bed,
            is_sheet: false,
            tile_grid: TileGrid {
                samples: heights.size,
                low: Vec3::new(heights.origin[0], heights.origin[1], low),
                high: Vec3::new(reach(0), reach(1), high),
                boxes: Vec::new(),
                contents,
            },
            errors: [
                errors(heights.size, surface),
                if has_bed { errors(heights.size, bed_at) } else { Vec::new() },
            ],
            level,
            crest,
            ground_range,
            dry_depth: heights.dry_depth,
        })
    }

    /// The maps of a displaced sheet; `None` for any other mesh, or one too large.
    pub fn from_sheet(mesh: &Mesh, longest: u32) -> Option<LatticeMaps> {
        let Triangles::Lattice { columns, rows } = mesh.triangles else { return None };
        let fits = mesh.inconsistency().is_none() && columns.min(rows) >= 2 && columns.max(rows) <= longest;
        if !fits {
            return None;
        }
        // Bounds, mean spacing and mean level of the finite positions
        let finite = |at: [f32; 3]| if at.iter().all(|part| part.is_finite()) { at } else { [0.0; 3] };
        let positions: Vec<[f32; 3]> = mesh.positions.iter().copied().map(finite).collect();
        let mut low = Vec3::INFINITY;
        let mut high = Vec3::NEG_INFINITY;
        for &position in &positions {
            (low, high) = (low.min(position.into()), high.max(position.into()));
        }
        let spacing = [(high.x - low.x) / (columns - 1) as f32, (high.y - low.y) / (rows - 1) as f32]
            .map(|step| step.max(1e-6));
        let level =
            (positions.iter().map(|at| f64::from(at[2])).sum::<f64>() / positions.len().max(1) as f64) as f32;
        // Slopes from the normals; the sheet has no bed
        let slope_map = |sample: usize| {
            let [x, y, z] = mesh.normals.get(sample).copied().unwrap_or([0.0, 0.0, 1.0]);
            let (x, y) = (-x / z.max(0.05), -y / z.max(0.05));
            [x, y, x * x + y * y, 1e3]
        };
        let foam = folding_foam(mesh, &positions, [columns as usize, rows as usize]);
        let ground = foam.into_iter().map(|foam| [0.0, 0.0, foam, 1e3]).collect();
        Some(LatticeMaps {
            size: [columns, rows],
            origin: [low.x, low.y],
            spacing,
            slopes: (0..positions.len()).map(slope_map).collect(),
            ground,
            velocities: Shared::default(),
            positions: positions.iter().map(|&[x, y, z]| [x, y, z, 0.0]).collect(),
            has_bed: false,
            is_sheet: true,
            tile_grid: TileGrid {
                samples: [columns, rows],
                low,
                high,
                boxes: boxes(&positions, [columns, rows]),
                contents: Vec::new(),
            },
            errors: [errors([columns, rows], |sample| positions[sample][2]), Vec::new()],
            level,
            crest: high.z - level,
            ground_range: [level - 1.0; 2],
            dry_depth: 0.0,
        })
    }
}

// The height field, subsampled to fit into a texture. A field one sample widest is duplicated to a ribbon of one cell
// width, so that there are at least two samples along each axis.
fn subsampled(heights: &HeightFieldData, longest: u32) -> Option<Cow<'_, HeightFieldData>> {
    // Refuse empty and inconsistent fields
    let [columns, rows] = heights.size;
    let count = columns as usize * rows as usize;
    let is_sound = count > 0
        && heights.level.len() == count
        && heights.origin.iter().chain(&heights.spacing).all(|number| number.is_finite());
    if !is_sound || columns.max(rows) < 2 {
        return None;
    }
    // A field that fits is borrowed
    let stride = columns.max(rows).div_ceil(longest).max(1);
    let lists =
        [&heights.bed, &heights.wetness].map(|list| list.len()).into_iter().chain([heights.velocity.len()]);
    let is_whole = lists.into_iter().all(|length| length == 0 || length == count)
        && heights.spacing.iter().all(|step| *step > 0.0);
    if stride == 1 && columns.min(rows) >= 2 && is_whole {
        return Some(Cow::Borrowed(heights));
    }
    // Indices of the kept samples, of which the last may repeat
    let kept = [columns, rows].map(|samples| samples.div_ceil(stride).max(2));
    let pick = |index: usize| {
        let (column, row) = (index as u32 % kept[0] * stride, index as u32 / kept[0] * stride);
        row.min(rows - 1) as usize * columns as usize + column.min(columns - 1) as usize
    };
    let picks: Vec<usize> = (0..kept[0] as usize * kept[1] as usize).map(pick).collect();
    let scalar = |values: &[f32]| -> Shared<f32> {
        if values.len() == count {
            picks.iter().map(|&pick| values[pick]).collect()
        } else {
            Shared::default()
        }
    };
    let velocity = if heights.velocity.len() == count {
        picks.iter().map(|&pick| heights.velocity[pick]).collect()
    } else {
        Shared::default()
    };
    // Spacing in metres, never zero; a ribbon is centred on its row
    let widest = heights.spacing.map(f32::abs).into_iter().fold(0.0, f32::max).max(1e-6);
    let step = |axis: usize| {
        let spacing = heights.spacing[axis].abs();
        (if spacing > 0.0 { spacing } else { widest }) * stride as f32
    };
    let spacing = [step(0), step(1)];
    let first = |axis: usize| {
        let is_ribbon = heights.size[axis] == 1;
        heights.origin[axis] - if is_ribbon { 0.5 * spacing[axis] } else { 0.0 }
    };
    Some(Cow::Owned(HeightFieldData {
        size: kept,
        origin: [first(0), first(1)],
        spacing,
        level: scalar(&heights.level),
        bed: scalar(&heights.bed),
        wetness: scalar(&heights.wetness),
        velocity,
        dry_depth: heights.dry_depth,
    }))
}

// A value for every sample, computed in parallel.
fn per_sample<T: Send>(count: usize, of: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
    (0..count).into_par_iter().with_min_len(4096).map(of).collect()
}

// Mean level of the wet samples, and the height of the highest above it.
fn mean_level(shore: &ShoreExtension<'_>) -> (f32, f32) {
    let wet = || {
        let both = shore.levels.iter().zip(&shore.is_wet);
        both.filter(|(level, is_wet)| **is_wet && level.is_finite()).map(|(level, _)| *level)
    };
    let (sum, count) = wet().fold((0.0, 0_u32), |(sum, count), level| (sum + f64::from(level), count + 1));
    if count == 0 {
        return (
            shore.beds.iter().copied().filter(|bed| bed.is_finite()).fold(f32::MAX, f32::min).min(1e6),
            0.0,
        );
    }
    let level = (sum / f64::from(count)) as f32;
    (level, wet().fold(level, f32::max) - level)
}

// Foam from the flow: where it is supercritical (Froude number |u| / √(g h) above about 1) and where it converges,
// unless the water is only a film.
fn foam(heights: &HeightFieldData, shore: &ShoreExtension<'_>) -> Vec<f32> {
    let [columns, rows] = shore.size;
    if heights.velocity.is_empty() {
        return vec![0.0; heights.level.len()];
    }
    let amount = |sample: usize| {
        let [u, v] = heights.velocity[sample];
        let (speed, depth) = (u.hypot(v), (shore.levels[sample] - shore.beds[sample]).min(1e3));
        let flows = shore.is_wet[sample] && speed.is_finite() && speed > 0.05;
        if !flows {
            return 0.0;
        }
        let (column, row) = (sample % columns, sample / columns);
        let (west, east) = (sample - usize::from(column > 0), sample + usize::from(column + 1 < columns));
        let south = sample - if row > 0 { columns } else { 0 };
        let north = sample + if row + 1 < rows { columns } else { 0 };
        let velocity = &heights.velocity;
        let convergence = velocity[west][0] - velocity[east][0] + velocity[south][1] - velocity[north][1];
        let wave_speed = (GRAVITY * depth).sqrt();
        let supercritical = smoothstep(0.9, 2.2, speed / wave_speed.max(1e-3));
        let converging = smoothstep(0.05, 0.5, 0.5 * convergence / wave_speed.max(0.1));
        let step = shore.spacing[0].max(shore.spacing[1]);
        let is_thick = smoothstep(0.02, 0.15, depth / (0.02 * step + 0.1)) * smoothstep(0.3, 1.5, speed);
        let foam = (0.55 * supercritical + 0.9 * converging).min(1.0) * is_thick;
        if foam.is_finite() { foam } else { 0.0 }
    };
    per_sample(heights.level.len(), amount)
}

// Foam where a sheet folds: where the Jacobian of the horizontal displacement is small. Texture coordinates are the
// rest positions; without them there is no foam.
fn folding_foam(mesh: &Mesh, positions: &[[f32; 3]], [columns, rows]: [usize; 2]) -> Vec<f32> {
    if mesh.uvs.is_empty() {
        return vec![0.0; positions.len()];
    }
    let amount = |sample: usize| {
        let (column, row) = (sample % columns, sample / columns);
        let (west, east) = (sample - usize::from(column > 0), sample + usize::from(column + 1 < columns));
        let south = sample - if row > 0 { columns } else { 0 };
        let north = sample + if row + 1 < rows { columns } else { 0 };
        let area = |at: &dyn Fn(usize) -> [f32; 2]| {
            let (a, b, c, d) = (at(east), at(west), at(north), at(south));
            (a[0] - b[0]) * (c[1] - d[1]) - (a[1] - b[1]) * (c[0] - d[0])
        };
        let rest = area(&|at| mesh.uvs[at]);
        let now = area(&|at| [positions[at][0], positions[at][1]]);
        if rest.abs() > 0.0 && now.is_finite() { smoothstep(0.45, 0.05, now / rest) } else { 0.0 }
    };
    (0..positions.len()).map(amount).collect()
}

fn smoothstep(from: f32, to: f32, at: f32) -> f32 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn basin(size: [u32; 2]) -> HeightFieldData {
        let count = (size[0] * size[1]) as usize;
        HeightFieldData {
            size,
            spacing: [0.5, 0.5],
            level: vec![1.0; count].into(),
            bed: vec![0.0; count].into(),
            ..HeightFieldData::default()
        }
    }

    #[test]
    fn a_row_becomes_a_ribbon() {
        let lattice_maps = LatticeMaps::from_heights(&basin([9, 1]), 2048).unwrap();
        assert_eq!(
            (lattice_maps.size, lattice_maps.origin[1], lattice_maps.positions.len()),
            ([9, 2], -0.25, 18)
        );
    }

    #[test]
    fn a_lattice_larger_than_a_texture_is_subsampled() {
        let lattice_maps = LatticeMaps::from_heights(&basin([100, 40]), 32).unwrap();
        assert_eq!((lattice_maps.size, lattice_maps.spacing), ([25, 10], [2.0, 2.0]));
    }

    #[test]
    fn inconsistent_fields_are_left_out() {
        for broken in [
            HeightFieldData::default(),
            HeightFieldData { level: vec![1.0; 3].into(), ..basin([9, 9]) },
            basin([1, 1]),
        ] {
            assert_eq!(LatticeMaps::from_heights(&broken, 2048), None);
        }
        let mut odd = basin([9, 9]);
        odd.level.fill(f32::NAN);
        odd.velocity = vec![[f32::NAN; 2]; 81].into();
        let lattice_maps = LatticeMaps::from_heights(&odd, 2048).unwrap();
        assert!(
            lattice_maps
                .positions
                .iter()
                .chain(&lattice_maps.slopes)
                .chain(&lattice_maps.ground)
                .flatten()
                .all(|n| n.is_finite())
        );
    }
}
