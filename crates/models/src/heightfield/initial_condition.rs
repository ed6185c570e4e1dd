//! The initial condition: depth and velocity from a still level, boxes with their own level, and humps of the surface.

use undine_scene::{Absent, Key, SceneErrors, Values};

use super::HeightFieldSetup;

/// The keys of one `fill`.
pub(crate) static FILL_KEYS: &[Key] = &[
    Key::vector("from", 2).unit("m").within(-1e8, 1e8).help("one corner of the box"),
    Key::vector("to", 2).unit("m").within(-1e8, 1e8).help("the opposite corner"),
    Key::number("level").unit("m").within(-1e5, 1e5).help("the water in the box stands at this level"),
    Key::vector("velocity", 2)
        .unit("m/s")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e3, 1e3)
        .help("velocity of the water in the box"),
];

/// The keys of one `hump`.
pub(crate) static HUMP_KEYS: &[Key] = &[
    Key::vector("center", 2).unit("m").within(-1e8, 1e8).help("its middle"),
    Key::vector("radius", 2)
        .unit("m")
        .positive_to(1e9)
        .help("its extent along x and y; a huge one makes a straight wave"),
    Key::number("height")
        .unit("m")
        .within(-1e4, 1e4)
        .help("rise of the surface in the middle; negative for a dip"),
    Key::choice(
        "shape",
        &[("bell", "exp(-r²), without an end"), ("dome", "a cosine that ends at the radius")],
    )
    .default(Absent::Text("bell"))
    .help("its profile"),
    Key::vector("velocity", 2)
        .unit("m/s")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e3, 1e3)
        .help("velocity in the middle, falling off with the rise"),
];

/// Sets depth and velocity at t = 0 from the keys `level`, `fill` and `hump`, in this order.
pub(super) fn set(setup: &mut HeightFieldSetup, values: &Values) -> Result<(), SceneErrors> {
    if let Some(level) = values.number_if("level") {
        set_level(setup, |_| Some(level));
    }
    for table in values.tables("fill") {
        fill_box(setup, table);
    }
    for hump in values.tables("hump") {
        add_hump(setup, hump);
    }
    if setup.depth.iter().all(|(_, depth)| depth == 0.0) && values.is_given("level") {
        let lowest = undine_grid::par::min(&setup.bed, |level| level);
        let message = format!("no ground lies below this level: the lowest is at {lowest} m");
        setup.warnings.push(values.problem("level", message, "raise the level, or lower the terrain"));
    }
    Ok(())
}

/// h = max(level − bed, 0) at the points for which a level is given.
fn set_level(setup: &mut HeightFieldSetup, level: impl Fn([f64; 2]) -> Option<f64>) {
    let [columns, rows] = setup.grid.cells();
    for y in 0..rows {
        for x in 0..columns {
            if let Some(level) = level(setup.grid.centre([x as isize, y as isize])) {
                setup.depth[[x, y]] = (level - setup.bed[[x, y]]).max(0.0);
            }
        }
    }
}

/// Fills a box to its level and gives the water in it its velocity.
fn fill_box(setup: &mut HeightFieldSetup, table: &Values) {
    let (from, to): ([f64; 2], [f64; 2]) = (table.vector("from"), table.vector("to"));
    let level = table.number("level");
    let is_inside = |at: [f64; 2]| {
        (0..2).all(|axis| at[axis] >= from[axis].min(to[axis]) && at[axis] <= from[axis].max(to[axis]))
    };
    set_level(setup, |at| is_inside(at).then_some(level));
    let velocity: [f64; 2] = table.vector("velocity");
    let grid = setup.grid;
    for (axis, component) in setup.velocity.iter_mut().enumerate() {
        let depth = &setup.depth;
        let [columns, rows] = grid.cells();
        for y in 0..rows {
            for x in 0..columns {
                if depth[[x, y]] > 0.0 && is_inside(grid.centre([x as isize, y as isize])) {
                    component[[x, y]] = velocity[axis];
                }
            }
        }
    }
}

/// Adds a hump: h += A f(r), u += U f(r), with r² = Σ ((x − x₀)/R)² and the profile f = exp(−r²) or a cosine.
fn add_hump(setup: &mut HeightFieldSetup, hump: &Values) {
    let (center, radius): ([f64; 2], [f64; 2]) = (hump.vector("center"), hump.vector("radius"));
    let (height, velocity): (f64, [f64; 2]) = (hump.number("height"), hump.vector("velocity"));
    let is_dome = hump.word("shape") == "dome";
    let [columns, rows] = setup.grid.cells();
    for y in 0..rows {
        for x in 0..columns {
            let at = setup.grid.centre([x as isize, y as isize]);
            let squared: f64 = (0..2).map(|axis| ((at[axis] - center[axis]) / radius[axis]).powi(2)).sum();
            let profile = if is_dome { dome(squared.sqrt()) } else { (-squared).exp() };
            // Dry cells stay dry: a hump deforms the water that is there
            if setup.depth[[x, y]] > 0.0 {
                setup.depth[[x, y]] = (setup.depth[[x, y]] + height * profile).max(0.0);
                (0..2).for_each(|axis| setup.velocity[axis][[x, y]] += velocity[axis] * profile);
            }
        }
    }
}

/// ½ (1 + cos π r) for r < 1, else 0.
fn dome(r: f64) -> f64 {
    if r < 1.0 { 0.5 * (1.0 + (std::f64::consts::PI * r).cos()) } else { 0.0 }
}
