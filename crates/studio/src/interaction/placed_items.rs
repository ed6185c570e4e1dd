//! Sections of a scene that have a position and can be picked: obstacles, springs, drains, emitters.

use glam::DVec2;
use undine::models::section_readers;
use undine::scene::{Placing, Scene, Section};
use undine::sim::{SectionReader, find_reader};

/// A section that has a position.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedItem {
    /// Name of the section.
    pub section: &'static str,
    /// Index among the sections of this name.
    pub index: usize,
    /// Its `kind`.
    pub kind: &'static str,
    /// Whether it is a region or a body.
    pub placing: Placing,
    /// Its origin in metres.
    pub at: DVec2,
    /// Its rotation in radians.
    pub turn: f64,
    /// Its outline in local coordinates.
    pub outline: ItemOutline,
}

/// The outline of an item relative to its origin.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemOutline {
    /// A circle of this radius.
    Circle(f64),
    /// A polygon with these corners.
    Polygon(Vec<DVec2>),
}

impl PlacedItem {
    /// Its path in the scene.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.index)
    }

    /// Hit test: whether a point is inside, or within `pick_radius` of the origin.
    pub fn contains(&self, point: DVec2, pick_radius: f64) -> bool {
        let offset = DVec2::from_angle(-self.turn).rotate(point - self.at);
        match &self.outline {
            ItemOutline::Circle(radius) => offset.length() <= radius.max(pick_radius),
            ItemOutline::Polygon(corners) => is_inside(corners, offset) || offset.length() <= pick_radius,
        }
    }

    /// Its corners in the plane of the scene; a circle is approximated by 32.
    pub fn corners(&self) -> Vec<DVec2> {
        let placed = |corner: DVec2| self.at + DVec2::from_angle(self.turn).rotate(corner);
        match &self.outline {
            ItemOutline::Polygon(corners) => corners.iter().copied().map(placed).collect(),
            ItemOutline::Circle(radius) => {
                let angle = |index: u32| f64::from(index) * std::f64::consts::TAU / 32.0;
                (0..32).map(|index| placed(*radius * DVec2::from_angle(angle(index)))).collect()
            }
        }
    }
}

/// All sections of a scene that have a position and may change while the waters run, bodies first.
pub fn placed_items(scene: &Scene, readers: &[SectionReader]) -> Vec<PlacedItem> {
    let readers: Vec<SectionReader> = readers.iter().filter(|reader| reader.live).cloned().collect();
    let mut names: Vec<&'static str> = Vec::new();
    for reader in &readers {
        if !names.contains(&reader.section.name) {
            names.push(reader.section.name);
        }
    }
    let in_section = |name: &'static str| {
        let sections = scene.sections(name);
        let items = sections
            .iter()
            .enumerate()
            .filter_map(|(index, section)| read_item(&readers, name, index, section));
        items.collect::<Vec<_>>()
    };
    let mut items: Vec<PlacedItem> = names.into_iter().flat_map(in_section).collect();
    // Drawing order: regions lie above bodies
    items.sort_by_key(|item| item.placing != Placing::Body);
    items
}

/// The topmost item at a point.
pub fn item_at(scene: &Scene, point: DVec2, pick_radius: f64) -> Option<PlacedItem> {
    placed_items(scene, &section_readers(scene))
        .into_iter()
        .rev()
        .find(|item| item.contains(point, pick_radius))
}

fn read_item(
    readers: &[SectionReader],
    name: &'static str,
    index: usize,
    section: &Section<'_>,
) -> Option<PlacedItem> {
    let reader = find_reader(readers, section)?;
    let word = section.text("kind")?;
    let kind = reader.section.kinds_in(reader.dimension).find(|kind| kind.name == word)?;
    // A kind without a position, such as rain, cannot be picked
    if kind.placing == Placing::Nowhere {
        return None;
    }
    let pair = |key: &str| {
        let numbers = numbers(&section.written(key)?);
        Some(DVec2::new(*numbers.first()?, *numbers.get(1)?))
    };
    let number = |key: &str| section.written(key).and_then(|text| text.parse::<f64>().ok());
    let corners: Vec<DVec2> =
        (0..section.count("corner")).filter_map(|corner| pair(&format!("corner.{corner}.at"))).collect();
    let at = pair("at").or_else(|| (!corners.is_empty()).then_some(DVec2::ZERO))?;
    let outline = match pair("size") {
        _ if !corners.is_empty() => ItemOutline::Polygon(corners),
        Some(size) => {
            let half = 0.5 * size;
            ItemOutline::Polygon(vec![-half, DVec2::new(half.x, -half.y), half, DVec2::new(-half.x, half.y)])
        }
        None => ItemOutline::Circle(number("radius").unwrap_or(0.0)),
    };
    let turn = number("turn").unwrap_or(0.0);
    Some(PlacedItem { section: name, index, kind: kind.name, placing: kind.placing, at, turn, outline })
}

