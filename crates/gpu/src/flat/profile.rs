//! A height field as a vertical section of water over ground, x to the right and z up.

use undine_render::colour::from_hex;

use super::marks::{FillVertex, StrokeInstance};
use crate::height_field::HeightFieldData;

const WATER: u32 = 0x66aed6;
const DEEP: u32 = 0x1f5f93;
const EARTH: u32 = 0x8a7458;
const SHORE: u32 = 0x4d3f2d;
const SURFACE: u32 = 0x0e3554;

/// The triangles and lines of the middle row of a height field, in the colours of profile plots.
pub fn profile(heights: &HeightFieldData) -> (Vec<FillVertex>, Vec<StrokeInstance>) {
    let Some(section) = ProfileSection::of(heights) else { return Default::default() };
    let mut geometry = ProfileGeometry { floor: section.floor(), corners: Vec::new(), lines: Vec::new() };
    for pair in section.columns.windows(2) {
        geometry.ground(pair[0], pair[1]);
        if let Some((from, to)) = wet_part(pair[0], pair[1], section.dry_depth) {
            geometry.water(from, to);
        }
    }
    (geometry.corners, geometry.lines)
}

/// A sample of a section.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ProfileColumn {
    x: f32,
    level: f32,
    bed: Option<f32>,
}

impl ProfileColumn {
    fn depth(&self) -> f32 {
        self.bed.map_or(f32::INFINITY, |bed| self.level - bed)
    }
}

/// The middle row of a height field.
struct ProfileSection {
    columns: Vec<ProfileColumn>,
    dry_depth: f32,
}

impl ProfileSection {
    fn of(heights: &HeightFieldData) -> Option<ProfileSection> {
        let [columns, rows] = heights.size.map(|samples| samples as usize);
        let first = rows / 2 * columns;
        let row = |values: &[f32]| values.get(first..first + columns).map(<[f32]>::to_vec);
        let (level, bed) = (row(&heights.level)?, row(&heights.bed));
        let column = |(index, level): (usize, f32)| ProfileColumn {
            x: heights.origin[0] + heights.spacing[0] * index as f32,
            level,
            bed: bed.as_ref().map(|bed| bed[index]),
        };
        let columns = level.into_iter().enumerate().map(column).filter(|column| {
            column.x.is_finite() && column.level.is_finite() && column.bed.is_none_or(f32::is_finite)
        });
        Some(ProfileSection { columns: columns.collect(), dry_depth: heights.dry_depth.max(0.0) })
    }

    // Lower edge of the ground, far below everything, so that the ground fills the page.
    fn floor(&self) -> f32 {
        let levels = self.columns.iter().flat_map(|column| [Some(column.level), column.bed]).flatten();
        let (low, high) =
            levels.fold((f32::INFINITY, -f32::INFINITY), |(low, high), z| (low.min(z), high.max(z)));
        let width = self.columns.last().map_or(1.0, |last| last.x - self.columns[0].x);
        low - 3.0 * (high - low).max(width.abs()).max(1.0)
    }
}

// The wet part between two columns; if one of them is dry, up to the waterline.
fn wet_part(
    from: ProfileColumn,
    to: ProfileColumn,
    dry_depth: f32,
) -> Option<(ProfileColumn, ProfileColumn)> {
    let is_wet = |column: &ProfileColumn| column.depth() > dry_depth;
    match (is_wet(&from), is_wet(&to)) {
        (true, true) => Some((from, to)),
        (true, false) => waterline(from, to).map(|end| (from, end)),
        (false, true) => waterline(to, from).map(|end| (end, to)),
        (false, false) => None,
    }
}

// Where the level of the wet column meets the bed that rises to the dry one.
fn waterline(wet: ProfileColumn, dry: ProfileColumn) -> Option<ProfileColumn> {
    let (here, there) = (wet.bed?, dry.bed?);
    let rise = there - here;
    let fraction = if rise > 0.0 { ((wet.level - here) / rise).clamp(0.0, 1.0) } else { 0.0 };
    Some(ProfileColumn {
        x: wet.x + (dry.x - wet.x) * fraction,
        level: wet.level.max(here),
        bed: Some(here + rise * fraction),
    })
}

struct ProfileGeometry {
    floor: f32,
    corners: Vec<FillVertex>,
    lines: Vec<StrokeInstance>,
}

impl ProfileGeometry {
    fn ground(&mut self, from: ProfileColumn, to: ProfileColumn) {
        let (Some(here), Some(there)) = (from.bed, to.bed) else { return };
        let earth = opaque(EARTH);
        self.quad([from.x, to.x], [here, there], [self.floor; 2], [earth; 2]);
        self.line([from.x, here], [to.x, there], SHORE);
    }

    fn water(&mut self, from: ProfileColumn, to: ProfileColumn) {
        let beds = [from, to].map(|column| column.bed.unwrap_or(self.floor));
        self.quad([from.x, to.x], [from.level, to.level], beds, [opaque(WATER), opaque(DEEP)]);
        self.line([from.x, from.level], [to.x, to.level], SURFACE);
    }

    fn quad(
        &mut self,
        [west, east]: [f32; 2],
        upper: [f32; 2],
        lower: [f32; 2],
        [top, bottom]: [[f32; 4]; 2],
    ) {
        let corner = |x, z, colour| FillVertex { position: [x, z], colour };
        let [a, b] = [corner(west, upper[0], top), corner(east, upper[1], top)];
        let [c, d] = [corner(west, lower[0], bottom), corner(east, lower[1], bottom)];
        self.corners.extend([c, d, b, c, b, a]);
    }

    fn line(&mut self, from: [f32; 2], to: [f32; 2], hex: u32) {
        self.lines.push(StrokeInstance { from, to, halves: [0.9; 2], colour: opaque(hex) });
    }
}

fn opaque(hex: u32) -> [f32; 4] {
    let [red, green, blue] = from_hex(hex);
    [red, green, blue, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beach() -> HeightFieldData {
        HeightFieldData {
            size: [4, 1],
            spacing: [1.0, 1.0],
            level: vec![0.5, 0.5, 1.0, 2.0].into(),
            bed: vec![0.0, 0.0, 1.0, 2.0].into(),
            dry_depth: 1e-3,
            ..HeightFieldData::default()
        }
    }

    #[test]
    fn water_ends_where_its_level_meets_the_ground() {
        let (corners, _) = profile(&beach());
        let blue = |corner: &&FillVertex| corner.colour[2] > corner.colour[0];
        let east = corners.iter().filter(blue).map(|corner| corner.position[0]).fold(0.0, f32::max);
        assert_eq!(east, 1.5);
        assert_eq!(corners.len(), 3 * 6 + 2 * 6);
    }

    #[test]
    fn broken_fields_have_no_section() {
        assert_eq!(profile(&HeightFieldData { level: vec![0.0; 2].into(), ..beach() }).0.len(), 0);
        assert_eq!(profile(&HeightFieldData { level: vec![f32::NAN; 4].into(), ..beach() }).0.len(), 0);
        assert_eq!(profile(&HeightFieldData::default()).0.len(), 0);
    }
}
