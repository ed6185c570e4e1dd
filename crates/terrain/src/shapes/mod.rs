//! The shapes of ground, one file each; `kinds.rs` lists them.

pub(crate) mod beach;
pub(crate) mod bowl;
pub(crate) mod channel;
pub(crate) mod file;
mod file_keys;
pub(crate) mod fractal;
pub(crate) mod hills;
pub(crate) mod plane;
pub(crate) mod ridge;
pub(crate) mod rim;
mod river_path;
pub(crate) mod steps;
pub(crate) mod walls;

use std::fmt::Debug;

use glam::DVec2;
use undine_grid::Grid;
use undine_scene::{Problem, Values};

use crate::resample::Taps;

/// Ground of some shape.
pub(crate) trait LandShape: Debug + Send + Sync {
    /// The height at a point, in metres; finite for finite points.
    fn height(&self, at: DVec2) -> f64;

    /// The heights of the cells of a grid as averages, for a shape that is made of samples itself.
    fn averages(&self, _: &Grid<2>) -> Option<Averages<'_>> {
        None
    }

    /// The rectangle that the shape comes from, if there is one: low and high corner.
    fn extent(&self) -> Option<[[f64; 2]; 2]> {
        None
    }
}

/// The averages of a height map over the cells of a grid.
pub(crate) struct Averages<'s> {
    pub across: Taps,
    pub up: Taps,
    pub samples: &'s [f64],
    pub pitch: usize,
}

impl Averages<'_> {
    /// The average over one cell.
    pub fn at(&self, column: usize, row: usize) -> f64 {
        self.up.average(row, &self.across, column, self.samples, self.pitch)
    }
}

/// The form of a bump, as a share of its height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Gaussian,
    Parabolic,
    Cosine,
    Cone,
}

/// The words for a [`Profile`] in a scene.
pub(crate) const PROFILES: &[(&str, &str)] = &[
    ("gaussian", "a bell, fallen to 1/e at its radius"),
    ("parabolic", "a paraboloid that ends at its radius"),
    ("cosine", "smooth at its top and where it ends, at its radius"),
    ("cone", "even sides that end at its radius"),
];

impl Profile {
    pub fn read(values: &Values) -> Profile {
        match values.word("shape") {
            "parabolic" => Profile::Parabolic,
            "cosine" => Profile::Cosine,
            "cone" => Profile::Cone,
            _ => Profile::Gaussian,
        }
    }

    /// The share of the height at a distance in radii.
    pub fn at(self, distance: f64) -> f64 {
        match self {
            Profile::Gaussian => (-distance * distance).exp(),
            Profile::Parabolic => (1.0 - distance * distance).max(0.0),
            Profile::Cosine => 0.5 + 0.5 * (std::f64::consts::PI * distance.min(1.0)).cos(),
            Profile::Cone => (1.0 - distance).max(0.0),
        }
    }
}

/// The direction under a key, with length one.
pub(crate) fn direction(values: &Values) -> Result<DVec2, Problem> {
    let given = DVec2::from(values.vector::<2>("direction"));
    given.try_normalize().ok_or_else(|| {
        values.problem("direction", "the direction has no length", "give a vector such as [1, 0]")
    })
}
