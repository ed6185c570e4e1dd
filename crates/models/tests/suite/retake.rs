//! Waters that are made to fail stand at their last sound frame, as they were, and go on when the cause is taken away.

use glam::{DVec2, DVec3};
use undine_models::MODELS;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{ActionKind, Disturbance, Runner, StepFailure, Writer};

const TANK: &str = "
[scene]
duration = 2
fps = 30
[[water]]
kind = 'liquid'
size = [1, 0.5]
resolution = 32
[[fill]]
kind = 'rectangle'
size = [0.4, 0.3]
at = [0.2, 0.15]
";

const LAKE: &str = "
[scene]
duration = 2
fps = 30
[[water]]
kind = 'shallow-water'
size = [8, 8]
resolution = 24
level = 1
[[terrain]]
kind = 'noise'
wavelength = 3
amplitude = 0.5
";

fn runner(text: &str) -> Runner {
    let scene = Scene::parse("scene", text, &LoadOptions::default()).unwrap();
    Runner::new(&scene, MODELS, None).unwrap()
}

fn state(runner: &Runner) -> Vec<u8> {
    let mut bytes = Vec::new();
    runner.save(&mut Writer::new(&mut bytes)).unwrap();
    bytes
}

fn advance(runner: &mut Runner, frames: u64) {
    (0..frames).for_each(|_| drop(runner.next_frame().unwrap()));
}

/// Goes on to the first failure; gives it with the state of the frame before.
fn first_failure(runner: &mut Runner) -> (StepFailure, Vec<u8>) {
    for _ in 0..60 {
        let before = state(runner);
        if let Err(failure) = runner.next_frame() {
            return (failure, before);
        }
    }
    panic!("it did not fail");
}

#[test]
fn shallow_water_refuses_a_spring_beyond_all_numbers_and_goes_back_from_a_flood() {
    let spring = |rate| {
        let at = DVec2::new(1.0, 1.0);
        ActionKind::Disturb(Disturbance::Source { at, radius: 1.0, rate, duration: 1.0 })
    };
    let mut lake = runner(LAKE);
    advance(&mut lake, 6);
    let sound = lake.snapshot().unwrap();
    let before = state(&lake);
    assert!(lake.apply_action(spring(1e300)).is_err());
    assert!(state(&lake) == before, "what is refused changes nothing");

    // A flood, and back to the frame before it
    lake.apply_action(spring(5.0)).unwrap();
    advance(&mut lake, 3);
    lake.restore_snapshot(&sound).unwrap();
    assert!(state(&lake) == before, "the state is not that of the snapshot");
    advance(&mut lake, 6);
    let mut calm = runner(LAKE);
    advance(&mut calm, 12);
    assert!(state(&lake) == state(&calm), "it does not go on as if there had been no flood");
}

#[test]
fn a_liquid_pushed_to_infinite_speed_stays_at_the_last_sound_frame() {
    let mut tank = runner(TANK);
    advance(&mut tank, 4);
    let sound = tank.snapshot().unwrap();
    let push = Disturbance::Push {
        at: DVec3::new(0.2, 0.1, 0.0),
        radius: 0.1,
        velocity: DVec3::new(3e38, 3e38, 0.0),
    };
    tank.apply_action(ActionKind::Disturb(push)).unwrap();
    let (failure, before) = first_failure(&mut tank);
    assert_eq!(failure.retakes, 4, "{failure}");
    assert!(state(&tank) == before, "the state is not that of the last frame");

    // The push is taken back, and it goes on like a liquid that was never pushed
    tank.restore_snapshot(&sound).unwrap();
    advance(&mut tank, 6);
    let mut calm = runner(TANK);
    advance(&mut calm, 10);
    assert!(state(&tank) == state(&calm), "it does not go on as if it had not been pushed");
    assert!(
        tank.disturb(&Disturbance::Push {
            at: DVec3::new(0.2, 0.1, 0.0),
            radius: 0.1,
            velocity: DVec3::X * 1e39
        })
        .is_err()
    );
}
