//! Viewpoint: placement of the camera by angles and automatic framing of the scene.

use glam::{Vec2, Vec3};

use super::pinhole_camera::PinholeCamera;

/// What a picture shows, which determines its framing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subject {
    /// A sheet of water between two corners, `None` for an empty scene.
    Sheet(Option<([f32; 3], [f32; 3])>),
    /// A piece of land between two corners.
    Land([Vec3; 2]),
    /// Something in a studio between two corners.
    Object([Vec3; 2]),
    /// A tank of liquid between two corners.
    Tank([Vec3; 2]),
    /// A vertical section through land and water, one cell thick.
    Ribbon([Vec3; 2]),
}

/// Preset view direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewSide {
    /// From the south, level.
    Front,
    /// From the north, level.
    Back,
    /// From the west, level.
    Left,
    /// From the east, level.
    Right,
    /// From straight above, north up.
    Top,
    /// From the south-east and above.
    Corner,
    /// From below the surface of open water or of a tank; for all else from a low elevation.
    Under,
}

impl ViewSide {
    /// The side of this name.
    pub fn named(name: &str) -> Option<ViewSide> {
        let sides = [
            ("front", ViewSide::Front),
            ("back", ViewSide::Back),
            ("left", ViewSide::Left),
            ("right", ViewSide::Right),
            ("top", ViewSide::Top),
            ("corner", ViewSide::Corner),
            ("under", ViewSide::Under),
        ];
        sides.into_iter().find(|(known, _)| *known == name).map(|(_, side)| side)
    }

    // Azimuth and elevation in degrees. Side views are slightly from above, so that the surface is visible.
    fn angles(self) -> (f32, f32) {
        match self {
            ViewSide::Front => (-90.0, 6.0),
            ViewSide::Back => (90.0, 6.0),
            ViewSide::Left => (180.0, 6.0),
            ViewSide::Right => (0.0, 6.0),
            ViewSide::Top => (-90.0, 90.0),
            ViewSide::Corner => (-45.0, 24.0),
            ViewSide::Under => (-90.0, 2.0),
        }
    }
}

/// Camera placement at one time. Parameters that are `None` are chosen so that the scene fills the picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Viewpoint {
    /// Position; `None` to compute it from the angles and the distance.
    pub eye: Option<Vec3>,
    /// Look-at point; `None` for the centre of the scene.
    pub target: Option<Vec3>,
    /// Preset direction where the angles are `None`; `None` for a default of the scene.
    pub side: Option<ViewSide>,
    /// Azimuth of the camera as seen from the target, in degrees from +x towards +y.
    pub azimuth: Option<f32>,
    /// Elevation of the camera as seen from the target, in degrees.
    pub elevation: Option<f32>,
    /// Distance from the target in metres; `None` to fit the scene.
    pub distance: Option<f32>,
    /// Vertical field of view in degrees; `None` for 42, or 28 for a tank.
    pub field: Option<f32>,
    /// Orbit angle around the target, in degrees; `None` for a camera that does not orbit.
    pub turned: Option<f32>,
    /// Depth of open water in metres, for a view from below the surface.
    pub depth: f32,
}

/// Fraction of the picture that a framed box fills.
const FILL_FRACTION: f32 = 0.90;

/// Vertical field of view under water, in degrees: wide enough for Snell's window.
const FIELD_UNDER: f32 = 75.0;

impl Viewpoint {
    /// The camera for a subject.
    pub fn eye(&self, subject: &Subject, width: usize, height: usize) -> PinholeCamera {
        let [low, high] = corners(subject);
        // A narrow field of view keeps the vertical edges of a tank nearly parallel
        let usual = if matches!(subject, Subject::Tank(_)) { 28.0 } else { 42.0 };
        let turned = Vec2::from_angle(self.turned.unwrap_or(0.0).to_radians());
        if let Some((position, target)) = self.under_water(subject) {
            let field = self.field.unwrap_or(FIELD_UNDER).to_radians();
            let [position, target] =
                [position, target].map(|at| rotate_about(at, 0.5 * (low + high), turned));
            return PinholeCamera::new(position, self.target.unwrap_or(target), field, width, height);
        }
        let field = self.field.unwrap_or(usual).to_radians();
        let (azimuth, elevation) = self.angles(subject);
        let away = |azimuth: f32| {
            Vec2::from_angle(azimuth).extend(0.0) * elevation.cos() + Vec3::Z * elevation.sin()
        };
        let middle = 0.5 * (low + high);
        let (fitted, distance) = match (subject, self.turned) {
            (Subject::Sheet(_), _) => (middle, sheet_distance(high - low, elevation, field, width, height)),
            (_, None) => frame_box([low, high], away(azimuth), field, width, height),
            (_, Some(_)) => frame_box_all_around([low, high], &away, field, width, height),
        };
        let target = self.target.unwrap_or(fitted);
        let standing = self.eye.unwrap_or_else(|| target + away(azimuth) * self.distance.unwrap_or(distance));
        PinholeCamera::new(rotate_about(standing, target, turned), target, field, width, height)
    }

