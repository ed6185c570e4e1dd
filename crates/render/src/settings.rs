//! Reads pictures from a scene file.

use glam::Vec3;
use undine_scene::{Scene, SceneErrors, Section, Values};

use crate::caustics::{CausticsKind, CausticsSpec};
use crate::classic::read_classic;
use crate::flat::{LayerContent, PictureLayer, read_flat, read_layers};
use crate::keys::PICTURE_KEYS;
use crate::plots::{CounterChoice, HslRamp, MapChoice, PlotSpec, PlotView};
use crate::preview::{
    BackdropKind, BedKind, Beyond, GroundKind, LiquidSpec, PreviewSpec, RippleSpec, SmokeSpec, TankKind,
    WaterLook,
};
use crate::props::read_props;
use crate::sky::keys::SKY_KEYS;
use crate::sky::{SkyKind, SkySpec, SunTime};
use crate::spec::{Daylight, PictureKind, PictureSpec};
use crate::trace::keys::TRACE_KEYS;
use crate::trace::read_trace;
use crate::{AutoChoices, Camera};

impl Daylight {
    /// Reads `[sky]`; clouds are seeded by the scene.
    pub fn read(scene: &Scene) -> Result<Daylight, SceneErrors> {
        let values = scene.section("sky").read(&[SKY_KEYS])?;
        let number = |key: &str| values.number(key) as f32;
        let sky = SkySpec {
            kind: match values.word("kind") {
                "preetham" => SkyKind::Preetham,
                "moonlit" => SkyKind::Moonlit,
                _ => SkyKind::Slab,
            },
            turbidity: number("turbidity"),
            clouds: number("clouds"),
            cloud_drift: number("cloud_drift"),
            visibility: values.number_if("visibility").map(|metres| metres as f32),
            seed: scene.seed as u32,
            ..SkySpec::default()
        };
        let timed = |key: &str| values.timed(key).clone();
        let sun_time = SunTime {
            hours: 12.0,
            latitude: values.number("latitude"),
            day: values.number("day"),
            north: values.number("north"),
        };
        Ok(Daylight {
            sky,
            sun_azimuth: timed("sun_azimuth"),
            sun_elevation: timed("sun_elevation"),
            hours: values.timed_if("time").map(|hours| (hours.clone(), sun_time)),
        })
    }
}

/// Default size of a preview: a film of a few seconds is drawn in about a minute on two processors.
const PREVIEW_SIZE: [u32; 2] = [960, 540];
/// Default size of other pictures; that of a traced one is chosen for the machine.
pub(crate) const FULL_SIZE: [u32; 2] = [1280, 720];

/// The pictures of a scene.
pub struct Pictures;

impl Pictures {
    /// Reads `[camera]`, `[sky]`, every `[[prop]]` and every `[[picture]]`; a scene without pictures gets one preview.
    ///
    /// ```
    /// use undine_scene::{LoadOptions, Scene};
    ///
    /// let text = "[scene]\nduration = 1\n[[picture]]\nkind = 'plot'\nfield = 'height'\nsize = [320, 180]\n";
    /// let scene = Scene::parse("pond", text, &LoadOptions::default())?;
    /// let pictures = undine_render::Pictures::read(&scene)?;
    /// assert_eq!((pictures[0].name.as_str(), pictures[0].width), ("plot", 320));
    /// # Ok::<(), undine_scene::SceneErrors>(())
    /// ```
    pub fn read(scene: &Scene) -> Result<Vec<PictureSpec>, SceneErrors> {
        let mut errors = SceneErrors::new();
        let camera = errors.keep(Camera::read(scene)).unwrap_or_default();
        let daylight = errors.keep(Daylight::read(scene)).unwrap_or_default();
        let props = errors.keep(read_props(scene)).unwrap_or_default();
        let base = PictureSpec {
            width: PREVIEW_SIZE[0],
            height: PREVIEW_SIZE[1],
            camera,
            daylight,
            props,
            auto_choices: AutoChoices { kind: true, size: true, paths: true },
            ..PictureSpec::default()
        };
        let mut pictures: Vec<PictureSpec> = Vec::new();
        for section in scene.sections("picture") {
            let taken: Vec<String> = pictures.iter().map(|picture| picture.name.clone()).collect();
            pictures.extend(errors.keep(read_picture(&section, &base, &taken, scene.duration)));
        }
        errors.into_result()?;
        Ok(if pictures.is_empty() { vec![base] } else { pictures })
    }
}

