//! Random terrain, sources, rain, digs, dams, sleep and waking: after every step each unit is in a column, on an account, in the
//! air or in the ledger, with the same bits on one thread, on eight, and restored in mid-run.

use glam::{DVec2, DVec3};
use undine_sim::{Disturbance, Reader, Simulation, Step, Writer};

use super::super::water::Pipes;
use super::*;

/// Steps of a run. It is restored after half of them.
const STEPS: usize = 240;

/// Random numbers of a seed (splitmix64).
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.next().is_multiple_of(count)
    }

    fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.next() % from.len() as u64) as usize]
    }

    /// A point within the domain, or a little beside it.
    fn point(&mut self, size: [f64; 2]) -> DVec2 {
        DVec2::new(self.between(-0.6, 0.6) * size[0], self.between(-0.6, 0.6) * size[1])
    }
}

/// A water as text, and the size of its domain.
struct RandomScene {
    text: String,
    size: [f64; 2],
}

impl RandomScene {
    fn new(random: &mut Random) -> RandomScene {
        let is_curve = random.one_in(4);
        let size = [random.between(2.0, 5.0), if is_curve { 0.2 } else { random.between(2.0, 5.0) }];
        let resolution = random.choose(&[18, 33, 40, 50]);
        let manager = random.choose(if is_curve { &["none", "thesis", "exact"] } else { &["none", "exact"] });
        let mut text = format!(
            "size = [{}, {}]\nresolution = {resolution}\ncurve = {is_curve}\nmanager = '{manager}'\nfriction = {}\n",
            size[0],
            size[1],
            random.choose(&[0.0, 0.5, 4.0, 30.0]),
        );
        if random.one_in(2) {
            text += &format!("level = {}\n", random.between(-0.5, 0.3));
        }
        if is_curve && random.one_in(2) {
            text += "cell_height = 0.2\nstable_samples = 8\nstable_flow = 0.02\n";
        } else {
            text += random.choose(&["", "area = 'constant'\npipe_depth = 0.3\n", "manning = 0.03\n"]);
            text += random.choose(&["", "neighbours = 'eight'\n"]);
        }
        text += random.choose(&["", "drop_height = 0.15\n", "drop_speed = 0.3\n", "drop_curvature = 4\n"]);
        text += random.choose(&["", "sharp_drop = 0.05\n"]);
        for side in ["west", "east", "south", "north"] {
            text += &format!("{side} = '{}'\n", random.choose(&["wall", "open"]));
        }
        let [low, high] = [random.point(size), random.point(size)];
        text += &format!(
            "fill = [{{ from = [{}, {}], to = [{}, {}], level = {} }}]\n",
            low.x.min(high.x),
            low.y.min(high.y),
            low.x.max(high.x),
            low.y.max(high.y),
            random.between(0.0, 0.8)
        );
        text += &format!(
            "[[terrain]]\nkind = 'noise'\nwavelength = {}\namplitude = {}\nseed = {}\n",
            random.between(1.0, 5.0),
            random.between(0.0, 0.8),
            random.next() % 1000
        );
        (0..random.next() % 4).for_each(|_| text += &source(random, size));
        RandomScene { text, size }
    }
}

/// A spring, a drain or rain, steady or for a while.
fn source(random: &mut Random, size: [f64; 2]) -> String {
    let while_on = match random.next() % 3 {
        0 => "1".to_owned(),
        1 => format!("step(t-{})", random.between(0.0, 1.0)),
        _ => format!("pulse(t-{}, {})", random.between(0.0, 0.5), random.between(0.01, 0.5)),
    };
    if random.one_in(3) {
        let rate = random.between(10.0, 3000.0);
        let drops = random.one_in(3);
        return format!("[[source]]\nkind = 'rain'\nrate = '{rate}*{while_on}'\ndrops = {drops}\n");
    }
    let [x, y] = [0, 1].map(|axis| random.between(-0.45, 0.45) * size[axis]);
    format!(
        "[[source]]\nkind = '{}'\nat = [{x}, {y}]\nradius = {}\nrate = '{}*{while_on}'\n",
        random.choose(&["spring", "drain"]),
        random.between(0.05, 1.0),
        random.between(0.001, 0.3)
    )
}