    // Default azimuth and elevation per subject: sheets at a low elevation, land from above with the default sun to the
    // side, sections from their front.
    fn angles(&self, subject: &Subject) -> (f32, f32) {
        let (azimuth, elevation) = match (self.side, subject) {
            (Some(side), _) => side.angles(),
            (_, Subject::Sheet(_)) => (-110.0, 14.0),
            (_, Subject::Land(_)) => (-38.0, 30.0),
            (_, Subject::Object(_)) => (-60.0, 9.0),
            (_, Subject::Tank(_)) => (-64.0, 17.0),
            (_, Subject::Ribbon([low, high])) if high.y - low.y > high.x - low.x => (5.0, 5.0),
            (_, Subject::Ribbon(_)) => (-85.0, 5.0),
        };
        let (azimuth, elevation) = (self.azimuth.unwrap_or(azimuth), self.elevation.unwrap_or(elevation));
        (azimuth.to_radians(), elevation.to_radians())
    }

    // Position and target of a camera under water: at half depth, or near the wall of a tank, looking up.
    fn under_water(&self, subject: &Subject) -> Option<(Vec3, Vec3)> {
        if self.side != Some(ViewSide::Under) || self.eye.is_some() {
            return None;
        }
        let [low, high] = corners(subject);
        let (middle, size) = (0.5 * (low + high), high - low);
        let ahead = -Vec2::from_angle(self.angles(subject).0).extend(0.0);
        match subject {
            Subject::Sheet(_) => {
                let down = (0.5 * self.depth).clamp(1e-3, 0.1 * size.x.max(size.y).max(1e-2));
                let eye = middle.with_z(low.z - down);
                Some((eye, eye + 2.0 * down * (ahead + 0.9 * Vec3::Z)))
            }
            Subject::Tank(_) => {
                let eye = middle - 0.42 * size * ahead.abs() * ahead.signum();
                Some((eye.with_z(low.z + 0.08 * size.z), middle.with_z(low.z + 0.4 * size.z)))
            }
            _ => None,
        }
    }
}

// Rotates a point about the vertical axis through another.
fn rotate_about(point: Vec3, middle: Vec3, turned: Vec2) -> Vec3 {
    let offset = point - middle;
    middle + turned.rotate(offset.truncate()).extend(offset.z)
}

// Target and distance from which a box fits into the picture from all azimuths. The target is on the vertical axis of the
// box, so that it does not sway while the camera orbits.
fn frame_box_all_around(
    corners: [Vec3; 2],
    away: &dyn Fn(f32) -> Vec3,
    field: f32,
    width: usize,
    height: usize,
) -> (Vec3, f32) {
    const SIDES: usize = 48;
    let directions = (0..SIDES).map(|side| away(side as f32 * std::f32::consts::TAU / SIDES as f32));
    let frames: Vec<_> =
        directions.map(|away| (away, frame_box(corners, away, field, width, height))).collect();
    let height_of = frames.iter().map(|(_, (target, _))| target.z).sum::<f32>() / SIDES as f32;
    let target = (0.5 * (corners[0] + corners[1])).with_z(height_of);
    let needed = |away: Vec3| {
        let eye = PinholeCamera::new(Vec3::ZERO, -away, field, width, height);
        fitting_distance(&in_view_axes(corners, target, &eye), filled_half_extent(field, width, height))
    };
    (target, frames.iter().map(|(away, _)| needed(*away)).fold(1e-3, f32::max))
}

fn corners(subject: &Subject) -> [Vec3; 2] {
    let [low, high] = match subject {
        Subject::Sheet(bounds) => {
            bounds.map_or([Vec3::ZERO, Vec3::ONE], |(low, high)| [low.into(), high.into()])
        }
        Subject::Land(corners)
        | Subject::Object(corners)
        | Subject::Tank(corners)
        | Subject::Ribbon(corners) => *corners,
    };
    if low.is_finite() && high.is_finite() { [low, high] } else { [Vec3::ZERO, Vec3::ONE] }
}

