//! A scene: its `[scene]` section is read; the other sections are read later by their owners.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::check::CheckContext;
use crate::entry::SectionEntry;
use crate::fence::{self, Fence, PathRefusal};
use crate::include::{self, IncludeReader};
use crate::name;
use crate::overrides;
use crate::phrase;
use crate::problem::{Problem, SceneErrors};
use crate::resolved;
use crate::schema::{Absent, Key};
use crate::section::Section;
use crate::source_location::{SourceText, Span};
use crate::suggest;
use crate::tree::{self, Node, TomlTable, TomlValue};
use crate::values::Values;

/// Most frames a scene may ask for.
const MOST_FRAMES: f64 = 1e7;

/// The `[scene]` section.
pub static SCENE: SectionEntry = SectionEntry {
    name: "scene",
    summary: "the clock, and what holds for all waters",
    repeats: false,
    common: SCENE_KEYS,
    kinds: &[],
};

/// The keys of the `[scene]` section.
pub static SCENE_KEYS: &[Key] = &[
    Key::text("name").optional("the name of the file").help("names the scene and its output folder"),
    Key::text("summary").default(Absent::Text("")).help("says in one line what is to be seen"),
    Key::number("duration").unit("s").positive_to(86400.0 * 365.0).help("how long the water is simulated"),
    Key::number("fps").positive_to(1000.0).or(24.0).help("frames per second"),
    Key::integer("seed")
        .within(0.0, f64::INFINITY)
        .default(Absent::Integer(1))
        .help("seeds all random numbers"),
    Key::number("gravity")
        .unit("m/s²")
        .within(0.0, 1000.0)
        .or(9.81)
        .help("how strongly things fall, downwards"),
];

/// How a scene is loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOptions {
    /// Overrides like `water.0.wind=12`, applied in order (`--set`).
    pub overrides: Vec<String>,
    /// Factor for keys that are marked as scaled: resolutions (`--scale`).
    pub scale: f64,
    /// Lets assets and includes come from anywhere (`--allow-outside`).
    pub allow_outside: bool,
}

impl Default for LoadOptions {
    fn default() -> LoadOptions {
        LoadOptions { overrides: Vec::new(), scale: 1.0, allow_outside: false }
    }
}

/// A scene whose text is sound and whose `[scene]` section has been read.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Its name, fit to name a folder.
    pub name: String,
    /// What is to be seen, in one line.
    pub summary: String,
    /// How long the water is simulated, in seconds.
    pub duration: f64,
    /// Frames per second.
    pub fps: f64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Gravity in m/s², downwards, never negative.
    pub gravity: f64,
    root: TomlTable,
    /// The end of the scene file, where problems with absent sections are placed.
    end: Span,
    surroundings: CheckContext,
    resolved: String,
    is_resumed: bool,
}

impl Scene {
    /// Loads a scene file with its includes; they, and the files it names, must lie below its folder.
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Scene, SceneErrors> {
        let shown = path.display().to_string();
        let bytes = fence::read(path, &shown).map_err(unplaced)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let fence = Fence::around(folder, options.allow_outside).map_err(unplaced)?;
        let source =
            include::decode(0, shown, bytes, Some(path.parent().unwrap_or(Path::new("")).to_path_buf()))?;
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let mut reader = IncludeReader::new(&fence);
        let root = reader.file(real, &source);
        reader.errors.into_result()?;
        Scene::build(name::of_file(path), root, source, fence, options)
    }

    /// Reads a scene from a text without a file. It cannot include or name files.
    pub fn parse(name: &str, text: &str, options: &LoadOptions) -> Result<Scene, SceneErrors> {
        Scene::parse_with_files(name, text, &[], options)
    }

    /// Reads a scene from a text that came with some files, each under its path below the scene's folder. It can
    /// include and name these and no others, and the disk is not touched.
    pub fn parse_with_files(
        name: &str,
        text: &str,
        files: &[(&str, &[u8])],
        options: &LoadOptions,
    ) -> Result<Scene, SceneErrors> {
        Scene::parse_within(name, text, None, Fence::carrying(files), options)
    }

    /// Reads a scene from a text as if it stood in a file of `folder`: it can include and name the files below it.
    pub fn parse_in_folder(
        name: &str,
        text: &str,
        folder: &Path,
        options: &LoadOptions,
    ) -> Result<Scene, SceneErrors> {
        let fence = Fence::around(folder, options.allow_outside).map_err(unplaced)?;
        Scene::parse_within(name, text, Some(folder.to_path_buf()), fence, options)
    }