/// The numbers of a TOML list.
fn numbers(typed: &str) -> Vec<f64> {
    typed.trim_matches(['[', ']']).split(',').filter_map(|number| number.trim().parse().ok()).collect()
}

/// Point in polygon by the even-odd rule: counts the sides that a ray towards +x crosses.
fn is_inside(corners: &[DVec2], point: DVec2) -> bool {
    let sides = corners.iter().zip(corners.iter().cycle().skip(1));
    let crossed = sides.filter(|(a, b)| {
        let spans = (a.y > point.y) != (b.y > point.y);
        spans && point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)
    });
    crossed.count() % 2 == 1
}

/// Polyline simplification: no dropped point is farther than `tolerance` from the result [douglas1973].
pub fn simplified(line: &[DVec2], tolerance: f64) -> Vec<DVec2> {
    let (Some(&first), Some(&last)) = (line.first(), line.last()) else { return Vec::new() };
    if line.len() < 3 {
        return line.to_vec();
    }
    let direction = (last - first).normalize_or_zero();
    let distance = |point: DVec2| match direction == DVec2::ZERO {
        true => point.distance(first),
        false => direction.perp_dot(point - first).abs(),
    };
    let inner = 1..line.len() - 1;
    let farthest = inner.max_by(|a, b| distance(line[*a]).total_cmp(&distance(line[*b]))).unwrap_or(1);
    if distance(line[farthest]) <= tolerance {
        return vec![first, last];
    }
    let mut corners = simplified(&line[..=farthest], tolerance);
    corners.pop();
    corners.extend(simplified(&line[farthest..], tolerance));
    corners
}

#[cfg(test)]
mod tests {
    use undine::scene::LoadOptions;

    use super::*;

    const SCENE: &str = "[scene]\nduration = 1\n[[water]]\nkind = 'stable-fluids'\n[[water]]\nkind = 'kass-miller'\n\
        [[obstacle]]\nkind = 'circle'\nat = [1, 2]\nradius = 0.5\n\
        [[obstacle]]\nkind = 'polygon'\ncorner = [{ at = [3, 0] }, { at = [4, 0] }, { at = [4, 1] }]\n\
        [[source]]\nkind = 'rain'\nrate = 4\n[[source]]\nkind = 'spring'\nat = [7, 7]\nrate = 1\n";

    #[test]
    fn items_are_picked_at_their_positions() {
        let scene = Scene::parse("s", SCENE, &LoadOptions::default()).unwrap();
        let path = |x, y| item_at(&scene, DVec2::new(x, y), 0.1).map(|item| item.path());
        assert_eq!(path(1.3, 2.2).as_deref(), Some("obstacle.0"));
        assert_eq!(path(3.9, 0.5).as_deref(), Some("obstacle.1"));
        assert_eq!(path(7.05, 7.0).as_deref(), Some("source.1"));
        assert_eq!(path(5.0, 5.0), None);
    }

    #[test]
    fn a_drawn_line_keeps_its_corners_only() {
        let square: Vec<DVec2> = (0..=40)
            .map(|step| {
                let (side, x) = (step / 10 % 4, f64::from(step % 10) / 10.0);
                [DVec2::new(x, 0.0), DVec2::new(1.0, x), DVec2::new(1.0 - x, 1.0), DVec2::new(0.0, 1.0 - x)]
                    [side as usize]
            })
            .collect();
        let corners = simplified(&square, 0.02);
        assert_eq!(corners.len(), 5, "{corners:?}");
    }
}