// Distance for a sheet: at low elevation its width must fit, from above its diagonal.
fn sheet_distance(size: Vec3, elevation: f32, field: f32, width: usize, height: usize) -> f32 {
    let radius = (0.5 * size.length()).max(1e-3);
    let steepness = elevation.sin().abs();
    let tall = (0.5 * field).tan().max(0.01);
    let wide = tall * width.max(1) as f32 / height.max(1) as f32;
    let flat = 0.72 * radius / wide;
    let above = radius / tall.min(wide);
    flat.max(0.45 * radius) * (1.0 - steepness) + above * steepness
}

// Target and distance from which a box, seen from the direction `away`, just fills the picture; fixed-point iteration.
fn frame_box(corners: [Vec3; 2], away: Vec3, field: f32, width: usize, height: usize) -> (Vec3, f32) {
    let half = filled_half_extent(field, width, height);
    let eye = PinholeCamera::new(Vec3::ZERO, -away, field, width, height);
    let mut target = 0.5 * (corners[0] + corners[1]);
    let mut distance = 1e-3_f32;
    for _ in 0..4 {
        let seen = in_view_axes(corners, target, &eye);
        distance = fitting_distance(&seen, half);
        // Perspective enlarges the near half: move the target to the centre of the projection
        let on_screen = |at: Vec3| Vec2::new(at.x, at.y) / (distance + at.z).max(1e-3);
        let ends = seen
            .iter()
            .map(|&at| on_screen(at))
            .fold([Vec2::MAX, Vec2::MIN], |[least, most], at| [least.min(at), most.max(at)]);
        let middle = 0.5 * (ends[0] + ends[1]) * distance;
        target += eye.right * middle.x + eye.up * middle.y;
    }
    (target, distance)
}

// Half width and height, at distance one, of the part of the picture to fill.
fn filled_half_extent(field: f32, width: usize, height: usize) -> Vec2 {
    let tall = (0.5 * field).tan().max(0.01) * FILL_FRACTION;
    Vec2::new(tall * width.max(1) as f32 / height.max(1) as f32, tall)
}

// The corners of a box relative to a target, in camera axes (right, up, forward).
fn in_view_axes([low, high]: [Vec3; 2], target: Vec3, eye: &PinholeCamera) -> [Vec3; 8] {
    std::array::from_fn(|index| {
        let corner =
            Vec3::from([0, 1, 2].map(|axis| if index >> axis & 1 == 1 { high[axis] } else { low[axis] }));
        let offset = corner - target;
        Vec3::new(offset.dot(eye.right), offset.dot(eye.up), offset.dot(eye.forward))
    })
}

