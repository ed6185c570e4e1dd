//! Pointer input becomes requests.

use undine::scene::LoadOptions;

use super::*;

const TANK: &str = "[scene]\nduration = 1\nfps = 20\n[[water]]\nkind = 'stable-fluids'\nresolution = 16\n\
    [[obstacle]]\nkind = 'circle'\nat = [0.3, 0.5]\nradius = 0.1\n";
const POOL: &str = "[scene]\nduration = 1\nfps = 20\n[[water]]\nkind = 'kass-miller'\nsize = [1, 1]\nresolution = 16\nlevel = 1\n";

fn scene(text: &str) -> Scene {
    Scene::parse("s", text, &LoadOptions::default()).unwrap()
}

fn context(scene: &Scene, frame: u64) -> InteractionContext<'_> {
    let time = frame as f64 / scene.fps;
    InteractionContext {
        scene,
        frame,
        time,
        is_playing: true,
        bounds: [DVec2::ZERO, DVec2::ONE],
        pick_radius: 0.02,
    }
}

fn pointer(x: f64, y: f64, [is_pressed, is_down, is_released]: [bool; 3]) -> Pointer {
    let at = Some(DVec3::new(x, y, 0.0));
    Pointer { at, velocity: DVec3::X, is_pressed, is_down, is_released, wheel: 0.0 }
}

const SIZE: PlacementSize = PlacementSize { radius: 0.1, rate: 0.01, period: 1.5, height: 0.05 };
const OBSTACLE: ToolAction = ToolAction::Place { tool: "obstacle", size: SIZE };

const PRESS: [bool; 3] = [true, true, false];
const HOLD: [bool; 3] = [false, true, false];
const RELEASE: [bool; 3] = [false, false, true];

/// Applies the edits among the requests to a scene; each must be accepted.
fn changed(scene: &Scene, requests: &[Request]) -> Scene {
    requests.iter().fold(scene.clone(), |scene, request| match request {
        Request::Apply(ActionKind::Edit(edit)) => scene.edited(edit).unwrap(),
        _ => scene,
    })
}

#[test]
fn a_push_is_sent_once_per_frame() {
    let (scene, mut interaction, mut requests) = (scene(TANK), Interaction::default(), Vec::new());
    let action = ToolAction::Push { radius: 0.1, strength: 2.0 };
    interaction.handle(action, &pointer(0.5, 0.5, PRESS), &context(&scene, 3), &mut requests);
    interaction.handle(action, &pointer(0.5, 0.5, HOLD), &context(&scene, 3), &mut requests);
    interaction.handle(action, &pointer(0.5, 0.5, HOLD), &context(&scene, 4), &mut requests);
    interaction.handle(action, &pointer(0.5, 0.5, RELEASE), &context(&scene, 4), &mut requests);
    let pokes = requests
        .iter()
        .filter(|request| matches!(request, Request::Apply(ActionKind::Disturb(Disturbance::Push { .. }))));
    assert_eq!(pokes.count(), 2, "{requests:?}");
    assert_eq!(requests.first(), Some(&Request::BeginUndoGroup));
}

#[test]
fn a_freehand_outline_becomes_a_polygon() {
    let (scene, mut interaction, mut requests) = (scene(TANK), Interaction::default(), Vec::new());
    let round = |step: i32| DVec2::new(0.6, 0.5) + 0.15 * DVec2::from_angle(f64::from(step) * 0.2);
    interaction.handle(OBSTACLE, &pointer(0.75, 0.5, PRESS), &context(&scene, 0), &mut requests);
    for at in (1..32).map(round) {
        interaction.handle(OBSTACLE, &pointer(at.x, at.y, HOLD), &context(&scene, 0), &mut requests);
    }
    assert!(interaction.drawn().len() > 20);
    interaction.handle(OBSTACLE, &pointer(0.75, 0.5, RELEASE), &context(&scene, 0), &mut requests);
    let after = changed(&scene, &requests);
    let drawn = placed_items::placed_items(&after, &section_readers(&after)).pop().unwrap();
    assert_eq!((drawn.path().as_str(), drawn.kind), ("obstacle.1", "polygon"));
    assert!(drawn.at.distance(DVec2::new(0.6, 0.5)) < 0.02);
    assert!(undine::Runner::new(&after, undine::MODELS, None).is_ok());
}

