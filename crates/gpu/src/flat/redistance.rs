//! Redistancing: a signed distance field from values that are distances only near the surface.
//!
//! Values next to a sign change are kept. All others solve the eikonal equation |∇d| = 1 by fast sweeping, one sweep
//! from each corner [zhao2005].

/// Signed distances with the sign of `near`, stored row by row with grid `spacing` in metres. A field without a sign
/// change gets the largest distance.
pub fn redistance(near: &[f32], columns: usize, spacing: [f32; 2]) -> Vec<f32> {
    let rows = near.len() / columns.max(1);
    let far = spacing[0] * columns as f32 + spacing[1] * rows as f32;
    let is_below = |cell: usize| near[cell] < 0.0;
    let neighbours = |cell: usize| {
        let (column, row) = (cell % columns, cell / columns);
        let in_row = [(column > 0).then(|| cell - 1), (column + 1 < columns).then(|| cell + 1)];
        let in_column = [(row > 0).then(|| cell - columns), (row + 1 < rows).then(|| cell + columns)];
        [in_row, in_column]
    };
    let is_fixed = |cell: usize| {
        let mut adjacent = neighbours(cell).into_iter().flatten().flatten();
        near[cell].is_finite() && adjacent.any(|other| is_below(other) != is_below(cell))
    };
    // Initialise: known distances next to the surface, the largest distance elsewhere
    let fixed: Vec<bool> = (0..near.len()).map(is_fixed).collect();
    let mut distance: Vec<f32> =
        (0..near.len()).map(|cell| if fixed[cell] { near[cell].abs().min(far) } else { far }).collect();
    // Gauss–Seidel sweeps in the four diagonal directions
    for sweep in 0..4 {
        for step in 0..near.len() {
            let row = if sweep < 2 { step / columns } else { rows - 1 - step / columns };
            let column = if sweep % 2 == 0 { step % columns } else { columns - 1 - step % columns };
            let cell = row * columns + column;
            if !fixed[cell] {
                let nearest = neighbours(cell)
                    .map(|pair| pair.into_iter().flatten().map(|other| distance[other]).fold(far, f32::min));
                distance[cell] = distance[cell].min(godunov_update(nearest, spacing));
            }
        }
    }
    (0..near.len()).map(|cell| if is_below(cell) { -distance[cell] } else { distance[cell] }).collect()
}

// Godunov's solution of ((d − a)/dx)² + ((d − b)/dy)² = 1, with the nearer neighbours a and b along both axes;
// one-sided where the quadratic has no solution d ≥ max(a, b).
fn godunov_update([a, b]: [f32; 2], [dx, dy]: [f32; 2]) -> f32 {
    let one_sided = (a + dx).min(b + dy);
    let (wx, wy) = (1.0 / (dx * dx), 1.0 / (dy * dy));
    let root = (wx + wy) - wx * wy * (a - b) * (a - b);
    if root <= 0.0 {
        return one_sided;
    }
    let both = (wx * a + wy * b + root.sqrt()) / (wx + wy);
    if both >= a.max(b) { both } else { one_sided }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_near_a_circle_extend_to_the_whole_field() {
        let exact = |cell: usize| {
            let (x, y) = ((cell % 60) as f32 - 29.3, (cell / 60) as f32 - 24.6);
            0.1 * (x.hypot(y) - 12.4)
        };
        let near: Vec<f32> = (0..60 * 50).map(|cell| exact(cell).clamp(-0.15, 0.15)).collect();
        for (cell, distance) in redistance(&near, 60, [0.1; 2]).into_iter().enumerate() {
            assert!((distance - exact(cell)).abs() < 0.06 + 0.05 * exact(cell).abs(), "{cell}: {distance}");
        }
    }

    #[test]
    fn empty_and_broken_fields_give_finite_distances() {
        assert!(redistance(&[], 0, [1.0; 2]).is_empty());
        assert!(redistance(&[f32::NAN; 6], 3, [1.0; 2]).iter().all(|distance| distance.is_finite()));
        assert_eq!(redistance(&[-1.0; 4], 2, [1.0; 2]), [-4.0; 4]);
    }
}
