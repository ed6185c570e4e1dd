//! Frames that fail and are taken again, shown on a toy water that is broken on purpose: a step that is too long writes NaN
//! into its state, and nothing that it says of itself beforehand gives a warning.

use std::io;

use glam::{DVec2, DVec3};
use undine_scene::{Edit, Key, LoadOptions, Scene, SceneErrors, Values};
use undine_sim::{
    ActionError, ActionKind, Answers, Budget, Built, ConformanceScenes, Counter, Counters, Disturbance,
    Estimate, ModelEntry, Phases, Reader, Runner, Sample, Seconds, Simulation, Status, Step, StepError,
    StepFailure, Suite, View, Volume, World, Writer,
};

/// dx/dt = 1 + driver − x², x(0) = 0, by explicit Euler steps: what it becomes depends on their lengths.
struct Fragile {
    x: [f64; 4],
    longest: f64,
    breaks_above: f64,
    /// The times between which it breaks.
    hours: [f64; 2],
    fault: String,
    is_curable: bool,
    has_bad_budget: bool,
}

static KEYS: &[Key] = &[
    Key::number("longest").unit("s").or(1.0).within(0.0, 1e9).help("longest step"),
    Key::number("breaks_above").unit("s").or(1e9).within(0.0, 1e9).live().help("longer steps break it"),
    Key::number("breaks_from").unit("s").or(0.0).within(0.0, 1e9).help("when it begins to break"),
    Key::number("breaks_until").unit("s").or(1e9).within(0.0, 1e9).help("when it no longer breaks"),
    Key::choice(
        "fault",
        &[
            ("nan", "the state is poisoned, and the step says so"),
            ("failed", "the state is poisoned, and the step fails in words of its own"),
            ("volume", "the state is poisoned, and only the ledger shows it"),
            ("budget", "only the energy is not finite"),
            ("pace", "the stable step vanishes"),
        ],
    )
    .default(undine_scene::Absent::Text("nan"))
    .help("how it breaks"),
    Key::flag("curable").default(undine_scene::Absent::Flag(true)).help("whether shorter steps may help"),
];

static FRAGILE: ModelEntry = ModelEntry {
    name: "fragile",
    summary: "a number that grows until it breaks",
    folder: "fragile",
    cites: &[],
    status: Status::Experimental,
    keys: KEYS,
    sections: &[],
    answers: Answers::NONE,
    dimension: |_| 2,
    can_be_driven: true,
    estimate: |_, _| Estimate { bytes: 1, seconds_per_frame: 1e-6, lower: "longest" },
    build,
    conformance: ConformanceScenes::NONE,
    suite: Suite::NONE,
};

fn build(_: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    Ok(Fragile {
        x: [0.0, 0.25, 0.5, 0.75],
        longest: values.number("longest"),
        breaks_above: values.number("breaks_above"),
        hours: [values.number("breaks_from"), values.number("breaks_until")],
        fault: values.word("fault").to_owned(),
        is_curable: values.flag("curable"),
        has_bad_budget: false,
    }
    .into())
}

impl Sample for Fragile {
    fn height(&self, _: DVec2) -> Option<f64> {
        Some(self.x.iter().sum())
    }
    fn velocity(&self, _: DVec3) -> DVec3 {
        DVec3::ZERO
    }
}

impl Simulation for Fragile {
    fn max_dt(&self) -> Seconds {
        if self.fault == "pace" && self.x[0].is_nan() { 0.0 } else { self.longest }
    }
    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        let driver = world.driver.and_then(|water| water.height(DVec2::ZERO)).unwrap_or(0.0);
        self.x.iter_mut().for_each(|x| *x += dt * (1.0 + driver - *x * *x));
        let [from, until] = self.hours;
        if dt <= self.breaks_above || world.time + dt <= from || world.time >= until {
            return Ok(Step::Done(Phases::default()));
        }
        match self.fault.as_str() {
            "budget" => self.has_bad_budget = true,
            _ => self.x = [f64::NAN; 4],
        }
        match self.fault.as_str() {
            "nan" => Err(StepError::NotFinite { field: "x", cell: [3, 0, 0] }),
            "failed" => Err(StepError::Failed("it broke".into())),
            _ => Ok(Step::Done(Phases::default())),
        }
    }
    fn retries_frames(&self) -> bool {
        self.is_curable
    }
    fn disturb(&mut self, _: &Disturbance) -> bool {
        self.x[0] += 1.0;
        true
    }
    fn view(&self) -> View<'_> {
        View::default()
    }
    fn budget(&self) -> Budget {
        let kinetic_energy = if self.has_bad_budget { f64::INFINITY } else { 0.0 };
        Budget { volume: self.volume(), kinetic_energy, ..Budget::default() }
    }
    fn volume(&self) -> Volume {
        let held = if self.fault == "pace" { 0.0 } else { self.x.iter().sum() };
        Volume { held, inflow: held, ..Volume::default() }
    }
    fn counters(&self) -> Counters {
        let reached = (1e6 * self.x[0]) as u64;
        Counters::new([Counter::sum("steps", "steps", 1), Counter::state("reached", "millionths", reached)])
    }
    fn cells(&self) -> u64 {
        4
    }
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("x", &self.x)?;
        to.integer("has bad budget", u64::from(self.has_bad_budget))
    }
    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        from.values_into("x", &mut self.x)?;
        self.has_bad_budget = from.integer("has bad budget")? != 0;
        Ok(())
    }
}

