//! Where a picture is taken from, in the words of a scene file.

use glam::{Vec2, Vec3};

use super::camera::Eye;

/// What a picture shows, which decides how it is framed.
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
    /// A section through land and water, one cell thick.
    Ribbon([Vec3; 2]),
}

/// A point of view at one moment. What is left open is chosen so that the scene fills the picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Viewpoint {
    /// Where the eye is; `None` to place it by the angles and distance below.
    pub eye: Option<Vec3>,
    /// What it looks at; `None` for the middle of the scene.
    pub target: Option<Vec3>,
    /// Where the eye stands as seen from the target, in degrees from +x towards +y.
    pub azimuth: Option<f32>,
    /// How high it stands as seen from the target, in degrees above the level.
    pub elevation: Option<f32>,
    /// Distance from the target in metres; `None` to fit the scene.
    pub distance: Option<f32>,
    /// Vertical angle of view in degrees; `None` for 42, or 28 for a tank.
    pub field: Option<f32>,
}

/// Share of the picture that land fills.
const FILLED: f32 = 0.90;

impl Viewpoint {
    /// The eye for a subject.
    pub fn eye(&self, subject: &Subject, width: usize, height: usize) -> Eye {
        let [low, high] = corners(subject);
        // A tank stands on a table: seen from farther off its upright edges stay upright.
        let usual = if matches!(subject, Subject::Tank(_)) { 28.0 } else { 42.0 };
        let field = self.field.unwrap_or(usual).to_radians();
        let (azimuth, elevation) = self.angles(subject);
        let away = Vec2::from_angle(azimuth).extend(0.0) * elevation.cos() + Vec3::Z * elevation.sin();
        let middle = 0.5 * (low + high);
        let (fitted, distance) = match subject {
            Subject::Sheet(_) => (middle, fitting(high - low, elevation, field, width, height)),
            _ => framing([low, high], away, field, width, height),
        };
        let target = self.target.unwrap_or(fitted);
        let position = self.eye.unwrap_or_else(|| target + away * self.distance.unwrap_or(distance));
        Eye::new(position, target, field, width, height)
    }

    // Sheets are seen flat and from the south, land from above with the usual sun aside, sections from their side.
    fn angles(&self, subject: &Subject) -> (f32, f32) {
        let (azimuth, elevation) = match subject {
            Subject::Sheet(_) => (-110.0, 14.0),
            Subject::Land(_) => (-38.0, 30.0),
            Subject::Object(_) => (-60.0, 9.0),
            Subject::Tank(_) => (-64.0, 17.0),
            Subject::Ribbon([low, high]) if high.y - low.y > high.x - low.x => (5.0, 5.0),
            Subject::Ribbon(_) => (-85.0, 5.0),
        };
        let (azimuth, elevation) = (self.azimuth.unwrap_or(azimuth), self.elevation.unwrap_or(elevation));
        (azimuth.to_radians(), elevation.to_radians())
    }
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

// Seen flat, a sheet looks short: its width is what must fit. Seen from above, its whole diagonal must.
fn fitting(size: Vec3, elevation: f32, field: f32, width: usize, height: usize) -> f32 {
    let radius = (0.5 * size.length()).max(1e-3);
    let steepness = elevation.sin().abs();
    let tall = (0.5 * field).tan().max(0.01);
    let wide = tall * width.max(1) as f32 / height.max(1) as f32;
    let flat = 0.72 * radius / wide;
    let above = radius / tall.min(wide);
    flat.max(0.45 * radius) * (1.0 - steepness) + above * steepness
}

// The target and distance from which a box, seen from the direction `away`, just fills the picture.
fn framing([low, high]: [Vec3; 2], away: Vec3, field: f32, width: usize, height: usize) -> (Vec3, f32) {
    let tall = (0.5 * field).tan().max(0.01) * FILLED;
    let half = Vec2::new(tall * width.max(1) as f32 / height.max(1) as f32, tall);
    let corner = |index: usize| {
        Vec3::from([0, 1, 2].map(|axis| if index >> axis & 1 == 1 { high[axis] } else { low[axis] }))
    };
    let frame = Eye::new(Vec3::ZERO, -away, field, width, height);
    let mut target = 0.5 * (low + high);
    let mut distance = 1e-3_f32;
    for _ in 0..4 {
        let seen: [Vec3; 8] = std::array::from_fn(|index| {
            let offset = corner(index) - target;
            Vec3::new(offset.dot(frame.right), offset.dot(frame.up), offset.dot(frame.ahead))
        });
        let needs = |at: Vec3| (at.x.abs() / half.x).max(at.y.abs() / half.y) - at.z;
        distance = seen.iter().map(|&at| needs(at)).fold(1e-3, f32::max);
        // Perspective makes the near half look larger: the target is moved to the middle of what is seen.
        let place = |at: Vec3| Vec2::new(at.x, at.y) / (distance + at.z).max(1e-3);
        let ends = seen
            .iter()
            .map(|&at| place(at))
            .fold([Vec2::MAX, Vec2::MIN], |[least, most], at| [least.min(at), most.max(at)]);
        let middle = 0.5 * (ends[0] + ends[1]) * distance;
        target += frame.right * middle.x + frame.up * middle.y;
    }
    (target, distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_looks_at_the_middle_from_above() {
        let sheet = Subject::Sheet(Some(([0.0, 0.0, -0.5], [60.0, 40.0, 0.5])));
        let eye = Viewpoint::default().eye(&sheet, 1280, 720);
        let middle = eye.projected(eye.turned(Vec3::new(30.0, 20.0, 0.0)));
        assert!((middle - Vec2::new(640.0, 360.0)).length() < 1.0);
        assert!(eye.position.z > 1.0);
    }

    #[test]
    fn from_above_everything_is_in_the_picture() {
        let sheet = Subject::Sheet(Some(([0.0, 0.0, 0.0], [10.0, 30.0, 0.0])));
        let eye = Viewpoint { elevation: Some(90.0), ..Viewpoint::default() }.eye(&sheet, 300, 200);
        for corner in [[0.0, 0.0], [10.0, 0.0], [0.0, 30.0], [10.0, 30.0]] {
            let at = eye.projected(eye.turned(Vec3::new(corner[0], corner[1], 0.0)));
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
                let places = (0..8).map(|index| {
                    let corner = [0, 1, 2].map(|axis| corners[index >> axis & 1][axis]);
                    eye.projected(eye.turned(corner.into()))
                });
                let (low, high) =
                    places.fold((Vec2::MAX, Vec2::MIN), |(low, high), at| (low.min(at), high.max(at)));
                assert!(low.min_element() > 0.0 && high.x < 1280.0 && high.y < 720.0, "{low} {high}");
                let filled = (high - low) / Vec2::new(1280.0, 720.0);
                assert!(filled.max_element() > 0.8, "{filled}");
            }
        }
    }

    #[test]
    fn an_empty_scene_has_an_eye() {
        assert!(Viewpoint::default().eye(&Subject::Sheet(None), 16, 16).position.is_finite());
    }
}
