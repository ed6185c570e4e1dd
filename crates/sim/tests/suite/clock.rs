//! The clock, the checkpoints and the reading of waters, on a toy water whose step can be made to fail.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use glam::{DVec2, DVec3};
use undine_frame::{Frame, FrameRequest};
use undine_scene::{Key, LoadOptions, Scene, SceneErrors, Values};
use undine_sim::checkpoint::{self, CheckpointError};
use undine_sim::{
    Answers, Budget, Built, ConformanceScenes, Disturbance, Estimate, FrameStats, ModelEntry, Observer,
    Outcome, Phases, Reader, RunError, Runner, Sample, Seconds, Simulation, Status, Step, StepError, Suite,
    View, Volume, World, Writer, run,
};

/// A bucket under a tap: its level is the time it has stood there, and the level of the water that drives it.
struct Bucket {
    level: f64,
    max_dt: f64,
    longest_accepted: f64,
    breaks_at: f64,
    steps: u64,
}

static KEYS: &[Key] = &[
    Key::number("max_dt").unit("s").or(1.0).within(-1.0, 1e9).help("longest step"),
    Key::number("accepts").unit("s").or(1e9).within(-1.0, 1e9).help("longer steps ask for a retry"),
    Key::number("breaks_at").unit("s").or(1e9).within(0.0, 1e9).help("when it fails"),
    Key::integer("resolution").default(undine_scene::Absent::Integer(8)).within(1.0, 1e9).help("size"),
];

static BUCKET: ModelEntry = ModelEntry {
    name: "bucket",
    summary: "a bucket under a tap",
    folder: "bucket",
    cites: &[],
    status: Status::Experimental,
    keys: KEYS,
    sections: &[],
    answers: Answers::NONE,
    dimension: |_| 2,
    can_be_driven: true,
    estimate: |_, values| Estimate {
        bytes: (values.integer("resolution") as u64).pow(2),
        seconds_per_frame: 1e-6,
        lower: "resolution",
    },
    build,
    conformance: ConformanceScenes::NONE,
    suite: Suite::NONE,
};

fn build(_: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    Ok(Bucket {
        level: 0.0,
        max_dt: values.number("max_dt"),
        longest_accepted: values.number("accepts"),
        breaks_at: values.number("breaks_at"),
        steps: 0,
    }
    .into())
}

impl Sample for Bucket {
    fn height(&self, _: DVec2) -> Option<f64> {
        Some(self.level)
    }
    fn velocity(&self, _: DVec3) -> DVec3 {
        DVec3::Z
    }
}

impl Simulation for Bucket {
    fn max_dt(&self) -> Seconds {
        self.max_dt
    }
    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        if dt > self.longest_accepted {
            return Ok(Step::Retry { dt: 0.5 * dt });
        }
        if world.time + dt > self.breaks_at {
            return Err(StepError::NotFinite { field: "level", cell: [3, 0, 0] });
        }
        let driver = world.driver.and_then(|water| water.height(DVec2::ZERO)).unwrap_or(0.0);
        self.level += dt * (1.0 + driver);
        self.steps += 1;
        Ok(Step::Done(Phases::default()))
    }
    fn disturb(&mut self, poke: &Disturbance) -> bool {
        matches!(poke, Disturbance::Rain { .. })
    }
    fn view(&self) -> View<'_> {
        View::default()
    }
    fn budget(&self) -> Budget {
        let volume = Volume { held: self.level, inflow: self.level, ..Volume::default() };
        Budget { volume, ..Budget::default() }
    }
    fn cells(&self) -> u64 {
        1
    }
    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("level", self.level)
    }
    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.level = from.number("level")?;
        Ok(())
    }
}

fn scene(water: &str) -> Scene {
    let text = format!("[scene]\nduration = 1\nfps = 10\n[[water]]\nkind = 'bucket'\n{water}");
    Scene::parse("bucket.toml", &text, &LoadOptions::default()).unwrap()
}

fn runner(water: &str) -> Runner {
    Runner::new(&scene(water), &[&BUCKET], None).unwrap()
}

fn refusal(water: &str, memory: Option<u64>) -> String {
    Runner::new(&scene(water), &[&BUCKET], memory).err().unwrap().to_string()
}

