//! Volume sources of height-field models: springs, drains, rain and disturbances, with the ledger of what they added.
//!
//! They integrate ∂h/∂t = s(x, y, t): each step adds s̄ dt to the depth of the cells under a source's footprint, with the
//! mean s̄ of the rate over the step, so that what is poured is ∫ s dt for a rate of any shape.

use std::io;
use std::ops::Range;

use undine_frame::CloudRole;
use undine_grid::Grid;
use undine_scene::{Problem, Scene, SceneErrors, Section, Timed, Values};
use undine_sim::{CloudView, Disturbance, Reader, Writer};

use super::disturbances::ActiveDisturbances;
use super::drops::Shower;
use super::footprint::{BoxFootprint, DiscFootprint};
use super::side_waves::SideWaves;
use super::source_keys::SOURCE;
use super::{CompensatedSum, HeightFieldSetup};

/// A time step and the scene's seed, as sources need them.
#[derive(Debug, Clone, Copy)]
pub struct StepInterval {
    /// Its start t in seconds.
    pub time: f64,
    /// Its length dt in seconds.
    pub dt: f64,
    /// The seed of the scene's random numbers.
    pub seed: u64,
}

impl StepInterval {
    /// The mean of a rate over the step.
    fn mean(&self, rate: &Timed) -> Result<f64, Problem> {
        rate.mean(self.time, self.time + self.dt)
    }

    /// The mean over the step of a rain intensity in mm/h, as m/s.
    pub(super) fn mean_rain(&self, rate: &Timed) -> Result<f64, Problem> {
        Ok(self.mean(rate)? / 3.6e6)
    }
}

/// A depth field to which sources add water.
pub trait Receiver {
    /// Level of the surface over a cell, or of the ground where it is dry.
    fn level(&self, cell: [usize; 2]) -> f64;

    /// Adds a depth to a cell, or removes at most what is there when it is negative; returns the change.
    fn add(&mut self, cell: [usize; 2], depth: f64) -> f64;

    /// Adds a depth that falls in at once, so that it makes waves; returns the change.
    fn splash(&mut self, cell: [usize; 2], depth: f64) -> f64 {
        self.add(cell, depth)
    }
}

/// The sources of one model.
pub struct HeightFieldSources {
    grid: Grid<2>,
    discs: Vec<DiscSource>,
    rains: Vec<Rain>,
    showers: Vec<Shower>,
    waves: Vec<SideWaves>,
    disturbances: ActiveDisturbances,
    inflow: CompensatedSum,
    outflow: CompensatedSum,
    /// The drops of all showers, for the view.
    positions: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
}

/// A spring or a drain: a rate in m³/s over a disc.
struct DiscSource {
    disc: DiscFootprint,
    rate: Timed,
    is_drain: bool,
}

impl DiscSource {
    /// Volume added during a step, in m³; a drain removes it.
    fn volume(&self, interval: StepInterval) -> Result<f64, Problem> {
        let volume = interval.dt * interval.mean(&self.rate)?;
        Ok(if self.is_drain { -volume } else { volume })
    }
}

/// Uniform rain over a box.
struct Rain {
    area: BoxFootprint,
    rate: Timed,
}

impl HeightFieldSources {
    /// Reads the `[[source]]` sections of the water with these values; reports all problems at once.
    pub fn read(
        scene: &Scene,
        water: &Values,
        setup: &HeightFieldSetup,
    ) -> Result<HeightFieldSources, SceneErrors> {
        let mut sources = HeightFieldSources {
            grid: setup.grid,
            discs: Vec::new(),
            rains: Vec::new(),
            showers: Vec::new(),
            waves: Vec::new(),
            disturbances: ActiveDisturbances::default(),
            inflow: CompensatedSum::default(),
            outflow: CompensatedSum::default(),
            positions: Vec::new(),
            velocities: Vec::new(),
        };
        let name = water.text_if("name").unwrap_or(water.text("kind"));
        let mut errors = SceneErrors::default();
        for section in scene.sections("source") {
            errors.keep(sources.read_one(scene, &section, name, setup));
        }
        errors.into_result().map(|()| sources)
    }