/// Something from outside, or a tile that is woken; whether the ground has changed.
fn disturb(water: &mut Pipes, random: &mut Random, size: [f64; 2]) -> bool {
    let [at, to] = [random.point(size), random.point(size)];
    let radius = random.between(0.02, 1.0);
    let disturbance = match random.next() % 7 {
        0 => Disturbance::Drop { at, radius, volume: random.between(0.0, 0.01) },
        1 => {
            let velocity = DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0);
            Disturbance::Push { at: at.extend(0.0), radius, velocity }
        }
        2 => Disturbance::Source { at, radius, rate: random.between(-0.2, 0.2), duration: 0.1 },
        3 => Disturbance::Ground { path: [at, to], radius, height: random.between(-0.3, 0.3) },
        4 => Disturbance::Dam { path: [at, to], radius, level: random.between(-0.2, 0.8), slope: 1.0 },
        5 => Disturbance::Rain { rate: random.between(0.0, 0.01), duration: 0.1 },
        _ => {
            let tile = random.next() as usize % water.columns.tiling.count();
            water.managed(|water, manager| manager.wake(water, tile));
            return false;
        }
    };
    water.disturb(&disturbance) && disturbance.changes_ground()
}

/// Everything that the water is in, as its checkpoint.
fn saved(water: &Pipes) -> Vec<u8> {
    let mut bytes = Vec::new();
    water.save(&mut Writer::new(&mut bytes)).unwrap();
    bytes
}

/// What a run has seen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Seen {
    asleep: u64,
    woken: u64,
    /// Regions of the thesis that fell asleep or woke.
    transitions: u64,
    drops: i128,
    changes_of_ground: u64,
}

/// Runs the water of a seed, and answers its state at the half and at the end, and what happened.
fn run(seed: u64, is_restored: bool) -> ([Vec<u8>; 2], Seen) {
    let mut seen = Seen::default();
    let mut random = Random(seed);
    let RandomScene { text, size } = RandomScene::new(&mut random);
    let (mut current, gravity) = water(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let mut half = Vec::new();
    for step in 0..STEPS {
        if step == STEPS / 2 {
            half = saved(&current);
            if is_restored {
                (current, _) = water(&text).unwrap();
                current.restore(&mut Reader::new(&half)).unwrap();
            }
        }
        // Rests in between, with long steps, so that something falls asleep
        let is_rest = step / 30 % 3 > 0;
        if random.one_in(if is_rest { 60 } else { 4 }) {
            seen.changes_of_ground += u64::from(disturb(&mut current, &mut random, size));
        }
        let longest = if is_rest { 0.2 } else { 0.02 };
        let mut world = World { time: current.time, gravity, seed, driver: None };
        let dt = current.max_dt().min(longest);
        let taken = current.step(dt, &mut world);
        assert!(matches!(taken, Ok(Step::Done(_))), "seed {seed}, step {step}\n{text}");
        let accounts = current.manager.as_ref().map_or(0, |manager| manager.held());
        seen.transitions += current.counts.sleep_transitions;
        seen.drops = seen.drops.max(current.drops.held());
        let everywhere = current.columns.total() + current.drops.held() + current.falls.held() + accounts;
        let due = current.ledger.expected() + current.withheld();
        assert_eq!((everywhere, current.held()), (due, due), "seed {seed}, step {step}\n{text}");
        assert!(current.columns.volume.iter().all(|volume| *volume >= 0), "seed {seed}, step {step}\n{text}");
    }
    [seen.asleep, seen.woken] = current.manager.as_ref().map_or([0; 2], |manager| manager.transitions());
    ([half, saved(&current)], seen)
}

fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// `UNDINE_SEEDS` asks for more seeds.
#[test]
fn no_unit_is_lost_whatever_happens() {
    let count: u64 = std::env::var("UNDINE_SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(18);
    let mut all = Seen::default();
    for seed in 1..=count {
        let (alone, seen) = with_threads(1, || run(seed, false));
        assert!(with_threads(8, || run(seed, false)).0 == alone, "seed {seed}: other bits on eight threads");
        assert!(with_threads(1, || run(seed, true)).0 == alone, "seed {seed}: other bits after a restore");
        all = Seen {
            asleep: all.asleep + seen.asleep,
            woken: all.woken + seen.woken,
            transitions: all.transitions + seen.transitions,
            drops: all.drops + seen.drops,
            changes_of_ground: all.changes_of_ground + seen.changes_of_ground,
        };
    }
    // The seeds reach what the test is about
    let Seen { asleep, woken, transitions, drops, changes_of_ground } = all;
    let has_slept = asleep > 2 && woken > 2 && transitions > 4;
    assert!(has_slept && drops > 0 && changes_of_ground > 50, "{all:?}");
}
