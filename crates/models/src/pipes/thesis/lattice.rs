//! Columns, their neighbours, and the faces between them.

/// The four directions: along x and back, along y and back.
pub const DIRECTIONS: [Direction; 4] = [Direction::East, Direction::West, Direction::North, Direction::South];

/// A direction from a column to a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To higher x.
    East,
    /// To lower x.
    West,
    /// To higher y.
    North,
    /// To lower y.
    South,
}

impl Direction {
    /// Whether flow in this direction counts as positive.
    pub fn is_forward(self) -> bool {
        matches!(self, Direction::East | Direction::North)
    }
}

/// The columns of a domain, numbered along x first. Face c lies between column c and its neighbour in the east, face
/// c + number of columns between c and its neighbour in the north; flow is positive to the east and north.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lattice {
    /// Columns along x.
    pub columns: usize,
    /// Rows along y; 1 on a curve.
    pub rows: usize,
}

impl Lattice {
    /// Number of columns of the domain.
    pub fn count(self) -> usize {
        self.columns * self.rows
    }

    /// Number of faces, those at the rim among them, which stay closed.
    pub fn faces(self) -> usize {
        2 * self.count()
    }

    /// The neighbour of a column, and the face between them; `None` at the rim.
    pub fn neighbour(self, column: usize, direction: Direction) -> Option<(usize, usize)> {
        let (x, y, count) = (column % self.columns, column / self.columns, self.count());
        match direction {
            Direction::East => (x + 1 < self.columns).then(|| (column + 1, column)),
            Direction::West => (x > 0).then(|| (column - 1, column - 1)),
            Direction::North => (y + 1 < self.rows).then(|| (column + self.columns, count + column)),
            Direction::South => (y > 0).then(|| (column - self.columns, count + column - self.columns)),
        }
    }

    /// The column so many steps away in a direction; `None` outside the domain.
    pub fn along(self, column: usize, direction: Direction, steps: usize) -> Option<usize> {
        let (x, y) = (column % self.columns, column / self.columns);
        let (x, y) = match direction {
            Direction::East => (x.checked_add(steps)?, y),
            Direction::West => (x.checked_sub(steps)?, y),
            Direction::North => (x, y.checked_add(steps)?),
            Direction::South => (x, y.checked_sub(steps)?),
        };
        (x < self.columns && y < self.rows).then(|| x + y * self.columns)
    }

    /// The two columns of a face, lower index first.
    pub fn ends(self, face: usize) -> [usize; 2] {
        let count = self.count();
        if face < count { [face, face + 1] } else { [face - count, face - count + self.columns] }
    }

    /// The neighbours of a column with their faces and directions.
    pub fn neighbours(self, column: usize) -> impl Iterator<Item = (Direction, usize, usize)> {
        DIRECTIONS.into_iter().filter_map(move |direction| {
            let (neighbour, face) = self.neighbour(column, direction)?;
            Some((direction, neighbour, face))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_neighbours_share_one_face() {
        let lattice = Lattice { columns: 4, rows: 3 };
        let mut seen = vec![0; lattice.faces()];
        for column in 0..lattice.count() {
            for (direction, neighbour, face) in lattice.neighbours(column) {
                seen[face] += 1;
                let back = lattice.neighbours(neighbour).find(|(_, other, _)| *other == column).unwrap();
                assert_eq!((back.2, back.0.is_forward()), (face, !direction.is_forward()));
                assert_eq!(lattice.ends(face), [column.min(neighbour), column.max(neighbour)]);
                assert_eq!(lattice.along(column, direction, 1), Some(neighbour));
            }
        }
        assert_eq!(seen.iter().filter(|count| **count == 2).count(), 3 * 3 + 2 * 4);
        assert!(seen.iter().all(|count| *count == 0 || *count == 2));
    }
}