/// A scene of 8 frames per second, so that halved steps have no rounded lengths.
fn runner(water: &str) -> Runner {
    let text = format!("[scene]\nduration = 2\nfps = 8\n[[water]]\nkind = 'fragile'\n{water}");
    let scene = Scene::parse("fragile.toml", &text, &LoadOptions::default()).unwrap();
    Runner::new(&scene, &[&FRAGILE], None).unwrap()
}

fn state(runner: &Runner) -> Vec<u8> {
    let mut bytes = Vec::new();
    runner.save(&mut Writer::new(&mut bytes)).unwrap();
    bytes
}

fn advance(runner: &mut Runner, frames: usize) -> Vec<(u64, u64)> {
    let next = |_| runner.next_frame().map(|stats| (stats.retakes, stats.steps)).unwrap();
    (0..frames).map(next).collect()
}

fn first_failure(runner: &mut Runner) -> StepFailure {
    (0..99).find_map(|_| runner.next_frame().err()).unwrap()
}

#[test]
fn a_retaken_frame_is_that_of_a_run_in_small_steps() {
    for fault in ["nan", "failed", "volume", "budget", "pace"] {
        let mut broken = runner(&format!("breaks_above = 0.04\nfault = '{fault}'"));
        let mut careful = runner("longest = 0.03125");
        // 1/8 and 1/16 are too long, 1/32 is not
        assert_eq!(advance(&mut broken, 10), [(2, 4); 10], "{fault}");
        assert_eq!(advance(&mut careful, 10), [(0, 4); 10]);
        assert_eq!(state(&broken), state(&careful), "{fault}");
    }
}

#[test]
fn a_retaken_frame_counts_only_the_steps_that_lead_to_it() {
    let mut broken = runner("breaks_above = 0.04");
    let mut careful = runner("longest = 0.03125");
    for _ in 0..5 {
        let [retaken, taken] = [&mut broken, &mut careful].map(|runner| runner.next_frame().unwrap());
        assert_eq!((retaken.retakes, taken.retakes), (2, 0));
        assert_eq!(retaken.counters, taken.counters);
        let reached = (1e6 * broken.height(DVec2::ZERO).unwrap()) as u64;
        assert_eq!(taken.counters[0].get("steps"), Some(4));
        assert!(taken.counters[0].get("reached").is_some_and(|count| count > 0 && count < reached));
    }
    assert_eq!(broken.empty_stats().counters[0].get("steps"), Some(0));
}

#[test]
fn a_limit_ends_with_its_frame_and_a_resume_gives_the_same_bits() {
    let water = "breaks_above = 0.04\nbreaks_from = 0.5\nbreaks_until = 0.625";
    let mut whole = runner(water);
    advance(&mut whole, 4);
    let at_frame_4 = state(&whole);
    assert_eq!(advance(&mut whole, 3), [(2, 4), (0, 1), (0, 1)]);

    let mut resumed = runner(water);
    resumed.restore(&mut Reader::new(&at_frame_4)).unwrap();
    assert_eq!(advance(&mut resumed, 3), [(2, 4), (0, 1), (0, 1)]);
    assert_eq!(state(&resumed), state(&whole));
}

