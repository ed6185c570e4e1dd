//! Bad input: an error with its place and a remedy, or a bounded answer with a ledger that closes.

use super::super::units::CEILING;
use super::*;

/// Everything held and every account agree, and levels stay within the units.
fn assert_bounded(water: &Pipes, what: &str) {
    assert_eq!(water.held(), water.ledger.expected() + water.withheld(), "{what}");
    let levels = (0..water.columns.volume.len()).map(|index| water.columns.level(index));
    assert!(levels.max().is_some_and(|highest| highest <= CEILING), "{what}");
    assert!(water.columns.volume.iter().all(|volume| *volume >= 0), "{what}");
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place_and_a_remedy() {
    const NOISE: &str = "[[terrain]]\nkind = 'noise'\nwavelength = 1\namplitude = 1e5\nscale = 9";
    for (keys, line, words) in [
        ("friction = -0.1", 7, ["friction", "0"]),
        ("friction = 'inf'", 7, ["friction", "number"]),
        ("manning = nan", 7, ["manning", "number"]),
        ("sharp_drop = 0", 7, ["sharp_drop", "above 0 m"]),
        (NOISE, 5, ["too great", "smaller part"]),
        ("[[source]]\nkind = 'spring'\nat = [90, 0]\nrate = 1", 9, ["outside", "-2"]),
        ("[[source]]\nkind = 'drain'\nat = [0, -90]\nrate = 1", 9, ["outside", "-2"]),
        ("[[source]]\nkind = 'spring'\nat = [0, 0]\nrate = inf", 10, ["rate", "finite"]),
        ("[[source]]\nkind = 'spring'\nat = [0, 0]\nrate = '1/0'", 10, ["rate", "finite"]),
    ] {
        let message = scene(&format!("size = [4, 4]\nresolution = 8\n{keys}")).err().unwrap_or_default();
        let place = format!("test:{line}:");
        assert!(
            message.contains(&place) && words.iter().all(|word| message.contains(word)),
            "{keys}: {message}"
        );
    }
}

#[test]
fn a_rate_that_becomes_infinite_stops_the_run_at_its_place() {
    for kind in ["spring", "drain"] {
        let source = format!("[[source]]\nkind = '{kind}'\nat = [0, 0]\nradius = 1\nrate = '1/(t-0.1)^2'");
        let (mut water, gravity) = water(&format!(
            "size = [4, 4]\nresolution = 16\nlevel = 1\n[[terrain]]\nkind = 'plane'\n{source}"
        ))
        .unwrap();
        let failure = (0..100).find_map(|_| {
            let mut world = World { time: water.time, gravity, seed: 3, driver: None };
            let dt = water.max_dt().min(0.02);
            let failure = water.step(dt, &mut world).err();
            assert_bounded(&water, kind);
            failure
        });
        let message = failure.map(|failure| failure.to_string()).unwrap_or_default();
        assert!(message.contains("rate") && message.contains("test:"), "{kind}: {message}");
    }
}

#[test]
fn sinks_on_dry_ground_take_nothing() {
    for keys in
        ["manager = 'none'", "manager = 'exact'", "curve = true\nmanager = 'thesis'\ncell_height = 0.2"]
    {
        let size = if keys.contains("curve") { "size = [4, 1]" } else { "size = [4, 4]" };
        let sink = "[[source]]\nkind = 'drain'\nat = [0, 0]\nradius = 1\nrate = 5";
        let (mut water, _) =
            water(&format!("{size}\nresolution = 16\n{keys}\n[[terrain]]\nkind = 'plane'\n{sink}")).unwrap();
        for _ in 0..40 {
            let mut world = World { time: water.time, gravity: 9.81, seed: 3, driver: None };
            assert!(matches!(water.step(0.02, &mut world), Ok(Step::Done(_))));
            assert_bounded(&water, keys);
        }
        assert_eq!(water.columns.total(), 0, "{keys}");
    }
}

#[test]
fn a_terrain_of_one_column_fills_and_overflows() {
    for side in ["wall", "open"] {
        let (mut water, _) = water(&format!(
            "size = [1, 1]\nresolution = 1\neast = '{side}'\ndrop_height = 0.1\n[[terrain]]\nkind = 'plane'\n\
             [[source]]\nkind = 'spring'\nat = [0, 0]\nradius = 0.5\nrate = 1\n"
        ))
        .unwrap();
        advance(&mut water, 200);
        assert_bounded(&water, side);
        assert!(water.ledger.inflow > 0);
        assert_eq!(water.ledger.outflow > 0, side == "open");
    }
}

#[test]
fn drops_that_fly_out_over_a_side_are_outflow() {
    // A wall of water beside an open side throws drops over it; the ground outside is never part of the domain
    for (side, neighbours) in [("open", "four"), ("open", "eight"), ("wall", "four")] {
        let (mut water, _) = water(&format!(
            "size = [4, 4]\nresolution = 40\neast = '{side}'\nneighbours = '{neighbours}'\nmanager = 'none'\n\
             drop_height = 0.05\ndrop_volume = 1e-5\nfill = [{{ from = [1.2, -2], to = [1.8, 2], level = 3 }}]\n\
             [[terrain]]\nkind = 'plane'\n"
        ))
        .unwrap();
        let mut most = 0;
        for _ in 0..300 {
            advance(&mut water, 1);
            assert_bounded(&water, side);
            most = most.max(water.drops.held());
        }
        assert!(most > 0, "no drop flew");
        assert_eq!(water.ledger.outflow > 0, side == "open", "{side}");
    }
}

#[test]
fn an_enormous_rate_fills_up_to_the_ceiling_and_closes_the_ledger() {
    for (rate, manager) in [("1e9", "none"), ("1e9", "exact"), ("-1e9", "exact")] {
        let keys = format!(
            "size = [4, 4]\nresolution = 16\nmanager = '{manager}'\nlevel = 0.1\n[[terrain]]\nkind = 'plane'"
        );
        let (mut water, _) = water(&keys).unwrap();
        let at = glam::DVec2::ZERO;
        let rate: f64 = rate.parse().unwrap();
        water.disturb(&Disturbance::Source { at, radius: 1.0, rate, duration: 1.0 });
        for _ in 0..60 {
            advance(&mut water, 1);
            assert_bounded(&water, manager);
        }
        water.disturb(&Disturbance::Source { at, radius: 1.0, rate: f64::INFINITY, duration: 1.0 });
        advance(&mut water, 5);
        assert_bounded(&water, manager);
    }
}