#[test]
fn an_obstacle_is_dragged_with_a_velocity_and_erased() {
    let (scene, mut interaction, mut requests) = (scene(TANK), Interaction::default(), Vec::new());
    interaction.handle(ToolAction::Move, &pointer(0.32, 0.5, PRESS), &context(&scene, 2), &mut requests);
    interaction.handle(ToolAction::Move, &pointer(0.52, 0.6, HOLD), &context(&scene, 3), &mut requests);
    interaction.handle(ToolAction::Move, &pointer(0.52, 0.6, RELEASE), &context(&scene, 3), &mut requests);
    let after = changed(&scene, &requests);
    assert!(
        placed_items::placed_items(&after, &section_readers(&after))[0].at.distance(DVec2::new(0.5, 0.6))
            < 1e-12
    );
    assert!(after.sections("obstacle")[0].written("move_x").unwrap().contains("max("));
    requests.clear();
    interaction.handle(ToolAction::Erase, &pointer(0.5, 0.6, PRESS), &context(&after, 4), &mut requests);
    assert!(!changed(&after, &requests).has("obstacle"));
}

#[test]
fn springs_wobbles_and_waves_make_scenes_that_can_be_built() {
    let (mut scene, mut interaction) = (scene(POOL), Interaction::default());
    let actions = ["spring", "drain", "wobble", "waves"].map(|tool| ToolAction::Place { tool, size: SIZE });
    for (frame, action) in (0..).zip(actions) {
        let mut requests = Vec::new();
        interaction.handle(action, &pointer(0.4, 0.1, PRESS), &context(&scene, frame), &mut requests);
        assert!(requests.len() > 1, "{action:?} did nothing");
        scene = changed(&scene, &requests);
        undine::Runner::new(&scene, undine::MODELS, None)
            .unwrap_or_else(|errors| panic!("{action:?}: {errors}"));
    }
    assert_eq!(scene.sections("source").len(), 4);
}

#[test]
fn a_stroke_over_the_ground_is_a_path_without_gaps_and_edits_nothing() {
    let (scene, mut interaction, mut requests) = (scene(POOL), Interaction::default(), Vec::new());
    let dig = ToolAction::Ground { is_raised: false, size: SIZE };
    let mut beside = pointer(0.0, 0.0, HOLD);
    beside.at = None;
    for (frame, pointer) in [
        (3, pointer(0.2, 0.2, PRESS)),
        (3, pointer(0.3, 0.2, HOLD)),
        (4, pointer(0.5, 0.2, HOLD)),
        (5, pointer(0.9, 0.3, HOLD)),
        (6, beside),
        (7, pointer(0.1, 0.9, HOLD)),
        (7, pointer(0.1, 0.9, RELEASE)),
    ] {
        interaction.handle(dig, &pointer, &context(&scene, frame), &mut requests);
    }
    let paths: Vec<[DVec2; 2]> = requests
        .iter()
        .filter_map(|request| match request {
            Request::Apply(ActionKind::Disturb(Disturbance::Ground { path, radius, height })) => {
                assert_eq!((*radius, *height), (0.1, -0.05 / 20.0));
                Some(*path)
            }
            _ => None,
        })
        .collect();
    let at = |x: f64, y: f64| DVec2::new(x, y);
    let first = [at(0.2, 0.2); 2];
    let more = [[at(0.2, 0.2), at(0.5, 0.2)], [at(0.5, 0.2), at(0.9, 0.3)], [at(0.1, 0.9); 2]];
    assert_eq!(paths[0], first);
    assert_eq!(paths[1..], more);
    assert!(requests.iter().all(|request| !matches!(request, Request::Apply(ActionKind::Edit(_)))));
}

