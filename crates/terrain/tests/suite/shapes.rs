//! Every kind of terrain has the heights of its formula, and layers combine as specified.

use undine_grid::{Grid, Side, fill_ghosts};
use undine_scene::{LoadOptions, Scene, SceneErrors};
use undine_terrain::{TERRAIN, Terrain};

fn read(layers: &str) -> Result<Option<Terrain>, SceneErrors> {
    let text = format!("[scene]\nduration = 1\nseed = 5\n{layers}");
    Terrain::read(&Scene::parse("ground", &text, &LoadOptions::default())?)
}

fn terrain(layers: &str) -> Terrain {
    read(layers).unwrap_or_else(|errors| panic!("{errors}")).expect("there is terrain")
}

/// One layer.
fn layer(keys: &str) -> Terrain {
    terrain(&format!("[[terrain]]\n{}", keys.replace("; ", "\n")))
}

#[track_caller]
fn assert_heights(terrain: &Terrain, heights: &[(f64, f64, f64)]) {
    for (x, y, wanted) in heights {
        let found = terrain.height(*x, *y);
        assert!((found - wanted).abs() < 1e-12, "at ({x}, {y}): {found}, not {wanted}");
    }
}

#[test]
fn without_a_section_there_is_no_terrain() {
    assert!(read("").unwrap().is_none());
}

#[test]
fn planes_and_slopes() {
    assert_heights(&layer("kind = 'plane'; level = -2.5"), &[(0.0, 0.0, -2.5), (1e9, -3.0, -2.5)]);
    let tilted = layer("kind = 'slope'; level = 3; center = [1, 1]; fall = 0.5; direction = [0, 2]");
    assert_heights(&tilted, &[(1.0, 1.0, 3.0), (9.0, 5.0, 1.0), (1.0, -1.0, 4.0)]);
    assert_heights(&layer("kind = 'slope'; gradient = [0.25, -1]"), &[(4.0, 3.0, -2.0)]);
}

#[test]
fn a_bowl_is_a_paraboloid() {
    // Thacker's basin: z = -h0 (1 - r²/a²).
    let bowl = layer("kind = 'bowl'; radius = 2; depth = 0.1; center = [1, 0]");
    assert_heights(&bowl, &[(1.0, 0.0, -0.1), (3.0, 0.0, 0.0), (1.0, 4.0, 0.3), (2.0, 0.0, -0.075)]);
    let oval = layer("kind = 'bowl'; radii = [4, 1]; direction = [0, 1]; depth = 1; beyond = 'flat'");
    assert_heights(&oval, &[(0.0, 2.0, -0.75), (0.5, 0.0, -0.75), (3.0, 0.0, 0.0)]);
}

#[test]
fn hills_and_ridges_have_their_profiles() {
    let hills = layer(
        "kind = 'hills'; hill = [{ center = [10, 0], radius = 2, height = 0.2, shape = 'parabolic' }, \
         { center = [0, 0], radius = 3, height = -6, shape = 'cone' }]",
    );
    // The bump of the shallow-water benchmarks: 0.2 - 0.05 (x - 10)².
    assert_heights(&hills, &[(10.0, 0.0, 0.2), (11.0, 0.0, 0.15), (12.5, 0.0, 0.0), (0.0, 1.0, -4.0)]);
    let bell = layer("kind = 'hills'; hill = [{ center = [0, 0], radius = 2, height = 3 }]");
    assert_heights(&bell, &[(2.0, 0.0, 3.0 / 1f64.exp()), (0.0, 0.0, 3.0)]);
    let ridge = layer("kind = 'ridge'; radius = 4; height = 2; shape = 'cosine'; top = 2; center = [5, 0]");
    assert_heights(&ridge, &[(5.9, 7.0, 2.0), (8.0, -80.0, 1.0), (10.0, 0.0, 0.0), (2.0, 3.0, 1.0)]);
}

#[test]
fn a_beach_rises_from_its_floor_through_the_shore_to_the_berm() {
    let beach = layer("kind = 'beach'; shore = [10, 0]; slope = 0.1; depth = 2; berm = 1");
    assert_heights(&beach, &[(-50.0, 3.0, -2.0), (10.0, 8.0, 0.0), (13.0, 0.0, 0.3), (40.0, 0.0, 1.0)]);
    let west = layer("kind = 'beach'; direction = [-3, 0]; slope = 0.5; depth = 9; rounding = 0");
    assert_heights(&west, &[(-6.0, 0.0, 3.0), (18.0, 0.0, -9.0), (100.0, 0.0, -9.0)]);
}

