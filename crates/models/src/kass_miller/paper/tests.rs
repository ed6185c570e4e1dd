//! The paper's algorithm on small waters.

use undine_scene::{LoadOptions, Scene};
use undine_sim::{Reader, Runner, Sample, Writer};

use crate::kass_miller::ENTRY;

fn build(terrain: &str, water: &str) -> Runner {
    let text = format!(
        "[scene]\nduration = 100\nfps = 20\n{terrain}\n[[water]]\nkind = 'kass-miller'\nscheme = 'paper'\nprecision = 'double'\n{water}"
    );
    let scene = Scene::parse("paper", &text, &LoadOptions::default()).unwrap();
    Runner::new(&scene, &[&ENTRY], None).unwrap()
}

fn advance(water: &mut Runner, frames: usize) {
    for _ in 0..frames {
        water.next_frame().unwrap();
    }
}

const ISLANDS: &str = "[[terrain]]\nkind = 'plane'\n[[terrain]]\nkind = 'hills'
    hill = [{ center = [1, 0.5], radius = 0.9, height = 0.7 }, { center = [-1.5, -1], radius = 0.5, height = 1.1 }]
    [[terrain]]\nkind = 'rim'\ncombine = 'max'\nsize = [6, 5]\nthickness = 0.3\nheight = 3";

#[test]
fn water_between_steep_walls_and_islands_stays_at_rest() {
    let mut water = build(ISLANDS, "size = [6, 5]\nresolution = 48\nlevel = 0.6");
    advance(&mut water, 40);
    let budget = water.waters()[0].simulation.budget();
    assert!(budget.kinetic_energy < 1e-20, "{}", budget.kinetic_energy);
}

#[test]
fn volume_is_kept_while_islands_are_flooded_and_fall_dry() {
    let wave = "size = [6, 5]\nresolution = 48\nlevel = 0.6\nhump = [{ center = [-1, 1], radius = [1, 1], height = 0.5 }]";
    for damping in ["0", "0.05"] {
        let mut water = build(ISLANDS, &format!("{wave}\ndamping = {damping}"));
        advance(&mut water, 300);
        let volume = water.waters()[0].simulation.volume();
        assert!(volume.relative_error().abs() < 1e-12, "{}", volume.relative_error());
    }
}

#[test]
fn small_waves_are_those_of_the_first_order_step() {
    let make = |scheme: &str| {
        let options =
            LoadOptions { overrides: vec![format!("water.0.scheme={scheme}")], ..LoadOptions::default() };
        let text = "[scene]\nduration = 10\nfps = 20\n[[terrain]]\nkind = 'slope'\nlevel = -1\nfall = 0.05
            [[water]]\nkind = 'kass-miller'\nprecision = 'double'\ncurve = true\nsize = [10, 1]\nresolution = 80\nlevel = 0
            hump = [{ center = [1, 0], radius = [0.8, 9], height = 1e-6 }]\ndamping = 0.01";
        Runner::new(&Scene::parse("slit", text, &options).unwrap(), &[&ENTRY], None).unwrap()
    };
    let (mut paper, mut first_order) = (make("paper"), make("first-order"));
    advance(&mut paper, 40);
    advance(&mut first_order, 40);
    let greatest = (0..80).map(|at| {
        let xy = glam::DVec2::new(0.125 * f64::from(at) - 4.9, 0.0);
        let level = paper.height(xy).unwrap();
        assert!((level - first_order.height(xy).unwrap()).abs() < 1e-10, "at {xy}");
        level.abs()
    });
    assert!(greatest.fold(0.0, f64::max) > 1e-8, "the wave has gone");
}

#[test]
fn a_saved_state_goes_on_with_the_same_bits() {
    let make = || {
        build(
            ISLANDS,
            "size = [6, 5]\nresolution = 32\nlevel = 0.6\nhump = [{ center = [-1, 1], radius = [1, 1], height = 0.5 }]",
        )
    };
    let mut uninterrupted = make();
    advance(&mut uninterrupted, 10);
    let mut state = Vec::new();
    uninterrupted.save(&mut Writer::new(&mut state)).unwrap();
    let mut resumed = make();
    resumed.restore(&mut Reader::new(&state)).unwrap();
    advance(&mut uninterrupted, 10);
    advance(&mut resumed, 10);
    let bytes = |runner: &Runner| {
        let mut bytes = Vec::new();
        runner.save(&mut Writer::new(&mut bytes)).unwrap();
        bytes
    };
    assert_eq!(bytes(&uninterrupted), bytes(&resumed));
}
