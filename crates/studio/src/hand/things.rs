//! Things that stand in a scene and can be taken hold of: obstacles, springs, drains, emitters.

use glam::DVec2;
use undine::models::section_readers;
use undine::scene::{Placing, Scene, Section};
use undine::sim::{SectionReader, find_reader};

/// Something that stands somewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Thing {
    /// The section of the scene that it is in.
    pub section: &'static str,
    /// Which of several.
    pub index: usize,
    /// What kind it is, as the scene says.
    pub kind: &'static str,
    /// Whether it is a region or a body.
    pub placing: Placing,
    /// Where its own origin is, in metres.
    pub at: DVec2,
    /// How it is turned, in radians.
    pub turn: f64,
    /// Its corners from its origin, or a circle of this radius.
    pub outline: Outline,
}

/// The outline of a thing about its origin.
#[derive(Debug, Clone, PartialEq)]
pub enum Outline {
    /// A circle.
    Circle(f64),
    /// A polygon.
    Polygon(Vec<DVec2>),
}

impl Thing {
    /// Its path in the scene.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.index)
    }

    /// Whether a point is in it, or nearer to it than `slack`.
    pub fn holds(&self, point: DVec2, slack: f64) -> bool {
        let offset = DVec2::from_angle(-self.turn).rotate(point - self.at);
        match &self.outline {
            Outline::Circle(radius) => offset.length() <= radius.max(slack),
            Outline::Polygon(corners) => is_inside(corners, offset) || offset.length() <= slack,
        }
    }

    /// Its corners where they are now; a circle has as many as make it look round.
    pub fn corners(&self) -> Vec<DVec2> {
        let placed = |corner: DVec2| self.at + DVec2::from_angle(self.turn).rotate(corner);
        match &self.outline {
            Outline::Polygon(corners) => corners.iter().copied().map(placed).collect(),
            Outline::Circle(radius) => {
                let angle = |index: u32| f64::from(index) * std::f64::consts::TAU / 32.0;
                (0..32).map(|index| placed(*radius * DVec2::from_angle(angle(index)))).collect()
            }
        }
    }
}

/// Everything in a scene that stands somewhere in the plane and may be changed while the waters run, bodies first.
pub fn things(scene: &Scene, readers: &[SectionReader]) -> Vec<Thing> {
    let readers: Vec<SectionReader> = readers.iter().filter(|reader| reader.live).cloned().collect();
    let mut names: Vec<&'static str> = Vec::new();
    for reader in &readers {
        if !names.contains(&reader.section.name) {
            names.push(reader.section.name);
        }
    }
    let in_section = |name: &'static str| {
        let sections = scene.sections(name);
        let things =
            sections.iter().enumerate().filter_map(|(index, section)| thing(&readers, name, index, section));
        things.collect::<Vec<_>>()
    };
    let mut things: Vec<Thing> = names.into_iter().flat_map(in_section).collect();
    // What marks a place lies above what fills it
    things.sort_by_key(|thing| thing.placing != Placing::Body);
    things
}

/// The topmost thing at a point.
pub fn thing_at(scene: &Scene, point: DVec2, slack: f64) -> Option<Thing> {
    things(scene, &section_readers(scene)).into_iter().rev().find(|thing| thing.holds(point, slack))
}

fn thing(
    readers: &[SectionReader],
    name: &'static str,
    index: usize,
    section: &Section<'_>,
) -> Option<Thing> {
    let reader = find_reader(readers, section)?;
    let word = section.text("kind")?;
    let kind = reader.section.kinds_in(reader.dimension).find(|kind| kind.name == word)?;
    // What has no place of its own, such as rain, cannot be taken hold of
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
        _ if !corners.is_empty() => Outline::Polygon(corners),
        Some(size) => {
            let half = 0.5 * size;
            Outline::Polygon(vec![-half, DVec2::new(half.x, -half.y), half, DVec2::new(-half.x, half.y)])
        }
        None => Outline::Circle(number("radius").unwrap_or(0.0)),
    };
    let turn = number("turn").unwrap_or(0.0);
    Some(Thing { section: name, index, kind: kind.name, placing: kind.placing, at, turn, outline })
}

/// The numbers in a list as it is typed.
fn numbers(typed: &str) -> Vec<f64> {
    typed.trim_matches(['[', ']']).split(',').filter_map(|number| number.trim().parse().ok()).collect()
}

/// Whether a point is inside a polygon, by counting the sides to its right.
fn is_inside(corners: &[DVec2], point: DVec2) -> bool {
    let sides = corners.iter().zip(corners.iter().cycle().skip(1));
    let crossed = sides.filter(|(a, b)| {
        let spans = (a.y > point.y) != (b.y > point.y);
        spans && point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)
    });
    crossed.count() % 2 == 1
}

/// Fewer corners for a line that was drawn by hand, none farther off than `tolerance` [douglas1973].
pub fn simplified(line: &[DVec2], tolerance: f64) -> Vec<DVec2> {
    let (Some(&first), Some(&last)) = (line.first(), line.last()) else { return Vec::new() };
    if line.len() < 3 {
        return line.to_vec();
    }
    let along = (last - first).normalize_or_zero();
    let aside = |point: DVec2| match along == DVec2::ZERO {
        true => point.distance(first),
        false => along.perp_dot(point - first).abs(),
    };
    let inner = 1..line.len() - 1;
    let farthest = inner.max_by(|a, b| aside(line[*a]).total_cmp(&aside(line[*b]))).unwrap_or(1);
    if aside(line[farthest]) <= tolerance {
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
    fn things_are_found_where_they_stand() {
        let scene = Scene::parse("s", SCENE, &LoadOptions::default()).unwrap();
        let path = |x, y| thing_at(&scene, DVec2::new(x, y), 0.1).map(|thing| thing.path());
        assert_eq!(path(1.3, 2.2).as_deref(), Some("obstacle.0"));
        assert_eq!(path(3.9, 0.5).as_deref(), Some("obstacle.1"));
        assert_eq!(path(7.05, 7.0).as_deref(), Some("source.1"));
        assert_eq!(path(5.0, 5.0), None);
    }

    #[test]
    fn a_drawn_line_keeps_its_corners_only() {
        let square: Vec<DVec2> = (0..=40)
            .map(|step| {
                let (side, along) = (step / 10 % 4, f64::from(step % 10) / 10.0);
                [
                    DVec2::new(along, 0.0),
                    DVec2::new(1.0, along),
                    DVec2::new(1.0 - along, 1.0),
                    DVec2::new(0.0, 1.0 - along),
                ][side as usize]
            })
            .collect();
        let corners = simplified(&square, 0.02);
        assert_eq!(corners.len(), 5, "{corners:?}");
    }
}
