//! Tools of the studio that place sections: the gesture of the pointer, and the section that it writes.

/// A tool that places a section of some kind in a scene.
///
/// Kinds of several sections may have tools of one name: the tool then places the section that the open water reads.
#[derive(Debug, Clone, Copy)]
pub struct ToolEntry {
    /// Its name.
    pub name: &'static str,
    /// An icon of one or two characters.
    pub icon: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// Sort key in the palette. The studio's own tools have 0 to 50 and 90 to 130.
    pub order: u32,
    /// The tool settings that it uses.
    pub settings: &'static [ToolSetting],
    /// The gesture that places the section.
    pub gesture: Gesture,
    /// The section as an inline table of TOML.
    pub write: fn(&Placement<'_>) -> String,
}

/// A gesture of the pointer that places a section.
#[derive(Debug, Clone, Copy)]
pub enum Gesture {
    /// A click.
    Click,
    /// A closed outline, drawn freehand or by corners.
    Outline,
    /// A stroke, which adds a part to one section in every frame.
    Stroke {
        /// The key of the section that lists the parts.
        parts: &'static str,
        /// One part as an inline table of TOML.
        write_part: fn(&Placement<'_>) -> String,
    },
}

/// A setting that tools share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolSetting {
    /// Radius.
    Radius,
    /// Volume per second.
    Rate,
    /// Wave period.
    Period,
    /// Height of terrain or of waves.
    Height,
}

/// Position, time and settings of a placement, in metres and seconds.
#[derive(Debug, Clone, Copy)]
pub struct Placement<'a> {
    /// The point of the pointer on the water.
    pub at: [f64; 3],
    /// The closed outline; empty for other gestures.
    pub outline: &'a [[f64; 2]],
    /// Bounding box of the water.
    pub bounds: [[f64; 2]; 2],
    /// Dimension of the water.
    pub dimension: usize,
    /// The time of the scene.
    pub time: f64,
    /// Seconds from one frame to the next.
    pub frame_time: f64,
    /// Radius of the tool.
    pub radius: f64,
    /// Volume per second, in m³/s.
    pub rate: f64,
    /// Wave period.
    pub period: f64,
    /// Height of waves, or of terrain per second.
    pub height: f64,
}

impl Placement<'_> {
    /// The point as a TOML list, with as many numbers as the water has dimensions.
    pub fn point(&self) -> String {
        let [x, y, z] = self.at;
        if self.dimension == 3 { format!("[{x:?}, {y:?}, {z:?}]") } else { format!("[{x:?}, {y:?}]") }
    }

    /// A sin(2π(t − t₀)/T) with the period T, starting now at t₀, as an expression of `t`.
    pub fn sine(&self, amplitude: f64) -> String {
        format!("{amplitude:?}*sin(2*pi*(t-{:?})/{:?})", self.time, self.period)
    }

    /// The side of the water that is nearest: west, east, south or north.
    pub fn nearest_side(&self) -> &'static str {
        let ([x, y, _], [low, high]) = (self.at, self.bounds);
        let sides =
            [("west", x - low[0]), ("east", high[0] - x), ("south", y - low[1]), ("north", high[1] - y)];
        let nearest = sides.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
        nearest.map_or("west", |(side, _)| side)
    }

    /// A placement with ordinary values, for tests of tools.
    pub fn sample(dimension: usize) -> Placement<'static> {
        Placement {
            at: [0.4, 0.3, 0.2],
            outline: &[[0.3, 0.3], [0.6, 0.3], [0.5, 0.7]],
            bounds: [[0.0, 0.0], [1.0, 1.0]],
            dimension,
            time: 0.5,
            frame_time: 0.04,
            radius: 0.1,
            rate: 0.01,
            period: 1.5,
            height: 0.05,
        }
    }
}

impl ToolEntry {
    /// What is wrong with the section that the tool writes, read by the entry and kind that it belongs to.
    ///
    /// For tests: every tool must write what its own section reads.
    pub fn inconsistency(&self, entry: &crate::SectionEntry, kind: &crate::KindEntry) -> Option<String> {
        let problem = |dimension: usize| -> Result<(), String> {
            let placement = Placement::sample(dimension);
            let mut change = format!("{}.0={}", entry.name, (self.write)(&placement));
            if let Gesture::Stroke { parts, write_part } = self.gesture {
                change += &format!("\n{}.0.{parts}.1={}", entry.name, write_part(&placement));
            }
            let options = crate::LoadOptions::default();
            let scene = crate::Scene::parse("tool", "[scene]\nduration = 2\n", &options);
            let scene = scene.and_then(|scene| scene.edited(&crate::Edit::set(change)));
            let scene = scene.map_err(|errors| errors.to_string())?;
            let sections = scene.sections(entry.name);
            let Some(section) = sections.first() else { return Err("nothing is written".to_owned()) };
            let (read, _) = entry.read(section, dimension).map_err(|errors| errors.to_string())?;
            if read.name == kind.name { Ok(()) } else { Err(format!("a {} is written", read.name)) }
        };
        let problems = kind.dimensions.iter().filter_map(|dimension| problem(*dimension).err());
        let place = format!("tool {} of {} {}", self.name, entry.name, kind.name);
        problems.map(|problem| format!("{place}: {problem}")).next()
    }
}
