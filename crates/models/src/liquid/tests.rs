//! Liquids at rest and in motion, against what is known of them.

use undine_grid::Grid;
use undine_sim::{Simulation, World};

use super::follow::{Kind, Move};
use super::liquid::{Liquid, Recipe, Settings};
use super::seed::{Content, seed};
use super::walls::Walls;

pub(super) fn liquid<const D: usize>(
    cells: [usize; D],
    cell: f64,
    kind: Kind,
    contains: impl Fn([f64; D]) -> bool,
) -> Liquid<D> {
    let grid = Grid::new(cells, [cell; D], [0.0; D]).unwrap();
    let settings = Settings {
        kind,
        motion: Move::RungeKutta,
        gravity: 9.81,
        density: 1000.0,
        courant: 4.0,
        shortest: 1e-5,
        open_sides: [[false; 2]; D],
        seed: 1,
    };
    let walls = Walls::new(grid, None).unwrap();
    let recipe = Recipe {
        grid,
        settings,
        walls,
        has_colour: false,
        solver: "mgpcg",
        tolerance: 1e-6,
        band: std::env::var("BAND").ok().map(|band| band.parse().unwrap()),
        viscosity: 0.0,
        tension: 0.0,
        controls_volume: std::env::var("CONTROL").is_ok(),
    };
    let mut liquid = Liquid::new(recipe).unwrap();
    let content = Content { velocity: [0.0; D], colour: [0.0; 3] };
    seed(&mut liquid.particles, &grid, &liquid.walls, 1, |point| contains(point).then_some(content));
    liquid.begin();
    liquid
}

pub(super) fn run<const D: usize>(liquid: &mut Liquid<D>, frames: usize, fps: f64, mut watch: impl FnMut(&Liquid<D>)) {
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
  for (kind, rest) in [(Kind::Apic, 100), (Kind::Flip(0.97), 100)] {
    println!("{kind:?} {rest}");
    let mut pool = liquid([64, 64], 1.0 / 64.0, kind, |[_, y]| y < 0.5);
    let start = pool.seen_volume();
    run(&mut pool, 125, 25.0, |pool| {
        let frame = (pool.time * 25.0).round() as usize;
        if frame % 25 == 0 {
            println!(
                "t {:.2} fastest {:.2e} seen {:.5} iterations {}",
                pool.time,
                pool.fastest,
                pool.seen_volume() / start - 1.0,
                pool.pressure.iterations
            );
        }
    });
  }
}

#[test]
fn probe_dam() {
    let mut dam = liquid([128, 64, 64], 1.0 / 64.0, Kind::Apic, |[x, _, _]| x < 0.667);
    println!("{} particles of {}", dam.particles.len(), dam.volume().held / dam.ledger.particle());
    let start = dam.seen_volume();
    let mut total = std::collections::BTreeMap::new();
    for _ in 0..24 {
        let dt = dam.max_dt().min(1.0 / 72.0);
        let mut world = World { time: dam.time, gravity: 9.81, seed: 1, upstream: None };
        let undine_sim::Step::Done(phases) = dam.step(dt, &mut world).unwrap() else { panic!() };
        for (name, seconds) in phases.iter() {
            *total.entry(name).or_insert(0.0) += seconds;
        }
        println!("t {:.3} dt {:.4} fastest {:.2} its {} {:.3} n {} seen {:.4}", dam.time, dt, dam.fastest, dam.pressure.iterations, phases.total(), dam.particles.len(), dam.control.error());
    }
    println!("{total:?} volume {}", dam.seen_volume() / start - 1.0);
}