#[test]
fn cusps_shift_the_shore_and_leave_the_sea_alone() {
    let beach = layer("kind = 'beach'; slope = 0.1; depth = 5; cusps = 2; cusp_spacing = 20");
    let shore = |y: f64| (0..2000).map(|n| -5.0 + 0.005 * f64::from(n)).find(|x| beach.height(*x, y) > 0.0);
    let (horn, bay) = (shore(0.0).unwrap(), shore(10.0).unwrap());
    assert!(horn < -1.0 && bay > 1.5, "{horn} {bay}");
    assert!((shore(20.0).unwrap() - horn).abs() < 0.011);
    assert_eq!(beach.height(-200.0, 0.0), -5.0);
    // The beach still rises everywhere.
    for y in [0.0, 3.0, 10.0] {
        let rises = |n: i32| beach.height(0.1 * f64::from(n + 1), y) > beach.height(0.1 * f64::from(n), y);
        assert!((-300..300).all(rises));
    }
}

#[test]
fn channels_cut_into_the_ground() {
    let cut = layer("kind = 'channel'; width = 4; depth = 2; bank_slope = 1; rounding = 0");
    assert_heights(&cut, &[(70.0, 0.0, -2.0), (0.0, 2.0, -2.0), (0.0, 3.0, -1.0), (9.0, -5.0, 0.0)]);
    let valley =
        layer("kind = 'channel'; width = 2; bed_level = 50; fall = 0.1; bank_slope = 2; rounding = 0");
    assert_heights(&valley, &[(100.0, 0.5, 40.0), (-100.0, 11.0, 80.0)]);
    let bent = layer(
        "kind = 'channel'; width = 2; depth = 1; rounding = 0; \
         point = [{ at = [0, 0] }, { at = [10, 0] }, { at = [10, 10] }]",
    );
    assert_heights(&bent, &[(10.0, 0.0, -1.0), (10.0, 10.0, -1.0), (30.0, 30.0, 0.0)]);
    let meander = layer("kind = 'channel'; width = 2; depth = 1; meander = 5; meander_length = 40");
    assert_heights(&meander, &[(10.0, 5.0, -1.0), (30.0, -5.0, -1.0), (10.0, -5.0, 0.0)]);
}

#[test]
fn steps_walls_and_rims() {
    let stairs = layer("kind = 'steps'; count = 3; height = 0.5; run = 2");
    assert_heights(&stairs, &[(-0.1, 9.0, 0.0), (0.0, 0.0, 0.5), (3.9, 0.0, 1.0), (99.0, 0.0, 1.5)]);
    let listed = layer(
        "kind = 'steps'; direction = [0, 1]; step_soft = 2; \
         step = [{ at = 5, height = 3 }, { at = 20, height = -1 }]",
    );
    assert_heights(&listed, &[(0.0, 4.0, 0.0), (0.0, 5.0, 1.5), (0.0, 6.0, 3.0), (0.0, 30.0, 2.0)]);
    let walls = layer(
        "kind = 'walls'; wall = [{ from = [0, 0], to = [4, 2], height = 3 }, \
         { from = [3, 0], to = [9, 2], height = -5, bank = 2 }]",
    );
    assert_heights(&walls, &[(1.0, 1.0, 3.0), (3.5, 1.0, -5.0), (10.0, 1.0, -2.5), (1.0, 2.1, 0.0)]);
    let turned = layer("kind = 'walls'; wall = [{ from = [-3, -1], to = [3, 1], height = 1, turn = 90 }]");
    assert_heights(&turned, &[(0.0, 2.9, 1.0), (2.9, 0.0, 0.0)]);
    let rim = layer("kind = 'rim'; size = [10, 6]; thickness = 1; height = 2");
    assert_heights(&rim, &[(0.0, 0.0, 0.0), (4.5, 0.0, 2.0), (0.0, -2.5, 2.0), (50.0, 0.0, 2.0)]);
}

#[test]
fn layers_combine_in_the_order_of_the_file() {
    let with = |combine: &str| {
        terrain(&format!(
            "[[terrain]]\nkind = 'plane'\nlevel = 3\n\
             [[terrain]]\nkind = 'slope'\ngradient = [1, 0]\nscale = 2\noffset = 1\ncombine = '{combine}'"
        ))
    };
    assert_heights(&with("add"), &[(2.0, 0.0, 8.0)]);
    assert_heights(&with("max"), &[(2.0, 0.0, 5.0), (0.0, 0.0, 3.0)]);
    assert_heights(&with("min"), &[(2.0, 0.0, 3.0), (0.0, 0.0, 1.0)]);
    assert_heights(&with("replace"), &[(2.0, 0.0, 5.0)]);
    assert_heights(&with("multiply"), &[(2.0, 0.0, 15.0)]);
    assert_heights(&layer("kind = 'plane'; level = 3; combine = 'multiply'"), &[(0.0, 0.0, 0.0)]);
}

#[test]
fn a_layer_acts_only_where_it_may() {
    let patch = layer("kind = 'plane'; level = 8; within_from = [2, 2]; within_to = [-2, -2]; soft = 2");
    assert_heights(&patch, &[(0.0, 1.0, 8.0), (3.0, 0.0, 4.0), (0.0, -4.0, 0.0)]);
    let disc =
        layer("kind = 'plane'; level = 8; combine = 'replace'; within_center = [5, 0]; within_radius = 1");
    assert_heights(&disc, &[(5.0, 0.9, 8.0), (5.0, 1.1, 0.0)]);
}

