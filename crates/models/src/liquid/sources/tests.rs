//! Fills, emitters, drains and sides of scenes.

use undine_grid::{Grid, Side};
use undine_scene::{Absent, Key, LoadOptions, Scene, SceneErrors, Values};

use super::*;
use crate::solids::{Solids, read_obstacles};

static WATER_KEYS: &[Key] = &[
    Key::text("kind"),
    Key::text("name").optional("its kind"),
    Key::vector("size", 2).default(Absent::Vector(&[1.0, 1.0])),
    Key::table("west", LIQUID_SIDE_KEYS),
    Key::table("east", LIQUID_SIDE_KEYS),
    Key::table("south", LIQUID_SIDE_KEYS),
    Key::table("north", LIQUID_SIDE_KEYS),
    Key::table("down", LIQUID_SIDE_KEYS),
    Key::table("up", LIQUID_SIDE_KEYS),
];

fn scene(sections: &str) -> (Scene, Values) {
    let text = format!("[scene]\nduration = 4\nfps = 25\n[[water]]\nkind = 'liquid'\n{sections}");
    let scene = Scene::parse("tank", &text, &LoadOptions::default()).unwrap();
    let water = scene.sections("water")[0].read(&[WATER_KEYS]).unwrap();
    (scene, water)
}

fn fill<const D: usize>(sections: &str) -> Result<Fill<D>, SceneErrors> {
    let (scene, water) = scene(sections);
    Fill::read(&scene, &water)
}

/// Everything that is said of the sources of a scene on 20 cells: its errors, or else its warnings.
fn remarks<const D: usize>(sections: &str) -> Result<String, String> {
    let (scene, water) = scene(sections);
    let check = || -> Result<String, SceneErrors> {
        let grid = Grid::new([20; D], [0.05; D], [0.0; D]).unwrap();
        let geometry = read_obstacles::<D>(&scene, &water)?;
        let solids =
            (!geometry.obstacles.is_empty()).then(|| Solids::watertight(grid, geometry.obstacles).unwrap());
        let (emitters, _) = read_emitters(&scene, &water)?;
        let domain = SourceDomain { scene: &scene, water: &water, grid: &grid, solids: solids.as_ref() };
        let mut warnings =
            check_sources(domain, &Fill::read(&scene, &water)?, &emitters, &LiquidSides::read(&water)?)?;
        warnings.extend(check_obstacle_speed(domain, 0.004));
        Ok(warnings.iter().map(|warning| format!("{warning}\n")).collect())
    };
    check().map_err(|errors| errors.to_string())
}

#[test]
fn later_fills_cover_earlier_ones_and_may_take_away() {
    let fill = fill::<3>(
        "[[fill]]\nkind = 'level'\nlevel = 0.3\n\
         [[fill]]\nkind = 'sphere'\nat = [0.5, 0.5, 0.3]\nradius = 0.2\nvelocity = [0, 0, -2]\ncolour = [1, 0, 0]\n\
         [[fill]]\nkind = 'box'\nat = [0.5, 0.5, 0.3]\nsize = [0.1, 0.1, 0.1]\nremove = true\n",
    )
    .unwrap();
    let still = fill.contains([0.1, 0.1, 0.29]).unwrap();
    assert_eq!(still.velocity, [0.0; 3]);
    let drop = fill.contains([0.5, 0.5, 0.45]).unwrap();
    assert_eq!((drop.velocity, drop.colour), ([0.0, 0.0, -2.0], [1.0, 0.0, 0.0]));
    assert_eq!(fill.contains([0.5, 0.4, 0.2]), Some(drop));
    assert_eq!(fill.contains([0.5, 0.5, 0.31]), None);
    assert_eq!(fill.contains([0.1, 0.1, 0.31]), None);
}