    fn read_one(
        &mut self,
        scene: &Scene,
        section: &Section<'_>,
        name: &str,
        setup: &HeightFieldSetup,
    ) -> Result<(), SceneErrors> {
        let (kind, values) = SOURCE.read(section, 2)?;
        if let Some(wanted) = values.text_if("water") {
            check_water(scene, &values, wanted)?;
            if wanted != name {
                return Ok(());
            }
        }
        match kind.name {
            "spring" | "drain" => self.discs.push(disc_source(&values, &self.grid, kind.name == "drain")?),
            "waves" => self.waves.push(SideWaves::read(&values, &self.grid)),
            _ => self.read_rain(&values, setup)?,
        }
        Ok(())
    }

    fn read_rain(&mut self, values: &Values, setup: &HeightFieldSetup) -> Result<(), SceneErrors> {
        let area = rain_area(values, &self.grid)?;
        if values.flag("drops") {
            let highest =
                setup.bed.iter().map(|(at, bed)| bed + setup.depth[at]).fold(f64::NEG_INFINITY, f64::max);
            self.showers.push(Shower::new(values, area, &self.grid, highest));
        } else {
            self.rains.push(Rain { area, rate: values.timed("rate").clone() });
        }
        Ok(())
    }

    /// Adds what all sources give during a step, and records it in the ledger.
    pub fn apply(&mut self, interval: StepInterval, water: &mut impl Receiver) -> Result<(), Problem> {
        let mut ledger = SourceLedger {
            inflow: &mut self.inflow,
            outflow: &mut self.outflow,
            area: self.grid.cell_measure(),
        };
        for rain in &self.rains {
            let depth = interval.mean_rain(&rain.rate)? * interval.dt;
            if depth > 0.0 {
                rain.area.each(|cell| ledger.add(water, cell, depth));
            }
        }
        self.apply_local(interval, water)
    }

    /// Like [`apply`](HeightFieldSources::apply) without the uniform rain, for a model that keeps account of it by area.
    pub fn apply_local(&mut self, interval: StepInterval, water: &mut impl Receiver) -> Result<(), Problem> {
        let area = self.grid.cell_measure();
        // Springs and drains
        let mut ledger = SourceLedger { inflow: &mut self.inflow, outflow: &mut self.outflow, area };
        for source in &self.discs {
            let volume = source.volume(interval)?;
            source.disc.each(|cell, depth| ledger.add(water, cell, volume * depth));
        }
        // A drop lands when it reaches the surface, and spreads over a disc there
        for (index, shower) in self.showers.iter_mut().enumerate() {
            let (volume, splash) = (shower.drop_volume(), shower.splash);
            let grid = &self.grid;
            shower.fall(interval, index, grid, |[x, y, z]| {
                let [column, row] = grid.cell_at([x, y]);
                let [columns, rows] = grid.cells();
                let cell = [
                    column.clamp(0, columns as isize - 1) as usize,
                    row.clamp(0, rows as isize - 1) as usize,
                ];
                let has_landed = z <= water.level(cell);
                if let Some(disc) =
                    DiscFootprint::new(grid, grid.centre(cell.map(|index| index as isize)), splash)
                    && has_landed
                {
                    disc.each(|cell, depth| ledger.splash(water, cell, volume * depth));
                }
                has_landed
            })?;
        }
        self.disturbances.apply(interval.dt, &self.grid, |cell, depth| ledger.splash(water, cell, depth));
        self.gather_drops();
        Ok(())
    }

    /// The columns and rows on which each uniform rain falls.
    pub fn rain_areas(&self) -> impl Iterator<Item = [Range<usize>; 2]> {
        self.rains.iter().map(|rain| [rain.area.columns.clone(), rain.area.rows.clone()])
    }

