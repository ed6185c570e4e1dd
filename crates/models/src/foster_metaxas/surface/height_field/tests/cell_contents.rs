//! Cell contents by heights, obstacles in columns, and the surface between columns.

use super::*;

#[test]
fn crossed_cells_are_surface_those_above_empty_those_below_full() {
    let mut cells = basin([5, 6], [1.0, 0.5]);
    (0..2).for_each(|k| cells.set(cells.index([2, k]), CellKind::Solid));
    cells.set(cells.index([4, 5]), CellKind::Outflow);
    let mut heights = HeightField::new(&cells, flux(0.1), |[x, _]| if x < 2.0 { 1.2 } else { 1.5 });
    assert_eq!(heights.volume(), 2.0 * 1.2 + 0.5 + 2.0 * 1.5);
    heights.label(&mut cells);
    let column = |i: usize| (0..6).map(|k| cells.kind([i as isize, k])).collect::<Vec<_>>();
    use CellKind::{Empty as E, Full as F, Outflow as O, Solid as X, Surface as S};
    assert_eq!(column(0), [F, F, S, E, E, E]);
    assert_eq!(column(2), [X, X, S, E, E, E]);
    // A surface on the border of two cells: the upper one is empty, also a little above it
    assert_eq!(column(4), [F, F, S, E, E, O]);
    let surface = TrackedSurface::HeightField(heights);
    assert!((surface.interface(&cells, [0, 2], 1, true) - (1.2 - 1.25)).abs() < 1e-12);
    assert!((surface.interface(&cells, [3, 2], 1, true) - 0.25).abs() < 1e-12);
    assert!((surface.seen_volume(&cells) - 5.9).abs() < 1e-12);
}

#[test]
fn sideways_the_surface_is_where_a_line_between_columns_passes_the_centre() {
    let mut cells = basin([3, 4], [2.0, 1.0]);
    let mut heights = HeightField::new(&cells, flux(0.1), |[x, _]| [3.0, 1.0, 0.4][(x / 2.0) as usize]);
    heights.label(&mut cells);
    let surface = TrackedSurface::HeightField(heights);
    // From 3 m to 1 m over 2 m: at the level of 2.5 m after a quarter, of 1.5 m after three
    assert!((surface.interface(&cells, [0, 2], 0, true) - 0.5).abs() < 1e-12);
    assert!((surface.interface(&cells, [0, 1], 0, true) - 1.5).abs() < 1e-12);
    // The last column's centre is above its water: the line from 1 m to 0.4 m passes 0.5 m before it
    assert!((surface.interface(&cells, [2, 0], 0, true) + 2.0 / 6.0).abs() < 1e-12);
}

#[test]
fn water_goes_around_obstacles_within_a_column() {
    let mut cells = basin([2, 8], [1.0, 0.5]);
    for k in [0, 3, 4, 7] {
        cells.set(cells.index([0, k]), CellKind::Solid);
    }
    let columns = Columns::new(&cells);
    assert_eq!((columns.capacity(0), columns.range(0)), (2.0, [0.5, 3.5]));
    for (depth, height) in [(0.0, 0.5), (0.4, 0.9), (1.0, 1.5), (1.1, 2.6), (2.0, 3.5), (9.0, 3.5)] {
        assert!((columns.height_of(&cells, 0, depth) - height).abs() < 1e-12, "{depth}");
        let back = columns.depth_below(&cells, 0, height);
        assert!((back - f64::min(depth, 2.0)).abs() < 1e-12, "{depth}: {back}");
    }
    assert!((columns.depth_below(&cells, 0, 2.0) - 1.0).abs() < 1e-12);
}

#[test]
fn between_columns_the_surface_is_smooth_and_never_beyond_its_neighbours() {
    let grid = Grid::new([32, 24, 4], [0.25, 0.25, 1.0], [0.0; 3]).unwrap();
    let mut cells = Cells::new(grid);
    (0..4).for_each(|k| cells.set(cells.index([20, 12, k]), CellKind::Solid));
    let level = |x: f64, y: f64| 2.0 + 0.5 * (0.8 * x).sin() * (0.6 * y).cos();
    let heights = HeightField::new(&cells, flux(0.1), |[x, y, _]| level(x, y));
    let mut worst = 0.0_f64;
    for n in 0..4000 {
        let (x, y) = (0.3 + 7.4 * (n as f64 * 0.618_034).fract(), 0.3 + 5.4 * (n as f64 * 0.754_878).fract());
        let found = heights.height_at([x, y]).unwrap();
        assert!((1.5..=2.5).contains(&found));
        if (x - 5.1).hypot(y - 3.1) > 0.6 {
            worst = worst.max((found - level(x, y)).abs());
        }
    }
    // A limited slope is off by at most the difference of two slopes, a k² δ; each of two weighs δ · 4/27 at most
    assert!(worst < 0.5 * (0.64 + 0.36) * 0.0625 * 8.0 / 27.0, "{worst}");
    assert_eq!(heights.height_at([1.125, 2.375]), Some(heights.heights[4 + 32 * 9]));
    assert_eq!(heights.height_at([-0.1, 1.0]), None);
    // Across a closed column heights continue, and the rise is even: no step between two samples
    let along: Vec<f64> =
        (0..400).filter_map(|n| heights.height_at([4.0 + 0.01 * n as f64, 3.125])).collect();
    assert_eq!(along.len(), 400);
    assert!(along.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.02));
    // In the plane
    let plane = HeightField::new(&basin([4, 4], [1.0, 1.0]), flux(0.1), |[x, _]| x);
    assert_eq!(plane.height_at([2.0, 99.0]), Some(2.0));
}
