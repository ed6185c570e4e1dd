//! Flags that change the pictures of a scene: each is short for one or more `--set`.

use undine::Scene;
use undine::render::preview::WaterLook;

use crate::terminal::CommandError;

/// Picture flags, for the commands that draw.
#[derive(clap::Args, Default)]
pub struct PictureArgs {
    /// Draw water with the rasteriser, the default of films where the scene does not ask for more
    #[arg(long, conflicts_with = "trace")]
    preview: bool,

    /// Draw water with the path tracer: physically based and many times slower
    #[arg(long)]
    trace: bool,

    /// Size of the pictures in pixels, such as 1920x1080
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = parse_size)]
    size: Option<[u32; 2]>,

    /// The look of the water, such as tropical; `undine keys picture` lists them
    #[arg(long, value_name = "NAME")]
    look: Option<String>,

    /// Keys of [sky], such as sun_elevation=5,clouds=0.8
    #[arg(long, value_name = "KEY=VALUE,…")]
    sky: Option<String>,

    /// Replace the camera: front, back, left, right, top, corner, under, or eye=1,2,3,at=0,0,0,fov=40; other keys of
    /// [camera], such as distance=4, change the one of the scene
    #[arg(long, value_name = "VIEW|KEY=VALUE,…", allow_hyphen_values = true)]
    camera: Option<String>,

    /// Orbit the scene once in this number of pictures; once in the whole film when no number is given
    #[arg(long, value_name = "PICTURES", num_args = 0..=1, default_missing_value = "0", conflicts_with = "waypoints")]
    turntable: Option<u32>,

    /// Fly through the scene along waypoints such as time=0,eye=9,0,2,at=0,0,0; at least two
    #[arg(long = "waypoint", value_name = "KEY=VALUE,…", allow_hyphen_values = true)]
    waypoints: Vec<String>,
}

impl PictureArgs {
    /// The flag `--trace` alone.
    pub fn traced() -> PictureArgs {
        PictureArgs { trace: true, ..PictureArgs::default() }
    }

    /// Whether no flag was given.
    fn is_empty(&self) -> bool {
        !(self.preview || self.trace || self.moves())
            && [&self.look, &self.sky, &self.camera].iter().all(|flag| flag.is_none())
            && self.size.is_none()
    }

    /// Whether a flag moves the camera.
    pub fn moves(&self) -> bool {
        self.turntable.is_some() || !self.waypoints.is_empty()
    }

    /// Number of pictures of a frozen frame: that of `--turntable`, or up to the last waypoint (at time `flight`), or those
    /// of five seconds.
    pub fn frozen_frame_pictures(&self, flight: Option<f64>, shown_per_second: f64) -> u64 {
        match (self.turntable, flight) {
            (Some(pictures), _) if pictures > 0 => u64::from(pictures),
            (None, Some(seconds)) => ((seconds * shown_per_second).round().clamp(1.0, 1e6)) as u64 + 1,
            _ => (5.0 * shown_per_second).round().clamp(2.0, 1e6) as u64,
        }
    }

