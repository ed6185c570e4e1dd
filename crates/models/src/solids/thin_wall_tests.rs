//! Walls of every thickness, orientation and position: no path of open faces crosses them, and no particle passes.

use undine_frame::Material;
use undine_grid::{Grid, neighbour};

use super::triangle::samples::{ball, sheet};
use super::{MeshBody, Obstacle, SolidShape, Solids, Trajectory};
use undine_scene::{Key, LoadOptions, Scene};

static KEYS: &[Key] = &[
    Key::vector("at", 3).default(undine_scene::Absent::Vector(&[0.0, 0.0, 0.0])),
    Key::timed("move_x").or(0.0),
    Key::timed("move_y").or(0.0),
    Key::timed("move_z").or(0.0),
    Key::timed("turn").or(0.0),
    Key::text("axis").default(undine_scene::Absent::Text("z")),
];

static FLAT_KEYS: &[Key] = &[
    Key::vector("at", 2).default(undine_scene::Absent::Vector(&[0.0, 0.0])),
    Key::timed("move_x").or(0.0),
    Key::timed("move_y").or(0.0),
    Key::timed("turn").or(0.0),
];

fn trajectory<const D: usize>(keys: &str) -> Trajectory<D> {
    let text = format!("[scene]\nduration = 1\n[body]\n{keys}");
    let scene = Scene::parse("course", &text, &LoadOptions::default()).unwrap();
    Trajectory::read(&scene.section("body").read(&[if D == 2 { FLAT_KEYS } else { KEYS }]).unwrap()).unwrap()
}

fn solids<const D: usize>(cells: usize, shape: SolidShape<D>, keys: &str) -> Solids<D> {
    let grid = Grid::new([cells; D], [1.0 / cells as f64; D], [0.0; D]).unwrap();
    Solids::watertight(
        grid,
        vec![Obstacle { name: None, material: Material::Solid, shape, trajectory: trajectory(keys) }],
    )
    .unwrap()
}

/// Flood fill: the cells reached from one of them through open faces.
fn flood<const D: usize>(solids: &Solids<D>, start: [isize; D]) -> Vec<[isize; D]> {
    let cells = solids.cell_kinds().size().map(|n| n as isize);
    let number = |cell: [isize; D]| (0..D).rev().fold(0, |sum, axis| sum * cells[axis] + cell[axis]) as usize;
    let mut seen = vec![false; cells.iter().product::<isize>() as usize];
    seen[number(start)] = true;
    let mut reached = vec![start];
    let mut next = 0;
    while let Some(&cell) = reached.get(next) {
        next += 1;
        for axis in 0..D {
            for by in [-1, 1] {
                let adjacent = neighbour(cell, axis, by);
                let face = if by > 0 { adjacent } else { cell };
                let is_in = (0..cells[axis]).contains(&adjacent[axis]);
                if is_in && solids.open()[axis].at(face) > 0.0 && !seen[number(adjacent)] {
                    seen[number(adjacent)] = true;
                    reached.push(adjacent);
                }
            }
        }
    }
    reached
}

/// Checks that a flood fill from the corner farthest from a plane reaches exactly its own side, except for cells along
/// the plane.
fn check_divided<const D: usize>(solids: &Solids<D>, side: impl Fn([f64; D]) -> f64, what: &str) {
    let grid = *solids.distances().grid();
    let corner = |number: usize| {
        std::array::from_fn(|axis| (number >> axis & 1) as isize * (grid.cells()[axis] as isize - 1))
    };
    let far = |cell: [isize; D]| side(grid.centre(cell));
    let corners = (0..1 << D).map(corner);
    let start = corners.max_by(|one, other| far(*one).abs().total_cmp(&far(*other).abs())).unwrap();
    let sense = far(start).signum();
    let beyond = |point: [f64; D]| -sense * side(point);
    let reached = flood(solids, start);
    let spacing = grid.spacing()[0];
    for &cell in &reached {
        assert!(beyond(grid.centre(cell)) < 1.5 * spacing, "{what}: a leak to {cell:?}");
    }
    let all = solids.cell_kinds().iter().map(|(at, _)| at.map(|x| x as isize));
    let dry = |cell: &[isize; D]| beyond(grid.centre(*cell)) < -2.5 * spacing && !reached.contains(cell);
    assert_eq!(all.into_iter().find(dry), None, "{what}: not reached");
}

