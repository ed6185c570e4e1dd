//! Cell contents by chains, and the place of the surface between cells.

use super::super::super::TrackedSurface;
use super::*;

/// Distance that a link must come into a cell to cross it, as in `labels`.
const DEPTH: f64 = 1e-3;

/// The winding number of a point by the sum of the angles of the links.
fn winding_by_angles(loops: &[Vec<[f64; 2]>], [x, y]: [f64; 2]) -> i32 {
    let mut angle = 0.0;
    for points in loops {
        for (at, a) in points.iter().enumerate() {
            let b = points[(at + 1) % points.len()];
            let (a, b) = ([a[0] - x, a[1] - y], [b[0] - x, b[1] - y]);
            angle += (a[0] * b[1] - a[1] * b[0]).atan2(a[0] * b[0] + a[1] * b[1]);
        }
    }
    (angle / std::f64::consts::TAU).round() as i32
}

/// Whether a segment meets a box, by separating axes.
fn meets(a: [f64; 2], b: [f64; 2], low: [f64; 2], high: [f64; 2]) -> bool {
    let is_apart = (0..2).any(|axis| a[axis].max(b[axis]) < low[axis] || a[axis].min(b[axis]) > high[axis]);
    let side = |[x, y]: [f64; 2]| (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    let sides = [low, [high[0], low[1]], high, [low[0], high[1]]].map(side);
    !is_apart && !sides.iter().all(|&s| s > 0.0) && !sides.iter().all(|&s| s < 0.0)
}

#[test]
fn labels_are_those_of_an_exact_inside_test() {
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut liquid, mut crossing) = (0, 0);
    for number in 0..200 {
        let mut cells = cells_of([15, 11], 1.0, CellKind::Empty);
        (0..165).filter(|index| index % 17 == 3).for_each(|index| cells.set(index, CellKind::Solid));
        let mut chains = chains_on(&cells);
        // A star-shaped polygon, or corners anywhere: then chains cross
        let count = 5 + number % 9;
        let mut corner = |at: usize| {
            let angle = at as f64 / count as f64 * std::f64::consts::TAU;
            match number % 3 {
                0 => [15.0 * random(), 11.0 * random()],
                _ => {
                    let radius = 1.0 + 4.0 * random();
                    [7.3 + radius * angle.cos(), 5.6 + radius * angle.sin()]
                }
            }
        };
        let corners: Vec<[f64; 2]> = (0..count).map(&mut corner).collect();
        add_polygon(&mut chains, &corners);
        chains.label(&mut cells);
        let loops: Vec<Vec<[f64; 2]>> = chains.loops().map(Iterator::collect).collect();
        for index in 0..165 {
            let [i, j] = cells.cell(index).map(|i| i as f64);
            if cells.kinds()[index] == CellKind::Solid {
                assert_eq!(index % 17, 3);
                continue;
            }
            let (low, high) = ([i + DEPTH, j + DEPTH], [i + 1.0 - DEPTH, j + 1.0 - DEPTH]);
            let is_crossed = loops.iter().any(|points| {
                (0..points.len()).any(|at| meets(points[at], points[(at + 1) % points.len()], low, high))
            });
            let is_inside = winding_by_angles(&loops, [i + 0.5, j + 0.5]) > 0;
            let is_liquid = cells.is_fluid(cells.cell(index).map(|i| i as isize));
            assert_eq!(is_liquid, is_crossed || is_inside, "polygon {number}, cell {i} {j}");
            liquid += usize::from(is_liquid);
            crossing += usize::from(is_crossed);
        }
    }
    assert!(liquid > 5000 && crossing > 3000, "{liquid} {crossing}");
}

