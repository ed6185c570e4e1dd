//! Great terrain: 4096² columns with a hundred lakes and one river, and what of it stays awake.

use undine_checks::{Checks, Target, measured};

use super::super::water::Pipes;
use super::step;

/// Extent in metres of a square of columns 2 m wide, at full size.
const EXTENT: f64 = 8192.0;

/// The fall of the land towards the east, and of the river along itself.
const FALL: f64 = 0.002;

/// When the river has come to rest, when its spring begins to pulse, and until when awake tiles are counted.
pub const REST: f64 = 6000.0;
const PULSES: f64 = 2000.0;

/// The place of the river's middle at x: meanders of 817 m.
fn meander(x: f64) -> f64 {
    60.0 * (x / 130.0).sin()
}

/// The keys of the water and the sections of the scene, `scale` times as long and wide, with lakes on a lattice of so many
/// by so many. From [`REST`] on the spring pulses by a third every two minutes.
pub fn scene(scale: f64, lakes: i32) -> String {
    let size = scale * EXTENT;
    let (west, step) = (-0.5 * size - 60.0, 55.0);
    let points = ((size + 120.0) / step).ceil() as usize + 1;
    let (mut path, mut fills, mut along) = (String::new(), String::new(), 0.0);
    let bed = |along: f64| -FALL * (west + along) - 6.0;
    for index in 0..points {
        let x = west + step * index as f64;
        path += &format!("{{ at = [{x}, {:.2}] }}, ", meander(x));
        let next = x + step;
        let length = step.hypot(meander(next) - meander(x));
        // Water at about the depth of the steady river, so that it need not fill first
        fills += &format!(
            "{{ from = [{x}, -120], to = [{next}, 120], level = {:.3}, velocity = [1, 0] }}, ",
            bed(along + 0.5 * length) + 1.2
        );
        along += length;
    }
    let mut hills = String::new();
    let spacing = size / f64::from(lakes);
    for index in 0..lakes * lakes {
        let [i, j] = [index % lakes, index / lakes].map(|i| spacing * (f64::from(i) + 0.5) - 0.5 * size);
        // Off the lattice, and off the river
        let (x, y) = (i + 70.0 * (f64::from(index) * 2.4).sin(), j + 70.0 * (f64::from(index) * 1.7).cos());
        let y = if y.abs() < 380.0 { y.signum() * 380.0 } else { y };
        hills += &format!("{{ center = [{x:.1}, {y:.1}], radius = 206, height = -16, shape = 'cosine' }}, ");
        fills += &format!(
            "{{ from = [{:.1}, {:.1}], to = [{:.1}, {:.1}], level = {:.3} }}, ",
            x - 206.0,
            y - 206.0,
            x + 206.0,
            y + 206.0,
            -FALL * x - 5.0
        );
    }
    format!(
        "size = [{size}, {size}]\nresolution = {}\nmanning = 0.035\nfriction = 0\neast = 'open'\nfill = [{fills}]\n\
         [[terrain]]\nkind = 'slope'\nlevel = 0\nfall = {FALL}\n\
         [[terrain]]\nkind = 'noise'\nwavelength = 300\namplitude = 2\noctaves = 6\nseed = 3\n\
         [[terrain]]\nkind = 'hills'\nhill = [{hills}]\n\
         [[terrain]]\nkind = 'channel'\ncombine = 'min'\nblend = 3\nbed_level = {}\nfall = {FALL}\nwidth = 12\n\
         rounding = 4\nbank_slope = 0.5\npoint = [{path}]\n\
         [[source]]\nkind = 'spring'\nat = [{}, {:.2}]\nradius = 5\nrate = '20*(1 + 0.33*sin(t*0.0524)*step(t-{REST}))'\n",
        (size / 2.0).round(),
        bed(0.0),
        -0.5 * size + 34.0,
        meander(-0.5 * size + 34.0)
    )
}

/// Tiles with water, and those of them that are awake.
pub fn wet_and_awake(water: &Pipes) -> [usize; 2] {
    let tiles = water.columns.tiling.count();
    let wet = water.sums.as_flattened().iter().take(tiles).enumerate().filter(|(_, sums)| sums.total > 0);
    wet.fold([0, 0], |[wet, awake], (tile, _)| [wet + 1, awake + usize::from(water.visits.is_awake(tile))])
}

/// Parts of the wet tiles that are awake: when the river has come to rest, and while its spring pulses.
pub fn sleep(checks: &mut Checks) -> anyhow::Result<()> {
    let mut water = super::build(&scene(1.0, 10))?;
    let (mut calm, mut pulsing) = (Share::default(), Share::default());
    while water.time < REST + PULSES {
        step(&mut water, 1.0)?;
        match water.time {
            time if time > REST - 500.0 && time < REST => calm.add(&water),
            time if time > REST + 500.0 => pulsing.add(&water),
            _ => {}
        }
    }
    let target = |bound| Target::ours(bound, "asked of this model: of a hundred lakes and one river");
    checks.at_most("part of the wet tiles awake, river asleep", measured(calm.mean()), target(0.03));
    checks.at_most("part of the wet tiles awake, spring pulsing", measured(pulsing.mean()), target(0.15));
    let error = (water.held() - water.ledger.expected()).abs();
    let exact = Target::exact(0.0, "volumes are whole units");
    checks.at_most("error of the ledger in units", measured(error as f64), exact);
    Ok(())
}

/// The mean part of the wet tiles that is awake.
#[derive(Debug, Default)]
pub struct Share {
    sum: f64,
    steps: f64,
}

impl Share {
    pub fn add(&mut self, water: &Pipes) {
        let [wet, awake] = wet_and_awake(water);
        self.sum += awake as f64 / wet.max(1) as f64;
        self.steps += 1.0;
    }

    pub fn mean(&self) -> f64 {
        self.sum / self.steps.max(1.0)
    }
}