#[test]
fn steps_are_shortened_so_that_frames_land_on_their_time() {
    let mut runner = runner("max_dt = 0.03");
    for frame in 1..=10u64 {
        let stats = runner.next_frame().unwrap();
        assert_eq!(runner.time(), frame as f64 / 10.0);
        assert_eq!(stats.steps, 4);
    }
    assert!((runner.height(DVec2::ZERO).unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn a_step_that_is_too_long_is_tried_again_shorter() {
    let stats = runner("accepts = 0.03").next_frame().unwrap();
    assert_eq!((stats.retries, stats.steps), (2, 4));
    let failure = runner("accepts = -1").next_frame().unwrap_err();
    assert!(failure.to_string().contains("no step is short enough"), "{failure}");
    for collapsed in ["max_dt = 0", "max_dt = -1", "max_dt = -0.5"] {
        let mut runner = runner(collapsed);
        let failure = (0..3).find_map(|_| runner.next_frame().err()).unwrap();
        assert!(
            failure.to_string().contains("shrunk to nothing") || failure.to_string().contains("steps"),
            "{failure}"
        );
    }
}

#[test]
fn a_failure_names_water_time_frame_and_cell() {
    let mut runner = runner("name = 'tub'\nbreaks_at = 0.35");
    let failure = (0..10).find_map(|_| runner.next_frame().err()).unwrap();
    assert_eq!((failure.water.as_str(), failure.frame, failure.retakes), ("tub", 4, 4));
    assert_eq!((runner.frame(), runner.time()), (3, 0.3));
    let text = failure.to_string();
    assert!((0.34..0.36).contains(&failure.time) && text.contains("t = 0.3"), "{text}");
    assert!(text.contains("level is not a finite number at cell [3, 0, 0]"), "{text}");
}

#[test]
fn waters_add_up_and_may_drive_each_other() {
    let mut runner = runner("name = 'up'\n[[water]]\nkind = 'bucket'\nname = 'down'\ndriven_by = 'up'");
    runner.next_frame().unwrap();
    // The upper bucket is at 0.1 when the lower one samples it.
    assert!((runner.height(DVec2::ZERO).unwrap() - (0.1 + 0.1 * 1.1)).abs() < 1e-12);
    assert_eq!(runner.velocity(DVec3::ZERO), 2.0 * DVec3::Z);
    assert!(runner.disturb(&Disturbance::Rain { rate: 1.0, duration: 1.0 }).is_ok());
}

#[test]
fn waters_that_cannot_be_are_refused_with_their_place() {
    let twins = refusal("[[water]]\nkind = 'bucket'", None);
    assert!(twins.contains("two waters are called \"bucket\""), "{twins}");
    let stranger = refusal("driven_by = 'sea'", None);
    assert!(stranger.starts_with("bucket.toml:6:13: no earlier water is called \"sea\""), "{stranger}");
    let huge = refusal("resolution = 1000000", Some(1 << 30));
    assert!(
        huge.starts_with("bucket.toml:6:14: needs about 931.3 GiB of memory, but 1.0 GiB is free"),
        "{huge}"
    );
    let text = "[scene]\nduration = 1\n[[water]]\nkind = 'bukket'";
    let scene = Scene::parse("bucket.toml", text, &LoadOptions::default()).unwrap();
    let kind = Runner::new(&scene, &[&BUCKET], None).err().unwrap().to_string();
    assert!(kind.contains("unknown kind of water \"bukket\"") && kind.contains("bucket"), "{kind}");
}

/// Counts frames and stops after some of them.
struct StopAt(u64, u64);

impl Observer for StopAt {
    fn after_frame(
        &mut self,
        runner: &Runner,
        _: &FrameStats,
        _: &Phases,
    ) -> Result<ControlFlow<()>, RunError> {
        self.1 += 1;
        Ok(if runner.frame() == self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

#[test]
fn the_loop_stops_where_it_is_told_and_goes_on_from_there() {
    let capture = |runner: &Runner, _: &FrameRequest| Frame::new(runner.frame(), runner.time());
    let mut runner = runner("");
    let mut first = StopAt(4, 0);
    let outcome = run(&mut runner, 0..11, false, &capture, &mut [], &mut first).unwrap();
    assert_eq!((outcome, first.1), (Outcome::Stopped { frame: 4 }, 5));
    let mut rest = StopAt(99, 0);
    let outcome = run(&mut runner, 0..11, true, &capture, &mut [], &mut rest).unwrap();
    assert_eq!((outcome, rest.1, runner.frame()), (Outcome::Finished, 6, 10));
}

#[test]
fn a_checkpoint_continues_its_own_scene_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(checkpoint::file_name(3));
    let text = scene("max_dt = 0.03").resolved().to_owned();
    let mut whole = runner("max_dt = 0.03");
    whole.next_frame().and_then(|_| whole.next_frame()).and_then(|_| whole.next_frame()).unwrap();
    checkpoint::write(&path, &text, &whole).unwrap();
    assert_eq!(checkpoint::list(folder.path()), std::slice::from_ref(&path));

    let mut resumed = runner("max_dt = 0.03");
    checkpoint::restore(&path, &text, &mut resumed).unwrap();
    for _ in 0..4 {
        whole.next_frame().unwrap();
        resumed.next_frame().unwrap();
    }
    assert_eq!(whole.height(DVec2::ZERO).unwrap().to_bits(), resumed.height(DVec2::ZERO).unwrap().to_bits());

    let other = checkpoint::restore(&path, &text.replace("0.03", "0.04"), &mut resumed).unwrap_err();
    assert!(matches!(other, CheckpointError::OtherScene { .. }), "{other}");
    assert_every_damage_is_noticed(&path, &text);
}

fn assert_every_damage_is_noticed(path: &Path, text: &str) {
    let whole = std::fs::read(path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(path, &whole[..length]).unwrap();
        assert!(checkpoint::restore(path, text, &mut runner("")).is_err(), "cut at {length}");
    }
    for index in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[index] ^= 0x10;
        std::fs::write(path, &bytes).unwrap();
        let mut restored = runner("max_dt = 0.03");
        match checkpoint::restore(path, text, &mut restored) {
            Err(CheckpointError::OtherVersion { .. }) => assert!((8..12).contains(&index)),
            Err(error) => assert!(matches!(error, CheckpointError::Broken { .. }), "byte {index}: {error}"),
            // A bit of the compressed stream that means nothing: then the state must be whole.
            Ok(()) => {
                let level = restored.height(DVec2::ZERO).unwrap();
                assert!(restored.frame() == 3 && (level - 0.3).abs() < 1e-12, "byte {index} was not noticed");
            }
        }
    }
}