#[test]
fn walls_in_a_plane_hold_at_any_angle_and_thickness() {
    const CELLS: usize = 24;
    for number in 0..240 {
        let part = |step: f64| (f64::from(number) * step).fract();
        // The first runs stand along the grid, on nodes, centres and in between
        let angle = if number < 40 { 0.0 } else { std::f64::consts::PI * (part(0.618) - 0.5) };
        let thickness = [0.02, 0.1, 0.5, 0.9, 1.1, 1.5, 2.5][number as usize % 7] / CELLS as f64;
        let x = if number < 40 { 0.5 + f64::from(number) / 8.0 / 24.0 } else { 0.45 + 0.2 * part(0.37) };
        let shape = SolidShape::Block { half: [0.5 * thickness, 3.0] };
        let what = format!("{thickness} at {x}, turned by {angle}");
        let solids = solids::<2>(CELLS, shape, &format!("at = [{x}, 0.5]\nturn = {angle}"));
        let side = |[px, py]: [f64; 2]| (px - x) * angle.cos() + (py - 0.5) * angle.sin();
        check_divided(&solids, side, &what);
    }
}

#[test]
fn walls_and_sheets_in_space_hold() {
    const CELLS: usize = 16;
    for number in 0..42 {
        let part = |step: f64| (f64::from(number) * step).fract();
        let angle = if number < 6 { 0.0 } else { 2.0 * (part(0.618) - 0.5) };
        let axis = ["z", "y"][number as usize % 2];
        let thickness = [0.1, 0.5, 1.2][number as usize % 3] / CELLS as f64;
        let x = if number < 6 { 0.5 + f64::from(number) / 64.0 } else { 0.4 + 0.2 * part(0.37) };
        let block = SolidShape::Block { half: [0.5 * thickness, 3.0, 3.0] };
        let mesh = |triangles, thickness| SolidShape::Mesh(Box::new(MeshBody::new(triangles, thickness)));
        // A thin closed box, from a ball that is squeezed
        let slab = ball(4.0, 12).into_iter().map(|one| one.map(|[x, y, z]| [x * thickness / 8.0, y, z]));
        for (name, shape) in [
            ("block", block),
            ("sheet", mesh(sheet(3.0), Some(thickness))),
            ("closed", mesh(slab.collect(), None)),
        ] {
            let keys = format!("at = [{x}, 0.5, 0.5]\nturn = {angle}\naxis = '{axis}'");
            let solids = solids::<3>(CELLS, shape, &keys);
            let what = format!("{name} of {thickness} at {x}, turned by {angle} about {axis}");
            let side = |[px, py, pz]: [f64; 3]| {
                let across = if axis == "z" { py - 0.5 } else { 0.5 - pz };
                (px - x) * angle.cos() + across * angle.sin()
            };
            check_divided(&solids, side, &what);
        }
    }
}

#[test]
fn a_thin_shell_around_water_holds_it_and_its_outside() {
    let body = MeshBody::new(ball(0.3, 24), Some(0.01));
    let solids = solids::<3>(24, SolidShape::Mesh(Box::new(body)), "at = [0.5, 0.51, 0.49]");
    assert!(solids.blocked_faces() > 0);
    let away = |cell: [isize; 3]| {
        let centre = solids.distances().grid().centre(cell);
        (0..3).map(|axis| (centre[axis] - [0.5, 0.51, 0.49][axis]).powi(2)).sum::<f64>().sqrt()
    };
    // A cell that the shell cuts may belong to either side, but not to both
    let (inside, outside) = (flood(&solids, [12; 3]), flood(&solids, [0; 3]));
    assert!(inside.iter().all(|cell| away(*cell) < 0.3 + 1.0 / 24.0));
    assert!(outside.iter().all(|cell| away(*cell) > 0.3 - 1.0 / 24.0));
    assert!(inside.len() > 1000 && outside.len() > 10_000);
    assert!(inside.iter().all(|cell| !outside.contains(cell)));
}

#[test]
fn thick_solids_close_faces_only_at_sharp_corners() {
    let ball = solids::<3>(24, SolidShape::Ball { radius: 0.21 }, "at = [0.5, 0.47, 0.52]");
    assert_eq!(ball.blocked_faces(), 0);
    for angle in [0.1, 0.4, 0.7, 1.2] {
        let keys = format!("at = [0.5, 0.1]\nturn = {angle}");
        let block = solids::<2>(32, SolidShape::Block { half: [0.4, 0.2] }, &keys);
        assert!(block.blocked_faces() <= 16, "{angle}: {}", block.blocked_faces());
    }
}

