//! A part of the box: a shape that may move, or everything below a level.

use undine_scene::{Key, Problem, Scene, SceneErrors, Section, Timed, Values};

use crate::solids::{Obstacle, Pose, belongs_to, read_placed};

/// The keys of a region of the kind `level`, which is no shape.
pub static LEVEL_KEYS: &[Key] = &[
    Key::text("kind").help("level"),
    Key::text("water").optional("every liquid").help("the name of the water that it belongs to"),
    Key::timed("level").unit("m").within(-1e6, 1e6).help("everything below this height belongs to it"),
];

/// A part of the box.
#[derive(Debug, Clone)]
pub struct Region<const D: usize> {
    extent: Extent<D>,
}

#[derive(Debug, Clone)]
enum Extent<const D: usize> {
    Shape { body: Box<Obstacle<D>>, reach: f64 },
    Below { level: Timed },
}

/// A region where it is at some time.
#[derive(Debug, Clone, Copy)]
pub struct Spot<'r, const D: usize> {
    region: &'r Region<D>,
    pose: Option<Pose<D>>,
    level: f64,
}

impl<const D: usize> Region<D> {
    /// Reads the region of a section with further keys; `None` when it belongs to another water.
    pub fn read(
        scene: &Scene,
        section: &Section<'_>,
        water: &Values,
        further: &[Key],
    ) -> Result<Option<(Region<D>, Values, Vec<Problem>)>, SceneErrors> {
        if section.text("kind") == Some("level") {
            if !belongs_to(scene, section, water)? {
                return Ok(None);
            }
            let values = section.read(&[LEVEL_KEYS, further])?;
            let extent = Extent::Below { level: values.timed("level").clone() };
            return Ok(Some((Region { extent }, values, Vec::new())));
        }
        let Some(placed) = read_placed(scene, section, water, further)? else { return Ok(None) };
        let reach = placed.obstacle.shape.reach();
        let extent = Extent::Shape { body: Box::new(placed.obstacle), reach };
        Ok(Some((Region { extent }, placed.values, placed.warnings)))
    }

    /// The region at a time.
    pub fn at(&self, time: f64) -> Spot<'_, D> {
        match &self.extent {
            Extent::Shape { body, .. } => {
                Spot { region: self, pose: Some(body.course.pose(time)), level: f64::NEG_INFINITY }
            }
            Extent::Below { level } => {
                let level = Some(level.at(time)).filter(|level| !level.is_nan());
                Spot { region: self, pose: None, level: level.unwrap_or(f64::NEG_INFINITY) }
            }
        }
    }

    /// The velocity at which a point of the region moves with it, from one time to another.
    pub fn velocity(&self, from: f64, to: f64, point: [f64; D]) -> [f64; D] {
        match &self.extent {
            Extent::Shape { body, .. } => {
                let motion = body.course.motion(from, to);
                std::array::from_fn(|axis| motion.component(axis, point))
            }
            Extent::Below { .. } => [0.0; D],
        }
    }
}

impl<const D: usize> Spot<'_, D> {
    /// Whether a point, in metres, lies in it.
    pub fn contains(&self, point: [f64; D]) -> bool {
        match (&self.region.extent, self.pose) {
            (Extent::Shape { body, .. }, Some(pose)) => body.shape.contains(pose.inwards(point)),
            _ => point[D - 1] < self.level,
        }
    }

    /// Lowest and highest corner of a box around it, in metres; of a level, without end.
    pub fn bounds(&self) -> [[f64; D]; 2] {
        match (&self.region.extent, self.pose) {
            (Extent::Shape { reach, .. }, Some(pose)) => {
                [-reach, *reach].map(|by| pose.position().map(|along| along + by))
            }
            _ => {
                let mut high = [f64::INFINITY; D];
                high[D - 1] = self.level;
                [[f64::NEG_INFINITY; D], high]
            }
        }
    }
}