    /// The overrides that these flags stand for, given the scene, the number of pictures, and how many of them there are
    /// per second of the camera's time.
    pub fn overrides(
        &self,
        scene: &Scene,
        pictures: u64,
        per_second: f64,
    ) -> Result<Vec<String>, CommandError> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let mut all = self.camera_overrides(scene, pictures, per_second)?;
        if let Some(sky) = &self.sky {
            let (bare, pairs) = parse_pairs("--sky", sky)?;
            if let Some(word) = bare {
                return Err(CommandError::Wrong(format!(
                    "--sky {word} has no value; write KEY=VALUE, as in sun_elevation=5"
                )));
            }
            all.extend(pairs.iter().map(|(key, value)| format!("sky.{key}={value}")));
        }
        let sections = scene.sections("picture");
        for number in 0..sections.len().max(1) {
            let kind = sections.get(number).and_then(|section| section.text("kind"));
            let mut set = |key: &str, value: String| all.push(format!("picture.{number}.{key}={value}"));
            if let Some([width, height]) = self.size {
                set("size", format!("[{width},{height}]"));
            }
            if matches!(kind, Some("plot" | "flat")) {
                continue;
            }
            if let Some(look) = &self.look {
                set("look", quoted("--look", look)?);
                // Explicit coefficients of the scene would take precedence over the look
                let named = WaterLook::named(look).unwrap_or_default();
                for (key, rgb) in [("absorption", named.absorption), ("scattering", named.scattering)] {
                    if sections.get(number).is_some_and(|section| section.has(key)) {
                        set(key, format!("[{},{},{}]", rgb.x, rgb.y, rgb.z));
                    }
                }
            }
            match (self.preview, self.trace) {
                (true, _) => set("kind", "\"preview\"".to_owned()),
                (_, true) => set("kind", "\"trace\"".to_owned()),
                _ => {}
            }
        }
        Ok(all)
    }

    fn camera_overrides(
        &self,
        scene: &Scene,
        pictures: u64,
        per_second: f64,
    ) -> Result<Vec<String>, CommandError> {
        let (view, mut pairs) = match &self.camera {
            Some(camera) => parse_pairs("--camera", camera)?,
            None => (None, Vec::new()),
        };
        if let Some(view) = &view {
            pairs.push(("view".to_owned(), quoted("--camera", view)?));
        }
        let own = scene.section("camera");
        // A view, an eye or waypoints define a whole camera: keys of the scene's own camera would contradict them
        let mut is_new = pairs.iter().any(|(key, _)| key == "view" || key == "eye");
        if self.turntable.is_some() {
            is_new |= own.has("waypoint");
            let turn = self.turntable.filter(|&turn| turn > 0).map_or(pictures, u64::from);
            pairs.push(("path".to_owned(), "\"turntable\"".to_owned()));
            pairs.push(("seconds".to_owned(), (turn.max(1) as f64 / per_second).to_string()));
        }
        if !self.waypoints.is_empty() {
            is_new = true;
            let waypoints =
                self.waypoints.iter().map(|text| waypoint(text)).collect::<Result<Vec<_>, _>>()?;
            pairs.push(("path".to_owned(), "\"fly-through\"".to_owned()));
            pairs.push(("waypoint".to_owned(), format!("[{}]", waypoints.join(","))));
        }
        if is_new {
            let keys: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
            return Ok(vec![format!("camera={{{}}}", keys.join(","))]);
        }
        Ok(pairs.iter().map(|(key, value)| format!("camera.{key}={value}")).collect())
    }
}

fn waypoint(text: &str) -> Result<String, CommandError> {
    match parse_pairs("--waypoint", text)? {
        (None, pairs) => {
            let keys: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
            Ok(format!("{{{}}}", keys.join(",")))
        }
        (Some(word), _) => Err(CommandError::Wrong(format!(
            "--waypoint {word} has no value; write it as time=0,eye=9,0,2,at=0,0,0"
        ))),
    }
}

/// A first word without a value, and keys with TOML values.
type Pairs = (Option<String>, Vec<(String, String)>);

/// Reads `word,key=1,2,3,other=4`: a part without `=` belongs to the key before it.
fn parse_pairs(flag: &str, text: &str) -> Result<Pairs, CommandError> {
    let mut bare = None;
    let mut keys: Vec<(String, Vec<&str>)> = Vec::new();
    for part in text.split(',').map(str::trim) {
        match (part.split_once('='), keys.last_mut()) {
            (Some((key, value)), _) => keys.push((long_name(key.trim())?, vec![value.trim()])),
            (None, Some((_, values))) => values.push(part),
            (None, None) if bare.is_none() && !part.is_empty() => bare = Some(part.to_owned()),
            _ => {
                return Err(CommandError::Wrong(format!(
                    "{flag} {text} cannot be read; write KEY=VALUE,KEY=VALUE"
                )));
            }
        }
    }
    let value = |values: Vec<&str>| match values.as_slice() {
        [one] if is_toml(one) => Ok((*one).to_owned()),
        [one] => quoted(flag, one),
        several => match several.iter().all(|value| value.parse::<f64>().is_ok()) {
            true => Ok(format!("[{}]", several.join(","))),
            false => Err(CommandError::Wrong(format!("{flag}: {} is no list of numbers", several.join(",")))),
        },
    };
    let pairs = keys.into_iter().map(|(key, values)| Ok((key, value(values)?)));
    Ok((bare, pairs.collect::<Result<_, CommandError>>()?))
}

fn is_toml(value: &str) -> bool {
    value.parse::<f64>().is_ok() || ["true", "false"].contains(&value)
}

/// The scene key of a flag's key: `at` and `fov` are abbreviations.
fn long_name(key: &str) -> Result<String, CommandError> {
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match key {
        "at" => Ok("target".to_owned()),
        "fov" => Ok("field".to_owned()),
        _ if is_key => Ok(key.to_owned()),
        _ => Err(CommandError::Wrong(format!("{key:?} is no key; write KEY=VALUE,KEY=VALUE"))),
    }
}

fn quoted(flag: &str, word: &str) -> Result<String, CommandError> {
    if word.is_empty() || word.contains(['"', '\\']) || word.chars().any(char::is_control) {
        return Err(CommandError::Wrong(format!("{flag}: {word:?} cannot be a value")));
    }
    Ok(format!("\"{word}\""))
}

