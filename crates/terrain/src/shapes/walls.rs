//! Boxes with steep sides: dams, houses, the walls of basins. Beside them the ground is at the level 0.

use glam::DVec2;
use undine_scene::{Key, Scene, SceneErrors, Values};

use super::LandShape;
use crate::smooth;

static WALL_KEYS: &[Key] = &[
    Key::vector("from", 2).unit("m").within(-1e9, 1e9).help("one corner"),
    Key::vector("to", 2).unit("m").within(-1e9, 1e9).help("the opposite corner"),
    Key::number("height").unit("m").within(-1e6, 1e6).help("height of its top; a pit has a negative one"),
    Key::number("turn")
        .unit("deg")
        .or(0.0)
        .within(-360.0, 360.0)
        .help("turned by this about its middle, anticlockwise"),
    Key::number("bank").unit("m").or(0.0).within(0.0, 1e6).help("width of a slope around it"),
];

pub(crate) const KEYS: &[Key] =
    &[Key::tables("wall", WALL_KEYS).help("the boxes; where they overlap, the one that stands out furthest")];

#[derive(Debug)]
struct WallBoxes(Vec<Wall>);

#[derive(Debug)]
struct Wall {
    center: DVec2,
    half: DVec2,
    /// Where its first side goes.
    axis: DVec2,
    height: f64,
    bank: f64,
}

impl LandShape for WallBoxes {
    fn height(&self, at: DVec2) -> f64 {
        let heights = self.0.iter().map(|wall| wall.height_at(at));
        heights
            .fold(0.0, |furthest: f64, height| if height.abs() > furthest.abs() { height } else { furthest })
    }
}

impl Wall {
    fn read(values: &Values) -> Wall {
        let (from, to) = (DVec2::from(values.vector::<2>("from")), DVec2::from(values.vector::<2>("to")));
        Wall {
            center: 0.5 * (from + to),
            half: 0.5 * (to - from).abs(),
            axis: DVec2::from_angle(values.number("turn").to_radians()),
            height: values.number("height"),
            bank: values.number("bank"),
        }
    }

    fn height_at(&self, at: DVec2) -> f64 {
        let away = at - self.center;
        let along = DVec2::new(away.dot(self.axis), away.dot(self.axis.perp())).abs();
        let outside = (along - self.half).max(DVec2::ZERO).length();
        match outside > 0.0 {
            true if self.bank > 0.0 => self.height * (1.0 - smooth::step(outside / self.bank)),
            true => 0.0,
            false => self.height,
        }
    }
}

pub(crate) fn read(_: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let walls: Vec<Wall> = values.tables("wall").iter().map(Wall::read).collect();
    if walls.is_empty() {
        let remedy = "add [[terrain.wall]] with from, to and height";
        return Err(values.problem("wall", "there is no wall", remedy).into());
    }
    Ok(Box::new(WallBoxes(walls)))
}
