//! Waterfalls: exact volume, where and when water lands, lips that run dry, sleep, and absurd thresholds.

use undine_frame::RegionState;
use undine_sim::{Disturbance, Reader, Simulation, Writer};

use super::super::drops::{DropReceiver, Landing};
use super::super::pipe_set::PipeSet;
use super::super::tests::{advance, water};
use super::super::water::Pipes;
use super::fall::Trajectory;

/// A river two metres wide that falls three metres, on cells of 0.25 m.
const CLIFF: &str = "size = [20, 2]\nresolution = 80\neast = 'open'\ndrop_drag = 0\nsharp_drop = 0.5\n\
    fill = [{ from = [-99, -9], to = [0, 9], level = 3.7 }]\n\
    [[terrain]]\nkind = 'walls'\nwall = [{ from = [-20, -9], to = [0, 9], height = 3 }]\n\
    [[source]]\nkind = 'spring'\nat = [-8, 0]\nradius = 0.9\nrate = 2\n";

/// The column of the lip of [`CLIFF`].
const LIP: usize = 39;

fn cliff(keys: &str) -> Pipes {
    water(&format!("{keys}\n{CLIFF}")).unwrap().0
}

/// Units in the columns beyond the lip.
fn below(water: &Pipes) -> i64 {
    let cells = (0..8).flat_map(|y| (LIP + 1..80).map(move |x| [x, y]));
    cells.map(|cell| i64::from(water.columns.volume[water.columns.tiling.index(cell)])).sum()
}

#[test]
fn water_lands_where_the_parabola_says_and_when() {
    for manager in ["exact", "none"] {
        let mut water = cliff(&format!("fall_spread = 0\nmanager = '{manager}'"));
        // The first water leaves the lip with this
        let lip = water.columns.tiling.index([LIP, 4]);
        let mut first = None;
        while below(&water) == 0 && water.time < 3.0 {
            advance(&mut water, 1);
            let fall = water.falls.falls.iter().find(|fall| fall.donor as usize == lip);
            first = first.or(fall.map(|fall| (water.time, fall.path)));
        }
        // On dry ground the deepest column is where it landed
        let fallen = |x: &usize| (0..8).map(|y| water.depth_in([*x, y])).sum::<f64>();
        let deepest = (LIP + 1..80).max_by(|a, b| fallen(a).total_cmp(&fallen(b)));
        let ((time, path), g) = (first.unwrap(), 9.81_f64);
        let seconds =
            |path: Trajectory, height: f64| (path.rise + (path.rise.powi(2) + 2.0 * g * height).sqrt()) / g;
        // An account arrives where water that leaves the lip now would land, a drop where it flies to
        let now = water.falls.falls.iter().find(|fall| fall.donor as usize == lip).unwrap().path;
        let aim = if manager == "exact" { now } else { path };
        let distance = aim.speed * seconds(aim, aim.height) / 0.25;
        let distance = (deepest.unwrap() - LIP) as f64 - 0.5 - distance;
        assert!(distance.abs() <= if manager == "exact" { 1.0 } else { 2.0 }, "{manager}: {distance} cells");
        // Drops leave at any height between the ground and the surface of the lip
        let lowest = seconds(path, if manager == "exact" { path.height } else { 3.0 });
        let flown = 0.9 * lowest..1.1 * seconds(path, path.height);
        assert!(flown.contains(&(water.time - time)), "{manager}: {} s, {flown:?}", water.time - time);
    }
    // Steady: x = u √(2h/g)
    let mut water = cliff("fall_spread = 0");
    advance(&mut water, 2000);
    for fall in &water.falls.falls {
        let [least, most] = fall.path.landing;
        assert_eq!(least, most);
        let [x, y] = water.columns.tiling.cell_of(fall.donor as usize);
        let height = fall.path.height - water.level_in([x + least as usize, y]);
        let expected = fall.path.speed * (2.0 * height / 9.81).sqrt();
        let distance = (f64::from(least) - 0.5) * 0.25;
        assert!((distance - expected).abs() <= 0.25, "{distance} {expected}");
    }
    assert_eq!(water.falls.falls.len(), 8);
}

#[test]
fn a_steady_fall_brings_down_what_comes_to_it() {
    for manager in ["exact", "none"] {
        let mut water = cliff(&format!("manager = '{manager}'"));
        advance(&mut water, 4000);
        let (begin, before) = (water.time, i128::from(below(&water)) + water.ledger.outflow);
        let in_the_air = (water.falls.held() + water.drops.held()) as f64 * water.unit_volume();
        let fall = water.falls.falls[0].path.seconds;
        assert!((in_the_air / (2.0 * fall) - 1.0).abs() < 0.1, "{manager}: {in_the_air} m³ for {fall} s");
        advance(&mut water, 500);
        let arrived = i128::from(below(&water)) + water.ledger.outflow - before;
        let rate = arrived as f64 * water.unit_volume() / (water.time - begin);
        assert!((rate / 2.0 - 1.0).abs() < 0.01, "{manager}: {rate} m³/s");
    }
}

