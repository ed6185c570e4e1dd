//! `[[prop]]`: objects that only pictures show, such as a ball on a pool, a wall or a window frame.
//!
//! They do not interact with the simulation but are added to a frame when it is rendered, so that they can be changed and
//! rendered again from the cache. A floating prop takes the mean height and normal of the water below it (no inertia).

mod keys;
mod prop_meshes;

use std::borrow::Cow;
use std::sync::Arc;

use glam::{Mat3, Quat, Vec2, Vec3};
use undine_frame::{Attribute, Body, Frame, Material, Mesh, Quantity};
use undine_scene::{Problem, Scene, SceneErrors, Section, Timed, Values};

use crate::preview::LandDetail;
pub use keys::PROP_KEYS;
use prop_meshes::{StripeColours, ball, bowl, cuboid, cylinder};

/// First body id of props, above those of obstacles.
const PROP_IDS: u32 = 1 << 31;
/// Most props of a scene.
const MAX_PROPS: usize = 1000;
/// Sample points of the water below a floating prop, in units of its radius.
const FLOAT_SAMPLES: [Vec2; 5] =
    [Vec2::ZERO, Vec2::new(0.6, 0.0), Vec2::new(-0.6, 0.0), Vec2::new(0.0, 0.6), Vec2::new(0.0, -0.6)];

/// An object that only pictures show.
#[derive(Debug, Clone)]
pub struct Prop {
    id: u32,
    mesh: Arc<Mesh>,
    at: Vec3,
    displacement: [Timed; 3],
    turn: Timed,
    axis: Vec3,
    /// Horizontal radius in metres, if it floats.
    float_radius: Option<f32>,
}

/// The props of a scene; cheap to copy.
pub type Props = Arc<[Prop]>;

/// Reads every `[[prop]]`, all problems at once.
pub fn read_props(scene: &Scene) -> Result<Props, SceneErrors> {
    let (mut errors, mut props) = (SceneErrors::new(), Vec::new());
    for (number, section) in scene.sections("prop").iter().enumerate() {
        if number == MAX_PROPS {
            let values = section.read(&[PROP_KEYS])?;
            let message = format!("there are more than {MAX_PROPS} props");
            return Err(values.problem("kind", message, "join some of them").into());
        }
        props.extend(errors.keep(Prop::read(section, number)));
    }
    errors.into_result()?;
    Ok(props.into())
}

impl Prop {
    fn read(section: &Section<'_>, number: usize) -> Result<Prop, SceneErrors> {
        let values = section.read(&[PROP_KEYS])?;
        let name = values.text_if("name").map_or_else(|| format!("prop-{}", number + 1), str::to_owned);
        let id = PROP_IDS + number as u32;
        // Mesh, and radius of the water samples below it
        let number = |key: &str| values.number(key) as f32;
        let (radius, size) = (number("radius"), vector(&values, "size"));
        let colours = StripeColours {
            main: values.colour("colour").into(),
            stripes: values
                .colour_if("stripe")
                .map(|stripe| (stripe.into(), values.integer("stripes").clamp(2, 64) as u32)),
        };
        let (mut shape, float_radius) = match values.word("kind") {
            "box" => (cuboid(&name, size, colours.main), 0.5 * size.x.min(size.y)),
            "cylinder" => (cylinder(&name, radius, number("height"), colours), radius),
            "bowl" => {
                let wall = values.number_if("wall").map_or(radius / 40.0, |metres| metres as f32);
                (bowl(&name, [radius, number("height")], wall, colours), radius)
            }
            _ => (ball(&name, radius, colours), radius),
        };
        // A clear coat is a film of water
        let gloss = number("gloss");
        if gloss > 0.0 {
            let coat = vec![gloss; shape.positions.len()];
            shape.attributes.push(Attribute::new("gloss", Quantity::Wetness, 1, coat));
        }
        // Motion
        Ok(Prop {
            id,
            mesh: Arc::new(shape),
            at: vector(&values, "at"),
            displacement: ["move_x", "move_y", "move_z"].map(|key| values.timed(key).clone()),
            turn: values.timed("turn").clone(),
            axis: match values.word("axis") {
                "x" => Vec3::X,
                "y" => Vec3::Y,
                _ => Vec3::Z,
            },
            float_radius: values.flag("floats").then_some(float_radius),
        })
    }

