//! Liquids at rest and in motion, against what is known of them.

use undine_scene::{LoadOptions, Scene};
use undine_sim::{Simulation, World};

use super::liquid::Liquid;

/// The liquid of a scene, with its insides open.
pub(super) fn liquid<const D: usize>(text: &str) -> Liquid<D> {
    let scene = Scene::parse("test", text, &LoadOptions::default()).unwrap();
    let sections = scene.sections("water");
    let values = sections[0].read(&[undine_sim::WATER_KEYS, super::keys::KEYS]).unwrap();
    super::build::assemble(&scene, &values).unwrap().0
}

pub(super) fn run<const D: usize>(
    liquid: &mut Liquid<D>,
    frames: usize,
    fps: f64,
    mut watch: impl FnMut(&Liquid<D>),
) {
    for frame in 0..frames {
        let end = (frame + 1) as f64 / fps;
        while liquid.time < end - 1e-12 {
            let left = end - liquid.time;
            let steps = (left / liquid.max_dt()).ceil().max(1.0);
            let mut world = World { time: liquid.time, gravity: 9.81, seed: 1, upstream: None };
            liquid.step(left / steps, &mut world).unwrap();
        }
        watch(liquid);
    }
}

#[test]
fn probe_rest() {
    for words in ["transfer = 'apic'", "transfer = 'flip'"] {
        println!("{words}");
        let mut pool = liquid::<2>(&format!(
            "[scene]\nduration = 5\n[[water]]\nkind = 'liquid'\nresolution = 64\n{words}\n[[fill]]\nkind = 'level'\nlevel = 0.5\n"
        ));
        run(&mut pool, 125, 25.0, |pool| {
            let frame = (pool.time * 25.0).round() as usize;
            if frame % 25 == 0 {
                println!("t {:.2} fastest {:.2e} seen {:.5}", pool.time, pool.fastest, pool.control.error());
            }
        });
    }
}

#[test]
fn probe_dam() {
    let extra = std::env::var("EXTRA").unwrap_or_default();
    let mut dam = liquid::<3>(&format!(
        "[scene]\nduration = 5\nfps = 24\n[[water]]\nkind = 'liquid'\nsize = [2, 1]\nheight = 1\nresolution = 128\n{extra}\n[[fill]]\nkind = 'box'\nsize = [1.334, 4, 4]\n"
    ));
    println!("{} particles of {}", dam.particles.len(), dam.volume().held / dam.ledger.particle());
    let mut total = std::collections::BTreeMap::new();
    for _ in 0..24 {
        let dt = dam.max_dt().min(1.0 / 72.0);
        let mut world = World { time: dam.time, gravity: 9.81, seed: 1, upstream: None };
        let undine_sim::Step::Done(phases) = dam.step(dt, &mut world).unwrap() else { panic!() };
        for (name, seconds) in phases.iter() {
            *total.entry(name).or_insert(0.0) += seconds;
        }
        println!(
            "t {:.3} dt {:.4} fastest {:.2} its {} {:.3} n {} seen {:.4}",
            dam.time,
            dt,
            dam.fastest,
            dam.pressure.iterations,
            phases.total(),
            dam.particles.len(),
            dam.control.error()
        );
    }
    println!("{total:?}");
}