#[test]
fn after_four_halvings_the_runner_stands_at_the_last_sound_frame() {
    for fault in ["nan", "failed", "volume", "budget", "pace"] {
        let water = format!("name = 'tub'\nbreaks_above = 1e-6\nbreaks_from = 0.5\nfault = '{fault}'");
        let mut broken = runner(&water);
        advance(&mut broken, 4);
        let sound = state(&broken);
        for _ in 0..2 {
            let failure = broken.next_frame().unwrap_err();
            assert_eq!((failure.water.as_str(), failure.frame, failure.retakes), ("tub", 5, 4), "{failure}");
            assert!((0.5..=0.625).contains(&failure.time), "{failure}");
            if fault != "pace" {
                assert_eq!(failure.dt, 0.125 / 16.0, "{failure}");
            }
            assert!(failure.to_string().contains("4 retakes"), "{failure}");
            assert_eq!((broken.frame(), broken.time(), broken.is_at_frame()), (4, 0.5, true));
            assert_eq!(state(&broken), sound, "{fault}");
        }
        // What broke it is taken away, and it goes on as if nothing had been
        broken.apply_action(ActionKind::Edit(Edit::set("water.0.breaks_above=1e9"))).unwrap();
        advance(&mut broken, 4);
        let mut unbroken = runner("name = 'tub'");
        advance(&mut unbroken, 8);
        assert_eq!(
            broken.height(DVec2::ZERO).unwrap().to_bits(),
            unbroken.height(DVec2::ZERO).unwrap().to_bits()
        );
    }
}

#[test]
fn a_failure_names_its_cell() {
    let failure = first_failure(&mut runner("breaks_above = 1e-6"));
    let text = failure.to_string();
    assert!(text.contains("x is not a finite number at cell [3, 0, 0]"), "{text}");
}

#[test]
fn all_waters_go_back_and_only_the_one_that_failed_takes_shorter_steps() {
    let two = |second: &str| {
        runner(&format!(
            "name = 'up'\n[[water]]\nkind = 'fragile'\nname = 'down'\ndriven_by = 'up'\n{second}"
        ))
    };
    let mut broken = two("breaks_above = 0.04");
    assert_eq!(advance(&mut broken, 6), [(2, 5); 6]);
    // The upper water is as if it were alone
    let mut alone = runner("name = 'up'");
    advance(&mut alone, 6);
    let level = |runner: &Runner| runner.waters()[0].simulation.height(DVec2::ZERO).unwrap().to_bits();
    assert_eq!(level(&broken), level(&alone));

    let mut lost = two("breaks_above = 1e-6\nbreaks_from = 0.25");
    advance(&mut lost, 2);
    let sound = state(&lost);
    assert_eq!(lost.next_frame().unwrap_err().water, "down");
    assert_eq!(state(&lost), sound);
}

#[test]
fn a_water_that_no_step_can_cure_fails_at_once_and_is_restored() {
    let mut broken = runner("breaks_above = 0.04\nbreaks_from = 0.5\ncurable = false");
    advance(&mut broken, 4);
    let sound = state(&broken);
    let failure = broken.next_frame().unwrap_err();
    assert_eq!((failure.retakes, failure.dt), (0, 0.125));
    assert_eq!(state(&broken), sound);
}

#[test]
fn in_slices_the_frame_begins_again_and_takes_no_action() {
    let mut sliced = runner("longest = 0.0625\nbreaks_above = 0.04\nbreaks_from = 0.0625");
    let rain = Disturbance::Rain { rate: 1.0, duration: 1.0 };
    let mut times = Vec::new();
    let stats = loop {
        match sliced.next_step().unwrap() {
            Some(stats) => break stats,
            None => times.push(sliced.time()),
        }
        assert!(!sliced.is_at_frame());
        assert!(matches!(sliced.disturb(&rain), Err(ActionError::BetweenFrames)));
        let action = sliced.apply_action(ActionKind::Disturb(rain));
        assert!(matches!(action, Err(ActionError::BetweenFrames)));
    };
    // Half way, back to the beginning, half way again, and there
    assert_eq!((times, stats.retakes, stats.steps), (vec![0.0625, 0.0, 0.0625], 1, 4));
    assert!(sliced.is_at_frame() && sliced.disturb(&rain).is_ok());

    let mut whole = runner("longest = 0.0625\nbreaks_above = 0.04\nbreaks_from = 0.0625");
    whole.next_frame().unwrap();
    whole.disturb(&rain).unwrap();
    assert_eq!(state(&whole), state(&sliced));
}

#[test]
fn a_snapshot_is_told_apart_in_the_timings() {
    let stats = runner("").next_frame().unwrap();
    assert!(stats.phases.iter().any(|(name, _)| name == "snapshot"));
}