/// Reads `1920x1080`.
fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let size = text.split_once(['x', '×', ',']).and_then(|(width, height)| {
        let number =
            |text: &str| text.trim().parse::<u32>().ok().filter(|pixels| (16..=8192).contains(pixels));
        Some([number(width)?, number(height)?])
    });
    size.ok_or_else(|| "write it as WIDTHxHEIGHT, such as 1920x1080, each from 16 to 8192".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use undine::LoadOptions;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        picture: PictureArgs,
    }

    fn shot(args: &[&str]) -> PictureArgs {
        Line::try_parse_from(["undine"].iter().chain(args)).unwrap_or_else(|error| panic!("{error}")).picture
    }

    fn overrides(scene: &str, args: &[&str]) -> Vec<String> {
        let scene =
            Scene::parse("s", &format!("[scene]\nduration = 4\n{scene}"), &LoadOptions::default()).unwrap();
        shot(args).overrides(&scene, 96, 24.0).unwrap_or_else(|exit| panic!("{exit:?}"))
    }

    #[test]
    fn flags_are_short_for_overrides() {
        assert_eq!(overrides("", &[]), [""; 0]);
        assert_eq!(overrides("", &["--preview"]), ["picture.0.kind=\"preview\""]);
        assert_eq!(overrides("", &["--size", "320x180"]), ["picture.0.size=[320,180]"]);
        assert_eq!(
            overrides("", &["--sky", "sun_elevation=10*t,clouds=0.5"]),
            ["sky.sun_elevation=\"10*t\"", "sky.clouds=0.5"]
        );
        let two = "[[picture]]\nkind = 'plot'\n[[picture]]\n";
        assert_eq!(
            overrides(two, &["--trace", "--look", "honey"]),
            ["picture.1.look=\"honey\"", "picture.1.kind=\"trace\""]
        );
        let own = "[[picture]]\nscattering = [1, 2, 3]\n";
        assert_eq!(
            overrides(own, &["--look", "milk"]),
            ["picture.0.look=\"milk\"", "picture.0.scattering=[400,400,400]"]
        );
    }

    #[test]
    fn a_view_or_an_eye_replaces_the_camera_and_a_distance_does_not() {
        assert_eq!(
            overrides("", &["--camera", "eye=1,-2,3,at=0,0,0,fov=40"]),
            ["camera={eye=[1,-2,3],target=[0,0,0],field=40}"]
        );
        assert_eq!(overrides("", &["--camera", "top"]), ["camera={view=\"top\"}"]);
        assert_eq!(overrides("", &["--camera", "distance=4"]), ["camera.distance=4"]);
    }

    #[test]
    fn turntables_and_waypoints_become_camera_paths() {
        let turned = ["camera.path=\"turntable\"", "camera.seconds=4"];
        assert_eq!(overrides("[camera]\nazimuth = 3\n", &["--turntable"]), turned);
        assert_eq!(overrides("", &["--turntable", "48"]), ["camera.path=\"turntable\"", "camera.seconds=2"]);
        let places = ["--waypoint", "time=0,eye=9,0,2", "--waypoint", "time=4,eye=-9,0,2"];
        assert_eq!(
            overrides("[camera]\nazimuth = 3\n", &places),
            ["camera={path=\"fly-through\",waypoint=[{time=0,eye=[9,0,2]},{time=4,eye=[-9,0,2]}]}"]
        );
        let flies = "[camera]\npath = 'fly-through'\nwaypoint = [{ time = 0, eye = [1, 2, 3] }, { time = 1, eye = [1, 2, 4] }]\n";
        assert_eq!(overrides(flies, &["--turntable", "24"]), ["camera={path=\"turntable\",seconds=1}"]);
    }

    #[test]
    fn malformed_values_are_refused() {
        let scene = Scene::parse("s", "[scene]\nduration = 4\n", &LoadOptions::default()).unwrap();
        for args in [
            ["--camera", "eye=1,two,3"],
            ["--camera", "=3"],
            ["--camera", "front,back"],
            ["--camera", "top,x=\"3\""],
            ["--sky", "dusk"],
            ["--waypoint", "here"],
            ["--look", "a\"b"],
        ] {
            assert!(
                matches!(shot(&args).overrides(&scene, 1, 24.0), Err(CommandError::Wrong(_))),
                "{args:?}"
            );
        }
        for size in ["1920", "0x9", "9x", "99999x10", "axb"] {
            assert!(parse_size(size).is_err(), "{size}");
        }
        assert_eq!(parse_size("1920x1080"), Ok([1920, 1080]));
    }
}
