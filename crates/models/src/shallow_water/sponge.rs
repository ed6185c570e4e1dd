//! Sponge layers: strips along sides in which the state is relaxed to rest, dU/dt = −s (U − U_rest).
//!
//! s = s₀ (1 − x/L)² at the distance x < L from the side. The step is implicit: U changes by the fraction s dt/(1 + s
//! dt) of U_rest − U.

use undine_grid::Grid;

use super::border::Border;

/// Relaxation rate s of each column and row, in 1/s.
pub(super) struct Sponge {
    by_column: Vec<f64>,
    by_row: Vec<f64>,
}

impl Sponge {
    /// None when no side is a sponge.
    pub fn new(borders: &[Border; 4], grid: &Grid<2>) -> Option<Sponge> {
        let is_sponge = |border: &Border| matches!(border, Border::Sponge { .. });
        let rates = |axis: usize| {
            let [low, high] = [&borders[2 * axis], &borders[2 * axis + 1]];
            let (cells, spacing) = (grid.cells()[axis], grid.spacing()[axis]);
            let profile = |distance: f64, border: &Border| match *border {
                Border::Sponge { width, strength } => strength * (1.0 - distance / width).max(0.0).powi(2),
                _ => 0.0,
            };
            let centre = |index: usize| (index as f64 + 0.5) * spacing;
            let rate =
                |index: usize| profile(centre(index), low).max(profile(centre(cells - 1 - index), high));
            (0..cells).map(rate).collect()
        };
        borders.iter().any(is_sponge).then(|| Sponge { by_column: rates(0), by_row: rates(1) })
    }

    /// Calls `relax` with every cell inside a sponge and the fraction s dt/(1 + s dt).
    pub fn each(&self, dt: f64, mut relax: impl FnMut([usize; 2], f64)) {
        for (row, &row_rate) in self.by_row.iter().enumerate() {
            for (column, &column_rate) in self.by_column.iter().enumerate() {
                let strength = column_rate.max(row_rate);
                if strength > 0.0 {
                    relax([column, row], strength * dt / (1.0 + strength * dt));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sponge_is_strongest_at_its_side_and_ends() {
        let grid = Grid::new([20, 10], [1.0; 2], [0.0; 2]).unwrap();
        let east = Border::Sponge { width: 4.0, strength: 3.0 };
        let sponge = Sponge::new(&[Border::Wall, east, Border::Open, Border::Wall], &grid).unwrap();
        let mut relaxed = vec![];
        sponge.each(0.1, |cell, fraction| relaxed.push((cell, fraction)));
        assert_eq!(relaxed.len(), 40);
        assert!(relaxed.iter().all(|(cell, _)| cell[0] >= 16));
        assert!(relaxed[3].1 > relaxed[2].1 && relaxed[3].1 < 0.3);
        assert!(Sponge::new(&[const { Border::Wall }; 4], &grid).is_none());
    }
}
