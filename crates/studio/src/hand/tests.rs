//! What the pointer does becomes what is done.

use undine::scene::LoadOptions;

use super::*;

const TANK: &str = "[scene]\nduration = 1\nfps = 20\n[[water]]\nkind = 'stable-fluids'\nresolution = 16\n\
    [[obstacle]]\nkind = 'circle'\nat = [0.3, 0.5]\nradius = 0.1\n";
const POOL: &str = "[scene]\nduration = 1\nfps = 20\n[[water]]\nkind = 'kass-miller'\nsize = [1, 1]\nresolution = 16\nlevel = 1\n";

fn scene(text: &str) -> Scene {
    Scene::parse("s", text, &LoadOptions::default()).unwrap()
}

fn around(scene: &Scene, frame: u64) -> Around<'_> {
    let time = frame as f64 / scene.fps;
    Around { scene, frame, time, is_playing: true, bounds: [DVec2::ZERO, DVec2::ONE], slack: 0.02 }
}

fn pointer(x: f64, y: f64, [is_pressed, is_down, is_released]: [bool; 3]) -> Pointer {
    let at = Some(DVec3::new(x, y, 0.0));
    Pointer { at, velocity: DVec3::X, is_pressed, is_down, is_released, wheel: 0.0 }
}

const SIZE: Size = Size { radius: 0.1, rate: 0.01, period: 1.5, height: 0.05 };
const OBSTACLE: Grip = Grip::Place { tool: "obstacle", size: SIZE };

const PRESS: [bool; 3] = [true, true, false];
const HOLD: [bool; 3] = [false, true, false];
const RELEASE: [bool; 3] = [false, false, true];

/// The changes among orders, applied to a scene: they must be accepted.
fn changed(scene: &Scene, orders: &[Order]) -> Scene {
    orders.iter().fold(scene.clone(), |scene, order| match order {
        Order::Act(ActionKind::Edit(edit)) => scene.edited(edit).unwrap(),
        _ => scene,
    })
}

#[test]
fn a_push_is_given_once_per_frame() {
    let (scene, mut hand, mut orders) = (scene(TANK), Hand::default(), Vec::new());
    let grip = Grip::Push { radius: 0.1, strength: 2.0 };
    hand.work(grip, &pointer(0.5, 0.5, PRESS), &around(&scene, 3), &mut orders);
    hand.work(grip, &pointer(0.5, 0.5, HOLD), &around(&scene, 3), &mut orders);
    hand.work(grip, &pointer(0.5, 0.5, HOLD), &around(&scene, 4), &mut orders);
    hand.work(grip, &pointer(0.5, 0.5, RELEASE), &around(&scene, 4), &mut orders);
    let pokes = orders
        .iter()
        .filter(|order| matches!(order, Order::Act(ActionKind::Disturb(Disturbance::Push { .. }))));
    assert_eq!(pokes.count(), 2, "{orders:?}");
    assert_eq!(orders.first(), Some(&Order::BeginStroke));
}

#[test]
fn a_line_around_something_becomes_a_polygon() {
    let (scene, mut hand, mut orders) = (scene(TANK), Hand::default(), Vec::new());
    let round = |step: i32| DVec2::new(0.6, 0.5) + 0.15 * DVec2::from_angle(f64::from(step) * 0.2);
    hand.work(OBSTACLE, &pointer(0.75, 0.5, PRESS), &around(&scene, 0), &mut orders);
    for at in (1..32).map(round) {
        hand.work(OBSTACLE, &pointer(at.x, at.y, HOLD), &around(&scene, 0), &mut orders);
    }
    assert!(hand.drawn().len() > 20);
    hand.work(OBSTACLE, &pointer(0.75, 0.5, RELEASE), &around(&scene, 0), &mut orders);
    let after = changed(&scene, &orders);
    let drawn = things::things(&after, &section_readers(&after)).pop().unwrap();
    assert_eq!((drawn.path().as_str(), drawn.kind), ("obstacle.1", "polygon"));
    assert!(drawn.at.distance(DVec2::new(0.6, 0.5)) < 0.02);
    assert!(undine::Runner::new(&after, undine::MODELS, None).is_ok());
}

#[test]
fn an_obstacle_is_carried_pushes_on_its_way_and_is_erased() {
    let (scene, mut hand, mut orders) = (scene(TANK), Hand::default(), Vec::new());
    hand.work(Grip::Move, &pointer(0.32, 0.5, PRESS), &around(&scene, 2), &mut orders);
    hand.work(Grip::Move, &pointer(0.52, 0.6, HOLD), &around(&scene, 3), &mut orders);
    hand.work(Grip::Move, &pointer(0.52, 0.6, RELEASE), &around(&scene, 3), &mut orders);
    let after = changed(&scene, &orders);
    assert!(things::things(&after, &section_readers(&after))[0].at.distance(DVec2::new(0.5, 0.6)) < 1e-12);
    assert!(after.sections("obstacle")[0].written("move_x").unwrap().contains("max("));
    orders.clear();
    hand.work(Grip::Erase, &pointer(0.5, 0.6, PRESS), &around(&after, 4), &mut orders);
    assert!(!changed(&after, &orders).has("obstacle"));
}

#[test]
fn springs_wobbles_waves_and_hills_make_scenes_that_can_be_built() {
    let (mut scene, mut hand) = (scene(POOL), Hand::default());
    let grips =
        ["spring", "drain", "wobble", "waves", "raise", "dig"].map(|tool| Grip::Place { tool, size: SIZE });
    for (frame, grip) in (0..).zip(grips) {
        let mut orders = Vec::new();
        hand.work(grip, &pointer(0.4, 0.1, PRESS), &around(&scene, frame), &mut orders);
        assert!(orders.len() > 1, "{grip:?} did nothing");
        scene = changed(&scene, &orders);
        undine::Runner::new(&scene, undine::MODELS, None)
            .unwrap_or_else(|errors| panic!("{grip:?}: {errors}"));
    }
    assert_eq!(scene.sections("source").len(), 4);
    assert_eq!(scene.sections("terrain").len(), 2);
}

#[test]
fn every_section_tool_makes_a_scene_that_can_be_built_in_a_plane_and_in_space() {
    let liquid =
        "[scene]\nduration = 1\nfps = 20\n[[water]]\nkind = 'liquid'\nsize = [1, 1]\nresolution = 16\n";
    let smoke = "[scene]\nduration = 1\nfps = 20\n[[water]]\nkind = 'stable-fluids'\nsize = [1, 1]\nresolution = 16\n";
    let deep = |text: &str| text.replace("resolution", "height = 1\nresolution");
    for (text, tools) in [
        (liquid.to_owned(), ["spring", "drain"]),
        (deep(liquid), ["spring", "drain"]),
        (smoke.to_owned(), ["spring", "wobble"]),
        (deep(smoke), ["spring", "wobble"]),
    ] {
        let (mut scene, mut hand) = (scene(&text), Hand::default());
        for (frame, tool) in (0..).zip(tools) {
            let mut orders = Vec::new();
            let grip = Grip::Place { tool, size: SIZE };
            let place = Pointer { at: Some(DVec3::new(0.4, 0.5, 0.6)), ..pointer(0.0, 0.0, PRESS) };
            hand.work(grip, &place, &around(&scene, frame), &mut orders);
            scene = changed(&scene, &orders);
            undine::Runner::new(&scene, undine::MODELS, None)
                .unwrap_or_else(|errors| panic!("{tool}: {errors}"));
        }
        assert_eq!(things::things(&scene, &section_readers(&scene)).len(), 2, "{text}");
    }
}
