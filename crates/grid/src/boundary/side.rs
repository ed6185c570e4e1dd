//! The sides of a grid.

use std::fmt;

/// One side of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Low x.
    West,
    /// High x.
    East,
    /// Low y.
    South,
    /// High y.
    North,
    /// Low z.
    Down,
    /// High z.
    Up,
}

impl Side {
    /// All sides, by axis, the low one first.
    pub const ALL: [Side; 6] = [Side::West, Side::East, Side::South, Side::North, Side::Down, Side::Up];

    /// The sides a grid of `dimension` axes has.
    ///
    /// ```
    /// use undine_grid::Side;
    /// assert_eq!(Side::of_dimension(1), [Side::West, Side::East]);
    /// ```
    pub fn of_dimension(dimension: usize) -> &'static [Side] {
        &Side::ALL[..2 * dimension.min(3)]
    }

    /// The axis across this side.
    pub fn axis(self) -> usize {
        self as usize / 2
    }

    /// Whether the axis ends here, rather than starts.
    pub fn is_high(self) -> bool {
        self as usize % 2 == 1
    }

    /// The side across.
    pub fn opposite(self) -> Side {
        Side::ALL[self as usize ^ 1]
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["west", "east", "south", "north", "down", "up"][*self as usize])
    }
}