    /// The depth in metres that a uniform rain brings in a step.
    pub fn rain_depth(&self, rain: usize, interval: StepInterval) -> Result<f64, Problem> {
        Ok(interval.mean_rain(&self.rains[rain].rate)? * interval.dt)
    }

    /// Collects the drops of all showers for the view.
    fn gather_drops(&mut self) {
        self.positions.clear();
        self.velocities.clear();
        for shower in &self.showers {
            self.positions.extend_from_slice(&shower.positions);
            self.velocities.resize(self.positions.len(), shower.velocity());
        }
    }

    /// Adds a drop, a jet or rain; false for a push, which is the model's part, and for what is out of range.
    pub fn disturb(&mut self, disturbance: &Disturbance) -> bool {
        self.disturbances.insert(disturbance, &self.grid)
    }

    /// The incoming waves at the sides.
    pub fn waves(&self) -> &[SideWaves] {
        &self.waves
    }

    /// The drops in the air.
    pub fn particles(&self) -> Option<CloudView<'_>> {
        let radius = self.showers.iter().map(|shower| shower.drop_radius as f32).fold(0.0, f32::max);
        (!self.showers.is_empty()).then_some(CloudView {
            role: CloudRole::Rain,
            positions: &self.positions,
            velocities: &self.velocities,
            radius,
            attributes: Vec::new(),
        })
    }

    /// Whether there is nothing to apply: a model may then skip the pass.
    pub fn is_idle(&self) -> bool {
        self.discs.is_empty()
            && self.rains.is_empty()
            && self.showers.is_empty()
            && self.disturbances.is_empty()
    }

    /// Volume added by sources since the start, in m³.
    pub fn inflow(&self) -> f64 {
        self.inflow.value()
    }

    /// Volume removed by sources since the start, in m³.
    pub fn outflow(&self) -> f64 {
        self.outflow.value()
    }

    /// Writes the state that changes in time.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let ([inflow, more], [outflow, rest]) = (self.inflow.parts(), self.outflow.parts());
        to.values("poured", &[inflow, more, outflow, rest])?;
        to.integer("showers", self.showers.len() as u64)?;
        self.showers.iter().try_for_each(|shower| shower.save(to))?;
        self.disturbances.save(to)
    }

    /// Restores the state saved by these sources or by others: a shower that is new has no drops in the air yet.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let [inflow, more, outflow, rest] = from.array("poured")?;
        self.inflow = CompensatedSum::from_parts([inflow, more]);
        self.outflow = CompensatedSum::from_parts([outflow, rest]);
        let saved = from.integer("showers")?;
        let mut showers = self.showers.iter_mut();
        for _ in 0..saved {
            match showers.next() {
                Some(shower) => shower.restore(from)?,
                None => Shower::skip(from)?,
            }
        }
        showers.for_each(Shower::clear);
        self.disturbances.restore(from)?;
        self.gather_drops();
        Ok(())
    }
}

/// Sums of what sources add and remove, in m³.
struct SourceLedger<'a> {
    inflow: &'a mut CompensatedSum,
    outflow: &'a mut CompensatedSum,
    area: f64,
}

impl SourceLedger<'_> {
    fn add(&mut self, water: &mut impl Receiver, cell: [usize; 2], depth: f64) {
        self.record(water.add(cell, depth));
    }

    fn splash(&mut self, water: &mut impl Receiver, cell: [usize; 2], depth: f64) {
        self.record(water.splash(cell, depth));
    }

    fn record(&mut self, depth: f64) {
        let volume = depth * self.area;
        if volume >= 0.0 { self.inflow.add(volume) } else { self.outflow.add(-volume) }
    }
}

/// Reads a spring or a drain.
fn disc_source(values: &Values, grid: &Grid<2>, is_drain: bool) -> Result<DiscSource, SceneErrors> {
    let disc = DiscFootprint::new(grid, values.vector("at"), values.number("radius")).ok_or_else(|| {
        let ([west, south], [east, north]) = (grid.origin(), grid.far_corner());
        let remedy = format!("the domain reaches from [{west}, {south}] to [{east}, {north}]");
        values.problem("at", "the source stands outside the water's domain", remedy)
    })?;
    Ok(DiscSource { disc, rate: values.timed("rate").clone(), is_drain })
}