#[test]
fn an_enclosed_bubble_stays_empty_by_winding_and_fills_by_growth() {
    for (contents, expected) in [(Contents::Winding, CellKind::Empty), (Contents::Growth, CellKind::Full)] {
        let mut cells = cells_of([16, 16], 1.0, CellKind::Empty);
        let mut chains = Chains::new(*cells.grid(), ChainSettings::of_cell(1.0, contents)).unwrap();
        let ring = |at: [f64; 2]| disc([8.0, 8.0], 7.0)(at) && !disc([8.0, 8.0], 3.0)(at);
        assert_eq!(chains.add_region(&cells, Some(120), ring), 2);
        chains.label(&mut cells);
        assert_eq!(cells.kind([8, 8]), expected, "{contents:?}");
        assert_eq!(cells.kind([8, 12]), CellKind::Full);
        assert_eq!(cells.kind([0, 0]), CellKind::Empty);
        let area = std::f64::consts::PI * (49.0 - 9.0);
        assert!((chains.area() / area - 1.0).abs() < 0.01, "{}", chains.area());
    }
}

#[test]
fn growth_finds_a_pool_whose_surface_lies_on_faces() {
    for contents in [Contents::Winding, Contents::Growth] {
        let mut cells = cells_of([8, 8], 1.0, CellKind::Empty);
        let mut chains = Chains::new(*cells.grid(), ChainSettings::of_cell(1.0, contents)).unwrap();
        chains.add_region(&cells, None, |at| at[1] < 4.0);
        chains.label(&mut cells);
        let row = |j: usize| (0..8).map(|i| cells.kinds()[i + 8 * j]).collect::<Vec<_>>();
        assert_eq!(row(4), [CellKind::Empty; 8]);
        assert_eq!(row(3), [CellKind::Surface; 8]);
        assert_eq!(row(2), [CellKind::Full; 8]);
    }
}

#[test]
fn the_interface_is_where_the_chain_crosses_between_centres() {
    let mut cells = cells_of([10, 10], 0.5, CellKind::Empty);
    let mut chains = chains_on(&cells);
    // A surface that rises by a fifth of the way
    let level = |x: f64| 2.1 + 0.2 * x;
    chains.add_region(&cells, None, |[x, y]| y < level(x));
    chains.label(&mut cells);
    let surface = TrackedSurface::Chains(chains);
    for i in 0..10 {
        let x = 0.25 + 0.5 * i as f64;
        for j in 0..10 {
            if cells.kind([i, j]) == CellKind::Surface && cells.kind([i, j + 1]) == CellKind::Empty {
                let (i, j) = (i as usize, j as usize);
                let expected = (level(x) - (0.25 + 0.5 * j as f64)).clamp(-0.25, 0.5);
                let found = surface.interface(&cells, [i, j], 1, true);
                assert!((found - expected).abs() < 1e-6, "{i} {j}: {found} {expected}");
            }
        }
    }
    // Sideways in row 5, whose centres lie at 2.75: the surface passes there at 3.25
    let expected: f64 = (2.75 - 2.1) / 0.2;
    let cell = [6_usize, 5];
    assert!((surface.interface(&cells, cell, 0, false) - (3.25 - expected).clamp(-0.25, 0.5)).abs() < 1e-6);
    assert!((surface.interface(&cells, [7, 5], 0, false) - 0.5).abs() < 1e-6);
}

#[test]
fn the_interface_stays_that_of_the_labelled_chain_until_the_next_labelling() {
    let mut cells = cells_of([10, 10], 0.5, CellKind::Empty);
    let mut surface = TrackedSurface::Chains(chains_on(&cells));
    let find = |surface: &TrackedSurface<2>, cells: &Cells<2>| surface.interface(cells, [4, 4], 1, true);
    // Not labelled yet: nothing to find, and nothing to panic on
    assert!(find(&surface, &cells).is_finite());
    if let TrackedSurface::Chains(chains) = &mut surface {
        chains.add_region(&cells, None, |at| at[1] < 2.4);
    }
    surface.label(&mut cells);
    let before = find(&surface, &cells);
    assert!((before - 0.15).abs() < 1e-6);
    let velocity = velocity_of(&cells, |_| [0.0, 0.5]);
    surface.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.2 }, &[]);
    assert_eq!(find(&surface, &cells), before);
    surface.label(&mut cells);
    assert!((find(&surface, &cells) - 0.25).abs() < 1e-6, "{}", find(&surface, &cells));
}
