//! Automatic picture size and samples per pixel of the path tracer, where the scene does not set them.
//!
//! The time budget is minutes for a film and one minute for a still: of the sizes and qualities below, the best that fits is
//! taken. The choice depends on the number of processors, the size and the number of pictures alone, never on a clock, so
//! that it is deterministic and known before a run. Rendering time is estimated from measurements of the bundled scenes.

use std::fmt;

use crate::settings::FULL_SIZE;
use crate::trace::{TraceQuality, TraceSpec};
use crate::{PictureKind, PictureSpec};

/// Which settings are chosen automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AutoChoices {
    /// Whether a picture in space is a preview or traced: a film is a preview, a still is traced.
    pub kind: bool,
    /// The size of the picture.
    pub size: bool,
    /// Quality and the number of paths per pixel.
    pub paths: bool,
}

/// Size, quality and paths per pixel of a traced picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Pixels along a row and rows.
    pub size: [u32; 2],
    /// Quality preset: limits of path length and splitting.
    pub quality: TraceQuality,
    /// Most paths per pixel.
    pub paths: u32,
}

impl Effort {
    /// Column names of its values, for the record of a run.
    pub const PARTS: [&str; 4] = ["width", "height", "quality", "paths"];

    /// Its values as text.
    pub fn parts(&self) -> [String; 4] {
        let [width, height] = self.size.map(|pixels| pixels.to_string());
        [width, height, self.quality.name().to_owned(), self.paths.to_string()]
    }

    /// Parses the values.
    pub fn from_parts(parts: &[&str]) -> Option<Effort> {
        let [width, height, quality, paths] = parts else { return None };
        let number = |text: &str, most: u32| text.parse().ok().filter(|number| (1..=most).contains(number));
        Some(Effort {
            size: [number(width, 8192)?, number(height, 8192)?],
            quality: TraceQuality::named(quality)?,
            paths: number(paths, 65536)?,
        })
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([width, height], quality, paths) = (self.size, self.quality.name(), self.paths);
        write!(f, "{width} × {height}, quality {quality}, up to {paths} paths for a pixel")
    }
}

impl TraceQuality {
    /// Its name in a scene file.
    pub fn name(self) -> &'static str {
        match self {
            TraceQuality::Draft => "draft",
            TraceQuality::Good => "good",
            TraceQuality::Best => "best",
        }
    }

    /// The quality of this name.
    pub fn named(name: &str) -> Option<TraceQuality> {
        [TraceQuality::Draft, TraceQuality::Good, TraceQuality::Best]
            .into_iter()
            .find(|quality| quality.name() == name)
    }
}

/// Wall-clock budget of a film, in seconds.
const FILM: f64 = 300.0;
/// Least and greatest wall-clock budget of one picture, in seconds.
const PICTURE: [f64; 2] = [2.6, 60.0];

/// Picture sizes, largest first.
const SIZES: [[u32; 2]; 3] = [[1280, 720], [960, 540], [640, 360]];
/// Qualities and paths per pixel, best first. Films use no `Best`: the difference is not visible in motion.
const STEPS: [(TraceQuality, u32); 8] = [
    (TraceQuality::Best, 512),
    (TraceQuality::Best, 128),
    (TraceQuality::Good, 64),
    (TraceQuality::Good, 24),
    (TraceQuality::Good, 12),
    (TraceQuality::Draft, 12),
    (TraceQuality::Draft, 8),
    (TraceQuality::Draft, 4),
];
/// The step below which a smaller picture size is preferred.
const FAIR: (TraceQuality, u32) = (TraceQuality::Draft, 8);

/// Setup time in seconds on one thread: meshes, acceleration structures, caustics maps.
const BEFORE: f64 = 1.2;
/// Fraction of the pixels that adaptive sampling continues after the least number of paths.
const UNDECIDED: f64 = 0.27;

/// Estimated time to trace a picture, in seconds on one thread.
pub fn trace_seconds([width, height]: [u32; 2], spec: &TraceSpec) -> f64 {
    let per_path = match spec.quality {
        TraceQuality::Draft => 3.3e-6,
        TraceQuality::Good => 4e-6,
        TraceQuality::Best => 8e-6,
    };
    let [least, most] = spec.samples().map(f64::from);
    let paths = least + UNDECIDED * (most - least);
    BEFORE + f64::from(width) * f64::from(height) * paths * per_path
}