    fn parse_within(
        name: &str,
        text: &str,
        folder: Option<PathBuf>,
        fence: Fence,
        options: &LoadOptions,
    ) -> Result<Scene, SceneErrors> {
        if text.len() as u64 > fence::LARGEST {
            return Err(Problem::new(format!("{} is larger than 16 MiB", phrase::quoted(name)), "").into());
        }
        let source = SourceText::new(0, name.to_owned(), text, folder);
        let mut reader = IncludeReader::new(&fence);
        let root = reader.text(&source);
        reader.errors.into_result()?;
        Scene::build(name.trim_end_matches(".toml").to_owned(), root, source, fence, options)
    }

    fn build(
        name: String,
        mut root: TomlTable,
        source: Arc<SourceText>,
        fence: Fence,
        options: &LoadOptions,
    ) -> Result<Scene, SceneErrors> {
        // Changes from the command line, as if they stood in the file
        let mut errors = SceneErrors::new();
        for (at, typed) in (1u32..).zip(&options.overrides) {
            let folder = source.folder.clone();
            // Overrides rank behind all files, of which there are fewer.
            let pseudo = SourceText::new(1000 + at, format!("--set {at}"), typed, folder);
            errors.keep(overrides::apply(&mut root, &pseudo));
        }

        // What can be refused before any section is read
        errors.absorb(tree::check_depth(&root));
        if !(options.scale > 0.0 && options.scale.is_finite()) {
            let message =
                format!("the scale must be above 0 and finite, not {}", phrase::number(options.scale));
            errors.push(Problem::new(message, "give --scale a factor like 0.5 or 2"));
        }

        // The tree as it is, then [scene] read into it; problems of both are reported together
        let scene = Scene {
            name,
            summary: String::new(),
            duration: 0.0,
            fps: 0.0,
            seed: 0,
            gravity: 0.0,
            root,
            end: source.end(),
            surroundings: CheckContext { duration: 0.0, scale: options.scale, fence },
            is_resumed: false,
            resolved: String::new(),
        };
        match scene.with_header() {
            Ok(scene) if errors.is_empty() => Ok(scene.with_resolved()),
            Ok(_) => Err(errors),
            Err(others) => {
                errors.absorb(others);
                Err(errors)
            }
        }
    }

    /// Reads the `[scene]` section into the scene itself.
    fn with_header(mut self) -> Result<Scene, SceneErrors> {
        let values = self.section("scene").read(&[SCENE_KEYS])?;
        self.name = values.text_if("name").map_or_else(|| name::made_fit(&self.name), str::to_owned);
        self.summary = values.text("summary").to_owned();
        self.duration = values.number("duration");
        self.fps = values.number("fps");
        self.seed = values.integer("seed").unsigned_abs();
        self.gravity = values.number("gravity");
        self.surroundings.duration = self.duration;
        self.check_header(&values).into_result().map(|()| self)
    }

    fn check_header(&self, values: &Values) -> SceneErrors {
        let mut errors = SceneErrors::new();
        if !name::is_fit(&self.name) {
            let message = format!("{} cannot name a folder", phrase::quoted(&self.name));
            let remedy = "use up to 100 letters, digits, blanks, - and _, not starting with a point";
            errors.push(values.problem("name", message, remedy));
        }
        let frames = self.duration * self.fps;
        if frames > MOST_FRAMES {
            let message = format!("duration and fps make {} frames", phrase::number(frames.floor() + 1.0));
            let remedy = "shorten duration or lower fps: at most 10000000 frames";
            errors.push(values.problem("duration", message, remedy));
        }
        errors
    }

    /// Writes the scene as meant. A name that came from the file's name is written too, to be kept under another.
    fn with_resolved(mut self) -> Scene {
        let end = self.end.range.clone();
        if let Some(TomlValue::Table(table)) = self.root.get_mut("scene").map(|node| &mut node.value) {
            let name = || Node::new(&self.end.source, end.clone(), end, TomlValue::Text(self.name.clone()));
            table.entry("name".to_owned()).or_insert_with(name);
        }
        self.resolved = resolved::write(&self.root, self.surroundings.scale);
        self
    }

