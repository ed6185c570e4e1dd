//! Chains along obstacles and at inflows.

use super::super::super::InflowFace;
use super::*;

/// A tank with a block on its floor and one that hangs from the lid.
fn tank() -> Cells<2> {
    let mut cells = cells_of([12, 8], 0.5, CellKind::Empty);
    for index in 0..96 {
        let [i, j] = cells.cell(index);
        if (3..5).contains(&i) && j < 2 || i == 8 && j > 2 {
            cells.set(index, CellKind::Solid);
        }
    }
    cells
}

#[test]
fn a_pool_is_outlined_exactly_along_obstacles() {
    let mut cells = tank();
    let mut chains = chains_on(&cells);
    assert_eq!(chains.add_region(&cells, None, |at| at[1] < 2.2), 1);
    // 6 m × 2.2 m less four cells of the block and what hangs below 2.2 m
    let area = 6.0 * 2.2 - 4.0 * 0.25 - 0.5 * (2.2 - 1.5);
    assert!((chains.area() - area).abs() < 1e-6, "{} {area}", chains.area());
    let (start, velocity) = (chains.area(), still(&cells));
    for _ in 0..50 {
        chains.label(&mut cells);
        let change = chains.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.1 }, &[]);
        assert_eq!((change.reconnections, change.removed_loops), (0, 0.0));
    }
    assert!((chains.area() - start).abs() < 1e-6, "{} {start}", chains.area());
    for (at, expected) in [
        ([0, 0], CellKind::Full),
        ([3, 1], CellKind::Solid),
        ([3, 2], CellKind::Full),
        ([2, 4], CellKind::Surface),
        ([2, 5], CellKind::Empty),
        ([8, 4], CellKind::Solid),
    ] {
        assert_eq!(cells.kind(at), expected, "{at:?}");
    }
}

#[test]
fn particles_never_enter_obstacles_and_stay_on_walls() {
    let cells = tank();
    let mut chains = chains_on(&cells);
    chains.add_region(&cells, None, |at| at[1] < 2.2);
    let mut full = cells.clone();
    for index in 0..96 {
        if !cells.is_obstacle(cells.cell(index).map(|i| i as isize)) {
            full.set(index, CellKind::Full);
        }
    }
    // The velocity of a solver: nothing through walls
    let mut velocity = velocity_of(&full, |[x, y]| [(3.0 * y).sin() + 0.5, (2.0 * x).cos()]);
    for axis in 0..2 {
        for at in velocity[axis].iter().map(|(at, _)| at).collect::<Vec<_>>() {
            let mut below = at.map(|i| i as isize);
            let above = below;
            below[axis] -= 1;
            if full.is_obstacle(below) || full.is_obstacle(above) {
                velocity[axis][at] = 0.0;
            }
        }
    }
    let on_floor = |chains: &Chains<2>| chains.points.iter().filter(|point| point[1] < 1e-6).count();
    assert!(on_floor(&chains) > 15);
    for _ in 0..100 {
        chains.advance(&SurfaceStep { cells: &full, velocity: &velocity, dt: 0.1 }, &[]);
        for &point in &chains.points {
            assert!(!cells.is_obstacle(cell_of(point)), "{point:?}");
        }
    }
    assert!(on_floor(&chains) > 5, "{}", on_floor(&chains));
}

#[test]
fn a_chain_begins_at_an_inflow_and_grows_by_what_comes_in() {
    for axis in 0..2 {
        for towards_high in [false, true] {
            let mut cells = cells_of([20, 20], 0.5, CellKind::Empty);
            let place = if towards_high { 0 } else { 19 };
            let at = |along: usize, across: usize| if axis == 0 { [along, across] } else { [across, along] };
            (0..20).for_each(|n| cells.set(cells.index(at(place, n)), CellKind::Solid));
            let faces: Vec<InflowFace<2>> =
                (7..10).map(|n| InflowFace { cell: at(place, n), axis, towards_high }).collect();
            faces.iter().for_each(|face| cells.set(cells.index(face.cell), CellKind::Inflow));
            let speed = if towards_high { 0.8 } else { -0.8 };
            let velocity = velocity_of(&cells, |_| if axis == 0 { [speed, 0.0] } else { [0.0, speed] });
            let mut chains = chains_on(&cells);
            let inflows = [InflowFaces { faces: &faces, markers_per_second: None }];
            let mut came_in = 0.0;
            for _ in 0..100 {
                chains.label(&mut cells);
                let step = SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.05 };
                came_in += chains.advance(&step, &inflows).inflow;
            }
            assert_eq!(chains.loops().len(), 1);
            assert!(came_in > 0.0 && came_in < 0.4 * 0.5 * 1.5, "{came_in}");
            // 1.5 m wide, 0.8 m/s, 5 s
            assert!(
                (chains.area() / 6.0 - 1.0).abs() < 1e-3,
                "axis {axis}, {towards_high}: {}",
                chains.area()
            );
        }
    }
}
