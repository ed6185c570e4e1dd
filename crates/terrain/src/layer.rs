//! One `[[terrain]]` section: a shape, its mask, and how it combines with the layers below.

use glam::DVec2;
use undine_scene::{Absent, Key, Scene, SceneErrors, Section, Values};

use crate::kinds::{self, TERRAIN};
use crate::mask::Mask;
use crate::shapes::LandShape;
use crate::smooth;

/// Ground is held within this, in metres.
const HIGHEST: f64 = 1e9;

/// The keys that every `[[terrain]]` has.
pub(crate) static TERRAIN_KEYS: &[Key] = &[
    Key::text("kind").help("which shape this layer is; `undine keys terrain` lists them"),
    Key::choice(
        "combine",
        &[
            ("add", "it is added to the ground so far"),
            ("max", "the higher of the two"),
            ("min", "the lower of the two"),
            ("replace", "it takes the place of the ground so far"),
            ("multiply", "it multiplies the ground so far"),
        ],
    )
    .default(Absent::Text("add"))
    .help("how the layer joins the ground so far; the first acts on the level 0"),
    Key::number("blend")
        .unit("m")
        .or(0.0)
        .within(0.0, 1e5)
        .help("max and min are rounded over where the two are less than this apart"),
    Key::number("scale").or(1.0).within(-1e6, 1e6).help("multiplies the heights of the layer"),
    Key::number("offset")
        .unit("m")
        .or(0.0)
        .within(-1e6, 1e6)
        .help("added to the heights of the layer, after scale"),
    Key::vector("within_from", 2)
        .unit("m")
        .optional("the layer acts everywhere")
        .within(-1e9, 1e9)
        .help("the layer acts only in the box from this corner …"),
    Key::vector("within_to", 2)
        .unit("m")
        .optional("the layer acts everywhere")
        .within(-1e9, 1e9)
        .help("… to this one"),
    Key::vector("within_center", 2)
        .unit("m")
        .optional("[0, 0]")
        .within(-1e9, 1e9)
        .help("middle of the disc of within_radius"),
    Key::number("within_radius")
        .unit("m")
        .optional("the layer acts everywhere")
        .positive_to(1e9)
        .help("the layer acts only in a disc"),
    Key::number("soft")
        .unit("m")
        .or(0.0)
        .within(0.0, 1e6)
        .help("width outside the box or disc over which the layer fades"),
];

/// A shape and how it joins the ground below it.
#[derive(Debug)]
pub(crate) struct Layer {
    pub shape: Box<dyn LandShape>,
    combine: Combine,
    blend: f64,
    scale: f64,
    offset: f64,
    mask: Mask,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Combine {
    Add,
    Max,
    Min,
    Replace,
    Multiply,
}

impl Layer {
    pub fn read(scene: &Scene, section: &Section<'_>) -> Result<Layer, SceneErrors> {
        let (kind, values) = TERRAIN.read(section, 2)?;
        let Some(read) = kinds::reader(kind.name) else {
            let message = format!("nobody reads a terrain of the kind {:?}", kind.name);
            return Err(section.problem("kind", message, "choose another").into());
        };
        let mut errors = SceneErrors::new();
        let mask = errors.keep(Mask::read(&values));
        let shape = errors.keep(read(scene, &values));
        match (mask, shape) {
            (Some(mask), Some(shape)) => Ok(Layer::new(shape, mask, &values)),
            _ => Err(errors),
        }
    }

    fn new(shape: Box<dyn LandShape>, mask: Mask, values: &Values) -> Layer {
        let combine = match values.word("combine") {
            "max" => Combine::Max,
            "min" => Combine::Min,
            "replace" => Combine::Replace,
            "multiply" => Combine::Multiply,
            _ => Combine::Add,
        };
        let (scale, offset) = (values.number("scale"), values.number("offset"));
        Layer { shape, combine, blend: values.number("blend"), scale, offset, mask }
    }

    /// The ground with this layer, where it was `ground` without, and the shape has the height that `shape` gives.
    pub fn join(&self, ground: f64, at: DVec2, shape: impl FnOnce() -> f64) -> f64 {
        let share = self.mask.weight(at);
        if share == 0.0 {
            return ground;
        }
        let height = self.scale * shape() + self.offset;
        let joined = match self.combine {
            Combine::Add => ground + height,
            Combine::Max => smooth::max(ground, height, self.blend),
            Combine::Min => smooth::min(ground, height, self.blend),
            Combine::Replace => height,
            Combine::Multiply => ground * height,
        };
        let joined = if share < 1.0 { ground + share * (joined - ground) } else { joined };
        joined.clamp(-HIGHEST, HIGHEST)
    }
}