/// The cells on which rain falls: between the corners `from` and `to`, or all.
fn rain_area(values: &Values, grid: &Grid<2>) -> Result<BoxFootprint, SceneErrors> {
    match (values.vector_if("from"), values.vector_if("to")) {
        (None, None) => Ok(BoxFootprint::all(grid)),
        (Some(from), Some(to)) => BoxFootprint::between(grid, from, to).ok_or_else(|| {
            values.problem("from", "the rain falls beside the water's domain", "move its corners").into()
        }),
        (Some(_), None) => {
            Err(values.problem("from", "the box has one corner only", "give to as well").into())
        }
        (None, Some(_)) => {
            Err(values.problem("to", "the box has one corner only", "give from as well").into())
        }
    }
}

/// A source that names a water must name one that exists.
fn check_water(scene: &Scene, values: &Values, wanted: &str) -> Result<(), SceneErrors> {
    let waters = scene.sections("water");
    let names: Vec<&str> =
        waters.iter().filter_map(|water| water.text("name").or_else(|| water.text("kind"))).collect();
    if names.contains(&wanted) {
        return Ok(());
    }
    let remedy = undine_scene::known_words(wanted, names);
    Err(values.problem("water", format!("no water is called {wanted:?}"), remedy).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use undine_grid::{Condition, Field, Location};
    use undine_scene::{Absent, Key, LoadOptions};

    static KEYS: &[Key] = crate::heightfield::height_field_keys![];

    /// A receiver of constant bed level.
    struct Pond(Field<f64, 2>);

    impl Receiver for Pond {
        fn level(&self, cell: [usize; 2]) -> f64 {
            self.0[cell]
        }

        fn add(&mut self, cell: [usize; 2], depth: f64) -> f64 {
            let added = depth.max(-self.0[cell]);
            self.0[cell] += added;
            added
        }
    }

    fn read(sources: &str) -> Result<(HeightFieldSources, Pond), String> {
        let text = format!(
            "[scene]\nduration = 4\n[[water]]\nkind = 'pond'\nsize = [4, 4]\nresolution = 16\nlevel = 1\n{sources}"
        );
        let scene =
            Scene::parse("pond", &text, &LoadOptions::default()).map_err(|errors| errors.to_string())?;
        let water =
            scene.sections("water")[0].read(&[undine_sim::WATER_KEYS, KEYS]).map_err(|e| e.to_string())?;
        let setup = HeightFieldSetup::read(&scene, &water).map_err(|errors| errors.to_string())?;
        let mut pond =
            Field::new(setup.grid, Location::Center, Condition::Open, 1).map_err(|e| e.to_string())?;
        pond.set_by_position(|_| 1.0);
        let sources =
            HeightFieldSources::read(&scene, &water, &setup).map_err(|errors| errors.to_string())?;
        Ok((sources, Pond(pond)))
    }

    fn volume(pond: &Pond) -> f64 {
        undine_grid::par::sum(&pond.0, |depth| depth) * pond.0.grid().cell_measure()
    }

    fn run(sources: &mut HeightFieldSources, pond: &mut Pond, steps: std::ops::Range<u32>) {
        for step in steps {
            sources.apply(StepInterval { time: f64::from(step) * 0.05, dt: 0.05, seed: 7 }, pond).unwrap();
        }
    }

    #[test]
    fn springs_drains_rain_and_drops_give_what_they_say_and_it_is_in_the_ledger() {
        for (section, expected) in [
            ("kind = 'spring'\nat = [1, 1]\nradius = 0.7\nrate = 0.3", 0.6),
            ("kind = 'spring'\nat = [-1, 1]\nrate = 't'", 2.0),
            ("kind = 'spring'\nat = [-1, 1]\nradius = 0.7\nrate = '0.1*cos(pi*t) - 0.1'", -0.2),
            ("kind = 'drain'\nat = [0, 0]\nradius = 1.5\nrate = 0.2", -0.4),
            ("kind = 'rain'\nrate = 36000", 0.32),
            ("kind = 'rain'\nrate = 36000\nfrom = [0, 0]\nto = [9, 9]", 0.08),
        ] {
            let (mut sources, mut pond) = read(&format!("[[source]]\n{section}")).unwrap();
            run(&mut sources, &mut pond, 0..40);
            assert!((volume(&pond) - 16.0 - expected).abs() < 1e-12, "{section}: {}", volume(&pond));
            assert!((sources.inflow() - sources.outflow() - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_drain_leaves_dry_ground_dry() {
        let (mut sources, mut pond) =
            read("[[source]]\nkind = 'drain'\nat = [0, 0]\nradius = 9\nrate = 1e6").unwrap();
        run(&mut sources, &mut pond, 0..40);
        assert!((sources.outflow() - 16.0).abs() < 1e-12 && volume(&pond) == 0.0);
    }

    #[test]
    fn drops_fall_land_once_and_go_on_after_a_restore() {
        let rain = "[[source]]\nkind = 'rain'\nrate = 36000\ndrops = true\ndrop_radius = 0.03\nheight = 1\nfall_speed = 4";
        let (mut sources, mut pond) = read(rain).unwrap();
        run(&mut sources, &mut pond, 0..20);
        let in_the_air = sources.particles().unwrap().positions.len();
        assert!(in_the_air > 100, "{in_the_air}");
        let mut state = Vec::new();
        sources.save(&mut Writer::new(&mut state)).unwrap();
        let (mut resumed, _) = read(rain).unwrap();
        resumed.restore(&mut Reader::new(&state)).unwrap();
        let mut resumed_pond = Pond(pond.0.clone());
        run(&mut sources, &mut pond, 20..40);
        run(&mut resumed, &mut resumed_pond, 20..40);
        assert_eq!(pond.0.to_dense(), resumed_pond.0.to_dense());
        assert!((volume(&pond) - 16.0 - sources.inflow()).abs() < 1e-12);
        // 0.32 m³ in two seconds, of which a quarter of a second is still in the air.
        assert!((sources.inflow() - 0.28).abs() < 0.01, "{}", sources.inflow());
    }

    #[test]
    fn what_cannot_be_is_refused_with_a_remedy() {
        for (section, message) in [
            ("kind = 'spring'\nat = [9, 0]\nrate = 1", "outside the water's domain"),
            ("kind = 'sprig'\nat = [0, 0]", "did you mean \"spring\""),
            ("at = [0, 0]", "the source has no kind"),
            ("kind = 'drain'\nat = [0, 0]\nrate = -1", "rate"),
            ("kind = 'rain'\nrate = 1\nfrom = [0, 0]", "give to as well"),
            ("kind = 'rain'\nrate = 1\nwater = 'sea'", "no water is called \"sea\""),
        ] {
            let error = read(&format!("[[source]]\n{section}")).err().unwrap_or_default();
            assert!(error.contains(message), "{section}: {error}");
        }
    }

    #[test]
    fn pokes_act_once_and_absurd_ones_are_refused() {
        use glam::DVec2;
        let (mut sources, mut pond) = read("").unwrap();
        assert!(sources.is_idle());
        assert!(sources.disturb(&Disturbance::Drop { at: DVec2::ZERO, radius: 0.5, volume: 0.1 }));
        assert!(sources.disturb(&Disturbance::Rain { rate: 0.01, duration: 0.12 }));
        assert!(!sources.disturb(&Disturbance::Drop { at: DVec2::ZERO, radius: 0.5, volume: 1e4 }));
        assert!(!sources.disturb(&Disturbance::Drop { at: DVec2::splat(9.0), radius: 0.5, volume: 0.1 }));
        run(&mut sources, &mut pond, 0..10);
        assert!((volume(&pond) - 16.0 - 0.1 - 0.0192).abs() < 1e-12 && sources.is_idle());
    }
}
