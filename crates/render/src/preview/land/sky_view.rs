//! Sky-view factor of a terrain (ambient occlusion): hollows and the feet of walls are darker than ridges.
//!
//! From every vertex the horizon is searched in eight directions at about doubling distances, relative to the slope of the
//! ground: a horizon at the angle α leaves 1 − sin²α of the sky in its sector.

use rayon::prelude::*;

use super::lattice::VertexLattice;

const DIRECTIONS: [[isize; 2]; 8] = [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]];
const STEPS: [isize; 5] = [1, 2, 4, 9, 20];

/// The sky-view factor of every vertex, 0 to 1.
pub fn sky_view(lattice: &VertexLattice, heights: &[f32]) -> Vec<f32> {
    let [columns, rows] = lattice.size().map(|count| count as isize);
    let step = lattice.step().max(1e-20);
    let height = |column: isize, row: isize| {
        heights[(row.clamp(0, rows - 1) * columns + column.clamp(0, columns - 1)) as usize]
    };
    let open = |index: usize| {
        let (column, row) = (index as isize % columns, index as isize / columns);
        let here = height(column, row);
        let rise = |[x, y]: [isize; 2]| height(column + x, row + y) - here;
        let slope = [0.5 * (rise([1, 0]) - rise([-1, 0])), 0.5 * (rise([0, 1]) - rise([0, -1]))];
        let slice = |[x, y]: [isize; 2]| {
            let length = if x != 0 && y != 0 { std::f32::consts::SQRT_2 } else { 1.0 };
            let tilt = slope[0] * x as f32 + slope[1] * y as f32;
            let inside = |steps: isize| {
                (0..columns).contains(&(column + x * steps)) && (0..rows).contains(&(row + y * steps))
            };
            let within = STEPS.iter().take_while(|&&steps| inside(steps));
            let horizon = within.fold(0.0_f32, |horizon, &steps| {
                let over = rise([x * steps, y * steps]) - tilt * steps as f32;
                horizon.max(over / (steps as f32 * length * step))
            });
            1.0 / (1.0 + horizon * horizon)
        };
        DIRECTIONS.map(slice).iter().sum::<f32>() / DIRECTIONS.len() as f32
    };
    (0..heights.len()).into_par_iter().with_min_len(4096).map(open).collect()
}

#[cfg(test)]
mod tests {
    use undine_frame::Mesh;

    use super::*;

    #[test]
    fn slopes_are_open_and_hollows_are_not() {
        let lattice = VertexLattice::of(&Mesh::flat_sheet("g", [20.0, 20.0], [21, 21])).unwrap();
        let over = |shape: &dyn Fn(f32, f32) -> f32| -> Vec<f32> {
            let heights: Vec<f32> =
                (0..441).map(|index| shape((index % 21) as f32 - 10.0, (index / 21) as f32 - 10.0)).collect();
            sky_view(&lattice, &heights)
        };
        let middle = 10 * 21 + 10;
        assert!(over(&|x, y| 0.5 * x - 0.2 * y)[middle] > 0.9999);
        assert!(over(&|x, y| 0.1 * (x * x + y * y))[middle] < 0.6);
        assert_eq!(over(&|x, y| -0.1 * (x * x + y * y))[middle], 1.0);
    }
}