// Distance at which all corners fit into the half extent `half`.
fn fitting_distance(seen: &[Vec3; 8], half: Vec2) -> f32 {
    let needs = |at: &Vec3| (at.x.abs() / half.x).max(at.y.abs() / half.y) - at.z;
    seen.iter().map(needs).fold(1e-3, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_looks_at_the_middle_from_above() {
        let sheet = Subject::Sheet(Some(([0.0, 0.0, -0.5], [60.0, 40.0, 0.5])));
        let eye = Viewpoint::default().eye(&sheet, 1280, 720);
        let middle = eye.project(eye.to_view_space(Vec3::new(30.0, 20.0, 0.0)));
        assert!((middle - Vec2::new(640.0, 360.0)).length() < 1.0);
        assert!(eye.position.z > 1.0);
    }

    #[test]
    fn from_above_everything_is_in_the_picture() {
        let sheet = Subject::Sheet(Some(([0.0, 0.0, 0.0], [10.0, 30.0, 0.0])));
        let eye = Viewpoint { elevation: Some(90.0), ..Viewpoint::default() }.eye(&sheet, 300, 200);
        for corner in [[0.0, 0.0], [10.0, 0.0], [0.0, 30.0], [10.0, 30.0]] {
            let at = eye.project(eye.to_view_space(Vec3::new(corner[0], corner[1], 0.0)));
            assert!(at.x > 0.0 && at.x < 300.0 && at.y > 0.0 && at.y < 200.0, "{at}");
        }
    }

    #[test]
    fn land_fills_the_picture_and_stays_in_it() {
        let boxes = [
            [Vec3::ZERO, Vec3::new(20e3, 15e3, 900.0)],
            [Vec3::new(-5.0, 0.0, -1.0), Vec3::new(5.0, 0.05, 1.0)],
            [Vec3::ZERO, Vec3::ONE],
        ];
        for corners in boxes {
            let subjects = [Subject::Land, Subject::Object, Subject::Tank, Subject::Ribbon];
            for subject in subjects.map(|kind| kind(corners)) {
                let eye = Viewpoint::default().eye(&subject, 1280, 720);
                let projected = (0..8).map(|index| {
                    let corner = [0, 1, 2].map(|axis| corners[index >> axis & 1][axis]);
                    eye.project(eye.to_view_space(corner.into()))
                });
                let (low, high) =
                    projected.fold((Vec2::MAX, Vec2::MIN), |(low, high), at| (low.min(at), high.max(at)));
                assert!(low.min_element() > 0.0 && high.x < 1280.0 && high.y < 720.0, "{low} {high}");
                let filled = (high - low) / Vec2::new(1280.0, 720.0);
                assert!(filled.max_element() > 0.8, "{filled}");
            }
        }
    }

    #[test]
    fn a_turntable_keeps_its_distance_and_everything_in_the_picture() {
        let corners = [Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0)];
        let eyes: Vec<PinholeCamera> = (0..16)
            .map(|step| Viewpoint { turned: Some(22.5 * step as f32), ..Viewpoint::default() })
            .map(|view| view.eye(&Subject::Tank(corners), 640, 360))
            .collect();
        for eye in &eyes {
            assert!(
                (eye.target_distance - eyes[0].target_distance).abs() < 1e-4
                    && eye.position.z == eyes[0].position.z
            );
            for index in 0..8 {
                let corner = [0, 1, 2].map(|axis| corners[index >> axis & 1][axis]);
                let at = eye.project(eye.to_view_space(corner.into()));
                assert!(at.min_element() > 0.0 && at.x < 640.0 && at.y < 360.0, "{at}");
            }
        }
        let offset = |eye: &PinholeCamera| eye.position.truncate() - Vec2::new(1.0, 0.5);
        assert!((offset(&eyes[0]).perp() - offset(&eyes[4])).length() < 1e-3, "a quarter turn");
        assert!((offset(&eyes[0]) + offset(&eyes[8])).length() < 1e-3, "half a turn");
    }

    #[test]
    fn an_eye_of_its_own_is_turned_around_its_target() {
        let view = Viewpoint {
            eye: Some(Vec3::new(3.0, 0.0, 1.0)),
            target: Some(Vec3::ZERO),
            turned: Some(90.0),
            ..Viewpoint::default()
        };
        let eye = view.eye(&Subject::Sheet(None), 64, 36);
        assert!((eye.position - Vec3::new(0.0, 3.0, 1.0)).length() < 1e-5);
    }

    #[test]
    fn sides_are_where_their_names_say() {
        let corners = [Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0)];
        let from = |side| {
            let view = Viewpoint { side: Some(side), ..Viewpoint::default() };
            let eye = view.eye(&Subject::Tank(corners), 640, 360);
            eye.position - Vec3::new(1.0, 0.5, 0.5)
        };
        assert!(from(ViewSide::Front).y < -1.0 && from(ViewSide::Back).y > 1.0);
        assert!(from(ViewSide::Left).x < -1.0 && from(ViewSide::Right).x > 1.0);
        assert!(from(ViewSide::Top).z > 1.0 && from(ViewSide::Top).truncate().length() < 0.1);
        assert!(from(ViewSide::Corner).x > 0.5 && from(ViewSide::Corner).y < -0.5);
    }

    #[test]
    fn under_water_the_eye_is_below_the_surface_and_looks_up() {
        let under = Viewpoint { side: Some(ViewSide::Under), depth: 4.0, ..Viewpoint::default() };
        let sea = Subject::Sheet(Some(([-50.0, -50.0, -0.5], [50.0, 50.0, 0.5])));
        let eye = under.eye(&sea, 640, 360);
        assert!(eye.position.z < -0.5 && eye.position.z > -4.5 && eye.forward.z > 0.3, "{eye:?}");
        let corners = [Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0)];
        let eye = under.eye(&Subject::Tank(corners), 640, 360);
        let is_inside = eye.position.cmpgt(corners[0]).all() && eye.position.cmplt(corners[1]).all();
        assert!(is_inside && eye.position.z < 0.2 && eye.forward.z > 0.0, "{eye:?}");
    }

    #[test]
    fn an_empty_scene_has_an_eye() {
        assert!(Viewpoint::default().eye(&Subject::Sheet(None), 16, 16).position.is_finite());
    }
}