fn read_picture(
    section: &Section<'_>,
    base: &PictureSpec,
    taken: &[String],
    duration: f64,
) -> Result<PictureSpec, SceneErrors> {
    let values = section.read(&[PICTURE_KEYS])?;
    let size = values.integers_if::<2>("size").map(|size| size.map(|pixels| pixels.clamp(1, 8192) as u32));
    let word = read_kind(&values);
    let [width, height] = size.unwrap_or(if word == "preview" { PREVIEW_SIZE } else { FULL_SIZE });
    let kind = match word {
        "classic" => PictureKind::Classic(read_classic(&values, read_preview(&values)?)?),
        "plot" => PictureKind::Plot(read_plot(&values, duration)),
        "flat" => PictureKind::Flat(read_flat(&values, [width as usize, height as usize])?),
        "preview" => PictureKind::Preview(read_preview(&values)?),
        _ => PictureKind::Trace(Box::new(read_trace(&values, read_preview(&values)?)?)),
    };
    let is_kind_open =
        word == "preview" && !["kind", "layer", "samples"].iter().any(|key| values.is_given(key));
    let may_be_traced = is_kind_open || matches!(kind, PictureKind::Trace(_));
    let auto_choices = AutoChoices {
        kind: is_kind_open,
        size: may_be_traced && size.is_none(),
        paths: may_be_traced && values.word("quality") == "auto" && !values.is_given("paths"),
    };
    let name = read_name(&values, word, taken)?;
    Ok(PictureSpec { name, width, height, kind, auto_choices, ..base.clone() })
}

// Keys that exist for one kind only imply it: `layer` and `samples` a preview, those of the path tracer a trace.
fn read_kind(values: &Values) -> &str {
    let is_preview = values.is_given("layer") || values.is_given("samples");
    let is_traced = !is_preview && TRACE_KEYS.iter().any(|key| values.is_given(key.name));
    values.word_if("kind").unwrap_or(if is_traced { "trace" } else { "preview" })
}

// A given name must be unique and valid in a file name; the default is the kind, numbered.
fn read_name(values: &Values, kind: &str, taken: &[String]) -> Result<String, SceneErrors> {
    let Some(name) = values.text_if("name") else {
        let numbered = (2..).map(|number| format!("{kind}-{number}"));
        let mut free = std::iter::once(kind.to_owned()).chain(numbered).filter(|name| !taken.contains(name));
        return Ok(free.next().unwrap_or_default());
    };
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        let message = format!("\"{name}\" cannot be part of a file name");
        return Err(values.problem("name", message, "use letters, digits, - and _").into());
    }
    if taken.iter().any(|other| other == name) {
        let message = format!("two pictures are called \"{name}\"");
        return Err(values.problem("name", message, "give each its own name").into());
    }
    Ok(name.to_owned())
}