#[test]
fn a_dam_is_built_from_where_the_button_is_pressed_to_where_it_is_released() {
    let (scene, mut interaction, mut requests) = (scene(POOL), Interaction::default(), Vec::new());
    let dam = ToolAction::Dam { radius: 0.02, crest: 0.3 };
    let mut start = pointer(0.2, 0.3, PRESS);
    start.at = Some(DVec3::new(0.2, 0.3, 0.5));
    let mut beside = pointer(0.0, 0.0, RELEASE);
    beside.at = None;
    interaction.handle(dam, &start, &context(&scene, 3), &mut requests);
    interaction.handle(dam, &pointer(0.5, 0.3, HOLD), &context(&scene, 4), &mut requests);
    assert_eq!(interaction.drawn(), [DVec2::new(0.2, 0.3), DVec2::new(0.5, 0.3)]);
    interaction.handle(dam, &pointer(0.9, 0.4, HOLD), &context(&scene, 5), &mut requests);
    assert_eq!(requests, [Request::BeginUndoGroup]);
    interaction.handle(dam, &beside, &context(&scene, 6), &mut requests);
    let path = [DVec2::new(0.2, 0.3), DVec2::new(0.9, 0.4)];
    let built = Disturbance::Dam { path, radius: 0.02, level: 0.8, slope: DAM_SLOPE };
    let expected =
        [Request::BeginUndoGroup, Request::Apply(ActionKind::Disturb(built)), Request::BeginUndoGroup];
    assert_eq!(requests, expected);
    assert!(interaction.drawn().is_empty());
    // The water takes it, and the script of the run repeats it
    let mut runner = undine::Runner::new(&scene, undine::MODELS, None).unwrap();
    runner.apply_action(ActionKind::Disturb(built)).unwrap();
    assert!(runner.script().contains("kind = \"dam\""));
    // A line that begins beside the water is none
    requests.clear();
    for state in [PRESS, HOLD, RELEASE] {
        let mut outside = pointer(0.0, 0.0, state);
        outside.at = None;
        interaction.handle(dam, &outside, &context(&scene, 7), &mut requests);
    }
    assert_eq!(requests, [Request::BeginUndoGroup, Request::BeginUndoGroup]);
}

#[test]
fn the_ground_of_a_liquid_is_an_edit_of_its_terrain() {
    let text = "[scene]\nduration = 1\nfps = 20\n[[water]]\nkind = 'liquid'\nsize = [1, 1]\nheight = 1\nresolution = 16\n\
                [[fill]]\nkind = 'level'\nlevel = 0.3\n";
    let (mut scene, mut interaction) = (scene(text), Interaction::default());
    for (frame, is_raised) in [(0, true), (1, false)] {
        let mut requests = Vec::new();
        let action = ToolAction::Ground { is_raised, size: SIZE };
        interaction.handle(action, &pointer(0.4, 0.1, PRESS), &context(&scene, frame), &mut requests);
        scene = changed(&scene, &requests);
        undine::Runner::new(&scene, undine::MODELS, None).unwrap_or_else(|errors| panic!("{errors}"));
    }
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
        let (mut scene, mut interaction) = (scene(&text), Interaction::default());
        for (frame, tool) in (0..).zip(tools) {
            let mut requests = Vec::new();
            let action = ToolAction::Place { tool, size: SIZE };
            let above = Pointer { at: Some(DVec3::new(0.4, 0.5, 0.6)), ..pointer(0.0, 0.0, PRESS) };
            interaction.handle(action, &above, &context(&scene, frame), &mut requests);
            scene = changed(&scene, &requests);
            undine::Runner::new(&scene, undine::MODELS, None)
                .unwrap_or_else(|errors| panic!("{tool}: {errors}"));
        }
        assert_eq!(placed_items::placed_items(&scene, &section_readers(&scene)).len(), 2, "{text}");
    }
}