    /// The prop as a body at a time; `water` gives the height and normal of the water at points, where there is any.
    fn body_at(
        &self,
        time: f64,
        water: impl Fn(&[Vec2]) -> Vec<Option<(f32, Vec3)>>,
    ) -> Result<Body, Problem> {
        let [x, y, z] = &self.displacement;
        let shift = Vec3::new(x.at(time)? as f32, y.at(time)? as f32, z.at(time)? as f32);
        let mut rotation = Quat::from_axis_angle(self.axis, (self.turn.at(time)? as f32).to_radians());
        let mut position = self.at + shift;
        let below = |float_radius: f32| {
            let points = FLOAT_SAMPLES.map(|fraction| position.truncate() + float_radius * fraction);
            mean_of(water(&points).into_iter().flatten())
        };
        if let Some((height, normal)) = self.float_radius.and_then(below) {
            position.z += height;
            rotation = Quat::from_rotation_arc(Vec3::Z, normal) * rotation;
        }
        Ok(Body {
            id: self.id,
            mesh: Arc::clone(&self.mesh),
            position: position.into(),
            rotation: rotation.into(),
        })
    }
}

fn vector(values: &Values, key: &str) -> Vec3 {
    Vec3::from(values.vector::<3>(key).map(|metres| metres as f32))
}

/// A frame with props added; the frame itself if there are none.
pub fn with_props<'a>(frame: &'a Frame, props: &[Prop]) -> Result<Cow<'a, Frame>, Problem> {
    if props.is_empty() {
        return Ok(Cow::Borrowed(frame));
    }
    let mut shown = frame.clone();
    for prop in props {
        shown.bodies.push(prop.body_at(frame.time, |points| water_in(frame, points))?);
    }
    Ok(Cow::Owned(shown))
}

/// Props as bodies at a time; `water` gives the height and unit normal of the water at a point, if there is any.
pub fn pose(
    props: &[Prop],
    time: f64,
    water: impl Fn(Vec2) -> Option<(f32, Vec3)>,
) -> Result<Vec<Body>, Problem> {
    let at_points = |points: &[Vec2]| points.iter().map(|&point| water(point)).collect();
    props.iter().map(|prop| prop.body_at(time, at_points)).collect()
}

/// Height and unit normal of a frame's water at some points; `None` where there is none.
fn water_in(frame: &Frame, points: &[Vec2]) -> Vec<Option<(f32, Vec3)>> {
    let mut highest: Vec<Option<(f32, Vec3)>> = vec![None; points.len()];
    let is_large = |mesh: &Mesh| frame.large_waters().any(|large| large.water.name == mesh.name);
    let waters = frame.meshes.iter().filter(|mesh| mesh.material == Material::Water && !is_large(mesh));
    for mesh in waters {
        let at = |number: u32| mesh.positions.get(number as usize).copied().map(Vec3::from);
        for triangle in mesh.triangles() {
            let [Some(a), Some(b), Some(c)] = triangle.map(at) else { continue };
            let (low, high) = (a.min(b).min(c).truncate(), a.max(b).max(c).truncate());
            for (point, found) in points.iter().zip(&mut highest) {
                if point.cmplt(low).any() || point.cmpgt(high).any() {
                    continue;
                }
                let Some(height) = height_in(*point, [a, b, c]) else { continue };
                if found.is_none_or(|(higher, _)| height > higher) {
                    let normal = (b - a).cross(c - a).normalize_or(Vec3::Z);
                    *found = Some((height, if normal.z < 0.0 { -normal } else { normal }));
                }
            }
        }
    }
    // Large waters have no mesh
    for large in frame.large_waters() {
        let Some(detail) = LandDetail::new(&large) else { continue };
        for (point, found) in points.iter().zip(&mut highest) {
            let Some(height) = detail.level(*point).filter(|_| detail.holds(*point)) else { continue };
            if found.is_none_or(|(higher, _)| height > higher) {
                *found = Some((height, detail.water_normal(*point, 0.0).unwrap_or(Vec3::Z)));
            }
        }
    }
    highest
}

