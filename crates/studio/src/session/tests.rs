//! A session handles the requests that a user of the window causes.

use glam::{DVec2, DVec3};
use undine::FrameRequest;
use undine::frame::Quantity;
use undine::scene::LoadOptions;
use undine::sim::{Disturbance, Writer};

use super::*;

const POOL: &str = "[scene]\nduration = 2\nfps = 20\n[[water]]\nkind = 'kass-miller'\nsize = [4, 4]\nresolution = 24\nlevel = 1";
const TANK: &str = "[scene]\nduration = 2\nfps = 20\n[[water]]\nkind = 'stable-fluids'\nsize = [1, 1]\nresolution = 24\nviscosity = 1e-4";

fn opened(text: &str) -> Session {
    let mut session = Session::new(None);
    session.handle(Request::Play(false));
    let text = text.to_owned();
    session.handle(Request::Open(SceneSource::Text { name: String::from("test"), text, relative_to: None }));
    assert!(session.scene().is_some(), "{:?}", session.message);
    session
}

fn advance(session: &mut Session, frames: usize) {
    (0..frames).for_each(|_| session.finish_frame());
}

fn push(session: &mut Session) {
    let at = DVec3::new(0.5, 0.5, 0.0);
    let poke = Disturbance::Push { at, radius: 0.2, velocity: DVec3::X };
    session.handle(Request::Apply(ActionKind::Disturb(poke)));
}

fn fingerprint(session: &Session) -> Vec<u8> {
    let mut state = Vec::new();
    session.runs[0].runner.save(&mut Writer::new(&mut state)).unwrap();
    state
}

#[test]
fn the_saved_script_replays_to_the_same_bits() {
    let mut session = opened(TANK);
    advance(&mut session, 2);
    push(&mut session);
    advance(&mut session, 2);
    session.handle(Request::Edit(Edit::set("water.0.viscosity=0.01")));
    session
        .handle(Request::Edit(Edit::set("obstacle.0={ kind = \"circle\", at = [0.7, 0.5], radius = 0.1 }")));
    advance(&mut session, 3);
    let (script, frame) = session.script().unwrap();
    assert_eq!(frame, 7);
    let scene = Scene::parse("again", &script, &LoadOptions::default()).unwrap();
    let mut again = undine::Runner::new(&scene, undine::MODELS, None).unwrap();
    for _ in 0..7 {
        again.next_frame().unwrap();
    }
    let mut state = Vec::new();
    again.save(&mut Writer::new(&mut state)).unwrap();
    assert_eq!(state, fingerprint(&session));
}

#[test]
fn fields_added_by_a_script_are_reported_when_they_appear() {
    let mut session = opened(TANK);
    advance(&mut session, 2);
    session
        .handle(Request::Edit(Edit::set("obstacle.0={ kind = \"circle\", at = [0.7, 0.5], radius = 0.1 }")));
    let (script, _) = session.script().unwrap();
    let mut again = opened(&script);
    let has_solids = |session: &Session| {
        session
            .opened
            .as_ref()
            .is_some_and(|opened| opened.fields.iter().any(|field| field.quantity == Quantity::SolidMask))
    };
    assert!(!has_solids(&again));
    advance(&mut again, 3);
    assert!(has_solids(&again));
}

#[test]
fn props_ride_on_the_water_that_is_shown() {
    let mut session = opened(&format!("{POOL}\n[[prop]]\nkind = 'ball'\nat = [1, 1, 0.1]\nfloats = true\n"));
    let update = session.update();
    let ball = &update.frames[0].bodies[0];
    assert!((ball.position[2] - 1.1).abs() < 1e-4, "{:?}", ball.position);
}

#[test]
fn undo_and_redo_restore_the_same_bits() {
    let mut session = opened(TANK);
    advance(&mut session, 2);
    let before = fingerprint(&session);
    session.handle(Request::BeginUndoGroup);
    push(&mut session);
    advance(&mut session, 1);
    push(&mut session);
    advance(&mut session, 2);
    let after = fingerprint(&session);
    assert_eq!(session.undo_stack.counts(), (1, 0));
    session.handle(Request::Undo);
    assert_eq!(fingerprint(&session), before);
    assert_eq!(session.update().actions, 0);
    session.handle(Request::Redo);
    assert_eq!(fingerprint(&session), after);
    session.handle(Request::Redo);
    assert!(session.message.as_ref().is_some_and(|message| message.text.contains("nothing")));
}