/// Steps in the ground everywhere, rivers over them, open sides, digging, tiles that sleep and wake.
fn rugged(keys: &str) -> String {
    format!(
        "{keys}\nsize = [9, 7]\nresolution = 90\nlevel = -0.4\nfriction = 2\neast = 'open'\nsouth = 'open'\n\
         drop_volume = 2e-5\nfill = [{{ from = [-2, -2], to = [2, 2], level = 0.9 }}]\n\
         [[terrain]]\nkind = 'noise'\nwavelength = 2\namplitude = 1.5\n\
         [[source]]\nkind = 'spring'\nat = [-2, 1]\nradius = 0.3\nrate = '0.05*pulse(t, 2)'\n\
         [[source]]\nkind = 'drain'\nat = [2, -1]\nradius = 0.3\nrate = '0.02*step(t-1)'\n\
         [[source]]\nkind = 'rain'\nrate = '9000*step(1-t)'\n"
    )
}

#[test]
fn falls_lose_nothing_and_are_the_same_everywhere() {
    let run = |threads: usize, keys: &str, resumes: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let scene = rugged(keys);
            let (mut current, _) = water(&scene).unwrap();
            let (mut most, mut most_in_the_air) = (0, 0);
            for turn in 0..6 {
                advance(&mut current, 40);
                let at = glam::DVec2::new(f64::from(turn) - 2.5, f64::from(turn % 3) - 1.0);
                current.disturb(&Disturbance::Ground { path: [at; 2], radius: 0.5, height: -0.3 });
                if resumes {
                    let mut bytes = Vec::new();
                    current.save(&mut Writer::new(&mut bytes)).unwrap();
                    (current, _) = water(&scene).unwrap();
                    current.restore(&mut Reader::new(&bytes)).unwrap();
                }
                advance(&mut current, 40);
                most = most.max(current.falls.falls.len());
                most_in_the_air = most_in_the_air.max(current.falls.held() + current.drops.held());
            }
            assert!(most > 20 && most_in_the_air > 0, "{keys}: {most} falls");
            (current.columns.volume, current.falls.falls, current.drops, current.ledger)
        })
    };
    for keys in
        ["sharp_drop = 0.1", "sharp_drop = 0.1\nmanager = 'none'", "sharp_drop = 0.08\nneighbours = 'eight'"]
    {
        let alone = run(1, keys, false);
        assert!(run(8, keys, false) == alone, "{keys}: threads");
        assert!(run(2, keys, true) == alone, "{keys}: restored");
    }
}

#[test]
fn a_lip_that_runs_dry_ends_its_fall() {
    for manager in ["exact", "none"] {
        let dry = CLIFF.split("[[source]]").next().unwrap();
        let dry = dry.replace("level = 3.7", "level = 3.05").replace("east = 'open'", "froude = 2");
        let (mut water, _) = water(&format!("manager = '{manager}'\nfriction = 0.01\n{dry}")).unwrap();
        advance(&mut water, 200);
        let before = water.falls.held() + water.drops.held();
        assert!(before > 0, "{manager}");
        // A wall is built behind the lip; what is in the air still lands
        let dam = Disturbance::Ground { path: [glam::DVec2::new(-0.6, 0.0); 2], radius: 3.0, height: 1.5 };
        assert!(water.disturb(&dam));
        advance(&mut water, 4000);
        // A film runs off as t⁻²
        let after = water.falls.held() + water.drops.held();
        assert!(1000 * after < before && below(&water) > 0, "{manager}: {before} {after}");
    }
}

#[test]
fn falls_over_the_border_leave_through_an_open_side_and_stay_at_a_wall() {
    for (side, manager) in [("open", "exact"), ("open", "none"), ("wall", "exact"), ("wall", "none")] {
        // Only two columns lie beyond the lip: most of the water flies further
        let scene = format!(
            "size = [10, 2]\nresolution = 40\neast = '{side}'\ndrop_drag = 0\nsharp_drop = 0.5\nmanager = '{manager}'\n\
             fill = [{{ from = [-99, -9], to = [4.5, 9], level = 9 }}]\n\
             [[terrain]]\nkind = 'walls'\nwall = [{{ from = [-20, -9], to = [4.5, 9], height = 8 }}]\n"
        );
        let (mut water, _) = water(&scene).unwrap();
        advance(&mut water, 100);
        assert_eq!(water.ledger.outflow > 0, side == "open", "{side} {manager}");
        let depths = |x: usize| (0..8).map(|y| water.depth_in([x, y])).sum::<f64>();
        // Drops that the wall throws back land beside it
        let stays = if manager == "exact" { depths(39) } else { depths(38) + depths(39) };
        assert!(side == "open" || stays > 0.5, "{side} {manager}: {stays}");
    }
}