#[test]
fn flat_fills_take_flat_shapes() {
    let shapes = "[[fill]]\nkind = 'polygon'\ncorner = [{ at = [0, 0] }, { at = [1, 0] }, { at = [0, 1] }]\n\
        [[fill]]\nkind = 'rectangle'\nat = [0.9, 0.9]\nsize = [0.1, 0.1]\nturn = 0.785398\n";
    let fill_flat = fill::<2>(shapes).unwrap();
    assert!(fill_flat.contains([0.4, 0.4]).is_some() && fill_flat.contains([0.6, 0.6]).is_none());
    assert!(fill_flat.contains([0.96, 0.9]).is_some() && fill_flat.contains([0.94, 0.94]).is_none());
    let refusal = fill::<3>(shapes).unwrap_err().to_string();
    assert!(refusal.contains("a polygon does not fit into a 3-D fluid"), "{refusal}");
    let refusal = fill::<2>("[[fill]]\nkind = 'lvel'\nlevel = 1").unwrap_err().to_string();
    assert!(refusal.contains("unknown kind of fill"), "{refusal}");
}

#[test]
fn a_fill_of_another_water_is_left_alone() {
    let of = |name: &str| format!("[[fill]]\nkind = 'level'\nlevel = 1\nwater = '{name}'\n");
    let other = "[[water]]\nkind = 'liquid'\nname = 'pond'\n";
    assert!(fill::<2>(&format!("{other}{}", of("pond"))).unwrap().is_empty());
    assert!(!fill::<2>(&format!("{other}{}", of("liquid"))).unwrap().is_empty());
    assert!(fill::<2>(&of("lake")).unwrap_err().to_string().contains("no water is called \"lake\""));
}

#[test]
fn emitters_follow_their_expressions() {
    let (scene, water) = scene(
        "[[emitter]]\nkind = 'circle'\nat = [0.5, 0.9]\nradius = 0.1\nmove_x = '0.1*t'\nspeed = '2*t'\n\
         towards = [3, -4]\nfrom = 1\nuntil = 3\nactive = 'cos(pi*t)'\nrate = 0.5\n",
    );
    let (emitters, _) = read_emitters::<2>(&scene, &water).unwrap();
    let over = |from: f64, to: f64| emitters[0].over(from, to).unwrap();
    assert!(over(0.8, 0.9).is_none() && over(3.0, 3.1).is_none());
    assert!(over(1.1, 1.2).is_none(), "it is off while active is below zero");
    // On from 1.5 s on: half of the rate in a step around that
    assert!((over(1.4, 1.6).unwrap().rate.unwrap() - 0.25).abs() < 1e-9);
    let flow = over(1.9, 2.1).unwrap();
    assert!((flow.velocity[0] - 2.4).abs() < 1e-12 && (flow.velocity[1] + 3.2).abs() < 1e-12);
    assert_eq!(flow.rate, Some(0.5));
    assert!(flow.region.contains([0.8, 0.9]) && !flow.region.contains([0.6, 0.9]));
    let refusal = remarks::<2>("[[emitter]]\nkind = 'circle'\nradius = 0.1\ntowards = [0, 0]");
    assert!(refusal.unwrap_err().contains("points nowhere"));
}

#[test]
fn drains_are_active_in_their_interval() {
    let (scene, water) = scene("[[drain]]\nkind = 'level'\nlevel = '0.1*t'\nuntil = 2\n");
    let (drains, _) = read_drains::<3>(&scene, &water).unwrap();
    let (region, rate) = drains[0].over(1.4, 1.5).unwrap().unwrap();
    assert!(rate.is_none() && region.contains([0.3, 0.3, 0.14]) && !region.contains([0.3, 0.3, 0.16]));
    assert!(drains[0].over(2.4, 2.5).unwrap().is_none());
}

