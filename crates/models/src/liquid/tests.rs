//! Liquids at rest and in motion, compared with known behaviour.

use undine_scene::{LoadOptions, Scene};
use undine_sim::{Simulation, World};

use super::simulation::LiquidSimulation;

/// The liquid of a scene, as its concrete type.
fn liquid<const D: usize>(text: &str) -> LiquidSimulation<D> {
    let scene = Scene::parse("test", text, &LoadOptions::default()).unwrap();
    let sections = scene.sections("water");
    let values = sections[0].read(&[undine_sim::WATER_KEYS, super::keys::KEYS]).unwrap();
    super::build::assemble(&scene, &values).unwrap().0
}

/// A 2-D tank of 1 m × 1 m with these keys of its water and these sections.
fn tank(water: &str, sections: &str) -> LiquidSimulation<2> {
    let usual = if water.contains("resolution") { "" } else { "resolution = 32" };
    liquid(&format!(
        "[scene]\nduration = 9\nfps = 25\n[[water]]\nkind = 'liquid'\n{usual}\n{water}\n{sections}"
    ))
}

fn run<const D: usize>(liquid: &mut LiquidSimulation<D>, seconds: f64) {
    let (fps, start) = (25.0, liquid.time);
    for frame in 1..=(seconds * fps).round() as usize {
        let end = start + frame as f64 / fps;
        while liquid.time < end - 1e-9 {
            let left = end - liquid.time;
            let steps = (left / liquid.max_dt()).ceil().max(1.0);
            let world = &mut World { time: liquid.time, gravity: 9.81, seed: 1, driver: None };
            liquid.step(left / steps, world).unwrap();
        }
    }
}

/// The front of the liquid: the greatest x of any particle, in metres.
fn front(liquid: &LiquidSimulation<2>) -> f64 {
    f64::from(liquid.particles.position[0].iter().copied().fold(0.0, f32::max)) * liquid.cell()
}

const HALF: &str = "[[fill]]\nkind = 'level'\nlevel = 0.5\n";
const COLUMN: &str = "[[fill]]\nkind = 'rectangle'\nsize = [0.6, 1.2]\n";

#[test]
fn still_water_stays_still_whatever_the_transfer() {
    for transfer in ["apic", "flip", "pic"] {
        for band in [0, 4] {
            let mut pool = tank(&format!("transfer = '{transfer}'\nband = {band}"), HALF);
            run(&mut pool, 2.0);
            let limit = 1e-2 * (9.81_f64 * 0.5).sqrt();
            assert!(pool.max_speed < limit, "{transfer} with a band of {band}: {} m/s", pool.max_speed);
            assert!(pool.volume_control.error().abs() < 1e-3, "{}", pool.volume_control.error());
        }
    }
}

#[test]
fn a_dam_that_breaks_loses_nothing_with_or_without_a_band() {
    let mut fronts = Vec::new();
    for band in [0, 3] {
        let mut dam = tank(&format!("size = [2, 1]\nresolution = 64\nband = {band}"), COLUMN);
        let before = dam.volume().held;
        run(&mut dam, 0.28);
        fronts.push(front(&dam));
        run(&mut dam, 1.5);
        assert_eq!((dam.volume().held, dam.volume().error()), (before, 0.0));
        assert!(dam.volume_control.error().abs() < 0.3, "band {band}: {}", dam.volume_control.error());
    }
    assert!(fronts[0] > 0.7 && (fronts[0] - fronts[1]).abs() < 0.1, "{fronts:?}");
}

#[test]
fn a_wall_of_a_tenth_of_a_cell_does_not_leak() {
    for turn in [0.0_f64, 0.12] {
        let wall = format!(
            "[[obstacle]]\nkind = 'rectangle'\nsize = [0.003, 3]\nat = [0.5, 0.5]\nturn = {turn}\n\
             [[fill]]\nkind = 'rectangle'\nsize = [0.6, 1.4]\n"
        );
        let mut held = tank("", &wall);
        run(&mut held, 2.0);
        let slope = turn.tan();
        let beyond = (0..held.particles.len()).filter(|&index| {
            let [x, y] = held.particles.position_of(index).map(|x| f64::from(x) * held.cell());
            x + slope * (y - 0.5) > 0.5
        });
        assert_eq!(beyond.count(), 0, "turned by {turn}");
    }
}

