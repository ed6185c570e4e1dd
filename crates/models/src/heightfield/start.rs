//! The water at the start: a still level, boxes with levels of their own, rises and dips.

use undine_scene::{Absent, Key, SceneErrors, Values};

use super::Land;

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

/// Fills the land as `values` say.
pub(super) fn fill(land: &mut Land, values: &Values) -> Result<(), SceneErrors> {
    if let Some(level) = values.number_if("level") {
        raise(land, |_| Some(level));
    }
    for basin in values.tables("fill") {
        fill_box(land, basin);
    }
    for hump in values.tables("hump") {
        add_hump(land, hump);
    }
    if land.depth.iter().all(|(_, depth)| depth == 0.0) && values.is_given("level") {
        let lowest = undine_grid::par::min(&land.bed, |level| level);
        let message = format!("no ground lies below this level: the lowest is at {lowest} m");
        land.warnings.push(values.problem("level", message, "raise the level, or lower the terrain"));
    }
    Ok(())
}

/// Sets the depth so that the surface stands at the level given for a point, where one is.
fn raise(land: &mut Land, level: impl Fn([f64; 2]) -> Option<f64>) {
    let [columns, rows] = land.grid.cells();
    for y in 0..rows {
        for x in 0..columns {
            if let Some(level) = level(land.grid.centre([x as isize, y as isize])) {
                land.depth[[x, y]] = (level - land.bed[[x, y]]).max(0.0);
            }
        }
    }
}

fn fill_box(land: &mut Land, basin: &Values) {
    let (from, to): ([f64; 2], [f64; 2]) = (basin.vector("from"), basin.vector("to"));
    let level = basin.number("level");
    let is_inside = |at: [f64; 2]| {
        (0..2).all(|axis| at[axis] >= from[axis].min(to[axis]) && at[axis] <= from[axis].max(to[axis]))
    };
    raise(land, |at| is_inside(at).then_some(level));
    let velocity: [f64; 2] = basin.vector("velocity");
    let grid = land.grid;
    for (axis, component) in land.velocity.iter_mut().enumerate() {
        let depth = &land.depth;
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

fn add_hump(land: &mut Land, hump: &Values) {
    let (center, radius): ([f64; 2], [f64; 2]) = (hump.vector("center"), hump.vector("radius"));
    let (height, velocity): (f64, [f64; 2]) = (hump.number("height"), hump.vector("velocity"));
    let is_dome = hump.word("shape") == "dome";
    let [columns, rows] = land.grid.cells();
    for y in 0..rows {
        for x in 0..columns {
            let at = land.grid.centre([x as isize, y as isize]);
            let squared: f64 = (0..2).map(|axis| ((at[axis] - center[axis]) / radius[axis]).powi(2)).sum();
            let share = if is_dome { dome(squared.sqrt()) } else { (-squared).exp() };
            // Dry land stays dry: a hump is a shape of the water that is there.
            if land.depth[[x, y]] > 0.0 {
                land.depth[[x, y]] = (land.depth[[x, y]] + height * share).max(0.0);
                (0..2).for_each(|axis| land.velocity[axis][[x, y]] += velocity[axis] * share);
            }
        }
    }
}

fn dome(r: f64) -> f64 {
    if r < 1.0 { 0.5 * (1.0 + (std::f64::consts::PI * r).cos()) } else { 0.0 }
}
