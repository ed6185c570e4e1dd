//! A session is put through what a person does in the window.

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
    session.obey(Order::Play(false));
    let text = text.to_owned();
    session.obey(Order::Open(Source::Text { name: String::from("test"), text, beside: None }));
    assert!(session.scene().is_some(), "{:?}", session.message);
    session
}

fn advance(session: &mut Session, frames: usize) {
    (0..frames).for_each(|_| session.finish_frame());
}

fn push(session: &mut Session) {
    let at = DVec3::new(0.5, 0.5, 0.0);
    let poke = Disturbance::Push { at, radius: 0.2, velocity: DVec3::X };
    session.obey(Order::Act(ActionKind::Disturb(poke)));
}

fn fingerprint(session: &Session) -> Vec<u8> {
    let mut state = Vec::new();
    session.runs[0].runner.save(&mut Writer::new(&mut state)).unwrap();
    state
}

#[test]
fn what_was_done_replays_exactly_from_the_saved_scene() {
    let mut session = opened(TANK);
    advance(&mut session, 2);
    push(&mut session);
    advance(&mut session, 2);
    session.obey(Order::Change(Edit::set("water.0.viscosity=0.01")));
    session.obey(Order::Change(Edit::set("obstacle.0={ kind = \"circle\", at = [0.7, 0.5], radius = 0.1 }")));
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
fn what_a_script_puts_into_the_water_is_told_when_it_is_there() {
    let mut session = opened(TANK);
    advance(&mut session, 2);
    session.obey(Order::Change(Edit::set("obstacle.0={ kind = \"circle\", at = [0.7, 0.5], radius = 0.1 }")));
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
    let news = session.news();
    let ball = &news.frames[0].bodies[0];
    assert!((ball.position[2] - 1.1).abs() < 1e-4, "{:?}", ball.position);
}

#[test]
fn strokes_are_taken_back_and_done_again_exactly() {
    let mut session = opened(TANK);
    advance(&mut session, 2);
    let before = fingerprint(&session);
    session.obey(Order::BeginStroke);
    push(&mut session);
    advance(&mut session, 1);
    push(&mut session);
    advance(&mut session, 2);
    let after = fingerprint(&session);
    assert_eq!(session.strokes.counts(), (1, 0));
    session.obey(Order::Undo);
    assert_eq!(fingerprint(&session), before);
    assert_eq!(session.news().actions, 0);
    session.obey(Order::Redo);
    assert_eq!(fingerprint(&session), after);
    session.obey(Order::Redo);
    assert!(session.message.as_ref().is_some_and(|message| message.text.contains("nothing")));
}

#[test]
fn a_change_that_shapes_the_water_begins_again_and_says_so() {
    let mut session = opened(POOL);
    advance(&mut session, 3);
    session.obey(Order::Change(Edit::set("water.0.resolution=16")));
    let news = session.news();
    assert_eq!((news.runs[0].frame, news.runs[0].count.cells), (0, 256));
    assert!(news.message.is_some_and(|message| message.text.contains("begun again")));
    session.obey(Order::Change(Edit::set("water.0.resolution=-3")));
    let news = session.news();
    assert_eq!(news.message.map(|message| message.kind), Some(MessageKind::Error));
    assert_eq!(news.runs[0].count.cells, 256);
}

#[test]
fn two_models_run_side_by_side_and_both_are_touched() {
    let mut session = opened(POOL);
    session.obey(Order::Compare(Some(String::from("shallow-water"))));
    let drop = Disturbance::Drop { at: DVec2::ZERO, radius: 0.5, volume: 0.1 };
    session.obey(Order::Act(ActionKind::Disturb(drop)));
    advance(&mut session, 4);
    let news = session.news();
    assert_eq!(
        news.runs.iter().map(|run| run.model.as_str()).collect::<Vec<_>>(),
        ["kass-miller", "shallow-water"]
    );
    for run in &news.runs {
        assert_eq!(run.frame, 4);
        assert!((run.budget.volume.inflow - 0.1).abs() < 1e-6, "{:?}", run.budget.volume);
    }
    session.obey(Order::Compare(None));
    assert_eq!(session.news().runs.len(), 1);
}

#[test]
fn a_broken_scene_is_told_with_its_places_and_the_old_one_stays() {
    let mut session = opened(POOL);
    let text = POOL.replace("level = 1", "levl = 1");
    session.obey(Order::Open(Source::Text { name: String::from("broken"), text, beside: None }));
    let news = session.news();
    let message = news.message.unwrap();
    assert_eq!(message.kind, MessageKind::Error);
    assert!(message.places[0].1.contains("level"), "{message:?}");
    assert_eq!(news.runs.len(), 1);
}

#[test]
fn every_bundled_scene_can_be_shown() {
    for bundled in undine::SCENES {
        let scene = bundled.parse(bundled.text, &LoadOptions { scale: 0.1, ..LoadOptions::default() });
        let run = Run::new(&scene.unwrap(), None);
        let run = run.unwrap_or_else(|errors| panic!("{}: {errors}", bundled.name));
        let all = FrameRequest { meshes: false, liquid_meshes: false, ..FrameRequest::ALL };
        let frame = show::shown(&run, &all);
        assert!(frame.surfaces.iter().all(|surface| surface.inconsistency().is_none()), "{}", bundled.name);
        assert!(frame.fields.iter().all(|raster| raster.inconsistency().is_none()), "{}", bundled.name);
    }
}
