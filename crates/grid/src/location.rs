//! Location of a sample on its cell.

use std::fmt;

/// Location of the samples of a field on the cells of a grid.
///
/// ```
/// use undine_grid::Location;
/// assert!(Location::Face(0).is_on_side(0));
/// assert!(!Location::Face(0).is_on_side(1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Location {
    /// The middle of each cell.
    Center,
    /// The faces across this axis: as many as cells, and one more along the axis.
    Face(usize),
    /// The edges along this axis of three: the place of the vorticity about it. In two dimensions an edge is a face
    /// or a node, so this is for three only.
    Edge(usize),
    /// The corners of the cells.
    Node,
}

impl Location {
    /// Whether the first and last sample along `axis` lie on the sides of the grid, rather than half a cell inside.
    pub fn is_on_side(self, axis: usize) -> bool {
        match self {
            Location::Center => false,
            Location::Face(across) => axis == across,
            Location::Edge(along) => axis != along,
            Location::Node => true,
        }
    }

    /// Whether a field of dimension `D` can have this location.
    pub fn exists_in(self, dimension: usize) -> bool {
        match self {
            Location::Center | Location::Node => true,
            Location::Face(across) => across < dimension,
            Location::Edge(along) => dimension == 3 && along < 3,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |axis: &usize| ["x", "y", "z"].get(*axis).copied().unwrap_or("an unknown axis");
        match self {
            Location::Center => write!(f, "cell centres"),
            Location::Face(across) => write!(f, "faces across {}", axis(across)),
            Location::Edge(along) => write!(f, "edges along {}", axis(along)),
            Location::Node => write!(f, "nodes"),
        }
    }
}