#[test]
fn any_sharp_drop_is_answered_within_bounds() {
    for sharp_drop in ["1e6", "1e-9"] {
        for keys in ["", "manager = 'none'", "curve = true\ncell_height = 0.2"] {
            let (mut water, _) = water(&rugged(&format!("sharp_drop = {sharp_drop}\n{keys}"))).unwrap();
            advance(&mut water, 60);
            assert_eq!(water.falls.falls.is_empty(), sharp_drop == "1e6", "{sharp_drop} {keys}");
        }
    }
    let refused = water(&rugged("sharp_drop = 0")).err().unwrap();
    assert!(refused.contains("sharp_drop"), "{refused}");
}

#[test]
fn a_fall_between_sleeping_tiles_goes_on_and_nothing_is_lost() {
    let mut water = cliff("");
    advance(&mut water, 2000);
    let (tiling, before) = (water.columns.tiling, water.falls.held());
    for _ in 0..200 {
        (0..tiling.count()).for_each(|tile| water.visits.set_awake(&tiling, tile, false));
        advance(&mut water, 1);
    }
    let ratio = water.falls.held() as f64 / before as f64;
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
}

#[test]
fn what_is_seen_is_the_water_in_the_air() {
    let mut water = cliff("drop_volume = 6.4e-3");
    advance(&mut water, 1000);
    let (before, held) = (water.columns.volume.clone(), water.falls.held());
    let seen = water.falls_cloud(0.05).unwrap();
    let volume = seen.positions.len() as f64 * 1e-4;
    let in_the_air = held as f64 * water.unit_volume();
    assert!((volume / in_the_air - 1.0).abs() < 0.15, "{volume} {in_the_air}");
    let farthest = water.falls.falls.iter().map(|fall| fall.path.landing[1]).max().unwrap();
    for [x, _, z] in seen.positions {
        assert!((0.0..=0.25 * farthest as f32 + 0.3).contains(x) && (0.0..4.0).contains(z), "{x} {z}");
    }
    assert!(water.columns.volume == before && water.falls.held() == held);
}

#[test]
fn the_columns_of_a_river_a_lake_and_a_lip_are_told_apart() {
    let mut water = cliff("");
    advance(&mut water, 1000);
    assert_eq!(water.region_state([LIP, 3]), RegionState::Waterfall);
    assert_eq!(water.region_state([LIP - 1, 3]), RegionState::Flowing);
    let mut traced = 0;
    for _ in 0..8 {
        advance(&mut water, 1);
        traced += water.counters().get("drop updates").unwrap();
    }
    // Two drops per lip
    assert_eq!(traced, 16);
    let lake =
        "size = [8, 8]\nresolution = 64\nlevel = -0.3\n[[terrain]]\nkind = 'bowl'\nradius = 5\ndepth = 1.2";
    let (mut water, _) = super::super::tests::water(lake).unwrap();
    assert_eq!(water.region_state([32, 32]), RegionState::Pooling);
    assert_eq!(water.region_state([0, 0]), RegionState::None);
    advance(&mut water, 4000);
    assert_eq!(water.region_state([32, 32]), RegionState::PoolingAsleep);
}

#[test]
fn a_drop_pushes_the_water_in_stacked_pipes_apart() {
    let scene = "size = [10, 1]\nresolution = 40\ncurve = true\ncell_height = 0.2\nlevel = 0.5\nmanager = 'none'\n\
        friction = 0\ndrop_push = 1\n[[terrain]]\nkind = 'plane'";
    let (mut water, _) = water(scene).unwrap();
    // A hundredth of a millimetre over a cell at 5 m/s
    let units = water.units.depth(1e-5);
    let landing = Landing { cell: [20, 0], units: i64::from(units), speed: 5.0 };
    assert_eq!(water.spray_receiver().land(landing), i64::from(units));
    water.ledger.record(i64::from(units));
    advance(&mut water, 1);
    let flow = |cell: usize| {
        let index = PipeSet::flow_index(&water.columns.tiling, water.columns.tiling.index([cell, 0]));
        f64::from(water.sets[0].values[index]) * water.unit_volume()
    };
    // Δη = n δ v/L in a depth of half a metre; the weight of the drop itself adds g Δt/L of its depth
    let expected = 0.5 * f64::from(units) * water.units.unit() / 0.25 * (5.0 + 9.81 * 0.02);
    assert!((flow(21) / expected - 1.0).abs() < 0.02, "{} {expected}", flow(21));
    assert!((flow(20) / -expected - 1.0).abs() < 0.02, "{} {expected}", flow(20));
}