fn read_preview(values: &Values) -> Result<PreviewSpec, SceneErrors> {
    let number = |key: &str| values.number(key) as f32;
    // Optical coefficients of the named look, unless given
    let coefficients =
        |key: &str| values.vector_if::<3>(key).map(|rgb| Vec3::from(rgb.map(|fraction| fraction as f32)));
    let named = values.word_if("look").and_then(WaterLook::named).unwrap_or_default();
    Ok(PreviewSpec {
        samples: values.integer("samples").clamp(1, 8) as usize,
        exposure: number("exposure"),
        bloom: number("bloom"),
        look: WaterLook {
            absorption: coefficients("absorption").unwrap_or(named.absorption),
            scattering: coefficients("scattering").unwrap_or(named.scattering),
        },
        ripples: RippleSpec {
            strength: number("ripples"),
            scale: number("ripple_length"),
            direction: number("ripple_direction"),
            spread: values.number_if("ripple_spread").map(|degrees| degrees as f32),
            flow_strength: number("flow_ripples"),
            flow_scale: values.number_if("flow_ripple_length").map(|length| length as f32),
            flow_rate: number("flow_ripple_rate"),
        },
        bed: match values.word("bed") {
            "pebbles" => BedKind::Pebbles,
            "tiles" => BedKind::Tiles,
            "dark" => BedKind::Dark,
            _ => BedKind::Sand,
        },
        depth: number("depth"),
        level: values.number_if("level").map(|level| level as f32),
        beyond: match values.word("beyond") {
            "shore" => Beyond::Shore,
            "land" => Beyond::Land,
            "none" => Beyond::Nothing,
            _ => Beyond::Sea,
        },
        ground: read_ground(values.word("ground")),
        backdrop: match values.word("backdrop") {
            "sky" => BackdropKind::Sky,
            "studio" => BackdropKind::Studio,
            "dark" => BackdropKind::Dark,
            _ => BackdropKind::Auto,
        },
        foam: number("foam"),
        solid: values.colour("solid"),
        smoke: SmokeSpec {
            field: values.text_if("smoke").map(str::to_owned),
            density: values.number_if("smoke_density").map(|density| density as f32),
            colour: values.colour("smoke_colour"),
        },
        liquid: read_liquid(values)?,
        caustics: read_caustics(values),
    })
}

fn read_caustics(values: &Values) -> CausticsSpec {
    let count = |number: i64| number.clamp(1, 100_000) as usize;
    CausticsSpec {
        kind: match values.word("caustics") {
            "none" => CausticsKind::Nothing,
            "paper" => CausticsKind::IlluminationMap,
            "photons" => CausticsKind::Photons,
            _ => CausticsKind::Beams,
        },
        resolution: values.integer_if("caustics_resolution").map(count),
        photons: count(values.integer("photons")),
        extends_water: true,
    }
}

fn read_liquid(values: &Values) -> Result<LiquidSpec, SceneErrors> {
    let corner = |key: &str| values.vector_if::<3>(key).map(|at| Vec3::from(at.map(|metres| metres as f32)));
    let corners = match (corner("tank_low"), corner("tank_high")) {
        (Some(low), Some(high)) if low.cmplt(high).all() => Some([low, high]),
        (Some(_), Some(_)) => {
            let message = "the tank is empty: tank_high is not above tank_low along every axis";
            return Err(values.problem("tank_high", message, "make every number greater").into());
        }
        (None, None) => None,
        (low, _) => {
            let (given, missing) =
                if low.is_some() { ("tank_low", "tank_high") } else { ("tank_high", "tank_low") };
            let remedy = format!("add {missing}");
            return Err(values.problem(given, "a tank needs both corners", remedy).into());
        }
    };
    Ok(LiquidSpec {
        tank: match values.word("tank") {
            "plinth" => TankKind::Plinth,
            "none" => TankKind::Bare,
            _ => TankKind::Glass,
        },
        corners,
        glass: values.text("glass").to_owned(),
        fits_tank: !["look", "absorption", "scattering"].iter().any(|key| values.is_given(key)),
        dye: values.number("dye") as f32,
        layers: read_views(values)?,
    })
}

// The layers of a preview: those that have a 3-D representation.
fn read_views(values: &Values) -> Result<Vec<PictureLayer>, SceneErrors> {
    let layers = read_layers(values, [1, 1])?;
    let is_known = |layer: &PictureLayer| {
        matches!(
            layer.show,
            LayerContent::Water(_)
                | LayerContent::Outline(_)
                | LayerContent::Particles(_)
                | LayerContent::Vectors(_)
                | LayerContent::Solid(_)
                | LayerContent::Grid(_)
        )
    };
    if !layers.iter().all(is_known) {
        let message = "a preview shows only water, outline, particles, vectors, solid and grid in layers";
        return Err(values.problem("layer", message, "leave the others out, or set kind = \"flat\"").into());
    }
    Ok(layers)
}

fn read_ground(word: &str) -> GroundKind {
    match word {
        "sand" => GroundKind::Sand,
        "rock" => GroundKind::Rock,
        "grass" => GroundKind::Grass,
        "earth" => GroundKind::Earth,
        "alpine" => GroundKind::Alpine,
        "pebbles" => GroundKind::Bed(BedKind::Pebbles),
        "tiles" => GroundKind::Bed(BedKind::Tiles),
        _ => GroundKind::Auto,
    }
}