#[test]
fn no_particle_is_inside_a_rotating_solid() {
    let paddle =
        format!("{HALF}[[obstacle]]\nkind = 'rectangle'\nsize = [0.6, 0.1]\nat = [0.5, 0.4]\nturn = '2*t'\n");
    let mut stirred = tank("", &paddle);
    let before = stirred.volume().held;
    run(&mut stirred, 2.0);
    let deepest = (0..stirred.particles.len())
        .map(|index| stirred.boundary.distance(stirred.particles.position_of(index)))
        .fold(f32::MAX, f32::min);
    assert!(deepest > -0.05, "{deepest} cells");
    assert_eq!((stirred.volume().held, stirred.volume().error()), (before, 0.0));
    assert!(stirred.max_speed > 0.1);
}

#[test]
fn inflow_and_drains_are_in_the_ledger() {
    let sources = "[[emitter]]\nkind = 'circle'\nradius = 0.1\nat = [0.3, 0.8]\nspeed = 1\nuntil = 1\n\
                   [[drain]]\nkind = 'rectangle'\nsize = [1, 0.1]\nat = [0.9, 0]\nfrom = 1.2\n";
    let mut pool = tank("", sources);
    run(&mut pool, 1.0);
    let poured = pool.volume();
    assert!(poured.inflow > 0.1 && poured.outflow == 0.0 && poured.error() == 0.0, "{poured:?}");
    run(&mut pool, 3.0);
    let drained = pool.volume();
    assert!(drained.outflow > 0.1 * drained.inflow && drained.error().abs() < 1e-12, "{drained:?}");
}

#[test]
fn an_open_side_lets_water_out() {
    let mut dam = tank("east = { kind = 'open' }", COLUMN);
    run(&mut dam, 3.0);
    let volume = dam.volume();
    assert!(volume.outflow > 0.5 * volume.initial && volume.error().abs() < 1e-12, "{volume:?}");
}

#[test]
fn a_ball_without_gravity_keeps_its_velocity() {
    let text = "[scene]\nduration = 1\ngravity = 0\n[[water]]\nkind = 'liquid'\nresolution = 32\n\
                [[fill]]\nkind = 'circle'\nradius = 0.15\nat = [0.3, 0.3]\nvelocity = [0.5, 0.25]\n";
    let mut ball = liquid::<2>(text);
    let mean = |ball: &LiquidSimulation<2>, axis: usize| {
        let column = &ball.particles.position[axis];
        column.iter().map(|x| f64::from(*x)).sum::<f64>() / column.len() as f64 * ball.cell()
    };
    let start = [mean(&ball, 0), mean(&ball, 1)];
    run(&mut ball, 0.6);
    let moved = [mean(&ball, 0) - start[0], mean(&ball, 1) - start[1]];
    assert!((moved[0] - 0.3).abs() < 3e-3 && (moved[1] - 0.15).abs() < 3e-3, "{moved:?}");
    assert!((ball.budget().momentum[0] / (1000.0 * ball.volume().held) - 0.5).abs() < 1e-3);
}

#[test]
fn odd_boxes_and_absurd_jets_are_survived() {
    run(&mut tank("resolution = 1", HALF), 0.2);
    run(&mut tank("size = [1, 0.01]", HALF), 0.2);
    run(&mut tank("tension = 100", COLUMN), 0.04);
    let jet = "[[emitter]]\nkind = 'circle'\nradius = 0.1\nat = [0.3, 0.8]\nspeed = 10000\n";
    let mut absurd = tank("steps = 4", jet);
    run(&mut absurd, 0.2);
    assert!(absurd.max_speed.is_finite() && absurd.volume().error().abs() < 1e-9);
    let mut deep = liquid::<3>(
        "[scene]\nduration = 1\n[[water]]\nkind = 'liquid'\nheight = 1\nresolution = 3\n[[fill]]\nkind = 'level'\nlevel = 0.4\n",
    );
    run(&mut deep, 0.2);
    assert_eq!(deep.volume().error(), 0.0);
}

#[test]
fn honey_falls_slower_than_water_along_a_wall() {
    let [thin, thick] = ["viscosity = 0", "viscosity = 0.05"].map(|viscosity| {
        let mut dam = tank(&format!("{viscosity}\nsize = [2, 1]\nresolution = 48"), COLUMN);
        run(&mut dam, 0.4);
        front(&dam)
    });
    assert!(thick < thin, "{thick} and {thin}");
}