#[test]
fn fractal_ground_keeps_its_range_and_its_seed() {
    for keys in ["", "; ridged = true", "; erosion = 1; warp = 3", "; basis = 'value'; octaves = 1"] {
        let ground = layer(&format!("kind = 'noise'; wavelength = 7; amplitude = 2; offset = 100{keys}"));
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for n in 0..4000 {
            let height = ground.height(f64::from(n) * 0.31, f64::from(n * n % 1013) * 0.17);
            (low, high) = (low.min(height), high.max(height));
        }
        let floor = if keys.contains("ridged") { 100.0 } else { 98.0 };
        assert!(low >= floor && high <= 102.0 && high - low > 0.5, "{keys}: {low} {high}");
    }
    let seeded =
        |seed: &str| layer(&format!("kind = 'noise'; wavelength = 7; amplitude = 2{seed}")).height(1.0, 2.0);
    // The scene's own seed is 5.
    assert_eq!(seeded(""), seeded("; seed = 5"));
    assert_ne!(seeded(""), seeded("; seed = 6"));
}

#[test]
fn fractal_ground_is_smooth() {
    for keys in ["ridged = false", "ridged = true; erosion = 0.5"] {
        let ground =
            layer(&format!("kind = 'noise'; wavelength = 50; amplitude = 5; octaves = 3; warp = 9; {keys}"));
        let slope = |x: f64| (ground.height(x + 1e-5, 3.0) - ground.height(x - 1e-5, 3.0)) / 2e-5;
        let jump = |step: f64| {
            let at = |n: i32| slope(step * f64::from(n + 1)) - slope(step * f64::from(n));
            (0..20_000).map(at).map(f64::abs).fold(0.0, f64::max)
        };
        // A crease would let the slope jump between neighbours however near they are.
        let (coarse, fine) = (jump(0.01), jump(0.001));
        assert!(fine < 0.2 * coarse, "{keys}: {coarse} {fine}");
    }
}

#[test]
fn heights_are_finite_wherever_one_asks() {
    let wild = "[[terrain]]\nkind = 'bowl'\nradius = 1e-3\ndepth = 1e6\nscale = 1e6\n".repeat(3)
        + &"[[terrain]]\nkind = 'slope'\ngradient = [1e3, 1e3]\ncombine = 'multiply'\nscale = 1e6\n"
            .repeat(9)
        + "[[terrain]]\nkind = 'noise'\nwavelength = 1e-3\namplitude = 9\nwarp = 5\n\
           [[terrain]]\nkind = 'channel'\nwidth = 1\ndepth = 1\npoint = [{ at = [0, 0] }, { at = [1, 1] }]\n";
    let ground = terrain(&wild);
    for x in [0.0, 1e-300, 1e9, -1e300, f64::MAX, f64::INFINITY, f64::NAN] {
        assert!(ground.height(x, -x).is_finite() && ground.height(x, 0.0).is_finite(), "{x}");
    }
}

#[test]
fn a_sampled_bed_has_point_values_and_sloping_ghosts() {
    let ground = layer("kind = 'slope'; gradient = [1, -2]");
    let grid = Grid::new([6, 4], [0.5, 0.25], [-1.0, 0.0]).unwrap();
    let mut bed = ground.sample(&grid).unwrap();
    for ([column, row], height) in bed.iter() {
        let [x, y] = grid.centre([column as isize, row as isize]);
        assert_eq!(height, ground.height(x, y));
    }
    assert_eq!(bed.layout().ghost(), 3);
    assert!((bed.at([-3, 0]) - (bed.at([0, 0]) - 1.5)).abs() < 1e-12);
    let before = bed.at([-1, -1]);
    fill_ghosts(&mut bed);
    assert_eq!(bed.at([-1, -1]), before);
    assert!(bed.boundary.get(Side::North).is_some());
}

#[test]
fn a_single_row_can_be_sampled() {
    let ground = layer("kind = 'ridge'; radius = 1; height = 1");
    for cells in [[50, 1], [1, 50], [1, 1]] {
        let bed = ground.sample(&Grid::new(cells, [0.1; 2], [0.0; 2]).unwrap()).unwrap();
        assert!(bed.storage().iter().all(|height| height.is_finite()));
    }
}

#[test]
fn every_kind_is_refused_without_its_required_keys_or_read_without() {
    for kind in TERRAIN.kinds {
        match read(&format!("[[terrain]]\nkind = '{}'\n", kind.name)) {
            Ok(found) => assert!(found.is_some(), "{}", kind.name),
            Err(errors) => assert!(errors.to_string().starts_with("ground:4:1"), "{}: {errors}", kind.name),
        }
    }
}