#[test]
fn digging_is_undone_redone_and_replayed_to_the_same_bits() {
    for kind in ["kass-miller", "shallow-water"] {
        let mut session = opened(&POOL.replace("kass-miller", kind));
        advance(&mut session, 2);
        let before = fingerprint(&session);
        session.handle(Request::BeginUndoGroup);
        for step in 0..4 {
            let place = |step: i32| DVec2::new(0.3 * f64::from(step), 0.2);
            let poke =
                Disturbance::Ground { path: [place(step - 1), place(step)], radius: 0.5, height: -0.2 };
            session.handle(Request::Apply(ActionKind::Disturb(poke)));
            advance(&mut session, 1);
        }
        let after = fingerprint(&session);
        assert_eq!(session.runs[0].runner.waters()[0].simulation.volume().initial, 16.0);
        assert!(!session.scene().is_some_and(|scene| scene.has("terrain")), "{kind} has edited its terrain");
        session.handle(Request::Undo);
        assert!(fingerprint(&session) == before, "{kind} is not undone");
        session.handle(Request::Redo);
        assert!(fingerprint(&session) == after, "{kind} is not redone");

        session.handle(Request::Replay);
        advance(&mut session, 6);
        assert!(fingerprint(&session) == after, "{kind} is not replayed");
        session.handle(Request::Reset);
        advance(&mut session, 2);
        assert!(fingerprint(&session) == before, "{kind} begins with what was dug");
    }
}

#[test]
fn an_edit_of_a_key_that_is_not_live_restarts_with_a_message() {
    let mut session = opened(POOL);
    advance(&mut session, 3);
    session.handle(Request::Edit(Edit::set("water.0.resolution=16")));
    let update = session.update();
    assert_eq!((update.runs[0].frame, update.runs[0].count.cells), (0, 256));
    assert!(update.message.is_some_and(|message| message.text.contains("restarted")));
    session.handle(Request::Edit(Edit::set("water.0.resolution=-3")));
    let update = session.update();
    assert_eq!(update.message.map(|message| message.kind), Some(MessageKind::Error));
    assert_eq!(update.runs[0].count.cells, 256);
}

#[test]
fn two_models_run_side_by_side_and_actions_apply_to_both() {
    let mut session = opened(POOL);
    session.handle(Request::Compare(Some(String::from("shallow-water"))));
    let drop = Disturbance::Drop { at: DVec2::ZERO, radius: 0.5, volume: 0.1 };
    session.handle(Request::Apply(ActionKind::Disturb(drop)));
    advance(&mut session, 4);
    let update = session.update();
    assert_eq!(
        update.runs.iter().map(|run| run.model.as_str()).collect::<Vec<_>>(),
        ["kass-miller", "shallow-water"]
    );
    for run in &update.runs {
        assert_eq!(run.frame, 4);
        assert!((run.budget.volume.inflow - 0.1).abs() < 1e-6, "{:?}", run.budget.volume);
    }
    session.handle(Request::Compare(None));
    assert_eq!(session.update().runs.len(), 1);
}

#[test]
fn a_broken_scene_is_reported_with_places_and_the_old_one_stays_open() {
    let mut session = opened(POOL);
    let text = POOL.replace("level = 1", "levl = 1");
    session.handle(Request::Open(SceneSource::Text {
        name: String::from("broken"),
        text,
        relative_to: None,
    }));
    let update = session.update();
    let message = update.message.unwrap();
    assert_eq!(message.kind, MessageKind::Error);
    assert!(message.places[0].1.contains("level"), "{message:?}");
    assert_eq!(update.runs.len(), 1);
}

#[test]
fn every_bundled_scene_can_be_shown() {
    for bundled in undine::SCENES {
        let scene = bundled.parse(bundled.text, &LoadOptions { scale: 0.1, ..LoadOptions::default() });
        let run = SceneRun::new(&scene.unwrap(), None);
        let run = run.unwrap_or_else(|errors| panic!("{}: {errors}", bundled.name));
        let all = FrameRequest { meshes: false, liquid_meshes: false, ..FrameRequest::ALL };
        let frame = capture::capture_frame(&run, &all);
        assert!(frame.surfaces.iter().all(|surface| surface.inconsistency().is_none()), "{}", bundled.name);
        assert!(frame.fields.iter().all(|raster| raster.inconsistency().is_none()), "{}", bundled.name);
    }
}