/// Mean height and normal.
fn mean_of(found: impl Iterator<Item = (f32, Vec3)>) -> Option<(f32, Vec3)> {
    let add = |(height, normal, count): (f32, Vec3, f32), one: (f32, Vec3)| {
        (height + one.0, normal + one.1, count + 1.0)
    };
    let (height, normal, count) = found.fold((0.0, Vec3::ZERO, 0.0), add);
    (count > 0.0).then(|| (height / count, normal.normalize_or(Vec3::Z)))
}

/// Height of a triangle at a point, by barycentric coordinates; `None` outside it.
fn height_in(point: Vec2, [a, b, c]: [Vec3; 3]) -> Option<f32> {
    let sides = Mat3::from_cols(a.truncate().extend(1.0), b.truncate().extend(1.0), c.truncate().extend(1.0));
    let fractions = (sides.determinant() != 0.0).then(|| sides.inverse() * point.extend(1.0))?;
    fractions.cmpge(Vec3::splat(-1e-4)).all().then(|| fractions.dot(Vec3::new(a.z, b.z, c.z)))
}

#[cfg(test)]
mod tests {
    use undine_scene::LoadOptions;

    use super::*;

    fn props(text: &str) -> Result<Props, SceneErrors> {
        let text = format!("[scene]\nduration = 4\n{text}");
        read_props(&Scene::parse("pool", &text, &LoadOptions::default())?)
    }

    /// A sheet that rises by a tenth of x.
    fn sloping() -> Frame {
        let mut frame = Frame::new(0, 2.0);
        let mut sheet = Mesh::flat_sheet("water", [4.0, 4.0], [9, 9]);
        sheet.positions.iter_mut().for_each(|at| at[2] = 1.0 + 0.1 * at[0]);
        frame.meshes.push(sheet);
        frame
    }

    #[test]
    fn floating_props_follow_height_and_normal_of_the_water() {
        let props =
            props("[[prop]]\nkind = 'ball'\nradius = 0.3\nat = [1, 2, 0.2]\nmove_x = 't/2'\nfloats = true\n");
        let frame = sloping();
        let shown = with_props(&frame, &props.unwrap()).unwrap();
        let posed = &shown.bodies[0];
        assert!(
            (Vec3::from(posed.position) - Vec3::new(2.0, 2.0, 1.4)).length() < 1e-5,
            "{:?}",
            posed.position
        );
        let up = Quat::from_array(posed.rotation) * Vec3::Z;
        assert!((up - Vec3::new(-0.1, 0.0, 1.0).normalize()).length() < 1e-4, "{up}");
        assert_eq!(shown.bodies[0].name(), "prop-1");
    }

    #[test]
    fn live_water_lifts_as_the_same_water_in_a_frame() {
        let props = props("[[prop]]\nkind = 'box'\nat = [2, 2, 0]\nfloats = true\n[[prop]]\nkind = 'ball'\n")
            .unwrap();
        let slope = Vec3::new(-0.1, 0.0, 1.0).normalize();
        let posed = pose(&props, 2.0, |at| Some((1.0 + 0.1 * at.x, slope))).unwrap();
        let frame = sloping();
        for (live, drawn) in posed.iter().zip(&with_props(&frame, &props).unwrap().bodies) {
            assert!((Vec3::from(live.position) - Vec3::from(drawn.position)).length() < 1e-4);
        }
        assert_eq!(posed.len(), 2);
    }

    #[test]
    fn without_water_a_floating_prop_keeps_its_position() {
        let props = props("[[prop]]\nkind = 'box'\nat = [90, 0, 3]\nfloats = true\n").unwrap();
        assert_eq!(with_props(&sloping(), &props).unwrap().bodies[0].position, [90.0, 0.0, 3.0]);
        assert!(matches!(with_props(&sloping(), &[]), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let errors = props("[[prop]]\nkind = 'cone'\n[[prop]]\nkind = 'ball'\nradius = -1\n").unwrap_err();
        assert_eq!(errors.len(), 2, "{errors}");
    }
}