fn read_plot(values: &Values, duration: f64) -> PlotSpec {
    let text = |key: &str| values.text_if(key).map(str::to_owned);
    PlotSpec {
        field: text("field"),
        view: match values.word("view") {
            "map" => PlotView::Map,
            "profile" => PlotView::Profile,
            _ => PlotView::Auto,
        },
        map: read_map(values),
        limits: read_limits(values),
        is_log: values.word("scale") == "log",
        is_smooth: values.word("filter") == "linear",
        contours: values.integer("contours").clamp(0, 40) as usize,
        shows_grid: values.flag("grid"),
        arrows: text("arrows"),
        arrow_spacing: values.number("arrow_spacing") as f32,
        streamlines: text("streamlines"),
        line_spacing: values.number("line_spacing") as f32,
        shows_particles: values.flag("particles"),
        across: read_across(values),
        position: values.number_if("position"),
        title: text("title"),
        counters: text("counters").map(|unit| CounterChoice { unit, duration }),
    }
}

/// Reads the key `map`, and those of its ramp.
pub(crate) fn read_map(values: &Values) -> MapChoice {
    match values.word("map") {
        "auto" => MapChoice::Auto,
        "rgb" => MapChoice::Rgb,
        "hsl" => MapChoice::Hsl(read_ramp(values)),
        name => MapChoice::Named(name.to_owned()),
    }
}

/// Reads the key `limits`.
pub(crate) fn read_limits(values: &Values) -> Option<[f32; 2]> {
    values.vector_if::<2>("limits").map(|limits| limits.map(|limit| limit as f32))
}

/// Reads the key `across`: 0 for x, 1 for y, 2 for z.
pub(crate) fn read_across(values: &Values) -> Option<usize> {
    values.word_if("across").and_then(|axis| ["x", "y", "z"].iter().position(|known| *known == axis))
}

fn read_ramp(values: &Values) -> HslRamp {
    let number = |key: &str| values.number(key) as f32;
    HslRamp {
        hue_a: number("hue_a"),
        hue_b: number("hue_b"),
        saturation: number("saturation"),
        linear: number("linear"),
        log: number("log"),
        light_limit: number("light_limit"),
        overflow_limit: number("overflow_limit"),
    }
}

#[cfg(test)]
mod tests {
    use undine_scene::LoadOptions;

    use super::*;
    use crate::classic::ClassicSpec;

    fn read(text: &str) -> Result<Vec<PictureSpec>, SceneErrors> {
        let text = format!("[scene]\nduration = 4\n{text}");
        Scene::parse("pond", &text, &LoadOptions::default()).and_then(|scene| Pictures::read(&scene))
    }

    #[test]
    fn an_empty_scene_is_a_small_preview_and_a_traced_still() {
        let pictures = read("").unwrap();
        assert_eq!((pictures.len(), pictures[0].name.as_str()), (1, "preview"));
        assert_eq!([pictures[0].width, pictures[0].height], PREVIEW_SIZE);
        assert_eq!(pictures[0].kind, PictureKind::Preview(PreviewSpec::default()));
        let section = &read("[[picture]]\n").unwrap()[0];
        assert_eq!((&section.kind, section.auto_choices), (&pictures[0].kind, pictures[0].auto_choices));
        let explicit = &read("[[picture]]\nkind = 'preview'\n").unwrap()[0];
        assert_eq!((&explicit.kind, explicit.width), (&pictures[0].kind, PREVIEW_SIZE[0]));
        assert_eq!(explicit.clone().traced_if_open().kind, explicit.kind);
        // Traced, it is what `kind = "trace"` reads
        let traced = &read("[[picture]]\nkind = 'trace'\n").unwrap()[0];
        let still = section.clone().traced_if_open();
        assert_eq!((&still.kind, still.auto_choices), (&traced.kind, traced.auto_choices));
        assert_eq!([still.width, still.height], [traced.width, traced.height]);
        assert_eq!(pictures[0].camera.at(0.0).unwrap(), crate::preview::Viewpoint::default());
        assert_eq!(
            pictures[0].daylight.at(0.0).unwrap(),
            SkySpec { seed: pictures[0].daylight.sky.seed, ..SkySpec::default() }
        );
    }

