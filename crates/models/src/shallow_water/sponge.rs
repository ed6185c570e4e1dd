//! Sponges: strips along sides in which the water is brought to rest at the still level.

use undine_grid::Grid;

use super::border::Border;

/// How strongly each column and row is calmed, in 1/s.
pub(super) struct Sponge {
    by_column: Vec<f64>,
    by_row: Vec<f64>,
}

impl Sponge {
    /// None when no side is a sponge.
    pub fn new(borders: &[Border; 4], grid: &Grid<2>) -> Option<Sponge> {
        let is_sponge = |border: &Border| matches!(border, Border::Sponge { .. });
        let strengths = |axis: usize| {
            let [low, high] = [&borders[2 * axis], &borders[2 * axis + 1]];
            let (cells, spacing) = (grid.cells()[axis], grid.spacing()[axis]);
            let at = |distance: f64, border: &Border| match *border {
                Border::Sponge { width, strength } => strength * (1.0 - distance / width).max(0.0).powi(2),
                _ => 0.0,
            };
            let middle = |index: usize| (index as f64 + 0.5) * spacing;
            let both = |index: usize| at(middle(index), low).max(at(middle(cells - 1 - index), high));
            (0..cells).map(both).collect()
        };
        borders.iter().any(is_sponge).then(|| Sponge { by_column: strengths(0), by_row: strengths(1) })
    }

    /// Calls `calm` with every cell inside a sponge and the share of its unrest that it loses in `dt` seconds.
    pub fn each(&self, dt: f64, mut calm: impl FnMut([usize; 2], f64)) {
        for (row, &along_y) in self.by_row.iter().enumerate() {
            for (column, &along_x) in self.by_column.iter().enumerate() {
                let strength = along_x.max(along_y);
                if strength > 0.0 {
                    calm([column, row], strength * dt / (1.0 + strength * dt));
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
        let mut calmed = vec![];
        sponge.each(0.1, |cell, share| calmed.push((cell, share)));
        assert_eq!(calmed.len(), 40);
        assert!(calmed.iter().all(|(cell, _)| cell[0] >= 16));
        assert!(calmed[3].1 > calmed[2].1 && calmed[3].1 < 0.3);
        assert!(Sponge::new(&[const { Border::Wall }; 4], &grid).is_none());
    }
}
