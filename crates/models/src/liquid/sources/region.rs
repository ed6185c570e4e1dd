//! A region of the box: a shape that may move, or everything below a level.

use undine_scene::{
    Key, KindEntry, Placing, Problem, Scene, SceneErrors, Section, SectionEntry, Timed, Values,
};

use crate::solids::{Obstacle, Pose, read_kind, read_obstacle};

/// The keys of a region of the kind `level`, which has no shape and no trajectory.
pub(super) const LEVEL_KEYS: &[Key] =
    &[Key::timed("level").unit("m").within(-1e6, 1e6).help("everything below this height belongs to it")];

/// The water that a region belongs to.
pub(super) const WATER_OF_REGION: Key =
    Key::text("water").optional("every liquid").help("the name of the water that it belongs to");

pub(super) const LEVEL: KindEntry =
    KindEntry::new("level", "everything below a height, at rest where it is", &[]);

/// The kind of a region with this shape.
pub(super) const fn region(shape: KindEntry, keys: &'static [&'static [Key]]) -> KindEntry {
    shape.with_keys(keys).placed(Placing::Region)
}

/// Every kind of region, each with one group of keys for the plane or for space beside those of its shape; a disc and a
/// sphere come with tools.
macro_rules! region_kinds {
    ($plane:expr, $space:expr, $tools:expr) => {{
        use super::region::{LEVEL, LEVEL_KEYS, region};
        use crate::solids::*;
        &[
            region(POLYGON, &[$plane, TRAJECTORY_KEYS, POLYGON_KEYS]),
            region(CIRCLE, &[$plane, TRAJECTORY_KEYS, CIRCLE_KEYS]).with_tools($tools),
            region(RECTANGLE, &[$plane, TRAJECTORY_KEYS, RECTANGLE_KEYS]),
            region(SPHERE, &[$space, TRAJECTORY_KEYS, SPHERE_KEYS]).with_tools($tools),
            region(BOX, &[$space, TRAJECTORY_KEYS, BOX_KEYS]),
            region(CYLINDER, &[$space, TRAJECTORY_KEYS, CYLINDER_KEYS]),
            region(MESH, &[$space, TRAJECTORY_KEYS, MESH_KEYS]),
            LEVEL.with_keys(&[$plane, LEVEL_KEYS]).only_in(&[2]),
            LEVEL.with_keys(&[$space, LEVEL_KEYS]).only_in(&[3]),
        ]
    }};
}
pub(super) use region_kinds;

/// A region of the box.
#[derive(Debug, Clone)]
pub struct SourceRegion<const D: usize> {
    extent: RegionExtent<D>,
}

#[derive(Debug, Clone)]
enum RegionExtent<const D: usize> {
    Shape {
        body: Box<Obstacle<D>>,
        reach: f64,
    },
    /// A level, and its height at the start.
    Below {
        level: Timed,
        start: f64,
    },
}

/// A region at a time.
#[derive(Debug, Clone, Copy)]
pub struct PlacedRegion<'r, const D: usize> {
    region: &'r SourceRegion<D>,
    pose: Option<Pose<D>>,
    level: f64,
}

impl<const D: usize> SourceRegion<D> {
    /// Reads the region of a section; `None` when it belongs to another water.
    pub fn read(
        scene: &Scene,
        section: &Section<'_>,
        water: &Values,
        entry: &SectionEntry,
    ) -> Result<Option<(SourceRegion<D>, Values, Vec<Problem>)>, SceneErrors> {
        let Some((kind, values)) = read_kind(scene, section, water, entry, D)? else { return Ok(None) };
        if kind.name == "level" {
            let level = values.timed("level").clone();
            let extent = RegionExtent::Below { start: level.at(0.0)?, level };
            return Ok(Some((SourceRegion { extent }, values, Vec::new())));
        }
        let (obstacle, warnings) = read_obstacle(kind, &values)?;
        let reach = obstacle.shape.reach();
        let extent = RegionExtent::Shape { body: Box::new(obstacle), reach };
        Ok(Some((SourceRegion { extent }, values, warnings)))
    }

    /// The region at the start.
    pub fn at_start(&self) -> PlacedRegion<'_, D> {
        match &self.extent {
            RegionExtent::Shape { body, .. } => self.placed(Some(body.trajectory.start()), f64::NEG_INFINITY),
            RegionExtent::Below { start, .. } => self.placed(None, *start),
        }
    }

    /// The region at a time.
    pub fn at(&self, time: f64) -> Result<PlacedRegion<'_, D>, Problem> {
        Ok(match &self.extent {
            RegionExtent::Shape { body, .. } => {
                self.placed(Some(body.trajectory.pose(time)?), f64::NEG_INFINITY)
            }
            RegionExtent::Below { level, .. } => self.placed(None, level.at(time)?),
        })
    }

    fn placed(&self, pose: Option<Pose<D>>, level: f64) -> PlacedRegion<'_, D> {
        PlacedRegion { region: self, pose, level }
    }

    /// The mean velocity of a point that moves with the region from one time to another. That of a level is vertical.
    pub fn motion(&self, from: f64, to: f64) -> Result<impl Fn([f64; D]) -> [f64; D] + use<'_, D>, Problem> {
        let (rigid, rise) = match &self.extent {
            RegionExtent::Shape { body, .. } => (Some(body.trajectory.rigid_velocity(from, to)?), 0.0),
            RegionExtent::Below { level, .. } => {
                let rise = (level.at(to)? - level.at(from)?) / (to - from).max(f64::MIN_POSITIVE);
                (None, if rise.is_finite() { rise } else { 0.0 })
            }
        };
        Ok(move |point| match &rigid {
            Some(motion) => std::array::from_fn(|axis| motion.component(axis, point)),
            None => std::array::from_fn(|axis| if axis == D - 1 { rise } else { 0.0 }),
        })
    }
}

impl<const D: usize> PlacedRegion<'_, D> {
    /// Whether a point, in metres, lies in it.
    pub fn contains(&self, point: [f64; D]) -> bool {
        match (&self.region.extent, self.pose) {
            (RegionExtent::Shape { body, .. }, Some(pose)) => body.shape.contains(pose.to_local(point)),
            _ => point[D - 1] < self.level,
        }
    }

    /// Lowest and highest corner of its bounding box, in metres; infinite for a level.
    pub fn bounds(&self) -> [[f64; D]; 2] {
        match (&self.region.extent, self.pose) {
            (RegionExtent::Shape { reach, .. }, Some(pose)) => {
                [-reach, *reach].map(|by| pose.position().map(|x| x + by))
            }
            _ => {
                let mut high = [f64::INFINITY; D];
                high[D - 1] = self.level;
                [[f64::NEG_INFINITY; D], high]
            }
        }
    }
}
