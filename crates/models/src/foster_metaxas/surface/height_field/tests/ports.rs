//! Inflows and outflows beside, below and above the columns.

use super::*;

/// A basin of 5 × 6 cells of 1 m × 0.5 m with a port of one cell in its left side.
fn with_port(kind: CellKind, layer: usize) -> Cells<2> {
    let mut cells = basin([5, 6], [1.0, 0.5]);
    (0..6).for_each(|k| cells.set(cells.index([0, k]), CellKind::Solid));
    cells.set(cells.index([0, layer]), kind);
    cells
}

#[test]
fn an_inflow_gives_what_passes_its_face_also_above_the_surface() {
    for layer in [1, 5] {
        let cells = with_port(CellKind::Inflow, layer);
        let mut heights = HeightField::new(&cells, flux(0.1), |_| 1.2);
        let velocity = velocity_of(&cells, |[x, _]| [if x == 1.0 { 0.4 } else { 0.0 }, 0.0]);
        let change = heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.5 });
        assert!((change.inflow - 0.4 * 0.5 * 0.5).abs() < 1e-12);
        assert!((heights.volume() - 4.0 * 1.2 - 0.1).abs() < 1e-12);
        assert!((heights.heights[1] - 1.3).abs() < 1e-12);
    }
}

#[test]
fn an_outflow_takes_from_the_wet_part_of_its_face_and_no_more_than_there_is() {
    for (level, layer, expected) in [(1.2, 1, 0.5), (1.2, 2, 0.2), (1.2, 3, 0.0), (0.4, 0, 0.4)] {
        let cells = with_port(CellKind::Outflow, layer);
        let mut heights = HeightField::new(&cells, flux(0.1), |_| level);
        let velocity = velocity_of(&cells, |[x, _]| [if x == 1.0 { -0.5 } else { 0.0 }, 0.0]);
        let change = heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.5 });
        assert!((change.outflow - 0.25 * expected).abs() < 1e-12, "{level} {layer}: {change:?}");
        assert!((heights.volume() - 4.0 * level + change.outflow).abs() < 1e-12);
    }
    // Faster than the column can empty
    let cells = with_port(CellKind::Outflow, 0);
    let mut heights = HeightField::new(&cells, flux(0.1), |_| 0.4);
    let velocity = velocity_of(&cells, |[x, _]| [if x == 1.0 { -5.0 } else { 0.0 }, 0.0]);
    let change = heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.5 });
    assert!((change.outflow - 0.4).abs() < 1e-12 && (change.held_back - 0.6).abs() < 1e-12, "{change:?}");
    assert!(heights.heights[1].abs() < 1e-12);
}

#[test]
fn ports_in_the_floor_and_in_the_lid_work_too() {
    let mut cells = basin([4, 6], [1.0, 0.5]);
    (0..4).for_each(|i| cells.set(cells.index([i, 0]), CellKind::Solid));
    cells.set(cells.index([1, 0]), CellKind::Outflow);
    cells.set(cells.index([2, 5]), CellKind::Inflow);
    let mut heights = HeightField::new(&cells, flux(0.1), |_| 1.2);
    let velocity = velocity_of(&cells, |[x, y]| {
        let is_drain = (1.0..2.0).contains(&x) && y == 0.5;
        let is_rain = (2.0..3.0).contains(&x) && y == 2.5;
        [0.0, if is_drain || is_rain { -0.2 } else { 0.0 }]
    });
    let change = heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.5 });
    assert!((change.outflow - 0.1).abs() < 1e-12 && (change.inflow - 0.1).abs() < 1e-12, "{change:?}");
    assert!((heights.heights[1] - 1.1).abs() < 1e-12 && (heights.heights[2] - 1.3).abs() < 1e-12);
}

#[test]
fn what_does_not_fit_below_the_lid_waits_in_its_column() {
    let cells = with_port(CellKind::Inflow, 0);
    let mut heights = HeightField::new(&cells, flux(0.1), |_| 2.9);
    let velocity = velocity_of(&cells, |[x, _]| [if x == 1.0 { 2.0 } else { 0.0 }, 0.0]);
    let change = heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.5 });
    assert!((change.inflow - 0.5).abs() < 1e-12 && (change.surplus - 0.4).abs() < 1e-12, "{change:?}");
    assert_eq!(heights.heights[1], 3.0);
    assert!((heights.volume() - 4.0 * 2.9 - 0.5).abs() < 1e-12);
}