/// Moves particles by random displacements in a divided box, sliding along solids, while a wall moves among them, and
/// checks that each stays on its side.
fn check_random_moves<const D: usize>(solids: &mut Solids<D>, side: impl Fn(f64, [f64; D]) -> f64) {
    let cells = solids.cell_kinds().size()[0] as f64;
    let grid = *solids.distances().grid();
    let metres = |at: [f32; D]| std::array::from_fn(|axis| f64::from(at[axis]) * grid.spacing()[axis]);
    let part = |number: u32, step: f64| (f64::from(number) * step).fract();
    // Quasi-random positions outside the solids
    let mut particles: Vec<[f32; D]> = (1..600)
        .map(|number| {
            let steps = [0.618034, 0.414214, 0.732051];
            std::array::from_fn(|axis| (cells * part(number, steps[axis])) as f32)
        })
        .filter(|&at| solids.distance_from(metres(at)) > 1e-3)
        .collect();
    let sides: Vec<bool> = particles.iter().map(|&at| side(0.0, metres(at)) > 0.0).collect();
    for step in 0..40u32 {
        let [from, to] = [step, step + 1].map(|step| f64::from(step) * 0.02);
        solids.advance(from, to).unwrap();
        for (number, position) in particles.iter_mut().enumerate() {
            // A displacement of up to two cells along each axis
            let seed = number as u32 * 40 + step;
            let steps = [0.291, 0.547, 0.823];
            let target = std::array::from_fn(|axis| {
                let thrown = position[axis] + 4.0 * (part(seed, steps[axis]) - 0.5) as f32;
                thrown.clamp(0.0, cells as f32)
            });
            *position = solids.slide(*position, target);
            let here = metres(*position);
            assert_eq!(side(to, here) > 0.0, sides[number], "{number} passed at {to}, now at {here:?}");
            let depth = -solids.distance_from(here);
            assert!(depth < 1e-6, "{number} is {depth} m deep at {to}, at {here:?}");
        }
    }
}

#[test]
fn particles_do_not_pass_a_wall_that_swings() {
    let angle = |time: f64| 0.6 * (6.0 * time).sin();
    let wall = || SolidShape::Block { half: [0.002, 3.0] };
    let mut flat = solids::<2>(20, wall(), "at = [0.5, 0.5]\nturn = '0.6*sin(6*t)'");
    check_random_moves(&mut flat, |time, [x, y]| {
        let angle = angle(time);
        (x - 0.5) * angle.cos() + (y - 0.5) * angle.sin()
    });
}

#[test]
fn particles_do_not_pass_a_sheet_or_a_thin_mesh_that_moves() {
    let slab = ball(4.0, 12).into_iter().map(|one| one.map(|[x, y, z]| [x * 0.002, y, z])).collect();
    for (triangles, thickness) in [(sheet(3.0), Some(0.01)), (slab, None)] {
        let body = MeshBody::new(triangles, thickness);
        let keys = "at = [0.5, 0.5, 0.5]\nmove_x = '0.3*sin(6*t)'";
        let mut solids = solids::<3>(16, SolidShape::Mesh(Box::new(body)), keys);
        check_random_moves(&mut solids, |time, [x, _, _]| x - 0.5 - 0.3 * (6.0 * time).sin());
    }
}

#[test]
fn moves_are_stopped_only_at_the_surface() {
    let solids = solids::<3>(24, SolidShape::Ball { radius: 0.1 }, "at = [0.5, 0.5, 0.5]");
    assert_eq!(solids.crossing([2.0; 3], [3.0, 2.0, 2.0]), None);
    let stop = solids.crossing([8.0, 12.0, 12.0], [13.0, 12.0, 12.0]).unwrap();
    // The surface is 2.4 cells from the middle
    assert!((stop[0] - (9.6 - 0.02)).abs() < 1e-4, "{stop:?}");
    let slid = solids.slide([8.0, 12.0, 12.0], [10.0, 13.0, 12.0]);
    assert!(solids.distance_sampler().unwrap().distance(slid) > -0.05 && slid[1] > 12.3, "{slid:?}");
}