    #[test]
    fn an_empty_plot_is_the_default_plot() {
        let pictures = read("[[picture]]\nkind = 'plot'\n[[picture]]\nkind = 'plot'\nmap = 'hsl'\n").unwrap();
        assert_eq!(pictures[0].kind, PictureKind::Plot(PlotSpec::default()));
        let hsl = PlotSpec { map: MapChoice::Hsl(HslRamp::default()), ..PlotSpec::default() };
        assert_eq!(pictures[1].kind, PictureKind::Plot(hsl));
        assert_eq!(pictures[1].name, "plot-2");
    }

    #[test]
    fn an_empty_classic_picture_is_the_default_one() {
        let pictures = read("[[picture]]\nkind = 'classic'\n").unwrap();
        let PictureKind::Classic(classic) = &pictures[0].kind else { panic!("no classic picture") };
        assert_eq!(*classic, ClassicSpec::default());
    }

    #[test]
    fn keys_of_one_kind_imply_it() {
        let read_one = |key: &str| read(&format!("[[picture]]\n{key}\n")).unwrap().remove(0);
        for key in ["layer = [{ show = 'water' }]", "samples = 1"] {
            let picture = read_one(key);
            assert!(picture.name == "preview" && !picture.auto_choices.kind, "{key}");
        }
        for key in [
            "quality = 'good'",
            "paths = 8",
            "lamp = [{ at = [0, 0, 3] }]",
            "denoise = false",
            "aperture = 0.01",
        ] {
            assert!(matches!(read_one(key).kind, PictureKind::Trace(_)), "{key}");
        }
        // A size does not ask for more than a preview
        let sized = read_one("size = [320, 180]");
        assert!(sized.name == "preview" && sized.auto_choices.kind && sized.traced_if_open().width == 320);
    }

    #[test]
    fn cameras_move() {
        let pictures = read("[camera]\nazimuth = '90*t'\ndistance = 7\n").unwrap();
        assert_eq!(pictures[0].camera.at(2.0).unwrap().azimuth, Some(180.0));
        assert_eq!(pictures[0].camera.at(2.0).unwrap().distance, Some(7.0));
    }

    #[test]
    fn a_value_that_cannot_be_used_at_a_frame_is_an_error_of_that_picture() {
        for (section, place) in [
            ("[camera]\nazimuth = 'sqrt(4.2 - t)'\n", "pond:4:11: azimuth must be"),
            ("[camera]\ndistance = '1e12*step(t - 4.2) + 5'\n", "pond:4:12: distance must be"),
            ("[sky]\nsun_elevation = '30/step(4.2 - t)'\n", "pond:4:17: sun_elevation must be"),
            (
                "[[prop]]\nkind = 'ball'\nat = [0, 0, 0]\nmove_x = 'log(4.2 - t)'\n",
                "pond:6:10: move_x must be",
            ),
        ] {
            let pictures =
                read(&format!("{section}[[picture]]\nkind = 'preview'\nsize = [32, 18]\n")).unwrap();
            let draw =
                |time: f64| crate::draw(&pictures[0], &undine_frame::Frame { time, ..Default::default() });
            draw(1.0).unwrap_or_else(|error| panic!("{section}: {error}"));
            let error = draw(5.0).unwrap_err();
            let message = error.to_string();
            assert!(matches!(error, crate::DrawError::Scene(_)) && message.contains(place), "{message}");
            assert!(message.contains("(at t = 5 s)") && message.contains("= help: "), "{message}");
        }
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let text = "[camera]\neye = [1, 2, 3]\nazimuth = 3\n[sky]\nclouds = 7\n\
                    [[picture]]\nname = 'a/b'\n[[picture]]\nname = 'same'\n[[picture]]\nname = 'same'\n";
        let errors = read(text).unwrap_err();
        assert_eq!(errors.len(), 4, "{errors}");
    }
}