/// Runs a liquid frame by frame; returns the greatest ratio of the volume held to the capacity at any frame.
fn greatest_fill<const D: usize>(liquid: &mut LiquidSimulation<D>, seconds: f64) -> f64 {
    let capacity = liquid.capacity().unwrap();
    let frames = (25.0 * seconds).round() as usize;
    (0..frames).fold(0.0, |greatest: f64, _| {
        run(liquid, 0.04);
        assert!(liquid.max_speed.is_finite() && liquid.volume().error().abs() < 1e-12);
        greatest.max(liquid.volume().held / capacity)
    })
}

#[test]
fn an_inflow_side_fills_a_closed_tank_to_its_capacity_and_no_further() {
    // 0.5 m³ of 1 m³ at the start, and 1 m³/s through a side of 1 m²
    let west = "west = { kind = 'inflow', speed = 1 }";
    let mut flat = tank(west, HALF);
    let fill_flat = greatest_fill(&mut flat, 2.0);
    let space = format!(
        "[scene]\nduration = 9\nfps = 25\n[[water]]\nkind = 'liquid'\nheight = 1\nresolution = 12\n{west}\n{HALF}"
    );
    let mut space = liquid::<3>(&space);
    let fill_space = greatest_fill(&mut space, 1.6);
    let layers = [1.0 / 32.0, 1.0 / 12.0];
    let ledgers = [(flat.volume(), flat.ledger, 2.0), (space.volume(), space.ledger, 1.6)];
    for ((fill, (volume, ledger, time)), layer) in
        [fill_flat, fill_space].into_iter().zip(ledgers).zip(layers)
    {
        assert!((0.95..=1.005).contains(&fill), "{fill} of the capacity");
        // What was prescribed has come in or was refused, or waits in front of the side
        let prescribed = volume.inflow + ledger.refused();
        assert!((prescribed - time).abs() <= layer, "{prescribed} m³ of {time} m³");
        let (first, _) = ledger.first_refusal().unwrap();
        assert!((0.3..0.7).contains(&first), "first refused at {first} s");
    }
    let notices = flat.notices();
    assert!(notices.len() == 1 && notices[0].text.contains("no room"), "{notices:?}");
    assert!(notices[0].text.contains("west") && notices[0].text.contains("t = 0."), "{notices:?}");
}

#[test]
fn emitters_fill_a_closed_tank_to_its_capacity_and_no_further() {
    let jet = |kind: &str, at: &str| {
        format!("{HALF}[[emitter]]\nkind = '{kind}'\nradius = 0.2\nat = {at}\nspeed = 2\n")
    };
    for band in [0, 4] {
        let mut flat = tank(&format!("band = {band}"), &jet("circle", "[0.5, 0.3]"));
        let fill = greatest_fill(&mut flat, 4.0);
        assert!((0.8..=1.005).contains(&fill), "{fill} of the capacity with a band of {band}");
    }
    let mut space = liquid::<3>(&format!(
        "[scene]\nduration = 9\nfps = 25\n[[water]]\nkind = 'liquid'\nheight = 1\nresolution = 12\n{}",
        jet("sphere", "[0.5, 0.5, 0.8]")
    ));
    let fill = greatest_fill(&mut space, 4.0);
    assert!((0.9..=1.005).contains(&fill), "{fill} of the capacity");
    assert!(
        space.ledger.refused() > 0.0 && space.notices()[0].text.contains("emitter"),
        "{:?}",
        space.notices()
    );
}

#[test]
fn a_compartment_behind_a_wall_is_filled_alone() {
    let wall = "[[obstacle]]\nkind = 'rectangle'\nsize = [0.02, 3]\nat = [0.5, 0.5]\n";
    let mut half = tank("west = { kind = 'inflow', speed = 0.5 }", wall);
    greatest_fill(&mut half, 2.0);
    let beyond = half.particles.position[0].iter().filter(|&&x| f64::from(x) * half.cell() > 0.5).count();
    let held = half.volume().held;
    assert!(beyond == 0 && (0.46..=0.49 * 1.005).contains(&held), "{held} m³, {beyond} beyond the wall");
    assert!(half.ledger.refused() > 0.4, "{}", half.ledger.refused());
}

#[test]
fn an_inflow_carries_its_flux() {
    // 0.5 m/s through 0.4 m for 1.2 s, towards an open side
    let mut channel = tank(
        "west = { kind = 'inflow', speed = 0.5, level = 0.4 }\neast = { kind = 'open' }",
        "[[fill]]\nkind = 'level'\nlevel = 0.4\n",
    );
    run(&mut channel, 1.2);
    let (volume, refused) = (channel.volume(), channel.ledger.refused());
    assert!((volume.inflow - 0.24).abs() < 0.4 / 32.0 && refused == 0.0, "{volume:?}, refused {refused}");
}