impl PictureSpec {
    /// The effort for each of `pictures` frames on so many processors; `None` if the scene sets everything.
    ///
    /// ```
    /// use undine_scene::{LoadOptions, Scene};
    ///
    /// let text = "[scene]\nduration = 4\n[[picture]]\nkind = 'trace'\n";
    /// let scene = Scene::parse("pond", text, &LoadOptions::default())?;
    /// let picture = &undine_render::Pictures::read(&scene)?[0];
    /// let (film, still) = (picture.effort(97, 2).unwrap(), picture.effort(1, 2).unwrap());
    /// assert!(film.size[0] < still.size[0] && film.paths < still.paths);
    /// # Ok::<(), undine_scene::SceneErrors>(())
    /// ```
    pub fn effort(&self, pictures: u64, processors: usize) -> Option<Effort> {
        let PictureKind::Trace(spec) = &self.kind else { return None };
        if !(self.auto_choices.size || self.auto_choices.paths) {
            return None;
        }
        let clock = (FILM / pictures.max(1) as f64).clamp(PICTURE[0], PICTURE[1]);
        let budget = clock * processors.max(1) as f64;
        let fits = |size: [u32; 2], (quality, paths): (TraceQuality, u32)| {
            let spec = TraceSpec { quality, paths: Some(paths), ..TraceSpec::default() };
            trace_seconds(size, &spec) <= budget
        };
        let own = (spec.quality, spec.samples()[1]);
        let size = match self.auto_choices {
            AutoChoices { size: false, .. } => [self.width, self.height],
            AutoChoices { paths, .. } => {
                let wanted = if paths { FAIR } else { own };
                SIZES.into_iter().find(|&size| fits(size, wanted)).unwrap_or(SIZES[2])
            }
        };
        let is_worth_it = |quality: TraceQuality| pictures <= 1 || quality != TraceQuality::Best;
        let mut steps = STEPS.into_iter().filter(|&(quality, _)| is_worth_it(quality));
        let (quality, paths) = match self.auto_choices.paths {
            true => steps.find(|&step| fits(size, step)).unwrap_or(STEPS[7]),
            false => own,
        };
        Some(Effort { size, quality, paths })
    }

    /// The same picture, traced where the scene leaves the kind open.
    pub fn traced_if_open(mut self) -> PictureSpec {
        let PictureKind::Preview(scene) = &self.kind else { return self };
        if self.auto_choices.kind {
            self.kind =
                PictureKind::Trace(Box::new(TraceSpec { scene: scene.clone(), ..TraceSpec::default() }));
            self.auto_choices.kind = false;
            if self.auto_choices.size {
                [self.width, self.height] = FULL_SIZE;
            }
        }
        self
    }

    /// The same picture with this effort.
    pub fn with_effort(mut self, effort: &Effort) -> PictureSpec {
        if let PictureKind::Trace(spec) = &mut self.kind {
            [self.width, self.height] = effort.size;
            (spec.quality, spec.paths) = (effort.quality, Some(effort.paths));
            self.auto_choices = AutoChoices::default();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use undine_scene::{LoadOptions, Scene};

    use super::*;
    use crate::Pictures;

    fn picture(keys: &str) -> PictureSpec {
        let kind = if keys.contains("kind") { "" } else { "kind = 'trace'" };
        let text = format!("[scene]\nduration = 4\n[[picture]]\n{kind}\n{keys}\n");
        let scene = Scene::parse("tank", &text, &LoadOptions::default()).unwrap();
        Pictures::read(&scene).unwrap().remove(0)
    }

    fn seconds(effort: &Effort) -> f64 {
        let spec = TraceSpec { quality: effort.quality, paths: Some(effort.paths), ..TraceSpec::default() };
        trace_seconds(effort.size, &spec)
    }

    #[test]
    fn a_film_takes_minutes_on_two_processors_and_a_still_a_minute() {
        let film = picture("").effort(97, 2).unwrap();
        assert_eq!(film.size, [640, 360]);
        assert!((1.0..4.0).contains(&(seconds(&film) / 2.0)), "{film:?}");
        let still = picture("").effort(1, 2).unwrap();
        assert!(still.size == [1280, 720] && seconds(&still) / 2.0 <= 60.0, "{still:?}");
    }

    #[test]
    fn more_processors_never_make_less_of_it() {
        for pictures in [1, 97, 2000] {
            let efforts: Vec<_> =
                (1..200).map(|processors| picture("").effort(pictures, processors).unwrap()).collect();
            let pixels = |effort: &Effort| effort.size[0] * effort.size[1];
            assert!(efforts.windows(2).all(|pair| pixels(&pair[0]) <= pixels(&pair[1])));
            assert!(efforts[198].paths > efforts[0].paths, "{:?}", efforts[198]);
        }
    }

    #[test]
    fn settings_of_the_scene_are_kept() {
        assert_eq!(picture("size = [320, 180]").effort(97, 2).unwrap().size, [320, 180]);
        assert_eq!(picture("size = [320, 180]\nquality = 'good'").effort(97, 2), None);
        assert_eq!(picture("size = [320, 180]\npaths = 5").effort(97, 2), None);
        let paths = picture("paths = 300").effort(97, 2).unwrap();
        assert_eq!((paths.size, paths.paths), ([640, 360], 300));
        assert_eq!(picture("kind = 'preview'").effort(97, 2), None);
        assert_eq!(picture("kind = 'plot'").effort(97, 2), None);
    }

    #[test]
    fn an_effort_that_was_chosen_is_kept() {
        let effort = Effort { size: [640, 360], quality: TraceQuality::Good, paths: 24 };
        let fitted = picture("").with_effort(&effort);
        assert_eq!((fitted.width, fitted.height, fitted.effort(1, 64)), (640, 360, None));
        let PictureKind::Trace(trace) = &fitted.kind else { panic!("not traced") };
        assert_eq!((trace.quality, trace.paths), (TraceQuality::Good, Some(24)));
        let parts = effort.parts();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        assert_eq!(Effort::from_parts(&parts), Some(effort));
        assert_eq!(Effort::from_parts(&["640", "360", "good", "0"]), None);
        assert_eq!(Effort::from_parts(&["640", "360", "fine", "24"]), None);
    }
}