#[test]
fn sides_prescribe_the_velocity_of_their_keys() {
    let (_, water) = scene(
        "west = { kind = 'wave-maker', stroke = 0.2, period = 2 }\neast = { kind = 'open' }\n\
         north = { kind = 'inflow', speed = '1+t', level = 0.4 }\n",
    );
    let refusal = LiquidSides::<2>::read(&water).unwrap_err().to_string();
    assert!(refusal.contains("a level has no meaning on a horizontal side"), "{refusal}");
    let sides = LiquidSides::<3>::read(&water).unwrap();
    // Half of the stroke times ω at its fastest, a quarter of a period after the start
    let max_speed = 0.1 * std::f64::consts::PI;
    let velocity = |side: Side, from: f64, to: f64| sides.velocity(side, from, to).unwrap();
    assert!((velocity(Side::West, 0.5, 0.5) - max_speed).abs() < 1e-12);
    assert!(velocity(Side::West, 1.0, 1.0).abs() < 1e-12);
    assert!((velocity(Side::West, 0.0, 1.0) - 0.2).abs() < 1e-12, "its stroke in half a period");
    assert_eq!((sides.kind(Side::East), velocity(Side::East, 1.0, 1.1)), (LiquidSide::Open, 0.0));
    assert!((velocity(Side::North, 0.5, 1.5) + 2.0).abs() < 1e-12);
    assert_eq!(sides.level(Side::North, 1.0), Ok(0.4));
    assert_eq!((sides.kind(Side::Up), sides.level(Side::Up, 0.0)), (LiquidSide::Wall, Ok(f64::INFINITY)));
    let (_, water) =
        scene("up = { kind = 'open' }\nwest = { kind = 'wave-maker' }\neast = { kind = 'inflow' }\n");
    let refusal = LiquidSides::<2>::read(&water).unwrap_err().to_string();
    for message in ["a 2-D liquid has no side up", "does not move", "this inflow has no speed"] {
        assert!(refusal.contains(message), "{refusal}");
    }
}

#[test]
fn a_box_without_any_liquid_is_refused() {
    assert!(remarks::<2>("").unwrap_err().contains("there is no liquid in this box"));
    assert_eq!(remarks::<2>("[[fill]]\nkind = 'level'\nlevel = 0.5").unwrap(), "");
    assert_eq!(remarks::<2>("west = { kind = 'inflow', speed = 1 }").unwrap(), "");
    let beyond = remarks::<2>("[[fill]]\nkind = 'circle'\nat = [5, 5]\nradius = 0.2").unwrap();
    assert!(beyond.contains("tank:7:") && beyond.contains("covers no cell"), "{beyond}");
}

#[test]
fn sources_in_solids_are_refused_or_announced() {
    let rock = "[[obstacle]]\nkind = 'box'\nat = [0.5, 0.5, 0.5]\nsize = [0.6, 0.6, 0.6]\n";
    let ball = |what: &str, at: f64, radius: f64| {
        format!("{rock}[[{what}]]\nkind = 'sphere'\nat = [{at}, 0.5, 0.5]\nradius = {radius}\n")
    };
    let problem = remarks::<3>(&ball("fill", 0.5, 0.2)).unwrap_err();
    assert!(problem.contains("wholly in solids") && problem.contains("tank:11:"), "{problem}");
    assert!(remarks::<3>(&ball("fill", 0.25, 0.2)).unwrap().contains("more than half"));
    assert_eq!(remarks::<3>(&ball("fill", 0.5, 0.48)).unwrap(), "");
    assert!(remarks::<3>(&ball("emitter", 0.5, 0.2)).unwrap_err().contains("inside a solid"));
    assert_eq!(remarks::<3>(&ball("emitter", 0.2, 0.15)).unwrap(), "");
}

#[test]
fn jets_and_obstacles_that_are_too_fast_are_announced() {
    let jet = |speed: &str| {
        format!("[[emitter]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.1\nspeed = {speed}\n")
    };
    assert_eq!(remarks::<2>(&jet("10")).unwrap(), "");
    let warning = remarks::<2>(&jet("'100*t'")).unwrap();
    assert!(warning.contains("320 cells a frame"), "{warning}");
    assert!(remarks::<2>(&jet("1e6")).is_err(), "a speed beyond all measure is out of range");
    let tiny = remarks::<2>("[[emitter]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.01").unwrap();
    assert!(tiny.contains("centre of no cell"), "{tiny}");
    let paddle = "[[fill]]\nkind = 'level'\nlevel = 0.4\n[[obstacle]]\nkind = 'rectangle'\nat = [0.2, 0.5]\n\
        size = [0.1, 1]\nmove_x = '20*t'\n";
    let warning = remarks::<2>(paddle).unwrap();
    assert!(warning.contains("1.6 cells in the shortest step"), "{warning}");
}