    /// How many frames the scene has; frame 0 is its start.
    ///
    /// ```
    /// use undine_scene::{LoadOptions, Scene};
    ///
    /// let scene = Scene::parse("pond", "[scene]\nduration = 0.3\nfps = 10\n", &LoadOptions::default())?;
    /// assert_eq!(scene.frame_count(), 4);
    /// assert_eq!(scene.frame_time(3), 0.3);
    /// # Ok::<(), undine_scene::SceneErrors>(())
    /// ```
    pub fn frame_count(&self) -> u64 {
        // The small addition forgives 0.3 s × 10 / s = 2.999….
        (self.duration * self.fps + 1e-9).floor() as u64 + 1
    }

    /// The time of a frame in seconds.
    pub fn frame_time(&self, frame: u64) -> f64 {
        frame as f64 / self.fps
    }

    /// A section that stands once, like `[camera]`. One that is absent reads as empty.
    pub fn section<'s>(&'s self, name: &'s str) -> Section<'s> {
        let node = self.root.get(name).map(|node| match &node.value {
            TomlValue::Array(elements) if elements.len() == 1 => &elements[0],
            _ => node,
        });
        Section::new(self, name, None, node)
    }

    /// All sections of a name that may stand several times, like `[[water]]`; a single `[water]` counts as one.
    pub fn sections<'s>(&'s self, name: &'s str) -> Vec<Section<'s>> {
        let elements = self.root.get(name).map_or(&[] as &[Node], Node::elements);
        let section = |(index, node)| Section::new(self, name, Some(index), Some(node));
        elements.iter().enumerate().map(section).collect()
    }

    /// Whether the scene has such a section.
    pub fn has(&self, name: &str) -> bool {
        self.root.contains_key(name)
    }

    /// Problems for sections that nothing reads. `scene` and `include` are always known.
    pub fn check_sections(&self, known: &[&str]) -> SceneErrors {
        let mut errors = SceneErrors::new();
        for (name, node) in
            self.root.iter().filter(|(name, _)| *name != "scene" && !known.contains(&name.as_str()))
        {
            let belongs = SCENE_KEYS.iter().any(|key| key.name == name) && node.as_table().is_none();
            let remedy = match belongs {
                true => "it belongs below [scene]".to_owned(),
                false => suggest::remedy(name, std::iter::once("scene").chain(known.iter().copied())),
            };
            errors.push(Problem::at(
                &node.key_span(),
                format!("unknown section {}", phrase::quoted(name)),
                remedy,
            ));
        }
        errors
    }

    /// The scene as meant: includes merged, overrides applied, the scale noted in a comment.
    ///
    /// The text is the same for files that say the same. With the same scale it parses to the same scene again; paths
    /// of assets stand as typed.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }

    pub(crate) fn end(&self) -> &Span {
        &self.end
    }

    /// The same scene with its resolutions multiplied by a further factor, as `--scale` does. A factor that is not positive
    /// and finite changes nothing.
    ///
    /// ```
    /// use undine_scene::{LoadOptions, Scene};
    ///
    /// let options = LoadOptions { scale: 0.5, ..LoadOptions::default() };
    /// let scene = Scene::parse("pond", "[scene]\nduration = 1\n", &options)?;
    /// assert!(scene.rescaled(0.5).resolved().starts_with("# scale = 0.25\n"));
    /// # Ok::<(), undine_scene::SceneErrors>(())
    /// ```
    pub fn rescaled(&self, factor: f64) -> Scene {
        let mut scene = self.clone();
        let scale = self.surroundings.scale * factor;
        if scale > 0.0 && scale.is_finite() {
            scene.surroundings.scale = scale;
        }
        scene.with_resolved()
    }

    /// The same scene for waters that take up a state as soon as they are built.
    pub fn resumed(&self) -> Scene {
        Scene { is_resumed: true, ..self.clone() }
    }

    /// Whether its waters take up a state as soon as they are built: what is costly about their start may be left out.
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    pub(crate) fn root_mut(&mut self) -> &mut TomlTable {
        &mut self.root
    }

    /// The folder that paths typed in the scene file start from.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.end.source.folder.clone()
    }

    /// Reads the header again and writes the scene as it is now meant.
    pub(crate) fn reread(self) -> Result<Scene, SceneErrors> {
        self.with_header().map(Scene::with_resolved)
    }

    pub(crate) fn surroundings(&self) -> &CheckContext {
        &self.surroundings
    }
}

/// A refusal that no place in a text led to.
fn unplaced(refusal: PathRefusal) -> SceneErrors {
    Problem::new(refusal.message, refusal.remedy).into()
}
